"""Builds the native kernel into the wheel, where there is a C compiler; else the wheel is pure.

`additive.c` needs no header but the compiler's own, so one wheel serves every Python and every
torch on its platform. Why it is done so: docs/decisions/0002-native-kernel.md.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags

FOLDER = Path("src", "regard", "attention", "kernels")
SOURCE = FOLDER / "additive.c"
LIBRARY = FOLDER / "libadditive.so"  # by this name on every platform: ctypes does not mind


class NativeKernel(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        try:
            compile_kernel(Path(self.root))
        except (OSError, subprocess.SubprocessError) as failure:
            self.app.display_warning(f"regard without its native kernel, slower: {failure}")
            return
        build_data["artifacts"].append(LIBRARY.as_posix())  # git ignores it, the wheel must not
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform()}"


def compile_kernel(root: Path) -> Path:
    """Compile the library into the source tree, where an editable installation looks for it."""
    library = root / LIBRARY
    library.unlink(missing_ok=True)  # an old one would be worse than none
    # No -ffast-math: the kernel needs none of it, and GCC before 13 would put code into the library
    # that makes the whole process flush denormal numbers to zero when it is loaded.
    flags = ["-O3", "-std=gnu11", "-ffp-contract=fast", "-fPIC", "-shared"]
    if sys.platform == "darwin":
        flags += [
            "-undefined",
            "dynamic_lookup",
        ]  # OpenMP is torch's, found when loaded
    unfinished = library.with_suffix(f".{os.getpid()}")
    try:
        subprocess.run(  # noqa: S603  the compiler is the builder's own choice
            [*compiler(), *flags, str(root / SOURCE), "-o", str(unfinished)],
            check=True,
            capture_output=True,
            timeout=300,
        )
        unfinished.replace(library)
    finally:
        unfinished.unlink(missing_ok=True)
    return library


def compiler() -> list[str]:
    """$CC if it is set, else the first of the usual names that is there."""
    if command := shlex.split(os.environ.get("CC", "")):
        return command
    for name in ("cc", "gcc", "clang"):
        if found := shutil.which(name):
            return [found]
    raise FileNotFoundError("there is no C compiler ($CC, cc, gcc, clang)")


def platform() -> str:
    """Of this machine and no other: whether a wheel is `manylinux` is for auditwheel to say."""
    return next(
        tag.platform
        for tag in sys_tags()
        if not tag.platform.startswith(("manylinux", "musllinux"))
    )

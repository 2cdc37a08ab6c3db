"""Build hooks: compile the native kernels, and make the links of the README absolute.

Without a C compiler the wheel is pure. The kernels include only headers of the compiler, so one
wheel works with every version of Python and torch on its platform. See
docs/decisions/0002-native-kernel.md.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface
from packaging.tags import sys_tags

PACKAGE = Path("src", "regard")
# Contraction is faster, but its results depend on the processor. Word alignments must not.
KERNELS = {
    PACKAGE / "attention" / "kernels" / "additive.c": "-ffp-contract=fast",
    PACKAGE / "align" / "kernels" / "hmm.c": "-ffp-contract=off",
}


class NativeKernels(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        try:
            libraries = [compile_kernel(Path(self.root), source) for source in KERNELS]
        except (OSError, subprocess.SubprocessError) as failure:
            self.app.display_warning(f"Building without the native kernels (slower): {failure}")
            return
        for library in libraries:  # ignored by git, but part of the wheel
            build_data["artifacts"].append(library.relative_to(self.root).as_posix())
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform()}"


class AbsoluteReadme(MetadataHookInterface):
    """The README for package indexes, which know no other file of the repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text("utf-8")
        repository, tag = metadata["urls"]["Repository"], f"v{metadata['version']}"
        text = absolute_links(text, repository, tag)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def absolute_links(text: str, repository: str, tag: str) -> str:
    """Make relative links and images of Markdown refer to a tag of the repository."""
    text = re.sub(r"\]\((?![a-z]+:|#)", f"]({repository}/blob/{tag}/", text)
    return re.sub(r'src="(?![a-z]+:)', f'src="{repository}/raw/{tag}/', text)


def compile_kernel(root: Path, source: Path) -> Path:
    """Compile a library beside its source, so that an editable install finds it."""
    library = root / source.with_name(f"lib{source.stem}.so")  # a name for ctypes on every platform
    library.unlink(missing_ok=True)  # never keep an outdated library
    # Not -ffast-math: with GCC before 13, loading the library would make the whole process flush
    # denormal numbers to zero.
    flags = ["-O3", "-std=gnu11", KERNELS[source], "-fPIC", "-shared"]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]  # OpenMP symbols come from torch at load time
    unfinished = library.with_suffix(f".{os.getpid()}")
    try:
        subprocess.run(  # noqa: S603  the builder chooses the compiler
            [*compiler(), *flags, str(root / source), "-o", str(unfinished)],
            check=True,
            capture_output=True,
            timeout=300,
        )
        unfinished.replace(library)
    finally:
        unfinished.unlink(missing_ok=True)
    return library


def compiler() -> list[str]:
    """Return $CC if it is set, else the first of cc, gcc and clang on the path."""
    if command := shlex.split(os.environ.get("CC", "")):
        return command
    for name in ("cc", "gcc", "clang"):
        if found := shutil.which(name):
            return [found]
    raise FileNotFoundError("no C compiler found ($CC, cc, gcc, clang)")


def platform() -> str:
    """Return the platform tag of this machine. auditwheel decides whether a wheel is manylinux."""
    return next(
        tag.platform
        for tag in sys_tags()
        if not tag.platform.startswith(("manylinux", "musllinux"))
    )

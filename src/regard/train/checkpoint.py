"""Checkpoints: folders that appear whole or not at all, and hold no code.

    step-00000200/
    ├── shard-…safetensors    all tensors, from each process what it holds
    └── state.json            all the rest, and the sizes and hashes of the files beside it

A checkpoint is written aside, synced and then renamed, so at any moment every folder without
`.aside` in its name can be loaded. One of the same step that it replaces is `.old` until then. What
a killed process left aside is removed by the next save.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import xxhash
from torch import Tensor

from regard.errors import ArtifactError, StorageError
from regard.train.distributed import World

FORMAT = 1
STATE = "state.json"
ASIDE, OLD = ".aside", ".old"
_BLOCK = 1 << 22  # bytes hashed at once


def checkpoint_folder(root: Path, step: int) -> Path:
    """Where the checkpoint of `step` lies."""
    path = _publish(root, step)
    old = path.with_name(path.name + OLD)
    return old if old.exists() and not path.exists() else path


def checkpoint_steps(root: Path) -> list[int]:
    """Of which steps there are checkpoints, the newest first."""
    found = (path.name.removeprefix("step-").removesuffix(OLD) for path in root.glob("step-*"))
    return sorted({int(name) for name in found if name.isdecimal()}, reverse=True)


def save_checkpoint(
    world: World, root: Path, step: int, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]
) -> Path:
    """Write the checkpoint of `step`; one of the same step is replaced."""
    path = _publish(root, step)
    aside, old = (path.with_name(path.name + end) for end in (ASIDE, OLD))
    with _disk_errors(path, sum(tensor.nbytes for tensor in tensors.values())):
        if world.is_main:
            for left in root.glob(f"*{ASIDE}"):
                shutil.rmtree(left)
            aside.mkdir(parents=True)
        world.wait()
        world.save(tensors, aside)
        world.wait()
        if world.is_main:
            files = {file.name: _identity(file) for file in sorted(aside.iterdir())}
            state = {"format": FORMAT, "step": step, "files": files, **facts}
            _write(aside / STATE, json.dumps(state, indent=1, sort_keys=True).encode())
            _sync(aside)
            if path.exists():
                if old.exists():
                    _remove(old)
                path.rename(old)
            aside.rename(path)
            _sync(root)
            if old.exists():
                _remove(old)
        world.wait()
    return path


def load_checkpoint(world: World, path: Path, tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    """Fill `tensors` from a checkpoint, whatever number of processes wrote it, and give its facts.

    Every byte is compared with its hash before anything is read.
    """
    facts = inspect_checkpoint(path)
    for name, identity in facts["files"].items():
        file = path / name
        if not file.is_file() or _identity(file) != identity:
            raise ArtifactError(
                f"{file}: is not what {STATE} says it is: it was damaged; remove the folder "
                f"{path}, and the run goes on from an older checkpoint"
            )
    world.load(tensors, path)
    return facts


def inspect_checkpoint(path: Path) -> dict[str, Any]:
    try:
        facts = json.loads((path / STATE).read_bytes())
        known = facts["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArtifactError(
            f"{path / STATE}: cannot be read ({error}); remove the folder, and the run goes on "
            "from an older checkpoint"
        ) from None
    if known != FORMAT:
        raise ArtifactError(
            f"{path}: of format {known}, and this version reads {FORMAT}; go on with the version "
            "that wrote it, or begin a new run from its model"
        )
    return facts


def keep_checkpoints(world: World, root: Path, wanted: set[int]) -> None:
    """Remove all checkpoints but those of the steps that are `wanted`, and what was left aside."""
    if world.is_main:
        kept = {checkpoint_folder(root, step) for step in wanted}
        for path in sorted(set(root.glob("step-*")) - kept, reverse=True):  # those aside first
            try:
                _remove(path)
            except OSError as failure:
                raise StorageError(
                    f"{path}: cannot be removed ({failure.strerror}); mend it and run the same "
                    "command"
                ) from failure


def _publish(root: Path, step: int) -> Path:
    return root / f"step-{step:08}"


def _remove(path: Path) -> None:
    if path.suffix != ASIDE:  # a folder half removed must not look like a checkpoint
        path = path.rename(path.with_name(path.name + ASIDE))
    shutil.rmtree(path)


@contextmanager
def _disk_errors(path: Path, need: int) -> Iterator[None]:
    """Whatever goes wrong with the disk is said with the path and the room that is needed."""
    try:
        yield
    except OSError as failure:
        shutil.rmtree(path.with_name(path.name + ASIDE), ignore_errors=True)
        why = failure.strerror
        if failure.errno in (errno.ENOSPC, errno.EDQUOT):
            free = shutil.disk_usage(next(up for up in path.parents if up.exists())).free
            why = f"the disk is full: {free / 1e6:,.1f} MB are free"
        raise StorageError(
            f"{path}: the checkpoint cannot be written ({why}); it needs {need / 1e6:,.1f} MB. "
            "Older checkpoints are intact: mend this and run the same command"
        ) from failure


def _identity(file: Path) -> dict[str, int | str]:
    """Size and hash: quick enough for gigabytes, and blind to nothing that chance can do."""
    hashed = xxhash.xxh3_128()
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            hashed.update(block)
    return {"size": file.stat().st_size, "xxh3": hashed.hexdigest()}


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    """Let what was created or renamed in a folder be on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""Checkpoints: the state of a training, on disk and in memory.

    step-00000200/
    ├── shard-…safetensors    tensors; each process writes those it holds
    └── state.json            everything else, and the size and hash of each tensor file

A checkpoint is written to `step-….tmp`, synced and then renamed, so every directory without the
`.tmp` suffix can be loaded at any time. A checkpoint of the same step is renamed to `.old` until
the new one is in place. The next save deletes what a killed process left behind.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import torch
import xxhash
from torch import Tensor

from regard.errors import ArtifactError, StorageError
from regard.train.distributed import World
from regard.train.losses import TrainingModule
from regard.train.settings import Adam, allocate_state, optimizer_state

FORMAT = 2
STATE = "state.json"
TMP, OLD = ".tmp", ".old"
LATER_FACTS = {"training data", "tokenizer", "data.train.weight"}
"""Facts of an environment that checkpoints of version 0.2 lack."""
_NAME = re.compile(r"step-\d{8,}(\.old)?(\.tmp)?")
_BLOCK = 1 << 22  # bytes per read while hashing


class CheckpointFacts(TypedDict):
    """The content of `state.json`: of a run, or of weights with the scores of a validation."""

    format: int
    step: int
    files: dict[str, dict[str, int | str]]
    progress: NotRequired[dict[str, Any]]  # of `TrainProgress`, or of an older version
    environment: NotRequired[dict[str, object]]
    ema: NotRequired[bool]
    scores: NotRequired[dict[str, float]]
    signatures: NotRequired[dict[str, str]]


def checkpoint_folder(root: Path, step: int) -> Path:
    """Return the directory of the checkpoint of `step`."""
    path = _published_path(root, step)
    old = path.with_name(path.name + OLD)
    return old if old.exists() and not path.exists() else path


def checkpoint_steps(root: Path) -> list[int]:
    """Return the steps that have a checkpoint, newest first."""
    steps = {int(path.stem.removeprefix("step-")) for path in _folders(root) if path.suffix != TMP}
    return sorted(steps, reverse=True)


def save_checkpoint(
    world: World, root: Path, step: int, tensors: Mapping[str, Tensor], facts: Mapping[str, object]
) -> Path:
    """Write the checkpoint of `step`, replacing an existing one, and return its directory.

    Args:
        tensors: written as safetensors.
        facts: written as JSON.

    Raises:
        StorageError: the disk is full or cannot be written. Older checkpoints are intact.
    """
    path = _published_path(root, step)
    tmp, old = (path.with_name(path.name + suffix) for suffix in (TMP, OLD))
    with _disk_errors(path, sum(tensor.nbytes for tensor in tensors.values())):
        if world.is_main:
            for unfinished in _folders(root):
                if unfinished.suffix == TMP:
                    shutil.rmtree(unfinished)
            tmp.mkdir(parents=True)
        world.wait()
        world.save(tensors, tmp)
        world.wait()
        if world.is_main:
            files = {file.name: _size_and_hash(file) for file in sorted(tmp.iterdir())}
            state = {"format": FORMAT, "step": step, "files": files, **facts}
            _write(tmp / STATE, json.dumps(state, indent=1, sort_keys=True).encode())
            _sync(tmp)
            if path.exists():
                if old.exists():
                    _remove(old)
                path.rename(old)
            tmp.rename(path)
            _sync(root)
            if old.exists():
                _remove(old)
        world.wait()
    return path


def load_checkpoint(world: World, path: Path, tensors: Mapping[str, Tensor]) -> CheckpointFacts:
    """Read a checkpoint into `tensors` and return its facts.

    Any number of processes may have written it. All hashes are verified before tensors are read.

    Raises:
        ArtifactError: a file is missing or damaged.
    """
    facts = inspect_checkpoint(path)
    for name, expected in facts["files"].items():
        file = path / name
        if not file.is_file() or _size_and_hash(file) != expected:
            raise ArtifactError(
                f"{file}: the size or hash differs from {STATE}, so the file is damaged. Delete "
                f"the directory {path}; the run then resumes from an older checkpoint."
            )
    world.load(tensors, path)
    return facts


def inspect_checkpoint(path: Path) -> CheckpointFacts:
    """Return the facts of a checkpoint without reading its tensors."""
    try:
        facts: CheckpointFacts = json.loads((path / STATE).read_bytes())
        version = facts["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArtifactError(
            f"{path / STATE}: cannot be read ({error}). Delete the directory; the run then resumes "
            "from an older checkpoint."
        ) from None
    if version != FORMAT:
        raise ArtifactError(
            f"{path}: has format {version}, and this version of regard reads format {FORMAT}. "
            "Resume with the version that wrote it, or start a new run."
        )
    return facts


def changed_environment(path: Path, environment: Mapping[str, object]) -> dict[str, str]:
    """Compare facts with those of a checkpoint; return a text for each that differs, by name."""
    saved = inspect_checkpoint(path)["environment"]
    return {
        name: f"{name} was {saved.get(name)} and is {value}"
        for name, value in environment.items()
        if saved.get(name) != value and (name in saved or name not in LATER_FACTS)
    }


def keep_checkpoints(world: World, root: Path, wanted: set[int]) -> None:
    """Delete unfinished checkpoints and those of all steps except `wanted`."""
    if world.is_main:
        wanted_folders = {checkpoint_folder(root, step) for step in wanted}
        for path in sorted(
            set(_folders(root)) - wanted_folders, reverse=True
        ):  # unfinished ones first
            try:
                _remove(path)
            except OSError as failure:
                raise StorageError(
                    f"{path}: cannot be deleted ({failure.strerror}). Fix this, then run the same "
                    "command again."
                ) from failure


def _folders(root: Path) -> list[Path]:
    """Return the directories of checkpoints, also unfinished and old ones; no other files."""
    return [path for path in root.glob("step-*") if _NAME.fullmatch(path.name) and path.is_dir()]


def _published_path(root: Path, step: int) -> Path:
    return root / f"step-{step:08}"


def _remove(path: Path) -> None:
    if path.suffix != TMP:  # a half-deleted directory must not look like a checkpoint
        path = path.rename(path.with_name(path.name + TMP))
    shutil.rmtree(path)


@contextmanager
def _disk_errors(path: Path, need: int) -> Iterator[None]:
    """Turn an `OSError` into a `StorageError` with the path and the space that is needed."""
    try:
        yield
    except OSError as failure:
        shutil.rmtree(path.with_name(path.name + TMP), ignore_errors=True)
        cause = failure.strerror
        if failure.errno in (errno.ENOSPC, errno.EDQUOT):
            parent = next(parent for parent in path.parents if parent.exists())
            free = shutil.disk_usage(parent).free
            cause = f"the disk is full: {free / 1e6:,.1f} MB are free"
        raise StorageError(
            f"{path}: the checkpoint cannot be written ({cause}); it needs {need / 1e6:,.1f} MB. "
            "Older checkpoints are intact. Fix this, then run the same command again."
        ) from failure


def _size_and_hash(file: Path) -> dict[str, int | str]:
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
    """Flush the entries of a directory to the disk. Windows cannot open a directory."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# -- the state of a run that a checkpoint holds ----------------------------------------------------


@dataclass(slots=True)
class TrainProgress:
    """The state of a run except its tensors."""

    cursor: dict[str, int | str] = field(default_factory=dict)  # position in the data
    best: float | None = None  # best value of the metric
    best_step: int = 0
    stale: int = 0  # validations since the best
    validated: list[int] = field(default_factory=list)  # last steps whose weights are kept
    mean_loss: float | None = None  # moving average
    loss_variance: float = 0.0  # of the losses around the moving average
    loss_baseline: float | None = None  # lowest upper bound of the moving average
    lr_scale: float = 1.0  # factor of the learning rate
    rollbacks: int = 0


class TrainState:
    """The module's tensors, the optimizer's state, and a moving average of the weights:

    θ̄ ← d θ̄ + (1 − d) θ,  d = min(ema, (1 + t)/(10 + t))

    The smaller decay of the first steps removes the influence of the initial weights.
    """

    def __init__(self, module: TrainingModule[Any], adam: Adam, ema: float) -> None:
        self.module, self.decay, self.progress = module, ema, TrainProgress()
        self.parameters = {n: p for n, p in module.named_parameters() if p.requires_grad}
        self.optimizer = adam.build(self.parameters.values())
        allocate_state(self.optimizer)
        self.ema = {n: p.detach().clone() for n, p in self.parameters.items()} if ema else {}

    @torch.no_grad()
    def update_ema(self, step: int) -> None:
        """Update the moving average after a step."""
        if self.ema:
            decay = min(self.decay, (1 + step) / (10 + step))
            weights = [p.detach() for p in self.parameters.values()]
            torch._foreach_lerp_(list(self.ema.values()), weights, 1 - decay)

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Temporarily replace the weights by their moving average, if there is one."""
        weights = {name: self.parameters[name].detach().clone() for name in self.ema}
        copy_into(self.parameters, self.ema)
        try:
            yield
        finally:
            copy_into(self.parameters, weights)

    def weights(self) -> dict[str, Tensor]:
        """Return the model's parameters and buffers, each tensor once."""
        return _tensors(self.module.model)

    def tensors(self) -> dict[str, Tensor]:
        """Return all tensors of a checkpoint."""
        optimizer = optimizer_state(self.optimizer, self.parameters)
        return {
            **{f"module.{name}": tensor for name, tensor in _tensors(self.module).items()},
            **{f"ema.{name}": tensor for name, tensor in self.ema.items()},
            **{f"optimizer.{name}": tensor for name, tensor in optimizer.items()},
        }

    def save(self, world: World, root: Path, step: int, environment: Mapping[str, object]) -> Path:
        """Write the checkpoint of `step` and return its directory."""
        facts = {
            "progress": asdict(self.progress),
            "environment": dict(environment),
            "ema": bool(self.ema),
        }
        return save_checkpoint(world, root, step, self.tensors(), facts)

    def load(self, world: World, path: Path) -> None:
        """Read a checkpoint into this state."""
        tensors = self.tensors()
        starts_average = bool(self.ema) and not inspect_checkpoint(path).get("ema", True)
        if starts_average:  # a resumed run may turn the average on
            tensors = {k: v for k, v in tensors.items() if not k.startswith("ema.")}
        facts = load_checkpoint(world, path, tensors)
        if starts_average:
            copy_into(self.ema, {name: p.detach() for name, p in self.parameters.items()})
        progress = dict(facts["progress"])
        if "lowest_mean_loss" in progress:  # 0.2.0
            progress["loss_baseline"] = progress.pop("lowest_mean_loss")
        self.progress = TrainProgress(**progress)


class Buffers:
    """Buffers of a module, updated by all batches of a step.

    Each batch starts from the values before the step, and the step ends with the mean of the
    batches' results. The result therefore does not depend on which process reads which batch.
    """

    def __init__(self, module: TrainingModule[Any]) -> None:
        self.buffers = list(module.buffers())
        self.initial = [buffer.clone() for buffer in self.buffers]
        self.sums = [torch.zeros_like(buffer, dtype=torch.float64) for buffer in self.buffers]
        self.batches = 0

    def restore(self) -> None:
        """Reset the buffers to their values before the step."""
        for buffer, initial in zip(self.buffers, self.initial, strict=True):
            buffer.copy_(initial)

    def record(self) -> None:
        """Add the values after a batch."""
        self.batches += 1
        for total, buffer in zip(self.sums, self.buffers, strict=True):
            total.add_(buffer)

    def reduce(self, world: World) -> None:
        """Set the buffers to the mean over all recorded batches of all processes."""
        for buffer, total in zip(self.buffers, self.sums, strict=True):
            summed = world.total(torch.cat([total.flatten(), total.new_tensor([self.batches])]))
            buffer.copy_((summed[:-1] / summed[-1]).view_as(buffer))


@torch.no_grad()
def copy_into(tensors: Mapping[str, Tensor], values: Mapping[str, Tensor]) -> None:
    """Copy `values` into the tensors of the same names."""
    for name, value in values.items():
        tensors[name].copy_(value)


def _tensors(module: torch.nn.Module) -> dict[str, Tensor]:
    named = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    return {name: tensor.detach() for name, tensor in named.items()}

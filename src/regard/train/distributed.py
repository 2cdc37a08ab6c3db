"""Many processes: the only file that knows of ranks.

Scale is applied to a finished model from outside; no part of a model knows that it is shared.
A run is told of its processes by torchrun's environment, or is alone.
"""

from __future__ import annotations

import os
import sys
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import torch
import torch.distributed as dist
from jaxtyping import Float
from torch import Tensor, nn
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.hf_storage import (
    HuggingFaceStorageReader,
    HuggingFaceStorageWriter,
)
from torch.distributed.checkpoint.state_dict_loader import load
from torch.distributed.checkpoint.state_dict_saver import save
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard, register_fsdp_forward_method
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

from regard.cores import available_cores
from regard.errors import RegardError
from regard.models import Classifier, EncoderDecoder, LanguageModel
from regard.nn.transformer import DecoderBlock, EncoderBlock

Parallel: TypeAlias = Literal["ddp", "fsdp"]
"""Every process has the whole model (DDP), or a part of it (FSDP2)."""

UNITS: dict[type[nn.Module], tuple[str, ...]] = {
    EncoderBlock: (),
    DecoderBlock: ("read",),
    EncoderDecoder: ("start", "step"),
    LanguageModel: ("start", "step"),
    Classifier: (),
}
"""What is sharded as one piece, and the methods besides `forward` that use its parameters."""


CPU = torch.device("cpu")


@dataclass(frozen=True, slots=True)
class World:
    """The processes of a run, as one of them sees it."""

    rank: int = 0
    size: int = 1
    device: torch.device = CPU
    joined: bool = False  # others may be there to talk to

    @property
    def is_main(self) -> bool:
        """Of all processes, this one writes and tells."""
        return self.rank == 0

    def wait(self) -> None:
        """Until all processes have come here."""
        if self.joined:
            dist.barrier()

    def total(self, values: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
        """The sums over all processes."""
        if self.joined:
            dist.all_reduce(values)
        return values

    def broadcast(self, value: float) -> float:
        """The leader's value."""
        if not self.joined:
            return value
        said = torch.tensor([value], dtype=torch.float64, device=self.device)
        dist.broadcast(said, src=0)
        return float(said)

    def wrap(self, module: nn.Module, model: nn.Module, parallel: Parallel) -> nn.Module:
        """`lesson`, of which `model` is the part that may be sharded, for these processes."""
        if not self.joined:
            return module
        if parallel == "fsdp":
            shard(model, init_device_mesh(self.device.type, (self.size,)))
            return module
        return DistributedDataParallel(module)

    def save(self, tensors: Mapping[str, Tensor], path: Path) -> None:
        """Each process writes what it holds, as safetensors, into the folder `path`."""
        writer = HuggingFaceStorageWriter(str(path), save_distributed=True)
        with warnings.catch_warnings():  # being alone is no reason for a warning
            warnings.simplefilter("ignore")
            try:
                save(dict(tensors), storage_writer=writer, no_dist=not self.joined)
            except CheckpointException as failure:  # what went wrong in any process, told to all
                raise next(iter(failure.failures.values()))[0] from failure

    def load(self, tensors: Mapping[str, Tensor], path: Path) -> None:
        """Fill `tensors` with what any number of processes wrote to `path`."""
        reader = HuggingFaceStorageReader(str(path))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            load(dict(tensors), storage_reader=reader, no_dist=not self.joined)


def is_sharded(lesson: nn.Module) -> AbstractContextManager[None]:
    """While gradients only add up, copies need not tell each other of them."""
    return lesson.no_sync() if isinstance(lesson, DistributedDataParallel) else nullcontext()


def full_tensor(tensor: Tensor) -> Tensor:
    """All of a tensor of which this process may hold only a part."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def release(model: nn.Module) -> None:
    """Let a model that was read from, and may be sharded, gather its parameters anew when it is
    used again: they may have changed by then."""
    if isinstance(model, FSDPModule):
        model.reshard()


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Spread the parameters over the processes of `mesh` (FSDP2); the model is used as before."""
    for module in reversed(list(model.modules())):  # parts before the whole
        methods = UNITS.get(type(module))
        if methods is not None:
            # the whole stays gathered after its forward pass, so that an objective can read out
            fully_shard(module, mesh=mesh, reshard_after_forward=module is not model)
            for method in methods:
                register_fsdp_forward_method(module, method)
    return model


@contextmanager
def join_world() -> Iterator[World]:
    """The world that torchrun's variables tell of; without them, this process alone."""
    cuda = torch.cuda.is_available()
    if not launched_by_torchrun():
        yield World(device=torch.device("cuda") if cuda else CPU)
        return
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else CPU
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    try:
        yield World(dist.get_rank(), dist.get_world_size(), device, joined=True)
    finally:
        dist.destroy_process_group()


def launched_by_torchrun() -> bool:
    """Whether this process is one of many that were started together."""
    return "RANK" in os.environ


def launch(workers: int, module: str, arguments: list[str], restarts: int = 3) -> None:
    """Run `python -m module arguments` in as many processes, all begun anew when one of them dies.

    An error that a user must mend is no death: it ends them all. On many machines torchrun does
    the same, but does not tell the two apart.
    """
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, available_cores() // workers)))
    ours = {kind.code for kind in RegardError.__subclasses__()}
    for left in reversed(range(restarts + 1)):
        config = LaunchConfig(
            min_nodes=1,
            max_nodes=1,
            nproc_per_node=workers,
            run_id=uuid.uuid4().hex,
            rdzv_backend="c10d",
            rdzv_endpoint="localhost:0",
            max_restarts=0,
        )
        run: Callable[..., Any] = elastic_launch(config, sys.executable)
        try:
            run("-m", module, *arguments)
            return
        except SignalException as asked:  # the workers were asked too, and have left
            raise SystemExit(128 + asked.sigval) from None
        except ChildFailedError as failure:
            code = failure.get_first_failure()[1].exitcode
            if code in ours or not left:
                raise SystemExit(max(1, code)) from None

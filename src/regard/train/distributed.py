"""Distributed training with DDP or FSDP2. No other module uses ranks.

Parallelism is applied to a finished model from outside. torchrun's environment variables define
the processes; without them, a run has one process.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

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
from regard.errors import ArtifactError, RegardError
from regard.models import Classifier, EncoderDecoder, LanguageModel
from regard.nn.transformer import DecoderBlock, EncoderBlock
from regard.train.settings import Parallel

# -- graceful interruption -------------------------------------------------------------------------
# A signal ends a run after its current step.


_SIGNALS = (signal.SIGTERM, signal.SIGINT)  # from a scheduler, from Ctrl-C


@contextmanager
def interruptible() -> Iterator[list[bool]]:
    """Yield a list that is empty until a signal arrives. A second signal interrupts at once."""
    received: list[bool] = []
    if threading.current_thread() is not threading.main_thread():
        yield received  # Python delivers signals to the main thread only
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if received:
            raise KeyboardInterrupt
        received.append(True)

    previous = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield received
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


# -- distributed -----------------------------------------------------------------------------------


UNITS: dict[type[nn.Module], tuple[str, ...]] = {
    EncoderBlock: (),
    DecoderBlock: ("build_memory",),
    EncoderDecoder: ("start", "step"),
    LanguageModel: ("start", "step"),
    Classifier: (),
}
"""Modules that FSDP shards as one unit, and their methods besides `forward` that use parameters."""

CPU = torch.device("cpu")


@dataclass(frozen=True, slots=True)
class World:
    """The processes of a run, seen from one of them."""

    rank: int = 0
    size: int = 1
    device: torch.device = CPU
    joined: bool = False  # a process group exists

    @property
    def is_main(self) -> bool:
        """Whether this process writes files and logs."""
        return self.rank == 0

    def wait(self) -> None:
        """Wait until all processes have called this."""
        if self.joined:
            dist.barrier()

    def total(self, values: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
        """Sum `values` over all processes, in place, and return them."""
        if self.joined:
            dist.all_reduce(values)
        return values

    def broadcast(self, value: float) -> float:
        """Return the value of the main process."""
        if not self.joined:
            return value
        shared = torch.tensor([value], dtype=torch.float64, device=self.device)
        dist.broadcast(shared, src=0)
        return float(shared)

    def wrap(self, module: nn.Module, model: nn.Module, parallel: Parallel) -> nn.Module:
        """Return `module` prepared for these processes; `model` is its part that FSDP shards."""
        if not self.joined:
            return module
        if parallel == "fsdp":
            shard(model, init_device_mesh(self.device.type, (self.size,)))
            return module
        return DistributedDataParallel(module)

    def save(self, tensors: Mapping[str, Tensor], path: Path) -> None:
        """Write the tensors that each process holds into the directory `path`, as safetensors."""
        writer = HuggingFaceStorageWriter(str(path), save_distributed=True)
        with warnings.catch_warnings():  # torch warns if there is only one process
            warnings.simplefilter("ignore")
            try:
                save(dict(tensors), storage_writer=writer, no_dist=not self.joined)
            except CheckpointException as failure:  # all processes receive the failure of any
                raise next(iter(failure.failures.values()))[0] from failure

    def load(self, tensors: Mapping[str, Tensor], path: Path) -> None:
        """Read `tensors` from `path`, whatever the number of processes that wrote them."""
        reader = HuggingFaceStorageReader(str(path))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                load(dict(tensors), storage_reader=reader, no_dist=not self.joined)
            except CheckpointException as failure:
                cause = next(iter(failure.failures.values()))[0]
                raise ArtifactError(
                    f"{path}: the checkpoint does not fit the run ({cause}). Restore the settings "
                    "of the model, or choose another --out."
                ) from failure


def no_sync(wrapped: nn.Module) -> AbstractContextManager[None]:
    """Return a context in which DDP accumulates gradients without synchronizing them."""
    return wrapped.no_sync() if isinstance(wrapped, DistributedDataParallel) else nullcontext()


def full_tensor(tensor: Tensor) -> Tensor:
    """Gather a tensor that may be sharded over processes."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def release(model: nn.Module) -> None:
    """Free the gathered parameters of a model that may be sharded.

    They are gathered again at the next use, with the values they have then.
    """
    if isinstance(model, FSDPModule):
        model.reshard()


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Shard the parameters over the processes of `mesh` (FSDP2). The model keeps its interface."""
    for module in reversed(list(model.modules())):  # children before parents
        methods = UNITS.get(type(module))
        if methods is not None:
            # the root stays gathered after its forward pass, because losses use its readout
            fully_shard(module, mesh=mesh, reshard_after_forward=module is not model)
            for method in methods:
                register_fsdp_forward_method(module, method)
    return model


@contextmanager
def join_world() -> Iterator[World]:
    """Join the process group that torchrun's variables define, or run as a single process."""
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
        # DDP is part of reference cycles and holds the group. Its threads must end before the
        # interpreter does: a thread that then asks for the GIL aborts the process.
        gc.collect()


def launched_by_torchrun() -> bool:
    """Return whether torchrun started this process."""
    return "RANK" in os.environ


def launch(workers: int, module: str, arguments: list[str], restarts: int = 3) -> None:
    """Run `python -m module arguments` in several processes; restart all of them if one dies.

    An error that the user must fix, any `RegardError`, ends them without a restart. torchrun, for
    use on several machines, restarts after any error.
    """
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, available_cores() // workers)))
    user_errors = {kind.code for kind in RegardError.__subclasses__()}
    for restarts_left in reversed(range(restarts + 1)):
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
        except SignalException as received:  # the workers received it too and have exited
            raise SystemExit(128 + received.sigval) from None
        except ChildFailedError as failure:
            code = failure.get_first_failure()[1].exitcode
            if code in user_errors or not restarts_left:
                raise SystemExit(max(1, code)) from None

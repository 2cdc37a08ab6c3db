"""The optimizer, its schedule, and settings of speed."""

from __future__ import annotations

import ctypes
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from regard.attention import Attention, Dropout
from regard.train.losses import CrossEntropy, Reinforce

# -- optimizers and learning rate schedules --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Schedule(ABC):
    """Factor of the peak learning rate at each step: linear warmup, then `after`.

    A schedule is a function of the step, so checkpoints do not need its state.
    """

    warmup: int  # steps until the peak

    def factor(self, step: int, last: int) -> float:
        """Return the factor at `step`, counted from 1, of a run of `last` steps."""
        return step / self.warmup if step < self.warmup else self.factor_after_warmup(step, last)

    @abstractmethod
    def factor_after_warmup(self, step: int, last: int) -> float:
        """Return the factor at a `step` after the warmup."""


@dataclass(frozen=True, slots=True)
class Constant(Schedule):
    """η_t = η"""

    def factor_after_warmup(self, step: int, last: int) -> float:
        return 1.0


@dataclass(frozen=True, slots=True)
class InverseSqrt(Schedule):
    """η_t = η √(w/t), independent of the number of steps (Vaswani et al. 2017, 5.3)"""

    def factor_after_warmup(self, step: int, last: int) -> float:
        return (max(1, self.warmup) / step) ** 0.5


@dataclass(frozen=True, slots=True)
class Linear(Schedule):
    """η_t = η (T − t)/(T − w), zero at the end of the run"""

    def factor_after_warmup(self, step: int, last: int) -> float:
        # zero is reached one step after the last, so that the last step has an effect
        return max(0.0, (last + 1 - step) / (last + 1 - self.warmup))


@dataclass(frozen=True, slots=True)
class Adam:
    """m ← β₁m + (1 − β₁)g,  v ← β₂v + (1 − β₂)g²,  θ ← θ − η (m̂/(√v̂ + ε) + λθ)

    Kingma and Ba 2015, with the decoupled weight decay λ of Loshchilov and Hutter 2019.
    """

    rate: float
    betas: tuple[float, float] = (0.9, 0.98)
    epsilon: float = 1e-9
    weight_decay: float = 0.0

    def build(self, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.AdamW(
            parameters,
            lr=self.rate,
            betas=self.betas,
            eps=self.epsilon,
            weight_decay=self.weight_decay,
            fused=True,
        )


def optimizer_state(
    optimizer: torch.optim.Optimizer, names: Mapping[str, nn.Parameter]
) -> dict[str, Tensor]:
    """Return the optimizer's tensors, named `<parameter>.<kind>`."""
    return {
        f"{name}.{kind}": value
        for name, parameter in names.items()
        for kind, value in sorted(optimizer.state[parameter].items())
    }


def allocate_state(optimizer: torch.optim.Optimizer) -> None:
    """Allocate optimizer state so that a checkpoint can be loaded into it."""
    for group in optimizer.param_groups:
        group["lr"] = 0.0  # the trainer sets it before each step
        for parameter in group["params"]:
            parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    for state in optimizer.state.values():
        state["step"].zero_()


# -- settings that affect the speed of training. By default the device determines each of them -----
# `python -m benchmarks.train` measures their effect.


@dataclass(frozen=True, slots=True)
class Performance:
    """Settings that affect speed; `auto` leaves the choice to the device."""

    precision: Literal["auto", "fp32", "bf16"] = "auto"  # of matrix products; weights are fp32
    attention: Literal["auto", "sdpa", "matmul"] = "auto"  # kernel of dot-product attention
    dropout: Literal["auto", "bytes", "plain"] = "auto"  # bytes: one random byte per element
    loss: Literal["auto", "chunked", "plain"] = "auto"  # chunked: never hold all logits at once
    allocator: Literal["auto", "glibc", "plain"] = "auto"  # glibc: keep freed memory

    def resolve(self, device: torch.device) -> Performance:
        """Replace each `auto` by the choice for `device`.

        On a CPU `attention` stays `auto`: the kernel also depends on the length of each memory.
        """
        cpu = device.type == "cpu"
        defaults = Performance(
            precision="bf16" if has_bf16(device) else "fp32",
            attention="auto" if cpu else "sdpa",
            dropout="bytes" if cpu else "plain",
            loss="chunked",
            allocator="glibc" if cpu else "plain",
        )
        explicit = {name: choice for name, choice in asdict(self).items() if choice != "auto"}
        return replace(defaults, **explicit)

    def apply(self, module: nn.Module) -> None:
        """Configure all submodules of `module` that have such a setting."""
        for submodule in module.modules():
            match submodule:
                case Attention():
                    submodule.kernel = self.attention
                case Dropout():
                    submodule.kernel = self.dropout
                case CrossEntropy() | Reinforce():
                    submodule.chunked = self.loss != "plain"

    def autocast(self, device: torch.device) -> torch.autocast:
        """Return a context in which the forward pass runs in the chosen precision."""
        return torch.autocast(device.type, torch.bfloat16, enabled=self.precision == "bf16")

    def tune_allocator(self) -> None:
        """Make glibc keep freed memory, for the rest of this process.

        By default glibc returns large tensors to the system, which must then clear every page of
        the next one. Has no effect on other systems and with other allocators.
        """
        if self.allocator != "glibc" or sys.platform != "linux":
            return
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is None:
            return
        mallopt(_M_MMAP_MAX, 0)  # no separate mapping for large tensors
        mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)  # never shrink the heap
        mallopt(_M_TOP_PAD, 2**28)  # grow the heap in steps of 256 MB


_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_MAX = -1, -2, -4  # malloc.h


def has_bf16(device: torch.device) -> bool:
    """Return whether the device multiplies bf16 matrices faster than fp32 matrices."""
    match device.type:
        case "cpu":
            return torch.cpu._is_amx_tile_supported() or torch.cpu._is_avx512_bf16_supported()
        case "cuda":
            return torch.cuda.is_bf16_supported(including_emulation=False)
    return False


# -- settings --------------------------------------------------------------------------------------


Parallel: TypeAlias = Literal["ddp", "fsdp"]
"""Each process holds the whole model (DDP), or a shard of it (FSDP2)."""


@dataclass(frozen=True, slots=True)
class TrainerSettings:
    """Settings of a training run that do not depend on the task."""

    steps: int
    optimizer: Adam
    schedule: Schedule
    metric: str  # the validation score that selects the best weights
    higher_is_better: bool = True  # of the metric
    seed: int = 1
    clip: float = 1.0  # maximum norm of a gradient
    max_loss_rise: float | None = 1.0  # nats per token until a run has diverged; None: no limit
    ema: float = 0.0  # decay of the moving average of the weights; 0: no average
    average: int = 1  # how many of the last validated weights are averaged at the end
    validate_every: int = 500
    patience: int | None = None  # validations without improvement until training stops
    save_every: int = 500
    parallel: Parallel = "ddp"
    performance: Performance = field(default_factory=Performance)

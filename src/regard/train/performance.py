"""Settings that affect the speed of training. By default the device determines each of them.

`python -m benchmarks.train` measures their effect.
"""

from __future__ import annotations

import ctypes
import sys
from dataclasses import asdict, dataclass, replace
from typing import Literal

import torch
from torch import nn

from regard.attention import Attention, Dropout
from regard.train.losses import CrossEntropy, Reinforce


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

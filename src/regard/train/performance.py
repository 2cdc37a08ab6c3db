"""How fast training goes: the choices that a device makes, each of which a user can make instead.

What each of them gives is measured by `python -m benchmarks.train`.
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
    precision: Literal["auto", "fp32", "bf16"] = "auto"  # of matrix products; weights are fp32
    attention: Literal["auto", "sdpa", "matmul"] = "auto"  # the kernel of inner products
    dropout: Literal["auto", "bytes", "plain"] = "auto"  # whose random bits
    loss: Literal["auto", "chunked", "plain"] = "auto"  # without or with all logits at once
    allocator: Literal["auto", "glibc", "plain"] = "auto"  # whether freed memory is kept

    def resolve(self, device: torch.device) -> Performance:
        """The same with everything decided, but for the kernel: it depends on each memory too."""
        processor = device.type == "cpu"
        chosen = Performance(
            precision="bf16" if has_bf16(device) else "fp32",
            attention="auto" if processor else "sdpa",
            dropout="bytes" if processor else "plain",
            loss="chunked",
            allocator="glibc" if processor else "plain",
        )
        asked = {name: choice for name, choice in asdict(self).items() if choice != "auto"}
        return replace(chosen, **asked)

    def apply(self, module: nn.Module) -> None:
        """Set the switches of all parts of `module` that have one."""
        for part in module.modules():
            match part:
                case Attention():
                    part.kernel = self.attention
                case Dropout():
                    part.kernel = self.dropout
                case CrossEntropy() | Reinforce():
                    part.chunked = self.loss != "plain"

    def autocast(self, device: torch.device) -> torch.autocast:
        """Within it, the forward pass runs in the precision that was chosen."""
        return torch.autocast(device.type, torch.bfloat16, enabled=self.precision == "bf16")

    def tune_allocator(self) -> None:
        """Let glibc keep freed memory, for this whole process and from now on.

        Else it gives large tensors back, and the system must clear every page of the next one. On
        other systems, and with other allocators, this does nothing.
        """
        if self.allocator != "glibc" or sys.platform != "linux":
            return
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is None:
            return
        mallopt(_M_MMAP_MAX, 0)  # no mapping of its own for any tensor
        mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)  # what is free at the top of the heap stays ours
        mallopt(_M_TOP_PAD, 2**28)  # and the heap grows in steps of 256 MB


_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_MAX = -1, -2, -4  # malloc.h


def has_bf16(device: torch.device) -> bool:
    """Whether the device multiplies matrices of bf16 faster than of fp32."""
    match device.type:
        case "cpu":
            return torch.cpu._is_amx_tile_supported() or torch.cpu._is_avx512_bf16_supported()
        case "cuda":
            return torch.cuda.is_bf16_supported(including_emulation=False)
    return False

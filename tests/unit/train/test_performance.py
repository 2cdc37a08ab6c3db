"""Settings that affect the speed of training, for every preset."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch import nn

from regard.attention import Attention, Dropout
from regard.batch import Tokens
from regard.nn.interfaces import Decoded
from regard.train.losses import CrossEntropy, Reinforce
from regard.train.settings import Performance, has_bf16
from tests.conftest import ROOT
from tests.tiny_models import PRESETS, Tiny, target, tiny

CPU = torch.device("cpu")


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_trains_in_bf16(name: str) -> None:
    """Loss and gradients are finite and close to those in fp32."""
    small = tiny.__wrapped__(name)
    fp32, fp32_grads = _loss_and_gradients(small, Performance(precision="fp32"))
    bf16, bf16_grads = _loss_and_gradients(small, Performance(precision="bf16"))
    assert bf16.dtype == torch.float32
    torch.testing.assert_close(bf16, fp32, rtol=0.02, atol=0)
    for key, grad in bf16_grads.items():
        assert grad.dtype == torch.float32 and grad.isfinite().all(), key
    if small.model.training and name != "caption-hard":  # samples positions
        flat = [
            torch.cat([g.flatten() for g in each.values()]) for each in (fp32_grads, bf16_grads)
        ]
        assert nn.functional.cosine_similarity(*flat, dim=0) > 0.98


def _loss_and_gradients(
    small: Tiny, performance: Performance
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    model = small.model.train()
    model.zero_grad()
    words = target(3, 6)
    torch.manual_seed(0)
    with performance.autocast(CPU):
        hidden = small.hidden(small.source([5, 3, 4]), words)
        if small.kind == "classifier":
            loss = nn.functional.cross_entropy(hidden, words[:, 0])
        else:
            targets = Tokens(words, torch.tensor([6, 2, 5]))
            loss = CrossEntropy(0.1)(Decoded(hidden), model.readout, targets).total
    loss.backward()
    return loss.detach(), {name: p.grad.clone() for name, p in model.named_parameters()}


def test_auto_is_resolved_by_the_device_and_explicit_choices_stay() -> None:
    cpu = Performance().resolve(CPU)
    assert cpu.precision == ("bf16" if has_bf16(CPU) else "fp32")
    assert (cpu.dropout, cpu.loss, cpu.allocator) == ("bytes", "chunked", "glibc")
    assert cpu.attention == "auto"  # the length of each memory decides
    other = Performance().resolve(torch.device("meta"))
    assert other == Performance("fp32", "sdpa", "plain", "chunked", "plain")
    explicit = Performance("fp32", "matmul", "plain", "plain", "plain")
    assert explicit.resolve(CPU) == explicit


def test_settings_are_applied_to_all_submodules() -> None:
    small = tiny.__wrapped__("transformer")
    module = nn.ModuleList([small.model, CrossEntropy(), Reinforce()])
    Performance("fp32", "sdpa", "plain", "plain").apply(module)
    parts = list(module.modules())
    assert {part.kernel for part in parts if isinstance(part, Attention)} == {"sdpa"}
    assert {part.kernel for part in parts if isinstance(part, Dropout)} == {"plain"}
    assert [part.chunked for part in parts if isinstance(part, CrossEntropy | Reinforce)] == [
        False,
        False,
    ]
    assert not [part for part in parts if isinstance(part, nn.Dropout)]


PAGES = """
import resource, torch
from regard.train.settings import Performance
Performance(allocator="{allocator}").tune_allocator()
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
before = faults()
for _ in range(24):
    torch.ones(1 << 24)
print(faults() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator")
def test_a_tuned_allocator_reuses_freed_pages() -> None:
    """24 tensors of 64 MB, more than glibc keeps by default.

    The first tensors take new pages, until one fits into the place of another. How many they are
    depends on the small allocations between them.
    """

    def faults(allocator: str) -> int:
        code = PAGES.format(allocator=allocator)
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
        )
        return int(done.stdout)

    assert faults("glibc") < faults("plain") / 2

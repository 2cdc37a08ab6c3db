"""The choices that make training fast, and that no model breaks under them."""

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
from regard.train.performance import Performance, has_bf16
from tests.conftest import ROOT
from tests.tiny_models import PRESETS, Tiny, target, tiny

CPU = torch.device("cpu")


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_learns_in_bf16(name: str) -> None:
    """Its loss and all its gradients are finite, and near those in fp32."""
    small = tiny.__wrapped__(name)
    exact, grads = _lesson(small, Performance(precision="fp32"))
    narrow, narrow_grads = _lesson(small, Performance(precision="bf16"))
    assert narrow.dtype == torch.float32
    torch.testing.assert_close(narrow, exact, rtol=0.02, atol=0)
    for key, grad in narrow_grads.items():
        assert grad.dtype == torch.float32 and grad.isfinite().all(), key
    if small.model.training and name != "caption-hard":  # which chooses by chance
        flat = [torch.cat([g.flatten() for g in each.values()]) for each in (grads, narrow_grads)]
        assert nn.functional.cosine_similarity(*flat, dim=0) > 0.98


def _lesson(small: Tiny, speed: Performance) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    model = small.model.train()
    model.zero_grad()
    words = target(3, 6)
    torch.manual_seed(0)
    with speed.autocast(CPU):
        hidden = small.hidden(small.source([5, 3, 4]), words)
        if small.kind == "classifier":
            loss = nn.functional.cross_entropy(hidden, words[:, 0])
        else:
            told = Tokens(words, torch.tensor([6, 2, 5]))
            loss = CrossEntropy(0.1)(Decoded(hidden), model.readout, told).total
    loss.backward()
    return loss.detach(), {name: p.grad.clone() for name, p in model.named_parameters()}


def test_everything_is_decided_by_the_device_or_as_it_was_asked() -> None:
    here = Performance().resolve(CPU)
    assert here.precision == ("bf16" if has_bf16(CPU) else "fp32")
    assert (here.dropout, here.loss, here.allocator) == ("bytes", "chunked", "glibc")
    assert here.attention == "auto"  # by the length of each memory
    there = Performance().resolve(torch.device("meta"))
    assert there == Performance("fp32", "sdpa", "plain", "chunked", "plain")
    asked = Performance("fp32", "matmul", "plain", "plain", "plain")
    assert asked.resolve(CPU) == asked


def test_switches_are_set_wherever_they_are() -> None:
    small = tiny.__wrapped__("transformer")
    whole = nn.ModuleList([small.model, CrossEntropy(), Reinforce()])
    Performance("fp32", "sdpa", "plain", "plain").apply(whole)
    parts = list(whole.modules())
    assert {part.kernel for part in parts if isinstance(part, Attention)} == {"sdpa"}
    assert {part.kernel for part in parts if isinstance(part, Dropout)} == {"plain"}
    assert [part.chunked for part in parts if isinstance(part, CrossEntropy | Reinforce)] == [
        False,
        False,
    ]
    assert not [part for part in parts if isinstance(part, nn.Dropout)]


PAGES = """
import resource, torch
from regard.train.performance import Speed
Speed(allocator="{allocator}").tune_allocator()
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(3):
    torch.ones(1 << 24)
before = faults()
for _ in range(5):
    torch.ones(1 << 24)
print(faults() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator")
def test_a_tuned_allocator_is_given_its_pages_once() -> None:
    """64 MB, more than glibc keeps by itself, five times: 16,384 pages each, or 32 huge ones."""

    def faults(allocator: str) -> int:
        code = PAGES.format(allocator=allocator)
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
        )
        return int(done.stdout)

    assert faults("glibc") < 32
    assert faults("plain") >= 5 * 32

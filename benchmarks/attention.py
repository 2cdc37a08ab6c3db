"""Speed and memory of attention, compared with plain PyTorch code.

    python -m benchmarks.attention [--quick]

Speed: the implementations take turns in one process, and medians are compared, so that a slowdown
of the machine affects all of them. Memory: each configuration runs once in a separate process; the
figure is the increase of peak resident memory in one forward and backward pass. The last line is a
JSON object. The exit code is 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median

THREADS = os.environ.setdefault("OMP_NUM_THREADS", "2")  # read when torch is imported

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import Tensor, nn  # noqa: E402

from benchmarks.figures import Figure, report  # noqa: E402
from regard.attention import (  # noqa: E402
    Attention,
    InnerProduct,
    LocalMonotone,
    LocalPredictive,
    Score,
    Span,
    additive,
    bilinear,
)
from regard.attention.kernels import additive as kernels  # noqa: E402
from regard.train.dry_run import process_peak  # noqa: E402

B, T, S, D = 8, 256, 256, 512
IMPLEMENTATIONS = ("plain", "native", "blocks")  # PyTorch; additive.c; without the library
TASKS = ("parallel", "stepwise")  # all queries in one call; one call per query
Step = Callable[[], object]


class Plain(nn.Module):
    """Bahdanau's attention in plain PyTorch, which allocates all B × T × S × D hidden units."""

    def __init__(self) -> None:
        super().__init__()
        self.to_query, self.to_keys = nn.Linear(D, D), nn.Linear(D, D, bias=False)
        self.energy = nn.Parameter(torch.randn(D) * D**-0.5)

    def build_memory(self, states: Tensor) -> tuple[Tensor, Tensor]:
        return self.to_keys(states), states

    def forward(self, query: Tensor, memory: tuple[Tensor, Tensor]) -> Tensor:
        keys, values = memory
        hidden = torch.tanh(self.to_query(query).unsqueeze(2) + keys.unsqueeze(1))
        return (hidden @ self.energy).softmax(-1) @ values


class Regard(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = Attention(additive(D, D, dim=D))
        self.build_memory = self.attention.build_memory

    def forward(self, query: Tensor, memory: object) -> Tensor:
        return self.attention(query, memory).context


def additive_step(task: str, implementation: str, queries: int = T, keys: int = S) -> Step:
    """One forward and backward pass. In `stepwise` each query depends on the previous context."""
    torch.manual_seed(0)
    attention = Plain() if implementation == "plain" else Regard()
    query = torch.randn(B, queries, D, requires_grad=True)
    states = torch.randn(B, keys, D, requires_grad=True)
    upstream = torch.randn(B, queries, D)

    def step() -> None:
        with native_library(implementation != "blocks"):
            memory = attention.build_memory(states)
            if task == "parallel":
                context = attention(query, memory)
            else:
                contexts = [torch.zeros(B, 1, D)]
                for one in query.split(1, dim=1):
                    contexts.append(attention(one + contexts[-1], memory))
                context = torch.cat(contexts[1:], dim=1)
            context.backward(upstream)
        for x in (query, states, *attention.parameters()):
            x.grad = None

    return step


@contextmanager
def native_library(enabled: bool) -> Iterator[None]:
    """Enable or disable the native library within one process."""
    library = kernels._native
    if not enabled:
        kernels._native = None
    try:
        yield
    finally:
        kernels._native = library


def local_step(score: Score, span: Span, keys: int) -> Step:
    attention = Attention(score, span=span).eval()
    with torch.no_grad():
        memory = attention.build_memory(torch.randn(B, keys, D))
    query = torch.randn(B, 1, D)

    @torch.no_grad()
    def step() -> None:
        attention(query, memory, start=100)

    return step


def fused_steps(backward: bool) -> dict[str, Step]:
    """Eight heads of 64, B = 32: with `Attention`, and with PyTorch's SDPA directly."""
    heads, scale = 8, 64**-0.5
    attention = Attention(InnerProduct(nn.Identity(), nn.Identity(), heads=heads, scale=scale))
    query, states = (torch.randn(32, T, D, requires_grad=backward) for _ in range(2))
    upstream = torch.randn(32, T, D)

    def split(x: Tensor) -> Tensor:
        return x.unflatten(-1, (heads, -1)).transpose(1, 2)

    def with_regard() -> None:
        query.grad = states.grad = None
        context = attention(query, attention.build_memory(states)).context
        if backward:
            context.backward(upstream)

    def sdpa() -> None:
        query.grad = states.grad = None
        context = F.scaled_dot_product_attention(
            split(query), split(states), split(states), scale=scale
        )
        if backward:
            context.backward(split(upstream))

    return {"sdpa": sdpa, "regard": with_regard}


def take_turns(steps: dict[str, Step], rounds: int, warmup: int = 1) -> dict[str, float]:
    """The median seconds of each step, over rounds in which each runs once."""
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(warmup + rounds):
        for name, step in steps.items():
            start = time.perf_counter()
            step()
            if turn >= warmup:
                seconds[name].append(time.perf_counter() - start)
    return {name: median(times) for name, times in seconds.items()}


def peak_increase(task: str, implementation: str) -> int:
    """The bytes by which one step increases the peak memory of this process."""
    additive_step(task, implementation, 2, 2)()  # starts threads and loads libraries
    step = additive_step(task, implementation)
    before = process_peak()
    step()
    return process_peak() - before


def peak_increase_in_child(task: str, implementation: str) -> float:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.attention", "--memory", task, implementation],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout) / 1e6


def measure_additive(rounds: int) -> Iterator[Figure]:
    for task in TASKS:
        times = take_turns({name: additive_step(task, name) for name in IMPLEMENTATIONS}, rounds)
        peaks = {name: peak_increase_in_child(task, name) for name in IMPLEMENTATIONS}
        for name in IMPLEMENTATIONS:
            print(
                f"  additive, {task:9} {name:7} {times[name] * 1e3:9.1f} ms {peaks[name]:9.1f} MB"
            )
        for name, speed, memory in (("native", 8.0, 30.0), ("blocks", 1.0, 20.0)):
            faster, smaller = times["plain"] / times[name], peaks["plain"] / peaks[name]
            yield Figure(f"{task}, {name}: speedup over plain", faster, speed)
            yield Figure(f"{task}, {name}: memory saving over plain", smaller, memory)


def measure_local(rounds: int) -> Iterator[Figure]:
    scores = {"additive": lambda: additive(D, D, dim=D), "bilinear": lambda: bilinear(D, D)}
    spans = {"monotone": lambda: LocalMonotone(10), "predictive": lambda: LocalPredictive(D, 10)}
    for span_name, span in spans.items():
        for score_name, score in scores.items():
            sizes = {str(n): local_step(score(), span(), n) for n in (256, 8192)}
            times = take_turns(sizes, rounds, warmup=20)
            name = f"local {span_name}, {score_name}"
            print(f"  {name:27} {times['256'] * 1e6:9.0f} µs, {times['8192'] * 1e6:9.0f} µs")
            yield Figure(f"{name}: time S=8192 / S=256", times["8192"] / times["256"], 1.3, True)


def measure_fused(rounds: int) -> Iterator[Figure]:
    for name, backward in (("forward", False), ("forward and backward", True)):
        times = take_turns(fused_steps(backward), rounds, warmup=2)
        ours, sdpa = times["regard"], times["sdpa"]
        print(f"  fused, {name:20} {ours * 1e3:9.1f} ms, SDPA {sdpa * 1e3:9.1f} ms")
        yield Figure(f"fused, {name}: time relative to SDPA", ours / sdpa, 1.05, True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds, under a minute")
    parser.add_argument(
        "--memory", nargs=2, metavar=("TASK", "IMPLEMENTATION"), help=argparse.SUPPRESS
    )
    options = parser.parse_args()
    if options.memory:
        print(peak_increase(*options.memory))
        return 0

    library = kernels._native is not None
    print(f"torch {torch.__version__}, {THREADS} threads, native kernel: {library}")
    print(f"B={B}, T=S={T}, D={D}; local windows of ±10 with T=1; fused: B=32, 8 heads of 64")
    rounds = (2, 100, 11) if options.quick else (7, 500, 41)
    figures = [
        *measure_additive(rounds[0]),
        *measure_local(rounds[1]),
        *measure_fused(rounds[2]),
    ]
    return report(
        "attention", figures, torch=torch.__version__, threads=int(THREADS), native=library
    )


if __name__ == "__main__":
    sys.exit(main())

"""What attention costs, beside the plain PyTorch that one would write without regard.

    python -m benchmarks.attention [--quick]

Speed: all sides take turns in this process, and medians are compared, so that a machine that slows
down slows all of them. Memory: each configuration runs once in a process of its own; what counts
is the rise of its peak resident size in one forward and backward pass. The last line is one JSON
object; the exit code tells whether every aim was met.
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
from regard.attention.kernels import additive as kernels
from regard.train.peak_memory import process_peak  # noqa: E402

B, T, S, D = 8, 256, 256, 512
SIDES = ("plain", "native", "blocks")  # tanh of everything; with additive.c; without
TASKS = ("whole", "stepwise")
Step = Callable[[], object]


class Plain(nn.Module):
    """Bahdanau's attention as it is usually written: B × T × S × D hidden units, all at once."""

    def __init__(self) -> None:
        super().__init__()
        self.to_query, self.to_keys = nn.Linear(D, D), nn.Linear(D, D, bias=False)
        self.energy = nn.Parameter(torch.randn(D) * D**-0.5)

    def read(self, states: Tensor) -> tuple[Tensor, Tensor]:
        return self.to_keys(states), states

    def ask(self, query: Tensor, memory: tuple[Tensor, Tensor]) -> Tensor:
        keys, values = memory
        hidden = torch.tanh(self.to_query(query).unsqueeze(2) + keys.unsqueeze(1))
        return (hidden @ self.energy).softmax(-1) @ values


class Ours(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = Attention(additive(D, D, dim=D))
        self.read = self.attention.build_memory

    def ask(self, query: Tensor, memory: object) -> Tensor:
        return self.attention(query, memory).context


def additive_step(task: str, side: str, queries: int = T, keys: int = S) -> Step:
    """One forward and backward pass; `stepwise` asks one query at a time, after the last answer."""
    torch.manual_seed(0)
    attention = Plain() if side == "plain" else Ours()
    query = torch.randn(B, queries, D, requires_grad=True)
    states = torch.randn(B, keys, D, requires_grad=True)
    upstream = torch.randn(B, queries, D)

    def step() -> None:
        with native(side != "blocks"):
            memory = attention.read(states)
            if task == "whole":
                context = attention.ask(query, memory)
            else:
                answers = [torch.zeros(B, 1, D)]
                for asked in query.split(1, dim=1):
                    answers.append(attention.ask(asked + answers[-1], memory))
                context = torch.cat(answers[1:], dim=1)
            context.backward(upstream)
        for x in (query, states, *attention.parameters()):
            x.grad = None

    return step


@contextmanager
def native(wanted: bool) -> Iterator[None]:
    """In one process, the kernel with its library and without must take turns."""
    library = kernels._native
    if not wanted:
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
    """Eight heads of 64, B = 32: through `Attention`, and bare."""
    heads, scale = 8, 64**-0.5
    attention = Attention(InnerProduct(nn.Identity(), nn.Identity(), heads=heads, scale=scale))
    query, states = (torch.randn(32, T, D, requires_grad=backward) for _ in range(2))
    upstream = torch.randn(32, T, D)

    def split(x: Tensor) -> Tensor:
        return x.unflatten(-1, (heads, -1)).transpose(1, 2)

    def ours() -> None:
        query.grad = states.grad = None
        context = attention(query, attention.build_memory(states)).context
        if backward:
            context.backward(upstream)

    def bare() -> None:
        query.grad = states.grad = None
        context = F.scaled_dot_product_attention(
            split(query), split(states), split(states), scale=scale
        )
        if backward:
            context.backward(split(upstream))

    return {"bare": bare, "ours": ours}


def take_turns(steps: dict[str, Step], rounds: int, warmup: int = 1) -> dict[str, float]:
    """Median seconds of each, over rounds in which each has its turn."""
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(warmup + rounds):
        for name, step in steps.items():
            begin = time.perf_counter()
            step()
            if turn >= warmup:
                seconds[name].append(time.perf_counter() - begin)
    return {name: median(taken) for name, taken in seconds.items()}


def rise_of_peak(task: str, side: str) -> int:
    additive_step(task, side, 2, 2)()  # threads and libraries are there from now on
    step = additive_step(task, side)
    before = process_peak()
    step()
    return process_peak() - before


def rise_in_child(task: str, side: str) -> float:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.attention", "--memory", task, side],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout) / 1e6


def measure_additive(rounds: int) -> Iterator[Figure]:
    for task in TASKS:
        times = take_turns({side: additive_step(task, side) for side in SIDES}, rounds)
        peaks = {side: rise_in_child(task, side) for side in SIDES}
        for side in SIDES:
            print(
                f"  additive, {task:9} {side:7} {times[side] * 1e3:9.1f} ms {peaks[side]:9.1f} MB"
            )
        for side, speed, memory in (("native", 8.0, 30.0), ("blocks", 1.0, 20.0)):
            faster, smaller = times["plain"] / times[side], peaks["plain"] / peaks[side]
            yield Figure(f"{task}, {side}: times faster than plain", faster, speed)
            yield Figure(f"{task}, {side}: times less memory than plain", smaller, memory)


def measure_local(rounds: int) -> Iterator[Figure]:
    scores = {"additive": lambda: additive(D, D, dim=D), "bilinear": lambda: bilinear(D, D)}
    spans = {"monotone": lambda: LocalMonotone(10), "predictive": lambda: LocalPredictive(D, 10)}
    for span_name, span in spans.items():
        for score_name, score in scores.items():
            sizes = {str(n): local_step(score(), span(), n) for n in (256, 8192)}
            times = take_turns(sizes, rounds, warmup=20)
            name = f"local {span_name}, {score_name}"
            print(f"  {name:27} {times['256'] * 1e6:9.0f} µs, {times['8192'] * 1e6:9.0f} µs")
            yield Figure(f"{name}: S=8192 over S=256", times["8192"] / times["256"], 1.3, True)


def measure_fused(rounds: int) -> Iterator[Figure]:
    for name, backward in (("forward", False), ("forward and backward", True)):
        times = take_turns(fused_steps(backward), rounds, warmup=2)
        ours, bare = times["ours"], times["bare"]
        print(f"  fused, {name:20} {ours * 1e3:9.1f} ms, bare {bare * 1e3:9.1f} ms")
        yield Figure(f"fused, {name}: over bare", ours / bare, 1.05, True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds: under a minute")
    parser.add_argument("--memory", nargs=2, metavar=("TASK", "SIDE"), help="one child's task")
    options = parser.parse_args()
    if options.memory:
        print(rise_of_peak(*options.memory))
        return 0

    library = kernels._native is not None
    print(f"torch {torch.__version__}, {THREADS} threads, native kernel: {library}")
    print(f"B={B}, T=S={T}, D={D}; local spans reach 10 with T=1; fused: B=32, 8 heads of 64")
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

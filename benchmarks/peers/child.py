"""A command as a child: one thread, one core, and an end to its time."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

POLL = 0.25  # seconds between two looks at a log
GRACE = 120.0  # seconds that a child has to save what it has, once it was asked to stop
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True)
class Spent:
    seconds: float  # from the first step to the end
    busy: float  # the share of the core's time that it got, from its start to its end
    stopped: bool  # it did not end by itself


def surroundings(python: Path) -> dict[str, str]:
    """A peer sees nothing of the environment that regard runs in."""
    environment = dict(os.environ) | dict.fromkeys(THREADS, "1") | {"CUDA_VISIBLE_DEVICES": ""}
    if python != Path(sys.executable):
        environment.pop("PYTHONPATH", None)
    environment["PATH"] = f"{python.parent}:{environment['PATH']}"
    return environment


def run(command: Sequence[str], python: Path, core: int, log: Path) -> None:
    """To its end; it must end well."""
    with log.open("wb") as file:
        done = subprocess.run(
            pinned(command, core),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=surroundings(python),
        )
    if done.returncode:
        sys.exit(f"{' '.join(command)}: failed ({done.returncode}); see {log}")


def watch(
    command: Sequence[str],
    python: Path,
    core: int,
    log: Path,
    begun: Callable[[], bool],
    over: Callable[[float], bool],
) -> Spent:
    """Run a training until it ends, or until `over(seconds since its first step)`."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # or the child would outlive us
    before, start = cpu_seconds(), time.monotonic()
    first: float | None = None
    stopped = False
    with log.open("wb") as file:
        child = subprocess.Popen(
            pinned(command, core),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=surroundings(python),
            process_group=0,
        )
        try:
            while child.poll() is None:
                time.sleep(POLL)
                now = time.monotonic()
                if first is None:
                    first = now if begun() else None
                elif over(now - first):
                    stopped = True
                    stop(child)
        finally:
            if child.poll() is None:
                stop(child)
    end = time.monotonic()
    if first is None or (child.returncode and not stopped):
        sys.exit(f"{' '.join(command)}: failed ({child.returncode}); see {log}")
    busy = (cpu_seconds() - before) / (end - start)
    return Spent(round(end - first, 1), round(busy, 3), stopped)


def pinned(command: Sequence[str], core: int) -> list[str]:
    return ["taskset", "-c", str(core), *command]


def stop(child: subprocess.Popen[bytes]) -> None:
    """Ask it as a user would; where that does not help, end it with all that it started."""
    child.send_signal(signal.SIGINT)
    try:
        child.wait(GRACE)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

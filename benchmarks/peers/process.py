"""Run a command in a child process with one thread on one core, within a time limit."""

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

POLL = 0.25  # seconds between two reads of a log
GRACE = 120.0  # seconds for a child to save its state after SIGINT
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True)
class Usage:
    seconds: float  # from the first step to the end
    busy: float  # the child's share of the core's time
    stopped: bool  # whether the time limit ended it


def child_environment(python: Path) -> dict[str, str]:
    """The environment of a child, without regard's packages if it uses another Python."""
    environment = dict(os.environ) | dict.fromkeys(THREADS, "1") | {"CUDA_VISIBLE_DEVICES": ""}
    if python != Path(sys.executable):
        environment.pop("PYTHONPATH", None)
    environment["PATH"] = f"{python.parent}:{environment['PATH']}"
    return environment


def run(command: Sequence[str], python: Path, core: int, log: Path) -> None:
    """Run a command to completion; exit if it fails."""
    with log.open("wb") as file:
        done = subprocess.run(
            pinned(command, core),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=child_environment(python),
        )
    if done.returncode:
        sys.exit(f"{' '.join(command)}: failed ({done.returncode}); see {log}")


def watch(
    command: Sequence[str],
    python: Path,
    core: int,
    log: Path,
    started: Callable[[], bool],
    is_over: Callable[[float], bool],
) -> Usage:
    """Run a training until it ends or `is_over(seconds since the first step)`."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the child is stopped too
    before, start = cpu_seconds(), time.monotonic()
    first: float | None = None
    stopped = False
    with log.open("wb") as file:
        child = subprocess.Popen(
            pinned(command, core),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=child_environment(python),
            process_group=0,
        )
        try:
            while child.poll() is None:
                time.sleep(POLL)
                now = time.monotonic()
                if first is None:
                    first = now if started() else None
                elif is_over(now - first):
                    stopped = True
                    stop(child)
        finally:
            if child.poll() is None:
                stop(child)
    end = time.monotonic()
    if first is None or (child.returncode and not stopped):
        sys.exit(f"{' '.join(command)}: failed ({child.returncode}); see {log}")
    busy = (cpu_seconds() - before) / (end - start)
    return Usage(round(end - first, 1), round(busy, 3), stopped)


def pinned(command: Sequence[str], core: int) -> list[str]:
    return ["taskset", "-c", str(core), *command]


def stop(child: subprocess.Popen[bytes]) -> None:
    """Send SIGINT; after GRACE seconds kill the process group."""
    child.send_signal(signal.SIGINT)
    try:
        child.wait(GRACE)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

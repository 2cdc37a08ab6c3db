"""The end of a process: no thread may run while the interpreter shuts down.

A thread that asks for the GIL then aborts the process ("terminate called without an active
exception"), after the model was saved.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.distributed.processes import free_port
from tests.toy_corpus import TRANSFORMER, Toy

RUN = """
import atexit, os, threading
from regard.cli.main import main

def print_threads():
    names = [thread.name for thread in threading.enumerate()]
    names += [open(f"/proc/self/task/{task}/comm").read() for task in os.listdir("/proc/self/task")]
    print("threads:", *(name.strip() for name in names), flush=True)

atexit.register(print_threads)
main()
"""
FEW = ("train.steps=2", "train.validate_every=2")


def train(
    toy: Toy, name: str, script: list[str], *options: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    shutil.rmtree(toy.folder / name, ignore_errors=True)
    command = [sys.executable, *script, *toy.arguments(TRANSFORMER, toy.run_directory(name), *FEW)]
    variables = os.environ | {"OMP_NUM_THREADS": "1"} | environment
    return subprocess.run([*command, *options], env=variables, capture_output=True, text=True)


@pytest.mark.parametrize("grouped", [False, True], ids=["alone", "in a process group"])
def test_no_thread_is_left_at_the_end_of_a_run(toy: Toy, grouped: bool) -> None:
    group = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "localhost"}
    variables = group | {"MASTER_PORT": str(free_port())} if grouped else {}
    done = train(toy, f"threads-{grouped}", ["-c", RUN], **variables)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "threads: MainThread python", done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_thirty_short_runs_end_without_an_abort(toy: Toy, workers: str) -> None:
    for number in range(30):
        done = train(toy, f"short-{workers}", ["-m", "regard"], "--workers", workers)
        assert (done.returncode, "terminate" in done.stderr) == (0, False), (number, done.stderr)

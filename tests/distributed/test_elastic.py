"""Killed workers and nodes: the run recovers and gives the same model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from regard.tasks.training import RunDirectory
from regard.train import checkpoint
from tests.distributed.processes import RegardProcess, free_port
from tests.distributed.test_disks import mounted
from tests.distributed.test_memory import last_step
from tests.distributed.test_world_size import max_difference, same_order
from tests.toy_corpus import TRANSFORMER, Toy

pytestmark = pytest.mark.slow  # workers start twice, and rendezvous takes time

SETTINGS = ("train.micro_batches=2", "train.steps=300", "train.validate_every=100")
TIMEOUT = 180  # seconds


@contextmanager
def started(command: list[str], output: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process in its own session. It and its children are killed at the end."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
    with output.open("wb") as file:
        process = subprocess.Popen(
            command, env=environment, stdout=file, stderr=file, start_new_session=True
        )
        try:
            yield process
        finally:
            kill_all(process)


def kill_all(process: subprocess.Popen[bytes]) -> None:
    for one in [*workers(process), process]:
        one.kill()
    process.wait()


def workers(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    try:
        return psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def wait_for(condition: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + TIMEOUT
    while not condition():
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.01)


def has_saved(directory: RunDirectory, step: int) -> bool:
    return checkpoint.checkpoint_steps(directory.path / "checkpoints")[:1] >= [step]


@pytest.fixture(scope="module")
def undisturbed(toy: Toy) -> RunDirectory:
    directory = toy.run_directory("undisturbed")
    process = RegardProcess(
        toy.arguments(TRANSFORMER, directory, *SETTINGS), directory.path / "output"
    )
    assert process.wait() == 0, process.output
    return directory


def test_a_run_recovers_from_a_killed_worker(toy: Toy, undisturbed: RunDirectory) -> None:
    directory = toy.run_directory("killed-worker")
    output = directory.path / "output"
    arguments = [*toy.arguments(TRANSFORMER, directory, *SETTINGS), "--workers", "2"]
    with started([sys.executable, "-m", "regard", *arguments], output) as run:
        wait_for(lambda: has_saved(directory, 50), run)
        second = [one for one in workers(run) if one.environ().get("RANK") == "1"]
        second[0].send_signal(signal.SIGKILL)
        assert run.wait(TIMEOUT) == 0, output.read_text()
    assert "; from step" in output.read_text()
    assert same_order(undisturbed, directory)
    assert max_difference(undisturbed, directory) == 0


def test_a_terminated_command_saves_and_resumes_later(toy: Toy, undisturbed: RunDirectory) -> None:
    directory = toy.run_directory("terminated")
    output = directory.path / "output"
    arguments = toy.arguments(TRANSFORMER, directory, *SETTINGS, "train.save_every=100")
    command = [sys.executable, "-m", "regard", *arguments, "--workers", "2"]
    with started(command, output) as run:
        wait_for(lambda: directory.log.exists() and last_step(directory.log) >= 20, run)
        run.send_signal(signal.SIGTERM)
        assert run.wait(TIMEOUT) == 128 + signal.SIGTERM, output.read_text()
    assert "Traceback" not in output.read_text(), output.read_text()
    saved = checkpoint.checkpoint_steps(directory.path / "checkpoints")[0]
    assert 20 <= saved < 100
    with started(command, output) as run:
        assert run.wait(TIMEOUT) == 0, output.read_text()
    assert f"; from step {saved}" in output.read_text()
    assert same_order(undisturbed, directory)
    assert max_difference(undisturbed, directory) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_user_error_ends_all_workers_at_once(toy: Toy) -> None:
    directory = toy.run_directory("small-for-workers")
    output = directory.path / "output"
    arguments = [*toy.arguments(TRANSFORMER, directory, *SETTINGS), "--workers", "2"]
    with (
        mounted(directory.path / "checkpoints", size="600k"),
        started([sys.executable, "-m", "regard", *arguments], output) as run,
    ):
        assert run.wait(TIMEOUT) == 74, output.read_text()
    assert output.read_text().count("the disk is full") <= 2, "at most once for each worker"


def test_a_run_recovers_from_a_lost_node(toy: Toy, undisturbed: RunDirectory) -> None:
    directory = toy.run_directory("lost-node")
    arguments = toy.arguments(TRANSFORMER, directory, *SETTINGS)
    agent = [
        *(sys.executable, "-m", "torch.distributed.run", "--nnodes=1:2", "--nproc-per-node=1"),
        *("--max-restarts=3", "--rdzv-backend=c10d", "--rdzv-id=toy"),
        *(f"--rdzv-endpoint=localhost:{free_port()}", "--rdzv-conf=last_call_timeout=5"),
        *("-m", "regard", *arguments),
    ]
    first, second = directory.path / "output-first", directory.path / "output-second"
    with started(agent, first) as stays:
        time.sleep(2)  # the first agent hosts the rendezvous store and must stay
        with started(agent, second) as leaves:
            wait_for(lambda: has_saved(directory, 50), stays)
            sizes = {one.environ().get("WORLD_SIZE") for one in workers(stays)}
            assert sizes == {"2"}, first.read_text()
            kill_all(leaves)
        assert stays.wait(TIMEOUT) == 0, first.read_text()
    assert "; from step" in first.read_text()
    assert same_order(undisturbed, directory)
    assert max_difference(undisturbed, directory) < 1e-6

"""Workers and whole nodes that die: the run recovers by itself, and ends as if none had."""

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
from tests.distributed.processes import Life, free_port
from tests.distributed.test_disks import mounted
from tests.distributed.test_memory import last_step
from tests.distributed.test_worlds import apart, same_order
from tests.toy_corpus import TRANSFORMER, Toy

pytestmark = pytest.mark.slow  # a worker is born twice, and finds the others by waiting for them

SETTINGS = ("train.micro_batches=2", "train.steps=300", "train.validate_every=100")
PATIENCE = 180  # seconds


@contextmanager
def started(command: list[str], output: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of its own session; it and all that it started are ended with the block."""
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


def wait_for(happened: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE
    while not happened():
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.01)


def has_saved(home: RunDirectory, step: int) -> bool:
    return checkpoint.checkpoint_steps(home.path / "checkpoints")[:1] >= [step]


@pytest.fixture(scope="module")
def undisturbed(toy: Toy) -> RunDirectory:
    home = toy.home("undisturbed")
    life = Life(toy.arguments(TRANSFORMER, home, *SETTINGS), home.path / "said")
    assert life.wait() == 0, life.said
    return home


def test_a_run_whose_worker_is_killed_recovers_and_ends_as_an_undisturbed_one(
    toy: Toy, undisturbed: RunDirectory
) -> None:
    home = toy.home("bereft")
    said = home.path / "said"
    arguments = [*toy.arguments(TRANSFORMER, home, *SETTINGS), "--workers", "2"]
    with started([sys.executable, "-m", "regard", *arguments], said) as run:
        wait_for(lambda: has_saved(home, 50), run)
        second = [one for one in workers(run) if one.environ().get("RANK") == "1"]
        second[0].send_signal(signal.SIGKILL)
        assert run.wait(PATIENCE) == 0, said.read_text()
    assert "; from step" in said.read_text()
    assert same_order(undisturbed, home)
    assert apart(undisturbed, home) == 0


def test_a_command_that_is_asked_to_stop_lets_its_workers_save_and_goes_on_later(
    toy: Toy, undisturbed: RunDirectory
) -> None:
    home = toy.home("asked")
    said = home.path / "said"
    arguments = toy.arguments(TRANSFORMER, home, *SETTINGS, "train.save_every=100")
    command = [sys.executable, "-m", "regard", *arguments, "--workers", "2"]
    with started(command, said) as run:
        wait_for(lambda: home.log.exists() and last_step(home.log) >= 20, run)
        run.send_signal(signal.SIGTERM)
        assert run.wait(PATIENCE) == 128 + signal.SIGTERM, said.read_text()
    assert "Traceback" not in said.read_text(), said.read_text()
    asked = checkpoint.checkpoint_steps(home.path / "checkpoints")[0]
    assert 20 <= asked < 100
    with started(command, said) as run:
        assert run.wait(PATIENCE) == 0, said.read_text()
    assert f"; from step {asked}" in said.read_text()
    assert same_order(undisturbed, home)
    assert apart(undisturbed, home) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_an_error_that_a_user_must_mend_ends_all_workers_at_once(toy: Toy) -> None:
    home = toy.home("small-for-workers")
    said = home.path / "said"
    arguments = [*toy.arguments(TRANSFORMER, home, *SETTINGS), "--workers", "2"]
    with (
        mounted(home.path / "checkpoints", size="600k"),
        started([sys.executable, "-m", "regard", *arguments], said) as run,
    ):
        assert run.wait(PATIENCE) == 74, said.read_text()
    assert said.read_text().count("the disk is full") <= 2, "of each worker, once"


def test_a_node_that_loses_the_other_goes_on_alone_and_ends_as_an_undisturbed_one(
    toy: Toy, undisturbed: RunDirectory
) -> None:
    home = toy.home("widowed")
    arguments = toy.arguments(TRANSFORMER, home, *SETTINGS)
    agent = [
        *(sys.executable, "-m", "torch.distributed.run", "--nnodes=1:2", "--nproc-per-node=1"),
        *("--max-restarts=3", "--rdzv-backend=c10d", "--rdzv-id=toy"),
        *(f"--rdzv-endpoint=localhost:{free_port()}", "--rdzv-conf=last_call_timeout=5"),
        *("-m", "regard", *arguments),
    ]
    first, second = home.path / "said-first", home.path / "said-second"
    with started(agent, first) as stays:
        time.sleep(2)  # who comes first keeps the store that both meet in, and is to stay
        with started(agent, second) as leaves:
            wait_for(lambda: has_saved(home, 50), stays)
            sizes = {one.environ().get("WORLD_SIZE") for one in workers(stays)}
            assert sizes == {"2"}, first.read_text()
            kill_all(leaves)
        assert stays.wait(PATIENCE) == 0, first.read_text()
    assert "; from step" in first.read_text()
    assert same_order(undisturbed, home)
    assert apart(undisturbed, home) < 1e-6

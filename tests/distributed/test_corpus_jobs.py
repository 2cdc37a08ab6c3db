"""Invariant 11 for corpus jobs: threads, runners and kills do not change their output."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import psutil
import pytest

from regard.data import corpus_job
from regard.data.corpus_job import BlockFunction, BlockResult, Compute, run_corpus_job
from regard.data.formats.corpus import open_texts
from regard.data.preparation.prepare import StageProgress
from regard.data.preparation.runner import InProcessRunner, ProcessRunner
from tests.distributed.corpus_jobs import LINES, SIZE, VERBS, driver, make_job_files, run_verb
from tests.distributed.ray_cluster import small_cluster

pytest.importorskip("ray", reason="regard[cluster] is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_job_files(tmp_path_factory.mktemp("jobs"))


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, bytes]:
    """The outputs of one process with three threads.

    The test scripts set OMP_NUM_THREADS=1, so the other runs of this module have another number.
    """
    outputs = outputs_of(folder, "InProcessRunner()", 3)
    for output in outputs.values():
        assert output.count(b"\n") >= LINES
    return outputs


def outputs_of(folder: Path, runner: str, threads: int) -> dict[str, bytes]:
    """Run all jobs in a process of their own, with OMP_NUM_THREADS."""
    name = f"threads-{threads}-{runner.strip('()').lower()}"
    assert driver(folder, VERBS, name, runner, threads).wait() == 0
    return {verb: (folder / f"{name}-{verb}.output").read_bytes() for verb in VERBS}


class KillWorker:
    """Kills one worker after the third part, and counts the parts that an earlier run had done."""

    def __init__(self, is_worker: Callable[[list[str]], bool] | None = None) -> None:
        self.is_worker, self.killed, self.reused = is_worker, 0, 0

    def __call__(self, progress: StageProgress) -> None:
        self.reused = progress.reused
        if self.is_worker is None or self.killed or progress.stage == "cut" or progress.done < 3:
            return
        for child in psutil.Process().children(recursive=True):
            try:
                if self.is_worker(child.cmdline()):
                    child.kill()
                    self.killed = child.pid
                    return
            except psutil.Error:
                continue


@pytest.mark.parametrize(
    ("runner", "threads"),
    [("InProcessRunner()", 1), ("InProcessRunner()", 2), ("ProcessRunner(2)", 2)],
)
def test_threads_do_not_change_the_output(
    folder: Path, expected: dict[str, bytes], runner: str, threads: int
) -> None:
    assert outputs_of(folder, runner, threads) == expected


def test_two_processes_write_the_bytes_of_one_when_a_worker_is_killed(
    folder: Path, expected: dict[str, bytes]
) -> None:
    kill = KillWorker(lambda command: "spawn_main" in " ".join(command))
    with ProcessRunner(2) as runner:
        for verb in VERBS:
            found = run_verb(verb, folder, f"{verb}-2", runner, on_progress=kill)
            assert found == expected[verb]
    assert kill.killed


def test_ray_writes_the_bytes_of_one_process_when_a_worker_is_killed(
    folder: Path, expected: dict[str, bytes]
) -> None:
    from regard.data.preparation.ray_runner import RayRunner

    kill = KillWorker(lambda command: command[:1] == ["ray::_run"])
    with RayRunner(2) as runner:
        for verb in VERBS:
            found = run_verb(verb, folder, f"{verb}-ray", runner, on_progress=kill)
            assert found == expected[verb]
    assert kill.killed


def _parts(work: Path) -> int:
    return len(list(work.glob("part-*.json")))


def _wait_for_parts(process: subprocess.Popen[bytes], work: Path) -> None:
    deadline = time.monotonic() + 300
    while _parts(work) < 3:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.005)


def test_a_killed_driver_ends_its_workers_and_the_next_run_resumes(
    folder: Path, expected: dict[str, bytes]
) -> None:
    process = driver(folder, ["score"], "resumed", "ProcessRunner(2)")
    _wait_for_parts(process, folder / "resumed-score")
    workers = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert workers and not alive
    parts = _parts(folder / "resumed-score")
    progress = KillWorker()
    found = run_verb("score", folder, "resumed-score", InProcessRunner(), on_progress=progress)
    assert 3 <= progress.reused == parts < LINES / SIZE
    assert found == expected["score"]


@dataclass(frozen=True)
class CountLoads(BlockFunction):
    """Appends a line to a file whenever it is loaded."""

    verb: ClassVar[str] = "count"
    log: str

    @property
    def identity(self) -> dict[str, Any]:
        return {}

    def load(self) -> Compute:
        with Path(self.log).open("a") as file:
            file.write(f"{os.getpid()}\n")
        return lambda block: BlockResult([str(block.start)] * len(block), {})


@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_loads_the_model_once(
    tmp_path: Path, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_job, "BLOCK", SIZE)
    (tmp_path / "texts").write_text("text\n" * 400)
    function = CountLoads(str(tmp_path / "loads"))
    estimates = []
    with InProcessRunner() if workers == 1 else ProcessRunner(workers) as runner:
        run_corpus_job(
            function,
            open_texts(str(tmp_path / "texts")),
            str(tmp_path / "work"),
            runner,
            on_estimate=estimates.append,
        )
    loads = (tmp_path / "loads").read_text().split()
    assert len(loads) == len(set(loads)) <= workers
    assert not estimates  # of a short job


@pytest.mark.slow
def test_a_cluster_writes_the_bytes_of_one_process_when_a_driver_and_a_node_are_lost(
    folder: Path, expected: dict[str, bytes]
) -> None:
    with small_cluster() as cluster:
        from regard.data.preparation.ray_runner import RayRunner

        runner = f"RayRunner(3, address={cluster.address!r})"
        process = driver(folder, ["translate"], "cluster", runner)
        _wait_for_parts(process, folder / "cluster-translate")
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

        def lose_node(progress: StageProgress) -> None:
            found.append(progress.reused)
            if progress.stage == "score" and progress.done >= 3:
                cluster.lose_node()

        found: list[int] = []
        with RayRunner(3, address=cluster.address) as runner:
            for verb in VERBS:
                output = run_verb(verb, folder, f"cluster-{verb}", runner, on_progress=lose_node)
                assert output == expected[verb]
        assert cluster.lost and max(found) >= 3

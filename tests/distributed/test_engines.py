"""Invariant 11, engine: prepared files do not depend on the runner or on killed workers."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from regard.data.formats.corpus import open_corpus
from regard.data.preparation.prepare import PreparationSettings, StageProgress, prepare_corpora
from regard.data.preparation.runner import InProcessRunner, ProcessRunner, Runner
from regard.errors import CorpusError
from regard.text.tokenizer import SentencePiece
from tests.distributed.ray_cluster import small_cluster

pytest.importorskip("ray", reason="regard[cluster] is not installed")

PAIRS, SHARD = 6_000, 250
WORDS = ["the", "a", "small", "large", "red", "house", "garden", "river", "runs", "over", "near"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with duplicates and empty lines, a tokenizer, and the shards of one process."""
    folder = tmp_path_factory.mktemp("engines")
    generator = random.Random(1)
    lines = [" ".join(generator.choices(WORDS, k=generator.randint(3, 25))) for _ in range(PAIRS)]
    sources = [*lines[:-500], *lines[:400], *[""] * 100]
    (folder / "train.en").write_text("".join(f"{line}\n" for line in sources))
    (folder / "train.de").write_text("".join(f"{line.upper()} {line}\n" for line in sources))
    SentencePiece.train(lines[:300], size=300).save(folder / "tokenizer")
    _prepare(folder, "local-1", InProcessRunner())
    return folder


def _prepare(
    folder: Path,
    out: str,
    runner: Runner,
    *,
    on_progress: Callable[[StageProgress], None] = lambda progress: None,
) -> None:
    corpus = open_corpus(str(folder / "train.en"), str(folder / "train.de"))
    settings = PreparationSettings(
        shard_pairs=SHARD, held_out=0.05, tokenizer=str(folder / "tokenizer")
    )
    with runner:
        prepare_corpora([corpus], str(folder / out), settings, runner, on_progress=on_progress)


def _checksums(folder: Path) -> dict[str, str]:
    """Return the checksums of all files."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class KillOnce:
    """Kills one worker during the stage `clean`."""

    def __init__(self, is_worker: Callable[[list[str]], bool]) -> None:
        self.is_worker, self.killed = is_worker, 0

    def __call__(self, progress: StageProgress) -> None:
        if self.killed or progress.stage != "clean" or progress.done < 3:
            return
        for child in psutil.Process().children(recursive=True):
            try:
                if self.is_worker(child.cmdline()):
                    child.kill()
                    self.killed = child.pid
                    return
            except psutil.Error:
                continue


def _refuses_a_damaged_line(folder: Path, runner: Runner) -> None:
    """Check that the error of a worker is raised unchanged."""
    damaged = folder / "damaged"
    damaged.mkdir(exist_ok=True)
    (damaged / "train.en").write_bytes(b"good\n" * 700 + b"b\xffd\n")
    (damaged / "train.de").write_bytes(b"gut\n" * 701)
    with pytest.raises(CorpusError, match=r"train\.en, line 701: byte 0xff is not UTF-8"):
        _prepare(damaged, "out", runner)


def test_an_error_in_a_worker_names_the_damaged_line(folder: Path) -> None:
    _refuses_a_damaged_line(folder, ProcessRunner(2))


def test_two_processes_write_the_same_files_as_one(folder: Path) -> None:
    _prepare(folder, "local-2", ProcessRunner(2))
    assert _checksums(folder / "local-2") == _checksums(folder / "local-1")


def test_a_killed_process_is_replaced(folder: Path) -> None:
    kill = KillOnce(lambda command: "spawn_main" in " ".join(command))
    _prepare(folder, "local-killed", ProcessRunner(2), on_progress=kill)
    assert kill.killed
    assert _checksums(folder / "local-killed") == _checksums(folder / "local-1")


def _driver(folder: Path, out: str, runner: str) -> subprocess.Popen[bytes]:
    code = f"""
if __name__ == "__main__":
    from pathlib import Path
    import sys
    sys.path.insert(0, {str(Path(__file__).parents[2])!r})
    from tests.distributed.test_engines import _prepare
    from regard.data.preparation.runner import ProcessRunner
    from regard.data.preparation.ray_runner import RayRunner
    _prepare(Path({str(folder)!r}), {out!r}, {runner})
"""
    script = folder / f"{out}.py"
    script.write_text(code)
    return subprocess.Popen([sys.executable, str(script)], start_new_session=True)


def _kill_midway(driver: subprocess.Popen[bytes], out: Path) -> int:
    """Kill the driver and its processes after the fifth shard; return the number of shards."""
    deadline = time.monotonic() + 60
    while len(list((out / "work").glob("train-clean-*.json"))) < 5:
        assert time.monotonic() < deadline and driver.poll() is None
        time.sleep(0.005)
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    return len(list((out / "work").glob("train-clean-*.json")))


class DoneBefore:
    """Counts the tasks of the stage `clean` that an earlier run had done."""

    def __init__(self) -> None:
        self.clean = 0

    def __call__(self, progress: StageProgress) -> None:
        if progress.stage == "clean":
            self.clean = progress.reused


def test_a_killed_run_resumes_with_the_missing_shards(folder: Path) -> None:
    shards = _kill_midway(_driver(folder, "rerun", "ProcessRunner(2)"), folder / "rerun")
    assert not (folder / "rerun" / "manifest.json").exists()
    done_before = DoneBefore()
    _prepare(folder, "rerun", InProcessRunner(), on_progress=done_before)
    assert 5 <= done_before.clean == shards < PAIRS / SHARD
    assert _checksums(folder / "rerun") == _checksums(folder / "local-1")


def test_ray_writes_the_same_files_when_a_worker_is_killed(folder: Path) -> None:
    from regard.data.preparation.ray_runner import RayRunner

    kill = KillOnce(lambda command: command[:1] == ["ray::run_stage"])
    _prepare(folder, "ray", RayRunner(2), on_progress=kill)
    assert kill.killed
    assert _checksums(folder / "ray") == _checksums(folder / "local-1")


def test_a_cluster_writes_the_same_files_when_a_driver_and_a_node_are_lost(folder: Path) -> None:
    with small_cluster() as cluster:
        from regard.data.preparation.ray_runner import RayRunner

        runner = f"RayRunner(3, address={cluster.address!r})"
        _kill_midway(_driver(folder, "cluster", runner), folder / "cluster")
        assert not (folder / "cluster" / "manifest.json").exists()

        def lose_node(progress: StageProgress) -> None:
            done_before(progress)
            if progress.stage == "encode" and progress.done >= 3:
                cluster.lose_node()

        done_before = DoneBefore()
        _prepare(folder, "cluster", RayRunner(3, address=cluster.address), on_progress=lose_node)
        assert cluster.lost and done_before.clean >= 5
        assert _checksums(folder / "cluster") == _checksums(folder / "local-1")
        _refuses_a_damaged_line(folder, RayRunner(2, address=cluster.address))


def test_preparation_does_not_import_optional_dependencies() -> None:
    code = (
        "import sys, regard.data.preparation.prepare\n"
        "print(*{'ray', 'pyarrow', 'torch'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""

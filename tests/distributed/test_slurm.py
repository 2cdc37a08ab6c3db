"""`deploy/slurm/translate-array.sh` on a real Slurm: the bytes of one process, after a kill."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.bundles import make_bundle
from tests.command import run_main
from tests.conftest import ROOT
from tests.distributed.corpus_jobs import WORDS
from tests.distributed.slurm_cluster import MISSING, SlurmCluster, slurm_cluster

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"Slurm is not installed ({', '.join(MISSING)})"),
]

SCRIPT = ROOT / "deploy" / "slurm" / "translate-array.sh"
SHARES, LINES = 3, 6_000  # six parts
PATIENCE = 900  # seconds


def wait_until(condition: Callable[[], object], cluster: SlurmCluster) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        queue = cluster.run("squeue", "--array")
        assert time.monotonic() < deadline, queue + cluster.logs()
        time.sleep(0.05)


def process_of(share: str, out: Path) -> psutil.Process | None:
    """The process that computes a share."""
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or ()
        if {share, str(out)} <= {*words}:
            return process
    return None


def test_an_array_writes_the_bytes_of_one_process_when_an_element_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    make_bundle("translate-rnn-tiny", tmp_path / "model")
    generator = random.Random(1)
    lines = (" ".join(generator.choices(WORDS, k=2)) for _ in range(LINES))
    (tmp_path / "source").write_text("".join(f"{line}\n" for line in lines))
    words = ["translate", f"{tmp_path}/model", "--source", f"{tmp_path}/source"]
    words += ["--beam-size", "1", "--engine", "torch", "--check", "--out"]
    alone = run_main([*words, f"{tmp_path}/alone", "--workers", "1"])
    assert alone.status == 0, alone.stderr
    out, work = tmp_path / "out", tmp_path / "out.work"
    (tmp_path / "slurm").mkdir()
    with slurm_cluster(tmp_path / "slurm") as cluster:
        array = cluster.run(
            *("sbatch", "--parsable", f"--array=1-{SHARES}", "--cpus-per-task=1"),
            *(SCRIPT, *words, out),
        )
        join = cluster.run(
            *("sbatch", "--parsable", f"--dependency=afterany:{array}"),
            *("--output=slurm-join.out", "--wrap", f"regard join {out}"),
        )
        wait_until(lambda: (work / "part-000000.json").exists(), cluster)
        killed = process_of(f"1/{SHARES}", out)
        assert killed is not None, cluster.logs()
        killed.kill()
        assert not (work / f"part-{SHARES:06}.json").exists(), "killed too late"
        written = (work / "part-000000.txt").stat().st_mtime_ns
        wait_until(lambda: cluster.state(f"{array}_1") == "FAILED", cluster)
        cluster.run("scontrol", "requeue", f"{array}_1")
        wait_until(lambda: len(list(work.glob("part-*.json"))) == LINES // 1_000, cluster)
        assert (work / "part-000000.txt").stat().st_mtime_ns == written
        wait_until(lambda: cluster.state(join) == "COMPLETED", cluster)
        assert "Restarts=1" in cluster.run("scontrol", "show", "job", f"{array}_1")
        warnings = (cluster.folder / "slurm-join.out").read_text()
        print(cluster.logs())
    assert out.read_bytes() == (tmp_path / "alone").read_bytes() and not work.exists()
    lines = [line for line in alone.stderr.splitlines(True) if line.startswith("line ")]
    assert lines and "".join(lines) == warnings

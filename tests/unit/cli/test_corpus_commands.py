"""`regard translate`, `score` and `align` on corpora: formats, scores, estimates and resuming."""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from typer.testing import CliRunner

from regard.cli import translate as translate_command
from regard.cli.main import app
from regard.data import corpus_job
from regard.data.corpus_job import BlockFunction, BlockResult, Compute, CostEstimate, run_corpus_job
from regard.data.formats.corpus import open_texts, read_pairs
from regard.data.preparation.runner import InProcessRunner
from regard.errors import ArtifactError
from regard.evaluate.quality import PROBABILITY_REASONS
from regard.tasks.translation.scoring import PairScore, TargetScore, score_pairs
from regard.tasks.translation.translator import Translator
from tests.bundles import LINES, make_bundle
from tests.command import run_cli

TEXTS = [f"{LINES[i % 5]} {LINES[i % 3]}" if i % 7 else "" for i in range(30)]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle("transformer", tmp_path_factory.mktemp("bundle") / "model")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.en").write_text("".join(f"{text}\n" for text in TEXTS))
    Path("a.de").write_text("".join(f"{text}\n" for text in reversed(TEXTS)))
    return tmp_path


def run(*arguments: str | Path) -> str:
    return run_cli([str(argument) for argument in arguments])


def test_every_format_has_the_lines_of_a_small_file(
    folder: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    zstandard = pytest.importorskip("zstandard")
    run("translate", bundle, "--source", "a.en", "--out", "plain")
    plain = Path("plain").read_bytes()
    Path("a.en.gz").write_bytes(gzip.compress(Path("a.en").read_bytes()))
    run("translate", bundle, "--source", "a.en.gz", "--out", "b.gz")
    assert gzip.decompress(Path("b.gz").read_bytes()) == plain
    run("translate", bundle, "--source", "a.en", "--out", "b.zst")
    assert zstandard.ZstdDecompressor().decompress(Path("b.zst").read_bytes()) == plain
    run("translate", bundle, "--source", "a.en", "--out", "b.parquet")
    run("translate", bundle, "--source", "b.parquet", "--out", "again")
    assert Path("again").read_bytes() == plain
    table = parquet.read_table("b.parquet").to_pydict()
    assert table["source"] == TEXTS
    assert "".join(f"{text}\n" for text in table["target"]).encode() == plain
    monkeypatch.setattr(translate_command, "JOB_BYTES", 1)
    run("translate", bundle, "--source", "a.en", "--out", "large")
    assert Path("large").read_bytes() == plain
    assert not list(folder.glob("*.work"))


@pytest.mark.parametrize("sampling", [[], ["--sample", "--seed", "3"]], ids=["search", "sample"])
def test_lines_and_jobs_write_the_same_bytes_with_any_number_of_threads(
    folder: Path, bundle: Path, sampling: list[str]
) -> None:
    """Scores included, which the JSON lines print in full."""
    command = ["translate", bundle, "--source", "a.en", "--json", *sampling, "--out"]
    threads = torch.get_num_threads()
    for count in (1, 3):
        torch.set_num_threads(count)
        run(*command, f"lines-{count}")
        run(*command, f"job-{count}.gz")
    torch.set_num_threads(threads)
    outputs = {Path(f"lines-{count}").read_bytes() for count in (1, 3)}
    outputs |= {gzip.decompress(Path(f"job-{count}.gz").read_bytes()) for count in (1, 3)}
    assert len(outputs) == 1


def test_a_column_of_a_table_is_translated(folder: Path, bundle: Path) -> None:
    run("translate", bundle, "--source", "a.en", "--out", "plain")
    rows = [json.dumps({"text": text}) for text in TEXTS]
    Path("a.jsonl").write_text("".join(f"{row}\n" for row in rows))
    run("translate", bundle, "--source", "a.jsonl", "--column", "text", "--out", "b")
    assert Path("b").read_bytes() == Path("plain").read_bytes()


def test_texts_of_a_column_keep_their_line_breaks(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "one\ntwo"}) + "\n")
    corpus = open_texts(str(tmp_path / "a.jsonl"), "text")
    assert [pair.target for pair in read_pairs(corpus)] == ["one\ntwo"]
    function = Lengths()
    run_corpus_job(function, corpus, str(tmp_path / "work"), InProcessRunner())
    assert (tmp_path / "work" / "part-000000.txt").read_text() == "7\n"


@pytest.mark.parametrize(
    "options",
    [("--workers", "2"), ("--column", "text"), ("--server", "http://localhost:1", "--out", "b.gz")],
)
def test_a_job_needs_a_file_and_a_model(
    folder: Path, bundle: Path, options: tuple[str, ...]
) -> None:
    model = () if "--server" in options else (str(bundle),)
    result = CliRunner().invoke(app, ["translate", *model, *options])
    assert result.exit_code == 2 and "--source" in result.output


def test_scores_are_those_of_the_formula(folder: Path, bundle: Path) -> None:
    translator = Translator.load(bundle)
    sources, targets = ["A dog runs.", ""], ["Two cats run away.", "Go!"]
    scores = score_pairs(translator, translator, sources, targets)
    for pair, source, target in zip(scores, sources, targets, strict=True):
        (alone,) = score_pairs(translator, None, [source], [target])
        assert alone.forward.logp == pytest.approx(pair.forward.logp, abs=1e-4)
        assert alone.score == pytest.approx(alone.forward.logp / alone.forward.tokens)
        assert pair.backward is not None
        one, other = pair.forward.cross_entropy, pair.backward.cross_entropy
        assert pair.score == pytest.approx(math.exp(-(abs(one - other) + (one + other) / 2)))
    forced = translator.force_decode(sources[:1], targets[:1])[0][1]
    assert scores[0].forward.logp == pytest.approx(sum(forced), abs=1e-4)
    assert PairScore(TargetScore(0.0, 3), TargetScore(0.0, 2)).score == 1


def test_score_prints_a_line_for_each_pair(folder: Path, bundle: Path) -> None:
    Path("a.de").write_text("Go! " * 500 + "\n" + Path("a.de").read_text().partition("\n")[2])
    arguments = ("score", bundle, "--source", "a.en", "--target", "a.de", "--check")
    lines = run(*arguments).splitlines()
    rows = [line.split("\t") for line in lines]
    assert len(rows) == len(TEXTS) and {len(row) for row in rows} == {4}
    assert rows[0][0] == "nan" and rows[0][3] == "longer than all training texts"
    assert rows[7][3] == "one side is empty"
    assert not any(reason in row[3] for row in rows for reason in PROBABILITY_REASONS)
    values = json.loads(run(*arguments, "--json").splitlines()[1])
    assert values["score"] == pytest.approx(float(rows[1][0]), abs=1e-4)
    assert values["logp"] / values["tokens"] == pytest.approx(values["score"])


def test_the_digest_of_a_model_is_compared_in_workers(bundle: Path) -> None:
    from regard.cli.job_options import JobModel

    with pytest.raises(ArtifactError, match="differs from the bundle"):
        JobModel(str(bundle), "0" * 64).fetch()


@dataclass(frozen=True)
class Lengths(BlockFunction):
    verb: ClassVar[str] = "lengths"

    @property
    def identity(self) -> dict[str, Any]:
        return {}

    def load(self) -> Compute:
        return lambda block: BlockResult([str(len(text)) for text in block.targets], {})


def test_the_cost_of_a_long_job_is_estimated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "texts").write_text("text\n" * 3_000)
    estimates: list[CostEstimate] = []

    def job() -> None:
        run_corpus_job(
            Lengths(),
            open_texts(str(tmp_path / "texts")),
            str(tmp_path / "work"),
            InProcessRunner(),
            on_estimate=estimates.append,
        )

    job()
    (first,) = estimates
    assert first.total == first.remaining == 3_000 and first.rate > 0 and first.seconds > 0
    job()
    assert len(estimates) == 1  # nothing was left to do
    (tmp_path / "work" / "part-000000.json").unlink()
    monkeypatch.setattr(corpus_job, "SAMPLE", 16)
    job()
    assert (estimates[1].total, estimates[1].remaining) == (3_000, 1_000)

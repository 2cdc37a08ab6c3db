"""Shares of corpus jobs (`--part I/N`): together they write the bytes of one process."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from regard.cli import translate as translate_command
from regard.data import corpus_job, storage
from regard.data.corpus_job import BlockFunction, BlockResult, Compute, join_parts, run_corpus_job
from regard.data.formats.corpus import open_texts
from regard.data.job_record import finished_parts, number_ranges, read_record
from regard.data.preparation.runner import InProcessRunner, Share
from tests.command import Finished, run_main
from tests.distributed.corpus_jobs import make_job_files
from tests.distributed.processes import RegardProcess

LINES, SIZE = 24, 2  # of the corpus, and of a block, which is a part here
PARTS = LINES // SIZE
TRANSLATE = ("translate", "{}/model", "--source", "{}/source", "--beam-size", "2", "--check")
PAIRS = ("--source", "{}/source", "--target", "{}/target")
COMMANDS = {
    "translate": TRANSLATE,
    "sample": (*TRANSLATE[:4], "--sample", "--n-best", "2"),
    "score": ("score", "{}/model", *PAIRS, "--reverse", "{}/reverse", "--check"),
    "align": ("align", "{}/model", *PAIRS, "--json"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_job_files(tmp_path_factory.mktemp("jobs"))
    for side in ("source", "target"):
        lines = (folder / side).read_text().splitlines()[:LINES]
        few = (" ".join(line.split()[:2]) for line in lines)  # of longer ones, longer translations
        (folder / side).write_text("".join(f"{line}\n" for line in few))
    return folder


@pytest.fixture
def folder(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a corpus of PARTS parts and two models."""
    monkeypatch.setattr(corpus_job, "BLOCK", SIZE)
    monkeypatch.setattr(translate_command, "JOB_BYTES", 1)
    return shutil.copytree(files, tmp_path / "files")


def command(verb: str, folder: Path | str, out: str, *options: str) -> list[str]:
    words = [word.format(folder) for word in COMMANDS[verb]]
    return [*words, "--out", f"{folder}/{out}", *options]


def run(words: list[str], status: int = 0) -> Finished:
    done = run_main(words)
    assert done.status == status, done.stderr
    return done


def warnings(done: Finished) -> list[str]:
    return [line for line in done.stderr.splitlines() if line.startswith("line ")]


def in_shares(verb: str, folder: Path | str, out: str, count: int, *options: str) -> Finished:
    """Run all shares of a job in a random order, and join them."""
    numbers = random.Random(count).sample(range(1, count + 1), count)
    for number in numbers:
        run(command(verb, folder, out, "--part", f"{number}/{count}", *options))
        assert not storage.path_exists(f"{folder}/{out}")
    return run(["join", f"{folder}/{out}"])


@pytest.mark.parametrize("verb", COMMANDS)
def test_shares_in_any_order_write_the_bytes_of_one_process(folder: Path, verb: str) -> None:
    alone = run(command(verb, folder, "alone"))
    assert (folder / "alone").stat().st_size
    for count in (1, 3, 7):
        joined = in_shares(verb, folder, f"joined-{count}", count)
        assert (folder / f"joined-{count}").read_bytes() == (folder / "alone").read_bytes()
        assert warnings(joined) == warnings(alone)
    assert bool(warnings(alone)) == (verb == "translate")
    assert not list(folder.glob("*.work"))


@pytest.mark.parametrize("verb", ["translate", "score", "align"])
def test_shares_in_a_store_write_the_bytes_of_one_process(
    folder: Path, store: str, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    run(command(verb, folder, "alone"))
    for path in folder.rglob("*"):
        if path.is_file():
            storage.write_bytes(f"{store}/{path.relative_to(folder)}", path.read_bytes())
    run(command(verb, store, "joined", "--part", "3/3"))
    refused = run(["join", f"{store}/joined"], status=2)
    assert "those of --part 1-2 of 3" in refused.stderr
    other = run(command(verb, store, "joined", "--part", "1/2"), status=2)
    assert "the number of shares (3 there, 2 here)" in other.stderr
    in_shares(verb, store, "joined", 3)
    assert storage.read_bytes(f"{store}/joined") == (folder / "alone").read_bytes()
    assert not storage.list_names(f"{store}/joined.work")


def test_one_of_several_processes_creates_a_file(store: str, tmp_path: Path) -> None:
    for path in (f"{store}/record", str(tmp_path / "record")):
        assert storage.create_bytes(path, b"first")
        assert not storage.create_bytes(path, b"second")
        assert storage.read_bytes(path) == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["record"]


@pytest.mark.parametrize("suffix", [".gz", ".parquet"])
def test_each_share_copies_its_own_pieces_of_a_compressed_corpus(folder: Path, suffix: str) -> None:
    pytest.importorskip("pyarrow")
    for side in ("source", "target"):
        (folder / f"{side}.gz").write_bytes(gzip.compress((folder / side).read_bytes()))
        (folder / side).unlink()
    words = [word.format(folder) for word in COMMANDS["score"]]
    words = [f"{word}.gz" if word.endswith(("/source", "/target")) else word for word in words]
    run([*words, "--out", f"{folder}/alone{suffix}"])
    out = f"{folder}/joined{suffix}"
    for number in (2, 3, 1):
        run([*words, "--out", out, "--part", f"{number}/3"])
    copies = [path.name for path in Path(f"{out}.work").glob("cut-*.source.txt")]
    assert sorted(copies) == [
        f"cut-{number}-{piece:05}.source.txt"
        for number in (1, 2, 3)
        for piece in range(number - 1, PARTS, 3)
    ]
    run(["join", out])
    assert Path(out).read_bytes() == (folder / f"alone{suffix}").read_bytes()


def test_joining_names_the_shares_that_are_missing_or_damaged(folder: Path) -> None:
    out, work = folder / "joined", folder / "joined.work"
    assert "no shares to join" in run(["join", str(out)], status=2).stderr
    run(command("score", folder, "alone"))
    run(command("score", folder, "joined", "--part", "2/7"))
    refused = run(["join", str(out)], status=2)
    assert "10 parts are missing or damaged, those of --part 1,3-7 of 7" in refused.stderr
    for number in (1, 3, 4, 5, 6, 7):
        run(command("score", folder, "joined", "--part", f"{number}/7"))
    damaged = work / "part-000004.txt"  # of share 5
    damaged.write_bytes(damaged.read_bytes()[:-1])
    assert "those of --part 5 of 7" in run(["join", str(out)], status=2).stderr
    assert not out.exists()
    run(command("score", folder, "joined", "--part", "5/7"))
    run(["join", str(out)])
    assert out.read_bytes() == (folder / "alone").read_bytes() and not work.exists()
    assert number_ranges([1, 2, 3, 5, 8, 9]) == "1-3,5,8-9"


def test_a_share_of_another_job_is_refused_by_its_difference(folder: Path) -> None:
    run(command("translate", folder, "joined", "--part", "1/3"))
    before = {path.name: path.read_bytes() for path in (folder / "joined.work").iterdir()}

    def difference(verb: str, *options: str, status: int = 2) -> str:
        done = run(command(verb, folder, "joined", *options), status=status)
        after = {path.name: path.read_bytes() for path in (folder / "joined.work").iterdir()}
        assert after == before
        return done.stderr.partition("Different: ")[2].partition(". Use the")[0]

    assert difference("translate", "--part", "2/4") == "the number of shares (3 there, 4 here)"
    assert difference("translate", "--part", "2/3", "--beam-size", "1") == (
        "beam_size (2 there, 1 here)"
    )
    assert (
        difference("translate", "--length-penalty", "0") == "length_penalty (null there, 0.0 here)"
    )
    assert "the command" in difference("score", "--part", "2/3")
    model = folder / "model"
    model.rename(folder / "old")
    (folder / "reverse").rename(model)
    assert difference("translate", "--part", "2/3") == "the models"
    shutil.rmtree(model)
    (folder / "old").rename(model)
    with (folder / "source").open("a") as file:
        file.write("A dog\n")
    assert difference("translate", "--part", "2/3").startswith("the corpus (its name, columns")


def test_one_process_completes_the_job_of_shares(folder: Path) -> None:
    run(command("score", folder, "alone"))
    run(command("score", folder, "joined", "--part", "1/2"))
    parts = {path: path.stat().st_mtime_ns for path in (folder / "joined.work").glob("part-*")}
    assert len(parts) == 2 * PARTS // 2
    run(command("score", folder, "joined"))
    assert (folder / "joined").read_bytes() == (folder / "alone").read_bytes()
    assert not (folder / "joined.work").exists()


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("0/3", "numbered from 1 to N. Use 1/3 to 3/3"),
        ("4/3", "numbered from 1 to N. Use 1/3 to 3/3"),
        ("0/0", "numbered from 1 to N. Use 1/1 to 1/1"),
        ("x", "write I/N, such as 3/64"),
        ("3", "write I/N"),
        ("-1/3", "write I/N"),
        ("1/3/5", "write I/N"),
    ],
)
def test_a_part_that_is_no_share_is_refused(folder: Path, part: str, message: str) -> None:
    done = run(command("score", folder, "out", "--part", part), status=2)
    assert f"--part {part}: " in done.stderr and message in done.stderr
    assert not (folder / "out.work").exists()


def test_a_share_needs_an_output_file_and_a_trained_aligner(folder: Path) -> None:
    words = [word.format(folder) for word in COMMANDS["score"]]
    for out in ([], ["--out", "/dev/null"]):
        assert "--part needs --out" in run([*words, *out, "--part", "1/2"], status=2).stderr
    pairs = [word.format(folder) for word in PAIRS]
    done = run(["align", *pairs, "--out", f"{folder}/out", "--part", "1/2"], status=2)
    assert "--part needs a trained aligner" in done.stderr
    assert not (folder / "out.work").exists()


# -- processes -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of twenty parts, a word aligner, and the output of one process."""
    folder = tmp_path_factory.mktemp("corpus")
    generator = random.Random(1)
    words = [f"word{number}" for number in range(50)]
    for side in ("source", "target"):
        lines = (" ".join(generator.choices(words, k=12)) for _ in range(20_000))
        (folder / side).write_text("".join(f"{line}\n" for line in lines))
    for side in ("source", "target"):
        lines = (folder / side).read_text().splitlines(keepends=True)[:200]
        (folder / f"few.{side}").write_text("".join(lines))
    few = ["--source", f"{folder}/few.source", "--target", f"{folder}/few.target"]
    run(["align", *few, "--save", f"{folder}/aligner"])
    run(aligning(folder, folder / "alone"))
    return folder


def aligning(corpus: Path, out: Path, *options: str) -> list[str]:
    pairs = [word.format(corpus) for word in PAIRS]
    return ["align", f"{corpus}/aligner", *pairs, "--out", str(out), *options]


def parts_of(work: Path) -> dict[str, int]:
    """The finished parts and when they were written."""
    return {path.name: path.stat().st_mtime_ns for path in work.glob("part-*.json")}


def test_a_killed_share_resumes(corpus: Path, tmp_path: Path) -> None:
    out, work = tmp_path / "out", tmp_path / "out.work"
    words = aligning(corpus, out, "--part", "1/2")
    killed = RegardProcess(words, tmp_path / "killed")
    assert killed.wait_until(lambda: len(parts_of(work)) >= 2), killed.output
    killed.kill()
    finished = parts_of(work)
    assert 2 <= len(finished) < 10
    again = RegardProcess(words, tmp_path / "again")
    assert again.wait() == 0, again.output
    assert parts_of(work).items() >= finished.items() and len(parts_of(work)) == 10
    run(aligning(corpus, out, "--part", "2/2"))
    run(["join", str(out)])
    assert out.read_bytes() == (corpus / "alone").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "killed", "out"]


def test_all_shares_run_at_once_and_twice(corpus: Path, tmp_path: Path) -> None:
    """Also two processes with the same share. Nothing else may run in the directory."""
    out = tmp_path / "out"
    shares = [
        RegardProcess(aligning(corpus, out, "--part", f"{share}/3"), tmp_path / f"{copy}{share}")
        for share in (1, 2, 3)
        for copy in "ab"
    ]
    assert shares[0].wait_until(lambda: parts_of(tmp_path / "out.work")), shares[0].output
    with shares[0].paused(lambda: len(parts_of(tmp_path / "out.work")) < 20):
        for words in (["join", str(out)], aligning(corpus, out)):
            refused = run_main(words)
            assert refused.status == 74, refused.stderr
            assert "is writing to this directory" in refused.stderr
    for share in shares:
        assert share.wait() == 0, share.output
    run(["join", str(out)])
    assert out.read_bytes() == (corpus / "alone").read_bytes()
    assert not (tmp_path / "out.work").exists()


# -- growth ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LongLines(BlockFunction):
    """Writes long lines."""

    verb: ClassVar[str] = "repeat"

    @property
    def identity(self) -> dict[str, Any]:
        return {}

    def load(self) -> Compute:
        return lambda block: BlockResult([text * 1_000 for text in block.targets], {})


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def joining_memory(folder: Path, lines: int) -> int:
    """The most memory that joining `lines` long lines takes, in parts of SIZE lines."""
    folder.mkdir()
    (folder / "texts").write_text("12345678\n" * lines)
    work, texts = str(folder / "work"), open_texts(str(folder / "texts"))
    run_corpus_job(LongLines(), texts, work, InProcessRunner(), share=Share(1, 1))
    record = read_record(work)
    assert record is not None and record.records == lines
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    with (folder / "out").open("wb") as file:
        join_parts(finished_parts(work, record).parts, "", file)
    assert (folder / "out").stat().st_size == 8_001 * lines
    return tracemalloc.get_traced_memory()[1] - before


def test_joining_takes_the_memory_of_a_part(
    tmp_path: Path, traced: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the names of all parts, each of 64,000 records in a large corpus."""
    monkeypatch.setattr(corpus_job, "BLOCK", SIZE)
    few, many = (joining_memory(tmp_path / f"{lines}", lines) for lines in (160, 1_600))
    added_parts = (1_600 - 160) // SIZE
    assert many - few < 400 * added_parts < 0.03 * 8_001 * 1_600


def test_the_record_of_a_job_holds_no_path_of_the_model(folder: Path) -> None:
    """The machines may have it in different places."""
    run(command("score", folder, "joined", "--part", "1/2"))
    record = json.loads((folder / "joined.work" / "job.json").read_text())
    assert record["shares"] == 2 and record["records"] == LINES and record["lines"] == SIZE
    assert str(folder / "model") not in json.dumps(record)
    (folder / "model").rename(folder / "moved")
    words = [word.replace("/model", "/moved") for word in command("score", folder, "joined")]
    run([*words, "--part", "2/2"])
    run(["join", f"{folder}/joined"])

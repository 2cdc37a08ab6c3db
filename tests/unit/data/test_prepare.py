"""Preparation: which pairs are dropped, and which tasks are rerun after a change."""

from __future__ import annotations

import errno
import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.cli.prepare import stage_line
from regard.data import storage
from regard.data.filters import FILTERS, SCRIPTS, Limits, drop_reason, drop_reasons
from regard.data.formats.corpus import Corpus, open_corpus
from regard.data.ownership import PREPARED, claim
from regard.data.preparation import fields as dedupe
from regard.data.preparation.cut import CorpusPiece, cut_text, read_piece_lines
from regard.data.preparation.prepare import PreparationSettings, StageProgress, prepare_corpora
from regard.data.preparation.runner import InProcessRunner
from regard.errors import ConfigError, CorpusError, StorageError
from regard.text.normalize import normalize
from regard.text.tokenizer import SentencePiece

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
SETTINGS = PreparationSettings(vocabulary=300, shard_pairs=150)


def write_corpus(folder: Path, pairs: list[tuple[str, str]], name: str = "train") -> Corpus:
    for side, suffix in enumerate(("en", "de")):
        text = "".join(f"{pair[side]}\n" for pair in pairs)
        (folder / f"{name}.{suffix}").write_text(text, encoding="utf-8")
    return open_corpus(str(folder / f"{name}.en"), str(folder / f"{name}.de"), name=name)


def digits_as_words(i: int) -> str:
    return " ".join(WORDS[int(digit)] for digit in str(i))


PAIRS = [(f"english {digits_as_words(i)}", f"deutsch {digits_as_words(i)}") for i in range(1_000)]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("tokenizer")
    SentencePiece.train([text for pair in PAIRS for text in pair], size=300).save(folder)
    return str(folder)


class StageLog:
    """Collects the stages that ran a task, rather than finding all of them done."""

    def __init__(self) -> None:
        self.stages: set[str] = set()

    def __call__(self, progress: StageProgress) -> None:
        if progress.reused < progress.done:
            self.stages.add(progress.stage)


def stages_run(corpora: list[Corpus], out: Path, settings: PreparationSettings) -> set[str]:
    log = StageLog()
    prepare_corpora(corpora, str(out), settings, InProcessRunner(), on_progress=log)
    return log.stages


def test_a_changed_parameter_reruns_only_what_depends_on_it(tmp_path: Path) -> None:
    corpus, out = [write_corpus(tmp_path, PAIRS)], tmp_path / "out"
    all_stages = {"cut", "clean", "dedupe", "sample", "learn", "encode"}
    assert stages_run(corpus, out, SETTINGS) == all_stages
    assert stages_run(corpus, out, SETTINGS) == set()
    assert stages_run(corpus, out, replace(SETTINGS, vocabulary=280)) == {"learn", "encode"}
    longer = replace(SETTINGS, vocabulary=280, max_length=40)
    assert stages_run(corpus, out, longer) == {"encode"}
    stricter = replace(longer, limits=Limits(max_ratio=2.9))
    assert stages_run(corpus, out, stricter) == {"clean"}  # no more pairs are dropped
    exact = replace(stricter, dedupe="exact")
    assert stages_run(corpus, out, exact) == {"clean"}  # the hashes of plain texts are the same


def test_missing_outputs_are_written_again(tmp_path: Path, tokenizer: str) -> None:
    corpus, out = [write_corpus(tmp_path, PAIRS)], tmp_path / "out"
    settings = replace(SETTINGS, tokenizer=tokenizer)
    prepare_corpora(corpus, str(out), settings, InProcessRunner())
    before = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    (out / "train-00002.source").unlink()
    (out / "train-00004.json").unlink()
    assert stages_run(corpus, out, settings) == {"encode"}
    assert before == {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}


def test_every_pair_is_counted(tmp_path: Path, tokenizer: str) -> None:
    bad = [("", "leer"), ("same", "same"), ("12 - 14 %", "12-14 %"), ("a", "b" * 200)]
    duplicate = [("English  " + digits_as_words(7) + "!", "Deutsch, " + digits_as_words(7))]
    corpus = [write_corpus(tmp_path, [*PAIRS, *bad, *duplicate])]
    settings = replace(SETTINGS, tokenizer=tokenizer, held_out=0.1)
    prepared = prepare_corpora(corpus, str(tmp_path / "out"), settings, InProcessRunner())
    rows = json.loads((tmp_path / "out" / "manifest.json").read_text())["rows"]
    assert rows["read"] == 1_005 == rows["train"] + rows["held out"] + sum(rows["dropped"].values())
    assert rows["dropped"] == {
        "empty": 1, "identical": 1, "mostly punctuation": 1, "out of ratio": 1, "repeated": 1,
        "too many pieces": 0,
    }  # fmt: skip
    text = (tmp_path / "out" / "valid-00000.source.txt").read_text().splitlines()
    assert len(text) == rows["held out"] == prepared.shards("valid")[0].pairs
    assert 60 < len(text) < 140


def test_the_split_depends_on_the_source_not_on_the_order(tmp_path: Path, tokenizer: str) -> None:
    pairs = [*PAIRS, *((source, f"{target} again") for source, target in PAIRS)]
    shuffled = random.Random(1).sample(pairs, len(pairs))
    held = []
    for name, rows in (("a", pairs), ("b", shuffled)):
        (tmp_path / name).mkdir()
        settings = replace(SETTINGS, tokenizer=tokenizer, held_out=0.2)
        out = tmp_path / name / "out"
        corpora = [write_corpus(tmp_path / name, rows)]
        prepare_corpora(corpora, str(out), settings, InProcessRunner())
        text = (out / "valid-00000.source.txt").read_text()
        held.append(sorted(text.splitlines()))
    assert held[0] == held[1]
    assert all(held[0].count(source) == 2 for source in held[0])


def test_validation_files_are_not_filtered(tmp_path: Path, tokenizer: str) -> None:
    pairs = [*PAIRS[:20], *PAIRS[:20], ("12", "12")]
    settings = replace(SETTINGS, tokenizer=tokenizer)
    corpora, valid = [write_corpus(tmp_path, PAIRS)], [write_corpus(tmp_path, pairs, "valid")]
    prepared = prepare_corpora(
        corpora, str(tmp_path / "out"), settings, InProcessRunner(), valid=valid
    )
    assert sum(shard.pairs for shard in prepared.shards("valid")) == 41
    both = replace(settings, held_out=0.1)
    with pytest.raises(ConfigError, match="held_out"):
        prepare_corpora(corpora, "x", both, InProcessRunner(), valid=valid)


def test_corpora_of_different_formats_can_be_combined(tmp_path: Path, tokenizer: str) -> None:
    table = tmp_path / "more.tsv"
    table.write_text("".join(f"table {s}\ttafel {t}\n" for s, t in PAIRS[:300]))
    corpora = [write_corpus(tmp_path, PAIRS), open_corpus(str(table), name="table")]
    settings = replace(SETTINGS, tokenizer=tokenizer)
    prepared = prepare_corpora(corpora, str(tmp_path / "out"), settings, InProcessRunner())
    sizes = {"train": 0, "table": 0}
    for shard in prepared.shards("train"):
        shard.verify()
        sizes[shard.corpus] += shard.pairs
    assert sizes == {"train": 1_000, "table": 300}
    with pytest.raises(CorpusError, match="different names"):
        prepare_corpora([corpora[0], corpora[0]], "x", settings, InProcessRunner())


@settings(max_examples=200, deadline=None)
@given(
    lines=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\0")), max_size=30),
    size=st.integers(1, 8),
    final_newline=st.booleans(),
)
def test_pieces_contain_every_line_in_order(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], size: int, final_newline: bool
) -> None:
    folder = tmp_path_factory.getbasetemp()
    lines = [*lines, "last"]
    paths = [str(folder / f"cut.{side}") for side in ("en", "de")]
    for path in paths:
        Path(path).write_bytes(("\n".join(lines) + "\n" * final_newline).encode())
    pieces = cut_text(*paths, size)
    assert [CorpusPiece.from_json(piece.to_json()) for piece in pieces] == pieces
    read = [
        line
        for piece in pieces
        for line in read_piece_lines(piece.target, piece.first_line, piece.lines)
    ]
    assert read == [line.removesuffix("\r") for line in lines]  # \r\n is a line end


def test_an_error_names_the_file_and_the_line(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_bytes(b"good\n" * 7 + b"b\xffd\n" + b"good\n" * 3)
    (tmp_path / "a.de").write_bytes(b"gut\n" * 11)
    piece = cut_text(str(tmp_path / "a.en"), str(tmp_path / "a.de"), 4)[1]
    with pytest.raises(CorpusError, match=r"a\.en, line 8: byte 0xff is not UTF-8"):
        read_piece_lines(piece.source, piece.first_line, piece.lines)
    (tmp_path / "a.de").write_bytes(b"gut\n" * 10)
    with pytest.raises(CorpusError, match=r"a\.en has 11 lines and .*a\.de has 10"):
        cut_text(str(tmp_path / "a.en"), str(tmp_path / "a.de"), 4)


@settings(max_examples=100, deadline=None)
@given(names=st.lists(st.integers(0, 12), min_size=1, max_size=40), size=st.integers(1, 10))
def test_the_first_of_equal_records_is_kept_for_any_number_of_partitions(
    names: list[int], size: int
) -> None:
    hashes = dedupe.hash_texts([str(name) for name in names])
    expected = [i for i, name in enumerate(names) if name in names[:i]]
    shards = [
        dedupe.sorted_records(hashes[start : start + size], start)
        for start in range(0, len(names), size)
    ]
    for partitions in (1, 4, 256):
        width = dedupe.SLOTS // partitions
        found: list[int] = []
        for part in range(partitions):
            ranges = [
                records[slots[part * width] : slots[(part + 1) * width]]
                for records, slots in shards
            ]
            found += dedupe.find_repeats(ranges).tolist()
        assert sorted(found) == expected


def test_near_duplicates_differ_in_case_digits_and_punctuation_only() -> None:
    alike = ["Article 12: «Rights»", "article 34 rights", "ARTICLE 99, RIGHTS!"]
    others = ["article rights", "articles 12 rights", "a rticle 12 rights", "हिन्दी", "हन्द"]
    hashes = dedupe.hash_plain_forms([*alike, *others]).tolist()
    assert len(set(hashes[:3])) == 1
    assert len(set(hashes)) == 1 + len(others)
    assert dedupe.hash_plain_forms([]).tolist() == []


def test_the_number_of_partitions_grows_with_the_corpus() -> None:
    assert dedupe.count_partitions(10) == 1
    assert dedupe.count_partitions(dedupe.PARTITION_PAIRS + 1) == 2
    assert dedupe.count_partitions(5 * dedupe.PARTITION_PAIRS) == 8
    assert dedupe.count_partitions(10**11) == dedupe.SLOTS


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("A good sentence.", "Ein guter Satz.", None),
        ("Yes.", "Aber gewiss doch.", None),
        (" \u00a0", "leer", "empty"),
        ("copy", "copy", "identical"),
        ("long " * 9_000, "lang " * 9_000, None),
        ("short", "sehr lang " * 20, "out of ratio"),
        ("1. 2. 3. 4. x", "1. 2. 3. 4. y", "mostly punctuation"),
        ("A good sentence.", "Хорошее предложение.", "wrong script"),
        ("今天天气很好", "Das Wetter ist heute schön.", "wrong script"),
    ],
)
def test_drop_reasons_of_pairs(source: str, target: str, reason: str | None) -> None:
    limits = Limits(source_script="latin", target_script="latin")
    assert drop_reason(source, target, limits) == reason
    if reason is not None:
        assert FILTERS[reason](source, target, limits)


@settings(max_examples=300, deadline=None)
@given(
    pairs=st.lists(
        st.tuples(*[st.text(st.sampled_from("aé1.-字 "), max_size=60).map(normalize)] * 2),
        max_size=20,
    ),
    script=st.sampled_from([None, "latin"]),
)
def test_vectorized_filters_agree_with_single_pairs(
    pairs: list[tuple[str, str]], script: str | None
) -> None:
    limits = Limits(slack=2, source_script=script)
    sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
    alone = [drop_reason(source, target, limits) for source, target in pairs]
    assert drop_reasons(sources, targets, limits) == alone


def test_scripts_are_distinguished_by_their_letters() -> None:
    texts = {
        "arabic": "السلام", "armenian": "բարեւ", "bengali": "নমস্কার", "cyrillic": "привет",
        "devanagari": "नमस्ते", "ethiopic": "ሰላም", "georgian": "გამარჯობა", "greek": "γειά",
        "han": "你好世界", "hangul": "안녕하세요", "hebrew": "שלום", "japanese": "こんにちは世界",
        "latin": "žluťoučký", "tamil": "வணக்கம்", "thai": "สวัสดี",
    }  # fmt: skip
    assert set(texts) == set(SCRIPTS)
    for script, text in texts.items():
        for other in SCRIPTS:
            related = {script, other} == {"han", "japanese"}
            limits = Limits(source_script=other)
            wrong = FILTERS["wrong script"](text, "x", limits)
            assert related or wrong == (script != other)


def test_shards_contain_uint16_ids_and_lengths(tmp_path: Path, tokenizer: str) -> None:
    corpus = [write_corpus(tmp_path, PAIRS[:50])]
    settings = replace(SETTINGS, tokenizer=tokenizer)
    prepared = prepare_corpora(corpus, str(tmp_path / "out"), settings, InProcessRunner())
    shard = prepared.shards("train")[0].open()
    assert shard.lengths.dtype == np.uint16 and shard.source.dtype == np.uint16
    source, target = shard.pair(49)
    loaded = SentencePiece.load(Path(tokenizer))
    assert loaded.decode(source.tolist()) == PAIRS[49][0]
    assert loaded.decode(target.tolist()) == PAIRS[49][1]


def test_a_tokenizer_with_another_normal_form_is_refused(tmp_path: Path) -> None:
    lines = [f"the {word} sleeps" for word in ["cat", "dog", "fox", "owl", "hen"]] * 4
    for side in ("en", "de"):
        (tmp_path / f"a.{side}").write_text("".join(f"{side} {line}\n" for line in lines))
    SentencePiece.train(lines, size=300, form="NFKC").save(tmp_path / "tokenizer")
    corpus = open_corpus(str(tmp_path / "a.en"), str(tmp_path / "a.de"))
    settings = PreparationSettings(tokenizer=str(tmp_path / "tokenizer"))
    with pytest.raises(ConfigError, match=r"form: .*NFKC"):
        prepare_corpora([corpus], str(tmp_path / "out"), settings, InProcessRunner())


@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.jsonl", "lines.en"])
def test_an_empty_corpus_is_refused(tmp_path: Path, name: str) -> None:
    for path in (tmp_path / name, tmp_path / "lines.de"):
        path.write_text("")
    files = [name, "lines.de"] if name == "lines.en" else [name]
    corpus = open_corpus(*(str(tmp_path / file) for file in files), name="train")
    with pytest.raises(CorpusError, match=rf"{name}.*: no records"):
        prepare_corpora([corpus], str(tmp_path / "out"), SETTINGS, InProcessRunner())


def test_a_corpus_of_which_nothing_is_left_is_refused_with_the_reasons(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, [("", "leer"), ("same", "same")])
    with pytest.raises(CorpusError, match=r"none of the 2 records .*empty: 1, identical: 1"):
        prepare_corpora([corpus], str(tmp_path / "out"), SETTINGS, InProcessRunner())


def test_dates_are_dropped_with_a_hint_or_kept(tmp_path: Path) -> None:
    days = [(f"the {n}th of May 199{n}", f"199{n}-05-0{n}") for n in range(4, 10)]
    corpus = write_corpus(tmp_path, days)
    with pytest.raises(CorpusError, match=r"mostly punctuation: 6.*max_punctuation"):
        prepare_corpora([corpus], str(tmp_path / "out"), SETTINGS, InProcessRunner())
    kept = replace(SETTINGS, limits=Limits(max_punctuation=1.0), dedupe="exact")
    prepared = prepare_corpora([corpus], str(tmp_path / "kept"), kept, InProcessRunner())
    assert prepared.read == 6 and not any(prepared.dropped.values())
    # near duplicates differ in digits only
    near = replace(kept, dedupe="near")
    prepared = prepare_corpora([corpus], str(tmp_path / "near"), near, InProcessRunner())
    assert prepared.dropped["repeated"] == 5


def test_a_corpus_of_long_sentences_only_is_refused(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, [("a long cat sleeps", "eine lange Katze schläft")])
    settings = replace(SETTINGS, max_length=2)
    with pytest.raises(CorpusError, match=r"too many pieces: 1.*max_length"):
        prepare_corpora([corpus], str(tmp_path / "out"), settings, InProcessRunner())


def test_a_failed_write_is_reported_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(StorageError, match=r"train-00000\.source: .*No space left"):
        storage.write_bytes(str(tmp_path / "out" / "train-00000.source"), b"ids")
    assert list((tmp_path / "out").iterdir()) == []


def test_unfinished_files_of_a_killed_preparation_are_deleted(tmp_path: Path) -> None:
    corpus, out = write_corpus(tmp_path, PAIRS[:50]), tmp_path / "out"
    claim(str(out), PREPARED)
    (out / "work").mkdir(parents=True)
    for name in ("train-00000.source.123", "work/train-cut-000.json.123"):
        (out / f"{name}{storage.TMP}").touch()
    (out / "mine.tmp").touch()
    prepare_corpora([corpus], str(out), SETTINGS, InProcessRunner())
    assert not list(out.rglob(f"*{storage.TMP}")) and (out / "mine.tmp").exists()


def test_progress_has_a_rate_once_the_pairs_are_counted() -> None:
    progress = StageProgress("read", done=1, total=3, reused=0, seconds=2.0, pairs=0)
    assert stage_line(progress) == "reading words, 1 of 3 parts, 4 s left"
    assert stage_line(replace(progress, pairs=300)).endswith("parts, 50 pairs/s, 4 s left")

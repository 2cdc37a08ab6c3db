"""Corpora: every format yields the same pairs, and errors name the file and the record."""

from __future__ import annotations

import dataclasses
import gzip
import json
import lzma
import tracemalloc
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any
from xml.parsers import expat

import fsspec
import pyarrow
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from regard.data.formats.corpus import (
    Corpus,
    Jsonl,
    Pair,
    ParallelFiles,
    Parquet,
    Tmx,
    Tsv,
    open_corpus,
    read_blocks,
    read_pairs,
)
from regard.data.formats.files import line_blocks
from regard.errors import CorpusError
from tests.conftest import DATA

PAIRS = [Pair(f"line {n}\u2028\x0b\x85 of\x1e text", f"Zeile {n} – 行") for n in range(1_000)]
PAIRS[10] = Pair("", "leer")
PAIRS[11] = Pair("empty", "")
PAIRS[-1] = Pair("", "")

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}


def write_lines(path: Path, lines: list[str], end: str = "\n") -> str:
    path.write_bytes(
        COMPRESS[path.suffix if path.suffix in COMPRESS else ""](
            "".join(line + end for line in lines).encode()
        )
    )
    return str(path)


def write_parallel(folder: Path, suffix: str = "", pairs: list[Pair] = PAIRS) -> ParallelFiles:
    return ParallelFiles(
        write_lines(folder / f"a.en{suffix}", [pair.source for pair in pairs]),
        write_lines(folder / f"a.de{suffix}", [pair.target for pair in pairs]),
    )


def write_corpus(kind: str, folder: Path) -> Corpus:
    if kind in COMPRESS:
        return write_parallel(folder, kind)
    if kind == "tsv":
        rows = [f"{n}\t{target}\t{source}" for n, (source, target) in enumerate(PAIRS)]
        return Tsv(write_lines(folder / "a.tsv.gz", rows), source=2, target=1)
    if kind == "jsonl":
        rows = [json.dumps({"translation": {"en": s, "de": t}}) for s, t in PAIRS]
        return Jsonl(
            write_lines(folder / "a.jsonl", rows), source="translation.en", target="translation.de"
        )
    table = pyarrow.table(
        {"id": range(len(PAIRS)), "s": [p[0] for p in PAIRS], "t": [p[1] for p in PAIRS]}
    )
    parquet.write_table(table, folder / "a.parquet", row_group_size=300)
    return Parquet(str(folder / "a.parquet"), source="s", target="t")


KINDS = [*COMPRESS, "tsv", "jsonl", "parquet"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_yields_all_pairs_in_order(kind: str, tmp_path: Path) -> None:
    corpus = write_corpus(kind, tmp_path)
    assert list(read_pairs(corpus)) == PAIRS
    for size in (1, 7, 999, 1_000, 5_000):
        found = list(read_blocks(corpus, size))
        assert [len(block) for block in found[:-1]] == [size] * (len(found) - 1)
        assert [block.start for block in found] == list(range(0, 1_000, size))
        assert list(chain.from_iterable(block.pairs() for block in found)) == PAIRS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("start", "stop"), [(0, 1), (300, 601), (999, None), (5, 5), (0, 9_999), (2_000, None)]
)
def test_a_range_of_records_can_be_read(
    kind: str, start: int, stop: int | None, tmp_path: Path
) -> None:
    corpus = write_corpus(kind, tmp_path)
    found = chain.from_iterable(block.pairs() for block in read_blocks(corpus, 128, start, stop))
    assert list(found) == PAIRS[start:stop]


@settings(deadline=None, max_examples=50)
@given(
    lines=st.lists(st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"])))
)
def test_lines_are_split_at_line_ends_only(
    lines: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = [line.lstrip("\ufeff") for line in lines]
    folder = tmp_path_factory.mktemp("lines")
    for end in ("\n", "\r\n"):
        path = write_lines(folder / "a.txt", lines, end)
        assert list(chain.from_iterable(line_blocks(path, 3))) == lines


def test_a_byte_order_mark_and_a_missing_last_line_end_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffone\ntwo".encode())
    assert list(line_blocks(str(path), 10)) == [["one", "two"]]
    path.write_bytes(b"")
    assert list(line_blocks(str(path), 10)) == []


def test_a_line_may_be_longer_than_a_chunk(tmp_path: Path) -> None:
    lines = ["a" * 3_000_000, "é" * 2_000_000, "", "end"]
    path = write_lines(tmp_path / "a.txt", lines)
    assert list(chain.from_iterable(line_blocks(path, 2))) == lines


def test_reading_takes_constant_memory(tmp_path: Path) -> None:
    corpus = write_parallel(tmp_path, pairs=[Pair("source " * 10, "target " * 10)] * 100_000)
    tracemalloc.start()
    count = sum(len(block) for block in read_blocks(corpus, 1_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 100_000
    assert peak < 24 << 20  # two decoded chunks of a mebibyte, not twice the 14 MB


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_a_truncated_file_is_refused(suffix: str, tmp_path: Path) -> None:
    corpus = write_parallel(tmp_path, suffix)
    path = Path(corpus.target)
    content = path.read_bytes()
    for length in (len(content) - 1, len(content) // 2, 5):
        path.write_bytes(content[:length])
        with pytest.raises(CorpusError, match=r"a\.de.*damaged or truncated"):
            list(read_pairs(corpus))


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_a_file_with_the_wrong_suffix_is_refused(suffix: str, tmp_path: Path) -> None:
    corpus = write_parallel(tmp_path, suffix)
    Path(corpus.source).write_bytes(b"plain text\n" * 100)
    with pytest.raises(CorpusError, match=r"a\.en.*damaged"):
        list(read_pairs(corpus))


def test_concatenated_compressed_streams_are_read(tmp_path: Path) -> None:
    for suffix, compress in COMPRESS.items():
        path = tmp_path / f"a{suffix}"
        path.write_bytes(compress(b"one\n") + compress(b"two\n"))
        assert list(line_blocks(str(path), 10)) == [["one", "two"]]


@pytest.mark.parametrize("line", [1, 500, 1_000])
@pytest.mark.parametrize(("bad", "cause"), [(b"a\xff\xfeb", "not UTF-8"), (b"\x00", "NUL")])
def test_an_error_names_the_line_that_is_not_text(
    line: int, bad: bytes, cause: str, tmp_path: Path
) -> None:
    corpus = write_parallel(tmp_path)
    path = Path(corpus.target)
    lines = path.read_bytes().split(b"\n")
    lines[line - 1] = bad
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(CorpusError, match=rf"a\.de, line {line}: .*{cause}"):
        list(read_pairs(corpus))


@pytest.mark.parametrize("size", [10, 1_000, 5_000])
def test_different_line_counts_are_refused(size: int, tmp_path: Path) -> None:
    corpus = write_parallel(tmp_path)
    write_lines(Path(corpus.target), [pair.target for pair in PAIRS if pair != PAIRS[500]])
    with pytest.raises(CorpusError, match=r"a\.de: ends after line 999, but .*a\.en has 1000"):
        list(read_blocks(corpus, size))


def test_a_wrong_number_of_columns_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.tsv", ["a\tb"] * 20 + ["a"] + ["a\tb"] * 5)
    with pytest.raises(CorpusError, match=r"a\.tsv, line 21: has 1 columns; 2"):
        list(read_pairs(open_corpus(path)))
    with pytest.raises(CorpusError, match=r"line 1: has 2 columns; 4"):
        list(read_pairs(open_corpus(path, target=3)))


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "",
        "[1]",
        "3",
        '{"source": "a"}',
        '{"source": "a", "target": 1}',
        '{"source": "a", "target": "\\ud800"}',
        '{"source": "a\\u0000", "target": "b"}',
        "[" * 100_000,
    ],
)
def test_an_error_names_the_invalid_json_line(line: str, tmp_path: Path) -> None:
    good = '{"source": "a", "target": "b"}'
    path = write_lines(tmp_path / "a.jsonl", [good] * 20 + [line, good])
    with pytest.raises(CorpusError, match=r"a\.jsonl, line 21: "):
        list(read_pairs(open_corpus(path)))


def test_an_invalid_parquet_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    texts = ["a", "b", None]
    parquet.write_table(pyarrow.table({"source": ["a"] * 3, "target": texts}), path)
    with pytest.raises(CorpusError, match=r"a\.parquet, record 3: target is not a text"):
        list(read_pairs(open_corpus(str(path))))
    with pytest.raises(CorpusError, match=r"a\.parquet: has no column de"):
        list(read_pairs(Parquet(str(path), target="de")))
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(CorpusError, match=r"a\.parquet"):
        list(read_pairs(open_corpus(str(path))))


def test_a_missing_file_and_an_unknown_format_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"none\.en: cannot be opened"):
        list(read_pairs(open_corpus(str(tmp_path / "none.en"), str(tmp_path / "none.de"))))
    with pytest.raises(CorpusError, match=r"a\.txt: a single file must be"):
        open_corpus("a.txt")


def tmx(body: str, head: str = "") -> str:
    return f'<?xml version="1.0"?>{head}<tmx version="1.4"><header/><body>{body}</body></tmx>'


def unit(**variants: str) -> str:
    inner = "".join(f'<tuv xml:lang="{k}"><seg>{v}</seg></tuv>' for k, v in variants.items())
    return f"<tu>{inner}</tu>"


def read_tmx(text: str, folder: Path) -> list[Pair]:
    path = folder / "a.tmx"
    path.write_text(text)
    return list(read_pairs(Tmx(str(path), "en", "de")))


class DeferringParser:
    """An expat parser that keeps what it is given until the end, as version 2.6 may do."""

    def __init__(self, parser: Any) -> None:
        super().__setattr__("parser", parser)
        super().__setattr__("kept", [])

    def __getattr__(self, name: str) -> Any:
        return getattr(self.parser, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.parser, name, value)

    def Parse(self, chunk: bytes, last: bool) -> int:  # noqa: N802
        self.kept.append(chunk)
        return int(self.parser.Parse(b"".join(self.kept), True)) if last else 1


def test_tmx_pairs_are_complete_if_the_parser_defers_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = expat.ParserCreate
    monkeypatch.setattr(expat, "ParserCreate", lambda: DeferringParser(create()))
    body = "".join(unit(en=f"a {n}", de=f"b {n}") for n in range(3))
    assert read_tmx(tmx(body), tmp_path) == [(f"a {n}", f"b {n}") for n in range(3)]


def test_tmx_pairs_are_read_without_inline_codes(tmp_path: Path) -> None:
    body = (
        unit(en="one &amp; <hi>two</hi>", fr="un", de="eins <bpt i='1'>&lt;b></bpt>zwei<ept/>")
        + unit(en="no pair")
        + unit(de="", en="empty")
    )
    body = body.replace('lang="en"', 'lang="EN-gb"', 1)
    dtd = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'
    assert read_tmx(tmx(body, dtd), tmp_path) == [("one & two", "eins zwei"), ("empty", "")]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (tmx(unit(en="&a;", de="b"), '<!DOCTYPE tmx [<!ENTITY a "b">]>'), "DOCTYPE"),
        (tmx(unit(en="a", de="b"))[:-9], "not well-formed"),
        (tmx("\n\n<tu><seg></tu>"), "line 3: not well-formed"),
        (tmx(unit(en="a", fr="b")), r"no unit has both en and de\..*: en, fr"),
    ],
)
def test_an_invalid_or_malicious_tmx_file_is_refused(text: str, cause: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=cause):
        read_tmx(text, tmp_path)


def test_a_published_tmx_file_is_read_completely() -> None:
    folder = DATA / "tico19-en-fr"
    if not folder.is_dir():
        pytest.skip(f"no corpora at {DATA}")
    memory = open_corpus(str(folder / "tico19.en-fr.tmx.gz"), source="en", target="fr")
    found = list(read_pairs(memory))
    expected = read_pairs(ParallelFiles(str(folder / "tico19.en"), str(folder / "tico19.fr")))
    assert len(found) == 3_071
    assert [(s.split(), t.split()) for s, t in found] == [
        (s.split(), t.split()) for s, t in expected
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_store_is_read_like_a_directory(kind: str, tmp_path: Path) -> None:
    store = fsspec.filesystem("memory")
    corpus = write_corpus(kind, tmp_path)
    for path in corpus.paths:
        store.pipe_file(f"/{Path(path).name}", Path(path).read_bytes())
    fields = {
        field.name: f"memory://{Path(value).name}" if value in corpus.paths else value
        for field in dataclasses.fields(corpus)
        for value in [getattr(corpus, field.name)]
    }
    assert list(read_pairs(type(corpus)(**fields))) == PAIRS
    with pytest.raises(CorpusError, match="memory://none"):
        list(line_blocks("memory://none", 1))

"""What a side of a record is: texts in windows, documents in sentences, labels, names, nothing."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from regard.data.formats.captions import Captions
from regard.data.formats.corpus import Corpus, TextLines, open_documents
from regard.data.loading.image_shards import from_ids
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import BatchOrder, SpecialTokens
from regard.data.loading.shards import PreparedData
from regard.data.preparation.dedupe import hash_texts
from regard.data.preparation.fields import FIELDS, MAX_SENTENCE_LENGTH, FieldName
from regard.data.preparation.prepare import PreparationSettings, prepare_corpora
from regard.data.preparation.runner import InProcessRunner, ProcessRunner, Runner
from regard.errors import CorpusError
from regard.text.tokenizer import EOS, SentencePiece
from regard.text.windows import split_windows, window_sizes
from tests.captioned_images import make_shown
from tests.labelled_documents import make_judged
from tests.plain_texts import make_prose

SIDES_OF: dict[str, tuple[FieldName, FieldName]] = {
    "texts": ("nothing", "prose"),
    "documents": ("document", "label"),
    "captions": ("name", "text"),
}
FILES = {"texts": "train.txt", "documents": "train.jsonl", "captions": "shown/train.jsonl"}
OF: dict[str, Callable[..., Corpus]] = {
    "texts": TextLines,
    "documents": open_documents,
    "captions": Captions,
}
BARE = SpecialTokens(begin=False, end=False)


@pytest.mark.parametrize("length", [0, 1, 6, 7, 8, 20, 21, 22])
def test_windows_are_few_and_equal_and_lose_nothing(length: int) -> None:
    sizes = window_sizes(length, 7)
    assert sum(sizes) == length and len(sizes) == -(-length // 7)
    assert not sizes or max(sizes) - min(sizes) <= 1
    found = split_windows(range(length), 7)
    assert [item for window in found for item in window] == list(range(length))


def corpus(kind: str, folder: Path, *, packed: bool = False) -> Corpus:
    name = FILES[kind]
    path = folder / name
    if packed:
        path = folder / f"{name}.gz"
        path.write_bytes(gzip.compress((folder / name).read_bytes()))
    return OF[kind](str(path), name="train")


def prepared(kind: str, folder: Path, out: Path, runner: Runner, **more: bool) -> PreparedData:
    settings = PreparationSettings(
        vocabulary=290,
        fields=SIDES_OF[kind],
        limits=None,
        dedupe="none",
        held_out=0.1,
        max_length=60,
        shard_pairs=64,
    )
    with runner:
        return prepare_corpora([corpus(kind, folder, **more)], str(out), settings, runner)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = make_judged(make_prose(tmp_path_factory.mktemp("corpora")))
    (found / "shown").mkdir()
    make_shown(found / "shown")
    return found


@pytest.mark.parametrize("kind", SIDES_OF)
def test_law_11_engine_whoever_prepares_them_and_however_packed_shards_are_the_same(
    kind: str, folder: Path, tmp_path: Path
) -> None:
    here = prepared(kind, folder, tmp_path / "a", InProcessRunner())
    many = prepared(kind, folder, tmp_path / "b", ProcessRunner(2))
    unpacked = prepared(kind, folder, tmp_path / "c", InProcessRunner(), packed=True)
    assert len(here.shards("train")) > 2
    for split in ("train", "valid"):
        one, other, third = (
            [(s.pairs, s.tokens, s.checksums) for s in each.shards(split)]
            for each in (here, many, unpacked)
        )
        assert one == other == third
    assert here.labels == many.labels == (("bad", "good") if kind == "documents" else ())


@pytest.mark.parametrize("kind", SIDES_OF)
def test_law_9_order_is_that_of_seed_and_epoch_for_any_ranks(
    kind: str, folder: Path, tmp_path: Path
) -> None:
    """Two ranks read between them what one reads, step by step."""
    shards = prepared(kind, folder, tmp_path, InProcessRunner()).shards("train")
    begins = SpecialTokens(begin=kind == "texts", end=False)
    order = BatchOrder(3, 200, micro_batches=2, source=BARE, target=begins)
    alone = Loader(shards, order).steps()
    pair = [Loader(shards, order, rank=rank, world=2).steps() for rank in (0, 1)]
    for _ in range(8):
        whole, parts = next(alone), [next(one) for one in pair]
        assert [s.after for s in parts] == [whole.after] * 2
        assert [s.target_tokens for s in parts] == [whole.target_tokens] * 2
        for micro, part in zip(
            whole.micro_batches, [p.micro_batches[0] for p in parts], strict=False
        ):
            for side in ("source", "target"):
                ours, theirs = (getattr(one.batch, side) for one in (micro, part))
                assert ours.ids.equal(theirs.ids) and ours.lengths.equal(theirs.lengths)
        said = sum(int(m.batch.target.lengths.sum()) for m in whole.micro_batches)
        rows = sum(len(m.batch.target.ids) for m in whole.micro_batches)
        assert whole.target_tokens == said - rows * begins.count  # a label is one: a document
    for steps in (alone, *pair):
        steps.close()


def test_a_label_is_one_id_and_a_document_its_sentences() -> None:
    tokenizer = SentencePiece.train(["one two three four five six"] * 9, size=290)
    side = FIELDS["document"]
    clean = side.clean("One two.  Three!\u2029\u2029 \u2029\u2029four", "NFC")
    assert side.lines(clean) == ["One two.", "Three!", "four"]
    long = " ".join(["one"] * 300)
    flat = side.encode([clean, long], tokenizer, [])
    rows = flat.ids.tolist()[: int(flat.lengths[0])], flat.ids.tolist()[int(flat.lengths[0]) :]
    pieces = len(tokenizer.encode([long])[0])
    parts = -(-pieces // MAX_SENTENCE_LENGTH)
    assert parts > 1 and [row.count(EOS) for row in rows] == [3, parts]
    assert rows[1].index(EOS) <= MAX_SENTENCE_LENGTH and len(rows[1]) == pieces + parts
    labels = FIELDS["label"].encode(["b", "a", "b"], tokenizer, ["a", "b"])
    assert labels.ids.tolist() == [1, 0, 1] and labels.lengths.tolist() == [1, 1, 1]
    with pytest.raises(CorpusError, match="label 'c': no training document has it"):
        FIELDS["label"].encode(["c"], tokenizer, ["a", "b"])


def test_a_name_is_four_ids_whatever_it_is_called() -> None:
    tokenizer = SentencePiece.train(["one two three four five six"] * 9, size=290)
    side, names = FIELDS["name"], ["a.png", "A  ü\u2029/b.png", "x" * 5_000]
    assert [side.clean(name, "NFC") for name in names] == names and side.lines("a.png") == []
    flat = side.encode(names, tokenizer, [])
    assert flat.lengths.tolist() == [4, 4, 4] and flat.ids.dtype == np.uint16
    assert np.array_equal(from_ids(flat.ids.reshape(-1, 4)), hash_texts(names))


def test_a_list_of_texts_is_one_document_and_a_line_break_is_no_new_record(
    tmp_path: Path,
) -> None:
    file = tmp_path / "train.jsonl"
    records = [
        {"parts": ["one two", "three"], "label": "a"},
        {"parts": "four\n\nfive six", "label": "b"},
        {"parts": "seven\neight", "label": "b"},
    ]
    file.write_text("\n".join(map(json.dumps, records)) + "\n")
    settings = PreparationSettings(
        vocabulary=290, fields=("document", "label"), limits=None, dedupe="none"
    )
    found = open_documents(str(file), source="parts", name="train")
    ready = prepare_corpora([found], str(tmp_path / "out"), settings, InProcessRunner())
    (shard,) = ready.shards("train")
    tokenizer, opened = SentencePiece.load(tmp_path / "out"), shard.open()
    documents = [opened.pair(i)[0].tolist() for i in range(shard.pairs)]
    assert [ids.count(EOS) for ids in documents] == [2, 2, 1]
    assert tokenizer.decode(documents[2]) == "seven eight"


def test_a_file_that_is_no_file_of_documents_is_answered_with_what_is() -> None:
    with pytest.raises(CorpusError, match=r"must be a \.tsv file \(label, tab, text\)"):
        open_documents("reviews.txt")

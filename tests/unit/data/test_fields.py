"""The kinds of fields: running text, documents, labels, image names, empty fields."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from regard.data.formats.captions import Captions
from regard.data.formats.corpus import Corpus, TextLines, open_documents
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import BatchOrder, SpecialTokens
from regard.data.loading.shards import PreparedData, from_ids
from regard.data.preparation.fields import FIELDS, MAX_SENTENCE_LENGTH, FieldName, hash_texts
from regard.data.preparation.prepare import PreparationSettings, prepare_corpora
from regard.data.preparation.runner import InProcessRunner, ProcessRunner, Runner
from regard.errors import CorpusError
from regard.text.sentences import split_windows, window_sizes
from regard.text.tokenizer import EOS, SentencePiece
from tests.captioned_images import write_images
from tests.labelled_documents import write_documents
from tests.plain_texts import write_texts

FIELDS_OF: dict[str, tuple[FieldName, FieldName]] = {
    "texts": ("empty", "running_text"),
    "documents": ("document", "label"),
    "captions": ("image_name", "text"),
}
FILES = {"texts": "train.txt", "documents": "train.jsonl", "captions": "shown/train.jsonl"}
OPEN: dict[str, Callable[..., Corpus]] = {
    "texts": TextLines,
    "documents": open_documents,
    "captions": Captions,
}
NO_SPECIAL_TOKENS = SpecialTokens(begin=False, end=False)


@pytest.mark.parametrize("length", [0, 1, 6, 7, 8, 20, 21, 22])
def test_windows_are_few_equal_and_complete(length: int) -> None:
    sizes = window_sizes(length, 7)
    assert sum(sizes) == length and len(sizes) == -(-length // 7)
    assert not sizes or max(sizes) - min(sizes) <= 1
    found = split_windows(range(length), 7)
    assert [item for window in found for item in window] == list(range(length))


def corpus(kind: str, folder: Path, *, compressed: bool) -> Corpus:
    name = FILES[kind]
    path = folder / name
    if compressed:
        path = folder / f"{name}.gz"
        path.write_bytes(gzip.compress((folder / name).read_bytes()))
    return OPEN[kind](str(path), name="train")


def prepared(
    kind: str, folder: Path, out: Path, runner: Runner, *, compressed: bool = False
) -> PreparedData:
    settings = PreparationSettings(
        vocabulary=290,
        fields=FIELDS_OF[kind],
        limits=None,
        dedupe="none",
        held_out=0.1,
        max_length=60,
        shard_pairs=64,
    )
    with runner:
        return prepare_corpora(
            [corpus(kind, folder, compressed=compressed)], str(out), settings, runner
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = write_documents(write_texts(tmp_path_factory.mktemp("corpora")))
    (found / "shown").mkdir()
    write_images(found / "shown")
    return found


@pytest.mark.parametrize("kind", FIELDS_OF)
def test_invariant_11_shards_do_not_depend_on_runner_or_compression(
    kind: str, folder: Path, tmp_path: Path
) -> None:
    in_process = prepared(kind, folder, tmp_path / "a", InProcessRunner())
    processes = prepared(kind, folder, tmp_path / "b", ProcessRunner(2))
    compressed = prepared(kind, folder, tmp_path / "c", InProcessRunner(), compressed=True)
    assert len(in_process.shards("train")) > 2
    for split in ("train", "valid"):
        first, second, third = (
            [(s.pairs, s.tokens, s.checksums) for s in data.shards(split)]
            for data in (in_process, processes, compressed)
        )
        assert first == second == third
    labels = ("bad", "good") if kind == "documents" else ()
    assert in_process.labels == processes.labels == labels


@pytest.mark.parametrize("kind", FIELDS_OF)
def test_invariant_9_two_ranks_read_the_batches_of_one(
    kind: str, folder: Path, tmp_path: Path
) -> None:
    shards = prepared(kind, folder, tmp_path, InProcessRunner()).shards("train")
    special = SpecialTokens(begin=kind == "texts", end=False)
    order = BatchOrder(3, 200, micro_batches=2, source=NO_SPECIAL_TOKENS, target=special)
    single = Loader(shards, order).steps()
    ranks = [Loader(shards, order, rank=rank, world=2).steps() for rank in (0, 1)]
    for _ in range(8):
        step, parts = next(single), [next(rank) for rank in ranks]
        assert [part.next_cursor for part in parts] == [step.next_cursor] * 2
        assert [part.target_tokens for part in parts] == [step.target_tokens] * 2
        for expected, actual in zip(
            step.micro_batches, [part.micro_batches[0] for part in parts], strict=False
        ):
            for side in ("source", "target"):
                a, b = (getattr(micro_batch.batch, side) for micro_batch in (expected, actual))
                assert a.ids.equal(b.ids) and a.lengths.equal(b.lengths)
        tokens = sum(int(m.batch.target.lengths.sum()) for m in step.micro_batches)
        rows = sum(len(m.batch.target.ids) for m in step.micro_batches)
        assert step.target_tokens == tokens - rows * special.count
    for steps in (single, *ranks):
        steps.close()


def test_a_label_is_one_id_and_a_document_its_sentences() -> None:
    tokenizer = SentencePiece.train(["one two three four five six"] * 9, size=290)
    field = FIELDS["document"]
    clean = field.clean("One two.  Three!\u2029\u2029 \u2029\u2029four", "NFC")
    assert field.lines(clean) == ["One two.", "Three!", "four"]
    long = " ".join(["one"] * 300)
    flat = field.encode([clean, long], tokenizer, [])
    rows = flat.ids.tolist()[: int(flat.lengths[0])], flat.ids.tolist()[int(flat.lengths[0]) :]
    pieces = len(tokenizer.encode([long])[0])
    parts = -(-pieces // MAX_SENTENCE_LENGTH)
    assert parts > 1 and [row.count(EOS) for row in rows] == [3, parts]
    assert rows[1].index(EOS) <= MAX_SENTENCE_LENGTH and len(rows[1]) == pieces + parts
    labels = FIELDS["label"].encode(["b", "a", "b"], tokenizer, ["a", "b"])
    assert labels.ids.tolist() == [1, 0, 1] and labels.lengths.tolist() == [1, 1, 1]
    with pytest.raises(CorpusError, match="label 'c' of the validation set"):
        FIELDS["label"].encode(["c"], tokenizer, ["a", "b"])


def test_an_image_name_is_encoded_as_four_ids() -> None:
    tokenizer = SentencePiece.train(["one two three four five six"] * 9, size=290)
    field, names = FIELDS["image_name"], ["a.png", "A  ü\u2029/b.png", "x" * 5_000]
    assert [field.clean(name, "NFC") for name in names] == names and field.lines("a.png") == []
    flat = field.encode(names, tokenizer, [])
    assert flat.lengths.tolist() == [4, 4, 4] and flat.ids.dtype == np.uint16
    assert np.array_equal(from_ids(flat.ids.reshape(-1, 4)), hash_texts(names))


def test_a_document_may_be_a_list_of_texts_or_contain_line_breaks(tmp_path: Path) -> None:
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
    documents_file = open_documents(str(file), source="parts", name="train")
    data = prepare_corpora([documents_file], str(tmp_path / "out"), settings, InProcessRunner())
    (shard,) = data.shards("train")
    tokenizer, opened = SentencePiece.load(tmp_path / "out"), shard.open()
    documents = [opened.pair(i)[0].tolist() for i in range(shard.pairs)]
    assert [ids.count(EOS) for ids in documents] == [2, 2, 1]
    assert tokenizer.decode(documents[2]) == "seven eight"


def test_an_unknown_format_of_documents_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"reviews\.txt: .*\.tsv"):
        open_documents("reviews.txt")


def test_near_duplicates_have_the_same_label(tmp_path: Path) -> None:
    """Punctuation and digits are ignored in documents, but a label may consist of them."""
    labels = ["1", "2", "+", "-", "A", "a"]
    records = [
        {"text": text, "label": one} for one in labels for text in ("Good film.", "good film")
    ]
    path = tmp_path / "reviews.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    settings = PreparationSettings(vocabulary=270, fields=("document", "label"), limits=None)
    data = prepare_corpora(
        [open_documents(str(path), name="train")],
        str(tmp_path / "out"),
        settings,
        InProcessRunner(),
    )
    assert sum(shard.pairs for shard in data.shards("train")) == len(labels)
    assert sorted(data.labels) == sorted(labels)

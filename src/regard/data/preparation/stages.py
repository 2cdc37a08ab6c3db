"""The stages of preparation: pure functions of shards to shards, whoever runs them.

    cut       a corpus            → pieces of so many lines
    clean     a piece             → normalised pairs that pass the filters; their hashes and draws
    dedupe    hashes of all       → the records that repeat another, for one range of hashes
    sample    clean pairs         → lines to learn the vocabulary from
    learn     samples of all      → a tokeniser
    encode    clean pairs         → token shards; what is held out goes beside them
    gather    held-out pairs      → one token shard and its text

How a side is cleaned and encoded depends on what it is (sides.py). A pair's draw is 32 bits of the
hash of its source, of its target where it has none: the held-out share lies at the bottom of them,
the sample at the top. So both are the same whatever the order of the lines, and a source is never
on both sides of the split.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regard.data import storage
from regard.data.filters import Limits, faults
from regard.data.loading.shards import PARTS
from regard.data.preparation import dedupe as duplicates
from regard.data.preparation.cut import CorpusPiece, copy_pieces, cut_text, read_piece_lines
from regard.data.preparation.fields import FIELDS, Field
from regard.data.preparation.tasks import Facts, PreparationTask, Stage, TaskResult, Write, run_task
from regard.errors import ConfigError
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, SentencePiece, Tokenizer
from regard.text.windows import window_sizes

DRAWS = 1 << 32  # how many different draws there are


def cut_corpus(task: PreparationTask, write: Write) -> Facts:
    corpus, lines = task.where["corpus"], task.parameters["lines"]
    if corpus.in_place:
        pieces = cut_text(corpus.paths[0], corpus.paths[-1], lines)
    else:
        pieces = copy_pieces(corpus, lines, task.name, write)
    return {"pieces": [piece.facts() for piece in pieces], "copied": not corpus.in_place}


def clean_piece(task: PreparationTask, write: Write) -> Facts:
    piece = CorpusPiece.of(task.where["piece"])
    if task.where["copied"]:
        piece = piece.under(task.root)
    form, sides = task.parameters["form"], _sides(task)
    sources, targets = (
        [side.clean(line, form) for line in read_piece_lines(span, piece.first_line, piece.lines)]
        for side, span in zip(sides, (piece.source, piece.target), strict=True)
    )
    limits = task.parameters["limits"]
    if limits is not None:
        found = faults(sources, targets, Limits(**limits))
    else:  # a set to validate on is kept whole
        told = [
            texts for side, texts in zip(sides, (sources, targets), strict=True) if side.informative
        ]
        found = [None if all(record) else "empty" for record in zip(*told, strict=True)]
    sources = [text for text, why in zip(sources, found, strict=True) if why is None]
    targets = [text for text, why in zip(targets, found, strict=True) if why is None]
    dropped = Counter(why for why in found if why is not None)

    write(f"{task.name}.source.txt", _joined(sources))
    write(f"{task.name}.target.txt", _joined(targets))
    both = (sources, targets)
    telling = 0 if sides[0].informative else 1  # the side that tells one record from another
    hashes = duplicates.hash_texts(both[telling])
    write(f"{task.name}.draws", (hashes >> np.uint64(32)).astype("<u4").tobytes())
    facts: Facts = {"read": piece.lines, "kept": len(sources), "dropped": dict(dropped)}
    facts["labels"] = sides[1].labels(targets)
    facts["lines"] = max(
        sum(len(side.lines(text)) for text in texts)
        for side, texts in zip(sides, both, strict=True)
    )
    sameness = task.parameters["dedupe"]
    if sameness != "none":
        if sameness == "near":
            halves = [duplicates.hash_plain_forms(texts) for texts in both]
        else:
            other = duplicates.hash_texts(both[1 - telling])
            halves = [other, hashes] if telling else [hashes, other]
        hashes = duplicates.hash_pairs(*halves)
        records, facts["slots"] = duplicates.sorted_records(hashes, task.inputs["first_record"])
        write(f"{task.name}.hashes", records.tobytes())
    return facts


def dedupe_partition(task: PreparationTask, write: Write) -> Facts:
    """Read one range of hashes from every shard, which begin with the records `firsts`."""
    shards = []
    size = duplicates.RECORD.itemsize
    for name, start, stop in task.where["ranges"]:
        raw = storage.read_bytes(task.path(f"{name}.hashes"), start * size, stop * size)
        shards.append(np.frombuffer(raw, duplicates.RECORD))
    again = duplicates.find_repeats(shards)
    write(f"{task.name}.records", again.astype("<u8").tobytes())
    firsts = np.array(task.where["firsts"], np.uint64)
    return {"repeated": len(again), "edges": [*np.searchsorted(again, firsts).tolist(), len(again)]}


def sample_lines(task: PreparationTask, write: Write) -> Facts:
    sources, targets, draws = _kept(task)
    chosen = draws >= DRAWS - task.parameters["share"] * DRAWS
    chosen &= draws >= task.parameters["held_out"] * DRAWS
    lines = [
        line
        for i in np.flatnonzero(chosen).tolist()
        for side, texts in zip(_sides(task), (sources, targets), strict=True)
        for line in side.lines(texts[i])
    ]
    write(f"{task.name}.txt", _joined(lines))
    return {"lines": len(lines)}


def learn_vocabulary(task: PreparationTask, write: Write) -> Facts:
    lines = _sampled([task.path(f"{name}.txt") for name in task.where["samples"]])
    tokenizer = SentencePiece.train(lines, **task.parameters)
    return _write_tokenizer(tokenizer, write)


def adopt_vocabulary(task: PreparationTask, write: Write) -> Facts:
    """Take over a tokeniser that was learnt elsewhere."""
    tokenizer = _load_tokenizer(task.where["tokenizer"])
    if tokenizer.form != task.parameters["form"]:
        raise ConfigError(
            f"form: the tokeniser in {task.where['tokenizer']} normalises by {tokenizer.form}, and "
            f"the settings say {task.parameters['form']}; say {tokenizer.form}"
        )
    return _write_tokenizer(tokenizer, write)


def encode_piece(task: PreparationTask, write: Write) -> Facts:
    """A shard of the pairs to train on, and one of those that are held out, if any are."""
    tokenizer = _tokenizer(task.root, task.inputs["tokenizer"])
    sources, targets, draws = _kept(task)
    sides, labels, longest = _sides(task), task.parameters["labels"], task.parameters["longest"]
    held = draws < task.parameters["held_out"] * DRAWS
    parts = [("train", task.name, ~held)]
    if task.parameters["held_out"]:
        parts.append(("held", task.where["held"], held))
    facts: Facts = {}
    for part, name, chosen in parts:
        rows = np.flatnonzero(chosen).tolist()
        texts = [[side[i] for i in rows] for side in (sources, targets)]
        source, target = (
            side.encode(lines, tokenizer, labels) for side, lines in zip(sides, texts, strict=True)
        )
        lengths = np.stack([source.lengths, target.lengths], axis=1)
        fits = ((lengths <= longest) | [side.continues for side in sides]).all(axis=1)
        ids = [flat.ids[np.repeat(fits, flat.lengths)] for flat in (source, target)]
        write(f"{name}.source", ids[0].tobytes())
        write(f"{name}.target", ids[1].tobytes())
        records = _gone_on(lengths[fits], longest)
        write(f"{name}.lengths", records.astype("<u2").tobytes())
        if part == "held":  # their text is what translations will be compared with
            for side, lines in zip(("source", "target"), texts, strict=True):
                fitting = [line for line, fit in zip(lines, fits, strict=True) if fit]
                write(f"{name}.{side}.txt", _joined(fitting))
        facts[part] = {
            "pairs": len(records),
            "tokens": [len(ids[0]), len(ids[1])],
            "too many pieces": int((~fits).sum()),
        }
    return facts


def gather_shard(task: PreparationTask, write: Write) -> Facts:
    """Put the held-out parts of all shards one after the other: they are few."""
    for part in (*PARTS, "source.txt", "target.txt"):
        parts = [storage.read_bytes(task.path(f"{name}.{part}")) for name in task.where["parts"]]
        write(f"{task.name}.{part}", b"".join(parts))
    return {}


STAGES: dict[str, Stage] = {
    "cut": cut_corpus,
    "clean": clean_piece,
    "dedupe": dedupe_partition,
    "sample": sample_lines,
    "learn": learn_vocabulary,
    "adopt": adopt_vocabulary,
    "encode": encode_piece,
    "gather": gather_shard,
}


def run_stage(task: PreparationTask) -> TaskResult:
    """What runners run: the task's stage, unless it was done before."""
    return run_task(task, STAGES[task.stage])


def _sides(task: PreparationTask) -> list[Field]:
    return [FIELDS[name] for name in task.parameters["sides"]]


def _gone_on(lengths: NDArray[np.uint32], longest: int) -> NDArray[np.uint32]:
    """Where a target is too long and may go on, the records that it makes; beside it is nothing."""
    if (lengths <= longest).all():
        return lengths
    parts = [size for length in lengths[:, 1].tolist() for size in window_sizes(length, longest)]
    return np.stack([np.zeros_like(parts), parts], axis=1).astype(np.uint32)


def _kept(task: PreparationTask) -> tuple[list[str], list[str], NDArray[np.uint32]]:
    """The clean pairs of a piece that repeat no other, and their draws."""
    name = task.where["clean"]
    draws = np.frombuffer(storage.read_bytes(task.path(f"{name}.draws")), "<u4")
    sources, targets = (
        _split(storage.read_bytes(task.path(f"{name}.{side}.txt"))) for side in ("source", "target")
    )
    keep = np.ones(len(draws), bool)
    for repeats, start, stop in task.where["repeats"]:
        raw = storage.read_bytes(task.path(f"{repeats}.records"), start * 8, stop * 8)
        keep[np.frombuffer(raw, "<u8") - np.uint64(task.where["first_record"])] = False
    if keep.all():
        return sources, targets, draws
    rows = np.flatnonzero(keep).tolist()
    return [sources[i] for i in rows], [targets[i] for i in rows], draws[keep]


def _sampled(paths: list[str]) -> Iterator[str]:
    for path in paths:
        yield from _split(storage.read_bytes(path))


def _joined(lines: list[str]) -> bytes:
    return "".join([f"{line}\n" for line in lines]).encode()


def _split(content: bytes) -> list[str]:
    lines = content.decode().split("\n")
    lines.pop()  # nothing stands after the last line break
    return lines


def _write_tokenizer(tokenizer: Tokenizer, write: Write) -> Facts:
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save(Path(folder))
        for name in (MODEL_FILE, SETTINGS_FILE):
            write(name, (Path(folder) / name).read_bytes())
    dtype = np.dtype(tokenizer.dtype).name
    return {"fingerprint": tokenizer.fingerprint, "size": tokenizer.size, "dtype": dtype}


@lru_cache(maxsize=1)
def _tokenizer(folder: str, fingerprint: str) -> Tokenizer:
    """The tokeniser in a folder; the fingerprint tells it from one that was there before."""
    return _load_tokenizer(folder)


def _load_tokenizer(folder: str) -> Tokenizer:
    if not storage.is_remote(folder):
        return SentencePiece.load(Path(folder))
    with tempfile.TemporaryDirectory() as copy:
        for name in (MODEL_FILE, SETTINGS_FILE):
            (Path(copy) / name).write_bytes(storage.read_bytes(storage.join_path(folder, name)))
        return SentencePiece.load(Path(copy))

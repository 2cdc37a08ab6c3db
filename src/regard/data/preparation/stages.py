"""The stages of preparation: pure functions from files to files.

    cut       a corpus            → pieces of a fixed number of lines
    clean     a piece             → normalized pairs that pass the filters; their hashes and draws
    dedupe    all hashes          → the repeated records in one range of hashes
    sample    clean pairs         → lines to train the tokenizer on
    learn     all samples         → a tokenizer, or one for each side
    import    a tokenizer         → a copy of it
    encode    clean pairs         → token shards of training and held-out pairs
    gather    held-out pairs      → one token shard and its text

How a field is cleaned and encoded depends on its kind (fields.py). The draw of a pair is 32 bits of
the hash of its source, or of its target if the source is empty. The pairs with the lowest draws are
held out; those with the highest are the sample. Both are independent of the order of the lines, and
a source is never in both splits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from regard.data import storage
from regard.data.filters import Limits, drop_reasons
from regard.data.loading.shards import PARTS, load_tokenizers
from regard.data.preparation import fields as duplicates
from regard.data.preparation.cut import CorpusPiece, copy_pieces, cut_text, read_piece_lines
from regard.data.preparation.fields import FIELDS, Field
from regard.data.preparation.runner import (
    Facts,
    PreparationTask,
    Share,
    Stage,
    TaskResult,
    Write,
    run_task,
)
from regard.errors import ConfigError
from regard.text.sentences import window_sizes
from regard.text.tagged_tokenizer import TARGET, joint_fingerprint, tokenizer_files, with_tags
from regard.text.tokenizer import SentencePiece, Tokenizer

DRAWS = 1 << 32  # number of different draws


def cut_corpus(task: PreparationTask, write: Write) -> Facts:
    corpus, lines = task.locations["corpus"], task.parameters["lines"]
    if corpus.in_place:
        pieces = cut_text(corpus.paths[0], corpus.paths[-1], lines)
    else:
        share = Share(*task.parameters.get("share", (1, 1)))
        pieces = copy_pieces(corpus, lines, task.name, write, share)
    return {"pieces": [piece.to_json() for piece in pieces], "copied": not corpus.in_place}


def clean_piece(task: PreparationTask, write: Write) -> Facts:
    piece = CorpusPiece.from_json(task.locations["piece"])
    if task.locations["copied"]:
        piece = piece.under(task.root)
    form, fields = task.parameters["form"], _fields(task)
    sources, targets = (
        [field.clean(line, form) for line in read_piece_lines(span, piece.first_line, piece.lines)]
        for field, span in zip(fields, (piece.source, piece.target), strict=True)
    )
    reasons = _reasons_to_drop(task, sources, targets)
    sources = [text for text, reason in zip(sources, reasons, strict=True) if reason is None]
    targets = [text for text, reason in zip(targets, reasons, strict=True) if reason is None]
    dropped = Counter(reason for reason in reasons if reason is not None)

    write(f"{task.name}.source.txt", _joined(sources))
    write(f"{task.name}.target.txt", _joined(targets))
    both = (sources, targets)
    key = 0 if fields[0].informative else 1  # the side that identifies a record
    hashes = duplicates.hash_texts(both[key])
    write(f"{task.name}.draws", (hashes >> np.uint64(32)).astype("<u4").tobytes())
    facts: Facts = {"read": piece.lines, "kept": len(sources), "dropped": dict(dropped)}
    facts["labels"] = fields[1].labels(targets)
    facts["lines"] = max(
        sum(len(field.lines(text)) for text in texts)
        for field, texts in zip(fields, both, strict=True)
    )
    if task.parameters["dedupe"] != "none":
        hashes = _hash_records(task, sources, targets)
        records, facts["slots"] = duplicates.sorted_records(hashes, task.inputs["first_record"])
        write(f"{task.name}.hashes", records.tobytes())
    return facts


def _reasons_to_drop(
    task: PreparationTask, sources: list[str], targets: list[str]
) -> list[str | None]:
    """Why each record is left out; None: it stays."""
    limits = task.parameters["limits"]
    if limits is not None:
        return drop_reasons(sources, targets, Limits(**limits))
    informative = [
        texts
        for field, texts in zip(_fields(task), (sources, targets), strict=True)
        if field.informative
    ]
    return [None if all(record) else "empty" for record in zip(*informative, strict=True)]


def _hash_records(
    task: PreparationTask, sources: list[str], targets: list[str]
) -> NDArray[np.uint64]:
    """The hashes by which records are duplicates of each other."""
    is_near = task.parameters["dedupe"] == "near"
    tagged = _tagged(sources, task.parameters.get("tags", ()))
    halves = [
        duplicates.hash_plain_forms(texts)
        if is_near and field.has_near_duplicates
        else duplicates.hash_texts(texts)
        for field, texts in zip(_fields(task), (tagged, targets), strict=True)
    ]
    return duplicates.hash_pairs(*halves)


def dedupe_partition(task: PreparationTask, write: Write) -> Facts:
    """Find repeated records in one range of hashes; `firsts` are the first records of shards."""
    shards = []
    size = duplicates.RECORD.itemsize
    for name, start, stop in task.locations["ranges"]:
        raw = storage.read_bytes(task.path(f"{name}.hashes"), start * size, stop * size)
        shards.append(np.frombuffer(raw, duplicates.RECORD))
    repeats = duplicates.find_repeats(shards)
    write(f"{task.name}.records", repeats.astype("<u8").tobytes())
    firsts = np.array(task.locations["firsts"], np.uint64)
    edges = [*np.searchsorted(repeats, firsts).tolist(), len(repeats)]
    return {"repeated": len(repeats), "edges": edges}


def sample_lines(task: PreparationTask, write: Write) -> Facts:
    sources, targets, draws = _kept(task)
    chosen = draws >= DRAWS - task.parameters["share"] * DRAWS
    chosen &= draws >= task.parameters["held_out"] * DRAWS
    sides = list(zip(_fields(task), (sources, targets), strict=True))
    separate = task.parameters.get("separate", False)
    files = {"source.txt": sides[:1], "target.txt": sides[1:]} if separate else {"txt": sides}
    facts: Facts = {"lines": 0}
    for suffix, group in files.items():
        lines = [
            line
            for i in np.flatnonzero(chosen).tolist()
            for field, texts in group
            for line in field.lines(texts[i])
        ]
        write(f"{task.name}.{suffix}", _joined(lines))
        facts["lines"] += len(lines)
    return facts


def train_tokenizers(task: PreparationTask, write: Write) -> Facts:
    """Train one tokenizer; with `target_size`, one for sources and one for targets."""
    parameters = dict(task.parameters)
    target_size = parameters.pop("target_size", None)
    if target_size is None:
        tokenizer = SentencePiece.train(_read_samples(task, "txt"), **parameters)
        return _write_tokenizers(tokenizer, tokenizer, task, write)
    source = SentencePiece.train(_read_samples(task, "source.txt"), **parameters)
    parameters |= {"size": target_size, "tags": ()}  # tags begin sources
    target = SentencePiece.train(_read_samples(task, "target.txt"), **parameters)
    return _write_tokenizers(source, target, task, write)


def import_tokenizer(task: PreparationTask, write: Write) -> Facts:
    """Copy an existing tokenizer, or those of source and target."""
    tokenizer, target_tokenizer = load_tokenizers(task.locations["tokenizer"])
    if tokenizer.form != task.parameters["form"]:
        raise ConfigError(
            f"form: the tokenizer in {task.locations['tokenizer']} uses {tokenizer.form}, but the "
            f"settings use {task.parameters['form']}. Set form to {tokenizer.form}."
        )
    return _write_tokenizers(tokenizer, target_tokenizer, task, write)


def encode_piece(task: PreparationTask, write: Write) -> Facts:
    """Write a shard of training pairs, and one of held-out pairs if there are any."""
    tokenizer, target_tokenizer = _tokenizers(task.root, task.inputs["tokenizer"])
    tokenizers = (with_tags(tokenizer, task.parameters.get("tags", ())), target_tokenizer)
    sources, targets, draws = _kept(task)
    fields, labels = _fields(task), task.parameters["labels"]
    max_length = task.parameters["max_length"]
    held = draws < task.parameters["held_out"] * DRAWS
    parts = [("train", task.name, ~held)]
    if task.parameters["held_out"]:
        parts.append(("held", task.locations["held"], held))
    facts: Facts = {}
    for part, name, chosen in parts:
        rows = np.flatnonzero(chosen).tolist()
        texts = [[side[i] for i in rows] for side in (sources, targets)]
        source, target = (
            field.encode(lines, tokenizer, labels)
            for field, lines, tokenizer in zip(fields, texts, tokenizers, strict=True)
        )
        lengths = np.stack([source.lengths, target.lengths], axis=1)
        fits = ((lengths <= max_length) | [field.continues for field in fields]).all(axis=1)
        dtype = np.result_type(source.ids, target.ids)
        ids = [
            flat.ids[np.repeat(fits, flat.lengths)].astype(dtype, copy=False)
            for flat in (source, target)
        ]
        write(f"{name}.source", ids[0].tobytes())
        write(f"{name}.target", ids[1].tobytes())
        records = _split_records(lengths[fits], max_length)
        write(f"{name}.lengths", records.astype("<u2").tobytes())
        if part == "held":  # the references of the validation set
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
    """Concatenate the held-out parts of all shards."""
    for part in (*PARTS, "source.txt", "target.txt"):
        parts = [
            storage.read_bytes(task.path(f"{name}.{part}")) for name in task.locations["parts"]
        ]
        write(f"{task.name}.{part}", b"".join(parts))
    return {}


STAGES: dict[str, Stage] = {
    "cut": cut_corpus,
    "clean": clean_piece,
    "dedupe": dedupe_partition,
    "sample": sample_lines,
    "learn": train_tokenizers,
    "import": import_tokenizer,
    "encode": encode_piece,
    "gather": gather_shard,
}


def run_stage(task: PreparationTask) -> TaskResult:
    """Run the stage of a task, unless it is done already."""
    return run_task(task, STAGES[task.stage])


def _fields(task: PreparationTask) -> list[Field]:
    return [FIELDS[name] for name in task.parameters["fields"]]


def _split_records(lengths: NDArray[np.uint32], max_length: int) -> NDArray[np.uint32]:
    """Split targets that are too long into several records with empty sources."""
    if (lengths <= max_length).all():
        return lengths
    parts = [size for length in lengths[:, 1].tolist() for size in window_sizes(length, max_length)]
    return np.stack([np.zeros_like(parts), parts], axis=1).astype(np.uint32)


def _kept(task: PreparationTask) -> tuple[list[str], list[str], NDArray[np.uint32]]:
    """Return the clean pairs of a piece without repeated ones, and their draws."""
    name = task.locations["clean"]
    draws = np.frombuffer(storage.read_bytes(task.path(f"{name}.draws")), "<u4")
    sources, targets = (
        _split(storage.read_bytes(task.path(f"{name}.{side}.txt"))) for side in ("source", "target")
    )
    keep = np.ones(len(draws), bool)
    for repeats, start, stop in task.locations["repeats"]:
        raw = storage.read_bytes(task.path(f"{repeats}.records"), start * 8, stop * 8)
        keep[np.frombuffer(raw, "<u8") - np.uint64(task.locations["first_record"])] = False
    if keep.all():
        return sources, targets, draws
    rows = np.flatnonzero(keep).tolist()
    return [sources[i] for i in rows], [targets[i] for i in rows], draws[keep]


def _read_samples(task: PreparationTask, suffix: str) -> Iterator[str]:
    for name in task.locations["samples"]:
        yield from _split(storage.read_bytes(task.path(f"{name}.{suffix}")))


def _tagged(sources: list[str], tags: Sequence[str]) -> list[str]:
    """Return the sources with their tags: with another tag a pair is no duplicate."""
    return [" ".join((*tags, source)) for source in sources] if tags else sources


def _joined(lines: list[str]) -> bytes:
    return "".join([f"{line}\n" for line in lines]).encode()


def _split(content: bytes) -> list[str]:
    lines = content.decode().split("\n")
    lines.pop()  # the empty string after the last line break
    return lines


def _write_tokenizers(
    source: Tokenizer, target: Tokenizer, task: PreparationTask, write: Write
) -> Facts:
    files = tokenizer_files(source, target)
    for name in source.files(TARGET).keys() - files.keys():
        storage.remove_file(task.path(name))  # of earlier data with separate tokenizers
    for name, content in files.items():
        write(name, content)
    facts: Facts = {
        "fingerprint": joint_fingerprint(source, target),
        "size": source.size,
        "dtype": np.result_type(source.dtype, target.dtype).name,
    }
    return facts if source.size == target.size else facts | {"target_size": target.size}


@lru_cache(maxsize=1)
def _tokenizers(folder: str, fingerprint: str) -> tuple[Tokenizer, Tokenizer]:
    """Load tokenizers; `fingerprint` is part of the cache key."""
    return load_tokenizers(folder)

"""From corpora to token shards, and the manifest over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from regard.data import storage
from regard.data.formats.corpus import Corpus
from regard.data.loading.shards import FORMAT, MANIFEST, PARTS, PreparedData
from regard.data.preparation.pipeline import (
    CleanPiece,
    EncodedPiece,
    Pipeline,
    PreparationSettings,
    ProgressCallback,
    StageProgress,
)
from regard.data.preparation.runner import Runner
from regard.data.preparation.tasks import VERSION, Facts, TaskResult, dump_json
from regard.errors import ConfigError, CorpusError

__all__ = ["PreparationSettings", "ProgressCallback", "StageProgress", "prepare_corpora"]


def prepare_corpora(
    corpora: Sequence[Corpus],
    out: str,
    settings: PreparationSettings,
    runner: Runner,
    *,
    valid: Sequence[Corpus] = (),  # made the split `valid` whole; only empty pairs are dropped
    tell: ProgressCallback = lambda progress: None,
) -> PreparedData:
    names = [corpus.name for corpus in (*corpora, *valid)]
    if len(set(names)) < len(names):
        raise CorpusError(f"corpora must have different names, not {', '.join(names)}")
    if valid and settings.held_out:
        raise ConfigError("held_out: the split `valid` is given by files already; leave one of them")
    work = Pipeline(out, settings, runner, tell)
    limits = None if settings.limits is None else asdict(settings.limits)
    train = work.clean(corpora, "train", limits, settings.dedupe)
    checks = work.clean(valid, "valid", None, "none")
    repeats = work.dedupe(train)
    tokenizer = work.tokenizer(train, repeats)
    labels = work.labels(train)
    shards = work.encode(train, repeats, tokenizer, labels)
    splits = {"train": [_entry(shard, repeats) for shard in shards]}
    if settings.held_out:
        splits["valid"] = [work.gather(shards)]
    if valid:
        encoded = work.encode(checks, [], tokenizer, labels)
        splits["valid"] = [_entry(shard, []) for shard in encoded]
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "dtype": tokenizer.facts["dtype"],
        "vocabulary": tokenizer.facts["size"],
        "tokenizer": tokenizer.facts["fingerprint"],
        "settings": asdict(settings),
        "labels": labels,
        "rows": _rows(train, repeats, shards),
        "splits": splits,
    }
    storage.write_bytes(storage.join_path(out, MANIFEST), dump_json(manifest))
    return PreparedData.open(out)


def _entry(shard: EncodedPiece, repeats: Sequence[TaskResult]) -> Facts:
    name, piece = shard.done.name, shard.clean
    edges = [done.facts["edges"][piece.number : piece.number + 2] for done in repeats]
    return {
        "name": name,
        "origin": piece.origin,
        "read": piece.done.facts["read"],
        "dropped": {
            **piece.done.facts["dropped"],
            "repeated": sum(stop - start for start, stop in edges),
            "too many pieces": shard.done.facts["train"]["too many pieces"],
        },
        "corpus": shard.clean.corpus,
        "pairs": shard.done.facts["train"]["pairs"],
        "tokens": shard.done.facts["train"]["tokens"],
        "sha256": {kind: shard.done.outputs[f"{name}.{kind}"] for kind in PARTS},
    }


def _rows(
    pieces: Sequence[CleanPiece], repeats: Sequence[TaskResult], shards: Sequence[EncodedPiece]
) -> Facts:
    """How many pairs came in, why some went, and how many are left."""
    dropped: Counter[str] = Counter()
    for piece in pieces:
        dropped.update(piece.done.facts["dropped"])
    dropped["repeated"] = sum(done.facts["repeated"] for done in repeats)
    parts = [part for shard in shards for part in shard.done.facts.values()]
    dropped["too many pieces"] = sum(part["too many pieces"] for part in parts)
    return {
        "read": sum(piece.done.facts["read"] for piece in pieces),
        "dropped": dict(dropped),
        "train": sum(shard.done.facts["train"]["pairs"] for shard in shards),
        "held out": sum(shard.done.facts.get("held", {"pairs": 0})["pairs"] for shard in shards),
    }

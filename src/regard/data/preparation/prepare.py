"""Prepare corpora: write token shards and their manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from regard.data import storage
from regard.data.directory_lock import lock_directory
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
    valid: Sequence[Corpus] = (),
    on_progress: ProgressCallback = lambda progress: None,
) -> PreparedData:
    """Prepare training corpora in the directory or URL `out`.

    `valid` becomes the split `valid`; only its empty pairs are dropped. Tasks that an earlier run
    completed with the same inputs and parameters are not run again.
    """
    names = [corpus.name for corpus in (*corpora, *valid)]
    if len(set(names)) < len(names):
        raise CorpusError(f"Corpora must have different names, not {', '.join(names)}.")
    if valid and settings.held_out:
        raise ConfigError(
            "held_out and validation files cannot be combined. Use one of them for validation."
        )
    with lock_directory(out):
        storage.remove_temporary(out)  # of a run that was killed
        manifest = _run_pipeline(Pipeline(out, settings, runner, on_progress), corpora, valid)
        storage.write_bytes(storage.join_path(out, MANIFEST), dump_json(manifest))
        storage.remove_temporary(out)  # of workers that were killed and replaced
    return PreparedData.open(out)


def _run_pipeline(pipeline: Pipeline, corpora: Sequence[Corpus], valid: Sequence[Corpus]) -> Facts:
    """Run all stages and return the manifest."""
    settings = pipeline.settings
    limits = None if settings.limits is None else asdict(settings.limits)
    train = pipeline.clean(corpora, "train", limits, settings.dedupe)
    if not any(piece.done.facts["kept"] for piece in train):
        raise CorpusError(_no_pairs(corpora, train))
    valid_pieces = pipeline.clean(valid, "valid", None, "none")
    repeats = pipeline.dedupe(train)
    tokenizer = pipeline.tokenizer(train, repeats)
    labels = pipeline.labels(train)
    shards = pipeline.encode(train, repeats, tokenizer, labels)
    splits = {"train": [_entry(shard, repeats) for shard in shards]}
    if settings.held_out:
        splits["valid"] = [pipeline.gather(shards)]
    if valid:
        encoded = pipeline.encode(valid_pieces, [], tokenizer, labels)
        splits["valid"] = [_entry(shard, []) for shard in encoded]
    return {
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
    """Return the numbers of pairs read, dropped (by reason) and kept."""
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


def _no_pairs(corpora: Sequence[Corpus], pieces: Sequence[CleanPiece]) -> str:
    names = ", ".join(path for corpus in corpora for path in corpus.paths)
    rows = _rows(pieces, [], [])
    if not rows["read"]:
        return f"{names}: no records. Check that these are the right files."
    reasons = ", ".join(f"{name}: {count:,}" for name, count in rows["dropped"].items() if count)
    return (
        f"{names}: none of the {rows['read']:,} records passes the filters ({reasons}). Check the "
        "files with `regard doctor`."
    )

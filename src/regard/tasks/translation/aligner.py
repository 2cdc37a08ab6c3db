"""The word aligner of a translation model, trained on the pairs of the model."""

from __future__ import annotations

import json
import time

from regard.align.aligner_training import train_aligner
from regard.align.chunks import prepared_readers
from regard.align.word_aligner import ALIGNER_FILE, WordAligner
from regard.data import storage
from regard.data.loading.shards import PreparedData, shards_fingerprint
from regard.data.ownership import WORK, claim, remove_created
from regard.data.preparation.prepare import ProgressCallback
from regard.data.preparation.runner import InProcessRunner
from regard.errors import CorpusError
from regard.train.dry_run import process_peak
from regard.train.events import format_duration

COST_FILE = "aligner.json"  # not in the aligner itself, whose bytes depend on the pairs alone


def prepare_aligner(
    prepared: PreparedData, tokenizer: str | None, on_progress: ProgressCallback
) -> None:
    """Train an aligner on the training pairs, into their directory, unless it is there already.

    `tokenizer`: the directory of the tokenizer, of a run that does not train one. If it is a bundle
    whose aligner was trained on more pairs, that aligner is copied.
    """
    fingerprint = shards_fingerprint(prepared.shards("train"))
    path = storage.join_path(prepared.root, ALIGNER_FILE)
    if read_prepared_aligner(prepared) is not None:
        return
    pairs = sum(shard.pairs for shard in prepared.shards("train"))
    given = None if tokenizer is None else storage.join_path(tokenizer, ALIGNER_FILE)
    if given is not None and storage.path_exists(given):
        larger = WordAligner.from_bytes(storage.read_bytes(given), given)
        if larger.facts["pairs"] > pairs:
            larger.facts["data"] = fingerprint
            storage.write_bytes(path, larger.to_bytes())
            return
    work = storage.join_path(prepared.root, "work/aligner")
    claim(work, WORK)
    began = time.monotonic()
    try:
        aligner = train_aligner(
            prepared_readers(prepared), work, InProcessRunner(), on_progress=on_progress
        )
    except CorpusError:
        return  # pairs without words: there is nothing to align
    aligner.facts["data"] = fingerprint
    storage.write_bytes(path, aligner.to_bytes())
    cost = {"pairs": pairs, "seconds": time.monotonic() - began, "peak_bytes": process_peak()}
    storage.write_bytes(storage.join_path(prepared.root, COST_FILE), json.dumps(cost).encode())
    remove_created(work, WORK)


def aligner_cost(prepared: PreparedData) -> str | None:
    """Describe what training the aligner took; None if it was not trained."""
    path = storage.join_path(prepared.root, COST_FILE)
    if not storage.path_exists(path):
        return None
    cost = json.loads(storage.read_bytes(path))
    return (
        f"{cost['pairs']:,} pairs in {format_duration(cost['seconds'])}, "
        f"at most {cost['peak_bytes'] / 1e9:.2f} GB"
    )


def read_prepared_aligner(prepared: PreparedData) -> WordAligner | None:
    """Read the aligner of prepared data; None if none was trained on these pairs."""
    path = storage.join_path(prepared.root, ALIGNER_FILE)
    if not storage.path_exists(path):
        return None
    aligner = WordAligner.from_bytes(storage.read_bytes(path), path)
    is_current = aligner.facts.get("data") == shards_fingerprint(prepared.shards("train"))
    return aligner if is_current else None  # of earlier pairs, after an error

"""Align a corpus with a word aligner: one idempotent task for each chunk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from regard.align.chunks import PairReader
from regard.align.hmm import Matrix
from regard.align.links import write_links
from regard.align.word_aligner import WordAligner, to_links
from regard.data import storage
from regard.data.preparation.pipeline import ProgressCallback, run_tasks
from regard.data.preparation.runner import Runner
from regard.data.preparation.tasks import Facts, PreparationTask, TaskResult, Write, run_task
from regard.text.tokenizer import Span
from regard.text.words import split_at_spaces, split_words

BATCH = 1_000  # pairs that are aligned at once


def align_corpus(
    aligner: Path,
    readers: Sequence[PairReader],
    work: str,
    runner: Runner,
    *,
    pretokenized: bool = False,
    as_json: bool = False,
    on_progress: ProgressCallback = lambda progress: None,
) -> Iterator[str]:
    """Yield the lines of all chunks in order: links of each pair, or JSON objects.

    Args:
        aligner: file of the word aligner.
        readers: the chunks of the corpus.
        work: directory for the results of the chunks.
    """
    inputs = {"aligner": hashlib.sha256(aligner.read_bytes()).hexdigest()}
    parameters = {"pretokenized": pretokenized, "json": as_json}
    tasks = [
        PreparationTask("align links", work, f"links-{n:05}", inputs | reader.identity, parameters,
                        {"reader": reader, "aligner": aligner})
        for n, reader in enumerate(readers)
    ]  # fmt: skip
    for done in run_tasks("align", _run, tasks, runner, 0, on_progress):
        content = storage.read_bytes(storage.join_path(work, f"{done.name}.txt")).decode()
        yield from content.splitlines(keepends=True)


def _run(task: PreparationTask) -> TaskResult:
    return run_task(task, align_chunk)


def align_chunk(task: PreparationTask, write: Write) -> Facts:
    aligner = WordAligner.load(task.where["aligner"])
    split = split_at_spaces if task.parameters["pretokenized"] else split_words
    sources, targets = task.where["reader"].read()
    lines = []
    for start in range(0, len(sources), BATCH):
        texts = list(
            zip(sources[start : start + BATCH], targets[start : start + BATCH], strict=True)
        )
        spans = [(split(source), split(target)) for source, target in texts]
        words = [
            (_words(source, one), _words(target, other))
            for (source, target), (one, other) in zip(texts, spans, strict=True)
        ]
        for (one, other), matrix in zip(spans, aligner.posteriors(words), strict=True):
            if task.parameters["json"]:
                lines.append(json.dumps(alignment_json(one, other, matrix)))
            else:
                lines.append(write_links(to_links(matrix)))
    write(f"{task.name}.txt", "".join(f"{line}\n" for line in lines).encode())
    return {"pairs": len(lines)}


def alignment_json(
    source: Sequence[Span], target: Sequence[Span], matrix: Matrix
) -> dict[str, Any]:
    """Links, their probabilities, and the character offsets of words, as JSON values."""
    links = to_links(matrix)
    return {
        "links": write_links(links),
        "source_words": source,
        "target_words": target,
        "probabilities": [round(float(matrix[link]), 4) for link in sorted(links)],
    }


def _words(text: str, spans: Sequence[Span]) -> list[str]:
    return [text[start:end].lower() for start, end in spans]

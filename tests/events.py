"""The events of a small run, without a model."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from regard.train.events import (
    CheckpointSaved,
    Event,
    RolledBack,
    SampleAttention,
    Scores,
    StepCompleted,
    TrainingEnded,
    TrainingStarted,
    ValidationCompleted,
    ValidationSample,
)

OUTPUT_PIECES = ("▁ein", "▁Hund", "▁schläf", "t", "</s>")
SOURCE_PIECES = ("▁a", "▁dog", "▁sleeps", "</s>")


def step_completed(step: int, loss: float = 3.0) -> StepCompleted:
    return StepCompleted(
        step, step // 10, loss, {"nll": loss - 0.5}, 1e-3 * step, 0.7, 4000, 0.5, 0.001
    )


def scores(bleu: float, step: int = 0) -> Scores:
    weights = torch.eye(5, 4).mul(step / 10).softmax(dim=-1)  # sharper at later steps
    heads = (
        SampleAttention("decoder.attention 0", weights),
        SampleAttention("decoder.attention 1", weights.flip(1)),
    )
    sample = ValidationSample(
        "a dog sleeps", "ein Hund schläft", "ein Hund schläft", SOURCE_PIECES, OUTPUT_PIECES, heads
    )
    return Scores({"bleu": bleu, "chrf": 2 * bleu, "nll": 1.5}, {"bleu": "nrefs:1"}, (sample,))


def validation_completed(step: int, bleu: float, *, improved: bool = True) -> ValidationCompleted:
    return ValidationCompleted(step, step // 10, scores(bleu, step), "bleu", improved, 3, 2.0)


def run(last: int, *, after: int | None = None, validate: int = 10) -> Iterator[Event]:
    """Yield the events of a run, from its start or from the checkpoint of step `after`."""
    plan = {"model": "transformer, 2,350,000 parameters", "steps": f"{last}"}
    if after is None:
        yield CheckpointSaved(0, "checkpoints/0", 0.1)
    yield TrainingStarted(after or 0, last, 100_000, plan)
    for step in range((after or 0) + 1, last + 1):
        yield step_completed(step, 5.0 - 4 * step / last)
        if step % validate == 0:
            yield validation_completed(step, 30.0 * step / last)
            yield CheckpointSaved(step, f"checkpoints/{step}", 0.1)
    yield TrainingEnded(last, "all steps completed", last, scores(30.0, last))


def rolled_back(step: int, diverged_at: int) -> RolledBack:
    return RolledBack(step, diverged_at, "the loss is not a number", 0.5)

"""Captioning: pictures and sentences in, a model that says what is seen in a picture."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from regard.attention import Attention
from regard.batch import Batch, Grids, Images
from regard.data.batches.loader import Loader
from regard.data.batches.pictures import Pictures, from_ids
from regard.data.batches.pool import Marks
from regard.data.batches.shards import Prepared
from regard.data.captions import Captioned
from regard.errors import SpecError
from regard.evaluate.scores import score
from regard.explain.reread import looks_at_source, reread_regions
from regard.models import EncoderDecoder
from regard.spec.run import Run
from regard.tasks.captions.captioner import (
    TOGETHER,
    Captioner,
    Known,
    build_model,
    captioner_of,
    to_source,
)
from regard.tasks.stream import shifted, stream_of
from regard.text.tokenizer import SentencePiece
from regard.train.objective import CrossEntropy, DoublyStochastic, Loss, Reinforce
from regard.train.report import Look, Sample, Scores
from regard.train.task import Task

MOST_VALIDATED = 1_000  # pictures: enough to tell models apart, few enough to describe every time
SAMPLES = 3  # of them are shown, with where the model looked


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Pictures to validate on, by the hashes of their names, and what is said of each."""

    hashes: NDArray[np.uint64]
    captions: tuple[tuple[str, ...], ...]
    named: tuple[Captioned, ...] = ()  # the same with the places of things, where these are known


class Captioning(Task[Batch]):
    """p(y | picture), taught by captions; how good it is, is found by describing pictures."""

    model: EncoderDecoder[Any, Any]

    def __init__(
        self,
        run: Run,
        prepared: Prepared,
        tokenizer: SentencePiece,
        pictures: Pictures,
        valid: Shown,
    ) -> None:
        super().__init__()
        self.run, self.prepared, self.tokenizer = run, prepared, tokenizer
        self.pictures, self.valid = pictures, valid
        torch.manual_seed(run.train.seed)
        self.model = build_model(run, prepared.vocabulary)
        chooses = any(look.attention.weighing.kind == "hard" for look in run.model.looks())
        self.objective = (Reinforce if chooses else CrossEntropy)(run.train.smoothing)
        self.covering = _covering(self.model, run.train.coverage)
        shards = prepared.shards("train")
        self.known = Known(max(int(shard.open().lengths[:, 1].max()) for shard in shards))
        self.epoch_tokens = sum(shard.tokens[1] + shard.pairs for shard in shards)
        self.facts = {
            "data": f"{sum(shard.pairs for shard in shards):,} captions, {self.epoch_tokens:,} "
            f"tokens an epoch; {len(valid.captions):,} pictures to validate on"
        }

    def forward(self, batch: Batch) -> Loss:
        said, meant = shifted(batch.target)
        source = self._pictures(from_ids(batch.source.ids.cpu().numpy())).to(said.device)
        with ExitStack() as listening:
            for covered in self.covering:
                listening.enter_context(covered.listening())
            decoded = self.model(source, said)
        loss = self.objective(decoded, self.model.readout, meant)
        if not self.covering:
            return loss
        left = torch.stack([covered.loss(meant) for covered in self.covering]).sum()
        return loss.plus("coverage", left)

    def stream(self, rank: int, world: int) -> Loader:
        bare = Marks(begin=False, end=False)  # a name is no sentence
        return stream_of(self.run, self.prepared, rank, world, source=bare)

    def validate(self) -> Scores:
        captioner, outputs, logps = self.captioner(self.model), [], []
        for start in range(0, len(self.valid.captions), TOGETHER):
            some = slice(start, start + TOGETHER)
            source = self._pictures(self.valid.hashes[some])
            found = captioner.say(source)
            outputs += [self.tokenizer.decode(best.tokens) for best, *_ in found]
            first = self.tokenizer.encode([said[0] for said in self.valid.captions[some]])
            readings = reread_regions(self.model, source, first, ())
            logps += [logp for reading in readings for logp in reading.logps]
        samples = tuple(self._sample(i, output) for i, output in enumerate(outputs[:SAMPLES]))
        return scored(outputs, self.valid.captions, samples, -fmean(logps))

    def captioner(self, model: EncoderDecoder[Any, Any]) -> Captioner:
        """Asks a model as its users will ask it."""
        return captioner_of(self.run, model, self.tokenizer, self.known)

    def _pictures(self, hashes: NDArray[np.uint64]) -> Images | Grids:
        return to_source(self.pictures.read(hashes))

    def _sample(self, i: int, output: str) -> Sample:
        said = self.tokenizer.pieces(output)
        source = self._pictures(self.valid.hashes[i : i + 1])
        (reading,) = reread_regions(self.model, source, [said.ids])
        rows, columns = self.captioner(self.model).grid
        places = tuple(f"{1 + s // columns}·{1 + s % columns}" for s in range(rows * columns))
        looks = (Look(name, look.mean(dim=0).float()) for name, look in reading.looks.items())
        return Sample(
            f"picture {i + 1}",
            self.valid.captions[i][0],
            output,
            places,
            (*said.pieces, "</s>"),
            tuple(looks),
        )


def scored(
    outputs: Sequence[str],
    captions: Sequence[tuple[str, ...]],
    samples: tuple[Sample, ...] = (),
    nll: float | None = None,
) -> Scores:
    """How good captions are, each picture having one or several to compare with."""
    measured = score(outputs, [said[0] for said in captions])
    exact = fmean(output in said for output, said in zip(outputs, captions, strict=True))
    values = {"exact": 100 * exact, **measured.values}
    if nll is not None:
        values["nll"] = nll
    signatures = {
        "exact": "share of captions that are, to the letter, one that the picture has",
        **measured.signatures,
    }
    return Scores(values, signatures, samples)


def shown(captions: Sequence[Captioned], hashes: NDArray[np.uint64]) -> Shown:
    """Every nth picture, so that no more than MOST_VALIDATED are left, and all that is said of it;
    `hashes` are those of the captions' pictures."""
    places: dict[int, list[int]] = {}
    for place, number in enumerate(hashes.tolist()):
        places.setdefault(number, []).append(place)
    if not places:
        raise SpecError("data.valid: holds no captions; name a file, or raise data.held_out")
    kept = list(places.items())[:: -(-len(places) // MOST_VALIDATED)]
    return Shown(
        np.array([number for number, _ in kept], np.uint64),
        tuple(tuple(captions[place].caption for place in each) for _, each in kept),
        tuple(captions[each[0]] for _, each in kept if captions[each[0]].objects),
    )


def _covering(model: EncoderDecoder[Any, Any], strength: float) -> list[DoublyStochastic]:
    if not strength:
        return []
    looks = [model.get_submodule(name) for name in looks_at_source(model)]
    if not looks:
        raise SpecError("train.coverage: the model looks at nothing that it could cover; say 0")
    return [DoublyStochastic(look, strength) for look in looks if isinstance(look, Attention)]

"""Translation: sentence pairs in, a model that says one side of them having read the other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch

from regard.batch import Batch, Tokens
from regard.data.batches.loader import Loader
from regard.data.batches.pool import Sampling
from regard.data.batches.shards import LONGEST, Prepared
from regard.data.corpus import Corpus, blocks
from regard.engine.engine import Decoding
from regard.engine.texts import Splitting
from regard.errors import SpecError
from regard.evaluate.scores import score
from regard.explain.reread import reread
from regard.models import EncoderDecoder
from regard.spec.export import obstacles
from regard.spec.run import Run
from regard.tasks.stream import shifted, stream_of
from regard.tasks.translation.guide import Guide
from regard.tasks.translation.translator import Translator, build_model
from regard.text.tokenizer import SentencePiece, Tokenizer
from regard.train.objective import CrossEntropy, Guided, Loss, Reinforce
from regard.train.report import Look, Sample, Scores
from regard.train.task import Task

MOST_VALIDATED = 2_000  # pairs: enough to tell models apart, few enough to translate every time
USUAL = 0.999  # the share of sources that are read whole though they may have several sentences
SAMPLES = 3  # of them are shown, with where the model looked


@dataclass(frozen=True, slots=True)
class Pairs:
    """Sentences and their translations, as their files have them."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]


class Translation(Task[Batch]):
    """p(y | x), taught by pairs; how good it is, is found by translating."""

    model: EncoderDecoder[Tokens, Any]

    def __init__(
        self, run: Run, prepared: Prepared, tokenizer: SentencePiece, valid: Pairs
    ) -> None:
        super().__init__()
        self.run, self.prepared, self.tokenizer, self.valid = run, prepared, tokenizer, valid
        torch.manual_seed(run.train.seed)
        self.model = build_model(run, prepared.vocabulary)
        chooses = any(look.attention.weighing.kind == "hard" for look in run.model.looks())
        shards = prepared.shards("train")
        self.epoch_tokens = sum(shard.tokens[1] + shard.pairs for shard in shards)
        self.facts = {
            "data": f"{sum(shard.pairs for shard in shards):,} pairs, {self.epoch_tokens:,} target "
            f"tokens an epoch; {len(valid.sources):,} pairs to validate on",
            "export": "; ".join(obstacles(run)) or "CTranslate2 can run it",
        }
        self.splitting = _splitting(prepared)
        self.objective = (Reinforce if chooses else CrossEntropy)(run.train.smoothing)
        self.guiding = _guiding(run, self.model, tokenizer)
        if self.guiding is not None:
            self.facts["guide"] = self.guiding[0].in_words

    def forward(self, batch: Batch) -> Loss:
        said, meant = shifted(batch.target)
        if self.guiding is None:
            return self.objective(self.model(batch.source, said), self.model.readout, meant)
        guide, look = self.guiding
        with look.listening():
            decoded = self.model(batch.source, said)
        loss = self.objective(decoded, self.model.readout, meant)
        return loss.plus("guide", look.loss(guide.wanted(batch)))

    def stream(self, rank: int, world: int) -> Loader:
        freely = self.run.train.sampling
        sampling = Sampling(self.tokenizer, freely) if freely else None
        return stream_of(self.run, self.prepared, rank, world, sampling=sampling)

    def validate(self) -> Scores:
        found = self.translator(self.model).translate(self.valid.sources)
        outputs = [translation.text for translation in found]
        measured = score(outputs, self.valid.targets)
        values = {**measured.values, "nll": self._nll()}
        samples = tuple(self._sample(i, output) for i, output in enumerate(outputs[:SAMPLES]))
        return Scores(values, measured.signatures, samples)

    def translator(self, model: EncoderDecoder[Tokens, Any]) -> Translator:
        """Asks a model as its users will ask it."""
        search = self.run.search
        how = Decoding(search.beam, search.alpha)
        return Translator(model, self.tokenizer, self.splitting, how)

    def _nll(self) -> float:
        """Per token of the references, having read each word before it."""
        sources = self.tokenizer.encode(self.valid.sources)
        targets = self.tokenizer.encode(self.valid.targets)
        readings = reread(self.model, list(zip(sources, targets, strict=True)), names=())
        return -fmean(logp for reading in readings for logp in reading.logps)

    def _sample(self, i: int, output: str) -> Sample:
        source, said = self.tokenizer.pieces(self.valid.sources[i]), self.tokenizer.pieces(output)
        (reading,) = reread(self.model, [(source.ids, said.ids)])
        looks = (Look(name, look.mean(dim=0).float()) for name, look in reading.looks.items())
        return Sample(
            self.valid.sources[i],
            self.valid.targets[i],
            output,
            (*source.pieces, "</s>"),
            (*said.pieces, "</s>"),
            tuple(looks),
        )


def _splitting(prepared: Prepared) -> Splitting:
    """What a model that was taught with these sources can take whole."""
    counts = sum(
        np.bincount(shard.open().lengths[:, 0], minlength=LONGEST + 1)
        for shard in prepared.shards("train")
    )
    below = np.cumsum(counts) / np.sum(counts)
    return Splitting(int(below.searchsorted(USUAL)), int(below.searchsorted(1.0)))


def _guiding(
    run: Run, model: EncoderDecoder[Tokens, Any], tokenizer: Tokenizer
) -> tuple[Guide, Guided] | None:
    """Where a look should rest, and the look; None if it is left to itself."""
    if run.train.guide is None:
        return None
    if run.train.sampling:
        raise SpecError(
            "train.sampling: cuts words anew, and train.guide links the pieces that they were cut "
            "into; say 0, or leave out the guide"
        )
    guide = Guide.open(Path(run.train.guide.links), tokenizer)
    return guide, guide.teach(model, run.train.guide.strength)


def read_valid(corpus: Corpus) -> Pairs:
    """The pairs of a validation corpus, raw; pairs without a source or a target tell nothing."""
    found = [
        pair
        for block in blocks(corpus, 1 << 12)
        for pair in block.pairs()
        if pair.source.strip() and pair.target.strip()
    ]
    return thinned(Pairs(tuple(p.source for p in found), tuple(p.target for p in found)))


def held_out(prepared: Prepared, tokenizer: Tokenizer) -> Pairs:
    """The pairs that were kept from training, as the tokeniser normalised them."""
    sources, targets = [], []
    for shard in prepared.shards("valid"):
        opened = shard.open()
        for i in range(shard.pairs):
            source, target = opened.pair(i)
            sources.append(tokenizer.decode(source.tolist()))
            targets.append(tokenizer.decode(target.tolist()))
    return thinned(Pairs(tuple(sources), tuple(targets)))


def thinned(pairs: Pairs) -> Pairs:
    """Every nth pair, so that no more than MOST_VALIDATED are left."""
    every = -(-len(pairs.sources) // MOST_VALIDATED)
    return Pairs(pairs.sources[::every], pairs.targets[::every])

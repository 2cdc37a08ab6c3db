"""Translation: sentence pairs in, a model that says one side of them having read the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.batch import Batch, Tokens
from regard.data.batches.loader import Loader
from regard.data.batches.pool import Order, Sampling
from regard.data.batches.shards import Prepared
from regard.data.corpus import Corpus, blocks
from regard.engine.torch import TorchEngine, padded
from regard.errors import SpecError
from regard.evaluate.scores import score
from regard.explain.watch import watch
from regard.models import EncoderDecoder
from regard.search import Hypothesis
from regard.spec.export import obstacles
from regard.spec.model import Sizes
from regard.spec.run import Run
from regard.text.tokenizer import BOS, EOS, Tokenizer
from regard.train.objective import CrossEntropy, Loss, Reinforce
from regard.train.report import Look, Sample, Scores
from regard.train.task import Task

MOST_VALIDATED = 2_000  # pairs: enough to tell models apart, few enough to translate every time
SAMPLES = 3  # of them are shown, with where the model looked


@dataclass(frozen=True, slots=True)
class Pairs:
    """Sentences and their translations, as their files have them."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]


class Translation(Task[Batch]):
    """p(y | x), taught by pairs; how good it is, is found by translating."""

    model: EncoderDecoder[Tokens, Any]

    def __init__(self, run: Run, prepared: Prepared, tokenizer: Tokenizer, valid: Pairs) -> None:
        super().__init__()
        self.run, self.prepared, self.tokenizer, self.valid = run, prepared, tokenizer, valid
        if run.model.kind != "encoder-decoder" or run.model.encoder.kind == "image":
            raise SpecError("model: does not read and say sentences; choose one that does")
        torch.manual_seed(run.train.seed)
        self.model = run.model.build(Sizes(prepared.vocabulary, prepared.vocabulary))
        chooses = any(look.attention.weighing.kind == "hard" for look in run.model.looks())
        shards = prepared.shards("train")
        self.epoch_tokens = sum(shard.tokens[1] + shard.pairs for shard in shards)
        self.facts = {
            "data": f"{sum(shard.pairs for shard in shards):,} pairs, {self.epoch_tokens:,} target "
            f"tokens an epoch; {len(valid.sources):,} pairs to validate on",
            "export": "; ".join(obstacles(run)) or "CTranslate2 can run it",
        }
        self.objective = (Reinforce if chooses else CrossEntropy)(run.train.smoothing)

    def forward(self, batch: Batch) -> Loss:
        said, meant = shifted(batch.target)
        return self.objective(self.model(batch.source, said), self.model.readout, meant)

    def stream(self, rank: int, world: int) -> Loader:
        train = self.run.train
        order = Order(train.seed, train.batch_tokens, train.micro_batches)
        sampling = Sampling(self.tokenizer, train.sampling) if train.sampling else None
        weights = {corpus_name(i): corpus.weight for i, corpus in enumerate(self.run.data.train)}
        shards = self.prepared.shards("train")
        return Loader(
            shards, order, weights=weights or None, rank=rank, world=world, sampling=sampling
        )

    def validate(self) -> Scores:
        hypotheses = self.translate(self.valid.sources)
        outputs = [self.tokenizer.decode(h.tokens) for h in hypotheses]
        measured = score(outputs, self.valid.targets)
        values = {**measured.values, "nll": self._nll()}
        samples = tuple(
            self._sample(i, hypotheses[i]) for i in range(min(SAMPLES, len(hypotheses)))
        )
        return Scores(values, measured.signatures, samples)

    def translate(self, sources: Sequence[str]) -> list[Hypothesis]:
        search = self.run.search
        engine = TorchEngine(self.model, width=search.beam, alpha=search.alpha)
        return [best for best, *_ in engine.search(self.tokenizer.encode(list(sources)))]

    def _nll(self) -> float:
        """Per token of the references, having read each word before it."""
        total, count = 0.0, 0
        sources = self.tokenizer.encode(list(self.valid.sources))
        targets = self.tokenizer.encode(list(self.valid.targets))
        order = sorted(range(len(sources)), key=lambda i: len(targets[i]))
        for start in range(0, len(order), 64):
            rows = order[start : start + 64]
            batch = Batch(
                padded([[*sources[i], EOS] for i in rows]),
                padded([[BOS, *targets[i], EOS] for i in rows]),
            )
            loss = self(batch.to(self._device))
            total += float(loss.parts["nll"])
            count += loss.count
        return total / count

    def _sample(self, i: int, hypothesis: Hypothesis) -> Sample:
        source = self.tokenizer.pieces(self.valid.sources[i])
        output = self.tokenizer.decode(hypothesis.tokens)
        said = Tokens(torch.tensor([[BOS, *hypothesis.tokens]], device=self._device))
        with watch(self.model) as trace:
            read = Tokens(torch.tensor([[*source.ids, EOS]], device=self._device))
            self.model(read, said.ids)
        looks = tuple(
            Look(name, trace[name][0].mean(dim=0).float().cpu())
            for name in trace.names
            if trace[name].shape[2:] == (said.ids.size(1), read.ids.size(1))
            and name.startswith("decoder")
            and not name.endswith("own")
        )
        names = tuple(self.tokenizer.piece(token) for token in hypothesis.tokens)
        return Sample(
            self.valid.sources[i],
            self.valid.targets[i],
            output,
            (*source.pieces, "</s>"),
            (*names, "</s>"),
            looks,
        )

    @property
    def _device(self) -> torch.device:
        return self.model.embedding.weight.device


def shifted(target: Tokens) -> tuple[Tensor, Tokens]:
    """What was said before each word, and the words."""
    assert target.lengths is not None
    return target.ids[:, :-1], Tokens(target.ids[:, 1:], target.lengths - 1)


def corpus_name(number: int) -> str:
    """Of the run's corpora, as shards and weights know them."""
    return "train" if number == 0 else f"train{number + 1}"


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

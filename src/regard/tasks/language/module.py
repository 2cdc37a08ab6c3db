"""Language modelling: texts in, a model that says what comes next, having read nothing else."""

from __future__ import annotations

from typing import Any

import torch

from regard.batch import Batch
from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus, read_pairs
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import SpecialTokens
from regard.data.loading.shards import PreparedData
from regard.errors import ConfigError, CorpusError
from regard.models import LanguageModel
from regard.tasks.batches import make_loader, shift_target
from regard.tasks.language.completer import Completer, build_language_model
from regard.text.tokenizer import SentencePiece, Tokenizer
from regard.train.events import Scores, ValidationSample
from regard.train.losses import CrossEntropy, Loss
from regard.train.module import TrainingModule

MOST_VALIDATED = 2_000  # texts: some 100,000 words where each is a paragraph
SAMPLES = 3  # of them are shown, their first half and how the model goes on
SHOWN = 30  # pieces of a completion


class LanguageModule(TrainingModule[Batch]):
    """p(y_t | y_<t), taught by texts; how good it is, is found by how well it foresees others."""

    model: LanguageModel[Any]

    def __init__(
        self,
        run: RunConfig,
        prepared: PreparedData,
        tokenizer: SentencePiece,
        valid: tuple[str, ...],
    ) -> None:
        super().__init__()
        self.run, self.prepared, self.tokenizer, self.valid = run, prepared, tokenizer, valid
        torch.manual_seed(run.train.seed)
        self.model = build_language_model(run, prepared.vocabulary)
        self.objective = CrossEntropy(run.train.label_smoothing)
        shards = prepared.shards("train")
        self.epoch_tokens = sum(shard.tokens[1] for shard in shards)
        self.facts = {
            "data": f"{sum(shard.pairs for shard in shards):,} texts and windows of longer ones, "
            f"{self.epoch_tokens:,} tokens an epoch; {len(valid):,} texts to validate on"
        }

    def forward(self, batch: Batch) -> Loss:
        said, meant = shift_target(batch.target)
        return self.objective(self.model(said), self.model.readout, meant)

    def stream(self, rank: int, world: int) -> Loader:
        return make_loader(
            self.run,
            self.prepared,
            rank,
            world,
            source=SpecialTokens(begin=False, end=False),
            target=SpecialTokens(begin=True, end=False),  # where a text ends, its ids say so
        )

    def validate(self) -> Scores:
        completer = self.completer(self.model)
        samples = tuple(_sample(completer, text) for text in self.valid[:SAMPLES])
        return score_texts(completer, self.tokenizer, self.valid, samples)

    def completer(self, model: LanguageModel[Any]) -> Completer:
        """Asks a model as its users will ask it."""
        return Completer(model, self.tokenizer, self.run.data.max_length)


def score_texts(
    completer: Completer,
    tokenizer: SentencePiece,
    texts: tuple[str, ...],
    samples: tuple[ValidationSample, ...] = (),
) -> Scores:
    """How well texts are foreseen, with how that is counted."""
    found = completer.perplexity(texts)
    ends = f"ends of texts counted, in windows of {completer.longest:,} pieces"
    values = {
        "perplexity": found.per_token,
        "word_perplexity": found.per_word,
        "bits_per_character": found.bits_per_character,
        "nll": found.nll / found.tokens,
    }
    pieces = f"per piece of {tokenizer.size:,} ({tokenizer.kind}, {tokenizer.form}), {ends}"
    signatures = {
        "perplexity": pieces,
        "word_perplexity": f"per word between spaces, {ends}",
        "bits_per_character": f"per character, {ends}",
        "nll": pieces,
    }
    return Scores(values, signatures, samples)


def read_texts(corpus: Corpus) -> tuple[str, ...]:
    """The texts of a corpus, raw, without those that say nothing."""
    found = tuple(pair.target for pair in read_pairs(corpus) if pair.target.strip())
    if not found:
        raise CorpusError(f"{', '.join(corpus.paths)}: holds no text; name a file that does")
    return found


def held_out_texts(prepared: PreparedData, tokenizer: Tokenizer) -> tuple[str, ...]:
    """The texts, and windows of them, that were kept from training, as they were normalised."""
    found: list[str] = []
    for shard in prepared.shards("valid"):
        opened = shard.open()
        found += [tokenizer.decode(opened.pair(i)[1].tolist()) for i in range(shard.pairs)]
    if not found:
        raise ConfigError("data.valid: holds no text; name a file, or raise data.held_out")
    return tuple(found)


def sample_texts(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Every nth text, so that no more than MOST_VALIDATED are left."""
    return texts[:: -(-len(texts) // MOST_VALIDATED)]


def _sample(completer: Completer, text: str) -> ValidationSample:
    words = text.split()
    half = len(words) // 2
    (found,) = completer.complete([" ".join(words[:half])], max_length=SHOWN)
    return ValidationSample(
        found.prompt, " ".join(words[half:]), found.text.strip(), (), found.pieces
    )

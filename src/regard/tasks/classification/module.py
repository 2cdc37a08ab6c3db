"""Classification: labelled documents in, a model that names the class of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import torch
from torch import nn

from regard.batch import Batch, Documents, Tokens
from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus, read_pairs
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import SpecialTokens
from regard.data.loading.shards import PreparedData
from regard.errors import ConfigError, CorpusError
from regard.models import Classifier
from regard.tasks.batches import make_loader
from regard.tasks.classification.document_classifier import (
    ClassificationResult,
    DocumentClassifier,
    build_classification_model,
)
from regard.text.tokenizer import EOS, SentencePiece
from regard.train.events import Scores, ValidationSample
from regard.train.losses import Loss
from regard.train.module import TrainingModule

MOST_VALIDATED = 2_000  # documents
MOST_TOLD = 20  # classes of which each one's F1 is told
SAMPLES = 3
BARE = SpecialTokens(begin=False, end=False)


@dataclass(frozen=True, slots=True)
class LabelledTexts:
    """Documents and what people found them to be."""

    texts: tuple[str, ...]
    labels: tuple[str, ...]


class ClassificationModule(TrainingModule[Batch]):
    """p(class | document), taught by labels; how good it is, is found by naming classes."""

    model: Classifier[Documents]

    def __init__(
        self, run: RunConfig, prepared: PreparedData, tokenizer: SentencePiece, valid: LabelledTexts
    ) -> None:
        super().__init__()
        self.run, self.prepared, self.tokenizer, self.valid = run, prepared, tokenizer, valid
        self.classes = prepared.labels
        torch.manual_seed(run.train.seed)
        self.model = build_classification_model(run, prepared.vocabulary, len(self.classes))
        self.objective = nn.CrossEntropyLoss(
            reduction="sum", label_smoothing=run.train.label_smoothing
        )
        shards = prepared.shards("train")
        self.epoch_tokens = sum(shard.pairs for shard in shards)
        self.facts = {
            "data": f"{self.epoch_tokens:,} documents of {len(self.classes):,} classes, "
            f"{sum(shard.tokens[0] for shard in shards):,} pieces; {len(valid.texts):,} documents "
            "to validate on",
        }

    def forward(self, batch: Batch) -> Loss:
        logits, labels = self.model(documents(batch.source)), batch.target.ids[:, 0]
        loss = self.objective(logits.float(), labels)
        nll = nn.functional.cross_entropy(logits.detach().float(), labels, reduction="sum")
        return Loss(loss, len(labels), {"nll": nll})

    def stream(self, rank: int, world: int) -> Loader:
        return make_loader(self.run, self.prepared, rank, world, source=BARE, target=BARE)

    def validate(self) -> Scores:
        found = self.classifier(self.model).classify(self.valid.texts)
        scores = score_labels(found, self.valid.labels, self.classes)
        samples = tuple(
            ValidationSample(one.text[:500], label, str(one))
            for one, label in zip(found[:SAMPLES], self.valid.labels, strict=False)
        )
        return Scores(scores.values, scores.signatures, samples)

    def classifier(self, model: Classifier[Documents]) -> DocumentClassifier:
        """Asks a model as its users will ask it."""
        return DocumentClassifier(model, self.tokenizer, self.classes)


def documents(flat: Tokens) -> Documents:
    """Documents as shards have them, an end after each sentence, in their sentences."""
    assert flat.lengths is not None
    real = torch.arange(flat.ids.size(1), device=flat.ids.device) < flat.lengths[:, None]
    ends = flat.ids.eq(EOS) & real
    ids, last = flat.ids[real], ends[real]  # one document after the other
    stops = last.nonzero()[:, 0]
    lengths = stops.diff(prepend=stops.new_tensor([-1])) - 1
    rows = last.cumsum(0) - last.long()  # the sentence of each piece
    place = torch.arange(len(ids), device=ids.device) - (stops - lengths)[rows]
    padded = ids.new_zeros(len(stops), int(lengths.max()))
    said = ~last
    padded[rows[said], place[said]] = ids[said]
    return Documents(Tokens(padded, lengths), ends.sum(dim=1))


def score_labels(
    found: Sequence[ClassificationResult], labels: Sequence[str], classes: Sequence[str]
) -> Scores:
    """Accuracy, and F1 of each class and in the mean of all; more is better, 1 is the best."""
    pairs = [(one.label, label) for one, label in zip(found, labels, strict=True)]
    right = [said == meant for said, meant in pairs]
    each = {}
    for name in classes:
        hits = sum(said == meant == name for said, meant in pairs)
        told = sum((said == name) + (meant == name) for said, meant in pairs)
        each[name] = 2 * hits / told if told else 0.0
    logps = [one.logps.get(label, 0.0) for one, label in zip(found, labels, strict=True)]
    values = {"accuracy": fmean(right), "f1": fmean(each.values()), "nll": -fmean(logps)}
    signatures = {
        "accuracy": "the share of documents whose class was named right",
        "f1": f"the mean of {len(classes):,} classes, each alike (macro)",
        "nll": "mean −log p of a document's class",
    }
    if len(classes) <= MOST_TOLD:
        values |= {f"f1 of {name}": value for name, value in each.items()}
        signatures |= {f"f1 of {name}": "2 hits / (said + meant)" for name in classes}
    return Scores(values, signatures)


def read_labelled(
    corpus: Corpus, tokenizer: SentencePiece, classes: Sequence[str]
) -> LabelledTexts:
    """The documents of a corpus, raw, without those that say nothing."""
    found = [pair for pair in read_pairs(corpus) if pair.source.strip()]
    labels = tuple(tokenizer.normalize(pair.target) for pair in found)
    where = ", ".join(corpus.paths)
    if not found:
        raise CorpusError(f"{where}: holds no documents; name a file that does")
    if strange := next((label for label in labels if label not in classes), None):
        raise CorpusError(
            f"{where}: a document has the label {strange!r}, and the model knows "
            f"{', '.join(classes[:MOST_TOLD])}; leave it out, or train with such documents"
        )
    return LabelledTexts(tuple(pair.source for pair in found), labels)


def held_out_documents(prepared: PreparedData, tokenizer: SentencePiece) -> LabelledTexts:
    """The documents that were kept from training, as they were normalised."""
    texts, labels = [], []
    for shard in prepared.shards("valid"):
        opened = shard.open()
        for i in range(shard.pairs):
            ids, label = (side.tolist() for side in opened.pair(i))
            stops = [place for place, token in enumerate(ids) if token == EOS]
            starts = [0, *(stop + 1 for stop in stops)]
            said = [tokenizer.decode(ids[a:b]) for a, b in zip(starts, stops, strict=False)]
            texts.append("\n\n".join(said))
            labels.append(prepared.labels[label[0]])
    if not texts:
        raise ConfigError("data.valid: holds no documents; name a file, or raise data.held_out")
    return LabelledTexts(tuple(texts), tuple(labels))


def sample_documents(judged: LabelledTexts) -> LabelledTexts:
    """Every nth document, so that no more than MOST_VALIDATED are left."""
    every = -(-len(judged.texts) // MOST_VALIDATED)
    return LabelledTexts(judged.texts[::every], judged.labels[::every])

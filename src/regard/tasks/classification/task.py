"""The document classification task."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean

import torch
from torch import nn

from regard.batch import Batch, Documents, Tokens
from regard.bundle.bundle import Bundle, bundle_tokenizer
from regard.config.data import CorpusConfig, DataConfig
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus, open_documents, read_pairs
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import SpecialTokens
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import PreparationSettings
from regard.errors import ArtifactError, ConfigError, CorpusError
from regard.inference.engine import EngineName
from regard.models import Classifier
from regard.tasks.base import Task, make_loader
from regard.tasks.bundles import card_files
from regard.tasks.classification.document_classifier import (
    CLASSES,
    Classes,
    ClassificationResult,
    DocumentClassifier,
    build_classification_model,
    classifier_from_bundle,
)
from regard.text.tokenizer import EOS, Tokenizer
from regard.train.events import Scores, ValidationSample
from regard.train.losses import Loss, TrainingModule
from regard.train.trainer import TrainingOutcome

# -- the training module of document classification ------------------------------------------------


MAX_VALIDATED = 2_000  # documents
MAX_CLASS_SCORES = 20  # with more classes, no F1 of each class is reported
SAMPLES = 3
NO_SPECIAL_TOKENS = SpecialTokens(begin=False, end=False)


@dataclass(frozen=True, slots=True)
class LabelledTexts:
    """Documents and their labels."""

    texts: tuple[str, ...]
    labels: tuple[str, ...]


class ClassificationModule(TrainingModule[Batch]):
    """Trains p(class | document), and validates by classifying documents."""

    model: Classifier[Documents]

    def __init__(
        self, run: RunConfig, prepared: PreparedData, tokenizer: Tokenizer, valid: LabelledTexts
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
        self.epoch_tokens = self.stream(0, 1).epoch_tokens
        documents = sum(shard.pairs for shard in shards)
        self.facts = {
            "data": f"{documents:,} documents of {len(self.classes):,} classes, "
            f"{sum(shard.tokens[0] for shard in shards):,} pieces; {len(valid.texts):,} validation "
            "documents",
        }

    def forward(self, batch: Batch) -> Loss:
        logits = self.model(split_documents(batch.source))
        labels = batch.target.ids[:, 0]
        loss = self.objective(logits.float(), labels)
        nll = nn.functional.cross_entropy(logits.detach().float(), labels, reduction="sum")
        return Loss(loss, len(labels), {"nll": nll})

    def stream(self, rank: int, world: int) -> Loader:
        bare = NO_SPECIAL_TOKENS
        return make_loader(self.run, self.prepared, rank, world, source=bare, target=bare)

    def validate(self) -> Scores:
        results = self.classifier(self.model).classify(self.valid.texts)
        scores = score_labels(results, self.valid.labels, self.classes)
        samples = tuple(
            ValidationSample(result.text[:500], label, str(result))
            for result, label in zip(results[:SAMPLES], self.valid.labels, strict=False)
        )
        return Scores(scores.values, scores.signatures, samples)

    def classifier(self, model: Classifier[Documents]) -> DocumentClassifier:
        """Return a classifier with `model` and the classes of this run."""
        return DocumentClassifier(model, self.tokenizer, self.classes)


def split_documents(flat: Tokens) -> Documents:
    """Split documents into sentences. In `flat`, each sentence ends with EOS."""
    assert flat.lengths is not None
    real = torch.arange(flat.ids.size(1), device=flat.ids.device) < flat.lengths[:, None]
    ends = flat.ids.eq(EOS) & real
    ids, last = flat.ids[real], ends[real]  # all documents, concatenated
    stops = last.nonzero()[:, 0]
    lengths = stops.diff(prepend=stops.new_tensor([-1])) - 1
    rows = last.cumsum(0) - last.long()  # the sentence of each piece
    columns = torch.arange(len(ids), device=ids.device) - (stops - lengths)[rows]
    padded = ids.new_zeros(len(stops), int(lengths.max()))
    pieces = ~last
    padded[rows[pieces], columns[pieces]] = ids[pieces]
    return Documents(Tokens(padded, lengths), ends.sum(dim=1))


def score_labels(
    results: Sequence[ClassificationResult], labels: Sequence[str], classes: Sequence[str]
) -> Scores:
    """Return accuracy, macro F1, mean −log p, and with few classes the F1 of each class."""
    pairs = [(result.label, label) for result, label in zip(results, labels, strict=True)]
    correct = [predicted == actual for predicted, actual in pairs]
    f1 = {}
    for name in classes:
        hits = sum(predicted == actual == name for predicted, actual in pairs)
        total = sum((predicted == name) + (actual == name) for predicted, actual in pairs)
        f1[name] = 2 * hits / total if total else 0.0
    logps = [result.logps[label] for result, label in zip(results, labels, strict=True)]
    values = {"accuracy": fmean(correct), "f1": fmean(f1.values()), "nll": -fmean(logps)}
    signatures = {
        "accuracy": "fraction of documents with the correct class",
        "f1": f"macro average over {len(classes):,} classes",
        "nll": "mean −log p of a document's class",
    }
    if len(classes) <= MAX_CLASS_SCORES:
        values |= {f"f1 of {name}": value for name, value in f1.items()}
        signatures |= {f"f1 of {name}": "2 correct / (predicted + actual)" for name in classes}
    return Scores(values, signatures)


def read_labelled(corpus: Corpus, tokenizer: Tokenizer, classes: Sequence[str]) -> LabelledTexts:
    """Return the raw documents of a corpus, without empty ones.

    Raises:
        CorpusError: there are no documents, or one has a label that is not in `classes`.
    """
    pairs = [pair for pair in read_pairs(corpus) if tokenizer.normalize(pair.source)]
    labels = tuple(tokenizer.normalize(pair.target) for pair in pairs)
    paths = ", ".join(corpus.paths)
    if not pairs:
        raise CorpusError(f"{paths}: contains no documents. Name another file.")
    unknown = sorted(set(labels) - set(classes))
    if unknown:
        raise CorpusError(
            f"{paths}: a document has the label {unknown[0]!r}, which is not a class of the model "
            f"({', '.join(classes[:MAX_CLASS_SCORES])}). Remove it, or train with such documents."
        )
    return LabelledTexts(tuple(pair.source for pair in pairs), labels)


def held_out_documents(prepared: PreparedData) -> LabelledTexts:
    """Return the documents that were held out from training, normalized."""
    texts: list[str] = []
    labels: list[str] = []
    for shard in prepared.shards("valid"):
        texts += (text.replace("\t", "\n\n") for text in shard.read_texts("source"))
        labels += shard.read_texts("target")
    if not texts:
        raise ConfigError(
            "data.valid: contains no documents. Name a validation file, or raise data.held_out."
        )
    return LabelledTexts(tuple(texts), tuple(labels))


def sample_documents(documents: LabelledTexts) -> LabelledTexts:
    """Select every nth document, at most MAX_VALIDATED."""
    stride = -(-len(documents.texts) // MAX_VALIDATED)
    return LabelledTexts(documents.texts[::stride], documents.labels[::stride])


# -- task ------------------------------------------------------------------------------------------


LIMITATIONS = (
    "Documents unlike the training data: it predicts one of its classes for any text.",
    "Decisions about people without human review: it may be wrong with high confidence.",
    "Explaining why it predicts a class: attention weights are not reasons.",
)


class ClassificationTask(Task[ClassificationModule]):
    options = "--documents FILE"
    metrics = ("accuracy", "f1", "nll")

    def corpus(self, config: CorpusConfig, name: str) -> Corpus:
        if len(config.files) > 1:
            raise ConfigError(
                "data.train: a classifier's corpus is one file of labelled documents (--documents "
                "FILE). To translate, choose a translation model."
            )
        return config.build(name, open_documents)

    def preparation(self, data: DataConfig) -> PreparationSettings:
        return replace(data.build(), fields=("document", "label"), limits=None)

    def make_module(
        self, run: RunConfig, prepared: PreparedData, tokenizer: Tokenizer
    ) -> ClassificationModule:
        if run.train.subword_alpha:
            raise ConfigError(
                "train.subword_alpha: subword sampling does not apply to documents. Set it to 0."
            )
        if len(prepared.labels) < 2:
            raise ConfigError(
                f"data.train: all documents have the label {prepared.labels[0]!r}. Add documents "
                "of another class."
            )
        valid = run.data.valid
        if not valid:
            documents = held_out_documents(prepared)
        else:
            documents = read_labelled(self.corpus(valid[0], "valid"), tokenizer, prepared.labels)
        return ClassificationModule(run, prepared, tokenizer, sample_documents(documents))

    def build_model(self, module: ClassificationModule) -> Classifier[Documents]:
        return build_classification_model(module.run, module.tokenizer.size, len(module.classes))

    def bundle_files(
        self, module: ClassificationModule, model: Classifier[Documents], outcome: TrainingOutcome
    ) -> dict[str, bytes]:
        card = card_files(
            module,
            model,
            outcome,
            pieces="its documents",
            search="",
            score_notes={},
            pipeline="text-classification",
            call='classify(["…"])[0]',
            units=("documents", "pieces", "labels"),
            limitations=LIMITATIONS,
        )
        names = json.dumps(asdict(Classes(module.classes)), indent=1, ensure_ascii=False)
        return {CLASSES: names.encode(), **card}

    def load(self, bundle: Bundle, engine: EngineName, device: str | None) -> DocumentClassifier:
        return classifier_from_bundle(bundle, device)

    def evaluate(self, bundle: Bundle, corpus: Corpus) -> Scores:
        classifier = classifier_from_bundle(bundle)
        documents = read_labelled(corpus, bundle_tokenizer(bundle), classifier.classes)
        results = classifier.classify(documents.texts)
        return score_labels(results, documents.labels, classifier.classes)

    def check_compatible(self, module: ClassificationModule, bundle: Bundle) -> None:
        classes = bundle.value(CLASSES, Classes).names
        if classes != module.classes:
            raise ArtifactError(
                f"{bundle.path}: the model has the classes {', '.join(classes)}, and the documents "
                f"have {', '.join(module.classes)}. Use documents of the same classes."
            )

    def sizes(self, bundle: Bundle) -> VocabularySizes:
        return VocabularySizes(
            bundle_tokenizer(bundle).size, len(bundle.value(CLASSES, Classes).names)
        )


TASK = ClassificationTask()

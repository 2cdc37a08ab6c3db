"""The use of models that read documents and name their classes."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from regard.batch import Documents
from regard.bundle.bundle import Bundle
from regard.config.data import CorpusConfig, DataConfig
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus, open_documents
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import PreparationSettings
from regard.errors import ArtifactError, ConfigError
from regard.inference.engine import EngineName
from regard.models import Classifier
from regard.tasks.base import Task
from regard.tasks.bundles import bundle_tokenizer
from regard.tasks.classification.document_classifier import (
    CLASSES,
    Classes,
    DocumentClassifier,
    build_classification_model,
    classifier_from_bundle,
)
from regard.tasks.classification.module import (
    ClassificationModule,
    held_out_documents,
    read_labelled,
    sample_documents,
    score_labels,
)
from regard.tasks.model_card import card_files
from regard.text.tokenizer import SentencePiece
from regard.train.events import Scores
from regard.train.trainer import TrainingOutcome

LIMITATIONS = (
    "Documents unlike those that it was trained on: it names one of its classes all the same.",
    "Decisions about people that nobody checks: it may be wrong, and sound sure of it.",
    "Explaining why it decided so: attention shows where a model looked, not why.",
)


class ClassificationTask(Task[ClassificationModule]):
    options = "--documents FILE"
    metrics = ("accuracy", "f1", "nll")

    def corpus(self, spec: CorpusConfig, name: str) -> Corpus:
        if len(spec.files) > 1:
            raise ConfigError(
                "model: does not read and say sentences, but names classes; give it one file of "
                "labelled documents (--documents FILE), or choose a model that translates"
            )
        return spec.build(name, open_documents)

    def preparation(self, data: DataConfig) -> PreparationSettings:
        return replace(data.build(), fields=("document", "label"), limits=None)

    def make_module(
        self, run: RunConfig, prepared: PreparedData, tokenizer: SentencePiece
    ) -> ClassificationModule:
        if run.train.subword_alpha:
            raise ConfigError("train.subword_alpha: documents cannot be cut anew; say 0")
        if len(prepared.labels) < 2:
            raise ConfigError(
                f"data.train: all documents have the label {prepared.labels[0]!r}; give some of "
                "another class"
            )
        valid = run.data.valid
        if valid is None:
            judged = held_out_documents(prepared, tokenizer)
        else:
            judged = read_labelled(self.corpus(valid, "valid"), tokenizer, prepared.labels)
        return ClassificationModule(run, prepared, tokenizer, sample_documents(judged))

    def build_model(self, task: ClassificationModule) -> Classifier[Documents]:
        return build_classification_model(task.run, task.tokenizer.size, len(task.classes))

    def bundle_files(
        self, task: ClassificationModule, model: Classifier[Documents], outcome: TrainingOutcome
    ) -> dict[str, bytes]:
        card = card_files(
            task,
            model,
            outcome,
            pieces="its documents",
            search="",
            in_words={},
            pipeline="text-classification",
            call='classify(["…"])[0]',
            units=("documents", "pieces", "labels"),
            limitations=LIMITATIONS,
        )
        names = json.dumps(asdict(Classes(task.classes)), indent=1, ensure_ascii=False)
        return {CLASSES: names.encode(), **card}

    def load(self, bundle: Bundle, engine: EngineName, device: str | None) -> DocumentClassifier:
        return classifier_from_bundle(bundle, device)

    def evaluate(self, bundle: Bundle, corpus: Corpus) -> Scores:
        labeller = classifier_from_bundle(bundle)
        judged = read_labelled(corpus, bundle_tokenizer(bundle), labeller.classes)
        return score_labels(labeller.classify(judged.texts), judged.labels, labeller.classes)

    def check_compatible(self, task: ClassificationModule, bundle: Bundle) -> None:
        known = bundle.value(CLASSES, Classes).names
        if known != task.classes:
            raise ArtifactError(
                f"{bundle.path}: names the classes {', '.join(known)}, and the documents have "
                f"{', '.join(task.classes)}; give documents of the same classes"
            )

    def sizes(self, bundle: Bundle) -> VocabularySizes:
        return VocabularySizes(
            bundle_tokenizer(bundle).size, len(bundle.value(CLASSES, Classes).names)
        )


TASK = ClassificationTask()

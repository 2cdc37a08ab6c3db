"""The document classification task."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from regard.batch import Documents
from regard.bundle.bundle import Bundle
from regard.bundle.tokenizer import bundle_tokenizer
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
from regard.text.tokenizer import Tokenizer
from regard.train.events import Scores
from regard.train.trainer import TrainingOutcome

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

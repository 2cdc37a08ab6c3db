"""The use of models that read documents and name their classes."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from regard.batch import Documents
from regard.bundle.bundle import Bundle
from regard.data.batches.shards import Prepared
from regard.data.corpus import Corpus, documents_of
from regard.data.preparation.prepare import Settings
from regard.engine.engine import EngineName
from regard.errors import ArtefactError, SpecError
from regard.models import Classifier
from regard.spec.data import CorpusSpec, DataSpec
from regard.spec.model import Sizes
from regard.spec.run import Run
from regard.tasks.card import told
from regard.tasks.documents.labeller import CLASSES, Classes, Labeller, build_model, labeller_in
from regard.tasks.documents.task import Classification, held_out, read_judged, scored, thinned
from regard.tasks.sealed import sealed_tokenizer
from regard.tasks.use import Use
from regard.text.tokenizer import SentencePiece
from regard.train.report import Scores
from regard.train.trainer import Outcome

NOT_FOR = (
    "Documents unlike those that it was trained on: it names one of its classes all the same.",
    "Decisions about people that nobody checks: it may be wrong, and sound sure of it.",
    "Explaining why it decided so: attention shows where a model looked, not why.",
)


class Classifying(Use[Classification]):
    options = "--documents FILE"
    metrics = ("accuracy", "f1", "nll")

    def corpus(self, spec: CorpusSpec, name: str) -> Corpus:
        if len(spec.files) > 1:
            raise SpecError(
                "model: does not read and say sentences, but names classes; give it one file of "
                "labelled documents (--documents FILE), or choose a model that translates"
            )
        return spec.build(name, documents_of)

    def settings(self, data: DataSpec) -> Settings:
        return replace(data.build(), sides=("document", "label"), limits=None)

    def begin(self, run: Run, prepared: Prepared, tokenizer: SentencePiece) -> Classification:
        if run.train.sampling:
            raise SpecError("train.sampling: documents cannot be cut anew; say 0")
        if len(prepared.labels) < 2:
            raise SpecError(
                f"data.train: all documents have the label {prepared.labels[0]!r}; give some of "
                "another class"
            )
        valid = run.data.valid
        if valid is None:
            judged = held_out(prepared, tokenizer)
        else:
            judged = read_judged(self.corpus(valid, "valid"), tokenizer, prepared.labels)
        return Classification(run, prepared, tokenizer, thinned(judged))

    def build(self, task: Classification) -> Classifier[Documents]:
        return build_model(task.run, task.tokenizer.size, len(task.classes))

    def tell(
        self, task: Classification, model: Classifier[Documents], outcome: Outcome
    ) -> dict[str, bytes]:
        card = told(
            task,
            model,
            outcome,
            pieces="its documents",
            search="",
            in_words={},
            pipeline="text-classification",
            call='classify(["…"])[0]',
            units=("documents", "pieces", "labels"),
            not_for=NOT_FOR,
        )
        names = json.dumps(asdict(Classes(task.classes)), indent=1, ensure_ascii=False)
        return {CLASSES: names.encode(), **card}

    def load(self, bundle: Bundle, engine: EngineName, device: str | None) -> Labeller:
        return labeller_in(bundle, device)

    def measure(self, bundle: Bundle, corpus: Corpus) -> Scores:
        labeller = labeller_in(bundle)
        judged = read_judged(corpus, sealed_tokenizer(bundle), labeller.classes)
        return scored(labeller.classify(judged.texts), judged.labels, labeller.classes)

    def must_fit(self, task: Classification, bundle: Bundle) -> None:
        known = bundle.value(CLASSES, Classes).names
        if known != task.classes:
            raise ArtefactError(
                f"{bundle.path}: names the classes {', '.join(known)}, and the documents have "
                f"{', '.join(task.classes)}; give documents of the same classes"
            )

    def sizes(self, bundle: Bundle) -> Sizes:
        return Sizes(sealed_tokenizer(bundle).size, len(bundle.value(CLASSES, Classes).names))


USE = Classifying()

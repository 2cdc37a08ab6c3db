"""The use of models that read nothing but their own words: going on with a text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from regard.bundle.bundle import Bundle
from regard.data.batches.shards import Prepared
from regard.data.corpus import Corpus, Lines
from regard.data.preparation.prepare import Settings
from regard.engine.engine import EngineName
from regard.errors import SpecError
from regard.models import LanguageModel
from regard.spec.data import CorpusSpec, DataSpec
from regard.spec.run import Run
from regard.tasks.card import told
from regard.tasks.language.completer import Completer, build_model, completer_in
from regard.tasks.language.task import LanguageModelling, foreseen, held_out, read_texts, thinned
from regard.tasks.sealed import sealed_tokenizer
from regard.tasks.use import Use
from regard.text.tokenizer import SentencePiece
from regard.train.report import Scores
from regard.train.trainer import Outcome

NOT_FOR = (
    "Facts: it says what is likely in texts like those that it read, true or not.",
    "Texts unlike those that it was trained on: it was measured on texts of the same kind.",
    "Explaining why it says something: attention shows where a model looked, not why.",
)


class Completing(Use[LanguageModelling]):
    options = "--text FILE"
    metrics = ("perplexity", "nll")

    def corpus(self, spec: CorpusSpec, name: str) -> Corpus:
        if len(spec.files) > 1:
            raise SpecError(
                "model: does not read and say sentences, but goes on with texts; give it one file "
                "of text (--text FILE), or choose a model that translates"
            )
        return spec.build(name, Lines)

    def settings(self, data: DataSpec) -> Settings:
        return replace(data.build(), sides=("nothing", "prose"), limits=None)

    def begin(self, run: Run, prepared: Prepared, tokenizer: SentencePiece) -> LanguageModelling:
        if run.train.sampling:
            raise SpecError("train.sampling: windows of text cannot be cut anew; say 0")
        valid = run.data.valid
        if valid is None:
            texts = held_out(prepared, tokenizer)
        else:
            texts = read_texts(self.corpus(valid, "valid"))
        return LanguageModelling(run, prepared, tokenizer, thinned(texts))

    def build(self, task: LanguageModelling) -> LanguageModel[Any]:
        return build_model(task.run, task.tokenizer.size)

    def tell(
        self, task: LanguageModelling, model: LanguageModel[Any], outcome: Outcome
    ) -> dict[str, bytes]:
        return told(
            task,
            model,
            outcome,
            pieces="its texts",
            search="the likeliest piece each time, or what chance draws",
            in_words={},
            pipeline="text-generation",
            call='complete(["…"])[0]',
            units=("texts", "", "pieces"),
            not_for=NOT_FOR,
        )

    def load(self, bundle: Bundle, engine: EngineName, device: str | None) -> Completer:
        return completer_in(bundle, device)

    def measure(self, bundle: Bundle, corpus: Corpus) -> Scores:
        return foreseen(completer_in(bundle), sealed_tokenizer(bundle), read_texts(corpus))


USE = Completing()

"""The use of models that read sentences and say sentences: translation."""

from __future__ import annotations

from typing import Any

from regard.batch import Tokens
from regard.bundle.bundle import Bundle
from regard.data.batches.shards import Prepared
from regard.data.corpus import Corpus
from regard.data.preparation.prepare import Settings
from regard.engine.engine import EngineName
from regard.errors import SpecError
from regard.explain.align import Pointer
from regard.models import EncoderDecoder
from regard.spec.data import CorpusSpec, DataSpec
from regard.spec.run import Run
from regard.tasks.card import told
from regard.tasks.translation.finish import know_itself
from regard.tasks.translation.task import Translation, held_out, read_valid
from regard.tasks.translation.translator import (
    Translator,
    build_model,
    facts,
    translator_in,
)
from regard.tasks.use import Use
from regard.text.tokenizer import SentencePiece
from regard.train.trainer import Outcome


class Translating(Use[Translation]):
    options = "--source FILE --target FILE"
    metrics = ("bleu", "chrf", "nll")
    guided = True

    def corpus(self, spec: CorpusSpec, name: str) -> Corpus:
        return spec.build(name)

    def settings(self, data: DataSpec) -> Settings:
        return data.build()

    def begin(self, run: Run, prepared: Prepared, tokenizer: SentencePiece) -> Translation:
        valid = run.data.valid
        if valid is None:
            pairs = held_out(prepared, tokenizer)
        else:
            pairs = read_valid(self.corpus(valid, "valid"))
        if not pairs.sources:
            raise SpecError("data.valid: holds no pairs; name a corpus, or raise data.held_out")
        return Translation(run, prepared, tokenizer, pairs)

    def circumstances(self, task: Translation) -> dict[str, Any]:
        """The links themselves, wherever they lie."""
        known = None if task.guiding is None else task.guiding[0].links.fingerprint
        return {"train.guide.links": known}

    def build(self, task: Translation) -> EncoderDecoder[Tokens, Any]:
        return build_model(task.run, task.tokenizer.size)

    def tell(
        self, task: Translation, model: EncoderDecoder[Tokens, Any], outcome: Outcome
    ) -> dict[str, bytes]:
        translator = task.translator(model)
        know_itself(translator, task.prepared, task.valid)
        search, pointer = task.run.search, translator.pointer
        card = told(
            task,
            model,
            outcome,
            pieces="both sides",
            search=f"beam {search.beam}, scores divided by length^{search.alpha:g}",
            alignment=None if pointer is None else _alignment(pointer),
            in_words={"nll": "mean −log p of a reference's token, having read those before it"},
        )
        return {**facts(translator), **card}

    def load(self, bundle: Bundle, engine: EngineName, device: str | None) -> Translator:
        return translator_in(bundle, engine=engine, device=device)


def _alignment(pointer: Pointer) -> str:
    return f"{pointer.in_words}; F1 {pointer.agreement:.3f} with a dictionary's links"


USE = Translating()

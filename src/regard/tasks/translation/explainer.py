"""Explain translations: search, forward trace, alignment and interventions of one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

from regard.align.extraction import align_words
from regard.align.links import Links
from regard.align.tokenized_text import AlignmentHead, TokenizedText, check_links
from regard.batch import Tokens, pad
from regard.errors import ConfigError, CorpusError
from regard.explain.beam_tree import BeamTree, build_beam_tree
from regard.explain.changes import Changes, changed_attention, search_changed
from regard.explain.interventions import run_interventions
from regard.explain.live_model import Precision, write_live_model
from regard.explain.record import Explanation, ModelIdentity, make_explanation
from regard.inference.engine import (
    Engine,
    SearchOptions,
    Splitting,
    max_target_length,
    search_texts,
)
from regard.inference.threads import single_threaded
from regard.models import EncoderDecoder
from regard.tasks.translation.loading import TranslationModel
from regard.text.tokenizer import EOS, Tokenizer


@dataclass(frozen=True, slots=True)
class TranslationExplainer:
    """Explains translations of `model` with the parts of a `Translator`."""

    model: EncoderDecoder[Tokens, Any]
    tokenizer: Tokenizer  # of the source
    splitting: Splitting
    options: SearchOptions
    engine: Engine
    alignment_head: AlignmentHead | None
    saved: TranslationModel | None  # None: the model is not of a bundle
    target_tokenizer: Tokenizer

    @single_threaded()
    def explain(
        self,
        source: str,
        target: str | None,
        attention: str | None,
        head: int | None,
        gold: Links | None,
        changes: Changes | None,
    ) -> Explanation:
        """As `Translator.explain`."""
        source_text, beam = TokenizedText.from_text(self.tokenizer, source), None
        if not source_text.pieces.ids:
            raise CorpusError("source: is empty. Pass a sentence.")
        if changes is not None:
            changes.check(self.model, len(source_text.pieces.ids) + 1)
        if target is not None:
            target_text = TokenizedText.from_text(self.target_tokenizer, target)
        elif changes is not None:
            hypotheses = search_changed(self.model, source_text.pieces.ids, changes, self.options)
            target_text = TokenizedText.from_tokens(self.target_tokenizer, hypotheses[0].tokens)
        else:
            target_text, beam = self._search_with_beam(source)
        if gold is not None:
            check_links(gold, source_text, target_text, "gold")
        with nullcontext() if changes is None else changed_attention(self.model, changes):
            explanation = make_explanation(
                self.model,
                self.target_tokenizer,
                ModelIdentity("unsaved model") if self.saved is None else self.saved.identity,
                source_text,
                target_text,
                self._model_input(source_text.pieces.ids),
                engine=self.engine.name if target is None else None,
                search=self.options.summary,
                alignment_head=self.alignment_head,
                attention=attention,
                head=head,
            )
        links = Links()
        if self.alignment_head is not None:
            forced = explanation.trace.forced
            links = align_words(self.alignment_head, source_text, target_text, forced).links
        explanation = replace(explanation, links=links, gold=gold, beam=beam)
        if changes is not None:  # further changes of a changed model are not recorded
            return explanation
        interventions = run_interventions(
            self.model, source_text.pieces.ids, source_text.word_pieces, target_text.pieces.ids
        )
        return replace(explanation, interventions=interventions)

    def live_model(self, precision: Precision, max_bytes: int) -> str:
        """As `Translator.live_model`."""
        if self.saved is None:
            raise ConfigError("model: is not of a bundle, so its settings are not known. Save it.")
        return write_live_model(
            self.model,
            self.saved.config.model.model_dump(mode="json"),
            (self.tokenizer, self.target_tokenizer),
            self.options,
            identity=self.saved.identity,
            alignment_head=self.alignment_head,
            precision=precision,
            max_bytes=max_bytes,
        )

    def _search_with_beam(self, source: str) -> tuple[TokenizedText, BeamTree | None]:
        """Translate a sentence; also return the model's beam search if it finds the same."""
        (segments,) = search_texts(
            self.engine, self.tokenizer, self.splitting, [source], self.options
        )
        if len(segments) > 1:
            parts = "; ".join(repr(source[slice(*segment.span)]) for segment in segments)
            raise CorpusError(
                f"source: is translated in {len(segments)} segments. Explain one of them: {parts}"
            )
        tokens = segments[0].hypotheses[0].tokens
        model_input = self._model_input(segments[0].source)
        hypotheses, beam = build_beam_tree(
            self.model,
            model_input,
            beam_size=self.options.beam_size,
            length_penalty=self.options.length_penalty,
            max_length=max_target_length(
                model_input.ids.size(1), max_positions=self.model.decoder.max_positions
            ),
        )
        same = hypotheses[0].tokens == tokens
        return TokenizedText.from_tokens(self.target_tokenizer, tokens), beam if same else None

    def _model_input(self, ids: Sequence[int]) -> Tokens:
        return pad([[*ids, EOS]]).to(next(self.model.parameters()).device)

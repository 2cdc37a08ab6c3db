"""The front door: texts in, translations out, with where each word came from and what to check.

`regard.load("model/").translate(["A dog runs."])` is the way from raw string to raw string.
Training validates and seals by it too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from regard.align.extraction import (
    AlignmentHead,
    WordAlignment,
    concatenate_alignments,
    force_texts,
    has_alignment_head,
)
from regard.align.extraction import align_words as align_pair
from regard.align.links import Links
from regard.align.tokenized_text import TokenizedText
from regard.batch import Tokens, pad
from regard.bundle.bundle import Bundle, open_bundle
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.errors import ArtifactError, ConfigError, CorpusError
from regard.evaluate.quality import QualityReport, QualityThresholds, assess_quality, worst_report
from regard.explain.assemble import make_explanation
from regard.explain.beam_tree import BeamTree, build_beam_tree
from regard.explain.interventions import run_interventions
from regard.explain.record import Explanation, ModelIdentity
from regard.inference.engine import Engine, EngineName, SearchOptions, max_target_length
from regard.inference.forced_decoding import force_decode
from regard.inference.pipeline import Segment, Splitting, join_segments, search_texts
from regard.inference.torch_engine import TorchEngine
from regard.models import EncoderDecoder
from regard.search import Hypothesis
from regard.tasks.bundles import bundle_config, bundle_identity, bundle_model, bundle_tokenizer
from regard.text.tokenizer import EOS, Span, Tokenizer

EXPORTS: tuple[EngineName, ...] = ("ctranslate2", "ctranslate2-int8")
"""The folders of a bundle with the same model for another engine; the first is preferred."""

SPLIT_FILE, ALIGNMENT_FILE, QUALITY_FILE = "splitting.json", "alignment.json", "quality.json"
"""What a model knows of itself: how long its texts were, which look points, what is usual."""


@dataclass(frozen=True, slots=True)
class TranslatedSegment:
    """A stretch of the source that was translated as one: all of it, unless it was long."""

    span: Span  # of the source's characters
    target_span: Span  # of the translation's
    text: str
    pieces: tuple[str, ...]
    logps: tuple[float, ...]  # of each piece, and of the end where it was reached, where known


@dataclass(frozen=True, slots=True)
class TranslationResult:
    source: str
    text: str
    score: float  # Σ log p / length^alpha: what translations of a source are ranked by
    segments: tuple[TranslatedSegment, ...]
    n_best: tuple[TranslationResult, ...] = ()  # the next best, where they were asked for
    alignment: WordAlignment | None = None  # word by word, where it was asked for
    quality: QualityReport | None = None  # where it was asked for

    @property
    def logps(self) -> tuple[float, ...]:
        return tuple(logp for part in self.segments for logp in part.logps)

    def __str__(self) -> str:
        return self.text


class Translator:
    """A model, its text pipeline, an engine, and what the model knows of itself."""

    def __init__(
        self,
        model: EncoderDecoder[Tokens, Any],
        tokenizer: Tokenizer,
        splitting: Splitting,
        options: SearchOptions,
        *,
        engine: Engine | None = None,  # by default the model itself
        alignment_head: AlignmentHead | None = None,
        thresholds: QualityThresholds | None = None,
        identity: ModelIdentity | None = None,
    ) -> None:
        self.model, self.tokenizer, self.splitting, self.options = (
            model,
            tokenizer,
            splitting,
            options,
        )
        self.engine = engine or TorchEngine(model)
        self.alignment_head, self.thresholds = alignment_head, thresholds
        self.identity = identity or ModelIdentity("a model that was not sealed")

    def translate(
        self,
        texts: Sequence[str],
        how: SearchOptions | None = None,
        *,
        best: int = 1,
        logps: bool = False,
        align: bool = False,
        check: bool = False,
    ) -> list[TranslationResult]:
        """Translate each text; `how` by default as the model was sealed.

        `best` asks for so many translations of each, the next ones as its alternatives; `logps` for
        the log-probability of each piece, which not every engine tells for nothing; `align` for the
        links between their words; `check` for an alarm where something may be dropped, repeated or
        made up. An empty text is translated by nothing, and has none of these.
        """
        if isinstance(texts, str):
            raise CorpusError("texts: is one string; give a list of texts")
        how = how or self.options
        found = search_texts(self.engine, self.tokenizer, self.splitting, texts, how)
        if logps:
            found = self._add_logps(found, best)
        translations = []
        for text, parts in zip(texts, found, strict=True):
            ranks = range(min(best, max((len(part.hypotheses) for part in parts), default=1)))
            first, *others = [
                self._translation(text, parts, rank, how.length_penalty) for rank in ranks
            ]
            translations.append(replace(first, n_best=tuple(others)))
        return self._annotate(translations, align, check) if align or check else translations

    def align(
        self, sources: Sequence[str], targets: Sequence[str], *, pretokenized: bool = False
    ) -> list[WordAlignment]:
        """Which words of a source each word of a target looks at, by reading the pairs once more.

        `pretokenized`: words are what stands between spaces.
        """
        if len(sources) != len(targets):
            raise CorpusError(
                f"targets: {len(targets)} for {len(sources)} sources; give one for each"
            )
        read = self._force_decode(sources, targets, pretokenized=pretokenized, with_logps=False)
        return [aligned for aligned, _ in read]

    def force_decode(
        self, sources: Sequence[str], targets: Sequence[str]
    ) -> list[tuple[WordAlignment, tuple[float, ...]]]:
        """The same, and how likely each piece of a target and its end were."""
        return self._force_decode(sources, targets, with_logps=True)

    def _force_decode(
        self,
        sources: Sequence[str],
        targets: Sequence[str],
        *,
        pretokenized: bool = False,
        with_logps: bool,
    ) -> list[tuple[WordAlignment, tuple[float, ...]]]:
        pointer = self.alignment_head
        if pointer is None:
            raise ArtifactError(
                "model: looks at nothing while it translates, so it cannot tell which word stands "
                "for which; use a model with attention"
            )
        sides = (
            [TokenizedText.from_text(self.tokenizer, text, spaced=pretokenized) for text in side]
            for side in (sources, targets)
        )
        pairs = list(zip(*sides, strict=True))
        readings = force_texts(self.model, pairs, [pointer.attention], with_logps=with_logps)
        return [
            (align_pair(pointer, source, target, reading), reading.logps)
            for (source, target), reading in zip(pairs, readings, strict=True)
        ]

    def explain(
        self,
        source: str,
        target: str | None = None,
        *,
        attention: str | None = None,
        head: int | None = None,
        gold: Links | None = None,
    ) -> Explanation:
        """All that the model did while it translated `source`: a record to look at.

        With a `target`, as if it had said that. `look` and `head` choose what can be walked through
        with every number; by default the look that aligns words. `gold`: word links by hand.
        """
        read, beam = TokenizedText.from_text(self.tokenizer, source), None
        if not read.pieces.ids:
            raise CorpusError("source: says nothing; give a sentence")
        if target is None:
            said, beam = self._search_with_beam(source)
        else:
            said = TokenizedText.from_text(self.tokenizer, target)
        if gold is not None:
            _check_links(gold, read, said)
        pointer = self.alignment_head
        explanation = make_explanation(
            self.model,
            self.tokenizer,
            self.identity,
            read,
            said,
            pad([[*read.pieces.ids, EOS]]).to(next(self.model.parameters()).device),
            engine=self.engine.name if target is None else None,
            search=self.options.summary,
            alignment_head=pointer,
            attention=attention,
            head=head,
        )
        links = Links()
        if pointer is not None:
            links = align_pair(pointer, read, said, explanation.trace.forced).links
        return replace(
            explanation,
            links=links,
            gold=gold,
            beam=beam,
            interventions=run_interventions(
                self.model, read.pieces.ids, read.word_pieces, said.pieces.ids
            ),
        )

    def _search_with_beam(self, source: str) -> tuple[TokenizedText, BeamTree | None]:
        """What the engine says of a source; and how the model's own beam comes to the same."""
        (parts,) = search_texts(self.engine, self.tokenizer, self.splitting, [source], self.options)
        if len(parts) > 1:
            stretches = "; ".join(repr(source[slice(*part.span)]) for part in parts)
            raise CorpusError(
                f"source: is translated in {len(parts)} stretches, each by itself; explain one of "
                f"them: {stretches}"
            )
        tokens = parts[0].hypotheses[0].tokens
        ids = pad([[*parts[0].source, EOS]]).to(next(self.model.parameters()).device)
        how = self.options
        found, beam = build_beam_tree(
            self.model,
            ids,
            beam_size=how.beam_size,
            length_penalty=how.length_penalty,
            max_length=max_target_length(ids.ids.size(1)),
        )
        return TokenizedText.from_tokens(self.tokenizer, tokens), beam if found[
            0
        ].tokens == tokens else None

    def _translation(
        self, text: str, said: list[Segment], rank: int, alpha: float
    ) -> TranslationResult:
        chosen = [part.hypotheses[min(rank, len(part.hypotheses) - 1)] for part in said]
        texts = [self.tokenizer.decode(hypothesis.tokens) for hypothesis in chosen]
        joined, places = join_segments(text, [part.span for part in said], texts)
        parts = tuple(
            TranslatedSegment(
                part.span, place, own, tuple(map(self.tokenizer.piece, best.tokens)), best.logps
            )
            for part, place, own, best in zip(said, places, texts, chosen, strict=True)
        )
        return TranslationResult(text, joined, _score(chosen, alpha), parts)

    def _add_logps(self, found: list[list[Segment]], best: int) -> list[list[Segment]]:
        """The same, with the log-probabilities of those hypotheses of which they are not known."""
        asked = [
            (part.source, hypothesis.tokens)
            for parts in found
            for part in parts
            for hypothesis in part.hypotheses[:best]
            if not hypothesis.logps
        ]
        readings = iter(force_decode(self.model, asked, ()))

        def forced(hypothesis: Hypothesis) -> Hypothesis:
            return (
                hypothesis if hypothesis.logps else replace(hypothesis, logps=next(readings).logps)
            )

        return [
            [replace(part, hypotheses=tuple(map(forced, part.hypotheses[:best]))) for part in parts]
            for parts in found
        ]

    def _annotate(
        self, translations: list[TranslationResult], align: bool, check: bool
    ) -> list[TranslationResult]:
        if check and self.thresholds is None:
            raise ArtifactError("model: was sealed without knowing what is usual; seal it again")
        stretches = [
            (found.source[slice(*part.span)], part.text)
            for found in translations
            for part in found.segments
        ]
        read = iter(
            self._force_decode(*zip(*stretches, strict=True), with_logps=check) if stretches else ()
        )
        explained = []
        for found in translations:
            parts = [(part, *next(read)) for part in found.segments]
            if parts and align:
                spans = [(part.span, part.target_span, aligned) for part, aligned, _ in parts]
                found = replace(
                    found, alignment=concatenate_alignments(found.source, found.text, spans)
                )
            if parts and check and self.thresholds is not None:
                alarms = [
                    (part.span[0], assess_quality(self.thresholds, aligned, logps))
                    for part, aligned, logps in parts
                ]
                found = replace(found, quality=worst_report(alarms))
            explained.append(found)
        return explained


def _check_links(links: Links, source: TokenizedText, target: TokenizedText) -> None:
    size = len(source.words), len(target.words)
    for link in sorted(links):
        if link[0] >= size[0] or link[1] >= size[1]:
            raise CorpusError(
                f"gold: links word {link[0]} with {link[1]}, counted from 0, of sentences of "
                f"{size[0]} and {size[1]} words"
            )


def _score(chosen: Sequence[Hypothesis], alpha: float) -> float:
    """Of several parts, as if they were one sentence."""
    if len(chosen) == 1:
        return chosen[0].score
    lengths = [len(hypothesis.tokens) + 1 for hypothesis in chosen]
    logp = sum(h.score * n**alpha for h, n in zip(chosen, lengths, strict=True))
    return logp / max(1, sum(lengths)) ** alpha


def load_translator(
    path: str | Path,
    *,
    engine: EngineName = "auto",
    device: str | None = None,
) -> Translator:
    """Open a sealed model.

    `engine`: what it translates with; by default CTranslate2 where it was exported to it, the model
    itself elsewhere. `invariant` is the model itself, and no translation depends on its neighbours
    by a single bit.
    """
    return translator_from_bundle(open_bundle(Path(path)), engine=engine, device=device)


def translator_from_bundle(
    bundle: Bundle, *, engine: EngineName = "auto", device: str | None = None
) -> Translator:
    """The same, of a bundle that is open."""
    run, tokenizer = bundle_config(bundle), bundle_tokenizer(bundle)
    model = bundle_model(bundle, lambda: build_translation_model(run, tokenizer.size), device)
    splitting, pointer, bounds = _read_facts(bundle)
    if pointer is not None and not has_alignment_head(model, pointer):
        raise ArtifactError(
            f"{bundle.path / ALIGNMENT_FILE}: {pointer.attention!r} is no look of the model"
        )
    return Translator(
        model,
        tokenizer,
        splitting,
        SearchOptions(run.search.beam_size, run.search.length_penalty),
        engine=_engine(bundle, model, engine),
        alignment_head=pointer,
        thresholds=bounds,
        identity=bundle_identity(bundle, run, model),
    )


def build_translation_model(run: RunConfig, vocabulary: int) -> EncoderDecoder[Tokens, Any]:
    """The model of a run that translates, as yet knowing nothing."""
    model = run.model
    if model.kind != "encoder-decoder" or model.reads != "sentences":
        raise ConfigError("model: does not read and say sentences; choose one that does")
    return model.build(VocabularySizes(vocabulary, vocabulary))


def calibration_files(translator: Translator) -> dict[str, bytes]:
    """What a model knows of itself, as the files of a bundle."""
    known = {
        SPLIT_FILE: translator.splitting,
        ALIGNMENT_FILE: translator.alignment_head,
        QUALITY_FILE: translator.thresholds,
    }
    return {
        name: json.dumps(asdict(fact), indent=1).encode()
        for name, fact in known.items()
        if fact is not None
    }


def _read_facts(bundle: Bundle) -> tuple[Splitting, AlignmentHead | None, QualityThresholds | None]:
    return (
        bundle.value(SPLIT_FILE, Splitting),
        bundle.value(ALIGNMENT_FILE, AlignmentHead) if ALIGNMENT_FILE in bundle.names else None,
        bundle.value(QUALITY_FILE, QualityThresholds) if QUALITY_FILE in bundle.names else None,
    )


def _engine(bundle: Bundle, model: EncoderDecoder[Tokens, Any], name: EngineName) -> Engine:
    exported = [folder for folder in EXPORTS if f"{folder}/model.bin" in bundle.names]
    if name == "auto":
        name = exported[0] if exported else "torch"
    if name in ("torch", "invariant"):
        return TorchEngine(model, invariant=name == "invariant")
    if name not in exported:
        raise ArtifactError(
            f"{bundle.path}: holds no {name}; run `regard export {bundle.path} --to ctranslate2`"
        )
    from regard.inference.ctranslate2_engine import CTranslate2Engine

    names = [file for file in bundle.names if file.startswith(f"{name}/")]
    return CTranslate2Engine({file.removeprefix(f"{name}/"): bundle.read(file) for file in names})

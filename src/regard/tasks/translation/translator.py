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

from regard.batch import Tokens, pad
from regard.bundle.bundle import Bundle, unseal
from regard.engine.engine import Decoding, Engine, EngineName, limit
from regard.engine.texts import Said, Splitting, join, search_texts
from regard.engine.torch import TorchEngine
from regard.errors import ArtefactError, CorpusError, SpecError
from regard.explain.alarm import Alarm, Bounds, judge, worst
from regard.explain.align import Aligned, Pointer, Text, concatenate, has, reread_texts
from regard.explain.align import align as align_pair
from regard.explain.dictionary import Links
from regard.explain.explain import explain
from regard.explain.record import Explanation, Identity
from regard.explain.reread import reread
from regard.explain.tree import Beam, grow
from regard.explain.whatif import ask_what_if
from regard.models import EncoderDecoder
from regard.search import Hypothesis
from regard.spec.model import Sizes
from regard.spec.run import Run
from regard.tasks.sealed import identity_of, sealed_model, sealed_run, sealed_tokenizer
from regard.text.tokenizer import EOS, Span, Tokenizer

EXPORTS: tuple[EngineName, ...] = ("ctranslate2", "ctranslate2-int8")
"""The folders of a bundle with the same model for another engine; the first is preferred."""

SPLITTING, ALIGNMENT, ALARMS = "text.json", "alignment.json", "alarms.json"
"""What a model knows of itself: how long its texts were, which look points, what is usual."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the source that was translated as one: all of it, unless it was long."""

    span: Span  # of the source's characters
    place: Span  # of the translation's
    text: str
    pieces: tuple[str, ...]
    logps: tuple[float, ...]  # of each piece, and of the end where it was reached, where known


@dataclass(frozen=True, slots=True)
class Translation:
    source: str
    text: str
    score: float  # Σ log p / length^alpha: what translations of a source are ranked by
    parts: tuple[Part, ...]
    alternatives: tuple[Translation, ...] = ()  # the next best, where they were asked for
    aligned: Aligned | None = None  # word by word, where it was asked for
    alarm: Alarm | None = None  # where it was asked for

    @property
    def logps(self) -> tuple[float, ...]:
        return tuple(logp for part in self.parts for logp in part.logps)

    def __str__(self) -> str:
        return self.text


class Translator:
    """A model, its text pipeline, an engine, and what the model knows of itself."""

    def __init__(
        self,
        model: EncoderDecoder[Tokens, Any],
        tokenizer: Tokenizer,
        splitting: Splitting,
        how: Decoding,
        *,
        engine: Engine | None = None,  # by default the model itself
        pointer: Pointer | None = None,
        bounds: Bounds | None = None,
        identity: Identity | None = None,
    ) -> None:
        self.model, self.tokenizer, self.splitting, self.how = model, tokenizer, splitting, how
        self.engine = engine or TorchEngine(model)
        self.pointer, self.bounds = pointer, bounds
        self.identity = identity or Identity("a model that was not sealed")

    def translate(
        self,
        texts: Sequence[str],
        how: Decoding | None = None,
        *,
        best: int = 1,
        logps: bool = False,
        align: bool = False,
        check: bool = False,
    ) -> list[Translation]:
        """Translate each text; `how` by default as the model was sealed.

        `best` asks for so many translations of each, the next ones as its alternatives; `logps` for
        the log-probability of each piece, which not every engine tells for nothing; `align` for the
        links between their words; `check` for an alarm where something may be dropped, repeated or
        made up. An empty text is translated by nothing, and has none of these.
        """
        if isinstance(texts, str):
            raise CorpusError("texts: is one string; give a list of texts")
        how = how or self.how
        found = search_texts(self.engine, self.tokenizer, self.splitting, texts, how)
        if logps:
            found = self._forced(found, best)
        translations = []
        for text, parts in zip(texts, found, strict=True):
            ranks = range(min(best, max((len(part.hypotheses) for part in parts), default=1)))
            first, *others = [self._translation(text, parts, rank, how.alpha) for rank in ranks]
            translations.append(replace(first, alternatives=tuple(others)))
        return self._explained(translations, align, check) if align or check else translations

    def align(
        self, sources: Sequence[str], targets: Sequence[str], *, pretokenized: bool = False
    ) -> list[Aligned]:
        """Which words of a source each word of a target looks at, by reading the pairs once more.

        `pretokenized`: words are what stands between spaces.
        """
        if len(sources) != len(targets):
            raise CorpusError(
                f"targets: {len(targets)} for {len(sources)} sources; give one for each"
            )
        read = self._reread(sources, targets, pretokenized=pretokenized, judge=False)
        return [aligned for aligned, _ in read]

    def reread(
        self, sources: Sequence[str], targets: Sequence[str]
    ) -> list[tuple[Aligned, tuple[float, ...]]]:
        """The same, and how likely each piece of a target and its end were."""
        return self._reread(sources, targets, judge=True)

    def _reread(
        self,
        sources: Sequence[str],
        targets: Sequence[str],
        *,
        pretokenized: bool = False,
        judge: bool,
    ) -> list[tuple[Aligned, tuple[float, ...]]]:
        pointer = self.pointer
        if pointer is None:
            raise ArtefactError(
                "model: looks at nothing while it translates, so it cannot tell which word stands "
                "for which; use a model with attention"
            )
        sides = (
            [Text.read(self.tokenizer, text, spaced=pretokenized) for text in side]
            for side in (sources, targets)
        )
        pairs = list(zip(*sides, strict=True))
        readings = reread_texts(self.model, pairs, [pointer.look], judge=judge)
        return [
            (align_pair(pointer, source, target, reading), reading.logps)
            for (source, target), reading in zip(pairs, readings, strict=True)
        ]

    def explain(
        self,
        source: str,
        target: str | None = None,
        *,
        look: str | None = None,
        head: int | None = None,
        gold: Links | None = None,
    ) -> Explanation:
        """All that the model did while it translated `source`: a record to look at.

        With a `target`, as if it had said that. `look` and `head` choose what can be walked through
        with every number; by default the look that aligns words. `gold`: word links by hand.
        """
        read, beam = Text.read(self.tokenizer, source), None
        if not read.pieces.ids:
            raise CorpusError("source: says nothing; give a sentence")
        if target is None:
            said, beam = self._searched(source)
        else:
            said = Text.read(self.tokenizer, target)
        if gold is not None:
            _must_link(gold, read, said)
        pointer = self.pointer
        explanation = explain(
            self.model,
            self.tokenizer,
            self.identity,
            read,
            said,
            pad([[*read.pieces.ids, EOS]]).to(next(self.model.parameters()).device),
            engine=self.engine.name if target is None else None,
            search=self.how.in_words,
            pointer=pointer,
            look=look,
            head=head,
        )
        links = Links()
        if pointer is not None:
            links = align_pair(pointer, read, said, explanation.read.reading).links
        return replace(
            explanation,
            links=links,
            gold=gold,
            beam=beam,
            whatifs=ask_what_if(self.model, read.pieces.ids, read.word_pieces, said.pieces.ids),
        )

    def _searched(self, source: str) -> tuple[Text, Beam | None]:
        """What the engine says of a source; and how the model's own beam comes to the same."""
        (parts,) = search_texts(self.engine, self.tokenizer, self.splitting, [source], self.how)
        if len(parts) > 1:
            stretches = "; ".join(repr(source[slice(*part.span)]) for part in parts)
            raise CorpusError(
                f"source: is translated in {len(parts)} stretches, each by itself; explain one of "
                f"them: {stretches}"
            )
        tokens = parts[0].hypotheses[0].tokens
        ids = pad([[*parts[0].source, EOS]]).to(next(self.model.parameters()).device)
        how = self.how
        found, beam = grow(
            self.model, ids, width=how.width, alpha=how.alpha, limit=limit(ids.ids.size(1))
        )
        return Text.spelt(self.tokenizer, tokens), beam if found[0].tokens == tokens else None

    def _translation(self, text: str, said: list[Said], rank: int, alpha: float) -> Translation:
        chosen = [part.hypotheses[min(rank, len(part.hypotheses) - 1)] for part in said]
        texts = [self.tokenizer.decode(hypothesis.tokens) for hypothesis in chosen]
        joined, places = join(text, [part.span for part in said], texts)
        parts = tuple(
            Part(part.span, place, own, tuple(map(self.tokenizer.piece, best.tokens)), best.logps)
            for part, place, own, best in zip(said, places, texts, chosen, strict=True)
        )
        return Translation(text, joined, _score(chosen, alpha), parts)

    def _forced(self, found: list[list[Said]], best: int) -> list[list[Said]]:
        """The same, with the log-probabilities of those hypotheses of which they are not known."""
        asked = [
            (part.source, hypothesis.tokens)
            for parts in found
            for part in parts
            for hypothesis in part.hypotheses[:best]
            if not hypothesis.logps
        ]
        readings = iter(reread(self.model, asked, ()))

        def forced(hypothesis: Hypothesis) -> Hypothesis:
            return (
                hypothesis if hypothesis.logps else replace(hypothesis, logps=next(readings).logps)
            )

        return [
            [replace(part, hypotheses=tuple(map(forced, part.hypotheses[:best]))) for part in parts]
            for parts in found
        ]

    def _explained(
        self, translations: list[Translation], align: bool, check: bool
    ) -> list[Translation]:
        if check and self.bounds is None:
            raise ArtefactError("model: was sealed without knowing what is usual; seal it again")
        stretches = [
            (found.source[slice(*part.span)], part.text)
            for found in translations
            for part in found.parts
        ]
        read = iter(self._reread(*zip(*stretches, strict=True), judge=check) if stretches else ())
        explained = []
        for found in translations:
            parts = [(part, *next(read)) for part in found.parts]
            if parts and align:
                spans = [(part.span, part.place, aligned) for part, aligned, _ in parts]
                found = replace(found, aligned=concatenate(found.source, found.text, spans))
            if parts and check and self.bounds is not None:
                alarms = [
                    (part.span[0], judge(self.bounds, aligned, logps))
                    for part, aligned, logps in parts
                ]
                found = replace(found, alarm=worst(alarms))
            explained.append(found)
        return explained


def _must_link(links: Links, source: Text, target: Text) -> None:
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


def load(
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
    return translator_in(unseal(Path(path)), engine=engine, device=device)


def translator_in(
    bundle: Bundle, *, engine: EngineName = "auto", device: str | None = None
) -> Translator:
    """The same, of a bundle that is open."""
    run, tokenizer = sealed_run(bundle), sealed_tokenizer(bundle)
    model = sealed_model(bundle, lambda: build_model(run, tokenizer.size), device)
    splitting, pointer, bounds = _read_facts(bundle)
    if pointer is not None and not has(model, pointer):
        raise ArtefactError(f"{bundle.path / ALIGNMENT}: {pointer.look!r} is no look of the model")
    return Translator(
        model,
        tokenizer,
        splitting,
        Decoding(run.search.beam, run.search.alpha),
        engine=_engine(bundle, model, engine),
        pointer=pointer,
        bounds=bounds,
        identity=identity_of(bundle, run, model),
    )


def build_model(run: Run, vocabulary: int) -> EncoderDecoder[Tokens, Any]:
    """The model of a run that translates, as yet knowing nothing."""
    model = run.model
    if model.kind != "encoder-decoder" or model.reads != "sentences":
        raise SpecError("model: does not read and say sentences; choose one that does")
    return model.build(Sizes(vocabulary, vocabulary))


def facts(translator: Translator) -> dict[str, bytes]:
    """What a model knows of itself, as the files of a bundle."""
    known = {
        SPLITTING: translator.splitting,
        ALIGNMENT: translator.pointer,
        ALARMS: translator.bounds,
    }
    return {
        name: json.dumps(asdict(fact), indent=1).encode()
        for name, fact in known.items()
        if fact is not None
    }


def _read_facts(bundle: Bundle) -> tuple[Splitting, Pointer | None, Bounds | None]:
    return (
        bundle.value(SPLITTING, Splitting),
        bundle.value(ALIGNMENT, Pointer) if ALIGNMENT in bundle.names else None,
        bundle.value(ALARMS, Bounds) if ALARMS in bundle.names else None,
    )


def _engine(bundle: Bundle, model: EncoderDecoder[Tokens, Any], name: EngineName) -> Engine:
    exported = [folder for folder in EXPORTS if f"{folder}/model.bin" in bundle.names]
    if name == "auto":
        name = exported[0] if exported else "torch"
    if name in ("torch", "invariant"):
        return TorchEngine(model, invariant=name == "invariant")
    if name not in exported:
        raise ArtefactError(
            f"{bundle.path}: holds no {name}; run `regard export {bundle.path} --to ctranslate2`"
        )
    from regard.engine.ctranslate2 import CTranslate2Engine

    names = [file for file in bundle.names if file.startswith(f"{name}/")]
    return CTranslate2Engine({file.removeprefix(f"{name}/"): bundle.read(file) for file in names})

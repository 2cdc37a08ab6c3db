"""Translate texts with a trained model.

translator = regard.Translator.load("run/model")
translator.translate(["A dog runs."])[0].text

This module is free of torch. A bundle with an exported model translates without it. Methods that
use the PyTorch model import the modules of their computation when they are called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from regard.align.links import Links
from regard.align.tokenized_text import AlignmentHead
from regard.align.word_aligner import WordAligner
from regard.align.word_alignment import WordAlignment
from regard.bundle.bundle import Bundle, bundle_tokenizers, open_bundle
from regard.bundle.remote import fetch_bundle
from regard.documents.formats.texts import XmlTags
from regard.documents.sandbox import SandboxReader
from regard.errors import CorpusError
from regard.evaluate.quality import QualityFeatures, QualityThresholds, measure_features
from regard.inference.engine import (
    EncodedPart,
    Engine,
    EngineName,
    SearchOptions,
    Splitting,
    search_parts,
    split_texts,
)
from regard.tasks.translation.bundle_model import BundleModel
from regard.tasks.translation.bundle_parts import (
    ModelLanguages,
    choose_export,
    load_export,
    read_aligner,
    read_alignment_head,
    read_languages,
    read_splitting,
    read_thresholds,
)
from regard.tasks.translation.documents import (
    DocumentJob,
    TranslatedDocument,
    open_memory,
    open_terms,
    read_document,
    translate_content,
)
from regard.tasks.translation.marked_texts import (
    MarkedTexts,
    MarkedTranslation,
    Markup,
    MarkupOptions,
    translate_texts,
)
from regard.tasks.translation.options import (
    DOCUMENT_OPTIONS,
    AlignWith,
    DocumentKeywords,
    TranslateKeywords,
    TranslateOptions,
)
from regard.tasks.translation.result import (
    Annotator,
    ForcedPair,
    TranslationResult,
    ranked_results,
    tokenize_pairs,
)
from regard.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from regard.batch import Tokens
    from regard.explain.changes import Changes
    from regard.explain.live_model import Precision
    from regard.explain.record import Explanation
    from regard.models import EncoderDecoder
    from regard.tasks.translation.explainer import TranslationExplainer


class Translator:
    """A translation model with its tokenizer, its search engine and its calibration.

    Args:
        model: Used for log-probabilities, attention, quality checks and explanations. The model of
            a bundle is loaded on first use.
        tokenizer: Of the source.
        splitting: Lengths above which a text is split.
        options: Default beam size and length penalty.
        engine: Finds translations; by default the model itself.
        alignment_head: The attention weights that can align words.
        aligner: Aligns words without the model; by default used instead of the attention.
        thresholds: The calibration of quality warnings.
        target_tokenizer: Of the target; by default that of the source.
        languages: The pairs of languages that the model translates, where known.
    """

    def __init__(
        self,
        model: EncoderDecoder[Tokens, Any] | BundleModel,
        tokenizer: Tokenizer,
        splitting: Splitting,
        options: SearchOptions,
        *,
        engine: Engine | None = None,
        alignment_head: AlignmentHead | None = None,
        aligner: WordAligner | None = None,
        thresholds: QualityThresholds | None = None,
        target_tokenizer: Tokenizer | None = None,
        languages: ModelLanguages = ModelLanguages(),  # noqa: B008 - a frozen value
    ) -> None:
        self._model, self.splitting = model, splitting
        self.tokenizer = languages.tag_source(tokenizer)
        self.target_tokenizer = target_tokenizer or tokenizer
        options.check_default()
        self.options = options
        if engine is None:
            from regard.inference.torch_engine import TorchEngine

            engine = TorchEngine(self.model)
        self.engine = engine
        self.alignment_head, self.aligner = alignment_head, aligner
        self.thresholds, self.languages = thresholds, languages

    def for_target(self, to: str | None) -> Translator:
        """Return a translator into one language that shares all parts with this one.

        `to`: code of a target language; None: the only one.

        Raises:
            ConfigError: The model does not translate into `to`, or `to` is None and there are
                several target languages.
        """
        languages = self.languages.for_target(to)
        if languages == self.languages:
            return self
        bound = copy(self)
        bound.languages, bound.tokenizer = languages, languages.tag_source(self.tokenizer)
        return bound

    @property
    def model(self) -> EncoderDecoder[Tokens, Any]:
        """The PyTorch model. That of a bundle with an exported model is loaded on first use."""
        return self._model.load().model if isinstance(self._model, BundleModel) else self._model

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        engine: EngineName = "auto",
        device: str | None = None,
        ensemble: Sequence[str | Path] = (),
        fixed_batches: bool = False,
    ) -> Translator:
        """Load a model bundle.

        Args:
            path: The folder or the URL of the bundle.
            engine: "torch" searches with the PyTorch model, "invariant" too, and its results do
                not depend on the other texts by a single bit. "ctranslate2" and "ctranslate2-int8"
                use the exported model. "auto" uses an exported model if the bundle has one.
            device: Of the PyTorch model; by default a GPU if there is one.
            ensemble: Further bundles with the same vocabulary. The search averages the
                probabilities of all models. Alignments, quality and explanations come from the
                model at `path`. Only for PyTorch models.
            fixed_batches: The batches, and so the last bits of scores, do not depend on the number
                of threads, of which a short list may then leave some idle.
        """
        return cls.from_bundle(
            open_bundle(fetch_bundle(path)),
            engine=engine,
            device=device,
            ensemble=[open_bundle(fetch_bundle(member)) for member in ensemble],
            fixed_batches=fixed_batches,
        )

    @classmethod
    def from_bundle(
        cls,
        bundle: Bundle,
        *,
        engine: EngineName = "auto",
        device: str | None = None,
        ensemble: Sequence[Bundle] = (),
        fixed_batches: bool = False,
    ) -> Translator:
        """Load an open model bundle."""
        tokenizers = bundle_tokenizers(bundle)
        model = BundleModel(bundle, (tokenizers[0].size, tokenizers[1].size), device)
        folder = None if ensemble else choose_export(bundle, engine)
        if folder is not None:
            chosen: tuple[Engine, SearchOptions] = load_export(
                bundle, folder, fixed_batches=fixed_batches
            )
        else:
            from regard.tasks.translation.loading import load_torch_engine

            chosen = load_torch_engine(
                model.load(), tokenizers, engine, ensemble, device, fixed_batches=fixed_batches
            )
        return cls(
            model,
            tokenizers[0],
            read_splitting(bundle),
            chosen[1],
            engine=chosen[0],
            alignment_head=read_alignment_head(bundle),
            aligner=read_aligner(bundle),
            thresholds=read_thresholds(bundle),
            target_tokenizer=tokenizers[1],
            languages=read_languages(bundle),
        )

    def translate(
        self,
        texts: Sequence[str],
        options: TranslateOptions | None = None,
        **changes: Unpack[TranslateKeywords],
    ) -> list[TranslationResult]:
        """Translate each text. An empty text has an empty translation.

        Args:
            texts: Raw texts. Long ones are split into segments.
            options: How they are translated.
            changes: Fields of `TranslateOptions`, in place of those of `options`.

        Raises:
            CorpusError: `texts` is a single string.
            ConfigError: An option is invalid or not supported, or `to` is not a target.
            ArtifactError: The model cannot align words or has no calibration.
        """
        if isinstance(texts, str):
            raise CorpusError("texts: is a single string. Pass a list of texts.")
        options = replace(options or TranslateOptions(), **changes)
        bound = self.for_target(options.to)
        encoded = bound.tokenizer.encode(texts)
        parts = split_texts(bound.tokenizer, self.splitting, texts, encoded)
        return bound._translate_parts(texts, parts, options)

    def translate_segments(
        self,
        segments: Sequence[str],
        options: TranslateOptions,
        positions: Sequence[tuple[int, int]],
    ) -> list[TranslationResult]:
        """Translate segments of texts, which are not split further.

        `positions`: as for `Engine.search`.
        """
        bound = self.for_target(options.to)
        parts = [
            [((0, len(segment)), ids)] if ids else []
            for segment, ids in zip(segments, bound.tokenizer.encode(segments), strict=True)
        ]
        return bound._translate_parts(segments, parts, options, positions)

    def _translate_parts(
        self,
        texts: Sequence[str],
        parts: Sequence[Sequence[EncodedPart]],
        options: TranslateOptions,
        positions: Sequence[tuple[int, int]] = (),
    ) -> list[TranslationResult]:
        """Translate the parts of each text, and assemble its translations."""
        annotator = self._annotator
        annotator.check(options)
        search = options.search_options(self.options, self.target_tokenizer)
        prefixes = options.encode_prefixes(self.target_tokenizer, len(texts))
        segments = search_parts(self.engine, parts, search, prefixes=prefixes, positions=positions)
        if options.logps:
            from regard.inference.forced_decoding import add_logps

            segments = add_logps(self.model, segments, options.n_best)
        ranked = [
            ranked_results(
                self.target_tokenizer, text, of_text, options.n_best, search.length_penalty
            )
            for text, of_text in zip(texts, segments, strict=True)
        ]
        flat = [result for results in ranked for result in results]
        annotated = iter(annotator.annotate(flat, options))
        ranked = [[next(annotated) for _ in results] for results in ranked]
        if options.n_best == 1:
            return [best for (best,) in ranked]
        return [replace(results[0], n_best=tuple(results)) for results in ranked]

    def translate_document(
        self,
        document: str | Path | bytes,
        options: TranslateOptions | None = None,
        *,
        format: str | None = None,
        keep: Sequence[str] = (),
        terms: str | Path | Mapping[str, str] | None = None,
        memory: str | Path | Mapping[str, str] | None = None,
        min_match: float = 0.85,
        languages: tuple[str, str] | None = None,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
        **changes: Unpack[DocumentKeywords],
    ) -> TranslatedDocument:
        """Translate a document. Its markup, placeholders and everything else stay in place.

        Args:
            document: The path of a file, or the content of one.
            options: How its texts are translated. The fields of `DocumentKeywords` are available,
                and `quality` adds warnings to the report. `to` is by default the target of
                `languages`.
            format: A name of `documents.formats.registry.FORMAT_NAMES`; by default that of the
                path's suffix.
            keep: Texts that are not translated.
            terms: Terms with their translations, or a .tsv or .tbx file of them. Where the model
                translates a term differently, its translation is replaced.
            memory: Texts with their translations, or a .tmx, .xlf or .po file. They are used
                instead of the model's translations.
            min_match: Least similarity of a text in `memory`; 1: only equal texts.
            languages: Codes of source and target; by default those of the bundle, where known.
                They are written into the document and select languages of `terms` and `memory`.
            on_progress: Called with the number of translated texts and of all.
            changes: Fields of `TranslateOptions`, in place of those of `options`.

        Raises:
            DocumentError, CorpusError: The document, the terms or the memory cannot be read.
            ConfigError: An option is not available for documents.
            ArtifactError: The model cannot align words.
        """
        bound, options = self._for_documents(options, changes, languages)
        name, content, format_name = read_document(document, format)
        pair = languages or bound.languages.only_pair
        target = pair[1:] if pair is not None else bound.languages.targets
        job = DocumentJob(
            content,
            SandboxReader(format_name),
            name=name,
            keep=keep,
            terms=None if terms is None else open_terms(terms, pair),
            memory=None if memory is None else open_memory(memory, pair, min_match),
            language=target[0] if target else None,
        )
        return translate_content(
            lambda texts: bound.translate(texts, options),
            lambda sources, targets: bound.align(sources, targets, align_with=options.align_with),
            job,
            on_progress,
        )

    def translate_marked(
        self,
        texts: Sequence[str],
        options: TranslateOptions | None = None,
        *,
        format: Markup = "text",
        keep: Sequence[str] = (),
        xml: XmlTags | None = None,
        terms: str | Path | Mapping[str, str] | None = None,
        **changes: Unpack[DocumentKeywords],
    ) -> list[MarkedTranslation]:
        """Translate texts whose markup and placeholders stay in place.

        Args:
            texts: Lines, in which tags and placeholders stay, or HTML or XML, by `format`.
            options: As for `translate_document`, and likewise `keep`, `terms` and `changes`.
            xml: Meaning of the tags of XML.

        Raises:
            DocumentError: A text is not well-formed XML, or the terms cannot be read.
            ConfigError: An option is not available for texts with markup.
            ArtifactError: The model cannot align words.
        """
        bound, options = self._for_documents(options, changes)
        pair = bound.languages.only_pair
        markup = MarkupOptions(format, tuple(keep), xml or XmlTags())
        marked = MarkedTexts(texts, markup, None if terms is None else open_terms(terms, pair))
        return translate_texts(lambda parts: bound.translate(parts, options), marked)

    def _for_documents(
        self,
        options: TranslateOptions | None,
        changes: DocumentKeywords,
        languages: tuple[str, str] | None = None,
    ) -> tuple[Translator, TranslateOptions]:
        """Return the translator into the target, and the options of texts with aligned words."""
        options = replace(options or TranslateOptions(), **changes)
        options.check_used(DOCUMENT_OPTIONS, "for documents and texts with markup.")
        to = options.to
        if to is None and languages is not None and len(self.languages.targets) > 1:
            to = languages[1]
        bound = self.for_target(to)
        options = replace(options, to=None, alignments=True)
        bound._annotator.check(options)
        return bound, options

    def align(
        self,
        sources: Sequence[str],
        targets: Sequence[str],
        *,
        to: str | None = None,
        pretokenized: bool = False,
        align_with: AlignWith | None = None,
    ) -> list[WordAlignment]:
        """Align the words of given pairs.

        Args:
            sources: Source texts.
            targets: Their translations.
            to: As for `translate`.
            pretokenized: Split words at spaces only.
            align_with: "aligner", the default, or "attention": the attention weights of a forced
                decoding. A bundle without an aligner uses its attention.
        """
        if len(sources) != len(targets):
            raise CorpusError(
                f"targets: there are {len(targets)} for {len(sources)} sources. "
                "Pass one target for each source."
            )
        bound = self.for_target(to)
        tokenizers = bound.tokenizer, bound.target_tokenizer
        pairs = tokenize_pairs(tokenizers, sources, targets, pretokenized)
        return bound._annotator.align(pairs, align_with)

    def force_decode(self, sources: Sequence[str], targets: Sequence[str]) -> list[ForcedPair]:
        """Return the alignment of each pair and the log-probabilities of its target tokens."""
        bound = self.for_target(None)
        tokenizers = bound.tokenizer, bound.target_tokenizer
        return bound._annotator.force(tokenize_pairs(tokenizers, sources, targets))

    def measure_quality(self, texts: Sequence[str]) -> list[QualityFeatures]:
        """Translate texts and return the quality features of each translated segment."""
        annotator = self._annotator
        forced = annotator.force(annotator.segment_pairs(self.translate(texts)))
        return [measure_features(aligned, logps) for aligned, logps in forced]

    def explain(
        self,
        source: str,
        target: str | None = None,
        *,
        to: str | None = None,
        attention: str | None = None,
        head: int | None = None,
        gold: Links | None = None,
        changes: Changes | None = None,
    ) -> Explanation:
        """Record the computation of a translation.

        Args:
            source: A sentence.
            target: The translation to explain; by default the one that the engine finds.
            to: As for `translate`.
            attention: The attention layer to trace in full; by default that of the alignment head.
            head: Its head.
            gold: Word links annotated by hand.
            changes: Of the attention. The PyTorch model translates with them, in any engine.
        """
        return self._explainer(to).explain(source, target, attention, head, gold, changes)

    def live_model(
        self, *, to: str | None = None, precision: Precision = "f16", max_bytes: int = 16 << 20
    ) -> str:
        """Return the model in the format regard.live/1, which a page in a browser runs.

        `precision`: of the weights; "i8" has a scale for each row. `max_bytes`: of packed weights.

        Raises:
            ConfigError: The engine of a page cannot run the model, or it is too large.
        """
        return self._explainer(to).live_model(precision, max_bytes)

    def _explainer(self, to: str | None) -> TranslationExplainer:
        from regard.tasks.translation.explainer import TranslationExplainer

        return TranslationExplainer(
            self.model,
            self.for_target(to).tokenizer,
            self.splitting,
            self.options,
            self.engine,
            self.alignment_head,
            self._model.load() if isinstance(self._model, BundleModel) else None,
            self.target_tokenizer,
        )

    @property
    def _annotator(self) -> Annotator:
        return Annotator(
            lambda: self.model,
            self.tokenizer,
            self.target_tokenizer,
            self.aligner,
            self.alignment_head,
            self.thresholds,
        )

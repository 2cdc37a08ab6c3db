"""What changes when the attention of a model is replaced, or when a head is removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from statistics import fmean
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import torch
from jaxtyping import Bool, Float
from pydantic import Field
from torch import Tensor

from regard.align.links import Links
from regard.align.tokenized_text import TokenizedText
from regard.align.word_alignment import align_texts
from regard.attention import Attention, NormalizedWeights, Normalizer, Uniform, replace_normalizers
from regard.batch import Tokens
from regard.evaluate.bootstrap import (
    RatioStatistics,
    SentenceStatistics,
    difference_of_means,
)
from regard.evaluate.scores import MetricStatistics, count_statistics
from regard.inference.forced_decoding import (
    Ids,
    cross_attention_names,
    force_decode,
    get_attention,
    length_batches,
)
from regard.models import EncoderDecoder
from regard.studies.measures.alignment_error import GoldPairsConfig
from regard.studies.measures.measure import (
    QUICK_PAIRS,
    MeasureConfig,
    MeasureContext,
    MeasureResult,
    ResultTable,
    TrainedRun,
    format_difference,
    mean_and_deviation,
)
from regard.tasks.translation.translator import Translator

# -- forced attention ------------------------------------------------------------------------------
# Replace the weights of a model, and measure what changes.
#
# Attention weights that do not matter can be replaced without harm (Jain and Wallace 2019;
# Wiegreffe and Pinter 2019). Weights are replaced in all cross-attention of a model, or one head is
# removed (Michel et al. 2019). The span of the attention still applies.


PiecePairs = Sequence[tuple[int, int]]
"""Linked positions of one pair: (source piece, target piece)."""


class ShuffledNormalizer(Normalizer):
    """Wraps a normalizer and permutes the weights of each query at random.

    Only visible positions are permuted. A seed determines the permutations.
    """

    def __init__(self, normalizer: Normalizer, seed: int = 0) -> None:
        super().__init__()
        self.normalizer = normalizer
        self.generator = torch.Generator().manual_seed(seed)

    def forward(self, scores: Tensor, visible: Tensor | None) -> NormalizedWeights:
        weights = self.normalizer(scores, visible).weights
        hidden = torch.zeros_like(weights, dtype=torch.bool)
        if visible is not None:
            hidden = hidden | ~visible
        noise = torch.rand(weights.shape, generator=self.generator).to(weights.device)
        drawn = noise.masked_fill(hidden, torch.inf).argsort(dim=-1)  # visible ones first
        ordered = hidden.to(torch.uint8).argsort(dim=-1, stable=True)
        return NormalizedWeights(weights.scatter(-1, drawn, weights.gather(-1, ordered)))


class GivenWeights(Normalizer):
    """Gives each query of a batch its weights; the wrapped normalizer where none are given.

    Queries come in the order of their steps, in one call or in several.
    """

    def __init__(
        self,
        weights: Float[Tensor, "B T S"],
        given: Bool[Tensor, "B T"],
        normalizer: Normalizer,
    ) -> None:
        super().__init__()
        self.weights, self.given, self.normalizer = weights, given, normalizer
        self.step = 0

    def forward(self, scores: Tensor, visible: Tensor | None) -> NormalizedWeights:
        own = self.normalizer(scores, visible).weights
        steps = slice(self.step, self.step + scores.size(2))
        self.step = steps.stop
        given = self.given[:, None, steps, None]
        weights = self.weights[:, None, steps].to(own.dtype)
        if visible is not None:
            weights = weights * visible
        # a query whose links are all outside its span keeps its own weights
        total = weights.sum(dim=-1, keepdim=True)
        return NormalizedWeights(torch.where(given & (total > 0), weights / total, own))


class AblatedHead(Normalizer):
    """Wraps a normalizer and sets the weights of one head to zero."""

    def __init__(self, head: int, normalizer: Normalizer) -> None:
        super().__init__()
        self.head, self.normalizer = head, normalizer

    def forward(self, scores: Tensor, visible: Tensor | None) -> NormalizedWeights:
        weights = self.normalizer(scores, visible).weights.clone()
        weights[:, self.head] = 0
        return NormalizedWeights(weights)


def replace_cross_attention(
    model: EncoderDecoder[Tokens, Any], changed: Callable[[Normalizer], Normalizer]
) -> dict[Attention, Normalizer]:
    """Return the changed normalizer of every cross-attention, for `replace_normalizers`."""
    attentions = [get_attention(model, name) for name in cross_attention_names(model)]
    return {attention: changed(attention.normalizer) for attention in attentions}


def all_attentions(model: EncoderDecoder[Tokens, Any]) -> dict[str, Attention]:
    """Return every attention of the model by its name."""
    return {name: module for name, module in model.named_modules() if isinstance(module, Attention)}


def target_logps(
    model: EncoderDecoder[Tokens, Any],
    pairs: Sequence[tuple[Ids, Ids]],
    normalizers: Callable[[list[int]], Mapping[Attention, Normalizer]] = lambda rows: {},
) -> list[tuple[float, ...]]:
    """Return the log-probabilities of each target, with other normalizers.

    Args:
        pairs: Token ids of source and target, without special tokens.
        normalizers: Those of a batch, from the indices of its pairs.
    """
    logps_by_row: dict[int, tuple[float, ...]] = {}
    for rows in length_batches(pairs):
        with replace_normalizers(normalizers(rows)):
            forced = force_decode(model, [pairs[row] for row in rows], ())
        logps_by_row |= {row: decoding.logps for row, decoding in zip(rows, forced, strict=True)}
    return [logps_by_row[row] for row in range(len(pairs))]


def weights_of_links(
    model: EncoderDecoder[Tokens, Any],
    pairs: Sequence[tuple[Ids, Ids]],
    links: Sequence[PiecePairs],
    rows: Sequence[int],
) -> dict[Attention, Normalizer]:
    """Return normalizers that attend to the linked source pieces of each target piece.

    The links of a target piece have equal weights, at the step that outputs it. A piece without
    links, and the end of the sentence, keep the weights of the model.
    """
    sizes = [[len(ids) + 1 for ids in pairs[row]] for row in rows]
    shape = len(rows), max(target for _, target in sizes), max(source for source, _ in sizes)
    device = next(model.parameters()).device
    weights = torch.zeros(shape, device=device)
    for index, row in enumerate(rows):
        for source, target in links[row]:
            weights[index, target, source] = 1.0
    total = weights.sum(dim=-1)
    weights = weights / total.clamp(min=1)[..., None]
    return replace_cross_attention(
        model, lambda normalizer: GivenWeights(weights, total > 0, normalizer)
    )


# -- forced attention ------------------------------------------------------------------------------


Replacement: TypeAlias = Literal["uniform", "shuffled", "links"]
OWN = "own"
TextPairs: TypeAlias = Sequence[tuple[TokenizedText, TokenizedText]]


class ForcedAttentionMeasure(MeasureConfig):
    """The log-probability of the references when all cross-attention is replaced.

    uniform: equal weights; shuffled: the model's own weights, permuted at random at every step;
    links: equal weights of the source words that are linked with the target word.
    """

    kind: Literal["forced-attention"] = "forced-attention"
    # What replaces the weights of the model.
    attention: Annotated[tuple[Replacement, ...], Field(min_length=1)] = (
        *("uniform", "shuffled", "links"),
    )
    # Pairs with gold links. By default the test set, with the links of the word aligner.
    gold: GoldPairsConfig | None = None
    # Also translate the test set with uniform and shuffled attention.
    bleu: bool = False

    def files(self) -> Sequence[str]:
        return () if self.gold is None else self.gold.files

    def measure(self, context: MeasureContext) -> MeasureResult:
        rows: list[list[str]] = []
        facts: dict[str, object] = {}
        for name, seeds in context.forward().items():
            logps: dict[str, list[RatioStatistics]] = {}
            scores: dict[str, list[MetricStatistics]] = {}
            for trained in seeds:
                translator = trained.translator()
                if not cross_attention_names(translator.model):
                    break
                self._measure_run(trained, translator, context, logps, scores)
            if logps:
                rows += _rows(name, logps, scores, with_bleu=self.bleu)
                facts[name] = _facts(logps) | {"bleu": _facts(scores)}
        heads = ["", "attention", "log-probability per token", "change", "p"]
        heads += ["BLEU", "change", "p"] if self.bleu else []
        return MeasureResult(tables=[ResultTable("Forced attention", heads, rows)], facts=facts)

    def _measure_run(
        self,
        trained: TrainedRun,
        translator: Translator,
        context: MeasureContext,
        logps: dict[str, list[RatioStatistics]],
        scores: dict[str, list[MetricStatistics]],
    ) -> None:
        """Add the statistics of one run."""
        texts, links = self._pairs(trained, translator, context)
        ids = _token_ids(texts)
        sources, references = trained.run.test_pairs()
        for kind in (OWN, *self.attention):
            context.on_status(f"{trained.run.name}: {kind} attention")
            target_scores = target_logps(
                translator.model, ids, partial(_normalizers, translator, kind, ids, links)
            )
            logps.setdefault(kind, []).append(_mean_logp(target_scores))
            if not self.bleu or kind == "links":  # links belong to the references
                continue
            outputs = trained.outputs
            if kind != OWN:
                with replace_normalizers(_normalizers(translator, kind, ids, links, [0])):
                    outputs = [result.text for result in translator.translate(sources)]
            statistics = count_statistics(outputs, references, ["bleu"])["bleu"]
            scores.setdefault(kind, []).append(statistics)

    def _pairs(
        self, trained: TrainedRun, translator: Translator, context: MeasureContext
    ) -> tuple[TextPairs, list[PiecePairs]]:
        """The pairs, and their links between pieces if these are needed."""
        if self.gold is not None:
            pairs = self.gold.read(context.find_file, QUICK_PAIRS if context.quick else None)
            texts: TextPairs = pairs.texts(translator.tokenizer)
            return texts, _piece_links(texts, [alignment.sure for alignment in pairs.gold])
        texts = _test_texts(trained, translator)
        if "links" not in self.attention or translator.aligner is None:
            return texts, [()] * len(texts)
        aligned = align_texts(translator.aligner, texts)
        return texts, _piece_links(texts, [alignment.links for alignment in aligned])


class HeadAblationMeasure(MeasureConfig):
    """The log-probability of the references when one head of one attention has no weights.

    Only models of the first seed: heads of different seeds have nothing in common.
    """

    kind: Literal["head-ablation"] = "head-ablation"
    attention: Literal["cross", "all"] = "cross"  # also the self-attention

    def measure(self, context: MeasureContext) -> MeasureResult:
        rows, facts = [], {}
        for name, seeds in context.forward().items():
            translator = seeds[0].translator()
            model = translator.model
            ids = _token_ids(_test_texts(seeds[0], translator))
            chosen = all_attentions(model)
            if self.attention == "cross":
                chosen = {
                    attention_name: chosen[attention_name]
                    for attention_name in cross_attention_names(model)
                }
            own = _mean_logp(target_logps(model, ids)) if chosen else None
            for attention_name, attention in chosen.items():
                for head in range(attention.score.heads):
                    context.on_status(f"{name}: without head {head} of {attention_name}")
                    changed = AblatedHead(head, attention.normalizer)
                    ablate = partial(_replace_one, attention, changed)
                    ablated = _mean_logp(target_logps(model, ids, ablate))
                    assert own is not None
                    difference = difference_of_means([ablated], [own])
                    scores, base = [ablated.corpus_score()], [own.corpus_score()]
                    cells = format_difference(difference, scores, base, ".3f")
                    rows.append([name, attention_name, str(head), *cells])
                    facts[f"{name}/{attention_name}/{head}"] = difference.value
        heads = ["", "attention", "head", "change of log-probability per token", "p"]
        return MeasureResult(tables=[ResultTable("Head ablation", heads, rows)], facts=facts)


def _replace_one(
    attention: Attention, normalizer: Normalizer, rows: list[int]
) -> dict[Attention, Normalizer]:
    return {attention: normalizer}


def _normalizers(
    translator: Translator,
    kind: str,
    ids: Sequence[tuple[Ids, Ids]],
    links: Sequence[PiecePairs],
    rows: list[int],
) -> Mapping[Any, Any]:
    """The normalizers that replace the attention for a batch."""
    model = translator.model
    match kind:
        case "uniform":
            return replace_cross_attention(model, lambda _: Uniform())
        case "shuffled":
            return replace_cross_attention(
                model, lambda normalizer: ShuffledNormalizer(normalizer, seed=rows[0])
            )
        case "links":
            return weights_of_links(model, ids, links, rows)
    return {}


def _test_texts(trained: TrainedRun, translator: Translator) -> TextPairs:
    return [
        (
            TokenizedText.from_text(translator.tokenizer, source),
            TokenizedText.from_text(translator.target_tokenizer, target),
        )
        for source, target in zip(*trained.run.test_pairs(), strict=True)
    ]


def _token_ids(texts: TextPairs) -> list[tuple[Ids, Ids]]:
    return [(source.pieces.ids, target.pieces.ids) for source, target in texts]


def _piece_links(texts: TextPairs, links: Sequence[Links]) -> list[PiecePairs]:
    """Links between the pieces of linked words."""
    piece_links: list[PiecePairs] = []
    for (source, target), words in zip(texts, links, strict=True):
        sources, targets = source.word_pieces, target.word_pieces
        piece_links.append(
            [link for i, j in sorted(words) for link in product(sources[i], targets[j])]
        )
    return piece_links


def _mean_logp(logps: Sequence[tuple[float, ...]]) -> RatioStatistics:
    return RatioStatistics(np.array([(sum(row), len(row)) for row in logps], np.float64))


def _rows(
    name: str,
    logps: Mapping[str, Sequence[RatioStatistics]],
    scores: Mapping[str, Sequence[MetricStatistics]],
    *,
    with_bleu: bool,
) -> list[list[str]]:
    rows = []
    for kind, seeds in logps.items():
        row = [name, kind, *_change(seeds, logps[OWN], ".3f")]
        if with_bleu and kind in scores:
            row += _change(scores[kind], scores[OWN], ".1f")
        elif with_bleu:
            row += ["–", "", ""]
        rows.append(row)
    return rows


def _change(
    seeds: Sequence[SentenceStatistics], own: Sequence[SentenceStatistics], form: str
) -> list[str]:
    """The cells of a mean over seeds, its change from the model's own attention, and p."""
    values = [seed.corpus_score() for seed in seeds]
    change = None if seeds is own else difference_of_means(seeds, own)
    base = [seed.corpus_score() for seed in own]
    return [mean_and_deviation(values, form), *format_difference(change, values, base, form)]


def _facts(statistics: Mapping[str, Sequence[Any]]) -> dict[str, float]:
    return {
        kind: fmean(seed_statistics.corpus_score() for seed_statistics in seeds)
        for kind, seeds in statistics.items()
    }

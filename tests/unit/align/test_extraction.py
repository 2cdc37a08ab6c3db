"""Word alignments from attention, and symmetrization."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
import torch

from regard.align.extraction import (
    align_words,
    choose_alignment_head,
    has_alignment_head,
    measure_agreement,
    word_attention,
)
from regard.align.links import Links, symmetrize
from regard.align.tokenized_text import AlignmentHead, TokenizedText, check_links
from regard.align.word_alignment import WordAlignment
from regard.batch import pad
from regard.errors import CorpusError
from regard.inference.forced_decoding import ForcedDecoding, cross_attention_names, force_decode
from regard.text.tokenizer import BOS, EOS, SentencePiece, TokenizedPieces
from tests.tiny_models import TRANSLATORS, VOCABULARY, tiny

LINES = ["the black dog runs", "der schwarze hund rennt", "a cat sleeps", "eine katze schläft"] * 5


@pytest.fixture(scope="module")
def tokenizer() -> SentencePiece:
    """A tokenizer with a piece for every word."""
    tokenizer = SentencePiece.train(LINES, size=400, kind="bpe")
    assert all(len(ids) == len(line.split()) for line in LINES for ids in tokenizer.encode([line]))
    return tokenizer


def texts(
    tokenizer: SentencePiece, source: str, target: str
) -> tuple[TokenizedText, TokenizedText]:
    return TokenizedText.from_text(tokenizer, source), TokenizedText.from_text(tokenizer, target)


def attention_weights(
    source: TokenizedText, target: TokenizedText, links: dict[int, int | None], shift: int
) -> torch.Tensor:
    """Weights in which each piece of a target word attends to its source word or to the end."""
    weights = torch.zeros(1, len(target.pieces.ids) + 1, len(source.pieces.ids) + 1)
    for j, pieces in enumerate(target.word_pieces):
        i = links[j]
        attended = [-1] if i is None else source.word_pieces[i]
        for piece in pieces:
            weights[0, piece + shift, attended] = 1 / len(attended)
    return weights


@pytest.mark.parametrize("shift", [0, 1])
def test_words_are_linked_at_the_step_of_the_alignment_head(tokenizer, shift) -> None:
    source, target = texts(tokenizer, "the black dog runs", "der schwarze hund rennt !")
    weights = attention_weights(source, target, {0: 0, 1: 1, 2: 2, 3: 3, 4: None}, shift)
    forced = ForcedDecoding((0.0,), {"layer": weights})
    aligned = align_words(AlignmentHead("layer", 0, shift, null=True), source, target, forced)
    assert aligned.links == {(0, 0), (1, 1), (2, 2), (3, 3)}
    assert aligned.weights.sum(1).tolist() == pytest.approx([1.0] * 5)
    without_null = align_words(AlignmentHead("layer", 0, shift, null=False), source, target, forced)
    assert len(without_null.links) == 5


def test_the_alignment_head_with_the_expected_links_is_chosen(tokenizer) -> None:
    source, target = texts(tokenizer, "the black dog runs", "rennt hund schwarze der")
    right = attention_weights(source, target, {0: 3, 1: 2, 2: 1, 3: 0}, shift=1)
    wrong = torch.zeros(2, *right.shape[1:])
    wrong[:, :, 0] = 1.0  # attends to the first piece at every step
    attention = {"first": wrong, "second": torch.cat([wrong, right]), "third": wrong.flip(2)}
    expected = frozenset({(3, 0), (2, 1), (1, 2), (0, 3)})
    forced = [ForcedDecoding((0.0,), attention)]
    found = choose_alignment_head([(source, target)], forced, [expected])
    assert (found.attention, found.head, found.shift, found.agreement) == ("second", 2, 1, 1.0)


def test_the_threshold_is_chosen_by_agreement(tokenizer) -> None:
    """A word that attends weakly gets no link; of equal weights all are linked, or none."""
    source, target = texts(tokenizer, "the black dog runs", "rennt hund schwarze der")
    weights = attention_weights(source, target, {0: 3, 1: 2, 2: 1, 3: 0}, shift=0)
    for pieces, weight in zip(target.word_pieces, (0.9, 0.8, 0.8, 0.3), strict=True):
        weights[:, pieces] *= weight
    forced = [ForcedDecoding((0.0,), {"layer": weights})]
    expected = frozenset({(3, 0), (2, 1)})
    found = choose_alignment_head([(source, target)], forced, [expected])
    assert found.threshold == pytest.approx(0.8) and found.agreement == pytest.approx(4 / 5)
    assert align_words(found, source, target, forced[0]).links == {(3, 0), (2, 1), (1, 2)}


def test_agreement_is_the_f1_of_the_links(tokenizer) -> None:
    source, target = texts(tokenizer, "the black dog runs", "rennt hund schwarze der")
    weights = attention_weights(source, target, {0: 3, 1: 2, 2: 1, 3: None}, shift=0)
    head = AlignmentHead("layer", 0, 0, null=True)
    forced = ForcedDecoding((0.0,), {"layer": weights})
    silver = frozenset({(3, 0), (2, 1)})  # two of the three links
    found = measure_agreement(head, [(source, target)], [forced], [silver])
    assert found.agreement == pytest.approx(2 * 2 / (3 + 2))


@pytest.mark.parametrize(
    ("head", "shift", "exists"),
    [(0, 0, True), (1, 1, True), (None, 0, True), (-1, 0, False), (2, 0, False), (0, 2, False)],
)
def test_an_alignment_head_exists_in_its_model(head: int | None, shift: int, exists: bool) -> None:
    model = tiny("transformer").model
    (name, *_) = cross_attention_names(model)
    assert has_alignment_head(model, AlignmentHead(name, head, shift, null=False)) == exists


def test_a_piece_of_two_words_gives_each_half_of_its_weight(tokenizer) -> None:
    source, target = texts(tokenizer, "don't", "nicht")
    first, last = source.words[0][0], source.words[-1][1]
    both = replace(source, words=[(first, first + 1), (first + 1, last)])
    one_piece = replace(both, pieces=TokenizedPieces((5,), ("don't",), ((first, last),)))
    weights = torch.zeros(1, len(target.labels), 2)
    weights[:, :, 0], weights[:, :, 1] = 0.6, 0.4
    found = word_attention(weights, one_piece, target, 0)
    torch.testing.assert_close(found[0, 0], torch.tensor([0.3, 0.3, 0.4]))


def test_pretokenized_words_are_split_at_spaces(tokenizer) -> None:
    text = TokenizedText.from_text(tokenizer, "don't  stop-here .", pretokenized=True)
    assert text.word_texts == ["don't", "stop-here", "."]


def test_symmetrization_lies_between_intersection_and_union() -> None:
    forward = frozenset({(0, 0), (1, 1), (2, 1), (4, 4)})
    backward = frozenset({(0, 0), (1, 1), (1, 2), (5, 0)})
    assert symmetrize(forward, backward, "intersection") == {(0, 0), (1, 1)}
    assert symmetrize(forward, backward, "grow-diag") == {(0, 0), (1, 1), (1, 2), (2, 1)}


@pytest.mark.parametrize("name", TRANSLATORS)
def test_forced_decoding_returns_all_cross_attention(name: str) -> None:
    """Batching changes nothing; weights sum to one, or to less under a prior."""
    model = tiny(name).model
    generator = random.Random(2)
    pairs = [
        tuple([generator.randrange(4, VOCABULARY) for _ in range(n)] for n in lengths)
        for lengths in ((3, 5), (7, 2), (0, 0), (4, 4))
    ]
    for pair, forced in zip(pairs, force_decode(model, pairs), strict=True):
        (alone,) = force_decode(model, [pair])
        assert forced.logps == pytest.approx(alone.logps, abs=1e-5)
        assert tuple(forced.attention) == cross_attention_names(model)
        for weights in forced.attention.values():
            assert weights.shape[1:] == (len(pair[1]) + 1, len(pair[0]) + 1)
            assert (weights.sum(dim=-1) <= 1 + 1e-5).all()


def test_forced_attention_is_the_same_without_log_probabilities() -> None:
    model = tiny("bahdanau").model
    (scored,), (unscored,) = (
        force_decode(model, [([4, 5, 6], [7, 8])], with_logps=flag) for flag in (True, False)
    )
    assert len(scored.logps) == 3 and unscored.logps == ()
    for name, weights in scored.attention.items():
        assert torch.equal(unscored.attention[name], weights)


def test_forced_log_probabilities_equal_those_of_stepwise_decoding() -> None:
    model = tiny("bahdanau").model.eval()
    source, target = [4, 5, 6], [7, 8, 9]
    (forced,) = force_decode(model, [(source, target)])
    state, logps = model.start(pad([[*source, EOS]])), []
    for last, token in zip([BOS, *target], [*target, EOS], strict=True):
        logits, state = model.step(torch.tensor([last]), state)
        logps.append(logits.log_softmax(-1)[0, token].item())
    assert forced.logps == pytest.approx(logps, abs=1e-5)


def test_an_empty_pair_has_no_links(tokenizer) -> None:
    source, target = texts(tokenizer, "", "")
    forced = ForcedDecoding((0.0,), {"layer": torch.ones(1, 1, 1)})
    found = align_words(AlignmentHead("layer", None, 0, null=True), source, target, forced)
    assert isinstance(found, WordAlignment) and found.links == frozenset()


@pytest.mark.parametrize(
    ("link", "fits"), [((0, 2), True), ((1, 0), False), ((0, 3), False), ((0, 0), True)]
)
def test_a_link_is_inside_the_text_of_its_side(tokenizer, link, fits) -> None:
    source, target = texts(tokenizer, "dog", "der schwarze hund")
    if fits:
        check_links(Links({link}), source, target, "line 1")
    else:
        message = f"line 1: link {link[0]}-{link[1]} .* sentences of 1 and 3 words"
        with pytest.raises(CorpusError, match=message):
            check_links(Links({link}), source, target, "line 1")

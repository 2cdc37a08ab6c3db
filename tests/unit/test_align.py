"""Word alignments from looks: the right look is found, and words, not pieces, are linked."""

from __future__ import annotations

import random

import pytest
import torch

from regard.align.extraction import (
    AlignmentHead,
    WordAlignment,
    align_words,
    choose_alignment_head,
    choose_alignment_heads,
)
from regard.align.ibm1 import ibm1_links
from regard.align.symmetrize import symmetrize
from regard.align.tokenized_text import TokenizedText
from regard.batch import pad
from regard.inference.forced_decoding import ForcedDecoding, cross_attention_names, force_decode
from regard.text.tokenizer import BOS, EOS, SentencePiece
from tests.tiny_models import TRANSLATORS, VOCABULARY, tiny

LINES = ["the black dog runs", "der schwarze hund rennt", "a cat sleeps", "eine katze schläft"] * 5


@pytest.fixture(scope="module")
def tokenizer() -> SentencePiece:
    return SentencePiece.train(LINES, size=330)


def texts(
    tokenizer: SentencePiece, source: str, target: str
) -> tuple[TokenizedText, TokenizedText]:
    return TokenizedText.from_text(tokenizer, source), TokenizedText.from_text(tokenizer, target)


def looking(
    source: TokenizedText, target: TokenizedText, links: dict[int, int | None], shift: int
) -> torch.Tensor:
    """A look in which every piece of each target word sees its source word, or the end, whole."""
    look = torch.zeros(1, len(target.pieces.ids) + 1, len(source.pieces.ids) + 1)
    for j, pieces in enumerate(target.word_pieces):
        i = links[j]
        seen = [-1] if i is None else source.word_pieces[i]
        for piece in pieces:
            look[0, piece + shift, seen] = 1 / len(seen)
    return look


@pytest.mark.parametrize("shift", [0, 1])
def test_links_are_between_words_at_the_moment_that_the_pointer_names(tokenizer, shift) -> None:
    source, target = texts(tokenizer, "the black dog runs", "der schwarze hund rennt !")
    look = looking(source, target, {0: 0, 1: 1, 2: 2, 3: 3, 4: None}, shift)
    reading = ForcedDecoding((0.0,), {"it": look})
    aligned = align_words(AlignmentHead("it", 0, shift, null=True), source, target, reading)
    assert aligned.links == {(0, 0), (1, 1), (2, 2), (3, 3)}
    torch.testing.assert_close(aligned.weights.sum(1), torch.ones(5))
    never_nothing = align_words(AlignmentHead("it", 0, shift, null=False), source, target, reading)
    assert len(never_nothing.links) == 5


def test_the_look_that_points_is_found_among_many(tokenizer) -> None:
    source, target = texts(tokenizer, "the black dog runs", "rennt hund schwarze der")
    right = looking(source, target, {0: 3, 1: 2, 2: 1, 3: 0}, shift=1)
    wrong = torch.zeros(2, *right.shape[1:])
    wrong[:, :, 0] = 1.0  # whatever is said, it sees the first piece
    looks = {"first": wrong, "second": torch.cat([wrong, right]), "third": wrong.flip(2)}
    wanted = frozenset({(3, 0), (2, 1), (1, 2), (0, 3)})
    found = choose_alignment_head([(source, target)], [ForcedDecoding((0.0,), looks)], [wanted])
    assert (found.attention, found.head, found.shift, found.agreement) == ("second", 2, 1, 1.0)


def test_two_models_choose_the_looks_in_which_they_agree(tokenizer) -> None:
    source, target = texts(tokenizer, "the black dog runs", "rennt hund schwarze der")
    right = looking(source, target, {0: 3, 1: 2, 2: 1, 3: 0}, shift=1)
    back = looking(target, source, {0: 3, 1: 2, 2: 1, 3: 0}, shift=0)
    wrong, gone = torch.zeros_like(right), torch.zeros_like(back)
    wrong[:, :, 0] = gone[:, :, 0] = 1.0
    one, other = choose_alignment_heads(
        [(source, target)],
        [(target, source)],
        [ForcedDecoding((0.0,), {"a": wrong, "b": right})],
        [ForcedDecoding((0.0,), {"a": back, "b": gone})],
    )
    assert (one.attention, one.shift) == ("b", 1) and (other.attention, other.shift) == ("a", 0)
    assert one.agreement == other.agreement == 1.0


def test_words_may_be_given_as_what_stands_between_spaces(tokenizer) -> None:
    text = TokenizedText.from_text(tokenizer, "don't  stop-here .", spaced=True)
    assert text.word_texts == ["don't", "stop-here", "."]


def test_the_dictionary_finds_who_goes_with_whom_from_pairs_alone() -> None:
    chance = random.Random(1)
    words = [f"w{i}" for i in range(30)]
    pairs = []
    for _ in range(300):
        source = chance.sample(words, 6)
        target = [word.upper() for word in source]
        chance.shuffle(target)
        pairs.append((source, target))
    wanted = [{(s.index(word.lower()), j) for j, word in enumerate(t)} for s, t in pairs]
    found = ibm1_links(pairs)
    right = sum(len(a & b) for a, b in zip(found, wanted, strict=True))
    assert right >= 0.99 * sum(map(len, wanted))
    assert right >= 0.99 * sum(map(len, found))


def test_a_dictionary_of_nothing_has_no_links() -> None:
    assert ibm1_links([([], []), (["a"], [])]) == [frozenset(), frozenset()]


def test_symmetries_lie_between_what_both_have_and_what_either_has() -> None:
    forth = frozenset({(0, 0), (1, 1), (2, 1), (4, 4)})
    back = frozenset({(0, 0), (1, 1), (1, 2), (5, 0)})
    assert symmetrize(forth, back, "intersection") == {(0, 0), (1, 1)}
    assert symmetrize(forth, back, "grow-diag") == {(0, 0), (1, 1), (1, 2), (2, 1)}


@pytest.mark.parametrize("name", TRANSLATORS)
def test_a_pair_is_read_again_with_every_look_at_the_source(name: str) -> None:
    """Alone as in a batch; the weights of a look sum to one, or to less under a prior."""
    model = tiny(name).model
    draws = random.Random(2)
    pairs = [
        tuple([draws.randrange(4, VOCABULARY) for _ in range(n)] for n in lengths)
        for lengths in ((3, 5), (7, 2), (0, 0), (4, 4))
    ]
    readings = force_decode(model, pairs)
    for pair, reading in zip(pairs, readings, strict=True):
        (alone,) = force_decode(model, [pair])
        assert reading.logps == pytest.approx(alone.logps, abs=1e-5)
        assert tuple(reading.attention) == cross_attention_names(model)
        for look in reading.attention.values():
            assert look.shape[1:] == (len(pair[1]) + 1, len(pair[0]) + 1)
            assert (look.sum(dim=-1) <= 1 + 1e-5).all()


def test_looks_are_the_same_where_nobody_asks_how_likely_a_word_was() -> None:
    model = tiny("bahdanau").model
    (judged,), (seen,) = (
        force_decode(model, [([4, 5, 6], [7, 8])], with_logps=how) for how in (True, False)
    )
    assert len(judged.logps) == 3 and seen.logps == ()
    assert all(torch.equal(seen.attention[name], look) for name, look in judged.attention.items())


def test_forced_probabilities_are_those_of_the_step_by_step_reading() -> None:
    model = tiny("bahdanau").model.eval()
    source, target = [4, 5, 6], [7, 8, 9]
    (reading,) = force_decode(model, [(source, target)])
    state, logps = model.start(pad([[*source, EOS]])), []
    for last, token in zip([BOS, *target], [*target, EOS], strict=True):
        logits, state = model.step(torch.tensor([last]), state)
        logps.append(logits.log_softmax(-1)[0, token].item())
    assert reading.logps == pytest.approx(logps, abs=1e-5)


def test_an_empty_pair_has_no_links(tokenizer) -> None:
    source, target = texts(tokenizer, "", "")
    reading = ForcedDecoding((0.0,), {"it": torch.ones(1, 1, 1)})
    found = align_words(AlignmentHead("it", None, 0, null=True), source, target, reading)
    assert isinstance(found, WordAlignment) and found.links == frozenset()

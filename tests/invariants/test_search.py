"""The laws of search, for every preset that speaks; and its rules."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pytest
import torch

from regard.search import (
    beam,
    ensemble,
    forbid_tokens,
    force_prefix,
    greedy,
    min_length,
    no_repeat_ngram,
    sample,
)
from tests.tiny_models import BOS, EOS, GENERATORS, VOCABULARY, Tiny, tiny

LENGTHS = [7, 4, 5]
MARKS = {"bos": BOS, "eos": EOS}


def lively(small: Tiny):
    """A step whose choices differ: untrained models say the same thing for ever."""

    def step(last, state):
        logits, state = small.model.step(last, state)
        return 10 * logits, state

    return step


@torch.no_grad()
def score(small: Tiny, source, tokens: tuple[int, ...], *, ended: bool) -> list[float]:
    """The log-probability of each token by a forced reading of the whole."""
    said = torch.tensor([[BOS, *tokens]])
    hidden = small.hidden(source, said)
    logp = (10 * small.model.readout(hidden)).log_softmax(-1)[0]
    wanted = [*tokens, EOS] if ended else list(tokens)
    return [float(logp[t, token]) for t, token in enumerate(wanted)]


@pytest.mark.parametrize("name", GENERATORS)
def test_law_7_a_beam_of_one_is_greedy(name: str) -> None:
    small = tiny(name)
    source = small.source(LENGTHS)
    one = greedy(lively(small), small.model.start(source), rows=3, max_length=6, **MARKS)
    narrow = beam(
        lively(small),
        small.model.start(source),
        rows=3,
        beam_size=1,
        length_penalty=0.0,
        max_length=6,
        **MARKS,
    )
    assert [best.tokens for (best,) in narrow] == [best.tokens for best in one]
    for (a,), b in zip(narrow, one, strict=True):
        assert a.score == pytest.approx(b.score, abs=1e-5)


@pytest.mark.parametrize("name", GENERATORS)
def test_the_score_of_a_hypothesis_is_that_of_a_forced_reading(name: str) -> None:
    small = tiny(name)
    found = beam(
        lively(small),
        small.model.start(small.source([6])),
        rows=1,
        beam_size=4,
        max_length=6,
        **MARKS,
    )
    for best in found[0]:
        forced = score(small, small.source([6]), best.tokens, ended=best.ended)
        assert best.logps == pytest.approx(forced, abs=1e-4)
        assert best.score == pytest.approx(sum(forced) / len(forced), abs=1e-4)


@pytest.mark.parametrize("name", GENERATORS)
def test_law_6_batching_a_beam_alone_finds_what_it_finds_in_a_batch(name: str) -> None:
    small = tiny(name)
    model = small.model
    source = small.source([6, 6, 6])
    together = beam(lively(small), model.start(source), rows=3, beam_size=3, max_length=6, **MARKS)
    for row in range(3):
        one = row_of(source, row)
        alone = beam(lively(small), model.start(one), rows=1, beam_size=3, max_length=6, **MARKS)
        assert [h.tokens for h in alone[0]] == [h.tokens for h in together[row]]


def row_of(source, row: int):
    match source:
        case int():
            return 1
        case _ if hasattr(source, "pixels"):
            return type(source)(source.pixels[row : row + 1])
        case _:
            return type(source)(source.ids[row : row + 1])


@dataclass(frozen=True)
class Heard:
    """The state of a step without a model: all that was said, in one number."""

    said: torch.Tensor


def random_walk(vocabulary: int, seed: int):
    torch.manual_seed(seed)
    table = torch.randn(vocabulary**3, vocabulary)

    def step(last, state):
        heard = (state.said * vocabulary + last) % vocabulary**3
        return 2 * table[heard], Heard(heard)

    return step


@pytest.mark.parametrize("seed", range(20))
def test_law_7_a_wide_beam_is_exhaustive(seed: int) -> None:
    vocabulary, limit = 5, 4
    step = random_walk(vocabulary, seed)
    start = Heard(torch.zeros(1, dtype=torch.long))
    best = beam(
        step,
        start,
        rows=1,
        beam_size=vocabulary**limit,
        length_penalty=0.0,
        max_length=limit,
        **MARKS,
    )[0][0]
    candidates = {}
    words = [t for t in range(vocabulary) if t != EOS]
    for n in range(limit + 1):
        for body in itertools.product(words, repeat=n):
            wanted = [*body, EOS] if n < limit else list(body)
            state, last, total = start, BOS, 0.0
            for token in wanted:
                logits, state = step(torch.tensor([last]), state)
                total += float(logits.log_softmax(-1)[0, token])
                last = token
            candidates[body] = total
    top = max(candidates, key=candidates.get)
    assert best.tokens == top
    assert best.score == pytest.approx(candidates[top], abs=1e-5)


def test_sampling_is_seeded_and_does_not_depend_on_its_neighbours() -> None:
    small = tiny("bahdanau")
    source = small.source([6, 6, 6])
    step, start = small.model.step, small.model.start

    def drawn(seed: int, rows: int = 3):
        part = type(source)(source.ids[:rows])
        return [
            h.tokens
            for h in sample(
                step,
                start(part),
                max_length=9,
                seeds=[(seed << 20) + row for row in range(rows)],
                **MARKS,
            )
        ]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert drawn(1, rows=2) == drawn(1)[:2]


def test_sampling_from_the_top_one_is_greedy() -> None:
    small = tiny("transformer")
    source = small.source(LENGTHS)
    step = lively(small)
    best = greedy(step, small.model.start(source), rows=3, max_length=6, **MARKS)
    for cut in ({"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-4}):
        drawn = sample(
            step, small.model.start(source), max_length=6, seeds=range(3), **MARKS, **cut
        )
        assert [h.tokens for h in drawn] == [h.tokens for h in best]


def test_samples_follow_the_distribution() -> None:
    logits = torch.randn(VOCABULARY)

    def step(last, state):
        return logits.expand(len(last), -1), state

    start = Heard(torch.zeros(4000, dtype=torch.long))
    drawn = sample(step, start, max_length=1, seeds=range(4000), **MARKS)
    often = torch.zeros(VOCABULARY)
    for h in drawn:
        often[h.tokens[0] if h.tokens else EOS] += 1 / 4000
    torch.testing.assert_close(often, logits.softmax(-1), atol=0.03, rtol=0)


class TestRules:
    def said(self, *rules, width: int = 3, limit: int = 8):
        small = tiny("luong-general")
        start = small.model.start(small.source(LENGTHS))
        found = beam(
            lively(small),
            start,
            rows=3,
            beam_size=width,
            max_length=limit,
            constraints=rules,
            **MARKS,
        )
        return [h.tokens for hypotheses in found for h in hypotheses]

    def test_at_least_puts_off_the_end(self) -> None:
        assert min(map(len, self.said(min_length(5, EOS)))) >= 5

    def test_forbidden_tokens_are_never_said(self) -> None:
        assert not {4, 5, 6} & {
            token for tokens in self.said(forbid_tokens([4, 5, 6])) for token in tokens
        }

    @pytest.mark.parametrize("size", [1, 2, 3])
    def test_no_repeat_says_nothing_twice(self, size: int) -> None:
        for tokens in self.said(no_repeat_ngram(size), min_length(8, EOS)):
            grams = [tokens[i : i + size] for i in range(len(tokens) - size + 1)]
            assert len(grams) == len(set(grams))

    def test_a_forced_prefix_is_said_by_its_own_sentence(self) -> None:
        prefixes = [(7, 8, 9), (), (3,)]
        said = self.said(force_prefix(prefixes))
        for i, tokens in enumerate(said):
            prefix = prefixes[i // 3]
            assert tokens[: len(prefix)] == prefix


def test_an_ensemble_of_one_model_is_that_model() -> None:
    small = tiny("transformer")
    source = small.source(LENGTHS)
    step, start = lively(small), small.model.start(source)
    alone = beam(step, start, rows=3, beam_size=3, max_length=6, **MARKS)
    twice = beam(ensemble([step, step]), (start, start), rows=3, beam_size=3, max_length=6, **MARKS)
    assert [[h.tokens for h in found] for found in twice] == [
        [h.tokens for h in found] for found in alone
    ]
    assert twice[0][0].score == pytest.approx(alone[0][0].score, abs=1e-5)


def test_an_ensemble_is_the_mean_of_probabilities() -> None:
    a, b = tiny("bahdanau"), tiny("transformer")
    source = a.source(LENGTHS)
    last = torch.full((3,), BOS)
    states = (a.model.start(source), b.model.start(source))
    got, _ = ensemble([a.model.step, b.model.step])(last, states)
    each = [m.model.step(last, s)[0].softmax(-1) for m, s in zip((a, b), states, strict=True)]
    torch.testing.assert_close(got.softmax(-1), (each[0] + each[1]) / 2)

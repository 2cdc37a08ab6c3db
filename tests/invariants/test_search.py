"""Invariants of search, for every preset that generates text; constraints and ensembles."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pytest
import torch

from regard.search import (
    beam,
    ensemble,
    forbid_sequences,
    force_prefix,
    greedy,
    min_length,
    no_repeat_ngram,
    sample,
)
from tests.tiny_models import BOS, EOS, GENERATORS, VOCABULARY, Tiny, tiny

LENGTHS = [7, 4, 5]
SPECIAL_TOKENS = {"bos": BOS, "eos": EOS}


def sharpened(small: Tiny):
    """A step with larger logits: untrained models would repeat one token."""

    def step(last, state):
        logits, state = small.model.step(last, state)
        return 10 * logits, state

    return step


@torch.no_grad()
def score(small: Tiny, source, tokens: tuple[int, ...], *, ended: bool) -> list[float]:
    """The log-probability of each token by forced decoding."""
    hidden = small.hidden(source, torch.tensor([[BOS, *tokens]]))
    logp = (10 * small.model.readout(hidden)).log_softmax(-1)[0]
    scored = [*tokens, EOS] if ended else list(tokens)
    return [float(logp[t, token]) for t, token in enumerate(scored)]


@pytest.mark.parametrize("name", GENERATORS)
def test_invariant_7_beam_of_size_one_is_greedy(name: str) -> None:
    small = tiny(name)
    source = small.source(LENGTHS)
    one = greedy(
        sharpened(small), small.model.start(source), rows=3, max_length=6, **SPECIAL_TOKENS
    )
    narrow = beam(
        sharpened(small),
        small.model.start(source),
        rows=3,
        beam_size=1,
        length_penalty=0.0,
        max_length=6,
        **SPECIAL_TOKENS,
    )
    assert [best.tokens for (best,) in narrow] == [best.tokens for best in one]
    for (a,), b in zip(narrow, one, strict=True):
        assert a.score == pytest.approx(b.score, abs=1e-5)


@pytest.mark.parametrize("name", GENERATORS)
def test_scores_equal_those_of_forced_decoding(name: str) -> None:
    small = tiny(name)
    found = beam(
        sharpened(small),
        small.model.start(small.source([6])),
        rows=1,
        beam_size=4,
        max_length=6,
        **SPECIAL_TOKENS,
    )
    for best in found[0]:
        forced = score(small, small.source([6]), best.tokens, ended=best.ended)
        assert best.logps == pytest.approx(forced, abs=1e-4)
        assert best.score == pytest.approx(sum(forced) / len(forced), abs=1e-4)


@pytest.mark.parametrize("name", GENERATORS)
def test_invariant_6_beam_alone_equals_in_a_batch(name: str) -> None:
    small = tiny(name)
    model = small.model
    source = small.source([6, 6, 6])
    together = beam(
        sharpened(small), model.start(source), rows=3, beam_size=3, max_length=6, **SPECIAL_TOKENS
    )
    for row in range(3):
        one = row_of(source, row)
        alone = beam(
            sharpened(small), model.start(one), rows=1, beam_size=3, max_length=6, **SPECIAL_TOKENS
        )
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
class Prefix:
    """The state of a step without a model: the last three tokens, as one number."""

    code: torch.Tensor


def random_model(vocabulary: int, seed: int):
    torch.manual_seed(seed)
    table = torch.randn(vocabulary**3, vocabulary)

    def step(last, state):
        code = (state.code * vocabulary + last) % vocabulary**3
        return 2 * table[code], Prefix(code)

    return step


@pytest.mark.parametrize("seed", range(20))
def test_invariant_7_beam_of_full_width_is_exhaustive(seed: int) -> None:
    vocabulary, limit = 5, 4
    step = random_model(vocabulary, seed)
    start = Prefix(torch.zeros(1, dtype=torch.long))
    best = beam(
        step,
        start,
        rows=1,
        beam_size=vocabulary**limit,
        length_penalty=0.0,
        max_length=limit,
        **SPECIAL_TOKENS,
    )[0][0]
    candidates = {}
    words = [t for t in range(vocabulary) if t != EOS]
    for n in range(limit + 1):
        for body in itertools.product(words, repeat=n):
            scored = [*body, EOS] if n < limit else list(body)
            state, last, total = start, BOS, 0.0
            for token in scored:
                logits, state = step(torch.tensor([last]), state)
                total += float(logits.log_softmax(-1)[0, token])
                last = token
            candidates[body] = total
    top = max(candidates, key=candidates.get)
    assert best.tokens == top
    assert best.score == pytest.approx(candidates[top], abs=1e-5)


def test_samples_depend_only_on_their_seed() -> None:
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
                **SPECIAL_TOKENS,
            )
        ]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert drawn(1, rows=2) == drawn(1)[:2]


def test_sampling_from_one_token_is_greedy() -> None:
    small = tiny("transformer")
    source = small.source(LENGTHS)
    step = sharpened(small)
    best = greedy(step, small.model.start(source), rows=3, max_length=6, **SPECIAL_TOKENS)
    for cut in ({"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-4}):
        drawn = sample(
            step, small.model.start(source), max_length=6, seeds=range(3), **SPECIAL_TOKENS, **cut
        )
        assert [h.tokens for h in drawn] == [h.tokens for h in best]


def test_samples_follow_the_distribution() -> None:
    logits = torch.randn(VOCABULARY)

    def step(last, state):
        return logits.expand(len(last), -1), state

    start = Prefix(torch.zeros(4000, dtype=torch.long))
    drawn = sample(step, start, max_length=1, seeds=range(4000), **SPECIAL_TOKENS)
    frequency = torch.zeros(VOCABULARY)
    for h in drawn:
        frequency[h.tokens[0] if h.tokens else EOS] += 1 / 4000
    torch.testing.assert_close(frequency, logits.softmax(-1), atol=0.03, rtol=0)


class TestConstraints:
    def decode(self, *constraints):
        small = tiny("luong-general")
        start = small.model.start(small.source(LENGTHS))
        found = beam(
            sharpened(small),
            start,
            rows=3,
            beam_size=3,
            max_length=8,
            constraints=constraints,
            **SPECIAL_TOKENS,
        )
        return [h.tokens for hypotheses in found for h in hypotheses]

    def test_min_length(self) -> None:
        assert min(map(len, self.decode(min_length(5, EOS)))) >= 5

    def test_forbidden_tokens_do_not_occur(self) -> None:
        found = self.decode(forbid_sequences([[4], [5], [6]]))
        assert not {4, 5, 6} & {token for tokens in found for token in tokens}

    @pytest.mark.parametrize("size", [1, 2, 3])
    def test_no_ngram_repeats(self, size: int) -> None:
        for tokens in self.decode(no_repeat_ngram(size), min_length(8, EOS)):
            grams = [tokens[i : i + size] for i in range(len(tokens) - size + 1)]
            assert len(grams) == len(set(grams))

    def test_forced_prefixes_begin_their_sentences(self) -> None:
        prefixes = [(7, 8, 9), (), (3,)]
        for i, tokens in enumerate(self.decode(force_prefix(prefixes))):
            prefix = prefixes[i // 3]
            assert tokens[: len(prefix)] == prefix


def test_ensemble_of_one_model_twice_is_that_model() -> None:
    small = tiny("transformer")
    source = small.source(LENGTHS)
    step, start = sharpened(small), small.model.start(source)
    alone = beam(step, start, rows=3, beam_size=3, max_length=6, **SPECIAL_TOKENS)
    twice = beam(
        ensemble([step, step]), (start, start), rows=3, beam_size=3, max_length=6, **SPECIAL_TOKENS
    )
    assert [[h.tokens for h in found] for found in twice] == [
        [h.tokens for h in found] for found in alone
    ]
    assert twice[0][0].score == pytest.approx(alone[0][0].score, abs=1e-5)


def test_ensemble_averages_probabilities() -> None:
    a, b = tiny("bahdanau"), tiny("transformer")
    source = a.source(LENGTHS)
    last = torch.full((3,), BOS)
    states = (a.model.start(source), b.model.start(source))
    got, _ = ensemble([a.model.step, b.model.step])(last, states)
    each = [m.model.step(last, s)[0].softmax(-1) for m, s in zip((a, b), states, strict=True)]
    torch.testing.assert_close(got.softmax(-1), (each[0] + each[1]) / 2)

"""Whole recurrent decoders against the papers' equations, step by step, in double precision."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from regard.batch import Images
from tests.parity import equations as eq
from tests.parity.test_equations import array, linear, scores_by_hand
from tests.tiny_models import Tiny, tiny

TOLERANCE = 1e-12
STEPS = 4


@pytest.fixture
def small(request: pytest.FixtureRequest) -> Tiny:
    fresh = tiny.__wrapped__(
        request.param, layers=1
    )  # not cached, because it is converted to double
    fresh.model.double()
    return fresh


def cell_of(cells):
    """The recurrent cell as a function of NumPy arrays: (x, carry) -> carry."""
    weights = [
        array(getattr(cells.rnn, f"{kind}_l0"))
        for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    ]
    if cells.parts == 1:
        return lambda x, carry: (eq.gru(x, carry[0], *weights),)
    return lambda x, carry: eq.lstm(x, *carry, *weights)


def first_state(decoder, summary: np.ndarray) -> tuple[np.ndarray, ...]:
    w, b = linear(decoder.bridge.project)
    return tuple(np.tanh(w @ summary + b).reshape(decoder.cells.parts, -1))


def attend(
    attention, kind: str, normalizer: str, query: np.ndarray, states: np.ndarray
) -> np.ndarray:
    weights = eq.NORMALIZERS[normalizer](scores_by_hand(attention, kind, query, states)[0])
    return weights @ states


def inputs(small: Tiny) -> tuple[torch.Tensor, np.ndarray]:
    ids = torch.randint(3, 11, (1, STEPS))
    return ids, array(small.model.embedding(ids)[0])


def check(small: Tiny, source, ids: torch.Tensor, want: list[np.ndarray]) -> None:
    with torch.no_grad():
        got = small.model(source, ids).hidden[0]
    np.testing.assert_allclose(array(got), np.array(want), atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize(
    ("small", "kind", "normalizer"),
    [
        ("bahdanau", "additive", "softmax"),
        ("sparse", "additive", "sparsemax"),
    ],
    indirect=["small"],
)
def test_bahdanau_decoder_attends_before_its_cell(small, kind, normalizer) -> None:
    """Bahdanau et al. 2015: eq. 4 to 6, A.1.2 and A.2.2."""
    source = small.source([6])
    with torch.no_grad():
        encoded = small.model.encoder(source)
    states, decoder = array(encoded.states[0]), small.model.decoder
    carry, step = first_state(decoder, array(encoded.summary[0])), cell_of(decoder.cells)
    w, b = linear(decoder.deep.mix)
    ids, vectors = inputs(small)
    want = []
    for y in vectors:
        context = attend(decoder.attention, kind, normalizer, carry[0], states)
        carry = step(np.concatenate([y, context]), carry)
        mixed = w @ np.concatenate([carry[0], y, context]) + b
        want.append(mixed.reshape(-1, 2).max(axis=1))
    check(small, source, ids, want)


@pytest.mark.parametrize("small", ["cho"], indirect=True)
def test_cho_decoder_reads_the_last_state_at_every_step(small) -> None:
    """Cho et al. 2014, 2.2 and A.1."""
    source = small.source([6])
    with torch.no_grad():
        encoded = small.model.encoder(source)
    context, decoder = array(encoded.states[0, -1]), small.model.decoder
    carry, step = first_state(decoder, array(encoded.summary[0])), cell_of(decoder.cells)
    w, b = linear(decoder.deep.mix)
    ids, vectors = inputs(small)
    want = []
    for y in vectors:
        carry = step(np.concatenate([y, context]), carry)
        mixed = w @ np.concatenate([carry[0], y, context]) + b
        want.append(mixed.reshape(-1, 2).max(axis=1))
    check(small, source, ids, want)


@pytest.mark.parametrize(
    ("small", "kind"),
    [("luong-dot", "dot"), ("luong-general", "bilinear"), ("luong-concat", "additive")],
    indirect=["small"],
)
def test_luong_decoder_attends_after_its_cell_and_feeds_its_output(small, kind: str) -> None:
    """Luong et al. 2015: eq. 5 and 8, 3.3."""
    source = small.source([6])
    with torch.no_grad():
        encoded = small.model.encoder(source)
    states, decoder = array(encoded.states[0]), small.model.decoder
    carry, step = first_state(decoder, array(encoded.summary[0])), cell_of(decoder.cells)
    w, b = linear(decoder.combine)
    ids, vectors = inputs(small)
    fed, want = np.zeros(decoder.dim), []
    for y in vectors:
        carry = step(np.concatenate([y, fed]), carry)
        context = attend(decoder.attention, kind, "softmax", carry[0], states)
        fed = np.tanh(w @ np.concatenate([context, carry[0]]) + b)
        want.append(fed)
    check(small, source, ids, want)


@pytest.mark.parametrize("small", ["sutskever"], indirect=True)
def test_sutskever_decoder_reads_the_source_only_in_its_first_state(small) -> None:
    """Sutskever et al. 2014, section 2."""
    source = small.source([6])
    with torch.no_grad():
        encoded = small.model.encoder(source)
    decoder = small.model.decoder
    carry, step = first_state(decoder, array(encoded.summary[0])), cell_of(decoder.cells)
    ids, vectors = inputs(small)
    want = []
    for y in vectors:
        carry = step(y, carry)
        want.append(carry[0])
    check(small, source, ids, want)


@pytest.mark.parametrize(
    ("small", "normalizer"),
    [("caption-soft", "softmax"), ("caption-hard", "hard")],
    indirect=["small"],
)
def test_xu_decoder_gates_the_context_of_the_image(small, normalizer: str) -> None:
    """Xu et al. 2015: eq. 1 to 7 and 4.2.1."""
    source = Images(small.source([1]).pixels.double())
    with torch.no_grad():
        encoded = small.model.encoder(source)
    regions, decoder = array(encoded.states[0]), small.model.decoder
    np.testing.assert_allclose(array(encoded.summary[0]), regions.mean(axis=0), atol=TOLERANCE)
    carry, step = first_state(decoder, array(encoded.summary[0])), cell_of(decoder.cells)
    (wg, bg), (w, b) = linear(decoder.gate), linear(decoder.deep.mix)
    ids, vectors = inputs(small)
    want = []
    for y in vectors:
        gate = eq.sigmoid(wg @ carry[0] + bg)
        context = gate * attend(decoder.attention, "additive", normalizer, carry[0], regions)
        carry = step(np.concatenate([y, context]), carry)
        want.append(y + w @ np.concatenate([carry[0], context]) + b)
    check(small, source, ids, want)


@pytest.mark.parametrize("small", ["lm-lstmn"], indirect=True)
def test_lstmn_attends_to_its_previous_states(small) -> None:
    """Cheng et al. 2016, eq. 4 to 9; the memory begins with a blank state."""
    decoder = small.model.decoder
    ids, vectors = inputs(small)
    w, b = linear(decoder.gates)
    blank = np.zeros(decoder.dim)
    hidden, cells, summary, want = [blank], [blank], blank, []
    for x in vectors:
        query = np.concatenate([x, summary])
        scores = scores_by_hand(decoder.attention, "additive", query, np.array(hidden))[0]
        weights = eq.softmax(scores)
        summary, recalled = weights @ np.array(hidden), weights @ np.array(cells)
        i, f, o, new = np.split(w @ np.concatenate([summary, x]) + b, 4)
        c = eq.sigmoid(f) * recalled + eq.sigmoid(i) * np.tanh(new)
        h = eq.sigmoid(o) * np.tanh(c)
        hidden.append(h)
        cells.append(c)
        want.append(h)
    with torch.no_grad():
        got = small.model(ids).hidden[0]
    np.testing.assert_allclose(array(got), np.array(want), atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize("small", ["lm-recurrent-attention"], indirect=True)
def test_recurrent_language_model_attends_to_its_states(small) -> None:
    decoder = small.model.decoder
    ids, vectors = inputs(small)
    step, w_b = cell_of(decoder.cells), linear(decoder.combine)
    carry = (np.zeros(decoder.dim),) * decoder.cells.parts
    states, want = [], []
    for x in vectors:
        carry = step(x, carry)
        states.append(carry[0])
        context = attend(decoder.attention, "additive", "softmax", carry[0], np.array(states))
        want.append(np.tanh(w_b[0] @ np.concatenate([context, carry[0]]) + w_b[1]))
    with torch.no_grad():
        got = small.model(ids).hidden[0]
    np.testing.assert_allclose(array(got), np.array(want), atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize("small", ["han"], indirect=True)
def test_document_encoder_reads_words_then_sentences(small) -> None:
    """Yang et al. 2016, eq. 1 to 10."""
    source = small.source([3, 2])
    encoder = small.model.encoder

    def run_both(stack, vectors: np.ndarray) -> np.ndarray:
        def run(suffix: str, xs: np.ndarray) -> list[np.ndarray]:
            weights = [
                array(getattr(stack.rnn, f"{kind}_l0{suffix}"))
                for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            ]
            h, out = np.zeros(stack.rnn.hidden_size), []
            for x in xs:
                h = eq.gru(x, h, *weights)
                out.append(h)
            return out

        forward, backward = run("", vectors), run("_reverse", vectors[::-1])[::-1]
        return np.concatenate([np.array(forward), np.array(backward)], axis=1)

    def pool(part, states: np.ndarray) -> np.ndarray:
        w, b = linear(part.attention.score.to_keys[0])
        query = array(part.query)
        return eq.softmax(np.array([query @ np.tanh(w @ h + b) for h in states])) @ states

    sentences = []
    for tokens, n in zip(source.sentences.ids, source.sentences.lengths, strict=True):
        vectors = array(encoder.embedding(tokens[: int(n)]))
        sentences.append(pool(encoder.word_pooling, run_both(encoder.word_encoder, vectors)))
    documents, begin = [], 0
    for count in source.counts.tolist():
        states = run_both(encoder.sentence_encoder, np.array(sentences[begin : begin + count]))
        documents.append(pool(encoder.sentence_pooling, states))
        begin += count
    with torch.no_grad():
        got = encoder(source).summary
    np.testing.assert_allclose(array(got), np.array(documents), atol=TOLERANCE, rtol=0)

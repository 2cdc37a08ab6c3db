"""Whole recurrent decoders against the papers' equations, step by step, in double precision.

Encoder states and initial states come from torch's own cells with the encoder's weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
import torch
from torch import nn

from regard.batch import Images, Tokens
from regard.config.model import VocabularySizes
from tests.parity import equations as eq
from tests.parity.test_equations import array, linear, scores_by_hand
from tests.tiny_models import VOCABULARY, Tiny, tiny_run

TOLERANCE = 1e-12
STEPS = 4

Layers: TypeAlias = list[tuple[np.ndarray, ...]]
"""The state of each layer: hidden, and an LSTM's cell."""


def make_small(name: str, *overrides: str, **small: int) -> Tiny:
    run = tiny_run(name, overrides, **small)
    torch.manual_seed(0)
    model = run.model.build(VocabularySizes(VOCABULARY, VOCABULARY)).eval()
    return Tiny(name, run, model.double())


@pytest.fixture
def small(request: pytest.FixtureRequest) -> Tiny:
    return make_small(request.param)


def cell_of(cells) -> Callable[[np.ndarray, Layers], Layers]:
    """The recurrent cells as a function of NumPy arrays."""
    kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    weights = [
        [array(getattr(cells.rnn, f"{kind}_l{layer}")) for kind in kinds]
        for layer in range(cells.layers)
    ]

    def step(x: np.ndarray, carry: Layers) -> Layers:
        after: Layers = []
        for layer, parts in zip(weights, carry, strict=True):
            lstm = len(parts) == 2
            after.append(eq.lstm(x, *parts, *layer) if lstm else (eq.gru(x, *parts, *layer),))
            x = after[-1][0]
        return after

    return step


def encode(small: Tiny, ids: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
    """The states of one source, and its final states: layers, parts, directions, size."""
    encoder, config = small.model.encoder, small.run.model.encoder
    rnn = (nn.LSTM if config.cell == "lstm" else nn.GRU)(
        encoder.embedding.embedding_dim,
        config.dim,
        config.layers,
        bidirectional=config.bidirectional,
        dtype=torch.float64,
    )
    rnn.load_state_dict(encoder.stack.rnn.state_dict())
    order = list(range(len(ids)))
    if config.reverse:
        order = [*order[-2::-1], order[-1]]  # the end token stays last
    with torch.no_grad():
        states, last = rnn(encoder.embedding(ids[order]))
    final = np.stack([array(part) for part in (last if config.cell == "lstm" else (last,))])
    directions = 2 if config.bidirectional else 1
    by_layer = final.reshape(len(final), config.layers, directions, -1).swapaxes(0, 1)
    return array(states)[np.argsort(order)], by_layer


def copied(final: np.ndarray) -> Layers:
    return [tuple(part[0] for part in layer) for layer in final]


def projected(decoder, vector: np.ndarray) -> Layers:
    w, b = linear(decoder.bridge.project)
    cells = decoder.cells
    states = np.tanh(w @ vector + b).reshape(cells.layers, cells.parts, cells.dim)
    return [tuple(layer) for layer in states]


def attend(
    attention, kind: str, normalizer: str, query: np.ndarray, states: np.ndarray
) -> np.ndarray:
    weights = eq.NORMALIZERS[normalizer](scores_by_hand(attention, kind, query, states)[0])
    return weights @ states


def inputs(small: Tiny, rows: int = 1) -> tuple[torch.Tensor, np.ndarray]:
    ids = torch.randint(3, VOCABULARY, (rows, STEPS))
    vectors = array(small.model.embedding(ids))
    return ids, vectors[0] if rows == 1 else vectors


def check(
    small: Tiny, decode: Callable[[np.ndarray, np.ndarray, np.ndarray], list[np.ndarray]]
) -> None:
    """Compare with `decode(states, final states, inputs)`, with padding and without."""
    for lengths in ([6], [6, 4, 1]):
        source = small.source(lengths)
        ids, vectors = inputs(small, len(lengths))
        with torch.no_grad():
            got = array(small.model(source, ids).hidden)
        for row, n in enumerate(lengths):
            states, final = encode(small, source.ids[row, :n])
            want = decode(states, final, vectors.reshape(len(lengths), STEPS, -1)[row])
            np.testing.assert_allclose(got[row], np.array(want), atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize(("name", "normalizer"), [("bahdanau", "softmax"), ("sparse", "sparsemax")])
def test_bahdanau_decoder_attends_before_its_cell(name, normalizer, layers) -> None:
    """Bahdanau et al. 2015: eq. 4 to 6, A.1.2 and A.2.2, s_0 = tanh(W_s ←h_1)."""
    sizes = [f"model.{part}.layers={layers}" for part in ("encoder", "decoder")]
    small = make_small(name, *sizes)
    decoder = small.model.decoder
    w, b = linear(decoder.deep.mix)
    step = cell_of(decoder.cells)

    def decode(states, final, vectors) -> list[np.ndarray]:
        carry, want = projected(decoder, final[-1, 0, 1]), []
        for y in vectors:
            context = attend(decoder.attention, "additive", normalizer, carry[-1][0], states)
            carry = step(np.concatenate([y, context]), carry)
            mixed = w @ np.concatenate([carry[-1][0], y, context]) + b
            want.append(mixed.reshape(-1, 2).max(axis=1))
        return want

    check(small, decode)


@pytest.mark.parametrize("small", ["cho"], indirect=True)
def test_cho_decoder_reads_the_last_state_at_every_step(small) -> None:
    """Cho et al. 2014, 2.2 and A.1."""
    decoder = small.model.decoder
    w, b = linear(decoder.deep.mix)
    step = cell_of(decoder.cells)

    def decode(states, final, vectors) -> list[np.ndarray]:
        context = final[-1, 0, 0]
        carry, want = projected(decoder, context), []
        for y in vectors:
            carry = step(np.concatenate([y, context]), carry)
            mixed = w @ np.concatenate([carry[-1][0], y, context]) + b
            want.append(mixed.reshape(-1, 2).max(axis=1))
        return want

    check(small, decode)


@pytest.mark.parametrize(
    ("small", "kind"),
    [("luong-dot", "dot"), ("luong-general", "bilinear"), ("luong-concat", "additive")],
    indirect=["small"],
)
def test_luong_decoder_attends_after_its_cell_and_feeds_its_output(small, kind: str) -> None:
    """Luong et al. 2015: eq. 5 and 8, 3 and 3.3."""
    decoder = small.model.decoder
    w, b = linear(decoder.combine)
    step = cell_of(decoder.cells)

    def decode(states, final, vectors) -> list[np.ndarray]:
        carry, fed, want = copied(final), np.zeros(decoder.dim), []
        for y in vectors:
            carry = step(np.concatenate([y, fed]), carry)
            context = attend(decoder.attention, kind, "softmax", carry[-1][0], states)
            fed = np.tanh(w @ np.concatenate([context, carry[-1][0]]) + b)
            want.append(fed)
        return want

    check(small, decode)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_conditional_decoder_attends_between_its_cells(cell: str) -> None:
    """Sennrich et al. 2017, 2: the initial state, the two transitions and the output."""
    small = make_small("conditional-gru", f"model.decoder.cell={cell}")
    decoder = small.model.decoder
    (w, b), (w_0, b_0) = linear(decoder.deep.mix), linear(decoder.bridge.project)
    first, second = cell_of(decoder.first), cell_of(decoder.second)

    def decode(states, final, vectors) -> list[np.ndarray]:
        mean = np.tanh(w_0 @ states.mean(axis=0) + b_0)
        carry, want = [tuple(np.split(mean, decoder.second.parts))], []
        for y in vectors:
            between = first(y, carry)
            context = attend(decoder.attention, "additive", "softmax", between[0][0], states)
            carry = second(context, between)
            want.append(np.tanh(w @ np.concatenate([carry[0][0], y, context]) + b))
        return want

    check(small, decode)


@pytest.mark.parametrize("feeding", [True, False])
def test_plain_attention_of_lecture_notes(feeding: bool) -> None:
    """weights = softmax(sᵀh / √d), output [c; s], without any projection."""
    small = make_small(
        "luong-dot",
        "model.decoder.attention.score.scaled=true",
        "model.decoder.output=concatenation",
        f"model.decoder.input_feeding={str(feeding).lower()}",
    )
    decoder = small.model.decoder
    assert not list(decoder.attention.parameters())
    step = cell_of(decoder.cells)

    def decode(states, final, vectors) -> list[np.ndarray]:
        carry, output, want = copied(final), np.zeros(decoder.dim), []
        for y in vectors:
            carry = step(np.concatenate([y, output]) if feeding else y, carry)
            query = carry[-1][0]
            context = attend(decoder.attention, "dot / √d", "softmax", query, states)
            output = np.concatenate([context, query])
            want.append(output)
        return want

    check(small, decode)


@pytest.mark.parametrize("reverse", [True, False])
@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_sutskever_decoder_continues_from_the_states_of_all_layers(cell, reverse) -> None:
    """Sutskever et al. 2014, 2 and 3.3."""
    cells = [f"model.{part}.cell={cell}" for part in ("encoder", "decoder")]
    small = make_small("sutskever", *cells, f"model.encoder.reverse={str(reverse).lower()}")
    step = cell_of(small.model.decoder.cells)

    def decode(states, final, vectors) -> list[np.ndarray]:
        carry, want = copied(final), []
        for y in vectors:
            carry = step(y, carry)
            want.append(carry[-1][0])
        return want

    check(small, decode)


@pytest.mark.parametrize(
    ("settings", "layers"),
    [
        (["encoder.bidirectional=true"], [0, 1]),
        (["encoder.dim=4"], [0, 1]),
        (["encoder.cell=gru"], [0, 1]),
        (["decoder.cell=gru"], [0, 1]),
        (["encoder.layers=1"], [0, 0]),
        (["encoder.layers=2", "decoder.layers=3"], [0, 1, 1]),
        (["encoder.layers=3", "decoder.layers=2"], [1, 2]),
    ],
)
@pytest.mark.parametrize("name", ["sutskever", "luong-general"])
def test_states_of_other_sizes_are_projected_layer_by_layer(name, settings, layers) -> None:
    """`layers`: the encoder's layer for each layer of the decoder."""
    defaults = ["encoder.reverse=false", "encoder.layers=2", "decoder.layers=2"]
    small = make_small(name, *(f"model.{each}" for each in [*defaults, *settings]), layers=3)
    decoder = small.model.decoder
    for lengths in ([5], [5, 3]):
        source = small.source(lengths)
        with torch.no_grad():
            carry = array(small.model.start(source).carry)
        for row, n in enumerate(lengths):
            _, final = encode(small, source.ids[row, :n])
            for i, layer in enumerate(layers):
                w, b = linear(decoder.bridge.project[i])
                want = (w @ final[layer].reshape(-1) + b).reshape(decoder.cells.parts, -1)
                np.testing.assert_allclose(carry[row, i], want, atol=TOLERANCE, rtol=0)


def test_a_reversed_encoder_keeps_each_state_at_its_word() -> None:
    small = make_small("sutskever")
    source = small.source([6, 4])
    with torch.no_grad():
        states = array(small.model.encoder(source).states)
    for row, n in enumerate([6, 4]):
        want, _ = encode(small, source.ids[row, :n])
        np.testing.assert_allclose(states[row, :n], want, atol=TOLERANCE, rtol=0)
    first_changed = Tokens(source.ids.clone(), source.lengths)
    first_changed.ids[:, 0] += 1
    with torch.no_grad():
        changed = array(small.model.encoder(first_changed).states) != states
    assert changed[0].any(axis=-1).tolist() == [True] + [False] * 4 + [True]
    assert changed[1, :4].any(axis=-1).tolist() == [True] + [False] * 2 + [True]


@pytest.mark.parametrize(
    ("small", "normalizer"),
    [("caption-soft", "softmax"), ("caption-hard", "hard")],
    indirect=["small"],
)
def test_xu_decoder_gates_the_context_of_the_image(small, normalizer: str) -> None:
    """Xu et al. 2015: eq. 1 to 7, 3.1.2 and 4.2.1."""
    source = Images(small.source([1]).pixels.double())
    with torch.no_grad():
        encoded = small.model.encoder(source)
    regions, decoder = array(encoded.states[0]), small.model.decoder
    carry, step = projected(decoder, regions.mean(axis=0)), cell_of(decoder.cells)
    (wg, bg), (w, b) = linear(decoder.gate), linear(decoder.deep.mix)
    ids, vectors = inputs(small)
    want = []
    for y in vectors:
        gate = eq.sigmoid(wg @ carry[-1][0] + bg)
        context = gate * attend(decoder.attention, "additive", normalizer, carry[-1][0], regions)
        carry = step(np.concatenate([y, context]), carry)
        want.append(y + w @ np.concatenate([carry[-1][0], context]) + b)
    with torch.no_grad():
        got = small.model(source, ids).hidden[0]
    np.testing.assert_allclose(array(got), np.array(want), atol=TOLERANCE, rtol=0)


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


@pytest.mark.parametrize("window", [2, None])
def test_recurrent_language_model_attends_to_its_previous_outputs(window: int | None) -> None:
    """Daniluk et al. 2017, eq. 1 to 5; before the first output there is one vector of zeros."""
    span = f"model.decoder.attention.span={{kind: causal, window: {window or 'null'}}}"
    small = make_small("lm-recurrent-attention", span)
    decoder = small.model.decoder
    ids, vectors = inputs(small)
    step, w_b = cell_of(decoder.cells), linear(decoder.combine)
    cells = decoder.cells
    carry = [(np.zeros(decoder.dim),) * cells.parts for _ in range(cells.layers)]
    states, want = [np.zeros(decoder.dim)], []
    for x in vectors:
        carry = step(x, carry)
        seen = np.array(states[-window:] if window else states)
        context = attend(decoder.attention, "additive", "softmax", carry[-1][0], seen)
        states.append(carry[-1][0])
        want.append(np.tanh(w_b[0] @ np.concatenate([context, carry[-1][0]]) + w_b[1]))
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

"""Invariants that every mechanism must fulfil, to run on a mechanism of one's own.

    from regard.testing import check_mechanism

    def test_my_normalizer() -> None:
        check_mechanism(MyNormalizer, alpha=1.5)

The tests of regard run the same functions on its own mechanisms.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from regard.attention import Attention
from regard.attention.definition import AttentionCall
from regard.batch import Tokens
from regard.config.attention import (
    AdditiveConfig,
    AttentionConfig,
    NormalizerConfig,
    ScoreConfig,
    SpanConfig,
)
from regard.config.base import kind_of
from regard.config.encoders import RecurrentEncoderConfig
from regard.config.model import DecoderConfig
from regard.config.registry import MechanismConfig, configs_of, derive_config
from regard.errors import ConfigError
from regard.nn.embedding import Embedding
from regard.nn.interfaces import Decoder, Encoded, Encoder

DIM = 8  # of queries, keys and values
LENGTHS = torch.tensor([7, 4, 5])
ROWS, SIZE, STEPS = 3, 7, 5
VOCABULARY = 11

AttentionCheck: TypeAlias = Callable[[Attention, Tensor | None], None]
DecoderCheck: TypeAlias = Callable[[Decoder[Any], Encoder[Any]], None]


def check_mechanism(mechanism: type[nn.Module] | str, /, **settings: Any) -> None:
    """Run all invariants on a score, span, normalizer or decoder.

    Args:
        mechanism: the class, or its `kind` in run files.
        settings: its settings, as in a run file.

    Raises:
        AssertionError: an invariant does not hold. The message begins with its name.
        ConfigError: the mechanism cannot be registered, or the settings are invalid.

    The sizes of queries, keys and states are 8.
    """
    config = _config(mechanism).model_validate(settings)
    torch.manual_seed(0)
    if isinstance(config, DecoderConfig):
        encoder, decoder = build_decoder(config)
        for check in DECODER_CHECKS:
            _run(check, decoder, encoder)
        return
    attention = build_attention(config)
    for attention_check in ATTENTION_CHECKS:
        for lengths in (None, LENGTHS):
            _run(attention_check, attention, lengths)


def build_attention(config: MechanismConfig) -> Attention:
    """An attention with this score, span or normalizer; the other parts have no settings."""
    score = config if isinstance(config, ScoreConfig) else AdditiveConfig()
    parts: dict[str, MechanismConfig] = {"score": score}
    if isinstance(config, SpanConfig):
        parts["span"] = config
    if isinstance(config, NormalizerConfig):
        parts["normalizer"] = config
    return AttentionConfig.model_construct(None, **parts).build(DIM, DIM).eval()


def build_decoder(config: DecoderConfig) -> tuple[Encoder[Any], Decoder[Any]]:
    """A recurrent encoder, and the decoder of its states."""
    encoder = RecurrentEncoderConfig(dim=DIM // 2).build(
        lambda std: Embedding(VOCABULARY, DIM, std=std)
    )
    return encoder.eval(), config.build(DIM, encoder).eval()


def _config(mechanism: type[nn.Module] | str) -> type[MechanismConfig]:
    if isinstance(mechanism, type):
        name = getattr(getattr(mechanism, "equation", None), "name", mechanism.__name__)
        return derive_config(mechanism, name)
    for config in configs_of(MechanismConfig):
        if kind_of(config) == mechanism:
            return config
    names = ", ".join(sorted(kind_of(config) for config in configs_of(MechanismConfig)))
    raise ConfigError(f'no mechanism has the name "{mechanism}". Valid names: {names}')


def _run(check: Callable[..., None], *arguments: Any) -> None:
    try:
        check(*arguments)
    except AssertionError as error:
        summary = (check.__doc__ or "").splitlines()[0]
        raise AssertionError(f"{check.__name__}: {summary}\n{error}") from None


# -- attention -----------------------------------------------------------------------------------


_assert_close = partial(torch.testing.assert_close, atol=1e-5, rtol=1e-5)


def _random(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def check_chunks(attention: Attention, lengths: Tensor | None) -> None:
    """Queries one by one, or several at once, get the same contexts."""
    memory = attention.build_memory(_random(ROWS, SIZE, DIM), lengths)
    query = _random(ROWS, SIZE, DIM)
    whole = attention(query, memory).context
    for cuts in ([1] * SIZE, [2, 5], [4, 2, 1]):
        contexts, start = [], 0
        for chunk in query.split(cuts, dim=1):
            contexts.append(attention(chunk, memory, start=start).context)
            start += chunk.size(1)
        _assert_close(torch.cat(contexts, dim=1), whole)


def check_distribution(attention: Attention, lengths: Tensor | None) -> None:
    """Weights are not negative, sum to one, and are zero for keys that are not visible."""
    memory = attention.build_memory(_random(ROWS, SIZE, DIM), lengths)
    query = _random(ROWS, 4, DIM)
    visible, prior = _call(attention, query, memory).visibility()
    weights = attention(query, memory, need_weights=True).weights
    assert weights is not None
    assert weights.isfinite().all(), "a weight is not finite"
    assert (weights >= 0).all(), "a weight is negative"
    if visible is not None:
        hidden = weights.masked_select(~visible.expand_as(weights))
        assert (hidden == 0).all(), "a key that is not visible has a weight"
    if prior is None:
        _assert_close(weights.sum(-1), torch.ones_like(weights.sum(-1)))


def check_padding(attention: Attention, lengths: Tensor | None) -> None:
    """What stands in the padding changes nothing."""
    lengths = torch.full((ROWS,), SIZE) if lengths is None else lengths
    states, query = _random(ROWS, SIZE, DIM), _random(ROWS, 2, DIM)
    longer = torch.cat([states, _random(ROWS, 5, DIM)], dim=1)
    first, second = (
        attention(query, attention.build_memory(x, lengths), start=1).context
        for x in (states, longer)
    )
    _assert_close(first, second)


def check_mask(attention: Attention, lengths: Tensor | None) -> None:
    """A key that the mask hides changes nothing."""
    mask = torch.ones(1, 1, SIZE, dtype=torch.bool)
    mask[..., 1] = False
    states, query = _random(ROWS, SIZE, DIM), _random(ROWS, 1, DIM)
    changed = states.clone()
    changed[:, 1] += 1
    start = SIZE - 1  # the first queries of some spans see no other key
    first, second = (
        attention(query, attention.build_memory(x, lengths), mask, start=start).context
        for x in (states, changed)
    )
    _assert_close(first, second)


def check_rows(attention: Attention, lengths: Tensor | None) -> None:
    """A row alone has the context that it has in a batch."""
    sizes = [SIZE] * ROWS if lengths is None else lengths.tolist()
    states, query = _random(ROWS, SIZE, DIM), _random(ROWS, 3, DIM)
    together = attention(query, attention.build_memory(states, lengths)).context
    for row, n in enumerate(sizes):
        memory = attention.build_memory(states[row : row + 1, :n])
        alone = attention(query[row : row + 1], memory).context
        _assert_close(alone[0], together[row])


def check_hypotheses(attention: Attention, lengths: Tensor | None) -> None:
    """Hypotheses that share the memory of a sentence have the contexts of a memory each."""
    states, query = _random(ROWS, SIZE, DIM), _random(2 * ROWS, 1, DIM)
    shared = attention(query, attention.build_memory(states, lengths), start=2).context
    repeated = None if lengths is None else lengths.repeat_interleave(2)
    memory = attention.build_memory(states.repeat_interleave(2, 0), repeated)
    _assert_close(shared, attention(query, memory, start=2).context)


def check_kernels(attention: Attention, lengths: Tensor | None) -> None:
    """The kernels compute what the definition computes."""
    memory = attention.build_memory(_random(ROWS, SIZE, DIM), lengths)
    query, kernel = _random(ROWS, 3, DIM), attention.kernel
    fast = attention(query, memory, start=4).context
    try:
        attention.kernel = "definition"
        slow = attention(query, memory, start=4).context
    finally:
        attention.kernel = kernel
    _assert_close(fast, slow)


def check_gradients(attention: Attention, lengths: Tensor | None) -> None:
    """The gradients of queries and states are finite."""
    states = _random(ROWS, SIZE, DIM).requires_grad_()
    query = _random(ROWS, 3, DIM).requires_grad_()
    context = attention(query, attention.build_memory(states, lengths), start=4).context
    inputs = [query, states, *attention.parameters()]
    for gradient in torch.autograd.grad(context.square().sum(), inputs, allow_unused=True):
        assert gradient is None or gradient.isfinite().all(), "a gradient is not finite"


def check_permutation(attention: Attention, lengths: Tensor | None) -> None:
    """Without a span that depends on positions, the order of the keys changes nothing."""
    if attention.span.positional or attention.span.reads_summary or lengths is not None:
        return
    states, query = _random(ROWS, SIZE, DIM), _random(ROWS, 3, DIM)
    order = torch.tensor([3, 0, 6, 2, 5, 1, 4])
    first, second = (
        attention(query, attention.build_memory(x), need_weights=True)
        for x in (states, states[:, order])
    )
    _assert_close(first.context, second.context)
    assert first.weights is not None
    assert second.weights is not None
    _assert_close(first.weights[..., order], second.weights)


def _call(attention: Attention, query: Tensor, memory: Any) -> AttentionCall:
    projected = attention.score.project_query(query)
    parts = attention.score, attention.span, attention.normalizer, attention.dropout
    return AttentionCall(*parts, query, projected, memory, query.size(1))


ATTENTION_CHECKS: tuple[AttentionCheck, ...] = (
    *(check_chunks, check_distribution, check_padding, check_mask, check_rows),
    *(check_hypotheses, check_kernels, check_gradients, check_permutation),
)

# -- decoders ------------------------------------------------------------------------------------


def _source(encoder: Encoder[Any], rows: slice = slice(None), size: int = SIZE) -> Encoded:
    ids = torch.randint(VOCABULARY, (ROWS, SIZE), generator=torch.Generator().manual_seed(1))
    return encoder(Tokens(ids[rows, :size], LENGTHS[rows]))


def check_decoder_chunks(decoder: Decoder[Any], encoder: Encoder[Any]) -> None:
    """Inputs one by one, or several at once, get the same outputs."""
    inputs, source = _random(ROWS, STEPS, DIM), _source(encoder)
    whole = decoder(inputs, decoder.start(source))[0].hidden
    for cuts in ([1] * STEPS, [2, 3], [4, 1]):
        state, outputs = decoder.start(source), []
        for chunk in inputs.split(cuts, dim=1):
            decoded, state = decoder(chunk, state)
            outputs.append(decoded.hidden)
        _assert_close(torch.cat(outputs, dim=1), whole)
    assert whole.shape == (ROWS, STEPS, decoder.dim), f"dim is not the size of {whole.shape}"


def check_decoder_causality(decoder: Decoder[Any], encoder: Encoder[Any]) -> None:
    """An output does not depend on later inputs."""
    inputs = _random(ROWS, STEPS, DIM)
    changed = inputs.clone()
    changed[:, 3:] += 1
    first, second = (
        decoder(x, decoder.start(_source(encoder)))[0].hidden for x in (inputs, changed)
    )
    _assert_close(first[:, :3], second[:, :3])


def check_decoder_rows(decoder: Decoder[Any], encoder: Encoder[Any]) -> None:
    """A row alone has the outputs that it has in a batch with padding."""
    inputs = _random(ROWS, STEPS, DIM)
    together = decoder(inputs, decoder.start(_source(encoder)))[0].hidden
    for row, n in enumerate(LENGTHS.tolist()):
        row_slice = slice(row, row + 1)
        alone = decoder(inputs[row_slice], decoder.start(_source(encoder, row_slice, n)))[0].hidden
        _assert_close(alone[0], together[row])


def check_decoder_gradients(decoder: Decoder[Any], encoder: Encoder[Any]) -> None:
    """The gradients of inputs and parameters are finite."""
    inputs = _random(ROWS, STEPS, DIM).requires_grad_()
    outputs = decoder(inputs, decoder.start(_source(encoder)))[0].hidden
    parameters = [inputs, *decoder.parameters()]
    for gradient in torch.autograd.grad(outputs.square().sum(), parameters, allow_unused=True):
        assert gradient is None or gradient.isfinite().all(), "a gradient is not finite"


DECODER_CHECKS: tuple[DecoderCheck, ...] = (
    *(check_decoder_chunks, check_decoder_causality, check_decoder_rows, check_decoder_gradients),
)

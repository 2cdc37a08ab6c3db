"""Search options from the arguments of `Translator.translate`."""

from __future__ import annotations

from collections.abc import Sequence

from regard.errors import ConfigError, CorpusError
from regard.inference.engine import SamplingOptions, SearchOptions
from regard.text.tokenizer import Tokenizer


def make_search_options(
    saved: SearchOptions,
    tokenizer: Tokenizer,
    beam_size: int | None,
    n_best: int,
    length_penalty: float | None,
    sampling: SamplingOptions | None,
    min_length: int,
    no_repeat_ngram: int,
    forbid: Sequence[str],
) -> SearchOptions:
    """Return checked search options. None stands for the saved value.

    Raises:
        ConfigError: An option is invalid.
    """
    beam_size = saved.beam_size if beam_size is None else beam_size
    length_penalty = saved.length_penalty if length_penalty is None else length_penalty
    for name, value, minimum in (
        ("beam_size", beam_size, 1),
        ("n_best", n_best, 1),
        ("min_length", min_length, 0),
        ("no_repeat_ngram", no_repeat_ngram, 0),
    ):
        if value < minimum:
            raise ConfigError(f"{name}: must be at least {minimum}, not {value}.")
    forbidden = _encode_forbidden(tokenizer, forbid)
    if sampling is not None:
        forbidden += tuple((token,) for token in tokenizer.never_encoded)
    return SearchOptions(
        n_best if sampling is not None else max(beam_size, n_best),
        length_penalty,
        sampling,
        min_length,
        no_repeat_ngram,
        forbidden,
    )


def _encode_forbidden(tokenizer: Tokenizer, forbid: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    if isinstance(forbid, str):
        raise ConfigError("forbid: is a single string. Pass a list of texts.")
    encoded = tuple(map(tuple, tokenizer.encode(forbid)))
    for text, ids in zip(forbid, encoded, strict=True):
        if not ids:
            raise ConfigError(f"forbid: {text!r} has no tokens. Remove it.")
    return encoded


def encode_prefixes(
    tokenizer: Tokenizer, prefix: str | Sequence[str] | None, count: int
) -> list[list[int]]:
    if prefix is None:
        return []
    prefixes = [prefix] * count if isinstance(prefix, str) else prefix
    if len(prefixes) != count:
        raise CorpusError(
            f"prefix: there are {len(prefixes)} for {count} texts. "
            "Pass one string for all texts or one for each."
        )
    return tokenizer.encode(prefixes)

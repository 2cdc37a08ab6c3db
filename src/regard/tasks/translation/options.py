"""Search options from the arguments of `Translator.translate`."""

from __future__ import annotations

from collections.abc import Sequence

from regard.bounds import BEAM_SIZE, N_BEST
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
    BEAM_SIZE.check("beam_size", beam_size)  # although sampling does not use it
    N_BEST.check("n_best", n_best)
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

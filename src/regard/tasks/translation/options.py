"""How texts are translated: one value from command line, client and request to the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, TypeAlias, TypedDict

from regard.bounds import BEAM_SIZE, N_BEST
from regard.errors import ConfigError, CorpusError
from regard.inference.engine import SamplingOptions, SearchOptions
from regard.text.tokenizer import Tokenizer

AlignWith: TypeAlias = Literal["aligner", "attention"]


class DocumentKeywords(TypedDict, total=False):
    """The fields of `TranslateOptions` that documents use, as keyword arguments."""

    to: str | None
    beam_size: int | None
    length_penalty: float | None
    align_with: AlignWith | None
    quality: bool


class TranslateKeywords(DocumentKeywords, total=False):
    """The fields of `TranslateOptions`, as keyword arguments."""

    n_best: int
    sampling: SamplingOptions | None
    prefix: str | Sequence[str] | None
    min_length: int
    no_repeat_ngram: int
    forbid: Sequence[str]
    logps: bool
    alignments: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslateOptions:
    """How texts are translated.

    Args:
        to: Code of the target language, of a model with several.
        beam_size: Number of hypotheses to follow; 1 is greedy search. The default is saved in the
            bundle. It is raised to `n_best` if it is smaller.
        n_best: Number of translations of each text in the result's `n_best`.
        length_penalty: α of the score Σ log p / length^α. The default is saved in the bundle.
        sampling: Draw `n_best` translations at random instead of searching.
        prefix: Text that the translation begins with, for all texts or one for each.
        min_length: Minimum number of tokens of each segment's translation.
        no_repeat_ngram: Exclude translations that repeat an n-gram of tokens of this size.
        forbid: Texts that must not occur. Their token sequences are excluded, not other ways to
            tokenize them. A prefix takes precedence.
        logps: Compute the log-probability of each token with every engine.
        alignments: Align the words of source and translation.
        align_with: "aligner", the default, or "attention": the attention weights of a forced
            decoding. A bundle without an aligner uses its attention.
        quality: Check for omissions, repetitions and inventions; sets `quality` and `warnings`.

    Raises:
        ConfigError: `forbid` is a single string.
    """

    to: str | None = None
    beam_size: int | None = None
    n_best: int = 1
    length_penalty: float | None = None
    sampling: SamplingOptions | None = None
    prefix: str | Sequence[str] | None = None
    min_length: int = 0
    no_repeat_ngram: int = 0
    forbid: Sequence[str] = ()
    logps: bool = False
    alignments: bool = False
    align_with: AlignWith | None = None
    quality: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.forbid, str):
            raise ConfigError("forbid: is a single string. Pass a list of texts.")
        object.__setattr__(self, "forbid", tuple(self.forbid))  # so that options are hashable
        if self.prefix is not None and not isinstance(self.prefix, str):
            object.__setattr__(self, "prefix", tuple(self.prefix))

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> TranslateOptions:
        """Return the options of the values of `to_json`."""
        sampling = values.get("sampling")
        drawn = None if sampling is None else SamplingOptions(**sampling)
        return cls(**{**values, "sampling": drawn})

    def to_json(self) -> dict[str, object]:
        """Return the fields as JSON values."""
        return asdict(self)

    def check_used(self, names: Set[str], reason: str) -> None:
        """Refuse options that are set but would have no effect.

        Args:
            names: The fields that have one.
            reason: Ends the sentence “is not available …”.

        Raises:
            ConfigError: Another field differs from its default.
        """
        for field in fields(self):
            if field.name not in names and getattr(self, field.name) != field.default:
                raise ConfigError(f"{field.name}: is not available {reason}")

    def check_prefixes(self, count: int) -> None:
        """Raise a CorpusError unless there is a prefix for each of `count` texts."""
        if not (self.prefix is None or isinstance(self.prefix, str) or len(self.prefix) == count):
            raise CorpusError(
                f"prefix: there are {len(self.prefix)} for {count} texts. "
                "Pass one string for all texts or one for each."
            )

    def for_rows(self, rows: range) -> TranslateOptions:
        """Return the options of some of the texts, which are translated by themselves.

        Each has its own prefix, and the random numbers that it has among all texts.
        """
        options = self.with_prefixes_of(rows)
        if self.sampling is None:
            return options
        offset = self.sampling.offset + rows.start
        return replace(options, sampling=replace(self.sampling, offset=offset))

    def with_prefixes_of(self, rows: range) -> TranslateOptions:
        """Return the options with the prefixes of some of the texts."""
        if self.prefix is None or isinstance(self.prefix, str):
            return self
        return replace(self, prefix=self.prefix[rows.start : rows.stop])

    def search_options(self, saved: SearchOptions, tokenizer: Tokenizer) -> SearchOptions:
        """Return the options of the engine.

        Args:
            saved: The model's beam size and length penalty, for those that are not set.
            tokenizer: Of the target.

        Raises:
            ConfigError: An option is invalid.
        """
        beam_size = saved.beam_size if self.beam_size is None else self.beam_size
        penalty = saved.length_penalty if self.length_penalty is None else self.length_penalty
        BEAM_SIZE.check("beam_size", beam_size)  # although sampling does not use it
        N_BEST.check("n_best", self.n_best)
        forbidden = _encode_forbidden(tokenizer, self.forbid)
        if self.sampling is not None:
            forbidden += tuple((token,) for token in tokenizer.never_encoded)
        return SearchOptions(
            self.n_best if self.sampling is not None else max(beam_size, self.n_best),
            penalty,
            self.sampling,
            self.min_length,
            self.no_repeat_ngram,
            forbidden,
        )

    def encode_prefixes(self, tokenizer: Tokenizer, count: int) -> list[list[int]]:
        """Return the tokens of the prefix of each of `count` texts; [] if there are none."""
        self.check_prefixes(count)
        if self.prefix is None:
            return []
        return tokenizer.encode(
            [self.prefix] * count if isinstance(self.prefix, str) else self.prefix
        )


TRANSLATE_OPTIONS = frozenset(field.name for field in fields(TranslateOptions))
DOCUMENT_OPTIONS = frozenset(DocumentKeywords.__annotations__)


def _encode_forbidden(tokenizer: Tokenizer, forbid: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    encoded = tuple(map(tuple, tokenizer.encode(forbid)))
    for text, ids in zip(forbid, encoded, strict=True):
        if not ids:
            raise ConfigError(f"forbid: {text!r} has no tokens. Remove it.")
    return encoded

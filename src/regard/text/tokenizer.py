"""The tokenizer interface and its SentencePiece implementation.

PAD, BOS, EOS and UNK are special tokens: encoding a text never produces them, even if the text
contains strings such as "</s>". A character outside the vocabulary is encoded in UTF-8 bytes. Every
text can be encoded, and `decode(encode(text)) == normalize(text)` for every string.
"""

from __future__ import annotations

import atexit
import hashlib
import io
import json
import os
import random
import re
import sys
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, groupby, pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import sentencepiece
from numpy.typing import NDArray

from regard.bounds import VOCABULARY
from regard.errors import ArtifactError, ConfigError
from regard.text.normalize import RULES, Form, normalize, trace_normalization
from regard.text.sampling import SubwordSampler

PAD, BOS, EOS, UNK = 0, 1, 2, 3
MAX_VOCABULARY = int(VOCABULARY.high)  # a larger model takes long to load or to reject

Span = tuple[int, int]

MODEL_FILE = "tokenizer.model"
SETTINGS_FILE = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class TokenizedPieces:
    """A tokenized text; piece i covers the characters spans[i] of the text.

    The span of a word's first piece excludes the space that the piece contains as ▁. The span of a
    lone ▁ is the white space, or empty at the start of the text. The byte pieces of one character
    all have its span. The span of a tag is empty.
    """

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    spans: tuple[Span, ...]
    tags: tuple[int, ...] = ()  # indices of the tags, which are part of no word


@dataclass(frozen=True, slots=True)
class FlatIds:
    """The ids of many texts, concatenated, and the number of ids of each text."""

    ids: NDArray[np.unsignedinteger[Any]]  # of the tokenizer's `dtype`
    lengths: NDArray[np.uint32]

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], dtype: type[np.unsignedinteger[Any]]) -> FlatIds:
        lengths = np.fromiter(map(len, rows), np.uint32, len(rows))
        return cls(np.fromiter(chain.from_iterable(rows), dtype, int(lengths.sum())), lengths)


class Tokenizer(ABC):
    """Converts between texts and token ids.

    Methods take raw texts and normalize them, unless stated otherwise. No method adds BOS or EOS.
    """

    size: int
    kind: str  # unigram, bpe or pretrained
    form: Form  # of normalization
    fingerprint: str  # equal for two tokenizers if and only if they encode alike

    @abstractmethod
    def normalize(self, text: str) -> str:
        """Return the normalized text, which is what decoding returns."""

    @abstractmethod
    def encode_normalized(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of normalized texts."""

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of raw texts."""
        return self.encode_normalized([self.normalize(text) for text in texts])

    @abstractmethod
    def sample(self, texts: Sequence[str], *, alpha: float, seed: int) -> list[list[int]]:
        """Encode texts with sampled segmentations (Kudo 2018).

        `alpha` is the inverse temperature: 0 samples uniformly, large values approach `encode`.
        """

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of the ids; PAD, BOS and EOS are skipped."""

    @abstractmethod
    def piece(self, token: int) -> str:
        """Return the piece of an id."""

    @abstractmethod
    def pieces(self, text: str) -> TokenizedPieces:
        """Return the ids of `encode` with their pieces and spans in the raw text."""

    @abstractmethod
    def decode_with_spans(self, ids: Sequence[int]) -> tuple[str, TokenizedPieces]:
        """Return the text of `decode` and the span of each piece in it."""

    @abstractmethod
    def files(self, prefix: str = "") -> dict[str, bytes]:
        """Return the contents of its files by name; each name begins with `prefix`."""

    def save(self, folder: Path) -> None:
        """Write the tokenizer to a directory."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in self.files().items():
            (folder / name).write_bytes(content)

    @property
    @abstractmethod
    def tags(self) -> dict[str, int]:
        """The ids of tags: tokens that no text contains, which may precede a source."""

    @property
    @abstractmethod
    def never_encoded(self) -> tuple[int, ...]:
        """Ids that `encode` never produces, except EOS. Sampling must not draw them."""

    @property
    def dtype(self) -> type[np.unsignedinteger[Any]]:
        """The smallest type that holds every id."""
        return np.uint16 if self.size <= 1 << 16 else np.uint32

    def encode_flat(self, normalized: Sequence[str]) -> FlatIds:
        """Return the ids of normalized texts as one array."""
        return FlatIds.of(self.encode_normalized(normalized), self.dtype)


Kind = Literal["unigram", "bpe"]
PieceType = Literal["normal", "unknown", "control", "byte", "unused"]


class VocabularyEntry(NamedTuple):
    """A piece as the SentencePiece model has it."""

    piece: str
    score: float  # unigram: its log-probability; bpe: minus the number of its merge
    type: PieceType


_FEW = 64  # texts; for a list SentencePiece starts a thread, which takes as long as ten texts
_WORD = re.compile("▁[^▁]*")  # SentencePiece writes a space as ▁; no piece crosses one
_MAX_BYTES = 1 << 16  # of a line to train on
# At most a quarter as many characters, up to a space or the end if there is one
_PART = re.compile(f"[^ ].{{,{_MAX_BYTES // 4 - 1}}}(?= |$)|[^ ]{{{_MAX_BYTES // 4}}}")


class SentencePiece(Tokenizer):
    """SentencePiece (Kudo and Richardson, 2018) with the normalization of `normalize.py`."""

    def __init__(self, model: bytes, form: Form = "NFC", kind: Kind = "unigram") -> None:
        self.model = model
        self.kind = kind
        self.form: Form = form
        self._processor = load_processor(model)
        _check_special_tokens(self._processor)
        self.size = self._processor.get_piece_size()
        rules = json.dumps({"form": form, "rules": RULES}, sort_keys=True)
        self.fingerprint = hashlib.sha256(model + rules.encode()).hexdigest()

    @classmethod
    def train(
        cls,
        lines: Iterable[str],
        *,
        size: int,
        kind: Kind = "unigram",
        form: Form = "NFC",
        coverage: float = 0.9995,  # of the characters; the rest is encoded in bytes
        tags: Sequence[str] = (),
    ) -> SentencePiece:
        """Train a vocabulary of at most `size` pieces, `tags` included, on raw lines.

        The result is deterministic: the same lines give the same model file.
        """
        if size > MAX_VOCABULARY:
            raise ConfigError(
                f"vocabulary: {size:,} pieces are too many. The maximum is {MAX_VOCABULARY:,}."
            )
        # Pass each distinct line once, with its count. SentencePiece's time is quadratic in the
        # length of repeated text (3,000 captions with 600 duplicates: a minute instead of 2 s).
        counts = Counter(part for line in lines for part in _parts(normalize(line, form)))
        model_file = io.BytesIO()
        declared: dict[str, Any] = {"control_symbols": list(tags)} if tags else {}

        def train() -> None:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=(f"{line}\t{n}" for line, n in counts.items() if line),
                input_format="tsv",
                model_writer=model_file,
                model_type=kind,
                vocab_size=size,
                hard_vocab_limit=False,  # a small corpus may yield fewer pieces
                character_coverage=coverage,
                byte_fallback=True,
                normalization_rule_name="identity",
                remove_extra_whitespaces=False,
                pad_id=PAD,
                bos_id=BOS,
                eos_id=EOS,
                unk_id=UNK,
                max_sentence_length=_MAX_BYTES,  # longer lines are skipped
                num_threads=16,  # the result depends on it, so it is fixed
                minloglevel=2,
                **declared,
            )

        try:
            _call_interruptibly(train)
        except (RuntimeError, OSError) as error:
            raise ConfigError(
                f"Cannot train a {kind} vocabulary of {size} pieces on these lines: {error} "
                "Choose another size or add more text."
            ) from error
        return cls(model_file.getvalue(), form, kind)

    @classmethod
    def load(cls, folder: Path) -> SentencePiece:
        """Read a tokenizer that `save` wrote. Raises ArtifactError if it is damaged."""
        path = folder / SETTINGS_FILE
        try:
            return cls.parse((folder / MODEL_FILE).read_bytes(), path.read_bytes(), folder)
        except OSError as error:
            raise ArtifactError(f"{path}: cannot read a tokenizer: {error!r}") from error

    @classmethod
    def parse(cls, model: bytes, settings_json: bytes, folder: Path) -> SentencePiece:
        """Build a tokenizer from the contents of its two files; `folder` is for error messages."""
        path = folder / SETTINGS_FILE
        try:
            settings = json.loads(settings_json)
            form, rules, saved = settings["form"], settings["rules"], settings["fingerprint"]
            kind = settings["kind"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ArtifactError(f"{path}: cannot read a tokenizer: {error!r}") from error
        if form not in get_args(Form) or kind not in get_args(Kind) or rules != RULES:
            raise ArtifactError(
                f"{path}: written with normalization {form}, rules {rules}; this version supports "
                f"rules {RULES}. Use the version of regard that wrote it."
            )
        digest = hashlib.sha256(model).hexdigest()
        if digest != settings.get("model_sha256"):
            raise ArtifactError(
                f"{folder / MODEL_FILE}: its SHA-256 differs from the one in {SETTINGS_FILE}. "
                "The file is damaged or belongs to another model. Restore both files together."
            )
        tokenizer = cls(model, form, kind)
        if tokenizer.fingerprint != saved:
            raise ArtifactError(
                f"{path}: its fingerprint does not match {MODEL_FILE}. Restore both files together."
            )
        return tokenizer

    def files(self, prefix: str = "") -> dict[str, bytes]:
        settings = {
            "tokenizer": "sentencepiece",
            "kind": self.kind,
            "form": self.form,
            "rules": RULES,
            "size": self.size,
            "model_sha256": hashlib.sha256(self.model).hexdigest(),
            "fingerprint": self.fingerprint,
        }
        text = json.dumps(settings, indent=2) + "\n"
        return {f"{prefix}{MODEL_FILE}": self.model, f"{prefix}{SETTINGS_FILE}": text.encode()}

    def normalize(self, text: str) -> str:
        return normalize(text, self.form)

    def encode_normalized(self, texts: Sequence[str]) -> list[list[int]]:
        if len(texts) < _FEW:
            return [self._processor.encode(text) for text in texts]
        return self._processor.encode(texts, num_threads=1)

    def sample(self, texts: Sequence[str], *, alpha: float, seed: int) -> list[list[int]]:
        random_ = random.Random(seed)  # noqa: S311  not for cryptography
        marked = (
            f"▁{text.replace(' ', '▁')}" if text else "" for text in map(self.normalize, texts)
        )
        return [
            [i for word in _WORD.findall(text) for i in self._sampler.sample(word, alpha, random_)]
            for text in marked
        ]

    @cached_property
    def _sampler(self) -> SubwordSampler:
        if self.kind != "unigram":
            raise ConfigError(
                f"Subword sampling needs a unigram vocabulary, because the pieces of a {self.kind} "
                "vocabulary have no probabilities. Train a unigram tokenizer."
            )
        processor = self._processor
        plain = {
            processor.id_to_piece(i): (i, processor.get_score(i))
            for i in range(self.size)
            if not (processor.is_control(i) or processor.is_unknown(i) or processor.is_byte(i))
        }
        return SubwordSampler(
            plain, [processor.piece_to_id(f"<0x{byte:02X}>") for byte in range(256)]
        )

    def decode(self, ids: Sequence[int]) -> str:
        return self._processor.decode([i for i in ids if i not in self._hidden])

    def piece(self, token: int) -> str:
        return self._processor.id_to_piece(token)

    def entries(self) -> list[VocabularyEntry]:
        """Return all pieces in the order of their ids."""
        processor = self._processor
        kinds: dict[PieceType, Callable[[int], bool]] = {
            "unknown": processor.is_unknown,
            "control": processor.is_control,
            "byte": processor.is_byte,
            "unused": processor.is_unused,
        }
        return [
            VocabularyEntry(
                processor.id_to_piece(i),
                float(str(np.float32(processor.get_score(i)))),  # as few digits as name the number
                next((kind for kind, matches in kinds.items() if matches(i)), "normal"),
            )
            for i in range(self.size)
        ]

    @property
    def never_encoded(self) -> tuple[int, ...]:
        controls = (*range(0x20), 0x7F)  # normalization replaces or removes them
        control_ids = (self._processor.piece_to_id(f"<0x{i:02X}>") for i in controls)
        return (PAD, BOS, UNK, *control_ids, *self.tags.values())

    @cached_property
    def tags(self) -> dict[str, int]:
        processor = self._processor
        tokens = (i for i in range(UNK + 1, self.size) if processor.is_control(i))
        return {processor.id_to_piece(i): i for i in tokens}

    @cached_property
    def _hidden(self) -> frozenset[int]:
        return frozenset((PAD, BOS, EOS, *self.tags.values()))

    def pieces(self, text: str) -> TokenizedPieces:
        traced = trace_normalization(text, self.form)
        ids: list[int] = self._processor.encode(traced.text)
        names = [self._processor.id_to_piece(i) for i in ids]
        spans: list[Span] = []
        offset = -1  # offset in the normalized text; SentencePiece prepends a space
        remaining = 0  # bytes of the character at `offset` not yet covered
        for i, name in zip(ids, names, strict=True):
            if self._processor.is_byte(i):
                remaining = remaining or utf8_length(int(name[3:5], 16))
                spans.append((traced.starts[offset], traced.ends[offset]))
                remaining -= 1
                offset += remaining == 0
                continue
            first = offset + (name[0] == "▁" and len(name) > 1)
            offset += len(name)
            if offset == 0:
                start = traced.starts[0]
                spans.append((start, start))
            else:
                spans.append((traced.starts[first], traced.ends[offset - 1]))
        return TokenizedPieces(tuple(ids), tuple(names), tuple(spans))

    def decode_with_spans(self, ids: Sequence[int]) -> tuple[str, TokenizedPieces]:
        text, names = self.decode(ids), self._processor.id_to_piece(list(ids))
        first = next((at for at, i in enumerate(ids) if i not in self._hidden), len(ids))
        spans = _plain_spans(text, names[first:])
        if spans is not None:
            spans = [*[(0, 0)] * first, *spans]
        else:
            spans = []
            # Consecutive byte pieces share the span of the characters they encode.
            runs = groupby(range(len(ids)), key=lambda at: self._processor.is_byte(ids[at]) or -at)
            for _, run in runs:
                at = list(run)
                start, end = (len(self.decode(ids[:edge])) for edge in (at[0], at[-1] + 1))
                spans += [_without_space(text, names[at[0]], start, end)] * len(at)
        tags = tag_places(ids, self.tags)
        return text, TokenizedPieces(tuple(ids), tuple(names), tuple(spans), tags)


def tag_places(ids: Sequence[int], tags: Mapping[str, int]) -> tuple[int, ...]:
    """Return the indices of the ids that are tags."""
    tokens = frozenset(tags.values())
    return tuple(index for index, token in enumerate(ids) if token in tokens) if tokens else ()


def _plain_spans(text: str, names: Sequence[str]) -> list[Span] | None:
    """Return the spans of pieces in their text, or None unless the text consists of their names.

    Byte pieces and special tokens decode to something shorter than their names.
    """
    joined = "".join(names).replace("▁", " ")
    space = joined.startswith(" ")  # decoding removes it
    if joined[space:] != text:
        return None
    edges = [max(0, end - space) for end in accumulate(map(len, names), initial=0)]
    return [
        _without_space(text, name, *span) for name, span in zip(names, pairwise(edges), strict=True)
    ]


def _without_space(text: str, name: str, start: int, end: int) -> Span:
    """Return the span of a piece without the space that the piece begins with."""
    return start + (name[0] == "▁" and start < end - 1 and text[start].isspace()), end


def _parts(line: str) -> list[str]:
    """Split a line that is too long for SentencePiece, at spaces where possible."""
    return [line] if len(line.encode()) <= _MAX_BYTES else _PART.findall(line)


def utf8_length(lead: int) -> int:
    """Return the number of UTF-8 bytes of a character with first byte `lead`."""
    return 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def load_processor(model: bytes) -> sentencepiece.SentencePieceProcessor:
    """Load a SentencePiece model. Raises ArtifactError if it is damaged."""
    remedy = "Restore it from the run that trained it."
    if not model:  # SentencePiece accepts it and fails at the first text
        raise ArtifactError(f"{MODEL_FILE}: the SentencePiece model is empty. {remedy}")
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.load_from_serialized_proto(model)
        processor.id_to_piece(list(range(processor.get_piece_size())))  # each must be UTF-8
    except (RuntimeError, UnicodeDecodeError) as error:
        raise ArtifactError(f"{MODEL_FILE}: not a SentencePiece model: {error} {remedy}") from error
    return processor


def _check_special_tokens(processor: sentencepiece.SentencePieceProcessor) -> None:
    symbols = (processor.pad_id(), processor.bos_id(), processor.eos_id(), processor.unk_id())
    if symbols != (PAD, BOS, EOS, UNK):
        raise ArtifactError(
            f"{MODEL_FILE}: its pad, bos, eos and unk are {symbols}, not {(PAD, BOS, EOS, UNK)}. "
            "Train the tokenizer with regard."
        )


def _call_interruptibly(function: Callable[[], None]) -> None:
    """Call native code that takes long, so that Ctrl-C raises KeyboardInterrupt at once.

    Python handles signals in the main thread, between two of its instructions: native code that
    runs there delays them until its end. The code therefore runs in another thread.
    """
    if threading.current_thread() is not threading.main_thread():
        function()
        return
    failures: list[BaseException] = []
    finished = threading.Event()

    def run() -> None:
        try:
            function()
        except BaseException as failure:
            failures.append(failure)
        finally:
            finished.set()

    threading.Thread(target=run, name="vocabulary", daemon=True).start()
    try:
        finished.wait()
    except KeyboardInterrupt:
        # A native thread that still runs while the interpreter shuts down aborts the process.
        atexit.register(_exit_unless, finished)
        raise
    if failures:
        raise failures[0]


def _exit_unless(finished: threading.Event) -> None:
    if not finished.is_set():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)

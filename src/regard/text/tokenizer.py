"""Between strings and ids: the promise of a tokeniser, and SentencePiece behind it.

Four ids stand for no text: PAD, BOS, EOS and UNK. None of them ever arises from a text, whatever
the text says. A character that the vocabulary lacks is spelt in bytes, so that every text can be
encoded, and `decode(encode(text)) == normalize(text)` for every string.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import sentencepiece
from numpy.typing import NDArray

from regard.errors import ArtifactError, ConfigError
from regard.text.normalize import RULES, Form, normalize, trace_normalization
from regard.text.sampling import SubwordSampler

PAD, BOS, EOS, UNK = 0, 1, 2, 3
MAX_VOCABULARY = 100_000  # a file with more would take long to load, or to refuse

Span = tuple[int, int]

MODEL_FILE = "tokenizer.model"
SETTINGS_FILE = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class TokenizedPieces:
    """A text in pieces; piece i is made of the characters spans[i] of the raw string.

    A span leaves out the space before a word, which its first piece carries as ▁. A piece that
    is nothing but ▁ has the white space for its span, or nothing at the start of the text. The
    pieces that spell one character in bytes all have its span.
    """

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class FlatIds:
    """Many encoded texts one after the other, and how many ids each of them has."""

    ids: NDArray[np.unsignedinteger[Any]]  # of the tokeniser's `dtype`
    lengths: NDArray[np.uint32]

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], dtype: type[np.unsignedinteger[Any]]) -> FlatIds:
        lengths = np.fromiter(map(len, rows), np.uint32, len(rows))
        return cls(np.fromiter(chain.from_iterable(rows), dtype, int(lengths.sum())), lengths)


class Tokenizer(ABC):
    """Texts go in raw: a tokeniser normalises them itself. BOS and EOS are not its business."""

    size: int
    form: Form  # of normalisation
    fingerprint: str  # the same for two tokenisers if and only if they do the same

    @abstractmethod
    def normalize(self, text: str) -> str:
        """What decoding will give back."""

    @abstractmethod
    def encode_normal(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of texts that were normalised before."""

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        return self.encode_normal([self.normalize(text) for text in texts])

    @abstractmethod
    def sample(self, texts: Sequence[str], *, alpha: float, seed: int) -> list[list[int]]:
        """Encode in one of many ways, chosen by `seed` (Kudo 2018)."""

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """The text of the ids; PAD, BOS and EOS say nothing."""

    @abstractmethod
    def piece(self, token: int) -> str:
        """What an id stands for."""

    @abstractmethod
    def pieces(self, text: str) -> TokenizedPieces:
        """The same ids as `encode`, with their pieces and where these stand in the raw text."""

    @abstractmethod
    def spell(self, ids: Sequence[int]) -> tuple[str, TokenizedPieces]:
        """What `decode` gives, and where in it each piece stands, however it was cut."""

    @abstractmethod
    def save(self, folder: Path) -> None: ...

    @property
    def dtype(self) -> type[np.unsignedinteger[Any]]:
        """The smallest type that holds every id."""
        return np.uint16 if self.size <= 1 << 16 else np.uint32

    def encode_flat(self, normal: Sequence[str]) -> FlatIds:
        """The ids of many texts that were normalised before, as one array."""
        return FlatIds.of(self.encode_normal(normal), self.dtype)


Kind = Literal["unigram", "bpe"]

_WORD = re.compile("▁[^▁]*")  # SentencePiece writes a space as ▁; no piece reaches over one


class SentencePiece(Tokenizer):
    """SentencePiece (Kudo and Richardson, 2018) on texts that we have normalised."""

    def __init__(self, model: bytes, form: Form = "NFC", kind: Kind = "unigram") -> None:
        self.model = model
        self.kind: Kind = kind
        self.form: Form = form
        self._processor = _load(model)
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
        coverage: float = 0.9995,  # of the characters read; the rest is spelt in bytes
    ) -> SentencePiece:
        """Learn at most `size` pieces from raw lines. The same lines give the same bytes."""
        if size > MAX_VOCABULARY:
            raise ConfigError(
                f"a vocabulary of {size:,} pieces; ask for {MAX_VOCABULARY:,} at the most"
            )
        # Each line once, with its count: SentencePiece takes the square of the length of what is
        # repeated from line to line (3,000 captions of which 600 came twice: a minute, not 2 s).
        counts = Counter(normalize(line, form) for line in lines)
        written = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=(f"{line}\t{n}" for line, n in counts.items() if line),
                input_format="tsv",
                model_writer=written,
                model_type=kind,
                vocab_size=size,
                hard_vocab_limit=False,  # a small corpus may not have so many pieces
                character_coverage=coverage,
                byte_fallback=True,
                normalization_rule_name="identity",
                remove_extra_whitespaces=False,
                pad_id=PAD,
                bos_id=BOS,
                eos_id=EOS,
                unk_id=UNK,
                max_sentence_length=1 << 16,  # bytes; longer lines teach nothing new
                num_threads=16,  # the result depends on it: fixed, whatever the machine has
                minloglevel=2,
            )
        except (RuntimeError, OSError) as error:
            raise ConfigError(
                f"a {kind} vocabulary of {size} pieces cannot be learnt from these lines: {error} "
                "Ask for another size, or give more text."
            ) from error
        return cls(written.getvalue(), form, kind)

    @classmethod
    def load(cls, folder: Path) -> SentencePiece:
        """Read what `save` wrote."""
        path = folder / SETTINGS_FILE
        try:
            return cls.parse((folder / MODEL_FILE).read_bytes(), path.read_bytes(), folder)
        except OSError as error:
            raise ArtifactError(f"{path}: no tokeniser can be read here: {error!r}") from error

    @classmethod
    def parse(cls, model: bytes, written: bytes, folder: Path) -> SentencePiece:
        """From the two files of `folder`; refuse a model that is not the one that was saved."""
        path = folder / SETTINGS_FILE
        try:
            settings = json.loads(written)
            form, rules, saved = settings["form"], settings["rules"], settings["fingerprint"]
            kind = settings["kind"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ArtifactError(f"{path}: no tokeniser can be read here: {error!r}") from error
        if form not in get_args(Form) or kind not in get_args(Kind) or rules != RULES:
            raise ArtifactError(
                f"{path}: written with the normaliser {form}, rules {rules}, and this version "
                f"knows rules {RULES}. Use the version of regard that wrote it."
            )
        digest = hashlib.sha256(model).hexdigest()
        if digest != settings.get("model_sha256"):
            raise ArtifactError(
                f"{folder / MODEL_FILE}: its SHA-256 is not the one in {SETTINGS_FILE}: the file "
                "is damaged or belongs to another model. Restore both files together."
            )
        tokenizer = cls(model, form, kind)
        if tokenizer.fingerprint != saved:
            raise ArtifactError(f"{path}: its fingerprint is not that of the tokeniser beside it")
        return tokenizer

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MODEL_FILE).write_bytes(self.model)
        settings = {
            "tokenizer": "sentencepiece",
            "kind": self.kind,
            "form": self.form,
            "rules": RULES,
            "size": self.size,
            "model_sha256": hashlib.sha256(self.model).hexdigest(),
            "fingerprint": self.fingerprint,
        }
        (folder / SETTINGS_FILE).write_text(json.dumps(settings, indent=2) + "\n")

    def normalize(self, text: str) -> str:
        return normalize(text, self.form)

    def encode_normal(self, texts: Sequence[str]) -> list[list[int]]:
        return self._processor.encode(texts, num_threads=1)

    def sample(self, texts: Sequence[str], *, alpha: float, seed: int) -> list[list[int]]:
        """`alpha`: how much the likelier ways are preferred; 0 prefers none, many give `encode`."""
        draws = random.Random(seed)  # noqa: S311  chance for learning, not for secrets
        marked = (
            f"▁{text.replace(' ', '▁')}" if text else "" for text in map(self.normalize, texts)
        )
        return [
            [i for word in _WORD.findall(text) for i in self._cutter.sample(word, alpha, draws)]
            for text in marked
        ]

    @cached_property
    def _cutter(self) -> SubwordSampler:
        if self.kind != "unigram":
            raise ConfigError(
                f"sampling: the pieces of a {self.kind} vocabulary have no probabilities to draw "
                "by; learn a unigram vocabulary"
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
        return self._processor.decode([i for i in ids if i not in (PAD, BOS, EOS)])

    def piece(self, token: int) -> str:
        return self._processor.id_to_piece(token)

    def pieces(self, text: str) -> TokenizedPieces:
        traced = trace_normalization(text, self.form)
        ids: list[int] = self._processor.encode(traced.text)
        names = [self._processor.id_to_piece(i) for i in ids]
        spans: list[Span] = []
        place = -1  # in the normalised text; SentencePiece puts a space of its own before it
        owed = 0  # bytes of the character at `place` that are still to be spelt
        for i, name in zip(ids, names, strict=True):
            if self._processor.is_byte(i):
                owed = owed or _bytes_of_character(int(name[3:5], 16))
                spans.append((traced.starts[place], traced.ends[place]))
                owed -= 1
                place += owed == 0
                continue
            first = place + (name[0] == "▁" and len(name) > 1)
            place += len(name)
            if place == 0:
                start = traced.starts[0]
                spans.append((start, start))
            else:
                spans.append((traced.starts[first], traced.ends[place - 1]))
        return TokenizedPieces(tuple(ids), tuple(names), tuple(spans))

    def spell(self, ids: Sequence[int]) -> tuple[str, TokenizedPieces]:
        """Bytes that stand together all have the characters that they spell together."""
        text, names, spans = self.decode(ids), [self.piece(i) for i in ids], list[Span]()
        runs = groupby(range(len(ids)), key=lambda at: self._processor.is_byte(ids[at]) or -at)
        for _, run in runs:
            at = list(run)
            start, end = (len(self.decode(ids[:edge])) for edge in (at[0], at[-1] + 1))
            start += names[at[0]][0] == "▁" and start < end - 1 and text[start].isspace()
            spans += [(start, end)] * len(at)
        return text, TokenizedPieces(tuple(ids), tuple(names), tuple(spans))


def _bytes_of_character(lead: int) -> int:
    """How many bytes UTF-8 spells a character in whose first is `lead`."""
    return 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def _load(model: bytes) -> sentencepiece.SentencePieceProcessor:
    remedy = "Restore it from the run that trained it."
    if not model:  # SentencePiece would take it, and fail at the first text
        raise ArtifactError(f"{MODEL_FILE}: the SentencePiece model is empty. {remedy}")
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.load_from_serialized_proto(model)
        processor.id_to_piece(list(range(processor.get_piece_size())))  # each must be UTF-8
    except (RuntimeError, UnicodeDecodeError) as error:
        raise ArtifactError(f"{MODEL_FILE}: not a SentencePiece model: {error} {remedy}") from error
    symbols = (processor.pad_id(), processor.bos_id(), processor.eos_id(), processor.unk_id())
    if symbols != (PAD, BOS, EOS, UNK):
        raise ArtifactError(
            f"{MODEL_FILE}: its pad, bos, eos and unk are {symbols}, not {(PAD, BOS, EOS, UNK)}. "
            "Train the tokeniser with regard."
        )
    return processor

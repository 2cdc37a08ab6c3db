"""Tokenizers of pretrained models: a SentencePiece model and the list of the model's pieces.

The SentencePiece model normalizes and segments a text; the list gives the ids. A piece that is not
in the list, such as a character without a piece, becomes UNK, so `decode(encode(text))` equals
`normalize(text)` only for texts without unknown characters.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, groupby, pairwise
from pathlib import Path

from regard.errors import ArtifactError, ConfigError
from regard.text.normalize import Form
from regard.text.tokenizer import (
    BOS,
    EOS,
    MAX_VOCABULARY,
    MODEL_FILE,
    PAD,
    SETTINGS_FILE,
    UNK,
    Span,
    TokenizedPieces,
    Tokenizer,
    load_processor,
    tag_places,
    utf8_length,
)

SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")  # the pieces of PAD, BOS, EOS and UNK
_TAG = re.compile(">>.+<<")
_BYTE = re.compile("<0x([0-9A-F]{2})>")
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")  # UTF-8 cannot encode them
_UNKNOWN = " ⁇ "  # as SentencePiece decodes it


class PretrainedSentencePiece(Tokenizer):
    """The tokenizer of one side of a pretrained model.

    Pieces such as `>>fra<<`, which name the target language, are its tags.

    Args:
        model: The SentencePiece model.
        vocabulary: The piece of each id, beginning with the special pieces.
    """

    kind = "pretrained"
    form: Form = "NFC"  # of training texts, before the model's own normalization

    def __init__(self, model: bytes, vocabulary: Sequence[str]) -> None:
        self.model, self.vocabulary = model, tuple(vocabulary)
        if self.vocabulary[: len(SPECIAL)] != SPECIAL or len(vocabulary) > MAX_VOCABULARY:
            raise ArtifactError(
                f"{SETTINGS_FILE}: the vocabulary must begin with {', '.join(SPECIAL)} and have "
                f"at most {MAX_VOCABULARY:,} pieces."
            )
        self._processor = load_processor(model)
        ids = {piece: i for i, piece in enumerate(self.vocabulary) if i > UNK}
        self._tags = {piece: i for piece, i in ids.items() if _TAG.fullmatch(piece)}
        self._ids = {piece: i for piece, i in ids.items() if piece not in self._tags}
        self._hidden = frozenset((PAD, BOS, EOS, *self._tags.values()))
        self.size = len(self.vocabulary)
        facts = json.dumps([self.vocabulary, None]).encode()
        self.fingerprint = hashlib.sha256(model + facts).hexdigest()

    @classmethod
    def parse(
        cls, model: bytes, settings: dict[str, object], path: Path
    ) -> PretrainedSentencePiece:
        """Build a tokenizer from the contents of its files; errors name `path`."""
        vocabulary = settings.get("vocabulary")
        if type(vocabulary) is not list or not all(type(piece) is str for piece in vocabulary):
            raise ArtifactError(f"{path}: its vocabulary must be a list of pieces.")
        tokenizer = cls(model, vocabulary)
        if tokenizer.fingerprint != settings.get("fingerprint"):
            raise ArtifactError(
                f"{path}: its fingerprint does not match the model. Restore both files together."
            )
        return tokenizer

    def files(self, prefix: str = "") -> dict[str, bytes]:
        settings = {
            "tokenizer": "pretrained",
            "fingerprint": self.fingerprint,
            "vocabulary": self.vocabulary,
        }
        text = json.dumps(settings, ensure_ascii=False, indent=0)
        return {f"{prefix}{MODEL_FILE}": self.model, f"{prefix}{SETTINGS_FILE}": text.encode()}

    def normalize(self, text: str) -> str:
        return self._processor.normalize(_encodable(text)).replace("▁", " ").strip()

    def encode_normalized(self, texts: Sequence[str]) -> list[list[int]]:
        encoded = self._processor.encode([_encodable(text) for text in texts], out_type=str)
        return [[self._ids.get(piece, UNK) for piece in pieces] for pieces in encoded]

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        return self.encode_normalized(texts)  # SentencePiece normalizes

    def sample(self, texts: Sequence[str], *, alpha: float, seed: int) -> list[list[int]]:
        raise ConfigError(
            "train.subword_alpha: the tokenizer of a pretrained model cannot sample. Set it to 0."
        )

    def decode(self, ids: Sequence[int]) -> str:
        return self.decode_with_spans(ids)[0]

    def piece(self, token: int) -> str:
        return self.vocabulary[token]

    @property
    def never_encoded(self) -> tuple[int, ...]:
        return (PAD, BOS, UNK, *self._tags.values())

    @property
    def tags(self) -> dict[str, int]:
        return self._tags

    def pieces(self, text: str) -> TokenizedPieces:
        text = _encodable(text)
        names: list[str] = self._processor.encode(text, out_type=str)
        _, offsets = self._processor.normalize(text, with_offsets=True)
        spans: list[Span] = []
        offset = 0  # in the normalized text, which is the pieces in a row
        remaining = 0  # bytes of the character at `offset` not yet covered
        for name in names:
            if byte := _BYTE.fullmatch(name):
                remaining = remaining or utf8_length(int(byte[1], 16))
                spans.append(_raw_span(text, offsets, offset, offset + 1))
                remaining -= 1
                offset += remaining == 0
            else:
                spans.append(_raw_span(text, offsets, offset, offset + len(name)))
                offset += len(name)
        ids = [self._ids.get(name, UNK) for name in names]
        return TokenizedPieces(tuple(ids), tuple(names), tuple(spans))

    def decode_with_spans(self, ids: Sequence[int]) -> tuple[str, TokenizedPieces]:
        names = [self.vocabulary[i] for i in ids]
        surfaces: list[str] = []
        for is_byte, run in groupby(zip(ids, names, strict=True), lambda x: _is_byte(x[1])):
            parts = list(run)
            if is_byte:  # the first piece has the text of all
                data = bytes(int(name[3:5], 16) for _, name in parts)
                surfaces += [data.decode(errors="replace"), *[""] * (len(parts) - 1)]
            else:
                surfaces += [
                    "" if i in self._hidden else _UNKNOWN if i == UNK else name.replace("▁", " ")
                    for i, name in parts
                ]
        joined = "".join(surfaces)
        text = joined.strip()
        cut = len(joined) - len(joined.lstrip())
        edges = [
            min(max(0, end - cut), len(text)) for end in accumulate(map(len, surfaces), initial=0)
        ]
        spans: list[Span] = []
        for name, (start, end) in zip(names, pairwise(edges), strict=True):
            if _is_byte(name) and start == end and spans:
                spans.append(spans[-1])
            else:
                spans.append(_trim(text, start, end))
        tags = tag_places(ids, self._tags)
        return text, TokenizedPieces(tuple(ids), tuple(names), tuple(spans), tags)


def _encodable(text: str) -> str:
    return text if text.isprintable() else text.translate(_SURROGATES)


def _is_byte(name: str) -> bool:
    return _BYTE.fullmatch(name) is not None


def _raw_span(text: str, offsets: Sequence[int], first: int, stop: int) -> Span:
    """Return the characters of the raw text that the normalized characters come from."""
    following = bisect_right(offsets, offsets[stop - 1])  # one character may have become several
    end = offsets[following] if following < len(offsets) else len(text)
    return _trim(text, offsets[first], end)


def _trim(text: str, start: int, end: int) -> Span:
    """Return the span without white space around it, unless there is nothing else."""
    inner = text[start:end]
    if not inner.strip():
        return (start, end) if start else (start, start)
    return start + len(inner) - len(inner.lstrip()), end - (len(inner) - len(inner.rstrip()))

"""Words of a text and their pieces, and the attention head that links them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from regard.align.links import Links
from regard.errors import CorpusError
from regard.text.tokenizer import Span, TokenizedPieces, Tokenizer
from regard.text.words import pieces_by_word, split_at_spaces, split_words

# -- the attention weights that align words. Free of torch; `extraction` reads them ----------------


@dataclass(frozen=True, slots=True)
class AlignmentHead:
    """The attention weights that are read as a word alignment."""

    attention: str  # the attention layer's name in the model
    head: int | None  # None: the mean of all heads
    shift: int  # 0: at output of the word; 1: at next input
    null: bool  # whether a target word that attends most to the end of sentence gets no link
    threshold: float = 0.0  # the lowest weight of a link
    agreement: float = 0.0  # F1 with the links by which it was chosen

    @property
    def summary(self) -> str:
        head = "mean of all heads" if self.head is None else f"head {self.head}"
        return f"{self.attention}, {head}, {('at output', 'at next input')[self.shift]}"


# -- tokenized text --------------------------------------------------------------------------------


END = "</s>"


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """A text with its pieces and the character spans of its words."""

    raw: str
    pieces: TokenizedPieces
    words: list[Span]

    @classmethod
    def from_text(
        cls, tokenizer: Tokenizer, raw: str, *, pretokenized: bool = False
    ) -> TokenizedText:
        """Tokenize a text. If `pretokenized`, its words are split at spaces only."""
        words = split_at_spaces(raw) if pretokenized else split_words(raw)
        return cls(raw, tokenizer.pieces(raw), words)

    @classmethod
    def from_tokens(cls, tokenizer: Tokenizer, ids: Sequence[int]) -> TokenizedText:
        """Decode a model's output, keeping the pieces that the model produced."""
        raw, pieces = tokenizer.decode_with_spans(ids)
        return cls(raw, pieces, split_words(raw))

    @property
    def word_pieces(self) -> list[list[int]]:
        """For each word, the indices of its pieces. Tags are part of no word."""
        words = pieces_by_word(self.pieces.spans, self.words)
        if not self.pieces.tags:
            return words
        return [[piece for piece in word if piece not in self.pieces.tags] for word in words]

    @property
    def word_texts(self) -> list[str]:
        return [self.raw[start:end] for start, end in self.words]

    @property
    def labels(self) -> tuple[str, ...]:
        """The pieces and the end-of-sentence token: all positions that attention can weight."""
        return (*self.pieces.pieces, END)

    def to_record(self) -> dict[str, object]:
        """The JSON object of this text in an explanation record."""
        end = len(self.raw)
        return {
            "kind": "text",
            "text": self.raw,
            "pieces": self.labels,
            "spans": [*self.pieces.spans, (end, end)],
            "words": self.words,
            "word_pieces": self.word_pieces,
        }


def concatenate_texts(raw: str, parts: Sequence[tuple[int, TokenizedText]]) -> TokenizedText:
    """Combine tokenized parts of `raw`, each with the character offset at which it starts."""
    fields = [
        (part.pieces.ids, part.pieces.pieces, _shifted(part.pieces.spans, start))
        for start, part in parts
    ]
    ids, pieces, spans = (
        tuple(chain.from_iterable(column)) for column in zip(*fields, strict=True)
    )
    sizes = [len(part.pieces.ids) for _, part in parts]
    firsts = [end - size for end, size in zip(accumulate(sizes), sizes, strict=True)]
    tags = tuple(
        first + tag
        for first, (_, part) in zip(firsts, parts, strict=True)
        for tag in part.pieces.tags
    )
    words = [word for start, part in parts for word in _shifted(part.words, start)]
    return TokenizedText(raw, TokenizedPieces(ids, pieces, spans, tags), words)


def _shifted(spans: Sequence[Span], offset: int) -> list[Span]:
    return [(start + offset, end + offset) for start, end in spans]


def check_links(
    links: Links, source: TokenizedText, target: TokenizedText, origin: str, remedy: str = ""
) -> None:
    """Raise CorpusError if a link is outside the words of the texts; `origin` locates the links."""
    size = len(source.words), len(target.words)
    for link in sorted(links):
        if link[0] >= size[0] or link[1] >= size[1]:
            raise CorpusError(
                f"{origin}: link {link[0]}-{link[1]} (counted from 0) is outside sentences of "
                f"{size[0]} and {size[1]} words. {remedy}".rstrip()
            )

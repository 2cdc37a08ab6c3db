"""The corpus job that aligns words with a word aligner."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from regard.align.hmm import Matrix
from regard.align.links import write_links
from regard.align.word_aligner import ALIGNER_FILE, WordAligner, to_links
from regard.data import storage
from regard.data.formats.corpus import Block
from regard.data.jobs.corpus_job import BlockFunction, Compute
from regard.data.jobs.part_formats import BlockResult
from regard.data.preparation.tasks import Facts
from regard.text.tokenizer import Span
from regard.text.words import split_at_spaces, split_words


@dataclass(frozen=True)
class AlignerBlocks(BlockFunction):
    """Aligns pairs with the aligner in the file or URL `path`."""

    verb: ClassVar[str] = "align"

    path: str
    digest: str
    pretokenized: bool
    as_json: bool

    @classmethod
    def of(cls, folder: str, pretokenized: bool, as_json: bool) -> AlignerBlocks:
        """Return the function of the aligner in a directory."""
        path = storage.join_path(folder, ALIGNER_FILE)
        digest = hashlib.sha256(storage.read_bytes(path)).hexdigest()
        return cls(path, digest, pretokenized, as_json)

    @property
    def identity(self) -> Facts:
        return {
            "aligner": self.digest,
            "pretokenized": self.pretokenized,
            "json": self.as_json,
        }

    def load(self) -> Compute:
        aligner = WordAligner.from_bytes(storage.read_bytes(self.path), self.path)
        split = split_at_spaces if self.pretokenized else split_words

        def compute(block: Block) -> BlockResult:
            spans = [(split(pair.source), split(pair.target)) for pair in block.pairs()]
            words = [
                (_words(pair.source, source_spans), _words(pair.target, target_spans))
                for pair, (source_spans, target_spans) in zip(block.pairs(), spans, strict=True)
            ]
            posteriors = list(zip(spans, aligner.posteriors(words), strict=True))
            links = [write_links(to_links(matrix)) for _, matrix in posteriors]
            lines = links
            if self.as_json:
                lines = [json.dumps(alignment_json(*sides, matrix)) for sides, matrix in posteriors]
            return BlockResult(
                lines, {"source": block.sources, "target": block.targets, "links": links}
            )

        return compute


def alignment_json(
    source: Sequence[Span], target: Sequence[Span], matrix: Matrix
) -> dict[str, object]:
    """Links, their probabilities, and the character offsets of words, as JSON values."""
    links = to_links(matrix)
    return {
        "links": write_links(links),
        "source_words": source,
        "target_words": target,
        "probabilities": [round(float(matrix[link]), 4) for link in sorted(links)],
    }


def _words(text: str, spans: Sequence[Span]) -> list[str]:
    return [text[start:end].lower() for start, end in spans]

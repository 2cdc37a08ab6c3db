"""Compare sentence splitters on corpora that have one sentence in a line.

    python benchmarks/sentences.py ../shared/data

Runs of eight lines are joined by a space, and the boundaries that a splitter proposes are compared
with the ends of the lines. Lines that do not end in . ! ? … or their equivalents are left out, as
nobody could see their ends. A boundary within a line is counted as false, although some lines of
Europarl and Tatoeba do hold two sentences.
"""

from __future__ import annotations

import gzip
import itertools
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from sentencex import get_sentence_boundaries

from regard.text.sentences import SentenceSplitter, split_sentences

LINES, RUN = 20_000, 8
CORPORA = (
    "europarl-en-fr-de/train.{}.gz: en fr de",
    "flores101-devtest/devtest.{}: en fr de cs",
    "multi30k/train.{}.gz: en fr de cs",
    "tatoeba-en-fr/train.{}.gz: en fr",
    "tico19-en-fr/tico19.{}: en fr",
    "canlaws-en-fr/train.{}.gz: en fr",
    "word-alignment-gold/ja-en.{}: en ja",
)
Splitter = Callable[[str], list[tuple[int, int]]]


def read_lines(path: Path) -> list[str]:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = (" ".join(line.split()) for line in content.decode().split("\n"))
    return list(itertools.islice((line for line in lines if ends(line)), LINES))


def ends(line: str) -> bool:
    return line.rstrip("\"'”’») ").endswith((".", "!", "?", "…", "。", "！", "？"))


def joined(lines: list[str], space: str) -> Iterator[tuple[str, set[int]]]:
    """Yield texts and the offsets, without white space, at which their lines end."""
    for start in range(0, len(lines), RUN):
        run = lines[start : start + RUN]
        lengths = itertools.accumulate(len(line) + len(space) for line in run)
        yield space.join(run), {length - len(space) for length in lengths}


def measure(split: Splitter, lines: list[str], space: str) -> tuple[float, float, float]:
    """Return the shares of lines that were cut and that were not separated, and seconds."""
    false = missed = 0
    start = time.process_time()
    for text, expected in joined(lines, space):
        offsets = {end for _, end in split(text)}
        false += len(offsets - expected)
        missed += len(expected - offsets)
    return 100 * false / len(lines), 100 * missed / len(lines), time.process_time() - start


def split_by_sentencex(language: str, text: str) -> list[tuple[int, int]]:
    ends = (sentence["end_index"] for sentence in get_sentence_boundaries(language, text))
    visible = [len(text[:end].rstrip()) for end in ends]
    return list(zip([0, *visible], visible, strict=False))


def main() -> None:
    data = Path(sys.argv[1])
    print("corpus language lines | rules: cut missed s | sentencex | both agree")
    for corpus in CORPORA:
        pattern, _, languages = corpus.partition(": ")
        for language in languages.split():
            lines = read_lines(data / pattern.format(language))
            space = "" if language == "ja" else " "
            splitters = (
                split_sentences,
                partial(split_by_sentencex, language),
                SentenceSplitter(language, "installed").split,
            )
            measured = [measure(split, lines, space) for split in splitters]
            figures = [f"{value:6.2f}" for values in measured for value in values]
            print(pattern.partition("/")[0], language, len(lines), *figures, flush=True)


if __name__ == "__main__":
    main()

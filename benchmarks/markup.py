"""Where inline tags go in a translation: projection beside two known methods.

    python -m benchmarks.markup [--quick] [--eflomal PROGRAM] [--model MODEL]

The translation is the reference without its tags, so that no translation model is needed: the word
aligner links it to the source, the tags of the source are projected, and their places are compared
with those of the reference (Zenkel et al. 2021). Tag accuracy is the share of reference tags that
are at the exact character, the distance is the mean number of characters to the nearest equal tag,
and a sentence is inconsistent if its tags are not those of the reference. The sets are help texts
with XML (Salesforce), Canadian laws with XML, and the Python documentation with reStructuredText;
only pairs with the same tags on both sides count, without the first 300 of each set, on which the
projection was tuned. The methods share links and weights:

- projection: `regard.documents.projection`
- min–max: from the first to the last word that is linked to a word of the element
- Bergamot: each word has the tags of the source word with the largest weight, or else those of the
  word before it

The aligner is trained on pairs of the same kinds without their tags, the sentences of Salesforce
among them, because these have no training set. With --eflomal, the links of that program are used
as well (see `benchmarks.align`), and with --model, a bundle from English to French, those of its
alignment head. The model also translates the tagged sentences: XML accuracy is the share of outputs
that are well-formed, and XML match the share with the tags of the reference in the same order and
nesting (Hashimoto et al. 2019), among all sentences of a set whose references are well-formed.

The last line is a JSON object. The exit code is 1 if projection has not the highest tag accuracy on
each set with the aligner's links, or if the XML of the model's outputs misses its targets.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.figures import Figure, report
from benchmarks.markup_links import (
    Parse,
    Words,
    attention_links,
    eflomal_links,
    tag_counts,
    xml_scores,
)
from benchmarks.multi30k import DATA
from regard.align.aligner_training import train_aligner
from regard.align.chunks import corpus_readers
from regard.align.word_aligner import MIN_POSTERIOR, WordAligner, aligner_words
from regard.data.formats.corpus import open_corpus
from regard.data.preparation.runner import InProcessRunner
from regard.documents.marked_text import AlignedTranslation, InlineElement, MarkedText
from regard.documents.projection import project_markup
from regard.tasks.translation.translator import Translator
from regard.text.words import split_words

XML_TAG = re.compile(r"<(/?)([A-Za-z]\w*)\s*(/?)>")
RST_MARKUP = re.compile(
    r"(?P<open>:[a-zA-Z:+-]+:`|``|(?<![\w*])\*\*(?=[^\s*])|(?<![\w*])\*(?=[^\s*]))"
)

TUNED = 300  # pairs at the beginning of each set that the projection was tuned on

Tag = tuple[str, int]
Place = Callable[["Pair", np.ndarray], list[Tag]]


@dataclass(frozen=True, slots=True)
class Pair:
    """A source and a reference with the same tags, and their words."""

    source: MarkedText
    reference: MarkedText
    source_words: list[tuple[int, int]]
    target_words: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Source:
    """Files of a set: tested lines, and lines to train the aligner on."""

    folder: str
    test: str
    train: str
    languages: tuple[str, str]
    parse: Parse


def parse_xml(line: str) -> MarkedText | None:
    """A line with XML tags; None if they are not nested."""
    text, cursor = "", 0
    elements: list[InlineElement] = []
    opened: list[int] = []
    for found in XML_TAG.finditer(line):
        text += line[cursor : found.start()]
        cursor = found.end()
        closes, name, empty = found.groups()
        parent = opened[-1] if opened else None
        if closes:
            if not opened or elements[opened[-1]].opening != f"<{name}>":
                return None
            first = elements[index := opened.pop()]
            elements[index] = InlineElement(
                first.start, len(text), first.opening, f"</{name}>", first.parent
            )
        else:
            elements.append(InlineElement(len(text), len(text), found[0], "", parent))
            if not empty:
                opened.append(len(elements) - 1)
    return None if opened else MarkedText(text + line[cursor:], tuple(elements))


def parse_rst(line: str) -> MarkedText | None:
    """A line with reStructuredText roles, literals and emphasis."""
    text, cursor = "", 0
    elements = []
    while (found := RST_MARKUP.search(line, cursor)) is not None:
        opening = found["open"]
        closing = "`" if opening.startswith(":") else opening
        end = line.find(closing, found.end() + 1)
        if end < 0:
            break
        text += line[cursor : found.start()]
        content = line[found.end() : end]
        elements.append(InlineElement(len(text), len(text) + len(content), opening, closing))
        text += content
        cursor = end + len(closing)
    return MarkedText(text + line[cursor:], tuple(elements))


SETS = {
    "salesforce en-fr": Source("salesforce-xml-dev", "dev.en-fr", "dev.en-fr", ("en", "fr"),
                               parse_xml),
    "salesforce en-de": Source("salesforce-xml-dev", "dev.en-de", "dev.en-de", ("en", "de"),
                               parse_xml),
    "canlaws": Source("canlaws-en-fr", "tagged-test", "tagged-train", ("en", "fr"), parse_xml),
    "pydocs": Source("pydocs-en-fr", "test", "train", ("en", "fr"), parse_rst),
}  # fmt: skip


def read_lines(source: Source, name: str) -> list[tuple[str, str]]:
    sides = []
    for language in source.languages:
        path = DATA / source.folder / f"{name}.{language}"
        path = path if path.is_file() else path.with_name(f"{path.name}.gz")
        if not path.is_file():
            sys.exit(f"{path}: no such file. Set REGARD_DATA to the directory of corpora.")
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        sides.append(content.decode().removesuffix("\n").split("\n"))
    return list(zip(*sides, strict=True))


def tagged_pairs(source: Source, limit: int | None) -> list[Pair]:
    found = []
    for one, other in read_lines(source, source.test):
        parsed, reference = source.parse(one), source.parse(other)
        if parsed is None or reference is None or not parsed.elements:
            continue
        if tag_counts(parsed) == tag_counts(reference):
            words = split_words(parsed.text), split_words(reference.text)
            found.append(Pair(parsed, reference, *words))
    return found[TUNED:][:limit]


def xml_pairs(source: Source, limit: int | None) -> list[tuple[MarkedText, MarkedText]]:
    """All pairs of well-formed lines, also those without tags and with other tags on each side."""
    parsed = [tuple(map(source.parse, lines)) for lines in read_lines(source, source.test)]
    return [(one, other) for one, other in parsed if one is not None and other is not None][:limit]


def training_pairs(language: str, limit: int) -> list[tuple[str, str]]:
    """Pairs without tags, of the sets and of Europarl."""
    pairs = []
    europarl = Source("europarl-en-fr-de", "train", "train", ("en", language), MarkedText)
    for source in (*SETS.values(), europarl):
        if source.languages[1] == language:
            for lines in read_lines(source, source.train)[:limit]:
                one, other = (source.parse(line) for line in lines)
                if one is not None and other is not None:
                    pairs.append((one.text, other.text))
    return pairs


def train(pairs: Sequence[tuple[str, str]]) -> WordAligner:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for side in (0, 1):
            text = "".join(" ".join(pair[side].split()) + "\n" for pair in pairs)
            (folder / str(side)).write_text(text, "utf-8")
        corpus = open_corpus(str(folder / "0"), str(folder / "1"))
        work, runner = str(folder / "work"), InProcessRunner()
        return train_aligner(corpus_readers(corpus, work, runner), work, runner)


def element_tags(elements: Sequence[InlineElement]) -> list[Tag]:
    tags = [(one.opening, one.start) for one in elements]
    return tags + [(f"/{one.opening}", one.end) for one in elements if one.closing]


def project(pair: Pair, matrix: np.ndarray) -> list[Tag]:
    weights = np.pad(matrix.T, ((0, 0), (0, 1)))
    found = project_markup(
        pair.source,
        AlignedTranslation(pair.reference.text, pair.source_words, pair.target_words, [weights]),
    )
    return element_tags(found.marked.elements)


def min_max(pair: Pair, matrix: np.ndarray) -> list[Tag]:
    links = matrix > MIN_POSTERIOR
    placed = []
    for one in pair.source.elements:
        if one.start == one.end:  # after the last word that is linked to a word before
            before = [n for n, (_, end) in enumerate(pair.source_words) if end <= one.start]
            linked = np.nonzero(links[before].any(axis=0))[0]
            place = pair.target_words[linked[-1]][1] if len(linked) else 0
            placed.append((place, place))
            continue
        words = [
            n
            for n, (start, end) in enumerate(pair.source_words)
            if start < one.end and end > one.start
        ]
        linked = np.nonzero(links[words].any(axis=0))[0]
        if len(linked):
            placed.append((pair.target_words[linked[0]][0], pair.target_words[linked[-1]][1]))
        else:
            placed.append((len(pair.reference.text),) * 2)
    return _tags_at(pair, placed)


def _tags_at(pair: Pair, placed: Sequence[tuple[int, int]]) -> list[Tag]:
    return element_tags(
        [
            InlineElement(start, end, one.opening, one.closing)
            for one, (start, end) in zip(pair.source.elements, placed, strict=True)
        ]
    )


def bergamot(pair: Pair, matrix: np.ndarray) -> list[Tag]:
    """Tag stacks are copied from word to word; a stack that returns opens its tags again."""
    elements = pair.source.elements
    stacks = [
        [n for n, one in enumerate(elements) if one.start < end and start < one.end]
        for start, end in pair.source_words
    ]
    tags: list[Tag] = []
    current: list[int] = []
    emitted: set[int] = set()  # elements without text, when the source words before them are done
    last_end = 0
    for j, (start, end) in enumerate(pair.target_words):
        column = matrix[:, j] if len(matrix) else np.zeros(0)
        linked = int(column.argmax()) if column.max(initial=0) > 1e-3 else None
        stack = current if linked is None else stacks[linked]
        common = 0
        while common < min(len(stack), len(current)) and stack[common] == current[common]:
            common += 1
        tags += [(f"/{elements[n].opening}", last_end) for n in reversed(current[common:])]
        if linked is not None:
            for n, one in enumerate(elements):
                passed = one.start == one.end and one.start <= pair.source_words[linked][0]
                if passed and n not in emitted:
                    emitted.add(n)
                    tags += _point(one, start)
        tags += [(elements[n].opening, start) for n in stack[common:]]
        current, last_end = stack, end
    tags += [(f"/{elements[n].opening}", last_end) for n in reversed(current)]
    for n, one in enumerate(elements):
        if one.start == one.end and n not in emitted:
            tags += _point(one, len(pair.reference.text))
    return tags


def _point(one: InlineElement, place: int) -> list[Tag]:
    return [(one.opening, place), *([(f"/{one.opening}", place)] if one.closing else [])]


METHODS: dict[str, Place] = {"projection": project, "min–max": min_max, "Bergamot": bergamot}


@dataclass(slots=True)
class TagScores:
    """Counts over the sentences of a set."""

    tags: int = 0
    correct: int = 0
    distance: int = 0
    inconsistent: int = 0
    sentences: int = 0

    def add(self, reference: list[Tag], found: list[Tag]) -> None:
        self.sentences += 1
        self.tags += len(reference)
        self.correct += sum((Counter(reference) & Counter(found)).values())
        consistent = Counter(name for name, _ in reference) == Counter(name for name, _ in found)
        self.inconsistent += not consistent
        places = {name: [place for other, place in found if other == name] for name, _ in reference}
        self.distance += sum(
            min((abs(place - other) for other in places[name]), default=place)
            for name, place in reference
        )

    def values(self) -> dict[str, float]:
        return {
            "tag accuracy": round(100 * self.correct / max(1, self.tags), 2),
            "distance": round(self.distance / max(1, self.tags), 2),
            "inconsistent": self.inconsistent,
            "sentences": self.sentences,
            "tags": self.tags,
        }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer pairs to train on and to test")
    parser.add_argument("--eflomal", metavar="PROGRAM", help="path of eflomal-align")
    parser.add_argument("--model", type=Path, help="a bundle from English to French")
    options = parser.parse_args()
    pairs_each, tested = (1_000, 100) if options.quick else (20_000, None)
    translator = Translator.load(options.model) if options.model else None
    figures: list[Figure] = []
    results: dict[str, dict[str, dict[str, float]]] = {}
    xml: dict[str, dict[str, float]] = {}
    for language in ("fr", "de"):
        training = training_pairs(language, pairs_each)
        print(f"en-{language}: train on {len(training):,} pairs", file=sys.stderr, flush=True)
        aligner = train(training)
        sets = {name: one for name, one in SETS.items() if one.languages[1] == language}
        tagged = {name: tagged_pairs(source, tested) for name, source in sets.items()}
        words = {name: [pair_words(pair) for pair in pairs] for name, pairs in tagged.items()}
        links = {name: {"aligner": aligner.posteriors(words[name])} for name in sets}
        if options.eflomal:
            lines = [(aligner_words(one), aligner_words(other)) for one, other in training]
            found = iter(eflomal_links(options.eflomal, lines, [w for n in sets for w in words[n]]))
            for name in sets:
                links[name]["eflomal"] = [next(found) for _ in words[name]]
        if translator is not None and language == "fr":
            for name in sets:
                links[name]["attention"] = attention_links(translator, words[name])
        for name, source in sets.items():
            results[name] = measure(tagged[name], links[name])
            figures += tag_figures(name, results[name])
            if translator is not None and language == "fr" and source.parse is parse_xml:
                xml[name] = xml_scores(translator, xml_pairs(source, tested), source.parse)
                print(f"{name:18} through the model {xml[name]}", file=sys.stderr, flush=True)
                figures.append(Figure(f"XML accuracy, {name}", xml[name]["XML accuracy"], 100))
                figures.append(Figure(f"XML match, {name}", xml[name]["XML match"], 95))
    return report("markup", figures, quick=options.quick, sets=results, xml=xml)


def pair_words(pair: Pair) -> Words:
    return aligner_words(pair.source.text), aligner_words(pair.reference.text)


def tag_figures(name: str, results: dict[str, dict[str, float]]) -> list[Figure]:
    """The figures of a set with the aligner's links; print those of all links."""
    for method, values in results.items():
        print(f"{name:18} {method:24} {values}", file=sys.stderr, flush=True)
    projection, *others = (results[f"{method}, aligner"] for method in METHODS)
    best = max(one["tag accuracy"] for one in others)
    accuracy, inconsistent = projection["tag accuracy"], projection["inconsistent"]
    return [
        Figure(f"tag accuracy, {name}, beside the others' best", accuracy, best),
        Figure(f"inconsistent sentences, {name}", inconsistent, 0, at_most=True),
    ]


def measure(
    pairs: Sequence[Pair], links: Mapping[str, Sequence[np.ndarray]]
) -> dict[str, dict[str, float]]:
    """The scores of each method with each kind of links."""
    scores = {f"{method}, {kind}": TagScores() for kind in links for method in METHODS}
    for kind, matrices in links.items():
        for pair, matrix in zip(pairs, matrices, strict=True):
            reference = element_tags(pair.reference.elements)
            for method, place in METHODS.items():
                scores[f"{method}, {kind}"].add(reference, place(pair, matrix))
    return {name: found.values() for name, found in scores.items()}


if __name__ == "__main__":
    sys.exit(main())

"""Other links than the word aligner's for `benchmarks.markup`, and translations with tags."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.eflomal import align as run_eflomal
from regard.documents.marked_text import MarkedText, children_of, render_markup
from regard.documents.projection import project_markup
from regard.tasks.translation.documents import aligned_result
from regard.tasks.translation.translator import Translator

Words = tuple[list[str], list[str]]
Parse = Callable[[str], MarkedText | None]


def eflomal_links(
    program: str, training: Sequence[Words], tested: Sequence[Words]
) -> list[np.ndarray]:
    """Ones and zeros, source words × target words; eflomal reads training and tested pairs."""
    lines = [(" ".join(source), " ".join(target)) for source, target in (*tested, *training)]
    with tempfile.TemporaryDirectory() as folder:
        found = run_eflomal(program, lines, Path(folder))[: len(tested)]
    matrices = []
    for (source, target), links in zip(tested, found, strict=True):
        matrix = np.zeros((len(source), len(target)), np.float32)
        for i, j in links:
            matrix[i, j] = 1
        matrices.append(matrix)
    return matrices


def attention_links(translator: Translator, tested: Sequence[Words]) -> list[np.ndarray]:
    """Weights of the alignment head that reads the reference, source words × target words."""
    sources, targets = ([" ".join(pair[side]) for pair in tested] for side in (0, 1))
    found = translator.align(sources, targets, pretokenized=True, align_with="attention")
    return [one.weights[:, :-1].T for one in found]


def xml_scores(
    translator: Translator, pairs: Sequence[tuple[MarkedText, MarkedText]], parse: Parse
) -> dict[str, float]:
    """Translate and project: how many outputs are well-formed XML with the structure expected.

    "XML accuracy" is the share of outputs that are well-formed, and "XML match" the share with the
    tree of the reference's tags (Hashimoto et al. 2019), both in percent. "tags kept" is the share
    with the tags of the source, each as often.
    """
    results = translator.translate([source.text for source, _ in pairs], alignments=True)
    parsed = matched = kept = 0
    for (source, reference), result in zip(pairs, map(aligned_result, results), strict=True):
        assert result.parts is not None
        projected = project_markup(source, result)
        output = parse(render_markup(projected.marked))
        if output is not None:
            parsed += 1
            matched += tag_tree(output) == tag_tree(reference)
            kept += tag_counts(output) == tag_counts(source)
    count = len(pairs)
    return {
        "XML accuracy": round(100 * parsed / count, 2),
        "XML match": round(100 * matched / count, 2),
        "tags kept": round(100 * kept / count, 2),
        "sentences": count,
    }


def tag_counts(marked: MarkedText) -> Counter[str]:
    return Counter(one.opening for one in marked.elements)


def tag_tree(marked: MarkedText) -> str:
    """The tags without the text, as <b>(<i>()): equal for equal order and nesting."""
    children = children_of(marked.elements)

    def below(parent: int | None) -> str:
        return "".join(
            f"{marked.elements[n].opening}({below(n)})" for n in children.get(parent, [])
        )

    return below(None)

"""Prescribed translations of terms: how many are in the output, and what they do to BLEU.

    python -m benchmarks.terms [--quick] [--model MODEL] [--minutes 20] [--sentences 1000]

Sentences are clauses of Canadian laws (en→fr) with terms that the laws define. A term counts if
the source has it and the reference has its translation, inflected or not. The methods share the
model:

- none: the model alone
- replacement: words that are linked to a term are replaced, as `regard translate --terms` does
- placeholder code: the model reads a word such as K1Z in place of the term, and copies it
- constrained: the search is repeated for sentences whose translation lacks a term, with the
  missing terms as constraints
- code-mixing: the model reads the prescribed translation in place of the term, and copies it

Without --model, a model is trained for --minutes on 50,000 clauses. The last line is a JSON object.
The exit code is 1 if a target is missed; --quick has none, as its model has hardly been trained.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import sacrebleu

from benchmarks.figures import Figure, report
from benchmarks.multi30k import DATA
from benchmarks.term_constraints import translate_with
from regard.documents.marked_text import AlignedTranslation, MarkedText
from regard.documents.placeholders import add_raw_elements, hide_kept_texts, replace_ranges
from regard.documents.projection import project_markup
from regard.documents.terms import Term, TermBase, TermMatch, like_source, place_terms
from regard.tasks.translation.documents import aligned_result
from regard.tasks.translation.translator import Translator

FOLDER = DATA / "canlaws-en-fr"
TRAINED = 50_000  # pairs
LONGEST = 40  # words of a source

Translate = Callable[[Sequence[str]], list[AlignedTranslation]]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, its reference, and its terms with translations that the reference has."""

    source: str
    reference: str
    matches: tuple[TermMatch, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The share of terms in the outputs, and their BLEU."""

    honoured: float
    bleu: float


def read_lines(name: str) -> list[str]:
    path = FOLDER / f"{name}.gz"
    if not path.is_file():
        sys.exit(f"{path}: no such file. Set REGARD_DATA to the directory that contains it.")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def read_terms_of_laws() -> list[Term]:
    return [Term(*line.split("\t")[:2]) for line in read_lines("terms.tsv")]


def with_terms(
    pairs: Sequence[tuple[str, str]], terms: TermBase, longest: int, limit: int
) -> list[Sentence]:
    """The first sentences of up to `longest` words whose reference translates a term as given."""
    found = []
    for source, reference in pairs:
        matches = tuple(
            match for match in terms.find(source) if terms.find_target(match.term, reference)
        )
        if matches and len(source.split()) <= longest:
            found.append(Sentence(source, reference, matches))
    return found[:limit]


def translate_alone(translate: Translate, sentences: Sequence[Sentence]) -> list[str]:
    return [each.text for each in translate([sentence.source for sentence in sentences])]


def replace_after(
    translate: Translate, sentences: Sequence[Sentence], languages: tuple[str, str]
) -> list[str]:
    """Translate, then replace the words that are linked to terms."""
    outputs = []
    results = translate([sentence.source for sentence in sentences])
    for sentence, result in zip(sentences, results, strict=True):
        terms = TermBase([match.term for match in sentence.matches], languages)
        placed = place_terms(MarkedText(sentence.source), result, terms)
        outputs.append(_project(placed.marked, result, placed.written))
    return outputs


def send_placeholder_codes(translate: Translate, sentences: Sequence[Sentence]) -> list[str]:
    """Translate with placeholder codes for terms, and replace these."""
    written = [
        [like_source(match, sentence.source) for match in sentence.matches]
        for sentence in sentences
    ]
    sent = [
        hide_kept_texts(
            add_raw_elements(
                MarkedText(sentence.source),
                [
                    (match.start, match.end, text)
                    for match, text in zip(sentence.matches, texts, strict=True)
                ],
            )
        )[0]
        for sentence, texts in zip(sentences, written, strict=True)
    ]
    results = translate([marked.text for marked in sent])
    return [_project(*each) for each in zip(sent, results, written, strict=True)]


def constrain_search(
    translator: Translator,
    translate: Translate,
    sentences: Sequence[Sentence],
    languages: tuple[str, str],
) -> list[str]:
    """Translate, and search again with the terms that a translation lacks as constraints."""
    base = TermBase([], languages)
    outputs = translate_alone(translate, sentences)
    for row, (sentence, output) in enumerate(zip(sentences, outputs, strict=True)):
        missing = [
            like_source(match, sentence.source)
            for match in sentence.matches
            if not base.find_target(match.term, output)
        ]
        if missing:
            outputs[row] = translate_with(translator, sentence.source, missing)
    return outputs


def mix_codes(translate: Translate, sentences: Sequence[Sentence]) -> list[str]:
    """Translate sources in which the translations of terms stand."""
    mixed = [
        replace_ranges(
            MarkedText(sentence.source),
            [
                (match.start, match.end, like_source(match, sentence.source))
                for match in sentence.matches
            ],
        ).text
        for sentence in sentences
    ]
    return [each.text for each in translate(mixed)]


def _project(source: MarkedText, result: AlignedTranslation, written: Sequence[str]) -> str:
    """A translation with a text for each element of its source."""
    if result.parts is None:
        return result.text
    target = project_markup(source, result).marked
    ranges = [
        (one.start, one.end, text if one.start < one.end else one.raw or "")
        for one, text in zip(target.elements, written, strict=True)
    ]
    return replace_ranges(MarkedText(target.text), sorted(ranges)).text


def measure(
    sentences: Sequence[Sentence], outputs: Sequence[str], languages: tuple[str, str]
) -> Outcome:
    """How many terms the outputs have, each as often as the source at most, and their BLEU."""
    base = TermBase([], languages)
    wanted = found = 0
    for sentence, output in zip(sentences, outputs, strict=True):
        counts = {
            term: sum(match.term == term for match in sentence.matches)
            for term in {match.term for match in sentence.matches}
        }
        wanted += sum(counts.values())
        found += sum(min(n, len(base.find_target(term, output))) for term, n in counts.items())
    bleu = sacrebleu.corpus_bleu(list(outputs), [[each.reference for each in sentences]])
    return Outcome(found / wanted, bleu.score)


def compare_methods(
    translator: Translator, sentences: Sequence[Sentence], languages: tuple[str, str], show: int = 0
) -> dict[str, Outcome]:
    """Translate with all methods; print a line for each, and the first `show` outputs."""

    def translate(texts: Sequence[str]) -> list[AlignedTranslation]:
        return [aligned_result(each) for each in translator.translate(texts, alignments=True)]

    outcomes = {}
    for name, run in (
        ("none", lambda: translate_alone(translate, sentences)),
        ("replacement", lambda: replace_after(translate, sentences, languages)),
        ("constrained", lambda: constrain_search(translator, translate, sentences, languages)),
        ("placeholder code", lambda: send_placeholder_codes(translate, sentences)),
        ("code-mixing", lambda: mix_codes(translate, sentences)),
    ):
        outputs = run()
        outcomes[name] = measure(sentences, outputs, languages)
        found = outcomes[name]
        print(f"{name:12} {found.honoured:7.1%} of terms   BLEU {found.bleu:5.2f}", flush=True)
        for sentence, output in list(zip(sentences, outputs, strict=True))[:show]:
            print(
                f"    {sentence.source}\n    {[m.term.target for m in sentence.matches]} {output}"
            )
    return outcomes


def train(out: Path, pairs: int, settings: Sequence[str]) -> Path:
    """Train a model on the first pairs; return its bundle."""
    for side in ("en", "fr"):
        lines = read_lines(f"train.{side}")[:pairs]
        (out / f"train.{side}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = ["--source", str(out / "train.en"), "--target", str(out / "train.fr")]
    command = [sys.executable, "-m", "regard", "train", *settings, *files]
    subprocess.run([*command, "--out", str(out / "run")], check=True)
    return out / "run" / "model"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="only see that everything runs")
    parser.add_argument("--model", type=Path, help="a bundle from English to French")
    parser.add_argument("--minutes", type=float, default=20, help="time to train a model")
    parser.add_argument("--sentences", type=int, default=1_000)
    parser.add_argument("--show", type=int, default=0, help="print the first outputs")
    options = parser.parse_args()
    languages = ("en", "fr")
    pairs = list(zip(read_lines("test.en"), read_lines("test.fr"), strict=True))
    sentences = with_terms(
        pairs,
        TermBase(read_terms_of_laws(), languages),
        *((12, 8) if options.quick else (LONGEST, options.sentences)),
    )
    settings = ["--minutes", str(options.minutes)]
    if options.quick:
        settings = ["--preset", "translate-quick", "--set", "train.steps=20"]
    with tempfile.TemporaryDirectory() as folder:
        trained = 1_000 if options.quick else TRAINED
        model = options.model or train(Path(folder), trained, settings)
        found = compare_methods(Translator.load(model), sentences, languages, options.show)
    none, used = found["none"], found["replacement"]
    figures = [
        Figure("terms honoured by replacement", used.honoured, 0.95),
        Figure("BLEU of replacement, less that of the model alone", used.bleu - none.bleu, 0),
    ]
    return report(
        "terms",
        [] if options.quick else figures,
        quick=options.quick,
        sentences=len(sentences),
        methods={
            name: {"honoured": round(each.honoured, 4), "bleu": round(each.bleu, 2)}
            for name, each in found.items()
        },
    )


if __name__ == "__main__":
    sys.exit(main())

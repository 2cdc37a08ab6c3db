"""What the doctor calls another language is one: precision and recall on real corpora.

    python -m pytest -n0 -m slow -s tests/unit/data/test_doctor_precision.py

prints both for all pairs of languages. Lines of a third language, and sides that are swapped, are
put into corpora that are sound but for a few lines.
"""

from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from regard.data.doctor.examine import examine
from regard.data.formats.corpus import ParallelFiles
from tests.conftest import DATA

pytestmark = pytest.mark.skipif(not (DATA / "multi30k").is_dir(), reason=f"no corpora at {DATA}")

QUICK = [("tatoeba-en-fr", "en", "fr")]
ALL = [
    *QUICK,
    ("multi30k", "en", "de"),
    ("multi30k", "cs", "en"),
    ("multi30k", "de", "fr"),
    ("europarl-en-fr-de", "en", "fr"),
    ("europarl-en-fr-de", "de", "en"),
    ("canlaws-en-fr", "en", "fr"),
]
UNSOUND = {("canlaws-en-fr", 16_028)}  # its English side is French
SHARE = 0.01  # of the lines that are replaced
KINDS = {"other language", "third language"}


def read(folder: str, language: str, count: int) -> list[str]:
    with gzip.open(DATA / folder / f"train.{language}.gz", "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in islice(file, count)]


def odd_lines(sides: list[list[str]], folder: Path) -> set[int]:
    paths = [folder / name for name in ("source", "target")]
    for path, lines in zip(paths, sides, strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    report = examine(ParallelFiles(str(paths[0]), str(paths[1]), name="train"), sizes=())
    return {line for one in report.findings if one.kind in KINDS for line in one.lines}


def measure(corpus: tuple[str, str, str], count: int, folder: Path) -> tuple[int, float, float]:
    """False reports in the corpus as it is; precision and recall with odd lines in it."""
    name, *languages = corpus
    sides = [read(name, language, count) for language in languages]
    unsound = {line for corpus_name, line in UNSOUND if corpus_name == name}
    false = odd_lines(sides, folder) - unsound
    third = next(language for language in ("cs", "de", "fr") if language not in languages)
    lines = [line for line in read("multi30k", third, 5_000) if len(line) >= 40]
    random = Random(1)
    planted = random.sample(range(len(sides[0])), int(SHARE * len(sides[0])))
    planted = [i for i in planted if min(len(side[i]) for side in sides) >= 40]
    for n, i in enumerate(planted):
        if n % 2:
            sides[0][i], sides[1][i] = sides[1][i], sides[0][i]
        else:
            sides[n // 2 % 2][i] = random.choice(lines)
    reported = odd_lines(sides, folder) - unsound
    correct = len(reported & {i + 1 for i in planted})
    return len(false), correct / max(1, len(reported)), correct / len(planted)


@pytest.mark.parametrize("corpus", QUICK, ids=" ".join)
def test_no_sound_line_is_in_another_language(corpus, tmp_path) -> None:
    false, precision, recall = measure(corpus, 8_000, tmp_path)
    assert false <= 1 and precision >= 0.97 and recall >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ALL, ids=" ".join)
def test_few_sound_lines_are_in_another_language(corpus, tmp_path) -> None:
    false, precision, recall = measure(corpus, 20_000, tmp_path)
    print(f"\n{' '.join(corpus)}: {false} false, precision {precision:.3f}, recall {recall:.3f}")
    assert false <= 1e-4 * 20_000 and precision >= 0.94 and recall >= 0.85


@pytest.mark.slow
@pytest.mark.parametrize("corpus", [ALL[0], ALL[1], ALL[4]], ids=" ".join)
def test_nothing_is_reported_of_a_whole_sound_corpus(corpus, tmp_path) -> None:
    name, *languages = corpus
    assert odd_lines([read(name, language, 200_000) for language in languages], tmp_path) == set()

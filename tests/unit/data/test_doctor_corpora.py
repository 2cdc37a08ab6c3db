"""The doctor on 50,000 pairs of four sound corpora, and with defects inserted into them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from regard.data.doctor.examine import Report, examine
from regard.data.formats.corpus import ParallelFiles
from tests.conftest import DATA

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (DATA / "multi30k").is_dir(), reason=f"no corpora at {DATA}"),
]

PAIRS = 50_000
CORPORA = {
    "tatoeba": ("tatoeba-en-fr", "fr"),
    "multi30k": ("multi30k", "de"),  # 29,000 pairs
    "europarl": ("europarl-en-fr-de", "de"),
    "canlaws": ("canlaws-en-fr", "fr"),
}
Lines = list[str]


def read(folder: str, language: str) -> Lines:
    with gzip.open(DATA / folder / f"train.{language}.gz", "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in islice(file, PAIRS)]


def check(source: Lines, target: Lines, folder: Path) -> Report:
    paths = [folder / "train.source", folder / "train.target"]
    for path, lines in zip(paths, (source, target), strict=True):
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return examine(ParallelFiles(str(paths[0]), str(paths[1]), name="train"), sizes=())


def chosen(lines: Lines, share: float) -> list[int]:
    return Random(1).sample(range(len(lines)), int(share * len(lines)))


def third_language(source: Lines, target: Lines, other: str) -> None:
    third = read("multi30k", other)
    for i in chosen(target, 0.05):
        target[i] = third[7 * i % len(third)]


def third_language_in_source(source: Lines, target: Lines, other: str) -> None:
    third_language(target, source, other)


def swapped_sides(source: Lines, target: Lines, other: str) -> None:
    for i in chosen(source, 0.02):
        source[i], target[i] = target[i], source[i]


def near_copies(source: Lines, target: Lines, other: str) -> None:
    for i in chosen(source, 0.05):
        target[i] = source[i].rstrip(".") + " ."


def shift(source: Lines, target: Lines, other: str) -> None:
    del target[len(target) // 2]
    target.append(target[-1])


def unrelated(source: Lines, target: Lines, other: str) -> None:
    part = target[1_000:2_000]
    Random(1).shuffle(part)
    target[1_000:2_000] = part


def copies(source: Lines, target: Lines, other: str) -> None:
    for i in chosen(source, 0.05):
        target[i] = source[i]


def wrong_encoding(source: Lines, target: Lines, other: str) -> None:
    accents = [i for i, line in enumerate(target) if not line.isascii()]
    for i in Random(1).sample(accents, len(target) // 100):
        target[i] = target[i].encode().decode("cp1252", "replace")


def duplicates(source: Lines, target: Lines, other: str) -> None:
    for i in chosen(source, 0.15):
        source.append(source[i])
        target.append(target[i])


def empty_lines(source: Lines, target: Lines, other: str) -> None:
    for i in chosen(source, 0.01):
        target[i] = ""


def long_lines(source: Lines, target: Lines, other: str) -> None:
    for i in chosen(source, 0.02):
        times = 1 + 4_200 // min(len(source[i]), len(target[i]))
        source[i], target[i] = " ".join([source[i]] * times), " ".join([target[i]] * times)


def joined_lines(source: Lines, target: Lines, other: str) -> None:
    for i in chosen(source, 0.02):
        target[i] = " ".join([target[i]] * 6)


def numbers(source: Lines, target: Lines, other: str) -> None:
    for i in chosen(source, 0.03):
        source[i], target[i] = f"{i} | {3 * i} | 1.0", f"{i} | {3 * i} | 1,0"


def cyrillic(source: Lines, target: Lines, other: str) -> None:
    for i in chosen(source, 0.01):
        target[i] = "Двое мужчин стоят у плиты и готовят еду."


DEFECTS: list[tuple[Callable[[Lines, Lines, str], None], str, float]] = [
    # The defect, its name, and the share of these pairs to be found.
    (third_language, "third language", 0.6),
    (third_language_in_source, "third language", 0.3),
    (swapped_sides, "other language", 0.75),
    (near_copies, "other language", 0.65),
    (shift, "shifted", 1.0),
    (unrelated, "unrelated", 1.0),
    (copies, "identical", 1.0),
    (wrong_encoding, "damaged text", 0.9),
    (duplicates, "duplicate", 1.0),
    (empty_lines, "empty", 1.0),
    (long_lines, "too long", 1.0),
    (joined_lines, "out of ratio", 0.9),
    (numbers, "mostly punctuation", 1.0),
    (cyrillic, "wrong script", 1.0),
]
PLANTED = {
    "third language": 0.05,
    "swapped_sides": 0.02,
    "near_copies": 0.05,
    "shifted": 0.5,
    "identical": 0.05,
    "damaged text": 0.01,
    "duplicate": 0.15 / 1.15,
    "empty": 0.01,
    "too long": 0.02,
    "out of ratio": 0.02,
    "mostly punctuation": 0.03,
    "wrong script": 0.01,
}
# Lines that were replaced by others, or moved, also differ in length from their translation.
CONSEQUENCES = {
    "third language": {"out of ratio", "other language"},
    "shifted": {"out of ratio"},
    "unrelated": {"out of ratio"},
}


def defects(report: Report) -> dict[str, int]:
    return {f.kind: f.count for f in report.findings if f.severity == "defect"}


@pytest.mark.parametrize("name", CORPORA)
def test_a_sound_corpus_has_no_defects(name: str, tmp_path: Path) -> None:
    folder, language = CORPORA[name]
    report = check(read(folder, "en"), read(folder, language), tmp_path)
    assert defects(report) == {}
    wrong = sum(f.count for f in report.findings if f.kind in ("other language", "third language"))
    assert wrong <= 0.001 * report.corpora[0].pairs


@pytest.mark.parametrize("name", CORPORA)
@pytest.mark.parametrize(
    ("insert", "kind", "recall"), DEFECTS, ids=[f.__name__ for f, _, _ in DEFECTS]
)
def test_an_inserted_defect_is_found(
    insert: Callable[[Lines, Lines, str], None],
    kind: str,
    recall: float,
    name: str,
    tmp_path: Path,
) -> None:
    folder, language = CORPORA[name]
    source, target = read(folder, "en"), read(folder, language)
    insert(source, target, "de" if language == "fr" else "fr")
    found = defects(check(source, target, tmp_path))
    assert kind in found and set(found) <= {kind} | CONSEQUENCES.get(kind, set())
    planted = PLANTED.get(insert.__name__, PLANTED.get(kind, 1_000 / len(source)))
    assert found[kind] >= int(0.999 * recall * planted * len(source))

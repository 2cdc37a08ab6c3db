"""Identity in, identity out: generated documents, the project's own, and those of all corpora.

    python -m pytest -m slow tests/documents/test_identity.py -s

runs over all of them, and prints their numbers and what differs.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from regard.documents.formats.base import FORMAT_NAMES
from regard.tasks.translation.documents import TranslatedDocument
from tests.documents.generated import MAKERS
from tests.documents.identity import (
    SPOILED,
    Counts,
    check_all,
    check_identity,
    check_links,
    check_upper_case,
    own_documents,
    real_documents,
    sample,
)

ROOT = Path(__file__).parents[2]
QUICK, SLOW = 6, 1_000
CHECKS: dict[str, Callable[[str, bytes], TranslatedDocument]] = {
    "identity": check_identity,
    "upper case": check_upper_case,
}


def generated(name: str, count: int) -> list[tuple[str, str, bytes]]:
    return [(f"{name} {n}", name, MAKERS[name](random.Random(n))) for n in range(count)]


def report(label: str, counts: Counts, different: dict[str, str]) -> None:
    print(
        f"\n{label}: {counts.documents:,} documents, {counts.segments:,} segments, "
        f"{counts.bytes:,} bytes, {counts.refused} refused; {len(different)} differ"
    )
    shown = "\n".join(f"{name}: {text}" for name, text in list(different.items())[:8])
    assert not different, f"{len(different)} differ:\n{shown}"


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_generated_documents(name: str, check: str) -> None:
    report(f"{name}, {check}", *check_all(CHECKS[check], generated(name, QUICK)))


def cut_words(r: random.Random) -> str:
    """Words with elements and a placeholder that begin and end anywhere in them."""
    parts = r.choices("abcdefgh  é", k=24)
    parts.insert(r.randrange(len(parts)), "{n}")
    first, inner, last = sorted(r.choices(range(len(parts) + 1), k=3))
    outer = [*parts[:first], "<b>", *parts[first:inner]]
    return "".join([*outer, "<i>", *parts[inner:last], "</i></b>", *parts[last:]])


@pytest.mark.parametrize("check", CHECKS)
def test_markup_anywhere_in_words(check: str) -> None:
    texts = [cut_words(random.Random(seed)) for seed in range(100)]
    documents = [(text, "json", f'{{"a": "{text}"}}'.encode()) for text in texts]
    report(f"markup in words, {check}", *check_all(CHECKS[check], documents))


@pytest.mark.parametrize("kind", SPOILED)
@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_generated_documents_with_wrong_links(name: str, kind: str) -> None:
    found = check_all(lambda *document: check_links(*document, kind), generated(name, QUICK))
    report(f"{name}, {kind} links", *found)


@pytest.mark.parametrize("check", CHECKS)
def test_a_sample_of_real_documents(corpora: Path, check: str) -> None:
    documents = sample(own_documents(ROOT), 15) + sample(real_documents(corpora), 100)
    report(check, *check_all(CHECKS[check], documents))


@pytest.mark.parametrize("seed", [177, 300])
def test_a_kept_text_beside_a_word_replaces_no_other_word(seed: int) -> None:
    """With wrong links, `<code>x &lt; 1</code>A` lost the A."""
    check_links("html", MAKERS["html"](random.Random(seed)), "shuffled")


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_thousands_of_generated_documents(name: str, check: str) -> None:
    report(f"{name}, {check}", *check_all(CHECKS[check], generated(name, SLOW)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", SPOILED)
@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_thousands_of_generated_documents_with_wrong_links(name: str, kind: str) -> None:
    found = check_all(lambda *document: check_links(*document, kind), generated(name, SLOW))
    report(f"{name}, {kind} links", *found)


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_all_real_documents(corpora: Path, name: str, check: str) -> None:
    documents = [d for d in (*own_documents(ROOT), *real_documents(corpora)) if d[1] == name]
    report(f"{name}, {check}", *check_all(CHECKS[check], documents))


@pytest.mark.slow
@pytest.mark.parametrize("kind", SPOILED)
@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_all_real_documents_with_wrong_links(corpora: Path, name: str, kind: str) -> None:
    documents = [d for d in (*own_documents(ROOT), *real_documents(corpora)) if d[1] == name]
    found = check_all(lambda *document: check_links(*document, kind), documents)
    report(f"{name}, {kind} links", *found)

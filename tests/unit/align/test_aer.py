"""Alignment error rate and Pharaoh files."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import numpy as np
import pytest

from regard.align.links import (
    GoldAlignment,
    check_gold,
    read_gold,
    read_links,
    score_alignments,
    write_links,
)
from regard.errors import CorpusError

SURE = frozenset({(0, 0), (1, 2)})
GOLD = GoldAlignment(SURE, SURE | {(2, 1), (2, 2)})


def test_the_sure_links_have_an_aer_of_zero() -> None:
    found = score_alignments([SURE], [GOLD])
    assert (found.precision, found.recall, found.aer) == (100, 100, 0)


def test_possible_links_do_not_increase_aer() -> None:
    found = score_alignments([SURE | {(2, 1)}], [GOLD])
    # A = 3, S = 2, A ∩ S = 2, A ∩ P = 3: 1 − 5 / 5
    assert (found.precision, found.recall, found.aer) == (100, 100, 0)


def test_wrong_and_missing_links_increase_aer() -> None:
    found = score_alignments([{(0, 0), (2, 2), (1, 1), (0, 1)}], [GOLD])
    # A = 4, S = 2, A ∩ S = 1, A ∩ P = 2: 1 − 3 / 6
    assert found.precision == pytest.approx(50)
    assert found.recall == pytest.approx(50)
    assert found.aer == pytest.approx(50)
    assert (found.links, found.sure, found.possible) == (4, 2, 4)


def test_aer_is_computed_over_the_links_of_all_sentences() -> None:
    found = score_alignments(
        [SURE, {(5, 5)}], [GOLD, GoldAlignment(frozenset({(0, 0)}), frozenset({(0, 0)}))]
    )
    # A = 3, S = 3, A ∩ S = A ∩ P = 2: 1 − 4 / 6, not the mean of 0 and 1
    assert found.aer == pytest.approx(100 / 3)


def test_aer_without_links() -> None:
    empty = GoldAlignment(frozenset(), frozenset())
    assert score_alignments([[]], [empty]).aer == 0
    assert score_alignments([[(0, 0)]], [empty]).aer == 100
    assert score_alignments([[]], [GOLD]).aer == 100
    assert score_alignments([[], SURE], [empty, GOLD]).aer == 0


def test_different_numbers_of_pairs_are_rejected() -> None:
    with pytest.raises(CorpusError, match=r"links: .*\b1\b.*\b2\b"):
        score_alignments([SURE], [GOLD, GOLD])


def test_possible_links_have_two_notations_and_two_first_indices(tmp_path: Path) -> None:
    (tmp_path / "zero").write_text("0-0 1-2 2?1 2p2\n\n")
    (tmp_path / "one").write_text("1-1 2-3 3?2 3p3\n\n")
    zero = read_gold(str(tmp_path / "zero"))
    assert zero == [GOLD, GoldAlignment(frozenset(), frozenset())]
    assert read_gold(str(tmp_path / "one"), first=1) == zero


def test_links_to_null_are_dropped(tmp_path: Path) -> None:
    (tmp_path / "zero").write_text("0-0 NULL-3 1-2 4?NULL 2?1 2?2 NULL-NULL\n")
    (tmp_path / "one").write_text("1-1 0-4 2-3 5?0 3?2 3?3\n")
    assert read_gold(str(tmp_path / "zero")) == read_gold(str(tmp_path / "one"), first=1) == [GOLD]


def test_written_links_are_read_back(tmp_path: Path) -> None:
    random = Random(0)
    pairs = [
        frozenset((random.randrange(30), random.randrange(30)) for _ in range(random.randrange(40)))
        for _ in range(50)
    ]
    (tmp_path / "links").write_text("".join(write_links(links) + "\n" for links in pairs))
    assert read_links(str(tmp_path / "links")) == pairs
    assert write_links({(10, 0), (2, 1), (2, 0)}) == "2-0 2-1 10-0"


@pytest.mark.parametrize("invalid", ["3", "a-b", "1-2-3", "1–2", "-1-0", "1-٣", "9" * 5000 + "-1"])
def test_an_invalid_link_is_reported_with_its_line(invalid: str, tmp_path: Path) -> None:
    (tmp_path / "gold").write_text(f"0-0\n1-1 {invalid}\n")
    with pytest.raises(CorpusError, match=r"gold, line 2: .* 3-4 or 3\?4"):
        read_gold(str(tmp_path / "gold"))


def test_possible_links_are_rejected_outside_gold_files(tmp_path: Path) -> None:
    (tmp_path / "links").write_text("0-0 1?1\n")
    with pytest.raises(CorpusError, match=r"line 1: '1\?1' .* 3-4$"):
        read_links(str(tmp_path / "links"))


@pytest.mark.parametrize(
    ("link", "fits"), [((0, 2), True), ((1, 0), False), ((0, 3), False), ((0, 0), True)]
)
def test_a_link_is_inside_the_sentence_of_its_side(link: tuple[int, int], fits: bool) -> None:
    links = frozenset({link})
    gold = GoldAlignment(links, links)
    if fits:
        check_gold([gold], ["a"], ["d e f"], "gold")
    else:
        with pytest.raises(CorpusError, match=f"link {link[0]}-{link[1]}"):
            check_gold([gold], ["a"], ["d e f"], "gold")


def test_links_outside_their_sentences_are_rejected() -> None:
    check_gold([GOLD], ["a b c"], ["d e f"], "gold")
    with pytest.raises(CorpusError, match=r"gold, line 1: .*1-2.*--one-based"):
        check_gold([GOLD], ["a b c"], ["d e"], "gold")
    with pytest.raises(CorpusError, match=r"gold: .*1 pairs.*2 sources.*1 targets"):
        check_gold([GOLD], ["a", "b"], ["c"], "gold")


def test_aer_on_the_hansards_equals_a_computation_with_matrices(corpora: Path) -> None:
    """0/1 matrices instead of sets, directly from Och and Ney's definition."""
    folder = corpora / "word-alignment-gold"
    gold = read_gold(str(folder / "en-fr.align"))
    sides = [(folder / f"en-fr.{side}").read_text("utf-8").splitlines() for side in ("en", "fr")]
    check_gold(gold, *sides, "en-fr.align")
    lines = (folder / "en-fr.align").read_text("utf-8").splitlines()
    assert len(gold) == len(lines) == 447
    random = np.random.default_rng(0)
    found, total = [], np.zeros(5)  # |A|, |S|, |P|, |A ∩ S|, |A ∩ P|
    for line, source, target in zip(lines, *sides, strict=True):
        shape = len(source.split()), len(target.split())
        sure, possible, guess = (np.zeros(shape, np.int64) for _ in range(3))
        for i, mark, j in re.findall(r"(\d+)([-?])(\d+)", line):
            possible[int(i), int(j)] = 1
            sure[int(i), int(j)] = mark == "-"
        # the diagonal, some of the sure links, and some random links
        for i in range(shape[0]):
            guess[i, min(shape[1] - 1, i * shape[1] // shape[0])] = 1
        guess |= sure * (random.random(shape) < 0.5) | (random.random(shape) < 0.02)
        found.append([(int(i), int(j)) for i, j in np.argwhere(guess)])
        total += [x.sum() for x in (guess, sure, possible, guess * sure, guess * possible)]
    count, sure, possible, hit_sure, hit_possible = total
    ours = score_alignments(found, gold)
    assert (ours.links, ours.sure, ours.possible) == (count, sure, possible)
    assert (ours.sure, ours.possible) == (4_038, 4_038 + 13_400)  # as in its README
    assert ours.precision == pytest.approx(100 * hit_possible / count, abs=1e-12)
    assert ours.recall == pytest.approx(100 * hit_sure / sure, abs=1e-12)
    rate = 1 - (hit_sure + hit_possible) / (count + sure)
    assert ours.aer == pytest.approx(100 * rate, abs=1e-12)
    assert 0 < ours.aer < 100


def test_the_japanese_gold_alignment_is_read(corpora: Path) -> None:
    folder = corpora / "word-alignment-gold"
    gold = read_gold(str(folder / "ja-en.align"))
    sides = [(folder / f"ja-en.{side}").read_text("utf-8").splitlines() for side in ("ja", "en")]
    check_gold(gold, *sides, "ja-en.align")
    assert sum(len(each.sure) for each in gold) == 13_556
    assert score_alignments([each.possible for each in gold], gold).aer == 0

"""The matrix in a terminal fits, can be read without colour, and obeys no word."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from regard.explain.pictures.terminal import terminal_matrix

SAID = ["Ein", "Mann", "steht", "auf", "einer", "Leiter", "."]
READ = ["A", "man", "is", "standing", "on", "a", "ladder", "."]
WEIGHTS = np.full((7, 8), 0.02, np.float32) + 0.84 * np.eye(7, 8, dtype=np.float32)


def shown(printout, width: int, *, colours: bool = False, **given) -> str:
    kind = "truecolor" if colours else None
    console = Console(
        file=StringIO(), width=width, color_system=kind, force_terminal=colours, **given
    )
    console.print(printout)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_it_fits(width: int) -> None:
    lines = shown(terminal_matrix(WEIGHTS, SAID, READ, "a note"), width).splitlines()
    assert all(cell_len(line) <= width for line in lines)
    assert sum(any(word in line for word in SAID) for line in lines) >= len(SAID)


def test_a_wide_one_is_headed_by_words() -> None:
    lines = shown(terminal_matrix(WEIGHTS, SAID, READ), 80).splitlines()
    assert lines[0].split() == READ
    assert lines[1].split() == ["Ein", "86", *["2"] * 7]
    for line in lines[1:8]:  # each number ends where its word does
        assert cell_len(line) == cell_len(lines[0])


def test_a_narrower_one_is_headed_by_numbers_with_a_key() -> None:
    lines = shown(terminal_matrix(WEIGHTS, SAID, READ), 42).splitlines()
    assert lines[0].split() == [str(number) for number in range(1, 9)]
    assert "4:standing" in " ".join(lines)


def test_one_that_does_not_fit_names_the_words_looked_at_most() -> None:
    weights = np.array([[0.5, 0.3, 0.15, 0.05, 0, 0, 0, 0]] * 7, np.float32)
    lines = shown(terminal_matrix(weights, SAID, READ), 38).splitlines()
    assert lines[1].split() == ["Mann", "A", "50,", "man", "30,", "is", "15"]


def test_what_is_nearly_nothing_is_a_dot() -> None:
    weights = np.array([[0.996, 0.004]], np.float32)
    assert shown(terminal_matrix(weights, ["x"], ["a", "b"]), 80).splitlines()[1].split() == [
        "x",
        "100",
        "·",
    ]


def test_colours_are_added_to_the_same_text() -> None:
    plain = shown(terminal_matrix(WEIGHTS, SAID, READ, "a note"), 80)
    coloured = shown(terminal_matrix(WEIGHTS, SAID, READ, "a note"), 80, colours=True)
    assert "\x1b[" not in plain
    assert "48;2;" in coloured
    bare = "".join(part.partition("m")[2] for part in f"m{coloured}".split("\x1b["))
    assert bare == plain


def test_no_colour_is_respected() -> None:
    found = shown(terminal_matrix(WEIGHTS, SAID, READ), 80, colours=True, no_color=True)
    assert "48;2;" not in found and "38;2;" not in found


def test_a_word_commands_nothing() -> None:
    nasty = "\x1b]0;title\x07\x1b[31mred\r\n\x9b1m[bold]"
    found = shown(terminal_matrix(np.ones((1, 1), np.float32), [nasty], [nasty], nasty), 200)
    assert not {"\x1b", "\x07", "\r", "\x9b"} & set(found)
    assert "␛[31m" in found and "[bold]" in found
    assert len(found.splitlines()) == 3


def test_words_of_any_script_keep_their_columns() -> None:
    said = ["中文", "رجل", "e\u0301", "L" * 60, "x"]
    lines = shown(terminal_matrix(np.full((5, 5), 0.2, np.float32), said, said), 200).splitlines()
    assert len({cell_len(line) for line in lines[:6]}) == 1


def test_without_words_it_says_so() -> None:
    assert "no words" in shown(
        terminal_matrix(np.zeros((0, 3), np.float32), [], ["a", "b", "c"]), 80
    )

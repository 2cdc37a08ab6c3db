"""The matrix in a terminal fits, is readable without colour, and escapes control characters."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from regard.explain.pictures.terminal import terminal_matrix

TARGET = ["Ein", "Mann", "steht", "auf", "einer", "Leiter", "."]
SOURCE = ["A", "man", "is", "standing", "on", "a", "ladder", "."]
WEIGHTS = np.full((7, 8), 0.02, np.float32) + 0.84 * np.eye(7, 8, dtype=np.float32)


def render(matrix, width: int, *, colours: bool = False, **options) -> str:
    system = "truecolor" if colours else None
    console = Console(
        file=StringIO(), width=width, color_system=system, force_terminal=colours, **options
    )
    console.print(matrix)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_lines_fit_the_width(width: int) -> None:
    lines = render(terminal_matrix(WEIGHTS, TARGET, SOURCE, "a note"), width).splitlines()
    assert all(cell_len(line) <= width for line in lines)
    assert sum(any(word in line for word in TARGET) for line in lines) >= len(TARGET)


def test_wide_matrix_is_headed_by_words() -> None:
    lines = render(terminal_matrix(WEIGHTS, TARGET, SOURCE), 80).splitlines()
    assert lines[0].split() == SOURCE
    assert lines[1].split() == ["Ein", "86", *["2"] * 7]
    for line in lines[1:8]:  # numbers end where their words do
        assert cell_len(line) == cell_len(lines[0])


def test_narrow_matrix_is_headed_by_numbers_with_a_key() -> None:
    lines = render(terminal_matrix(WEIGHTS, TARGET, SOURCE), 42).splitlines()
    assert lines[0].split() == [str(number) for number in range(1, 9)]
    assert "4:standing" in " ".join(lines)


def test_too_wide_matrix_lists_the_highest_weights() -> None:
    weights = np.array([[0.5, 0.3, 0.15, 0.05, 0, 0, 0, 0]] * 7, np.float32)
    lines = render(terminal_matrix(weights, TARGET, SOURCE), 38).splitlines()
    assert lines[1].split() == ["Mann", "A", "50,", "man", "30,", "is", "15"]


def test_weight_below_half_a_percent_is_a_dot() -> None:
    weights = np.array([[0.996, 0.004]], np.float32)
    assert render(terminal_matrix(weights, ["x"], ["a", "b"]), 80).splitlines()[1].split() == [
        "x",
        "100",
        "·",
    ]


def test_colours_do_not_change_the_text() -> None:
    plain = render(terminal_matrix(WEIGHTS, TARGET, SOURCE, "a note"), 80)
    coloured = render(terminal_matrix(WEIGHTS, TARGET, SOURCE, "a note"), 80, colours=True)
    assert "\x1b[" not in plain
    assert "48;2;" in coloured
    stripped = "".join(part.partition("m")[2] for part in f"m{coloured}".split("\x1b["))
    assert stripped == plain


def test_no_color_is_respected() -> None:
    found = render(terminal_matrix(WEIGHTS, TARGET, SOURCE), 80, colours=True, no_color=True)
    assert "48;2;" not in found and "38;2;" not in found


def test_control_characters_are_escaped() -> None:
    nasty = "\x1b]0;title\x07\x1b[31mred\r\n\x9b1m[bold]"
    found = render(terminal_matrix(np.ones((1, 1), np.float32), [nasty], [nasty], nasty), 200)
    assert not {"\x1b", "\x07", "\r", "\x9b"} & set(found)
    assert "␛[31m" in found and "[bold]" in found
    assert len(found.splitlines()) == 3


def test_columns_align_for_any_script() -> None:
    words = ["中文", "رجل", "e\u0301", "L" * 60, "x"]
    lines = render(
        terminal_matrix(np.full((5, 5), 0.2, np.float32), words, words), 200
    ).splitlines()
    assert len({cell_len(line) for line in lines[:6]}) == 1


def test_empty_matrix_has_a_message() -> None:
    assert "no words" in render(
        terminal_matrix(np.zeros((0, 3), np.float32), [], ["a", "b", "c"]), 80
    )

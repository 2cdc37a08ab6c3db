"""Output files of commands are never lost, and never replace an input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from regard.cli.outputs import check_output, open_output, write_output
from regard.cli.usage import UsageError


def test_an_output_that_is_an_input_is_refused(tmp_path: Path) -> None:
    """`regard translate --source X --out X` must not empty X, by whatever name."""
    source = tmp_path / "x"
    source.write_text("text\n")
    link = tmp_path / "link"
    link.symlink_to(source)
    for out in (source, link, tmp_path / "." / "x"):
        with pytest.raises(UsageError, match="input"), open_output(out, source):
            pass
    assert source.read_text() == "text\n"


@pytest.mark.parametrize(("name", "cause"), [("missing/out", "does not exist"), ("", "directory")])
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, name: str, cause: str
) -> None:
    with pytest.raises(UsageError, match=cause):
        check_output(tmp_path / name)


def test_an_error_keeps_the_old_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("old\n")
    with pytest.raises(TypeError), open_output(out) as file:
        file.writelines(["half", None])  # type: ignore[list-item]
    assert out.read_text() == "old\n"
    with open_output(out) as file:
        file.write("né\n")
    assert out.read_bytes() == "né\n".encode()
    write_output(out, "whole")
    assert out.read_text() == "whole"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_characters_outside_the_encoding_of_stdout_do_not_fail(tmp_path: Path) -> None:
    """An ASCII standard output used to end a command after all its work."""
    done = subprocess.run(
        [sys.executable, "-m", "regard", "describe", "bahdanau", "--json"],
        capture_output=True,
        env={"PATH": "", "PYTHONIOENCODING": "ascii", "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr.decode()
    assert "s_{t−1}" in done.stdout.decode()

"""Output files of commands are never lost, and never replace an input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from regard.cli.options import UsageError
from regard.cli.outputs import check_output, open_output, to_line, write_output


def test_an_output_that_is_an_input_is_refused(tmp_path: Path) -> None:
    """`regard translate --source X --out X` must not empty X, by whatever name."""
    source = tmp_path / "x"
    source.write_text("text\n")
    link, hard = tmp_path / "link", tmp_path / "hard"
    link.symlink_to(source)
    hard.hardlink_to(source)
    for out in (source, link, hard, tmp_path / "." / "x"):
        with pytest.raises(UsageError, match="input"):
            check_output(out, None, source)
    with pytest.raises(UsageError, match="output"):
        check_output(tmp_path / "new", tmp_path / "." / "new")
    check_output(tmp_path / "new", source, "x" * 5_000, "a text")


def test_an_output_that_is_standard_input_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "x"
    source.write_text("text\n")
    code = f"from regard.cli.outputs import *; check_output(Path({str(source)!r}))"
    with source.open() as stdin:
        done = subprocess.run([sys.executable, "-c", code], stdin=stdin, capture_output=True)
    assert b"input" in done.stderr


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("missing/out", "does not exist"),
        ("", "directory"),
        ("dangling", "does not exist"),
        ("loop", "cannot be written"),
        ("x" * 300, "cannot be written"),
        ("file/out", "cannot be written"),
        ("locked", "not writable"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, name: str, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "missing" / "out")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").touch()
    (tmp_path / "locked").touch()
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "locked")
    with pytest.raises(UsageError, match=cause):
        check_output(tmp_path / name)


def test_devices_are_written_directly(tmp_path: Path) -> None:
    check_output(Path("/dev/null"))
    write_output(Path("/dev/null"), "text")
    assert not Path("/dev/null").is_file()


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.touch(0o600)
    write_output(out, "text")
    assert out.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("break_", ["\n", "\r", "\t", "\x0b", "\x85", "\u2028", "\u2029", "\0"])
def test_a_text_stays_one_field_of_one_line(break_: str) -> None:
    assert to_line(f"a{break_}b\xa0c") == "a b\xa0c"


def test_lone_surrogates_can_be_written(tmp_path: Path) -> None:
    write_output(tmp_path / "out", json.dumps("a\udc80", ensure_ascii=False))
    assert json.loads((tmp_path / "out").read_text()) == "a\udc80"
    with open_output(tmp_path / "lines") as file:
        file.write("a\udc80\n")
    assert (tmp_path / "lines").read_text() == "a\\udc80\n"


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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error_with_its_own_exit_status() -> None:
    command = [sys.executable, "-m", "regard", "describe", "bahdanau", "--json"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (74, 1), done.stderr

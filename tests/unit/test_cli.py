"""The command line, as a user meets it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from regard.cli.main import app, main
from regard.config.load import presets

RUN = CliRunner()


def test_help_lists_the_verbs() -> None:
    answer = RUN.invoke(app, ["--help"])
    assert answer.exit_code == 0
    assert "describe" in answer.output


def test_describe_lists_the_presets() -> None:
    answer = RUN.invoke(app, ["describe"])
    assert all(name in answer.output for name in presets())


@pytest.mark.parametrize("name", presets())
def test_describe_shows_axes_equations_shapes_and_parameters(name: str) -> None:
    answer = RUN.invoke(app, ["describe", name])
    assert answer.exit_code == 0, answer.output
    assert "parameters" in answer.output and "wiring" in answer.output
    if name != "sutskever":
        assert all(word in answer.output for word in ("score", "span", "weighing", "shapes"))


def test_describe_as_json_counts_the_parameters() -> None:
    answer = RUN.invoke(app, ["describe", "bahdanau", "--json", "--vocabulary", "100"])
    found = json.loads(answer.output)
    assert found["parameters"]["all"] == sum(
        count for part, count in found["parameters"].items() if part != "all"
    )
    assert found["looks"][0]["score"]["kind"] == "additive"


def test_an_error_is_one_line_and_exit_code_2(monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.argv", ["regard", "describe", "bahdanou"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert "did you mean 'bahdanau'" in capsys.readouterr().err

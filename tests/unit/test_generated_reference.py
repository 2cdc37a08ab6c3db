"""The generated pages of the site list every command, option, setting and public name."""

from __future__ import annotations

import json

import pytest

import regard
from docs.extensions.command_reference import command_reference
from docs.extensions.settings_reference import settings_reference
from regard.cli.main import COMMANDS
from regard.cli.settings import comments, config_places, section_titles
from regard.config.run import RunConfig
from regard.serve.settings import ServerSettings
from regard.studies.study_file import StudyConfig
from tests.command import run_cli, run_main
from tests.conftest import ROOT


def test_every_command_has_a_section_with_its_options() -> None:
    page = command_reference()
    for command in COMMANDS:
        assert f"## `regard {command}`" in page
    assert "### `regard key add`" in page
    assert "| `--length-penalty <float range>` |" in page
    assert "$ regard translate model/ < in.en > out.de" in page
    assert "**" not in page


def test_every_setting_has_a_row_with_bounds_and_default() -> None:
    page = settings_reference(RunConfig, "Run file")
    for config in config_places(RunConfig):
        assert f"(setting-{config.__name__})=" in page
        for name in config.model_fields.keys() - {"kind"}:
            assert f"| `{name}` |" in page
    assert "| `beam_size` | integer, ≥ 1, ≤ 1,000 | `5` |" in page
    assert "| `held_out` | number, ≥ 0, < 1 | `0.01` |" in page
    assert "`{kind: inverse-sqrt, warmup: 1000}`" in page


@pytest.mark.parametrize("root", [RunConfig, ServerSettings, StudyConfig])
def test_every_setting_is_explained(root) -> None:
    """By a description, or by a comment in the source."""
    missing = [
        f"{config.__name__}.{name}"
        for config in config_places(root)
        for name, field in config.model_fields.items()
        if name != "kind" and not (field.description or comments(config).get(name))
    ]
    assert missing == []


def test_titles_of_settings_differ() -> None:
    titles = section_titles(config_places(RunConfig)).values()
    assert len(set(titles)) == len(titles)


def test_every_public_name_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text("utf-8")
    for name in regard.__all__:
        assert f":: regard.{name}\n" in page


@pytest.mark.parametrize(
    ("of", "root"), [("run", RunConfig), ("server", ServerSettings), ("study", StudyConfig)]
)
def test_settings_are_listed_on_the_terminal(of: str, root) -> None:
    shown = run_cli(["settings", "--of", of])
    for config in config_places(root):
        for name in config.model_fields.keys() - {"kind"}:
            assert f"\n  {name}: " in shown
    lines = [json.loads(line) for line in run_cli(["settings", "--of", of, "--json"]).splitlines()]
    assert {"name", "values", "default", "meaning", "in"} == set(lines[0])


def test_a_part_of_the_settings_is_listed() -> None:
    shown = run_cli(["settings", "train.optimizer"])
    assert "rate: number, > 0, ≤ 1,000; default 0.001\n      Peak learning rate." in shown
    assert "beam_size" not in shown
    assert "steps: integer" in run_cli(["settings", "train.steps"])
    assert run_main(["settings", "train.step"]).status == 2


@pytest.mark.parametrize("page", ["commands", "settings", "api"])
def test_pages_of_the_reference_name_the_commands_that_print_them(page: str) -> None:
    """They are generated, and empty outside of the built site."""
    text = (ROOT / "docs" / "reference" / f"{page}.md").read_text("utf-8")
    assert {"commands": "`regard --help`", "settings": "`regard settings`", "api": "help("}[
        page
    ] in text

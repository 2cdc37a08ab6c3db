"""Every command, option, preset and setting that the documents name exists.

Code blocks are run by other tests; here also inline code of the text is resolved.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from regard.cli.settings import config_places
from regard.config.base import Config
from regard.config.load import presets
from regard.config.run import RunConfig
from regard.studies.study_file import StudyConfig
from tests.commands import all_commands
from tests.conftest import ROOT

PAST = ("experiments.md", "record.md", "changelog.md", "decisions")  # say what was, not what is
FOREIGN = {
    *("--no-build-isolation", "--no-deps", "--no-index", "--cov", "--cov-report", "--extra"),
    *("--proc_per_node", "--nnodes", "--nproc-per-node", "--max-restarts", "--check-format"),
    *("--standalone", "--rdzv-backend", "--rdzv-endpoint", "--user", "--mutants", "--workers"),
    *("--set", "--quick", "--slow", "--seed", "--help", "--version", "--gpus", "--publish"),
}
"""Options of programs of others, and of scripts of this project."""

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if not set(PAST) & set(page.relative_to(ROOT).parts)]
COMMANDS = dict(all_commands())
OPTIONS = {
    path: {
        option
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("-")
    }
    | {"--help"}
    for path, command in COMMANDS.items()
}
ALL_OPTIONS = set().union(*OPTIONS.values(), FOREIGN)
PRESET = re.compile(r"(translate|lm|caption)-[a-z]+(-[a-z]+)*")
SETTING = re.compile(r"(train|data|model|search)\.[a-z_]+(\.[a-z_]+)*")
FILES = re.compile(
    r"\.(bin|json|yaml|en|de|fr|jsonl|tsv|txt|md|py|align|links|safetensors)(\.gz)?$"
)


def inline_code(text: str) -> Iterator[str]:
    """The inline code of a page, and the commands of its console blocks."""
    without_blocks = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    for _, code in re.findall(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", without_blocks, re.DOTALL):
        yield " ".join(code.split())
    yield from re.findall(r"^\$ (regard .+)$", text, re.MULTILINE)


def words_of(code: str) -> list[str]:
    try:
        return shlex.split(code.split(" | ")[0].split(" > ")[0].split(" < ")[0])
    except ValueError:
        return code.split()


def check_command(code: str) -> str | None:
    """Return what is wrong with `regard COMMAND …`."""
    words = words_of(code)[1:]
    if not words or words[0].startswith("-") or words[0].isupper():
        return None
    paths = [path for path in COMMANDS if list(path) == words[: len(path)]]
    if not paths:
        groups = {path[0] for path in COMMANDS if len(path) > 1}
        return None if words[0] in groups else f"there is no command `regard {words[0]}`"
    options = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    unknown = options - OPTIONS[paths[0]]
    return f"`regard {words[0]}` has no option {', '.join(sorted(unknown))}" if unknown else None


def setting_exists(path: str) -> bool:
    """Whether a path leads to a setting of a run file or a study, through parts of any kind."""
    return any(_is_setting(root, path) for root in (RunConfig, StudyConfig))


def _is_setting(root: type[Config], path: str) -> bool:
    places = config_places(root)
    configs: list[Any] = [root]
    for name in path.split("."):
        if name == "kind":
            continue
        if not any(name in config.model_fields for config in configs):
            return False
        configs = [
            config
            for config, found in places.items()
            if any(
                place.owner in configs and place.path.rpartition(".")[2] == name for place in found
            )
        ]
    return True


def problem(code: str) -> str | None:
    """Return what is wrong with a piece of inline code; None if nothing is."""
    if code.startswith("regard "):
        return check_command(code)
    if re.match(r"--[a-z]", code):
        unknown = {
            word.partition("=")[0] for word in words_of(code) if re.match(r"--[a-z]", word)
        } - ALL_OPTIONS
        return f"no command has the option {', '.join(sorted(unknown))}" if unknown else None
    if PRESET.fullmatch(code) and code not in presets():
        return f"there is no preset {code}"
    path = code.partition("=")[0]
    if SETTING.fullmatch(path) and not FILES.search(path) and not setting_exists(path):
        return f"there is no setting {path}"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_names_in_the_text_of_a_page_exist(page: Path) -> None:
    problems = [
        f"`{code}`: {found}"
        for code in inline_code(page.read_text("utf-8"))
        if (found := problem(code)) is not None
    ]
    assert problems == []


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("regard reproduce", "no command"),
        ("regard translate --beam 4", "no option --beam"),
        ("--htlm", "no command has the option"),
        ("train.step", "no setting"),
        ("model.decoder.attention.score.head=2", "no setting"),
        ("translate-huge", "no preset"),
    ],
)
def test_names_that_do_not_exist_are_found(code: str, cause: str) -> None:
    found = problem(code)
    assert found is not None and cause in found


@pytest.mark.parametrize(
    "code",
    ["regard key add", "regard study mechanisms --show > a.yaml", "--to fr", "train.steps=4"],
)
def test_names_that_exist_are_accepted(code: str) -> None:
    assert problem(code) is None

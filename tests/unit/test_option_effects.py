"""Every option of every command changes the result, or is refused by name (see the table)."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.bundles import make_bundle, make_classifier_bundle, make_language_bundle
from tests.command import Finished, run_main
from tests.commands import all_commands
from tests.conftest import ROOT
from tests.option_effects import COMPLETE, LONG, NO_TEST, USES, Entry, Use, Words, write_inputs

PARAMETERS = {" ".join(path): command.params for path, command in all_commands()}


def command_of(use: Use) -> str:
    return next(name for name in PARAMETERS if name.split() == list(use.words[: len(name.split())]))


def test_every_parameter_of_every_command_has_an_entry() -> None:
    commands = {command_of(USES[name]) for name in COMPLETE}
    assert commands | set(LONG) == set(PARAMETERS), "add a use of the new command"
    for name in COMPLETE:
        parameters = {each.name for each in PARAMETERS[command_of(USES[name])]}
        assert set(USES[name].entries) == parameters, f"add entries for the parameters of {name}"
    for name, use in USES.items():
        known = {each.name for each in PARAMETERS[command_of(use)]}
        assert set(use.entries) <= known, name


def test_options_that_are_tested_elsewhere_are() -> None:
    """Each such option occurs in the test that the table names, except those of NO_TEST."""
    named = [
        (command_of(use), name, entry.why)
        for use in USES.values()
        for name, entry in use.entries.items()
        if entry.kind == "elsewhere"
    ]
    refused = {(command_of(use), name) for use in USES.values() for name in use.entries}
    named += [
        (command, parameter.name, path)
        for command, path in LONG.items()
        for parameter in PARAMETERS[command]
        if (command, parameter.name) not in refused
    ]
    missing = []
    for command, name, path in named:
        (parameter,) = (each for each in PARAMETERS[command] if each.name == name)
        files = sorted((ROOT / path).rglob("*.py")) if (ROOT / path).is_dir() else [ROOT / path]
        text = "".join(file.read_text("utf-8") for file in [*files, *(ROOT / "tests").glob("*.py")])
        spellings = (f'"{option}' for option in (*parameter.opts, *parameter.secondary_opts))
        python = f"{name}=" in text  # of the function that the option is passed to
        if parameter.param_type_name == "option" and not python:
            missing += [(command, name)] * (not any(each in text for each in spellings))
    assert set(missing) == NO_TEST


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two models of each kind, and a word aligner."""
    folder = tmp_path_factory.mktemp("models")
    making = folder / "making"

    def make(name: str, function, *arguments, **options) -> None:
        torch.manual_seed(len(name))
        function(*arguments, making / name / "model", **options)
        (making / name / "model").rename(folder / name)

    make("model", make_bundle, "transformer")
    make("other", make_bundle, "transformer", seed=1)
    make("multilingual", make_bundle, "transformer", pairs=[("en", "fr"), ("en", "de")])
    make("language", make_language_bundle)
    make("other-language", make_language_bundle)
    make("classifier", make_classifier_bundle, labels=("dog", "cat"))
    make("other-classifier", make_classifier_bundle, labels=("dog", "cat"))
    write_inputs(making)
    files = ("--source", str(making / "lines.en"), "--target", str(making / "lines.de"))
    run_main(["align", *files, "--save", str(folder / "aligner")])
    return folder


@pytest.fixture
def folder(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of a command."""
    for model in models.iterdir():
        if model.name != "making":
            (tmp_path / model.name).symlink_to(model)
    write_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGARD_KEY", raising=False)
    monkeypatch.delenv("REGARD_DATA", raising=False)
    return tmp_path


def run_in(folder: Path, words: Words) -> tuple[Finished, dict[str, bytes]]:
    """Run a command; return what it printed and the files that it wrote. Remove these."""
    before = set(folder.iterdir())
    done = run_main(words)
    written = {}
    for path in set(folder.iterdir()) - before:
        if path.is_dir():
            written |= {str(f.relative_to(folder)): f.read_bytes() for f in path.rglob("*.*")}
            shutil.rmtree(path)
        else:
            written[path.name] = path.read_bytes()
            path.unlink()
    return done, written


CASES = [
    pytest.param(
        use,
        name,
        use.entries[name],
        id=f"{title}-{name}",
        marks=[pytest.mark.slow] * (use.slow and use.entries[name].kind != "refused"),
    )
    for title, use in USES.items()
    for name in use.entries
    if use.entries[name].kind != "elsewhere"
]


@pytest.mark.parametrize(("use", "name", "entry"), CASES)
def test_an_option_has_an_effect_or_is_refused(
    folder: Path, use: Use, name: str, entry: Entry
) -> None:
    after, files_after = run_in(folder, entry.after(use.words))
    if entry.kind == "refused":
        assert after.status == 2, after
        (parameter,) = (each for each in PARAMETERS[command_of(use)] if each.name == name)
        named = [*parameter.opts, name.upper(), name]
        assert any(each in after.stderr for each in named), after.stderr
        assert files_after == {}
        return
    assert after.status in (0, 3), after.stderr
    before, files_before = run_in(folder, entry.before(use.words))
    assert before.status in (0, 3), before.stderr
    if entry.kind == "same":  # the same result; progress may be shown
        after, before = replace(after, stderr=""), replace(before, stderr="")
    equal = (after, files_after) == (before, files_before)
    assert equal == (entry.kind == "same"), (entry.after(use.words), after)

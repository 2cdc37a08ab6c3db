"""The command line: help, version, describe, and the options that name corpora."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import regard
from regard.cli.corpus_options import corpus_argument
from regard.cli.main import COMMANDS, HelpPanel, app, main
from regard.cli.train_minutes import PRESET_SIZES
from regard.config.load import change_config, load_config, presets
from regard.config.run import RunConfig
from regard.errors import RegardError
from regard.tasks.training import RunDirectory
from tests.commands import all_commands


def invoke(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "200", "TERM": "dumb"}).invoke(app, arguments)


def test_help_lists_the_commands() -> None:
    result = invoke("--help")
    assert result.exit_code == 0
    assert all(command in result.output for command in COMMANDS)
    assert "<bool>" not in result.output + invoke("key", "add", "--help").output


def test_the_list_of_commands_has_the_first_lines_of_their_help() -> None:
    helps = {" ".join(path): command.help for path, command in all_commands()}
    assert {name: helps[name].splitlines()[0] for name in COMMANDS} == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_a_command_has_a_help_text(command: str) -> None:
    result = invoke(command, "--help")
    assert result.exit_code == 0
    assert "<bool>" not in result.output  # of typer, for flags
    options = [line for line in result.output.splitlines() if re.match(r"[│|] [* ] *--", line)]
    assert all(re.search(r"[A-Z].*\.|\[required\]", line) for line in options), options


def test_version_is_that_of_the_package() -> None:
    result = invoke("--version")
    assert (result.exit_code, result.output) == (0, f"regard {regard.__version__}\n")


def test_the_list_of_commands_has_groups() -> None:
    output = invoke("--help").output
    titles = [panel.value for panel in HelpPanel]
    assert all(f" {title} " in output for title in titles), output
    assert " Commands " not in output  # of typer, for those without a group
    starts = [output.index(f" {title} ") for title in titles]
    assert starts == sorted(starts)


def test_the_extra_all_includes_every_light_extra_for_users() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    (included,) = extras["all"]
    names = set(included.removeprefix("regard[").removesuffix("]").split(","))
    developers = {name for name in extras if name.startswith(("dev", "test-"))}
    heavy = {"animation", "cluster", "mcp", "mlflow", "wandb"}
    assert names == set(extras) - developers - heavy - {"all", "benchmarks", "docs", "release"}


def test_describe_lists_the_presets() -> None:
    output = invoke("describe").output
    assert all(name in output for name in presets())


@pytest.mark.parametrize("name", presets())
def test_describe_shows_equations_shapes_and_parameters(name: str) -> None:
    result = invoke("describe", name)
    assert result.exit_code == 0, result.output
    assert "parameters" in result.output and "parts" in result.output
    if name != "sutskever":
        assert all(word in result.output for word in ("score", "span", "normalizer", "shapes"))


def test_describe_as_json_counts_the_parameters() -> None:
    result = invoke("describe", "bahdanau", "--json", "--vocabulary", "100")
    values = json.loads(result.output)
    assert values["parameters"]["all"] == sum(
        count for part, count in values["parameters"].items() if part != "all"
    )
    assert values["attentions"][0]["score"]["kind"] == "additive"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["sutskever"], "copied"),
        (["luong-dot"], "copied"),
        (["luong-general", "--set", "model.encoder.bidirectional=true"], "projected"),
        (["luong-dot", "--set", "model.decoder.layers=2"], "projected"),
        (["bahdanau"], "backward state"),
        (["cho"], "final state"),
        (["caption-soft"], "mean"),
        (["transformer"], None),
        (["lm-recurrent-attention"], None),
        (["han"], None),
    ],
)
def test_describe_shows_the_initial_state_of_a_decoder(arguments, name) -> None:
    values = json.loads(invoke("describe", *arguments, "--json").output)
    if name is None:
        assert values["initial_state"] is None
    else:
        assert values["initial_state"]["name"] == name
        assert values["initial_state"]["formula"] in invoke("describe", *arguments).output


def test_an_error_is_one_line_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["regard", "describe", "bahdanou"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("regard: bahdanou") and "bahdanau" in line


def test_overrides_are_applied_in_order_and_mappings_are_merged() -> None:
    base = load_config("translate-tiny")
    overrides: list[Any] = [
        {"data": {"train": [{"files": ["a=b, c: [d]", "e"]}]}, "train": {"steps": 7}},
        "train.steps=8",
    ]
    run = load_config("translate-tiny", overrides)
    assert run == change_config(base, overrides, "translate-tiny")
    assert run.data.train[0].files == ("a=b, c: [d]", "e")
    assert run.train.steps == 8
    assert run.train.model_copy(update={"steps": base.train.steps}) == base.train
    assert overrides[0]["train"] == {"steps": 7}


@pytest.fixture
def prepared_runs(monkeypatch: pytest.MonkeyPatch) -> list[RunConfig]:
    """The configs that `regard train` starts with; it stops before it prepares data."""
    runs: list[RunConfig] = []

    def record(run: RunConfig, directory: RunDirectory, report: Any, **options: Any) -> None:
        runs.append(run)
        raise KeyboardInterrupt

    monkeypatch.setattr("regard.cli.training.prepare_data", record)
    return runs


def test_a_validation_set_has_one_or_two_files(
    prepared_runs: list[RunConfig], tmp_path: Path
) -> None:
    pair = ("train", "--preset", "translate-tiny", "--source", "t.en", "--target", "t.de")
    out = ("-o", str(tmp_path))
    invoke(*pair, "--valid", "v.en", "v.de", *out)
    invoke("train", "--preset", "han", "--documents", "t.jsonl", "--valid-file", "v.jsonl", *out)
    invoke("train", "--preset", "han", "--documents", "t.tsv", "--columns", "1", "label", *out)
    two, one, named = (run.data for run in prepared_runs)
    files = [[each.files for each in (*data.train, *data.valid)] for data in (two, one)]
    assert files == [[("t.en", "t.de"), ("v.en", "v.de")], [("t.jsonl",), ("v.jsonl",)]]
    assert named.train[0].columns == (1, "label") and named.valid == ()
    for wrong in (("--valid", "v.en"), ("--valid", "v.en", "v.de", "--valid-file", "v.tsv")):
        assert invoke(*pair, *wrong).exit_code == 2
    assert len(prepared_runs) == 3


@pytest.mark.parametrize("option", [("--mix", "a", "b"), ("--mix-file", "a.tsv")])
def test_mixing_needs_new_data(prepared_runs: list[RunConfig], option: tuple[str, ...]) -> None:
    result = invoke("train", "--preset", "translate-tiny", *option)
    assert result.exit_code == 2 and "--source" in result.output
    assert not prepared_runs


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (("doctor", "q.tsv", "--columns", "en", "fr"), "no column 'en'"),
        (("prepare", "q.tsv", "--columns", "-1", "0", "-o", "out"), "no column '-1'"),
        (("doctor", "q.jsonl", "--columns", "0", "1"), "missing key 0"),
        (("doctor", "q.en", "q.fr", "--columns", "0", "1"), "no corpus is in one file"),
        (("train", "run.yaml", "--columns", "0", "1"), "no corpus is in one file"),
        (("train", "--preset", "lm-transformer", "--text", "q.en", "--columns", "0", "1"), "text"),
    ],
)
def test_columns_that_a_corpus_cannot_have_are_refused(
    arguments: tuple[str, ...], cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("q.en", "q.fr"):
        Path(name).write_text("a\n")
    Path("q.tsv").write_text("a\tb\n")
    Path("q.jsonl").write_text('{"source": "a", "target": "b"}\n')
    result = invoke(*arguments)
    error = result.exception if isinstance(result.exception, RegardError) else result.output
    assert result.exit_code == 2 or isinstance(error, RegardError), result.exception
    assert cause in str(error)


def test_columns_apply_to_the_corpora_in_one_file(
    prepared_runs: list[RunConfig], tmp_path: Path
) -> None:
    invoke(
        *("train", "--preset", "translate-tiny", "--source", "a", "--target", "b"),
        *("--valid-file", "v.tsv", "--columns", "1", "0", "-o", str(tmp_path)),
    )
    (run,) = prepared_runs
    assert run.data.train[0].columns is None
    assert [each.columns for each in run.data.valid] == [(1, 0)]


def test_mixed_data_is_weighted_by_its_size(prepared_runs: list[RunConfig], tmp_path: Path) -> None:
    for name, lines in (("new", 3), ("old", 12)):
        for side in ("en", "de"):
            (tmp_path / f"{name}.{side}").write_text("a line\n" * lines)
        (tmp_path / f"{name}.tsv").write_text("a line\ta line\n" * lines)
    new, old = (
        tuple(str(tmp_path / f"{name}.{side}") for side in ("en", "de")) for name in ("new", "old")
    )
    options = ("train", "--preset", "translate-tiny", "--source", new[0], "--target", new[1])
    options += ("-o", str(tmp_path / "run"))
    invoke(*options, "--mix", *old)
    invoke(*options, "--mix-file", str(tmp_path / "old.tsv"), "--set", "train.steps=9")
    for run in prepared_runs:
        first, mixed = run.data.train
        assert (first.files, first.weight) == (new, 1.0)
        assert mixed.weight == pytest.approx(3 / 12)
    assert prepared_runs[1].train.steps == 9


def test_the_number_of_pairs_selects_a_preset(
    prepared_runs: list[RunConfig], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [str(tmp_path / side) for side in ("train.en", "train.de")]
    for file in files:
        Path(file).write_text("a line\n" * 12)
    options = ("train", "--source", files[0], "--target", files[1], "-o", str(tmp_path / "run"))
    for most, preset in ((12, "translate-tiny"), (11, "translate-base")):
        monkeypatch.setitem(PRESET_SIZES, "translate-tiny", most)
        result = invoke(*options)
        assert f"12 training pairs: preset {preset}." in result.output
        assert prepared_runs[-1].description == load_config(preset).description


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        ((), "--preset"),
        (("--text", "a"), "--preset"),
        (("--preset", "han", "run.yaml"), "--preset"),
        (("--preset", "han", "--source", "a"), "--target"),
        (("--preset", "han", "--text", "a", "--documents", "b"), "--documents"),
        (("--preset", "han", "--mix", "a", "b", "--mix-file", "c"), "--mix-file"),
    ],
)
def test_contradictory_options_of_train_are_refused(options: tuple[str, ...], cause: str) -> None:
    result = invoke("train", *options)
    assert result.exit_code == 2
    assert cause in result.output


def test_a_corpus_is_named_after_its_first_file(tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("train.en.gz", "train.de.gz")]
    assert corpus_argument(files, None).name == "train"


def test_a_corpus_has_at_most_two_files() -> None:
    assert invoke("doctor", "a", "b", "c").exit_code == 2

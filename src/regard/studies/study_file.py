"""The file of a study: models that differ in named settings, their data, and what is measured.

All models read the same batches in the same order, so equal steps mean equal target tokens. The
first entry is the baseline. The studies of this package are such files too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from regard.config.base import Config, Count, Seed, parse_settings
from regard.config.load import read_named_text, yaml_files
from regard.config.validation import validate_settings
from regard.errors import ConfigError
from regard.studies.measures.alignment_error import AgreementMeasure, AlignmentErrorMeasure
from regard.studies.measures.corpus_scores import (
    AttentionPageMeasure,
    CostMeasure,
    ScoresByLengthMeasure,
    ScoresMeasure,
)
from regard.studies.measures.forced_attention import ForcedAttentionMeasure, HeadAblationMeasure
from regard.studies.measures.measure import Entry

BUILT_IN = files("regard.studies")


def _check_assignment(setting: Any) -> Any:
    """Refuse `a.b={kind: c}` without quotes, which YAML reads as a mapping."""
    if isinstance(setting, dict):
        text = ", ".join(f"{key}: {value}" for key, value in setting.items())
        raise PydanticCustomError("quotes", 'put the setting in quotes: "{text}"', {"text": text})
    return setting


Settings = tuple[Annotated[str, BeforeValidator(_check_assignment)], ...]
"""Assignments `a.b=value`, as for `--set`."""
Files = tuple[str, str]


class EntryConfig(Config):
    """A model: a preset, or another entry, and the settings that change it."""

    name: Annotated[str, Field(min_length=1)]  # in tables and figures
    preset: str | None = None  # a preset or a run file
    extends: str | None = None  # an earlier entry, whose preset and settings come first
    reverses: str | None = None  # an earlier entry; this one translates from target to source
    settings: Settings = ()  # assignments `a.b=value`


class MaxPairsConfig(Config):
    """The most pairs of each set. They are taken evenly from the files."""

    train: Count | None = None  # pairs for training; null: all
    valid: Count | None = 500  # models are compared on the test set, not here
    test: Count | None = None  # pairs for the comparison; null: all


class StudyDataConfig(Config):
    """Source and target files, one sentence a line; .gz, .xz and .zst are decompressed.

    Paths are relative to the directory of the study file, or to `--data`.
    """

    name: str | None = None  # studies with the same name in one --out share their runs
    folder: str = "."  # comes before the paths of the files
    train: Files  # source and target that the models are trained on
    valid: Files  # source and target that select the weights
    test: Files  # source and target that the models are compared on
    max_pairs: MaxPairsConfig = MaxPairsConfig()  # limits of the three sets
    obtain: str = ""  # where to get the files; printed when one is missing


class QuickConfig(Config):
    """What `--quick` changes. It also makes two steps only, with the first seed."""

    pairs: Count = 80  # of the training set; a tenth of it for validation and test
    settings: Settings = ()  # of all entries, after their own


StudyMeasure = Annotated[
    ScoresMeasure
    | ScoresByLengthMeasure
    | CostMeasure
    | AgreementMeasure
    | AlignmentErrorMeasure
    | AttentionPageMeasure
    | ForcedAttentionMeasure
    | HeadAblationMeasure,
    Field(discriminator="kind"),
]


class StudyConfig(Config):
    """A study: its data, its models, and what is measured."""

    title: str  # the heading of the report
    description: str = ""  # the text below the heading
    data: StudyDataConfig  # the same for all models
    settings: Settings = ()  # of all entries
    # Every entry is trained once with each seed.
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1)] = (1,)
    # The models; the first one is the baseline.
    entries: Annotated[tuple[EntryConfig, ...], Field(min_length=1)]
    # What is measured of each model, in the order of the report.
    measures: Annotated[tuple[StudyMeasure, ...], Field(min_length=1)]
    quick: QuickConfig = QuickConfig()  # what `--quick` changes


@dataclass(frozen=True, slots=True)
class Study:
    """A study file that has been read."""

    name: str
    origin: str  # the file, for error messages
    folder: Path | None  # the directory of the file; None if it is part of the package
    config: StudyConfig
    entries: tuple[Entry, ...]

    @property
    def data_name(self) -> str:
        return self.config.data.name or self.name


def built_in_studies() -> list[str]:
    """Return the names of the studies of this package, sorted."""
    return sorted(yaml_files(BUILT_IN))


def read_study_text(name: str) -> str:
    """Return the text of a study of this package or of a file."""
    return read_named_text(name, yaml_files(BUILT_IN), "built-in study")


def load_study(name: str) -> Study:
    """Load a study of this package by its name, or a file by its path.

    Raises:
        ConfigError: the file is not a study; the message names the setting.
    """
    config = validate_settings(StudyConfig, parse_settings(read_study_text(name), name), name)
    built_in = name in built_in_studies()
    entries = _resolve_entries(config, name)
    for measure in config.measures:
        measure.check(entries, name)
    return Study(
        name if built_in else _file_stem(Path(name).stem),
        name,
        None if built_in else Path(name).absolute().parent,
        config,
        entries,
    )


def _resolve_entries(config: StudyConfig, origin: str) -> tuple[Entry, ...]:
    """Resolve the entries that extend or reverse others; check the names."""
    if len(set(config.seeds)) < len(config.seeds):
        raise ConfigError(f"{origin}: seeds: a seed occurs twice.")
    resolved: dict[str, Entry] = {}
    stems: dict[str, str] = {}
    for entry in config.entries:
        if entry.name in resolved:
            raise ConfigError(f'{origin}: two entries have the name "{entry.name}". Rename one.')
        stem = _file_stem(entry.name)
        if stem in stems:
            raise ConfigError(
                f'{origin}: the entries "{stems[stem]}" and "{entry.name}" would have the same '
                f"directory, {stem}. Rename one."
            )
        stems[stem] = entry.name
        resolved[entry.name] = _resolve(entry, stem, resolved, origin)
    first = config.entries[0]
    if resolved[first.name].reversed:
        raise ConfigError(f'{origin}: entry "{first.name}" is the baseline and cannot reverse.')
    return tuple(resolved.values())


def _resolve(entry: EntryConfig, stem: str, earlier: Mapping[str, Entry], origin: str) -> Entry:
    bases = [name for name in (entry.preset, entry.extends, entry.reverses) if name is not None]
    if len(bases) != 1:
        raise ConfigError(
            f'{origin}: entry "{entry.name}" needs exactly one of `preset`, `extends` and '
            "`reverses`."
        )
    if entry.preset is not None:
        return Entry(entry.name, stem, entry.preset, entry.settings)
    (base,) = bases
    if base not in earlier:
        earlier_names = ", ".join(f'"{name}"' for name in earlier) or "none"
        raise ConfigError(
            f'{origin}: entry "{entry.name}": "{base}" is not an earlier entry. '
            f"Earlier entries: {earlier_names}."
        )
    base_entry = earlier[base]
    if base_entry.reversed and entry.reverses is not None:
        raise ConfigError(f'{origin}: entry "{entry.name}" reverses "{base}", which is reversed.')
    settings = (*base_entry.settings, *entry.settings)
    return Entry(
        entry.name, stem, base_entry.preset, settings, entry.reverses or base_entry.reverses
    )


def _file_stem(name: str) -> str:
    """Return a name without characters that are unusual in file names."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.") or "_"

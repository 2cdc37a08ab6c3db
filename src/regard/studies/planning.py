"""The runs that a study consists of, with their files and directories."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.config.load import load_config, parse_config
from regard.config.run import RunConfig
from regard.data import storage
from regard.data.formats.corpus import read_parallel
from regard.data.ownership import STUDY, check_claim, claim
from regard.errors import ConfigError, CorpusError
from regard.studies.measures.measure import Entry, StudyRun
from regard.studies.study_file import Study
from regard.tasks.base import task_for
from regard.tasks.resuming import CHANGEABLE
from regard.tasks.training import RunDirectory
from regard.tasks.translation.task import TASK

QUICK_SETTINGS = (
    *("train.steps=2", "train.validate_every=2", "train.save_every=2", "train.batch_tokens=512"),
    "search.beam_size=1",
)
LOCATED = ("data.train", "data.valid", "data.tokenizer")  # settings that name files


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """A study, and where its data are and its results go."""

    study: Study
    data: Path | None  # the directory of corpora
    out: Path
    quick: bool = False

    @property
    def folder(self) -> Path:
        """The directory of the runs."""
        return self.out / self.study.data_name

    @property
    def results(self) -> Path:
        """The directory of tables and figures."""
        return self.out / self.study.name

    @property
    def seeds(self) -> Sequence[int]:
        seeds = self.study.config.seeds
        return seeds[:1] if self.quick else seeds

    def find_file(self, path: str) -> Path:
        """Find a file that the study names: beside the study file, or in the data directory."""
        folders = [folder for folder in (self.study.folder, self.data) if folder is not None]
        candidates = [folder / path for folder in folders if (folder / path).is_file()]
        if candidates:
            return candidates[0].absolute()
        tried = " and ".join(str(folder / path) for folder in folders) or path
        advice = [f"{tried}: no such file.", self.study.config.data.obtain]
        advice.append(f"Pass the directory that contains {path} as --data.")
        raise CorpusError(" ".join(part for part in advice if part))

    def check_files(self) -> None:
        """Raise CorpusError if a file is missing."""
        for path in (file for split in self._splits().values() for file in split):
            self.find_file(path)
        for measure in self.study.config.measures:
            for path in measure.files():
                self.find_file(path)

    def _inputs(self) -> list[str]:
        """The files that the study reads."""
        named = [file for split in self._splits().values() for file in split]
        named += [path for measure in self.study.config.measures for path in measure.files()]
        return [self.study.origin, *(str(self.find_file(path)) for path in named)]

    def runs(self) -> list[StudyRun]:
        """Return all entries with the first seed, then with the next.

        Raises:
            ConfigError: a setting is invalid, the entries cannot share one preparation, or a run
                directory has other settings.
        """
        self.check_files()
        for folder in (self.folder, self.results):
            check_claim(str(folder), STUDY, self._inputs())
        for folder in (self.folder, self.results):
            claim(str(folder), STUDY)
        limits = self._limits()
        files = {
            split: self._sample(split, paths, limits[split])
            for split, paths in self._splits().items()
        }
        runs = [
            self._run(entry, seed, files) for seed in self.seeds for entry in self.study.entries
        ]
        self._check_preparation(runs)
        for run in runs:
            run.directory.check()
            _check_directory(run)
        return runs

    def _splits(self) -> dict[str, tuple[str, str]]:
        data = self.study.config.data
        return {
            split: (str(Path(data.folder, pair[0])), str(Path(data.folder, pair[1])))
            for split, pair in (("train", data.train), ("valid", data.valid), ("test", data.test))
        }

    def _limits(self) -> dict[str, int | None]:
        config = self.study.config
        if self.quick:
            pairs = config.quick.pairs
            return {"train": pairs, "valid": max(1, pairs // 10), "test": max(1, pairs // 10)}
        return config.data.max_pairs.model_dump()

    def _sample(self, split: str, paths: tuple[str, str], limit: int | None) -> tuple[str, str]:
        """Return the two files of a split; those with more pairs are sampled to new files."""
        source, target = (str(self.find_file(path)) for path in paths)
        if limit is None:
            return source, target
        sides = read_parallel(source, target)
        if len(sides[0]) <= limit:
            return source, target
        written = [self.folder / f"{split}-{limit}.{side}" for side in ("source", "target")]
        for path, lines in zip(written, sides, strict=True):
            # evenly spaced, as the file may be sorted
            sample = lines[:: -(-len(lines) // limit)]
            storage.write_bytes(str(path), "".join(f"{line}\n" for line in sample).encode())
        return str(written[0]), str(written[1])

    def _run(self, entry: Entry, seed: int, splits: dict[str, tuple[str, str]]) -> StudyRun:
        files = {
            name: (pair[1], pair[0]) if entry.reversed else pair for name, pair in splits.items()
        }
        config = self.study.config
        settings = [
            *(*config.settings, *entry.settings),
            *((*QUICK_SETTINGS, *config.quick.settings) if self.quick else ()),
            f"data.train={json.dumps([{'files': files['train']}])}",
            f"data.valid={json.dumps({'files': files['valid']})}",
            f"train.seed={seed}",
        ]
        if entry.reversed:
            settings.append(
                f"data.tokenizer={json.dumps(str(shared_preparation(self.folder).data))}"
            )
        origin = f'{self.study.origin}: entry "{entry.name}"'
        try:
            run = load_config(entry.preset, settings)
            task = task_for(run)
        except ConfigError as error:
            raise ConfigError(f"{origin}: {error}") from None
        if task is not TASK:
            raise ConfigError(
                f"{origin}: {entry.preset} does not translate texts. Use a translation model, such "
                "as translate-tiny."
            )
        directory = RunDirectory(self.folder / f"{entry.stem}-{seed}")
        return StudyRun(entry, seed, run, directory, files["test"])

    def _check_preparation(self, runs: Sequence[StudyRun]) -> None:
        """Check that all runs can use the data that are prepared for the first."""
        first, *further_runs = runs
        for run in further_runs:
            for path, base, value in _differences(first.config, run.config, ("data",)):
                raise ConfigError(
                    f'{self.study.origin}: the entries "{first.entry.name}" and '
                    f'"{run.entry.name}" differ in {path} ({base} and {value}), but all runs '
                    "share one preparation. Set it in `settings` of the study."
                )


def shared_preparation(folder: Path, *, reverse: bool = False) -> RunDirectory:
    """The directory in which the pairs are prepared once for each direction."""
    return RunDirectory(folder / ("prepared-reversed" if reverse else "prepared"))


def _check_directory(run: StudyRun) -> None:
    """Raise ConfigError if the directory of a run was written with other settings."""
    path = run.directory.path / "run.yaml"
    if not path.exists():
        return
    old = parse_config(path.read_text("utf-8"), str(path))
    sections = ("model", "data", "train", "search")
    changed = [path for path, *_ in _differences(old, run.config, sections)]
    if changed:
        raise ConfigError(
            f"{run.directory.path}: was trained with other settings: {', '.join(changed)}. Rename "
            f'the entry "{run.entry.name}", choose another --out, or delete the directory.'
        )


def _differences(
    first: RunConfig, second: RunConfig, sections: Sequence[str]
) -> list[tuple[str, Any, Any]]:
    """The settings in which two runs differ, except those that name files."""
    differences: list[tuple[str, Any, Any]] = []

    def compare(path: str, first_value: Any, second_value: Any) -> None:
        if first_value == second_value or path in (*LOCATED, *CHANGEABLE):
            return
        if isinstance(first_value, dict) and isinstance(second_value, dict):
            for key in dict.fromkeys((*first_value, *second_value)):
                compare(f"{path}.{key}", first_value.get(key), second_value.get(key))
        else:
            differences.append((path, first_value, second_value))

    first_values, second_values = (run.model_dump(mode="json") for run in (first, second))
    for section in sections:
        compare(section, first_values[section], second_values[section])
    return differences

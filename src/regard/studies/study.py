"""A study: models that differ in one respect, trained on the same pairs with the same budget.

All models read the same batches in the same order, so equal steps mean equal target tokens. Studies
of the same corpus share their runs.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from regard.config.load import load_config
from regard.config.run import RunConfig
from regard.data.formats.corpus import read_parallel
from regard.errors import CorpusError
from regard.tasks.training import RunDirectory

SAVE_EVERY = 100  # steps of a few seconds, which a killed run repeats
MAX_VALID_PAIRS = 500  # models are compared on the test set, not here


@dataclass(frozen=True, slots=True)
class Entry:
    """One model of a study: a preset and the settings that change it."""

    name: str  # in tables and figures
    preset: str
    settings: tuple[str, ...] = ()  # as for `--set`
    reversed: bool = False  # whether it translates from target to source

    @property
    def stem(self) -> str:
        """The name in file names."""
        return self.name.replace(" ", "-")


@dataclass(frozen=True, slots=True)
class ParallelCorpus:
    """A parallel corpus in the directory of corpora."""

    folder: str
    languages: tuple[str, str]
    train: str
    valid: str
    test: str
    max_pairs: int | None = None  # for training; a tenth of it for validation and test

    @property
    def name(self) -> str:
        size = "" if self.max_pairs is None else f"-{self.max_pairs}"
        return f"{self.folder}-{'-'.join(self.languages)}{size}"

    def files(self, data: Path, out: Path) -> dict[str, tuple[str, str]]:
        """The source and target file of each split; truncated splits are written to `out`."""
        tenth = None if self.max_pairs is None else self.max_pairs // 10
        return {
            "train": self._split(data, out, self.train, self.max_pairs),
            "valid": self._split(data, out, self.valid, tenth or MAX_VALID_PAIRS),
            "test": self._split(data, out, self.test, tenth),
        }

    def _split(self, data: Path, out: Path, split: str, limit: int | None) -> tuple[str, str]:
        source, target = (data / self.folder / f"{split}.{side}.gz" for side in self.languages)
        for path in (source, target):
            if not path.is_file():
                raise CorpusError(
                    f"{path}: no such file. Set --data to the directory that contains "
                    f"{self.folder}."
                )
        if limit is None:
            return str(source), str(target)
        written = [out / f"{split}.{side}" for side in self.languages]
        for path, lines in zip(written, read_parallel(str(source), str(target)), strict=True):
            # evenly spaced, as the file may be sorted
            sample = lines[:: -(-len(lines) // limit)]
            path.write_text("".join(f"{line}\n" for line in sample), "utf-8")
        return str(written[0]), str(written[1])


@dataclass(frozen=True, slots=True)
class StudyRun:
    """An entry with a seed."""

    entry: Entry
    seed: int
    config: RunConfig
    directory: RunDirectory
    test: tuple[str, str]  # files of sources and references

    @property
    def name(self) -> str:
        return f"{self.entry.name}, seed {self.seed}"

    @property
    def outputs(self) -> Path:
        return self.directory.path / "outputs.txt"

    @property
    def cost(self) -> Path:
        """The file of the run's cost. It is written last, so a run is complete if it exists."""
        return self.directory.path / "cost.json"


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a run."""

    parameters: int
    tokens: int  # predicted target tokens
    seconds: float  # in training steps
    speed: float  # target tokens per second, median over the steps
    memory: int  # peak, in bytes


@dataclass(frozen=True, slots=True)
class TrainedRun:
    """A completed run."""

    run: StudyRun
    cost: Cost

    @classmethod
    def read(cls, run: StudyRun) -> TrainedRun:
        return cls(run, Cost(**json.loads(run.cost.read_text("utf-8"))))

    @property
    def outputs(self) -> list[str]:
        """The translations of the test sources."""
        return self.run.outputs.read_text("utf-8").splitlines()


@dataclass(frozen=True, slots=True)
class Findings:
    """The results of a study."""

    facts: dict[str, object]  # written as JSON
    pages: dict[str, str]  # Markdown, SVG and HTML by file name


StatusCallback = Callable[[str], None]


class Study(ABC):
    name: str

    def __init__(self, *, quick: bool) -> None:
        self.quick = quick

    @property
    @abstractmethod
    def corpus(self) -> ParallelCorpus: ...

    @property
    @abstractmethod
    def entries(self) -> Sequence[Entry]: ...

    @property
    @abstractmethod
    def settings(self) -> Sequence[str]:
        """The settings of all entries, including the training budget."""

    @property
    def seeds(self) -> Sequence[int]:
        return (1,)

    @abstractmethod
    def analyze(
        self, trained: Sequence[TrainedRun], data: Path, on_status: StatusCallback
    ) -> Findings:
        """Evaluate the trained models. `on_status` receives a line about the current work."""


def training_budget(*, steps: int, every: int) -> list[str]:
    """Settings for `steps` steps, with a warmup of a tenth and a linear decay to zero."""
    return [
        *(f"train.steps={steps}", f"train.validate_every={every}"),
        f"train.save_every={min(every, SAVE_EVERY)}",
        f"train.schedule={{kind: linear, warmup: {max(1, steps // 10)}}}",
    ]


def study_runs(study: Study, data: Path, out: Path) -> list[StudyRun]:
    """The runs of a study: all entries with the first seed, then with the next."""
    folder = out / study.corpus.name
    folder.mkdir(parents=True, exist_ok=True)
    splits = study.corpus.files(data, folder)
    runs = []
    for seed in study.seeds:
        for entry in study.entries:
            order = slice(None, None, -1) if entry.reversed else slice(None)
            files = {name: list(sides[order]) for name, sides in splits.items()}
            settings = [
                *study.settings,
                *entry.settings,
                f"data.train={json.dumps([{'files': files['train']}])}",
                f"data.valid={json.dumps({'files': files['valid']})}",
                f"train.seed={seed}",
            ]
            if entry.reversed:
                settings.append(
                    f"data.tokenizer={json.dumps(str(shared_preparation(folder).data))}"
                )
            config = load_config(entry.preset, settings)
            directory = RunDirectory(folder / f"{entry.stem}-{seed}")
            test = files["test"][0], files["test"][1]
            runs.append(StudyRun(entry, seed, config, directory, test))
    return runs


def shared_preparation(folder: Path, *, reverse: bool = False) -> RunDirectory:
    """The directory in which the pairs are prepared once for each direction."""
    return RunDirectory(folder / ("prepared-reversed" if reverse else "prepared"))

"""A study: models that differ in one thing, taught by the same pairs for the same budget.

All of them read the same batches in the same order, so as many steps are as many target tokens.
Studies of the same pairs share their runs: what one has taught, another finds.
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

GUIDE = "guide.links"
SAVED = 100  # steps, of some seconds at the most: what a killed run has to do again
MOST_VALIDATED = 500  # pairs: models are told apart by the test, not here


@dataclass(frozen=True, slots=True)
class Entry:
    """One model of a study: what it changes of a preset."""

    name: str  # in tables and figures
    preset: str
    settings: tuple[str, ...] = ()  # as `--set` takes them
    reversed: bool = False  # it reads the targets and says the sources
    guides: tuple[str, str] | None = None  # entries, there and back, whose links guide it

    @property
    def stem(self) -> str:
        """Its name in the names of files."""
        return self.name.replace(" ", "-")


@dataclass(frozen=True, slots=True)
class ParallelCorpus:
    """Pairs of sentences in two languages, in files of the folder of corpora."""

    folder: str
    languages: tuple[str, str]
    train: str
    valid: str
    test: str
    most: int | None = None  # pairs to learn from, and a tenth of that to test, where few will do

    @property
    def name(self) -> str:
        few = "" if self.most is None else f"-{self.most}"
        return f"{self.folder}-{'-'.join(self.languages)}{few}"

    def files(self, data: Path, out: Path) -> dict[str, tuple[str, str]]:
        """Source and target of each split."""
        few = None if self.most is None else self.most // 10
        return {
            "train": self._some(data, out, self.train, self.most),
            "valid": self._some(data, out, self.valid, few or MOST_VALIDATED),
            "test": self._some(data, out, self.test, few),
        }

    def _some(self, data: Path, out: Path, split: str, most: int | None) -> tuple[str, str]:
        """A split's own files; where there are more than `most` pairs, files with some of them."""
        source, target = (data / self.folder / f"{split}.{side}.gz" for side in self.languages)
        for path in (source, target):
            if not path.is_file():
                raise CorpusError(
                    f"{path}: is not there; let --data name the folder that holds {self.folder}"
                )
        if most is None:
            return str(source), str(target)
        written = [out / f"{split}.{side}" for side in self.languages]
        for path, lines in zip(written, read_parallel(str(source), str(target)), strict=True):
            # from all parts of the file alike: it may be sorted
            some = lines[:: -(-len(lines) // most)]
            path.write_text("".join(f"{line}\n" for line in some), "utf-8")
        return str(written[0]), str(written[1])


@dataclass(frozen=True, slots=True)
class StudyRun:
    """An entry with a seed: one run, in a folder of its own."""

    entry: Entry
    seed: int
    run: RunConfig
    directory: RunDirectory
    test: tuple[str, str]  # files: what it translates when it is taught, and the references
    guides: tuple[RunDirectory, RunDirectory] | None = (
        None  # both directions, that are taught before it
    )

    @property
    def name(self) -> str:
        return f"{self.entry.name}, seed {self.seed}"

    @property
    def outputs(self) -> Path:
        return self.directory.path / "outputs.txt"

    @property
    def guide(self) -> Path | None:
        """The links by which it is guided: the same for both directions."""
        guide = self.run.train.guided_alignment
        return None if guide is None else Path(guide.links)

    @property
    def cost(self) -> Path:
        """Written last: where it is, the job is done."""
        return self.directory.path / "cost.json"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run took."""

    parameters: int
    tokens: int  # of targets, that were predicted
    seconds: float  # of steps
    speed: float  # target tokens a second, in the middle of all steps
    memory: int  # bytes, at the most


@dataclass(frozen=True, slots=True)
class TrainedRun:
    """A job that is done."""

    job: StudyRun
    cost: Cost

    @classmethod
    def read(cls, job: StudyRun) -> TrainedRun:
        return cls(job, Cost(**json.loads(job.cost.read_text("utf-8"))))

    @property
    def outputs(self) -> list[str]:
        return self.job.outputs.read_text("utf-8").splitlines()


@dataclass(frozen=True, slots=True)
class Findings:
    """What a study found: facts to compute with, pages of Markdown and pictures, by file name."""

    facts: dict[str, object]
    pages: dict[str, str]


Say = Callable[[str], None]


class Study(ABC):
    name: str

    def __init__(self, *, quick: bool) -> None:
        self.quick = quick

    @property
    @abstractmethod
    def pairs(self) -> ParallelCorpus: ...

    @property
    @abstractmethod
    def entries(self) -> Sequence[Entry]: ...

    @property
    @abstractmethod
    def settings(self) -> Sequence[str]:
        """What all entries have in common, the budget included."""

    @property
    def seeds(self) -> Sequence[int]:
        return (1,)

    @abstractmethod
    def find(self, trained: Sequence[TrainedRun], data: Path, say: Say) -> Findings:
        """What the models, all taught, show; `say` hears of whom."""


def training_budget(*, steps: int, every: int) -> list[str]:
    """Of so many steps: the rate rises in the first tenth of them, and falls to nothing."""
    return [
        *(f"train.steps={steps}", f"train.validate_every={every}"),
        f"train.save_every={min(every, SAVED)}",
        f"train.schedule={{kind: linear, warmup: {max(1, steps // 10)}}}",
    ]


def study_runs(study: Study, data: Path, out: Path) -> list[StudyRun]:
    """The runs of a study, in their order, each seed of all entries before the next."""
    folder = out / study.pairs.name
    folder.mkdir(parents=True, exist_ok=True)
    splits = study.pairs.files(data, folder)
    found = []
    for seed in study.seeds:
        homes = {
            entry.name: RunDirectory(folder / f"{entry.stem}-{seed}") for entry in study.entries
        }
        for entry in study.entries:
            turn = slice(None, None, -1) if entry.reversed else slice(None)
            files = {name: list(both[turn]) for name, both in splits.items()}
            home = homes[entry.name]
            settings = [
                *study.settings,
                *entry.settings,
                f"data.train={json.dumps([{'files': files['train']}])}",
                f"data.valid={json.dumps({'files': files['valid']})}",
                f"train.seed={seed}",
            ]
            guides = None
            if entry.reversed:
                settings.append(
                    f"data.tokenizer={json.dumps(str(shared_preparation(folder).data))}"
                )
            if entry.guides is not None:
                guides = homes[entry.guides[0]], homes[entry.guides[1]]
                settings.append(f"train.guided_alignment.links={json.dumps(str(guides[0].path / GUIDE))}")
            run = load_config(entry.preset, settings)
            test = files["test"][0], files["test"][1]
            found.append(StudyRun(entry, seed, run, home, test, guides))
    return found


def shared_preparation(folder: Path, *, turned: bool = False) -> RunDirectory:
    """Where the pairs of a folder's studies are prepared, once for each direction."""
    return RunDirectory(folder / ("prepared-turned" if turned else "prepared"))

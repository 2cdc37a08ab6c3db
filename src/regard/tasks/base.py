"""A use of models: what `regard train`, `load` and `evaluate` ask where the uses differ.

What a model is used for follows from its spec: from its kind and from what it reads. A new use is
a final class in a module of this room, named `USE` there, and a line in HOMES. Nothing else in the
house asks which use it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

from regard.bundle.bundle import Bundle
from regard.config.data import CorpusConfig, DataConfig
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import PreparationSettings, ProgressCallback
from regard.errors import ConfigError
from regard.inference.engine import EngineName
from regard.tasks.bundles import bundle_tokenizer
from regard.text.tokenizer import SentencePiece
from regard.train.events import Scores
from regard.train.module import TrainingModule
from regard.train.trainer import TrainingOutcome

TASKS: Mapping[tuple[str, str], str] = {
    ("encoder-decoder", "sentences"): "regard.tasks.translation.task",
    ("encoder-decoder", "images"): "regard.tasks.captioning.task",
    ("language-model", "nothing"): "regard.tasks.language.task",
    ("classifier", "documents"): "regard.tasks.classification.task",
}
"""Where the use of a model is at home, by the model's kind and by what it reads."""

T = TypeVar("T", bound=TrainingModule[Any])


class Task(ABC, Generic[T]):
    options: str  # of the command that name the files to learn from
    metrics: tuple[str, ...]  # that may decide which weights are the best
    supports_coverage: bool = (
        False  # whether it can be taught to look at everything (train.coverage)
    )
    supports_guide: bool = (
        False  # whether it can be taught where to look by links (train.guided_alignment)
    )

    @abstractmethod
    def corpus(self, spec: CorpusConfig, name: str) -> Corpus:
        """The files that `spec` names, as this use reads them."""

    @abstractmethod
    def preparation(self, data: DataConfig) -> PreparationSettings:
        """How corpora are prepared."""

    def prepare_extras(self, run: RunConfig, out: str, tell: ProgressCallback) -> None:
        """Prepare what lies beside the texts, where something does."""
        return

    @abstractmethod
    def make_module(self, run: RunConfig, prepared: PreparedData, tokenizer: SentencePiece) -> T:
        """What the trainer teaches: a model that knows nothing, and how good it is."""

    def environment(self, task: T) -> dict[str, Any]:
        """What a checkpoint belongs to besides the run's settings and the shards."""
        return {}

    @abstractmethod
    def build_model(self, task: T) -> Any:
        """Another model like the task's, as yet knowing nothing."""

    @abstractmethod
    def bundle_files(self, task: T, model: Any, outcome: TrainingOutcome) -> dict[str, bytes]:
        """The files of a bundle in which a trained model says what it knows of itself."""

    @abstractmethod
    def load(self, bundle: Bundle, engine: EngineName, device: str | None) -> Any:
        """The front door of a sealed model: raw strings in, answers out."""

    def evaluate(self, bundle: Bundle, corpus: Corpus) -> Scores:
        """How good a sealed model is, as training would find it, where no reference is needed."""
        raise ConfigError(
            f"{bundle.path}: is judged by its answers; say --source FILE --reference FILE"
        )

    def check_compatible(self, task: T, bundle: Bundle) -> None:
        """Refuse a sealed model that cannot go on with this task, its weights aside."""
        return

    def sizes(self, bundle: Bundle) -> VocabularySizes:
        """What only the data could say of a sealed model."""
        size = bundle_tokenizer(bundle).size
        return VocabularySizes(size, size)


def task_for(run: RunConfig) -> Task[Any]:
    home = TASKS.get((run.model.kind, run.model.reads))
    if home is None:
        raise ConfigError(
            f"model: a {run.model.kind} that reads {run.model.reads} has no use here; choose "
            "another model, or teach this one by a task of your own (docs/guides/training.md)"
        )
    found: Task[Any] = import_module(home).TASK
    return found

"""A use of models: what `regard train`, `load` and `evaluate` ask where the uses differ.

What a model is used for follows from its spec: from its kind and from what it reads. A new use is
a final class in a module of this room, named `USE` there, and a line in HOMES. Nothing else in the
house asks which use it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from regard.bundle.bundle import Bundle, unseal
from regard.data.batches.shards import Prepared
from regard.data.corpus import Corpus
from regard.data.preparation.prepare import Settings, Tell
from regard.engine.engine import EngineName
from regard.errors import SpecError
from regard.spec.data import CorpusSpec, DataSpec
from regard.spec.model import Sizes
from regard.spec.run import Run
from regard.tasks.sealed import sealed_run, sealed_tokenizer
from regard.text.tokenizer import SentencePiece
from regard.train.report import Scores
from regard.train.task import Task
from regard.train.trainer import Outcome

HOMES: Mapping[tuple[str, str], str] = {
    ("encoder-decoder", "sentences"): "regard.tasks.translation.use",
    ("encoder-decoder", "images"): "regard.tasks.captions.use",
    ("language-model", "nothing"): "regard.tasks.language.use",
    ("classifier", "documents"): "regard.tasks.documents.use",
}
"""Where the use of a model is at home, by the model's kind and by what it reads."""

T = TypeVar("T", bound=Task[Any])


class Use(ABC, Generic[T]):
    options: str  # of the command that name the files to learn from
    metrics: tuple[str, ...]  # that may decide which weights are the best
    covers: bool = False  # whether it can be taught to look at everything (train.coverage)
    guided: bool = False  # whether it can be taught where to look by links (train.guide)

    @abstractmethod
    def corpus(self, spec: CorpusSpec, name: str) -> Corpus:
        """The files that `spec` names, as this use reads them."""

    @abstractmethod
    def settings(self, data: DataSpec) -> Settings:
        """How corpora are prepared."""

    def accompany(self, run: Run, out: str, tell: Tell) -> None:
        """Prepare what lies beside the texts, where something does."""
        return

    @abstractmethod
    def begin(self, run: Run, prepared: Prepared, tokenizer: SentencePiece) -> T:
        """What the trainer teaches: a model that knows nothing, and how good it is."""

    def circumstances(self, task: T) -> dict[str, Any]:
        """What a checkpoint belongs to besides the run's settings and the shards."""
        return {}

    @abstractmethod
    def build(self, task: T) -> Any:
        """Another model like the task's, as yet knowing nothing."""

    @abstractmethod
    def tell(self, task: T, model: Any, outcome: Outcome) -> dict[str, bytes]:
        """The files of a bundle in which a trained model says what it knows of itself."""

    @abstractmethod
    def load(self, bundle: Bundle, engine: EngineName, device: str | None) -> Any:
        """The front door of a sealed model: raw strings in, answers out."""

    def measure(self, bundle: Bundle, corpus: Corpus) -> Scores:
        """How good a sealed model is, as training would find it, where no reference is needed."""
        raise SpecError(
            f"{bundle.path}: is judged by its answers; say --source FILE --reference FILE"
        )

    def must_fit(self, task: T, bundle: Bundle) -> None:
        """Refuse a sealed model that cannot go on with this task, its weights aside."""
        return

    def sizes(self, bundle: Bundle) -> Sizes:
        """What only the data could say of a sealed model."""
        size = sealed_tokenizer(bundle).size
        return Sizes(size, size)


def use_of(run: Run) -> Use[Any]:
    home = HOMES.get((run.model.kind, run.model.reads))
    if home is None:
        raise SpecError(
            f"model: a {run.model.kind} that reads {run.model.reads} has no use here; choose "
            "another model, or teach this one by a task of your own (docs/guides/training.md)"
        )
    found: Use[Any] = import_module(home).USE
    return found


def load(path: str | Path, *, engine: EngineName = "auto", device: str | None = None) -> Any:
    """Open a sealed model, whatever it is for: a `Translator`, a `Captioner`, a `Completer` …

    `engine`: what a translator translates with; see `regard.tasks.translation.translator.load`.
    """
    bundle = unseal(Path(path))
    return use_of(sealed_run(bundle)).load(bundle, engine, device)

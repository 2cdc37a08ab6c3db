"""The interface of tasks: what differs between translation, captioning and so on.

The config determines the task: the kind of the model and its input. To add a task, write a subclass
of `Task`, assign an instance to `TASK` in its module, and add the module to `TASKS`. No other code
depends on the task.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

from torch import Tensor

from regard.batch import Tokens
from regard.bundle.bundle import Bundle, bundle_tokenizers
from regard.config.data import CorpusConfig, DataConfig
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import (
    SOURCE_TOKENS,
    TARGET_TOKENS,
    BatchOrder,
    SpecialTokens,
    SubwordSampling,
)
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import PreparationSettings, ProgressCallback
from regard.errors import ConfigError
from regard.inference.engine import EngineName
from regard.text.tokenizer import Tokenizer
from regard.train.events import Scores
from regard.train.losses import TrainingModule
from regard.train.trainer import TrainingOutcome

# -- batches of prepared corpora, and decoder inputs and targets of a batch ------------------------


def make_loader(
    run: RunConfig,
    prepared: PreparedData,
    rank: int,
    world: int,
    *,
    source: SpecialTokens = SOURCE_TOKENS,
    target: SpecialTokens = TARGET_TOKENS,
    sampling: SubwordSampling | None = None,
) -> Loader:
    """Return an endless loader of the batches of one process."""
    train = run.train
    order = BatchOrder(
        train.seed,
        train.batch_tokens,
        train.micro_batches,
        source=source,
        target=target,
        mix_corpora=run.data.mix_corpora,
    )
    weights = {corpus_name(i): corpus.weight for i, corpus in enumerate(run.data.train)}
    return Loader(
        prepared.shards("train"),
        order,
        weights=weights or None,
        rank=rank,
        world=world,
        sampling=sampling,
    )


def corpus_name(index: int) -> str:
    """Return the name of a training corpus in shards and weights, by its index in the config."""
    return "train" if index == 0 else f"train{index + 1}"


def valid_name(index: int) -> str:
    """Return the name of a validation corpus in shards, by its index in the config."""
    return "valid" if index == 0 else f"valid{index + 1}"


def left_out(too_long: int) -> str:
    """Return the part of a run's plan on validation data that exceed data.max_length."""
    return f", {too_long:,} longer than data.max_length left out" if too_long else ""


def shift_target(target: Tokens) -> tuple[Tensor, Tokens]:
    """Split `<s> y </s>` into the decoder's input `<s> y` and the targets `y </s>`."""
    assert target.lengths is not None
    return target.ids[:, :-1], Tokens(target.ids[:, 1:], target.lengths - 1)


# -- base ------------------------------------------------------------------------------------------


TASKS: Mapping[tuple[str, str], str] = {
    ("encoder-decoder", "sentences"): "regard.tasks.translation.task",
    ("encoder-decoder", "images"): "regard.tasks.captioning.task",
    ("language-model", "nothing"): "regard.tasks.language.task",
    ("classifier", "documents"): "regard.tasks.classification.task",
}
"""Module of each task, by the kind of the model and its input."""

T = TypeVar("T", bound=TrainingModule[Any])


class Task(ABC, Generic[T]):
    """Everything that depends on the task: data, training module, model bundle, scores."""

    options: str  # command line options that name the training files, for error messages
    metrics: tuple[str, ...]  # scores that may select the best weights
    supports_coverage: bool = False  # train.coverage
    supports_guide: bool = False  # train.guided_alignment
    supports_tags: bool = False  # languages and tags of corpora, several validation corpora
    supports_separate_tokenizers: bool = False  # of source and target
    supports_comparison: bool = False  # scores before and after fine-tuning: --test, --general

    @abstractmethod
    def corpus(self, config: CorpusConfig, name: str) -> Corpus:
        """Return the corpus that `config` describes."""

    @abstractmethod
    def preparation(self, data: DataConfig) -> PreparationSettings:
        """Return the settings of corpus preparation."""

    def check_extras(self, run: RunConfig) -> None:
        """Raise an error if `prepare_extras` or the settings of corpora would fail later."""
        return

    def prepare_extras(
        self, run: RunConfig, prepared: PreparedData, on_progress: ProgressCallback
    ) -> None:
        """Prepare data besides texts, such as images, in the directory of the prepared texts."""
        return

    @abstractmethod
    def make_module(self, run: RunConfig, prepared: PreparedData, tokenizer: Tokenizer) -> T:
        """Return the training module, with an untrained model.

        `tokenizer`: of the source. A separate tokenizer of the target is with the prepared data.
        """

    def environment(self, run: RunConfig, prepared: PreparedData) -> dict[str, object]:
        """Return facts of the prepared extras that must not change when a run resumes."""
        return {}

    @abstractmethod
    def build_model(self, module: T) -> Any:
        """Build an untrained copy of the module's model."""

    @abstractmethod
    def bundle_files(self, module: T, model: Any, outcome: TrainingOutcome) -> dict[str, bytes]:
        """Return the task's files of a model bundle, such as calibration data and model card."""

    @abstractmethod
    def load(self, bundle: Bundle, engine: EngineName, device: str | None) -> Any:
        """Load a model bundle as an object that takes raw input, such as a `Translator`."""

    def evaluate(self, bundle: Bundle, corpus: Corpus) -> Scores:
        """Score a model bundle on a corpus, as validation does."""
        raise ConfigError(
            f"{bundle.path}: a translation model is evaluated with --source FILE --reference FILE."
        )

    def check_compatible(self, module: T, bundle: Bundle) -> None:
        """Raise `ArtifactError` if `bundle` cannot be fine-tuned on the module's data."""
        return

    def sizes(self, bundle: Bundle) -> VocabularySizes:
        """Return the vocabulary sizes of a model bundle."""
        source, target = bundle_tokenizers(bundle)
        return VocabularySizes(source.size, target.size)


def task_for(run: RunConfig) -> Task[Any]:
    """Return the task of a run.

    Raises:
        ConfigError: no task has such a model.
    """
    name = TASKS.get((run.model.kind, run.model.reads))
    if name is None:
        raise ConfigError(
            f"model: no task trains a {run.model.kind} that reads {run.model.reads}. Choose "
            "another model, or write a task (docs/guides/training.md)."
        )
    task: Task[Any] = import_module(name).TASK
    return task

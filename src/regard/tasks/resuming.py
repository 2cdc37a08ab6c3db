"""Check that settings and data are unchanged when a run resumes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus
from regard.data.loading.shards import PreparedData, shards_fingerprint
from regard.data.preparation.prepare import PreparationSettings, input_facts, prepared_facts
from regard.errors import ArtifactError
from regard.tasks.base import task_for
from regard.train import checkpoint
from regard.train.trainer import AcceptChanges, accepts, cannot_resume

CHANGEABLE = ("train.save_every", "train.parallel", "train.performance", "train.max_loss_rise")
"""Settings that may change when a run resumes. The trainer checks the precision itself."""


def check_resumable(
    run: RunConfig,
    path: Path,
    data: Path,
    corpora: Sequence[Corpus],
    settings: PreparationSettings,
    valid: Sequence[Corpus],
    accept_changes: AcceptChanges,
) -> None:
    """Refuse another run than that of the checkpoint `path`, before its `data` are replaced.

    Data are compared by their settings and the sizes of their files.
    """
    expected = setting_facts(run)
    expected.pop("train.guided_alignment.links", None)  # compared by content, when it is read
    changed = checkpoint.changed_environment(path, expected)
    facts, saved = input_facts(corpora, settings, valid), prepared_facts(str(data))
    changed_data = {
        name: f"data.{name} was {saved[name]} and is {value}"
        for name, value in facts.items()
        if name in saved and saved[name] != value
    }
    other_data = [text for name, text in changed_data.items() if name != "valid"]
    mixed = checkpoint.inspect_checkpoint(path)["environment"].get("data.mix_corpora")
    if mixed is not None and mixed != run.data.mix_corpora:  # the order of the pairs
        other_data.append(f"data.mix_corpora was {mixed} and is {run.data.mix_corpora}")
    if other_data:
        raise _other_data(path, other_data)
    if any(not accepts(accept_changes, name) for name in (*changed, *changed_data)):
        raise cannot_resume(path, {**changed, **changed_data})


def check_same_data(
    run: RunConfig, path: Path, data: Path, new: PreparedData, accept_changes: AcceptChanges
) -> None:
    """Refuse `new` data whose content differs from what the run of a checkpoint was trained on."""
    saved = checkpoint.inspect_checkpoint(path)["environment"]
    if "training data" not in saved:  # a checkpoint of version 0.2
        saved = {**data_facts(run, PreparedData.open(str(data))), **saved}
    changed = {
        name: f"{name} was {saved.get(name)} and is {value}"
        for name, value in data_facts(run, new).items()
        if saved.get(name) != value
    }
    if any(not accepts(accept_changes, name) for name in changed):
        raise cannot_resume(path, changed)


def _other_data(path: Path, changes: Iterable[str]) -> ArtifactError:
    return ArtifactError(
        f"{path}: the run was trained on other data: {'; '.join(changes)}. Restore the original "
        "data and settings, or choose another --out."
    )


def data_facts(run: RunConfig, prepared: PreparedData) -> dict[str, object]:
    """Return what identifies prepared data, independent of their location."""
    return {
        "training data": shards_fingerprint(prepared.shards("train"))[:12],
        "tokenizer": prepared.tokenizer[:12],
        "validation set": shards_fingerprint(prepared.shards("valid"))[:12],
        "data.train.weight": [corpus.weight for corpus in run.data.train],
        "data.mix_corpora": run.data.mix_corpora,
        **task_for(run).environment(run, prepared),
    }


def setting_facts(run: RunConfig) -> dict[str, object]:
    """Return the settings that must not change when a run resumes, by their path."""
    settings: dict[str, object] = {}

    def walk(path: str, value: Any) -> None:
        if path in CHANGEABLE:
            return
        if isinstance(value, dict):
            for name, item in value.items():
                walk(f"{path}.{name}", item)
        else:
            settings[path] = value

    for section in ("model", "train", "search"):
        walk(section, run.model_dump(mode="json")[section])
    return settings

"""The word aligner of prepared data belongs to their pairs, whatever was prepared there before."""

from __future__ import annotations

from pathlib import Path

import pytest

from regard.align.word_aligner import ALIGNER_FILE
from regard.data.formats.corpus import ParallelFiles
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import PreparationSettings, prepare_corpora
from regard.data.preparation.runner import InProcessRunner
from regard.errors import CorpusError
from regard.tasks.translation import aligner as prepared_aligner
from regard.tasks.translation.aligner import prepare_aligner, read_prepared_aligner
from tests.bundles import LINES


def prepare(folder: Path, lines: list[str]) -> PreparedData:
    for name in ("a", "b"):
        text = "".join(f"{name} {line} {n}\n" for n, line in enumerate(lines * 20))
        (folder / name).write_text(text)
    settings = PreparationSettings(vocabulary=300, dedupe="none")
    corpus = ParallelFiles(str(folder / "a"), str(folder / "b"), name="train")
    return prepare_corpora([corpus], str(folder / "data"), settings, InProcessRunner())


def test_an_aligner_of_other_pairs_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its training fails, or is left out, after the data have changed."""
    prepared = prepare(tmp_path, LINES)
    prepare_aligner(prepared, None, lambda progress: None)
    assert read_prepared_aligner(prepared) is not None
    old = (tmp_path / "data" / ALIGNER_FILE).read_bytes()

    changed = prepare(tmp_path, LINES[:3])
    (tmp_path / "data" / ALIGNER_FILE).write_bytes(old)
    assert read_prepared_aligner(changed) is None

    def fail(*arguments: object, **options: object) -> None:
        raise CorpusError("no words")

    with monkeypatch.context() as failing:
        failing.setattr(prepared_aligner, "train_aligner", fail)
        prepare_aligner(changed, None, lambda progress: None)
    assert read_prepared_aligner(changed) is None
    prepare_aligner(changed, None, lambda progress: None)
    assert read_prepared_aligner(changed) is not None

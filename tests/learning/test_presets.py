"""Every preset that translates trains from its own defaults: `scripts/test -m learning`.

Its optimiser, rate, schedule, warm-up, smoothing, clipping and dropout are its own; the model is
narrowed and the batch is cut to what a toy task needs.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from regard.config.load import load_config, validate_config
from regard.data.loading.shards import PreparedData
from regard.tasks.training import RunDirectory, prepare_data
from regard.tasks.translation.module import TranslationModule, read_valid
from regard.text.tokenizer import SentencePiece
from regard.train.trainer import Trainer
from tests.tiny_models import TRANSLATORS
from tests.toy_corpus import WORDS

pytestmark = pytest.mark.learning

NARROW = {"dim": 64, "embedding_dim": 64, "hidden_dim": 128, "layers": 2, "heads": 4}
STEPS, TOKENS = 3_000, 1_024


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Numbers in words, none twice, to be said aloud: what a moving window can do too."""
    folder, chance = tmp_path_factory.mktemp("copy"), random.Random(1)
    for name, pairs in (("train", 20_000), ("valid", 200)):
        lines = [" ".join(chance.sample(WORDS, k=chance.randint(2, 5))) for _ in range(pairs)]
        text = "\n".join(lines) + "\n"
        (folder / f"{name}.a").write_text(text)
        (folder / f"{name}.b").write_text(text.upper())
    return folder


def narrowed(settings: Any) -> Any:
    if not isinstance(settings, dict):
        return settings
    return {
        key: min(value, NARROW[key]) if key in NARROW and value else narrowed(value)
        for key, value in settings.items()
    }


@pytest.mark.parametrize("preset", TRANSLATORS)
def test_every_preset_that_translates_learns_by_its_own_defaults(
    preset: str, corpus: Path, tmp_path: Path
) -> None:
    own = load_config(
        preset,
        [
            f'data.train=[{{files: ["{corpus}/train.a", "{corpus}/train.b"]}}]',
            f'data.valid={{files: ["{corpus}/valid.a", "{corpus}/valid.b"]}}',
            *("data.vocabulary=330", "data.dedupe=none", "search.beam_size=1"),
            *(f"train.batch_tokens={TOKENS}", "train.micro_batches=1", f"train.steps={STEPS}"),
            *(f"train.validate_every={STEPS}", f"train.save_every={STEPS}"),
        ],
    ).model_dump(mode="json")
    run = validate_config({**own, "model": narrowed(own["model"])}, preset)
    home = RunDirectory(tmp_path)
    prepare_data(run, home, lambda progress: None)
    assert run.data.valid is not None
    valid = read_valid(run.data.valid.build("valid"))
    tokenizer = SentencePiece.load(home.data)
    task = TranslationModule(run, PreparedData.open(str(home.data)), tokenizer, valid)
    Trainer(task, run.train.build(), home.path).run()
    found = task.translator(task.model).translate(valid.sources)
    said = [translation.text.split() for translation in found]
    meant = [target.split() for target in valid.targets]
    right = sum(
        a == b for s, m in zip(said, meant, strict=True) for a, b in zip(s, m, strict=False)
    )
    words = sum(max(len(s), len(m)) for s, m in zip(said, meant, strict=True))
    print(f"{preset}: {right / words:.4f}")
    assert right / words >= 0.99

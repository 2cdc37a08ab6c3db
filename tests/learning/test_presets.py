"""Every preset that translates trains from its own defaults: `scripts/test -m learning`.

Optimizer, rate, schedule, warmup, smoothing, clipping and dropout are those of the preset. The
model and the batch are reduced to the size of a toy task.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from regard.config.load import load_config, validate_config
from regard.data.loading.shards import PreparedData
from regard.tasks.training import RunDirectory, prepare_data
from regard.tasks.translation.pairs import read_valid
from regard.tasks.translation.task import TranslationModule
from regard.text.tokenizer import SentencePiece
from regard.train.trainer import Trainer
from tests.tiny_models import TRANSLATORS
from tests.toy_corpus import WORDS

pytestmark = pytest.mark.learning

REDUCED = {"dim": 64, "embedding_dim": 64, "hidden_dim": 128, "layers": 2, "heads": 4}
STEPS, TOKENS = 3_000, 1_024


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Number words, each at most once, to be copied in upper case, which local spans can do too."""
    folder, draw = tmp_path_factory.mktemp("copy"), random.Random(1)
    for name, pairs in (("train", 20_000), ("valid", 200)):
        lines = [" ".join(draw.sample(WORDS, k=draw.randint(2, 5))) for _ in range(pairs)]
        text = "\n".join(lines) + "\n"
        (folder / f"{name}.a").write_text(text)
        (folder / f"{name}.b").write_text(text.upper())
    return folder


def reduce_sizes(settings: Any) -> Any:
    if not isinstance(settings, dict):
        return settings
    return {
        key: min(value, REDUCED[key]) if key in REDUCED and value else reduce_sizes(value)
        for key, value in settings.items()
    }


@pytest.mark.parametrize("preset", TRANSLATORS)
def test_a_translation_preset_learns_with_its_defaults(
    preset: str, corpus: Path, tmp_path: Path
) -> None:
    settings = load_config(
        preset,
        [
            f'data.train=[{{files: ["{corpus}/train.a", "{corpus}/train.b"]}}]',
            f'data.valid={{files: ["{corpus}/valid.a", "{corpus}/valid.b"]}}',
            *("data.vocabulary=330", "data.dedupe=none", "search.beam_size=1"),
            *(f"train.batch_tokens={TOKENS}", "train.micro_batches=1", f"train.steps={STEPS}"),
            *(f"train.validate_every={STEPS}", f"train.save_every={STEPS}"),
        ],
    ).model_dump(mode="json")
    run = validate_config({**settings, "model": reduce_sizes(settings["model"])}, preset)
    directory = RunDirectory(tmp_path)
    prepare_data(run, directory, lambda progress: None)
    assert run.data.valid is not None
    valid = read_valid(run.data)
    tokenizer = SentencePiece.load(directory.data)
    module = TranslationModule(run, PreparedData.open(str(directory.data)), tokenizer, valid)
    Trainer(module, run.train.build(), directory.path).run()
    found = module.translator(module.model).translate(valid.sources)
    outputs = [translation.text.split() for translation in found]
    references = [target.split() for target in valid.targets]
    pairs = list(zip(outputs, references, strict=True))
    right = sum(a == b for pair in pairs for a, b in zip(*pair, strict=False))
    words = sum(max(map(len, pair)) for pair in pairs)
    print(f"{preset}: {right / words:.4f}")
    assert right / words >= 0.99

"""Make the golden models: `python -m tests.golden.make`.

Each format of bundles has a folder of its own. One that is there is never written again: what it
holds must load and translate as recorded, for ever.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from regard.bundle.manifest import FORMAT
from regard.cli.main import app
from regard.translator import load
from tests.toy import RECURRENT, TRANSFORMER, make_toy

HOME = Path(__file__).parent.resolve() / f"format-{FORMAT}"
MODELS = {"transformer": TRANSFORMER, "recurrent": RECURRENT}
SETTINGS = (
    *("model.encoder.dropout=0", "model.decoder.dropout=0", "train.ema=0", "search.beam=4"),
    *("train.optimizer.rate=0.01", "train.schedule.warmup=50"),
    *("train.steps=600", "train.validate_every=200"),
)
SOURCES = [
    "one two three",
    "nine",
    "seven seven four zero one",
    "two three four five six seven eight",
    "",
    "  eight\tfive  ",
    "One, two? Zürich 2024!",
    "六 seven",
    "four five. six seven. " * 8,
]


def main() -> None:
    if HOME.exists():
        sys.exit(f"{HOME}: is there and stays as it is; another format gets another folder")
    with TemporaryDirectory() as folder:
        os.chdir(folder)  # so that a run names its corpora without saying whose they are
        toy = make_toy(Path())
        for name, preset in MODELS.items():
            home = toy.home(name)
            app(toy.arguments(preset, home, *SETTINGS), standalone_mode=False)
            shutil.copytree(home.model, HOME / name / "model")
            said = load(HOME / name / "model", engine="torch", device="cpu").translate(SOURCES)
            expected = [
                {"source": one.source, "text": one.text, "score": round(one.score, 4)}
                for one in said
            ]
            text = json.dumps(expected, indent=1, ensure_ascii=False) + "\n"
            (HOME / name / "expected.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()

"""Make the golden models: `python -m tests.golden.make`.

Each format of bundles has a folder of its own. A model that is there is never written again,
from the first release on: it must load and answer as recorded, for ever.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from regard.bundle.manifest import FORMAT
from regard.cli.main import app
from regard.tasks.base import load
from tests import captioned_images as shown
from tests import labelled_documents as judged
from tests import plain_texts as prose
from tests.toy_corpus import RECURRENT, TRANSFORMER, make_toy

HOME = Path(__file__).parent.resolve() / f"format-{FORMAT}"
MODELS = {"transformer": TRANSFORMER, "recurrent": RECURRENT}
SETTINGS = (
    *("model.encoder.dropout=0", "model.decoder.dropout=0", "train.ema=0", "search.beam_size=4"),
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


LONGER = ("train.steps=1000", "train.validate_every=250", "train.coverage=0")
PROMPTS = ["one two three", "nine", "", "seven eight nine zero", "Zürich 2024 六"]
DOCUMENTS = [
    "One two. Three good four. Five six.",
    "Seven eight nine.\n\nZero bad one!",
    "Two three four.",
    "",
    "Zürich 2024 六。 <b>One bad</b> & two?",
]


def main() -> None:
    with TemporaryDirectory() as folder:
        os.chdir(folder)  # so that a run names its corpora without saying whose they are
        make_translators()
        make_completer()
        make_labeller()
        make_captioner()


def make_completer() -> None:
    if (HOME / "language").exists():
        return
    prose.make_prose(Path())
    model = train(prose.arguments(Path(), "lm-transformer", Path("a"), "train.steps=300"), "a")
    completer = load(model, device="cpu")
    found = completer.complete(PROMPTS, most=12)
    seal(
        "language",
        model,
        [{"prompt": p, "text": f.text} for p, f in zip(PROMPTS, found, strict=False)],
        nll=[round(completer.perplexity([prompt]).nll, 3) for prompt in PROMPTS],
    )


def make_labeller() -> None:
    if (HOME / "documents").exists():
        return
    judged.make_judged(Path())
    model = train(judged.arguments(Path(), Path("b"), "train.steps=100"), "b")
    found = load(model, device="cpu").classify(DOCUMENTS)
    seal(
        "documents",
        model,
        [
            {"text": one.text, "label": one.label, "probability": round(one.probability, 4)}
            for one in found
        ],
    )


def make_captioner() -> None:
    if (HOME / "captions").exists():
        return
    shown.make_shown(Path())
    model = train(shown.arguments(Path(), "caption-soft", Path("c"), *LONGER), "c")
    shutil.copytree("valid", HOME / "captions" / "images")
    images = sorted((HOME / "captions" / "images").iterdir())
    found = load(model, device="cpu").caption(images)
    seal(
        "captions",
        model,
        [
            {"image": image.name, "text": one.text, "score": round(one.score, 4)}
            for image, one in zip(images, found, strict=True)
        ],
    )


def train(arguments: list[str], out: str) -> Path:
    app(arguments, standalone_mode=False)
    return Path(out) / "model"


def seal(name: str, model: Path, said: list[dict[str, object]], **more: object) -> None:
    shutil.copytree(model, HOME / name / "model")
    text = json.dumps({"said": said, **more}, indent=1, ensure_ascii=False) + "\n"
    (HOME / name / "said.json").write_text(text, "utf-8")


def make_translators() -> None:
    missing = {name: preset for name, preset in MODELS.items() if not (HOME / name).exists()}
    if missing:
        toy = make_toy(Path())
        for name, preset in missing.items():
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

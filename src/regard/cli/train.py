"""`regard train`: from files of text to a sealed model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.corpus_options import Sides, sides_of

if TYPE_CHECKING:
    from regard.bundle.bundle import Bundle
    from regard.config.run import RunConfig
    from regard.tasks.training import RunDirectory
    from regard.train.events import EventHandler


def train(
    run: Annotated[str | None, typer.Argument(help="A run file.")] = None,
    preset: Annotated[str | None, typer.Option(help="Settings to begin with.")] = None,
    source: Annotated[str | None, typer.Option(help="Sentences, one a line.")] = None,
    target: Annotated[str | None, typer.Option(help="Their translations.")] = None,
    text: Annotated[
        str | None, typer.Option(help="For a language model: a text or a paragraph a line.")
    ] = None,
    documents: Annotated[
        str | None, typer.Option(help="For a classifier: .tsv (label, text) or .jsonl.")
    ] = None,
    images: Annotated[
        str | None, typer.Option(help="For a captioner: .jsonl with `image` and `caption`.")
    ] = None,
    sides: Sides = None,
    valid: Annotated[
        tuple[str, str] | None,
        typer.Option(help="The same to validate on: source and target, or one file."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder of the run.")] = Path("run"),
    from_: Annotated[
        Path | None, typer.Option("--from", help="A sealed model to go on teaching.")
    ] = None,
    mix: Annotated[
        tuple[str, str] | None,
        typer.Option(help="With --from: old files of the same kind, read as often as the new."),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Change a setting: train.steps=4000.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes on this machine.")] = 1,
    threads: Annotated[int | None, typer.Option(min=1, help="Of each process.")] = None,
    accept_changes: Annotated[
        bool, typer.Option("--accept-changes", help="Go on although something is not as it was.")
    ] = False,
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Write curves there.")] = False,
    mlflow: Annotated[bool, typer.Option("--mlflow", help="Tell MLflow.")] = False,
    wandb: Annotated[bool, typer.Option("--wandb", help="Tell Weights & Biases.")] = False,
) -> None:
    """Train a model and seal the best of it; the same command goes on where it stopped.

    Examples: regard train --preset translate-tiny --source train.en --target train.de
    --valid val.en val.de --out run/; regard train --preset lm-transformer --text novel.txt
    --out run/; regard train --preset han --documents train.jsonl --valid dev.jsonl --out run/;
    regard train --preset caption-soft --images captions.jsonl --valid valid.jsonl --out run/
    """
    from regard.bundle.bundle import open_bundle
    from regard.cli.prepare import show_preparation
    from regard.cli.progress import show_progress
    from regard.tasks.training import RunDirectory, prepare_data
    from regard.tasks.training import train_run as train_
    from regard.train.distributed import join_world, launch, launched_by_torchrun

    bundle = None if from_ is None else open_bundle(from_)
    named = _named(source, target, text, documents, images)
    plain = _run(run, preset, bundle, [], set_ or [])
    data = _corpora(plain, named, [] if sides is None else sides_of(sides), valid, mix)
    chosen = _run(run, preset, bundle, data, set_ or [])
    home = RunDirectory(out)
    if workers > 1 and not launched_by_torchrun():
        with show_preparation() as tell:
            prepare_data(chosen, home, tell)
        launch(workers, "regard", sys.argv[1:])
        return
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
    with join_world() as world:
        if world.is_main:
            with show_preparation() as tell:
                prepare_data(chosen, home, tell)
        world.wait()
        with show_progress() as shown:
            told = [shown, *_observers(home, tensorboard, mlflow, wandb)] if world.is_main else []
            outcome = train_(
                chosen,
                home,
                world,
                loggers=told,
                initial=bundle,
                accept_changes=accept_changes,
            )
    if world.is_main and outcome.complete:
        print(home.model)


def _named(
    source: str | None,
    target: str | None,
    *alone: str | None,  # one file that holds all
) -> list[str]:
    """The files to learn from, whichever options named them."""
    if (source is None) != (target is None):
        raise typer.BadParameter("--source and --target go together")
    ways = [[source, target], *([file] for file in alone)]
    said = [[file for file in files if file is not None] for files in ways if any(files)]
    if len(said) > 1:
        raise typer.BadParameter("say one of: --source and --target, --text, --documents, --images")
    return said[0] if said else []


def _corpora(
    run: RunConfig,
    files: list[str],
    sides: list[int | str],
    valid: tuple[str, str] | None,
    mix: tuple[str, str] | None,
) -> list[str]:
    """What the options say of the data, as overrides of the run."""
    from regard.tasks.base import task_for

    keys = {"sides": sides} if sides else {}

    def count(corpus: list[str]) -> int:
        from regard.config.data import CorpusConfig
        from regard.data.formats.corpus import read_blocks

        spec = CorpusConfig.model_validate({"files": corpus, **keys})
        return sum(len(block) for block in read_blocks(task_for(run).corpus(spec, "mix"), 1 << 16))

    said = []
    if files:
        corpora: list[dict[str, Any]] = [{"files": files, **keys}]
        if mix is not None:
            old = [file for file in mix if file]
            weight = count(files) / max(1, count(old))
            corpora.append({"files": old, "weight": weight, **keys})
        said.append(f"data.train={json.dumps(corpora)}")
    if valid is not None:
        named = {"files": [file for file in valid if file], **keys}
        said.append(f"data.valid={json.dumps(named)}")
    return said


def _run(
    file: str | None, preset: str | None, bundle: Bundle | None, data: list[str], set_: list[str]
) -> RunConfig:
    from regard.config.load import load_config
    from regard.tasks.bundles import bundle_config
    from regard.tasks.training import fine_tuning_overrides

    named = [name for name in (file, preset) if name is not None]
    if len(named) + (bundle is not None) != 1:
        raise typer.BadParameter("say one of: a run file, --preset NAME, --from MODEL")
    if bundle is not None:
        return bundle_config(bundle, [*fine_tuning_overrides(bundle), *data, *set_])
    return load_config(named[0], [*data, *set_])


def _observers(
    home: RunDirectory, tensorboard: bool, mlflow: bool, wandb: bool
) -> list[EventHandler]:
    """Those who write down what happens; each goes on where the last checkpoint was made."""
    after = home.last_step
    observers: list[EventHandler] = [home.journal()]
    if tensorboard:
        from regard.train.loggers.tensorboard import TensorBoardLogger

        observers.append(TensorBoardLogger(home.path / "tensorboard", after=after))
    if mlflow:
        from regard.train.loggers.mlflow import MLflowLogger

        observers.append(MLflowLogger(home.path, after=after))
    if wandb:
        from regard.train.loggers.wandb import WandbLogger

        observers.append(WandbLogger(home.path, after=after))
    return observers

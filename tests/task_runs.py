"""A toy corpus and a preset for each task except translation."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

from regard.config.load import load_config
from regard.tasks.training import RunDirectory, prepare_data
from tests.captioned_images import ImageToy, write_images
from tests.labelled_documents import DocumentToy, write_documents
from tests.plain_texts import TextToy, write_texts
from tests.toy_corpus import Toy

TASKS: dict[str, tuple[str, Callable[[Path], Toy]]] = {
    "captioning": ("caption-soft", lambda folder: ImageToy(write_images(folder))),
    "language": ("lm-transformer", lambda folder: TextToy(write_texts(folder))),
    "classification": ("han", lambda folder: DocumentToy(write_documents(folder))),
}


def make_task_toy(task: str, folder: Path) -> tuple[Toy, str]:
    """Return a toy with prepared data, and its preset."""
    preset, make = TASKS[task]
    toy = make(folder)
    directory = RunDirectory(folder / "prepared")
    arguments = toy.arguments(preset, directory)
    settings = [value for flag, value in itertools.pairwise(arguments) if flag == "--set"]
    file, valid = (arguments[arguments.index(flag) + 1] for flag in (arguments[3], "--valid-file"))
    corpora = [f'data.train=[{{files: ["{file}"]}}]', f'data.valid={{files: ["{valid}"]}}']
    prepare_data(load_config(preset, [*corpora, *settings]), directory, lambda progress: None)
    return toy, preset

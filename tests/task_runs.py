"""A toy for each use of a model besides translation, and the preset that is taught by it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

from regard.config.load import load_config
from regard.tasks.training import RunDirectory, prepare_data
from tests import captioned_images as shown
from tests import labelled_documents as judged
from tests import plain_texts as prose
from tests.toy_corpus import Toy

USES: dict[str, tuple[str, Callable[[Path], Toy]]] = {
    "captions": ("caption-soft", lambda folder: shown.Shown(shown.make_shown(folder))),
    "language": ("lm-transformer", lambda folder: prose.Prose(prose.make_prose(folder))),
    "documents": ("han", lambda folder: judged.Judged(judged.make_judged(folder))),
}


def make_use(name: str, folder: Path) -> tuple[Toy, str]:
    """The toy, its data prepared, and the preset."""
    preset, make = USES[name]
    toy = make(folder)
    home = RunDirectory(folder / "prepared")
    said = toy.arguments(preset, home)
    settings = [value for flag, value in itertools.pairwise(said) if flag == "--set"]
    file, valid = (said[said.index(flag) + 1] for flag in (said[3], "--valid-file"))
    named = [f'data.train=[{{files: ["{file}"]}}]', f'data.valid={{files: ["{valid}"]}}']
    prepare_data(load_config(preset, [*named, *settings]), home, lambda progress: None)
    return toy, preset

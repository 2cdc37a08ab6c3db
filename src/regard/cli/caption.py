"""`regard caption`: describe images."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from regard.cli.options import BeamSize, JsonLines, NBest
from regard.cli.outputs import to_line
from regard.tasks.captioning.captioner import load_captioner


def caption(
    model: Annotated[Path, typer.Argument(help="A captioning model bundle.")],
    images: Annotated[list[str], typer.Argument(help="PNG, JPEG or WebP files.")],
    beam_size: BeamSize = None,
    n_best: NBest = 1,
    as_json: JsonLines = False,
) -> None:
    """Print a caption for each image, one per line.

    Example: regard caption run/model photo.jpg
    """
    captioner = load_captioner(model)
    options = captioner.options
    if beam_size is not None:
        options = replace(options, beam_size=beam_size)
    for result in captioner.caption(images, options, n_best=n_best):
        captions = (result, *result.alternatives)
        if as_json:
            values = [{"text": caption.text, "score": caption.score} for caption in captions]
            print(json.dumps({"image": result.image, "captions": values}, ensure_ascii=False))
        else:
            for caption in captions:
                text = to_line(caption.text)
                print(text if len(images) == 1 else f"{result.image}\t{text}")

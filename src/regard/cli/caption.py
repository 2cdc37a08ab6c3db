"""`regard caption`: pictures in, sentences out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def caption(
    model: Annotated[Path, typer.Argument(help="A sealed model.")],
    images: Annotated[list[str], typer.Argument(help="PNG, JPEG or WebP files.")],
    best: Annotated[int, typer.Option(min=1, help="Captions of each picture.")] = 1,
    beam: Annotated[
        int | None, typer.Option(min=1, max=1_000, help="Width of the beam; 1 is greedy.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="A JSON object for each picture, with scores.")
    ] = False,
) -> None:
    """Say what is seen in pictures, a line for each.

    Example: regard caption run/model photo.jpg
    """
    from dataclasses import replace

    from regard.tasks.captioning.captioner import load_captioner

    captioner = load_captioner(model)
    how = captioner.how if beam is None else replace(captioner.how, beam_size=beam)
    how = replace(how, beam_size=max(how.beam_size, best))
    for found in captioner.caption(images, how, best=best):
        ways = (found, *found.alternatives)
        if as_json:
            said = [{"text": way.text, "score": way.score} for way in ways]
            print(json.dumps({"image": found.image, "captions": said}, ensure_ascii=False))
        else:
            for way in ways:
                print(way.text if len(images) == 1 else f"{found.image}\t{way.text}")

"""TensorBoard: curves, and attention maps as images."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, UInt8
from PIL import Image, ImageDraw, ImageFont

from regard.errors import ConfigError
from regard.svg import SCALE
from regard.train.events import (
    CheckpointSaved,
    Event,
    RolledBack,
    TrainingEnded,
    ValidationCompleted,
    ValidationSample,
)
from regard.train.loggers.tracker import event_curves

if TYPE_CHECKING:
    from torch.utils.tensorboard.writer import SummaryWriter

# -- attention heatmaps as pixels, for trackers that do not show vector graphics -------------------


PAPER, INK = "#FFFFFF", "#222222"
CELL, MARGIN = 22, 6  # pixels
# Fonts with many scripts, on Linux, macOS and Windows. Pillow's default font has ASCII only.
FONTS = ("DejaVuSans.ttf", "Arial Unicode.ttf", "arial.ttf")


def pixel_heatmap(
    weights: Float[np.ndarray, "T S"], *, row_labels: Sequence[str], column_labels: Sequence[str]
) -> UInt8[np.ndarray, "Y X 3"]:
    """Draw a row for each output token and a column for each source token.

    Higher weights are brighter. Label lists may be empty.
    """
    rows, columns = (
        [_label(piece) for piece in row_labels],
        [_label(piece) for piece in column_labels],
    )
    label_width, label_height = (
        2 * MARGIN + max((label.width for label in side), default=0) for side in (rows, columns)
    )
    height, width = weights.shape
    size = label_width + CELL * width + MARGIN, label_height + CELL * height + MARGIN
    image = Image.new("RGB", size, PAPER)
    for row, label in enumerate(rows):
        image.paste(label, (label_width - MARGIN - label.width, label_height + row * CELL))
    for column, label in enumerate(columns):
        rotated = label.rotate(90, expand=True)
        image.paste(rotated, (label_width + column * CELL, label_height - MARGIN - rotated.height))
    image.paste(Image.fromarray(_cells(weights)), (label_width, label_height))
    return np.asarray(image)


def _cells(weights: Float[np.ndarray, "T S"]) -> UInt8[np.ndarray, "Y X 3"]:
    levels = np.rint(255 * np.clip(weights, 0, 1)).astype(np.uint8)
    cells = np.array(SCALE, np.uint8)[levels].repeat(CELL, axis=0).repeat(CELL, axis=1)
    cells[::CELL] = cells[:, ::CELL] = 255  # grid lines
    return cells


def _label(piece: str) -> Image.Image:
    text = "".join(map(_printable, piece))
    label = Image.new("RGB", (max(1, round(_font().getlength(text))), CELL), PAPER)
    ImageDraw.Draw(label).text((0, CELL / 2), text, fill=INK, font=_font(), anchor="lm")
    return label


@cache
def _printable(character: str) -> str:
    """Return the character, or a similar one if the font does not have it."""
    candidates = (
        character,
        unicodedata.normalize("NFKD", character)[0],
        {"▁": "_"}.get(character, "?"),
    )
    missing = bytes(_font().getmask("\uffff"))  # the glyph of characters that the font lacks
    return next(
        (candidate for candidate in candidates if bytes(_font().getmask(candidate)) != missing), "?"
    )


@cache
def _font() -> ImageFont.FreeTypeFont:
    for name in FONTS:
        try:
            return ImageFont.truetype(name, 13)
        except OSError:
            continue
    default = ImageFont.load_default(13)
    assert isinstance(default, ImageFont.FreeTypeFont)
    return default


# -- tensorboard -----------------------------------------------------------------------------------


class TensorBoardLogger:
    """Writes event files into `folder`. Steps that are repeated after a resumption replace the old.

    Args:
        resume_step: step of the checkpoint that the run resumes from. None: discard earlier events.
    """

    def __init__(self, folder: Path, *, resume_step: int | None = None) -> None:
        self.folder = folder
        self.writer = self._open(resume_step)

    def _open(self, resume_step: int | None) -> SummaryWriter:
        try:
            from torch.utils.tensorboard.writer import SummaryWriter
        except ImportError as error:
            raise ConfigError(
                f"tensorboard cannot be imported ({error}). Run: pip install 'regard[tensorboard]'"
            ) from error
        purge_step = 0 if resume_step is None else resume_step + 1
        return SummaryWriter(str(self.folder), purge_step=purge_step, flush_secs=10)

    def __call__(self, event: Event) -> None:
        for name, value in event_curves(event).items():
            self.writer.add_scalar(name, value, event.step)
        match event:
            case ValidationCompleted():
                for number, sample in enumerate(event.scores.samples, 1):
                    self._add_sample(sample, number, event.step)
            case CheckpointSaved():
                self.writer.flush()  # a killed run resumes from here
            case RolledBack():
                self.writer.close()
                self.writer = self._open(event.step)
            case TrainingEnded():
                self.writer.close()

    def _add_sample(self, sample: ValidationSample, number: int, step: int) -> None:
        # imported here because Pillow comes with TensorBoard

        lines = {"source": sample.source, "reference": sample.reference, "output": sample.output}
        # four spaces make a Markdown code block, so that the text is not interpreted
        text = "".join(f"    {name:9}  {line}\n" for name, line in lines.items())
        self.writer.add_text(f"sample {number}", text, step)
        for attention in sample.attention:
            image = pixel_heatmap(
                attention.weights.float().cpu().numpy(),
                row_labels=sample.output_pieces,
                column_labels=sample.source_pieces,
            )
            self.writer.add_image(
                f"sample {number}/{attention.name}", image, step, dataformats="HWC"
            )

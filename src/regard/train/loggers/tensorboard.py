"""TensorBoard: curves, outputs of a few validation samples, and heatmaps of their attention."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from regard.errors import ConfigError
from regard.train.events import (
    CheckpointSaved,
    Event,
    RolledBack,
    TrainingEnded,
    ValidationCompleted,
    ValidationSample,
)
from regard.train.loggers.event_curves import event_curves

if TYPE_CHECKING:
    from torch.utils.tensorboard.writer import SummaryWriter


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
        from regard.train.loggers.pixel_heatmap import pixel_heatmap

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

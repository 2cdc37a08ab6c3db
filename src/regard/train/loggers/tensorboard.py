"""TensorBoard: curves, what is said of a few fixed sentences, and their attention as it forms."""

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
    """Writes into `folder`; what a run makes again, having gone on or back, is shown once."""

    def __init__(self, folder: Path, *, after: int | None = None) -> None:
        """Go on from the checkpoint of the step `after`; without one, begin anew."""
        self.folder = folder
        self.writer = self._open(after)

    def _open(self, after: int | None) -> SummaryWriter:
        try:
            from torch.utils.tensorboard.writer import SummaryWriter
        except ImportError as error:
            raise ConfigError(
                f"tensorboard: it cannot be used ({error}); pip install 'regard[tensorboard]'"
            ) from error
        hidden = 0 if after is None else after + 1  # from this step on, what was shown before
        return SummaryWriter(str(self.folder), purge_step=hidden, flush_secs=10)

    def __call__(self, event: Event) -> None:
        for name, value in event_curves(event).items():
            self.writer.add_scalar(name, value, event.step)
        match event:
            case ValidationCompleted():
                for number, sample in enumerate(event.scores.samples, 1):
                    self._show(sample, number, event.step)
            case CheckpointSaved():
                self.writer.flush()  # a run that is killed goes on from here
            case RolledBack():
                self.writer.close()
                self.writer = self._open(event.step)
            case TrainingEnded():
                self.writer.close()

    def _show(self, sample: ValidationSample, number: int, step: int) -> None:
        from regard.train.loggers.pixel_heatmap import (
            pixel_heatmap,  # its library comes with TensorBoard
        )

        said = {"source": sample.source, "reference": sample.reference, "output": sample.output}
        # four spaces: Markdown shows the line as it is, whatever it says
        text = "".join(f"    {name:9}  {line}\n" for name, line in said.items())
        self.writer.add_text(f"sample {number}", text, step)
        for look in sample.attention:
            picture = pixel_heatmap(
                look.weights.float().cpu().numpy(),
                row_labels=sample.output_pieces,
                column_labels=sample.source_pieces,
            )
            self.writer.add_image(f"sample {number}/{look.name}", picture, step, dataformats="HWC")

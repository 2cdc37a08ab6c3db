"""Weights & Biases, as its own variables (WANDB_PROJECT, WANDB_MODE …) and `wandb login` say."""

from __future__ import annotations

from pathlib import Path

from regard.errors import ConfigError
from regard.train.loggers.tracker import TrackerLogger, resumable_id


class WandbLogger(TrackerLogger):
    def __init__(self, folder: Path, *, after: int | None = None) -> None:
        """Go on with the run noted in `folder` from the step `after`; without one, begin one."""
        super().__init__()
        try:
            import wandb
        except ImportError as error:
            raise ConfigError(
                f"wandb: it cannot be used ({error}); pip install 'regard[wandb]'"
            ) from error
        note = folder / "wandb.run"
        self.run = wandb.init(dir=folder, id=resumable_id(note, after), resume="allow")
        note.write_text(self.run.id, "utf-8")

    def describe(self, plan: dict[str, str]) -> None:
        self.run.config.update(plan, allow_val_change=True)

    def show(self, step: int, values: dict[str, float]) -> None:
        self.run.log(values, step=step)

    def end(self) -> None:
        self.run.finish()

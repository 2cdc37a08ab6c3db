"""Weights & Biases, configured by its own variables (WANDB_PROJECT …) and `wandb login`."""

from __future__ import annotations

from pathlib import Path

from regard.errors import ConfigError
from regard.train.loggers.tracker import TrackerLogger, resumable_id


class WandbLogger(TrackerLogger):
    """Logs to a Weights & Biases run, whose id is kept in `folder`.

    Args:
        resume_step: step of the checkpoint that the run resumes from. None: start a new W&B run.
    """

    def __init__(self, folder: Path, *, resume_step: int | None = None) -> None:
        super().__init__()
        try:
            import wandb
        except ImportError as error:
            raise ConfigError(
                f"wandb cannot be imported ({error}). Run: pip install 'regard[wandb]'"
            ) from error
        id_file = folder / "wandb.run"
        self.run = wandb.init(dir=folder, id=resumable_id(id_file, resume_step), resume="allow")
        id_file.write_text(self.run.id, "utf-8")

    def describe(self, plan: dict[str, str]) -> None:
        self.run.config.update(plan, allow_val_change=True)

    def log_values(self, step: int, values: dict[str, float]) -> None:
        self.run.log(values, step=step)

    def end(self) -> None:
        self.run.finish()

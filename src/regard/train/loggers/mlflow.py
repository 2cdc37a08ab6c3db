"""MLflow, wherever its own variables (MLFLOW_TRACKING_URI, MLFLOW_EXPERIMENT_NAME …) say it is."""

from __future__ import annotations

from pathlib import Path

from regard.errors import ConfigError
from regard.train.loggers.tracker import TrackerLogger, resumable_id


class MLflowLogger(TrackerLogger):
    def __init__(self, folder: Path, *, after: int | None = None) -> None:
        """Go on with the run noted in `folder` from the step `after`; without one, begin one."""
        super().__init__()
        try:
            import mlflow
        except ImportError as error:
            raise ConfigError(
                f"mlflow: it cannot be used ({error}); pip install 'regard[mlflow]'"
            ) from error
        note = folder / "mlflow.run"
        self.mlflow, self.run = mlflow, mlflow.start_run(resumable_id(note, after))
        note.write_text(self.run.info.run_id, "utf-8")

    def describe(self, plan: dict[str, str]) -> None:
        self.mlflow.set_tags(plan)

    def show(self, step: int, values: dict[str, float]) -> None:
        # sent by a thread of MLflow's: training does not wait for the network
        self.mlflow.log_metrics(values, step=step, synchronous=False)

    def end(self) -> None:
        self.mlflow.end_run()

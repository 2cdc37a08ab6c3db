"""MLflow, configured by its own variables (MLFLOW_TRACKING_URI, MLFLOW_EXPERIMENT_NAME …)."""

from __future__ import annotations

from pathlib import Path

from regard.errors import ConfigError
from regard.train.loggers.tracker import TrackerLogger, resumable_id


class MLflowLogger(TrackerLogger):
    """Logs to an MLflow run, whose id is kept in `folder`.

    Args:
        resume_step: step of the checkpoint that the run resumes from. None: start a new MLflow run.
    """

    def __init__(self, folder: Path, *, resume_step: int | None = None) -> None:
        super().__init__()
        try:
            import mlflow
        except ImportError as error:
            raise ConfigError(
                f"mlflow cannot be imported ({error}). Run: pip install 'regard[mlflow]'"
            ) from error
        id_file = folder / "mlflow.run"
        self.mlflow, self.run = mlflow, mlflow.start_run(resumable_id(id_file, resume_step))
        id_file.write_text(self.run.info.run_id, "utf-8")

    def describe(self, plan: dict[str, str]) -> None:
        self.mlflow.set_tags(plan)

    def log_values(self, step: int, values: dict[str, float]) -> None:
        # a thread of MLflow sends them, so training does not wait for the network
        self.mlflow.log_metrics(values, step=step, synchronous=False)

    def end(self) -> None:
        self.mlflow.end_run()

"""Ctrl-C ends commands at once, with status 130."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from regard.text.tokenizer import _call_interruptibly
from regard.train.trainer import TrainingOutcome
from tests.command import run_main


def test_native_code_is_interrupted_at_once() -> None:
    """SentencePiece used to delay Ctrl-C until the vocabulary was trained."""
    released = threading.Event()
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    start = time.monotonic()
    timer.start()
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    try:
        with pytest.raises(KeyboardInterrupt):
            _call_interruptibly(lambda: released.wait(20) and None)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert time.monotonic() - start < 15
    released.set()


def test_errors_of_native_code_are_raised() -> None:
    def fail() -> None:
        raise RuntimeError("native")

    with pytest.raises(RuntimeError, match="native"):
        _call_interruptibly(fail)


@pytest.mark.parametrize(("complete", "status"), [(True, 0), (False, 130)])
def test_an_interrupted_run_does_not_end_with_success(
    complete: bool, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`regard train … && regard translate …` used to go on without a model."""
    outcome = TrainingOutcome(3, "interrupted", complete, 0, None)
    monkeypatch.setattr("regard.cli.training.prepare_data", lambda *_, **__: None)
    monkeypatch.setattr("regard.cli.training.train_run", lambda *_, **__: outcome)
    done = run_main(["train", "--preset", "translate-tiny", "--out", str(tmp_path / "run")])
    assert done.status == status, done
    assert bool(done.stdout) == complete

"""What regard does on systems without Unix modules, such as Windows."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from regard.train import checkpoint
from regard.train.dry_run import process_peak


def test_peak_memory_is_zero_where_it_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert process_peak() > 0
    monkeypatch.setattr(Path, "exists", lambda path: False)
    assert process_peak() > 0
    monkeypatch.setitem(sys.modules, "resource", None)  # its import fails
    assert process_peak() == 0


def test_directories_are_not_synced_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> int:
        raise PermissionError

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError):
        checkpoint._sync(Path("checkpoints"))
    with monkeypatch.context() as windows:
        windows.setattr(sys, "platform", "win32")
        checkpoint._sync(Path("checkpoints"))

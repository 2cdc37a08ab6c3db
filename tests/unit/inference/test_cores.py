"""The number of cores, with and without CPU affinity."""

from __future__ import annotations

import os

import pytest

from regard.cores import available_cores
from regard.errors import ArtifactError
from regard.inference.ctranslate2_engine import CTranslate2Engine


def test_affinity_limits_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3, 5}, raising=False)
    assert available_cores() == 3


def test_without_affinity_all_cores_of_the_machine_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert available_cores() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores() == 1


def test_ctranslate2_engine_opens_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    with pytest.raises(ArtifactError, match="exported model"):
        CTranslate2Engine({})

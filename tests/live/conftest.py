"""The engine of the viewer in Node.js; tests that need it are skipped where it cannot run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.node_engine import NodeEngine, missing_program


@pytest.fixture(scope="session")
def engine() -> Iterator[NodeEngine]:
    if reason := missing_program():
        pytest.skip(reason)
    with NodeEngine() as running:
        yield running

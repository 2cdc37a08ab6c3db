"""What the tests of many processes share: one toy corpus, prepared once."""

from __future__ import annotations

import pytest

from tests.distributed.processes import Life
from tests.toy_corpus import Toy, make_toy


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    folder = tmp_path_factory.mktemp("toy")
    Life(["--help"], folder / "help").wait()  # the nursery is up: later lives are timed
    return make_toy(folder)

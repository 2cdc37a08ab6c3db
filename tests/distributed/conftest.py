"""What the tests of many processes share: one toy corpus, prepared once."""

from __future__ import annotations

import pytest

from tests.distributed.processes import RegardProcess
from tests.toy_corpus import Toy, make_toy


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    folder = tmp_path_factory.mktemp("toy")
    RegardProcess(["--help"], folder / "help").wait()  # starts the fork server
    return make_toy(folder)

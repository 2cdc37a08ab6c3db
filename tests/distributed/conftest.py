"""What the tests of many processes share: a toy corpus, prepared once, and an object store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.distributed.processes import RegardProcess
from tests.toy_corpus import Toy, make_toy


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    folder = tmp_path_factory.mktemp("toy")
    RegardProcess(["--help"], folder / "help").wait()  # starts the fork server
    return make_toy(folder)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of a bucket of an S3-compatible server."""
    s3fs = pytest.importorskip("s3fs", reason="regard[cloud] is not installed")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    s3fs.S3FileSystem.clear_instance_cache()
    try:
        s3fs.S3FileSystem().mkdir(f"corpora-{port}")
        yield f"s3://corpora-{port}"
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
        server.stop()

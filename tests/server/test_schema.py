"""The OpenAPI schema: schemathesis sends what it allows and what it forbids."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from regard.serve.openapi import OPERATIONS
from tests.running_server import RunningServer, running_server

pytestmark = pytest.mark.xdist_group("server")


CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance"
)


def test_the_schema_has_all_routes(server: RunningServer) -> None:
    with server.client() as client:
        schema = client.get("/openapi.json").json()
    assert set(schema["paths"]) == {operation.path for operation in OPERATIONS}
    request = schema["components"]["schemas"]["TranslateRequest"]
    assert request["required"] == ["texts"] and request["additionalProperties"] is False


def check_schema(bundle: Path, folder: Path, examples: int, *selection: str) -> None:
    """No answer with a status of 500 and above, none that the schema does not describe."""
    settings = folder / "settings.yaml"
    settings.write_text("max_cost: 20000\nmax_queue_seconds: 600\n")
    options = ("--workers", "2", "--settings", settings, "--store", folder / "store.db")
    with running_server(f"en-de={bundle}", *options) as server:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json"),
                *("--max-examples", str(examples), "--seed", "1", "--phases", "fuzzing,coverage"),
                *("--checks", CHECKS),
                *selection,
                *("--request-timeout", "60", "--no-color"),
            ],
            capture_output=True,
            text=True,
            cwd=folder,
        )
        print(done.stdout[-3000:])
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.mark.slow
def test_answers_conform_to_the_schema(bundle: Path, tmp_path: Path) -> None:
    pytest.importorskip("schemathesis")
    check_schema(bundle, tmp_path, 1_500, "--exclude-path=/v1/explain")
    check_schema(bundle, tmp_path, 50, "--include-path=/v1/explain")

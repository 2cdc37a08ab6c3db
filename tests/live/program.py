"""Run the engine of the viewer in Node.js."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.node_engine import WEB, missing_program

needs_node = pytest.mark.skipif(
    missing_program() is not None, reason="needs Node.js and `npm ci` in web/"
)


def run_program(name: str, value: object, folder: Path) -> Any:
    """Bundle web/tests/programs/NAME.ts into `folder`, and run it with a value, as JSON."""
    bundle = folder / f"{name}.mjs"
    source = WEB / "tests" / "programs" / f"{name}.ts"
    options = ["--bundle", "--platform=node", "--format=esm", "--log-level=error"]
    esbuild = WEB / "node_modules" / ".bin" / "esbuild"
    subprocess.run([esbuild, source, *options, f"--outfile={bundle}"], check=True)
    result = subprocess.run(
        ["node", bundle], input=json.dumps(value), capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)

"""The record that the engine of a page makes is that of Python, number by number."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from regard.explain.record import Explanation
from tests.bundles import LINES, make_bundle
from tests.live.program import needs_node, run_program
from tests.unpacked_record import unpacked

PRESETS = ("transformer", "bahdanau", "luong-general", "luong-local-p", "sparse", "sutskever")
OTHER = ("created", "arrays", "data", "beam")


@needs_node
@pytest.mark.parametrize("preset", PRESETS)
def test_records_are_those_of_python(preset: str, tmp_path: Path) -> None:
    translator = regard.load(make_bundle(preset, tmp_path / "model"))
    texts = [*LINES[1:4], "Ein  großer\u00adHund, 3.14!"]
    options = {"interventions": True}
    requests: list[dict[str, Any]] = [{"text": text, "options": options} for text in texts]
    requests += [{"text": texts[0], "options": {**options, "target": texts[1]}}]
    model = translator.live_model(precision="f32")
    records = run_program("explain", {"model": model, "requests": requests}, tmp_path)
    for request, record in zip(requests, records, strict=True):
        target = request["options"].get("target")
        check_record(record, translator.explain(request["text"], target))


def check_record(record: dict[str, Any], explanation: Explanation) -> None:
    expected = unpacked(explanation.to_json())
    arrays = [np.array(row, np.float32) for row in record["arrays"]]  # null becomes NaN
    header = record["header"]
    assert header.keys() == expected.keys() - {"arrays", "data"}
    assert header["created"]["search"] == expected["created"]["search"]
    assert (header["beam"] is None) == (expected["beam"] is None)
    wanted = expected["arrays"]
    for name in expected.keys() - {*OTHER}:
        compare(header[name], expected[name], arrays, wanted, name)


def compare(value: Any, wanted: Any, arrays: Any, wanted_arrays: Any, name: str) -> None:
    """Compare two JSON values; the indices of arrays are compared by their numbers."""
    if isinstance(wanted, dict):
        assert value.keys() == wanted.keys(), name
        for key in wanted:
            compare(value[key], wanted[key], arrays, wanted_arrays, key)
    elif isinstance(wanted, list):
        assert len(value) == len(wanted), name
        for part, wanted_part in zip(value, wanted, strict=True):
            compare(part, wanted_part, arrays, wanted_arrays, name)
    elif name in ARRAYS and wanted is not None:
        packed = wanted_arrays[wanted]
        scale = 65_535 if packed.dtype == np.uint16 else 1
        numbers = packed.astype(np.float32).ravel() / scale
        numbers = np.where(np.isfinite(numbers), numbers, np.nan)
        np.testing.assert_allclose(arrays[value], numbers, rtol=2e-3, atol=1e-4, err_msg=name)
    elif isinstance(wanted, float):
        assert math.isclose(value, wanted, rel_tol=1e-4, abs_tol=1e-4), name
    else:
        assert value == wanted, name


ARRAYS = {
    *("weights", "scores", "norms", "queries", "keys", "values", "contexts", "energy"),
    *("summary", "encoder", "decoder", "logps", "token_logps"),
}

"""torch.compile of the Transformer."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT

COMPILE = """
import torch
from tests.tiny_models import target, tiny

small = tiny("transformer")
model = small.model.train()
words = target(3, 5)
for lengths in ([7, 7, 7], [7, 4, 5]):
    source = small.source(lengths)
    want = model(source, words).hidden
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    got = compiled(source, words).hidden
    torch.testing.assert_close(got, want, atol=1e-5, rtol=1e-5)
    got.sum().backward()
print("compiled")
"""


def test_the_transformer_compiles_without_graph_breaks() -> None:
    """In a separate process, without the shape checker."""
    done = subprocess.run(
        [sys.executable, "-c", COMPILE], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.stdout == "compiled\n", done.stderr

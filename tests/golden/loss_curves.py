"""Loss curves of all presets: 20 steps of tiny models with fixed seeds.

    python -m tests.golden.loss_curves record FILE     # on one commit
    python -m tests.golden.loss_curves compare FILE    # on another, on the same machine

The last bits depend on the processor and on the version of torch, so no file is stored: record and
compare on one machine. `compare` prints the largest relative difference of each curve and fails if
one exceeds 1e-6. Run it with OMP_NUM_THREADS=1, and with REGARD_NATIVE=0 for the other kernels.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import torch
from torch import nn

from regard.batch import Tokens
from regard.config.load import load_config, validate_config
from regard.config.model import VocabularySizes
from regard.train.settings import Performance
from tests.tiny_models import PRESETS, SMALL, VOCABULARY, Tiny, shrink, target

STEPS = 20
PRECISIONS = ("fp32", "bf16")
TOLERANCE = 1e-6


def with_dropout(settings: Any, original: Any) -> Any:
    """Restore the probabilities of dropout that `shrink` sets to 0."""
    if not isinstance(settings, dict):
        return settings
    return {
        key: original[key] if key == "dropout" else with_dropout(value, original.get(key))
        for key, value in settings.items()
    }


def build(name: str) -> Tiny:
    settings = load_config(name).model_dump(mode="json")
    run = validate_config(with_dropout(shrink(settings, **SMALL), settings), name)
    torch.manual_seed(0)
    model = run.model.build(VocabularySizes(VOCABULARY, VOCABULARY)).train()
    return Tiny(name, run, model)


def curve(name: str, precision: Any) -> list[float]:
    small, performance = build(name), Performance(precision=precision).resolve(torch.device("cpu"))
    model, objective = small.model, small.run.build_objective()
    performance.apply(nn.ModuleList([model, *([objective] if objective is not None else [])]))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    lengths, losses = torch.tensor([6, 2, 5]), []
    for step in range(STEPS):
        torch.manual_seed(step)
        words = target(3, 7, seed=step)
        padded = [5, 3, 4] if step % 2 else [5, 5, 5]
        with performance.autocast(torch.device("cpu")):
            if small.kind == "classifier":
                logits = model(small.source(padded, seed=step))
                loss = nn.functional.cross_entropy(logits.float(), words[:, 0])
            else:
                inputs = (words[:, :-1],)
                if small.kind != "language-model":
                    inputs = (small.source(padded, seed=step), *inputs)
                found = objective(model(*inputs), model.readout, Tokens(words[:, 1:], lengths))
                loss = found.total / found.count
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def curves() -> dict[str, list[float]]:
    return {f"{name} {p}": curve(name, p) for name in PRESETS for p in PRECISIONS}


def compare(stored: dict[str, list[float]], found: dict[str, list[float]]) -> bool:
    """Print the largest relative difference of each curve; return whether all are small."""
    if stored.keys() != found.keys():
        print(f"other presets: {sorted(stored.keys() ^ found.keys())}")
        return False
    equal = True
    for name, losses in found.items():
        pairs = zip(losses, stored[name], strict=True)
        difference = max(abs(a - b) / max(abs(b), 1.0) for a, b in pairs)
        verdict = "the same bits" if losses == stored[name] else f"{difference:.1e}"
        equal &= difference <= TOLERANCE
        print(f"{name:32} {verdict}")
    return equal


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.action == "record":
        options.file.write_text(json.dumps(curves(), indent=1) + "\n", "utf-8")
        return 0
    return 0 if compare(json.loads(options.file.read_text("utf-8")), curves()) else 1


if __name__ == "__main__":
    sys.exit(main())

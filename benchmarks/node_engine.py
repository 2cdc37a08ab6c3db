"""The engine of the viewer in Node.js, for benchmarks and tests (`web/engine.mjs`)."""

from __future__ import annotations

import base64
import copy
import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.explain.changes import Changes
from regard.explain.live_model import Precision, store_weight
from regard.text.tokenizer import EOS

WEB = Path(__file__).resolve().parent.parent / "web"
Ids = Sequence[int]


def missing_program() -> str | None:
    """Return what is missing to run the engine; None: nothing."""
    if shutil.which("node") is None:
        return "node is not installed"
    if not (WEB / "node_modules" / "esbuild").is_dir():
        return "esbuild is not installed: run `npm ci` in web/"
    return None


@dataclass(frozen=True, slots=True)
class AttentionNumbers:
    """The calls of one attention."""

    scores: Tensor  # H T S
    weights: Tensor  # H T S
    norms: Tensor  # H S


@dataclass(frozen=True, slots=True)
class HeadNumbers:
    """All numbers of one head."""

    attention: str
    head: int
    scale: float
    energy: Tensor | None  # D
    queries: Tensor  # T D
    keys: Tensor  # S D
    scores: Tensor  # T S
    weights: Tensor  # T S
    values: Tensor  # S W
    contexts: Tensor  # T W


@dataclass(frozen=True, slots=True)
class EngineTrace:
    """A forced decoding by the engine."""

    logps: Tensor  # T V
    attentions: dict[str, AttentionNumbers]
    head: HeadNumbers | None  # None: the decoder has no attention
    summary: Tensor
    encoder_states: Tensor  # S E
    decoder_states: Tensor  # T D


class NodeEngine:
    """A process that runs the engine with one model after the other."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            ["node", str(WEB / "engine.mjs")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._answers = self._process.stdin, self._process.stdout

    def __enter__(self) -> NodeEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._requests.close()
        self._process.wait()
        self._answers.close()

    def load(self, text: str) -> float:
        """Load a model `regard.live/1`; return the milliseconds that it took."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.json"
            path.write_text(text, "utf-8")
            return float(self._ask("load", path=str(path))["milliseconds"])

    def greedy(self, sources: Sequence[Ids], changes: Changes | None = None) -> list[Any]:
        """Translate sources, ids with the end token, by greedy search."""
        return list(self._ask("greedy", sources=sources, **_fields(changes)))

    def beam(
        self,
        sources: Sequence[Ids],
        size: int,
        length_penalty: float = 1.0,
        changes: Changes | None = None,
    ) -> list[Any]:
        """Translate sources, ids with the end token, by beam search."""
        options = {"size": size, "lengthPenalty": length_penalty, **_fields(changes)}
        return list(self._ask("beam", sources=sources, **options))

    def trace(self, source: Ids, target: Ids, changes: Changes | None = None) -> EngineTrace:
        """Force a target, ids without special tokens, from a source with its end token."""
        answer = self._ask("trace", source=source, target=target, **_fields(changes))
        attentions = {part["name"]: _attention(part) for part in answer["attentions"]}
        return EngineTrace(
            torch.stack([_numbers(row) for row in answer["logps"]]),
            attentions,
            _head(answer["head"], attentions),
            _numbers(answer["summary"]),
            torch.stack([_numbers(row) for row in answer["encoderStates"]]),
            torch.stack([_numbers(row) for row in answer["decoderStates"]]),
        )

    def time_greedy(self, source: Ids, runs: int, max_length: int) -> list[float]:
        """Return the processor time of each greedy translation of one source, in milliseconds."""
        return list(self._ask("time", source=source, runs=runs, maxLength=max_length))

    def _ask(self, request: str, **fields: object) -> Any:
        self._requests.write(json.dumps({"do": request, **fields}) + "\n")
        self._requests.flush()
        line = self._answers.readline()
        if not line:
            raise RuntimeError("the engine has stopped; its error is above")
        answer = json.loads(line)
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(answer["error"])
        return answer


def random_model(run: RunConfig, vocabulary: int, seed: int = 1) -> Any:
    """A model whose attention and outputs vary, and whose translations end."""
    torch.manual_seed(seed)
    model = run.model.build(VocabularySizes(vocabulary, vocabulary))
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 1 and "norm" not in name:
                weight.normal_(std=0.2)  # biases are zero at first
            elif weight.dim() == 2:
                weight.mul_(2)
        model.readout.weight.mul_(3)
        model.readout.bias[EOS] += 2
    return model.eval()


def rounded(model: nn.Module, precision: Precision) -> Any:
    """A copy of a model with the weights that a page has."""
    copied = copy.deepcopy(model)
    with torch.no_grad():
        for weight in copied.parameters():
            weight.copy_(store_weight(weight, precision).restore())
    return copied.eval()


def _fields(changes: Changes | None) -> dict[str, object]:
    return {} if changes is None else {"changes": asdict(changes)}


def _attention(part: dict[str, Any]) -> AttentionNumbers:
    shape = part["heads"], part["rows"], part["columns"]
    return AttentionNumbers(
        _numbers(part["scores"]).view(shape),
        _numbers(part["weights"]).view(shape),
        _numbers(part["norms"]).view(shape[0], shape[2]),
    )


def _head(
    fields: dict[str, Any] | None, attentions: dict[str, AttentionNumbers]
) -> HeadNumbers | None:
    if fields is None:
        return None
    _, rows, columns = attentions[fields["attention"]].weights.shape
    lengths = {"queries": rows, "scores": rows, "weights": rows, "contexts": rows}
    lengths |= {"keys": columns, "values": columns}
    return HeadNumbers(
        fields["attention"],
        fields["head"],
        fields["scale"],
        None if fields["energy"] is None else _numbers(fields["energy"]),
        **{name: _numbers(fields[name]).view(length, -1) for name, length in lengths.items()},
    )


def _numbers(text: str) -> Tensor:
    return torch.from_numpy(np.frombuffer(base64.b64decode(text), "<f4").copy())

"""Explanations of language models: self-attention over the prefix."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from regard.errors import ConfigError, CorpusError
from regard.tasks.language.completer import Completer, build_language_model
from regard.text.tokenizer import EOS, SentencePiece
from tests.bundles import LINES
from tests.tiny_models import tiny_run
from tests.unpacked_record import unpacked

PRESETS = ("lm-transformer", "lm-recurrent-attention", "lm-lstmn")
PROMPT, TEXT = "A dog", " runs. Two cats run away."


@pytest.fixture(scope="module", params=PRESETS)
def completer(request: pytest.FixtureRequest) -> Completer:
    torch.manual_seed(0)
    run, pieces = (
        tiny_run(request.param, ("data.max_length=64",)),
        SentencePiece.train(LINES, size=300),
    )
    return Completer(build_language_model(run, pieces.size).eval(), pieces, 64)


def test_explanation_is_a_forced_decoding_of_prompt_and_text(completer: Completer) -> None:
    explanation = completer.explain(PROMPT, TEXT)
    assert explanation.source is None and explanation.target.raw == PROMPT + TEXT
    names = [each.name for each in explanation.trace.attentions]
    ((forced,),) = completer.force_decode([PROMPT + TEXT], names)
    logps = [step.logp for step in explanation.trace.steps]
    assert logps == pytest.approx(forced.logps, abs=1e-5)
    for each in explanation.trace.attentions:
        assert each.kind == "self"
        torch.testing.assert_close(each.weights, forced.attention[each.name], atol=1e-6, rtol=1e-5)
        future = torch.ones_like(each.weights).triu(1).bool()
        assert (each.weights[future] == 0).all()


def test_head_trace_is_consistent(completer: Completer) -> None:
    trace = completer.explain(PROMPT, TEXT).trace.head_trace
    assert trace is not None
    scores = (
        trace.terms.scale * trace.terms.queries @ trace.terms.keys.mT
        if trace.terms.energy is None
        else (trace.terms.queries[:, None] + trace.terms.keys).tanh() @ trace.terms.energy
    )
    visible = trace.scores.isfinite()
    torch.testing.assert_close(trace.scores[visible], scores[visible], atol=1e-5, rtol=0)
    torch.testing.assert_close(trace.contexts, trace.weights @ trace.values, atol=1e-6, rtol=0)


def test_matrix_columns_are_the_prefix(completer: Completer) -> None:
    explanation = completer.explain(PROMPT, TEXT)
    matrix = explanation.matrix()
    labels = explanation.target.labels
    prefix = ("<s>", *labels[:-1])
    blank = explanation.trace.attentions[-1].blank_memory
    assert matrix.row_labels == labels
    assert matrix.column_labels == (("∅", *prefix[:-1]) if blank else prefix)
    assert unpacked(explanation.to_json())["attentions"][-1]["blank_memory"] == blank
    assert "<svg" in explanation.heatmap().svg


def test_generated_text_is_explained(completer: Completer, tmp_path: Path) -> None:
    explanation = completer.explain(PROMPT)
    assert explanation.target.raw.startswith(PROMPT)
    assert explanation.created["search"] == "greedy"
    assert EOS not in explanation.target.pieces.ids
    explanation.save(tmp_path / "x.html")
    with pytest.raises(CorpusError, match=r"^prompt: "):
        completer.explain(PROMPT, " runs" * 100)
    with pytest.raises(ConfigError, match=r"^attention: .*'x'"):
        completer.explain(PROMPT, TEXT, attention="x")

"""Language models explained: where in its own past a model looked."""

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


def test_an_explanation_is_a_forced_reading_of_the_whole_text(completer: Completer) -> None:
    explanation = completer.explain(PROMPT, TEXT)
    assert explanation.source is None and explanation.target.raw == PROMPT + TEXT
    names = [look.name for look in explanation.trace.attentions]
    ((reading,),) = completer.force_decode([PROMPT + TEXT], names)
    logps = [step.logp for step in explanation.trace.steps]
    assert logps == pytest.approx(reading.logps, abs=1e-5)
    for look in explanation.trace.attentions:
        assert look.kind == "past"
        torch.testing.assert_close(look.weights, reading.attention[look.name], atol=1e-6, rtol=1e-5)
        later = torch.ones_like(look.weights).triu(1).bool()
        assert (look.weights[later] == 0).all(), "nobody looks at what is yet to be said"


def test_one_head_can_be_walked_through(completer: Completer) -> None:
    walk = completer.explain(PROMPT, TEXT).trace.head_trace
    assert walk is not None
    scores = (
        walk.scale * walk.queries @ walk.keys.mT
        if walk.energy is None
        else (walk.queries[:, None] + walk.keys).tanh() @ walk.energy
    )
    seen = walk.scores.isfinite()
    torch.testing.assert_close(walk.scores[seen], scores[seen], atol=1e-5, rtol=0)
    torch.testing.assert_close(walk.contexts, walk.weights @ walk.values, atol=1e-6, rtol=0)


def test_a_matrix_names_what_was_said_before(completer: Completer) -> None:
    explanation = completer.explain(PROMPT, TEXT)
    shown = explanation.matrix()
    said = explanation.target.labels
    before = ("<s>", *said[:-1])
    blank = explanation.trace.attentions[-1].blank_memory
    assert shown.row_labels == said
    assert shown.column_labels == (("∅", *before[:-1]) if blank else before)
    assert unpacked(explanation.to_json())["looks"][-1]["blank"] == blank
    assert "<svg" in explanation.heatmap().svg


def test_what_the_model_says_itself_is_explained_too(completer: Completer, tmp_path: Path) -> None:
    explanation = completer.explain(PROMPT)
    assert explanation.target.raw.startswith(PROMPT)
    assert explanation.created["search"] == "greedy"
    assert EOS not in explanation.target.pieces.ids
    explanation.save(tmp_path / "x.html")
    with pytest.raises(CorpusError, match="prompt: with what follows it has"):
        completer.explain(PROMPT, " runs" * 100)
    with pytest.raises(ConfigError, match="look: the model has no look 'x'"):
        completer.explain(PROMPT, TEXT, attention="x")

"""The model card: what a reader should know before using a model, written from its facts alone.

Plain Markdown under the metadata that Hugging Face reads. What is not known is not said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

NOT_FOR = (
    "Texts unlike those that it was trained on: it was measured on pairs of the same kind.",
    "Decisions that nobody checks: it may drop, repeat or make up words, and sound sure of it.",
    "Explaining why it says something: attention shows where a model looked, not why.",
)


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """A corpus as it was read."""

    name: str
    pairs: int
    tokens: tuple[int, int]  # of source and target
    fingerprint: str  # of its ids, in their order


@dataclass(frozen=True, slots=True)
class ScoreFacts:
    metric: str
    value: float
    signature: str  # how it was computed; without one, in words


@dataclass(frozen=True, slots=True)
class CardFacts:
    """All that a card tells; each figure as it was measured."""

    name: str
    description: str  # in a line
    kind: str  # such as "Transformer, 4 + 4 layers of 128"
    parameters: int
    vocabulary: str  # such as "8,000 unigram pieces of both languages, NFC"
    tokenizer: str  # its fingerprint
    corpora: tuple[CorpusFacts, ...]
    training: Mapping[str, str]  # settings, by their places in the run file
    scores: tuple[ScoreFacts, ...]
    scored_on: str  # such as "1,014 validation pairs, at step 4,000"
    search: str  # such as "beam 5, scores divided by length^1.0"; where nothing is searched, ""
    export: str  # such as "CTranslate2 can run it", or why not
    languages: tuple[str, str] | None = None  # codes of source and target, where they were said
    alignment: str | None = None  # which look points, and how that was found; "": none could
    not_for: tuple[str, ...] = field(default=NOT_FOR)
    pipeline: str = "translation"  # as Hugging Face calls it
    call: str = 'translate(["…"])[0].text'  # what is asked of it, in Python
    units: tuple[str, str, str] = ("pairs", "source pieces", "target pieces")  # of its corpora


def write_card(facts: CardFacts) -> str:
    return "\n".join([*_metadata(facts), *_body(facts)]) + "\n"


def _metadata(facts: CardFacts) -> Iterator[str]:
    """YAML whose strings are JSON's, which is YAML too: no name can break out of its line."""
    yield "---"
    if facts.languages is not None:
        yield "language:"
        yield from (f"- {_quoted(language)}" for language in facts.languages)
    yield from (
        "library_name: regard",
        f"pipeline_tag: {facts.pipeline}",
        "tags:",
        f"- {facts.pipeline}",
    )
    if facts.scores:
        yield from ("model-index:", f"- name: {_quoted(facts.name)}", "  results:")
        yield from ("  - task:", f"      type: {facts.pipeline}", "    dataset:")
        yield from (
            f"      name: {_quoted(facts.scored_on)}",
            "      type: held-out",
            "    metrics:",
        )
        for score in facts.scores:
            yield f"    - type: {_quoted(score.metric)}"
            yield f"      value: {score.value:.4f}"
            yield f"      name: {_quoted(score.signature)}"
    yield "---"


def _body(facts: CardFacts) -> Iterator[str]:
    yield from ("", f"# {_plain(facts.name)}", "")
    if facts.languages is not None:
        source, target = map(_plain, facts.languages)
        yield from (f"Translates from {source} to {target}.", "")
    if facts.description:
        yield from (_plain(facts.description), "")
    yield from ("```python", "import regard", "")
    yield from (f'print(regard.load("PATH OF THIS FOLDER").{facts.call})', "```", "")
    aligned = "none: the model looks at no words" if facts.alignment is None else facts.alignment
    rows = {
        "kind": facts.kind,
        "parameters": f"{facts.parameters:,}",
        "vocabulary": facts.vocabulary,
        "tokeniser": f"`{facts.tokenizer}`",
        "search": facts.search,
        "word alignment": aligned,
        "export": facts.export,
    }
    yield from _table("Model", ("", ""), [(name, said) for name, said in rows.items() if said])
    scores = [(s.metric, f"{s.value:.2f}", f"`{s.signature}`") for s in facts.scores]
    yield from _table(
        f"Scores on {_plain(facts.scored_on)}", ("metric", "value", "signature"), scores
    )
    corpora = [
        (one.name, f"{one.pairs:,}", *(f"{n:,}" for n in one.tokens), f"`{one.fingerprint}`")
        for one in facts.corpora
    ]
    yield from _table("Data", ("corpus", *facts.units, "fingerprint"), corpora)
    yield from _table("Training", ("setting", "value"), [*facts.training.items()])
    yield from ("## What it is not for", "")
    yield from (f"- {_plain(line)}" for line in facts.not_for)


def _table(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield from (f"## {title}", "")
    if not rows:
        yield from ("Nothing is known.", "")
        return
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(_plain, row))} |"
    yield ""


def _quoted(text: str) -> str:
    return json.dumps(_line(text), ensure_ascii=False)


def _plain(text: str) -> str:
    """Neither HTML nor the end of a cell."""
    return _line(text).replace("<", "&lt;").replace("|", "\\|")


def _line(text: str) -> str:
    return "".join(c for c in " ".join(text.split()) if c.isprintable())

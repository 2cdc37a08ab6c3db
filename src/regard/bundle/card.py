"""The model card of a bundle: Markdown with the metadata of Hugging Face model cards."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

LIMITATIONS = (
    "Texts unlike the training data: the scores hold for pairs of the same kind only.",
    "Decisions without human review: it may omit, repeat or invent words with high confidence.",
    "Explaining why it produces an output: attention weights are not reasons.",
)


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """Size and fingerprint of a prepared corpus."""

    name: str
    pairs: int
    tokens: tuple[int, int]  # source, target
    fingerprint: str  # of the token ids in their order


@dataclass(frozen=True, slots=True)
class ScoreFacts:
    metric: str
    value: float
    signature: str  # a sacreBLEU signature, or a description of the metric


@dataclass(frozen=True, slots=True)
class CardFacts:
    """Contents of a model card."""

    name: str
    description: str  # one line
    kind: str  # such as "Transformer, 4 + 4 layers of 128"
    parameters: int
    vocabulary: str  # such as "8,000 unigram pieces of both languages, NFC"
    tokenizer: str  # fingerprint
    corpora: tuple[CorpusFacts, ...]
    training: Mapping[str, str]  # settings, by their paths in the run file
    scores: tuple[ScoreFacts, ...]
    scored_on: str  # such as "1,014 validation pairs, at step 4,000"
    search: str  # such as "beam 5, scores divided by length^1.0"; "" for a classifier
    export: str  # such as "CTranslate2 can run it", or the obstacles
    # Codes of source and target, where known.
    languages: tuple[tuple[str | None, str], ...] = ()
    parent: str | None = None  # the model that was fine-tuned
    alignment: str | None = None  # the alignment head and how it was chosen; "" omits the row
    limitations: tuple[str, ...] = field(default=LIMITATIONS)
    pipeline: str = "translation"  # Hugging Face pipeline tag
    call: str = 'translate(["…"])[0].text'  # the Python call in the example
    units: tuple[str, str, str] = ("pairs", "source pieces", "target pieces")  # of the corpora
    origin: Mapping[str, str] = field(default_factory=dict)  # of a model that was imported
    licence: str | None = None


def write_card(facts: CardFacts) -> str:
    """Return the model card as Markdown."""
    return "\n".join([*_metadata(facts), *_body(facts)]) + "\n"


def _metadata(facts: CardFacts) -> Iterator[str]:
    """Yield the YAML front matter. Strings are quoted as JSON, so no name can break out."""
    yield "---"
    codes = [code for side in zip(*facts.languages, strict=True) for code in side if code]
    if codes:
        yield "language:"
        yield from (f"- {_quoted(code)}" for code in dict.fromkeys(codes))
    if facts.licence is not None:
        yield f"license: {_quoted(facts.licence)}"
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
    if facts.languages:
        pairs = [(_plain(s or "?"), _plain(t)) for s, t in facts.languages]
        yield from (f"Translates {', '.join(f'from {s} to {t}' for s, t in pairs)}.", "")
    if facts.description:
        yield from (_plain(facts.description), "")
    yield from ("```python", "import regard", "")
    yield from (f'print(regard.load("path/to/this/directory").{facts.call})', "```", "")
    alignment = "none: the model has no attention" if facts.alignment is None else facts.alignment
    rows = {
        "kind": facts.kind,
        "fine-tuned from": facts.parent or "",
        "parameters": f"{facts.parameters:,}",
        "vocabulary": facts.vocabulary,
        "tokenizer": f"`{facts.tokenizer}`",
        "search": facts.search,
        "word alignment": alignment,
        "export": facts.export,
    }
    yield from _table("Model", ("", ""), [(name, value) for name, value in rows.items() if value])
    if facts.origin:
        yield from _table("Origin", ("", ""), [*facts.origin.items()])
    scores = [(s.metric, f"{s.value:.2f}", f"`{s.signature}`") for s in facts.scores]
    yield from _table(
        f"Scores on {_plain(facts.scored_on)}", ("metric", "value", "signature"), scores
    )
    corpora = [
        (
            corpus.name,
            f"{corpus.pairs:,}",
            *(f"{count:,}" for count in corpus.tokens),
            f"`{corpus.fingerprint}`",
        )
        for corpus in facts.corpora
    ]
    yield from _table("Data", ("corpus", *facts.units, "fingerprint"), corpora)
    yield from _table("Training", ("setting", "value"), [*facts.training.items()])
    yield from ("## Do not use it for", "")
    yield from (f"- {_plain(line)}" for line in facts.limitations)


def _table(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield from (f"## {title}", "")
    if not rows:
        yield from ("Unknown.", "")
        return
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(_plain, row))} |"
    yield ""


def _quoted(text: str) -> str:
    return json.dumps(_line(text), ensure_ascii=False)


def _plain(text: str) -> str:
    """Escape HTML tags and table cells."""
    return _line(text).replace("<", "&lt;").replace("|", "\\|")


def _line(text: str) -> str:
    return "".join(c for c in " ".join(text.split()) if c.isprintable())

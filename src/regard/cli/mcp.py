"""`regard mcp`: a model as tools of an agent, by the Model Context Protocol over stdio."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from math import exp, fsum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BaseModel

import regard
from regard.client import Client, ServedAlignment
from regard.errors import ConfigError, RegardError

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from regard.align.word_alignment import WordAlignment
    from regard.tasks.translation.translator import Translator

INSTRUCTIONS = """Translates between the languages of one model. It is a small model without general
knowledge: send whole sentences, and expect a translation, not an answer."""


class TranslatedText(BaseModel):
    """The translation of a text."""

    text: str
    score: float
    warnings: list[str]


class WordLink(BaseModel):
    """A source word and the word that translates it, with their numbers in the texts, from 0."""

    source: str
    target: str
    numbers: tuple[int, int]


class ExplainedWord(BaseModel):
    """A word of a translation, its probability, and the source words that it is linked with."""

    word: str
    probability: float
    sources: list[str]
    alternatives: list[str]


class ExplainedTranslation(BaseModel):
    """A translation, word by word."""

    text: str
    words: list[ExplainedWord]


def mcp(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|URL",
            help="A translation model bundle, or the address of a server (see `regard serve`).",
        ),
    ],
    server_model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of one of the server's models. Default: its first"),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            envvar="REGARD_KEY",
            help="A key of the server. The variable is not shown in lists of processes.",
        ),
    ] = None,
) -> None:
    """Offer a translation model to agents, by the Model Context Protocol over stdio.

    An agent starts this command. Example: regard mcp run/model
    """
    try:
        import mcp.server  # noqa: F401
    except ImportError:
        raise ConfigError(
            "The protocol needs the package mcp. Install it with `pip install 'regard[mcp]'`."
        ) from None
    if "://" in model and not Path(model).exists():
        with Client(model, key=key, model=server_model) as client:
            make_server(client).run()
        return
    if key is not None or server_model is not None:
        raise ConfigError(f"--key, --server-model: {model} is not the address of a server.")
    from regard.tasks.translation.translator import Translator

    make_server(Translator.load(model)).run()


def make_server(translator: Translator | Client) -> MCPServer:
    """Return a server with the tools `translate`, `align` and `explain`."""
    from mcp.server import MCPServer

    server = MCPServer(
        "regard", instructions=INSTRUCTIONS, version=regard.__version__, log_level="ERROR"
    )

    @server.tool()
    def translate(
        texts: list[str], to: str | None = None, quality: bool = False
    ) -> list[TranslatedText]:
        """Translate texts.

        Args:
            texts: Sentences or paragraphs.
            to: Code of the target language, for models with several.
            quality: Add warnings of omissions, repetitions and inventions.
        """
        with _answered():
            results = translator.translate(texts, to=to, quality=quality)
        return [
            TranslatedText(
                text=result.text, score=result.score, warnings=list(result.warnings or ())
            )
            for result in results
        ]

    @server.tool()
    def align(
        sources: list[str], targets: list[str], to: str | None = None
    ) -> list[list[WordLink]]:
        """Find which words of texts and of their translations belong together.

        Args:
            sources: Texts in the source language.
            targets: The translation of each.
            to: Code of the target language, for models with several.
        """
        with _answered():
            alignments = translator.align(sources, targets, to=to)
        return [_word_links(alignment) for alignment in alignments]

    @server.tool()
    def explain(
        source: str, target: str | None = None, to: str | None = None
    ) -> ExplainedTranslation:
        """Show from which source words a translation comes, and how sure the model is of each word.

        Args:
            source: A sentence.
            target: Explain this translation. Default: the model's own.
            to: Code of the target language, for models with several.
        """
        with _answered():
            record = translator.explain(source, target, to=to)
        return _summary(record if isinstance(record, dict) else json.loads(record.to_json()))

    return server


@contextmanager
def _answered() -> Iterator[None]:
    """Tell the agent what is wrong; other exceptions are hidden from it."""
    from mcp.server.mcpserver.exceptions import ToolError

    try:
        yield
    except RegardError as error:
        raise ToolError(str(error)) from None


def _word_links(alignment: WordAlignment | ServedAlignment) -> list[WordLink]:
    sources, targets = alignment.source.word_texts, alignment.target.word_texts
    return [
        WordLink(source=sources[i], target=targets[j], numbers=(i, j))
        for i, j in sorted(alignment.links)
    ]


def _summary(record: dict[str, Any]) -> ExplainedTranslation:
    """The words of a record, in the format of docs/record.md, without its arrays."""
    texts = {}
    for side in ("source", "target"):
        text = record[side]["text"]
        texts[side] = [text[start:end] for start, end in record[side]["words"]]
    words: list[ExplainedWord] = []
    for number, (word, pieces) in enumerate(
        zip(texts["target"], record["target"]["word_pieces"], strict=True)
    ):
        steps = [record["steps"][piece] for piece in pieces]
        words.append(
            ExplainedWord(
                word=word,
                probability=round(exp(fsum(step["logp"] for step in steps)), 4),
                sources=[texts["source"][i] for i, j in record["links"] if j == number],
                alternatives=[piece for piece, _ in steps[0]["top"][:3]] if steps else [],
            )
        )
    return ExplainedTranslation(text=record["target"]["text"], words=words)

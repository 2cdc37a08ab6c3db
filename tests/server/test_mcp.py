"""`regard mcp` with the package's own client over stdio: with a bundle and with a server."""

from __future__ import annotations

import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from regard.client import Client
from regard.serve.keys import add_key
from regard.tasks.translation.translator import Translator
from tests.bundles import LINES
from tests.command import run_main
from tests.running_server import RunningServer, run_async, running_server

pytest.importorskip("mcp", reason="needs mcp: pip install 'regard[mcp]'")

from mcp import Client as McpClient
from mcp import StdioServerParameters

pytestmark = pytest.mark.xdist_group("server")


def call(arguments: list[str], env: dict[str, str], *calls: tuple[str, dict[str, Any]]) -> Any:
    """The names of the tools, and the results of some calls."""
    command = ["-m", "regard", "mcp", *arguments]

    async def run() -> tuple[list[str], list[Any]]:
        parameters = StdioServerParameters(
            command=sys.executable, args=command, env={**os.environ, **env}
        )
        async with McpClient(parameters) as client:
            tools = (await client.list_tools()).tools
            results = [await client.call_tool(name, values) for name, values in calls]
            return [tool.name for tool in tools], results

    coroutine: Coroutine[Any, Any, tuple[list[str], list[Any]]] = run()
    return run_async(coroutine)


def check_tools(model: list[str], env: dict[str, str], translator: Translator) -> None:
    names, results = call(
        model,
        env,
        ("translate", {"texts": LINES, "quality": True}),
        ("align", {"sources": LINES[:1], "targets": ["Ein Hund läuft."]}),
        ("explain", {"source": LINES[0]}),
        ("explain", {"source": LINES[0], "target": "Ein Hund läuft."}),
        ("align", {"sources": LINES[:1], "targets": []}),
        ("translate", {"texts": "A dog runs."}),
    )
    assert names == ["translate", "align", "explain"]
    assert [each.is_error for each in results] == [False] * 4 + [True] * 2
    translated, aligned, explained, given, uneven, text = results
    expected = translator.translate(LINES, quality=True)
    translations = translated.structured_content["result"]
    assert [each["text"] for each in translations] == [each.text for each in expected]
    assert [each["warnings"] for each in translations] == [list(each.warnings) for each in expected]
    (links,) = aligned.structured_content["result"]
    alignment = translator.align(LINES[:1], ["Ein Hund läuft."])[0]
    assert [tuple(link["numbers"]) for link in links] == sorted(alignment.links)
    words = (alignment.source.word_texts, alignment.target.word_texts)
    for link in links:
        i, j = link["numbers"]
        assert (link["source"], link["target"]) == (words[0][i], words[1][j])
    assert explained.structured_content["text"] == expected[0].text
    explanation = given.structured_content
    assert [word["word"] for word in explanation["words"]] == words[1]
    for word in explanation["words"]:
        assert 0 <= word["probability"] <= 1 and len(word["alternatives"]) == 3
        assert set(word["sources"]) <= set(words[0])
    assert "targets" in uneven.content[0].text
    assert "list" in text.content[0].text


def test_tools_with_a_bundle(bundle: Path, translator: Translator) -> None:
    check_tools([str(bundle)], {}, translator)


def test_tools_with_a_server(bundle: Path, translator: Translator, tmp_path: Path) -> None:
    key = add_key(tmp_path / "keys.json", "agent")
    models = (f"de-en={bundle}", f"en-de={bundle}")
    with running_server(*models, "--workers", "1", "--keys", tmp_path / "keys.json") as server:
        arguments = [server.url, "--server-model", "en-de"]
        check_tools(arguments, {"REGARD_KEY": key}, translator)
        _, (refused,) = call([server.url], {}, ("translate", {"texts": ["Go!"]}))
        assert refused.is_error and "valid key" in refused.content[0].text


def test_a_client_aligns_and_explains(server: RunningServer, translator: Translator) -> None:
    targets = [each.text for each in translator.translate(LINES)]
    with Client(server.url) as client:
        aligned = client.align(LINES, targets)
        expected = translator.align(LINES, targets)
        assert [str(each) for each in aligned] == [str(each) for each in expected]
        assert [each.source.word_texts for each in aligned] == [
            each.source.word_texts for each in expected
        ]
        record = client.explain(LINES[0], targets[0])
        assert record["target"]["text"] == targets[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no-such-model",), "no-such-model"),
        (("model", "--key", "k"), "model is not the address of a server"),
        (("http://",), "is not the address of a server"),
    ],
)
def test_mistakes_of_the_command(arguments: tuple[str, ...], message: str) -> None:
    done = run_main(["mcp", *arguments])
    assert done.status != 0 and message in done.stderr

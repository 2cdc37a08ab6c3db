"""The explanation page: the viewer is the only script that runs."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser

from regard.explain.page import explanation_page, notebook_frame, viewer_script

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!-- <script>",
    "]]><img src=x onerror=alert(2)>",
    "\u2028\u2029 & &amp; &lt;",
    "\"'`${alert(3)}",
]


class Elements(HTMLParser):
    """Every tag of a page, and the text of every script and style."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.raw.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] in ("script", "style") and self.raw:
            self.raw[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(("/" + tag, {}))


def test_embedded_records_are_unchanged() -> None:
    records = [json.dumps({"text": text}, ensure_ascii=False) for text in HOSTILE]
    raw = Elements(explanation_page(records, "a title")).raw
    assert [json.loads(each)["text"] for each in raw[1:-1]] == HOSTILE


def test_record_cannot_close_its_element() -> None:
    text = explanation_page([json.dumps(HOSTILE, ensure_ascii=False)], "a title")
    tags = [tag for tag, _ in Elements(text).tags]
    assert tags.count("script") == 2
    data = text.split('<script type="application/json">')[1].split("</script>")[0]
    assert not set("<>&\u2028\u2029") & set(data)


def test_hostile_title_stays_text() -> None:
    for title in HOSTILE:
        tags = [tag for tag, _ in Elements(explanation_page(["{}"], title)).tags]
        assert tags.count("script") == 2 and "img" not in tags


def test_policy_allows_only_this_script_and_style() -> None:
    elements = Elements(explanation_page(["{}"], "a title"))
    policy = next(
        attributes["content"] or ""
        for tag, attributes in elements.tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == f"'{_hash(elements.raw[-1])}'"
    assert rules["style-src"] == f"'{_hash(elements.raw[0])}'"
    assert "unsafe" not in policy and "http" not in policy


def test_policy_precedes_styles_and_scripts() -> None:
    text = explanation_page(["{}"], "a title")
    assert text.index("Content-Security-Policy") < text.index("<style") < text.index("<script")


def test_notebook_frame_is_sandboxed() -> None:
    page = explanation_page([json.dumps(HOSTILE)], 'a "title"')
    framed = notebook_frame(page, height=500)
    (tag, attributes), *_ = Elements(framed).tags
    assert tag == "iframe"
    assert attributes["sandbox"] == "allow-scripts"
    assert attributes["srcdoc"] == page
    assert "height:500px" in (attributes["style"] or "")
    assert unescape(framed.split('srcdoc="')[1].split('"></iframe>')[0]) == page


def test_viewer_is_small_and_self_contained() -> None:
    script = viewer_script()
    assert len(gzip.compress(script.encode(), 9)) <= 70 * 1024
    assert "</script" not in script.lower() and "<!--" not in script
    assert "regard-view" in script
    assert not re.search(r"\beval\(|new Function|importScripts|fetch\(|XMLHttpRequest", script)


def _hash(content: str) -> str:
    return "sha256-" + b64encode(sha256(content.encode()).digest()).decode()

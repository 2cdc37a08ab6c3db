"""The page of the server, against a real server with small untrained models."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'regard[serve]'")

from playwright.sync_api import Browser, Locator, Page, expect

from regard.align.tokenized_text import TokenizedText
from regard.explain.changes import Changes
from regard.serve.keys import add_key
from regard.tasks.translation.translator import Translator
from tests.browser.test_hostile import SENTINEL
from tests.bundles import LINES, make_bundle
from tests.running_server import RunningServer, running_server

expect.set_options(timeout=30_000)  # milliseconds
TEXT = f"{LINES[1]} {LINES[2]}"
HOSTILE = (
    "<img src=x onerror=pwned()>",
    "</textarea><script>pwned()</script>",
    "👩‍👩‍👧 A dog runs 🐕.",
    "كلب يجري. שלום!",
    "Z̸̢̛̰a̵͓͝l̷̻̈́g̴̣̽o̸͚͐.",
    "今天天气很好。我们去公园吧！",
)
VIOLATIONS = """() => axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join()}`))"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle("transformer", tmp_path_factory.mktemp("served") / "model")


@pytest.fixture(scope="module")
def server(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server of two directions."""
    reverse = make_bundle("transformer", tmp_path_factory.mktemp("reverse") / "model", seed=1)
    with running_server(f"en-de={model}", f"de-en={reverse}", "--workers", "1") as running:
        yield running


def translate(server: RunningServer, text: str, **options: Any) -> dict[str, Any]:
    with server.client() as client:
        answer = client.post("/v1/translate", json={"texts": [text], **options})
        return answer.raise_for_status().json()["translations"][0]


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages; at the end there must be no errors and no requests to other servers.

    `status`: of requests that fail in the test; the browser reports them on the console.
    """
    contexts, errors, requests = [], [], []

    def new(server: RunningServer, *, status: int | None = None, **settings: Any) -> Page:
        context = browser.new_context(**settings)
        context.set_default_timeout(30_000)
        context.add_init_script(SENTINEL)
        contexts.append(context)
        page = context.new_page()
        page.on(
            "console",
            lambda message: f"status of {status}" in message.text or errors.append(message.text),
        )
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: errors.append(dialog.message))
        page.on("request", lambda request: requests.append((server.url, request.url)))
        page.goto(f"{server.url}/")
        expect(at(page, "source")).to_be_visible()
        return page

    yield new
    for context in contexts:
        context.close()
    assert errors == []
    assert [url for own, url in requests if not url.startswith((own, "data:"))] == []


def at(page: Page, name: str, **data: int | str) -> Locator:
    attributes = "".join(f'[data-{key}="{value}"]' for key, value in data.items())
    return page.locator(f'[data-testid="{name}"]{attributes}')


def type_text(page: Page, text: str) -> None:
    at(page, "source").fill(text)
    expect(at(page, "live")).not_to_be_empty()


def marked(page: Page, side: str) -> list[tuple[int, int]]:
    words = at(page, f"{side}-word").and_(page.locator("[data-marked=counterpart]"))
    return sorted(
        words.evaluate_all("all => all.map(({dataset: d}) => [Number(d.row), Number(d.word)])")
    )


def test_translates_while_typing(new_page, server) -> None:
    page = new_page(server)
    expect(at(page, "empty")).to_contain_text("as you type")
    at(page, "source").press_sequentially(TEXT, delay=5)
    expected = [translate(server, line)["text"] for line in LINES[1:3]]
    expect(at(page, "live")).to_have_text(" ".join(expected))
    assert at(page, "translation").inner_text() == " ".join(expected)
    assert at(page, "translation").get_attribute("lang") == "de"
    assert at(page, "count").inner_text() == f"{len(TEXT)} / 50,000"
    at(page, "clear").click()
    expect(at(page, "empty")).to_be_visible()
    assert at(page, "source").input_value() == ""


def test_a_new_text_cancels_the_request(new_page, server) -> None:
    page = new_page(server)
    held: list[Any] = []  # the first request, which gets no answer
    page.route("**/v1/translate", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/v1/translate"):
        at(page, "source").fill(LINES[0])
    expect(at(page, "progress")).to_be_visible()
    with page.expect_event("requestfailed") as failed:
        type_text(page, LINES[1])
    assert at(page, "translation").inner_text() == translate(server, LINES[1])["text"]
    assert failed.value.failure == "net::ERR_ABORTED"


def test_pointing_at_a_word_marks_its_counterparts(new_page, server) -> None:
    page = new_page(server)
    type_text(page, "🐕 🐕! " + LINES[2])
    links = translate(server, LINES[2], alignments=True)["alignment"]["links"]
    row = 1
    for word in sorted({target for _, target in links})[:4]:
        at(page, "target-word", row=row, word=word).hover()
        expect(at(page, "target-word", row=row, word=word)).to_have_attribute("data-marked", "word")
        assert marked(page, "source") == [[row, i] for i, j in sorted(links) if j == word]
    for word in sorted({source for source, _ in links})[:4]:
        box = at(page, "source-word", row=row, word=word).bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(at(page, "source-word", row=row, word=word)).to_have_attribute("data-marked", "word")
        assert marked(page, "target") == [[row, j] for i, j in sorted(links) if i == word]
    assert "became" in at(page, "link").inner_text()
    page.mouse.move(0, 0)
    at(page, "source").focus()
    at(page, "source").press("Control+End")  # the caret selects a word too
    at(page, "source").press("ArrowLeft")
    last = at(page, "source-word", row=row).count() - 1
    expect(at(page, "source-word", row=row, word=last)).to_have_attribute("data-marked", "word")
    assert marked(page, "target") == [[row, j] for i, j in sorted(links) if i == last]


def test_another_translation_can_be_selected(new_page, server) -> None:
    page = new_page(server)
    type_text(page, TEXT)
    before = at(page, "translation").inner_text()
    at(page, "target-word", row=0, word=0).click()
    options = at(page, "sentence-option")
    expect(options.first).to_be_visible()
    texts = options.all_inner_texts()
    best = translate(server, LINES[1], n_best=5)["n_best"]
    assert len(texts) > 1 and set(texts[1:]) <= {each["text"] for each in best}
    assert at(page, "word-option").count() >= 1
    options.nth(1).click()
    expect(at(page, "alternatives")).to_have_count(0)
    second = translate(server, LINES[2])["text"]
    assert at(page, "translation").inner_text() == f"{texts[1]} {second}" != before
    at(page, "target-word", row=0, word=0).click()
    at(page, "sentence-option").first.click()
    assert at(page, "translation").inner_text() == before


def test_steps_of_a_sentence_are_shown(new_page, server) -> None:
    page = new_page(server)
    loaded = []
    page.on("request", lambda request: loaded.append(request.url.partition("?")[0]))
    type_text(page, TEXT)
    assert f"{server.url}/view.js" not in loaded
    at(page, "show-steps").click()
    expect(at(page, "view-stage")).to_be_visible()
    assert f"{server.url}/view.js" in loaded
    at(page, "tab-trace").click()
    expect(at(page, "stage")).to_contain_text("1 of")
    at(page, "forward").click()
    expect(at(page, "stage")).to_contain_text("2 of")
    at(page, "tab-text").click()
    words = page.locator("regard-view [data-side=columns][data-unit]").all_inner_texts()
    assert "cats" in words
    at(page, "next-sentence").click()
    expect(page.locator("regard-view [data-side=columns]").first).to_contain_text("man")
    page.keyboard.press("Escape")
    expect(at(page, "steps")).not_to_be_visible()
    assert "#" not in page.url and page.locator("regard-view").count() == 0


def test_steps_follow_an_edited_sentence_and_changes(new_page, server, model) -> None:
    """By the server, the model's own translation with and without changed attention."""
    translator = Translator.load(model)
    page = new_page(server)
    type_text(page, LINES[1])
    at(page, "show-steps").click()
    at(page, "live-source").fill(LINES[3])
    translation = at(page, "live-translation")
    expect(translation).to_have_text(translator.translate([LINES[3]])[0].text)
    at(page, "struck").first.click()
    pieces = TokenizedText.from_text(translator.tokenizer, LINES[3]).word_pieces[0]
    changed = translator.explain(LINES[3], changes=Changes(hidden=tuple(pieces))).target.raw
    expect(translation).to_have_text(changed)


def test_everything_works_by_keyboard(new_page, server) -> None:
    page = new_page(server)
    at(page, "source").focus()
    page.keyboard.insert_text(TEXT)
    expect(at(page, "live")).not_to_be_empty()
    page.keyboard.press("Tab")  # clear
    page.keyboard.press("Tab")  # the first word
    expect(at(page, "target-word", row=0, word=0)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(at(page, "target-word").nth(1)).to_be_focused()
    page.keyboard.press("End")
    assert page.evaluate(FOCUSED)["row"] == "1"
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(at(page, "sentence-option").first).to_be_visible()
    expect(page.locator(".option[aria-pressed=true]").first).to_be_focused()
    at(page, "copy").focus()
    expect(at(page, "alternatives")).to_have_count(0)
    at(page, "target-word", row=0, word=0).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".option[aria-pressed=true]").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(at(page, "alternatives")).to_have_count(0)
    expect(at(page, "target-word", row=0, word=0)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".option[aria-pressed=true]").first).to_be_focused()
    page.keyboard.press("ArrowUp")  # to the last alternative
    chosen = at(page, "sentence-option").last.inner_text()
    page.keyboard.press("Enter")
    expect(at(page, "translation")).to_contain_text(chosen)
    page.keyboard.press("Tab")
    expect(at(page, "show-steps")).to_be_focused()
    page.keyboard.press("Enter")
    expect(at(page, "view-stage")).to_be_visible()
    assert "the user gave the target" in page.locator("regard-view header").inner_text()
    page.keyboard.press("Escape")
    expect(at(page, "show-steps")).to_be_focused()


FOCUSED = """() => {
  const data = document.querySelector("regard-translator").shadowRoot.activeElement.dataset;
  return { row: data.row, word: data.word };
}"""


def test_warnings_follow_the_translation(new_page, server) -> None:
    page = new_page(server)
    texts = [*LINES, "dog dog dog dog", "A man sees two men.", "cat cat two two"]
    warned = [text for text in texts if translate(server, text, quality=True)["warnings"]]
    assert warned
    at(page, "source").fill(warned[0])
    expect(at(page, "warnings")).to_be_visible()
    unaligned = translate(server, warned[0], quality=True)["unaligned"]
    underlined = page.locator("[data-unaligned]").all_inner_texts()
    assert underlined == [warned[0][slice(*span)] for span in unaligned]
    assert at(page, "legend").count() == bool(unaligned)
    assert "Check the translation:" not in at(page, "warnings").inner_text()


def test_languages_are_swapped(new_page, server) -> None:
    page = new_page(server)
    type_text(page, LINES[1])
    translation = at(page, "translation").inner_text()
    at(page, "swap").click()
    expected = translate(server, translation, model="de-en")["text"]
    expect(at(page, "live")).to_have_text(expected, use_inner_text=True)
    assert at(page, "source").input_value() == translation
    assert at(page, "model").input_value() == "de-en"
    assert at(page, "source").get_attribute("lang") == "de"


DROP = """([target, name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name));
  for (const type of ["dragover", "drop"])
    target.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true,
      cancelable: true, composed: true }));
}"""


def test_a_file_is_translated_and_saved(new_page, server) -> None:
    page = new_page(server, status=422)
    text = f"<p>{LINES[1]} <b>{LINES[2]}</b></p>"
    with server.client() as client:
        expected = client.post("/v1/documents?format=html", content=text).content
    at(page, "file").set_input_files(
        {"name": "page.html", "mimeType": "text/html", "buffer": text.encode()}
    )
    expect(at(page, "document-summary")).to_contain_text("1 texts translated")
    with page.expect_download() as download:
        at(page, "save-document").click()
    assert download.value.suggested_filename == "page.de.html"
    assert download.value.path().read_bytes() == expected
    at(page, "close-document").click()
    expect(at(page, "document")).to_have_count(0)
    target = page.locator("regard-translator main").element_handle()
    page.evaluate(DROP, [target, "<b>x</b>.pdf", "x"])
    expect(at(page, "document")).to_contain_text("no document format has the suffix")
    assert "<b>x</b>.pdf" in at(page, "document").inner_text()


def test_hostile_text_is_shown_as_text(new_page, server) -> None:
    page = new_page(server)
    for text in HOSTILE:
        type_text(page, text)
        mirror = page.locator(".mirror").text_content()
        assert mirror.removesuffix("\u200b") == text
        words = at(page, "source-word").all_text_contents()
        assert all(word in text and word.strip() for word in words)
        at(page, "clear").click()
    assert page.evaluate("() => [window.ran ?? false, document.scripts.length]") == [False, 1]


def test_key_is_asked_for_and_kept_in_the_tab(new_page, model, tmp_path) -> None:
    keys = tmp_path / "keys.json"
    key = add_key(keys, "page")
    with running_server(model, "--keys", keys, "--workers", "1") as locked:
        enter_key(new_page(locked, status=401), key)


def enter_key(page: Page, key: str) -> None:
    at(page, "key").fill("wrong")
    at(page, "use-key").click()
    expect(at(page, "key-form")).to_contain_text("does not accept")
    at(page, "key").fill(key)
    page.keyboard.press("Enter")
    expect(at(page, "key-form")).to_have_count(0)
    at(page, "source").fill("A dog runs.")
    expect(at(page, "live")).not_to_be_empty()
    page.reload()
    expect(at(page, "empty")).to_be_visible()
    assert page.evaluate("() => [Object.keys(localStorage), document.cookie]") == [[], ""]


def test_problems_say_what_to_do(new_page, server) -> None:
    page = new_page(server, status=422)
    page.route("**/v1/translate", lambda route: route.fulfill(status=422, json={"error": "No."}))
    at(page, "source").fill("A dog runs.")
    expect(at(page, "problem")).to_contain_text("No.")
    page.unroute("**/v1/translate")
    at(page, "retry").click()
    expect(at(page, "target-word").first).to_be_visible()
    at(page, "source").fill("a" * 50_001)
    expect(at(page, "problem")).to_contain_text("Shorten it")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_page_is_accessible(new_page, server, axe, scheme, width) -> None:
    page = new_page(
        server,
        color_scheme=scheme,
        viewport={"width": width, "height": 800},
        bypass_csp=True,
    )
    page.evaluate(axe)
    found = {"empty": page.evaluate(VIOLATIONS)}
    type_text(page, TEXT)
    at(page, "target-word", row=0, word=0).hover()
    found["translated"] = page.evaluate(VIOLATIONS)
    at(page, "target-word", row=0, word=0).click()
    expect(at(page, "sentence-option").first).to_be_visible()
    found["alternatives"] = page.evaluate(VIOLATIONS)
    wide = "() => document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(wide) <= 0
    small = page.locator("button:visible").evaluate_all(
        "all => all.map((each) => each.getBoundingClientRect()).filter(({height}) => height < 44)"
    )
    assert small == []
    at(page, "word-steps").click()
    expect(at(page, "view-stage")).to_be_visible()
    found["steps"] = page.evaluate(VIOLATIONS)
    assert found == {state: [] for state in found}


def test_scripts_are_cached_and_the_policy_is_strict(server) -> None:
    with server.client() as client:
        page = client.get("/")
        assert page.headers["Content-Type"].startswith("text/html")
        policy = page.headers["Content-Security-Policy"]
        directives = dict(part.split(" ", 1) for part in policy.split("; "))
        assert directives["default-src"] == directives["frame-ancestors"] == "'none'"
        assert directives["script-src"] == directives["connect-src"] == "'self'"
        addresses = re.findall(r'"((?:page|view)\.js\?v=\w+)"', page.text)
        assert len(addresses) == 2
        for address in addresses:
            script = client.get(f"/{address}")
            assert script.headers["Content-Type"] == "text/javascript; charset=utf-8"
            assert "immutable" in script.headers["Cache-Control"]
            tag = {"If-None-Match": script.headers["ETag"]}
            again = client.get(f"/{address.partition('?')[0]}", headers=tag)
            assert again.status_code == 304 and again.headers["Cache-Control"] == "no-cache"

"""Which pages of `regard explain` have a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from regard.cli.main import app
from regard.errors import ConfigError
from regard.explain.page import LiveModels, explanation_page
from regard.tasks.translation.translator import Translator
from tests.bundles import make_bundle

MODEL = '<script type="application/vnd.regard.model+json">'


def explain(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["explain", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_page_has_its_models_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_bundle("bahdanau", tmp_path / "a" / "model")
    make_bundle("transformer", tmp_path / "b" / "model")
    explain("a/model", "b/model", "A dog runs.", "-o", "both.html")
    page = Path("both.html").read_text()
    assert page.count(MODEL) == 2 and "worker-src blob:" in page
    for options in (["--no-live"], ["--target", "Zwei."], ["--head", "1"]):
        explain("b/model", "A dog runs.", "-o", "one.html", *options)
        page = Path("one.html").read_text()
        assert MODEL not in page and "worker-src" not in page


def test_a_model_that_is_too_large_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a note; `--live` makes it an error."""
    monkeypatch.chdir(tmp_path)
    make_bundle("bahdanau", tmp_path / "model")
    monkeypatch.setitem(Translator.live_model.__kwdefaults__, "max_bytes", 1_000)
    output = explain("model", "A dog runs.", "-o", "page.html")
    assert "The page shows this sentence only." in output and "1,000" in output
    assert MODEL not in Path("page.html").read_text()
    with pytest.raises(ConfigError, match="packed weights"):
        explain("model", "A dog runs.", "-o", "page.html", "--live")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--live"], "--live needs a page"),
        (["--live", "-o", "page.html", "--target", "x"], "its own search"),
    ],
)
def test_live_is_refused_where_it_has_no_effect(options: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["explain", "model", "A dog.", *options])
    assert result.exit_code == 2 and message in str(result.output) + str(result.exception)


def test_models_and_settings_cannot_end_their_script() -> None:
    hostile = "</script><script>alert(1)</script>"
    live = LiveModels(
        [f'{{"a": "{hostile}"}}'], [hostile], hostile, [hostile], [(hostile, hostile)]
    )
    page = explanation_page(["{}"], "a title", live)
    assert "alert(1)</script>" not in page and hostile not in page

"""Documents through a model: the command, the method, and the report."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pytest
from typer.testing import CliRunner

from regard.cli.main import app
from regard.cli.options import UsageError
from regard.cli.translate_document import DocumentArguments, check_document_files
from regard.documents.formats.base import format_of_path
from regard.documents.report import DocumentReport, SegmentReport
from regard.errors import ConfigError, DocumentError
from regard.tasks.translation.translator import Translator
from tests.command import run_cli

MODEL = Path(__file__).parents[1] / "golden" / "format-2" / "transformer" / "model"
PAGE = (
    '<html><body><h1>A dog runs.</h1>\n<p>Two <b>cats</b> see {name} and <a href="x">Acme</a>.</p>'
    "<pre>kept</pre></body></html>"
)


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(MODEL)


def test_a_document_keeps_everything_but_its_text(translator: Translator) -> None:
    found = translator.translate_document(PAGE.encode(), format="html", keep=["Acme"])
    page = found.content.decode()
    for markup in ("<html><body><h1>", "</h1>\n<p>", "<pre>kept</pre></body></html>"):
        assert markup in page
    for once in ("<b>", "</b>", '<a href="x">', "</a>", "{name}", "Acme"):
        assert page.count(once) == 1
    assert [segment.place for segment in found.report.segments] == ["line 1", "line 2"]
    assert found.report.elements == 4
    assert found.report.kept == 2


def test_terms_and_memory_are_used_and_reported(translator: Translator) -> None:
    found = translator.translate_document(
        PAGE.encode(),
        format="html",
        terms={"cat": "Félin"},
        memory={"A dog runs.": "Ein Hund läuft."},
        languages=("en", "de"),
    )
    page = found.content.decode()
    assert page.startswith('<html lang="de"><body><h1>Ein Hund läuft.</h1>')
    first, second = found.report.segments
    assert (first.match, first.notes, second.match) == (1.0, (), None)
    assert found.report.remembered == (1, 0)
    (use,) = second.terms
    assert (use.source, use.target) == ("cat", "Félin")
    assert ("Félin" in page) == (use.by != "") == ("Félin" in second.target)
    assert sum(found.report.terms.values()) == 1
    assert DocumentReport.from_json(json.loads(json.dumps(found.report.to_json()))) == found.report
    with pytest.raises(ConfigError, match="languages"):
        translator.translate_document(PAGE.encode(), format="html", memory="old.tmx")


def test_bytes_need_a_format(translator: Translator) -> None:
    with pytest.raises(DocumentError, match="name the format"):
        translator.translate_document(b"words")
    with pytest.raises(DocumentError, match="cannot be read"):
        translator.translate_document("missing.html")


def test_the_command_writes_a_document_and_a_report(tmp_path: Path) -> None:
    source, out = tmp_path / "page.html", tmp_path / "page.fr.html"
    source.write_text(PAGE, "utf-8")
    report = tmp_path / "report.json"
    options = ["--source", str(source), "-o", str(out), "--report", str(report), "--keep", "Acme"]
    run_cli(["translate", str(MODEL), *options])
    assert out.read_text("utf-8").count("{name}") == 1
    assert json.loads(report.read_text("utf-8"))["format"] == "html"
    terms, bilingual = tmp_path / "terms.tsv", tmp_path / "pairs.tmx"
    terms.write_text("cat\tFélin\n", "utf-8")
    first = ["--terms", str(terms), "--languages", "en-de", "--bilingual", str(bilingual)]
    run_cli(["translate", str(MODEL), *options, *first])
    assert '<html lang="de">' in out.read_text("utf-8")
    again = ["--memory", str(bilingual), "--languages", "en-de"]
    run_cli(["translate", str(MODEL), *options, *again])
    values = json.loads(report.read_text("utf-8"))
    assert [segment["match"] for segment in values["segments"]] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--source", "page.html"], "needs an output file"),
        (["--source", "page.html", "-o", "b.html", "--n-best", "2"], "--n-best has no effect"),
        (["--source", "page.html", "-o", "b.html", "--report", "r.txt"], "JSON or HTML"),
        (["--source", "page.html", "--format", "pdf"], "not a format"),
        (["--source", "page.html", "-o", "b.html", "--bilingual", "b.txt"], "name it .xlf"),
        (["--source", "page.html", "-o", "b.html", "--languages", "french"], "is not a pair"),
        (["--keep", "x"], "--keep has no effect"),
    ],
)
def test_wrong_options_are_refused(
    options: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text(PAGE, "utf-8")
    result = CliRunner().invoke(app, ["translate", str(MODEL), *options])
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())


SUFFIXES = [".html", ".HTM", ".md", ".docx", ".json", ".xml", ".txt", ".csv", ".tsv", ".po", ".srt"]
OTHER_SUFFIXES = [".html.gz", ".pdf", ".doc", ".odt", ".zip", ".parquet"]


@pytest.mark.parametrize("source", [suffix for suffix in SUFFIXES if suffix != ".txt"])
def test_an_output_has_the_suffix_of_its_format_or_is_refused(source: str, tmp_path: Path) -> None:
    """`-o page.html.gz` wrote HTML that is not compressed, and `-o page.pdf` a DOCX file."""
    name = format_of_path(f"page{source}")
    for suffix in [*SUFFIXES, *OTHER_SUFFIXES]:
        refused = suffix in OTHER_SUFFIXES or format_of_path(f"x{suffix}") != name
        with pytest.raises(UsageError, match="Name it out") if refused else nullcontext():
            paths = tmp_path / f"page{source}", tmp_path / f"out{suffix}"
            check_document_files(*map(str, paths), name, DocumentArguments())


@pytest.mark.parametrize("url", ["https://host.example/page.html", "s3://bucket/page.docx"])
def test_a_document_at_an_address_is_refused(url: str, tmp_path: Path) -> None:
    out = str(tmp_path / f"out{Path(url).suffix}")
    result = CliRunner().invoke(app, ["translate", str(MODEL), "--source", url, "-o", out])
    assert result.exit_code == 2 and isinstance(result.exception, UsageError | SystemExit)
    shown = " ".join(f"{result.output} {result.exception}".replace("│", " ").split())
    assert "documents are read from files" in shown, shown
    assert not list(tmp_path.iterdir())


def test_the_report_page_shows_what_to_check() -> None:
    segments = (SegmentReport("line 1", "a <b>", "un", ("The number 3 is missing.",)),)
    page = DocumentReport("x.html", "html", segments, 3, 1, 2).to_page()
    assert "1 of 1 segments need a check" in page
    assert "The number 3 is missing." in page
    assert "a &lt;b&gt;" in page

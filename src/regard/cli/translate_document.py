"""Documents in `regard translate`: the file's format, its outputs and its progress."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.corpus_options import parse_languages
from regard.cli.options import UsageError
from regard.cli.outputs import check_output, write_output
from regard.documents.bilingual import BILINGUAL_SUFFIXES, write_bilingual
from regard.documents.formats.base import FORMAT_NAMES, format_of_path
from regard.errors import DocumentError

if TYPE_CHECKING:
    from regard.documents.report import DocumentReport
    from regard.tasks.translation.documents import TranslatedDocument
    from regard.tasks.translation.options import TranslateOptions
    from regard.tasks.translation.translator import Translator

LINES = "lines"
DOCUMENT = "Documents"


@dataclass(frozen=True)
class DocumentFiles:
    """A document and the file of its translation."""

    source: Path
    out: Path
    format_name: str


def _option(text: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(help=text, metavar=metavar, rich_help_panel=DOCUMENT, **more)


@dataclass(frozen=True)
class DocumentArguments:
    """Options of documents."""

    keep: Annotated[
        list[str] | None,
        _option("Text of a document that is not translated. Repeatable.", "TEXT"),
    ] = None
    terms: Annotated[
        Path | None,
        _option("Terms of a document with their translations, as .tsv or .tbx.", "FILE"),
    ] = None
    memory: Annotated[
        Path | None,
        _option("Translations to use again in a document, as .tmx, .xlf or .po.", "FILE"),
    ] = None
    min_match: Annotated[
        float,
        _option("With --memory: least similarity of a text; 1: only equal texts.", min=0.01, max=1),
    ] = 0.85
    languages: Annotated[
        str | None,
        _option(
            "Codes of the languages of a document, such as en-fr. Default: the bundle's.",
            "SOURCE-TARGET",
        ),
    ] = None
    bilingual: Annotated[
        Path | None, _option("Also write sources and translations, as .xlf, .po or .tmx.", "FILE")
    ] = None
    report: Annotated[
        Path | None, _option("Also write a report on the document, as .json or .html.", "FILE")
    ] = None

    def write_with_model(
        self, translator: Translator, files: DocumentFiles, options: TranslateOptions
    ) -> None:
        """Translate a document with a bundle, which can use terms and a memory."""
        languages = parse_languages(self.languages)
        translate = partial(
            translator.translate_document,
            terms=self.terms,
            memory=self.memory,
            min_match=self.min_match,
            languages=languages,
        )
        pair = languages or translator.languages.for_target(options.to).only_pair
        self.write(translate, files, options, pair or (None, None))

    def write(
        self,
        translate: Callable[..., TranslatedDocument],
        files: DocumentFiles,
        options: TranslateOptions,
        languages: tuple[str | None, str | None] = (None, None),
    ) -> None:
        """Translate a document and write all outputs.

        `translate`: of a translator or a client.
        """
        translated = translate(
            files.source,
            options,
            format=files.format_name,
            keep=self.keep or (),
            on_progress=_Progress(),
        )
        write_output(files.out, translated.content)
        if self.report is not None:
            _write_report(self.report, translated.report)
        if self.bilingual is not None:
            suffix = self.bilingual.suffix
            write_output(self.bilingual, write_bilingual(translated.report, suffix, languages))
        _print_summary(translated.report)


def chosen_format(source: Path | None, name: str | None) -> str | None:
    """The document format of a file; None if it is translated line by line."""
    if name == LINES or (name is None and source is None):
        return None
    if name is not None and name not in FORMAT_NAMES:
        formats = ", ".join((LINES, *FORMAT_NAMES))
        raise UsageError(f"--format: {name!r} is not a format. The formats are {formats}.")
    if source is None:
        raise UsageError("--format needs --source FILE.")
    if name is not None:
        return name
    try:
        format_name = format_of_path(source)
    except DocumentError:
        return None
    return None if format_name == "text" else format_name


def check_document_files(
    source: str, out: str | None, format_name: str, arguments: DocumentArguments
) -> DocumentFiles:
    """Refuse files that cannot be read or written, before any work."""
    if "://" in source:
        raise UsageError(
            f"{source}: documents are read from files. Download it, or pass --format lines."
        )
    if out is None:
        raise UsageError("A document needs an output file. Pass --out FILE.")
    files = DocumentFiles(Path(source), Path(out), format_name)
    report, bilingual = arguments.report, arguments.bilingual
    _check_suffix(files.source, files.out, format_name)
    check_output(files.out, source, report, bilingual)
    check_output(report, source, out, bilingual)
    check_output(bilingual, source, out, report)
    if bilingual is not None and bilingual.suffix.lower() not in BILINGUAL_SUFFIXES:
        raise UsageError(f"{bilingual}: name it {', '.join(BILINGUAL_SUFFIXES)}.")
    if report is not None and report.suffix.lower() not in (".json", ".html"):
        raise UsageError(f"{report}: the report is JSON or HTML. Name it .json or .html.")
    return files


def _check_suffix(source: Path, out: Path, format_name: str) -> None:
    """Refuse a file name with the suffix of another format than that of the document."""
    if not out.suffix or out.suffix.lower() == source.suffix.lower():
        return
    try:
        named_format = format_of_path(out)
    except DocumentError:
        named_format = None
    if named_format != format_name:
        raise UsageError(
            f"{out}: the translation of {source} has the format {format_name}. Name it "
            f"{out.with_suffix(source.suffix).name}."
        )


def _write_report(path: Path, report: DocumentReport) -> None:
    if path.suffix.lower() == ".html":
        write_output(path, report.to_page())
    else:
        write_output(path, json.dumps(report.to_json(), ensure_ascii=False, indent=1) + "\n")


def _print_summary(report: DocumentReport) -> None:
    """Print what a person should check on standard error."""
    for segment in report.to_check:
        print(f"{segment.place}: {' '.join(segment.notes)}", file=sys.stderr)
    print(
        f"{len(report.segments):,} segments, {report.elements:,} inline elements and placeholders, "
        f"{len(report.to_check):,} segments to check",
        file=sys.stderr,
    )
    if any(report.terms.values()):
        terms = report.terms
        honoured = terms["model"] + terms["replacement"]
        print(
            f"{honoured:,} of {sum(terms.values()):,} terms as prescribed, "
            f"{terms['replacement']:,} of them replaced",
            file=sys.stderr,
        )
    if any(report.remembered):
        exact, similar = report.remembered
        print(f"from the memory: {exact:,} equal, {similar:,} similar", file=sys.stderr)


class _Progress:
    """Prints the number of translated texts: in place on a terminal, else every ten seconds."""

    def __init__(self) -> None:
        self._reported = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if sys.stderr.isatty():
            end = "\r" if done < total else "\n"
            print(f"{done:,} of {total:,} texts", end=end, file=sys.stderr, flush=True)
        elif self._reported and now - self._reported >= 10 and done < total:
            self._reported = now
            print(f"{done:,} of {total:,} texts", file=sys.stderr, flush=True)
        self._reported = self._reported or now

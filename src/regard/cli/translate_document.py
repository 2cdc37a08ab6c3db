"""Documents in `regard translate`: the file's format, its outputs and its progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.cli.outputs import check_output, write_output
from regard.cli.usage import UsageError

if TYPE_CHECKING:
    from regard.cli.common_options import AlignWith
    from regard.serve.client import Client
    from regard.tasks.translation.translator import Translator

LINES = "lines"


def chosen_format(source: Path | None, name: str | None) -> str | None:
    """The document format of a file; None if it is translated line by line."""
    from regard.documents.formats.registry import FORMAT_NAMES, format_of_path
    from regard.errors import DocumentError

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
        found = format_of_path(source)
    except DocumentError:
        return None
    return None if found == "text" else found


def check_document_outputs(
    source: Path, out: Path | None, format_name: str, report: Path | None, bilingual: Path | None
) -> None:
    """Refuse outputs that cannot be written, before any work."""
    from regard.documents.bilingual import BILINGUAL_SUFFIXES

    if out is None:
        raise UsageError("A document needs an output file. Pass --out FILE.")
    _check_suffix(source, out, format_name)
    check_output(out, source, report, bilingual)
    check_output(report, source, out, bilingual)
    check_output(bilingual, source, out, report)
    if bilingual is not None and bilingual.suffix.lower() not in BILINGUAL_SUFFIXES:
        raise UsageError(f"{bilingual}: name it {', '.join(BILINGUAL_SUFFIXES)}.")
    if report is not None and report.suffix.lower() not in (".json", ".html"):
        raise UsageError(f"{report}: the report is JSON or HTML. Name it .json or .html.")


def _check_suffix(source: Path, out: Path, format_name: str) -> None:
    """Refuse a name that promises another format than that of the document."""
    from regard.documents.formats.registry import format_of_path
    from regard.errors import DocumentError

    if not out.suffix or out.suffix.lower() == source.suffix.lower():
        return
    try:
        promised = format_of_path(out)
    except DocumentError:
        promised = None
    if promised != format_name:
        raise UsageError(
            f"{out}: the translation of {source} has the format {format_name}. Name it "
            f"{out.with_suffix(source.suffix).name}."
        )


def write_document(
    translator: Translator | Client,
    source: Path,
    out: Path,
    format_name: str,
    *,
    report: Path | None,
    bilingual: Path | None,
    languages: tuple[str, str] | None,
    to: str | None,
    resources: dict[str, Any],
    keep: Sequence[str],
    beam_size: int | None,
    length_penalty: float | None,
    align_with: AlignWith,
    quality: bool,
) -> None:
    """Translate a document and print what a person should check on standard error.

    `resources`: the terms and the memory, which only a bundle can use.
    """
    from regard.documents.bilingual import write_bilingual

    if resources:
        resources = resources | {"languages": languages}
    translated = translator.translate_document(
        source,
        format=format_name,
        to=to,
        keep=keep,
        beam_size=beam_size,
        length_penalty=length_penalty,
        align_with=align_with,
        quality=quality,
        on_progress=_Progress(),
        **resources,
    )
    write_output(out, translated.content)
    found = translated.report
    if report is not None:
        is_page = report.suffix.lower() == ".html"
        values = json.dumps(found.to_json(), ensure_ascii=False, indent=1) + "\n"
        write_output(report, found.to_page() if is_page else values)
    if bilingual is not None:
        bundled = getattr(translator, "languages", None)  # a client has none
        bundled = None if bundled is None else bundled.into(to).only_pair
        known = languages or bundled or (None, None)
        write_output(bilingual, write_bilingual(found, bilingual.suffix, known))
    for segment in found.to_check:
        print(f"{segment.place}: {' '.join(segment.notes)}", file=sys.stderr)
    print(
        f"{len(found.segments):,} segments, {found.elements:,} inline elements and placeholders, "
        f"{len(found.to_check):,} segments to check",
        file=sys.stderr,
    )
    if any(found.terms.values()):
        terms = found.terms
        honoured = terms["model"] + terms["replacement"]
        print(
            f"{honoured:,} of {sum(terms.values()):,} terms as prescribed, "
            f"{terms['replacement']:,} of them replaced",
            file=sys.stderr,
        )
    if any(found.remembered):
        exact, similar = found.remembered
        print(f"from the memory: {exact:,} equal, {similar:,} similar", file=sys.stderr)


class _Progress:
    """Prints the number of translated texts: in place on a terminal, else every ten seconds."""

    def __init__(self) -> None:
        self._reported = 0.0

    def __call__(self, done: int, total: int) -> None:
        import time

        now = time.monotonic()
        if sys.stderr.isatty():
            end = "\r" if done < total else "\n"
            print(f"{done:,} of {total:,} texts", end=end, file=sys.stderr, flush=True)
        elif self._reported and now - self._reported >= 10 and done < total:
            self._reported = now
            print(f"{done:,} of {total:,} texts", file=sys.stderr, flush=True)
        self._reported = self._reported or now

"""Options and arguments that name corpora, shared by several commands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.options import UsageError
from regard.data.formats.corpus import open_corpus

if TYPE_CHECKING:
    from regard.data.formats.corpus import Corpus

TrainingFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="The training corpus: a source and a target file with one sentence per line, or one "
        ".tsv, .jsonl, .parquet or .tmx file.",
    ),
]
PairSource = Annotated[
    str,
    typer.Option(
        metavar="FILE",
        help="Source sentences, one per line, or both sides in one .tsv, .jsonl, .parquet or "
        ".tmx file.",
    ),
]
PairTarget = Annotated[
    str | None, typer.Option(metavar="FILE", help="Their translations, one per line.")
]
Columns = Annotated[
    tuple[str, str] | None,
    typer.Option(
        metavar="SOURCE TARGET",
        help="Where source and target are in a one-file corpus: column numbers from 0, keys or "
        "languages.",
    ),
]
_CODE = re.compile("[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
LanguagesOption = Annotated[
    str | None,
    typer.Option(
        "--languages",
        metavar="SOURCE-TARGET",
        help="Languages of the corpora, such as en-fr, for a model with several target languages.",
    ),
]
Valid = Annotated[
    tuple[str, str] | None,
    typer.Option(metavar="SOURCE TARGET", help="The validation set in two files."),
]
ValidFile = Annotated[
    str | None, typer.Option(metavar="FILE", help="The validation set in one file.")
]


@dataclass(frozen=True)
class TaskFiles:
    """The corpora of models that do not translate."""

    text: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="For a language model: one text or paragraph per line."),
    ] = None
    documents: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="For a classifier: .tsv (label, text) or .jsonl."),
    ] = None
    images: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="For a captioner: .jsonl with the keys `image` and `caption`."
        ),
    ] = None

    @property
    def given(self) -> list[str]:
        """The files on the command line."""
        return [file for file in (self.text, self.documents, self.images) if file is not None]


def corpus_argument(
    paths: list[str], columns: tuple[str, str] | None, name: str | None = None
) -> Corpus:
    """Open a corpus of one or two files; its default name is the stem of the first file."""
    if len(paths) > 2:
        raise UsageError(f"A corpus has one or two files, not {len(paths)}.")
    name = name or _stem(paths[0])
    if columns is None or len(paths) > 1:
        return open_corpus(*paths, name=name)
    source, target = column_names(columns)
    return open_corpus(paths[0], name=name, source=source, target=target)


def column_names(columns: tuple[str, str]) -> list[int | str]:
    """Convert column numbers to integers; leave keys and languages as strings."""
    return [int(column) if column.isdecimal() else column for column in columns]


def columns_setting(
    columns: tuple[str, str] | None, files: list[str]
) -> dict[str, list[int | str]]:
    """Return the setting `columns` of a corpus in one file; two files have no columns."""
    return {} if columns is None or len(files) > 1 else {"columns": column_names(columns)}


def parse_languages(value: str | None) -> tuple[str, str] | None:
    """The codes of `en-fr` or `pt-BR:en`."""
    if value is None:
        return None
    source, _, target = value.partition(":" if ":" in value else "-")
    codes = (source, target)
    if not all(_CODE.fullmatch(code) for code in codes):
        raise UsageError(
            f"--languages: {value!r} is not a pair of languages. Pass one such as en-fr or "
            "en:pt-BR."
        )
    return codes


def languages_setting(languages: tuple[str, str] | None) -> dict[str, list[str]]:
    """Return the setting `languages` of a corpus, if it is given."""
    return {} if languages is None else {"languages": list(languages)}


def check_columns(columns: tuple[str, str] | None, *corpora: list[str] | None) -> None:
    """Refuse `--columns` if none of the corpora is in one file."""
    if columns is not None and all(files is None or len(files) > 1 for files in corpora):
        raise UsageError("--columns: no corpus is in one file. Leave it out.")


def files_option(name: str, pair: tuple[str, str] | None, file: str | None) -> list[str] | None:
    """Return the files given by `--name SOURCE TARGET` or by `--name-file FILE`, if any."""
    if pair is not None and file is not None:
        raise UsageError(f"Give --{name} or --{name}-file, not both.")
    return [file] if file is not None else None if pair is None else list(pair)


def _stem(path: str) -> str:
    """Return the file name without suffixes of format and compression."""
    name = PurePosixPath(path)
    if name.suffix in (".gz", ".xz", ".zst"):
        name = name.with_suffix("")
    return name.stem

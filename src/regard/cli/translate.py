"""`regard translate`: translate text line by line, or a document."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from regard.bounds import LENGTH_PENALTY, MIN_LENGTH, NGRAM
from regard.cli.job_options import JOB, JobArguments, OutputFile, check_job_output
from regard.cli.options import (
    AlignWith,
    BeamSize,
    JsonLines,
    NBest,
    SamplingArguments,
    To,
    UsageError,
    make_mode,
    option_groups,
    option_names,
    refuse_without,
)
from regard.cli.translate_document import DocumentArguments, check_document_files, chosen_format
from regard.cli.translate_job import check_table, run_translation_job, translate_blocks
from regard.cli.translate_lines import write_translations
from regard.client import Client
from regard.data.formats.files import COMPRESSED
from regard.tasks.translation.options import TranslateOptions
from regard.tasks.translation.translator import Translator

if TYPE_CHECKING:
    from regard.inference.engine import SamplingOptions

JOB_BYTES = 4 << 20  # a source of this size is translated in parts, to survive an interruption

SEARCH, CONSTRAINTS, OUTPUT, SERVER = "Search", "Constraints", "Output", "Server"


def _option(text: str, panel: str | None = None, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(help=text, rich_help_panel=panel, metavar=metavar, **more)


@dataclass(frozen=True)
class ModelArguments:
    """How bundles are loaded."""

    engine: Annotated[
        Literal["auto", "torch", "invariant", "ctranslate2", "ctranslate2-int8"],
        _option("Search engine. Default: CTranslate2 if the model was exported."),
    ] = "auto"
    ensemble: Annotated[
        list[str] | None,
        _option(
            "A further model with the same vocabulary; probabilities are averaged. Repeatable.",
            metavar="MODEL",
        ),
    ] = None

    def load(self, model: str) -> Translator:
        return Translator.load(
            model, engine=self.engine, ensemble=self.ensemble or (), fixed_batches=True
        )


@dataclass(frozen=True)
class SearchArguments:
    """The fields of `TranslateOptions` of the same names."""

    beam_size: BeamSize = None
    length_penalty: Annotated[
        float | None,
        _option(
            "Divide the scores of a beam by length^penalty. Default: the bundle's setting.",
            SEARCH,
            min=LENGTH_PENALTY.low,
            max=LENGTH_PENALTY.high,
        ),
    ] = None
    n_best: NBest = 1
    prefix: Annotated[
        str | None, _option("Text that every translation begins with.", CONSTRAINTS)
    ] = None
    min_length: Annotated[
        int,
        _option(
            "Minimum number of tokens in a translation.",
            CONSTRAINTS,
            min=MIN_LENGTH.low,
            max=MIN_LENGTH.high,
        ),
    ] = 0
    no_repeat_ngram: Annotated[
        int,
        _option(
            "Do not repeat an n-gram of this many tokens; 0: no constraint.",
            CONSTRAINTS,
            min=NGRAM.low,
            max=NGRAM.high,
        ),
    ] = 0
    forbid: Annotated[
        list[str] | None,
        _option("Text that must not occur in a translation. Repeatable.", CONSTRAINTS, "TEXT"),
    ] = None


@dataclass(frozen=True)
class OutputArguments:
    """What is written besides the translations."""

    align: Annotated[
        bool,
        typer.Option(
            "--align",
            help="Add the word links, i-j i-j, to each line, and the words of source and "
            "translation that they count from 0, separated by tabs.",
            rich_help_panel=OUTPUT,
        ),
    ] = False
    align_with: AlignWith = None
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Report translations that need review, and how many do, on standard error.",
            rich_help_panel=OUTPUT,
        ),
    ] = False
    as_json: JsonLines = False


@dataclass(frozen=True)
class ServerArguments:
    """The server that translates, instead of a bundle."""

    server: Annotated[
        str | None,
        _option(
            "Translate with this server (see `regard serve`) instead of a model.", SERVER, "URL"
        ),
    ] = None
    server_model: Annotated[
        str | None,
        _option("Name of one of the server's models. Default: its first.", SERVER, "NAME"),
    ] = None
    key: Annotated[
        str | None,
        _option(
            "A key of the server. The variable is not shown in lists of processes.",
            SERVER,
            envvar="REGARD_KEY",
        ),
    ] = None

    def client(self) -> Client:
        return Client(self.server or "", key=self.key, model=self.server_model)


_ALL = {"out", "to", "beam_size", "length_penalty", "check"}
_MODEL = {"model", "align_with"} | option_names(ModelArguments)
_SERVER = {"model"} | option_names(ServerArguments)  # the first text is parsed as the model
_TEXTS = {"align", "as_json"} | option_names(SearchArguments) | option_names(SamplingArguments)
_LINES = {"source", "format"}
_RESOURCES = {"terms", "memory", "min_match", "languages"}  # a server cannot use them
_DOCUMENT = option_names(DocumentArguments) - _RESOURCES | _LINES
_JOB = option_names(JobArguments)

MODES = {
    ("texts", "model"): make_mode("for texts of the command line", _ALL, _MODEL, _TEXTS, {"texts"}),
    ("lines", "model"): make_mode(
        "for lines of text", _ALL, _MODEL, _TEXTS, _LINES, _JOB - {"address"}
    ),
    ("job", "model"): make_mode(
        "for large or compressed files and tables", _ALL, _MODEL, _TEXTS, _LINES, _JOB, {"column"}
    ),
    ("document", "model"): make_mode(
        "for documents; `--format lines` translates a file line by line",
        *(_ALL, _MODEL, _DOCUMENT, _RESOURCES),
    ),
    ("texts", "server"): make_mode("with --server, for texts", _ALL, _SERVER, _TEXTS, {"texts"}),
    ("lines", "server"): make_mode(
        "with --server, for lines of text", _ALL, _SERVER, _TEXTS, _LINES
    ),
    ("job", "server"): make_mode("with --server, for lines of text", _ALL, _SERVER, _TEXTS, _LINES),
    ("document", "server"): make_mode("with --server, for documents", _ALL, _SERVER, _DOCUMENT),
}


@option_groups
def translate(
    model: Annotated[
        str | None, typer.Argument(help="A translation model bundle. Not with --server.")
    ] = None,
    texts: Annotated[
        list[str] | None,
        typer.Argument(help="Texts to translate. Default: the lines of a file."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File or URL to translate: a document, or text, also .gz, .xz or .zst, or "
            ".parquet. Default: standard input.",
        ),
    ] = None,
    out: OutputFile = None,
    to: To = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Format of --source: lines, or text, html, markdown, docx, xliff, po, json, yaml, "
            "android, properties, srt, vtt, csv, tsv. Default: by its suffix, else lines.",
            rich_help_panel="Documents",
        ),
    ] = None,
    *,
    document: DocumentArguments,
    loading: ModelArguments,
    search: SearchArguments,
    sampling: SamplingArguments,
    output: OutputArguments,
    server: ServerArguments,
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column to translate of a .parquet, .jsonl or .tsv file. Default: source, of "
            ".parquet.",
            rich_help_panel=JOB,
        ),
    ] = None,
    job: JobArguments,
) -> None:
    """Translate text line by line, or a document. An empty line stays empty.

    A document keeps its markup and everything that is not text. Its format is that of the suffix of
    --source; --format lines translates any file line by line.

    A large file is translated in parts. Run the same command again to resume after an
    interruption.

    With --n-best, each output line is: line number from 0 ||| translation ||| score, and with
    --align also ||| links ||| source words ||| words of the translation.

    Examples:

    regard translate model/ "A dog runs."

    regard translate model/ < in.en > out.de

    regard translate multilingual/ --to fr "A dog runs."

    regard translate model/ --source report.docx -o report.fr.docx --report report.html

    regard translate --server http://localhost:8000 < in.en > out.de

    regard translate model/ --source corpus.en.gz --out corpus.de.gz --workers 8
    """
    model, texts = _model_and_texts(model, texts, server.server)
    if texts and source is not None:
        raise UsageError("Pass either texts or --source FILE.")
    drawn = sampling.options()
    if model is not None:
        refuse_without("--server", "server_model", "key")
    format_name = None
    if column is None:
        format_name = chosen_format(None if source is None else Path(source), format)
    kind = _kind(model, texts, source, out, format_name, column, job)
    MODES[kind, "server" if model is None else "model"].check()
    options = _translate_options(
        to, search, drawn, output, is_document=kind == "document", served=model is None
    )
    if source is not None and format_name is not None:
        files = check_document_files(source, out, format_name, document)
        if model is not None:
            document.write_with_model(loading.load(model), files, options)
            return
        with server.client() as client:
            document.write(client.translate_document, files, options)
        return
    check_job_output(out, source)
    if kind == "job":
        if source is None or model is None:
            raise UsageError(
                "--runner, --workers, --part, --column, compressed files and URLs need a model "
                "bundle and --source."
            )
        models = (model, *(loading.ensemble or ()))
        check_table(out, options, output.as_json)
        blocks = translate_blocks(models, loading.engine, options, output.as_json)
        run_translation_job(blocks, source, column, out, job)
        return
    with nullcontext(loading.load(model)) if model is not None else server.client() as translator:
        write_translations(translator, texts, source, out, options, output.as_json)


def _model_and_texts(
    model: str | None, texts: list[str] | None, server: str | None
) -> tuple[str | None, list[str] | None]:
    """Return the model, None with a server, and the texts of the command line."""
    is_bundle = model is not None and (server is None or Path(model).is_dir())
    if is_bundle == (server is not None):
        raise UsageError("Pass either a translation model bundle or --server URL.")
    if server is not None and model is not None:  # the first argument is a text
        return None, [model, *(texts or ())]
    return model, texts


def _kind(
    model: str | None,
    texts: list[str] | None,
    source: str | None,
    out: str | None,
    format_name: str | None,
    column: str | None,
    job: JobArguments,
) -> str:
    """Return what is translated: with the origin of translations, a key of MODES."""
    if format_name is not None:
        return "document"
    if texts:
        return "texts"
    asked = job.runner == "ray" or job.workers > 1 or job.part is not None or column is not None
    if asked or _is_corpus(source, out) or (model is not None and _is_large(source, out)):
        return "job"
    return "lines"


def _is_corpus(*files: str | None) -> bool:
    """Whether only a job reads and writes the files: URLs, tables and compressed files."""
    return any(
        "://" in name or name.endswith((*COMPRESSED, ".parquet")) for name in filter(None, files)
    )


def _is_large(source: str | None, out: str | None) -> bool:
    """Whether a job translates a file: a large one, into a file."""
    if source is None or out is None or (Path(out).exists() and not Path(out).is_file()):
        return False
    return Path(source).is_file() and Path(source).stat().st_size >= JOB_BYTES


def _translate_options(
    to: str | None,
    search: SearchArguments,
    sampling: SamplingOptions | None,
    output: OutputArguments,
    *,
    is_document: bool,
    served: bool,
) -> TranslateOptions:
    """Return the options of the translator or of the client."""
    return TranslateOptions(
        to=to,
        **(vars(search) | {"forbid": search.forbid or ()}),
        sampling=sampling,
        logps=output.as_json and not served,
        alignments=not is_document and (output.align or output.align_with is not None),
        align_with=output.align_with,
        quality=output.check,
    )

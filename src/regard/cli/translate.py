"""`regard translate`: translate text line by line, or a document."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from regard.bounds import LENGTH_PENALTY, MIN_LENGTH, NGRAM
from regard.cli.common_options import AlignWith, BeamSize, JsonLines, NBest, To
from regard.cli.corpus_options import parse_languages
from regard.cli.job_options import (
    JOB,
    Address,
    OutputFile,
    RunnerName,
    Workers,
    absolute_path,
    check_job_output,
    open_job_runner,
    run_job,
)
from regard.cli.option_modes import (
    SERVER_DOCUMENT,
    SERVER_LINES,
    SERVER_TEXTS,
    TRANSLATE_DOCUMENT,
    TRANSLATE_JOB,
    TRANSLATE_LINES,
    TRANSLATE_TEXTS,
    Mode,
    check_sampling,
    refuse_without,
)
from regard.cli.sampling_options import Sample, Seed, Temperature, TopK, TopP
from regard.cli.translate_document import (
    check_document_outputs,
    chosen_format,
    write_document,
)
from regard.cli.translate_lines import write_translations
from regard.cli.usage import UsageError

if TYPE_CHECKING:
    from regard.serve.client import Client
    from regard.tasks.translation.translator import Translator

JOB_BYTES = 4 << 20  # a source of this size is translated in parts, to survive an interruption

SEARCH, CONSTRAINTS, OUTPUT, SERVER = "Search", "Constraints", "Output", "Server"
DOCUMENT = "Documents"


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
            rich_help_panel=DOCUMENT,
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Text of a document that is not translated. Repeatable.",
            rich_help_panel=DOCUMENT,
        ),
    ] = None,
    terms: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Terms of a document with their translations, as .tsv or .tbx.",
            rich_help_panel=DOCUMENT,
        ),
    ] = None,
    memory: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Translations to use again in a document, as .tmx, .xlf or .po.",
            rich_help_panel=DOCUMENT,
        ),
    ] = None,
    min_match: Annotated[
        float,
        typer.Option(
            min=0.01,
            max=1,
            help="With --memory: least similarity of a text; 1: only equal texts.",
            rich_help_panel=DOCUMENT,
        ),
    ] = 0.85,
    languages: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE-TARGET",
            help="Codes of the languages of a document, such as en-fr. Default: the bundle's.",
            rich_help_panel=DOCUMENT,
        ),
    ] = None,
    bilingual: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write sources and translations, as .xlf, .po or .tmx.",
            rich_help_panel=DOCUMENT,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write a report on the document, as .json or .html.",
            rich_help_panel=DOCUMENT,
        ),
    ] = None,
    engine: Annotated[
        Literal["auto", "torch", "invariant", "ctranslate2", "ctranslate2-int8"],
        typer.Option(help="Search engine. Default: CTranslate2 if the model was exported."),
    ] = "auto",
    ensemble: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="A further model with the same vocabulary; probabilities are averaged. "
            "Repeatable.",
        ),
    ] = None,
    beam_size: BeamSize = None,
    length_penalty: Annotated[
        float | None,
        typer.Option(
            min=LENGTH_PENALTY.low,
            max=LENGTH_PENALTY.high,
            help="Divide the scores of a beam by length^penalty. Default: the bundle's setting.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    n_best: NBest = 1,
    prefix: Annotated[
        str | None,
        typer.Option(help="Text that every translation begins with.", rich_help_panel=CONSTRAINTS),
    ] = None,
    min_length: Annotated[
        int,
        typer.Option(
            min=MIN_LENGTH.low,
            max=MIN_LENGTH.high,
            help="Minimum number of tokens in a translation.",
            rich_help_panel=CONSTRAINTS,
        ),
    ] = 0,
    no_repeat_ngram: Annotated[
        int,
        typer.Option(
            min=NGRAM.low,
            max=NGRAM.high,
            help="Do not repeat an n-gram of this many tokens; 0: no constraint.",
            rich_help_panel=CONSTRAINTS,
        ),
    ] = 0,
    forbid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Text that must not occur in a translation. Repeatable.",
            rich_help_panel=CONSTRAINTS,
        ),
    ] = None,
    sample: Sample = False,
    temperature: Temperature = 1.0,
    top_k: TopK = None,
    top_p: TopP = 1.0,
    seed: Seed = 1,
    align: Annotated[
        bool,
        typer.Option(
            "--align",
            help="Add the word links, i-j i-j, to each line, and the words of source and "
            "translation that they count from 0, separated by tabs.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    align_with: AlignWith = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Report translations that need review, and how many do, on standard error.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    as_json: JsonLines = False,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Translate with this server (see `regard serve`) instead of a model.",
            rich_help_panel=SERVER,
        ),
    ] = None,
    server_model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name of one of the server's models. Default: its first.",
            rich_help_panel=SERVER,
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            envvar="REGARD_KEY",
            help="A key of the server. The variable is not shown in lists of processes.",
            rich_help_panel=SERVER,
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column to translate of a .parquet, .jsonl or .tsv file. Default: source, of "
            ".parquet.",
            rich_help_panel=JOB,
        ),
    ] = None,
    runner: RunnerName = "local",
    workers: Workers = 1,
    address: Address = None,
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
    from regard.data.jobs.part_formats import TABLE, output_suffix
    from regard.inference.engine import SamplingOptions

    if server is not None and model is not None:  # the first argument is a text
        if Path(model).is_dir():
            raise UsageError("Pass either a translation model bundle or --server URL.")
        texts = [model, *(texts or ())]
        model = None
    if model is None and server is None:
        raise UsageError("Pass either a translation model bundle or --server URL.")
    if texts and source is not None:
        raise UsageError("Pass either texts or --source FILE.")
    check_sampling(sample)
    if server is None:
        refuse_without("--server", "server_model", "key")

    def open_translator() -> AbstractContextManager[Translator | Client]:
        if server is not None:
            from regard.serve.client import Client

            return Client(server, key=key, model=server_model)
        from regard.tasks.translation.translator import Translator

        return nullcontext(
            Translator.load(model or "", engine=engine, ensemble=ensemble or (), fixed_batches=True)
        )

    path = None if source is None else Path(source)
    document = None if column is not None else chosen_format(path, format)
    is_job = runner == "ray" or workers > 1 or column is not None or _is_corpus(source, out)
    _mode(server is not None, bool(texts), document is not None, is_job).check()
    if memory is None:
        refuse_without("--memory", "min_match")
    if document is not None and path is not None:
        if source is not None and "://" in source:
            raise UsageError(
                f"{source}: documents are read from files. Download it, or pass --format lines."
            )
        document_out = None if out is None else Path(out)
        check_document_outputs(path, document_out, document, report, bilingual)
        pair = parse_languages(languages)
        with open_translator() as translator:
            write_document(
                translator,
                path,
                cast("Path", document_out),
                document,
                report=report,
                bilingual=bilingual,
                languages=pair,
                to=to,
                resources={"terms": terms, "memory": memory, "min_match": min_match}
                if server is None
                else {},
                keep=keep or (),
                beam_size=beam_size,
                length_penalty=length_penalty,
                align_with=align_with,
                quality=check,
            )
        return
    check_job_output(out, source)
    options: dict[str, Any] = {
        "to": to,
        "beam_size": beam_size,
        "n_best": n_best,
        "length_penalty": length_penalty,
        "prefix": prefix,
        "min_length": min_length,
        "no_repeat_ngram": no_repeat_ngram,
        "forbid": forbid or (),
        "logps": as_json and server is None,
        "alignments": align or align_with is not None,
        "align_with": align_with,
        "quality": check,
    }
    sampling = SamplingOptions(seed, temperature, top_k, top_p) if sample else None
    if is_job:
        if source is None or model is None:
            raise UsageError(
                "--runner, --workers, --column, compressed files and URLs need a model bundle and "
                "--source."
            )
        if output_suffix(out or "") == TABLE and (as_json or n_best > 1 or options["alignments"]):
            raise UsageError(f"{out}: a table has no room for --json, --n-best and --align.")
        from regard.cli.job_models import JobModel
        from regard.cli.translate_job import TranslateBlocks
        from regard.data.formats.corpus import open_texts

        models = tuple(map(JobModel.find, (model, *(ensemble or ()))))
        corpus = open_texts(
            absolute_path(source), int(column) if column and column.isdecimal() else column
        )
        function = TranslateBlocks(models, engine, options, sampling, as_json)
        with open_job_runner(runner, workers, address, out) as workers_of_job:
            run_job(function, corpus, out, workers_of_job)
        return
    with open_translator() as translator:
        output = None if out is None else Path(out)
        write_translations(translator, texts, path, output, options, sampling, as_json)


def _mode(server: bool, texts: bool, document: bool, job: bool) -> Mode:
    """Return the mode that the options select."""
    if document:
        return SERVER_DOCUMENT if server else TRANSLATE_DOCUMENT
    if texts:
        return SERVER_TEXTS if server else TRANSLATE_TEXTS
    if server:
        return SERVER_LINES
    return TRANSLATE_JOB if job else TRANSLATE_LINES


def _is_corpus(source: str | None, out: str | None) -> bool:
    """Whether a job reads and writes the files: URLs, tables, compressed and large files."""
    from regard.data.formats.files import COMPRESSED

    names = [name for name in (source, out) if name is not None]
    if any("://" in name or name.endswith((*COMPRESSED, ".parquet")) for name in names):
        return True
    if source is None or out is None or (Path(out).exists() and not Path(out).is_file()):
        return False
    return Path(source).is_file() and Path(source).stat().st_size >= JOB_BYTES

"""`regard evaluate`: score translations, word alignments, and models of the other tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from regard.cli import evaluation
from regard.cli.corpus_options import Columns, TaskFiles, check_columns
from regard.cli.options import (
    BeamSize,
    JsonReport,
    LinkArguments,
    Mode,
    To,
    UsageError,
    make_mode,
    option_groups,
)
from regard.cli.outputs import check_output, to_line, write_output

_SCORES = {"source", "reference", "by_length", "figure", "as_json"}
_GOLD = {"alignments", "one_based", "as_json"}

MODEL = make_mode("for translations of a model", _SCORES, {"model", "to", "beam_size", "out"})
OUTPUTS = make_mode("with --outputs, which needs no model", _SCORES, {"outputs"})
ALIGNMENTS = make_mode(
    "with --alignments", _GOLD, {"model", "source", "target", "align_with", "to"}
)
LINKS = make_mode("with --links, which needs no model", _GOLD, {"links"})
CORPUS = make_mode(
    "with --text, --documents and --images",
    {"model", "text", "documents", "images", "columns", "as_json"},
)


@option_groups
def evaluate(
    model: Annotated[str | None, typer.Argument(help="A model bundle.")] = None,
    source: Annotated[
        str | None, typer.Option(metavar="FILE", help="Source sentences, one per line.")
    ] = None,
    reference: Annotated[
        str | None, typer.Option(metavar="FILE", help="Reference translations, one per line.")
    ] = None,
    outputs: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Score these translations instead of a model's."),
    ] = None,
    *,
    files: TaskFiles,
    columns: Columns = None,
    to: To = None,
    by_length: Annotated[
        bool, typer.Option("--by-length", help="Also report scores by source length in words.")
    ] = False,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a chart of BLEU by length (SVG).")
    ] = None,
    beam_size: BeamSize = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write the model's translations here."),
    ] = None,
    gold: LinkArguments,
    as_json: JsonReport = False,
) -> None:
    """Score translations (BLEU, chrF, TER) or word alignments (AER) with confidence intervals.

    Also reports the perplexity of a language model, the accuracy of a classifier and the scores of
    a captioner.

    Examples:

    regard evaluate model/ --source test.en --reference test.de --by-length

    regard evaluate model/ --alignments gold.align --source gold.en --target gold.fr

    regard evaluate model/ --text test.txt

    regard evaluate model/ --documents test.jsonl

    regard evaluate model/ --images test.jsonl
    """
    inputs = (source, reference, outputs, *files.given, gold.alignments, gold.target, gold.links)
    check_output(out, *inputs)
    check_output(figure, out, *inputs)
    _mode(model, outputs, files, gold).check()
    check_columns(columns, files.given or None)
    if files.given:
        evaluation.evaluate_task(model, files, columns, as_json=as_json)
    elif gold.links is not None:
        evaluation.evaluate_links(gold, as_json=as_json)
    elif gold.alignments is not None:
        evaluation.evaluate_alignments(model, source, to, gold, as_json=as_json)
    else:
        pairs = evaluation.read_references(source, reference)
        if outputs is not None:
            name, translations = outputs, evaluation.read_translations(outputs)
        else:
            name = str(model)
            translations = evaluation.translate_lines(name, pairs[0], beam_size, to)
        if out is not None:
            write_output(out, "".join(f"{to_line(line)}\n" for line in translations))
        evaluation.evaluate_translations(
            Path(name).name, *pairs, translations, figure, by_length=by_length, as_json=as_json
        )


def _mode(model: str | None, outputs: str | None, files: TaskFiles, gold: LinkArguments) -> Mode:
    """Return what the options ask for."""
    if len(files.given) + (gold.alignments is not None) > 1:
        raise UsageError("Give only one of: --text, --documents, --images, --alignments.")
    if files.given:
        return CORPUS
    if gold.alignments is not None:
        return ALIGNMENTS if gold.links is None else LINKS
    if gold.links is not None or gold.target is not None:
        raise UsageError("--links and --target need --alignments.")
    if model is None and outputs is None:
        raise UsageError("Give either a model or --outputs.")
    return MODEL if outputs is None else OUTPUTS

"""`regard evaluate`: score translations, word alignments, and models of the other tasks."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from regard.cli.common_options import AlignWith, BeamSize, JsonReport, To
from regard.cli.corpus_options import Columns, check_columns, columns_setting
from regard.cli.option_modes import (
    EVALUATE_ALIGNMENTS,
    EVALUATE_CORPUS,
    EVALUATE_LINKS,
    EVALUATE_MODEL,
    EVALUATE_OUTPUTS,
)
from regard.cli.outputs import check_output, to_line, write_output
from regard.cli.usage import UsageError

if TYPE_CHECKING:
    from regard.align.aer import AlignmentScores
    from regard.train.events import Scores


LINK_ORIGINS = {
    "aligner": "of the model's word aligner; --align-with attention scores its attention",
    "attention": "of the model's attention",
    "file": "of the file",
}


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
    text: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="For a language model: one text or paragraph per line."),
    ] = None,
    documents: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="For a classifier: .tsv (label, text) or .jsonl."),
    ] = None,
    images: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="For a captioner: .jsonl with the keys `image` and `caption`."
        ),
    ] = None,
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
    alignments: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Score word alignments against these gold links."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="With --alignments: the translations to align."),
    ] = None,
    links: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="With --alignments: score this Pharaoh file instead of a model."
        ),
    ] = None,
    align_with: AlignWith = None,
    one_based: Annotated[
        bool, typer.Option("--one-based", help="With --alignments: gold links count from 1.")
    ] = False,
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
    from rich.console import Console

    from regard.data.formats.corpus import read_parallel
    from regard.evaluate.by_length import evaluate_by_length
    from regard.evaluate.length_chart import chart_by_length
    from regard.evaluate.report import draw_agreement, draw_evaluation

    inputs = (source, reference, outputs, text, documents, images, alignments, target, links)
    check_output(out, *inputs)
    check_output(figure, out, *inputs)
    models = {"language model": text, "document classifier": documents, "captioning model": images}
    corpora = {name: file for name, file in models.items() if file is not None}
    if len(corpora) + (alignments is not None) > 1:
        raise UsageError("Give only one of: --text, --documents, --images, --alignments.")
    if corpora:
        EVALUATE_CORPUS.check()
    elif alignments is not None:
        (EVALUATE_ALIGNMENTS if links is None else EVALUATE_LINKS).check()
    elif links is not None or target is not None:
        raise UsageError("--links and --target need --alignments.")
    elif model is None and outputs is None:
        raise UsageError("Give either a model or --outputs.")
    else:
        (EVALUATE_MODEL if outputs is None else EVALUATE_OUTPUTS).check()
    check_columns(columns, list(corpora.values()) or None)
    for kind, file in corpora.items():
        scores = _score_corpus(_required(model, "a model"), kind, file, columns)
        if as_json:
            print(json.dumps({"values": scores.values, "signatures": scores.signatures}))
        else:
            width = max(map(len, scores.values))
            for name, value in scores.values.items():
                print(f"{name:{width}} {value:#8.4g}  {scores.signatures.get(name, '')}".rstrip())
        return
    if alignments is not None:
        agreement, origin = _score_alignments(
            model, alignments, source, target, links, int(one_based), align_with, to
        )
        if as_json:
            print(json.dumps(asdict(agreement) | {"links_from": origin}))
        else:
            draw_agreement(agreement, Console())
            print(f"links: {LINK_ORIGINS[origin]}")
        return
    sources, references = read_parallel(
        _required(source, "--source"), _required(reference, "--reference")
    )
    translations = (
        read_translations(outputs)
        if outputs is not None
        else translate_lines(str(model), sources, beam_size, to)
    )
    if out is not None:
        write_output(out, "".join(f"{to_line(line)}\n" for line in translations))
    with Console(stderr=True).status("scoring"):  # TER of long sentences takes minutes
        evaluation = evaluate_by_length(sources, translations, references)
    if figure is not None:
        name = Path(outputs or str(model)).name
        write_output(figure, chart_by_length({name: evaluation}, "bleu"))
    if as_json:
        values = asdict(evaluation)
        if not by_length:
            del values["buckets"]
        print(json.dumps(values))
    else:
        draw_evaluation(evaluation, Console(), by_length=by_length)


def _score_corpus(model: str, kind: str, file: str, columns: tuple[str, str] | None) -> Scores:
    """Score a model of a kind on a corpus with the metrics of its task."""
    from regard.bundle.bundle import open_bundle
    from regard.config.data import CorpusConfig
    from regard.tasks.base import task_for
    from regard.tasks.bundles import bundle_config

    bundle = open_bundle(Path(model))
    task = task_for(bundle_config(bundle, kind))
    config = CorpusConfig.model_validate({"files": [file], **columns_setting(columns, [file])})
    return task.evaluate(bundle, task.corpus(config, "test"))


def read_text_lines(path: str) -> list[str]:
    from regard.data.formats.files import line_blocks

    return [line for block in line_blocks(path, 10_000) for line in block]


def read_translations(path: str) -> list[str]:
    """Return the lines of a file with translations; warn if they seem to be tokenized."""
    from regard.evaluate.scores import looks_tokenized

    lines = read_text_lines(path)
    if looks_tokenized(lines):
        print(
            f"{path}: looks tokenized (“word .”), which lowers or raises BLEU. Detokenize it.",
            file=sys.stderr,
        )
    return lines


def translate_lines(
    model: str, sources: Sequence[str], beam_size: int | None, to: str | None
) -> list[str]:
    """Translate `sources` with a model bundle; `to`: as for `Translator.translate`."""
    from rich.console import Console

    from regard.tasks.translation.translator import Translator

    with Console(stderr=True).status(f"translating {len(sources):,} sentences with {model}"):
        translator = Translator.load(model, fixed_batches=True)
        results = translator.translate(sources, to=to, beam_size=beam_size)
        return [result.text for result in results]


def _score_alignments(
    model: str | None,
    alignments: str,
    source: str | None,
    target: str | None,
    links: str | None,
    first: int,
    align_with: Literal["aligner", "attention"] | None,
    to: str | None,
) -> tuple[AlignmentScores, str]:
    """Return the scores, and where the links come from: a key of LINK_ORIGINS."""
    from regard.align.aer import score_alignments
    from regard.align.links import check_gold, read_gold, read_links
    from regard.data.formats.corpus import read_parallel

    gold = read_gold(alignments, first=first)
    if links is not None:
        return score_alignments(read_links(links), gold), "file"
    bundle = _required(model, "a model or --links")
    sources, targets = read_parallel(_required(source, "--source"), _required(target, "--target"))
    check_gold(gold, sources, targets, alignments)
    from regard.tasks.translation.translator import Translator

    translator = Translator.load(bundle, engine="torch")
    origin = align_with or ("attention" if translator.aligner is None else "aligner")
    aligned = translator.align(sources, targets, to=to, pretokenized=True, align_with=align_with)
    return score_alignments([each.links for each in aligned], gold), origin


def _required(value: str | None, name: str) -> str:
    if value is None:
        raise UsageError(f"Missing {name}.")
    return value

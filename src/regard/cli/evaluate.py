"""`regard evaluate`: how good translations are, and how good word alignments."""

from __future__ import annotations

import json as json_
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.corpus_options import Columns, column_names

if TYPE_CHECKING:
    from regard.align.aer import AlignmentScores
    from regard.train.events import Scores

Beam = Annotated[
    int | None, typer.Option(min=1, help="Hypotheses to follow; the model's own number otherwise.")
]


def evaluate(
    model: Annotated[str | None, typer.Argument(help="A sealed model.")] = None,
    source: Annotated[str | None, typer.Option(help="Sentences, one a line.")] = None,
    reference: Annotated[str | None, typer.Option(help="Their translations by people.")] = None,
    outputs: Annotated[
        str | None, typer.Option(help="Their translations by a machine, instead of a model.")
    ] = None,
    text: Annotated[
        str | None, typer.Option(help="Of a language model: a text or a paragraph a line.")
    ] = None,
    documents: Annotated[
        str | None, typer.Option(help="Of a classifier: labelled, .tsv or .jsonl.")
    ] = None,
    images: Annotated[
        str | None, typer.Option(help="Of a captioner: .jsonl with `image` and `caption`.")
    ] = None,
    columns: Columns = None,
    by_length: Annotated[
        bool, typer.Option("--by-length", help="Also by the number of words of the source.")
    ] = False,
    figure: Annotated[Path | None, typer.Option(help="Draw BLEU by length there, as SVG.")] = None,
    beam: Beam = None,
    out: Annotated[Path | None, typer.Option(help="Write the model's translations there.")] = None,
    alignments: Annotated[
        str | None, typer.Option(help="Gold word links: score links instead of translations.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="With --alignments: the translations that are aligned.")
    ] = None,
    links: Annotated[
        str | None, typer.Option(help="With --alignments: a Pharaoh file, instead of a model.")
    ] = None,
    from_one: Annotated[
        bool, typer.Option("--from-one", help="The gold links count words from 1.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="The same as one JSON object.")] = False,
) -> None:
    """Score translations: BLEU, chrF and TER, with intervals; or word links: AER. Or say how well
    a model foresees a text, names the classes of documents, or describes pictures.

    Examples: regard evaluate model/ --source test.en --reference test.de --by-length;
    regard evaluate model/ --alignments gold.align --source gold.en --target gold.fr;
    regard evaluate model/ --text test.txt; regard evaluate model/ --documents test.jsonl;
    regard evaluate model/ --images test.jsonl
    """
    from rich.console import Console

    from regard.data.formats.corpus import read_parallel
    from regard.evaluate.by_length import evaluate_by_length as evaluate_
    from regard.evaluate.length_chart import chart_by_length
    from regard.evaluate.report import draw_agreement, draw_evaluation

    if (file := text or documents or images) is not None:
        scores = _measured(_needed(model, "a model"), file, columns)
        if json:
            print(json_.dumps({"values": scores.values, "signatures": scores.signatures}))
        else:
            width = max(map(len, scores.values))
            for name, value in scores.values.items():
                print(f"{name:{width}} {value:#8.4g}  {scores.signatures.get(name, '')}".rstrip())
        return
    if alignments is not None:
        agreement = _agreement(model, alignments, source, target, links, 1 if from_one else 0)
        if json:
            print(json_.dumps(asdict(agreement)))
        else:
            draw_agreement(agreement, Console())
        return
    if (model is None) == (outputs is None):
        raise typer.BadParameter("give a model or --outputs, one of them")
    sources, references = read_parallel(
        _needed(source, "--source"), _needed(reference, "--reference")
    )
    said = (
        read_text_lines(outputs)
        if outputs is not None
        else translate_lines(str(model), sources, beam)
    )
    if out is not None:
        out.write_text("".join(f"{line}\n" for line in said), encoding="utf-8")
    with Console(stderr=True).status("scoring"):  # TER of long sentences takes minutes
        evaluation = evaluate_(sources, said, references)
    if figure is not None:
        name = Path(outputs or str(model)).name
        figure.write_text(chart_by_length({name: evaluation}, "bleu"), encoding="utf-8")
    if json:
        facts = asdict(evaluation)
        if not by_length:
            del facts["buckets"]
        print(json_.dumps(facts))
    else:
        draw_evaluation(evaluation, Console(), by_length=by_length)


def _measured(model: str, file: str, columns: tuple[str, str] | None) -> Scores:
    """How good a sealed model is, by what its own use says of such a file."""
    from regard.bundle.bundle import open_bundle
    from regard.config.data import CorpusConfig
    from regard.tasks.base import task_for
    from regard.tasks.bundles import bundle_config

    bundle = open_bundle(Path(model))
    use, keys = (
        task_for(bundle_config(bundle)),
        {} if columns is None else {"columns": column_names(columns)},
    )
    spec = CorpusConfig.model_validate({"files": [file], **keys})
    return use.evaluate(bundle, use.corpus(spec, "test"))


def read_text_lines(path: str) -> list[str]:
    from regard.data.formats.files import line_blocks

    return [line for block in line_blocks(path, 10_000) for line in block]


def translate_lines(model: str, sources: Sequence[str], beam: int | None) -> list[str]:
    """What a sealed model says, a text for each source."""
    from rich.console import Console

    from regard.tasks.translation.translator import load_translator

    with Console(stderr=True).status(f"translating {len(sources):,} sentences with {model}"):
        translator = load_translator(model)
        how = translator.options if beam is None else replace(translator.options, beam_size=beam)
        return [said.text for said in translator.translate(sources, how)]


def _agreement(
    model: str | None,
    alignments: str,
    source: str | None,
    target: str | None,
    links: str | None,
    first: int,
) -> AlignmentScores:
    from regard.align.aer import score_alignments
    from regard.align.links import check_gold, read_gold, read_links
    from regard.data.formats.corpus import read_parallel

    gold = read_gold(alignments, first=first)
    if links is not None:
        return score_alignments(read_links(links), gold)
    folder = _needed(model, "a model or --links")
    sources, targets = read_parallel(_needed(source, "--source"), _needed(target, "--target"))
    check_gold(gold, sources, targets, alignments)
    from regard.tasks.translation.translator import load_translator

    aligned = load_translator(folder, engine="torch").align(sources, targets, pretokenized=True)
    return score_alignments([each.links for each in aligned], gold)


def _needed(value: str | None, option: str) -> str:
    """The value of an option that this use of the command cannot do without."""
    if value is None:
        raise typer.BadParameter(f"{option} is missing")
    return value

"""What `regard evaluate` scores: translations, word alignments, and models of the other tasks."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from regard.align.links import AlignmentScores, check_gold, read_gold, read_links, score_alignments
from regard.bundle.bundle import open_bundle
from regard.cli.corpus_options import TaskFiles, columns_setting
from regard.cli.options import LinkArguments, UsageError
from regard.cli.outputs import write_output
from regard.data.formats.corpus import read_parallel
from regard.data.formats.files import line_blocks
from regard.evaluate.comparison_page import chart_by_length
from regard.evaluate.report import draw_agreement, draw_evaluation
from regard.evaluate.scores import evaluate_by_length, looks_tokenized
from regard.tasks.translation.translator import Translator

LINK_ORIGINS = {
    "aligner": "of the model's word aligner; --align-with attention scores its attention",
    "attention": "of the model's attention",
    "file": "of the file",
}
KINDS = {
    "text": "language model",
    "documents": "document classifier",
    "images": "captioning model",
}
"""The kind of model that each option of `TaskFiles` evaluates."""


def evaluate_task(
    model: str | None, files: TaskFiles, columns: tuple[str, str] | None, *, as_json: bool
) -> None:
    """Print the scores of a model of another task, with the metrics of its task."""
    from regard.config.data import CorpusConfig
    from regard.tasks.base import task_for
    from regard.tasks.bundles import bundle_config

    bundle = open_bundle(Path(_required(model, "a model")))
    ((name, file),) = [(name, file) for name, file in vars(files).items() if file is not None]
    task = task_for(bundle_config(bundle, KINDS[name]))
    config = CorpusConfig.model_validate({"files": [file], **columns_setting(columns, [file])})
    scores = task.evaluate(bundle, task.corpus(config, "test"))
    if as_json:
        print(json.dumps({"values": scores.values, "signatures": scores.signatures}))
        return
    width = max(map(len, scores.values))
    for name, value in scores.values.items():
        print(f"{name:{width}} {value:#8.4g}  {scores.signatures.get(name, '')}".rstrip())


def evaluate_links(gold: LinkArguments, *, as_json: bool) -> None:
    """Print the scores of the links of a file."""
    expected = read_gold(gold.alignments or "", first=int(gold.one_based))
    _print_agreement(score_alignments(read_links(gold.links or ""), expected), "file", as_json)


def evaluate_alignments(
    model: str | None, source: str | None, to: str | None, gold: LinkArguments, *, as_json: bool
) -> None:
    """Print the scores of the links of a model."""
    path = gold.alignments or ""
    expected = read_gold(path, first=int(gold.one_based))
    bundle = _required(model, "a model or --links")
    sources, targets = read_parallel(
        _required(source, "--source"), _required(gold.target, "--target")
    )
    check_gold(expected, sources, targets, path)
    translator = Translator.load(bundle, engine="torch")
    origin = gold.align_with or ("attention" if translator.aligner is None else "aligner")
    aligned = translator.align(
        sources, targets, to=to, pretokenized=True, align_with=gold.align_with
    )
    links = [alignment.links for alignment in aligned]
    _print_agreement(score_alignments(links, expected), origin, as_json)


def _print_agreement(agreement: AlignmentScores, origin: str, as_json: bool) -> None:
    """Print scores, and where the links come from: a key of LINK_ORIGINS."""
    if as_json:
        print(json.dumps(asdict(agreement) | {"links_from": origin}))
        return
    draw_agreement(agreement, Console())
    print(f"links: {LINK_ORIGINS[origin]}")


def read_references(source: str | None, reference: str | None) -> tuple[list[str], list[str]]:
    """Return the lines of --source and of --reference."""
    return read_parallel(_required(source, "--source"), _required(reference, "--reference"))


def evaluate_translations(
    name: str,
    sources: Sequence[str],
    references: Sequence[str],
    translations: Sequence[str],
    figure: Path | None,
    *,
    by_length: bool,
    as_json: bool,
) -> None:
    """Print the scores of translations; `name`: of their origin, for the figure."""
    with Console(stderr=True).status("scoring"):  # TER of long sentences takes minutes
        evaluation = evaluate_by_length(sources, translations, references)
    if figure is not None:
        write_output(figure, chart_by_length({name: evaluation}, "bleu"))
    if as_json:
        values = asdict(evaluation)
        if not by_length:
            del values["buckets"]
        print(json.dumps(values))
    else:
        draw_evaluation(evaluation, Console(), by_length=by_length)


def read_text_lines(path: str) -> list[str]:
    return [line for block in line_blocks(path, 10_000) for line in block]


def read_translations(path: str) -> list[str]:
    """Return the lines of a file with translations; warn if they seem to be tokenized."""
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
    with Console(stderr=True).status(f"translating {len(sources):,} sentences with {model}"):
        translator = Translator.load(model, fixed_batches=True)
        results = translator.translate(sources, to=to, beam_size=beam_size)
        return [result.text for result in results]


def _required(value: str | None, name: str) -> str:
    if value is None:
        raise UsageError(f"Missing {name}.")
    return value

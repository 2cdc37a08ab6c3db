"""Word links of eflomal, trained on the training pairs of a study.

    python -m benchmarks.eflomal --program eflomal-align --study reproduced --out eflomal.links
    regard study mine.yaml --data … --out reproduced

The second command needs a copy of the built-in study (`regard study alignments --show > mine.yaml`)
with `others: {eflomal: eflomal.links}` in its measure alignment-error-rate.

eflomal (Östling and Tiedemann 2016) runs as a separate program (pip install eflomal, in a separate
environment: its license is the GPL). It aligns the pairs that it is trained on, so the 447 pairs
with gold links are included, without their links. Words are lower-cased, and French contractions
expanded as in the gold sentences: « des » is `de les`. Both directions are combined by grow-diag,
as in the study. The last line is a JSON object.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.multi30k import DATA
from regard.align.links import Links, read_links, score_alignments, symmetrize, write_links
from regard.data.loading.shards import PreparedData
from regard.studies.measures.alignment_error import GoldPairs
from regard.studies.planning import StudyPlan, shared_preparation
from regard.studies.study_file import load_study
from regard.text.tokenizer import SentencePiece
from regard.text.words import split_words

ELIDED = {f"{letter}'": f"{letter}e" for letter in "cdjlmnst"} | {"qu'": "que"}
CONTRACTED = {"du": "de le", "des": "de les", "au": "à le", "aux": "à les"}


def tokenize(text: str, language: str) -> str:
    """Lower-cased words separated by spaces, as in the gold sentences."""
    found = []
    for start, end in split_words(text):
        word = text[start:end].lower().replace("’", "'")
        if language == "fr":
            head, apostrophe, rest = word.partition("'")
            if head + apostrophe in ELIDED:
                found.append(ELIDED[head + apostrophe])
                word = rest
            word = CONTRACTED.get(word, word)
        elif word.endswith("'s"):
            word = f"{word[:-2]} 's"
        found.append(word)
    return " ".join(found)


def gold_pairs() -> GoldPairs:
    """The pairs with gold links of the study alignments."""
    plan = StudyPlan(load_study("alignments"), DATA, DATA)
    (measure,) = (
        each for each in plan.study.config.measures if each.kind == "alignment-error-rate"
    )
    return measure.gold.read(plan.find_file)


def training_pairs(study: Path) -> Iterator[tuple[str, str]]:
    """The training pairs of the study's models."""
    prepared = shared_preparation(study / load_study("alignments").data_name)
    tokenizer = SentencePiece.load(prepared.data)
    for shard in PreparedData.open(str(prepared.data)).shards("train"):
        opened = shard.open()
        for i in range(shard.pairs):
            source, target = opened.pair(i)
            yield tokenizer.decode(source.tolist()), tokenizer.decode(target.tolist())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="eflomal-align")
    parser.add_argument(
        "--study", type=Path, required=True, help="the --out directory of regard study"
    )
    parser.add_argument("--out", type=Path, required=True, help="Pharaoh file to write")
    parser.add_argument("--quick", action="store_true", help="use a twentieth of the pairs")
    options = parser.parse_args()
    gold = gold_pairs()
    lines = [
        (" ".join(source).lower(), " ".join(target).lower())
        for source, target in zip(gold.sources, gold.targets, strict=True)
    ]
    training = list(training_pairs(options.study))[:: 20 if options.quick else 1]
    lines += [(tokenize(source, "en"), tokenize(target, "fr")) for source, target in training]
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = align(options.program, lines, Path(folder))[: len(gold.gold)]
    options.out.write_text("".join(f"{write_links(links)}\n" for links in found), "utf-8")
    agreement = score_alignments(found, gold.gold)
    facts = {"pairs": len(training), "seconds": round(time.perf_counter() - start, 1)}
    print(json.dumps({"benchmark": "eflomal", **facts, "aer": round(agreement.aer, 2)}))


def align(program: str, lines: list[tuple[str, str]], folder: Path) -> list[Links]:
    sides = [folder / "source", folder / "target"]
    for side, path in enumerate(sides):
        path.write_text("".join(f"{pair[side]}\n" for pair in lines), "utf-8")
    out = [folder / "forward", folder / "backward"]
    command = [program, "-s", sides[0], "-t", sides[1], "-f", out[0], "-r", out[1]]
    try:
        subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr)
    except FileNotFoundError:
        sys.exit(f"{program}: no such program. Install eflomal and pass its path as --program.")
    return [
        symmetrize(forward, backward, "grow-diag")
        for forward, backward in zip(*(read_links(str(path)) for path in out), strict=True)
    ]


if __name__ == "__main__":
    main()

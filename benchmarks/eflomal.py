"""Word links of eflomal, learnt from exactly the pairs that a study's models were taught by.

    python -m benchmarks.eflomal --program eflomal-align --study reproduced --out eflomal.links
    regard reproduce alignments --data … --out reproduced --baseline eflomal=eflomal.links

eflomal (Östling and Tiedemann 2016) is run as a program of its own (pip install eflomal, in an
environment of its own: its licence is the GPL). It aligns what it learns from, so the 447 pairs
with gold links are read too, without their links. Words are lower-cased, and French ones taken
apart as in the gold sentences: « des » is `de les`. Both directions are made one by grow-diag, as
those of our models are. The last line is one JSON object.
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
from regard.align.aer import score_alignments
from regard.align.links import Links, read_links, write_links
from regard.align.symmetrize import symmetrize
from regard.data.loading.shards import PreparedData
from regard.studies.alignments import Alignments, read_gold_pairs
from regard.studies.study import shared_preparation
from regard.text.tokenizer import SentencePiece
from regard.text.words import split_words

CUT = {f"{letter}'": f"{letter}e" for letter in "cdjlmnst"} | {"qu'": "que"}
APART = {"du": "de le", "des": "de les", "au": "à le", "aux": "à les"}


def apart(text: str, language: str) -> str:
    """Lower-cased words with spaces between, in the manner of the gold sentences."""
    found = []
    for start, end in split_words(text):
        word = text[start:end].lower().replace("’", "'")
        if language == "fr":
            head, cut, rest = word.partition("'")
            if head + cut in CUT:
                found.append(CUT[head + cut])
                word = rest
            word = APART.get(word, word)
        elif word.endswith("'s"):
            word = f"{word[:-2]} 's"
        found.append(word)
    return " ".join(found)


def pairs_taught(study: Path) -> Iterator[tuple[str, str]]:
    """The pairs of the study's shards, as its models read them."""
    home = shared_preparation(study / Alignments(quick=False).pairs.name)
    tokenizer = SentencePiece.load(home.data)
    for shard in PreparedData.open(str(home.data)).shards("train"):
        opened = shard.open()
        for i in range(shard.pairs):
            source, target = opened.pair(i)
            yield tokenizer.decode(source.tolist()), tokenizer.decode(target.tolist())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="eflomal-align")
    parser.add_argument("--study", type=Path, required=True, help="the --out of regard reproduce")
    parser.add_argument("--out", type=Path, required=True, help="a Pharaoh file")
    parser.add_argument("--quick", action="store_true", help="of a twentieth of the pairs")
    given = parser.parse_args()
    gilded = read_gold_pairs(DATA)
    lines = [
        (" ".join(source).lower(), " ".join(target).lower())
        for source, target in zip(gilded.sources, gilded.targets, strict=True)
    ]
    taught = list(pairs_taught(given.study))[:: 20 if given.quick else 1]
    lines += [(apart(source, "en"), apart(target, "fr")) for source, target in taught]
    clock = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = align(given.program, lines, Path(folder))[: len(gilded.gold)]
    given.out.write_text("".join(f"{write_links(links)}\n" for links in found), "utf-8")
    agreement = score_alignments(found, gilded.gold)
    facts = {"pairs": len(taught), "seconds": round(time.perf_counter() - clock, 1)}
    print(json.dumps({"benchmark": "eflomal", **facts, "aer": round(agreement.aer, 2)}))


def align(program: str, lines: list[tuple[str, str]], folder: Path) -> list[Links]:
    sides = [folder / "source", folder / "target"]
    for side, path in enumerate(sides):
        path.write_text("".join(f"{pair[side]}\n" for pair in lines), "utf-8")
    out = [folder / "forth", folder / "back"]
    command = [program, "-s", sides[0], "-t", sides[1], "-f", out[0], "-r", out[1]]
    try:
        subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr)
    except FileNotFoundError:
        sys.exit(f"{program}: not here; pip install eflomal in an environment, and name it")
    return [
        symmetrize(forth, back, "grow-diag")
        for forth, back in zip(*(read_links(str(path)) for path in out), strict=True)
    ]


if __name__ == "__main__":
    main()

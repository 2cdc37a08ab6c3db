"""What the growth test measures: every stage, and documents of every format."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from regard.align import aligner_training, chunks
from regard.align.aligner_training import train_aligner
from regard.align.chunks import corpus_readers
from regard.align.corpus_alignment import AlignerBlocks
from regard.align.symmetrize import symmetrize
from regard.align.tokenized_text import TokenizedText
from regard.align.word_aligner import ALIGNER_FILE, WordAligner, aligner_words
from regard.align.word_alignment import align_texts, concatenate_alignments
from regard.data.doctor.doctor_page import doctor_page
from regard.data.doctor.examine import examine
from regard.data.formats.corpus import Corpus, open_corpus, read_blocks
from regard.data.jobs import corpus_job
from regard.data.jobs.corpus_job import run_corpus_job
from regard.data.preparation.pipeline import PreparationSettings, StageProgress
from regard.data.preparation.prepare import prepare_corpora
from regard.data.preparation.runner import InProcessRunner
from regard.documents.aligned_translation import AlignedTranslation
from regard.documents.formats.html import HTML
from regard.evaluate.by_length import evaluate_by_length
from regard.evaluate.compare import compare_systems
from regard.evaluate.comparison_page import comparison_page
from regard.explain.page import explanation_page
from regard.tasks.translation.translator import Translator
from regard.text.sentences import split_sentences
from regard.text.tokenizer import SentencePiece, TokenizedPieces
from regard.text.words import split_words
from tests.bundles import make_bundle
from tests.documents.identity import translate_document
from tests.growth.documents import HOSTILE_HTML, MANY_TEXTS, ONE_TEXT
from tests.growth.measure import Prepare, Work

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er")]
LINKED = np.array([[1, 0]], np.float32)  # a word with its translation


@dataclass(frozen=True)
class Case:
    prepare: Prepare
    quick: int  # the smallest of four sizes
    full: int


def word(number: int, language: str) -> str:
    text = language
    while number:
        number, last = divmod(number, len(SYLLABLES))
        text += SYLLABLES[last]
    return text


def make_lines(pairs: int, words: int = 8) -> tuple[list[str], list[str]]:
    """Sentences of words that are distributed as in texts: twice the text has more words."""
    draw = random.Random(1)
    numbers = [[int(draw.paretovariate(0.7)) for _ in range(words)] for _ in range(pairs)]
    sources, targets = (
        [" ".join(word(number, side).capitalize() for number in line) + "." for line in numbers]
        for side in "xy"
    )
    return sources, targets


def make_corpus(pairs: int) -> tuple[Corpus, tempfile.TemporaryDirectory[str]]:
    folder = tempfile.TemporaryDirectory()
    paths = [str(Path(folder.name) / side) for side in ("source", "target")]
    for path, lines in zip(paths, make_lines(pairs), strict=True):
        Path(path).write_text("".join(f"{line}\n" for line in lines))
    return open_corpus(*paths), folder


class StageClock:
    """Adds up the CPU time of stages from reports of their progress."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._start = 0.0

    def __call__(self, progress: StageProgress) -> None:
        now = time.process_time()
        if progress.done == 0:
            self._start = now
        if progress.done == progress.total:
            stage = progress.stage.split(" (")[0]  # of all waves
            self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._start


def on_corpus(run: Callable[[Corpus, str, StageClock], object]) -> Prepare:
    """Work on a corpus, in a new directory each time."""

    def prepare(size: int) -> Work:
        corpus, folder = make_corpus(size)

        def work() -> dict[str, float]:
            clock = StageClock()
            with tempfile.TemporaryDirectory(dir=folder.name) as out:
                run(corpus, out, clock)
            return clock.seconds

        return work

    return prepare


def on_lines(run: Callable[[list[str], list[str]], object]) -> Prepare:
    def prepare(size: int) -> Work:
        sources, targets = make_lines(size)

        def work() -> None:
            run(sources, targets)

        return work

    return prepare


def train(corpus: Corpus, out: str, clock: StageClock) -> None:
    runner = InProcessRunner()
    train_aligner(corpus_readers(corpus, out, runner), out, runner, on_progress=clock)


def prepare(corpus: Corpus, out: str, clock: StageClock) -> None:
    settings = PreparationSettings(vocabulary=300, shard_pairs=32, held_out=0.1)
    prepare_corpora([corpus], out, settings, InProcessRunner(), on_progress=clock)


@cache
def toy_aligner() -> str:
    corpus, _folder = make_corpus(200)
    out = tempfile.mkdtemp()
    runner = InProcessRunner()
    aligner = train_aligner(corpus_readers(corpus, f"{out}/work", runner), f"{out}/work", runner)
    aligner.save(Path(out) / ALIGNER_FILE)
    return out


@cache
def toy_translator() -> Translator:
    folder = Path(tempfile.mkdtemp())
    translator = Translator.load(make_bundle("translate-rnn-tiny", folder / "model"))
    translator.aligner = None
    return translator


def run_job(corpus: Corpus, out: str, clock: StageClock) -> None:
    function = AlignerBlocks.of(toy_aligner(), False, True)
    run_corpus_job(function, corpus, out, InProcessRunner(), on_progress=clock)


def concatenate(size: int) -> Work:
    text = TokenizedText("a b c d", TokenizedPieces((), (), ()), split_words("a b c d"))
    aligner = WordAligner.load(Path(toy_aligner()) / ALIGNER_FILE)
    (part,) = align_texts(aligner, [(text, text)])
    whole = " ".join([text.raw] * size)
    spans = [(8 * n, 8 * n + 7) for n in range(size)]
    parts = [(span, span, part) for span in spans]

    def work() -> None:
        concatenate_alignments(whole, whole, parts)

    return work


def combine_links(size: int) -> Work:
    forward = frozenset((n, n) for n in range(size))
    backward = frozenset((n, n + n % 2) for n in range(size))

    def work() -> None:
        symmetrize(forward, backward, "grow-diag")

    return work


def compare(sources: list[str], targets: list[str]) -> None:
    comparison = compare_systems(sources, targets, {"a": targets, "b": targets[::-1]})
    comparison_page(comparison, [])


def translate_text(size: int) -> Work:
    """One text of many sentences, which are translated one by one."""
    translator = toy_translator()
    text = "A dog runs. " * size

    def work() -> None:
        translator.translate([text], beam_size=1, alignments=True, quality=True)

    return work


def explain_pages(size: int) -> Work:
    record = toy_translator().explain("A dog runs.", "Two cats run away.").to_json()

    def work() -> None:
        explanation_page([record] * size, "growth")

    return work


def score_pairs(size: int) -> Work:
    translator = toy_translator()
    sources = ["A dog runs.", "Two cats run away."] * size

    def work() -> None:
        translator.score(sources, sources)

    return work


def read_tmx(size: int) -> Work:
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{source}</seg></tuv>'
        f'<tuv xml:lang="fr"><seg>{target}</seg></tuv></tu>'
        for source, target in zip(*make_lines(size), strict=True)
    )
    path = Path(tempfile.mkdtemp()) / "pairs.tmx"
    path.write_text(f'<tmx version="1.4"><header srclang="en"/><body>{units}</body></tmx>')

    def work() -> None:
        corpus = open_corpus(str(path), source_language="en", target_language="fr")
        for _ in read_blocks(corpus, 1_000):
            pass

    return work


def split_text(size: int) -> Work:
    text = " ".join(make_lines(size)[0])

    def work() -> None:
        split_sentences(text)
        split_words(text)

    return work


def identity(text: str) -> AlignedTranslation:
    """The text itself, each word aligned by itself."""
    words = split_words(text)
    return AlignedTranslation(text, words, words, [LINKED] * len(words))


def document(name: str, make: Callable[[int], bytes]) -> Prepare:
    def prepare(size: int) -> Work:
        content = make(size)

        def work() -> None:
            translate_document(name, content, identity)

        return work

    return prepare


def hostile_html(markup: str) -> Prepare:
    """Finding the segments of a page that repeats some markup."""

    def prepare(size: int) -> Work:
        page = markup * (size // len(markup))

        def work() -> None:
            HTML.find(page)

        return work

    return prepare


CASES = {
    "aligner training": Case(on_corpus(train), 80, 640),
    "preparation": Case(on_corpus(prepare), 192, 2_000),
    "corpus job": Case(on_corpus(run_job), 150, 4_000),
    "doctor": Case(on_corpus(lambda c, _, __: doctor_page(examine(c, sizes=()))), 500, 20_000),
    "tokenizer training": Case(on_lines(lambda s, _: SentencePiece.train(s, size=300)), 250, 4_000),
    "tokenizing": Case(on_lines(lambda s, _: [aligner_words(line) for line in s]), 200, 10_000),
    "alignment of a long text": Case(concatenate, 200, 2_000),
    "symmetrization": Case(combine_links, 1_000, 50_000),
    "evaluation": Case(
        on_lines(lambda s, t: evaluate_by_length(s, t[::-1], t, ter=False)), 30, 500
    ),
    "comparison": Case(on_lines(compare), 40, 300),
    "translation of a long text": Case(translate_text, 4, 100),
    "scores": Case(score_pairs, 20, 500),
    "explanation page": Case(explain_pages, 100, 1_000),
    "reading TMX": Case(read_tmx, 300, 10_000),
    "splitting a text": Case(split_text, 300, 10_000),
}
for _name in MANY_TEXTS:
    CASES[f"{_name}, many texts"] = Case(document(_name, MANY_TEXTS[_name]), 25, 1_000)
    CASES[f"{_name}, one text"] = Case(document(_name, ONE_TEXT[_name]), 12, 100)
for _markup in HOSTILE_HTML:
    CASES[f"html of {_markup}"] = Case(hostile_html(_markup), 1_000, 125_000)


def use_small_chunks() -> None:
    """Many chunks in small corpora, and two iterations instead of seven."""
    chunks.PAIRS = 10
    aligner_training.ITERATIONS = ("ibm1", "hmm")
    corpus_job.BLOCK = 100
    os.fsync = lambda descriptor: None  # the time of a disk says nothing about growth

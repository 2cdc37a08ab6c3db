"""What the growth test measures: every stage, and documents of every format."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from regard.align import aligner_training, chunks
from regard.align.aligner_training import train_aligner
from regard.align.chunks import corpus_readers
from regard.align.links import symmetrize
from regard.align.tokenized_text import TokenizedText
from regard.align.word_aligner import ALIGNER_FILE, WordAligner, aligner_words
from regard.align.word_alignment import AlignerBlocks, align_texts, concatenate_alignments
from regard.cli.align import ModelAlignBlocks
from regard.cli.job_options import JobModel
from regard.cli.score import ScoreBlocks
from regard.cli.translate_job import TranslateBlocks
from regard.data import corpus_job
from regard.data.corpus_job import BlockFunction, run_corpus_job
from regard.data.doctor.examine import examine
from regard.data.doctor.report import doctor_page
from regard.data.formats.corpus import Corpus, read_blocks
from regard.data.formats.images import ImageFrame, encode_png
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import BatchOrder
from regard.data.loading.shards import PreparedData
from regard.data.preparation import prepare
from regard.data.preparation.pipeline import PreparationSettings
from regard.data.preparation.prepare import prepare_corpora
from regard.data.preparation.runner import InProcessRunner
from regard.documents.formats.html import HTML
from regard.documents.marked_text import AlignedTranslation
from regard.evaluate import bootstrap
from regard.evaluate.compare import compare_systems
from regard.evaluate.comparison_page import comparison_page
from regard.evaluate.scores import evaluate_by_length
from regard.explain.page import explanation_page
from regard.tasks.translation.options import TranslateOptions
from regard.tasks.translation.translator import Translator
from regard.text.sentences import split_sentences
from regard.text.tokenizer import SentencePiece, TokenizedPieces
from regard.text.words import split_words
from tests.bundles import make_bundle
from tests.documents.identity import translate_document
from tests.growth.corpora import FORMATS, make_lines, new_folder, parallel_files
from tests.growth.documents import HOSTILE_HTML, MANY_TEXTS, ONE_TEXT
from tests.growth.measure import Prepare, Work

LINKED = np.array([[1, 0]], np.float32)  # a word with its translation
SETTINGS = PreparationSettings(vocabulary=300, shard_pairs=32, held_out=0.1)
MANY_SUFFIX, ONE_SUFFIX = ", many texts", ", one text"


@dataclass(frozen=True)
class Case:
    """Work and its smallest sizes."""

    prepare: Prepare
    quick: int
    full: int


def on_corpus(run: Callable[[Corpus, str], object]) -> Prepare:
    """Work on a corpus, in a new directory each time."""

    def prepare(size: int) -> Work:
        corpus = parallel_files(*make_lines(size))

        def work() -> None:
            with tempfile.TemporaryDirectory() as out:
                run(corpus, out)

        return work

    return prepare


def on_lines(run: Callable[[list[str], list[str]], object]) -> Prepare:
    def prepare(size: int) -> Work:
        sources, targets = make_lines(size)
        return lambda: run(sources, targets)

    return prepare


def train(corpus: Corpus, out: str) -> WordAligner:
    runner = InProcessRunner()
    return train_aligner(corpus_readers(corpus, out, runner), out, runner)


def prepare_data(corpus: Corpus, out: str) -> None:
    prepare_corpora([corpus], out, SETTINGS, InProcessRunner())


@cache
def prepared() -> str:
    out = str(new_folder())
    prepare_data(parallel_files(*make_lines(200)), out)
    return out


def prepare_again(corpus: Corpus, out: str) -> None:
    """With the tokenizer of other data."""
    settings = PreparationSettings(tokenizer=prepared(), shard_pairs=32)
    prepare_corpora([corpus], out, settings, InProcessRunner())


def read_epoch(size: int) -> Work:
    folder = str(new_folder())
    prepare_data(parallel_files(*make_lines(size)), folder)

    def work() -> None:
        shards = PreparedData.open(folder).shards("train")
        order = BatchOrder(seed=1, budget=256, pool_pairs=100)
        for step in Loader(shards, order).steps():
            if step.next_cursor.epoch:
                break

    return work


def prepare_pictures(size: int) -> Work:
    folder = new_folder()
    paths = [str(folder / f"{number}.png") for number in range(size)]
    for path in paths:
        Path(path).write_bytes(encode_png(np.zeros((8, 8, 3), np.uint8)))

    def work() -> None:
        with tempfile.TemporaryDirectory() as out:
            prepare.prepare_images(paths, out, ImageFrame(8, 8), InProcessRunner())

    return work


@cache
def toy_aligner() -> str:
    folder = new_folder()
    aligner = train(parallel_files(*make_lines(200)), str(folder / "work"))
    aligner.save(folder / ALIGNER_FILE)
    return str(folder)


@cache
def toy_model() -> JobModel:
    folder = new_folder() / "model"
    make_bundle("translate-rnn-tiny", folder)
    return JobModel.find(str(folder))


@cache
def toy_translator() -> Translator:
    translator = toy_model().load()
    translator.aligner = None
    return translator


JOBS: dict[type[BlockFunction], Callable[[], BlockFunction]] = {
    AlignerBlocks: lambda: AlignerBlocks.of(toy_aligner(), False, True),
    TranslateBlocks: lambda: TranslateBlocks(
        (toy_model(),), "torch", TranslateOptions(beam_size=1, alignments=True), True
    ),
    ScoreBlocks: lambda: ScoreBlocks(toy_model(), toy_model(), True, False),
    ModelAlignBlocks: lambda: ModelAlignBlocks(
        toy_model(), toy_model(), "attention", "grow-diag", False, True
    ),
}


def job(function: Callable[[], BlockFunction]) -> Prepare:
    """A corpus job on sentences of few pieces, as untrained models translate to the maximum."""

    def prepare(size: int) -> Work:
        corpus = parallel_files(["A dog runs."] * size, ["Two cats run."] * size)

        def work() -> None:
            with tempfile.TemporaryDirectory() as out:
                run_corpus_job(function(), corpus, out, InProcessRunner())

        return work

    return prepare


def concatenate(size: int) -> Work:
    text = TokenizedText("a b c d", TokenizedPieces((), (), ()), split_words("a b c d"))
    aligner = WordAligner.load(Path(toy_aligner()) / ALIGNER_FILE)
    (part,) = align_texts(aligner, [(text, text)])
    whole = " ".join([text.raw] * size)
    spans = [(8 * n, 8 * n + 7) for n in range(size)]
    parts = [(span, span, part) for span in spans]
    return lambda: concatenate_alignments(whole, whole, parts)


def combine_links(size: int) -> Work:
    forward = frozenset((n, n) for n in range(size))
    backward = frozenset((n, n + n % 2) for n in range(size))
    return lambda: symmetrize(forward, backward, "grow-diag")


def compare(sources: list[str], targets: list[str]) -> None:
    comparison = compare_systems(sources, targets, {"a": targets, "b": targets[::-1]})
    comparison_page(comparison, [])


def translate_text(size: int) -> Work:
    """One text of many sentences, which are translated one by one."""
    translator = toy_translator()
    text = "A dog runs. " * size
    return lambda: translator.translate([text], beam_size=1, alignments=True, quality=True)


def explain_pages(size: int) -> Work:
    record = toy_translator().explain("A dog runs.", "Two cats run away.").to_json()
    return lambda: explanation_page([record] * size, "growth")


def reading(make: Callable[[list[str], list[str]], Corpus]) -> Prepare:
    def prepare(size: int) -> Work:
        corpus = make(*make_lines(size))

        def work() -> None:
            for _ in read_blocks(corpus, 1_000):
                pass

        return work

    return prepare


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
        return lambda: translate_document(name, content, identity)

    return prepare


def hostile_html(markup: str) -> Prepare:
    """Finding the segments of a page that repeats some markup."""

    def prepare(size: int) -> Work:
        page = markup * (size // len(markup))
        return lambda: HTML.find(page)

    return prepare


CASES = {
    "aligner training": Case(on_corpus(train), 40, 640),
    "preparation": Case(on_corpus(prepare_data), 192, 2_000),
    "preparation with a tokenizer": Case(on_corpus(prepare_again), 192, 2_000),
    "preparation of images": Case(prepare_pictures, 32, 500),
    "an epoch": Case(read_epoch, 300, 4_000),
    "doctor": Case(on_corpus(lambda corpus, _: doctor_page(examine(corpus, sizes=()))), 500, 9_000),
    "tokenizer training": Case(on_lines(lambda s, _: SentencePiece.train(s, size=300)), 250, 4_000),
    "tokenizing": Case(on_lines(lambda s, _: [aligner_words(line) for line in s]), 200, 10_000),
    "splitting a text": Case(split_text, 300, 10_000),
    "alignment of a long text": Case(concatenate, 200, 2_000),
    "symmetrization": Case(combine_links, 300, 50_000),
    "evaluation": Case(
        on_lines(lambda s, t: evaluate_by_length(s, t[::-1], t, ter=False)), 30, 500
    ),
    "comparison": Case(on_lines(compare), 20, 300),
    "translation of a long text": Case(translate_text, 3, 100),
    "explanation page": Case(explain_pages, 20, 1_000),
}
CASES |= {f"job of {kind.__name__}": Case(job(JOBS[kind]), 8, 400) for kind in JOBS}
CASES |= {
    f"reading {kind.__name__}": Case(reading(FORMATS[kind]), 1_500, 9_000) for kind in FORMATS
}
for _name in MANY_TEXTS:
    CASES[_name + MANY_SUFFIX] = Case(document(_name, MANY_TEXTS[_name]), 25, 1_000)
    CASES[_name + ONE_SUFFIX] = Case(document(_name, ONE_TEXT[_name]), 12, 100)
for _markup in HOSTILE_HTML:
    CASES[f"html of {_markup}"] = Case(hostile_html(_markup), 1_000, 125_000)


def use_small_chunks() -> None:
    """Many chunks in small corpora, two iterations instead of seven, few resamples."""
    chunks.PAIRS = 5
    aligner_training.ITERATIONS = ("ibm1", "hmm")
    corpus_job.BLOCK = 8
    prepare.IMAGES_PER_SHARD = 8
    bootstrap.RESAMPLES = 50
    os.fsync = lambda descriptor: None  # the time of a disk says nothing about growth

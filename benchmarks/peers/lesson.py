"""What every toolkit is taught: the same pairs in the same pieces, and a model of the same size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.multi30k import read_pairs
from benchmarks.runs import prepare_once
from regard.config.load import load_config
from regard.config.run import RunConfig
from regard.data.loading.shards import PreparedData
from regard.tasks.training import RunDirectory
from regard.text.tokenizer import UNK, SentencePiece

PRESET, SOURCE, TARGET = "translate-tiny", "en", "de"
SPLITS = {"train": "train", "valid": "val", "test": "test_2016_flickr"}


@dataclass(frozen=True)
class Size:
    """How much there is of everything."""

    pairs: int | None  # to learn from; None: all
    tested: int | None  # sentences, and as many to validate with
    settings: tuple[str, ...]  # what is changed of the preset


# in a short time many small steps, and a rate that suits them, teach more than a few large ones
FULL = Size(None, None, ("train.batch_tokens=1024", "train.optimizer.rate=0.0025"))
QUICK = Size(1_000, 8, ("data.vocabulary=1000", "train.batch_tokens=512"))


@dataclass(frozen=True)
class Recipe:
    """What the preset says of model and training, for whoever has other names for it."""

    layers: int
    dim: int
    hidden_dim: int
    heads: int
    dropout: float
    smoothing: float
    batch_tokens: int
    rate: float
    betas: tuple[float, float]
    epsilon: float
    warmup: int
    clip: float
    beam: int
    alpha: float
    seed: int


@dataclass(frozen=True)
class Lesson:
    """Files in `folder`: raw/ has the sentences, pieces/ the same in pieces with spaces between."""

    folder: Path
    run: RunConfig
    prepared: RunDirectory
    tokenizer: SentencePiece
    pairs: int  # that are left to learn from
    settings: tuple[str, ...]  # with which regard's own command makes the same run

    def raw(self, split: str, language: str) -> Path:
        return self.folder / "raw" / f"{split}.{language}"

    def pieces(self, split: str, language: str) -> Path:
        return self.folder / "pieces" / f"{split}.{language}"

    @property
    def vocabulary(self) -> Path:
        """A piece a line, in the order of regard's ids: <pad>, <s>, </s>, <unk> and the others."""
        return self.folder / "pieces" / "vocabulary.txt"

    @property
    def references(self) -> list[str]:
        return read_lines(self.raw("test", TARGET))

    def join(self, lines: Sequence[str]) -> list[str]:
        """Sentences of lines of pieces."""
        ids = {self.tokenizer.piece(i): i for i in range(self.tokenizer.size)}
        return [self.tokenizer.decode([ids.get(p, UNK) for p in line.split(" ")]) for line in lines]


def write_lesson(folder: Path, size: Size) -> Lesson:
    """Let regard prepare the corpus, and write what it made of it for the others."""
    kept = {"train": size.pairs, "valid": size.tested, "test": size.tested}
    for split, name in SPLITS.items():
        for language, lines in zip((SOURCE, TARGET), read_pairs(name, SOURCE, TARGET), strict=True):
            write_lines(folder / "raw" / f"{split}.{language}", lines[: kept[split]])
    files = {
        split: [str(folder / "raw" / f"{split}.{side}") for side in (SOURCE, TARGET)]
        for split in SPLITS
    }
    named = [f"data.train=[{{files: {files['train']}}}]", f"data.valid={{files: {files['valid']}}}"]
    run = load_config(PRESET, [*size.settings, *named])
    home = prepare_once(run, folder)
    tokenizer = SentencePiece.load(home.data)
    pairs = list(read_prepared(PreparedData.open(str(home.data))))
    lesson = Lesson(folder, run, home, tokenizer, len(pairs), size.settings)
    for side, language in enumerate((SOURCE, TARGET)):
        write_pieces(lesson, "train", language, [pair[side] for pair in pairs])
        for split in ("valid", "test"):
            texts = read_lines(lesson.raw(split, language))
            write_pieces(lesson, split, language, tokenizer.encode(texts))
    write_lines(lesson.vocabulary, [tokenizer.piece(i) for i in range(tokenizer.size)])
    return lesson


def recipe_of(run: RunConfig) -> Recipe:
    model: Any = run.model
    encoder, decoder, train = model.encoder, model.decoder, run.train
    for one in (encoder, decoder):  # what the peers' files take for granted
        assert (one.kind, one.norm, one.activation) == ("transformer", "before", "relu")
    for name in ("layers", "dim", "hidden_dim", "dropout"):
        assert getattr(encoder, name) == getattr(decoder, name), f"{name}: one for both sides"
    assert model.tie_embeddings == "all"
    return Recipe(
        layers=encoder.layers,
        dim=encoder.dim,
        hidden_dim=encoder.hidden_dim,
        heads=encoder.self_attention.score.heads,
        dropout=encoder.dropout,
        smoothing=train.label_smoothing,
        batch_tokens=train.batch_tokens,
        rate=train.optimizer.rate,
        betas=train.optimizer.betas,
        epsilon=train.optimizer.epsilon,
        warmup=train.schedule.warmup,
        clip=train.clip_norm,
        beam=run.search.beam_size,
        alpha=run.search.length_penalty,
        seed=train.seed,
    )


def read_prepared(prepared: PreparedData) -> Iterable[tuple[list[int], list[int]]]:
    """The pairs that regard learns from, those that it left out not among them."""
    for shard in prepared.shards("train"):
        opened = shard.open()
        for i in range(shard.pairs):
            source, target = opened.pair(i)
            yield source.tolist(), target.tolist()


def write_pieces(lesson: Lesson, split: str, language: str, rows: Iterable[Sequence[int]]) -> None:
    piece = lesson.tokenizer.piece
    write_lines(lesson.pieces(split, language), [" ".join(map(piece, row)) for row in rows])


def write_lines(path: Path, lines: Sequence[str]) -> None:
    # peers cut a file by Python's splitlines, which knows more ends of a line than \n
    assert all(len(line.splitlines()) == 1 for line in lines), f"{path}: a line ends within itself"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def read_lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")

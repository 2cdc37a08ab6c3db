"""The data and the hyperparameters that all toolkits share."""

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
    """The amount of data and the settings that change the preset."""

    pairs: int | None  # for training; None: all
    tested: int | None  # sentences for the test, and for validation
    settings: tuple[str, ...]


PLAIN = "train.guided_alignment=null"  # the other toolkits do not have it
# in a short time many small steps with a suitable rate train better than a few large ones
FULL = Size(None, None, (PLAIN, "train.batch_tokens=1024", "train.optimizer.rate=0.0025"))
QUICK = Size(1_000, 8, (PLAIN, "data.vocabulary=1000", "train.batch_tokens=512"))


@dataclass(frozen=True)
class Recipe:
    """The hyperparameters of the preset, to translate into the configuration of a toolkit."""

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
class Experiment:
    """Files in `folder`: raw/ has the sentences, pieces/ the same as pieces separated by spaces."""

    folder: Path
    run: RunConfig
    prepared: RunDirectory
    tokenizer: SentencePiece
    pairs: int  # training pairs that are left after preparation
    settings: tuple[str, ...]  # for regard's command

    def raw(self, split: str, language: str) -> Path:
        return self.folder / "raw" / f"{split}.{language}"

    def pieces(self, split: str, language: str) -> Path:
        return self.folder / "pieces" / f"{split}.{language}"

    @property
    def vocabulary(self) -> Path:
        """One piece per line in the order of the ids: <pad>, <s>, </s>, <unk>, then the rest."""
        return self.folder / "pieces" / "vocabulary.txt"

    @property
    def references(self) -> list[str]:
        return read_lines(self.raw("test", TARGET))

    def join(self, lines: Sequence[str]) -> list[str]:
        """Decode lines of pieces."""
        ids = {self.tokenizer.piece(i): i for i in range(self.tokenizer.size)}
        return [self.tokenizer.decode([ids.get(p, UNK) for p in line.split(" ")]) for line in lines]


def write_experiment(folder: Path, size: Size) -> Experiment:
    """Prepare the corpus with regard, and write it as pieces for the other toolkits."""
    limits = {"train": size.pairs, "valid": size.tested, "test": size.tested}
    for split, name in SPLITS.items():
        for language, lines in zip((SOURCE, TARGET), read_pairs(name, SOURCE, TARGET), strict=True):
            write_lines(folder / "raw" / f"{split}.{language}", lines[: limits[split]])
    files = {
        split: [str(folder / "raw" / f"{split}.{side}") for side in (SOURCE, TARGET)]
        for split in SPLITS
    }
    data = [f"data.train=[{{files: {files['train']}}}]", f"data.valid={{files: {files['valid']}}}"]
    run = load_config(PRESET, [*size.settings, *data])
    prepared = prepare_once(run, folder)
    tokenizer = SentencePiece.load(prepared.data)
    pairs = list(read_prepared(PreparedData.open(str(prepared.data))))
    experiment = Experiment(folder, run, prepared, tokenizer, len(pairs), size.settings)
    for side, language in enumerate((SOURCE, TARGET)):
        write_pieces(experiment, "train", language, [pair[side] for pair in pairs])
        for split in ("valid", "test"):
            texts = read_lines(experiment.raw(split, language))
            write_pieces(experiment, split, language, tokenizer.encode(texts))
    write_lines(experiment.vocabulary, [tokenizer.piece(i) for i in range(tokenizer.size)])
    return experiment


def read_recipe(run: RunConfig) -> Recipe:
    """The hyperparameters of a run; asserts what the toolkits' configurations rely on."""
    model: Any = run.model
    encoder, decoder, train = model.encoder, model.decoder, run.train
    for one in (encoder, decoder):
        assert (one.kind, one.norm, one.activation) == ("transformer", "pre", "relu")
    for name in ("layers", "dim", "hidden_dim", "dropout"):
        assert getattr(encoder, name) == getattr(decoder, name), (
            f"{name} differs between encoder and decoder"
        )
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
        warmup=train.schedule.warmup_steps(train.steps),
        clip=train.clip_norm,
        beam=run.search.beam_size,
        alpha=run.search.length_penalty,
        seed=train.seed,
    )


def read_prepared(prepared: PreparedData) -> Iterable[tuple[list[int], list[int]]]:
    """The token ids of the training pairs that preparation keeps."""
    for shard in prepared.shards("train"):
        opened = shard.open()
        for i in range(shard.pairs):
            source, target = opened.pair(i)
            yield source.tolist(), target.tolist()


def write_pieces(
    experiment: Experiment, split: str, language: str, rows: Iterable[Sequence[int]]
) -> None:
    piece = experiment.tokenizer.piece
    write_lines(experiment.pieces(split, language), [" ".join(map(piece, row)) for row in rows])


def write_lines(path: Path, lines: Sequence[str]) -> None:
    # some toolkits split files by str.splitlines, which splits at more characters than \n
    assert all(len(line.splitlines()) == 1 for line in lines), (
        f"{path}: a line contains a line separator"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def read_lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")

"""Texts that are held out from training are scored as their original lines are.

For every length: below, at and above a window of the model, and several windows.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
import torch

from regard.config.load import load_config
from regard.config.run import RunConfig
from regard.data.loading.shards import PreparedData
from regard.data.preparation.fields import MAX_SENTENCE_LENGTH
from regard.tasks.classification.task import TASK as CLASSIFICATION
from regard.tasks.classification.task import ClassificationModule
from regard.tasks.language.task import TASK as LANGUAGE
from regard.tasks.language.task import LanguageModule
from regard.tasks.training import RunDirectory, prepare_data
from regard.text.tokenizer import BOS, EOS, SentencePiece
from tests.labelled_documents import BLAME, PRAISE
from tests.labelled_documents import SMALL as DOCUMENT_SETTINGS
from tests.plain_texts import SMALL as TEXT_SETTINGS
from tests.plain_texts import WINDOW
from tests.toy_corpus import WORDS

LENGTHS = (1, WINDOW - 2, WINDOW - 1, WINDOW, 2 * WINDOW - 1, 2 * WINDOW, 5 * WINDOW + 3)  # words


def prepare(run: RunConfig, folder: Path) -> tuple[PreparedData, SentencePiece]:
    directory = RunDirectory(folder / "run")
    prepared = prepare_data(run, directory, lambda progress: None)
    return prepared, SentencePiece.load(directory.data)


@pytest.fixture(scope="module")
def tokenizer_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tokenizer with a piece for each of WORDS."""
    folder = tmp_path_factory.mktemp("tokenizer")
    tokenizer = SentencePiece.train(lines_of(300, 8, random.Random(1)), size=290)
    assert {len(ids) for ids in tokenizer.encode(WORDS)} == {1}
    tokenizer.save(folder)
    return folder


def lines_of(count: int, length: int, draws: random.Random) -> list[str]:
    return [" ".join(draws.choices(WORDS, k=length)) for _ in range(count)]


def language_module(
    folder: Path, tokenizer_folder: Path, length: int
) -> tuple[LanguageModule, list[str]]:
    """Return a module that holds lines of `length` words out, and these lines."""
    draws = random.Random(length)
    lines = lines_of(30, length, draws) if length > 1 else WORDS
    (folder / "train.txt").write_text("".join(f"{line}\n" for line in lines))
    settings = [
        f'data.train=[{{files: ["{folder}/train.txt"]}}]',
        *("data.held_out=0.3", "data.dedupe=none", f"data.tokenizer={tokenizer_folder}"),
        *(f"data.max_length={WINDOW}", "model.embedding_dim=16", "model.decoder.dim=16"),
        *(f"model.{setting}" for setting in TEXT_SETTINGS["lm-transformer"]),
    ]
    run = load_config("lm-transformer", settings)
    prepared, tokenizer = prepare(run, folder)
    trained: list[list[int]] = [[]]
    for shard in prepared.shards("train"):
        for i in range(shard.pairs):
            for token in shard.open().pair(i)[1].tolist():
                if token == EOS:
                    trained.append([])
                else:
                    trained[-1].append(token)
    texts = {tokenizer.decode(ids) for ids in trained}
    module = LANGUAGE.make_module(run, prepared, tokenizer)
    with torch.no_grad():
        module.model.readout.weight.normal_(generator=torch.Generator().manual_seed(1))
    return module, [line for line in lines if line not in texts]


def stepwise_nll(module: LanguageModule, line: str) -> tuple[float, int]:
    """Return the negative log-likelihood of a line, token by token, and its tokens."""
    ids = [*module.tokenizer.encode([line])[0], EOS]
    windows = -(-len(ids) // WINDOW)
    total, start = 0.0, 0
    for number in range(windows):  # as few as possible, the longer ones first
        stop = start + len(ids) // windows + (number < len(ids) % windows)
        state, last = module.model.start(1), BOS
        for token in ids[start:stop]:
            logits, state = module.model.step(torch.tensor([last]), state)
            total -= float(logits.log_softmax(dim=-1)[0, token])
            last = token
        start = stop
    return total, len(ids)


@pytest.mark.parametrize("length", LENGTHS)
def test_validation_scores_the_original_lines(
    tmp_path: Path, tokenizer_folder: Path, length: int
) -> None:
    module, lines = language_module(tmp_path, tokenizer_folder, length)
    assert lines
    values = module.validate().values
    with torch.no_grad():
        module.model.eval()
        scored = [stepwise_nll(module, line) for line in lines]
    nll, tokens = (math.fsum(column) for column in zip(*scored, strict=True))
    words, characters = (
        sum(len(part) + 1 for part in parts) for parts in ([line.split() for line in lines], lines)
    )
    assert tokens == (length + 1) * len(lines)
    assert values == {
        "perplexity": pytest.approx(math.exp(nll / tokens), rel=1e-4),
        "word_perplexity": pytest.approx(math.exp(nll / words), rel=1e-4),
        "bits_per_character": pytest.approx(nll / characters / math.log(2), rel=1e-4),
        "nll": pytest.approx(nll / tokens, rel=1e-4),
    }


@pytest.mark.parametrize("length", [9, MAX_SENTENCE_LENGTH - 1, 3 * MAX_SENTENCE_LENGTH])
def test_held_out_documents_have_the_sentences_and_labels_of_the_original(
    tmp_path: Path, tokenizer_folder: Path, length: int
) -> None:
    draws = random.Random(length)
    documents = {
        f"{first.capitalize()}. {second.capitalize()}.": draws.choice([PRAISE, BLAME])
        for first, second in zip(*(lines_of(20, length, draws) for _ in range(2)), strict=True)
    }
    records = [json.dumps({"text": text, "label": label}) for text, label in documents.items()]
    (tmp_path / "train.jsonl").write_text("\n".join(records) + "\n")
    corpus = f'data.train=[{{files: ["{tmp_path}/train.jsonl"]}}]'
    tokenizer_setting = f"data.tokenizer={tokenizer_folder}"
    run = load_config("han", [*DOCUMENT_SETTINGS, corpus, "data.held_out=0.3", tokenizer_setting])
    prepared, tokenizer = prepare(run, tmp_path)
    module = CLASSIFICATION.make_module(run, prepared, tokenizer)
    assert isinstance(module, ClassificationModule)
    held_out = dict(zip(module.valid.texts, module.valid.labels, strict=True))
    originals = {text.replace(". ", ".\n\n"): label for text, label in documents.items()}
    assert held_out and held_out.items() <= originals.items()

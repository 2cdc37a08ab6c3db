"""The language modeling task, from a text file to a model bundle and its completions."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import regard
from regard.bundle.bundle import SCORES, open_bundle
from regard.config.load import load_config
from regard.data.loading.shards import PreparedData
from regard.errors import ConfigError, CorpusError, RegardError
from regard.hypothesis import Hypothesis
from regard.inference.engine import SamplingOptions
from regard.search import greedy, sample
from regard.tasks.language.completer import Completer, Perplexity, load_completer
from regard.tasks.language.task import TASK, held_out_texts
from regard.tasks.training import RunDirectory, train_run
from regard.text.tokenizer import BOS, EOS, PAD, UNK, SentencePiece
from regard.train.distributed import World
from regard.train.loggers.jsonl import read_events
from tests.command import run_cli
from tests.plain_sizes import characters
from tests.plain_texts import PRESETS, WINDOW, arguments, write_texts
from tests.toy_corpus import WORDS

COUNT = " ".join(WORDS[1:9])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_texts(tmp_path_factory.mktemp("texts"))


@pytest.fixture(scope="module")
def directory(folder: Path) -> RunDirectory:
    directory = RunDirectory(folder / "transformer")
    output = run_cli(arguments(folder, "lm-transformer", directory.path))
    assert output.splitlines()[-1] == str(directory.model)
    return directory


@pytest.fixture(scope="module")
def completer(directory: RunDirectory) -> Completer:
    found = regard.load(directory.model)
    assert isinstance(found, Completer)
    return found


def test_completions_continue_past_the_window(completer: Completer) -> None:
    (found,) = completer.complete([COUNT], max_length=3 * WINDOW)
    words = found.text.split()
    first = WORDS.index(words[0])
    assert first == 9
    correct = [word == WORDS[(first + i) % 10] for i, word in enumerate(words)]
    assert sum(correct) >= 0.9 * len(correct)
    assert len(found.logps) - found.ended == len(found.pieces) <= 3 * WINDOW
    assert str(found) == COUNT + found.text


@pytest.mark.parametrize("preset", PRESETS[:2])
def test_recurrent_models_train_with_the_same_command(folder: Path, preset: str) -> None:
    directory = RunDirectory(folder / preset)
    run_cli(arguments(folder, preset, directory.path, "train.steps=20", "train.validate_every=10"))
    validated = [
        e["scores"]["values"]
        for e in read_events(directory.log)
        if e["event"] == "validation_completed"
    ]
    assert validated[-1]["perplexity"] < validated[0]["perplexity"] < 290
    assert load_completer(directory.model).complete(["one"], max_length=5)[0].pieces


def test_a_window_of_one_is_a_model_of_the_same_size_without_attention() -> None:
    """With a window of one, attention sees the previous state only."""
    attention = load_config("lm-recurrent-attention")
    plain = load_config("lm-recurrent-attention", ["model.decoder.attention.span.window=1"])
    sizes = regard.VocabularySizes(50, 50)
    torch.manual_seed(0)
    models = [run.model.build(sizes).eval() for run in (attention, plain)]
    counts = [sum(p.numel() for p in model.parameters()) for model in models]
    assert counts[0] == counts[1]
    with torch.no_grad(), regard.watch(models[1]) as trace:
        models[1](torch.arange(10)[None])
    torch.testing.assert_close(trace["decoder.attention"][0, 0], torch.eye(10))


def test_evaluate_finds_the_perplexity_of_training(directory: RunDirectory, folder: Path) -> None:
    trained = json.loads(open_bundle(directory.model).read(SCORES))["values"]
    output = json.loads(
        run_cli(["evaluate", str(directory.model), "--text", str(folder / "valid.txt"), "--json"])
    )
    assert output["values"] == {name: pytest.approx(value) for name, value in trained.items()}
    size = SentencePiece.load(directory.model).size
    assert output["signatures"]["perplexity"].startswith(f"per piece of {size} (unigram, NFC)")


def test_perplexity_is_the_sum_over_single_steps(completer: Completer) -> None:
    """Including the end of the text, for each window separately."""
    text = " ".join(WORDS * 4)
    ids = [*completer.tokenizer.encode([text])[0], EOS]
    model, total = completer.model, 0.0
    sizes = [14, 14, 13] if len(ids) == 41 else None
    assert sizes is not None
    with torch.no_grad():
        for size in sizes:
            window, ids = ids[:size], ids[size:]
            state, last = model.start(1), BOS
            for token in window:
                logits, state = model.step(torch.tensor([last]), state)
                total -= float(logits.log_softmax(dim=-1)[0, token])
                last = token
    found = completer.perplexity([text])
    assert found.nll == pytest.approx(total, rel=1e-4)
    assert (found.tokens, found.words, found.characters) == (41, 41, len(text) + 1)
    assert found.per_token == pytest.approx(math.exp(total / 41), rel=1e-4)


def test_completion_is_greedy_search(completer: Completer) -> None:
    ids = completer.tokenizer.encode(["three four"])[0]
    with torch.no_grad():
        state = completer.model.start(1)
        for token in [BOS, *ids[:-1]]:
            _, state = completer.model.step(torch.tensor([token]), state)
    left = WINDOW - len(ids)
    want = greedy(completer.model.step, state, rows=1, bos=ids[-1], eos=EOS, max_length=left)[0]
    (found,) = completer.complete(["three four"], max_length=left)
    assert found.pieces == tuple(map(completer.tokenizer.piece, want.tokens))
    assert found.logps == pytest.approx(want.logps, abs=1e-4)


def test_draws_depend_on_the_seed_and_the_index_of_the_prompt_only(completer: Completer) -> None:
    sampling = SamplingOptions(seed=5, temperature=3.0)
    first = completer.complete(["one", "two"], sampling, max_length=9)
    assert first == completer.complete(["one", "two"], sampling, max_length=9)
    assert first[:1] == completer.complete(["one"], sampling, max_length=9)
    assert first[1:] == completer.complete(["two"], replace(sampling, offset=1), max_length=9)
    assert first != completer.complete(
        ["one", "two"], SamplingOptions(seed=6, temperature=3.0), max_length=9
    )
    cold = completer.complete(["one"], SamplingOptions(temperature=0.01), max_length=9)
    assert cold[0].text == completer.complete(["one"], max_length=9)[0].text
    assert (
        completer.complete(["one"], SamplingOptions(seed=9, top_k=1), max_length=9)[0].text
        == cold[0].text
    )
    special = {completer.tokenizer.piece(token) for token in (PAD, BOS, UNK, EOS)}
    assert not special & {piece for found in first for piece in found.pieces}


def test_no_two_draws_share_random_numbers(completer: Completer) -> None:
    """`hash` would give the seeds 0 and 2^61 - 1 the same draws, and 1 and 2^61."""
    drawn = [
        found.pieces
        for seed in (0, 1, (1 << 61) - 1, 1 << 61)
        for found in completer.complete([""] * 3, SamplingOptions(seed, 5.0), max_length=12)
    ]
    assert len(set(drawn)) == len(drawn)


def test_the_windows_of_a_long_completion_have_different_seeds(
    completer: Completer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []

    def recorded_sample(*args: Any, **options: Any) -> list[Hypothesis]:
        seeds.extend(options["seeds"])
        return sample(*args, **options)

    monkeypatch.setattr("regard.tasks.language.completer.sample", recorded_sample)
    uniform = SamplingOptions(seed=3, temperature=100.0)  # hardly ever ends
    completer.complete(["one", "two"], uniform, max_length=3 * WINDOW)
    assert len(seeds) > 6 and len(set(seeds)) == len(seeds)
    assert seeds[0] == 13269758264384661680  # stable across processes and versions of Python


@pytest.mark.parametrize("prompt", ["", "  ", "六 \u2581 \ud800 \x00", "one " * 100, "ONE"])
def test_any_string_can_be_completed(completer: Completer, prompt: str) -> None:
    (found,) = completer.complete([prompt], max_length=4)
    assert found.prompt == completer.tokenizer.normalize(prompt)
    assert completer.perplexity([prompt]).per_token > 0


def test_one_string_instead_of_a_list_is_refused(completer: Completer) -> None:
    for method in (completer.complete, completer.perplexity):
        with pytest.raises(CorpusError, match="single string"):
            method("one")


def test_forced_decoding_records_self_attention(completer: Completer) -> None:
    ((decoded,),) = completer.force_decode(["one two three"], ["decoder.blocks.0.self_attention"])
    weights = decoded.attention["decoder.blocks.0.self_attention"]
    assert weights.shape == (2, 4, 4) and len(decoded.logps) == 4
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 4))
    assert torch.equal(weights, weights.tril())  # causal


def test_the_command_completes_arguments_or_lines(directory: RunDirectory) -> None:
    output = run_cli(["complete", str(directory.model), "one two", "five", "--max-new-tokens", "3"])
    assert [line.split()[0] for line in output.splitlines()] == ["one", "five"]
    same = run_cli(["complete", str(directory.model), "--max-new-tokens", "3"], "one two\nfive\n")
    assert same == output
    result = json.loads(run_cli(["complete", str(directory.model), "one", "--sample", "--json"]))
    assert result["prompt"] == "one" and len(result["logps"]) >= len(result["pieces"])


def test_should_stop_ends_a_run_as_an_interruption_does(
    directory: RunDirectory, folder: Path
) -> None:
    stopped = RunDirectory(folder / "stopped")
    shutil.copytree(directory.data, stopped.data)
    run = load_config(directory.path / "run.yaml")
    outcome = train_run(run, stopped, World(), should_stop=lambda: True)
    assert not outcome.complete and outcome.step == stopped.last_step == 1
    assert not stopped.model.exists()


def test_without_a_validation_file_some_texts_are_held_out(folder: Path) -> None:
    directory = RunDirectory(folder / "held")
    command = arguments(
        folder, "lm-transformer", directory.path, "train.steps=1", "data.held_out=0.1"
    )
    at = command.index("--valid-file")
    run_cli(command[:at] + command[at + 2 :])
    texts = held_out_texts(PreparedData.open(str(directory.data)))
    assert 10 <= len(texts) <= 80
    assert all(set(text.split()) <= set(WORDS) for text in texts)


def test_long_lines_are_split_into_windows(directory: RunDirectory, folder: Path) -> None:
    prepared, tokenizer = PreparedData.open(str(directory.data)), SentencePiece.load(directory.data)
    (shard,) = prepared.shards("train")
    opened = shard.open()
    rows = [opened.pair(i)[1].tolist() for i in range(shard.pairs)]
    assert max(map(len, rows)) <= WINDOW and not opened.lengths[:, 0].any()
    tokens = [token for row in rows for token in row]
    lines = (folder / "train.txt").read_text().splitlines()
    assert tokens == [t for ids in tokenizer.encode(lines) for t in (*ids, EOS)]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("train.metric=bleu", "train.metric: bleu .*perplexity, nll"),
        ("train.subword_alpha=0.1", "train.subword_alpha"),
        ("data.max_length=2000", r"data.max_length: 2000 .* 1024"),
    ],
)
def test_unsupported_settings_are_refused(folder: Path, setting: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        run_cli(arguments(folder, "lm-transformer", folder / "none", setting))


def test_files_of_another_task_are_refused(
    directory: RunDirectory, folder: Path, tmp_path: Path
) -> None:
    text = str(folder / "train.txt")
    with pytest.raises(ConfigError, match=r"data\.train: .*--text FILE"):
        run_cli(["train", "--preset", "lm-transformer", "--out", str(tmp_path)])
    with pytest.raises(RegardError, match="a single file must be"):
        run_cli(["train", "--preset", "translate-tiny", "--text", text, "--out", str(tmp_path)])
    with pytest.raises(ConfigError, match=r"is a language model\. Pass a translation model"):
        run_cli(["translate", str(directory.model)], "one\n")
    golden = Path(__file__).parent.parent.parent / "golden" / "format-2" / "transformer" / "model"
    with pytest.raises(ConfigError, match=r"is a translation model\. Pass a language model"):
        run_cli(["complete", str(golden), "one"])
    with pytest.raises(RegardError, match="is a translation model"):
        run_cli(["evaluate", str(golden), "--text", text])


def test_fine_tuning_starts_from_the_trained_weights(directory: RunDirectory, folder: Path) -> None:
    tuned = RunDirectory(folder / "tuned")
    run_cli(
        [
            *("train", "--from", str(directory.model), "--text", f"{folder}/valid.txt"),
            *("--mix-file", f"{folder}/train.txt", "--valid-file", f"{folder}/valid.txt"),
            *("--out", str(tuned.path), "--threads", "1", "--set", "train.steps=2"),
        ]
    )
    first = next(e for e in read_events(tuned.log) if e["event"] == "step_completed")
    last = [e for e in read_events(directory.log) if e["event"] == "step_completed"][-1]
    assert first["loss"] < last["loss"] + 0.5
    sizes = [characters([f"{folder}/{name}.txt"]) for name in ("valid", "train")]
    weight = load_config(tuned.model / "run.yaml").data.train[1].weight
    assert weight == pytest.approx(sizes[0] / sizes[1])


def test_model_card_and_description(directory: RunDirectory) -> None:
    card = open_bundle(directory.model).text("README.md")
    assert "pipeline_tag: text-generation" in card and ".complete([" in card
    assert "word alignment" not in card
    result = json.loads(run_cli(["describe", str(directory.model), "--json"]))
    assert result["scores"]["values"]["perplexity"] > 1
    bundle = open_bundle(directory.model)
    size = SentencePiece.load(directory.model).size
    assert TASK.sizes(bundle) == regard.VocabularySizes(size, size)


def test_texts_without_spaces_are_validated_and_have_no_word_perplexity(tmp_path: Path) -> None:
    """A line of such a script is one word, so its perplexity may exceed a float."""
    lines = ["".join(chr(0x4E00 + (i * j) % 97) for j in range(1, 300)) for i in range(3, 40)]
    for name in ("train", "valid"):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    directory = RunDirectory(tmp_path / "run")
    settings = ("train.steps=2", "data.vocabulary=400")
    run_cli(arguments(tmp_path, "lm-transformer", directory.path, *settings))
    scores = json.loads(open_bundle(directory.model).read(SCORES))
    assert scores["values"].keys() == {"perplexity", "bits_per_character", "nll"}
    assert scores["signatures"].keys() == scores["values"].keys()
    assert math.isinf(Perplexity(1e4, 1_000, 2, 1_000).per_word)

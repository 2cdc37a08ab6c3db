"""From a file of text to a sealed language model that goes on with texts."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch

import regard
from regard.bundle.bundle import SCORES, open_bundle
from regard.config.load import load_config
from regard.data.loading.shards import PreparedData
from regard.errors import ConfigError, CorpusError, RegardError
from regard.inference.engine import SamplingOptions
from regard.search import greedy
from regard.tasks.language.completer import Completer, load_completer
from regard.tasks.language.module import held_out_texts
from regard.tasks.language.task import TASK
from regard.tasks.training import RunDirectory
from regard.text.tokenizer import BOS, EOS, PAD, UNK, SentencePiece
from regard.train.loggers.jsonl import read_events
from tests.command import run_cli
from tests.plain_texts import LONGEST, PRESETS, arguments, make_prose
from tests.toy_corpus import WORDS

COUNT = " ".join(WORDS[1:9])


@pytest.fixture(scope="module")
def prose(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_prose(tmp_path_factory.mktemp("prose"))


@pytest.fixture(scope="module")
def home(prose: Path) -> RunDirectory:
    home = RunDirectory(prose / "transformer")
    said = run_cli(arguments(prose, "lm-transformer", home.path))
    assert said.splitlines()[-1] == str(home.model)
    return home


@pytest.fixture(scope="module")
def completer(home: RunDirectory) -> Completer:
    found = regard.load(home.model)
    assert isinstance(found, Completer)
    return found


def test_it_learns_to_count_and_goes_on_past_what_it_can_read(completer: Completer) -> None:
    (found,) = completer.complete([COUNT], max_length=3 * LONGEST)
    said = found.text.split()
    first = WORDS.index(said[0])
    assert first == 9
    right = [word == WORDS[(first + i) % 10] for i, word in enumerate(said)]
    assert sum(right) >= 0.9 * len(right)
    assert len(found.logps) - found.ended == len(found.pieces) <= 3 * LONGEST
    assert str(found) == COUNT + found.text


@pytest.mark.parametrize("preset", PRESETS[:2])
def test_recurrent_models_are_trained_by_the_same_command(prose: Path, preset: str) -> None:
    home = RunDirectory(prose / preset)
    run_cli(arguments(prose, preset, home.path, "train.steps=20", "train.validate_every=10"))
    validated = [
        e["scores"]["values"] for e in read_events(home.log) if e["event"] == "validation_completed"
    ]
    assert validated[-1]["perplexity"] < validated[0]["perplexity"] < 290
    assert load_completer(home.model).complete(["one"], max_length=5)[0].pieces


def test_one_word_takes_the_attention_away_and_no_parameter(prose: Path) -> None:
    """With a window of one it sees the present alone: an LSTM of the same size."""
    attends = load_config("lm-recurrent-attention")
    alone = load_config("lm-recurrent-attention", ["model.decoder.attention.span.window=1"])
    sizes = regard.VocabularySizes(50, 50)
    torch.manual_seed(0)
    models = [run.model.build(sizes).eval() for run in (attends, alone)]
    counts = [sum(p.numel() for p in model.parameters()) for model in models]
    assert counts[0] == counts[1]
    with torch.no_grad(), regard.watch(models[1]) as trace:
        models[1](torch.arange(10)[None])
    torch.testing.assert_close(trace["decoder.attention"][0, 0], torch.eye(10))


def test_the_perplexity_of_training_is_the_one_found_afterwards(
    home: RunDirectory, prose: Path
) -> None:
    trained = json.loads(open_bundle(home.model).read(SCORES))["values"]
    said = json.loads(
        run_cli(["evaluate", str(home.model), "--text", str(prose / "valid.txt"), "--json"])
    )
    assert said["values"] == {name: pytest.approx(value) for name, value in trained.items()}
    assert said["signatures"]["perplexity"].startswith("per piece of 290 (unigram, NFC)")


def test_perplexity_is_what_the_chain_rule_says(completer: Completer) -> None:
    """Each piece after those before it, one by one, the end too; in windows, each by itself."""
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


def test_the_likeliest_is_what_a_plain_search_finds(completer: Completer) -> None:
    ids = completer.tokenizer.encode(["three four"])[0]
    with torch.no_grad():
        state = completer.model.start(1)
        for token in [BOS, *ids[:-1]]:
            _, state = completer.model.step(torch.tensor([token]), state)
    room = LONGEST - len(ids)
    want = greedy(completer.model.step, state, rows=1, bos=ids[-1], eos=EOS, max_length=room)[0]
    (found,) = completer.complete(["three four"], max_length=room)
    assert found.pieces == tuple(map(completer.tokenizer.piece, want.tokens))
    assert found.logps == pytest.approx(want.logps, abs=1e-4)


def test_chance_is_drawn_from_the_seed_and_the_place_alone(completer: Completer) -> None:
    how = SamplingOptions(seed=5, temperature=3.0)
    first = completer.complete(["one", "two"], how, max_length=9)
    assert first == completer.complete(["one", "two"], how, max_length=9)
    assert first[:1] == completer.complete(["one"], how, max_length=9)
    assert first != completer.complete(
        ["one", "two"], SamplingOptions(seed=6, temperature=3.0), max_length=9
    )
    cold = completer.complete(["one"], SamplingOptions(temperature=0.01), max_length=9)
    assert cold[0].text == completer.complete(["one"], max_length=9)[0].text
    assert (
        completer.complete(["one"], SamplingOptions(seed=9, top_k=1), max_length=9)[0].text
        == cold[0].text
    )
    marks = {completer.tokenizer.piece(mark) for mark in (PAD, BOS, UNK, EOS)}
    assert not marks & {piece for found in first for piece in found.pieces}


@pytest.mark.parametrize("prompt", ["", "  ", "六 \u2581 \ud800 \x00", "one " * 100, "ONE"])
def test_any_string_is_gone_on_with(completer: Completer, prompt: str) -> None:
    (found,) = completer.complete([prompt], max_length=4)
    assert found.prompt == completer.tokenizer.normalize(prompt)
    assert completer.perplexity([prompt]).per_token > 0


def test_one_string_instead_of_a_list_is_refused(completer: Completer) -> None:
    for ask in (completer.complete, completer.perplexity):
        with pytest.raises(CorpusError, match="is one string"):
            ask("one")


def test_the_looks_of_a_text_at_its_own_past_are_told(completer: Completer) -> None:
    ((reading,),) = completer.force_decode(["one two three"], ["decoder.blocks.0.self_attention"])
    look = reading.attention["decoder.blocks.0.self_attention"]
    assert look.shape == (2, 4, 4) and len(reading.logps) == 4
    torch.testing.assert_close(look.sum(dim=-1), torch.ones(2, 4))
    assert torch.equal(look, look.tril())  # nothing is looked at that was not yet said


def test_the_command_completes_arguments_or_lines(home: RunDirectory) -> None:
    said = run_cli(["complete", str(home.model), "one two", "five", "--max-new-tokens", "3"])
    assert [line.split()[0] for line in said.splitlines()] == ["one", "five"]
    same = run_cli(["complete", str(home.model), "--max-new-tokens", "3"], "one two\nfive\n")
    assert same == said
    told = json.loads(run_cli(["complete", str(home.model), "one", "--sample", "--json"]))
    assert told["prompt"] == "one" and len(told["logps"]) >= len(told["pieces"])


def test_without_a_file_to_validate_on_a_share_is_held_out(prose: Path) -> None:
    home = RunDirectory(prose / "held")
    said = arguments(prose, "lm-transformer", home.path, "train.steps=1", "data.held_out=0.1")
    at = said.index("--valid-file")
    run_cli(said[:at] + said[at + 2 :])
    texts = held_out_texts(PreparedData.open(str(home.data)), SentencePiece.load(home.data))
    assert 10 <= len(texts) <= 80
    assert all(set(text.split()) <= set(WORDS) for text in texts)


def test_a_long_line_becomes_windows_and_loses_nothing(home: RunDirectory, prose: Path) -> None:
    prepared, tokenizer = PreparedData.open(str(home.data)), SentencePiece.load(home.data)
    (shard,) = prepared.shards("train")
    opened = shard.open()
    rows = [opened.pair(i)[1].tolist() for i in range(shard.pairs)]
    assert max(map(len, rows)) <= LONGEST and not opened.lengths[:, 0].any()
    whole = [token for row in rows for token in row]
    lines = (prose / "train.txt").read_text().splitlines()
    assert whole == [t for ids in tokenizer.encode(lines) for t in (*ids, EOS)]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("train.metric=bleu", "train.metric: such a model is judged by perplexity, nll"),
        ("train.subword_alpha=0.1", "train.subword_alpha: windows of text"),
        ("data.max_length=2000", r"data.max_length: 2000 pieces, and the positions .* end at 1024"),
    ],
)
def test_what_a_language_model_cannot_do_is_said_at_once(
    prose: Path, setting: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        run_cli(arguments(prose, "lm-transformer", prose / "none", setting))


def test_files_of_another_use_are_refused(home: RunDirectory, prose: Path, tmp_path: Path) -> None:
    text = str(prose / "train.txt")
    with pytest.raises(ConfigError, match="names no corpus; say --text FILE"):
        run_cli(["train", "--preset", "lm-transformer", "--out", str(tmp_path)])
    with pytest.raises(RegardError, match="a single file must be"):
        run_cli(["train", "--preset", "translate-tiny", "--text", text, "--out", str(tmp_path)])
    with pytest.raises(ConfigError, match="does not read and say sentences"):
        run_cli(["translate", str(home.model)], "one\n")
    golden = Path(__file__).parent.parent / "golden" / "format-1" / "transformer" / "model"
    with pytest.raises(ConfigError, match="does not go on with a text"):
        run_cli(["complete", str(golden), "one"])
    with pytest.raises(RegardError, match="a single file must be"):
        run_cli(["evaluate", str(golden), "--text", text])


def test_fine_tuning_goes_on_with_what_was_learnt(home: RunDirectory, prose: Path) -> None:
    mine = RunDirectory(prose / "mine")
    run_cli(
        [
            *("train", "--from", str(home.model), "--text", f"{prose}/valid.txt"),
            *("--mix-file", f"{prose}/train.txt", "--valid-file", f"{prose}/valid.txt"),
            *("--out", str(mine.path), "--threads", "1", "--set", "train.steps=2"),
        ]
    )
    first = next(e for e in read_events(mine.log) if e["event"] == "step_completed")
    last = [e for e in read_events(home.log) if e["event"] == "step_completed"][-1]
    assert first["loss"] < last["loss"] + 0.5
    assert load_config(mine.model / "run.yaml").data.train[1].weight == pytest.approx(12 / 300)


def test_its_use_is_told_by_its_card_and_described(home: RunDirectory) -> None:
    card = open_bundle(home.model).text("README.md")
    assert "pipeline_tag: text-generation" in card and ".complete([" in card
    assert "word alignment" not in card
    told = json.loads(run_cli(["describe", str(home.model), "--json"]))
    assert told["scores"]["values"]["perplexity"] > 1
    bundle = open_bundle(home.model)
    assert TASK.sizes(bundle) == regard.VocabularySizes(290, 290)

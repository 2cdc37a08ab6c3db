"""`Translator`, `regard.load` and `regard translate`."""

from __future__ import annotations

import copy
import inspect
import json
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

import regard
from regard.align.links import write_links
from regard.cli.main import app
from regard.cli.outputs import to_line
from regard.data import corpus_job
from regard.errors import ArtifactError, ConfigError, CorpusError
from regard.evaluate.quality import QualityFeatures, QualityReport
from regard.hypothesis import Hypothesis
from regard.inference.engine import SearchOptions, Splitting
from regard.inference.forced_decoding import force_decode
from regard.inference.torch_engine import TorchEngine
from regard.tasks.translation.result import TranslationResult
from regard.text.tokenizer import BOS, PAD, UNK
from regard.text.words import split_words
from tests.bundles import LINES, make_bundle
from tests.command import run_cli


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle("transformer", tmp_path_factory.mktemp("bundles") / "model")


@pytest.fixture(scope="module")
def translator(model: Path) -> regard.Translator:
    return regard.Translator.load(model)


class FixedEngine:
    """An engine whose hypothesis of every source is the same."""

    name = "fixed"

    def __init__(self, tokens: list[int]) -> None:
        self.tokens = tuple(tokens)

    def search(self, sources, options, *, prefixes=(), positions=()):
        self.options = options
        return [[Hypothesis(self.tokens, (), -1.0, ended=True)] for _ in sources]


def with_engine(translator: regard.Translator, engine) -> regard.Translator:
    other = copy.copy(translator)
    other.engine = engine
    return other


# loading


def test_load_returns_a_translator_and_declares_what_it_returns(model: Path) -> None:
    assert isinstance(regard.load(model), regard.Translator)
    returned = inspect.signature(regard.load).return_annotation
    assert returned == "LoadedModel"
    from regard.tasks import loading

    for name in ("Translator", "Captioner", "Completer", "DocumentClassifier"):
        assert name in loading.LoadedModel
        assert inspect.isclass(getattr(regard, name))


def test_unknown_names_of_the_package_are_rejected() -> None:
    with pytest.raises(AttributeError, match="translater"):
        regard.translater  # noqa: B018


def test_missing_engine_is_an_error(model: Path) -> None:
    with pytest.raises(ArtifactError, match="regard export"):
        regard.load(model, engine="ctranslate2")


# results


def test_scores_are_length_normalized_sums_of_logps(translator) -> None:
    for result in translator.translate(LINES):
        (segment,) = result.segments
        assert len(result.logps) in (len(segment.pieces), len(segment.pieces) + 1)
        length = len(result.logps)
        assert result.score == pytest.approx(sum(result.logps) / length, abs=1e-6)
        assert result.source[slice(*segment.span)] == result.source
        assert str(result) == result.text == segment.text
        assert segment.pieces == tuple(map(translator.tokenizer.piece, segment.tokens))
        assert result.n_best == ()
        assert result.warnings == ()


def test_search_logps_equal_forced_logps(translator) -> None:
    model, sources = copy.deepcopy(translator.model).double(), translator.tokenizer.encode(LINES)
    for source, hypotheses in zip(
        sources, TorchEngine(model).search(sources, SearchOptions(5)), strict=True
    ):
        for hypothesis in hypotheses:
            (forced,) = force_decode(model, [(source, hypothesis.tokens)])
            known = forced.logps[: len(hypothesis.logps)]
            assert hypothesis.logps == pytest.approx(known, abs=1e-9)


def test_n_best_holds_all_translations_best_first(translator) -> None:
    for result in translator.translate(LINES, beam_size=4, n_best=4, alignments=True):
        scores = [each.score for each in result.n_best]
        assert len(scores) == 4
        assert scores == sorted(scores, reverse=True)
        assert result.n_best[0] == replace(result, n_best=())


def test_n_best_widens_the_beam(translator) -> None:
    wide = translator.translate(LINES, beam_size=6, n_best=6)
    assert translator.translate(LINES, beam_size=2, n_best=6) == wide


def test_missing_logps_are_computed_by_forced_decoding(translator) -> None:
    class WithoutLogps:
        name = "without logps"

        def search(self, sources, options, **of_sources):
            found = TorchEngine(translator.model).search(sources, options, **of_sources)
            return [[replace(each, logps=()) for each in hypotheses] for hypotheses in found]

    other = with_engine(translator, WithoutLogps())
    assert not any(result.logps for result in other.translate(LINES))
    for one, expected in zip(
        other.translate(LINES, n_best=2, logps=True),
        translator.translate(LINES, n_best=2),
        strict=True,
    ):
        assert one.score == expected.score
        known = len(expected.logps)  # a hypothesis cut at its maximum length has no end
        assert one.logps[:known] == pytest.approx(expected.logps, abs=1e-4)
        assert len(one.n_best[1].logps) >= len(expected.n_best[1].logps)


# search options


def test_saved_options_are_the_default(translator) -> None:
    saved, options = translator.translate(LINES), translator.options
    assert options.length_penalty > 0
    same = translator.translate(
        LINES, beam_size=options.beam_size, length_penalty=options.length_penalty
    )
    assert same == saved
    scores = [result.score for result in translator.translate(LINES, length_penalty=0.0)]
    assert scores != [result.score for result in saved]


def test_beam_size_of_one_is_greedy(translator) -> None:
    greedy = TorchEngine(translator.model).search(
        translator.tokenizer.encode(LINES), SearchOptions(1)
    )
    results = translator.translate(LINES, beam_size=1)
    assert [r.segments[0].tokens for r in results] == [found.tokens for (found,) in greedy]


def test_prefix_begins_every_translation(translator) -> None:
    for beam_size in (1, 3):
        for result in translator.translate(LINES, prefix="A cat", beam_size=beam_size):
            assert result.text.startswith("A cat")
            expected = tuple(translator.tokenizer.encode(["A cat"])[0])
            assert result.segments[0].tokens[: len(expected)] == expected
            length = len(result.logps)
            assert sum(result.logps) == pytest.approx(result.score * length, abs=1e-4)


@pytest.mark.parametrize(
    "options",
    [{"beam_size": 1}, {"beam_size": 3}, {"sampling": regard.SamplingOptions(seed=3)}],
    ids=["greedy", "beam", "sampling"],
)
def test_score_is_defined_once(translator, options) -> None:
    """Σ log p / length^α for every search, of texts in one segment and in several."""
    long = "A man sees a dog. " * 12
    results = translator.translate([*LINES, long], length_penalty=0.7, logps=True, **options)
    assert len(results[-1].segments) > 1
    for result in results:
        if result.logps:
            expected = sum(result.logps) / len(result.logps) ** 0.7
            assert result.score == pytest.approx(expected, abs=1e-4)


def test_each_text_has_its_own_prefix(translator) -> None:
    prefixes = ["A", "", "Two men", "Go", "A"]
    results = translator.translate(LINES, prefix=prefixes)
    assert all(r.text.startswith(p) for r, p in zip(results, prefixes, strict=True))
    without = translator.translate(LINES)[1]
    assert results[1].text == without.text
    assert results[1].segments[0].tokens == without.segments[0].tokens
    assert results[1].score == pytest.approx(without.score, abs=1e-6)  # of another batch
    with pytest.raises(CorpusError, match="prefix"):
        translator.translate(LINES, prefix=["A"])


def test_prefix_may_be_longer_than_the_usual_maximum(translator) -> None:
    prefix = "A man sees a dog. " * 9
    (result,) = translator.translate(["Go!"], prefix=prefix)
    assert result.text.startswith(prefix.strip())


def test_prefix_takes_precedence_over_constraints(translator) -> None:
    (result,) = translator.translate(
        ["Go!"], prefix="dog dog dog", forbid=["dog"], no_repeat_ngram=1
    )
    assert result.text.startswith("dog dog dog")


def test_only_the_first_segment_has_the_prefix(tmp_path: Path) -> None:
    small = regard.Translator.load(
        make_bundle("bahdanau", tmp_path / "model", splitting=Splitting(12, 40))
    )
    (free,) = small.translate([" ".join(LINES)])
    (forced,) = small.translate([" ".join(LINES)], prefix="Two men")
    assert forced.text.startswith("Two men")
    assert [s.text for s in forced.segments[1:]] == [s.text for s in free.segments[1:]]


def test_min_length_is_reached(translator) -> None:
    assert min(len(r.segments[0].tokens) for r in translator.translate(LINES)) < 30
    for result in translator.translate(LINES, min_length=60):
        assert len(result.segments[0].tokens) >= 60


def test_no_ngram_is_repeated(translator) -> None:
    def bigrams(result) -> list[tuple[int, int]]:
        tokens = result.segments[0].tokens
        return list(pairwise(tokens))

    def repeats(results) -> bool:
        return any(len(set(bigrams(r))) < len(bigrams(r)) for r in results)

    assert repeats(translator.translate(LINES, min_length=20))
    assert not repeats(translator.translate(LINES, min_length=20, no_repeat_ngram=2))


def test_the_engine_gets_the_tokens_of_forbidden_texts(translator) -> None:
    engine = FixedEngine([5])
    with_engine(translator, engine).translate(LINES, forbid=["dog", "two cats"])
    dog, cats = translator.tokenizer.encode(["dog", "two cats"])
    assert engine.options.forbidden == (tuple(dog), tuple(cats))


def test_forbid_must_be_a_list_of_texts_with_tokens(translator) -> None:
    for text in ("", " "):
        with pytest.raises(ConfigError, match="forbid"):
            translator.translate(LINES, forbid=[text])
    with pytest.raises(ConfigError, match="forbid"):
        translator.translate(LINES, forbid="dog")


@pytest.mark.parametrize(
    "options",
    [{"beam_size": 0}, {"n_best": 0}, {"min_length": -1}, {"no_repeat_ngram": -1}],
    ids=str,
)
def test_impossible_options_are_named(translator, options: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        translator.translate(LINES, **options)


# sampling


def sampled(translator, texts: list[str], **options) -> list[str]:
    sampling = regard.SamplingOptions(**options)
    return [result.text for result in translator.translate(texts, sampling=sampling)]


def test_the_same_seed_draws_the_same(translator) -> None:
    assert sampled(translator, LINES, seed=1) == sampled(translator, LINES, seed=1)
    assert sampled(translator, LINES, seed=1) != sampled(translator, LINES, seed=2)


def test_special_tokens_and_control_characters_are_not_drawn(translator) -> None:
    """The bytes of a newline used to add lines to a translated file."""
    tokenizer = translator.tokenizer
    never = {PAD, BOS, UNK, *(i for i in range(tokenizer.size) if tokenizer.piece(i) == "<0x0A>")}
    model = copy.deepcopy(translator.model)
    other = regard.Translator(model, tokenizer, translator.splitting, translator.options)
    with torch.no_grad():
        model.readout.bias[list(never)] += 20
    for result in other.translate(LINES, sampling=regard.SamplingOptions(), n_best=5):
        for each in result.n_best:
            assert not never & set(each.segments[0].tokens)
            assert len(each.text.splitlines()) == 1


def test_several_draws_of_a_text_differ(translator) -> None:
    (result,) = translator.translate(LINES[:1], sampling=regard.SamplingOptions(), n_best=5)
    assert len({each.text for each in result.n_best}) > 1


def test_draws_do_not_depend_on_the_blocks_of_a_file(
    model: Path, translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal lines in different blocks have different random numbers."""
    lines = ["A dog runs."] * 8
    expected = sampled(translator, lines, seed=1, temperature=20.0, top_k=9)
    assert len(set(expected)) > 1
    monkeypatch.setattr(corpus_job, "BLOCK", 2)
    command = ["translate", str(model), "--sample", "--temperature", "20", "--top-k", "9"]
    assert run_cli(command, "\n".join(lines)) == "".join(f"{text}\n" for text in expected)


def test_segments_of_a_text_have_different_random_numbers(tmp_path: Path) -> None:
    small = regard.Translator.load(
        make_bundle("bahdanau", tmp_path / "model", splitting=Splitting(12, 40))
    )
    text = " ".join(["A man sees a dog."] * 6)
    (result,) = small.translate([text], sampling=regard.SamplingOptions())
    assert len(result.segments) == 6
    assert len({segment.tokens for segment in result.segments}) > 1


@pytest.mark.parametrize("options", [{"temperature": 0.0}, {"top_k": 0}, {"top_p": 0.0}], ids=str)
def test_impossible_sampling_options_are_named(options: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        regard.SamplingOptions(**options)


# texts


def test_a_single_string_is_an_error(translator) -> None:
    with pytest.raises(CorpusError, match="list of texts"):
        translator.translate("A dog runs.")


@pytest.mark.parametrize(
    "text", ["", " ", "\u200b", "\x00", "🦊" * 40, "e\u0301", "</s> <unk>", "a\u2028b"]
)
def test_any_text_can_be_translated(translator, text: str) -> None:
    (result,) = translator.translate([text], quality=True, alignments=True)
    assert result.source == text


def test_long_texts_are_translated_in_segments(tmp_path: Path) -> None:
    small = regard.Translator.load(
        make_bundle("bahdanau", tmp_path / "model", splitting=Splitting(12, 40))
    )
    text = " ".join(LINES)
    (result,) = small.translate([text])
    assert [text[slice(*segment.span)] for segment in result.segments] == LINES
    assert result.text == " ".join(segment.text for segment in result.segments)
    for segment in result.segments:
        assert result.text[slice(*segment.target_span)] == segment.text


# alignments and quality


def test_segments_of_a_long_text_are_aligned_together(tmp_path: Path) -> None:
    small = regard.Translator.load(
        make_bundle("bahdanau", tmp_path / "model", splitting=Splitting(12, 40))
    )
    text = " ".join(LINES)
    (result,) = small.translate([text], alignments=True, quality=True)
    aligned = result.alignment
    assert aligned.source.word_texts == [text[a:b] for a, b in split_words(text)]
    assert aligned.weights.shape == (len(aligned.target.words), len(aligned.source.words) + 1)
    (alone,) = small.translate([LINES[0]], alignments=True)
    count = len(split_words(LINES[0]))
    assert {link for link in aligned.links if link[0] < count} == alone.alignment.links


def other_tokens(translator: regard.Translator, text: str) -> list[int]:
    """Tokenize a text in another way than `encode`: into single characters."""
    ids = {translator.tokenizer.piece(i): i for i in range(translator.tokenizer.size)}
    tokens = [ids[f"▁{word[0]}"] if f"▁{word[0]}" in ids else ids["▁"] for word in text.split()]
    spelled: list[int] = []
    for word, first in zip(text.split(), tokens, strict=True):
        rest = word if translator.tokenizer.piece(first) == "▁" else word[1:]
        spelled += [first, *(ids[letter] for letter in rest)]
    assert translator.tokenizer.decode(spelled) == text
    assert spelled != translator.tokenizer.encode([text])[0]
    return spelled


def test_alignment_and_quality_use_the_tokens_that_were_found(translator) -> None:
    """A search may find tokens that `encode` does not produce from their text."""
    text = "A man sees a dog"
    tokens = other_tokens(translator, text)
    fixed = with_engine(translator, FixedEngine(tokens))
    (result,) = fixed.translate(["Go!"], alignments=True, quality=True)
    assert result.text == text
    assert result.segments[0].tokens == result.alignment.target.pieces.ids == tuple(tokens)
    source = translator.tokenizer.encode(["Go!"])[0]
    (forced,) = force_decode(translator.model, [(source, tokens)])
    assert result.quality.features.worst == pytest.approx(-min(forced.logps), abs=1e-5)
    assert fixed.explain("Go!").target.pieces.ids == tuple(tokens)
    assert fixed.measure_quality(["Go!"]) == [result.quality.features]


def test_warnings_are_sentences() -> None:
    features = QualityFeatures(*[0.0] * 7)
    report = QualityReport(1.2, ("repeated words",), features, ((2, 5), (6, 10)))
    result = TranslationResult("A dog runs.", "x x x", -1.0, (), quality=report)
    assert result.warnings == (
        "Check the translation: repeated words.",
        "Source words without a counterpart: dog runs.",
    )
    assert replace(result, quality=replace(report, score=0.9)).warnings == ()
    assert replace(result, quality=None).warnings == ()


def test_pairs_are_aligned_word_by_word(translator) -> None:
    (aligned,) = translator.align(["A dog runs."], ["Ein Hund rennt."])
    assert aligned.source.word_texts == ["A", "dog", "runs", "."]
    assert all(0 <= i < 4 and 0 <= j < 4 for i, j in aligned.links)
    assert aligned.weights.shape == (4, 5)
    with pytest.raises(CorpusError, match="targets"):
        translator.align(["A dog runs."], [])


def test_a_model_without_attention_translates_but_cannot_align(tmp_path: Path) -> None:
    model = regard.Translator.load(make_bundle("sutskever", tmp_path / "model"))
    assert model.translate(["A dog"])[0].text is not None
    with pytest.raises(ArtifactError, match="alignment head"):
        model.align(["A dog"], ["Ein Hund"])
    for options in ({"alignments": True}, {"quality": True}):
        with pytest.raises(ArtifactError, match="alignment head"):
            model.translate(["A dog"], **options)


def test_quality_needs_calibration(translator) -> None:
    uncalibrated = copy.copy(translator)
    uncalibrated.thresholds = None
    with pytest.raises(ArtifactError, match="calibration"):
        uncalibrated.translate(LINES, quality=True)


# ensembles


@pytest.fixture(scope="module")
def other_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle("bahdanau", tmp_path_factory.mktemp("bundles") / "model", seed=1)


@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("engine", ["torch", "invariant"])
def test_an_ensemble_averages_probabilities(
    model: Path, other_model: Path, beam_size: int, engine: str
) -> None:
    both = regard.Translator.load(model, ensemble=[other_model], engine=engine)
    models = [regard.Translator.load(path).model for path in (model, other_model)]
    for result in both.translate(LINES, beam_size=beam_size):
        (segment,) = result.segments
        source = both.tokenizer.encode([result.source])[0]
        forced = [force_decode(each, [(source, segment.tokens)])[0].logps for each in models]
        mean = torch.tensor(forced).exp().mean(dim=0).log().tolist()
        assert segment.logps == pytest.approx(mean[: len(segment.logps)], abs=1e-4)


def test_an_ensemble_of_one_model_twice_is_the_model(model: Path, translator) -> None:
    twice = regard.Translator.load(model, ensemble=[model])
    for one, expected in zip(twice.translate(LINES), translator.translate(LINES), strict=True):
        assert one.text == expected.text
        assert one.score == pytest.approx(expected.score, abs=1e-5)


def test_an_ensemble_needs_one_vocabulary(model: Path, tmp_path: Path) -> None:
    other = make_bundle("transformer", tmp_path / "model", lines=LINES[:3])
    with pytest.raises(ArtifactError, match=r"model: has another vocabulary"):
        regard.Translator.load(model, ensemble=[other])


def test_only_torch_runs_ensembles(model: Path, other_model: Path) -> None:
    with pytest.raises(ConfigError, match="--engine torch"):
        regard.Translator.load(model, ensemble=[other_model], engine="ctranslate2")


# the command


def test_the_command_translates_line_by_line(model: Path, translator) -> None:
    text = "\n".join(["", *LINES, "", "no end"])
    out = run_cli(["translate", str(model)], text)
    expected = [to_line(result.text) for result in translator.translate(text.split("\n"))]
    assert out.split("\n")[:-1] == expected


def test_the_command_translates_a_file(model: Path, tmp_path: Path, translator) -> None:
    (tmp_path / "in").write_bytes(b"A dog runs.\r\nGo!\n")
    files = ("--source", str(tmp_path / "in"), "--out", str(tmp_path / "out"))
    run_cli(["translate", str(model), *files])
    expected = [to_line(result.text) for result in translator.translate(["A dog runs.", "Go!"])]
    assert (tmp_path / "out").read_text().split("\n") == [*expected, ""]


@pytest.mark.parametrize("separator", ["\t", "\r", "\x0b", "\x85", "\u2028"])
def test_white_space_of_a_long_line_breaks_no_line_and_no_column(
    model: Path, separator: str
) -> None:
    """It joins the translated segments."""
    line = separator.join([*LINES] * 5)
    out = run_cli(["translate", str(model), "--align"], f"{line}\n")
    assert len(out.splitlines()) == 1 and out.count("\t") == 3
    out = run_cli(["translate", str(model), "--n-best", "2"], f"{line}\n")
    assert len(out.splitlines()) == 2


def test_a_byte_order_mark_is_not_part_of_the_text(model: Path, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"\xef\xbb\xbfA dog runs.\n")
    for source, text in ((("--source", str(tmp_path / "in")), None), ((), "\ufeffA dog runs.\n")):
        result = json.loads(run_cli(["translate", str(model), "--json", *source], text))
        assert result["source"] == "A dog runs."


def test_the_command_passes_all_options(model: Path, other_model: Path) -> None:
    both = regard.Translator.load(model, ensemble=[other_model])
    options = {
        "beam_size": 4,
        "length_penalty": 0.5,
        "prefix": "A",
        "min_length": 5,
        "no_repeat_ngram": 2,
    }
    named = [
        argument
        for name, value in options.items()
        for argument in (f"--{name.replace('_', '-')}", str(value))
    ]
    forbidden = ["--forbid", "dog", "--forbid", "cat"]
    out = run_cli(
        ["translate", str(model), "--ensemble", str(other_model), *named, *forbidden],
        "\n".join(LINES),
    )
    expected = both.translate(LINES, **options, forbid=["dog", "cat"])
    assert out == "".join(f"{to_line(result.text)}\n" for result in expected)


def test_sampling_options_of_the_command(model: Path, translator) -> None:
    options = {"temperature": 0.7, "top_k": 9, "top_p": 0.9, "seed": 5}
    named = [
        argument
        for name, value in options.items()
        for argument in (f"--{name.replace('_', '-')}", str(value))
    ]
    out = run_cli(["translate", str(model), "--sample", *named], "\n".join(LINES))
    assert out == "".join(f"{text}\n" for text in sampled(translator, LINES, **options))


def test_n_best_lines_have_number_text_and_score(model: Path) -> None:
    out = run_cli(["translate", str(model), "--n-best", "3"], "A dog runs.\nGo!\n")
    rows = [line.split(" ||| ") for line in out.splitlines()]
    assert [row[0] for row in rows] == ["0", "0", "0", "1", "1", "1"]
    assert float(rows[0][2]) >= float(rows[1][2])


def test_every_translation_of_an_n_best_list_has_links(model: Path, translator) -> None:
    out = run_cli(["translate", str(model), "--n-best", "3", "--align"], "A dog runs.\n")
    (result,) = translator.translate(["A dog runs."], n_best=3, alignments=True)
    links = [write_links(each.alignment.links) for each in result.n_best]
    assert [line.split(" ||| ")[3] for line in out.splitlines()] == links
    words = [len(split_words(each.text)) for each in result.n_best]
    assert [len(each.alignment.target.words) for each in result.n_best] == words


def test_json_lines_have_all_details(model: Path) -> None:
    command = ["translate", str(model), "--json", "--align", "--check", "--n-best", "2"]
    result = json.loads(run_cli(command, "A dog runs.\n"))
    assert result["source"] == "A dog runs."
    assert result["alignment"]["source_words"] == [[0, 1], [2, 5], [6, 10], [10, 11]]
    assert len(result["segments"][0]["logps"]) >= len(result["segments"][0]["pieces"])
    assert result["n_best"][0]["text"] == result["text"]
    assert bool(result["warnings"]) == (result["quality"]["score"] >= 1)


def test_check_reports_lines_on_standard_error(model: Path, translator) -> None:
    expected = [
        f"line {number}: {' '.join(result.warnings)}"
        for number, result in enumerate(translator.translate(LINES, quality=True), 1)
        if result.warnings
    ]
    assert expected
    found = CliRunner().invoke(app, ["translate", str(model), "--check"], input="\n".join(LINES))
    assert found.stderr.splitlines() == [*expected, f"{len(expected)} of {len(LINES)} to check"]


def test_align_writes_a_line_of_links_for_each_pair(model: Path, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("A dog runs.\nGo!\n")
    (tmp_path / "b").write_text("Ein Hund rennt.\nLos!\n")
    pairs = ("--source", str(tmp_path / "a"), "--target", str(tmp_path / "b"))
    out = run_cli(["align", str(model), *pairs])
    assert len(out.splitlines()) == 2
    both = run_cli(["align", str(model), *pairs, "--reverse", str(model), "--json"])
    assert json.loads(both.splitlines()[0])["target_words"][1] == [4, 8]


def test_translating_imports_no_compiler_and_no_distributed_training(model: Path) -> None:
    """They take as long as importing the rest of torch."""
    code = (
        "import regard, sys; regard.Translator.load(sys.argv[1]).translate(['Go!']); "
        "print({'torch._dynamo', 'torch.distributed.checkpoint'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(model)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


@pytest.mark.parametrize("arguments", [(), ("--target", "b")])
def test_align_needs_a_source(arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, ["align", "model", *arguments])
    assert result.exit_code == 2
    assert "Missing option" in result.output


def test_align_needs_both_sides_of_plain_text() -> None:
    result = CliRunner().invoke(app, ["align", "model", "--source", "a"])
    assert isinstance(result.exception, CorpusError)
    assert "give a source file and a target file" in str(result.exception)


def test_lines_that_are_not_utf_8_are_named(model: Path, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"good\nb\xffd\n")
    with pytest.raises(CorpusError, match="line 2: is not UTF-8"):
        run_cli(["translate", str(model), "--source", str(tmp_path / "in")])

"""One model for several pairs of languages: a tag before the source selects the target."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from regard.align.tokenized_text import TokenizedText
from regard.bundle.bundle import CARD, bundle_tokenizer, open_bundle
from regard.config.data import DataConfig
from regard.config.load import load_config
from regard.data.formats.corpus import open_corpus
from regard.data.loading.shard_pool import SubwordSampling
from regard.data.loading.shards import PreparedData, load_tokenizers
from regard.data.preparation.prepare import PreparationSettings, prepare_corpora
from regard.data.preparation.runner import InProcessRunner, ProcessRunner
from regard.errors import ConfigError
from regard.tasks.training import RunDirectory, prepare_data
from regard.tasks.translation.exchange import export_bundle, export_huggingface, read_pretrained
from regard.tasks.translation.pairs import held_out_pairs
from regard.tasks.translation.scoring import score_targets
from regard.tasks.translation.translator import Translator
from regard.text.tagged_tokenizer import TaggedTokenizer, tagged_languages
from regard.text.words import split_words
from regard.train.loggers.jsonl import read_events
from tests.command import run_cli
from tests.multilingual import PAIRS, WORDS, run_file, settings, write_texts

SOURCES = {
    "en": ["one two three", "five", "four six"],
    "fr": ["un deux trois", "cinq", "quatre six"],
    "de": ["eins zwei drei", "fünf", "vier sechs"],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    folder = tmp_path_factory.mktemp("multilingual")
    directory = RunDirectory(folder / "run")
    run_cli(["train", run_file(folder), "--out", str(directory.path), *settings(120)])
    return directory


@pytest.fixture(scope="module")
def translator(run: RunDirectory) -> Translator:
    return Translator.load(run.model)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_the_tag_selects_the_language(translator: Translator, source: str, target: str) -> None:
    results = translator.translate(SOURCES[source], to=target)
    assert [result.text for result in results] == SOURCES[target]
    assert [result.source for result in results] == SOURCES[source]
    bound = translator.for_target(target)
    assert [result.text for result in bound.translate(SOURCES[source])] == SOURCES[target]
    assert bound.for_target(None) is bound


def test_a_language_is_required_and_must_be_known(run: RunDirectory) -> None:
    translator = Translator.load(run.model)
    for call in (
        lambda: translator.translate(["one"]),
        lambda: translator.align(["one"], ["un"]),
        lambda: translator.explain("one"),
        lambda: translator.force_decode(["one"], ["un"]),
        lambda: translator.translate_document(b"one", format="text"),
        lambda: score_targets(translator, ["one"], ["un"]),
    ):
        with pytest.raises(ConfigError, match=r"several languages.*fr, de, en"):
            call()
    with pytest.raises(ConfigError, match=r"does not translate into es.*fr, de, en"):
        translator.translate(["one"], to="es")
    with pytest.raises(ConfigError, match=r"does not translate into de.*fr"):
        translator.for_target("fr").translate(["one"], to="de")
    with pytest.raises(ConfigError, match=r"--to\): fr, de, en"):
        run_cli(["translate", str(run.model), "one"])
    with pytest.raises(ConfigError, match=r"into es.*fr, de, en"):
        run_cli(["translate", str(run.model), "--to", "es", "one"])


def test_commands_take_the_language(run: RunDirectory, tmp_path: Path) -> None:
    model = str(run.model)
    assert run_cli(["translate", model, "--to", "de", "one two three"]) == "eins zwei drei\n"
    for language, lines in SOURCES.items():
        (tmp_path / language).write_text("".join(f"{line}\n" for line in lines))
    files = ["--source", str(tmp_path / "en"), "--reference", str(tmp_path / "de")]
    scores = json.loads(run_cli(["evaluate", model, *files, "--to", "de", "--json"]))
    assert scores["scores"]["chrf"]["value"] == 100
    files = ["--source", str(tmp_path / "en"), "--target", str(tmp_path / "de")]
    links = run_cli(["align", model, *files, "--to", "de"]).splitlines()
    assert links[1] == "0-0"
    right, wrong = (
        float(run_cli(["score", model, *files, "--to", to]).split("\t")[0]) for to in ("de", "fr")
    )
    assert right > wrong + 1
    page = tmp_path / "page.json"
    run_cli(["explain", model, "--to", "fr", "one two", "-o", str(page)])
    assert json.loads(page.read_text())["target"]["text"] == "un deux"


def test_offsets_do_not_count_the_tag(translator: Translator) -> None:
    raw = "  one\u00a0 two  three"
    for align_with in (None, "attention"):
        (result,) = translator.translate([raw], to="fr", alignments=True, align_with=align_with)
        alignment = result.alignment
        assert alignment is not None and result.text == "un deux trois"
        assert alignment.source.words == split_words(raw)
        assert alignment.source.word_texts == ["one", "two", "three"]
        assert all(i < 3 and j < 3 for i, j in alignment.links)
        assert alignment.weights.shape[1] in (3, 4)
    record = json.loads(translator.explain(raw, to="fr").to_json())
    source = record["source"]
    assert source["text"] == raw and source["pieces"][0] == ">>fr<<"
    assert source["spans"][0] == [0, 0]
    assert [raw[a:b] for a, b in source["words"]] == ["one", "two", "three"]
    assert all(0 not in pieces for pieces in source["word_pieces"])


def test_warnings_do_not_name_the_tag(translator: Translator) -> None:
    results = translator.translate(["one two", "one >>de<< two two two"], to="fr", quality=True)
    assert all(result.quality is not None for result in results)
    assert all(">>fr<<" not in warning for result in results for warning in result.warnings)


def test_no_text_contains_a_tag(run: RunDirectory) -> None:
    tokenizer = bundle_tokenizer(open_bundle(run.model))
    assert tagged_languages(tokenizer) == ("fr", "de", "en")
    tags = set(tokenizer.tags.values())
    texts = [">>fr<<", "a >>fr<< b", ">>de<<one", "\u2581>>fr<<"]
    for text, ids in zip(texts, tokenizer.encode(texts), strict=True):
        assert not tags & set(ids)
        assert tokenizer.decode(ids) == tokenizer.normalize(text)
    assert tags <= set(tokenizer.never_encoded)
    with pytest.raises(ConfigError, match=r"no tag >>es<<.*>>fr<<"):
        TaggedTokenizer(tokenizer, [">>es<<"])


def test_a_tagged_tokenizer_agrees_with_itself(run: RunDirectory) -> None:
    base = bundle_tokenizer(open_bundle(run.model))
    tagged = TaggedTokenizer(base, [">>de<<"])
    tag = base.tags[">>de<<"]
    assert tagged.encode(["", " "]) == [[], []] and not tagged.pieces(" ").ids
    assert tagged.fingerprint not in (base.fingerprint, TaggedTokenizer(base, [">>fr<<"]))
    for text in ("one two", "Ünï 日本 one", "x" * 50):
        (ids,) = tagged.encode([text])
        assert ids == [tag, *base.encode([text])[0]] == list(tagged.pieces(text).ids)
        decoded, pieces = tagged.decode_with_spans(ids)
        assert (decoded, base.decode(ids)) == (text, text)
        assert pieces.spans[0] == (0, 0)
        assert pieces.spans[1:] == base.decode_with_spans(ids[1:])[1].spans
        assert TokenizedText.from_tokens(base, ids).words == split_words(text)
    sampling = SubwordSampling((base, base), 0.1, 100)
    sampled = sampling.sample(tagged.encode(["one two three"] * 4), 0, "name")
    assert all(row[0] == tag and base.decode(row) == "one two three" for row in sampled)
    assert len(set(map(tuple, sampled))) > 1


def test_validation_is_by_pair(run: RunDirectory) -> None:
    (event,) = (e for e in read_events(run.log) if e["event"] == "validation_completed")
    values = event["scores"]["values"]
    for metric in ("bleu", "chrf", "nll"):
        named = [values[f"{metric} {source}-{target}"] for source, target in PAIRS]
        assert values[metric] == pytest.approx(sum(named) / 3)
    card = open_bundle(run.model).text(CARD)
    assert "from en to fr, from en to de, from fr to en" in card and "chrf en-de" in card


def test_held_out_pairs_have_languages(tmp_path: Path) -> None:
    run = load_config(run_file(tmp_path, valid=False), ["data.held_out=0.2", "data.aligner=false"])
    prepared = prepare_data(run, RunDirectory(tmp_path / "run"), lambda progress: None)
    groups = held_out_pairs(prepared, run.data).by_languages()
    assert set(groups) == set(PAIRS)
    for languages, pairs in groups.items():
        assert languages is not None
        for texts, language in zip((pairs.sources, pairs.targets), languages, strict=True):
            assert {word for text in texts for word in text.split()} <= set(WORDS[language])
    # The same source is held out of all corpora; "six six" is dropped, as its own translation.
    french, german = (groups[pair].sources for pair in PAIRS[:2])
    assert set(french) <= set(german)
    assert len(french) > 10


def test_prepared_data_do_not_depend_on_the_runner(tmp_path: Path) -> None:
    write_texts(tmp_path, "train", 100)
    files = {language: str(tmp_path / f"train.{language}") for language in WORDS}
    texts = [open_corpus(files[s], files[t], name=f"{s}{t}", tags=(f">>{t}<<",)) for s, t in PAIRS]
    settings = PreparationSettings(vocabulary=320, held_out=0.1, shard_pairs=64)
    runners = (InProcessRunner(), ProcessRunner(2))
    for number, runner in enumerate(runners):
        prepare_corpora(texts, str(tmp_path / f"data{number}"), settings, runner)
    names = [path.name for path in (tmp_path / "data0").glob("*-*")]
    for name, number in product(names, (0, 1)):
        assert (tmp_path / f"data{number}" / name).exists()
    for name in (*(name for name in names if not name.endswith(".json")), "tokenizer.model"):
        one, other = ((tmp_path / f"data{number}" / name).read_bytes() for number in (0, 1))
        assert one == other
    prepared = PreparedData.open(str(tmp_path / "data0"))
    tokenizer, _ = load_tokenizers(prepared.root)
    for shard in prepared.shards("train"):
        opened, tag = shard.open(), tokenizer.tags[f">>{shard.corpus[2:]}<<"]
        assert {opened.pair(i)[0][0] for i in range(shard.pairs)} == {tag}


def test_fine_tuning_needs_the_languages(run: RunDirectory, tmp_path: Path) -> None:
    write_texts(tmp_path, "mine", 40)
    files = ["--source", str(tmp_path / "mine.en"), "--target", str(tmp_path / "mine.fr")]
    train = [
        *("train", "--from", str(run.model), *files, "--out", str(tmp_path / "out")),
        *("--set", "train.steps=1", "--set", "data.held_out=0.1", "--set", "data.aligner=false"),
    ]
    with pytest.raises(ConfigError, match=r"several target languages.*fr, de, en"):
        run_cli(train)
    with pytest.raises(ConfigError, match="no tag >>es<<"):
        run_cli([*train, "--languages", "en-es"])
    run_cli([*train, "--languages", "en-fr"])
    tuned = Translator.load(tmp_path / "out" / "model")
    assert tuned.languages.only_pair == ("en", "fr")
    assert tuned.translate(SOURCES["en"])[0].text == SOURCES["fr"][0]


def test_exported_models_translate_into_each_language(run: RunDirectory, tmp_path: Path) -> None:
    pytest.importorskip("ctranslate2")
    import shutil

    path = tmp_path / "model"
    shutil.copytree(run.model, path)
    parity = export_bundle(path, None, SOURCES["en"], SOURCES["de"], to="de")
    assert parity.same == 1
    exported = Translator.load(path, engine="ctranslate2")
    for target in ("fr", "de"):
        results = exported.translate(SOURCES["en"], to=target)
        assert [result.text for result in results] == SOURCES[target]


@pytest.mark.filterwarnings("ignore:Recommended")
def test_language_tags_are_those_of_marian(run: RunDirectory, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    export_huggingface(run.model, tmp_path / "theirs")
    theirs = transformers.MarianTokenizer.from_pretrained(tmp_path / "theirs")
    pieces = theirs.convert_ids_to_tokens(theirs(">>fr<< one two")["input_ids"])
    assert pieces[0] == ">>fr<<"
    imported = read_pretrained(tmp_path / "theirs", ("en", None))
    assert sorted(tagged_languages(imported.tokenizer)) == ["de", "en", "fr"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"train": [("en", "fr"), None]}, r"data\.train\.1\.languages"),
        ({"train": [("en", "fr")], "valid": [None]}, r"data\.valid\.0\.languages"),
        ({"train": [("en", "fr")], "valid": [("en", "de")]}, "target language de.*fr"),
        ({"train": [("en", "f r")]}, r"data\.train\.0\.languages"),
    ],
)
def test_wrong_languages_are_refused(
    data: dict[str, list[tuple[str, str] | None]], message: str
) -> None:
    settings = {
        split: [{"files": ["a", "b"], "languages": languages} for languages in corpora]
        for split, corpora in data.items()
    }
    with pytest.raises(ConfigError, match=message):
        load_config("translate-tiny", [{"data": settings}])


def test_one_validation_corpus_needs_no_list() -> None:
    corpus = {"files": ["a", "b"]}
    for value in (corpus, [corpus]):
        run = load_config("translate-tiny", [{"data": {"valid": value}}])
        assert [each.files for each in run.data.valid] == [("a", "b")]
    assert load_config("translate-tiny", [{"data": {"valid": None}}]).data == DataConfig(
        **load_config("translate-tiny").data.model_dump()
    )


def test_languages_are_for_translation_only(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("one\n")
    corpus = {"files": [str(tmp_path / "text")], "languages": ["en", "fr"]}
    run = load_config("lm-transformer", [{"data": {"train": [corpus]}}])
    with pytest.raises(ConfigError, match="translation models only"):
        prepare_data(run, RunDirectory(tmp_path / "run"), lambda progress: None)

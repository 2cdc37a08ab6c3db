"""From labelled documents to a sealed classifier that names classes and shows what counted."""

from __future__ import annotations

import json
import random
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import torch

import regard
from regard.batch import Documents, Tokens, pad
from regard.bundle.bundle import SCORES, open_bundle
from regard.config.load import load_config
from regard.data.loading.shards import PreparedData
from regard.errors import ArtifactError, ConfigError, CorpusError, RegardError
from regard.nn import pooling as pool
from regard.tasks.classification.document_classifier import (
    ClassificationResult,
    DocumentClassifier,
    document_view,
)
from regard.tasks.classification.module import documents, held_out_documents, score_labels
from regard.tasks.training import RunDirectory
from regard.text.tokenizer import EOS, SentencePiece
from tests.command import run_cli
from tests.labelled_documents import BLAME, PRAISE, arguments, document, make_judged
from tests.toy_corpus import WORDS


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_judged(tmp_path_factory.mktemp("judged"))


@pytest.fixture(scope="module")
def home(judged: Path) -> RunDirectory:
    home = RunDirectory(judged / "run")
    said = run_cli(arguments(judged, home.path))
    assert said.splitlines()[-1] == str(home.model)
    return home


@pytest.fixture(scope="module")
def labeller(home: RunDirectory) -> DocumentClassifier:
    found = regard.load(home.model)
    assert isinstance(found, DocumentClassifier)
    return found


def test_it_learns_which_word_matters_wherever_it_stands(labeller: DocumentClassifier) -> None:
    chance = random.Random(7)
    labels = chance.choices([PRAISE, BLAME], k=40)
    found = labeller.classify([document(chance, label) for label in labels])
    right = sum(one.label == label for one, label in zip(found, labels, strict=True))
    assert right >= 36
    assert all(0.5 <= one.probability <= 1 and str(one) == one.label for one in found)


def test_a_table_of_labels_and_texts_gives_the_same_shards(
    judged: Path, home: RunDirectory
) -> None:
    again = RunDirectory(judged / "tsv")
    run_cli(arguments(judged, again.path, "train.steps=1", suffix="tsv"))
    one, other = (PreparedData.open(str(place.data)) for place in (home, again))
    assert one.labels == other.labels == (BLAME, PRAISE)
    assert [s.checksums for s in one.shards("train")] == [
        s.checksums for s in other.shards("train")
    ]


def test_weights_are_distributions_over_sentences_and_words(labeller: DocumentClassifier) -> None:
    text = "One two  three.\n\nFour good five six! Seven eight?"
    (found,) = labeller.classify([text], weights=True)
    assert [text[slice(*s.span)] for s in found.sentences] == [
        "One two  three.",
        "Four good five six!",
        "Seven eight?",
    ]
    assert sum(s.weight for s in found.sentences) == pytest.approx(1, abs=1e-5)
    for sentence in found.sentences:
        assert sum(word.weight for word in sentence.words) == pytest.approx(1, abs=1e-5)
    words = [text[slice(*w.span)] for s in found.sentences for w in s.words]
    assert words == re.findall(r"\w+|[.!?]", text)
    (plain,) = labeller.classify([text])
    assert plain.logps == pytest.approx(found.logps, abs=1e-5) and plain.sentences == ()


def test_alone_is_as_in_a_batch(labeller: DocumentClassifier) -> None:
    chance = random.Random(3)
    texts = [document(chance, PRAISE) for _ in range(5)]
    together = labeller.classify(["", *texts, " \n "])
    assert [one.label for one in (together[0], together[-1])] == [None, None]
    for one, text in zip(together[1:-1], texts, strict=True):
        assert labeller.classify([text])[0].logps == pytest.approx(one.logps, abs=1e-5)


@pytest.mark.parametrize(
    "text",
    [
        "...",
        "\u200b. \u200b.",
        "a" * 5_000,
        "六。七！",
        "\ud800 \x00",
        "?!\n\n\n\n.\n",
        "One. " * 3_000,
    ],
)
def test_any_text_is_classified(labeller: DocumentClassifier, text: str) -> None:
    (found,) = labeller.classify([text], weights=True)
    assert found.label in (PRAISE, BLAME)
    assert sum(s.weight for s in found.sentences) == pytest.approx(1, abs=1e-3)


def test_sentences_in_blocks_are_as_all_at_once(
    labeller: DocumentClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(4)
    sentences = [chance.choices(WORDS, k=chance.randint(1, 30)) for _ in range(50)]
    text = " ".join(" ".join(words).capitalize() + "." for words in sentences)
    (whole,) = labeller.classify([text], weights=True)
    monkeypatch.setattr(pool, "BLOCK", 100)
    (parts,) = labeller.classify([text], weights=True)
    assert parts.logps == pytest.approx(whole.logps, abs=1e-5)
    for one, other in zip(parts.sentences, whole.sentences, strict=True):
        assert one.weight == pytest.approx(other.weight, abs=1e-5)
        assert [w.weight for w in one.words] == pytest.approx(
            [w.weight for w in other.words], abs=1e-5
        )


def test_documents_come_out_of_a_batch_as_they_went_in() -> None:
    said = [[[5], [6, 7, 8], [9, 9]], [[4, 4]], [[7], [8]]]
    flat = pad([[t for sentence in one for t in (*sentence, EOS)] for one in said])
    found = documents(flat)
    assert found.counts.tolist() == [3, 1, 2]
    lengths = found.sentences.lengths
    assert lengths is not None
    rows = [row[:n] for row, n in zip(found.sentences.ids.tolist(), lengths.tolist(), strict=True)]
    assert rows == [sentence for one in said for sentence in one]


@pytest.mark.parametrize(
    ("word", "weights"),
    [("weighing.kind=uniform", [0.25] * 4), ("span.kind=last", [0, 0, 0, 1])],
    ids=["mean", "last state"],
)
def test_one_word_takes_the_attention_away_and_no_parameter(
    word: str, weights: list[float]
) -> None:
    sizes = regard.VocabularySizes(50, 2)
    models = [
        load_config("han", said).model.build(sizes).eval()
        for said in ([], [f"model.encoder.pool.{word}"])
    ]
    counts = [sum(p.numel() for p in model.parameters()) for model in models]
    assert counts[0] == counts[1]
    read = Documents(Tokens(torch.arange(4, 8)[None]), torch.tensor([1]))
    with torch.no_grad(), regard.watch(models[1]) as trace:
        models[1](read)
    assert trace["encoder.word_pooling.attention"].flatten().tolist() == pytest.approx(weights)


def test_accuracy_and_f1_are_those_of_the_book() -> None:
    """Of three a, one is missed; of two b, one is named rightly, and one a is taken for it."""
    said = [
        ClassificationResult("", name, {"a": -1.0, "b": -0.5}) for name in ("a", "a", "b", "b", "a")
    ]
    found = score_labels(said, ["a", "a", "a", "b", "b"], ["a", "b"])
    assert found.values["accuracy"] == pytest.approx(3 / 5)
    assert found.values["f1 of a"] == pytest.approx(2 / 3)  # precision 2/3, recall 2/3
    assert found.values["f1 of b"] == pytest.approx(1 / 2)
    assert found.values["f1"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert found.values["nll"] == pytest.approx((3 * 1.0 + 2 * 0.5) / 5)


def test_the_scores_of_training_are_those_found_afterwards(
    home: RunDirectory, judged: Path
) -> None:
    trained = json.loads(open_bundle(home.model).read(SCORES))["values"]
    file = str(judged / "valid.jsonl")
    said = json.loads(run_cli(["evaluate", str(home.model), "--documents", file, "--json"]))
    assert said["values"] == {name: pytest.approx(value) for name, value in trained.items()}


def test_the_command_classifies_lines_or_files(home: RunDirectory, tmp_path: Path) -> None:
    said = run_cli(["classify", str(home.model)], "One good two.\n\nOne bad two.\n")
    rows = [line.split("\t") for line in said.split("\n")[:3]]
    assert [row[0] for row in rows] == [PRAISE, "", BLAME]
    file = tmp_path / "one.txt"
    file.write_text("One two.\n\nThree bad four.\n")
    told = json.loads(run_cli(["classify", str(home.model), str(file), "--json"]))
    assert told["label"] == BLAME and len(told["sentences"]) == 2
    assert told["sentences"][0]["words"][0].keys() == {"span", "weight"}


class Strict(HTMLParser):
    """Every tag that opens is closed in its place; none runs a script or fetches anything."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.said = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "img", "iframe") and "style" not in dict(attrs)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said += data


def test_the_page_shows_the_whole_text_and_runs_nothing_of_it(
    home: RunDirectory, labeller: DocumentClassifier, tmp_path: Path
) -> None:
    text = 'One <script>alert("x")</script> good & "two". Three </p><i onclick=x> four! مرحبا'
    page = document_view(labeller.classify([text, ""], weights=True))
    strict = Strict()
    strict.feed(page)
    assert not strict.open
    shown = "".join(strict.said.split())
    assert "".join(text.split()) in shown and "itsaysnothing" in shown
    assert '<i class="w10"' in page and '<p class="s10"' in page
    out = tmp_path / "x.html"
    run_cli(["classify", str(home.model), "--html", str(out)], f"{text}\n")
    assert "&lt;" in out.read_text() and "<script" not in out.read_text()


def test_without_a_file_to_validate_on_a_share_is_held_out(judged: Path) -> None:
    home = RunDirectory(judged / "held")
    said = arguments(judged, home.path, "train.steps=1", "data.held_out=0.1")
    at = said.index("--valid-file")
    run_cli(said[:at] + said[at + 2 :])
    found = held_out_documents(PreparedData.open(str(home.data)), SentencePiece.load(home.data))
    assert 5 <= len(found.texts) <= 40
    assert all(label in text.lower() for text, label in zip(found.texts, found.labels, strict=True))


@pytest.mark.parametrize(
    ("record", "error", "message"),
    [
        ('{"text": "One.", "label": "odd"}', CorpusError, r"label 'odd': no training document"),
        ('{"text": "One."}', CorpusError, r"line 1: has no label"),
        ('{"text": [1], "label": "good"}', CorpusError, r"text is not a text"),
        ("not json", CorpusError, r"line 1"),
        ('{"text": " ", "label": "good"}', CorpusError, r"holds no documents"),
    ],
)
def test_documents_that_cannot_be_judged_are_refused(
    judged: Path, tmp_path: Path, record: str, error: type[RegardError], message: str
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(record + "\n")
    said = arguments(judged, tmp_path / "run")
    said[said.index("--valid-file") + 1] = str(bad)
    with pytest.raises(error, match=message):
        run_cli(said)


def test_one_class_alone_and_columns_the_wrong_way_round_are_refused(
    judged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = tmp_path / "alone.tsv"
    alone.write_text("good\tOne two.\ngood\tThree.\n")
    said = arguments(judged, tmp_path / "run")
    at = said.index("--documents") + 1
    with pytest.raises(ConfigError, match="all documents have the label 'good'"):
        run_cli([*said[:at], str(alone), *said[at + 1 :][2:]])
    monkeypatch.setattr("regard.data.preparation.pipeline._MOST_LABELS", 50)
    with pytest.raises(CorpusError, match="the wrong way round"):
        run_cli([*said, "--columns", "label", "text"])


def test_texts_in_parts_keep_them_and_need_no_full_stops(
    labeller: DocumentClassifier, home: RunDirectory
) -> None:
    """As where sentences were split before: a list of texts is one document."""
    lines = ["one two", "three good four", "five"]
    tokenizer = SentencePiece.load(home.data)
    from regard.data.preparation.fields import FIELDS, PARAGRAPH

    side = FIELDS["document"]
    clean = side.clean(PARAGRAPH.join(("\n\n".join(lines)).split("\n")), "NFC")
    assert side.lines(clean) == lines
    flat = side.encode([clean], tokenizer, [])
    assert flat.ids.tolist().count(EOS) == 3
    (found,) = labeller.classify(["\n\n".join(lines)], weights=True)
    assert len(found.sentences) == 3


def test_fine_tuning_needs_the_same_classes(
    home: RunDirectory, judged: Path, tmp_path: Path
) -> None:
    others = tmp_path / "others.tsv"
    others.write_text("left\tOne two.\nright\tThree four.\n" * 3)
    said = ["train", "--from", str(home.model), "--threads", "1", "--set", "train.steps=2"]
    with pytest.raises(ArtifactError, match="names the classes bad, good"):
        run_cli(
            [
                *said,
                "--documents",
                str(others),
                "--valid-file",
                str(others),
                "--out",
                f"{tmp_path}/a",
            ]
        )
    file = str(judged / "valid.jsonl")
    run_cli([*said, "--documents", file, "--valid-file", file, "--out", str(tmp_path / "b")])
    assert regard.load(tmp_path / "b" / "model").classes == (BLAME, PRAISE)


def test_its_use_is_told_by_its_card_and_described(home: RunDirectory) -> None:
    card = open_bundle(home.model).text("README.md")
    assert "pipeline_tag: text-classification" in card and ".classify([" in card
    told = json.loads(run_cli(["describe", str(home.model), "--json"]))
    assert told["classes"]["names"] == [BLAME, PRAISE]
    model = regard.load(home.model).model
    assert told["parameters"]["all"] == sum(p.numel() for p in model.parameters())

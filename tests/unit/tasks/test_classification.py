"""The classification task, from labelled documents to a model bundle and its predictions."""

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
from regard.data.formats.corpus import open_documents
from regard.data.loading.shards import PreparedData
from regard.errors import ArtifactError, ConfigError, CorpusError, RegardError
from regard.nn import image as pool
from regard.tasks.classification.document_classifier import (
    ClassificationResult,
    DocumentClassifier,
    document_view,
)
from regard.tasks.classification.task import (
    held_out_documents,
    read_labelled,
    score_labels,
    split_documents,
)
from regard.tasks.training import RunDirectory
from regard.text.tokenizer import EOS, SentencePiece
from tests.command import run_cli
from tests.labelled_documents import BLAME, PRAISE, arguments, document, write_documents
from tests.toy_corpus import WORDS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_documents(tmp_path_factory.mktemp("documents"))


@pytest.fixture(scope="module")
def directory(folder: Path) -> RunDirectory:
    directory = RunDirectory(folder / "run")
    output = run_cli(arguments(folder, directory.path))
    assert output.splitlines()[-1] == str(directory.model)
    return directory


@pytest.fixture(scope="module")
def classifier(directory: RunDirectory) -> DocumentClassifier:
    found = regard.load(directory.model)
    assert isinstance(found, DocumentClassifier)
    return found


def test_it_learns_which_word_decides_in_any_position(classifier: DocumentClassifier) -> None:
    draws = random.Random(7)
    labels = draws.choices([PRAISE, BLAME], k=40)
    found = classifier.classify([document(draws, label) for label in labels])
    correct = sum(one.label == label for one, label in zip(found, labels, strict=True))
    assert correct >= 36
    assert all(0.5 <= one.probability <= 1 and str(one) == one.label for one in found)


def test_tsv_and_jsonl_give_the_same_shards(folder: Path, directory: RunDirectory) -> None:
    again = RunDirectory(folder / "tsv")
    run_cli(arguments(folder, again.path, "train.steps=1", suffix="tsv"))
    one, other = (PreparedData.open(str(run.data)) for run in (directory, again))
    assert one.labels == other.labels == (BLAME, PRAISE)
    assert [s.checksums for s in one.shards("train")] == [
        s.checksums for s in other.shards("train")
    ]


def test_weights_are_distributions_over_sentences_and_words(classifier: DocumentClassifier) -> None:
    text = "One two  three.\n\nFour good five six! Seven eight?"
    (found,) = classifier.classify([text], weights=True)
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
    (plain,) = classifier.classify([text])
    assert plain.logps == pytest.approx(found.logps, abs=1e-5) and plain.sentences == ()


def test_a_result_does_not_depend_on_the_batch(classifier: DocumentClassifier) -> None:
    draws = random.Random(3)
    texts = [document(draws, PRAISE) for _ in range(5)]
    together = classifier.classify(["", *texts, " \n "])
    assert [one.label for one in (together[0], together[-1])] == [None, None]
    for one, text in zip(together[1:-1], texts, strict=True):
        assert classifier.classify([text])[0].logps == pytest.approx(one.logps, abs=1e-5)


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
def test_any_text_can_be_classified(classifier: DocumentClassifier, text: str) -> None:
    (found,) = classifier.classify([text], weights=True)
    assert found.label in (PRAISE, BLAME)
    assert sum(s.weight for s in found.sentences) == pytest.approx(1, abs=1e-3)


def test_blocks_of_sentences_give_the_same_result(
    classifier: DocumentClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = random.Random(4)
    sentences = [draws.choices(WORDS, k=draws.randint(1, 30)) for _ in range(50)]
    text = " ".join(" ".join(words).capitalize() + "." for words in sentences)
    (expected,) = classifier.classify([text], weights=True)
    monkeypatch.setattr(pool, "BLOCK", 100)
    (parts,) = classifier.classify([text], weights=True)
    assert parts.logps == pytest.approx(expected.logps, abs=1e-5)
    for one, other in zip(parts.sentences, expected.sentences, strict=True):
        assert one.weight == pytest.approx(other.weight, abs=1e-5)
        assert [w.weight for w in one.words] == pytest.approx(
            [w.weight for w in other.words], abs=1e-5
        )


def test_documents_are_split_into_their_sentences() -> None:
    batch = [[[5], [6, 7, 8], [9, 9]], [[4, 4]], [[7], [8]]]
    flat = pad([[t for sentence in one for t in (*sentence, EOS)] for one in batch])
    found = split_documents(flat)
    assert found.counts.tolist() == [3, 1, 2]
    lengths = found.sentences.lengths
    assert lengths is not None
    rows = [row[:n] for row, n in zip(found.sentences.ids.tolist(), lengths.tolist(), strict=True)]
    assert rows == [sentence for one in batch for sentence in one]


@pytest.mark.parametrize(
    ("setting", "weights"),
    [("normalizer.kind=uniform", [0.25] * 4), ("span.kind=last", [0, 0, 0, 1])],
    ids=["mean", "last state"],
)
def test_one_setting_removes_attention_and_no_parameter(setting: str, weights: list[float]) -> None:
    sizes = regard.VocabularySizes(50, 2)
    models = [
        load_config("han", overrides).model.build(sizes).eval()
        for overrides in ([], [f"model.encoder.pool.{setting}"])
    ]
    counts = [sum(p.numel() for p in model.parameters()) for model in models]
    assert counts[0] == counts[1]
    read = Documents(Tokens(torch.arange(4, 8)[None]), torch.tensor([1]))
    with torch.no_grad(), regard.watch(models[1]) as trace:
        models[1](read)
    assert trace["encoder.word_pooling.attention"].flatten().tolist() == pytest.approx(weights)


def test_accuracy_and_f1() -> None:
    """Two of three a are found, and one of two b; one a is predicted as b, and one b as a."""
    results = [
        ClassificationResult("", name, {"a": -1.0, "b": -0.5}) for name in ("a", "a", "b", "b", "a")
    ]
    found = score_labels(results, ["a", "a", "a", "b", "b"], ["a", "b"])
    assert found.values["accuracy"] == pytest.approx(3 / 5)
    assert found.values["f1 of a"] == pytest.approx(2 / 3)  # precision 2/3, recall 2/3
    assert found.values["f1 of b"] == pytest.approx(1 / 2)
    assert found.values["f1"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert found.values["nll"] == pytest.approx((3 * 1.0 + 2 * 0.5) / 5)


def test_evaluate_finds_the_scores_of_training(directory: RunDirectory, folder: Path) -> None:
    trained = json.loads(open_bundle(directory.model).read(SCORES))["values"]
    file = str(folder / "valid.jsonl")
    result = json.loads(run_cli(["evaluate", str(directory.model), "--documents", file, "--json"]))
    assert result["values"] == {name: pytest.approx(value) for name, value in trained.items()}


def test_the_command_classifies_lines_or_files(directory: RunDirectory, tmp_path: Path) -> None:
    output = run_cli(["classify", str(directory.model)], "One good two.\n\nOne bad two.\n")
    rows = [line.split("\t") for line in output.split("\n")[:3]]
    assert [row[0] for row in rows] == [PRAISE, "", BLAME]
    file = tmp_path / "one.txt"
    file.write_text("One two.\n\nThree bad four.\n")
    result = json.loads(run_cli(["classify", str(directory.model), str(file), "--json"]))
    assert result["label"] == BLAME and len(result["sentences"]) == 2
    assert result["sentences"][0]["words"][0].keys() == {"span", "weight"}


class StrictParser(HTMLParser):
    """Asserts that tags are balanced, and that none runs a script or fetches anything."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "img", "iframe") and "style" not in dict(attrs)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_shows_the_text_and_escapes_it(
    directory: RunDirectory, classifier: DocumentClassifier, tmp_path: Path
) -> None:
    text = 'One <script>alert("x")</script> good & "two". Three </p><i onclick=x> four! مرحبا'
    page = document_view(classifier.classify([text, ""], weights=True))
    parser = StrictParser()
    parser.feed(page)
    assert not parser.open
    shown = "".join(parser.text.split())
    assert "".join(text.split()) in shown and "empty:noclass" in shown
    assert '<i class="w10"' in page and '<p class="s10"' in page
    out = tmp_path / "x.html"
    run_cli(["classify", str(directory.model), "--html", str(out)], f"{text}\n")
    assert "&lt;" in out.read_text() and "<script" not in out.read_text()


def test_without_a_validation_file_some_documents_are_held_out(folder: Path) -> None:
    directory = RunDirectory(folder / "held")
    command = arguments(folder, directory.path, "train.steps=1", "data.held_out=0.1")
    at = command.index("--valid-file")
    run_cli(command[:at] + command[at + 2 :])
    found = held_out_documents(PreparedData.open(str(directory.data)))
    assert 5 <= len(found.texts) <= 40
    assert all(label in text.lower() for text, label in zip(found.texts, found.labels, strict=True))


@pytest.mark.parametrize(
    ("record", "error", "message"),
    [
        ('{"text": "One.", "label": "odd"}', CorpusError, r"label 'odd' of the validation set"),
        ('{"text": "One."}', CorpusError, r"line 1: missing key label"),
        ('{"text": [1], "label": "good"}', CorpusError, r"text is not a text"),
        ("not json", CorpusError, r"line 1"),
        ('{"text": " ", "label": "good"}', CorpusError, r"no documents"),
    ],
)
def test_invalid_documents_are_refused(
    folder: Path, tmp_path: Path, record: str, error: type[RegardError], message: str
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(record + "\n")
    command = arguments(folder, tmp_path / "run")
    command[command.index("--valid-file") + 1] = str(bad)
    with pytest.raises(error, match=message):
        run_cli(command)


def test_a_single_class_and_swapped_columns_are_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    single = tmp_path / "single.tsv"
    single.write_text("good\tOne two.\ngood\tThree.\n")
    command = arguments(folder, tmp_path / "run")
    at = command.index("--documents") + 1
    with pytest.raises(ConfigError, match="all documents have the label 'good'"):
        run_cli([*command[:at], str(single), *command[at + 1 :][2:]])
    monkeypatch.setattr("regard.data.preparation.pipeline._MAX_LABELS", 50)
    with pytest.raises(CorpusError, match="swapped"):
        run_cli([*command, "--columns", "label", "text"])


def test_a_list_of_texts_is_one_document_with_these_sentences(
    classifier: DocumentClassifier, directory: RunDirectory
) -> None:
    lines = ["one two", "three good four", "five"]
    tokenizer = SentencePiece.load(directory.data)
    from regard.data.preparation.fields import FIELDS, PARAGRAPH

    side = FIELDS["document"]
    clean = side.clean(PARAGRAPH.join(("\n\n".join(lines)).split("\n")), "NFC")
    assert side.lines(clean) == lines
    flat = side.encode([clean], tokenizer, [])
    assert flat.ids.tolist().count(EOS) == 3
    (found,) = classifier.classify(["\n\n".join(lines)], weights=True)
    assert len(found.sentences) == 3


def test_fine_tuning_needs_the_same_classes(
    directory: RunDirectory, folder: Path, tmp_path: Path
) -> None:
    others = tmp_path / "others.tsv"
    others.write_text("left\tOne two.\nright\tThree four.\n" * 3)
    command = ["train", "--from", str(directory.model), "--threads", "1", "--set", "train.steps=2"]
    with pytest.raises(ArtifactError, match="classes bad, good"):
        run_cli(
            [
                *command,
                "--documents",
                str(others),
                "--valid-file",
                str(others),
                "--out",
                f"{tmp_path}/a",
            ]
        )
    file = str(folder / "valid.jsonl")
    run_cli([*command, "--documents", file, "--valid-file", file, "--out", str(tmp_path / "b")])
    assert regard.load(tmp_path / "b" / "model").classes == (BLAME, PRAISE)


def test_model_card_and_description(directory: RunDirectory) -> None:
    card = open_bundle(directory.model).text("README.md")
    assert "pipeline_tag: text-classification" in card and ".classify([" in card
    result = json.loads(run_cli(["describe", str(directory.model), "--json"]))
    assert result["classes"]["names"] == [BLAME, PRAISE]
    model = regard.load(directory.model).model
    assert result["parameters"]["all"] == sum(p.numel() for p in model.parameters())


def test_a_validation_document_without_a_label_is_refused(
    folder: Path, directory: RunDirectory, tmp_path: Path
) -> None:
    unlabelled = tmp_path / "unlabelled.tsv"
    unlabelled.write_text(f"\tone two\n{PRAISE}\tthree four\n")
    with pytest.raises(CorpusError, match="label ''"):
        run_cli(["evaluate", str(directory.model), "--documents", str(unlabelled)])
    (results,) = ([ClassificationResult("one", PRAISE, {PRAISE: -0.1, BLAME: -2.3})],)
    with pytest.raises(KeyError):
        score_labels(results, [""], [PRAISE, BLAME])


def test_a_validation_document_of_control_characters_is_left_out(
    folder: Path, directory: RunDirectory, tmp_path: Path
) -> None:
    path = tmp_path / "controls.tsv"
    path.write_text(f"{PRAISE}\t\x01\x02\n{PRAISE}\tthree good\n")
    tokenizer = SentencePiece.load(directory.data)
    labelled = read_labelled(open_documents(str(path), name="valid"), tokenizer, [PRAISE, BLAME])
    assert labelled.texts == ("three good",)

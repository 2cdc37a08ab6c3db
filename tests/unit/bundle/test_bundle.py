"""Model bundles: saving, opening, damage, and the model card."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch
import yaml
from torch import nn
from typer.testing import CliRunner

from regard.bundle.bundle import (
    CARD,
    DATA,
    RUN,
    SCORES,
    WEIGHTS,
    Bundle,
    add_files,
    open_bundle,
    save_bundle,
)
from regard.bundle.card import CardFacts, CorpusFacts, ScoreFacts, write_card
from regard.bundle.manifest import FORMAT, MANIFEST
from regard.bundle.parts import build_and_restore, load_weights, pack, restore
from regard.cli.main import app
from regard.config.load import dump_config, load_config
from regard.errors import ArtifactError
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, SentencePiece

TENSORS = {"encoder.weight": torch.arange(12.0).view(3, 4), "encoder.steps": torch.tensor([7])}
FILES = {
    WEIGHTS: pack(TENSORS),
    RUN: b"model: {kind: encoder-decoder}\n",
    SCORES: b'{"values": {"bleu": 38.8}}',
    CARD: b"# A model\n",
    MODEL_FILE: random.Random(1).randbytes(3_000),
    SETTINGS_FILE: b'{"size": 290}',
    "ctranslate2/config.json": b'{"bos_token": "<s>"}',
    "ctranslate2/model.bin": random.Random(2).randbytes(2_000),
}


def replace_file(path: Path, data: bytes | bytearray) -> None:
    path.unlink()  # some file systems flush when a file is overwritten, which is slow
    path.write_bytes(data)


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    return save_bundle(tmp_path / "model", FILES)


def test_a_saved_bundle_opens_with_the_same_content(bundle: Bundle) -> None:
    opened = open_bundle(bundle.path)
    assert opened == bundle
    assert set(opened.names) == {*FILES, WEIGHTS}
    assert {name: opened.read(name) for name in FILES} == FILES
    for name, tensor in load_weights(opened).items():
        assert tensor.equal(TENSORS[name]) and tensor.dtype == TENSORS[name].dtype


def test_the_same_content_gives_the_same_bytes(bundle: Bundle, tmp_path: Path) -> None:
    again = save_bundle(tmp_path / "again", dict(reversed(FILES.items())))
    for name in (*bundle.names, MANIFEST):
        assert (bundle.path / name).read_bytes() == (again.path / name).read_bytes()


def test_flipped_bits_and_truncated_files_are_found(bundle: Bundle) -> None:
    """1,000 flipped bits and 200 truncations at random places."""
    random_ = random.Random(3)
    content = {name: (bundle.path / name).read_bytes() for name in (*bundle.names, MANIFEST)}

    def damage_is_found(damage: Callable[[bytearray], None]) -> bool:
        name = random_.choice(list(content))
        data = bytearray(content[name])
        damage(data)
        replace_file(bundle.path / name, data)
        with pytest.raises(ArtifactError, match=str(bundle.path)):
            open_bundle(bundle.path)
        replace_file(bundle.path / name, content[name])
        return True

    def flip(data: bytearray) -> None:
        data[random_.randrange(len(data))] ^= 1 << random_.randrange(8)

    def cut(data: bytearray) -> None:
        del data[random_.randrange(len(data)) :]

    assert sum(damage_is_found(flip) for _ in range(1_000)) == 1_000
    assert sum(damage_is_found(cut) for _ in range(200)) == 200
    assert open_bundle(bundle.path) == bundle


def test_any_changed_byte_of_the_manifest_is_found(bundle: Bundle) -> None:
    path = bundle.path / MANIFEST
    original = path.read_bytes()
    for position in range(len(original)):
        data = bytearray(original)
        data[position] ^= 1 << position % 8
        replace_file(path, data)
        with pytest.raises(ArtifactError):
            open_bundle(bundle.path)


def test_a_file_that_changes_after_opening_is_not_read(bundle: Bundle) -> None:
    for name in (RUN, WEIGHTS):
        data = bytearray((bundle.path / name).read_bytes())
        data[-1] ^= 1
        (bundle.path / name).write_bytes(data)
    with pytest.raises(ArtifactError, match=RUN):
        bundle.read(RUN)
    with pytest.raises(ArtifactError, match=WEIGHTS):
        load_weights(bundle)


def test_files_that_the_manifest_does_not_list_are_never_read(bundle: Bundle) -> None:
    (bundle.path / ".DS_Store").write_bytes(b"anything")
    (bundle.path / "ctranslate2" / "more.json").symlink_to("/dev/zero")
    opened = open_bundle(bundle.path)
    assert opened == bundle
    with pytest.raises(ArtifactError, match=r"has no \.DS_Store"):
        opened.read(".DS_Store")


def test_add_files_keeps_other_files_and_replaces_given_ones(bundle: Bundle) -> None:
    more = add_files(bundle, {CARD: b"# A better card\n", "alignment.json": b"{}"})
    assert open_bundle(bundle.path) == more
    assert set(more.names) == {*bundle.names, "alignment.json"}
    assert more.read(CARD) == b"# A better card\n"
    assert more.read("ctranslate2/model.bin") == FILES["ctranslate2/model.bin"]
    assert [path.name for path in bundle.path.parent.iterdir()] == [bundle.path.name]


def test_add_files_leaves_a_damaged_bundle_unchanged(bundle: Bundle) -> None:
    (bundle.path / MODEL_FILE).write_bytes(b"damaged")
    with pytest.raises(ArtifactError, match=MODEL_FILE):
        add_files(bundle, {"alignment.json": b"{}"})
    assert (bundle.path / MODEL_FILE).read_bytes() == b"damaged"
    assert not (bundle.path / "alignment.json").exists()


def test_a_bundle_can_be_opened_through_a_link(bundle: Bundle, tmp_path: Path) -> None:
    (tmp_path / "newest").symlink_to(bundle.path)
    assert open_bundle(tmp_path / "newest").read(RUN) == FILES[RUN]


@dataclass(frozen=True)
class ExampleFacts:
    steps: int
    rates: tuple[float, ...] = ()


def test_the_fields_of_a_json_file_are_checked(bundle: Bundle) -> None:
    content = {"steps": 3, "rates": [0.5, 1], "more": "of a later version"}
    more = add_files(
        bundle, {"known.json": json.dumps(content).encode(), "other.json": b'{"steps": "3"}'}
    )
    assert more.value("known.json", ExampleFacts) == ExampleFacts(3, (0.5, 1.0))
    assert more.json("known.json") == content
    with pytest.raises(ArtifactError, match=r"other\.json: steps: .*valid integer"):
        more.value("other.json", ExampleFacts)
    for name, wrong in ((MODEL_FILE, "UTF-8"), (RUN, "JSON")):
        with pytest.raises(ArtifactError, match=f"{name}: not {wrong}"):
            more.json(name)


def test_a_model_is_restored_as_it_was_saved(tmp_path: Path) -> None:
    saved = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 3))
    bundle = save_bundle(tmp_path / "model", {WEIGHTS: pack(saved.state_dict())})
    built = build_and_restore(lambda: nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 3)), bundle)
    other = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 3))
    restore(other, bundle)
    for model in (built, other):
        for expected, restored in zip(saved.parameters(), model.parameters(), strict=True):
            assert expected.equal(restored) and restored.requires_grad


@pytest.mark.parametrize("size", [5, 1 << 40, 1 << 62, 1 << 70])
def test_weights_that_do_not_match_are_refused_before_the_model_is_built(
    size: int, tmp_path: Path
) -> None:
    bundle = save_bundle(tmp_path / "model", {WEIGHTS: pack(nn.Linear(3, 4).state_dict())})
    with pytest.raises(ArtifactError, match=r"does not match|cannot be built"):
        build_and_restore(lambda: nn.Linear(3, size), bundle)


@pytest.mark.parametrize(
    "name",
    [
        *("../x.json", "/x.json", "a/b/c.json", "a/../x.json", "./x.json", "a//b.json", "x.json/"),
        *("a\\b.json", ".hidden.json", "-x.json", "a\n.json", "ä.json", "", MANIFEST),
        *("x.pt", "x.pkl", "x.npz", "x.py", "x.so", "x"),
    ],
)
def test_a_file_name_or_type_that_is_not_allowed_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="not an allowed file"):
        save_bundle(tmp_path / "model", {name: b"{}"})
    assert not (tmp_path / "model").exists()


def test_opening_a_directory_that_is_not_a_bundle(bundle: Bundle, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", tmp_path / "none", bundle.path / RUN):
        with pytest.raises(ArtifactError, match=r"not a model bundle.*such as run/model"):
            open_bundle(path)
    assert open_bundle(tmp_path).path == bundle.path  # the directory of a run
    bundle.path.rename(tmp_path / "model.old-1234")
    with pytest.raises(ArtifactError, match=r"rename .*model\.old-1234 to model"):
        open_bundle(bundle.path)


@pytest.mark.parametrize(
    ("version", "remedy"), [(1, "Retrain"), (FORMAT + 1, "version of regard that saved")]
)
def test_a_bundle_of_another_format_is_refused(bundle: Bundle, version: int, remedy: str) -> None:
    path = bundle.path / MANIFEST
    content = json.loads(path.read_bytes())
    path.write_text(json.dumps(content | {"format": version}, indent=1, sort_keys=True))
    with pytest.raises(ArtifactError, match=rf"manifest\.json: .*format .*{version}.*{remedy}"):
        open_bundle(bundle.path)


def test_saving_keeps_the_users_files(bundle: Bundle) -> None:
    """Siblings and files that are not of the bundle survive, nested ones too."""
    kept = {
        bundle.path / ".git" / "HEAD": b"ref",
        bundle.path / "LICENSE": b"MIT",
        bundle.path.with_name("model.old") / "backup": b"1",
        bundle.path.with_name("model.aside") / "notes": b"2",
        bundle.path.with_name("model.new") / "x": b"3",
    }
    for path, content in kept.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    saved = add_files(bundle, {"int8/model.bin": b"exported"})
    (saved.path / "int8" / "mine.txt").write_bytes(b"4")
    assert save_bundle(saved.path, FILES) == bundle
    kept[saved.path / "int8" / "mine.txt"] = b"4"
    assert {path: path.read_bytes() for path in kept} == kept
    assert not (saved.path / "int8" / "model.bin").exists()
    siblings = {path.name for path in bundle.path.parent.iterdir()}
    assert siblings == {"model", "model.old", "model.aside", "model.new"}


def test_saving_does_not_overwrite_a_users_file(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.mkdir()
    (path / RUN).write_bytes(b"mine")
    with pytest.raises(ArtifactError, match=r"not part of a bundle"):
        save_bundle(path, FILES)
    assert (path / RUN).read_bytes() == b"mine"
    assert [each.name for each in tmp_path.iterdir()] == ["model"]


def test_saving_through_a_link_and_from_inside(
    bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "link"
    link.symlink_to(bundle.path)
    add_files(open_bundle(link), {"ctranslate2/model.bin": b"exported"})
    assert link.is_symlink()
    assert "ctranslate2/model.bin" in open_bundle(bundle.path).names
    monkeypatch.chdir(bundle.path)
    assert save_bundle(Path(), FILES).files == bundle.files


FACTS = CardFacts(
    name="tiny en-de",
    description='four layers | "strongly" regularized\n<script>',
    kind="transformer, 4 × 128",
    parameters=2_356_032,
    vocabulary="8,000 unigram pieces, NFC",
    tokenizer="5d5a",
    corpora=(CorpusFacts("train", 28_993, (414_144, 428_265), "ab12"),),
    training={"train.steps": "4,000", "train.optimizer": "adam, rate 0.005"},
    scores=(ScoreFacts("bleu", 38.8021, "nrefs:1|case:mixed|version:2.6.0"),),
    scored_on="1,014 validation pairs",
    search="beam 5, scores divided by length^1",
    export="CTranslate2 can run it",
    languages=(("en", "no"),),
    alignment="decoder.blocks.2.cross_attention, head 1, at next input",
)


def test_a_card_shows_all_figures_and_signatures() -> None:
    card = write_card(FACTS)
    for text in (
        "2,356,032",
        "28,993",
        "414,144",
        "`ab12`",
        "adam, rate 0.005",
        "head 1",
        "beam 5",
    ):
        assert text in card
    assert "| bleu | 38.80 | `nrefs:1\\|case:mixed\\|version:2.6.0` |" in card
    assert "Do not use it for" in card and "<script>" not in card


def test_the_metadata_of_a_card_are_those_of_hugging_face() -> None:
    before, metadata, _ = write_card(FACTS).split("---\n", 2)
    parsed = yaml.safe_load(metadata)
    assert before == "" and parsed["language"] == ["en", "no"]  # a plain `no` is false in YAML
    assert parsed["pipeline_tag"] == "translation" and "license" not in parsed
    (result,) = parsed["model-index"][0]["results"]
    assert result["metrics"][0]["value"] == 38.8021
    assert result["metrics"][0]["name"] == "nrefs:1|case:mixed|version:2.6.0"


def test_a_card_omits_unknown_facts() -> None:
    card = write_card(replace(FACTS, languages=(), scores=(), alignment=None))
    assert "language:" not in card and "model-index" not in card
    assert "Translates from" not in card


def test_describe_shows_a_bundle(tmp_path: Path) -> None:
    tokenizer = SentencePiece.train(["one two three", "four five six"] * 5, size=280)
    run = load_config(
        "bahdanau", ["model.embedding_dim=8", "model.encoder.dim=8", "model.decoder.dim=8"]
    )
    tokenizer.save(tmp_path)
    files = {
        RUN: dump_config(run).encode(),
        SCORES: b'{"step": 4000, "values": {"bleu": 38.8}, "signatures": {"bleu": "case:mixed"}}',
        "alignment.json": b'{"attention": "decoder.attention", "shift": 0}',
        DATA: b'{"train": {"pairs": 28993, "fingerprint": "ab12"}}',
        "ctranslate2/parity.json": b'{"logps": 1e-5}',
        **{name: (tmp_path / name).read_bytes() for name in (MODEL_FILE, SETTINGS_FILE)},
    }
    path = save_bundle(tmp_path / "model", files).path
    shown = CliRunner().invoke(app, ["describe", str(path)]).output
    for word in ("Bahdanau", "parameters", "38.8", "case:mixed", "decoder.attention", "28,993"):
        assert word in shown
    assert "ab12" in shown and "ctranslate2.logps" in shown and "beam" in shown
    facts = json.loads(CliRunner().invoke(app, ["describe", str(path), "--json"]).output)
    assert facts["files"]["tokenizer.model"] == len(tokenizer.model)
    assert facts["scores"]["values"]["bleu"] == 38.8 and facts["exports"] == {
        "ctranslate2": {"logps": 1e-5}
    }
    assert facts["parameters"]["embedding"] == 8 * tokenizer.size
    changed = CliRunner().invoke(app, ["describe", str(path), "--set", "search.beam_size=1"])
    assert changed.exit_code == 2

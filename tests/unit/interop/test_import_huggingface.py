"""Imported MarianMT models compute what transformers computes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from regard.batch import pad
from regard.bundle.bundle import open_bundle
from regard.errors import ConfigError
from regard.inference.engine import SearchOptions, max_target_length
from regard.inference.forced_decoding import watch
from regard.tasks.translation.exchange import export_bundle, export_huggingface, import_pretrained
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import BOS, EOS
from tests.marian_models import random_config, sentences, write_marian, write_marian_mt

transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")


class Both:
    """A MarianMT model and its import."""

    def __init__(self, folder: Path, seed: int, *, pickled: bool = False) -> None:
        settings = random_config(seed)
        self.theirs = write_marian_mt(folder / "theirs", settings, seed, pickled=pickled)
        self.theirs.set_attn_implementation("eager")
        import_pretrained(folder / "theirs", folder / "ours")
        self.ours = Translator.load(folder / "ours", engine="torch", device="cpu")
        self.tokenizer = transformers.MarianTokenizer.from_pretrained(folder / "theirs")
        self.separate = settings["separate"]
        names = self.tokenizer.target_encoder if self.separate else self.tokenizer.encoder
        self.target_ids = {self.ours.target_tokenizer.piece(i): i for i in range(2, self._size)}
        self.to_ours = np.zeros(len(names), int)
        for piece, token in names.items():
            self.to_ours[token] = BOS if piece == "<pad>" else self.target_ids[piece]

    @property
    def _size(self) -> int:
        return self.ours.target_tokenizer.size

    def encode(self, texts: list[str]) -> Any:
        return self.tokenizer(texts, return_tensors="pt", padding=True)

    def compare(self, texts: list[str], seed: int, beam_sizes: tuple[int, ...]) -> None:
        self._compare_outputs(texts[:8], seed)
        for beam_size in beam_sizes:
            self._compare_search(texts, beam_size)

    @torch.no_grad()
    def _compare_outputs(self, texts: list[str], seed: int) -> None:
        draw, size = torch.Generator().manual_seed(seed), self.theirs.config.decoder_vocab_size
        target = torch.randint(0, size - 1, (len(texts), 9), generator=draw)
        start = torch.full((len(texts), 1), self.theirs.config.decoder_start_token_id)
        prefix = torch.cat([start, target], dim=1)
        theirs = self.theirs(**self.encode(texts), decoder_input_ids=prefix, output_attentions=True)
        model = self.ours.model
        sources = [[*ids, EOS] for ids in self.ours.tokenizer.encode(texts)]
        with watch(model) as recording:
            decoded = model(pad(sources), torch.from_numpy(self.to_ours[prefix.numpy()]))
        logits = model.readout(decoded.hidden)[..., self.to_ours]
        real = [i for i in range(size) if self.to_ours[i] != BOS]
        assert (logits - theirs.logits)[..., real].abs().max() <= 1e-5
        for side, key, attentions in (
            ("encoder", "self_attention", theirs.encoder_attentions),
            ("decoder", "self_attention", theirs.decoder_attentions),
            ("decoder", "cross_attention", theirs.cross_attentions),
        ):
            for layer, weights in enumerate(attentions):
                found = recording[f"{side}.blocks.{layer}.{key}"]
                for row, ids in enumerate(sources):  # rows of padding differ
                    rows = slice(len(ids)) if side == "encoder" else slice(None)
                    difference = found[row, :, rows] - weights[row, :, rows]
                    assert difference.abs().max() <= 1e-6

    def _compare_search(self, texts: list[str], beam_size: int) -> None:
        sources = self.ours.tokenizer.encode(texts)
        found = self.ours.engine.search(sources, SearchOptions(beam_size, 1.0))
        limits = [max_target_length(len(source) + 1) for source in sources]
        for limit in sorted(set(limits)):
            rows = [row for row, each in enumerate(limits) if each == limit]
            # as in our search: <pad> has no probability, and the search of a sentence ends with
            # as many ended hypotheses as the beam has
            rules = {"early_stopping": True, "renormalize_logits": True} if beam_size > 1 else {}
            outputs = self.theirs.generate(
                **self.encode([texts[row] for row in rows]),
                num_beams=beam_size,
                length_penalty=1.0,
                do_sample=False,
                max_length=limit + 1,
                **rules,
            )
            for row, output in zip(rows, outputs.tolist(), strict=True):
                expected = self.to_ours[output[1:]].tolist()
                if EOS in expected:
                    expected = expected[: expected.index(EOS)]
                assert list(found[row][0].tokens) == [i for i in expected if i != BOS]


@pytest.mark.parametrize("seed", [0, 2, 4, 7])
def test_an_import_equals_the_model(seed: int, tmp_path: Path) -> None:
    Both(tmp_path, seed, pickled=seed == 4).compare(sentences(12, seed), seed, (1, 4))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_imports_equal_many_models(seed: int, tmp_path: Path) -> None:
    Both(tmp_path, seed).compare(sentences(200, seed), seed, (1, 4))


def test_ids_and_texts_equal_those_of_transformers(tmp_path: Path) -> None:
    both = Both(tmp_path, 0)
    texts = [text for text in sentences(50, 3) if "</s>" not in text]
    theirs = both.tokenizer(texts).input_ids
    ours = [[*ids, EOS] for ids in both.ours.tokenizer.encode(texts)]
    assert [both.to_ours[ids].tolist() for ids in theirs] == ours
    labels = both.tokenizer(text_target=texts).input_ids
    targets = both.ours.target_tokenizer.encode(texts)
    assert [both.to_ours[ids].tolist()[:-1] for ids in labels] == targets
    known = [(ids, row) for ids, row in zip(labels, targets, strict=True) if 1 not in ids]
    for ids, row in known:
        decoded = both.tokenizer.decode(ids, skip_special_tokens=True)
        assert both.ours.target_tokenizer.decode(row) == decoded
    assert len(known) > 5


def test_the_bundle_names_languages_origin_and_checksums(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    write_marian_mt(folder, random_config(0), 0)
    (folder / "README.md").write_text("---\nlanguage: en\nlicense: apache-2.0\n---\n# A model\n")
    report = import_pretrained(folder, tmp_path / "ours")
    assert (report.languages, report.licence) == (("en", "de"), "apache-2.0")
    card = open_bundle(tmp_path / "ours").text("README.md")
    assert "Translates from en to de." in card
    assert 'license: "apache-2.0"' in card
    assert "| model.safetensors | SHA-256 `" in card


def test_a_padding_row_that_is_not_zero_is_kept(tmp_path: Path) -> None:
    model = write_marian_mt(tmp_path / "theirs", random_config(0), 0)
    import_pretrained(tmp_path / "theirs", tmp_path / "ours")
    ours = Translator.load(tmp_path / "ours", engine="torch", device="cpu").model
    start = model.get_input_embeddings().weight[model.config.decoder_start_token_id]
    assert start.abs().sum() > 0
    torch.testing.assert_close(ours.embedding.weight[BOS], start)


def test_tables_are_compared_not_trusted(tmp_path: Path) -> None:
    """A checkpoint whose config says that tables are tied, and whose tables differ."""
    from safetensors.torch import load_file, save_file

    folder = tmp_path / "theirs"
    write_marian_mt(folder, random_config(0) | {"tie_word_embeddings": True}, 0)
    state = load_file(folder / "model.safetensors")
    state["lm_head.weight"] = torch.randn_like(state["model.shared.weight"])
    save_file(state, folder / "model.safetensors")
    import_pretrained(folder, tmp_path / "ours")
    ours = Translator.load(tmp_path / "ours", engine="torch", device="cpu").model
    torch.testing.assert_close(ours.readout.weight[EOS], state["lm_head.weight"][0])
    torch.testing.assert_close(ours.embedding.weight[EOS], state["model.shared.weight"][0])


@torch.no_grad()
@pytest.mark.parametrize("seed", [0, 2])
def test_an_exported_folder_has_the_same_logits(seed: int, tmp_path: Path) -> None:
    both = Both(tmp_path, seed)
    export_huggingface(tmp_path / "ours", tmp_path / "back")
    again = transformers.MarianMTModel.from_pretrained(tmp_path / "back").eval()
    tokenizer = transformers.MarianTokenizer.from_pretrained(tmp_path / "back")
    texts = sentences(6, seed)
    first, second = both.encode(texts), tokenizer(texts, return_tensors="pt", padding=True)
    names = both.tokenizer.target_encoder if both.separate else both.tokenizer.encoder
    others = tokenizer.target_encoder if both.separate else tokenizer.encoder
    order = torch.tensor([others[piece] for piece in names])
    prefix = torch.randint(0, len(names) - 1, (6, 7))
    prefix[:, 0] = len(names) - 1
    one = both.theirs(**first, decoder_input_ids=prefix).logits[..., :-1]
    other = again(**second, decoder_input_ids=order[prefix]).logits[..., order[:-1]]
    assert (one - other).abs().max() <= 1e-5


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_ctranslate2_runs_an_import(seed: int, tmp_path: Path) -> None:
    pytest.importorskip("ctranslate2")
    settings = random_config(seed)
    settings["decoder_attention_heads"] = settings["encoder_attention_heads"]
    write_marian_mt(tmp_path / "theirs", settings, seed)
    import_pretrained(tmp_path / "theirs", tmp_path / "ours")
    parity = export_bundle(tmp_path / "ours", None, sentences(8, seed))
    assert parity.logps < 1e-4
    assert parity.same == 1


def test_a_model_that_marian_mt_lacks_is_not_exported(tmp_path: Path) -> None:
    write_marian(tmp_path / "theirs")
    import_pretrained(tmp_path / "theirs", tmp_path / "ours")
    with pytest.raises(ConfigError, match="transformer-ssru"):
        export_huggingface(tmp_path / "ours", tmp_path / "back")
    with pytest.raises(ConfigError, match="transformer-ssru"):
        export_bundle(tmp_path / "ours", None)
    assert not (tmp_path / "back").exists()

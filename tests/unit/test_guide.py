"""Guided alignment: the file of links, target weights, the loss and the commands."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
import xxhash
from safetensors.numpy import load, save
from torch import Tensor, nn
from typer.testing import CliRunner

from benchmarks.toys import pairs as toy_pairs
from benchmarks.toys import pointing
from regard.align.extraction import AlignmentHead, align_words
from regard.align.symmetrize import symmetrize, transpose_links
from regard.align.tokenized_text import TokenizedText
from regard.batch import Batch, Tokens, pad
from regard.bundle.bundle import open_bundle
from regard.cli.main import app
from regard.config.load import load_config
from regard.config.model import VocabularySizes
from regard.data.formats.corpus import open_corpus
from regard.data.loading.piece_links import FORMAT, Ids, Link, PieceLinks
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import PreparationSettings, StageProgress, prepare_corpora
from regard.data.preparation.runner import InProcessRunner
from regard.errors import ArtifactError, ConfigError, RegardError
from regard.inference.forced_decoding import force_decode
from regard.tasks.bundles import bundle_config
from regard.tasks.training import RunDirectory, fine_tuning_settings, prepare_data
from regard.tasks.translation.guide import Guide, links_to_pieces, write_guide
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import BOS, EOS, SentencePiece
from regard.train.loggers.jsonl import read_events
from regard.train.losses import CrossEntropy, GuidedAlignmentLoss
from tests.bundles import LINES, make_bundle
from tests.command import run_cli
from tests.tiny_models import target as some_target
from tests.tiny_models import tiny, tiny_run, tokens
from tests.toy_corpus import RECURRENT, TRANSFORMER, Toy, make_toy

ATTENTION = "decoder.blocks.0.cross_attention"
Pair = tuple[Sequence[int], Sequence[int]]

PAIRS: list[tuple[Pair, list[Link]]] = [
    (((11, 12, 13), (21, 22)), [(0, 0), (2, 0), (1, 1)]),
    (((11,), (12, 13, 21, 22)), [(0, 3)]),
    (((11, 12), (13, 21, 22)), []),
    (((14, 15, 16, 17), (24, 25, 26)), [(3, 0), (0, 2)]),
]


def batch_of(pairs: Sequence[Pair], *, padding: int = 0) -> Batch:
    """Add the special tokens of translation, and `padding` positions."""
    sides = (
        pad([[*source, EOS] for source, _ in pairs]),
        pad([[BOS, *target, EOS] for _, target in pairs]),
    )
    return Batch(*(Tokens(nn.functional.pad(s.ids, (0, padding)), s.lengths) for s in sides))


def make_links(**facts: str) -> PieceLinks:
    return PieceLinks.from_pairs(((*pair, links) for pair, links in PAIRS), facts)


def guide(shift: int = 0) -> Guide:
    return Guide(Path("guide"), AlignmentHead(ATTENTION, 0, shift, null=False), make_links())


# the file


def test_the_key_of_a_pair_is_stable_and_the_same_in_both_directions() -> None:
    """XXH3 of the ids as little-endian uint32, seeded by the length of the first side."""

    def key_of(source: Ids, target: Ids) -> int:
        return int(PieceLinks.from_pairs([(source, target, [])], {}).keys[0])

    assert key_of((5, 6), (7,)) == xxhash.xxh3_64_intdigest(struct.pack("<3I", 5, 6, 7), 8)
    assert key_of((7,), (5, 6)) == key_of((5, 6), (7,)) != key_of((5,), (6, 7))


def test_both_directions_find_the_same_links() -> None:
    stored = make_links()
    for order in (slice(None), slice(None, None, -1)):
        rows, links = stored.of(batch_of([pair[order] for pair, _ in PAIRS]))
        for row, (_, wanted) in enumerate(PAIRS):
            found = [tuple(link[order]) for link in links[rows == row].tolist()]
            assert found == wanted


def test_links_survive_writing_and_reading(tmp_path: Path) -> None:
    stored = make_links(attention=ATTENTION)
    stored.write(tmp_path / "links")
    found = PieceLinks.open(tmp_path / "links")
    assert found.facts == {"attention": ATTENTION}
    assert found.fingerprint == stored.fingerprint
    rows, links = found.of(batch_of([*(pair for pair, _ in PAIRS), ((9,), (9, 9))]))
    for row, (_, wanted) in enumerate(PAIRS):
        assert [tuple(link) for link in links[rows == row].tolist()] == wanted
    assert len(rows) == 6


def test_a_repeated_pair_is_stored_once() -> None:
    one, other = ((5, 6), (7, 8)), ((7, 8), (5, 6))
    twice = PieceLinks.from_pairs([(*one, [(0, 1)]), ((3,), (3,), []), (*other, [(1, 1)])], {})
    assert len(twice.keys) == 2
    assert twice.starts.tolist() == [0, 0, 1]
    assert twice.links.tolist() == [[0, 1]]


def test_without_pairs_target_weights_are_zero(tmp_path: Path) -> None:
    PieceLinks.from_pairs([], {}).write(tmp_path / "links")
    empty = replace(guide(), links=PieceLinks.open(tmp_path / "links"))
    assert not empty.target_weights(batch_of([pair for pair, _ in PAIRS])).any()


def _damage(path: Path, way: str) -> None:
    content = path.read_bytes()
    arrays = load(content)
    facts = {"format": FORMAT, "fingerprint": make_links().fingerprint}
    match way:
        case "missing":
            path.unlink()
        case "empty":
            path.write_bytes(b"")
        case "cut":
            path.write_bytes(content[:-3])
        case "text":
            path.write_text("0-0 1-1\n" * 100)
        case "one bit":
            path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        case "a huge header":
            path.write_bytes((1 << 60).to_bytes(8, "little") + content[8:])
        case "other tensors":
            path.write_bytes(save({"weights": arrays["keys"]}, facts))
        case "other types":
            path.write_bytes(save({**arrays, "links": arrays["links"].astype(np.int16)}, facts))
        case "another version":
            path.write_bytes(save(arrays, {**facts, "format": "piece links, 1"}))
        case "starts beyond the links":
            arrays["starts"][-1] += 1 << 40
            path.write_bytes(save(arrays, facts))
        case "starts that fall":
            arrays["starts"][1] = -(1 << 40)
            path.write_bytes(save(arrays, facts))
        case "keys in no order":
            path.write_bytes(save({**arrays, "keys": arrays["keys"][::-1].copy()}, facts))
        case "no attention":
            make_links(head="0", shift="0", tokenizer="").write(path)
        case "no head":
            make_links(attention=ATTENTION, head="first", shift="0", tokenizer="").write(path)
        case "an impossible step":
            make_links(attention=ATTENTION, head="0", shift="-7", tokenizer="").write(path)


@pytest.mark.parametrize(
    "way",
    [
        *("missing", "empty", "cut", "text", "one bit", "a huge header", "other tensors"),
        *("other types", "another version", "starts beyond the links", "starts that fall"),
        *("keys in no order", "no attention", "no head", "an impossible step"),
    ],
)
def test_a_damaged_guide_is_named(tmp_path: Path, way: str) -> None:
    path = tmp_path / "guide.links"
    make_links().write(path)
    _damage(path, way)
    with pytest.raises(ArtifactError, match=r"guide\.links: .*[Ww]rite it again.*`regard align"):
        Guide.open(path, SentencePiece.train(LINES, size=300))


def test_links_outside_the_pair_are_ignored() -> None:
    pair, _ = PAIRS[0]
    far = PieceLinks.from_pairs([(*pair, [(3, 0), (0, 2), (65_535, 65_535), (1, 1)])], {})
    wanted = replace(guide(), links=far).target_weights(batch_of([pair]))
    assert wanted.nonzero().tolist() == [[0, 1, 1]]


# target weights


@pytest.mark.parametrize("shift", [0, 1])
def test_target_weights_are_uniform_over_linked_pieces(shift: int) -> None:
    """Two sentences by hand: three source pieces and EOS, two target pieces after BOS."""
    wanted = guide(shift).target_weights(batch_of([PAIRS[0][0], PAIRS[1][0]]))
    by_hand = torch.zeros(2, 5, 4)  # the second target is longer: four pieces and EOS
    by_hand[0, 0 + shift] = torch.tensor([0.5, 0, 0.5, 0])
    by_hand[0, 1 + shift] = torch.tensor([0, 1.0, 0, 0])
    by_hand[1, 3 + shift] = torch.tensor([1.0, 0, 0, 0])
    assert torch.equal(wanted, by_hand)


def test_target_weights_do_not_depend_on_batch_and_padding() -> None:
    alone = [guide().target_weights(batch_of([pair]))[0] for pair, _ in PAIRS]
    order = [2, 0, 3, 1]
    unknown = ((31, 32), (33, 34))  # the guide has no links of it
    batch = batch_of([*(PAIRS[i][0] for i in order), unknown], padding=3)
    wanted = guide().target_weights(batch)
    for row, i in enumerate(order):
        steps, positions = alone[i].shape
        assert torch.equal(wanted[row, :steps, :positions], alone[i])
        assert wanted[row].sum() == alone[i].sum()
    assert not wanted[-1].any()


def test_all_pieces_of_linked_words_are_linked() -> None:
    pieces = SentencePiece.train(LINES, size=300)
    source, target = (
        TokenizedText.from_text(pieces, "Two zebras."),
        TokenizedText.from_text(pieces, "Zwei Zebras."),
    )
    forced = force_decode(tiny_model(pieces.size), [(source.pieces.ids, target.pieces.ids)])[0]
    pair = align_words(AlignmentHead(ATTENTION, 0, 0, null=False), source, target, forced)
    links = frozenset({(1, 1), (1, 0)})
    first, second = target.word_pieces[0], target.word_pieces[1]
    assert len(source.word_pieces[1]) > 1
    assert len(second) > 1
    wanted = {(i, j) for i in source.word_pieces[1] for j in (*first, *second)}
    assert links_to_pieces(pair, links) == sorted(wanted)


def tiny_model(vocabulary: int) -> nn.Module:
    return tiny_run("transformer").model.build(VocabularySizes(vocabulary, vocabulary)).eval()


# the loss


@pytest.mark.parametrize("preset", ["transformer", "bahdanau"])
@pytest.mark.parametrize("head", [0, None])
def test_the_loss_is_the_cross_entropy_of_the_attention(preset: str, head: int | None) -> None:
    """−λ Σ_t Σ_s a_ts log α_ts, by NumPy and in double precision."""
    small = tiny(preset)
    name = ATTENTION if preset == "transformer" else "decoder.attention"
    attention = small.model.get_submodule(name)
    source = tokens([4, 2, 3], torch.Generator().manual_seed(3))
    words = some_target(3, 5)
    wanted = torch.zeros(3, 5, 4)
    wanted[0, 1, :2], wanted[1, 0, 1], wanted[2, 4, 2] = 0.5, 1.0, 1.0
    guided, outputs = GuidedAlignmentLoss(attention, head, 0.3), []
    with guided.recording(), attention.record(outputs.append):
        small.model(source, words)
    got = guided.loss(wanted)
    heads = torch.cat([each.weights for each in outputs], dim=2).detach().double().numpy()
    weights = heads.mean(axis=1) if head is None else heads[:, head]
    target = wanted.double().numpy()
    by_hand = -0.3 * sum(
        target[at] * np.log(weights[at]) for at in zip(*np.nonzero(target), strict=True)
    )
    assert float(got.detach()) == pytest.approx(by_hand, rel=1e-5)
    got.backward()
    small.model.zero_grad()


def test_the_gradient_moves_attention_towards_the_links() -> None:
    model = tiny_model(11)
    source = tokens([4, 2, 3], torch.Generator().manual_seed(3))
    words, wanted = some_target(3, 5), torch.zeros(3, 5, 4)
    wanted[0, :, 3], wanted[1, :, 0], wanted[2, :, 1] = 1.0, 1.0, 1.0
    guided = GuidedAlignmentLoss(model.get_submodule(ATTENTION), 1, 1.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(8):
        with guided.recording():
            model(source, words)
        loss = guided.loss(wanted)
        optimizer.zero_grad()
        (loss / 15).backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.9 * losses[0]


def test_under_autocast_extreme_weights_have_a_finite_loss_and_gradient() -> None:
    model = tiny_model(11)
    attention = model.get_submodule(ATTENTION)
    with torch.no_grad():
        attention.score.to_query.weight.mul_(300)  # weights of nearly 0 and 1
    source, words = tokens([4, 4], torch.Generator().manual_seed(3)), some_target(2, 5)
    guided = GuidedAlignmentLoss(attention, 0, 1.0)
    with torch.autocast("cpu", torch.bfloat16), guided.recording():
        model(source, words)
    loss = guided.loss(torch.full((2, 5, 4), 0.25))
    assert loss.dtype == torch.float32
    loss.backward()
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    assert torch.isfinite(loss)
    assert all(torch.isfinite(grad).all() for grad in grads)
    assert any(grad.abs().sum() > 0 for grad in grads)


@pytest.mark.learning
def test_only_a_guided_head_aligns_after_a_few_steps() -> None:
    """Reversal with two layers. Without a guide the first attends to neighbouring positions."""

    def alignment_accuracy(strength: float) -> float:
        torch.manual_seed(0)
        run = tiny_run("transformer", dim=32, embedding_dim=32, hidden_dim=64, heads=2)
        model = run.model.build(VocabularySizes(14, 14))
        guided, steps = GuidedAlignmentLoss(model.get_submodule(ATTENTION), 1, strength), 300
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, betas=(0.9, 0.98))
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
        generator = torch.Generator().manual_seed(0)
        for _ in range(steps):
            batch = toy_pairs("reverse", torch.randint(3, 8, (32,), generator=generator), generator)
            with guided.recording():
                decoded = model(batch.source, batch.inputs)
            loss = CrossEntropy()(decoded, model.readout, batch.target)
            loss = loss.plus("guide", guided.loss(_reversal(batch.source, batch.inputs.size(1))))
            optimizer.zero_grad()
            (loss.total / loss.count).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        held_out = toy_pairs("reverse", torch.randint(3, 8, (200,), generator=generator), generator)
        return pointing(model.eval(), "reverse", held_out)[f"{ATTENTION}, head 1"]

    assert alignment_accuracy(1.0) >= 0.99
    assert alignment_accuracy(0.0) < 0.5


def _reversal(source: Tokens, steps: int) -> Tensor:
    wanted = torch.zeros(len(source.ids), steps, source.ids.size(1))
    assert source.lengths is not None
    for row, n in enumerate(source.lengths.tolist()):
        wanted[row, range(n), range(n - 1, -1, -1)] = 1.0
    return wanted


# the commands


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    return make_toy(tmp_path_factory.mktemp("toy"))


class TrueLinks:
    """The true links of the toy corpus."""

    def __init__(self, toy: Toy) -> None:
        self.toy, data = toy, toy.folder / "prepared" / "data"
        self.pieces, self.pairs = SentencePiece.load(data), list[tuple[Ids, Ids, list[Link]]]()
        (shard,) = PreparedData.open(str(data)).shards("train")
        opened = shard.open()
        for i in range(shard.pairs):
            source, target = (
                TokenizedText.from_tokens(self.pieces, ids.tolist()) for ids in opened.pair(i)
            )
            words = zip(source.word_pieces, reversed(target.word_pieces), strict=True)
            links = [link for there, back in words for link in product(there, back)]
            self.pairs.append((source.pieces.ids, target.pieces.ids, links))

    def write(self, name: str, **facts: str) -> Path:
        """Write a guide; by default for the only cross-attention of the toy Transformer."""
        path = self.toy.folder / name
        defaults = {
            "tokenizer": self.pieces.fingerprint,
            "attention": ATTENTION,
            "head": "0",
            "shift": "1",
        }
        PieceLinks.from_pairs(self.pairs, {**defaults, **facts}).write(path)
        return path


@pytest.fixture(scope="module")
def true_links(toy: Toy) -> TrueLinks:
    return TrueLinks(toy)


def test_guided_training_resumes_only_with_the_same_guide(toy: Toy, true_links: TrueLinks) -> None:
    directory, path = toy.run_directory("guided"), true_links.write("own.links")
    settings = ("train.steps=30", "train.save_every=30", "train.schedule.warmup=0")
    command = toy.arguments(
        TRANSFORMER, directory, f"train.guided_alignment.links={path}", *settings
    )
    run_cli(command)
    events = list(read_events(directory.log))
    plan = next(e for e in events if e["event"] == "training_started")["plan"]
    count = len({frozenset((source, target)) for source, target, _ in true_links.pairs})
    assert plan["guide"] == f"{ATTENTION}, head 0, at next input, links of {count} pairs"
    losses = [e["parts"]["guide"] for e in events if e["event"] == "step_completed"]
    assert sum(losses[-10:]) < sum(losses[:10])
    bundle = open_bundle(directory.model)
    assert fine_tuning_settings(bundle, bundle_config(bundle))["train"]["guided_alignment"] is None

    true_links.write("own.links", head="1")
    with pytest.raises(ArtifactError, match=r"train\.guided_alignment\.links"):
        run_cli(command)
    unguided = toy.arguments(TRANSFORMER, directory, *settings)
    with pytest.raises(ArtifactError, match=r"train\.guided_alignment\.links.*None"):
        run_cli(unguided)


def test_a_guide_may_be_moved_before_a_run_is_resumed(toy: Toy, true_links: TrueLinks) -> None:
    directory = toy.run_directory("moved")
    for path in (true_links.write("here.links"), true_links.write("there.links")):
        run_cli(
            toy.arguments(
                TRANSFORMER, directory, f"train.guided_alignment.links={path}", "train.steps=2"
            )
        )


@pytest.mark.parametrize(
    ("preset", "facts", "settings", "cause"),
    [
        (RECURRENT, {}, (), rf"{ATTENTION}, head 0.* decoder\.attention"),
        (TRANSFORMER, {"head": "4"}, (), rf"wrong\.links trains {ATTENTION}, head 4"),
        (TRANSFORMER, {"attention": "encoder", "head": "mean"}, (), "trains encoder, mean of all"),
        (TRANSFORMER, {}, ("train.subword_alpha=0.1",), r"train\.subword_alpha"),
    ],
)
def test_a_guide_that_does_not_fit_the_run_is_refused(
    toy: Toy,
    true_links: TrueLinks,
    preset: str,
    facts: dict[str, str],
    settings: tuple[str, ...],
    cause: str,
) -> None:
    path, directory = true_links.write("wrong.links", **facts), RunDirectory(toy.folder / "refused")
    shutil.copytree(toy.folder / "prepared" / "data", directory.data, dirs_exist_ok=True)
    with pytest.raises(ConfigError, match=cause):
        run_cli(toy.arguments(preset, directory, f"train.guided_alignment.links={path}", *settings))


def test_a_guide_for_another_vocabulary_is_refused(true_links: TrueLinks) -> None:
    path = true_links.write("foreign.links", tokenizer="another")
    with pytest.raises(ArtifactError, match=r"foreign\.links: .*another vocabulary"):
        Guide.open(path, true_links.pieces)


def test_only_translation_models_are_guided(tmp_path: Path) -> None:
    run = load_config(
        "caption-soft", ["train.guided_alignment.links=x", 'data.train=[{files: ["a"]}]']
    )
    with pytest.raises(ConfigError, match=r"train\.guided_alignment"):
        prepare_data(run, RunDirectory(tmp_path), lambda progress: None)


def test_a_guide_can_be_set_in_a_run_without_one() -> None:
    """A saved run file has `guided_alignment: null`."""
    run = load_config(
        "bahdanau", ["train.guided_alignment=null", "train.guided_alignment.links=some.links"]
    )
    assert run.train.guided_alignment is not None
    assert (run.train.guided_alignment.links, run.train.guided_alignment.weight) == (
        "some.links",
        0.3,
    )


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("models")
    return (
        make_bundle("transformer", folder / "forward" / "model"),
        make_bundle("bahdanau", folder / "backward" / "model"),
    )


SOURCES, TARGETS = LINES, [*LINES[1:], LINES[0]]


@pytest.fixture(scope="module")
def data(models: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prepared data of a few pairs, with the vocabulary of the models."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "a").write_text("\n".join([*SOURCES, SOURCES[0], ""]))
    (folder / "b").write_text("\n".join([*TARGETS, TARGETS[0], ""]))
    corpus = open_corpus(str(folder / "a"), str(folder / "b"))
    pieces = str(models[0].with_name("pieces"))
    settings = PreparationSettings(tokenizer=pieces, limits=None, dedupe="none")
    prepare_corpora([corpus], str(folder / "data"), settings, InProcessRunner())
    return folder


def test_the_command_writes_links_of_both_directions(models: tuple[Path, Path], data: Path) -> None:
    forward_path, backward_path = models
    out = data / "guide.links"
    both = (str(forward_path), "--reverse", str(backward_path))
    run_cli(["align", *both, "--prepared", str(data / "data"), "--out", str(out)])
    forward, backward = Translator.load(forward_path), Translator.load(backward_path)
    guide = Guide.open(out, forward.tokenizer)
    assert forward.alignment_head is not None
    assert guide.alignment_head == replace(forward.alignment_head, head=0, shift=1, agreement=0.0)
    assert len(guide.links.keys) == len(SOURCES)  # one is repeated
    found = forward.align(SOURCES, TARGETS), backward.align(TARGETS, SOURCES)
    for one, other in zip(*found, strict=True):
        links = symmetrize(one.links, transpose_links(other.links), "intersection")
        pair = one.source.pieces.ids, one.target.pieces.ids
        weights = guide.target_weights(batch_of([pair]))[0]
        assert [(s, t - 1) for t, s in weights.nonzero().tolist()] == sorted(
            links_to_pieces(one, links), key=lambda link: link[::-1]
        )


def test_an_attention_with_one_head_is_guided_at_its_own_step(
    models: tuple[Path, Path], data: Path, tmp_path: Path
) -> None:
    many, one = (Translator.load(path) for path in models)
    prepared = PreparedData.open(str(data / "data"))
    write_guide(tmp_path / "guide", one, many, prepared, lambda progress: None)
    assert one.alignment_head is not None
    guided = Guide.open(tmp_path / "guide", one.tokenizer).alignment_head
    assert guided == replace(one.alignment_head, agreement=0.0, null=False)


def test_progress_is_reported(models: tuple[Path, Path], data: Path, tmp_path: Path) -> None:
    reports: list[StageProgress] = []
    forward, backward = (Translator.load(path) for path in models)
    prepared = PreparedData.open(str(data / "data"))
    write_guide(tmp_path / "guide", forward, backward, prepared, reports.append)
    assert [(p.stage, p.done, p.total, p.pairs) for p in reports] == [
        ("align", 0, 1, 6),
        ("align", 1, 1, 6),
    ]


def test_data_of_another_model_are_refused(models: tuple[Path, Path], toy: Toy) -> None:
    other, out = toy.folder / "prepared" / "data", toy.folder / "never.links"
    with pytest.raises(ArtifactError, match="another vocabulary"):
        run_cli(
            [
                *("align", str(models[0]), "--reverse", str(models[1])),
                *("--prepared", str(other), "--out", str(out)),
            ]
        )
    assert not out.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--prepared", "data"),
        ("--prepared", "data", "--out", "x"),
        ("--prepared", "data", "--out", "x", "--reverse", "back", "--source", "a"),
        ("--prepared", "data", "--out", "x", "--reverse", "back", "--json"),
        ("--prepared", "data", "--out", "x", "--reverse", "back", "--symmetrize", "grow-diag"),
        ("--source", "a"),
        (),
    ],
)
def test_missing_options_are_reported_first(arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, ["align", "model", *arguments])
    assert result.exit_code == 2
    assert not isinstance(result.exception, RegardError)
    assert "--prepared" in result.output

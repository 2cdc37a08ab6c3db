"""Links that teach a look: on disk, by the batch, in the loss, and by the commands a user types."""

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
from regard.tasks.translation.translator import load_translator as load_translator
from regard.text.tokenizer import BOS, EOS, SentencePiece
from regard.train.loggers.jsonl import read_events
from regard.train.losses import CrossEntropy, GuidedAlignmentLoss
from tests.bundles import LINES, sealed
from tests.command import run_cli
from tests.tiny_models import target as some_target
from tests.tiny_models import tiny, tiny_run, tokens
from tests.toy_corpus import RECURRENT, TRANSFORMER, Toy, make_toy

LOOK = "decoder.blocks.0.cross_attention"
Pair = tuple[Sequence[int], Sequence[int]]

PAIRS: list[tuple[Pair, list[Link]]] = [
    (((11, 12, 13), (21, 22)), [(0, 0), (2, 0), (1, 1)]),
    (((11,), (12, 13, 21, 22)), [(0, 3)]),
    (((11, 12), (13, 21, 22)), []),
    (((14, 15, 16, 17), (24, 25, 26)), [(3, 0), (0, 2)]),
]


def batch_of(pairs: Sequence[Pair], *, padding: int = 0) -> Batch:
    """Marked as translation marks its sides, and as much wider as is asked."""
    sides = (
        pad([[*source, EOS] for source, _ in pairs]),
        pad([[BOS, *target, EOS] for _, target in pairs]),
    )
    return Batch(*(Tokens(nn.functional.pad(s.ids, (0, padding)), s.lengths) for s in sides))


def gathered(**facts: str) -> PieceLinks:
    return PieceLinks.gathered(((*pair, links) for pair, links in PAIRS), facts)


def guide(shift: int = 0) -> Guide:
    return Guide(Path("guide"), AlignmentHead(LOOK, 0, shift, null=False), gathered())


# on disk


def test_the_key_of_a_pair_is_the_same_everywhere_and_in_both_directions() -> None:
    """XXH3 of the ids in four little bytes each, seeded by where the first side ends."""

    def key_of(source: Ids, target: Ids) -> int:
        return int(PieceLinks.gathered([(source, target, [])], {}).keys[0])

    assert key_of((5, 6), (7,)) == xxhash.xxh3_64_intdigest(struct.pack("<3I", 5, 6, 7), 8)
    assert key_of((7,), (5, 6)) == key_of((5, 6), (7,)) != key_of((5,), (6, 7))


def test_a_run_of_the_other_direction_finds_the_same_links() -> None:
    kept = gathered()
    for order in (slice(None), slice(None, None, -1)):
        rows, links = kept.of(batch_of([pair[order] for pair, _ in PAIRS]))
        for row, (_, wanted) in enumerate(PAIRS):
            found = [tuple(link[order]) for link in links[rows == row].tolist()]
            assert found == wanted


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    kept = gathered(look=LOOK)
    kept.write(tmp_path / "links")
    found = PieceLinks.open(tmp_path / "links")
    assert found.facts == {"look": LOOK}
    assert found.fingerprint == kept.fingerprint
    rows, links = found.of(batch_of([*(pair for pair, _ in PAIRS), ((9,), (9, 9))]))
    for row, (_, wanted) in enumerate(PAIRS):
        assert [tuple(link) for link in links[rows == row].tolist()] == wanted
    assert len(rows) == 6


def test_a_pair_that_comes_twice_is_kept_once() -> None:
    one, other = ((5, 6), (7, 8)), ((7, 8), (5, 6))
    twice = PieceLinks.gathered([(*one, [(0, 1)]), ((3,), (3,), []), (*other, [(1, 1)])], {})
    assert len(twice.keys) == 2
    assert twice.starts.tolist() == [0, 0, 1]
    assert twice.links.tolist() == [[0, 1]]


def test_without_pairs_there_is_nothing_to_want(tmp_path: Path) -> None:
    PieceLinks.gathered([], {}).write(tmp_path / "links")
    none = replace(guide(), links=PieceLinks.open(tmp_path / "links"))
    assert not none.target_weights(batch_of([pair for pair, _ in PAIRS])).any()


def _damaged(path: Path, way: str) -> None:
    whole = path.read_bytes()
    arrays = load(whole)
    told = {"format": FORMAT, "fingerprint": gathered().fingerprint}
    match way:
        case "missing":
            path.unlink()
        case "empty":
            path.write_bytes(b"")
        case "cut":
            path.write_bytes(whole[:-3])
        case "text":
            path.write_text("0-0 1-1\n" * 100)
        case "one bit":
            path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        case "a huge header":
            path.write_bytes((1 << 60).to_bytes(8, "little") + whole[8:])
        case "other tensors":
            path.write_bytes(save({"weights": arrays["keys"]}, told))
        case "other types":
            path.write_bytes(save({**arrays, "links": arrays["links"].astype(np.int16)}, told))
        case "another version":
            path.write_bytes(save(arrays, {**told, "format": "piece links, 1"}))
        case "starts beyond the links":
            arrays["starts"][-1] += 1 << 40
            path.write_bytes(save(arrays, told))
        case "starts that fall":
            arrays["starts"][1] = -(1 << 40)
            path.write_bytes(save(arrays, told))
        case "keys in no order":
            path.write_bytes(save({**arrays, "keys": arrays["keys"][::-1].copy()}, told))
        case "no look":
            gathered(head="0", shift="0", tokenizer="").write(path)
        case "no head":
            gathered(look=LOOK, head="first", shift="0", tokenizer="").write(path)
        case "a moment that is none":
            gathered(look=LOOK, head="0", shift="-7", tokenizer="").write(path)


@pytest.mark.parametrize(
    "way",
    [
        *("missing", "empty", "cut", "text", "one bit", "a huge header", "other tensors"),
        *("other types", "another version", "starts beyond the links", "starts that fall"),
        *("keys in no order", "no look", "no head", "a moment that is none"),
    ],
)
def test_what_is_not_a_guide_is_refused_by_its_name(tmp_path: Path, way: str) -> None:
    path = tmp_path / "guide.links"
    gathered().write(path)
    _damaged(path, way)
    with pytest.raises(ArtifactError, match=r"guide\.links: .*; write it again by `regard align"):
        Guide.open(path, SentencePiece.train(LINES, size=300))


def test_links_beyond_a_pair_s_ends_ask_for_nothing() -> None:
    pair, _ = PAIRS[0]
    far = PieceLinks.gathered([(*pair, [(3, 0), (0, 2), (65_535, 65_535), (1, 1)])], {})
    wanted = replace(guide(), links=far).target_weights(batch_of([pair]))
    assert wanted.nonzero().tolist() == [[0, 1, 1]]


# by the batch


@pytest.mark.parametrize("shift", [0, 1])
def test_each_step_is_asked_to_look_at_the_pieces_that_it_is_linked_with(shift: int) -> None:
    """Of two sentences by hand: three pieces and their end, two after the mark of beginning."""
    wanted = guide(shift).target_weights(batch_of([PAIRS[0][0], PAIRS[1][0]]))
    by_hand = torch.zeros(2, 5, 4)  # the second target is the longer: four pieces and its end
    by_hand[0, 0 + shift] = torch.tensor([0.5, 0, 0.5, 0])
    by_hand[0, 1 + shift] = torch.tensor([0, 1.0, 0, 0])
    by_hand[1, 3 + shift] = torch.tensor([1.0, 0, 0, 0])
    assert torch.equal(wanted, by_hand)


def test_a_pair_is_found_whatever_stands_beside_it_and_however_it_is_padded() -> None:
    alone = [guide().target_weights(batch_of([pair]))[0] for pair, _ in PAIRS]
    order = [2, 0, 3, 1]
    strange = ((31, 32), (33, 34))  # that the guide does not know
    batch = batch_of([*(PAIRS[i][0] for i in order), strange], padding=3)
    wanted = guide().target_weights(batch)
    for row, i in enumerate(order):
        steps, positions = alone[i].shape
        assert torch.equal(wanted[row, :steps, :positions], alone[i])
        assert wanted[row].sum() == alone[i].sum()
    assert not wanted[-1].any()


def test_every_piece_of_a_word_is_linked_with_every_piece_of_the_other() -> None:
    pieces = SentencePiece.train(LINES, size=300)
    source, target = (
        TokenizedText.from_text(pieces, "Two zebras."),
        TokenizedText.from_text(pieces, "Zwei Zebras."),
    )
    reading = force_decode(tiny_model(pieces.size), [(source.pieces.ids, target.pieces.ids)])[0]
    pair = align_words(AlignmentHead(LOOK, 0, 0, null=False), source, target, reading)
    links = frozenset({(1, 1), (1, 0)})
    first, second = target.word_pieces[0], target.word_pieces[1]
    assert len(source.word_pieces[1]) > 1
    assert len(second) > 1
    wanted = {(i, j) for i in source.word_pieces[1] for j in (*first, *second)}
    assert links_to_pieces(pair, links) == sorted(wanted)


def tiny_model(vocabulary: int) -> nn.Module:
    return tiny_run("transformer").model.build(VocabularySizes(vocabulary, vocabulary)).eval()


# in the loss


@pytest.mark.parametrize("preset", ["transformer", "bahdanau"])
@pytest.mark.parametrize("head", [0, None])
def test_the_loss_is_the_cross_entropy_of_the_look(preset: str, head: int | None) -> None:
    """−λ Σ_t Σ_s a_ts log α_ts, by NumPy and in double precision."""
    small = tiny(preset)
    name = LOOK if preset == "transformer" else "decoder.attention"
    attention = small.model.get_submodule(name)
    source = tokens([4, 2, 3], torch.Generator().manual_seed(3))
    words = some_target(3, 5)
    wanted = torch.zeros(3, 5, 4)
    wanted[0, 1, :2], wanted[1, 0, 1], wanted[2, 4, 2] = 0.5, 1.0, 1.0
    guided, looks = GuidedAlignmentLoss(attention, head, 0.3), []
    with guided.recording(), attention.record(looks.append):
        small.model(source, words)
    got = guided.loss(wanted)
    heard = torch.cat([look.weights for look in looks], dim=2).detach().double().numpy()
    look = heard.mean(axis=1) if head is None else heard[:, head]
    where = wanted.double().numpy()
    by_hand = -0.3 * sum(
        where[at] * np.log(look[at]) for at in zip(*np.nonzero(where), strict=True)
    )
    assert float(got.detach()) == pytest.approx(by_hand, rel=1e-5)
    got.backward()
    small.model.zero_grad()


def test_the_gradient_moves_the_look_towards_the_links() -> None:
    model = tiny_model(11)
    source = tokens([4, 2, 3], torch.Generator().manual_seed(3))
    words, wanted = some_target(3, 5), torch.zeros(3, 5, 4)
    wanted[0, :, 3], wanted[1, :, 0], wanted[2, :, 1] = 1.0, 1.0, 1.0
    guided = GuidedAlignmentLoss(model.get_submodule(LOOK), 1, 1.0)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(8):
        with guided.recording():
            model(source, words)
        loss = guided.loss(wanted)
        optimiser.zero_grad()
        (loss / 15).backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.9 * losses[0]


def test_under_autocast_a_look_that_is_far_off_still_has_a_loss_and_a_gradient() -> None:
    model = tiny_model(11)
    attention = model.get_submodule(LOOK)
    with torch.no_grad():
        attention.score.to_query.weight.mul_(300)  # as sharp as a look can be
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
def test_a_guided_look_points_after_a_few_steps_and_by_itself_it_would_not() -> None:
    """Backwards, of two layers, of which the first learns by itself to look at what surrounds."""

    def points(strength: float) -> float:
        torch.manual_seed(0)
        run = tiny_run("transformer", dim=32, embedding_dim=32, hidden_dim=64, heads=2)
        model = run.model.build(VocabularySizes(14, 14))
        guided, steps = GuidedAlignmentLoss(model.get_submodule(LOOK), 1, strength), 300
        optimiser = torch.optim.Adam(model.parameters(), lr=1e-2, betas=(0.9, 0.98))
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
        chance = torch.Generator().manual_seed(0)
        for _ in range(steps):
            batch = toy_pairs("reverse", torch.randint(3, 8, (32,), generator=chance), chance)
            with guided.recording():
                decoded = model(batch.source, batch.inputs)
            loss = CrossEntropy()(decoded, model.readout, batch.target)
            loss = loss.plus("guide", guided.loss(_backwards(batch.source, batch.inputs.size(1))))
            optimiser.zero_grad()
            (loss.total / loss.count).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
        held = toy_pairs("reverse", torch.randint(3, 8, (200,), generator=chance), chance)
        return pointing(model.eval(), "reverse", held)[f"{LOOK}, head 1"]

    assert points(1.0) >= 0.99
    assert points(0.0) < 0.5


def _backwards(source: Tokens, steps: int) -> Tensor:
    wanted = torch.zeros(len(source.ids), steps, source.ids.size(1))
    assert source.lengths is not None
    for row, n in enumerate(source.lengths.tolist()):
        wanted[row, range(n), range(n - 1, -1, -1)] = 1.0
    return wanted


# by the commands that a user types


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    return make_toy(tmp_path_factory.mktemp("toy"))


class Truth:
    """The true links of a toy's training pairs."""

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
            own = [link for there, back in words for link in product(there, back)]
            self.pairs.append((source.pieces.ids, target.pieces.ids, own))

    def write(self, name: str, **facts: str) -> Path:
        """For the only look that the toy's Transformer has, unless another is said."""
        path = self.toy.folder / name
        known = {"tokenizer": self.pieces.fingerprint, "look": LOOK, "head": "0", "shift": "1"}
        PieceLinks.gathered(self.pairs, {**known, **facts}).write(path)
        return path


@pytest.fixture(scope="module")
def truth(toy: Toy) -> Truth:
    return Truth(toy)


def test_training_by_a_guide_tells_of_it_and_goes_on_only_with_the_same(
    toy: Toy, truth: Truth
) -> None:
    home, own = toy.home("guided"), truth.write("own.links")
    few = ("train.steps=30", "train.save_every=30", "train.schedule.warmup=0")
    asked = toy.arguments(TRANSFORMER, home, f"train.guided_alignment.links={own}", *few)
    run_cli(asked)
    events = list(read_events(home.log))
    plan = next(e for e in events if e["event"] == "training_started")["plan"]
    count = len({frozenset((source, target)) for source, target, _ in truth.pairs})
    assert plan["guide"] == f"{LOOK}, head 0, as it is read in, by the links of {count} pairs"
    told = [e["parts"]["guide"] for e in events if e["event"] == "step_completed"]
    assert sum(told[-10:]) < sum(told[:10])
    bundle = open_bundle(home.model)
    assert fine_tuning_settings(bundle, bundle_config(bundle))["train"]["guided_alignment"] is None

    truth.write("own.links", head="1")
    with pytest.raises(ArtifactError, match=r"train\.guided_alignment\.links: \w+ then, \w+ now"):
        run_cli(asked)
    alone = toy.arguments(TRANSFORMER, home, *few)
    with pytest.raises(ArtifactError, match=r"train\.guided_alignment\.links: \w+ then, None now"):
        run_cli(alone)


def test_the_same_guide_may_lie_elsewhere_when_a_run_goes_on(toy: Toy, truth: Truth) -> None:
    home = toy.home("moved")
    for place in (truth.write("here.links"), truth.write("there.links")):
        run_cli(toy.arguments(TRANSFORMER, home, f"train.guided_alignment.links={place}", "train.steps=2"))


@pytest.mark.parametrize(
    ("preset", "facts", "settings", "said"),
    [
        (RECURRENT, {}, (), rf"teaches {LOOK}, head 0.* but decoder\.attention; train one like"),
        (TRANSFORMER, {"head": "4"}, (), rf"links: .*wrong\.links teaches {LOOK}, head 4"),
        (TRANSFORMER, {"look": "encoder", "head": "mean"}, (), "teaches encoder, mean of all"),
        (TRANSFORMER, {}, ("train.subword_alpha=0.1",), r"train\.sampling: cuts words anew"),
    ],
)
def test_a_guide_that_does_not_fit_the_run_is_refused(
    toy: Toy, truth: Truth, preset: str, facts: dict[str, str], settings: tuple[str, ...], said: str
) -> None:
    path, home = truth.write("wrong.links", **facts), RunDirectory(toy.folder / "refused")
    shutil.copytree(toy.folder / "prepared" / "data", home.data, dirs_exist_ok=True)
    with pytest.raises(ConfigError, match=said):
        run_cli(toy.arguments(preset, home, f"train.guided_alignment.links={path}", *settings))


def test_a_guide_for_other_pieces_is_refused(truth: Truth) -> None:
    path = truth.write("foreign.links", tokenizer="another")
    with pytest.raises(ArtifactError, match=r"foreign\.links: links the pieces of another vocab"):
        Guide.open(path, truth.pieces)


def test_only_translators_are_guided(tmp_path: Path) -> None:
    run = load_config("caption-soft", ["train.guided_alignment.links=x", 'data.train=[{files: ["a"]}]'])
    with pytest.raises(ConfigError, match=r"train\.guided_alignment: is for models that translate"):
        prepare_data(run, RunDirectory(tmp_path), lambda progress: None)


def test_what_a_resolved_run_leaves_open_can_be_set() -> None:
    """A run that was written down says `guided_alignment: null`."""
    run = load_config("bahdanau", ["train.guided_alignment=null", "train.guided_alignment.links=some.links"])
    assert run.train.guided_alignment is not None
    assert (run.train.guided_alignment.links, run.train.guided_alignment.weight) == ("some.links", 0.3)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("models")
    return (
        sealed("transformer", folder / "there" / "model"),
        sealed("bahdanau", folder / "back" / "model"),
    )


SOURCES, TARGETS = LINES, [*LINES[1:], LINES[0]]


@pytest.fixture(scope="module")
def data(models: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shards of a few pairs, in the pieces of the models."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "a").write_text("\n".join([*SOURCES, SOURCES[0], ""]))
    (folder / "b").write_text("\n".join([*TARGETS, TARGETS[0], ""]))
    corpus = open_corpus(str(folder / "a"), str(folder / "b"))
    pieces = str(models[0].with_name("pieces"))
    settings = PreparationSettings(tokenizer=pieces, limits=None, dedupe="none")
    prepare_corpora([corpus], str(folder / "data"), settings, InProcessRunner())
    return folder


def test_the_command_writes_the_links_that_both_directions_agree_on(
    models: tuple[Path, Path], data: Path
) -> None:
    forth, back = models
    out = data / "guide.links"
    both = (str(forth), "--reverse", str(back))
    run_cli(["align", *both, "--prepared", str(data / "data"), "--out", str(out)])
    there, again = load_translator(forth), load_translator(back)
    guide = Guide.open(out, there.tokenizer)
    assert there.alignment_head is not None
    assert guide.alignment_head == replace(there.alignment_head, head=0, shift=1, agreement=0.0)
    assert len(guide.links.keys) == len(SOURCES)  # one came twice
    found = there.align(SOURCES, TARGETS), again.align(TARGETS, SOURCES)
    for one, other in zip(*found, strict=True):
        links = symmetrize(one.links, transpose_links(other.links), "intersection")
        pair = one.source.pieces.ids, one.target.pieces.ids
        wanted = guide.target_weights(batch_of([pair]))[0]
        assert [(s, t - 1) for t, s in wanted.nonzero().tolist()] == sorted(
            links_to_pieces(one, links), key=lambda link: link[::-1]
        )


def test_a_look_with_one_head_is_taught_at_the_moment_at_which_it_points(
    models: tuple[Path, Path], data: Path, tmp_path: Path
) -> None:
    many, one = (load_translator(path) for path in models)
    write_guide(tmp_path / "g", one, many, PreparedData.open(str(data / "data")), lambda told: None)
    assert one.alignment_head is not None
    taught = Guide.open(tmp_path / "g", one.tokenizer).alignment_head
    assert taught == replace(one.alignment_head, agreement=0.0, null=False)


def test_progress_is_told_from_the_first_pair_to_the_last(
    models: tuple[Path, Path], data: Path, tmp_path: Path
) -> None:
    told: list[StageProgress] = []
    forth, back = (load_translator(path) for path in models)
    write_guide(tmp_path / "g", forth, back, PreparedData.open(str(data / "data")), told.append)
    assert [(p.stage, p.done, p.total, p.pairs) for p in told] == [
        ("align", 0, 1, 6),
        ("align", 1, 1, 6),
    ]


def test_data_of_another_model_are_refused(models: tuple[Path, Path], toy: Toy) -> None:
    other, out = toy.folder / "prepared" / "data", toy.folder / "never.links"
    with pytest.raises(ArtifactError, match="other pieces than the model's; name the data that it"):
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
def test_what_a_guide_needs_is_said_before_anything_is_read(arguments: tuple[str, ...]) -> None:
    answer = CliRunner().invoke(app, ["align", "model", *arguments])
    assert answer.exit_code == 2
    assert not isinstance(answer.exception, RegardError)
    assert "--prepared" in answer.output

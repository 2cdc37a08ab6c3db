"""Guided alignment: the file of links, target weights, the loss, and links of any aligner."""

from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from benchmarks.toys import pairs as toy_pairs
from benchmarks.toys import pointing
from regard.align.extraction import force_texts, measure_agreement
from regard.align.links import Links, write_links
from regard.align.tokenized_text import AlignmentHead, TokenizedText
from regard.align.word_aligner import ALIGNER_FILE
from regard.batch import Tokens
from regard.bundle.bundle import open_bundle
from regard.config.load import load_config
from regard.config.model import VocabularySizes
from regard.config.run import GuidedAlignmentConfig
from regard.data.formats.corpus import open_corpus, read_parallel
from regard.data.loading.piece_links import Ids, Link, PieceLinks
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import StageProgress
from regard.errors import ArtifactError, ConfigError, CorpusError
from regard.tasks.bundles import bundle_config
from regard.tasks.training import RunDirectory, fine_tuning_settings, prepare_data
from regard.tasks.translation.guide import (
    GUIDE_FILE,
    Guide,
    guided_head,
    links_to_pieces,
    prepare_guide,
)
from regard.tasks.translation.task import TASK
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import SentencePiece
from regard.train.loggers.jsonl import read_events
from regard.train.losses import CrossEntropy, GuidedAlignmentLoss
from tests.bundles import LINES
from tests.command import run_cli
from tests.linked_pairs import PAIRS, batch_of, make_links
from tests.tiny_models import target as some_target
from tests.tiny_models import tiny, tiny_run, tokens
from tests.toy_corpus import RECURRENT, TRANSFORMER, Toy, make_toy

ATTENTION = "decoder.blocks.0.cross_attention"


def guide(shift: int = 0) -> Guide:
    return Guide(make_links(), AlignmentHead(ATTENTION, 0, shift, null=True))


def test_without_pairs_target_weights_are_zero(tmp_path: Path) -> None:
    PieceLinks.from_pairs([], {}).write(tmp_path / "links")
    empty = replace(guide(), links=PieceLinks.open(tmp_path / "links"))
    assert not empty.target_weights(batch_of([pair for pair, _ in PAIRS])).any()


def test_links_outside_the_pair_are_ignored() -> None:
    pair, _ = PAIRS[0]
    far = PieceLinks.from_pairs([(*pair, [(3, 0), (0, 2), (65_535, 65_535), (1, 1)])], {})
    wanted = replace(guide(), links=far).target_weights(batch_of([pair]))
    assert wanted.nonzero().tolist() == [[0, 0, 3], [0, 1, 1]]  # the first piece has no other link


# target weights


@pytest.mark.parametrize("shift", [0, 1])
def test_target_weights_are_uniform_over_linked_pieces(shift: int) -> None:
    """Three sentences by hand; a piece without a link attends to EOS, the last source position."""
    wanted = guide(shift).target_weights(batch_of([PAIRS[0][0], PAIRS[1][0], PAIRS[2][0]]))
    by_hand = torch.zeros(3, 5, 4)  # the longest source has three pieces, the longest target four
    by_hand[0, 0 + shift] = torch.tensor([0.5, 0, 0.5, 0])
    by_hand[0, 1 + shift] = torch.tensor([0, 1.0, 0, 0])
    by_hand[1, 0 + shift : 3 + shift, 1] = 1.0
    by_hand[1, 3 + shift, 0] = 1.0
    by_hand[2, 0 + shift : 3 + shift, 2] = 1.0
    assert torch.equal(wanted, by_hand)


def test_target_weights_do_not_depend_on_batch_and_padding() -> None:
    alone = [guide().target_weights(batch_of([pair]))[0] for pair, _ in PAIRS]
    order = [2, 0, 3, 1]
    unknown = ((31, 32), (33, 34))  # the guide does not have it
    batch = batch_of([*(PAIRS[i][0] for i in order), unknown], padding=3)
    wanted = guide().target_weights(batch)
    for row, i in enumerate(order):
        steps, positions = alone[i].shape
        assert torch.equal(wanted[row, :steps, :positions], alone[i])
        assert wanted[row].sum() == alone[i].sum() == len(PAIRS[i][0][1])
    assert not wanted[-1].any()


def test_all_pieces_of_linked_words_are_linked() -> None:
    pieces = SentencePiece.train(LINES, size=300)
    source, target = (
        TokenizedText.from_text(pieces, "Two zebras."),
        TokenizedText.from_text(pieces, "Zwei Zebras."),
    )
    first, second = target.word_pieces[0], target.word_pieces[1]
    assert len(source.word_pieces[1]) > 1
    assert len(second) > 1
    wanted = {(i, j) for i in source.word_pieces[1] for j in (*first, *second)}
    assert links_to_pieces(source, target, Links({(1, 1), (1, 0)})) == sorted(wanted)


# the guided head


@pytest.mark.parametrize(
    ("preset", "small", "head"),
    [
        ("transformer", {"layers": 3}, ("decoder.blocks.1.cross_attention", 1)),
        ("transformer", {"layers": 2}, ("decoder.blocks.0.cross_attention", 1)),
        ("transformer", {"layers": 1}, ("decoder.blocks.0.cross_attention", 1)),
        ("transformer", {"heads": 1}, ("decoder.blocks.0.cross_attention", 0)),
        ("bahdanau", {}, ("decoder.attention", 0)),
        ("luong-dot", {}, ("decoder.attention", 0)),
    ],
)
def test_the_model_determines_the_guided_head(
    preset: str, small: dict[str, int], head: tuple[str, int]
) -> None:
    model = tiny_run(preset, **small).model.build(VocabularySizes(11, 11))
    name, shift = head
    assert guided_head(model) == AlignmentHead(name, 0, shift, null=True)


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


# links of the aligner or from a file


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    return make_toy(tmp_path_factory.mktemp("toy"))


def pharaoh(toy: Toy, name: str, *, unlinked: int = 0) -> Path:
    """Write the true links of the toy corpus, except those of the first source words."""
    lines = []
    for source in read_parallel(str(toy.folder / "train.a"), str(toy.folder / "train.b"))[0]:
        n = len(source.split())
        lines.append(write_links((i, n - 1 - i) for i in range(unlinked, n)))
    path = toy.folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def toy_guide(
    toy: Toy, name: str, config: GuidedAlignmentConfig
) -> tuple[PreparedData, list[StageProgress], PieceLinks]:
    """Prepare a guide of the toy corpus in a new directory."""
    folder = toy.folder / name / "data"
    if not folder.exists():
        shutil.copytree(toy.folder / "prepared" / "data", folder)
    prepared, reports = PreparedData.open(str(folder)), list[StageProgress]()
    corpus = open_corpus(str(toy.folder / "train.a"), str(toy.folder / "train.b"))
    prepare_guide(config, prepared, [corpus], reports.append)
    return prepared, reports, PieceLinks.open(folder / GUIDE_FILE)


def true_links(prepared: PreparedData) -> list[tuple[Ids, Ids, list[Link]]]:
    """The links between the pieces of the prepared toy pairs, whose words are reversed."""
    tokenizer = SentencePiece.load(Path(prepared.root))
    (shard,) = prepared.shards("train")
    opened, found = shard.open(), []
    for i in range(shard.pairs):
        source, target = (
            TokenizedText.from_tokens(tokenizer, ids.tolist()) for ids in opened.pair(i)
        )
        words = zip(source.word_pieces, reversed(target.word_pieces), strict=True)
        links = [link for there, back in words for link in product(there, back)]
        found.append((source.pieces.ids, target.pieces.ids, sorted(links)))
    return found


@pytest.mark.parametrize("pretokenized", [False, True])
def test_a_pharaoh_file_gives_the_links_of_all_training_pairs(toy: Toy, pretokenized: bool) -> None:
    path = pharaoh(toy, "true.links")
    config = GuidedAlignmentConfig(links=str(path), pretokenized=pretokenized)
    prepared, reports, stored = toy_guide(toy, f"file-{pretokenized}", config)
    assert [(p.stage, p.done, p.total, p.pairs) for p in reports] == [
        ("guide", 0, 1, 400),
        ("guide", 1, 1, 400),
    ]
    for source, target, links in true_links(prepared):
        known, _, found = stored.of(batch_of([(source, target)]))
        assert known.all()
        assert sorted(map(tuple, found.tolist())) == links


def test_the_aligner_gives_most_of_the_true_links(toy: Toy) -> None:
    prepared, reports, stored = toy_guide(toy, "auto", GuidedAlignmentConfig())
    pairs = true_links(prepared)
    assert (reports[0].done, reports[-1].done, reports[-1].pairs) == (0, 1, len(pairs))
    right = made = 0
    for source, target, links in pairs:
        known, _, found = stored.of(batch_of([(source, target)]))
        assert known.all()
        made += len(found)
        right += len(set(links) & set(map(tuple, found.tolist())))
    assert right / made > 0.8
    assert right / sum(len(links) for *_, links in pairs) > 0.8


def test_a_guide_is_written_again_only_if_its_links_or_data_changed(toy: Toy) -> None:
    path = pharaoh(toy, "some.links")
    config = GuidedAlignmentConfig(links=str(path))

    def is_written(config: GuidedAlignmentConfig) -> bool:
        return bool(toy_guide(toy, "again", config)[1])

    assert is_written(config)
    assert not is_written(config)
    moved = GuidedAlignmentConfig(links=str(path.rename(toy.folder / "moved.links")))
    assert not is_written(moved)
    assert is_written(moved.model_copy(update={"pretokenized": True}))
    assert is_written(GuidedAlignmentConfig())
    assert not is_written(GuidedAlignmentConfig())
    pharaoh(toy, "moved.links", unlinked=1)
    assert is_written(moved)
    file = toy.folder / "again" / "data" / GUIDE_FILE
    file.write_bytes(file.read_bytes()[:-1])
    assert is_written(moved)


@pytest.mark.parametrize(
    ("damage", "cause"),
    [
        (lambda lines: lines[:-1], r"bad\.links: has links for 399 pairs.* 400"),
        (lambda lines: [*lines, ""], r"bad\.links: has links for 401 pairs.* 400"),
        (
            lambda lines: [*lines[:6], "0-99", *lines[7:]],
            r"bad\.links, line 7: link 0-99 .*outsi",
        ),
        (lambda lines: [lines[0], "1:1", *lines[2:]], r"bad\.links, line 2: '1:1' is not a link"),
    ],
)
def test_a_pharaoh_file_that_does_not_fit_the_corpora_is_refused(toy: Toy, damage, cause) -> None:
    path = pharaoh(toy, "bad.links")
    path.write_text("".join(f"{line}\n" for line in damage(path.read_text().splitlines())))
    with pytest.raises(CorpusError, match=cause):
        toy_guide(toy, "bad", GuidedAlignmentConfig(links=str(path)))
    assert not (toy.folder / "bad" / "data" / GUIDE_FILE).exists()


def test_a_missing_pharaoh_file_is_named(toy: Toy) -> None:
    with pytest.raises(CorpusError, match=r"missing\.links"):
        toy_guide(toy, "missing", GuidedAlignmentConfig(links="missing.links"))


# training


def test_a_guided_run_saves_the_guided_head(toy: Toy) -> None:
    directory = toy.run_directory("guided")
    settings = ("train.steps=30", "train.save_every=30", "train.schedule.warmup=0")
    guided = (*settings, "train.guided_alignment={links: auto}")
    run_cli(toy.arguments(TRANSFORMER, directory, *guided))
    events = list(read_events(directory.log))
    plan = next(e for e in events if e["event"] == "training_started")["plan"]
    assert " pairs in " in plan["aligner"]
    count = len(PieceLinks.open(directory.data / GUIDE_FILE).keys)
    assert plan["guide"] == f"{ATTENTION}, head 0, at next input, links of {count} pairs"
    losses = [e["parts"]["guide"] for e in events if e["event"] == "step_completed"]
    assert sum(losses[-10:]) < sum(losses[:10])

    translator = Translator.load(directory.model)
    head, aligner = translator.alignment_head, translator.aligner
    assert head is not None and aligner is not None
    assert replace(head, agreement=0.0) == AlignmentHead(ATTENTION, 0, 1, null=True)
    pairs = [
        (
            TokenizedText.from_text(translator.tokenizer, source),
            TokenizedText.from_text(translator.tokenizer, target),
        )
        for source, target in zip(
            *read_parallel(str(toy.folder / "valid.a"), str(toy.folder / "valid.b")), strict=True
        )
    ]
    links = [alignment.links for alignment in translator.align(
        [source.raw for source, _ in pairs], [target.raw for _, target in pairs]
    )]  # fmt: skip
    measured = measure_agreement(head, pairs, force_texts(translator.model, pairs), links)
    assert head.agreement == pytest.approx(measured.agreement)

    bundle = open_bundle(directory.model)
    config = bundle_config(bundle)
    kept = fine_tuning_settings(bundle, config)["train"]["guided_alignment"]
    assert kept["links"] == "auto"
    unguided = toy.arguments(TRANSFORMER, directory, *settings, "train.guided_alignment=null")
    with pytest.raises(ArtifactError, match=r"train\.guided_alignment\.links.*None"):
        run_cli(unguided)


def test_guided_training_resumes_only_with_the_same_links(toy: Toy) -> None:
    directory, path = toy.run_directory("resumed"), pharaoh(toy, "own.links")

    def train(path: Path, *settings: str) -> None:
        links = f"train.guided_alignment.links={path}"
        run_cli(toy.arguments(RECURRENT, directory, links, "train.steps=2", *settings))

    train(path, "data.aligner=false")
    bundle = open_bundle(directory.model)
    assert fine_tuning_settings(bundle, bundle_config(bundle))["train"]["guided_alignment"] is None
    head = Translator.load(directory.model).alignment_head
    assert head is not None
    assert (head.attention, head.head, head.shift, head.null) == ("decoder.attention", 0, 0, True)
    train(path.rename(toy.folder / "there.links"), "data.aligner=false")
    with pytest.raises(ArtifactError, match=r"train\.guided_alignment\.links"):
        train(pharaoh(toy, "there.links", unlinked=1), "data.aligner=false")


def test_a_guide_of_other_pairs_is_refused(toy: Toy) -> None:
    prepared, _, stored = toy_guide(toy, "other", GuidedAlignmentConfig())
    replace(stored, facts={**stored.facts, "data": "other"}).write(Path(prepared.root) / GUIDE_FILE)
    with pytest.raises(ArtifactError, match="other pairs"):
        Guide.open(prepared, tiny_model(prepared.vocabulary))


@pytest.mark.parametrize(
    ("settings", "cause"),
    [
        (("data.aligner=false",), r"guided_alignment\.links: auto .*data\.aligner"),
        (("train.subword_alpha=0.1",), r"train\.subword_alpha"),
        (("train.guided_alignment.pretokenized=true",), r"guided_alignment\.pretokenized"),
    ],
)
def test_settings_that_exclude_a_guide_are_refused(settings: tuple[str, ...], cause: str) -> None:
    with pytest.raises(ConfigError, match=cause):
        load_config("bahdanau", ["train.guided_alignment.links=auto", *settings])


def test_a_model_without_attention_is_refused_before_the_aligner_is_trained(toy: Toy) -> None:
    directory = toy.run_directory("no attention")
    (directory.data / ALIGNER_FILE).unlink()
    run = load_config("sutskever", ["train.guided_alignment={}"])
    with pytest.raises(ConfigError, match=r"train\.guided_alignment: .*no attention"):
        TASK.prepare_extras(run, PreparedData.open(str(directory.data)), lambda progress: None)
    assert not (directory.data / ALIGNER_FILE).exists()


def test_only_translation_models_are_guided(tmp_path: Path) -> None:
    run = load_config("caption-soft", ["train.guided_alignment={}", 'data.train=[{files: ["a"]}]'])
    with pytest.raises(ConfigError, match=r"train\.guided_alignment"):
        prepare_data(run, RunDirectory(tmp_path), lambda progress: None)


def test_a_guide_can_be_set_in_a_run_without_one() -> None:
    """A saved run file has `guided_alignment: null`."""
    run = load_config(
        "bahdanau", ["train.guided_alignment=null", "train.guided_alignment.links=some.links"]
    )
    assert run.train.guided_alignment == GuidedAlignmentConfig(links="some.links", weight=0.3)

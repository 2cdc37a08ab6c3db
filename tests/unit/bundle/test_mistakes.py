"""Typical mistakes in every command: a message, a documented exit status, and untouched files.

The commands run in this process through `main`, as the program does. An exception that is not an
error of the user would be a traceback, and fails the test.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path

import pytest

from regard.bundle.bundle import WEIGHTS
from tests.bundles import make_bundle, make_classifier_bundle, make_language_bundle
from tests.command import run_main
from tests.toy_corpus import RECURRENT, Toy, make_toy

SHORT = (
    *("train.steps=2", "train.validate_every=2"),
    *("data.aligner=false", "train.guided_alignment=null"),
)
FILES = {
    "a.en": b"A dog runs.\nTwo cats run away.\n",
    "a.fr": b"Un chien court.\nDeux chats se sauvent.\n",
    "short.fr": b"Un chien court.\n",
    "empty": b"",
    "latin1": "Un garçon.\nDeux.\n".encode("latin-1"),
    "pairs.tsv": b"A dog runs.\tUn chien court.\nGo!\tVa !\n",
    "pairs.tmx": b"<tmx>",
    "notes.txt": b"Notes.\n",
    "zero.links": b"0-0 1-1\n0-0\n",
    "one.links": b"1-1 2-2 3-3\n1-1 4-4\n",
    "not.links": b"1:1\n0-0\n",
    "run.yaml": b"extends: translate-tiny\ntrain: {optimizer: {rat: 1}}\n",
    "list.yaml": b"- a\n",
    "keys.json": b'{"keys": []}\n',
    "docs.tsv": b"no tab here\n",
    "images.jsonl": b'{"image": "absent.png", "caption": "a dog"}\n',
}

TRAIN = ("train", "--preset", "translate-tiny", "--source", "a.en", "--target", "a.fr")
EVALUATE = ("evaluate", "model", "--source", "a.en", "--reference", "a.fr")
COMPARE = ("compare", "a.en", "a.fr", "--source", "a.en", "--reference", "a.fr")
GOLD = ("evaluate", "model", "--source", "a.en", "--target", "a.fr", "--alignments")
PREPARE = ("prepare", "a.en", "a.fr", "--out", "new")

# Preparation keeps its finished tasks in a new directory, also if a later one fails.
IN_PROGRESS = ("new", "new/data", "new/data/work", "new/work")
MARKERS = ("new/.regard.json", "new/data/.regard.json")  # of a preparation that has begun
PREPARING = ("train", "prepare")

# arguments, a part of the message, and the exit status where it is not 2
MISTAKES: list[tuple[tuple[str, ...], str] | tuple[tuple[str, ...], str, int]] = [
    # no such command, option or value
    (("trian",), "No such command"),
    (("train", "--presett", "x"), "No such option"),
    (("translate", "model", "--engine", "fast"), "is not one of"),
    (("translate", "model", "--beam-size", "0"), "greater than or equal to 1"),
    (("translate", "model", "--beam-size", "many"), "integer"),
    (("translate", "model", "--n-best", "-1"), "greater than or equal to 1"),
    # models
    (("translate",), "--server"),
    (("translate", "absent"), "manifest.json does not exist"),
    (("translate", "folder"), "manifest.json does not exist"),
    (("translate", "a.en"), "not a model bundle"),
    (("translate", "damaged"), WEIGHTS),
    (("translate", "language"), "is a language model. Pass a translation model."),
    (("translate", "model", "--ensemble", "classifier"), "classifier"),
    (("complete", "model", "Once"), "is a translation model. Pass a language model."),
    (("classify", "model"), "is a translation model. Pass a document classifier."),
    (("caption", "model", "a.png"), "is a translation model. Pass a captioning model."),
    (("explain", "classifier", "A dog."), "--html"),
    (("export", "language", "--to", "ctranslate2"), "is a language model"),
    (("align", "language", "--source", "a.en", "--target", "a.fr"), "is a language model"),
    (("evaluate", "model", "--text", "a.en"), "is a translation model. Pass a language model."),
    (("serve",), "Missing argument"),
    (("serve", "model", "--port", "99999"), "less than or equal to 65535"),
    (("describe", "damaged"), WEIGHTS),
    (("describe", "model", "--set", "train.steps=1"), "--set"),
    # translate
    (("translate", "model", "--source", "absent"), "absent: cannot be read"),
    (("translate", "model", "--source", "folder"), "folder: cannot be read"),
    (("translate", "model", "--source", "latin1"), "latin1, line 1: is not UTF-8"),
    (("translate", "model", "--source", "a.en", "--out", "a.en"), "also an input"),
    (("translate", "model", "--source", "a.en", "--out", "folder"), "is a directory"),
    (("translate", "model", "--source", "a.en", "--out", "no/out"), "does not exist"),
    (("translate", "model", "--source", "a.en", "--out", "a.fr/out"), "cannot be written"),
    (("translate", "model", "A dog.", "--source", "a.en"), "either texts or --source"),
    (("translate", "model", "--server", "http://localhost:1"), "either a translation model"),
    (("translate", "A dog.", "--server", "not a url"), "not a url"),
    (("translate", "model", "--server-model", "x"), "--server"),
    (("translate", "model", "A dog.", "--top-p", "2"), "less than or equal to 1"),
    (("translate", "model", "A dog.", "--engine", "ctranslate2"), "regard export"),
    # train
    (("train",), "--preset"),
    (("train", "absent.yaml"), "absent.yaml"),
    (("train", "run.yaml"), 'train.optimizer.rat is not a setting. Did you mean "rate"?'),
    (("train", "list.yaml"), "must be a mapping"),
    (("train", "--preset", "bahdanou"), 'Did you mean "bahdanau"?'),
    (("train", "--preset", "tiny"), '"translate-tiny"'),
    (("train", "--preset", "translate-tiny"), "--source"),
    (("train", "--set", "train.steps", "100"), "--set train.steps=VALUE"),
    ((*TRAIN, "--set", "train.steps=abc", "--out", "new"), "train.steps must be a whole number"),
    ((*TRAIN, "--set", "train.steps=-1", "--out", "new"), "train.steps must be greater than 0"),
    ((*TRAIN, "--set", "train.metric=blue", "--out", "new"), "train.metric"),
    ((*TRAIN, "--out", "a.en"), "a.en: is an input"),
    ((*TRAIN, "--out", "a.en/new"), "is inside a.en, which is an input"),
    ((*TRAIN, "--out", "pairs.tsv"), "pairs.tsv: cannot be written", 74),
    ((*TRAIN, "--out", "pairs.tsv/new"), "cannot be written", 74),
    ((*TRAIN, "--out", "new", "--workers", "0"), "greater than or equal to 1"),
    ((*TRAIN, "--out", "new", "--text", "a.en"), "Give only one of"),
    ((*TRAIN, "--out", "new", "--from", "absent"), "not a model bundle"),
    ((*TRAIN, "--out", "new", "--valid", "a.en", "short.fr"), "short.fr"),
    (("train", "--source", "a.en"), "--target is missing"),
    (("train", "--target", "a.fr"), "--target needs --source"),
    (("train", "--source", "pairs.tmx", "--out", "new"), "--columns en fr"),
    (("train", "--source", "pairs.tsv", "--columns", "0", "9", "--out", "new"), "pairs.tsv"),
    (("train", "--source", "absent", "--target", "a.fr", "--out", "new"), "absent"),
    (("train", "--source", "a.en", "--target", "short.fr", "--out", "new"), "short.fr: ends"),
    ((*TRAIN[:-1], "short.fr", "--out", "new"), "doctor"),
    (("train", "--source", "empty", "--target", "empty", "--out", "new"), "no records"),
    (("train", "--source", "latin1", "--target", "a.fr", "--out", "new"), "latin1"),
    (("train", "--preset", "han", "--documents", "docs.tsv", "--out", "new"), "docs.tsv"),
    (("train", "--preset", "han", "--documents", "a.en", "--out", "new"), ".jsonl"),
    (("train", "--preset", "caption-tiny", "--images", "images.jsonl", "--out", "new"), "absent"),
    (("train", "--preset", "lm-transformer", "--text", "absent", "--out", "new"), "absent"),
    # doctor and prepare
    (("doctor", "a.en", "absent"), "absent"),
    (("doctor", "a.en"), ".tsv, .jsonl, .parquet or .tmx"),
    (("doctor", "a.en", "a.fr", "short.fr"), "one or two files"),
    (("doctor", "a.en", "a.fr", "--html", "a.fr"), "also an input"),
    (("doctor", "a.en", "a.fr", "--html", "no/report.html"), "does not exist"),
    (("doctor", "a.en", "a.fr", "--columns", "0", "1"), "no corpus is in one file"),
    (("doctor", "a.en", "short.fr"), "unequal count", 3),
    (("prepare", "a.en", "a.fr"), "--out"),
    ((*PREPARE[:3], "--out", "a.en"), "a.en: is an input"),
    ((*PREPARE[:3], "--out", "pairs.tsv"), "pairs.tsv", 74),
    ((*PREPARE, "--held-out", "1.5"), "less than or equal to 0.99"),
    ((*PREPARE, "--valid", "a.en", "a.fr", "--held-out", "0.1"), "held_out"),
    ((*PREPARE, "--source-script", "klingon"), "unknown script"),
    ((*PREPARE, "--tokenizer", "folder"), "folder"),
    # evaluate, compare and align
    (("evaluate",), "Give either a model or --outputs"),
    (("evaluate", "--outputs", "a.fr"), "Missing --source"),
    ((*EVALUATE, "--outputs", "a.fr"), "MODEL has no effect with --outputs"),
    ((*EVALUATE, "--text", "a.en"), "--source has no effect with --text"),
    ((*EVALUATE, "--out", "a.fr"), "also an input"),
    ((*EVALUATE, "--figure", "no/chart.svg"), "does not exist"),
    ((*EVALUATE, "--out", "new", "--figure", "new"), "another output"),
    (("evaluate", "model", "--source", "a.en", "--reference", "short.fr"), "short.fr: ends after"),
    (("evaluate", "--outputs", "short.fr", *EVALUATE[2:]), "1"),
    ((*GOLD, "one.links"), "--one-based"),
    ((*GOLD, "zero.links", "--one-based"), "Omit --one-based"),
    ((*GOLD, "not.links"), "is not a link"),
    ((*COMPARE, "--gate", "bleu"), "bleu"),
    ((*COMPARE, "--gate", "blue=-1"), "blue"),
    ((*COMPARE, "--html", "no/page.html"), "does not exist"),
    (("compare", "a.en", *COMPARE[3:]), "two different systems"),
    (("compare", "a.en", "absent", *COMPARE[3:]), "absent"),
    (("align", "--source", "a.en", "--target", "short.fr"), "short.fr"),
    (("align", "--source", "a.en", "--target", "a.fr", "--out", "a.en"), "also an input"),
    (("align", "--source", "a.en", "--target", "a.fr", "--symmetrize", "grow-diag"), "--reverse"),
    (("align", "model", "--source", "a.en", "--target", "a.fr", "--save", "new"), "--save"),
    # explain, describe, export, study, serve and key
    (("explain", "model"), "Give a model and an input"),
    (("explain", "model", "A dog.", "-o", "page.pdf"), "unknown suffix"),
    (("explain", "model", "A dog.", "-o", "no/page.html"), "does not exist"),
    (("explain", "model", "A dog.", "--open"), "-o FILE.html"),
    (("explain", "model", "A dog.", "--gold", "0:0"), "is not a link"),
    (("explain", "model", "A dog.", "--attention", "none"), "none"),
    (("describe", "translate-tinny"), '"translate-tiny"'),
    (("describe", "bahdanau", "--set", "model.decoder.dim=wide"), "must be a whole number"),
    (("describe", "bahdanau", "--vocabulary", "-5"), "greater than or equal to 1"),
    (("export", "model", "--to", "onnx"), "onnx"),
    (("export", "model", "--to", "ctranslate2", "--reference", "a.fr"), "--source"),
    (("classify", "classifier", "absent"), "absent: cannot be read"),
    (("classify", "classifier", "a.en", "--html", "a.en"), "also an input"),
    (("complete", "language", "Once", "--max-new-tokens", "0"), "greater than or equal to 1"),
    (("complete", "language", "Once", "--out", "folder"), "is a directory"),
    (("study", "nothing"), "nothing"),
    (("key", "revoke", "website", "--keys", "keys.json"), "website"),
    (("key", "add", "", "--keys", "keys.json"), "1 to 64 characters"),
    (("key", "add", "website", "--keys", "a.en"), "a.en"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    models = tmp_path_factory.mktemp("models")
    for name, make in (
        ("model", lambda path: make_bundle("bahdanau", path)),
        ("language", make_language_bundle),
        ("classifier", make_classifier_bundle),
    ):
        make(models / name / "model").rename(folder / name)
    shutil.copytree(folder / "model", folder / "damaged")
    with (folder / "damaged" / WEIGHTS).open("r+b") as file:
        file.seek(100)
        file.write(b"damaged!")
    return folder


def hashes(folder: Path) -> dict[str, str]:
    """Return the digest of every file, and the names of all directories."""
    return {
        str(path.relative_to(folder)): (
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        )
        for path in folder.rglob("*")
    }


def assert_refused(folder: Path, arguments: tuple[str, ...], cause: str, status: int = 2) -> None:
    before = hashes(folder)
    done = run_main(arguments)
    assert done.status == status, done
    message = done.stderr + (done.stdout.decode() if status == 3 else "")
    text = " ".join(message.replace("│", " ").split())
    assert cause in text, text
    assert "Traceback" not in message
    after = hashes(folder)
    prepared = {name for name in after.keys() - before.keys() if arguments[0] in PREPARING}
    markers = MARKERS if any("/work/" in name for name in prepared) else ()
    allowed = (*IN_PROGRESS, *markers)
    assert all(name in allowed or "/work/" in name for name in prepared), prepared
    assert all(name.split("/")[0] == "new" for name in prepared), prepared
    assert {name: after[name] for name in after.keys() - prepared} == before
    shutil.rmtree(folder / "new", ignore_errors=True)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: " ".join(mistake[0]))
def test_a_mistake_is_explained_and_changes_no_file(
    folder: Path, mistake: tuple[tuple[str, ...], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "200")
    assert_refused(folder, *mistake)


@pytest.mark.parametrize(
    ("package", "arguments", "cause"),
    [
        ("mlflow", (*TRAIN, "--out", "new", "--mlflow"), "regard[mlflow]"),
        ("wandb", (*TRAIN, "--out", "new", "--wandb"), "regard[wandb]"),
        ("tensorboard", (*TRAIN, "--out", "new", "--tensorboard"), "regard[tensorboard]"),
        ("resvg_py", ("explain", "model", "A dog.", "-o", "new.png"), "regard[pictures]"),
        ("ray", (*PREPARE, "--runner", "ray"), "regard[cluster]"),
        ("httpx2", ("translate", "A dog.", "--server", "http://localhost:1"), "regard[client]"),
    ],
)
def test_a_missing_package_is_named_before_the_work(
    folder: Path,
    package: str,
    arguments: tuple[str, ...],
    cause: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setitem(sys.modules, package, None)
    assert_refused(folder, arguments, cause)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    """A toy corpus with a run of two steps."""
    toy = make_toy(tmp_path_factory.mktemp("toy"))
    for side in ("a", "b"):
        (toy.folder / f"other.{side}").write_text("one two\ntwo three\n" * 20)
    done = run_main(toy.arguments(RECURRENT, toy.run_directory("run"), *SHORT))
    assert done.status == 0, done
    return toy


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (["--set", "model.decoder.dim=8"], "model.decoder.dim was 16 and is 8"),
        (["--set", "train.seed=5"], "train.seed was 1 and is 5"),
        (["--set", "data.vocabulary=300"], "data.vocabulary was 290 and is 300"),
        (["--set", "data.vocabulary=300", "--accept-changes"], "data.vocabulary was 290"),
        (["--source", "other.a", "--target", "other.b"], "data.train was"),
        (["--valid", "other.a", "other.b"], "data.valid was"),
        (["--preset", "translate-tiny"], "the run cannot resume unchanged"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_another_run_in_the_same_directory_is_refused_and_changes_no_file(
    toy: Toy, change: list[str], cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The data and the config of the first run used to be replaced before the refusal."""
    monkeypatch.chdir(toy.folder)
    from regard.tasks.training import RunDirectory

    arguments = toy.arguments(RECURRENT, RunDirectory(toy.folder / "run"), *SHORT)
    assert_refused(toy.folder, (*arguments, *change), cause)

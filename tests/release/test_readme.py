"""The commands of the README, in a fresh environment: they work, and print what it shows.

They need a package index. The plan of a training on Multi30k also needs the corpora.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from PIL import Image

from tests.captioned_images import write_images
from tests.conftest import ROOT
from tests.labelled_documents import write_documents
from tests.phrase_corpus import write_phrases
from tests.plain_texts import write_texts
from tests.release.environment import FreshEnvironment, build_wheel, make_environment

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("readme")]

FIRST_PICTURE_SECONDS = 300 * float(os.environ.get("REGARD_TEST_SLOWDOWN", "1"))  # two free cores
LONG = {
    "en": "A woman who is wearing a red coat is walking her dog in the park.",
    "de": "Eine Frau, die einen roten Mantel trägt, führt ihren Hund im Park spazieren.",
}
POINTS = 10  # by which accuracies may differ: they depend on the processor
TRAINING = ["train.steps=4", "train.validate_every=2", "data.vocabulary=300"]


@dataclass(frozen=True)
class Example:
    command: str
    output: str


def readme_examples() -> Iterator[list[Example]]:
    """Yield the commands of each console block, with the output that follows them."""
    text = (ROOT / "README.md").read_text("utf-8")
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
        split = [re.split(r"(?<!\\)\n", part, maxsplit=1) for part in parts]
        yield [Example(command, output.strip("\n")) for command, output in split]


INSTALL, DEMO, TRAIN, SERVE, CORPUS, TRANSLATE, EXPLAIN, SERVE_AGAIN, TASKS = readme_examples()


@dataclass(frozen=True)
class Installed:
    environment: FreshEnvironment
    seconds: float


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """An environment after the first command of the README, and the time that this took."""
    parent = tmp_path_factory.mktemp("readme")
    wheel = build_wheel(parent / "build")
    began = time.monotonic()
    environment = make_environment(parent, wheel)
    environment.run(INSTALL[0].command)
    return Installed(environment, time.monotonic() - began)


@pytest.fixture
def environment(installed: Installed, tmp_path: Path) -> FreshEnvironment:
    return replace(installed.environment, folder=tmp_path)


def accuracies(table: str) -> dict[str, list[int]]:
    """Return the sentences and the percentages in each row of the demo's table."""
    rows = re.findall(r"^ (\S+(?: words)?) +(\d+) +(\d+)%[ █]+(\d+)%", table, re.MULTILINE)
    return {kind: [int(number) for number in numbers] for kind, *numbers in rows}


def test_from_an_empty_folder_to_the_first_picture_in_five_minutes(installed: Installed) -> None:
    """The time without torch. REGARD_TEST_SLOWDOWN=2 allows twice the time, on shared cores."""
    (example,) = DEMO
    began = time.monotonic()
    shown = installed.environment.run(example.command)
    demo = time.monotonic() - began
    print(f"\ninstalled in {installed.seconds:.0f} s, demo in {demo:.0f} s\n{shown}")
    page = installed.environment.folder / "regard-demo.html"
    assert "<html" in page.read_text("utf-8")
    expected, found = accuracies(example.output), accuracies(shown)
    assert len(expected) == 8 and list(found) == list(expected)
    for kind, (sentences, *percentages) in expected.items():
        assert found[kind][0] == sentences
        assert found[kind][1:] == pytest.approx(percentages, abs=POINTS), kind
    title, *_, page_line = example.output.splitlines()
    assert title in shown and page_line in shown
    assert installed.seconds + demo <= FIRST_PICTURE_SECONDS


def test_the_plan_of_a_training_on_multi30k(environment: FreshEnvironment, corpora: Path) -> None:
    """Parameters, pairs and steps are equal; time and memory are estimates for a machine."""
    for mine, theirs in (("train", "train"), ("valid", "val")):
        for language in ("en", "de"):
            text = gzip.decompress((corpora / "multi30k" / f"{theirs}.{language}.gz").read_bytes())
            (environment.folder / f"{mine}.{language}").write_bytes(text)
    (example,) = TRAIN
    plan = {}
    with environment.start(f"exec {example.command} 2>&1") as process:
        assert process.stdout is not None
        for line in process.stdout:
            plan[line.partition(" ")[0]] = line.rstrip("\n")
            if line.startswith("precision"):
                process.terminate()
    expected = {line.partition(" ")[0]: line for line in example.output.splitlines()}
    assert len(expected) == 8 and expected.keys() <= plan.keys()
    print("", *(plan[name] for name in expected), sep="\n")
    for name in ("model", "data", "export", "steps"):
        assert plan[name] == expected[name]


def settings(*overrides: str) -> str:
    return "".join(f" --set '{override}'" for override in overrides)


def check_serving(environment: FreshEnvironment, example: Example) -> None:
    """Serve on a free port until the address is printed, and compare the line."""
    with environment.start(f"exec {example.command} --port 0") as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        address = next((line for line in lines if line.startswith("Serving")), "")
        process.terminate()
    assert re.sub(r"\d+\n", "8000", address) == example.output


def test_the_commands_work(environment: FreshEnvironment) -> None:
    """Each command of the README, on small corpora, with four steps of training."""
    folder = environment.folder
    for example in INSTALL[1:]:
        environment.run(example.command)
    write_phrases(folder)
    for language, text in LONG.items():  # texts longer than those of the training are split
        with (folder / f"train.{language}").open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")
    shutil.copy(folder / "test.en", folder / "in.en")
    small = settings(*TRAINING, "model.encoder.layers=1", "model.decoder.layers=1")
    outputs = {}
    for example in (*TRAIN, *CORPUS, *TRANSLATE):
        verb = example.command.split()[1]
        outputs[verb] = environment.run(example.command + (small if verb == "train" else ""))
    for name in ("transformer", "bahdanau"):
        shutil.copytree(folder / "run" / "model", folder / name / "model")
    for example in EXPLAIN:
        environment.run(example.command)
    assert len((folder / "out.de").read_text("utf-8").splitlines()) > 0
    assert "BLEU" in outputs["evaluate"]
    assert "<html" in (folder / "dog.html").read_text("utf-8")
    for example in (*SERVE, *SERVE_AGAIN):
        check_serving(environment, example)


def test_the_commands_of_other_tasks_work(environment: FreshEnvironment) -> None:
    environment.run(next(each.command for each in INSTALL if "[images]" in each.command))
    pairs = [TASKS[first : first + 2] for first in range(0, len(TASKS), 2)]
    for write, (train, use) in zip((write_text, write_photos, write_reviews), pairs, strict=True):
        folder = environment.folder / use.command.split()[1]
        folder.mkdir()
        write(folder)
        there = replace(environment, folder=folder)
        there.run(train.command + settings(*TRAINING))
        assert there.run(use.command)
    assert "<html" in (folder / "a.html").read_text("utf-8")


def write_text(folder: Path) -> None:
    (write_texts(folder) / "train.txt").rename(folder / "novel.txt")


def write_photos(folder: Path) -> None:
    write_images(folder)
    Image.new("RGB", (40, 30), "red").save(folder / "photo.jpg")


def write_reviews(folder: Path) -> None:
    write_documents(folder)
    (folder / "a.txt").write_text("One two. Three good four.\n")

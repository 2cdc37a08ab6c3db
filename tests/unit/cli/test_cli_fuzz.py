"""Random commands on odd files: no traceback, no lost input, no lost line.

The commands run in this process through `main`, as the program does.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regard.inference.engine import Splitting
from tests.bundles import make_bundle, make_classifier_bundle, make_language_bundle
from tests.command import run_main

SPLITTING = Splitting(10, 20)  # so that short texts have several segments
STATUSES = (0, 2, 3)  # success, an error that the user can fix, a failed check

CONTENTS = {
    "empty": b"",
    "plain": b"A dog runs.\nTwo cats run away.\n",
    "other": b"Ein Hund.\nZwei.\n",
    "bom": b"\xef\xbb\xbfA dog runs.\nGo!\n",
    "crlf": b"A dog runs.\r\nGo!\r\n",
    "nul": b"A dog\x00 runs.\nGo!\n",
    "no-end": b"A dog runs.\nGo!",
    "blank": b"\n \n\t\n\xe2\x80\x8f\n\n",
    "long": b"A dog\tsees. " * 4 + b"\nGo!\n",
    "unspaced": "狗跑。".encode() * 4 + b"\n" + "你".encode() * 12 + b"\n",
    "breaks": "A\u2028dog\x85runs\r.\x0b".encode() * 3 + b"\n\xef\xbb\xbf\n",
    "marks": "a\u0301\u0301 \u200d\u200d 👩\u200d👧 \ufffd\n".encode() + b"</s> <s> <0x0A>\n",
    "binary": b"\xff\xfe\x00A\n\x80\n",
    "words.tsv": b"a\tb\nc\td\n",
    "ragged.tsv": b"a\tb\nc\n",
    "pairs.jsonl": b'{"source": "a", "target": "b", "text": "a", "label": "b"}\n',
    "bad.jsonl": b'{"source": "a\\ud800"}\n[',
    "links": b"0-0 1-1\n0-0\n",
    "bad-links": b"0-0 x\n\n99999-1\n",
}
OUTPUTS = ("new", "plain", "link", "hard", "folder", "missing/out", "old", "x" * 300, "/dev/null")

TWO_LINES = ("plain", "other", "bom", "crlf", "no-end", "long", "unspaced", "breaks", "marks")

files = st.sampled_from([*TWO_LINES * 4, *CONTENTS, "link", "absent", "folder"])
lines = st.sampled_from(
    ["plain", "bom", "crlf", "nul", "no-end", "blank", "long", "breaks", "marks"]
)
texts = st.sampled_from(["A dog.", "", " ", "\udc80", "-", "image.png", "a\nb", "x" * 300])
outputs = st.sampled_from([*("new",) * 9, *OUTPUTS])
models = st.sampled_from(["translation"] * 6 + ["language", "classifier", "absent", "plain"])


def option(*words: str | st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    """Words that half of the commands have."""
    strategies = [st.just(word) if isinstance(word, str) else word for word in words]
    return st.one_of(st.just(()), st.tuples(*strategies))


def command(
    *parts: str | st.SearchStrategy[str] | st.SearchStrategy[tuple[str, ...]],
) -> st.SearchStrategy[list[str]]:
    strategies = [st.just((part,)) if isinstance(part, str) else part for part in parts]
    return st.tuples(*strategies).map(
        lambda found: [
            word for part in found for word in ((part,) if isinstance(part, str) else part)
        ]
    )


flags = {name: option(name) for name in ("--json", "--align", "--check", "--pretokenized")}
numbers = st.sampled_from([*"1212", "0", "-1"])
TRANSLATE = command(
    *("translate", models, option("--source", files), option("--out", outputs)),
    *(flags["--json"], flags["--align"], flags["--check"]),
    *(option("--n-best", "2"), option("--beam-size", numbers)),
    *(option("--sample", "--seed", "3"), option("--top-p", numbers)),
    *(option("--prefix", texts), option("--forbid", texts), option("--no-repeat-ngram", numbers)),
)
LINES_KEPT = command(
    *("translate", "translation", option("--source", lines), option("--out", "new")),
    *(option("--json"), option("--align"), option("--sample", "--beam-size=1")),
)
COMMANDS = st.one_of(
    LINES_KEPT,
    TRANSLATE,
    command(
        *("align", models, option("--source", files), option("--target", files)),
        *(option("--out", outputs), flags["--json"], flags["--pretokenized"]),
        *(option("--reverse", models), option("--symmetrize", "grow-diag")),
    ),
    command(
        *("align", "translation", "--source", files, "--target", lines, option("--out", outputs)),
        *(flags["--json"], flags["--pretokenized"]),
    ),
    command(
        *("evaluate", option("--outputs", files), "--source", files, "--reference", files),
        *(option("--out", outputs), option("--figure", outputs), option("--by-length")),
        flags["--json"],
    ),
    command(
        *("evaluate", models, option("--text", files), option("--documents", files)),
        *(option("--columns", texts, numbers), option("--out", outputs), flags["--json"]),
    ),
    command(
        *("evaluate", option("--links", files), "--alignments", files, option("--one-based")),
        flags["--json"],
    ),
    command(
        *("compare", files, files, "--source", files, "--reference", files),
        *(option("--gate", st.sampled_from(["bleu=-1", "bleu", "x=1"])), option("--html", outputs)),
        flags["--json"],
    ),
    command(
        *("doctor", files, files, option("--test-file", files), option("--html", outputs)),
        flags["--json"],
    ),
    command(
        *("doctor", files, option(files), option("--test-file", files), option("--html", outputs)),
        *(option("--columns", texts, numbers), flags["--json"], option("--model", models)),
    ),
    command(
        *("explain", models, texts, option("--target", texts), option("--head", numbers)),
        option("--out", st.sampled_from(["new.html", "new.json", "new.svg", "new", "old"])),
    ),
    command(
        *("complete", st.sampled_from(["language", "translation"]), option(texts)),
        *(option("--sample"), "--max-new-tokens", "5", option("--out", outputs), flags["--json"]),
    ),
    command(
        *("classify", st.sampled_from(["classifier", "language"]), option(files)),
        *(option("--html", outputs), option("--out", outputs), flags["--json"]),
    ),
    command("caption", models, files),
    command("describe", models, flags["--json"], option("--set", texts)),
    command("export", st.sampled_from(["language", "absent", "plain"]), "--to", "ctranslate2"),
)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundles")
    for name, make in (
        ("translation", lambda path: make_bundle("transformer", path, splitting=SPLITTING)),
        ("language", make_language_bundle),
        ("classifier", make_classifier_bundle),
    ):
        make(folder / name / "model").rename(folder / f"{name}-model")
    return folder


def write_files(folder: Path, bundles: Path) -> None:
    for name, content in CONTENTS.items():
        (folder / name).write_bytes(content)
    (folder / "link").symlink_to("plain")
    (folder / "hard").hardlink_to(folder / "plain")
    (folder / "old").write_bytes(b"old\n")
    (folder / "folder").mkdir()
    for name in ("translation", "language", "classifier"):
        (folder / name).symlink_to(bundles / f"{name}-model")


def snapshot(folder: Path) -> dict[str, bytes | str]:
    return {
        path.name: str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in folder.iterdir()
        if path.is_symlink() or path.is_file()
    }


def replaceable(arguments: list[str]) -> set[str]:
    """Return the names of the files that the command may change: outputs that are no inputs."""
    outputs = {
        Path(value).resolve()
        for name, value in pairwise(arguments)
        if name in ("--out", "--html", "--figure")
    }
    inputs = [
        Path(value)
        for name, value in pairwise(arguments)
        if name not in ("--out", "--html", "--figure") and value in CONTENTS
    ]
    return {
        path.name
        for path in outputs
        if not (len(path.name) < 256 and path.exists() and any(map(path.samefile, inputs)))
    }


def check_command(bundles: Path, arguments: list[str], stdin: bytes) -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as monkeypatch:
        folder = Path(name)
        monkeypatch.chdir(folder)
        write_files(folder, bundles)
        before, writable = snapshot(folder), replaceable(arguments)
        done = run_main(arguments, stdin)
        after = snapshot(folder)
        assert done.status in STATUSES, done
        assert "Traceback" not in done.stderr
        assert (done.status == 2) <= bool(done.stderr), "an error needs a message"
        changed = {path for path in before | after if before.get(path) != after.get(path)}
        # `evaluate` keeps the translations even if they cannot be scored.
        failed = done.status == 2 and arguments[0] != "evaluate"
        assert changed <= (set() if failed else writable), done
        if done.status == 0 and arguments[:2] == ["translate", "translation"]:
            check_lines(folder, arguments, stdin, done.stdout)


def check_lines(folder: Path, arguments: list[str], stdin: bytes, stdout: bytes) -> None:
    """Every input line has an output line, in plain text by any definition of a line."""
    if "--source" in arguments:
        stdin = (folder / arguments[arguments.index("--source") + 1]).read_bytes()
    if "--out" in arguments:
        out = arguments[arguments.index("--out") + 1]
        stdout = b"" if out == "/dev/null" else (folder / out).read_bytes()
        if out == "/dev/null":
            return
    count = stdin.count(b"\n") + (not stdin.endswith(b"\n") and stdin != b"")
    if "--json" in arguments:
        assert len([json.loads(line) for line in stdout.split(b"\n")[:-1]]) == count
        return
    found = stdout.decode().splitlines()
    if "--n-best" in arguments:
        assert {int(line.split(" ||| ")[0]) for line in found} == set(range(count))
    else:
        assert len(found) == count
        assert all(line.count("\t") <= 3 * ("--align" in arguments) for line in found)


HEALTH = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


@settings(max_examples=60, deadline=None, suppress_health_check=HEALTH)
@given(COMMANDS, st.sampled_from(list(CONTENTS)))
def test_commands_keep_their_inputs_and_end_in_documented_ways(
    bundles: Path, arguments: list[str], stdin: str
) -> None:
    check_command(bundles, arguments, CONTENTS[stdin])


@pytest.mark.slow
@settings(max_examples=2_000, deadline=None, suppress_health_check=HEALTH)
@given(COMMANDS, st.sampled_from(list(CONTENTS)))
def test_many_commands_keep_their_inputs_and_end_in_documented_ways(
    bundles: Path, arguments: list[str], stdin: str
) -> None:
    check_command(bundles, arguments, CONTENTS[stdin])


def test_every_odd_file_keeps_its_lines(bundles: Path) -> None:
    for name, content in CONTENTS.items():
        if name != "binary":
            check_command(bundles, ["translate", "translation", "--beam-size=1"], content)

"""Ownership of directories: the files that regard has created and may replace or delete.

A command that writes a directory claims it first: the file `.regard.json` marks the directory and
names its kind. A directory without this file is refused if it has an entry of a name that the
command would write, so nothing is ever replaced that regard did not create. Other files may be in
the directory; they are never touched.

Files that a user may edit, such as `run.yaml`, are listed with their SHA-256. They are replaced
only while they are as regard wrote them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from regard.data import storage
from regard.errors import ConfigError

MARKER = ".regard.json"


@dataclass(frozen=True, slots=True)
class DirectoryKind:
    """The directories that a command writes."""

    name: str
    entries: re.Pattern[str]  # names of the files and directories that it creates
    parts: Mapping[str, DirectoryKind] = field(default_factory=dict)  # with markers of their own
    # Whether version 0.2, which wrote no markers, has written a directory.
    is_unmarked: Callable[[str], bool] = field(default=lambda path: False)

    def creates(self, name: str) -> bool:
        """Whether an entry of this name is created in a directory of this kind."""
        return name in self.parts or self.entries.fullmatch(name) is not None


@dataclass(slots=True)
class Marker:
    """The content of `.regard.json`."""

    kind: str
    written: dict[str, list[str]] = field(default_factory=dict)
    """SHA-256 of files that are replaced only if they are unchanged; two during a replacement."""

    def save(self, path: str) -> None:
        content = {"kind": self.kind, "written": self.written}
        text = json.dumps(content, indent=1, sort_keys=True) + "\n"
        storage.write_bytes(storage.join_path(path, MARKER), text.encode())


def _has_task_manifest(path: str) -> bool:
    """Whether a directory has the manifest of prepared data or of one of the tasks."""
    for name in ("manifest.json", "tokenizer-task.json", "cut.json", "work/train-cut-000.json"):
        facts = _read_json(storage.join_path(path, name))
        if facts.keys() >= {"key", "stage"} or facts.keys() >= {"format", "splits"}:
            return True
    return False


def _has_checkpoint(path: str) -> bool:
    states = sorted(Path(path).glob("checkpoints/step-*/state.json"))
    return any(_read_json(str(state)).keys() >= {"format", "files"} for state in states)


WORK = DirectoryKind(
    "parts of a corpus job",
    re.compile(r"job\.json|(cut(-\w+)*|[a-z]+-\d+(-\w+)*)(\.\w+)+"),
    is_unmarked=_has_task_manifest,
)
"""Results of tasks, kept until all are complete."""

ALIGNER = DirectoryKind("word aligner", re.compile(r"aligner\.safetensors"), {"work": WORK})

JOB = DirectoryKind(WORK.name, WORK.entries, {"aligner": ALIGNER}, is_unmarked=WORK.is_unmarked)
"""The parts of an output, and the aligner that a job has trained."""

PREPARED = DirectoryKind(
    "prepared data",
    re.compile(
        r"manifest\.json|(target_)?tokenizer\.(json|model)|tokenizer-task\.json|work"
        r"|(train|valid)-\d+(\.\w+)+|aligner\.(json|safetensors)|guide\.safetensors"
        r"|images\.(json|hashes)|images-\d+(\.\w+)+"
    ),
    is_unmarked=_has_task_manifest,
)

RUN = DirectoryKind(
    "training run",
    re.compile(
        r"run\.yaml|log\.jsonl|checkpoints|weights|model|tensorboard|comparison\.json|\w+\.run"
        r"|plan\.json|cost\.json|outputs-\w+\.txt"
    ),
    {"data": PREPARED},
    is_unmarked=_has_checkpoint,
)

STUDY = DirectoryKind(
    "study",
    re.compile(
        r"(train|valid|test)-\d+\.(source|target)|table\.md|results\.json|[\w-]+\.(svg|html)"
    ),
)

DEMO = DirectoryKind(
    "demo",
    re.compile("pairs"),
    is_unmarked=lambda path: _has_checkpoint(storage.join_path(path, "attention")),
)

KINDS = {kind.name: kind for kind in (JOB, ALIGNER, PREPARED, RUN, STUDY, DEMO)}


def check_claim(path: str, kind: DirectoryKind, inputs: Iterable[str] = ()) -> None:
    """Refuse a directory in which the command would replace a file that regard did not create.

    Nothing is written.

    Args:
        path: a directory or URL, which need not exist.
        inputs: the files and directories that the command reads.

    Raises:
        ConfigError: the directory belongs to the user, to another command, or to an input.
    """
    _check_overlap(path, kind, inputs)
    names = storage.list_names(path)  # before the marker, which another process may write now
    marker = read_marker(path)
    if marker is not None and marker.kind != kind.name:
        raise ConfigError(
            f"{path}: is the directory of another command ({marker.kind}). Choose another "
            "directory."
        )
    if isinstance(_read_json(storage.join_path(path, "manifest.json")).get("files"), dict):
        raise ConfigError(f"{path}: is a model bundle. Choose another directory.")
    if marker is None and not kind.is_unmarked(path):
        clashes = sorted(name for name in names if kind.entries.fullmatch(name))
        if clashes := [name for name in clashes if not _is_empty(storage.join_path(path, name))]:
            raise ConfigError(
                f"{storage.join_path(path, clashes[0])}: was not created by this command, which "
                "would replace it. Choose another output directory, or move the file away."
            )
    for name, part in kind.parts.items():
        check_claim(storage.join_path(path, name), part)
    for name in () if marker is None else marker.written:
        check_written(path, name)


def claim(path: str, kind: DirectoryKind, inputs: Iterable[str] = ()) -> None:
    """Check a directory as `check_claim` does, and mark it."""
    check_claim(path, kind, inputs)
    if read_marker(path) is None:
        Marker(kind.name).save(path)


def check_new(path: str, inputs: Iterable[str] = ()) -> None:
    """Refuse a directory that exists and is not empty, or that is inside an input."""
    if storage.list_names(path) or Path(path).is_file():
        raise ConfigError(f"{path}: is not empty. Choose a new directory.")
    _check_overlap(path, PREPARED, inputs)


def check_written(path: str, name: str) -> None:
    """Refuse to replace a file that has been edited since regard wrote it."""
    marker, digest = read_marker(path), _digest(storage.join_path(path, name))
    if marker is None or digest is None or digest in marker.written.get(name, []):
        return
    raise ConfigError(
        f"{storage.join_path(path, name)}: has been edited or replaced since regard wrote it, and "
        "this command would replace it. Move it away; if it is a run file, pass it as CONFIG."
    )


def write_file(path: str, name: str, content: bytes) -> None:
    """Replace a file of a claimed directory, unless it has been edited."""
    write = storage.write_bytes
    replace_file(path, name, content, lambda: write(storage.join_path(path, name), content))


def replace_file(
    path: str, name: str, content: bytes | memoryview, replace: Callable[[], object]
) -> None:
    """Call `replace`, which writes `content` to the file `name`, unless the file has been edited.

    A process that is killed meanwhile leaves the old file or the new one, and a marker of both.
    """
    check_written(path, name)
    marker = read_marker(path)
    assert marker is not None, "the directory has been claimed"
    new = hashlib.sha256(content).hexdigest()
    marker.written[name] = [*marker.written.get(name, []), new]
    marker.save(path)
    replace()
    marker.written[name] = [new]
    marker.save(path)


def adopt_file(path: str, name: str) -> None:
    """Take the present file `name`, if there is one, for one that regard has written."""
    marker, digest = read_marker(path), _digest(storage.join_path(path, name))
    if marker is not None and digest is not None:
        marker.written[name] = [digest]
        marker.save(path)


def remove_created(path: str, kind: DirectoryKind) -> None:
    """Delete what regard created in a claimed directory, and the directory if nothing is left."""
    if read_marker(path) is None:
        return
    for name in storage.list_names(path):
        entry = storage.join_path(path, name)
        if name in kind.parts:
            remove_created(entry, kind.parts[name])
        elif kind.entries.fullmatch(name) and storage.path_exists(entry):
            storage.remove_file(entry)
    storage.remove_file(storage.join_path(path, MARKER))
    if not storage.is_remote(path):
        with suppress(OSError):  # other files are in it
            Path(path).rmdir()


def read_marker(path: str) -> Marker | None:
    """Return the marker of a directory, or None if it has none."""
    facts = _read_json(storage.join_path(path, MARKER))
    kind, written = facts.get("kind"), facts.get("written")
    if not isinstance(kind, str) or not isinstance(written, dict):
        return None
    return Marker(kind, {str(name): list(digests) for name, digests in written.items()})


def owner_of(path: Path) -> Path | None:
    """Return the directory that regard wrote and that a file is a part of, or None."""
    parents = list(path.parents)
    for depth, folder in enumerate(parents[:4]):
        entry = path if depth == 0 else parents[depth - 1]
        marker = read_marker(str(folder))
        if marker is not None and marker.kind in KINDS and KINDS[marker.kind].creates(entry.name):
            return folder
        listed = _read_json(str(folder / "manifest.json")).get("files")
        name = path.relative_to(folder).as_posix()
        if isinstance(listed, dict) and (name in listed or name == "manifest.json"):
            return folder  # a model bundle
    return None


def _check_overlap(path: str, kind: DirectoryKind, inputs: Iterable[str]) -> None:
    out = _location(path)
    for name in inputs:
        location = _location(name)
        first = location.removeprefix(f"{out}/").partition("/")[0]
        inside = location.startswith(f"{out}/") and kind.creates(first)
        if location == out or inside:
            raise ConfigError(
                f"{name}: is an input, and this command would replace it, because its output "
                f"directory is {path}. Choose another output directory."
            )
        if out.startswith(f"{location}/") and not storage.is_remote(location):
            raise ConfigError(
                f"{path}: is inside {name}, which is an input. Choose another output directory."
            )


def _is_empty(path: str) -> bool:
    """Whether a path is a directory without entries, such as a new mount point."""
    return not storage.is_remote(path) and Path(path).is_dir() and not storage.list_names(path)


def _location(path: str) -> str:
    return path.rstrip("/") if storage.is_remote(path) else os.path.realpath(path)


def _digest(path: str) -> str | None:
    try:
        return hashlib.sha256(storage.read_bytes(path)).hexdigest()
    except OSError:
        return None


def _read_json(path: str) -> Mapping[str, object]:
    """Return the object of a JSON file; an empty one if there is no such file."""
    try:
        content = json.loads(storage.read_bytes(path))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}

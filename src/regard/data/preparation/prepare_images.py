"""Pictures made ready: each read once, in the size that the model reads, one after the other.

pictures-00000.pixels   so many pictures (uint8), or grids of features (float16)
pictures.hashes         of the names of all, in order (uint64)
pictures.json           the size of a picture, how many there are in each file, checksums
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from regard.data import storage
from regard.data.formats.grids import ImageInput
from regard.data.loading.image_shards import FORMAT, HASHES_FILE, IMAGES_FILE
from regard.data.preparation.dedupe import hash_texts
from regard.data.preparation.pipeline import ProgressCallback, StageProgress
from regard.data.preparation.runner import Runner
from regard.data.preparation.tasks import (
    Facts,
    PreparationTask,
    TaskResult,
    Write,
    dump_json,
    run_task,
)
from regard.errors import CorpusError

EACH = 1 << 10  # in a file: of 224 × 224 pixels, 150 MB


def prepare_pictures(
    names: Iterable[str],
    out: str,
    sight: ImageInput,
    runner: Runner,
    tell: ProgressCallback = lambda progress: None,
) -> None:
    """Those named, each once; what was prepared before is not prepared again."""
    wanted = list(dict.fromkeys(names))
    hashes = hash_texts(wanted)
    if len(np.unique(hashes)) < len(wanted):
        raise CorpusError("two pictures' names have the same hash; rename one of them")
    tasks = [
        PreparationTask(
            "pictures",
            out,
            f"pictures-{place // EACH:05}",
            {"names": some, "files": [_identity(file) for file in _files(some, sight)]},
            {"shape": sight.shape, "dtype": sight.dtype},
            {"sight": sight},
        )
        for place in range(0, len(wanted), EACH)
        for some in (wanted[place : place + EACH],)
    ]
    begun, found = time.monotonic(), 0
    ended: list[TaskResult] = []

    def count(done: TaskResult) -> None:
        nonlocal found
        ended.append(done)
        found += not done.fresh
        seconds = time.monotonic() - begun
        tell(StageProgress("pictures", len(ended), len(tasks), found, seconds, len(wanted)))

    shards = runner.map(_perform, tasks, count)
    storage.write_bytes(storage.join_path(out, HASHES_FILE), hashes.astype("<u8").tobytes())
    facts = {
        "format": FORMAT,
        "shape": sight.shape,
        "dtype": sight.dtype,
        "shards": [
            {"name": done.name, "count": done.facts["count"], "sha256": done.outputs}
            for done in shards
        ],
    }
    storage.write_bytes(storage.join_path(out, IMAGES_FILE), dump_json(facts))


def _perform(task: PreparationTask) -> TaskResult:
    return run_task(task, _read)


def _read(task: PreparationTask, write: Write) -> Facts:
    sight: ImageInput = task.where["sight"]
    seen = [sight.read(name) for name in task.inputs["names"]]
    write(f"{task.name}.pixels", np.ascontiguousarray(np.stack(seen)).data.cast("B"))
    return {"count": len(seen)}


def _files(names: list[str], sight: ImageInput) -> list[str]:
    return list(dict.fromkeys(sight.file(name) for name in names))


def _identity(path: str) -> dict[str, Any]:
    return dict(storage.file_identity(path))

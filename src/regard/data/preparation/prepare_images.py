"""Prepare images: decode each once, in the model's input size.

images-00000.pixels   the images (uint8) or feature grids (float16) of one shard
images.hashes         hashes of all image names, in order (uint64)
images.json           the shape of an image, the number of images per shard, checksums
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.data import storage
from regard.data.directory_lock import lock_directory
from regard.data.formats.grids import ImageInput
from regard.data.loading.image_shards import FORMAT, HASHES_FILE, IMAGES_FILE
from regard.data.preparation.dedupe import hash_texts
from regard.data.preparation.pipeline import ProgressCallback, run_tasks
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

IMAGES_PER_SHARD = 1 << 10  # 150 MB at 224 × 224 pixels


def prepare_images(
    names: Iterable[str],
    out: str,
    image_input: ImageInput,
    runner: Runner,
    on_progress: ProgressCallback = lambda progress: None,
) -> None:
    """Prepare the named images, each once; shards that are up to date are kept."""
    unique_names = list(dict.fromkeys(names))
    hashes = hash_texts(unique_names)
    if len(np.unique(hashes)) < len(unique_names):
        raise CorpusError("The names of two images have the same hash. Rename one of them.")
    tasks = [
        PreparationTask(
            "images",
            out,
            f"images-{start // IMAGES_PER_SHARD:05}",
            {"names": shard, "files": [_identity(file) for file in _files(shard, image_input)]},
            {"shape": image_input.shape, "dtype": image_input.dtype},
            {"image_input": image_input},
        )
        for start in range(0, len(unique_names), IMAGES_PER_SHARD)
        for shard in (unique_names[start : start + IMAGES_PER_SHARD],)
    ]
    with lock_directory(out):
        shards = run_tasks("images", _run, tasks, runner, len(unique_names), on_progress)
        _write_manifest(out, image_input, hashes, shards)


def _write_manifest(
    out: str, image_input: ImageInput, hashes: NDArray[np.uint64], shards: Sequence[TaskResult]
) -> None:
    storage.write_bytes(storage.join_path(out, HASHES_FILE), hashes.astype("<u8").tobytes())
    manifest = {
        "format": FORMAT,
        "shape": image_input.shape,
        "dtype": image_input.dtype,
        "shards": [
            {"name": shard.name, "count": shard.facts["count"], "sha256": shard.outputs}
            for shard in shards
        ],
    }
    storage.write_bytes(storage.join_path(out, IMAGES_FILE), dump_json(manifest))


def _run(task: PreparationTask) -> TaskResult:
    return run_task(task, _read)


def _read(task: PreparationTask, write: Write) -> Facts:
    image_input: ImageInput = task.locations["image_input"]
    images = [image_input.read(name) for name in task.inputs["names"]]
    write(f"{task.name}.pixels", np.ascontiguousarray(np.stack(images)).data.cast("B"))
    return {"count": len(images)}


def _files(names: list[str], image_input: ImageInput) -> list[str]:
    return list(dict.fromkeys(image_input.file(name) for name in names))


def _identity(path: str) -> dict[str, Any]:
    return dict(storage.file_identity(path))

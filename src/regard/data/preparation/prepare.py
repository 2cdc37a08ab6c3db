"""Prepare corpora: write token shards and their manifest."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regard.data import storage
from regard.data.directory_lock import LOCK_FILE, lock_directory
from regard.data.formats.corpus import Corpus
from regard.data.formats.images import ImageInput
from regard.data.loading.shards import (
    FORMAT,
    HASHES_FILE,
    IMAGE_FORMAT,
    IMAGES_FILE,
    MANIFEST,
    PARTS,
    PreparedData,
    describe_drops,
    load_tokenizers,
    tokenizer_paths,
)
from regard.data.ownership import PREPARED, check_claim, claim
from regard.data.preparation.fields import hash_texts
from regard.data.preparation.pipeline import (
    CleanPiece,
    EncodedPiece,
    Pipeline,
    PreparationSettings,
    ProgressCallback,
    StageProgress,
    corpus_identity,
    run_tasks,
)
from regard.data.preparation.runner import (
    VERSION,
    Facts,
    PreparationTask,
    Runner,
    TaskResult,
    Write,
    dump_json,
    run_task,
)
from regard.errors import ConfigError, CorpusError
from regard.text.tagged_tokenizer import joint_fingerprint

# -- change prepared data in a copy, which replaces them when the block ends without an error ------


@contextmanager
def updated_copy(folder: Path) -> Iterator[Path]:
    """Yield a copy of a directory, of hard links, to change its files by renaming.

    The copy replaces the directory if there is no error. Otherwise the directory is as it was. If
    the process is killed, the next call restores it.
    """
    new, old = (folder.with_name(f"{folder.name}.{kind}{storage.TMP}") for kind in ("new", "old"))
    if old.exists() and not folder.exists():
        old.rename(folder)
    for unfinished in (new, old):
        shutil.rmtree(unfinished, ignore_errors=True)
    try:
        with lock_directory(folder):
            ignored = shutil.ignore_patterns(LOCK_FILE, f"*{storage.TMP}")
            shutil.copytree(folder, new, symlinks=True, ignore=ignored, copy_function=_link)
            yield new
        folder.rename(old)
        new.rename(folder)
    finally:
        for unfinished in (new, old):
            if folder.exists():
                shutil.rmtree(unfinished, ignore_errors=True)


def _link(source: str, target: str) -> None:
    """Link a file, or copy it where links are not possible."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


# -- prepare images: decode each once, in the model's input size -----------------------------------
# images-00000.pixels the images (uint8) or feature grids (float16) of one shard images.hashes
# hashes of all image names, in order (uint64) images.json the shape of an image, the number of
# images per shard, checksums


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
            {
                "names": shard,
                "files": [storage.file_identity(file) for file in _files(shard, image_input)],
            },
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
        "format": IMAGE_FORMAT,
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


# -- prepare ---------------------------------------------------------------------------------------


_HINTS = {
    "mostly punctuation": "To keep sentences of digits, such as dates, set max_punctuation to 1.",
    "too many pieces": "To keep long sentences, raise max_length.",
}
"""How to keep the records that a filter drops."""

__all__ = [
    "PreparationSettings",
    "ProgressCallback",
    "StageProgress",
    "input_facts",
    "prepare_corpora",
    "prepared_facts",
]


def prepare_corpora(
    corpora: Sequence[Corpus],
    out: str,
    settings: PreparationSettings,
    runner: Runner,
    *,
    valid: Sequence[Corpus] = (),
    on_progress: ProgressCallback = lambda progress: None,
) -> PreparedData:
    """Prepare training corpora in the directory or URL `out`.

    `valid` becomes the split `valid`; only its empty pairs and those that are longer than
    `max_length` are dropped. Tasks that an earlier run
    completed with the same inputs and parameters are not run again.
    """
    names = [corpus.name for corpus in (*corpora, *valid)]
    if len(set(names)) < len(names):
        raise CorpusError(f"Corpora must have different names, not {', '.join(names)}.")
    if valid and settings.held_out:
        raise ConfigError(
            "held_out and validation files cannot be combined. Use one of them for validation."
        )
    inputs = [path for corpus in (*corpora, *valid) for path in corpus.paths]
    if settings.tokenizer is not None:
        inputs += tokenizer_paths(settings.tokenizer)
    check_claim(out, PREPARED, inputs)
    with lock_directory(out):
        claim(out, PREPARED)
        storage.remove_temporary(out)  # of a run that was killed
        manifest = _run_pipeline(Pipeline(out, settings, runner, on_progress), corpora, valid)
        storage.write_bytes(storage.join_path(out, MANIFEST), dump_json(manifest))
        storage.remove_temporary(out)  # of workers that were killed and replaced
    return PreparedData.open(out)


def input_facts(
    corpora: Sequence[Corpus], settings: PreparationSettings, valid: Sequence[Corpus] = ()
) -> Facts:
    """Return what the prepared data depend on: settings, and sizes of files.

    Names and times of files are left out, since a moved or copied corpus is the same corpus.
    """
    splits = {"train": corpora, "valid": valid}
    sizes = {
        split: _file_sizes(corpus_identity(corpus) for corpus in group)
        for split, group in splits.items()
    }
    tags = {corpus.name: corpus.tags for corpus in corpora if corpus.tags}
    facts = sizes | _setting_facts(asdict(settings)) | {"tags": _describe_tags(tags)}
    if settings.tokenizer is not None:
        facts["tokenizer"] = joint_fingerprint(*load_tokenizers(settings.tokenizer))[:12]
    return facts


def prepared_facts(out: str) -> Facts:
    """Return the `input_facts` of the prepared data in `out`; none if there are no data."""
    path = storage.join_path(out, MANIFEST)
    if not storage.path_exists(path):
        return {}
    manifest = json.loads(storage.read_bytes(path))
    sizes = {
        split: _file_sizes(
            shard["origin"] for shard in manifest["splits"].get(split, ()) if "origin" in shard
        )
        for split in ("train", "valid")
    }
    tokenizer = {"tokenizer": manifest["tokenizer"][:12]}
    tags = {"tags": _describe_tags(manifest.get("tags", {}))}
    return sizes | tokenizer | _setting_facts(manifest["settings"]) | tags


def _file_sizes(identities: Iterable[Facts]) -> str:
    """Return the sizes of the files of each corpus, which may have several shards."""
    sizes = (
        " + ".join(f"{file['size']:,}" for file in identity["files"]) for identity in identities
    )
    return f"{', '.join(dict.fromkeys(sizes)) or 'no'} bytes"


def _describe_tags(tags: Mapping[str, Sequence[str]]) -> str:
    """Return the tags of each corpus, as text."""
    return (
        ", ".join(f"{corpus}: {' '.join(corpus_tags)}" for corpus, corpus_tags in tags.items())
        or "none"
    )


def _setting_facts(settings: Facts) -> Facts:
    """Return all settings by their names in a run file; a tokenizer is compared by content."""
    facts = {"target_vocabulary": None, **settings, **(settings["limits"] or {})}
    facts["subword_model"] = facts.pop("kind")
    for name in ("tokenizer", "limits", "max_bytes"):  # version 0.2 had a limit of bytes
        facts.pop(name, None)
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in facts.items()
    }


def _run_pipeline(pipeline: Pipeline, corpora: Sequence[Corpus], valid: Sequence[Corpus]) -> Facts:
    """Run all stages and return the manifest."""
    settings = pipeline.settings
    limits = None if settings.limits is None else asdict(settings.limits)
    train = pipeline.clean(corpora, "train", limits, settings.dedupe)
    if not any(piece.done.facts["kept"] for piece in train):
        raise CorpusError(_no_pairs(corpora, _rows(train, [], [])))
    valid_pieces = pipeline.clean(valid, "valid", None, "none")
    repeats = pipeline.dedupe(train)
    tags = dict.fromkeys(tag for corpus in (*corpora, *valid) for tag in corpus.tags)
    tokenizer = pipeline.tokenizer(train, repeats, tuple(tags))
    labels = pipeline.labels(train)
    shards = pipeline.encode(train, repeats, tokenizer, labels)
    rows = _rows(train, repeats, shards)
    if not rows["train"]:
        raise CorpusError(_no_pairs(corpora, rows))
    splits = {"train": [_entry(shard, repeats) for shard in shards]}
    if settings.held_out:
        splits["valid"] = pipeline.gather(shards)
    if valid:
        encoded = pipeline.encode(valid_pieces, [], tokenizer, labels)
        rows["valid dropped"] = _rows(valid_pieces, [], encoded)["dropped"]
        splits["valid"] = [_entry(shard, []) for shard in encoded]
    named = {corpus.name: corpus.tags for corpus in corpora if corpus.tags}
    return ({"tags": named} if named else {}) | {
        "format": FORMAT,
        "version": VERSION,
        "dtype": tokenizer.facts["dtype"],
        "vocabulary": tokenizer.facts["size"],
        "target_vocabulary": tokenizer.facts.get("target_size", tokenizer.facts["size"]),
        "tokenizer": tokenizer.facts["fingerprint"],
        "settings": asdict(settings),
        "labels": labels,
        "rows": rows,
        "splits": splits,
    }


def _entry(shard: EncodedPiece, repeats: Sequence[TaskResult]) -> Facts:
    name, piece = shard.done.name, shard.clean
    edges = [done.facts["edges"][piece.number : piece.number + 2] for done in repeats]
    return {
        "name": name,
        "origin": piece.origin,
        "read": piece.done.facts["read"],
        "dropped": {
            **piece.done.facts["dropped"],
            "repeated": sum(stop - start for start, stop in edges),
            "too many pieces": shard.done.facts["train"]["too many pieces"],
        },
        "corpus": shard.clean.corpus,
        "pairs": shard.done.facts["train"]["pairs"],
        "tokens": shard.done.facts["train"]["tokens"],
        "sha256": {kind: shard.done.outputs[f"{name}.{kind}"] for kind in PARTS},
    }


def _rows(
    pieces: Sequence[CleanPiece], repeats: Sequence[TaskResult], shards: Sequence[EncodedPiece]
) -> Facts:
    """Return the numbers of pairs read, dropped (by reason) and kept."""
    dropped: Counter[str] = Counter()
    for piece in pieces:
        dropped.update(piece.done.facts["dropped"])
    dropped["repeated"] = sum(done.facts["repeated"] for done in repeats)
    parts = [part for shard in shards for part in shard.done.facts.values()]
    dropped["too many pieces"] = sum(part["too many pieces"] for part in parts)
    return {
        "read": sum(piece.done.facts["read"] for piece in pieces),
        "dropped": dict(dropped),
        "train": sum(shard.done.facts["train"]["pairs"] for shard in shards),
        "held out": sum(shard.done.facts.get("held", {"pairs": 0})["pairs"] for shard in shards),
    }


def _no_pairs(corpora: Sequence[Corpus], rows: Facts) -> str:
    names = ", ".join(path for corpus in corpora for path in corpus.paths)
    if not rows["read"]:
        return f"{names}: no records. Check that these are the right files."
    dropped = {**rows["dropped"], "held out for validation": rows["held out"]}
    reasons = describe_drops(dropped)
    message = f"{names}: none of the {rows['read']:,} records is left to train on ({reasons}). "
    hints = [hint for reason, hint in _HINTS.items() if dropped.get(reason)]
    return message + " ".join([*hints, "`regard doctor` examines the files."])

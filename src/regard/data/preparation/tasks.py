"""A task that can be run again: it does nothing where its manifest says that it was done.

A task is a plain value: the name of its stage, what goes in and with which parameters. Its key is a
hash of all that and of the stages' version. When the stage has written its outputs, each whole, the
manifest is written, with the key and the checksums; a task whose manifest bears its key and whose
outputs have those checksums is done. So a run that was killed goes on with what is missing, and a
changed parameter runs again only what depends on it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from regard.data import storage

Facts: TypeAlias = dict[str, Any]
"""Whatever JSON can say."""

Write: TypeAlias = Callable[[str, "bytes | memoryview"], None]
"""Writes an output by its name, which is relative to the root."""

Stage: TypeAlias = Callable[["PreparationTask", Write], Facts]
"""Reads what the task names, writes outputs, and returns what is worth knowing of them."""

VERSION = 1  # of the stages: raise it when one of them comes to write other bytes


@dataclass(frozen=True)
class PreparationTask:
    stage: str
    root: str
    name: str  # of the manifest and the outputs, relative to the root
    inputs: Facts  # what tells the inputs from others: identities, checksums
    parameters: Facts
    where: Facts = field(default_factory=dict)  # where the inputs lie: does not change the outputs

    @property
    def key(self) -> str:
        facts = [VERSION, self.stage, self.inputs, self.parameters]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    @property
    def manifest(self) -> str:
        return storage.join_path(self.root, f"{self.name}.json")

    def path(self, name: str) -> str:
        return storage.join_path(self.root, name)


@dataclass(frozen=True)
class TaskResult:
    """What the manifest of a finished task says."""

    name: str
    facts: Facts
    outputs: dict[str, str]  # the SHA-256 of each, by name
    fresh: bool  # run now, not found done


def run_task(task: PreparationTask, stage: Stage) -> TaskResult:
    known = _read(task)
    if known is not None:
        return known
    outputs: dict[str, Facts] = {}

    def write(name: str, content: bytes | memoryview) -> None:
        storage.write_bytes(task.path(name), content)
        digest = hashlib.sha256(content).hexdigest()
        outputs[name] = {"bytes": len(content), "sha256": digest}

    facts = stage(task, write)
    manifest = {
        "key": task.key,
        "stage": task.stage,
        "version": VERSION,
        "inputs": task.inputs,
        "parameters": task.parameters,
        "facts": facts,
        "outputs": outputs,
    }
    storage.write_bytes(task.manifest, dump_json(manifest))
    return TaskResult(task.name, facts, _checksums(outputs), fresh=True)


def dump_json(facts: Facts) -> bytes:
    return (json.dumps(facts, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _read(task: PreparationTask) -> TaskResult | None:
    try:
        manifest = json.loads(storage.read_bytes(task.manifest))
    except (FileNotFoundError, ValueError):
        return None
    if manifest.get("key") != task.key:
        return None
    for name, output in manifest["outputs"].items():
        path = task.path(name)
        if not storage.path_exists(path) or _checksum(path) != output["sha256"]:
            return None
    return TaskResult(task.name, manifest["facts"], _checksums(manifest["outputs"]), fresh=False)


def _checksum(path: str) -> str:
    return hashlib.sha256(storage.map_array(path, np.uint8).data).hexdigest()


def _checksums(outputs: dict[str, Facts]) -> dict[str, str]:
    return {name: output["sha256"] for name, output in outputs.items()}

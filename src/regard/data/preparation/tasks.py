"""Idempotent tasks: a task that is already done is not run again.

A task is a plain value: the name of its stage, its inputs and its parameters. Its key is a hash of
these and of the stages' version. After the stage has written its outputs, a manifest with the key
and the outputs' checksums is written. A task is done if its manifest has its key and the outputs
have the listed checksums. A run that was killed resumes with the missing tasks, and a changed
parameter reruns only the tasks that depend on it.
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
"""A JSON object."""

Write: TypeAlias = Callable[[str, "bytes | memoryview"], None]
"""Writes an output, given its name relative to the root and its content."""

Stage: TypeAlias = Callable[["PreparationTask", Write], Facts]
"""Reads the inputs of a task, writes its outputs and returns facts about them."""

VERSION = 2  # of the stages; increase it when the output of a stage changes


@dataclass(frozen=True)
class PreparationTask:
    stage: str
    root: str
    name: str  # of the manifest and the outputs, relative to the root
    inputs: Facts  # identities and checksums of the inputs
    parameters: Facts
    locations: Facts = field(default_factory=dict)  # locations of the inputs; not part of the key

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
    """The content of a finished task's manifest."""

    name: str
    facts: Facts
    outputs: dict[str, str]  # name to SHA-256
    fresh: bool  # run now, not done before


def run_task(task: PreparationTask, stage: Stage) -> TaskResult:
    """Run a task and write its manifest, or return the result of an earlier run."""
    earlier = _read_result(task)
    if earlier is not None:
        return earlier
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
        "parameters": task.parameters,  # not the inputs: those of all tasks may be quadratic
        "facts": facts,
        "outputs": outputs,
    }
    storage.write_bytes(task.manifest, dump_json(manifest))
    return TaskResult(task.name, facts, _checksums(outputs), fresh=True)


def remove_result(root: str, name: str) -> None:
    """Delete the outputs of a task and then its manifest, if it has one."""
    manifest = storage.join_path(root, f"{name}.json")
    try:
        outputs = json.loads(storage.read_bytes(manifest))["outputs"]
    except FileNotFoundError:
        return
    for output in (*outputs, f"{name}.json"):
        storage.remove_file(storage.join_path(root, output))


def dump_json(facts: Facts) -> bytes:
    """Serialize a manifest, with sorted keys."""
    return (json.dumps(facts, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _read_result(task: PreparationTask) -> TaskResult | None:
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

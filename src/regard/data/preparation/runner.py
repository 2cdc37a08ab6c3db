"""Tasks of preparation, and the processes that run them.

Every runner guarantees that `map` returns the results of a pure function in the order of its
arguments, and that only the tasks of a worker that dies are run again.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

import numpy as np

from regard.cores import available_cores
from regard.data import storage

# -- idempotent tasks ------------------------------------------------------------------------------
# A task that is already done is not run again.
#
# A task is a plain value: the name of its stage, its inputs and its parameters. Its key is a hash
# of these and of the stages' version. After the stage has written its outputs, a manifest with the
# key and the outputs' checksums is written. A task is done if its manifest has its key and the
# outputs have the listed checksums. A run that was killed resumes with the missing tasks, and a
# changed parameter reruns only the tasks that depend on it.


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


@dataclass(frozen=True, slots=True)
class Share:
    """Every `count`-th task from task `number` on, counted from 1: the work of one process."""

    number: int
    count: int

    def select(self, tasks: Sequence[PreparationTask]) -> Sequence[PreparationTask]:
        return tasks[self.number - 1 :: self.count]

    def has(self, index: int) -> bool:
        """Whether the task with this index, counted from 0, is in the share."""
        return index % self.count == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


WHOLE = Share(1, 1)


@dataclass(frozen=True)
class TaskResult:
    """The content of a finished task's manifest."""

    name: str
    facts: Facts
    outputs: dict[str, str]  # name to SHA-256
    fresh: bool  # run now, not done before


def run_task(task: PreparationTask, stage: Stage) -> TaskResult:
    """Run a task and write its manifest, or return the result of an earlier run."""
    earlier = finished_result(task)
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


def finished_result(task: PreparationTask) -> TaskResult | None:
    """Return the result of an earlier run; None if there is none, or an output is damaged."""
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


# -- runner ----------------------------------------------------------------------------------------


A = TypeVar("A")
R = TypeVar("R")

RETRIES = 3  # of a task whose worker died


class Runner(ABC):
    """Runs tasks. A context manager that releases the runner's workers on exit."""

    workers: int = 1

    @abstractmethod
    def map(
        self, function: Callable[[A], R], arguments: Sequence[A], done: Callable[[R], None]
    ) -> list[R]:
        """Return the results in the order of the arguments; call `done` with each when it ends."""

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the workers, if any."""
        return


class InProcessRunner(Runner):
    """Runs tasks sequentially in this process."""

    def map(
        self, function: Callable[[A], R], arguments: Sequence[A], done: Callable[[R], None]
    ) -> list[R]:
        results = []
        for argument in arguments:
            results.append(function(argument))
            done(results[-1])
        return results


class ProcessRunner(Runner):
    """Runs tasks in worker processes on this machine."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def map(
        self, function: Callable[[A], R], arguments: Sequence[A], done: Callable[[R], None]
    ) -> list[R]:
        results: dict[int, R] = {}
        for attempt in range(RETRIES + 1):
            pool = self._pool = self._pool or self._start()
            waiting: dict[Future[R], int] = {}
            try:
                for i, argument in enumerate(arguments):
                    if i not in results:
                        waiting[pool.submit(function, argument)] = i
                for future in as_completed(waiting):
                    results[waiting[future]] = future.result()
                    done(results[waiting[future]])
                break
            except BrokenProcessPool:
                self.close()
                if attempt == RETRIES:
                    raise
        return [results[i] for i in range(len(arguments))]

    def _start(self) -> ProcessPoolExecutor:
        # Spawn, since a fork copies the locks of other threads in an arbitrary state.
        threads = max(1, available_cores() // self.workers)
        return ProcessPoolExecutor(
            self.workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start_worker,
            initargs=(threads,),
        )

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def _start_worker(threads: int) -> None:
    """Share the cores among the workers, and end this one when the driver ends or is killed."""
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))  # before torch is imported
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)

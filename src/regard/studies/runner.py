"""Train the runs of a study in parallel, each in its own process with one thread.

For small models this is faster than one run after the other with all threads, and results do not
depend on the number of parallel runs. An interrupted study resumes where it stopped.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event as StopEvent
from queue import Empty
from statistics import median

import torch

from regard.data import storage
from regard.data.loading.shards import PreparedData, shards_fingerprint
from regard.data.preparation.prepare import ProgressCallback
from regard.errors import CorpusError
from regard.studies.measures.measure import Cost, StudyRun, TrainedRun
from regard.studies.planning import shared_preparation
from regard.tasks.training import RunDirectory, dry_run, prepare_data, train_run
from regard.tasks.translation.translator import Translator
from regard.train.distributed import interruptible, join_world
from regard.train.dry_run import DryRun, process_peak
from regard.train.events import Event, StepCompleted, TrainingStarted, ValidationCompleted
from regard.train.loggers.jsonl import read_steps

POLL_INTERVAL = 0.2  # seconds between reads of the progress messages
TEST_BATCH = 200  # test sentences translated between two progress messages


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The progress of a run."""

    run: str  # its name
    step: int
    steps: int
    message: str
    done: bool = False  # trained and translated
    minor: bool = False  # frequent; line-based displays may skip it


RunCallback = Callable[[RunProgress], None]


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """The estimated cost of a run, from a few steps of a dry run."""

    run: StudyRun
    parameters: int
    remaining_steps: int
    seconds: float  # for the remaining steps, without validations


def prepare_runs(runs: Sequence[StudyRun], on_progress: ProgressCallback) -> None:
    """Prepare the data once for each direction, and hard-link it into the directory of each run.

    The links of guided runs are added when the first of them is prepared.
    """
    prepared: set[tuple[RunDirectory, bool]] = set()
    for run in runs:
        shared = shared_preparation(run.directory.path.parent, reverse=run.entry.reversed)
        guided = run.config.train.guided_alignment is not None
        if (shared, guided) not in prepared:
            prepare_data(run.config, shared, on_progress)
            prepared.add((shared, guided))
        if run.directory.data.exists():
            _check_data(run, shared)
            continue
        run.directory.claim()
        temporary = run.directory.path / f"data.new{storage.TMP}"
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.copytree(shared.data, temporary, copy_function=os.link)
        temporary.rename(run.directory.data)


def _check_data(run: StudyRun, shared: RunDirectory) -> None:
    """Raise CorpusError if the run was prepared from other files than the others."""
    if _data_fingerprint(run.directory) != _data_fingerprint(shared):
        raise CorpusError(
            f"{run.directory.path}: its training data differ from those of the study, whose files "
            "have changed. Choose another --out, or delete the directory to train it again."
        )


def _data_fingerprint(directory: RunDirectory) -> dict[str, str]:
    prepared = PreparedData.open(str(directory.data))
    shards = {
        split: shards_fingerprint(split_shards) for split, split_shards in prepared.splits.items()
    }
    return {"tokenizer": prepared.tokenizer, **shards}


def estimate_runs(runs: Sequence[StudyRun]) -> Iterator[RunEstimate]:
    """Estimate the cost of each incomplete run. Seeds of an entry cost the same."""
    measured: dict[str, tuple[int, DryRun]] = {}
    for run in runs:
        if run.cost.exists():
            continue
        if run.entry.name not in measured:
            _use_one_thread()
            with join_world() as world:
                measured[run.entry.name] = dry_run(run.config, run.directory, world)
        parameters, step = measured[run.entry.name]
        remaining = run.config.train.steps - (run.directory.last_step or 0)
        yield RunEstimate(run, parameters, remaining, remaining * step.seconds)


def train_runs(runs: Sequence[StudyRun], jobs: int, on_progress: RunCallback) -> list[TrainedRun]:
    """Train the incomplete runs, `jobs` in parallel, and return the complete ones.

    After an interruption the result lacks the interrupted runs.
    """
    _run_workers([run for run in runs if not run.complete], jobs, on_progress)
    return [TrainedRun.read(run) for run in runs if run.complete]


def _run_workers(runs: Sequence[StudyRun], jobs: int, on_progress: RunCallback) -> None:
    context = multiprocessing.get_context("spawn")
    channel = WorkerChannel(context.Queue(), context.Event())
    pool = ProcessPoolExecutor(
        jobs,
        mp_context=context,
        initializer=_init_worker,
        initargs=(channel,),
        max_tasks_per_child=1,  # so that the peak memory of a process is that of its run
    )
    with pool, interruptible() as interrupted:
        pending = {pool.submit(_unless_stopped, run) for run in runs}
        while pending:
            done, pending = wait(pending, timeout=POLL_INTERVAL, return_when=FIRST_COMPLETED)
            for progress in channel.drain():
                on_progress(progress)
            for future in done:
                future.result()
            if interrupted:
                channel.stop.set()
                pool.shutdown(cancel_futures=True)  # running workers save their state
                break
    for progress in channel.drain():
        on_progress(progress)


@dataclass(frozen=True, slots=True)
class WorkerChannel:
    """Carries progress messages from a worker, and a stop request to it."""

    messages: Queue[RunProgress]
    stop: StopEvent

    def drain(self) -> Iterator[RunProgress]:
        while True:
            try:
                yield self.messages.get_nowait()
            except Empty:
                return

    @property
    def should_stop(self) -> bool:
        """Whether the worker should stop: on request, or because its parent process is gone."""
        parent = multiprocessing.parent_process()
        return self.stop.is_set() or (parent is not None and not parent.is_alive())


_channel: list[WorkerChannel] = []  # in a worker; a queue can be inherited but not pickled


def _init_worker(channel: WorkerChannel) -> None:
    _channel.append(channel)
    _use_one_thread()
    os.setpgrp()  # Ctrl-C reaches the parent only, which stops workers through the channel


class Stopped(Exception):  # noqa: N818 — control flow, not an error
    """A worker stopped in a part of its work that the next call repeats."""


def _unless_stopped(run: StudyRun) -> None:
    with suppress(Stopped):
        _complete_one(run)


def _report(run: StudyRun, message: str) -> None:
    """Report progress of work that is saved only when it is complete; raise Stopped on request."""
    (channel,) = _channel
    if channel.should_stop:
        raise Stopped
    step, steps = run.directory.last_step or 0, run.config.train.steps
    channel.messages.put(RunProgress(run.name, step, steps, message, minor=True))


def _complete_one(run: StudyRun) -> None:
    """Train the run and translate the test set, unless that is done."""
    (channel,) = _channel
    if not run.cost.exists() and not _train_one(run, channel):
        return
    translator = Translator.load(run.directory.model, engine="torch")
    outputs = list(_translations(translator, run))
    storage.write_bytes(str(run.outputs), "".join(f"{line}\n" for line in outputs).encode())
    steps = run.config.train.steps
    channel.messages.put(RunProgress(run.name, steps, steps, "done", done=True))


def _train_one(run: StudyRun, channel: WorkerChannel) -> bool:
    """Train the run and write its cost; returns whether it is complete."""
    messages, steps = channel.messages, run.config.train.steps

    def log_event(event: Event) -> None:
        match event:
            case TrainingStarted():
                messages.put(RunProgress(run.name, event.step, steps, event.plan["time"]))
            case StepCompleted():
                text = f"loss {event.loss:.3f}, {event.tokens / event.seconds:,.0f} tokens/s"
                messages.put(RunProgress(run.name, event.step, steps, text, minor=True))
            case ValidationCompleted():
                text = f"{event.metric} {event.scores.values[event.metric]:.4g}"
                messages.put(RunProgress(run.name, event.step, steps, text))

    with join_world() as world, run.directory.lock():
        outcome = train_run(
            run.config,
            run.directory,
            world,
            loggers=[run.directory.jsonl_logger(), log_event],
            should_stop=lambda: channel.should_stop,
        )
    if not outcome.complete:
        return False
    memory = process_peak()
    model = Translator.load(run.directory.model, engine="torch").model
    completed = read_steps(run.directory.log)
    cost = Cost(
        sum(parameter.numel() for parameter in model.parameters()),
        sum(step["tokens"] for step in completed),
        sum(step["seconds"] for step in completed),
        median(step["tokens"] / step["seconds"] for step in completed),
        memory,
    )
    storage.write_bytes(str(run.cost), json.dumps(asdict(cost), indent=1).encode())
    return True


def _translations(translator: Translator, run: StudyRun) -> Iterator[str]:
    """The translations of the test sources, one line each."""
    sources, _ = run.test_pairs()
    for first in range(0, len(sources), TEST_BATCH):
        _report(run, f"translating the test set: {first}/{len(sources)}")
        for translation in translator.translate(sources[first : first + TEST_BATCH]):
            yield " ".join(translation.text.splitlines())


def _use_one_thread() -> None:
    torch.set_num_threads(1)

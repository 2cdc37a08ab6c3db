"""The runs of a study are taught: several at once, each in a process and on a thread of its own.

Small models learn faster so than one after the other on all threads; and what a run computes then
never depends on how many others there are. All of it goes on where it stopped.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from operator import attrgetter
from queue import Empty
from statistics import median

from regard.data import storage
from regard.data.formats.corpus import read_parallel
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import ProgressCallback as TellPrepared
from regard.data.preparation.prepare import StageProgress
from regard.studies.study import Cost, StudyRun, TrainedRun, shared_preparation
from regard.tasks.training import RunDirectory, dry_run, prepare_data, train_run
from regard.tasks.translation.guide import write_guide
from regard.tasks.translation.translator import Translator, load_translator
from regard.train import events as report
from regard.train.distributed import join_world
from regard.train.dry_run import DryRun
from regard.train.events import StepCompleted, TrainingStarted, ValidationCompleted
from regard.train.interrupt import interruptible
from regard.train.loggers.jsonl import read_steps as read_steps
from regard.train.peak_memory import process_peak

PAUSE = 0.2  # seconds between looks at what the processes told
TOGETHER = 200  # sentences of a test that are translated before it is told how far it is


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is; `words` say how well it goes."""

    job: str
    step: int
    last: int
    words: str
    done: bool = False  # translated too: there is no more to come
    plain: bool = False  # one step of many: who shows lines may leave it out


Tell = Callable[[RunProgress], None]
Work = Callable[[StudyRun], None]


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What a run will take, by a few steps that moved nothing."""

    job: StudyRun
    parameters: int
    left: int  # steps
    seconds: float  # for them, validations aside


def prepare_runs(every: Sequence[StudyRun], tell: TellPrepared) -> None:
    """The pairs as token shards, once for each direction; every run has links to them."""
    done: set[RunDirectory] = set()
    for job in every:
        home = shared_preparation(job.directory.path.parent, turned=job.entry.reversed)
        if job.directory.data.exists():
            continue
        if home not in done:
            prepare_data(job.run, home, tell)
            done.add(home)
        job.directory.path.mkdir(exist_ok=True)
        aside = job.directory.path / "data.aside"
        shutil.rmtree(aside, ignore_errors=True)
        shutil.copytree(home.data, aside, copy_function=os.link)
        aside.rename(job.directory.data)


def estimate_runs(every: Sequence[StudyRun]) -> Iterator[RunEstimate]:
    """Of each run that is not done. Seeds of an entry take the same, and so does a run that is
    guided as the one that guides it; for two models to find the links of a pair takes about as long
    as for one to learn from it."""
    known: dict[str, tuple[int, DryRun]] = {}
    finders = _finders(every)
    for job in every:
        if job.cost.exists():
            continue
        like = job.entry.name if job.entry.guides is None else job.entry.guides[0]
        if like not in known:
            _one_thread()
            plain = job.run.model_copy(
                update={"train": job.run.train.model_copy(update={"guided_alignment": None})}
            )
            with join_world() as world:
                known[like] = dry_run(plain, job.directory, world)
        parameters, step = known[like]
        left = job.run.train.steps - (job.directory.last_step or 0)
        tokens = left * step.tokens
        if job in finders:
            shards = PreparedData.open(str(job.directory.data)).shards("train")
            tokens += sum(shard.tokens[1] for shard in shards)
        yield RunEstimate(job, parameters, left, tokens / step.tokens * step.seconds)


def train_runs(every: Sequence[StudyRun], at_once: int, tell: Tell) -> list[TrainedRun]:
    """Teach what is not yet taught, those that guide before those that are guided; those that were
    interrupted are missing from the answer."""
    plain = [job for job in every if job.guide is None]
    guided = [job for job in every if job.guide is not None]
    waves = (
        (_train_one, plain, "cost"),
        (_find_links, _finders(guided), "guide"),
        (_train_one, guided, "cost"),
    )
    for work, some, made in waves:
        path = attrgetter(made)
        _do_all(work, [job for job in some if not path(job).exists()], at_once, tell)
        if not all(path(job).exists() for job in some):
            break
    return [TrainedRun.read(job) for job in every if job.cost.exists()]


def _finders(every: Sequence[StudyRun]) -> list[StudyRun]:
    """Of those that are to be taught by one guide that is not there yet, the first."""
    left = [
        job
        for job in every
        if job.guide is not None and not job.guide.exists() and not job.cost.exists()
    ]
    return list({job.guide: job for job in reversed(left)}.values())[::-1]


def _do_all(work: Work, every: Sequence[StudyRun], at_once: int, tell: Tell) -> None:
    context = multiprocessing.get_context("spawn")
    line = WorkerChannel(context.Queue(), context.Event())
    pool = ProcessPoolExecutor(
        at_once,
        mp_context=context,
        initializer=_init_worker,
        initargs=(line,),
        max_tasks_per_child=1,  # the most memory that a process had is then its run's
    )
    with pool, interruptible() as interrupted:
        left = {pool.submit(_unless_stopped, work, job) for job in every}
        while left:
            done, left = wait(left, timeout=PAUSE, return_when=FIRST_COMPLETED)
            for course in line.drain():
                tell(course)
            for future in done:
                future.result()
            if interrupted:
                line.stop.set()
                pool.shutdown(cancel_futures=True)  # those that run save where they are
                break
    for course in line.drain():
        tell(course)


@dataclass(frozen=True, slots=True)
class WorkerChannel:
    """Between a run's process, which tells how it goes, and who began it, who may stop it."""

    messages: Queue[RunProgress]
    stop: Event

    def drain(self) -> Iterator[RunProgress]:
        while True:
            try:
                yield self.messages.get_nowait()
            except Empty:
                return

    @property
    def close(self) -> bool:
        """Whether the run should stop: it was asked to, or nobody is there to hear it."""
        parent = multiprocessing.parent_process()
        return self.stop.is_set() or (parent is not None and not parent.is_alive())


_line: list[WorkerChannel] = []
"""Of a process that teaches. A queue can be inherited and not sent."""


def _init_worker(line: WorkerChannel) -> None:
    _line.append(line)
    _one_thread()
    os.setpgrp()  # a keyboard's Ctrl-C is for who began it; this process is told by the line


class Stopped(Exception):  # noqa: N818 — a turn of the work, not an error
    """A run was asked to stop between what it saves: the next time it does that part again."""


def _unless_stopped(work: Work, job: StudyRun) -> None:
    """In a process of its own."""
    with suppress(Stopped):
        work(job)


def _say(job: StudyRun, words: str) -> None:
    """Tell of what is not saved before it is done."""
    (line,) = _line
    if line.close:
        raise Stopped
    line.messages.put(
        RunProgress(job.name, job.directory.last_step or 0, job.run.train.steps, words, plain=True)
    )


def _train_one(job: StudyRun) -> None:
    """Train, translate, and write down what it cost."""
    (line,) = _line
    told, last, asked = line.messages, job.run.train.steps, list[bool]()

    def tell(event: report.Event) -> None:
        if line.close and not asked:
            asked.append(True)
            signal.raise_signal(signal.SIGINT)  # as if from a keyboard: it saves, and stops
        match event:
            case TrainingStarted():
                told.put(RunProgress(job.name, event.step, last, event.plan["time"]))
            case StepCompleted():
                words = f"loss {event.loss:.3f}, {event.tokens / event.seconds:,.0f} tokens/s"
                told.put(RunProgress(job.name, event.step, last, words, plain=True))
            case ValidationCompleted():
                words = f"{event.metric} {event.scores.values[event.metric]:.4g}"
                told.put(RunProgress(job.name, event.step, last, words))

    with join_world() as world:
        outcome = train_run(job.run, job.directory, world, loggers=[job.directory.journal(), tell])
    memory = process_peak()
    if not outcome.complete:
        return
    translator = load_translator(job.directory.model, engine="torch")
    outputs = list(_translations(translator, job))
    storage.write_bytes(str(job.outputs), "".join(f"{line}\n" for line in outputs).encode())
    steps = read_steps(job.directory.log)
    cost = Cost(
        sum(parameter.numel() for parameter in translator.model.parameters()),
        sum(step["tokens"] for step in steps),
        sum(step["seconds"] for step in steps),
        median(step["tokens"] / step["seconds"] for step in steps),
        memory,
    )
    storage.write_bytes(str(job.cost), json.dumps(asdict(cost), indent=1).encode())
    told.put(RunProgress(job.name, outcome.step, last, "done", done=True))


def _translations(translator: Translator, job: StudyRun) -> Iterator[str]:
    """Of what it is tested with, a line each."""
    sources, _ = read_parallel(*job.test)
    for first in range(0, len(sources), TOGETHER):
        _say(job, f"translates its test: {first}/{len(sources)}")
        for said in translator.translate(sources[first : first + TOGETHER]):
            yield " ".join(said.text.splitlines())


def _find_links(job: StudyRun) -> None:
    """Write those that its guides agree on, of all their pairs."""
    assert job.guides is not None
    assert job.guide is not None
    there, back = (load_translator(home.model, engine="torch") for home in job.guides)

    def tell(progress: StageProgress) -> None:
        _say(job, f"links of its pairs: {progress.done}/{progress.total}")

    write_guide(job.guide, there, back, PreparedData.open(str(job.guides[0].data)), tell)


def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)

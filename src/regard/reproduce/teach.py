"""The runs of a study are taught: several at once, each in a process and on a thread of its own.

Small models learn faster so than one after the other on all threads; and what a run computes then
never depends on how many others there are. All of it goes on where it stopped.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from multiprocessing.queues import Queue
from queue import Empty
from statistics import median

from regard.data import storage
from regard.data.preparation.prepare import Tell as TellPrepared
from regard.reproduce.study import Cost, Job, Taught, pairs_of, shared
from regard.tasks.training import Home, foresee, prepare_data, train
from regard.train.mesh import join
from regard.train.observers.journal import Journal
from regard.train.observers.journal import read as read_log
from regard.train.rehearsal import Rehearsal
from regard.train.report import Began, Event, Stepped, Validated

PAUSE = 0.2  # seconds between looks at what the processes told
TRANSLATED = "translates what it is tested with"


@dataclass(frozen=True, slots=True)
class Course:
    """How far a run is; `words` say how well it goes."""

    job: str
    step: int
    last: int
    words: str


Tell = Callable[[Course], None]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will take, by a few steps that moved nothing."""

    job: Job
    parameters: int
    left: int  # steps
    seconds: float  # for them, validations aside


def prepare(every: Sequence[Job], tell: TellPrepared) -> None:
    """The pairs as token shards, once for each direction; every run has links to them."""
    done: set[Home] = set()
    for job in every:
        home = shared(job.home.path.parent, turned=job.entry.turned)
        if job.home.data.exists():
            continue
        if home not in done:
            prepare_data(job.run, home, tell)
            done.add(home)
        job.home.path.mkdir(exist_ok=True)
        aside = job.home.path / "data.aside"
        shutil.rmtree(aside, ignore_errors=True)
        shutil.copytree(home.data, aside, copy_function=os.link)
        aside.rename(job.home.data)


def estimate(every: Sequence[Job]) -> Iterator[Estimate]:
    """Of each run that is not done; seeds of an entry take the same."""
    known: dict[str, tuple[int, Rehearsal]] = {}
    for job in every:
        if job.cost.exists():
            continue
        if job.entry.name not in known:
            _one_thread()
            with join() as world:
                known[job.entry.name] = foresee(job.run, job.home, world)
        parameters, step = known[job.entry.name]
        left = job.run.train.steps - next(iter(job.home.checkpoints), 0)
        yield Estimate(job, parameters, left, left * step.seconds)


def teach(every: Sequence[Job], at_once: int, tell: Tell) -> list[Taught]:
    """Teach what is not yet taught; those that were interrupted are missing from the answer."""
    context = multiprocessing.get_context("spawn")
    told: Queue[Course] = context.Queue()
    pool = ProcessPoolExecutor(
        at_once,
        mp_context=context,
        initializer=_begin,
        initargs=(told,),
        max_tasks_per_child=1,  # the most memory that a process had is then its run's
    )
    with pool:
        left = {pool.submit(_teach, job) for job in every if not job.cost.exists()}
        while left:
            done, left = wait(left, timeout=PAUSE, return_when=FIRST_COMPLETED)
            for course in _drained(told):
                tell(course)
            for future in done:
                future.result()
    for course in _drained(told):
        tell(course)
    return [Taught.read(job) for job in every if job.cost.exists()]


def _drained(told: Queue[Course]) -> Iterator[Course]:
    while True:
        try:
            yield told.get_nowait()
        except Empty:
            return


_hearer: list[Queue[Course]] = []
"""Of a process that teaches: who hears how it goes. A queue can be inherited and not sent."""


def _begin(told: Queue[Course]) -> None:
    _hearer.append(told)
    _one_thread()


def _teach(job: Job) -> None:
    """In a process of its own: train, translate, and write down what it cost."""
    from regard.tasks.translation.translator import load
    from regard.train.memory import process_peak

    (told,) = _hearer
    last = job.run.train.steps

    def tell(event: Event) -> None:
        match event:
            case Began():
                told.put(Course(job.name, event.step, last, event.plan["time"]))
            case Stepped():
                words = f"loss {event.loss:.3f}, {event.tokens / event.seconds:,.0f} tokens/s"
                told.put(Course(job.name, event.step, last, words))
            case Validated():
                words = f"{event.metric} {event.scores.values[event.metric]:.4g}"
                told.put(Course(job.name, event.step, last, words))

    journal = Journal(job.home.log, after=next(iter(job.home.checkpoints), None))
    with join() as world:
        outcome = train(job.run, job.home, world, observers=[journal, tell])
    memory = process_peak()
    if not outcome.complete:
        return
    told.put(Course(job.name, outcome.step, last, TRANSLATED))
    translator = load(job.home.model, engine="torch")
    sources, _ = pairs_of(job.test)
    outputs = [" ".join(said.text.splitlines()) for said in translator.translate(sources)]
    storage.write(str(job.outputs), "".join(f"{line}\n" for line in outputs).encode())
    steps = [fact for fact in read_log(job.home.log) if fact["event"] == "stepped"]
    cost = Cost(
        sum(parameter.numel() for parameter in translator.model.parameters()),
        sum(step["tokens"] for step in steps),
        sum(step["seconds"] for step in steps),
        median(step["tokens"] / step["seconds"] for step in steps),
        memory,
    )
    storage.write(str(job.cost), json.dumps(asdict(cost), indent=1).encode())
    told.put(Course(job.name, outcome.step, last, "done"))


def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)

"""`regard plan`: machines, time and cost of serving a model or translating a corpus."""

from __future__ import annotations

import json
import sys
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, TypedDict

import typer

from regard.cli.job_options import absolute_path
from regard.cli.options import UsageError, refuse_without, server_not_installed
from regard.cores import allowed_threads, available_cores
from regard.data.corpus_job import BLOCK, MAX_BLOCKS
from regard.data.formats.corpus import open_texts, read_blocks
from regard.errors import CorpusError
from regard.tasks.translation.translator import Translator
from regard.train.events import format_duration

if TYPE_CHECKING:
    from regard.inference.engine import EngineName

SAMPLE = 1_000  # texts
DAY = 86_400
MONTH = 730  # hours


class FleetMeasurement(TypedDict):
    """Times of the engine and the server; see `ServiceMeasurement`."""

    engine_ms: float
    front_ms: float
    slowdown: float
    pause_slowdown: float
    cores: int
    fit_error: float


class FleetPlanFacts(TypedDict):
    """The machines that serve requests."""

    peak_rate: float
    measured: FleetMeasurement
    machines: int
    utilization: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    cost_per_month: float


class CorpusMeasurement(TypedDict):
    """The speed of a translation."""

    per_core_second: float
    load_seconds: float
    cores: int


class CorpusPlanFacts(TypedDict):
    """The machines that translate a corpus."""

    pairs: float
    measured: CorpusMeasurement
    machines: int
    seconds: float
    core_hours: float
    tasks: int
    cost: float


class PlanFacts(TypedDict):
    """All that is printed."""

    cores: int
    price: float
    fleet: NotRequired[FleetPlanFacts]
    corpus: NotRequired[CorpusPlanFacts]


def plan(
    model: Annotated[Path, typer.Argument(help="A translation model bundle.")],
    source: Annotated[
        str,
        typer.Option(metavar="FILE", help="Typical texts, one per line; the first 1,000 are used."),
    ],
    requests_per_day: Annotated[
        float | None,
        typer.Option(min=1, max=1e12, help="Requests to serve, each with one such text."),
    ] = None,
    p99: Annotated[
        float | None,
        typer.Option(
            "--p99",
            min=1,
            max=1e7,
            metavar="MS",
            help="Milliseconds in which 99 % must be answered.",
        ),
    ] = None,
    peak: Annotated[
        float,
        typer.Option(min=1, max=1e6, help="The busiest hour's load, as a multiple of the mean."),
    ] = 3.0,
    pairs: Annotated[
        float | None, typer.Option(min=1, max=1e15, help="Texts of a corpus to translate.")
    ] = (None),
    hours: Annotated[
        float, typer.Option(min=0.01, max=1e6, help="Time in which the corpus must be translated.")
    ] = 24.0,
    cores: Annotated[
        int | None,
        typer.Option(min=1, max=10_000, help="Cores of a machine. Default: as this one."),
    ] = None,
    price: Annotated[
        float, typer.Option(min=0, max=1e9, help="Price of a core for an hour, in any currency.")
    ] = 0.045,
    engine: Annotated[
        Literal["auto", "torch", "invariant", "ctranslate2", "ctranslate2-int8"],
        typer.Option(help="Search engine. Default: CTranslate2 if the model was exported."),
    ] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False,
) -> None:
    """Plan machines, time and cost, from times that are measured on this machine.

    For requests, the engine processes and the server are measured for about 20 seconds, and
    replicas behind a load balancer are simulated. For a corpus, the model translates the sample.
    Keep the machine idle meanwhile. Machines of the plan have the speed of this one.

    Examples:

    regard plan model/ --source sample.en --requests-per-day 2e6 --p99 300

    regard plan model/ --source sample.en --pairs 1e9 --hours 48
    """
    if requests_per_day is None and pairs is None:
        raise UsageError("Pass --requests-per-day and --p99, or --pairs.")
    if (requests_per_day is None) != (p99 is None):
        raise UsageError("--requests-per-day and --p99 belong together.")
    if requests_per_day is None:
        refuse_without("--requests-per-day", "peak")
    if pairs is None:
        refuse_without("--pairs", "hours")
    cores = cores or available_cores()
    texts = _read_sample(source)
    facts: PlanFacts = {"cores": cores, "price": price}
    if requests_per_day is not None and p99 is not None:
        facts["fleet"] = _plan_fleet(
            model, texts, requests_per_day * peak / DAY, p99 / 1000, cores, price, engine
        )
    if pairs is not None:
        facts["corpus"] = _plan_corpus(model, texts, pairs, 3600 * hours, cores, price, engine)
    print(json.dumps(facts) if as_json else _describe(facts))


def _read_sample(source: str) -> list[str]:
    blocks = read_blocks(open_texts(absolute_path(source)), SAMPLE)
    texts = [text for block in islice(blocks, 1) for text in block.targets if text.strip()]
    if not texts:
        raise CorpusError(f"{source}: has no texts.")
    return texts


def _plan_fleet(
    model: Path, texts: list[str], rate: float, p99: float, cores: int, price: float, engine: str
) -> FleetPlanFacts:
    try:
        from regard.planning.measurement import measure_service
        from regard.planning.sizing import plan_fleet
    except ImportError as error:
        raise server_not_installed(error) from None

    measured = measure_service(
        "model", model, texts, engine=engine, report=lambda line: print(line, file=sys.stderr)
    )
    planned = plan_fleet(measured, rate, p99, cores=cores)
    machines = planned.machines + 1  # one may fail
    alone = [measured.engine.seconds(request) for request in measured.requests]
    return {
        "peak_rate": rate,
        "measured": {
            "engine_ms": 1000 * sum(alone) / len(alone),
            "front_ms": 1000 * measured.front_seconds,
            "slowdown": measured.slowdown,
            "pause_slowdown": measured.pause_slowdown,
            "cores": measured.cores,
            "fit_error": measured.engine.error,
        },
        "machines": machines,
        "utilization": planned.outcome.utilization * planned.machines / machines,
        "p50_ms": 1000 * planned.outcome.percentile(0.5),
        "p95_ms": 1000 * planned.outcome.percentile(0.95),
        "p99_ms": 1000 * planned.outcome.percentile(0.99),
        "cost_per_month": machines * cores * price * MONTH,
    }


def _plan_corpus(
    model: Path,
    texts: list[str],
    pairs: float,
    seconds: float,
    cores: int,
    price: float,
    engine: EngineName,
) -> CorpusPlanFacts:
    from regard.planning.sizing import plan_corpus

    start = time.perf_counter()
    translator = Translator.load(model, engine=engine, fixed_batches=True)
    translator.translate(texts[:16])
    loaded = time.perf_counter() - start
    start, done = time.perf_counter(), 0
    while (took := time.perf_counter() - start) < 5 or not done:
        translator.translate(texts)
        done += len(texts)
    rate = done / took / allowed_threads()
    planned = plan_corpus(pairs, rate, seconds, cores=cores, piece=BLOCK * MAX_BLOCKS, start=loaded)
    return {
        "pairs": pairs,
        "measured": {"per_core_second": rate, "load_seconds": loaded, "cores": allowed_threads()},
        "machines": planned.machines,
        "seconds": planned.seconds,
        "core_hours": planned.core_hours,
        "tasks": planned.pieces,
        "cost": planned.machines * cores * price * planned.seconds / 3600,
    }


def _describe(facts: PlanFacts) -> str:
    lines = []
    if fleet := facts.get("fleet"):
        measured = fleet["measured"]
        lines += [
            f"measured: {measured['engine_ms']:.1f} ms of an engine and {measured['front_ms']:.1f} "
            f"ms of the server for a request alone;",
            f"  {measured['slowdown']:.2f} times as long if all {measured['cores']} cores are busy "
            f"and {measured['pause_slowdown']:.2f} times after a pause "
            f"(formula within {100 * measured['fit_error']:.0f} %)",
            f"load: {fleet['peak_rate']:,.1f} requests per second in the busiest hour",
            f"machines: {fleet['machines']:,} with {facts['cores']} cores each, of which one may "
            "fail",
            f"latency: 50 % within {fleet['p50_ms']:.0f} ms, 95 % within {fleet['p95_ms']:.0f} ms, "
            f"99 % within {fleet['p99_ms']:.0f} ms, without the network",
            f"cost: {fleet['cost_per_month']:,.2f} a month at {facts['price']:g} per core and hour",
        ]
    if corpus := facts.get("corpus"):
        lines += [
            f"measured: {corpus['measured']['per_core_second']:,.0f} texts per second and core",
            f"machines: {corpus['machines']:,} with {facts['cores']} cores each, "
            f"{corpus['tasks']:,} tasks",
            f"time: {format_duration(corpus['seconds'])}, {corpus['core_hours']:,.1f} core hours",
            f"cost: {corpus['cost']:,.2f} at {facts['price']:g} per core and hour",
        ]
    return "\n".join(lines)

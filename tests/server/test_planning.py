"""The simulation of a fleet, and `regard plan`."""

from __future__ import annotations

import asyncio
import json
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from statistics import mean, median

import pytest

from regard.errors import ConfigError
from regard.planning import measurement, sizing
from regard.planning.fleet import (
    FleetShape,
    Load,
    LoadOutcome,
    SharedCores,
    run_simulation,
    simulate_load,
)
from regard.planning.measurement import (
    PAUSE,
    EngineTimes,
    MeasuredBatch,
    ServiceMeasurement,
    TextSize,
)
from regard.planning.sizing import plan_corpus, plan_fleet
from regard.serve.settings import ServerSettings
from regard.tasks.translation.exchange import export_bundle
from tests.bundles import LINES, make_bundle
from tests.command import run_cli

pytestmark = pytest.mark.xdist_group("server")

SECOND = EngineTimes(constant=1.0, step=0.0, token=0.0)  # of any batch


def service(engine: EngineTimes, *, tokens: int = 10, front: float = 1e-6) -> ServiceMeasurement:
    return ServiceMeasurement([(TextSize(tokens, tokens),)], 1, engine, 1.0, 1.0, 2, front)


def simulate(
    measured: ServiceMeasurement, shape: FleetShape, load: Load, **settings: float
) -> LoadOutcome:
    with ThreadPoolExecutor(1) as thread:  # Playwright keeps an event loop in the test's thread
        values = ServerSettings.model_validate({"batch_wait_ms": 1e-6, **settings})
        return thread.submit(simulate_load, measured, shape, load, values).result()


def finish_times(cores: SharedCores, *work: tuple[float, float, float]) -> list[float]:
    """The times at which computations end, given their start, seconds and weight."""

    async def run() -> list[float]:
        loop = asyncio.get_running_loop()

        async def one(start: float, seconds: float, weight: float) -> float:
            await asyncio.sleep(start)
            await cores.compute(seconds, weight)
            return loop.time()

        return list(await asyncio.gather(*(one(*each) for each in work)))

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run_simulation, run()).result()


def test_cores_are_shared() -> None:
    equal = finish_times(SharedCores(2), (0.0, 2.0, 1.0), (0.0, 2.0, 1.0), (0.0, 2.0, 1.0))
    assert equal == pytest.approx([3.0, 3.0, 3.0])
    later = finish_times(SharedCores(1), (0.0, 2.0, 1.0), (1.0, 0.5, 1.0))
    assert later == pytest.approx([2.5, 2.0])
    weighted = finish_times(SharedCores(1), (0.0, 3.0, 3.0), (0.0, 3.0, 1.0))
    assert weighted == pytest.approx([4.0, 6.0])
    # The heavy computation cannot use more than one core.
    bounded = finish_times(SharedCores(2), (0.0, 1.0, 9.0), (0.0, 1.0, 1.0), (0.0, 1.0, 1.0))
    assert bounded == pytest.approx([1.0, 1.5, 1.5])


def test_busy_cores_slow_each_other_down() -> None:
    alone, *_ = finish_times(SharedCores(2, slowdown=1.5), (0.0, 1.0, 1.0))
    both = finish_times(SharedCores(2, slowdown=1.5), (0.0, 1.0, 1.0), (0.0, 1.0, 1.0))
    assert (alone, *both) == pytest.approx((1.0, 1.5, 1.5))


def test_a_simulation_that_waits_for_nothing_ends() -> None:
    async def wait() -> None:
        await asyncio.get_running_loop().create_future()

    with ThreadPoolExecutor(1) as thread:
        task = thread.submit(run_simulation, wait())
        with pytest.raises(RuntimeError, match="waits"):
            task.result()


def test_times_of_batches_are_fitted() -> None:
    true = EngineTimes(0.004, 0.001, 0.0002)
    batches = [
        MeasuredBatch(sizes, true.seconds(sizes))
        for count in (1, 2, 8, 32)
        for length in (3, 10, 30)
        for sizes in [tuple(TextSize(length + n % 3, length + n % 5) for n in range(count))]
    ]
    fitted = EngineTimes.fit(batches)
    assert (fitted.constant, fitted.step, fitted.token) == pytest.approx((0.004, 0.001, 0.0002))
    assert fitted.error < 1e-6
    draw = random.Random(1)
    noisy = [
        MeasuredBatch(each.sizes, each.seconds * draw.lognormvariate(0, 0.3)) for each in batches
    ] * 20
    fitted = EngineTimes.fit(noisy)
    ratios = [each.seconds / fitted.seconds(each.sizes) for each in noisy]
    assert mean(ratios) == pytest.approx(1.0, abs=0.01)
    falling = [MeasuredBatch((TextSize(n, n),), 1 / n) for n in range(1, 9)]
    assert min(EngineTimes.fit(falling).seconds(each.sizes) for each in falling) > 0


def test_one_engine_is_a_queue_with_the_known_waiting_time() -> None:
    """M/D/1 (Pollaczek and Khinchine): the mean wait is ρ / (2 (1 − ρ)) service times."""
    load = Load(2_000, rate=0.6)
    found = simulate(
        service(SECOND), FleetShape(1, 2, engines=1), load, batch_cost=1, max_queue_seconds=1e6
    )
    assert mean(found.latencies) - 1 == pytest.approx(0.6 / (2 * 0.4), rel=0.15)
    assert found.throughput == pytest.approx(0.6, rel=0.05)
    assert found.utilization == pytest.approx(0.6 / 2, rel=0.05)


def test_batches_vary_and_take_longer_after_a_pause() -> None:
    measured = replace(service(SECOND), pause_slowdown=1.5)
    sizes = [TextSize(10, 10)]
    assert [measured.batch_seconds(sizes, idle=idle) for idle in (0.0, PAUSE / 2, 60.0)] == [
        1.0,
        pytest.approx(1.25),
        1.5,
    ]
    rare = simulate(measured, FleetShape(1, 2, engines=1), Load(20, rate=0.01))
    assert median(rare.latencies) == pytest.approx(1.5, abs=0.01)
    varied = replace(SECOND, ratios=(0.5, 1.5))
    found = simulate(service(varied), FleetShape(1, 2, engines=1), Load(200, rate=0.01))
    assert [found.percentile(share) for share in (0.1, 0.9)] == pytest.approx([0.5, 1.5], abs=0.01)
    busy = simulate(measured, FleetShape(1, 2, engines=1), Load(200, clients=4), batch_cost=1)
    assert busy.throughput == pytest.approx(1.0, rel=0.02)


def test_full_batches_multiply_the_throughput() -> None:
    load = Load(800, clients=16)
    alone = simulate(service(SECOND), FleetShape(1, 1), load, batch_cost=1)
    batched = simulate(service(SECOND), FleetShape(1, 1), load, batch_wait_ms=5.0)
    assert alone.throughput == pytest.approx(1.0, rel=0.01)
    assert batched.throughput == pytest.approx(16.0, rel=0.15)


def test_two_replicas_share_the_load_of_one_model() -> None:
    load, slow = Load(1_000, rate=1.2), {"batch_cost": 1, "max_queue_seconds": 100}
    two = simulate(service(SECOND), FleetShape(2, 1), load, **slow)
    assert two.throughput == pytest.approx(1.2, rel=0.05) and not two.refused
    one = simulate(service(SECOND), FleetShape(1, 1), load, batch_cost=1, max_queue_seconds=5)
    assert one.throughput == pytest.approx(1.0, rel=0.05) and one.refused
    assert one.percentile(0.99) < 15  # refusals bound the queue


def test_more_requests_need_more_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizing, "REQUESTS", (200, 400))
    measured = service(EngineTimes(0.002, 0.001, 0.0002), front=0.001)

    def plan(rate: float, p99: float) -> int:
        with ThreadPoolExecutor(1) as thread:
            planned = thread.submit(lambda: plan_fleet(measured, rate, p99, cores=2)).result()
        assert planned.outcome.percentile(0.99) <= p99
        return planned.machines

    machines = [plan(rate, 0.1) for rate in (20.0, 1_000.0, 10_000.0)]
    assert machines == sorted(machines) and machines[0] == 1
    assert machines[2] == pytest.approx(10 * machines[1], rel=0.3)
    with pytest.raises(ConfigError, match="idle server"):
        plan(1.0, 0.001)


def test_a_corpus_needs_machines_for_its_tasks() -> None:
    planned = plan_corpus(1e9, 100.0, 86_400.0, cores=8, piece=64_000, start=60.0)
    assert planned.pieces == 15_625 and planned.core_hours == pytest.approx(1e9 / 100 / 3600)
    assert planned.seconds <= 86_400
    assert planned.machines * 8 * planned.seconds >= 1e9 / 100
    with pytest.raises(ConfigError, match="more time"):
        plan_corpus(1e9, 100.0, 600.0, cores=8, piece=64_000, start=60.0)


def test_plan_measures_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, sample = make_bundle("transformer", tmp_path / "model"), tmp_path / "sample.en"
    export_bundle(model, None)
    sample.write_text("".join(f"{a} {b}\n" for a in LINES for b in LINES))
    monkeypatch.setattr(measurement, "SECONDS", 0.3)
    options = ["--requests-per-day", "1e6", "--p99", "2000", "--pairs", "1e7", "--cores", "4"]
    arguments = ["plan", str(model), "--source", str(sample), *options, "--json"]
    with ThreadPoolExecutor(1) as thread:
        found = json.loads(thread.submit(run_cli, arguments).result())
    fleet, corpus = found["fleet"], found["corpus"]
    assert fleet["machines"] >= 2 and 0 < fleet["p50_ms"] <= fleet["p99_ms"] <= 2000
    assert fleet["measured"]["engine_ms"] > 0 and fleet["measured"]["front_ms"] > 0
    assert corpus["seconds"] <= 86_400 and corpus["core_hours"] > 0

"""The number of machines for a load, by simulation, and for a corpus."""

from __future__ import annotations

import math
from dataclasses import dataclass

from regard.errors import ConfigError
from regard.planning.fleet import FleetShape, Load, LoadOutcome, simulate_load
from regard.planning.measurement import ServiceMeasurement
from regard.serve.settings import ServerSettings

GROUP = 8  # a larger fleet is simulated as this many machines with their share of the load
REQUESTS = (2_000, 12_000)  # of a simulation, at least and at most
SECONDS = 30.0  # of simulated time, within those bounds
REFUSED = 0.001  # share of requests that may be refused
MAX_MACHINES = 100_000


@dataclass(frozen=True, slots=True)
class FleetPlan:
    """The smallest fleet that answers a load in time."""

    rate: float  # requests per second
    machines: int
    outcome: LoadOutcome  # of these machines, or of GROUP of them


def plan_fleet(
    measured: ServiceMeasurement,
    rate: float,
    p99: float,
    *,
    cores: int,
    settings: ServerSettings | None = None,
) -> FleetPlan:
    """Return the smallest fleet whose 99th percentile is at most `p99` seconds.

    Raises:
        ConfigError: No number of machines is enough.
    """
    settings = settings or ServerSettings()
    idle = simulate_load(
        measured, FleetShape(1, cores), Load(len(measured.requests), clients=1), settings
    )
    if idle.percentile(0.99) > p99:
        raise ConfigError(
            f"--p99 {1000 * p99:g}: an idle server takes {1000 * idle.percentile(0.99):.0f} ms for "
            "the slowest hundredth of these texts. Allow more time, use a smaller model or beam, "
            "export the model to CTranslate2, or send shorter texts."
        )

    def attempt(machines: int) -> LoadOutcome:
        simulated = min(machines, GROUP)
        share = rate * simulated / machines
        requests = int(min(max(share * SECONDS, REQUESTS[0]), REQUESTS[1]))
        return simulate_load(
            measured, FleetShape(simulated, cores), Load(requests, rate=share), settings
        )

    def suffices(outcome: LoadOutcome) -> bool:
        total = len(outcome.latencies) + outcome.refused
        return outcome.percentile(0.99) <= p99 and outcome.refused <= REFUSED * total

    # An engine that translates texts one by one is a lower bound of what a core does.
    serial = sum(measured.engine.seconds(request) for request in measured.requests)
    high = max(1, math.ceil(rate * serial / len(measured.requests) / cores / 4))
    tried = {high: attempt(high)}
    while not suffices(tried[high]):
        high *= 2
        if high > MAX_MACHINES:
            raise ConfigError(f"More than {MAX_MACHINES:,} machines would be necessary.")
        tried[high] = attempt(high)
    low = max((machines for machines in tried if not suffices(tried[machines])), default=0)
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        tried[middle] = attempt(middle)
        low, high = (low, middle) if suffices(tried[middle]) else (middle, high)
    return FleetPlan(rate, high, tried[high])


@dataclass(frozen=True, slots=True)
class CorpusPlan:
    """Machines that translate a corpus in the given time."""

    machines: int
    seconds: float
    core_hours: float
    pieces: int  # tasks of the job


def plan_corpus(
    pairs: float, rate: float, seconds: float, *, cores: int, piece: int, start: float
) -> CorpusPlan:
    """Return the machines for a corpus job.

    Args:
        pairs: Number of records.
        rate: Records per second of one core while all cores are busy.
        seconds: The time that the job may take.
        cores: Of a machine.
        piece: Records of a task.
        start: Seconds until a worker has loaded the model.

    Raises:
        ConfigError: One task takes longer.
    """
    pieces = math.ceil(pairs / piece)
    lap = min(pairs, piece) / rate
    rounds = math.floor((seconds - start) / lap)
    if rounds < 1:
        raise ConfigError(
            f"--hours {seconds / 3600:g}: a worker starts in {start:.0f} s and takes {lap:.0f} s "
            f"for a task of {piece:,} records. Allow more time."
        )
    machines = math.ceil(math.ceil(pieces / rounds) / cores)
    rounds = math.ceil(pieces / (machines * cores))
    return CorpusPlan(machines, start + rounds * lap, pairs / rate / 3600, pieces)

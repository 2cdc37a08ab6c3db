"""Does the simulation of `regard plan` predict a real fleet?

    python -m benchmarks.plan [--quick] [--model MODEL] [--figure FILE.svg]

Two replicas of the server with one engine process each run behind HAProxy, with the configuration
in deploy/haproxy. Both, the balancer and the clients share this machine. The same requests at the
same random times are simulated and sent, at three shares of the simulated capacity, and by 32
clients without pauses. The speed of the machine may vary within seconds, so all loads are short and
repeated in rounds. Service times are measured before and after every load, as `regard plan` does,
and the simulation is the mean of both; --quick measures them once, before the only round. The
clients and the balancer take CPU time from the replicas, which the simulation also counts. A figure
is the median of the rounds' ratios. The sentences are Multi30k's test 2016; without --model, a
small Transformer is trained once, as for `benchmarks.serve`. The cache is off. The last line is a
JSON object.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, median
from typing import Any

import psutil

from benchmarks.figures import Figure, report
from benchmarks.multi30k import read_pairs
from benchmarks.serve import CLIENTS, bodies, percentile, send, trained_model
from regard.cores import available_cores
from regard.explain.pictures.charts import curve_chart
from regard.planning.fleet import FleetShape, Load, simulate_load
from regard.planning.measurement import (
    MAX_TEXTS,
    ServiceMeasurement,
    connected_client,
    measure_service,
    running_replica,
)
from regard.serve.settings import ServerSettings

CONFIG = Path(__file__).parents[1] / "deploy" / "haproxy" / "haproxy.cfg"
SHARES = (0.3, 0.6, 0.85)
PATH_RATE = 40.0  # requests per second that measure the balancer and the clients
LATENCY, THROUGHPUT = 0.25, 0.10  # largest relative differences
Outcome = dict[str, float]  # percentiles in milliseconds and answers per second
Comparison = dict[str, list[Outcome]]  # "measured" and "simulated", for each round


@contextlib.contextmanager
def balancer(folder: Path, urls: Sequence[str]) -> Iterator[tuple[str, psutil.Process]]:
    """Run HAProxy in front of servers; yield its URL and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    servers = [
        f"    server r{number} {url.removeprefix('http://')}" for number, url in enumerate(urls)
    ]
    (folder / "replicas.cfg").write_text("\n".join(["backend replicas", *servers]) + "\n")
    (folder / "models.map").write_text("")
    settings = {
        "REGARD_BIND": f"127.0.0.1:{port}",
        "REGARD_MAP": str(folder / "models.map"),
        "REGARD_SOCKET": str(folder / "socket"),
    }
    process = subprocess.Popen(
        ["haproxy", "-db", "-f", str(CONFIG), "-f", str(folder / "replicas.cfg")],
        env={**os.environ, **settings},
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 30
        while True:
            assert time.monotonic() < deadline
            assert process.poll() is None
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}", psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()


def selected_replica(url: str, urls: Sequence[str], texts: list[str]) -> int:
    """The replica that HAProxy selects if none has open requests."""

    def answered(each: str) -> float:
        with connected_client(each) as client:
            return client.metrics()["regard_engine_seconds_count"]

    before = [answered(each) for each in urls]
    send(url, {"bodies": bodies(texts[:8], 1), "clients": 1})
    return max(range(len(urls)), key=lambda number: answered(urls[number]) - before[number])


def path_seconds(url: str, process: psutil.Process, texts: list[str]) -> float:
    """CPU time of the clients and of the balancer, `process`, for one request."""
    before = process.cpu_times()
    (found,) = send(url, {"bodies": bodies(texts, 1), "rate": PATH_RATE})
    after = process.cpu_times()
    balancer_seconds = after.user + after.system - before.user - before.system
    return (found["cpu_seconds"] + balancer_seconds) / len(texts)


def measure_load(url: str, texts: list[str], count: int, **job: float) -> Outcome:
    """Send requests."""
    many = [texts[number % len(texts)] for number in range(count)]
    (found,) = send(url, {"bodies": bodies(many, 1), **job})
    failed = [status for status, _, _ in found["requests"] if status != 200]
    assert not failed, failed[:10]
    times = [1000 * took for _, _, took in found["requests"]]
    return {
        "p50": median(times),
        "p95": percentile(times, 0.95),
        "throughput": len(times) / float(found["seconds"]),
    }


def simulate(measured: ServiceMeasurement, count: int, first: int, **job: Any) -> Outcome:
    """The same as `measure_load`, simulated; `first`: the replica that the hash selects."""
    shape = FleetShape(2, available_cores(), engines=1, together=True, first=first)
    outcome = simulate_load(measured, shape, Load(count, **job), ServerSettings())
    return {
        "p50": 1000 * outcome.percentile(0.5),
        "p95": 1000 * outcome.percentile(0.95),
        "throughput": outcome.throughput,
    }


def draw(rates: Sequence[float], loads: Sequence[Comparison], path: Path) -> None:
    series = {
        f"{name}, {kind}": [
            (rate, median(each[name] for each in load[kind]))
            for rate, load in zip(rates, loads, strict=True)
        ]
        for name in ("p50", "p95")
        for kind in ("measured", "simulated")
    }
    highest = max(value for points in series.values() for _, value in points)
    path.write_text(
        curve_chart(
            series,
            title="Two replicas behind HAProxy",
            x="requests a second, one sentence each",
            y="time of a request, ms",
            y_range=(0.0, math.ceil(highest / 50) * 50.0),
        ),
        encoding="utf-8",
    )


def difference(load: Comparison, name: str) -> float:
    """The difference of simulation and measurement, by the median of the rounds' ratios."""
    rounds = zip(load["simulated"], load["measured"], strict=True)
    return abs(median(simulated[name] / real[name] for simulated, real in rounds) - 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--model", type=Path, help="a bundle")
    parser.add_argument("--figure", type=Path, help="draw latency against load")
    options = parser.parse_args()
    if shutil.which("haproxy") is None:
        print("HAProxy is not installed.", file=sys.stderr)
        return 2
    model = options.model or trained_model()
    seconds, rounds, path_requests = (5.0, 1, 100) if options.quick else (15.0, 4, MAX_TEXTS)
    texts = read_pairs("test_2016_flickr")[0][:MAX_TEXTS]
    with contextlib.ExitStack() as stack:
        urls = [stack.enter_context(running_replica("en-de", model)) for _ in range(2)]
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        url, process = stack.enter_context(balancer(Path(folder), urls))
        for each in (*urls, url):  # warm them up
            send(each, {"bodies": bodies(texts[:16], 1), "clients": 1})
        first = selected_replica(url, urls, texts)
        path = path_seconds(url, process, texts[:path_requests])

        def measure() -> ServiceMeasurement:
            found = measure_service("en-de", model, texts, report=lambda line: None)
            print(
                f"  engine {found.engine.constant:.4f} s, {found.engine.step:.5f} s a step, "
                f"{found.engine.token:.5f} s a token, within {found.engine.error:.2f}; "
                f"slowdown {found.slowdown:.2f}, after a pause "
                f"{found.pause_slowdown:.2f}, front {1000 * found.front_seconds:.2f} ms",
                flush=True,
            )
            return replace(found, balancer_seconds=path)

        def compare(
            load: Comparison, measured: ServiceMeasurement, count: int, **job: Any
        ) -> ServiceMeasurement:
            """Send a load; simulate it with the times before and after it."""
            real = measure_load(url, texts, count, **job)
            times = [measured] if options.quick else [measured, measure()]
            outcomes = [simulate(each, count, first, **job) for each in times]
            simulated = {name: mean(each[name] for each in outcomes) for name in real}
            load["measured"].append(real)
            load["simulated"].append(simulated)
            print(f"  {job}: {real}, simulated {simulated}", flush=True)
            return times[-1]

        measured = measure()
        capacity = simulate(measured, 2_000, first, clients=CLIENTS)["throughput"]
        rates = [share * capacity for share in SHARES]
        loads: list[Comparison] = [{"measured": [], "simulated": []} for _ in rates]
        clients: Comparison = {"measured": [], "simulated": []}
        for _ in range(rounds):
            for rate, load in zip(rates, loads, strict=True):
                measured = compare(load, measured, int(seconds * rate), rate=rate)
            measured = compare(clients, measured, int(seconds * capacity), clients=CLIENTS)
    if options.figure is not None:
        draw(rates, loads, options.figure)
    figures = [
        Figure(
            f"{name} at {share:.0%}: difference",
            difference(load, name),
            THROUGHPUT if name == "throughput" else LATENCY,
            at_most=True,
        )
        for share, load in zip(SHARES, loads, strict=True)
        for name in ("p50", "p95", "throughput")
    ]
    capacity_difference = difference(clients, "throughput")
    figures.append(Figure("capacity: difference", capacity_difference, THROUGHPUT, at_most=True))
    return report(
        "plan",
        figures,
        engine=[measured.engine.constant, measured.engine.step, measured.engine.token],
        slowdown=measured.slowdown,
        pause_slowdown=measured.pause_slowdown,
        front=measured.front_seconds,
        balancer=measured.balancer_seconds,
        clients=clients,
        loads=[{"rate": rate, **each} for rate, each in zip(rates, loads, strict=True)],
    )


if __name__ == "__main__":
    sys.exit(main())

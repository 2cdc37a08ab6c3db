"""Does the simulation of `regard plan` predict a real fleet?

    python -m benchmarks.plan [--quick] [--model MODEL] [--figure FILE.svg]

Two replicas of the server with one engine process each run behind HAProxy, with the configuration
in deploy/haproxy. Both, the balancer and the clients share this machine. The same requests at the
same random times are simulated and sent, at three shares of the simulated capacity, and once by 32
clients without pauses. Service times are measured before and after every load, as `regard plan`
does, since the speed of the machine may vary; the simulation is the mean of both. The
sentences are Multi30k's test 2016; without --model, a small Transformer is trained once, as for
`benchmarks.serve`. The cache is off. The last line is a JSON object.
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

from benchmarks.figures import Figure, report
from benchmarks.multi30k import read_pairs
from benchmarks.serve import CLIENTS, bodies, percentile, send, trained_model
from regard.cores import available_cores
from regard.explain.pictures.curves import curve_chart
from regard.serve.planning.fleet import FleetShape, Load, simulate_load
from regard.serve.planning.measurement import MAX_TEXTS, ServiceMeasurement, measure_service
from regard.serve.planning.replica import connected_client, running_replica
from regard.serve.settings import ServerSettings

CONFIG = Path(__file__).parents[1] / "deploy" / "haproxy" / "haproxy.cfg"
SHARES = (0.3, 0.6, 0.85)
LATENCY, THROUGHPUT = 0.25, 0.10  # largest relative differences


@contextlib.contextmanager
def balancer(folder: Path, urls: Sequence[str]) -> Iterator[str]:
    """Run HAProxy in front of servers; yield its URL."""
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
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def request_seconds(urls: Sequence[str], texts: Sequence[str]) -> list[float]:
    """The median time of requests to each of the servers, in turn."""
    times: list[list[float]] = [[] for _ in urls]
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connected_client(url)) for url in urls]
        for text in texts:
            for client, of_client in zip(clients, times, strict=True):
                start = time.perf_counter()
                client.translate(text)
                of_client.append(time.perf_counter() - start)
    return [median(of_client) for of_client in times]


def selected_replica(url: str, urls: Sequence[str], texts: Sequence[str]) -> int:
    """The replica that HAProxy selects if none has open requests."""

    def answered(each: str) -> float:
        with connected_client(each) as client:
            return client.metrics()["regard_engine_seconds_count"]

    before = [answered(each) for each in urls]
    request_seconds([url], texts[:8])
    return max(range(len(urls)), key=lambda number: answered(urls[number]) - before[number])


def measure_load(url: str, texts: list[str], count: int, **job: float) -> dict[str, float]:
    """Send requests; return percentiles in milliseconds and answers per second."""
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


def simulate(measured: ServiceMeasurement, count: int, first: int, **job: Any) -> dict[str, float]:
    """The same as `measure_load`, simulated; `first`: the replica that the hash selects."""
    shape = FleetShape(2, available_cores(), engines=1, together=True, first=first)
    outcome = simulate_load(measured, shape, Load(count, **job), ServerSettings())
    return {
        "p50": 1000 * outcome.percentile(0.5),
        "p95": 1000 * outcome.percentile(0.95),
        "throughput": outcome.throughput,
    }


def draw(rows: dict[float, dict[str, dict[str, float]]], path: Path) -> None:
    series = {
        f"{name}, {kind}": [(rate, each[kind][name]) for rate, each in rows.items()]
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
    seconds = 6.0 if options.quick else 60.0
    texts = read_pairs("test_2016_flickr")[0][:MAX_TEXTS]
    rows: dict[float, dict[str, dict[str, float]]] = {}
    with contextlib.ExitStack() as stack:
        urls = [stack.enter_context(running_replica("en-de", model)) for _ in range(2)]
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        url = stack.enter_context(balancer(Path(folder), urls))
        request_seconds((*urls, url), texts[:16])
        *direct, through = request_seconds((*urls, url), texts[:60])
        balancer_seconds = max(0.0, through - mean(direct))
        first = selected_replica(url, urls, texts)

        def measure() -> ServiceMeasurement:
            found = measure_service("en-de", model, texts, report=lambda line: None)
            print(
                f"  engine {found.engine.constant:.4f} s, {found.engine.step:.5f} s a step, "
                f"{found.engine.token:.5f} s a token, within {found.engine.error:.2f}; "
                f"slowdown {found.slowdown:.2f}, after a pause "
                f"{found.pause_slowdown:.2f}, front {1000 * found.front_seconds:.2f} ms",
                flush=True,
            )
            return replace(found, balancer_seconds=balancer_seconds)

        def compare(measured: ServiceMeasurement, count: int, **job: Any) -> ServiceMeasurement:
            """Send a load; simulate it with the times before and after it."""
            real, after = measure_load(url, texts, count, **job), measure()
            both = [simulate(each, count, first, **job) for each in (measured, after)]
            simulated = {name: mean(each[name] for each in both) for name in real}
            rows[job.get("rate", math.inf)] = {"measured": real, "simulated": simulated}
            print(f"  {job}: {real}, simulated {simulated}", flush=True)
            return after

        measured = measure()
        capacity = simulate(measured, 2_000, first, clients=CLIENTS)["throughput"]
        for share in SHARES:
            rate = share * capacity
            measured = compare(measured, int(seconds * rate), rate=rate)
        measured = compare(measured, int(seconds * capacity), clients=CLIENTS)
    loaded = rows.pop(math.inf)
    if options.figure is not None:
        draw(rows, options.figure)
    figures = []
    for share, each in zip(SHARES, rows.values(), strict=True):
        for name in ("p50", "p95", "throughput"):
            found = abs(each["simulated"][name] / each["measured"][name] - 1)
            limit = THROUGHPUT if name == "throughput" else LATENCY
            figures.append(Figure(f"{name} at {share:.0%}: difference", found, limit, at_most=True))
    difference = abs(loaded["simulated"]["throughput"] / loaded["measured"]["throughput"] - 1)
    figures.append(Figure("capacity: difference", difference, THROUGHPUT, at_most=True))
    return report(
        "plan",
        figures,
        engine=[measured.engine.constant, measured.engine.step, measured.engine.token],
        slowdown=measured.slowdown,
        pause_slowdown=measured.pause_slowdown,
        front=measured.front_seconds,
        balancer=measured.balancer_seconds,
        clients=loaded,
        loads=[{"rate": rate, **each} for rate, each in rows.items()],
    )


if __name__ == "__main__":
    sys.exit(main())

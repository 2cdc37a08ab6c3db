"""Measured service times of a real server."""

from __future__ import annotations

import asyncio
import http.client
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import mean, median
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from regard.cores import available_cores
from regard.errors import ConfigError, RegardError
from regard.serve.limits import check_request
from regard.serve.models import ModelRegistry, ServedModel
from regard.serve.pool import ENGINE, WorkerProcess
from regard.serve.schemas import TranslateRequest
from regard.serve.settings import ServerSettings

ROUNDS = 4  # of the fit


@dataclass(frozen=True, slots=True)
class TextSize:
    """A segment: pieces of the source, and tokens of its translation."""

    pieces: int
    tokens: int


@dataclass(frozen=True, slots=True)
class MeasuredBatch:
    """A batch and the seconds that an engine process took for it."""

    sizes: tuple[TextSize, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class EngineTimes:
    """Seconds of a batch: a constant, a part for each decoding step, and one for each token.

    `ratios`: the measured times of batches, relative to this formula. Simulated batches vary alike.
    """

    constant: float
    step: float
    token: float
    ratios: tuple[float, ...] = (1.0,)

    @property
    def error(self) -> float:
        """The mean relative difference between the formula and the measured batches."""
        return mean(abs(ratio - 1) for ratio in self.ratios)

    def seconds(self, sizes: Sequence[TextSize]) -> float:
        return float(np.dot((self.constant, self.step, self.token), _features(sizes)))

    @classmethod
    def fit(cls, batches: Sequence[MeasuredBatch]) -> EngineTimes:
        """Fit the three parts to measured batches, with the least squared relative error.

        The error is relative to the fit of the last round. Relative to the measured times, slow
        batches would count less than fast ones, and the fit would be too short for most.
        """
        rows = np.array([_features(batch.sizes) for batch in batches])
        seconds = np.array([batch.seconds for batch in batches])
        best, expected = np.zeros(3), seconds
        for _ in range(ROUNDS):
            best = _fit_nonnegative(rows / expected[:, None], seconds / expected)
            expected = rows @ best
        ratios = tuple((seconds / expected).tolist())
        return cls(float(best[0]), float(best[1]), float(best[2]), ratios)


def _fit_nonnegative(rows: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least squares solution without negative parts.

    It is the best of the solutions with all, some or one of the parts.
    """
    best, smallest = np.zeros(3), np.inf
    for count in (1, 2, 3):
        for chosen in combinations(range(3), count):
            part, *_ = np.linalg.lstsq(rows[:, chosen], values, rcond=None)
            solution = np.zeros(3)
            solution[list(chosen)] = part
            loss = float(np.sum((rows @ solution - values) ** 2))
            if np.all(solution >= 0) and loss < smallest:
                best, smallest = solution, loss
    return best


def _features(sizes: Sequence[TextSize]) -> tuple[float, float, float]:
    """One batch, its decoding steps, its tokens of both sides."""
    return (
        1.0,
        float(max(size.tokens for size in sizes)),
        float(sum(size.pieces + size.tokens for size in sizes)),
    )


# -- A real replica of the server, to measure requests that arrive one at a time -------------------
# The front is the server's own process: HTTP, checks, tokenizing, assembling. Its time is that of
# requests without queue and engine.


def measure_requests(
    name: str, path: Path, texts: Sequence[str], engine: str, pause: float
) -> tuple[float, float]:
    """Send a request for each text, with pauses; return the mean times of front and engine."""
    with (
        running_replica(name, path, engine=engine) as url,
        connected_client(url) as client,
    ):
        for text in texts[:8]:
            client.translate(text)
        first_metrics, seconds = client.metrics(), 0.0
        for text in texts:
            time.sleep(pause)
            start = time.perf_counter()
            client.translate(text)
            seconds += time.perf_counter() - start
        last_metrics = client.metrics()
    in_engine, in_queue = (
        last_metrics[metric] - first_metrics[metric]
        for metric in ("regard_engine_seconds_sum", "regard_queue_seconds_sum")
    )
    # A text of several segments waits for all of them at once, so this subtracts a little too much.
    front = max(1e-4, (seconds - in_engine - in_queue) / len(texts))
    return front, in_engine / len(texts)


class ReplicaClient:
    """Sends one request after another over one connection."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self._connection = connection

    def translate(self, text: str) -> None:
        body = json.dumps({"texts": [text]})
        headers = {"Content-Type": "application/json"}
        self._connection.request("POST", "/v1/translate", body, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise RegardError(f"The server answered {answer.status}: {content.decode()[:300]}")

    def metrics(self) -> dict[str, float]:
        """The metrics without labels."""
        self._connection.request("GET", "/metrics")
        text = self._connection.getresponse().read().decode()
        return {key: float(value) for key, value in re.findall(r"^(\w+) (\S+)$", text, re.M)}


@contextmanager
def connected_client(url: str) -> Iterator[ReplicaClient]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
    try:
        yield ReplicaClient(connection)
    finally:
        connection.close()


@contextmanager
def running_replica(
    name: str, path: Path, *, engine: str = "auto", workers: int = 1
) -> Iterator[str]:
    """Run `regard serve` on a free port, without a cache; yield its URL."""
    with tempfile.TemporaryDirectory() as folder:
        settings, log = Path(folder) / "settings.yaml", Path(folder) / "log"
        settings.write_text("cache_megabytes: 0\n")
        command = [sys.executable, "-m", "regard", "serve", f"{name}={path}", "--port", "0"]
        options = ["--workers", str(workers), "--engine", engine, "--settings", str(settings)]
        with log.open("w") as file:
            process = subprocess.Popen([*command, *options], stderr=file)  # noqa: S603
        try:
            while not (match := re.search(r" at (http://\S+)", log.read_text())):
                if process.poll() is not None:
                    raise RegardError(f"The server ended: {log.read_text().strip()}")
                time.sleep(0.05)
            yield match[1]
        finally:
            process.terminate()
            process.wait()


# -- measure the parameters of a simulation --------------------------------------------------------
# Times of engine processes and of the server's front.
#
# Engine processes are the server's own, started and called as the server does. They measure batches
# of several sizes, first one process alone, then one on every core at the same time. A real server
# then answers requests with pauses between them.


PAUSE = 0.03  # seconds between requests that arrive one at a time
PAUSED_REQUESTS = 100
SECONDS = 6.0  # of measuring one engine process, and all at the same time
SIZES = (1, 1, 1, 2, 4, 8, 16, 32, 64)  # texts of the batches, in turn
MAX_TEXTS = 256  # of the sample
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ServiceMeasurement:
    """Cost of a request on this machine, and the sizes of typical requests."""

    requests: list[tuple[TextSize, ...]]  # the segments of each text of the sample
    beam_size: int
    engine: EngineTimes  # of one engine process alone
    slowdown: float  # of an engine process if all cores are busy
    pause_slowdown: float  # of a batch after `PAUSE` seconds without work
    cores: int  # that were busy
    front_seconds: float  # per request, of the server's own process
    balancer_seconds: float = 0.0

    def batch_seconds(self, sizes: Sequence[TextSize], idle: float) -> float:
        """Return the time of a batch of an engine process that was idle before.

        A pause makes a batch slower, as caches are lost and cores slow down. The effect grows with
        the length of the pause up to `PAUSE`.
        """
        paused = (self.pause_slowdown - 1) * min(1.0, idle / PAUSE)
        return self.engine.seconds(sizes) * (1 + paused)


@dataclass(frozen=True, slots=True)
class _Segment:
    text: str
    pieces: int


def measure_service(
    name: str, path: Path, texts: Sequence[str], *, engine: str = "auto", report: Report = print
) -> ServiceMeasurement:
    """Measure the model in `path` on some texts, which stand for the requests of users."""
    texts = [text for text in texts if text.strip()][:MAX_TEXTS]
    if len(texts) < 16:
        raise ConfigError(
            f"The sample has {len(texts)} texts. Pass at least 16, better hundreds, that are "
            "typical of the requests."
        )
    report(f"measuring {name} on {len(texts)} texts")
    requests, beam_size, times, slowdown = asyncio.run(_measure_engines(name, path, texts, engine))
    sample = [pair for pair in zip(texts, requests, strict=True) if pair[1]][:PAUSED_REQUESTS]
    front, paused = measure_requests(name, path, [text for text, _ in sample], engine, PAUSE)
    expected = mean(times.seconds(sizes) for _, sizes in sample)
    return ServiceMeasurement(
        [sizes for sizes in requests if sizes],
        beam_size,
        times,
        slowdown,
        max(1.0, paused / expected),
        available_cores(),
        front,
    )


async def _measure_engines(
    name: str, path: Path, texts: Sequence[str], engine: str
) -> tuple[list[tuple[TextSize, ...]], int, EngineTimes, float]:
    registry = ModelRegistry({name: path}, engine)
    cores = available_cores()
    workers: list[WorkerProcess] = []
    try:
        for _ in range(cores):
            worker = await WorkerProcess.start(ENGINE, 1)
            await registry.prepare(worker, workers)
            workers.append(worker)
        model = registry.find(name)
        split = await _split(model, texts)
        segments = [segment for of_text in split for segment in of_text]
        tokens: dict[str, int] = {}
        for start in range(0, len(segments), 64):  # also warms the first process up
            part = segments[start : start + 64]
            _, lengths = await _translate(workers[0], model, part)
            tokens |= {segment.text: length for segment, length in zip(part, lengths, strict=True)}
        sizes = {
            segment.text: TextSize(segment.pieces, tokens[segment.text]) for segment in segments
        }
        for worker in workers[1:]:
            await _translate(worker, model, segments[:8])
        alone = await _measure_batches(workers[0], model, segments, sizes, SECONDS)
        times = EngineTimes.fit(alone)
        slowdown = 1.0
        if cores > 1:
            together = await asyncio.gather(
                *(_measure_batches(worker, model, segments, sizes, SECONDS) for worker in workers)
            )
            ratios = [
                batch.seconds / times.seconds(batch.sizes)
                for batches in together
                for batch in batches
            ]
            slowdown = max(1.0, median(ratios))
        requests = [tuple(sizes[segment.text] for segment in of_text) for of_text in split]
        return requests, model.beam_size, times, slowdown
    finally:
        for worker in workers:
            await worker.stop()


async def _split(model: ServedModel, texts: Sequence[str]) -> list[list[_Segment]]:
    """Split texts into segments as the server does."""
    segments = []
    for text in texts:
        checked = await check_request(TranslateRequest(texts=[text]), model, ServerSettings())
        segments.append([_Segment(segment.text, segment.pieces) for segment in checked.texts[0]])
    return segments


async def _translate(
    worker: WorkerProcess, model: ServedModel, segments: Sequence[_Segment]
) -> tuple[float, list[int]]:
    """Return the seconds of a batch, and the tokens of its translations."""
    start = time.perf_counter()
    answer = await worker.call(
        "translate",
        slot=model.slot,
        segments=[segment.text for segment in segments],
        positions=[(0, 0)] * len(segments),
        options={},
        weights=False,
    )
    seconds = time.perf_counter() - start
    if "error" in answer:
        raise RegardError(f"{model.path}: {answer['error']}")
    lengths = []
    for segment in answer["segments"]:
        if "error" in segment:
            raise RegardError(f"{model.path}: {segment['error']}")
        lengths.append(1 + segment["hypotheses"][0]["length"])
    return seconds, lengths


async def _measure_batches(
    worker: WorkerProcess,
    model: ServedModel,
    segments: Sequence[_Segment],
    sizes: dict[str, TextSize],
    seconds: float,
) -> list[MeasuredBatch]:
    """Translate batches of texts of all lengths for some seconds.

    The batcher prefers texts of similar lengths, but unless many wait, it has no choice.
    """
    limit, draw = ServerSettings().batch_cost, random.Random(1)  # noqa: S311 (texts of batches)
    measured: list[MeasuredBatch] = []
    deadline, turn = time.perf_counter() + seconds, 0
    while time.perf_counter() < deadline or turn < len(SIZES):
        size = min(SIZES[turn % len(SIZES)], len(segments))
        batch, cost = list[_Segment](), 0
        for segment in draw.sample(segments, size):
            cost += model.beam_size * (segment.pieces + 1)
            if batch and cost > limit:
                break
            batch.append(segment)
        took, _ = await _translate(worker, model, batch)
        measured.append(MeasuredBatch(tuple(sizes[segment.text] for segment in batch), took))
        turn += 1
    return measured

"""The server under load: throughput, latency against load, overload.

    python -m benchmarks.serve [--quick] [--model MODEL] [--sentences FILE] [--figure FILE.svg]

The sentences are those of a file, by default Multi30k's test 2016 in REGARD_DATA; the model is a
bundle that was exported to CTranslate2. Without --model, a small Transformer is trained for some
minutes, once, and kept in the temporary directory. Server, engines and clients share the machine.
The cache is off.

- Throughput: 32 clients, each sending a request when the last one is answered, one sentence or
  several at a time (16, or fewer if the queue would refuse them), beside CTranslate2 alone, which
  gets all sentences as pieces in one call. Both take turns; figures are medians of ratios.
- Latency: requests at random times at given shares of the capacity, beside a plain FastAPI server
  that translates one request at a time, and one that translates requests in threads.
- Overload: ten times the capacity.

The last line is a JSON object. The exit code is 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import ctranslate2

from benchmarks.figures import Figure, report
from benchmarks.multi30k import DATA, read_pairs
from regard.bundle.bundle import open_bundle
from regard.cores import available_cores
from regard.explain.pictures.charts import curve_chart
from regard.inference.engine import max_target_length
from regard.tasks.translation.translator import Translator

CLIENTS = 32
SIZES = (16, 8, 4, 2)  # sentences of a request
QUEUED = 4.0  # seconds of work of all clients, below the default of `max_queue_seconds`
PROBES = 20  # requests per second of the client that times refusals
SHARES = (0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
STEPS = 400  # of the model that is trained without --model
PATH = "/v1/translate"


def send(url: str, *jobs: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a load generator for each job, all at the same time."""
    command = [sys.executable, "-m", "benchmarks.load", url, PATH]
    with contextlib.ExitStack() as stack:
        senders = []
        for job in jobs:
            file = stack.enter_context(tempfile.TemporaryFile("w+"))
            json.dump(job, file)
            file.seek(0)
            senders.append(subprocess.Popen(command, stdin=file, stdout=subprocess.PIPE))
        outputs = [sender.communicate()[0] for sender in senders]
    assert all(sender.returncode == 0 for sender in senders)
    return [json.loads(output) for output in outputs]


def trained_model() -> Path:
    """Train a model on Multi30k until its translations end, or return the one that is kept."""
    folder = Path(tempfile.gettempdir()) / "regard-benchmarks" / f"serve-{STEPS}"
    if not (folder / "model" / "ctranslate2").is_dir():
        print(f"  training a model for {STEPS} steps, once", flush=True)
        regard = [sys.executable, "-m", "regard"]
        sides = [str(DATA / "multi30k" / f"train.{language}.gz") for language in ("en", "de")]
        settings = [f"train.steps={STEPS}", "train.schedule.warmup=100", "train.metric=nll"]
        sets = [part for setting in settings for part in ("--set", setting)]
        corpus = ["--source", sides[0], "--target", sides[1], "--preset", "translate-tiny"]
        subprocess.run([*regard, "train", *corpus, "--out", str(folder), *sets], check=True)
        subprocess.run(
            [*regard, "export", str(folder / "model"), "--to", "ctranslate2"], check=True
        )
    return folder / "model"


@contextlib.contextmanager
def server(model: Path, folder: Path) -> Iterator[str]:
    """Run `regard serve` without a cache; yield its address."""
    settings = folder / "settings.yaml"
    settings.write_text("cache_megabytes: 0\nmax_connections: 10000\n")
    command = [sys.executable, "-m", "regard", "serve", f"en-de={model}", "--port", "0"]
    log = folder / "log"
    with log.open("w") as file:
        process = subprocess.Popen([*command, "--settings", str(settings)], stderr=file)
    try:
        while not (match := re.search(r"http://\S+", log.read_text())):
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
        yield match[0]
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def plain_server(model: Path, kind: str) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.plain_server", str(model), str(port), kind]
    )
    try:
        url, deadline = f"http://127.0.0.1:{port}", time.monotonic() + 120
        while True:
            assert time.monotonic() < deadline
            assert process.poll() is None
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait()


def bodies(sentences: list[str], size: int) -> list[dict[str, list[str]]]:
    return [{"texts": sentences[at : at + size]} for at in range(0, len(sentences), size)]


def throughput(url: str, sentences: list[str], size: int) -> float:
    """Sentences per second of 32 clients that send `size` sentences at a time."""
    (result,) = send(url, {"bodies": bodies(sentences, size), "clients": CLIENTS})
    assert all(status == 200 for status, _, _ in result["requests"])
    return len(sentences) / float(result["seconds"])


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def latency(url: str, sentences: list[str], rate: float) -> tuple[float, float]:
    """Median and 99th percentile, in milliseconds, at `rate` requests per second."""
    (result,) = send(url, {"bodies": bodies(sentences, 1), "rate": rate})
    times = [1000 * seconds for _, _, seconds in result["requests"]]
    return median(times), percentile(times, 0.99)


def overload(url: str, sentences: list[str], capacity: float, seconds: float) -> dict[str, float]:
    """Goodput, time of refusals and recovery at ten times the capacity.

    Refusals are timed by a second client, which sends few requests and is never late.
    """
    count = int(10 * capacity * seconds)
    many = [sentences[number % len(sentences)] for number in range(count)]
    probes = bodies(many[: int(PROBES * seconds)], 1)
    result, probed = send(
        url,
        {"bodies": bodies(many, 1), "rate": 10 * capacity},
        {"bodies": probes, "rate": PROBES},
    )
    ended = time.monotonic()
    while True:
        (probe,) = send(url, {"bodies": bodies(sentences[:4], 1), "clients": 1})
        if all(status == 200 and took < 1 for status, _, took in probe["requests"]):
            break
    recovery = time.monotonic() - ended
    good = [begin + took for status, begin, took in result["requests"] if status == 200]
    refused = [took for status, _, took in probed["requests"] if status == 503]
    return {
        "goodput": len(good) / max(good) / capacity,
        "refusal": 1000 * percentile(refused, 0.95),
        "recovery": recovery,
        "other": float(
            sum(
                status not in (200, 503)
                for each in (result, probed)
                for status, _, _ in each["requests"]
            )
        ),
    }


def draw(curves: dict[str, list[tuple[float, float, float]]], capacity: float, path: Path) -> None:
    """Draw the 99th percentile of the time of requests against their rate."""
    path.write_text(
        curve_chart(
            {
                name: [(share * capacity, min(slowest, 2_000)) for share, _, slowest in rows]
                for name, rows in curves.items()
            },
            title="Time of a request against load",
            x="requests a second, one sentence each",
            y="99th percentile, ms (2,000 and above as 2,000)",
            y_range=(0.0, 2_000.0),
        ),
        encoding="utf-8",
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--model", type=Path, help="a bundle exported to CTranslate2")
    parser.add_argument("--sentences", type=Path, help="one a line; the first 1,000 are used")
    parser.add_argument("--figure", type=Path, help="draw latency against load")
    options = parser.parse_args()
    model = options.model or trained_model()
    rounds, count, seconds = (2, 400, 4.0) if options.quick else (3, 1_000, 20.0)
    if options.sentences is None:
        sentences = read_pairs("test_2016_flickr")[0][:count]
    else:
        sentences = options.sentences.read_text(encoding="utf-8").splitlines()[:count]
    translator = Translator.load(model)
    pieces = [translator.tokenizer.pieces(text).pieces for text in sentences]
    bundle = open_bundle(model)
    names = [name for name in bundle.names if name.startswith("ctranslate2/")]
    alone = ctranslate2.Translator(
        "model",
        files={name.partition("/")[2]: bundle.read(name) for name in names},
        inter_threads=available_cores(),
        intra_threads=1,
    )
    read = [[*row, "</s>"] for row in pieces]
    search = {
        "beam_size": translator.options.beam_size,
        "length_penalty": translator.options.length_penalty,
        "max_decoding_length": max_target_length(max(map(len, read))),
    }

    def bare(size: int = 0) -> float:
        start = time.perf_counter()
        alone.translate_batch(read, max_batch_size=size or best, return_scores=True, **search)
        return len(read) / (time.perf_counter() - start)

    bare(32)
    best = max((16, 32, 64, 128), key=bare)  # the size with which CTranslate2 is fastest
    print(f"  CTranslate2 alone: batches of {best}", flush=True)
    allowed = QUEUED * bare() / CLIENTS
    several = next((size for size in SIZES if size <= allowed), SIZES[-1])

    ratios: dict[int, list[float]] = {1: [], several: []}
    rates: list[float] = []
    curves: dict[str, list[tuple[float, float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder, server(model, Path(folder)) as url:
        throughput(url, sentences[:64], 1)
        for number in range(rounds):
            for size in ratios:
                before = bare()
                found = throughput(url, sentences, size)
                ratios[size].append(2 * found / (before + bare()))
                if size == 1:
                    rates.append(found)
                print(f"  round {number}: {size} a request, {ratios[size][-1]:.2f}", flush=True)
        capacity = median(rates)
        print(f"  capacity: {capacity:.0f} sentences a second", flush=True)
        shares = (0.5, 0.9) if options.quick else SHARES
        curves["regard"] = [(share, *latency(url, sentences, share * capacity)) for share in shares]
        print(f"  {curves['regard']}", flush=True)
        flood = overload(url, sentences, capacity, seconds)
        print(f"  {flood}", flush=True)
    if not options.quick:
        for kind, name in (("one", "one at a time"), ("threads", "in threads")):
            with plain_server(model, kind) as url:
                plain = throughput(url, sentences[:300], 1)
                curves[name] = [
                    (share, *latency(url, sentences[:300], share * capacity))
                    for share in shares
                    if share * capacity < 1.1 * plain
                ]
                print(f"  {name}: {plain:.0f} a second, {curves[name]}", flush=True)
    if options.figure is not None:
        draw(curves, capacity, options.figure)
    return report(
        "serve",
        [
            Figure("throughput, 1 sentence a request, of CTranslate2", median(ratios[1]), 0.85),
            Figure(f"throughput, {several} sentences a request", median(ratios[several]), 0.85),
            Figure("goodput at ten times the capacity", flood["goodput"], 0.9),
            Figure("95th percentile of refusals, ms", flood["refusal"], 50, at_most=True),
            Figure("recovery, seconds", flood["recovery"], 2, at_most=True),
            Figure("other answers than 200 and 503", flood["other"], 0, at_most=True),
        ],
        capacity=round(capacity, 1),
        latency={name: [list(row) for row in rows] for name, rows in curves.items()},
    )


if __name__ == "__main__":
    sys.exit(main())

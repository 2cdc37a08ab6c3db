"""Prometheus metrics of the server.

Labels are routes, status codes, models and versions, never addresses, keys or texts.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.metrics_core import InfoMetricFamily
from prometheus_client.registry import Collector

from regard import __version__
from regard.serve.batcher import Batcher
from regard.serve.cache import SegmentCache
from regard.serve.models import ModelRegistry
from regard.serve.pool import WorkerPool

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SIZES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)


class ServerMetrics:
    """All metrics of one server, in a registry of their own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._labelled: dict[tuple[object, ...], Any] = {}  # to look labels up takes longer
        ProcessCollector(registry=self._registry)  # memory, descriptors and CPU of this process
        build = Info("regard_build", "The running software.", registry=self._registry)
        build.info({"version": __version__, "python": platform.python_version()})
        self.requests = self._counter("regard_requests", "Answered requests.", ["route", "status"])
        self.latency = self._histogram(
            "regard_request_seconds", "Time from a request to its answer.", _SECONDS, ["route"]
        )
        self.wait = self._histogram(
            "regard_queue_seconds", "Time a segment waits for an engine.", _SECONDS
        )
        self.engine = self._histogram(
            "regard_engine_seconds", "Time an engine takes for a batch.", _SECONDS
        )
        self.batch = self._histogram("regard_batch_segments", "Segments of a batch.", _SIZES)
        self.texts = self._counter("regard_texts", "Translated texts.", ["model"])
        self.pieces = self._counter("regard_pieces", "Pieces that engines have read.")
        self.warnings = self._counter(
            "regard_warnings", "Translations with a quality warning.", ["model"]
        )
        self.cache = self._counter("regard_cache", "Segments looked up in the cache.", ["result"])

    def count_request(self, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._with_labels(self.requests, route, str(status)).inc()
        self._with_labels(self.latency, route).observe(seconds)

    def count_lookup(self, *, hit: bool) -> None:
        """Count a segment that was looked up in the cache."""
        self._with_labels(self.cache, "hit" if hit else "miss").inc()

    def count_texts(self, model: str, texts: int, warnings: int) -> None:
        """Count translated texts, and those with warnings."""
        self._with_labels(self.texts, model).inc(texts)
        self._with_labels(self.warnings, model).inc(warnings)

    def _with_labels(self, metric: Any, *labels: str) -> Any:
        key = (metric, *labels)
        if key not in self._labelled:
            self._labelled[key] = metric.labels(*labels)
        return self._labelled[key]

    def watch(
        self,
        batcher: Batcher[Any],
        pool: WorkerPool,
        engines_ready: Callable[[], int],
        models: ModelRegistry,
        cache: SegmentCache,
    ) -> None:
        """Report the current state of the queue, the engine processes, the models and the cache."""
        for name, text, value in (
            ("regard_queue_segments", "Segments that wait.", lambda: batcher.queued),
            ("regard_queue_cost", "Pieces × beam size that wait.", lambda: batcher.queued_cost),
            ("regard_engines", "Engine processes that the server keeps.", lambda: pool.size),
            ("regard_engines_ready", "Engine processes that translate.", engines_ready),
            ("regard_engine_restarts", "Replaced engine processes.", lambda: pool.restarts),
            (
                "regard_engine_memory_bytes",
                "Resident memory of all engine processes.",
                lambda: sum(_resident_memory(worker.pid) for worker in pool.ready),
            ),
            ("regard_cache_entries", "Segments in the cache.", lambda: len(cache)),
            ("regard_cache_bytes", "Memory of the cache.", lambda: cache.used),
        ):
            Gauge(name, text, registry=self._registry).set_function(value)
        self._registry.register(_LoadedModels(models))

    def render(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)

    def _counter(self, name: str, text: str, labels: list[str] | None = None) -> Counter:
        return Counter(name, text, labels or [], registry=self._registry)

    def _histogram(
        self,
        name: str,
        text: str,
        buckets: tuple[float | int, ...],
        labels: list[str] | None = None,
    ) -> Histogram:
        return Histogram(name, text, labels or [], buckets=buckets, registry=self._registry)


class _LoadedModels(Collector):
    """The version and the engine of each model that answers requests."""

    def __init__(self, models: ModelRegistry) -> None:
        self._models = models

    def collect(self) -> Iterator[InfoMetricFamily]:
        family = InfoMetricFamily(
            "regard_model", "The loaded version of a model.", labels=["model"]
        )
        for model in self._models.models.values():
            family.add_metric([model.name], {"version": model.version, "engine": model.engine})
        yield family


def _resident_memory(pid: int) -> float:
    """Return the resident memory of a process; 0 where there is no /proc."""
    families = ProcessCollector(pid=lambda: pid, registry=None).collect()
    values = {family.name: family.samples[0].value for family in families}
    return values.get("process_resident_memory_bytes", 0.0)

"""Logs and traces of a server.

Spans are sent to a collector by OTLP over HTTP, in a thread of their own, if `regard serve` is
started with `--traces URL`. They have routes, sizes and times, never texts, keys or addresses.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from regard.errors import ConfigError

# -- the log ---------------------------------------------------------------------------------------
# One JSON object a line, without texts, keys and addresses.


LOG = logging.getLogger("regard.serve")


def log_to_stderr() -> None:
    """Write the log to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    LOG.handlers[:] = [handler]
    LOG.setLevel(logging.INFO)
    LOG.propagate = False


def log_event(**facts: str | int | float) -> None:
    """Write a line with the time and `facts`."""
    LOG.info(json.dumps({"time": round(time.time(), 3), **facts}))


# -- traces ----------------------------------------------------------------------------------------


Stages = Mapping[str, tuple[float, float]]
"""Start and end of each stage, of `time.monotonic`."""


@runtime_checkable
class RequestTracer(Protocol):
    """Receives every request when it has been answered."""

    def record(
        self,
        name: str,
        headers: Mapping[str, str],
        interval: tuple[float, float],
        attributes: Mapping[str, str | int | float],
        stages: Stages,
    ) -> None:
        """Record a request: its route, headers, start and end, facts and stages."""

    def close(self) -> None:
        """Send what has not been sent yet."""


class OpenTelemetryTracer:
    """Sends spans to the OTLP collector at `url`, such as http://localhost:4318/v1/traces."""

    def __init__(self, url: str) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
            from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
        except ImportError as error:
            raise ConfigError(
                f"--traces needs another package ({error}). Install it with "
                "`pip install 'regard[traces]'`."
            ) from None
        # `close` sends the last spans. At the exit of the process nothing waits for a collector.
        self._provider = TracerProvider(
            resource=Resource.create({"service.name": "regard"}), shutdown_on_exit=False
        )
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=url)))
        self._tracer = self._provider.get_tracer("regard.serve")
        self._propagator = TraceContextTextMapPropagator()

    def record(
        self,
        name: str,
        headers: Mapping[str, str],
        interval: tuple[float, float],
        attributes: Mapping[str, str | int | float],
        stages: Stages,
    ) -> None:
        from opentelemetry.trace import SpanKind, set_span_in_context

        shift = time.time() - time.monotonic()

        def nanoseconds(moment: float) -> int:
            return int((moment + shift) * 1e9)

        start, end = map(nanoseconds, interval)
        span = self._tracer.start_span(
            name,
            context=self._propagator.extract(dict(headers)),
            kind=SpanKind.SERVER,
            attributes=dict(attributes),
            start_time=start,
        )
        inside = set_span_in_context(span)
        for stage, (begin, finish) in stages.items():
            child = self._tracer.start_span(stage, context=inside, start_time=nanoseconds(begin))
            child.end(nanoseconds(finish))
        span.end(end)

    def close(self) -> None:
        self._provider.shutdown()

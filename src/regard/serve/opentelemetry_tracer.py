"""Send traces of requests to a collector. Needs the extra `traces`."""

from __future__ import annotations

import time
from collections.abc import Mapping

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from regard.serve.traces import Stages


class OpenTelemetryTracer:
    """Sends spans to the OTLP collector at `url`, such as http://localhost:4318/v1/traces."""

    def __init__(self, url: str) -> None:
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

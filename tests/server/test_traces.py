"""Traces reach a collector: a span for each request, with its stages, without texts."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.running_server import running_server

pytest.importorskip("opentelemetry.sdk")
pytestmark = pytest.mark.xdist_group("server")


@contextmanager
def collector() -> Iterator[tuple[str, list[Any]]]:
    """An OTLP collector: its address, and the spans that it has received."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    spans: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    spans.extend(scope.spans)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1/traces", spans
        finally:
            server.shutdown()
            thread.join()


def test_spans_of_a_request(bundle: Path) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    with collector() as (url, spans):
        with (
            running_server(f"en-de={bundle}", "--workers", "1", "--traces", url) as server,
            server.client() as client,
        ):
            client.post(
                "/v1/translate",
                json={"texts": ["A zebra runs."]},
                headers={"traceparent": f"00-{trace}-b7ad6b7169203331-01"},
            )
            assert server.stop() == 0
        by_name = {span.name: span for span in spans}
    assert by_name.keys() == {"/v1/translate", "check", "queue", "engine"}
    request = by_name["/v1/translate"]
    assert request.trace_id.hex() == trace
    for name in ("check", "queue", "engine"):
        stage = by_name[name]
        assert stage.parent_span_id == request.span_id
        assert request.start_time_unix_nano <= stage.start_time_unix_nano
        assert stage.start_time_unix_nano <= stage.end_time_unix_nano
        assert stage.end_time_unix_nano <= request.end_time_unix_nano
    attributes = {each.key for each in request.attributes}
    assert {"http.route", "http.response.status_code", "pieces", "texts"} <= attributes
    assert "zebra" not in str(spans)

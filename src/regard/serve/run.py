"""Run the server: sockets, signals, logs."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from ipaddress import ip_address
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from regard.errors import ConfigError
from regard.serve.app import make_app
from regard.serve.keys import Keyring, read_keys
from regard.serve.metrics import ServerMetrics
from regard.serve.models import ModelRegistry
from regard.serve.service import TranslationService
from regard.serve.settings import ServerSettings
from regard.serve.store_file import StoreFile
from regard.serve.traces import RequestTracer, log_to_stderr

STOP_MARGIN = (
    10  # seconds after `stop_seconds` in which the processes end and the rest is cancelled
)


def run_server(
    models: dict[str, Path],
    *,
    host: str,
    port: int,
    workers: int,
    threads: int,
    engine: str,
    settings: ServerSettings,
    keys: Path | None,
    store: Path | None,
    insecure: bool,
    traces: str | None = None,
) -> None:
    """Serve models until the process is stopped.

    Raises:
        ConfigError: The address can be reached from other machines, and no key is needed; or the
            store cannot be opened.
    """
    keyring = None if keys is None else Keyring(read_keys(keys).keys)
    loopback = _is_loopback(host)
    if not loopback and keyring is None and not insecure:
        raise ConfigError(
            f"--host {host}: anyone who reaches this address could use the server. Make a key with "
            "`regard key add NAME --keys keys.json` and pass `--keys keys.json`, or pass "
            "`--insecure`."
        )
    log_to_stderr()
    metrics = ServerMetrics()
    service = TranslationService(
        ModelRegistry(models, engine), settings, workers=workers, threads=threads, metrics=metrics
    )
    tracer = None if traces is None else _open_tracer(traces)
    app = make_app(
        service,
        keyring,
        loopback=loopback and keyring is None,
        tracer=tracer,
        store=None if store is None else StoreFile(store, settings.max_store_bytes),
    )
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=_protocol(settings.header_seconds),
        ws="none",
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=False,
        limit_concurrency=settings.max_connections,
        timeout_graceful_shutdown=settings.stop_seconds,
    )

    async def reload() -> list[str]:
        if keys is not None and keyring is not None:
            keyring.replace(read_keys(keys).keys)
        return await service.reload()

    server = _Server(config, service, reload)
    with contextlib.suppress(asyncio.CancelledError):  # stopped before it was ready
        server.run()
    if service.failure is not None:
        raise service.failure
    if not server.started and not server.should_exit:
        raise ConfigError(f"--port {port}: the server cannot listen on {host}:{port}.")


class _Server(uvicorn.Server):
    """Reloads keys and models when it receives SIGHUP, and says when it is ready."""

    def __init__(
        self,
        config: uvicorn.Config,
        service: TranslationService,
        reload: Callable[[], Awaitable[list[str]]],
    ) -> None:
        super().__init__(config)
        self.service, self.reload = service, reload
        self._tasks: list[asyncio.Future[None]] = []  # reloads, kept until they are done
        self._cancel_start: Callable[[], object] = lambda: None

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at SIGINT and SIGTERM, with exit status 0: uvicorn would raise them again."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        handlers = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop. If that takes too long, the system ends the process by SIGALRM."""
        if not self.should_exit:
            limit = self.service.settings.stop_seconds + STOP_MARGIN
            signal.setitimer(signal.ITIMER_REAL, limit)
            self._cancel_start()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: Any = None) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        if task is not None:
            self._cancel_start = lambda: loop.call_soon_threadsafe(task.cancel)
        await super().startup(sockets)
        self._cancel_start = lambda: None
        if not self.started:
            return
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(
            signal.SIGHUP, lambda: self._tasks.append(asyncio.ensure_future(self._reload()))
        )
        port = self.servers[0].sockets[0].getsockname()[1]
        names = ", ".join(self.service.registry.models)
        print(f"Serving {names} at http://{self.config.host}:{port}", file=sys.stderr, flush=True)

    async def _reload(self) -> None:
        try:
            names = await self.reload()
        except Exception as error:
            print(f"Not reloaded: {error}", file=sys.stderr, flush=True)
        else:
            print(f"Reloaded: {', '.join(names) or 'no change'}", file=sys.stderr, flush=True)


def _protocol(header_seconds: float) -> type[asyncio.Protocol]:
    """uvicorn's protocol, with a limit on the time that a request's header may take."""

    class Protocol(HttpToolsProtocol):
        _header_timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._header_timer = self.loop.call_later(header_seconds, transport.close)

        def on_message_begin(self) -> None:
            super().on_message_begin()
            if self._header_timer is None:
                self._header_timer = self.loop.call_later(header_seconds, self.transport.close)

        def on_headers_complete(self) -> None:
            self._stop_timer()
            super().on_headers_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_timer()
            super().connection_lost(exc)

        def _stop_timer(self) -> None:
            if self._header_timer is not None:
                self._header_timer.cancel()
                self._header_timer = None

    return Protocol


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _open_tracer(url: str) -> RequestTracer:
    try:
        from regard.serve.opentelemetry_tracer import OpenTelemetryTracer
    except ImportError as error:
        raise ConfigError(
            f"--traces needs another package ({error}). Install it with "
            "`pip install 'regard[traces]'`."
        ) from None
    return OpenTelemetryTracer(url)

"""`regard serve`: translate over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from regard.bounds import THREADS, WORKERS
from regard.cli.options import server_not_installed
from regard.cores import available_cores
from regard.serve.models import parse_models


def serve(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]MODEL...",
            help="Translation model bundles. A name such as en-de also gives the languages.",
        ),
    ],
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any free one.")] = 8000,
    workers: Annotated[
        int | None,
        typer.Option(
            min=WORKERS.low, max=WORKERS.high, help="Engine processes. Default: one per core."
        ),
    ] = None,
    threads: Annotated[
        int, typer.Option(min=THREADS.low, max=THREADS.high, help="Threads of each engine process.")
    ] = 1,
    engine: Annotated[
        Literal["auto", "torch", "invariant", "ctranslate2", "ctranslate2-int8"],
        typer.Option(help="Search engine. Default: CTranslate2 if the model was exported."),
    ] = "auto",
    keys: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Accept only keys of this file (see `regard key`)."),
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen on a public address without keys.")
    ] = False,
    store: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep glossaries and corrections in this file."),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Limits, in YAML (see the serving guide).")
    ] = None,
    traces: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Send OpenTelemetry traces to this OTLP collector."),
    ] = None,
) -> None:
    """Serve translation models over HTTP.

    Example: regard serve en-de=run/model
    """
    try:
        from regard.serve.run import run_server
    except ImportError as error:
        raise server_not_installed(error) from None
    from regard.serve.settings import ServerSettings

    run_server(
        parse_models(models),
        host=host,
        port=port,
        workers=workers or available_cores(),
        threads=threads,
        engine=engine,
        settings=ServerSettings() if settings is None else ServerSettings.read(settings),
        keys=keys,
        store=store,
        insecure=insecure,
        traces=traces,
    )

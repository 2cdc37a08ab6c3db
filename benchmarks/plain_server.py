"""A server as it is written in an hour, to compare with: FastAPI and CTranslate2, no queue.

    python -m benchmarks.plain_server MODEL PORT one|threads

`one` translates one request at a time. `threads` translates requests at the same time in a pool of
threads, each request by itself, which is what LibreTranslate does.
"""

from __future__ import annotations

import sys
import threading
from contextlib import nullcontext
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

from regard.tasks.translation.translator import Translator


class Texts(BaseModel):
    texts: list[str]


def make_plain_app(model: Path, kind: str) -> FastAPI:
    app, translator = FastAPI(), Translator.load(model)
    lock = threading.Lock() if kind == "one" else nullcontext()

    @app.post("/v1/translate")
    def translate(body: Texts) -> dict[str, list[str]]:
        with lock:
            return {"translations": [each.text for each in translator.translate(body.texts)]}

    return app


if __name__ == "__main__":
    folder, port, variant = sys.argv[1:]
    uvicorn.run(make_plain_app(Path(folder), variant), port=int(port), log_level="error")

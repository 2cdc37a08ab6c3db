"""Send requests to an HTTP server, as a process of its own.

    python -m benchmarks.load URL PATH < JOB.json > RESULT.json

A job has `bodies`, JSON bodies to send one after another, and either `clients`, each of which sends
its next request when the last one is answered, or `rate`, requests per second at random times,
whether or not the server keeps up. The client parses only what it needs, because it shares the
machine with the server.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit


@dataclass
class LoadResult:
    """Status, start and duration of each request, in seconds, and the answers if they are kept."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0  # of this process
    requests: list[tuple[int, float, float]] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)


class Connection:
    """A connection that is kept open."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        if self.reader is not None and self.reader.at_eof():
            self.close()  # the server has closed a connection that was idle for some seconds
        if self.writer is None or self.writer.is_closing():
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        assert self.reader is not None
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self.writer.write(head.encode() + body)
        header = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        length = header.partition(b"content-length:")[2].partition(b"\r\n")[0]
        content = await self.reader.readexactly(int(length))
        if b"connection: close" in header:
            self.close()
        return int(header[9:12]), content

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
            self.writer = None


async def send_all(url: str, path: str, job: dict[str, Any]) -> LoadResult:
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    host, port = parts.hostname, parts.port
    result, start, cpu_start = LoadResult(), time.perf_counter(), time.process_time()
    result.answers = [None] * len(job["bodies"])
    bodies = [json.dumps(body).encode() for body in job["bodies"]]
    idle: list[Connection] = []

    async def send(connection: Connection, number: int) -> None:
        begin = time.perf_counter()
        try:
            status, content = await connection.post(path, bodies[number])
        except (OSError, asyncio.IncompleteReadError):
            status, content = 0, b""
            connection.close()
        result.requests.append((status, begin - start, time.perf_counter() - begin))
        if job.get("keep") and status == 200:
            result.answers[number] = json.loads(content)

    async def client(numbers: Iterator[int]) -> None:
        connection = Connection(host, port)
        for number in numbers:
            await send(connection, number)
        connection.close()

    async def one(number: int) -> None:
        connection = idle.pop() if idle else Connection(host, port)
        await send(connection, number)
        idle.append(connection)

    if "clients" in job:
        numbers = iter(range(len(bodies)))
        await asyncio.gather(*(client(numbers) for _ in range(job["clients"])))
    else:
        draw, tasks, at = random.Random(1), [], 0.0
        for number in range(len(bodies)):
            at += draw.expovariate(job["rate"])
            await asyncio.sleep(max(0.0, start + at - time.perf_counter()))
            tasks.append(asyncio.create_task(one(number)))
        await asyncio.gather(*tasks)
    for connection in idle:
        connection.close()
    result.seconds = time.perf_counter() - start
    result.cpu_seconds = time.process_time() - cpu_start
    return result


if __name__ == "__main__":
    found = asyncio.run(send_all(sys.argv[1], sys.argv[2], json.load(sys.stdin)))
    json.dump(asdict(found), sys.stdout)

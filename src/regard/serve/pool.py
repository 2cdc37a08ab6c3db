"""Engine processes: start them, send them work, and replace those that end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from typing import Any

from regard.serve.frames import encode_frame, read_frame

START_SECONDS = 120.0  # to load all models; a process that needs longer is replaced
# One heap for all threads of an engine process: with one each, memory grows for hours, as large
# blocks are allocated in one thread and small ones between them in another.
ALLOCATOR = {"MALLOC_ARENA_MAX": "1"}
PAUSE = (0.05, 5.0)  # seconds before a process that ended is replaced: first, and at most


class WorkerEndedError(Exception):
    """The engine process ended before it answered."""


class WorkerProcess:
    """One engine process and the calls that it has not answered yet."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.process, self._reader, self._writer = process, reader, writer
        self._calls: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._numbers = count()
        self.ended = asyncio.Event()
        self._task = asyncio.create_task(self._read_answers())

    @classmethod
    async def start(cls, threads: int) -> WorkerProcess:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-m",
                    "regard.serve.worker",
                    str(theirs.fileno()),
                    pass_fds=[theirs.fileno()],
                    stdin=asyncio.subprocess.DEVNULL,
                    env={**ALLOCATOR, **os.environ, "OMP_NUM_THREADS": str(threads)},
                )
            except BaseException:
                ours.close()
                raise
        ours.setblocking(False)
        return cls(process, *await asyncio.open_unix_connection(sock=ours, limit=1 << 26))

    async def call(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Send a message and wait for its answer.

        Raises:
            WorkerEndedError: The process ended first.
        """
        if self.ended.is_set():
            raise WorkerEndedError
        number = next(self._numbers)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._calls[number] = future
        try:
            self._writer.write(encode_frame({"id": number, "do": do, "arguments": arguments}))
            return await future
        except ConnectionError:
            raise WorkerEndedError from None
        finally:
            self._calls.pop(number, None)

    async def _read_answers(self) -> None:
        while (answer := await read_frame(self._reader)) is not None:
            future = self._calls.get(answer.pop("id"))
            if future is not None and not future.done():
                future.set_result(answer)
        self.ended.set()
        for future in self._calls.values():
            if not future.done():
                future.set_exception(WorkerEndedError())

    async def stop(self) -> None:
        """Close the connection, and wait for the process to end; kill it if it does not."""
        self._writer.close()
        try:
            await asyncio.wait_for(self.process.wait(), 2)
        except TimeoutError:
            self.kill()
            await self.process.wait()
        self._task.cancel()
        self.ended.set()

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()


class WorkerPool:
    """A fixed number of engine processes.

    Args:
        size: Number of processes.
        threads: Threads of each process.
        prepare: Loads the models into a new process, given the processes in use.
        use: Gives a process work until it ends.
    """

    def __init__(
        self,
        size: int,
        threads: int,
        prepare: Callable[[WorkerProcess, Sequence[WorkerProcess]], Awaitable[None]],
        use: Callable[[WorkerProcess], Awaitable[None]],
    ) -> None:
        self.size, self.threads = size, threads
        self._prepare, self._use = prepare, use
        self.ready: list[WorkerProcess] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._started: list[WorkerProcess] = []
        self.restarts = 0

    async def start(self) -> None:
        """Start all processes, and wait until one is ready; the first error is raised."""
        first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks = [asyncio.create_task(self._keep_running(first)) for _ in range(self.size)]
        await first

    async def _keep_running(self, first: asyncio.Future[None]) -> None:
        pause = PAUSE[0]
        while True:
            worker = await WorkerProcess.start(self.threads)
            self._started.append(worker)
            try:
                await asyncio.wait_for(self._prepare(worker, self.ready), START_SECONDS)
            except Exception as error:
                worker.kill()
                if not first.done():
                    first.set_exception(error)
            else:
                self.ready.append(worker)
                pause = PAUSE[0]
                if not first.done():
                    first.set_result(None)
                use = asyncio.ensure_future(self._use(worker))
                try:
                    await worker.ended.wait()
                finally:
                    use.cancel()
                    self.ready.remove(worker)
                self.restarts += 1
            await worker.stop()
            self._started.remove(worker)
            await asyncio.sleep(pause)
            pause = min(2 * pause, PAUSE[1])

    async def stop(self) -> None:
        """End all processes."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.stop() for worker in self._started))
        self.ready.clear()

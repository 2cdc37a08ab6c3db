"""The processes of a server: how they are started, watched and stopped."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import cast

from regard.serve.frames import WorkerAnswer, describe_failure, encode_frame, read_frame
from regard.serve.traces import log_event

# -- child processes of the server, and the sockets that connect them with it ----------------------
# A child runs in its own session, so that it can be killed with the processes that it has started.
# It ends when the server closes the socket, also if the server itself was killed.


ENGINE = "regard.serve.worker"  # the module of engine processes
STOP_SECONDS = 2.0  # in which a child ends by itself; then it is killed
# One heap for all threads of an engine process: with one each, memory grows for hours, as large
# blocks are allocated in one thread and small ones between them in another.
ALLOCATOR = {"MALLOC_ARENA_MAX": "1"}


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A child process and the server's end of the socket."""

    process: asyncio.subprocess.Process
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def stop(self) -> None:
        """Close the connection, and wait for the process to end; kill it if it does not."""
        self.writer.close()
        try:
            await asyncio.wait_for(self.process.wait(), STOP_SECONDS)
        except TimeoutError:
            self.kill()
            await self.process.wait()

    def kill(self) -> None:
        """Kill the process and those that it has started."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)


async def start_child(module: str, threads: int) -> ChildProcess:
    """Run `python -m MODULE DESCRIPTOR`; the descriptor is the child's end of a socket pair."""
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                module,
                str(theirs.fileno()),
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                env={**ALLOCATOR, **os.environ, "OMP_NUM_THREADS": str(threads)},
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            raise
    ours.setblocking(False)
    connection = await asyncio.open_unix_connection(sock=ours, limit=1 << 26)
    return ChildProcess(process, *connection)


# -- pool ------------------------------------------------------------------------------------------


START_SECONDS = 120.0  # to load all models; a process that needs longer is replaced
PAUSE = (0.05, 5.0)  # seconds before a process that ended is replaced: first, and at most


class WorkerEndedError(Exception):
    """The engine process ended before it answered."""


class WorkerProcess:
    """A process, such as an engine, and the calls that it has not answered yet.

    `translated`: when it last answered with a translation.
    """

    def __init__(self, child: ChildProcess) -> None:
        self._child = child
        self._calls: dict[int, asyncio.Future[WorkerAnswer]] = {}
        self._numbers = count()
        self.ended = asyncio.Event()
        self.translated = 0.0
        self._task = asyncio.create_task(self._read_answers())

    @property
    def pid(self) -> int:
        return self._child.process.pid

    @classmethod
    async def start(cls, module: str, threads: int) -> WorkerProcess:
        return cls(await start_child(module, threads))

    async def call(self, do: str, **arguments: object) -> WorkerAnswer:
        """Send a message and wait for its answer.

        Raises:
            WorkerEndedError: The process ended first.
        """
        if self.ended.is_set():
            raise WorkerEndedError
        number = next(self._numbers)
        frame = encode_frame({"id": number, "do": do, "arguments": arguments})
        future: asyncio.Future[WorkerAnswer] = asyncio.get_running_loop().create_future()
        self._calls[number] = future
        try:
            self._child.writer.write(frame)
            return await future
        except ConnectionError:
            raise WorkerEndedError from None
        finally:
            self._calls.pop(number, None)

    async def _read_answers(self) -> None:
        """Read answers until the process ends, or sends what is not an answer."""
        try:
            while (message := await read_frame(self._child.reader)) is not None:
                answer = cast("WorkerAnswer", message)
                future = self._calls.get(answer.pop("id"))
                if future is not None and not future.done():
                    future.set_result(answer)
        except (ValueError, KeyError, AttributeError) as error:
            log_event(event="an engine process sent no answer", failure=describe_failure(error))
        finally:
            self.ended.set()
            for future in self._calls.values():
                if not future.done():
                    future.set_exception(WorkerEndedError())

    async def stop(self) -> None:
        """Close the connection, and wait for the process to end; kill it if it does not."""
        await self._child.stop()
        self._task.cancel()
        self.ended.set()

    def kill(self) -> None:
        self._child.kill()


class WorkerPool:
    """A fixed number of processes.

    Args:
        module: What a process runs.
        size: Number of processes.
        threads: Threads of each process.
        prepare: Loads the models into a new process, given the processes in use.
        use: Gives a process work until it ends. If it fails, the process is replaced.
    """

    def __init__(
        self,
        module: str,
        size: int,
        threads: int,
        prepare: Callable[[WorkerProcess, Sequence[WorkerProcess]], Awaitable[None]],
        use: Callable[[WorkerProcess], Awaitable[None]],
    ) -> None:
        self.module, self.size, self.threads = module, size, threads
        self._prepare, self._use = prepare, use
        self.ready: list[WorkerProcess] = []
        self._tasks: list[asyncio.Task[None]] = []
        self.restarts = 0

    def translating(self, seconds: float) -> list[WorkerProcess]:
        """Return the processes that have translated in the last `seconds`."""
        since = time.monotonic() - seconds
        return [worker for worker in self.ready if worker.translated >= since]

    async def start(self) -> None:
        """Start all processes, and wait until one is ready; the first error is raised."""
        first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks = [asyncio.create_task(self._keep_running(first)) for _ in range(self.size)]
        await first

    async def _keep_running(self, first: asyncio.Future[None]) -> None:
        pause = PAUSE[0]
        while True:
            try:
                worker = await self._start_worker()
            except Exception as error:
                if first.done():
                    log_event(event="no engine process", failure=describe_failure(error))
                else:
                    first.set_exception(error)
            else:
                pause = PAUSE[0]
                if not first.done():
                    first.set_result(None)
                await self._use_until_end(worker)
                self.restarts += 1
            await asyncio.sleep(pause)
            pause = min(2 * pause, PAUSE[1])

    async def _start_worker(self) -> WorkerProcess:
        """Start a process and load the models into it."""
        worker = await WorkerProcess.start(self.module, self.threads)
        try:
            await asyncio.wait_for(self._prepare(worker, self.ready), START_SECONDS)
        except BaseException:
            worker.kill()
            await worker.stop()
            raise
        worker.translated = time.monotonic()  # to load a model is also to translate with it
        self.ready.append(worker)
        return worker

    async def _use_until_end(self, worker: WorkerProcess) -> None:
        """Use a process until it ends, or until its use fails."""
        use = asyncio.ensure_future(self._use(worker))
        ended = asyncio.ensure_future(worker.ended.wait())
        try:
            await asyncio.wait({use, ended}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.ready.remove(worker)
            use.cancel()
            ended.cancel()
            await worker.stop()
        if use.done() and not use.cancelled() and (error := use.exception()) is not None:
            log_event(event="an engine process is replaced", failure=describe_failure(error))

    async def stop(self) -> None:
        """End all processes."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

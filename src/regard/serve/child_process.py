"""Child processes of the server, and the sockets that connect them with it.

A child runs in its own session, so that it can be killed with the processes that it has started.
It ends when the server closes the socket, also if the server itself was killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from dataclasses import dataclass

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

"""A way to the store that can be slowed and cut: a TCP proxy between server and emulator."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from running import listening

_CHUNK = 65_536


class Relay:
    """Passes everything on between its own port and `target` (host:port); belongs to one event loop."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._delay_s = 0.0
        self._changed = asyncio.Event()
        self._server: asyncio.Server | None = None
        self._port = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def host(self) -> str:
        """Where it listens, as host:port; the same after it was cut and opened again."""
        return f"{listening.HOST}:{self._port}"

    async def open(self) -> None:
        """Begin to take connections."""
        self._server = await asyncio.start_server(self._serve, listening.HOST, self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Break every connection at once and take no more: what has not arrived by now never will."""
        if self._server:
            self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        while self._tasks:
            await asyncio.wait(self._tasks)

    def slow_down(self, round_trip_s: float) -> None:
        """Let every byte take half of this each way, also those on their way; 0 ends it."""
        self._delay_s = round_trip_s / 2
        self._changed.set()
        self._changed = asyncio.Event()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        host, _, port = self._target.rpartition(":")
        try:
            far_reader, far_writer = await asyncio.open_connection(host, int(port))
            self._writers.add(far_writer)
            try:
                await asyncio.gather(self._carry(reader, far_writer), self._carry(far_reader, writer))
            finally:
                self._writers.discard(far_writer)
                far_writer.close()
        except OSError:
            pass  # one side is gone, so the other goes too
        finally:
            self._tasks.discard(task)
            self._writers.discard(writer)
            writer.close()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        delivering = asyncio.create_task(self._deliver(waiting, writer))
        try:
            while data := await reader.read(_CHUNK):
                waiting.put_nowait((time.monotonic(), data))
            waiting.put_nowait((time.monotonic(), b""))
            await delivering
        finally:
            delivering.cancel()

    async def _deliver(self, waiting: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
        while True:
            arrived, data = await waiting.get()
            while (left_s := arrived + self._delay_s - time.monotonic()) > 0:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), left_s)
            if not data:
                writer.close()
                return
            writer.write(data)
            await writer.drain()

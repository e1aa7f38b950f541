"""Serve a stand-in on 127.0.0.1: in a thread beside a test, or as a program of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from running.listening import listen

STARTED_WITHIN_S = 20.0
ENDED_WITHIN_S = 5.0


class DroppableProtocol(HttpToolsProtocol):
    """HTTP whose connection a handler can break before it has answered: `extensions["stand_in.drop"]`."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {"stand_in.drop": self.transport.abort}  # type: ignore[typeddict-item]


class _Server(uvicorn.Server):
    """A server that is up, and gone, as soon as it can be; uvicorn's own looks ten times a second whether it may go."""

    def __init__(self, app: ASGIApp) -> None:
        config = uvicorn.Config(
            app, http=DroppableProtocol, lifespan="off", log_config=None, access_log=False, timeout_graceful_shutdown=1
        )
        super().__init__(config)
        self.is_up = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._told = asyncio.Event()

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup(sockets)  # type: ignore[arg-type]
        self._loop = asyncio.get_running_loop()
        self.is_up.set()

    async def main_loop(self) -> None:
        # A tick is what gives answers their date.
        while not self.should_exit:
            await self.on_tick(0)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._told.wait(), 0.1)

    async def shutdown(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        if not self.force_exit:
            return await super().shutdown(sockets)  # type: ignore[arg-type]
        # Nobody waits for an answer any more. Handlers that still run are cancelled with their loop.
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.transport.abort()  # type: ignore[union-attr]

    def end_at_once(self) -> None:
        """End, whatever is still being answered; called from another thread."""
        self.should_exit = self.force_exit = True
        if self._loop is not None:  # else it has not begun
            with suppress(RuntimeError):  # it has ended by itself
                self._loop.call_soon_threadsafe(self._told.set)


@contextmanager
def serving(app: ASGIApp, listener: socket.socket | None = None) -> Iterator[str]:
    """Serve from a thread of its own, and give the base URL; without a socket that listens, on any free port."""
    listener = listener or listen(0, "port")
    server = _Server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        if not server.is_up.wait(STARTED_WITHIN_S):
            raise RuntimeError("the stand-in does not start")
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.end_at_once()
        thread.join(ENDED_WITHIN_S)
        listener.close()


def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Serve on a socket that listens until the program is told to stop."""
    with listener:
        _Server(app).run(sockets=[listener])

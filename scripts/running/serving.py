"""Serve an ASGI app on one socket of this machine until told to stop; imported under an environment with uvicorn."""

from __future__ import annotations

import asyncio
import http.client
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from command_line import Problem

READY_WITHIN_S = 20.0
REQUESTS_END_WITHIN_S = 2


class Serving(uvicorn.Server):
    """A server that is ready once `wait_until_ready` returns and ends by `stop()`."""

    def __init__(self, app: ASGIApp, listener: socket.socket) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http="switchboard.app.websocket_protocol:PromptHttp",
                ws="switchboard.app.websocket_protocol:ReadSocket",
                # Twilio's messages are short; a longer one is refused before it is read.
                ws_max_size=65_536,
                lifespan="off",
                log_config=None,
                access_log=False,
                # Whose address counts is ours to say (`SWITCHBOARD_TRUSTED_PROXIES`): a header decides nothing before.
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=REQUESTS_END_WITHIN_S,
            )
        )
        self._when_stopping: list[Callable[[], object]] = []
        self._listener = listener
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the program: they end more than this server."""
        yield

    def stop(self) -> None:
        """Finish running requests and end; asked twice, end without finishing them."""
        self.force_exit = self.should_exit
        self.should_exit = True
        for tell in self._when_stopping:
            tell()

    def on_stop(self, tell: Callable[[], object]) -> None:
        """Call `tell` as soon as somebody wants this to stop."""
        self._when_stopping.append(tell)

    async def begin(self) -> None:
        """Serve in the background and return once `GET /healthz` answers, or when asked to stop before.

        Raises:
            Problem: It does not answer.
        """
        self._task = asyncio.create_task(self.serve(sockets=[self._listener]))
        asked = asyncio.create_task(asyncio.to_thread(_health, self._listener.getsockname()))
        await asyncio.wait({self._task, asked}, timeout=READY_WITHIN_S, return_when=asyncio.FIRST_COMPLETED)
        if self.should_exit:
            return
        if not asked.done() or asked.result() != http.HTTPStatus.OK:
            raise Problem(f"GET /healthz does not answer: {asked.result() if asked.done() else 'the server ended'}.")

    async def ended(self) -> None:
        """Return when no request runs any more; raises what made the server end by itself."""
        if self._task:
            await self._task


def _health(address: tuple[str, int]) -> int | str:
    connection = http.client.HTTPConnection(*address, timeout=READY_WITHIN_S)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    finally:
        connection.close()

"""A stand-in for Google: mints tokens and speaks the Live API's messages, as a test tells it to."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import WSMsgType, web

TOKEN = "auth_tokens/abc"
SLOW_S = 120


class GeminiServer:
    """Keeps what browsers send, without their sound; of that it keeps the pieces in `audio`."""

    def __init__(self) -> None:
        self.url = ""
        self.minted: list[Any] = []
        self.tokens: list[str] = []
        self.setups: list[Any] = []
        self.received: list[Any] = []
        self.audio: list[Any] = []
        self.closed = 0
        self._socket: web.WebSocketResponse | None = None

    async def mint(self, request: web.Request) -> web.Response:
        self.minted.append(await request.json())
        return web.json_response({"name": TOKEN})

    async def live(self, request: web.Request) -> web.WebSocketResponse:
        self.tokens.append(request.query["access_token"])
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._socket = socket
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                continue
            message = json.loads(frame.data)
            if "setup" in message:
                self.setups.append(message["setup"])
                # Frames are JSON, possibly in binary ones.
                await socket.send_bytes(b'{"setupComplete": {}}')
            elif "audio" in message.get("realtimeInput", {}):
                self.audio.append(message["realtimeInput"]["audio"])
            else:
                self.received.append(message)
        self.closed += 1
        return socket

    async def send(self, **message: Any) -> None:
        """Send one message to the browser."""
        assert self._socket is not None
        await self._socket.send_str(json.dumps(message))

    async def until(self, is_so: Callable[[], Any]) -> Any:
        """Wait for something to be so, and return it."""
        async with asyncio.timeout(SLOW_S):
            while not (found := is_so()):
                await asyncio.sleep(0.01)
        return found

    async def next(self) -> Any:
        """Return the next message of the browser that was not returned yet."""
        await self.until(lambda: self.received)
        return self.received.pop(0)


@asynccontextmanager
async def serving() -> AsyncIterator[GeminiServer]:
    """Serve on this machine while the block runs."""
    found = GeminiServer()
    app = web.Application()
    app.router.add_post("/v1alpha/auth_tokens", found.mint)
    app.router.add_get("/ws/{method}", found.live)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield found
    await runner.cleanup()

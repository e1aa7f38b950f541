"""The relay's socket, message by message: what comes is read within bounds, and what goes out is taken in time."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import orjson
from starlette.websockets import WebSocket, WebSocketDisconnect

# The server that carries the socket is to be told the same, so that nothing larger is even read.
MOST_BYTES = 65_536
SENT_WITHIN_S = 10.0
_MALFORMED_IN_A_ROW = 10
_GONE = 1006


class Unwelcome(Exception):
    """The socket is closed with this code; the text is for the log."""

    POLICY, TOO_BIG, BROKEN, TRY_LATER = 1008, 1009, 1011, 1013

    def __init__(self, code: int, reason: str) -> None:
        """Keep both."""
        super().__init__(reason)
        self.code = code


class RelaySocket:
    """A socket that has been accepted."""

    def __init__(self, socket: WebSocket) -> None:
        """Speak over `socket`."""
        self._socket = socket
        self._malformed = 0

    def header(self, name: str) -> str | None:
        """Return a header of the handshake."""
        return self._socket.headers.get(name)

    async def first(self, within_s: float) -> dict[str, Any]:
        """Return the first message, which must be one.

        Raises:
            TimeoutError: None came in time.
            WebSocketDisconnect: The other side has gone.
            Unwelcome: It is too long, or no message.
        """
        message = await self._received(within_s)
        if message is None:
            raise Unwelcome(Unwelcome.POLICY, "the first message cannot be read")
        return message

    async def next(self, within_s: float) -> dict[str, Any]:
        """Return the next message; a few that cannot be read are passed over, as Twilio does with ours.

        Raises:
            TimeoutError: None came in time.
            WebSocketDisconnect: The other side has gone.
            Unwelcome: It is too long, or too many in a row were no messages.
        """
        while (message := await self._received(within_s)) is None:
            self._malformed += 1
            if self._malformed >= _MALFORMED_IN_A_ROW:
                raise Unwelcome(Unwelcome.POLICY, "too many messages in a row cannot be read")
        self._malformed = 0
        return message

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message.

        Raises:
            WebSocketDisconnect: The other side has gone, or does not read.
        """
        try:
            async with asyncio.timeout(SENT_WITHIN_S):
                await self._socket.send_text(orjson.dumps(message).decode())
        except (TimeoutError, RuntimeError):
            # Starlette says with a RuntimeError that the socket has been closed.
            raise WebSocketDisconnect(_GONE) from None

    async def close(self, code: int = 1000) -> None:
        """Close the socket, if it is open."""
        with suppress(RuntimeError, WebSocketDisconnect, TimeoutError):
            async with asyncio.timeout(SENT_WITHIN_S):
                await self._socket.close(code)

    async def _received(self, within_s: float) -> dict[str, Any] | None:
        async with asyncio.timeout(within_s):
            raw = await self._socket.receive()
        if raw["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(raw.get("code", _GONE))
        text = raw.get("text")
        data = raw.get("bytes") or b"" if text is None else text.encode("utf-8", "surrogatepass")
        if len(data) > MOST_BYTES:
            raise Unwelcome(Unwelcome.TOO_BIG, "a message is too long")
        try:
            message = orjson.loads(data)
        except ValueError:
            return None
        return message if isinstance(message, dict) else None

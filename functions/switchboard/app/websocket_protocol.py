"""How the server carries connections: `uvicorn main:app --http sockets:PromptHttp --ws sockets:ReadSocket`.

Who sends half of a request keeps a connection for as long as they like otherwise, and so does who does not read:
a server closes a connection politely, after what was written to it has been taken. An ASGI app
cannot end one any sooner than that; this can.
"""

import asyncio
import socket
import struct

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

# As long as the relay waits for one message to be taken: a peer that takes nothing for so long is not there.
READ_WITHIN_S = 10.0
# From a connection, or the first byte of its next request, to the request's last byte; no body here is over a megabyte.
SENT_WITHIN_S = 10.0
# Line and headers of one request; what Google's front end lets through is no more than that.
HEAD_BYTES = 65_536
_TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class _JoinedWrites:
    """A connection as one answer is written to it: its head goes out together with what is written right behind it.

    That is nearly always all of it, and the system takes as long for a byte as for all. Nothing is held back longer
    than until the loop's next round.
    """

    __slots__ = ("_held", "_loop", "_transport")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop, self._held = transport, loop, b""

    def write(self, data: bytes) -> None:
        if self._held:
            self._transport.write(self._held + data)
            self._held = b""
        elif data:
            self._held = data
            self._loop.call_soon(self._flush)

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._held and not self._transport.is_closing():
            self._transport.write(self._held)
        self._held = b""


class PromptHttp(HttpToolsProtocol):
    """An HTTP connection on which a request comes as a whole, in time, or which is ended."""

    _unsent: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _may_be_large = False
    _is_head = True
    _is_begun = False
    _is_ended = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timer."""
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has come, unless the head of the request does not end."""
        if self._is_ended:
            return
        # Of a head no more can be there than was received.
        self._may_be_large = self._head_bytes + len(data) > HEAD_BYTES
        if self._is_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._is_head and self._head_bytes > HEAD_BYTES:
            self._refuse(_TOO_LARGE)
        elif self._unsent is None and not self._is_ended:
            # Also before a request's first letter: line ends alone stop the server's own wait for the next one.
            is_awaited = self._head_bytes and (self.cycle is None or self.cycle.response_complete)
            if self._is_begun or is_awaited:
                self._wait()

    def on_message_begin(self) -> None:
        """Count anew; what has come as a whole when all that was received is read needs no timer."""
        super().on_message_begin()
        self._is_begun = True

    def on_headers_complete(self) -> None:
        """Answer a request whose head is not too large."""
        self._is_head, self._head_bytes = False, 0
        if self._may_be_large and self._size_of_head() > HEAD_BYTES:
            self._refuse(_TOO_LARGE)
            return
        super().on_headers_complete()
        if self.cycle is not None:
            self.cycle.transport = _JoinedWrites(self.transport, self.loop)  # type: ignore[assignment]

    def on_body(self, body: bytes) -> None:
        """Pass on a piece of a body that somebody waits for."""
        if not self._is_ended:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Wait for nothing more: from here on it is the app that takes its time."""
        self._is_head = True
        self._wait_no_more()
        if not self._is_ended:
            super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """Leave the connection to whoever carries its WebSocket."""
        self._wait_no_more()
        super().handle_websocket_upgrade()

    def _size_of_head(self) -> int:
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)

    def _wait(self) -> None:
        self._unsent = self.loop.call_later(SENT_WITHIN_S, self._refuse, _TOO_LATE)

    def _wait_no_more(self) -> None:
        self._is_begun = False
        if self._unsent is not None:
            self._unsent.cancel()
            self._unsent = None

    def _refuse(self, answer: bytes) -> None:
        """Say why, unless an answer has begun, and end the connection."""
        self._is_ended = True
        self._wait_no_more()
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(answer)
        self.transport.close()
        # Who takes nothing is not waited for.
        self.loop.call_later(1.0, self.transport.abort)


class ReadSocket(WebSocketsSansIOProtocol):
    """A WebSocket whose other side reads what is written to it, in time, or loses the connection."""

    _unread: asyncio.TimerHandle | None = None
    _closing: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """Too much is waiting to be read: from now on the other side has so long to take most of it."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(READ_WITHIN_S, self._abort)

    def resume_writing(self) -> None:
        """Most of it has been read."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def keepalive_timeout(self) -> None:
        """End a connection whose other side does not answer pings; see `_end`."""
        super().keepalive_timeout()
        self._end()

    def on_task_complete(self, task: asyncio.Task[None]) -> None:
        """End the connection, for which nobody works any more; see `_end`."""
        super().on_task_complete(task)
        self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers."""
        for timer in (self._unread, self._closing):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def _end(self) -> None:
        """Let the last words be read and answered in time, and end the connection then whether they are or not."""
        if self._closing is None and not self.disconnected:
            self._closing = self.loop.call_later(READ_WITHIN_S, self._abort)

    def _abort(self) -> None:
        # Without lingering: what the system holds for the other side would stay there for minutes otherwise.
        at_once = struct.pack("ii", 1, 0)
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        self.transport.abort()

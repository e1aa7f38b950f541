"""How the server carries WebSockets: `uvicorn main:app --ws sockets:ReadSocket`.

Who does not read keeps a connection for as long as they like otherwise: a server closes one politely, after what was
written to it has been taken (reliability row 37). An ASGI app cannot end a connection any sooner than that; this can.
"""

import asyncio
import socket
import struct

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

# As long as the relay waits for one message to be taken: a peer that takes nothing for so long is not there.
READ_WITHIN_S = 10.0


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

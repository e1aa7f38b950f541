"""A server that answers every POST with prepared bytes, in the pieces that a test chose.

Over messages in the wrong order it answers 400, as vendors do.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from stand_ins import vendor_histories

DROP = b"<drop>"
"""In a body: the connection is closed here, without an end."""


@dataclass
class Reply:
    """One answer: status, headers and the pieces of the body, each sent on its own."""

    pieces: Sequence[bytes] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class Server:
    """Keeps what it was asked; gives its replies in order, the last one again and again."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.replies = list(replies)
        self.asked: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
            self.asked.append(json.loads(await reader.readexactly(int(headers.get("content-length", 0)))))
            self.headers.append(headers)
            self.paths.append(first.split()[1])
            if refused := vendor_histories.refusal(self.paths[-1].partition("?")[0], self.asked[-1]):
                await self._answer(Reply([json.dumps({"error": {"message": refused}}).encode()], 400), writer)
                return
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
            await self._answer(reply, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, reply: Reply, writer: asyncio.StreamWriter) -> None:
        kind = "text/event-stream" if reply.status == 200 else "application/json"
        headers = {"content-type": kind, "transfer-encoding": "chunked", "connection": "close"} | reply.headers
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {reply.status} X\r\n{lines}\r\n".encode())
        for piece in reply.pieces:
            if piece == DROP:
                await writer.drain()
                return
            if piece:
                writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                await writer.drain()
                await asyncio.sleep(0)
        writer.write(b"0\r\n\r\n")
        await writer.drain()


@asynccontextmanager
async def serving(*replies: Reply) -> AsyncIterator[Server]:
    """Serve on this machine while the block runs."""
    found = Server(replies)
    server = await asyncio.start_server(found.serve, "127.0.0.1", 0)
    found.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield found


def sse(*chunks: Any, done: bool = True, line_end: str = "\n") -> bytes:
    """Return chunks as a stream of events, as OpenAI ends it."""
    parts = [c if isinstance(c, str) else json.dumps(c) for c in chunks] + (["[DONE]"] if done else [])
    return "".join(f"data: {part}{line_end}{line_end}" for part in parts).encode()


def in_pieces(body: bytes, size: int) -> list[bytes]:
    """Return a body cut into pieces of so many bytes, in the middle of whatever stands there."""
    return [body[i : i + size] for i in range(0, len(body), size)]

"""A load generator that costs little, run as a program of its own: raw sockets, one request in flight on each.

Reads one line of JSON on standard input (`Order`) and prints one: what was answered, how long it took, and how much CPU
time that cost here, so that a generator which was itself the bottleneck is not mistaken for a slow server.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from dataclasses import dataclass, field
from typing import Any

_TAIL = 300


@dataclass(frozen=True)
class Order:
    """What to send.

    Attributes:
        host: Where to.
        port: Where to.
        path: Of the POST.
        headers: Beside length and type; filled in like the body.
        body: JSON in which `%(session)s`, `%(turn)d` and `%(number)d` are filled in; a per cent sign stands twice.
        connections: How many at once.
        seconds: How long it is measured.
        warm_s: How long before that it is sent already.
        calls_a_session: After so many calls a connection begins another session.
        expected: What every answer holds.
        name: Begins the sessions' names.
    """

    host: str
    port: int
    path: str
    body: str
    connections: int
    seconds: float
    expected: str
    headers: dict[str, str] = field(default_factory=dict)
    warm_s: float = 0.5
    calls_a_session: int = 16
    name: str = "load"


class _Seen:
    def __init__(self) -> None:
        self.is_measuring = False
        self.took_s: list[float] = []
        self.failed = 0
        self.example = ""


class _Connection(asyncio.Protocol):
    """Sends the next request as soon as the last one is answered."""

    def __init__(self, order: Order, number: int, seen: _Seen) -> None:
        self._order, self._number, self._seen = order, number, seen
        self._transport: asyncio.Transport
        self._count, self._began, self._buffer, self._wanted = 0, 0.0, b"", 0
        lines = [f"POST {order.path} HTTP/1.1", f"Host: {order.host}:{order.port}", "Content-Type: application/json"]
        lines += [f"{name}: {value}" for name, value in order.headers.items()]
        self._head = "\r\n".join(lines) + "\r\nContent-Length: "
        self._fills_head = "%(" in self._head
        self._expected = order.expected.encode()
        self.ended = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._is_whole():
            return
        answer, self._buffer = self._buffer, b""
        if self._seen.is_measuring:
            self._seen.took_s.append(time.perf_counter() - self._began)
            if not answer.startswith(b"HTTP/1.1 200") or self._expected not in answer:
                self._seen.failed += 1
                self._seen.example = answer.decode(errors="replace")[:_TAIL]
        self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    def close(self) -> None:
        self._transport.close()

    def _is_whole(self) -> bool:
        head, separator, body = self._buffer.partition(b"\r\n\r\n")
        if not separator:
            return False
        if not self._wanted:
            lowered = head.lower()
            at = lowered.find(b"content-length:")
            # Without a length it is chunked, and ends with an empty chunk.
            self._wanted = int(lowered[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else -1
        is_whole = body.endswith(b"0\r\n\r\n") if self._wanted < 0 else len(body) >= self._wanted
        if is_whole:
            self._wanted = 0
        return is_whole

    def _send(self) -> None:
        session, turn = divmod(self._count, self._order.calls_a_session)
        self._count += 1
        name = f"{self._order.name}-{self._number}-{session}"
        call = {"session": name, "turn": turn + 1, "number": self._count}
        body = self._order.body % call
        head = self._head % call if self._fills_head else self._head
        self._began = time.perf_counter()
        self._transport.write(f"{head}{len(body)}\r\n\r\n{body}".encode())


async def _run(order: Order) -> dict[str, Any]:
    loop, seen = asyncio.get_running_loop(), _Seen()
    made = [
        await loop.create_connection(lambda n=n: _Connection(order, n, seen), order.host, order.port)  # type: ignore[misc]
        for n in range(order.connections)
    ]
    connections = [protocol for _, protocol in made]
    await asyncio.sleep(order.warm_s)
    seen.is_measuring = True
    began, cpu_s = time.perf_counter(), _cpu_s()
    await asyncio.wait({c.ended for c in connections}, timeout=order.seconds, return_when=asyncio.FIRST_COMPLETED)
    seen.is_measuring = False
    seconds, cpu_s = time.perf_counter() - began, _cpu_s() - cpu_s
    lost = sum(c.ended.done() for c in connections)
    for connection in connections:
        connection.close()
    took_s = sorted(seen.took_s)
    return {
        "answered": len(took_s),
        "failed": seen.failed,
        "lost": lost,
        "example": seen.example,
        "seconds": seconds,
        "cpu_s": cpu_s,
        "p50_ms": _quantile(took_s, 0.5) * 1e3,
        "p99_ms": _quantile(took_s, 0.99) * 1e3,
    }


def _quantile(ordered: list[float], part: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Carry out one order."""
    import uvloop

    print(json.dumps(uvloop.run(_run(Order(**json.loads(sys.stdin.readline()))))), flush=True)


if __name__ == "__main__":
    main()

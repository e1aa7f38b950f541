"""One HTTP request to an ASGI app in this process; standard library only, so that a fresh process can time itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

App = Callable[..., Awaitable[None]]


async def request(
    app: App, method: str, path: str, query: str = "", key: str = "", body: bytes = b""
) -> tuple[int, bytes]:
    """Return status and body of the answer; `key` is sent as a bearer token."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(b"host", b"bench"), (b"authorization", f"Bearer {key}".encode())],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])

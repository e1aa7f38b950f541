"""The first step of a trace: the request that somebody made of us, over HTTP or as a WebSocket.

Whose it is stands in its records from when that is proven (`concerns`).

Only routes are told, never an address as it was asked for: ids, tokens and numbers stand in those.
"""

from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from switchboard.contract.observability.hidden import HidingSecrets
from switchboard.contract.observability.subject import About
from switchboard.contract.observability.trace import Inside, Span, Tracer, caller_step

_FAILED = 500
# Asked for every few seconds by whoever watches over instances.
_QUIET = ("/healthz", "/health", "/readyz", "/ready", "/metrics")


class Traced:
    """Serves an app whose requests are traced."""

    def __init__(self, app: ASGIApp, tracer: Tracer) -> None:
        """Wrap the app."""
        self._app, self._tracer = app, tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        span = self._begin(scope) if scope["type"] in ("http", "websocket") else None
        if span is None:
            with About(), HidingSecrets():
                await self._app(scope, receive, send)
            return
        with Inside(span), About(), HidingSecrets():
            if not span.is_recorded:
                # What could be said of it would go nowhere.
                await self._app(scope, receive, send)
                return
            try:
                await self._app(scope, receive, _watched(send, scope, span))
            finally:
                _name(span, scope)

    def _begin(self, scope: Scope) -> Span | None:
        if scope["path"].startswith(_QUIET):
            return None
        headers = {name: value.decode("latin-1") for name, value in scope["headers"] if name in _TOLD}
        told = (headers.get(b"traceparent", ""), headers.get(b"x-cloud-trace-context", "")) if headers else None
        remote = caller_step(*told) if told is not None else None
        method = _method(scope)
        return self._tracer.begin(method, remote, {"http.request.method": method})


_TOLD = frozenset({b"traceparent", b"x-cloud-trace-context"})
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"})


def _method(scope: Scope) -> str:
    # A WebSocket begins as a GET; whatever else is no method of HTTP may be any text.
    method = scope.get("method", "GET")
    return method if method in _METHODS else "_OTHER"


def _watched(send: Send, scope: Scope, span: Span) -> Send:
    async def watched(message: Message) -> None:
        kind = message["type"]
        if kind == "http.response.start":
            span.note("http.response.status_code", message["status"])
            if message["status"] >= _FAILED:
                _name(span, scope)
                span.end(str(message["status"]))
        elif kind == "websocket.accept":
            # It may stay open for hours, and what happens meanwhile is found by this step all the same.
            _name(span, scope)
            span.end()
        await send(message)

    return watched


def _name(span: Span, scope: Scope) -> None:
    """Name the step by its route, once routing has found one."""
    if "endpoint" not in scope:
        return
    route = _route(scope["path"], scope.get("path_params") or {})
    span.rename(f"{_method(scope)} {route}")
    span.note("http.route", route)


def _route(path: str, params: dict[str, Any]) -> str:
    names = {str(value): name for name, value in params.items()}
    return "/".join(f"{{{names[part]}}}" if part in names else part for part in path.split("/"))

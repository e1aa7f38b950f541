"""How routes become apps: every function under its path, and the errors that all of them answer alike."""

import asyncio
import gc
import logging
import re
from functools import cache
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from switchboard.app.settings import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator

    from starlette.responses import Response
    from starlette.routing import BaseRoute

    Endpoint = Callable[[Request], Awaitable[Response]]

log = logging.getLogger(__name__)

FUNCTIONS = (
    "tools",
    "phone",
    "portal",
    "browser_voice",
    "api",
    "mcp",
    "admin",
    "tts_admin",
    "tasks",
    "metrics",
    "healthz",
)
"""Every Cloud Function, by the first segment of its path."""


_SETTING = re.compile(r"(?<![A-Z0-9_])[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8}")
_PAGES = ("portal", "browser_voice")
_PAGE_PATHS = tuple(f"/{name}/" for name in _PAGES)
# How long a browser need not ask again whether it may; no browser believes more than two hours.
_ASKED_AGAIN_S = 7_200
_AT_ROOT = frozenset({"/healthz/health", "/healthz/readyz", "/healthz/ready"})
"""Of the function `healthz`: what under its name would be these stands at the root."""


class Lifespan(Protocol):
    """What is opened before the first request and closed after the last."""

    async def open(self) -> None:
        """Connect."""

    async def close(self) -> None:
        """Let go of connections."""


def serving(routes: "Iterable[BaseRoute]") -> ASGIApp:
    """Return the app of some routes.

    A request to a path that stands among them letter for letter goes to its endpoint at once: looking through routes,
    and the layers around each, take longer than most answers. What it comes to is the same either way.
    """
    from switchboard.channels.http.answer import HANDLERS

    routes = list(routes)
    general, endpoints = Starlette(routes=routes, exception_handlers=HANDLERS), _endpoints(routes)
    kinds = (kind for kind in HANDLERS if isinstance(kind, type) and issubclass(kind, Exception))
    handled: tuple[type[Exception], ...] = (HTTPException, *kinds)

    async def at_once(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            answer: ASGIApp = await scope["endpoint"](Request(scope, receive, send))
        except handled as error:
            # As if that layer had been around it from the beginning.
            answer = ExceptionMiddleware(_raising(error), handlers=HANDLERS)
        await answer(scope, receive, send)

    direct = ServerErrorMiddleware(at_once)

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        # Under a root path, what is asked for is only a part of the path.
        is_plain = scope["type"] == "http" and not scope.get("root_path")
        endpoint = endpoints.get((scope["method"], scope["path"])) if is_plain else None
        if endpoint is None:
            await general(scope, receive, send)
            return
        scope.update(endpoint=endpoint, path_params={}, app=general)
        await direct(scope, receive, send)

    return served


def when_asked(build: "Callable[[], ASGIApp]", load: "Callable[[], object]") -> ASGIApp:
    """Return an app that is built, and loads what it is made of, when it is first asked for something.

    Args:
        build: Makes it, of what is loaded.
        load: Imports that, in a thread: it may take a second, in which calls on this instance go on.
    """
    built = cache(build)

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        if not built.cache_info().currsize:
            await asyncio.to_thread(load)
        await built()(scope, receive, send)

    return served


def _endpoints(routes: "Iterable[BaseRoute]") -> "dict[tuple[str, str], Endpoint | None]":
    """Return the endpoints of paths without parameters, by method and path, that no earlier route would answer."""
    endpoints: dict[tuple[str, str], Endpoint | None] = {}
    patterns = []
    for route in routes:
        if isinstance(route, WebSocketRoute):
            continue
        if isinstance(route, Mount):
            patterns.append(route.path_regex)
            continue
        if not isinstance(route, Route):
            # Nothing is known of what it would answer.
            break
        if route.param_convertors:
            patterns.append(route.path_regex)
        elif not any(pattern.match(route.path) for pattern in patterns):
            endpoint = route.endpoint if iscoroutinefunction(route.endpoint) else None
            for method in route.methods or ():
                endpoints.setdefault((method, route.path), endpoint)
    return endpoints


def _raising(error: Exception) -> ASGIApp:
    async def raising(scope: Scope, receive: Receive, send: Send) -> None:
        raise error

    return raising


def opened_to(origin: str, served: ASGIApp, name: str = "") -> ASGIApp:
    """Return the app, of which pages of one other origin may use the portal and browser voice.

    What such a page asks it for carries a bearer token of its own; no cookie, nor anything else that a browser sends by
    itself, counts there. Without an origin nobody else may.

    Args:
        origin: The origin of the pages.
        served: The app.
        name: The function that it is, whose paths may come without their first segment; empty for all of them.
    """
    if not origin:
        return served
    from starlette.middleware.cors import CORSMiddleware

    opened = CORSMiddleware(
        served,
        allow_origins=[origin],
        allow_methods=["GET", "POST"],
        allow_headers=["Authorization", "Content-Type"],
        max_age=_ASKED_AGAIN_S,
    )

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        is_of_pages = scope["type"] == "http" and (name in _PAGES or scope["path"].startswith(_PAGE_PATHS))
        await (opened if is_of_pages else served)(scope, receive, send)

    return answering


def under(prefix: str, routes: "Iterable[BaseRoute]") -> "Iterator[BaseRoute]":
    """Yield routes below a prefix; the route of the prefix itself with and without a slash at its end.

    Routes of well-known addresses (RFC 8615) stay at the root, where alone anybody looks for them, and so does
    `/health` and `/ready` of the function `healthz`.
    """
    for route in routes:
        if isinstance(route, Route) and (route.path.startswith("/.well-known/") or prefix + route.path in _AT_ROOT):
            yield route
        elif isinstance(route, WebSocketRoute):
            yield WebSocketRoute(prefix + route.path, route.endpoint)
        elif isinstance(route, Mount):
            yield Mount(prefix + route.path, route.app)
        elif isinstance(route, Route):
            path = prefix + (route.path if route.path != "/" else "")
            yield Route(path, route.endpoint, methods=list(route.methods or ()))
            if route.path == "/":
                yield Route(f"{path}/", route.endpoint, methods=list(route.methods or ()))


def unconfigured(error: ConfigurationError) -> ASGIApp:
    """Return what answers of health where nothing else can be served: the process lives, and is not ready.

    Which settings are meant is told, and what is wrong with them stands in the log: a value may be nobody's to know.
    """
    from switchboard.channels.http.answer import json_answer
    from switchboard.channels.http.readiness import READY_PATHS, ready_answer

    log.error("nothing can be served", extra={"pii.reason": str(error)})
    names = ", ".join(dict.fromkeys(_SETTING.findall(str(error)))) or "the environment"
    reason = f"The settings are not in order ({names}); the log says what is wrong with them and what would be right."

    async def lives(request: Request) -> "Response":
        return json_answer(b'{"status":"unconfigured"}')

    async def ready(request: Request) -> "Response":
        return ready_answer((reason,))

    below = [Route(path, ready) for path in READY_PATHS]
    return Starlette(routes=[*(Route(path, lives) for path in ("/", "/health", "/healthz")), *below])


async def lifespan(opened: "Callable[[], Lifespan]", receive: Receive, send: Send) -> None:
    """Open it before the first request, or say why it cannot be; close it after the last."""
    await receive()
    try:
        await opened().open()
    except ConfigurationError as error:
        await send({"type": "lifespan.startup.failed", "message": str(error)})
        return
    # What is there now stays. Whenever the collector looked through it again, every caller would wait for it: 140 ms.
    gc.collect()
    gc.freeze()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await opened().close()
    await send({"type": "lifespan.shutdown.complete"})

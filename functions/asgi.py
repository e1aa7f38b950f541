"""How routes become apps: every function under its path, and the errors that all of them answer alike."""

from typing import TYPE_CHECKING, Protocol

from starlette.applications import Starlette
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Send

from configuration import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from starlette.routing import BaseRoute


class Opened(Protocol):
    """What is opened before the first request and closed after the last."""

    async def open(self) -> None:
        """Connect."""

    async def close(self) -> None:
        """Let go of connections."""


def serving(routes: "Iterable[BaseRoute]") -> ASGIApp:
    """Return the app of some routes."""
    from switchboard.channels.answer import HANDLERS

    return Starlette(routes=list(routes), exception_handlers=HANDLERS)


def under(prefix: str, routes: "Iterable[BaseRoute]") -> "Iterator[BaseRoute]":
    """Yield routes below a prefix; the route of the prefix itself with and without a slash at its end."""
    for route in routes:
        if isinstance(route, WebSocketRoute):
            yield WebSocketRoute(prefix + route.path, route.endpoint)
        elif isinstance(route, Route):
            path = prefix + (route.path if route.path != "/" else "")
            yield Route(path, route.endpoint, methods=list(route.methods or ()))
            if route.path == "/":
                yield Route(f"{path}/", route.endpoint, methods=list(route.methods or ()))


async def lifespan(house: "Callable[[], Opened]", receive: Receive, send: Send) -> None:
    """Open the house before the first request, or say why it cannot be; close it after the last."""
    await receive()
    try:
        await house().open()
    except ConfigurationError as error:
        await send({"type": "lifespan.startup.failed", "message": str(error)})
        return
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await house().close()
    await send({"type": "lifespan.shutdown.complete"})

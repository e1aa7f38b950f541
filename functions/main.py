"""The Cloud Functions, by name; each answers as an ASGI app, and `app` serves them all in one process.

Importing this module does nothing but define: no file, no network, no environment is read until the first request (or
the server's start).
"""

from typing import Any

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from switchboard.app.asgi import lifespan
from switchboard.app.container import container, health


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve every function in one process, as ASGI (`uvicorn main:app`, Cloud Run)."""
    if scope["type"] == "lifespan":
        return await lifespan(container, receive, send)
    served = container().app
    container().watched()
    await served(scope, receive, send)


async def tools(request: Request) -> Any:
    """Cloud Function: the tools a business offers, and their execution."""
    return container().watched().function("tools")


async def phone(request: Request) -> Any:
    """Cloud Function: what Twilio asks while a phone call goes on; the WebSocket needs `app`."""
    return container().watched().function("phone")


async def portal(request: Request) -> Any:
    """Cloud Function: the portal's chat and its page."""
    return container().watched().function("portal")


async def browser_voice(request: Request) -> Any:
    """Cloud Function: speech through a browser."""
    return container().watched().function("browser_voice")


async def admin(request: Request) -> Any:
    """Cloud Function: what owners see and do."""
    return container().watched().function("admin")


async def tts_admin(request: Request) -> Any:
    """Cloud Function: the policies and FAQs that owners write (seed 000)."""
    return container().watched().function("tts_admin")


async def api(request: Request) -> Any:
    """Cloud Function: the tools that owners make themselves, and what voice platforms ask of them (seed 002)."""
    return container().watched().function("api")


async def mcp(request: Request) -> Any:
    """Cloud Function: a business's tools as a server of the Model Context Protocol."""
    return container().watched().function("mcp")


async def healthz(request: Request) -> Any:
    """Cloud Function: whether this deployment serves, and if it cannot, why."""
    return health()


async def metrics(request: Request) -> Any:
    """Cloud Function: what this deployment has measured; each instance tells its own."""
    return container().watched().function("metrics")


async def tasks(request: Request) -> Any:
    """Cloud Function: background work, for a scheduler or a task queue."""
    return container().watched().function("tasks")

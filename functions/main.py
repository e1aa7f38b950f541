"""The electrician: reads the configuration once, builds everything, and names the Cloud Functions.

Importing this module does nothing but define: no file, no network, no environment is read until the first request (or
the server's start). Each function below is one Cloud Function and returns the ASGI app that answers; `app` serves them
all in one process.
"""

import asyncio
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

if TYPE_CHECKING:
    from switchboard.catalog.catalog import Catalog
    from switchboard.contract.ports import Store
    from switchboard.pipeline.dispatch import Dispatcher

REGISTRY = Path(__file__).with_name("tool_registry.json")


class ConfigurationError(Exception):
    """The configuration cannot work; the text names the variable and the remedy."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the environment says, read once.

    Attributes:
        store: `memory`, `emulator` or `firestore`.
        project: The Google Cloud project (also names the emulator's data).
        database: The Firestore database, None for the default one.
        emulator_host: `host:port` of the emulator, None elsewhere.
    """

    store: str
    project: str
    database: str | None
    emulator_host: str | None


def read_configuration(environ: Mapping[str, str]) -> Configuration:
    """Return the configuration that the environment describes.

    Raises:
        ConfigurationError: Something is missing or contradictory.
    """
    project = environ.get("GOOGLE_CLOUD_PROJECT") or environ.get("GCLOUD_PROJECT") or ""
    emulator_host = environ.get("FIRESTORE_EMULATOR_HOST") or None
    if emulator_host and emulator_host.rpartition(":")[2].isdigit() is False:
        raise ConfigurationError(f"FIRESTORE_EMULATOR_HOST is {emulator_host!r}; write it as host:port.")
    store = "emulator" if emulator_host else "firestore" if project else "memory"
    if store == "memory" and environ.get("K_SERVICE"):
        # A deployed function would otherwise keep every booking in one instance's memory.
        raise ConfigurationError("GOOGLE_CLOUD_PROJECT is not set; set it to the project that holds Firestore.")
    if store == "firestore":
        for name in ("SWITCHBOARD_DEMO_KEY", "SWITCHBOARD_DEMO_TWILIO_TOKEN", "SWITCHBOARD_DEMO_OWNER_TOKEN"):
            if environ.get(name):
                raise ConfigurationError(f"{name} is for local running only; unset it to use a real Firestore.")
    return Configuration(
        store=store,
        project=project or "demo-switchboard",
        database=environ.get("FIRESTORE_DATABASE") or None,
        emulator_host=emulator_host,
    )


class SystemClock:
    """The machine's time."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""
        return time.monotonic()


@dataclass(frozen=True, slots=True)
class House:
    """Everything, built and joined.

    Attributes:
        functions: One ASGI app per Cloud Function, by its name.
        app: All of them under their paths.
    """

    configuration: Configuration
    store: "Store"
    catalog: "Catalog"
    dispatcher: "Dispatcher"
    functions: Mapping[str, ASGIApp]
    app: ASGIApp
    _background: list[asyncio.Task[None]] = field(default_factory=list, repr=False)

    async def open(self) -> None:
        """Connect, and attend to calls whose instances died; for servers that live longer than a request."""
        from switchboard.pipeline.reaper import reap

        # A first call over a cold connection takes over a second; it is made before anyone waits for it.
        await self.catalog.definitions.current()
        self._background.append(asyncio.create_task(reap(self.dispatcher)))

    async def close(self) -> None:
        """Let unfinished actions end and let go of connections."""
        from switchboard.pipeline.deadline import outlived

        for task in self._background:
            task.cancel()
        await outlived()
        await self.store.close()


def open_store(configuration: Configuration) -> "Store":
    """Return the store that the configuration names; nothing is connected before it is used."""
    if configuration.store == "memory":
        from switchboard.state.memory import MemoryStore

        return MemoryStore()
    from switchboard.state.firestore import FirestoreStore

    return FirestoreStore(configuration.project, configuration.database, configuration.emulator_host)


def build(configuration: Configuration, store: "Store | None" = None) -> House:
    """Build the house. What is heavy is imported here, not when this module is."""
    from switchboard.admin import http as admin_http
    from switchboard.catalog.catalog import Catalog
    from switchboard.catalog.definitions import Definitions
    from switchboard.catalog.registry import Registry
    from switchboard.catalog.sessions import Sessions
    from switchboard.channels import health, heard, metrics, tools_api
    from switchboard.channels.answer import refusal
    from switchboard.channels.credentials import Credentials, owner_of
    from switchboard.desk.desk import open_desk
    from switchboard.pipeline.breaker import Breakers
    from switchboard.pipeline.dispatch import Dispatcher
    from switchboard.pipeline.ledger import Ledger
    from switchboard.pipeline.meter import Meter
    from switchboard.pipeline.proposal import Approvals
    from switchboard.state.paths import FirestorePaths

    clock, paths = SystemClock(), FirestorePaths()
    store = store or open_store(configuration)
    definitions = Definitions(store, paths, Registry.load(REGISTRY), clock)
    meter, breakers = Meter(clock), Breakers(clock)
    sessions = Sessions(store, paths, definitions, clock)
    catalog = Catalog(store, paths, definitions, sessions, clock, breakers.circuits_of)
    dispatcher = Dispatcher(catalog, Ledger(store, paths), open_desk(store, clock), paths, clock, meter, breakers)
    credentials = Credentials(store, paths, clock)
    hearing = heard.endpoint(catalog, Approvals(store, paths), credentials, clock)
    routes = {
        "tools": [*tools_api.routes(catalog, dispatcher, credentials), Route("/heard", hearing, methods=["POST"])],
        "admin": admin_http.routes(store, paths, owner_of(credentials), refusal),
        "metrics": metrics.routes(meter),
        "healthz": health.routes(definitions, configuration.store),
    }
    return House(
        configuration=configuration,
        store=store,
        catalog=catalog,
        dispatcher=dispatcher,
        # A Cloud Function sees its path with or without its own name in front, depending on the URL it is called by.
        functions={name: _serving(_under(f"/{name}", own) + own) for name, own in routes.items()},
        app=_serving([route for name, own in routes.items() for route in _under(f"/{name}", own)]),
    )


def _serving(routes: list[Route]) -> ASGIApp:
    from switchboard.channels.answer import HANDLERS

    return Starlette(routes=routes, exception_handlers=HANDLERS)


def _under(prefix: str, routes: list[Route]) -> list[Route]:
    return [Route(prefix + r.path.rstrip("/"), r.endpoint, methods=list(r.methods or ())) for r in routes]


_house: House | None = None


def house() -> House:
    """Return this process's house, building it at the first call.

    Raises:
        ConfigurationError: The environment does not describe one.
    """
    global _house
    if _house is None:
        _house = build(read_configuration(os.environ))
    return _house


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve every function in one process, as ASGI (`uvicorn main:app`, Cloud Run)."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
        return
    await house().app(scope, receive, send)


async def _lifespan(receive: Receive, send: Send) -> None:
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


async def tools(request: Request) -> Any:
    """Cloud Function: the tools a business offers, and their execution."""
    return house().functions["tools"]


async def admin(request: Request) -> Any:
    """Cloud Function: what owners see and do."""
    return house().functions["admin"]


async def healthz(request: Request) -> Any:
    """Cloud Function: whether this deployment serves."""
    return house().functions["healthz"]


async def metrics(request: Request) -> Any:
    """Cloud Function: what this deployment has measured; each instance tells its own."""
    return house().functions["metrics"]

"""The electrician: reads the configuration once, builds everything, and names the Cloud Functions.

Importing this module does nothing but define: no file, no network, no environment is read until the first request (or
the server's start). Each function below is one Cloud Function and returns the ASGI app that answers; `app` serves them
all in one process.
"""

import asyncio
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from configuration import Configuration, ConfigurationError, read_configuration, require_serving
from outside import Outside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from starlette.routing import BaseRoute

    from switchboard.catalog.catalog import Catalog
    from switchboard.channels.credentials import Credentials
    from switchboard.channels.tasks import Task
    from switchboard.contract.ports import Store
    from switchboard.conversation.conversations import Conversations
    from switchboard.conversation.interactions import Interactions
    from switchboard.conversation.parts import Parts
    from switchboard.desk.desk import Desk
    from switchboard.pipeline.breaker import Breakers
    from switchboard.pipeline.dispatch import Dispatcher
    from switchboard.pipeline.meter import Meter
    from switchboard.pipeline.proposal import Approvals
    from talking import Talking

REGISTRY = Path(__file__).with_name("tool_registry.json")


FUNCTIONS = ("tools", "phone", "portal", "browser_voice", "admin", "tasks", "metrics", "healthz")


class House(Outside):
    """Everything, built and joined, each part when it is first needed: a Cloud Function imports only what it serves."""

    def __init__(self, configuration: Configuration, store: "Store | None" = None) -> None:
        """Build nothing yet.

        Raises:
            ConfigurationError: Something that serving needs is missing.
        """
        require_serving(configuration)
        super().__init__(configuration, store)
        self._served: dict[str, ASGIApp] = {}
        self._background: list[asyncio.Task[None]] = []

    @cached_property
    def desk(self) -> "Desk":
        """What a receptionist knows how to do."""
        from switchboard.desk.desk import open_desk
        from switchboard.desk.stop_words import STOP_WORDS
        from switchboard.integrations.embeddings.choice import Endpoints, open_embedder

        own = self.configuration
        endpoints = Endpoints(own.openai_url, own.openai_key, own.gemini_url, own.gemini_key)
        return open_desk(
            self.store,
            self.clock,
            self.calendars,
            self.phones,
            self.mailers,
            open_embedder(own.embeddings, self.http, endpoints, STOP_WORDS),
            actions=self.actions,
            egress=self.egress,
            secrets=self.secrets,
            key=own.signing_key,
            public_url=own.public_url or "",
        )

    @cached_property
    def catalog(self) -> "Catalog":
        """What is offered."""
        from switchboard.catalog.catalog import Catalog
        from switchboard.catalog.definitions import Definitions
        from switchboard.catalog.registry import Registry
        from switchboard.catalog.sessions import Sessions

        definitions = Definitions(self.store, self.paths, Registry.load(REGISTRY), self.clock)
        sessions = Sessions(self.store, self.paths, definitions, self.clock)
        return Catalog(self.store, self.paths, definitions, sessions, self.clock, self.breakers.circuits_of)

    @cached_property
    def breakers(self) -> "Breakers":
        """Which integrations are left alone for a moment."""
        from switchboard.pipeline.breaker import Breakers

        return Breakers(self.clock)

    @cached_property
    def meter(self) -> "Meter":
        """What has been measured."""
        from switchboard.pipeline.meter import Meter

        return Meter(self.clock)

    @cached_property
    def dispatcher(self) -> "Dispatcher":
        """The one way in which a tool is called."""
        from switchboard.pipeline.dispatch import Dispatcher
        from switchboard.pipeline.ledger import Ledger
        from switchboard.pipeline.reauth import Reauthorisation

        return Dispatcher(
            self.catalog,
            Ledger(self.store, self.paths),
            self.desk,
            self.paths,
            self.clock,
            self.meter,
            self.breakers,
            Reauthorisation(self.store, self.paths, self.catalog.forget),
        )

    @cached_property
    def credentials(self) -> "Credentials":
        """Who may ask."""
        from switchboard.channels.credentials import Credentials

        return Credentials(self.store, self.paths, self.clock)

    @cached_property
    def approvals(self) -> "Approvals":
        """What callers have agreed to."""
        from switchboard.pipeline.proposal import Approvals

        return Approvals(self.store, self.paths)

    @cached_property
    def interactions(self) -> "Interactions":
        """The records that calls and chats leave."""
        from switchboard.conversation.interactions import Interactions

        return Interactions(self.store, self.paths, self.clock)

    @cached_property
    def conversation_parts(self) -> "Parts":
        """What every conversation works with."""
        from switchboard.catalog.prompts import Prompts
        from switchboard.conversation.claim_guard import ClaimGuards
        from switchboard.conversation.measured import measured
        from switchboard.conversation.parts import join

        registry = self.catalog.definitions.registry
        parts = join(
            self.open_model(list(registry.tools.values())),
            self.catalog,
            self.dispatcher,
            self.approvals,
            self.clock,
            Prompts(self.store, self.paths, registry.prompts, self.clock).system,
            ClaimGuards(self.clock, [tool.definition for tool in registry.tools.values()]),
            self.interactions.recorder,
        )
        return measured(parts, self.meter, self.clock)

    @cached_property
    def conversations(self) -> "Conversations":
        """The conversations that this process carries."""
        from switchboard.conversation.conversations import Conversations

        return Conversations(self.conversation_parts, self.interactions)

    @cached_property
    def passes(self) -> "Mapping[str, Task]":
        """The work that goes on behind the calls, one pass of each by its name."""
        from switchboard.desk.outbox import Outbox
        from switchboard.desk.unfinished import UnfinishedBookings
        from switchboard.pipeline.reaper import passes

        bookings = UnfinishedBookings(self.store, self.paths, self.desk.bookings.saga)
        outbox = Outbox(self.store, self.paths, self.desk.texts, self.mailers, self.clock)
        return passes(self.dispatcher, lambda: bookings.recover(self.clock.now()), outbox.drain)

    def routes(self, name: str) -> list["BaseRoute"]:
        """Return the routes of a function, without its path prefix."""
        return list(getattr(self, f"_{name}_routes")())

    def function(self, name: str) -> ASGIApp:
        """Return a Cloud Function's app."""
        if name not in self._served:
            own = self.routes(name)
            # It sees its path with or without its own name in front, depending on the URL it is called by.
            self._served[name] = _serving([*_under(f"/{name}", own), *own])
        return self._served[name]

    @cached_property
    def app(self) -> ASGIApp:
        """Every function under its path, and the WebSocket that Cloud Functions cannot carry."""
        return _serving([route for name in FUNCTIONS for route in _under(f"/{name}", self.routes(name))])

    def _tools_routes(self) -> "Iterable[BaseRoute]":
        from switchboard.channels import heard, tools_api

        hearing = heard.endpoint(self.catalog, self.approvals, self.credentials, self.clock)
        own = tools_api.routes(self.catalog, lambda: self.dispatcher, self.credentials, _caller_number)
        return [*own, Route("/heard", hearing, methods=["POST"])]

    @cached_property
    def _talking(self) -> "Talking":
        from talking import Talking

        return Talking(self)

    def _phone_routes(self) -> "Iterable[BaseRoute]":
        return self._talking.phone_routes()

    def _portal_routes(self) -> "Iterable[BaseRoute]":
        return self._talking.portal_routes()

    def _browser_voice_routes(self) -> "Iterable[BaseRoute]":
        return self._talking.browser_voice_routes()

    def _admin_routes(self) -> "Iterable[BaseRoute]":
        from switchboard.admin import google_connection_routes, http
        from switchboard.admin.google_connection import GoogleConnection
        from switchboard.channels.answer import refusal
        from switchboard.channels.credentials import owner_of
        from switchboard.integrations.google_calendar.consent import GoogleConsent

        owner, connection = owner_of(self.credentials), None
        if self.google is not None:
            consent = GoogleConsent(self.google, self.secrets)
            connection = GoogleConnection(self.store, self.paths, consent, self.clock, self.catalog.forget)
        own = http.routes(self.store, self.paths, owner, refusal)
        return [*own, *google_connection_routes.routes(connection, owner, refusal)]

    def _tasks_routes(self) -> "Iterable[BaseRoute]":
        from switchboard.channels import tasks

        return tasks.routes(self.passes, self.credentials, self.configuration.task_token)

    def _metrics_routes(self) -> "Iterable[BaseRoute]":
        from switchboard.channels import metrics

        return metrics.routes(self.meter)

    def _healthz_routes(self) -> "Iterable[BaseRoute]":
        from switchboard.channels import health

        return health.routes(self.catalog.definitions, self.configuration.store)

    async def open(self) -> None:
        """Connect, and attend to what dead instances left behind; for servers that live longer than a request."""
        from switchboard.pipeline.reaper import reap

        # A first call over a cold connection takes over a second; it is made before anyone waits for it.
        await self.catalog.definitions.current()
        self._background += [asyncio.create_task(work) for work in (reap(self.passes), self._warm())]

    async def _warm(self) -> None:
        """Load what is slow to load, while nobody waits for it."""
        await self.desk.knowledge.warm()
        await self.calendars.warm()

    async def close(self) -> None:
        """Let unfinished actions end and let go of connections."""
        from switchboard.pipeline.deadline import outlived

        for task in self._background:
            task.cancel()
        if "conversations" in self.__dict__:
            await self.conversations.close()
        await outlived()
        await self.phones.close()
        await self.egress.close()
        await self.http.close()
        await self.store.close()


def build(configuration: Configuration, store: "Store | None" = None) -> House:
    """Return a house over a store, its own one where none is given.

    Raises:
        ConfigurationError: Something that serving needs is missing.
    """
    return House(configuration, store)


def _caller_number(text: str | None) -> str | None:
    from switchboard.desk.phone import caller_number

    return caller_number(text)


def _serving(routes: "Iterable[BaseRoute]") -> ASGIApp:
    from switchboard.channels.answer import HANDLERS

    return Starlette(routes=list(routes), exception_handlers=HANDLERS)


def _under(prefix: str, routes: "Iterable[BaseRoute]") -> "Iterator[BaseRoute]":
    for route in routes:
        if isinstance(route, WebSocketRoute):
            yield WebSocketRoute(prefix + route.path, route.endpoint)
        elif isinstance(route, Route):
            path = prefix + (route.path if route.path != "/" else "")
            yield Route(path, route.endpoint, methods=list(route.methods or ()))
            if route.path == "/":
                yield Route(f"{path}/", route.endpoint, methods=list(route.methods or ()))


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
    return house().function("tools")


async def phone(request: Request) -> Any:
    """Cloud Function: what Twilio asks while a phone call goes on; the WebSocket needs `app`."""
    return house().function("phone")


async def portal(request: Request) -> Any:
    """Cloud Function: the portal's chat and its page."""
    return house().function("portal")


async def browser_voice(request: Request) -> Any:
    """Cloud Function: speech through a browser."""
    return house().function("browser_voice")


async def admin(request: Request) -> Any:
    """Cloud Function: what owners see and do."""
    return house().function("admin")


async def healthz(request: Request) -> Any:
    """Cloud Function: whether this deployment serves."""
    return house().function("healthz")


async def metrics(request: Request) -> Any:
    """Cloud Function: what this deployment has measured; each instance tells its own."""
    return house().function("metrics")


async def tasks(request: Request) -> Any:
    """Cloud Function: background work, for a scheduler or a task queue."""
    return house().function("tasks")

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

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from switchboard.app.asgi import FUNCTIONS, lifespan, opened_to, serving, under
from switchboard.app.clients import Outside
from switchboard.app.settings import Configuration, read_configuration, require_serving

if TYPE_CHECKING:
    import logging
    from collections.abc import Iterable, Mapping

    from starlette.routing import BaseRoute

    from switchboard.admin.api.openapi import Surface
    from switchboard.app.admin_app import Owning
    from switchboard.app.channel_app import Talking
    from switchboard.app.telemetry import Telemetry
    from switchboard.catalog.offer.catalog import Catalog
    from switchboard.channels.http.accounts import Accounts
    from switchboard.channels.http.credentials import Credentials
    from switchboard.channels.http.tasks import Task
    from switchboard.contract.context import Context
    from switchboard.contract.ports import Store
    from switchboard.contract.response import ToolResponse
    from switchboard.desk.services import Desk
    from switchboard.pipeline.confirmation.approvals import Approvals
    from switchboard.pipeline.dispatcher import Dispatcher
    from switchboard.pipeline.limits.breaker import Breakers
    from switchboard.pipeline.metrics.meter import Meter

REGISTRY = Path(__file__).with_name("tool_registry.json")


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
        from switchboard.desk.knowledge.stop_words import STOP_WORDS
        from switchboard.desk.services import open_desk
        from switchboard.integrations.embeddings.factory import Endpoints, open_embedder

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
            remote_tools=self.remote_tools,
            egress=self.egress,
            secrets=self.secrets,
            key=own.signing_key,
            public_url=own.public_url or "",
        )

    @cached_property
    def catalog(self) -> "Catalog":
        """What is offered."""
        from switchboard.catalog.definitions.definitions import Definitions
        from switchboard.catalog.definitions.registry import Registry
        from switchboard.catalog.offer.catalog import Catalog
        from switchboard.catalog.tenant_tools.sessions import Sessions

        definitions = Definitions(self.store, self.paths, Registry.load(REGISTRY), self.clock)
        sessions = Sessions(self.store, self.paths, definitions, self.clock)
        return Catalog(self.store, self.paths, definitions, sessions, self.clock, self.breakers.circuits_of)

    @cached_property
    def breakers(self) -> "Breakers":
        """Which integrations are left alone for a moment."""
        from switchboard.pipeline.limits.breaker import Breakers

        return Breakers(self.clock)

    @cached_property
    def meter(self) -> "Meter":
        """What has been measured."""
        from switchboard.pipeline.metrics import gauges
        from switchboard.pipeline.metrics.meter import Meter

        found = Meter(self.clock)
        found.show(
            gauges.circuits(found, self.breakers.circuits_of),
            gauges.process,
            lambda: (family for source in self.sources for family in source()),
        )
        return found

    @cached_property
    def telemetry(self) -> "Telemetry":
        """What this deployment tells of itself."""
        from switchboard.app.telemetry import Telemetry, Telling

        own = self.configuration
        telling = Telling(own.project, own.log, own.log_personal, own.collector, own.service, own.version)
        return Telemetry(telling, self.meter.families)

    @cached_property
    def dispatcher(self) -> "Dispatcher":
        """The one way in which a tool is called."""
        from switchboard.pipeline.dispatcher import Dispatcher
        from switchboard.pipeline.execution.reauthorization import Reauthorisation
        from switchboard.pipeline.ledger.ledger import Ledger

        dispatcher = Dispatcher(
            self.catalog,
            Ledger(self.store, self.paths),
            self.desk,
            self.paths,
            self.clock,
            self.meter,
            self.breakers,
            Reauthorisation(self.store, self.paths, self.catalog.forget),
            self.task_queue,
        )
        dispatcher.arrivals.append(self._arrived)
        return dispatcher

    async def _arrived(self, facts: "Context", tool: str, response: "ToolResponse") -> None:
        # Built when a result comes: whoever only lists tools holds no conversations.
        await self.talking.conversations.arrived(facts, tool, response)

    @cached_property
    def credentials(self) -> "Credentials":
        """Who may ask."""
        from switchboard.channels.http.accounts import ServiceAccounts
        from switchboard.channels.http.credentials import Credentials

        services = ServiceAccounts(self.accounts, lambda: self.id_tokens)
        return Credentials(self.store, self.paths, self.clock, services.recognise)

    @cached_property
    def accounts(self) -> "Accounts":
        """Who may ask without a key."""
        from switchboard.channels.http.accounts import Accounts

        return Accounts(self.store, self.paths, self.clock)

    @cached_property
    def approvals(self) -> "Approvals":
        """What callers have agreed to."""
        from switchboard.pipeline.confirmation.approvals import Approvals

        return Approvals(self.store, self.paths)

    @cached_property
    def passes(self) -> "Mapping[str, Task]":
        """The work that goes on behind the calls, one pass of each by its name."""
        from switchboard.desk.bookings.recovery import UnfinishedBookings
        from switchboard.desk.messaging.outbox import Outbox
        from switchboard.pipeline.execution.reaper import passes
        from switchboard.pipeline.metrics.gauges import Backlog

        backlog = Backlog(self.store, self.clock)
        self.sources.append(backlog.families)
        bookings = UnfinishedBookings(self.store, self.paths, self.desk.bookings.saga)
        outbox = Outbox(self.store, self.paths, self.desk.texts, self.mailers, self.clock, self.desk.codes)
        own = passes(self.dispatcher, lambda: bookings.recover(self.clock.now()), outbox.drain)
        return backlog.measured({**own, "reindex": self.owning.reindexing.repair, "silent": self.talking.end_silent})

    def routes(self, name: str) -> list["BaseRoute"]:
        """Return the routes of a function, without its path prefix."""
        return list(getattr(self, f"_{name}_routes")())

    def function(self, name: str) -> ASGIApp:
        """Return a Cloud Function's app."""
        if name not in self._served:
            own = self.routes(name)
            # It sees its path with or without its own name in front, depending on the URL it is called by.
            opened = opened_to(self.configuration.page_origin, serving([*under(f"/{name}", own), *own]), name)
            self._served[name] = self.telemetry.served(opened)
        return self._served[name]

    @cached_property
    def app(self) -> ASGIApp:
        """Every function under its path, and the WebSocket that Cloud Functions cannot carry."""
        routes = [route for name in FUNCTIONS for route in under(f"/{name}", self.routes(name))]
        return self.telemetry.served(opened_to(self.configuration.page_origin, serving(routes)))

    def _tools_routes(self) -> "Iterable[BaseRoute]":
        return self.talking.tools_routes()

    @cached_property
    def talking(self) -> "Talking":
        """The channels on which people talk."""
        from switchboard.app.channel_app import Talking

        return Talking(self)

    def _phone_routes(self) -> "Iterable[BaseRoute]":
        return self.talking.phone_routes()

    def _portal_routes(self) -> "Iterable[BaseRoute]":
        return self.talking.portal_routes()

    def _browser_voice_routes(self) -> "Iterable[BaseRoute]":
        return self.talking.browser_voice_routes()

    @cached_property
    def owning(self) -> "Owning":
        """What owners can do, and which of them."""
        from switchboard.app.admin_app import Owning

        return Owning(self)

    def _admin_routes(self) -> "Iterable[BaseRoute]":
        return self.owning.admin_routes(self.described)

    def _tts_admin_routes(self) -> "Iterable[BaseRoute]":
        return self.owning.tts_admin_routes()

    def _api_routes(self) -> "Iterable[BaseRoute]":
        return [*self.talking.vapi_routes(), *self.owning.api_routes()]

    def _mcp_routes(self) -> "Iterable[BaseRoute]":
        return self.talking.mcp_routes()

    def described(self) -> "list[Surface]":
        """Return what the OpenAPI document says of every function."""
        others = [name for name in FUNCTIONS if name not in ("admin", "tts_admin")]
        # What owners do at `api` is described by its endpoints.
        served = {name: self.routes(name) for name in others if name != "api"}
        return self.owning.surfaces({**served, "api": self.talking.vapi_routes()})

    def _tasks_routes(self) -> "Iterable[BaseRoute]":
        from switchboard.channels.http import tasks

        # Not among the passes, which are made every few seconds: it looks at every business.
        own = {**self.passes, "questions": self.owning.count_questions, "callers": self.owning.mend_callers}
        return tasks.routes(own, self.credentials, self.schedulers)

    def _metrics_routes(self) -> "Iterable[BaseRoute]":
        from switchboard.channels.http import metrics

        return metrics.routes(self.meter, self.catalog.definitions.registry.tools)

    def _healthz_routes(self) -> "Iterable[BaseRoute]":
        from switchboard.channels.http import health

        return health.routes(self.catalog.definitions, self.configuration.store)

    async def open(self) -> None:
        """Connect, and attend to what dead instances left behind; for servers that live longer than a request."""
        from switchboard.pipeline.execution.reaper import reap

        self.telemetry.begin()
        # A first call over a cold connection takes over a second; it is made before anyone waits for it.
        await self.catalog.definitions.current()
        self._background += [asyncio.create_task(work) for work in (reap(self.passes), self._warm())]

    async def _warm(self) -> None:
        """Load what is slow to load, while nobody waits for it."""
        await asyncio.gather(self.desk.knowledge.warm(), self.calendars.warm(), self.talking.warm())

    async def close(self) -> None:
        """Let unfinished actions end and let go of connections."""
        from switchboard.pipeline.execution.deadline import outlived

        for task in self._background:
            task.cancel()
        await self.talking.close()
        await outlived()
        await self.desk.codes.ended()
        await self.phones.close()
        await self.egress.close()
        await self.remote_tools.close()
        await self.http.close()
        self.loop_watch.end()
        await self.telemetry.close()
        await self.store.close()


def build(configuration: Configuration, store: "Store | None" = None) -> House:
    """Return a house over a store, its own one where none is given.

    Raises:
        ConfigurationError: Something that serving needs is missing.
    """
    return House(configuration, store)


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


def server_handler() -> "logging.Handler":
    """Return what a server writes its own lines with, from its first one on (`server_log.json`)."""
    from switchboard.app import logging as cloud_logging

    return cloud_logging.server_handler(os.environ)


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve every function in one process, as ASGI (`uvicorn main:app`, Cloud Run)."""
    if scope["type"] == "lifespan":
        return await lifespan(house, receive, send)
    served = house().app
    house().watched()
    await served(scope, receive, send)


async def tools(request: Request) -> Any:
    """Cloud Function: the tools a business offers, and their execution."""
    return house().watched().function("tools")


async def phone(request: Request) -> Any:
    """Cloud Function: what Twilio asks while a phone call goes on; the WebSocket needs `app`."""
    return house().watched().function("phone")


async def portal(request: Request) -> Any:
    """Cloud Function: the portal's chat and its page."""
    return house().watched().function("portal")


async def browser_voice(request: Request) -> Any:
    """Cloud Function: speech through a browser."""
    return house().watched().function("browser_voice")


async def admin(request: Request) -> Any:
    """Cloud Function: what owners see and do."""
    return house().watched().function("admin")


async def tts_admin(request: Request) -> Any:
    """Cloud Function: the policies and FAQs that owners write (seed 000)."""
    return house().watched().function("tts_admin")


async def api(request: Request) -> Any:
    """Cloud Function: the tools that owners make themselves, and what voice platforms ask of them (seed 002)."""
    return house().watched().function("api")


async def mcp(request: Request) -> Any:
    """Cloud Function: a business's tools as a server of the Model Context Protocol."""
    return house().watched().function("mcp")


async def healthz(request: Request) -> Any:
    """Cloud Function: whether this deployment serves."""
    return house().watched().function("healthz")


async def metrics(request: Request) -> Any:
    """Cloud Function: what this deployment has measured; each instance tells its own."""
    return house().watched().function("metrics")


async def tasks(request: Request) -> Any:
    """Cloud Function: background work, for a scheduler or a task queue."""
    return house().watched().function("tasks")

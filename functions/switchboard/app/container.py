"""The parts of a deployment, joined: what each Cloud Function serves, what goes on behind it, and when it ends."""

import asyncio
import gc
import logging
import os
from functools import cached_property
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING

from starlette.routing import Mount
from starlette.types import ASGIApp

from switchboard.app.asgi import FUNCTIONS, opened_to, serving, unconfigured, under, when_asked
from switchboard.app.core import Core
from switchboard.app.settings import Configuration, ConfigurationError, read_configuration

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.routing import BaseRoute

    from switchboard.admin.api.openapi import Surface
    from switchboard.admin.costs.counting import MonthCounting
    from switchboard.app.admin_app import AdminApp
    from switchboard.app.channel_app import ChannelApp
    from switchboard.channels.http.readiness import Readiness
    from switchboard.channels.http.tasks import Task
    from switchboard.contract.context import Context
    from switchboard.contract.ports import Store
    from switchboard.contract.response import ToolResponse
    from switchboard.pipeline.metrics.gauges import Backlog


log = logging.getLogger(__name__)

# Of many businesses the others are looked at with their health.
_LOOKED_AT = 200
_LOOKED_AGAIN_S = 60.0


class Container(Core):
    """Everything, built and joined, each part when it is first needed: a Cloud Function imports only what it serves."""

    def __init__(self, configuration: Configuration, store: "Store | None" = None) -> None:
        """Build nothing yet.

        Raises:
            ConfigurationError: Something that serving needs is missing.
        """
        super().__init__(configuration, store)
        _multiply_alone()
        self._served: dict[str, ASGIApp] = {}
        self._background: list[asyncio.Task[None]] = []
        self._opens_nothing, self._looked_at = False, 0.0
        self.arrivals.append(self._arrived)

    async def _arrived(self, facts: "Context", tool: str, response: "ToolResponse") -> None:
        # Built when a result comes: whoever only lists tools holds no conversations.
        await self.channel_app.conversations.arrived(facts, tool, response)

    @cached_property
    def backlog(self) -> "Backlog":
        """What the passes found, and what waits all the same."""
        from switchboard.pipeline.metrics.gauges import Backlog

        return Backlog(self.store, self.clock, self.registry)

    @cached_property
    def passes(self) -> "Mapping[str, Task]":
        """The work that goes on behind the calls, one pass of each by its name."""
        from switchboard.desk.bookings.saga import BookingRecovery
        from switchboard.desk.messaging.outbox import Outbox
        from switchboard.pipeline.execution.reaper import passes

        bookings = BookingRecovery(self.store, self.paths, self.desk.bookings.saga)
        outbox = Outbox(self.store, self.paths, self.desk.texts, self.mailers, self.clock, self.desk.codes)

        async def recover(business_id: str | None) -> int:
            # So that whoever begins finds them compiled of what they were a minute ago, also while nobody calls.
            await self.catalog.definitions.current()
            return await self.dispatcher.recover(business_id)

        calls = recover, self.dispatcher.carry_out_queued
        own = passes(*calls, lambda: bookings.recover(self.clock.now()), outbox.drain)
        return self.backlog.measured(
            {
                **own,
                "reindex": self.admin_app.reindexing.repair,
                "silent": self.channel_app.end_silent,
                "deletions": self.admin_app.deletions.look,
                "months": self._months.look,
            }
        )

    @cached_property
    def _months(self) -> "MonthCounting":
        from switchboard.app.month_costs import month_counting

        return month_counting(self)

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
        return self.channel_app.tools_routes()

    @cached_property
    def channel_app(self) -> "ChannelApp":
        """The channels on which people talk."""
        from switchboard.app.channel_app import ChannelApp

        return ChannelApp(self)

    def _phone_routes(self) -> "Iterable[BaseRoute]":
        return self.channel_app.phone_routes()

    def _portal_routes(self) -> "Iterable[BaseRoute]":
        return self.channel_app.portal_routes()

    def _browser_voice_routes(self) -> "Iterable[BaseRoute]":
        return self.channel_app.browser_voice_routes()

    @cached_property
    def admin_app(self) -> "AdminApp":
        """What owners can do, and which of them."""
        from switchboard.app.admin_app import AdminApp

        return AdminApp(self, lambda: self.channel_app.trials.turn)

    def _admin_routes(self) -> "Iterable[BaseRoute]":
        return [self._owners("admin")]

    def _tts_admin_routes(self) -> "Iterable[BaseRoute]":
        return [self._owners("tts_admin")]

    def _api_routes(self) -> "Iterable[BaseRoute]":
        return [*self.channel_app.vapi_routes(), self._owners("api")]

    def owners_routes(self, name: str) -> "list[BaseRoute]":
        """Return every single route of a function that owners use, without its path prefix."""
        if name == "admin":
            return list(self.admin_app.admin_routes(self.described))
        if name == "tts_admin":
            return list(self.admin_app.tts_admin_routes())
        # Those of vendors are served before; here they say by which methods their paths are.
        return [*self.channel_app.vapi_routes(), *self.admin_app.api_routes()]

    def _owners(self, name: str) -> Mount:
        """Return where owners are served; nothing that their part is made of is loaded before somebody asks."""

        def built() -> ASGIApp:
            from switchboard.admin.api.serving import owners_app
            from switchboard.channels.http.answer import HANDLERS

            return owners_app(self.owners_routes(name), HANDLERS)

        return Mount("", when_asked(built, _load_owners_part))

    def _mcp_routes(self) -> "Iterable[BaseRoute]":
        return self.channel_app.mcp_routes()

    def described(self) -> "list[Surface]":
        """Return what the OpenAPI document says of every function."""
        others = [name for name in FUNCTIONS if name not in ("admin", "tts_admin")]
        # What owners do at `api` is described by its endpoints.
        served = {name: self.routes(name) for name in others if name != "api"}
        return self.admin_app.surfaces({**served, "api": self.channel_app.vapi_routes()})

    async def _count_trials(self, business_id: str | None) -> "Mapping[str, int]":
        """Count what trials of tools' drafts and of agents' versions came to, of one business or of all."""
        from switchboard.admin.agents.trial_numbers import AgentTrialNumbers

        of_agents = await AgentTrialNumbers(self.store, self.paths, self.clock).kept(business_id)
        of_tools = await self.admin_app.definitions.canaries.kept(business_id)
        return {"counted": of_tools["counted"] + of_agents["counted"]}

    def _tasks_routes(self) -> "Iterable[BaseRoute]":
        from switchboard.app.kept_tests import outcomes_of_tests
        from switchboard.channels.http import tasks

        # Not among the passes, which are made every few seconds: it looks at every business.
        own = {**self.passes, "questions": self.admin_app.count_questions, "callers": self.admin_app.mend_callers}
        own["trials"] = self._count_trials
        own["evals"] = outcomes_of_tests(self).look
        # Where instances stop between requests, it goes on as long as somebody waits for it.
        own["deletions"], own["months"] = self.admin_app.deletions.drain, self._months.count
        return tasks.routes(own, self.credentials, self.schedulers)

    def _metrics_routes(self) -> "Iterable[BaseRoute]":
        from switchboard.channels.http import monitoring

        return monitoring.metrics_routes(self.meter, self.catalog.definitions.registry.tools)

    def _healthz_routes(self) -> "Iterable[BaseRoute]":
        from switchboard.channels.http import monitoring, readiness

        health = monitoring.health_routes(self.catalog.definitions, self.configuration.store)
        return [*health, *readiness.ready_routes(self.readiness)]

    @cached_property
    def readiness(self) -> "Readiness":
        """Whether conversations can be carried here now."""
        from switchboard.channels.http.readiness import Readiness, definitions_lack, store_lack

        lacks = {
            "The store": store_lack(self.store, self.paths),
            "The published tools": definitions_lack(self.catalog.definitions),
            "The key that keeps secrets": self._secrets_lack,
        }
        return Readiness(lacks, self.clock)

    async def open(self) -> None:
        """Connect, and attend to what dead instances left behind; for servers that live longer than a request."""
        from switchboard.contract import policy
        from switchboard.contract.deadline import patiently
        from switchboard.pipeline.execution.pass_lead import PassLead
        from switchboard.pipeline.execution.reaper import REAP_EVERY_S, reap

        self.telemetry.begin()
        lead = PassLead(self.store, self.paths, REAP_EVERY_S)
        reaping = reap(self.passes, REAP_EVERY_S, lead, self.backlog.forget)
        # Waiting no longer than a call does, they would take a store that is only slow to be away: for every caller.
        with patiently(policy.OWNERS_READ_S):
            # A first call over a cold connection takes over a second; it is made before anyone waits for it.
            await self.catalog.definitions.current()
            own = reaping, self.dispatcher.keep_cleared_up(), self._warm(), self._look_at_secrets()
            self._background += [asyncio.create_task(work) for work in own]

    async def _look_at_secrets(self) -> None:
        """Name in the log whose secrets do not open, while nobody has found it out by a call yet."""
        from switchboard.contract.error import ToolError
        from switchboard.contract.store import StoreError

        try:
            count = await self.key_rotation.counted(_LOOKED_AT)
        except (StoreError, ToolError) as error:
            log.warning("secrets were not looked at", extra={"reason": type(error).__name__})
            return
        for business_id, why in count.unopened.items() if not self._opens_nothing else ():
            log.error("secrets do not open", extra={"business": business_id, "reason": why})
        self._opens_nothing = count.businesses > 0 and not count.opened
        self._looked_at = self.clock.monotonic()

    async def _secrets_lack(self) -> str:
        if self._opens_nothing and self.clock.monotonic() - self._looked_at >= _LOOKED_AGAIN_S:
            # Owners may have entered theirs anew.
            await self._look_at_secrets()
        if self._opens_nothing:
            return (
                "None of the secrets that are kept opens: SWITCHBOARD_SECRETS_KEY or SWITCHBOARD_KMS_KEY is another "
                "key than the one that they were kept with; scripts/secrets check names them."
            )
        return await self.secrets.lack()

    async def _warm(self) -> None:
        """Load what is slow to load, while nobody waits for it."""
        await asyncio.gather(self.desk.knowledge.warm(), self.calendars.warm(), self.channel_app.warm())
        gc.freeze()  # As at the start (`asgi.py`), what was loaded since.

    async def close(self) -> None:
        """Let unfinished actions end and let go of connections."""
        from switchboard.pipeline.execution.deadline import outlived

        for task in self._background:
            task.cancel()
        await self.channel_app.close()
        await outlived()
        if "catalog" in self.__dict__:
            await self.catalog.ended()
        await self.desk.codes.ended()
        await self.integrations.close()
        await self.egress.close()
        if "pages" in self.__dict__:
            await self.pages.close()
        await self.remote_tools.close()
        await self.http.close()
        self.loop_watch.end()
        await self.telemetry.close()
        await self.store.close()


def _load_owners_part() -> None:
    """Import all that answers owners; importing is what takes most of the time of their first request."""
    import switchboard.admin

    for module in walk_packages(switchboard.admin.__path__, "switchboard.admin."):
        # What commands alone do is not deployed everywhere, and nobody waits for it.
        if ".maintenance" not in module.name:
            import_module(module.name)


def build(configuration: Configuration, store: "Store | None" = None) -> Container:
    """Return a container over a store, its own one where none is given.

    Raises:
        ConfigurationError: Something that serving needs is missing.
    """
    return Container(configuration, store)


def _multiply_alone() -> None:
    """Have numpy, which nothing has loaded yet, multiply on one processor, unless the environment says otherwise.

    Its own threads wait for each other by spinning. What is read with it is small, and read while calls go on: a
    sentence that is held against the claims network took five times the processor time on a busy machine.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


_of_this_process: Container | None = None


def container() -> Container:
    """Return this process's container, building it at the first call.

    Raises:
        ConfigurationError: The environment does not describe one.
    """
    global _of_this_process
    if _of_this_process is None:
        _of_this_process = build(read_configuration(os.environ))
    return _of_this_process


def health() -> ASGIApp:
    """Return what answers whether this deployment serves, also where the environment describes none."""
    try:
        return container().watched().function("healthz")
    except ConfigurationError as error:
        return unconfigured(error)

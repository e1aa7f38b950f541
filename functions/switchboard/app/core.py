"""What every surface works with: desk, catalog, dispatcher, and who may ask; each built when first needed."""

from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from switchboard.app.clients import Clients
from switchboard.app.settings import Configuration, require_serving
from switchboard.contract.definitions.tenant_tool import Template

if TYPE_CHECKING:
    from switchboard.admin.evals.playing import Playing
    from switchboard.app.telemetry import Telemetry
    from switchboard.catalog.definitions.tool import Door
    from switchboard.catalog.offer.catalog import Catalog
    from switchboard.catalog.tenant_tools.tenant import Tenant
    from switchboard.channels.http.credentials import Accounts, Credentials
    from switchboard.contract.business.business import Business
    from switchboard.contract.ports import Store
    from switchboard.desk.services import Desk
    from switchboard.pipeline.confirmation.approvals import Approvals
    from switchboard.pipeline.dispatcher import Arrival, Dispatcher
    from switchboard.pipeline.limits.breaker import Breakers
    from switchboard.pipeline.metrics.meter import Meter

REGISTRY = Path(__file__).parents[2] / "tool_registry.json"


class Core(Clients):
    """The parts that all surfaces share; a Cloud Function imports only what it serves."""

    def __init__(self, configuration: Configuration, store: "Store | None" = None) -> None:
        """Build nothing yet.

        Raises:
            ConfigurationError: Something that serving needs is missing.
        """
        require_serving(configuration)
        super().__init__(configuration, store)
        self.arrivals: list[Arrival] = []

    @cached_property
    def desk(self) -> "Desk":
        """What a receptionist knows how to do."""
        from switchboard.app.late_trail import LateTrail
        from switchboard.desk.knowledge.keyword_index import STOP_WORDS
        from switchboard.desk.services import open_desk
        from switchboard.desk.vendors import Vendors
        from switchboard.integrations.embeddings.factory import ModelEndpoints, open_embedder

        own = self.configuration
        endpoints = ModelEndpoints(own.openai_url, own.openai_key, own.gemini_url, own.gemini_key)
        desk = open_desk(
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
        desk.bookings.trail = desk.appointments.trail = LateTrail(self.store, self.paths, self.clock)
        return replace(desk, vendors=Vendors(self.integrations, self.integrations.names))

    @cached_property
    def catalog(self) -> "Catalog":
        """What is offered."""
        from switchboard.catalog.definitions.definitions import Definitions
        from switchboard.catalog.definitions.registry import Registry
        from switchboard.catalog.offer.catalog import Catalog
        from switchboard.catalog.tenant_tools.sessions import SessionLocks

        definitions = Definitions(self.store, self.paths, Registry.load(REGISTRY), self.clock)
        sessions = SessionLocks(self.store, self.paths, definitions, self.clock)
        parts = (self.store, self.paths, definitions, sessions, self.clock)
        catalog = Catalog(*parts, self.breakers.circuits_of, _numbers_behind, self.is_store_away)
        catalog.listeners.append(self._prepare)
        return catalog

    def _prepare(self, tenant: "Tenant") -> None:
        """Load what the calls of a business will need and others do without, while nobody waits for it."""
        if any(tool.record.template is Template.MCP_TOOL for tool in tenant.own.tools.values()):
            self.remote_tools.prepare()

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

        meter = Meter(self.clock, self.registry)
        gauges.OpenCircuits(meter, self.breakers.circuits_of)
        self.registry.register(gauges.ProcessStart())
        return meter

    @cached_property
    def telemetry(self) -> "Telemetry":
        """What this deployment tells of itself."""
        from switchboard.app.telemetry import Telemetry, TelemetrySettings

        own = self.configuration
        telling = TelemetrySettings(own.project, own.log, own.log_personal, own.collector, own.service, own.version)
        return Telemetry(telling, self.meter.registry.collect)

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
        dispatcher.arrivals += self.arrivals
        return dispatcher

    @cached_property
    def playing(self) -> "Playing":
        """What plays kept tests, where nothing of it reaches anybody."""
        from switchboard.app.evaluation.rehearsals import Rehearsals

        return Rehearsals()

    @cached_property
    def credentials(self) -> "Credentials":
        """Who may ask."""
        from switchboard.channels.http.credentials import Credentials, ServiceAccounts

        services = ServiceAccounts(self.accounts, lambda: self.id_tokens)
        return Credentials(self.store, self.paths, self.clock, services.recognise)

    @cached_property
    def accounts(self) -> "Accounts":
        """Who may ask without a key."""
        from switchboard.channels.http.credentials import Accounts

        return Accounts(self.store, self.paths, self.clock)

    @cached_property
    def approvals(self) -> "Approvals":
        """What callers have agreed to."""
        from switchboard.pipeline.confirmation.approvals import Approvals

        return Approvals(self.store, self.paths)


def _numbers_behind(business: "Business", door: "Door", now: datetime) -> frozenset[str]:
    """Return whose phones ring behind a door; what tells that is loaded where a call has come to need it."""
    from switchboard.desk.escalation.ringing import numbers_that_ring

    return numbers_that_ring(business, now, number=door.number, rule_id=door.rule_id)

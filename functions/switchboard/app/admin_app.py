"""The owners' side: who may come in, what they can do, and the routes and the description of all of it."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from starlette.routing import BaseRoute

    from switchboard.admin.access.access import Access
    from switchboard.admin.agents.agents import Agents
    from switchboard.admin.agents.store import AgentStore
    from switchboard.admin.agents.toolkits import AgentToolkits
    from switchboard.admin.api.endpoint import Endpoint
    from switchboard.admin.api.openapi import Surface
    from switchboard.admin.audit.trail import AuditTrail
    from switchboard.admin.businesses.number_conflicts import NumberConflicts
    from switchboard.admin.calendars.feed_routes import CalendarFeedEndpoints
    from switchboard.admin.conversations.trials import Converse
    from switchboard.admin.definitions.service import DefinitionService
    from switchboard.admin.health.questions import UnansweredQuestions
    from switchboard.admin.importers.mcp_connections import McpConnections
    from switchboard.admin.importers.routes import ToolExchangeEndpoints
    from switchboard.admin.knowledge.reindexing import Reindexing
    from switchboard.admin.maintenance.deletion_jobs import DeletionJobs
    from switchboard.admin.resources.booking_office import BookingOffice
    from switchboard.admin.resources.resources import Resources
    from switchboard.admin.services import AdminServices
    from switchboard.admin.tenant_tools.services import TenantToolServices
    from switchboard.admin.tenant_tools.store import ToolStore
    from switchboard.admin.toolkits.toolkits import ToolkitSettings
    from switchboard.admin.undo.handler import UndoHandlers
    from switchboard.app.calendar_consents import CalendarConsents
    from switchboard.app.core import Core
    from switchboard.app.dry_runs import DryRuns
    from switchboard.catalog.tenant_tools.toolkits import Toolkits

INTEGRATIONS = Path(__file__).parents[1] / "integrations"


class AdminApp:
    """Builds the owners' side out of the core, each part when it is first needed."""

    def __init__(self, core: "Core", trial_turn: "Callable[[], Converse]") -> None:
        """Build nothing yet; `trial_turn` returns what takes a turn of a conversation that an owner tries."""
        self._core, self._trial_turn = core, trial_turn

    @cached_property
    def reindexing(self) -> "Reindexing":
        """What keeps the index of businesses' texts in line."""
        from switchboard.admin.knowledge.reindexing import Reindexing

        core, desk = self._core, self._core.desk
        return Reindexing(core.store, core.paths, desk.knowledge, desk.policies, desk.faqs)

    @cached_property
    def office(self) -> "AdminServices":
        """What owners can do."""
        from switchboard.admin.businesses.businesses import EditConsequences
        from switchboard.admin.businesses.known_names import KnownNames
        from switchboard.admin.services import open_office
        from switchboard.app.knowledge_desk import further_kinds

        core = self._core
        return open_office(
            *(core.store, core.paths, core.clock, self.reindexing, core.catalog.forget, further_kinds(core)),
            lambda: self._ways,
            KnownNames(core.store, core.paths, lambda: core.catalog.definitions.registry),
            self._numbers,
            EditConsequences(core.store, core.paths, core.desk.assigning),
        )

    @cached_property
    def _numbers(self) -> "NumberConflicts":
        from switchboard.admin.businesses.number_conflicts import NumberConflicts

        return NumberConflicts(self._core.store, self._core.paths, self._core.secrets)

    @cached_property
    def questions(self) -> "UnansweredQuestions":
        """What callers asked in vain."""
        from switchboard.admin.health.questions import UnansweredQuestions, question_kind

        core = self._core
        return UnansweredQuestions(core.store, core.paths, core.clock, self.office.revisions, question_kind())

    async def count_questions(self, business_id: str | None) -> "Mapping[str, int]":
        """Count what callers asked in vain, of one business or of all."""
        own = self.questions
        return {"counted": await (own.collect(business_id) if business_id else own.collect_all())}

    async def mend_callers(self, business_id: str | None) -> "Mapping[str, int]":
        """Store beside callers' numbers and addresses what they are found by, of one business or of all."""
        from switchboard.admin.callers.caller_spellings import CallerSpellings

        core = self._core
        return await CallerSpellings(core.store, core.paths, core.clock).mend(business_id)

    @cached_property
    def deletions(self) -> "DeletionJobs":
        """What deletes callers and businesses of whom much is kept."""
        from switchboard.admin.maintenance.deletion_jobs import DeletionJobs
        from switchboard.admin.maintenance.retrying_store import RetryingStore

        return DeletionJobs(RetryingStore(self._core.store), self._core.paths, self._core.clock)

    @cached_property
    def definitions(self) -> "DefinitionService":
        """What is done with definitions."""
        from switchboard.app.definition_service import definition_service

        return definition_service(self._core)

    @cached_property
    def admin_endpoints(self) -> "tuple[Endpoint, ...]":
        """Every endpoint of the function `admin`."""
        from switchboard.admin.conversations.trials import Conversing, Playground
        from switchboard.admin.costs.month_stops import LimitStandings
        from switchboard.admin.health.health import HealthService
        from switchboard.admin.health.routes import HealthEndpoints
        from switchboard.app.conversation_desk import looking_endpoints
        from switchboard.app.definition_service import definition_endpoints
        from switchboard.app.kept_tests import endpoints_of_tests
        from switchboard.app.knowledge_desk import bringing_endpoints
        from switchboard.app.month_costs import cost_endpoints
        from switchboard.app.new_businesses import opening_endpoints
        from switchboard.app.staff_desk import desk_endpoints
        from switchboard.conversation.claims.statements.own_texts import told_otherwise

        core = self._core
        health = HealthService(
            *(core.store, core.paths, core.catalog, core.clock, core.breakers.circuits_of, self._numbers),
            *(core.secrets.unopened, LimitStandings(core.store, core.paths, core.clock), told_otherwise),
        )
        return (
            *self.office.admin_endpoints,
            *bringing_endpoints(core, self.office),
            *definition_endpoints(core, self.definitions),
            *HealthEndpoints(health, self.office.businesses, self.questions).endpoints,
            *endpoints_of_tests(core, self.office.revisions),
            *self._appointment_endpoints,
            *desk_endpoints(core, self._trail, self.office, self.deletions),
            *opening_endpoints(core, self._numbers, self.office, self.deletions),
            *cost_endpoints(core, self.office.revisions),
            *self._set_up_endpoints,
            *self.exchange.endpoints,
            *Playground(core.store, core.paths, core.catalog, lambda: core.dispatcher).endpoints,
            *Conversing(core.store, core.paths, self._trial_turn).endpoints,
            *looking_endpoints(core, self.access, self._trail),
            *self._connecting.endpoints(self.access),
        )

    @cached_property
    def _bookings(self) -> "BookingOffice":
        from switchboard.admin.resources.booking_office import BookingOffice

        core = self._core
        return BookingOffice(core.store, core.paths, core.clock, self._trail, core.desk.assigning)

    @cached_property
    def _resources(self) -> "Resources":
        from switchboard.admin.resources.resources import Resources

        core = self._core
        return Resources(
            *(core.store, core.paths, core.clock, self._trail, core.catalog.forget),
            *(core.desk.assigning, self._bookings),
        )

    @property
    def _appointment_endpoints(self) -> "tuple[Endpoint, ...]":
        """Whom and what appointments take up, and with whom they are."""
        from switchboard.admin.resources.routes import BookingEndpoints, ResourceEndpoints

        return (*ResourceEndpoints(self._resources).endpoints, *BookingEndpoints(self._bookings).endpoints)

    @cached_property
    def access(self) -> "Access":
        """Who of them may do it."""
        from switchboard.admin.access.access import Access
        from switchboard.channels.http.credentials import Rejected

        core = self._core
        return Access(core.credentials.recognise, Rejected, core.sign_ins, core.apps)

    @cached_property
    def _connecting(self) -> "CalendarConsents":
        """What connects businesses to calendars elsewhere."""
        from switchboard.app.calendar_consents import CalendarConsents

        return CalendarConsents(self._core, self.toolkits, self._trail)

    @cached_property
    def _set_up_endpoints(self) -> "tuple[Endpoint, ...]":
        """What owners connect, and who answers with it."""
        from switchboard.admin.agents.routes import agent_endpoints
        from switchboard.admin.agents.trial_numbers import AgentTrialNumbers
        from switchboard.admin.agents.trial_routes import AgentTrialEndpoints
        from switchboard.admin.agents.trials import AgentTrials
        from switchboard.admin.credentials.key_routes import KeyEndpoints
        from switchboard.admin.credentials.operations import OwnersKeys
        from switchboard.admin.importers.routes import McpEndpoints
        from switchboard.admin.toolkits.options import ToolkitOptions
        from switchboard.admin.toolkits.routes import ChoiceEndpoints, ToolkitEndpoints

        core, settings = self._core, self._toolkit_settings

        def forget(key: "Mapping[str, object]") -> None:
            core.credentials.forget(key)
            core.accounts.forget(key)

        issuer = core.configuration.mcp_issuer
        keys = OwnersKeys(core.store, core.paths, self._trail, core.clock, issuer, forget)
        app_accounts = next(iter(core.integrations.choices("app_actions").values()), None)
        choices = ToolkitOptions(core.store, core.paths, app_accounts, core.integrations.choices("calendar"))
        definitions = {name: tool.definition for name, tool in core.catalog.definitions.registry.tools.items()}
        numbers = AgentTrialNumbers(core.store, core.paths, core.clock)
        return (
            *ToolkitEndpoints(settings, lambda: definitions).endpoints,
            *agent_endpoints(self._agents, self._own_toolkits, settings),
            *AgentTrialEndpoints(AgentTrials(self._agents, numbers)).endpoints,
            *McpEndpoints(self._mcp_connections, self.tool_room.attachments).endpoints,
            *KeyEndpoints(keys).endpoints,
            *ChoiceEndpoints(choices).endpoints,
            *self._calendar_feeds.endpoints,
        )

    @cached_property
    def _trail(self) -> "AuditTrail":
        """What writes the audit."""
        from switchboard.admin.audit.trail import AuditTrail

        return AuditTrail(self._core.store, self._core.paths, self._core.clock)

    @cached_property
    def _ways(self) -> "UndoHandlers":
        """How what is not a document alone is undone."""
        from switchboard.admin.undo.handlers import Rooms, open_ways
        from switchboard.app.knowledge_desk import collection_rows
        from switchboard.app.staff_desk import customer_records

        room = self.tool_room
        own, settings = self._own_toolkits, self._toolkit_settings
        rooms = Rooms(
            *(self._agents, own, settings, self._tool_store, room.tools, room.attachments, self._resources),
            customer_records(self._core, self.office.revisions),
            collection_rows(self._core),
        )
        return open_ways(rooms)

    @cached_property
    def toolkits(self) -> "Toolkits":
        """Which toolkits there are."""
        from switchboard.catalog.tenant_tools.toolkits import Toolkits

        return Toolkits.load(INTEGRATIONS)

    @cached_property
    def _agents(self) -> "Agents":
        from switchboard.admin.agents.agents import Agents

        own, known = self._core.configuration, self._core.catalog.definitions.registry.tools
        models = tuple(dict.fromkeys((own.model, *own.agent_models)))
        return Agents(self._agent_store, self._core.secrets, self.toolkits, known.keys, models)

    @cached_property
    def _agent_store(self) -> "AgentStore":
        from switchboard.admin.agents.store import AgentStore

        core = self._core
        return AgentStore(core.store, core.paths, self._trail, core.catalog.forget)

    @cached_property
    def _own_toolkits(self) -> "AgentToolkits":
        from switchboard.admin.agents.toolkits import AgentToolkits

        return AgentToolkits(self._agent_store, self._core.secrets)

    @cached_property
    def _mcp_connections(self) -> "McpConnections":
        from switchboard.admin.importers.mcp_connections import McpConnections

        core = self._core
        return McpConnections(
            *(core.store, core.paths, self._trail, core.remote_tools, core.secrets),
            *(core.catalog.definitions.registry.tools.keys, core.catalog.forget),
        )

    @cached_property
    def _toolkit_settings(self) -> "ToolkitSettings":
        from switchboard.admin.toolkits.toolkits import ToolkitSettings

        core = self._core
        return ToolkitSettings(
            *(core.store, core.paths, self._trail, core.secrets, self.toolkits, core.catalog.forget),
            core.integrations.probes(),
            {it.toolkit: it.withdraw for it in self._connecting.connections.values()},
            {"twilio": self._numbers.of_lists},
        )

    def admin_routes(self, surfaces: "Callable[[], list[Surface]]") -> "Iterable[BaseRoute]":
        """Return the routes of the function `admin`; `surfaces` are what its document describes."""
        from switchboard.admin.api import openapi

        return [*self._served(self.admin_endpoints), openapi.route(surfaces)]

    def api_routes(self) -> "Iterable[BaseRoute]":
        """Return the owners' routes of the function `api`; they stand behind those that vendors know."""
        return self._served(self.api_endpoints)

    def _served(self, endpoints: "Iterable[Endpoint]") -> "list[BaseRoute]":
        return self._dry_runs.routes(endpoints, self.access)

    @cached_property
    def _dry_runs(self) -> "DryRuns":
        from switchboard.app.dry_runs import DryRuns

        def of(house: "Core") -> "Iterable[Endpoint]":
            app = AdminApp(house, self._trial_turn)
            return (*app.admin_endpoints, *app.api_endpoints, *app.office.tts_admin_endpoints)

        return DryRuns(self._core, of)

    @cached_property
    def _calendar_feeds(self) -> "CalendarFeedEndpoints":
        from switchboard.admin.calendars.feed_routes import CalendarFeedEndpoints
        from switchboard.admin.calendars.feeds import CalendarFeeds

        core = self._core
        feeds = CalendarFeeds(core.store, core.paths, self._trail, core.clock)
        return CalendarFeedEndpoints(feeds, core.clock, core.configuration.public_url or "")

    @cached_property
    def _tool_store(self) -> "ToolStore":
        from switchboard.admin.tenant_tools.store import ToolStore

        return ToolStore(self._core.store, self._core.paths, self._core.clock)

    @cached_property
    def tool_room(self) -> "TenantToolServices":
        """Where owners make tools."""
        from switchboard.admin.tenant_tools.services import open_tool_room
        from switchboard.admin.vapi.callback_key import CallbackKeys
        from switchboard.admin.vapi.client import VapiMirrors

        core = self._core
        keys = CallbackKeys(core.store, core.paths, core.secrets)
        mirrors = VapiMirrors(core.voice_platforms, keys, core.configuration.public_url)
        built_in = core.catalog.definitions.registry.tools.keys
        return open_tool_room(
            self._tool_store, mirrors, core.secrets, built_in, core.catalog.forget, core.egress.problem
        )

    @cached_property
    def api_endpoints(self) -> "tuple[Endpoint, ...]":
        """What of the function `api` is for owners: their own tools, and what their calendars read."""
        from switchboard.admin.tenant_tools.trial import ToolTrials
        from switchboard.conversation.claims.classifier import suggested_deed

        core = self._core
        trials = ToolTrials(self._tool_store, lambda: core.dispatcher, core.catalog.forget)
        return (self._calendar_feeds.reading, *self.tool_room.endpoints(trials, suggested_deed))

    @cached_property
    def exchange(self) -> "ToolExchangeEndpoints":
        """Tools in and out: OpenAPI documents, bundles, exports."""
        from switchboard.admin.importers.bundle_import import BundleImport
        from switchboard.admin.importers.exporting import Exporting
        from switchboard.admin.importers.importing import Importing
        from switchboard.admin.importers.routes import ToolExchangeEndpoints

        core, room = self._core, self.tool_room
        built_in = core.catalog.definitions.registry.tools.keys
        return ToolExchangeEndpoints(
            Importing(room.tools, built_in),
            BundleImport(room.tools, self._agents, room.attachments, built_in),
            Exporting(room.tools, self._agents, core.configuration.public_url),
        )

    def tts_admin_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the function `tts_admin`."""
        return self._served(self.office.tts_admin_endpoints)

    def surfaces(self, others: "Mapping[str, Iterable[BaseRoute]]") -> "list[Surface]":
        """Return what the document says: of the owners' side, and of the other functions' routes.

        Raises:
            ValueError: Nothing is said of a route in `admin/api/openapi_routes.py`.
        """
        from switchboard.admin.api import openapi
        from switchboard.admin.api.openapi_routes import WORDS

        return [
            openapi.of_endpoints("/admin", self.admin_endpoints),
            openapi.of_endpoints("/tts_admin", self.office.tts_admin_endpoints),
            openapi.of_endpoints("/api", self.api_endpoints),
            *(openapi.of_routes(f"/{name}", routes, WORDS.get(name, {})) for name, routes in others.items()),
        ]

"""The owners' side: who may come in, what they can do, and the routes and the description of all of it."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from starlette.routing import BaseRoute

    from main import House
    from switchboard.admin.access.access import Access
    from switchboard.admin.agents.agents import Agents
    from switchboard.admin.agents.store import AgentStore
    from switchboard.admin.agents.toolkits import AgentToolkits
    from switchboard.admin.api.endpoint import Endpoint
    from switchboard.admin.api.openapi import Surface
    from switchboard.admin.audit.trail import AuditTrail
    from switchboard.admin.businesses.number_conflicts import NumberConflicts
    from switchboard.admin.calendars.feed_routes import CalendarFeedEndpoints
    from switchboard.admin.definitions.service import DefinitionOffice
    from switchboard.admin.health.questions import Questions
    from switchboard.admin.importers.mcp_connections import McpConnections
    from switchboard.admin.importers.tool_exchange_routes import ToolExchangeEndpoints
    from switchboard.admin.knowledge.reindexing import Reindexing
    from switchboard.admin.resources.booking_office import BookingOffice
    from switchboard.admin.resources.resources import Resources
    from switchboard.admin.services import Office
    from switchboard.admin.tenant_tools.services import ToolRoom
    from switchboard.admin.tenant_tools.store import ToolStore
    from switchboard.admin.toolkits.toolkits import ToolkitSettings
    from switchboard.admin.undo.handler import Ways
    from switchboard.app.calendar_consents import Connecting
    from switchboard.catalog.tenant_tools.toolkits import Toolkits

INTEGRATIONS = Path(__file__).parents[1] / "integrations"


class Owning:
    """Builds the owners' side out of a house's parts, each when it is first needed."""

    def __init__(self, house: "House") -> None:
        """Build nothing yet."""
        self._house = house

    @cached_property
    def reindexing(self) -> "Reindexing":
        """What keeps the index of businesses' texts in line."""
        from switchboard.admin.knowledge.reindexing import Reindexing

        house, desk = self._house, self._house.desk
        return Reindexing(house.store, house.paths, desk.knowledge, desk.policies, desk.faqs)

    @cached_property
    def office(self) -> "Office":
        """What owners can do."""
        from switchboard.admin.businesses.edit_consequences import EditConsequences
        from switchboard.admin.businesses.known_names import KnownNames
        from switchboard.admin.health.questions import question_kind
        from switchboard.admin.services import open_office

        house = self._house
        return open_office(
            *(house.store, house.paths, house.clock, self.reindexing, house.catalog.forget, [question_kind()]),
            lambda: self._ways,
            KnownNames(house.store, house.paths, lambda: house.catalog.definitions.registry),
            self._numbers,
            EditConsequences(house.store, house.paths, house.desk.assigning),
        )

    @cached_property
    def _numbers(self) -> "NumberConflicts":
        from switchboard.admin.businesses.number_conflicts import NumberConflicts

        return NumberConflicts(self._house.store, self._house.paths, self._house.secrets)

    @cached_property
    def questions(self) -> "Questions":
        """What callers asked in vain."""
        from switchboard.admin.health.questions import Questions, question_kind

        house = self._house
        return Questions(house.store, house.paths, house.clock, self.office.revisions, question_kind())

    async def count_questions(self, business_id: str | None) -> "Mapping[str, int]":
        """Count what callers asked in vain, of one business or of all."""
        own = self.questions
        return {"counted": await (own.collect(business_id) if business_id else own.collect_all())}

    async def mend_callers(self, business_id: str | None) -> "Mapping[str, int]":
        """Store beside callers' numbers and addresses what they are found by, of one business or of all."""
        from switchboard.admin.callers.caller_spellings import CallerSpellings

        house = self._house
        return await CallerSpellings(house.store, house.paths, house.clock).mend(business_id)

    @cached_property
    def definitions(self) -> "DefinitionOffice":
        """What is done with definitions."""
        from switchboard.admin.definitions.history import History
        from switchboard.admin.definitions.record import Records
        from switchboard.admin.definitions.replay import Replay
        from switchboard.admin.definitions.service import DefinitionOffice

        house, read = self._house, self._house.catalog.definitions
        return DefinitionOffice(
            house.store,
            house.paths,
            Records(house.store, house.paths, read.registry),
            History(house.store, house.paths),
            Replay(house.store, house.paths, house.catalog, house.clock),
            read.forget,
        )

    @cached_property
    def admin_endpoints(self) -> "tuple[Endpoint, ...]":
        """Every endpoint of the function `admin`."""
        from switchboard.admin.conversations.converse import Conversing
        from switchboard.admin.conversations.playground import Playground
        from switchboard.admin.conversations.what_if import WhatIf
        from switchboard.admin.definitions.change_routes import DefinitionChangeEndpoints
        from switchboard.admin.definitions.routes import DefinitionEndpoints
        from switchboard.admin.health.health import HealthOffice
        from switchboard.admin.health.routes import HealthEndpoints
        from switchboard.app.channel_app import caller_number

        house = self._house
        health = HealthOffice(
            *(house.store, house.paths, house.catalog, house.clock, house.breakers.circuits_of, self._numbers)
        )
        return (
            *self.office.admin_endpoints,
            *DefinitionEndpoints(self.definitions, house.store, house.paths).endpoints,
            *DefinitionChangeEndpoints(self.definitions).endpoints,
            *HealthEndpoints(health, self.office.businesses, self.questions).endpoints,
            *self._appointment_endpoints,
            *self._set_up_endpoints,
            *self.exchange.endpoints,
            *WhatIf(house.catalog).endpoints,
            *Playground(house.store, house.paths, house.catalog, lambda: house.dispatcher, caller_number).endpoints,
            *Conversing(house.store, house.paths, lambda: house.talking.trials.turn, caller_number).endpoints,
        )

    @cached_property
    def _bookings(self) -> "BookingOffice":
        from switchboard.admin.resources.booking_office import BookingOffice

        house = self._house
        return BookingOffice(house.store, house.paths, house.clock, self._trail, house.desk.assigning)

    @cached_property
    def _resources(self) -> "Resources":
        from switchboard.admin.resources.resources import Resources

        house = self._house
        return Resources(
            *(house.store, house.paths, house.clock, self._trail, house.catalog.forget),
            *(house.desk.assigning, self._bookings),
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

        house = self._house
        return Access(house.credentials.recognise, Rejected, house.sign_ins, house.apps)

    @cached_property
    def _other_routes(self) -> "list[BaseRoute]":
        """The routes of `admin` that are not built from endpoints."""
        from switchboard.admin.access.roles import Operation
        from switchboard.admin.conversations import http
        from switchboard.channels.http.answer import refusal

        house = self._house
        see = self.access.authoriser(Operation.SEE_CONVERSATIONS, Operation.SEE_CONVERSATIONS)
        return [*http.routes(house.store, house.paths, see, refusal), *self._connecting.routes(self.access)]

    @cached_property
    def _connecting(self) -> "Connecting":
        """What connects businesses to calendars elsewhere."""
        from switchboard.app.calendar_consents import Connecting

        return Connecting(self._house, self.toolkits, self._trail)

    @cached_property
    def _set_up_endpoints(self) -> "tuple[Endpoint, ...]":
        """What owners connect, and who answers with it."""
        from switchboard.admin.agents.routes import AgentEndpoints
        from switchboard.admin.credentials.key_routes import KeyEndpoints
        from switchboard.admin.credentials.operations import OwnersKeys
        from switchboard.admin.importers.mcp_routes import McpEndpoints
        from switchboard.admin.toolkits.option_routes import ChoiceEndpoints
        from switchboard.admin.toolkits.options import Choices
        from switchboard.admin.toolkits.routes import ToolkitEndpoints

        house, settings = self._house, self._toolkit_settings

        def forget(key: "Mapping[str, object]") -> None:
            house.credentials.forget(key)
            house.accounts.forget(key)

        issuer = house.configuration.mcp_issuer
        keys = OwnersKeys(house.store, house.paths, self._trail, house.clock, issuer, forget)
        choices = Choices(house.store, house.paths, house.app_accounts, self._connecting.calendars)
        definitions = {name: tool.definition for name, tool in house.catalog.definitions.registry.tools.items()}
        return (
            *ToolkitEndpoints(settings, lambda: definitions).endpoints,
            *AgentEndpoints(self._agents, self._own_toolkits, settings).endpoints,
            *McpEndpoints(self._mcp_connections, self.tool_room.attachments).endpoints,
            *KeyEndpoints(keys).endpoints,
            *ChoiceEndpoints(choices).endpoints,
            *self._calendar_feeds.endpoints,
        )

    @cached_property
    def _trail(self) -> "AuditTrail":
        """What writes the audit."""
        from switchboard.admin.audit.trail import AuditTrail

        return AuditTrail(self._house.store, self._house.paths, self._house.clock)

    @cached_property
    def _ways(self) -> "Ways":
        """How what is not a document alone is undone."""
        from switchboard.admin.undo.handlers import Rooms, open_ways

        room = self.tool_room
        own, settings = self._own_toolkits, self._toolkit_settings
        rooms = Rooms(self._agents, own, settings, self._tool_store, room.tools, room.attachments, self._resources)
        return open_ways(rooms)

    @cached_property
    def toolkits(self) -> "Toolkits":
        """Which toolkits there are."""
        from switchboard.catalog.tenant_tools.toolkits import Toolkits

        return Toolkits.load(INTEGRATIONS)

    @cached_property
    def _agents(self) -> "Agents":
        from switchboard.admin.agents.agents import Agents

        house = self._house
        known = house.catalog.definitions.registry.tools
        return Agents(self._agent_store, house.secrets, self.toolkits, known.keys)

    @cached_property
    def _agent_store(self) -> "AgentStore":
        from switchboard.admin.agents.store import AgentStore

        house = self._house
        return AgentStore(house.store, house.paths, self._trail, house.catalog.forget)

    @cached_property
    def _own_toolkits(self) -> "AgentToolkits":
        from switchboard.admin.agents.toolkits import AgentToolkits

        return AgentToolkits(self._agent_store, self._house.secrets)

    @cached_property
    def _mcp_connections(self) -> "McpConnections":
        from switchboard.admin.importers.mcp_connections import McpConnections

        house = self._house
        known = house.catalog.definitions.registry.tools
        return McpConnections(
            *(house.store, house.paths, self._trail, house.remote_tools, house.secrets),
            *(known.keys, house.catalog.forget),
        )

    @cached_property
    def _toolkit_settings(self) -> "ToolkitSettings":
        from switchboard.admin.toolkits.probes import probes
        from switchboard.admin.toolkits.toolkits import ToolkitSettings

        house = self._house
        return ToolkitSettings(
            house.store,
            house.paths,
            self._trail,
            house.secrets,
            self.toolkits,
            house.catalog.forget,
            probes(house.phones, house.mailers, house.voice_platforms, self._connecting.calendars),
            {it.toolkit: it.withdraw for it in self._connecting.connections.values()},
            {"twilio": self._numbers.of_lists},
        )

    def admin_routes(self, surfaces: "Callable[[], list[Surface]]") -> "Iterable[BaseRoute]":
        """Return the routes of the function `admin`; `surfaces` are what its document describes."""
        from switchboard.admin.api import endpoint, openapi

        return [
            *self._other_routes,
            *endpoint.routes(self.admin_endpoints, self.access),
            openapi.route(surfaces),
        ]

    def api_routes(self) -> "Iterable[BaseRoute]":
        """Return the owners' routes of the function `api`; they stand behind those that vendors know."""
        from switchboard.admin.api import endpoint

        return [*self._calendar_feeds.routes, *endpoint.routes(self.tool_endpoints, self.access)]

    @cached_property
    def _calendar_feeds(self) -> "CalendarFeedEndpoints":
        from switchboard.admin.calendars.feed_routes import CalendarFeedEndpoints
        from switchboard.admin.calendars.feeds import CalendarFeeds

        house = self._house
        feeds = CalendarFeeds(house.store, house.paths, self._trail, house.clock)
        return CalendarFeedEndpoints(feeds, house.clock, house.configuration.public_url or "")

    @cached_property
    def _tool_store(self) -> "ToolStore":
        from switchboard.admin.tenant_tools.store import ToolStore

        return ToolStore(self._house.store, self._house.paths, self._house.clock)

    @cached_property
    def tool_room(self) -> "ToolRoom":
        """Where owners make tools."""
        from switchboard.admin.tenant_tools.services import open_tool_room
        from switchboard.admin.vapi.callback_key import CallbackKeys
        from switchboard.admin.vapi.client import VapiMirrors

        house = self._house
        keys = CallbackKeys(house.store, house.paths, house.secrets)
        mirrors = VapiMirrors(house.voice_platforms, keys, house.configuration.public_url)
        built_in = house.catalog.definitions.registry.tools.keys
        return open_tool_room(
            self._tool_store, mirrors, house.secrets, built_in, house.catalog.forget, house.egress.problem
        )

    @cached_property
    def tool_endpoints(self) -> "tuple[Endpoint, ...]":
        """What owners do about their own tools."""
        from switchboard.admin.tenant_tools.trial import Trials
        from switchboard.app.channel_app import caller_number
        from switchboard.conversation.claims.classifier import suggested_deed

        house = self._house
        trials = Trials(self._tool_store, lambda: house.dispatcher, caller_number, house.catalog.forget)
        return self.tool_room.endpoints(trials, suggested_deed)

    @cached_property
    def exchange(self) -> "ToolExchangeEndpoints":
        """Tools in and out: OpenAPI documents, bundles, exports."""
        from switchboard.admin.importers.bundle_import import BundleImport
        from switchboard.admin.importers.exporting import Exporting
        from switchboard.admin.importers.importing import Importing
        from switchboard.admin.importers.tool_exchange_routes import ToolExchangeEndpoints

        house, room = self._house, self.tool_room
        built_in = house.catalog.definitions.registry.tools.keys
        return ToolExchangeEndpoints(
            Importing(room.tools, built_in),
            BundleImport(room.tools, self._agents, room.attachments, built_in),
            Exporting(room.tools, self._agents, house.configuration.public_url),
        )

    def tts_admin_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the function `tts_admin`."""
        from switchboard.admin.api import endpoint

        return endpoint.routes(self.office.tts_admin_endpoints, self.access)

    def surfaces(self, others: "Mapping[str, Iterable[BaseRoute]]") -> "list[Surface]":
        """Return what the document says: of the owners' side, and of the other functions' routes.

        Raises:
            ValueError: Nothing is said of a route in `admin/api/openapi_routes.py`.
        """
        from switchboard.admin.api import openapi
        from switchboard.admin.api.openapi_routes import WORDS

        api = [*self._calendar_feeds.routes, *others.get("api", ())]
        served = {"admin": self._other_routes, **others, "api": api}
        return [
            openapi.of_endpoints("/admin", self.admin_endpoints),
            openapi.of_endpoints("/tts_admin", self.office.tts_admin_endpoints),
            openapi.of_endpoints("/api", self.tool_endpoints),
            *(openapi.of_routes(f"/{name}", routes, WORDS.get(name, {})) for name, routes in served.items()),
        ]

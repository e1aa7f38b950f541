"""The channels on which people talk, joined from the core: the phone, the portal and browser voice."""

import asyncio
import secrets
from functools import cached_property, partial
from typing import TYPE_CHECKING

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Query, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.routing import BaseRoute

    from switchboard.app.core import Core
    from switchboard.channels.call_start import CallStart
    from switchboard.channels.http.idempotency import Redeliveries
    from switchboard.channels.http.page import Streams
    from switchboard.channels.portal.auth import PortalAuth, TokenVisit, VisitorTokens
    from switchboard.channels.portal.portals import Portals
    from switchboard.channels.portal.replies import TurnedAway
    from switchboard.channels.portal.sessions import Visitor
    from switchboard.channels.preview import Previews
    from switchboard.channels.stranger_shares import StrangerShares
    from switchboard.contract.business.business import Business
    from switchboard.contract.json import JsonObject
    from switchboard.conversation.dependencies import Dependencies
    from switchboard.conversation.held_conversations import Conversations
    from switchboard.conversation.record.interactions import Interactions
    from switchboard.desk.callers.portal_links import PortalVisit

_SPENT = "This link is not valid any more. Ask for a new one on the phone."
# Longer than any turn: so long a page that asks again is kept waiting while another instance is answering.
_TURN_S = 90.0
_QUESTIONS_SHOWN = 2


def caller_number(text: str | None) -> str | None:
    """Return a caller's number in E.164; what reads it is loaded when there is one to read."""
    from switchboard.desk.contact import phone

    return phone.caller_number(text)


def told_number(text: str, business: "Business | None") -> str | None:
    """Return a caller's number that a service tells, in E.164; what reads it is loaded when there is one to read."""
    from switchboard.desk.contact import told_numbers

    return told_numbers.told_number(text, business)


class ChannelApp:
    """Joins the channels; each is built when it is first asked for."""

    def __init__(self, core: "Core") -> None:
        """Build nothing yet."""
        self._core = core

    @cached_property
    def interactions(self) -> "Interactions":
        """The records that calls and chats leave."""
        from switchboard.conversation.record.interactions import Interactions

        return Interactions(self._core.store, self._core.paths, self._core.clock)

    async def end_silent(self, business_id: str | None) -> "Mapping[str, int]":
        """End conversations of which nothing has been heard for long, of one business or of all."""
        from switchboard.conversation.record.endings import SilentConversations

        return await SilentConversations(self._core.store, self._core.clock).end(business_id)

    @cached_property
    def conversation_parts(self) -> "Dependencies":
        """What every conversation works with."""
        from switchboard.catalog.offer.prompts import Prompts
        from switchboard.conversation.claims.guard import ClaimGuards
        from switchboard.conversation.dependencies import join
        from switchboard.conversation.instrumentation import measured
        from switchboard.conversation.prompt_capture import CapturingModel
        from switchboard.conversation.turn_timing import timed
        from switchboard.desk.messaging.opt_outs import SpokenStops
        from switchboard.models.chosen import ChosenModels
        from switchboard.models.measured import MeasuredModel

        registry = self._core.catalog.definitions.registry
        model = MeasuredModel(self._core.open_model(list(registry.tools.values())), self._core.registry)
        prompts = Prompts(self._core.store, self._core.paths, registry.prompts, self._core.clock)
        parts = join(
            CapturingModel(model),
            self._core.catalog,
            self._core.dispatcher,
            self._core.approvals,
            self._core.clock,
            prompts.system,
            ClaimGuards(self._core.clock, [tool.definition for tool in registry.tools.values()]),
            self.interactions.recorder,
            prompts.moment,
            ChosenModels(
                *(self._core.configuration.agent_models, self._core.open_vendor_model),
                lambda chosen: CapturingModel(model.beside(chosen)),
            ),
            SpokenStops(self._core.desk.texts, self._core.paths).stop,
        )
        return timed(measured(parts, self._core.meter, self._core.clock))

    @cached_property
    def conversations(self) -> "Conversations":
        """The conversations that this process carries."""
        from switchboard.conversation.held_conversations import Conversations

        return Conversations(self.conversation_parts, self.interactions)

    @cached_property
    def trials(self) -> "Previews":
        """Conversations that owners hold to see how they go."""
        from switchboard.channels.http.idempotency import Deliveries
        from switchboard.channels.preview import Previews

        core = self._core
        deliveries = Deliveries(core.store, core.clock, _TURN_S)
        parts = (self.conversations, self.conversation_parts.model, self.portals, self.call_start)
        return Previews(*parts, deliveries, core.paths)

    async def warm(self) -> None:
        """Load what reads a model's sentences, and what texts: longer than anybody should wait on the phone."""
        from switchboard.conversation.claims.classifier import classifier

        await asyncio.to_thread(classifier)
        await self._core.integrations.warm("phone")

    async def close(self) -> None:
        """Let the conversations that are held here come to their end."""
        if "conversations" in self.__dict__:
            await self.conversations.close()

    @cached_property
    def tokens(self) -> "VisitorTokens":
        """What a visitor is known by."""
        from switchboard.channels.portal.auth import VisitorTokens
        from switchboard.desk.services import derived

        key = self._core.configuration.signing_key or secrets.token_bytes(32)
        return VisitorTokens(derived(key, "visitor tokens"), self._core.clock)

    @cached_property
    def portals(self) -> "Portals":
        """The portals of businesses."""
        from switchboard.channels.portal.portals import Portals

        return Portals(self._core.catalog)

    @cached_property
    def door(self) -> "PortalAuth":
        """Who lets requests in."""
        from switchboard.channels.portal.auth import PortalAuth

        core = self._core
        return PortalAuth(
            *(self.tokens, core.credentials, self.portals, self.goes_on), core.configuration.trusted_proxies
        )

    @cached_property
    def shares(self) -> "StrangerShares":
        """What strangers get."""
        from switchboard.channels.stranger_shares import StrangerShares

        return StrangerShares(self._core.store, self._core.paths, self._core.clock)

    async def redeem(self, link: str) -> "PortalVisit":
        """Let the caller of a portal link in, once.

        Raises:
            ToolError: AUTH, whatever is wrong with it; TRANSIENT when the store does not answer.
        """
        links = self._core.desk.portal_links
        business_id = links.business_of(link)
        if not business_id:
            raise ToolError(ErrorType.AUTH, _SPENT)
        return await links.redeem(link, business_id, self._core.paths.within(business_id))

    async def goes_on(self, visit: "TokenVisit") -> bool:
        """Tell whether a visit goes on; one by a link may have been ended.

        Raises:
            StoreError: Nobody can tell.
        """
        if visit.caller_phone is None or visit.link_id is None:
            return True
        within = self._core.paths.within(visit.business_id)
        return await self._core.desk.portal_links.is_open(within, visit.caller_phone, visit.link_id)

    async def admit_visitor(self, visitor: "Visitor") -> None:
        """Count somebody who comes without a link.

        Raises:
            ToolError: RATE_LIMIT, there were too many.
        """
        from switchboard.contract.context import PortalContext
        from switchboard.contract.policy import Thing

        # Nobody has a conversation yet.
        facts = PortalContext(business_id=visitor.business.id, session_id="", address=visitor.address)
        await self.shares.spend(facts, Thing.VISITS)

    async def demonstration(self, business_id: str) -> "JsonObject | None":
        """Return what pages show of a business where the rehearsal answers; None where a model does. Never raises."""
        from switchboard.contract.channel import Channel
        from switchboard.contract.context import CONTEXTS
        from switchboard.contract.model import REHEARSAL
        from switchboard.models.rehearsal.demonstration import demonstration

        if self.conversation_parts.model.name != REHEARSAL:
            return None
        scenes = {}
        try:
            for channel in (Channel.PORTAL, Channel.BROWSER_VOICE):
                facts = CONTEXTS[channel](business_id=business_id, session_id="", applies_intents=True)
                scenes[channel] = (await self.conversation_parts.offer(facts)).scene
            faqs = Query(self._core.paths.within(business_id).collection("faqs"), limit=_QUESTIONS_SHOWN)
            documents_of = [document.data.get("question") for document in await self._core.store.query(faqs)]
        except (StoreError, ToolError):
            return None
        business = scenes[Channel.PORTAL].business
        if business is None:
            return None
        now = self._core.clock.now().astimezone(business.timezone).replace(tzinfo=None)
        return demonstration(scenes, business.language, now, [q for q in documents_of if isinstance(q, str) and q])

    @cached_property
    def turned_away(self) -> "TurnedAway":
        """What tells whether somebody gets no conversation, whose session has been read."""
        return partial(self._core.desk.moderation.is_blocked, self._core.paths, self._core.clock)

    def phone_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the `phone` function, its WebSocket among them."""
        from switchboard.channels.http.idempotency import Deliveries
        from switchboard.channels.phone import inbound_texts, relay
        from switchboard.channels.phone.call_state import CallStates
        from switchboard.channels.phone.call_transfers import CallTransfers
        from switchboard.channels.phone.phone_numbers import Lines, SafeNumbers
        from switchboard.channels.phone.relay import RelayTokens
        from switchboard.channels.phone.routes import PhoneParts, routes
        from switchboard.channels.phone.webhook import WebhookAuth
        from switchboard.desk.callers.moderation import CallerScreening
        from switchboard.desk.limits.rate_limits import RateLimits
        from switchboard.desk.messaging.opt_outs import OptOuts

        core, own = self._core, self._core.configuration
        lines = Lines(core.store, core.paths, core.secrets, core.clock)
        tokens, handoffs = RelayTokens(core.store, core.clock), CallStates(core.store, core.paths, core.clock)
        reception = CallerScreening(core.desk.moderation)
        parts = (core.paths, core.catalog, self.conversations, Deliveries(core.store, core.clock), tokens, handoffs)
        hooks = PhoneParts(
            WebhookAuth(lines, own.public_url or "", safe_numbers=SafeNumbers(own.safe_numbers)),
            *parts,
            reception,
            CallTransfers(core.catalog, lambda: core.dispatcher),
            core.clock,
            own.relay_url,
            self.call_start,
        )
        sockets = relay.RelayParts(
            core.paths, core.catalog, self.conversations, lines, tokens, handoffs, reception, own.relay_url
        )
        texts = inbound_texts.TextParts(
            hooks.door,
            core.paths,
            core.catalog,
            hooks.deliveries,
            reception,
            OptOuts(core.desk.texts, RateLimits(core.store, core.clock)),
            core.clock,
        )
        return [*routes(hooks), *relay.routes(sockets), *inbound_texts.routes(texts)]

    @cached_property
    def redeliveries(self) -> "Redeliveries":
        """What knows actions again that name no conversation."""
        from switchboard.channels.http.idempotency import Redeliveries

        return Redeliveries(self._core.store, self._core.paths, self._core.clock)

    @cached_property
    def call_start(self) -> "CallStart":
        """What is looked up while a phone call starts."""
        from switchboard.channels.call_start import CallStart

        return CallStart(self._core.catalog, lambda: self._core.dispatcher)

    def vapi_routes(self) -> "Iterable[BaseRoute]":
        """Return what Vapi asks of the `api` function."""
        from switchboard.channels.http.idempotency import Deliveries
        from switchboard.channels.phone.call_transfers import CallTransfers
        from switchboard.channels.phone.phone_numbers import Lines, SafeNumbers
        from switchboard.channels.phone.webhook import WebhookAuth
        from switchboard.channels.vapi.callbacks import CallbackParts, Callbacks, ToolNames
        from switchboard.channels.vapi.incoming import Controls, Incoming, IncomingParts
        from switchboard.channels.vapi.request import RequestProofs
        from switchboard.channels.vapi.routes import VapiParts, routes
        from switchboard.channels.vapi.server_messages import AssistantParts, AssistantRequests, TransferRequests
        from switchboard.desk.callers.moderation import CallerScreening
        from switchboard.desk.contact.phone import caller_number

        h, own = self._core, self._core.configuration
        deliveries, controls = Deliveries(h.store, h.clock), Controls(h.store, h.paths, h.clock)
        reception = CallerScreening(h.desk.moderation)
        safe = SafeNumbers(own.safe_numbers)
        door = WebhookAuth(Lines(h.store, h.paths, h.secrets, h.clock), own.public_url or "", "api", safe)
        names = ToolNames(h.catalog, h.store, h.paths)
        parts = (h.catalog, lambda: h.dispatcher, h.approvals, deliveries, self.redeliveries, names, h.paths, h.clock)
        callbacks = CallbackParts(*parts, caller_number)
        platforms, transfers = h.voice_platforms, CallTransfers(h.catalog, lambda: h.dispatcher)
        incoming = IncomingParts(
            *(door, h.paths, h.catalog, platforms, self.call_start, controls, deliveries, reception, transfers, h.clock)
        )
        assistants = AssistantParts(h.paths, h.catalog, platforms, self.call_start, reception, transfers, h.clock, safe)
        proofs = RequestProofs(h.credentials, h.secrets, h.store, h.paths, h.clock)
        return routes(
            VapiParts(
                *(proofs, Callbacks(callbacks), Incoming(incoming), AssistantRequests(assistants)),
                TransferRequests(callbacks, transfers),
            )
        )

    def mcp_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the `mcp` function."""
        from switchboard.channels.mcp import routes as mcp
        from switchboard.channels.mcp.auth import McpAuth, OriginCheck, TrustedIssuer
        from switchboard.channels.mcp.elicitation import Elicitations, ElicitedQuestions
        from switchboard.channels.mcp.tools import Toolbox
        from switchboard.desk.services import derived

        core, own = self._core, self._core.configuration
        key = derived(own.signing_key or secrets.token_bytes(32), "mcp questions")
        parts = (core.catalog, lambda: core.dispatcher, core.approvals, ElicitedQuestions(key), core.clock)
        toolbox = Toolbox(*parts, self.redeliveries)
        tokens, doors = core.access_tokens, OriginCheck.of(own.public_url, is_local=own.is_local)
        trust = TrustedIssuer(tokens, core.accounts, own.public_url or "") if tokens is not None else None
        elicitations = Elicitations(key, core.store, core.paths, core.clock)
        return mcp.routes(toolbox, elicitations, McpAuth(core.credentials, trust), doors)

    def tools_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the `tools` function."""
        from starlette.routing import Route

        from switchboard.channels.http import tools_api

        core = self._core
        hearing = tools_api.heard_endpoint(core.catalog, core.approvals, core.credentials, core.clock)
        own = (core.catalog, lambda: core.dispatcher, core.credentials, told_number, self.redeliveries)
        return [*tools_api.routes(*own), Route("/heard", hearing, methods=["POST"])]

    @property
    def streams(self) -> "Streams":
        """Where pages have their conversations."""
        from switchboard.channels.http.page import Streams

        return Streams(self._core.configuration.page_origin, self._core.configuration.stream_url)

    def portal_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the `portal` function."""
        from switchboard.channels.http.idempotency import Deliveries
        from switchboard.channels.portal.replies import Replies
        from switchboard.channels.portal.routes import PortalParts, routes
        from switchboard.channels.portal.sessions import Visits

        core = self._core
        proxies = core.configuration.trusted_proxies
        visits = Visits(
            self.tokens, self.portals, core.paths, core.clock, self.redeem, self.admit_visitor, proxies=proxies
        )
        deliveries = Deliveries(core.store, core.clock, _TURN_S)
        replies = Replies(self.conversations, deliveries, core.paths, self.shares, self.turned_away)
        own = (core.store, core.paths, core.clock, self.door, visits, replies)
        return routes(PortalParts(*own, self.demonstration, streams=self.streams))

    def browser_voice_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the `browser_voice` function.

        Raises:
            ConfigurationError: SWITCHBOARD_VOICES names what there is none of.
        """
        from switchboard.app.settings import ConfigurationError
        from switchboard.channels.browser_voice.routes import BrowserVoiceParts, routes
        from switchboard.channels.browser_voice.vendor_sessions import LiveSessions
        from switchboard.integrations.realtime.factory import NoSuchVoice, VoiceEndpoints, open_voices
        from switchboard.integrations.realtime.voice_keys import TwilioVoiceKeys

        core, own = self._core, self._core.configuration
        endpoints = VoiceEndpoints(own.openai_url, own.openai_key, own.gemini_url, own.gemini_key)
        try:
            voices = open_voices(own.voices, core.http, endpoints)
        except NoSuchVoice as error:
            raise ConfigurationError(str(error)) from None
        held = self.door, self.conversation_parts, self.conversations
        own_voice = voices, TwilioVoiceKeys(core.secrets), self.turned_away
        live = LiveSessions(core.store, core.paths, core.clock)
        kept = core.store, core.paths, self.streams
        return routes(BrowserVoiceParts(*held, *own_voice, core.clock, self.shares, live, *kept))

"""The channels on which people talk, joined from the house's parts: the phone, the portal and browser voice."""

import asyncio
import secrets
from functools import cached_property
from typing import TYPE_CHECKING

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Query, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.routing import BaseRoute

    from main import House
    from switchboard.channels.call_start import CallStart
    from switchboard.channels.http.redeliveries import Redeliveries
    from switchboard.channels.http.streams import Streams
    from switchboard.channels.portal.auth import Door
    from switchboard.channels.portal.portals import Portals
    from switchboard.channels.portal.sessions import Visitor
    from switchboard.channels.preview import Trials
    from switchboard.channels.stranger_shares import StrangerShares
    from switchboard.channels.visitor_tokens import Visit, VisitorTokens
    from switchboard.contract.context import Context
    from switchboard.contract.json import JsonObject
    from switchboard.conversation.conversations import Conversations
    from switchboard.conversation.dependencies import Parts
    from switchboard.conversation.record.interactions import Interactions
    from switchboard.desk.callers.portal_links import PortalVisit

_SPENT = "This link is not valid any more. Ask for a new one on the phone."
# Longer than any turn: until then another instance waits for the one that is answering.
_TURN_S = 90.0
_QUESTIONS_SHOWN = 2


def caller_number(text: str | None) -> str | None:
    """Return a caller's number in E.164; what reads it is loaded when there is one to read."""
    from switchboard.desk.contact import phone

    return phone.caller_number(text)


class Talking:
    """Joins the channels; each is built when it is first asked for."""

    def __init__(self, house: "House") -> None:
        """Build nothing yet."""
        self._house = house

    @cached_property
    def interactions(self) -> "Interactions":
        """The records that calls and chats leave."""
        from switchboard.conversation.record.interactions import Interactions

        return Interactions(self._house.store, self._house.paths, self._house.clock)

    async def end_silent(self, business_id: str | None) -> "Mapping[str, int]":
        """End conversations of which nothing has been heard for long, of one business or of all."""
        from switchboard.conversation.record.endings import SilentConversations

        return await SilentConversations(self._house.store, self._house.clock).end(business_id)

    @cached_property
    def conversation_parts(self) -> "Parts":
        """What every conversation works with."""
        from switchboard.catalog.offer.prompts import Prompts
        from switchboard.conversation.claims.guard import ClaimGuards
        from switchboard.conversation.dependencies import join
        from switchboard.conversation.instrumentation import measured
        from switchboard.conversation.prompt_capture import WatchedModel
        from switchboard.models.measured import MeasuredModel

        registry = self._house.catalog.definitions.registry
        model = MeasuredModel(self._house.open_model(list(registry.tools.values())))
        self._house.sources.append(model.families)
        prompts = Prompts(self._house.store, self._house.paths, registry.prompts, self._house.clock)
        parts = join(
            WatchedModel(model),
            self._house.catalog,
            self._house.dispatcher,
            self._house.approvals,
            self._house.clock,
            prompts.system,
            ClaimGuards(self._house.clock, [tool.definition for tool in registry.tools.values()]),
            self.interactions.recorder,
            prompts.moment,
        )
        return measured(parts, self._house.meter, self._house.clock)

    @cached_property
    def conversations(self) -> "Conversations":
        """The conversations that this process carries."""
        from switchboard.conversation.conversations import Conversations

        return Conversations(self.conversation_parts, self.interactions)

    @cached_property
    def trials(self) -> "Trials":
        """Conversations that owners hold to see how they go."""
        from switchboard.channels.http.idempotency import Deliveries
        from switchboard.channels.preview import Trials

        house = self._house
        deliveries = Deliveries(house.store, house.clock, _TURN_S)
        parts = (self.conversations, self.conversation_parts.model, self.portals, self.call_start)
        return Trials(*parts, deliveries, house.paths)

    async def warm(self) -> None:
        """Load what reads a model's sentences, and what texts: longer than anybody should wait on the phone."""
        from switchboard.conversation.claims.classifier import classifier

        await asyncio.to_thread(classifier)
        await self._house.phones.warm()

    async def close(self) -> None:
        """Let the conversations that are held here come to their end."""
        if "conversations" in self.__dict__:
            await self.conversations.close()

    @cached_property
    def tokens(self) -> "VisitorTokens":
        """What a visitor is known by."""
        from switchboard.channels.visitor_tokens import VisitorTokens
        from switchboard.desk.services import derived

        key = self._house.configuration.signing_key or secrets.token_bytes(32)
        return VisitorTokens(derived(key, "visitor tokens"), self._house.clock)

    @cached_property
    def portals(self) -> "Portals":
        """The portals of businesses."""
        from switchboard.channels.portal.portals import Portals

        return Portals(self._house.store, self._house.paths, self._house.clock)

    @cached_property
    def door(self) -> "Door":
        """Who lets requests in."""
        from switchboard.channels.portal.auth import Door

        house = self._house
        return Door(*(self.tokens, house.credentials, self.portals, self.goes_on), house.configuration.trusted_proxies)

    @cached_property
    def shares(self) -> "StrangerShares":
        """What strangers get."""
        from switchboard.channels.stranger_shares import StrangerShares

        return StrangerShares(self._house.store, self._house.paths, self._house.clock)

    async def redeem(self, link: str) -> "PortalVisit":
        """Let the caller of a portal link in, once.

        Raises:
            ToolError: AUTH, whatever is wrong with it; TRANSIENT when the store does not answer.
        """
        links = self._house.desk.portal_links
        business_id = links.business_of(link)
        if not business_id:
            raise ToolError(ErrorType.AUTH, _SPENT)
        return await links.redeem(link, business_id, self._house.paths.within(business_id))

    async def goes_on(self, visit: "Visit") -> bool:
        """Tell whether a visit goes on; one by a link may have been ended.

        Raises:
            StoreError: Nobody can tell.
        """
        if visit.caller_phone is None or visit.link_id is None:
            return True
        within = self._house.paths.within(visit.business_id)
        return await self._house.desk.portal_links.is_open(within, visit.caller_phone, visit.link_id)

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
        from switchboard.models.rehearsal.demonstration import demonstration

        if self.conversation_parts.model.name != "rehearsal":
            return None
        scenes = {}
        try:
            for channel in (Channel.PORTAL, Channel.BROWSER_VOICE):
                facts = CONTEXTS[channel](business_id=business_id, session_id="", applies_intents=True)
                scenes[channel] = (await self.conversation_parts.offer(facts)).scene
            faqs = Query(self._house.paths.within(business_id).collection("faqs"), limit=_QUESTIONS_SHOWN)
            found = [document.data.get("question") for document in await self._house.store.query(faqs)]
        except (StoreError, ToolError):
            return None
        business = scenes[Channel.PORTAL].business
        if business is None:
            return None
        now = self._house.clock.now().astimezone(business.timezone).replace(tzinfo=None)
        return demonstration(scenes, business.language, now, [q for q in found if isinstance(q, str) and q])

    async def turned_away(self, facts: "Context") -> bool:
        """Tell whether somebody gets no conversation; never raises."""
        house = self._house
        within = house.paths.within(facts.business_id)
        return await house.desk.moderation.is_ignored(within, facts, house.clock.now())

    def phone_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the `phone` function, its WebSocket among them."""
        from switchboard.channels.http.idempotency import Deliveries
        from switchboard.channels.phone import inbound_texts, relay, webhooks
        from switchboard.channels.phone.call_state import Handoffs
        from switchboard.channels.phone.phone_numbers import Lines
        from switchboard.channels.phone.relay_tokens import RelayTokens
        from switchboard.channels.phone.webhook import Door
        from switchboard.channels.safe_numbers import SafeNumbers
        from switchboard.desk.callers.screening import Reception
        from switchboard.desk.limits.rate_limits import RateLimits
        from switchboard.desk.messaging.opt_outs import OptOuts

        house, own = self._house, self._house.configuration
        lines = Lines(house.store, house.paths, house.secrets, house.clock)
        tokens, handoffs = RelayTokens(house.store, house.clock), Handoffs(house.store, house.paths, house.clock)
        reception = Reception(house.desk.moderation)
        hooks = webhooks.PhoneParts(
            Door(lines, own.public_url or "", safe_numbers=SafeNumbers(own.safe_numbers)),
            house.paths,
            house.catalog,
            self.conversations,
            Deliveries(house.store, house.clock),
            tokens,
            handoffs,
            reception,
            house.clock,
            own.relay_url,
            self.call_start,
        )
        sockets = relay.RelayParts(
            house.paths, house.catalog, self.conversations, lines, tokens, handoffs, reception, own.relay_url
        )
        texts = inbound_texts.TextParts(
            hooks.door,
            house.paths,
            house.catalog,
            hooks.deliveries,
            reception,
            OptOuts(house.desk.texts, RateLimits(house.store, house.clock)),
            house.clock,
        )
        return [*webhooks.routes(hooks), *relay.routes(sockets), *inbound_texts.routes(texts)]

    @cached_property
    def redeliveries(self) -> "Redeliveries":
        """What knows actions again that name no conversation."""
        from switchboard.channels.http.redeliveries import Redeliveries

        return Redeliveries(self._house.store, self._house.paths, self._house.clock)

    @cached_property
    def call_start(self) -> "CallStart":
        """What is looked up while a phone call starts."""
        from switchboard.channels.call_start import CallStart

        return CallStart(self._house.catalog, lambda: self._house.dispatcher)

    def vapi_routes(self) -> "Iterable[BaseRoute]":
        """Return what Vapi asks of the `api` function."""
        from switchboard.channels.http.idempotency import Deliveries
        from switchboard.channels.phone.phone_numbers import Lines
        from switchboard.channels.phone.webhook import Door
        from switchboard.channels.safe_numbers import SafeNumbers
        from switchboard.channels.vapi.assistant_request import AssistantParts, AssistantRequests
        from switchboard.channels.vapi.callbacks import CallbackParts, Callbacks
        from switchboard.channels.vapi.controls import Controls
        from switchboard.channels.vapi.incoming import Incoming, IncomingParts
        from switchboard.channels.vapi.request_proof import RequestProofs
        from switchboard.channels.vapi.routes import VapiParts, routes
        from switchboard.channels.vapi.tool_names import ToolNames
        from switchboard.channels.vapi.transfer_request import TransferRequests
        from switchboard.desk.callers.screening import Reception
        from switchboard.desk.contact.phone import caller_number

        h, own = self._house, self._house.configuration
        deliveries, controls = Deliveries(h.store, h.clock), Controls(h.store, h.paths, h.clock)
        reception = Reception(h.desk.moderation)
        safe = SafeNumbers(own.safe_numbers)
        door = Door(Lines(h.store, h.paths, h.secrets, h.clock), own.public_url or "", "api", safe)
        names = ToolNames(h.catalog, h.store, h.paths)
        parts = (h.catalog, lambda: h.dispatcher, h.approvals, deliveries, self.redeliveries, names, h.paths, h.clock)
        callbacks = CallbackParts(*parts, caller_number)
        transfers, platforms = TransferRequests(callbacks), h.voice_platforms
        incoming = IncomingParts(
            *(door, h.paths, h.catalog, platforms, self.call_start, controls, deliveries, reception, transfers, h.clock)
        )
        assistants = AssistantParts(h.paths, h.catalog, platforms, self.call_start, reception, transfers, h.clock, safe)
        proofs = RequestProofs(h.credentials, h.secrets, h.store, h.paths, h.clock)
        return routes(
            VapiParts(proofs, Callbacks(callbacks), Incoming(incoming), AssistantRequests(assistants), transfers)
        )

    def mcp_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the `mcp` function."""
        from switchboard.channels.mcp import routes as mcp
        from switchboard.channels.mcp.auth import Entrance, Trust
        from switchboard.channels.mcp.elicitation import Elicitations
        from switchboard.channels.mcp.elicited_answer import Questions
        from switchboard.channels.mcp.origin_check import Doors
        from switchboard.channels.mcp.tools import Toolbox
        from switchboard.desk.services import derived

        house, own = self._house, self._house.configuration
        key = derived(own.signing_key or secrets.token_bytes(32), "mcp questions")
        parts = (house.catalog, lambda: house.dispatcher, house.approvals, Questions(key), house.clock)
        toolbox = Toolbox(*parts, self.redeliveries)
        tokens, doors = house.access_tokens, Doors.of(own.public_url, is_local=own.is_local)
        trust = Trust(tokens, house.accounts, own.public_url or "") if tokens is not None else None
        elicitations = Elicitations(key, house.store, house.paths, house.clock)
        return mcp.routes(toolbox, elicitations, Entrance(house.credentials, trust), doors)

    def tools_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the `tools` function."""
        from starlette.routing import Route

        from switchboard.channels.http import confirmation_api, tools_api

        house = self._house
        hearing = confirmation_api.endpoint(house.catalog, house.approvals, house.credentials, house.clock)
        own = (house.catalog, lambda: house.dispatcher, house.credentials, caller_number, self.redeliveries)
        return [*tools_api.routes(*own), Route("/heard", hearing, methods=["POST"])]

    @property
    def streams(self) -> "Streams":
        """Where pages have their conversations."""
        from switchboard.channels.http.streams import Streams

        return Streams(self._house.configuration.page_origin, self._house.configuration.stream_url)

    def portal_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the `portal` function."""
        from switchboard.channels.http.idempotency import Deliveries
        from switchboard.channels.portal.replies import Replies
        from switchboard.channels.portal.routes import PortalParts, routes
        from switchboard.channels.portal.sessions import Visits

        house = self._house
        proxies = house.configuration.trusted_proxies
        visits = Visits(
            self.tokens, self.portals, house.paths, house.clock, self.redeem, self.admit_visitor, proxies=proxies
        )
        replies = Replies(self.conversations, Deliveries(house.store, house.clock, _TURN_S), house.paths, self.shares)
        own = (house.store, house.paths, house.clock, self.door, visits, replies, self.turned_away)
        return routes(PortalParts(*own, self.demonstration, streams=self.streams))

    def browser_voice_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the `browser_voice` function.

        Raises:
            ConfigurationError: SWITCHBOARD_VOICES names what there is none of.
        """
        from switchboard.app.settings import ConfigurationError
        from switchboard.channels.browser_voice.live_sessions import LiveSessions
        from switchboard.channels.browser_voice.routes import BrowserVoiceParts, routes
        from switchboard.integrations.realtime.factory import Endpoints, NoSuchVoice, open_voices
        from switchboard.integrations.realtime.voice_keys import TwilioVoiceKeys

        house, own = self._house, self._house.configuration
        endpoints = Endpoints(own.openai_url, own.openai_key, own.gemini_url, own.gemini_key)
        try:
            voices = open_voices(own.voices, house.http, endpoints)
        except NoSuchVoice as error:
            raise ConfigurationError(str(error)) from None
        keys = TwilioVoiceKeys(house.secrets)
        return routes(
            BrowserVoiceParts(
                self.door,
                self.conversation_parts,
                self.conversations,
                voices,
                keys,
                self.turned_away,
                house.clock,
                self.shares,
                LiveSessions(house.store, house.paths, house.clock),
                self.streams,
            )
        )

"""The channels on which people talk, joined from the house's parts: the phone, the portal and browser voice."""

import secrets
from functools import cached_property
from typing import TYPE_CHECKING

from switchboard.contract.error import ErrorType, ToolError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.routing import BaseRoute

    from main import House
    from switchboard.channels.portal.door import Door
    from switchboard.channels.portal.portals import Portals
    from switchboard.channels.portal.visits import Visitor
    from switchboard.channels.visitor_tokens import VisitorTokens
    from switchboard.contract.context import Context
    from switchboard.desk.portal_links import PortalVisit

_SPENT = "This link is not valid any more. Ask for a new one on the phone."
_ADDRESS_PER_HOUR, _BUSINESS_PER_HOUR = 20, 500
# Longer than any turn: until then another instance waits for the one that is answering.
_TURN_S = 90.0


class Talking:
    """Joins the channels; each is built when it is first asked for."""

    def __init__(self, house: "House") -> None:
        """Build nothing yet."""
        self._house = house

    @cached_property
    def tokens(self) -> "VisitorTokens":
        """What a visitor is known by."""
        from switchboard.channels.visitor_tokens import VisitorTokens
        from switchboard.desk.desk import derived

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
        from switchboard.channels.portal.door import Door

        return Door(self.tokens, self._house.credentials, self.portals)

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

    async def admit_visitor(self, visitor: "Visitor") -> None:
        """Count somebody who comes without a link.

        Raises:
            ToolError: RATE_LIMIT, there were too many.
        """
        from switchboard.desk.rate_limits import RateLimits, Rule

        rules = (Rule("address", _ADDRESS_PER_HOUR, 3_600), Rule("business", _BUSINESS_PER_HOUR, 3_600))
        limits = RateLimits(self._house.store, self._house.clock)
        await limits.spend(visitor, rules, {"address": visitor.address, "business": ""}, what="visitor")

    async def turned_away(self, facts: "Context") -> bool:
        """Tell whether somebody gets no conversation; never raises."""
        house = self._house
        within = house.paths.within(facts.business_id)
        return await house.desk.moderation.is_ignored(within, facts, house.clock.now())

    def phone_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the `phone` function, its WebSocket among them."""
        from switchboard.channels.deliveries import Deliveries
        from switchboard.channels.phone import relay, webhooks
        from switchboard.channels.phone.handoff import Handoffs
        from switchboard.channels.phone.lines import Lines
        from switchboard.channels.phone.relay_tokens import RelayTokens
        from switchboard.channels.phone.webhook import Door
        from switchboard.desk.reception import Reception

        house, own = self._house, self._house.configuration
        lines = Lines(house.store, house.paths, house.secrets, house.clock)
        tokens, handoffs = RelayTokens(house.store, house.clock), Handoffs(house.store, house.paths, house.clock)
        reception = Reception(house.desk.moderation, house.desk.callers)
        hooks = webhooks.PhoneParts(
            Door(lines, own.public_url or ""),
            house.paths,
            house.catalog,
            house.conversations,
            Deliveries(house.store, house.clock),
            tokens,
            handoffs,
            reception,
            house.clock,
            own.relay_url,
        )
        sockets = relay.RelayParts(
            house.paths, house.catalog, house.conversations, lines, tokens, handoffs, reception, own.relay_url
        )
        return [*webhooks.routes(hooks), *relay.routes(sockets)]

    def portal_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the `portal` function."""
        from switchboard.channels.deliveries import Deliveries
        from switchboard.channels.portal.replies import Replies
        from switchboard.channels.portal.routes import PortalParts, routes
        from switchboard.channels.portal.visits import Visits

        house = self._house
        # Behind Cloud Run one proxy has written down where a request came from.
        proxies = 0 if house.configuration.is_local else 1
        visits = Visits(
            self.tokens, self.portals, house.paths, house.clock, self.redeem, self.admit_visitor, proxies=proxies
        )
        replies = Replies(house.conversations, Deliveries(house.store, house.clock, _TURN_S), house.paths)
        return routes(PortalParts(house.store, house.paths, house.clock, self.door, visits, replies, self.turned_away))

    def browser_voice_routes(self) -> "Iterable[BaseRoute]":
        """Return the routes of the `browser_voice` function.

        Raises:
            ConfigurationError: SWITCHBOARD_VOICES names what there is none of.
        """
        from configuration import ConfigurationError
        from switchboard.channels.browser_voice.routes import BrowserVoiceParts, routes
        from switchboard.integrations.realtime.choice import Endpoints, NoSuchVoice, open_voices
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
                house.conversation_parts,
                house.conversations,
                voices,
                keys,
                self.turned_away,
                house.clock,
            )
        )

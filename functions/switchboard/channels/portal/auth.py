"""Who is writing: a visitor with a token of ours, or a business's own service with its API key."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from starlette.requests import Request

from switchboard.channels.http.credentials import Credentials, Rejected, entitled
from switchboard.channels.http.request_body import optional_text, text
from switchboard.channels.portal.address import address_of
from switchboard.channels.portal.portals import Portal, Portals
from switchboard.channels.visitor_tokens import PREFIX, TokenVisit, VisitorTokens
from switchboard.contract.context import PortalContext
from switchboard.contract.credential import Scope

NO_VISITORS = "This business takes no visitors here. Ask for a link on the phone."
_NOBODY = "Send a visitor token from POST /portal/session, or your business's API key, as 'Authorization: Bearer <it>'."
_OTHER = "This token is for another {what} than the one named in the request."
_ENDED = "This visit was ended. Ask for a new link on the phone."
_UNKNOWN = "The business of this key does not exist any more."


IsOpen: TypeAlias = Callable[[TokenVisit], Awaitable[bool]]
"""Tells whether a visit goes on: a newer link, a word on the phone or the owner ends one; raises `StoreError`."""


@dataclass(frozen=True, slots=True)
class PortalVisitor:
    """Somebody who was let in.

    Attributes:
        facts: What is known of them and their conversation.
        portal: Where they are.
        is_visitor: Whether our own page speaks for them, rather than a service that greets by itself.
    """

    facts: PortalContext
    portal: Portal
    is_visitor: bool


class PortalAuth:
    """Lets requests in."""

    def __init__(
        self, tokens: VisitorTokens, credentials: Credentials, portals: Portals, is_open: IsOpen, proxies: int = 0
    ) -> None:
        """Ask these who somebody is; `proxies` of ours stand in front, see `address_of`."""
        self._tokens, self._credentials, self._portals, self._is_open = tokens, credentials, portals, is_open
        self._proxies = proxies

    async def admit(self, request: Request, said: Mapping[str, Any]) -> PortalVisitor:
        """Return who a request comes from.

        Args:
            request: Its `Authorization` decides.
            said: The `businessId` and `sessionId` that it names: required from a service, held against a visitor's own.

        Raises:
            Rejected: 401, nobody we know, or a visit that was ended; 403, not for this business or conversation; 503,
                nobody can tell.
            Malformed: A service names no business or no conversation.
            StoreError: The business, or whether a visit goes on, cannot be read.
        """
        header = request.headers.get("authorization") or ""
        scheme, _, token = header.strip().partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise Rejected(401, _NOBODY)
        if token.strip().startswith(PREFIX):
            return await self._visitor(token.strip(), said, address_of(request, self._proxies))
        credential = await self._credentials.recognise(header)
        business_id = text(said, "businessId")
        entitled(credential, Scope.EXECUTE, business_id)
        facts = PortalContext(business_id=business_id, session_id=text(said, "sessionId"), turn=0, applies_intents=True)
        return PortalVisitor(facts, await self._portal(business_id), is_visitor=False)

    async def _visitor(self, token: str, said: Mapping[str, Any], address: str) -> PortalVisitor:
        visit = self._tokens.read(token)
        if optional_text(said, "businessId") not in (None, visit.business_id):
            raise Rejected(403, _OTHER.format(what="business"))
        if optional_text(said, "sessionId") not in (None, visit.session_id):
            raise Rejected(403, _OTHER.format(what="conversation"))
        portal = await self._portal(visit.business_id)
        if not await self._is_open(visit):
            raise Rejected(401, _ENDED)
        if visit.is_anonymous and not portal.welcomes_visitors:
            # An owner who closes the door does not wait for twelve hours.
            raise Rejected(403, NO_VISITORS)
        facts = PortalContext(
            business_id=visit.business_id,
            session_id=visit.session_id,
            turn=0,
            # Whoever opened a link has its conversation, and is not taken for whom it was sent to.
            applies_intents=True,
            since=None if visit.is_anonymous else visit.began_at,
            address=address,
        )
        return PortalVisitor(facts, portal, is_visitor=True)

    async def _portal(self, business_id: str) -> Portal:
        portal = await self._portals.of(business_id)
        if portal is None:
            raise Rejected(403, _UNKNOWN)
        return portal

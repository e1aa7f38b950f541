"""`POST /portal/session`: a browser is let in, by a link from the phone or as an anonymous visitor."""

import secrets
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Final, Protocol, TypeAlias

from starlette.requests import Request

from switchboard.channels.http.credentials import Rejected
from switchboard.channels.http.request_body import Malformed, optional_text
from switchboard.channels.portal.auth import NO_VISITORS, VisitorTokens, address_of, beginning_of
from switchboard.channels.portal.portals import Portal, Portals
from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.subject import concerns
from switchboard.contract.ports import BusinessPaths, Clock, Paths
from switchboard.contract.python.dataclass import dataclass

_LONGEST_LINK: Final = 2_000
_SESSION_BYTES: Final = 18


class LetIn(Protocol):
    """Whom a portal link has let in; `caller_phone` is E.164."""

    @property
    def business_id(self) -> str:
        """The business that sent it."""

    @property
    def session_id(self) -> str:
        """The phone conversation that goes on."""

    @property
    def caller_phone(self) -> str:
        """The number that it was sent to."""

    @property
    def caller_id(self) -> str | None:
        """The caller's record, where it is known."""

    @property
    def link_id(self) -> str:
        """Which link it was."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """An anonymous visitor who wants to come in.

    Attributes:
        business: Whom they want to write to.
        paths: The document paths below it.
        now: When they came (aware, UTC).
        address: From where, as coarsely as visitors are counted.
    """

    business: Business
    paths: BusinessPaths
    now: datetime
    address: str


Redeem: TypeAlias = Callable[[str], Awaitable[LetIn]]
"""Spends a portal link; raises `ToolError`: AUTH, in the same words whatever is wrong with it, or TRANSIENT."""
AdmitVisitor: TypeAlias = Callable[[Visitor], Awaitable[None]]
"""Counts a visitor; raises `ToolError`: RATE_LIMIT where there have been too many, TRANSIENT where nobody can tell."""


class Visits:
    """Begins visits."""

    def __init__(
        self,
        tokens: VisitorTokens,
        portals: Portals,
        paths: Paths,
        clock: Clock,
        redeem: Redeem,
        admit_visitor: AdmitVisitor,
        proxies: int = 0,
    ) -> None:
        """Let people in.

        Args:
            tokens: What they are given.
            portals: Where they may go.
            paths: Where things are in the store.
            clock: Says when they came.
            redeem: Spends links.
            admit_visitor: Counts those who come without.
            proxies: How many proxies of ours stand in front of this process; see `address_of`.
        """
        self._tokens, self._portals, self._paths, self._clock = tokens, portals, paths, clock
        self._redeem, self._admit_visitor, self._proxies = redeem, admit_visitor, proxies

    async def begin(self, request: Request, body: JsonObject) -> JsonObject:
        """Return `{token, businessId, sessionId, business, expiresAt}` for a body of `{link}` or `{businessId}`.

        Raises:
            Malformed: It holds neither, or both.
            Rejected: 403, the business takes no visitors, or there is none.
            ToolError: AUTH, RATE_LIMIT or TRANSIENT; see `Redeem` and `AdmitVisitor`.
            StoreError: The business cannot be read.
        """
        link = optional_text(body, "link", longest=_LONGEST_LINK)
        business_id = optional_text(body, "businessId")
        if (link is None) == (business_id is None):
            raise Malformed("link", "Send exactly one of link and businessId.")
        if link is not None:
            visit = await self._redeem(link)
            concerns(visit.business_id, visit.session_id)
            portal = await self._portals.of(visit.business_id)
            if portal is None:
                raise ToolError(ErrorType.AUTH, NO_VISITORS)
            return self._visit_document(portal, visit.session_id, visit.caller_phone, visit.caller_id, visit.link_id)
        portal = await self._portals.of(business_id or "")
        # The same words for a business that does not exist, so that nobody finds out which do.
        if portal is None or not portal.welcomes_visitors:
            raise Rejected(403, NO_VISITORS)
        session_id = f"web_{secrets.token_urlsafe(_SESSION_BYTES)}"
        concerns(portal.business.id, session_id)
        within, address = self._paths.within(portal.business.id), address_of(request, self._proxies)
        await self._admit_visitor(Visitor(portal.business, within, self._clock.now(), address))
        return self._visit_document(portal, session_id)

    def _visit_document(
        self,
        portal: Portal,
        session_id: str,
        caller_phone: str | None = None,
        caller_id: str | None = None,
        link_id: str | None = None,
    ) -> JsonObject:
        began = beginning_of(portal.business)
        token, visit = self._tokens.issue(portal.business.id, session_id, caller_phone, caller_id, link_id, began)
        return {
            "token": token,
            "businessId": visit.business_id,
            "sessionId": visit.session_id,
            "business": portal.document(),
            "expiresAt": visit.expires_at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        }

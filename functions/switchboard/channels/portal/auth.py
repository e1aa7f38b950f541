"""Who is writing: a visitor with a token of ours, or a business's own service with its API key.

A token lets a browser go on with one conversation for twelve hours. It is signed, made where a portal link was redeemed
or an anonymous visitor was let in, and stored nowhere. It carries the number that the link was sent to, which tells a
visit by link from an anonymous one and proves nothing else, and which link it was: that one may have been ended.
"""

import base64
import hashlib
import hmac
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from ipaddress import IPv6Address, ip_address
from typing import Any, TypeAlias

import orjson
from starlette.requests import Request

from switchboard.channels.http.credentials import Credentials, Rejected, entitled
from switchboard.channels.http.request_body import named_id, optional_id, optional_text, text
from switchboard.channels.portal.portals import Portal, Portals
from switchboard.contract.business.business import Business
from switchboard.contract.context import PortalContext
from switchboard.contract.credential import Scope
from switchboard.contract.observability.subject import concerns
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass

LIFETIME = timedelta(hours=12)
# Told apart from API keys without asking the store.
PREFIX = "visit."
_KEY_BYTES = 32
_LONGEST = 4_000
_REFUSED = "This visit is not valid any more. Open the page again, or ask for a new link on the phone."

NO_VISITORS = "This business takes no visitors here. Ask for a link on the phone."
_NOBODY = "Send a visitor token from POST /portal/session, or your business's API key, as 'Authorization: Bearer <it>'."
_OTHER = "This token is for another {what} than the one named in the request."
_ENDED = "This visit was ended. Ask for a new link on the phone."
_UNKNOWN = "The business of this key does not exist any more."

_NEIGHBOURHOOD = 64
_READ = 32


@dataclass(frozen=True, slots=True)
class TokenVisit:
    """Whom a token lets in, and into which conversation.

    Attributes:
        business_id: The business.
        session_id: The conversation.
        expires_at: Until when (aware, UTC).
        caller_phone: E.164, where the portal link was sent to; None for an anonymous visitor. It says nothing of who
            opened the link: links are forwarded.
        caller_id: The record of whom it was sent to, if the phone conversation knew it.
        link_id: Which link it was; None for an anonymous visitor, and where a token is older than this.
        business_began: When the business was made (`beginning_of`); None where nobody could say.
    """

    business_id: str
    session_id: str
    expires_at: datetime
    caller_phone: str | None = None
    caller_id: str | None = None
    link_id: str | None = None
    business_began: int | None = None

    @property
    def began_at(self) -> datetime:
        """When it began."""
        return self.expires_at - LIFETIME

    @property
    def is_anonymous(self) -> bool:
        """Whether no link has said who it is."""
        return self.caller_phone is None


IsOpen: TypeAlias = Callable[[TokenVisit], Awaitable[bool]]
"""Tells whether a visit goes on: a newer link, a word on the phone or the owner ends one; raises `StoreError`."""


class VisitorTokens:
    """Issues tokens and reads them."""

    def __init__(self, key: bytes, clock: Clock) -> None:
        """Sign with `key`, at least 32 random bytes, the same in every process.

        Raises:
            ValueError: The key is too short to protect anything.
        """
        if len(key) < _KEY_BYTES:
            raise ValueError(f"the key for visitor tokens needs {_KEY_BYTES} bytes, and has {len(key)}")
        self._key, self._clock = key, clock

    def issue(
        self,
        business_id: str,
        session_id: str,
        caller_phone: str | None = None,
        caller_id: str | None = None,
        link_id: str | None = None,
        business_began: int | None = None,
    ) -> tuple[str, TokenVisit]:
        """Return a token and the visit that it stands for."""
        expires = int((self._clock.now() + LIFETIME).timestamp())
        # Instances of the version before read it meanwhile. They take at most six, and use no caller of a token for
        # anything: beside the caller is room.
        caller = caller_id if business_began is None else [caller_id, business_began]
        claims = [business_id, session_id, caller_phone, caller, expires, *([link_id] if link_id else [])]
        body = PREFIX.encode() + _text(orjson.dumps(claims))
        visit = TokenVisit(
            *(business_id, session_id, datetime.fromtimestamp(expires, UTC), caller_phone, caller_id),
            *(link_id, business_began),
        )
        return f"{body.decode()}.{_text(self._mac(body)).decode()}", visit

    def read(self, token: str) -> TokenVisit:
        """Return the visit that a token stands for.

        Raises:
            Rejected: 401, in the same words whatever is wrong with it.
        """
        body, _, signature = token[:_LONGEST].encode("utf-8", "surrogatepass").rpartition(b".")
        # Before anything is read: what we have not signed, letter by letter, is nobody's word.
        if not hmac.compare_digest(signature, _text(self._mac(body))):
            raise Rejected(401, _REFUSED)
        try:
            visit = _visit(body.removeprefix(PREFIX.encode()))
        except (ValueError, TypeError, OverflowError, OSError):
            # Signed by a version that writes more than this one knows.
            raise Rejected(401, _REFUSED) from None
        if self._clock.now() >= visit.expires_at:
            raise Rejected(401, _REFUSED)
        return visit

    def _mac(self, body: bytes) -> bytes:
        return hmac.new(self._key, b"visit|" + body, hashlib.sha256).digest()


def _visit(claims: bytes) -> TokenVisit:
    """Return what was signed; a `ValueError`, `TypeError`, `OverflowError` or `OSError` where it is nothing known."""
    business_id, session_id, caller_phone, caller, expires, *link = orjson.loads(
        base64.urlsafe_b64decode(claims + b"=" * (-len(claims) % 4))
    )
    caller_id, business_began = caller if isinstance(caller, list) else (caller, None)
    (link_id,) = link or (None,)
    texts, others = (business_id, session_id), (caller_phone, caller_id, link_id)
    if not all(isinstance(one, str) for one in texts) or not all(one is None or isinstance(one, str) for one in others):
        raise TypeError("a token holds something else than text")
    if not isinstance(business_began, int | None):
        raise TypeError("a token holds something else than a time")
    expires_at = datetime.fromtimestamp(expires, UTC)
    return TokenVisit(business_id, session_id, expires_at, caller_phone, caller_id, link_id, business_began)


def beginning_of(business: Business) -> int | None:
    """Return when a business was made, as tokens carry it: thousandths of a second; None where nobody says."""
    return round(business.began_at.timestamp() * 1000) if business.began_at is not None else None


def _text(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


@dataclass(frozen=True, slots=True)
class PortalVisitor:
    """Somebody who was let in.

    Attributes:
        context: What is known of them and their conversation.
        portal: Where they are.
        is_visitor: Whether our own page speaks for them, rather than a service that greets by itself.
    """

    context: PortalContext
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

    async def admit(self, request: Request, body: Mapping[str, Any]) -> PortalVisitor:
        """Return who a request comes from.

        Args:
            request: Its `Authorization` decides.
            body: The `businessId` and `sessionId` that it names: required from a service, held against a visitor's own.

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
            return await self._visitor(token.strip(), body, address_of(request, self._proxies))
        credential = await self._credentials.recognise(header)
        business_id = text(body, "businessId")
        entitled(credential, Scope.EXECUTE, business_id)
        context = PortalContext(
            business_id=business_id, session_id=named_id(body, "sessionId"), turn=0, applies_intents=True
        )
        concerns(business_id, context.session_id)
        return PortalVisitor(context, await self._portal(business_id), is_visitor=False)

    async def _visitor(self, token: str, body: Mapping[str, Any], address: str) -> PortalVisitor:
        visit = self._tokens.read(token)
        concerns(visit.business_id, visit.session_id)
        if optional_text(body, "businessId") not in (None, visit.business_id):
            raise Rejected(403, _OTHER.format(what="business"))
        if optional_id(body, "sessionId") not in (None, visit.session_id):
            raise Rejected(403, _OTHER.format(what="conversation"))
        portal = await self._portal(visit.business_id)
        if visit.business_began is not None and beginning_of(portal.business) not in (None, visit.business_began):
            # Another business has the id by now: it has let nobody in with this.
            raise Rejected(401, _REFUSED)
        if not await self._is_open(visit):
            raise Rejected(401, _ENDED)
        if visit.is_anonymous and not portal.welcomes_visitors:
            # An owner who closes the door does not wait for twelve hours.
            raise Rejected(403, NO_VISITORS)
        context = PortalContext(
            business_id=visit.business_id,
            session_id=visit.session_id,
            turn=0,
            # Whoever opened a link has its conversation, and is not taken for whom it was sent to.
            applies_intents=True,
            since=None if visit.is_anonymous else visit.began_at,
            address=address,
        )
        return PortalVisitor(context, portal, is_visitor=True)

    async def _portal(self, business_id: str) -> Portal:
        portal = await self._portals.of(business_id)
        if portal is None:
            raise Rejected(403, _UNKNOWN)
        return portal


def address_of(request: Request, proxies: int) -> str:
    """Return the client's address; of an IPv6 address its /64, since one household has all of that.

    Args:
        request: The request.
        proxies: How many proxies of ours stand in front that nobody gets past; each adds one address to
            `X-Forwarded-For`. One that can be gone round, as Firebase Hosting before Cloud Run, is none of them. What
            stands before those was written by the client and may be anything. Of fewer, somebody has come past a proxy:
            the nearest one has then written down who, and without any the connection tells.
    """
    headers = ",".join(request.headers.getlist("x-forwarded-for")).split(",")[-_READ:]
    addresses = [part.strip() for part in headers]
    peer = request.client.host if request.client else ""
    if proxies <= 0 or addresses == [""]:
        return _coarse(peer)
    # An empty or unreadable place is still a place: it must not move who is looked at.
    return _coarse(addresses[-proxies] if proxies <= len(addresses) else addresses[-1])


def _coarse(text: str) -> str:
    # Some proxies write the port as well.
    bracketed, _, _ = text.removeprefix("[").partition("]")
    text = bracketed if text.startswith("[") else text.partition(":")[0] if text.count(":") == 1 else text
    try:
        address = ip_address(text)
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return f"{IPv6Address(int(address) >> _NEIGHBOURHOOD << _NEIGHBOURHOOD)}/{_NEIGHBOURHOOD}"
    return str(address)

"""Portal links: a caller on the phone gets a text with a link that opens the business's portal as that caller.

A link is signed, lives for fifteen minutes and opens once. It names nobody: the caller stands in the ticket that the
link's id leads to, and only a keyed hash of the number in the link itself, so that neither can be exchanged.

Of a number only the newest link counts, and the visit that it has let in: `tickets/portalVisit:{hash of the number}` is
`{linkId, callerPhone, sessionId, issuedAt, openedAt, endedAt, expiresAt, expireAt}`. A newer link, a word on the phone
or the owner ends what was open. A newer link does once its text was sent, where the number is vouched for, and
otherwise once it is opened, which shows that whoever has the number wants it: a call that only shows a number ends
nothing. Every call takes its own links back, also where none of them counts yet: `endedAt` stands in their tickets.
"""

import base64
import binascii
import hashlib
import hmac
import json
import logging
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit, urlunsplit

from switchboard.contract.caller.strangers import vouched_number
from switchboard.contract.context import CallContext, Context
from switchboard.contract.error import ErrorType, ToolError, log_fields, unreadable
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Clock, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    DELETE_FIELD,
    AlreadyExists,
    Create,
    Document,
    Filter,
    Missing,
    Query,
    Stale,
    StoreError,
    Unavailable,
    Update,
    Write,
)

log = logging.getLogger(__name__)

LIFETIME = timedelta(minutes=15)
VISIT_LASTS = timedelta(hours=12)
"""How long a visit goes on at most."""
VISIT_PREFIX = "portalVisit:"
"""What the ids of the tickets begin with that say which link of a number counts."""
_TICKET_PREFIX = "portal:"
_KEPT_AFTER = timedelta(hours=1)
# Of one number few links are sent, and a visit is opened and ended once.
_ATTEMPTS = 5
_KEY_BYTES = 32
_LONGEST_LINK = 2_000
_SPENT = "This link is not valid any more. Ask for a new one on the phone."
_NO_CALLER = (
    "The caller's number is not known on this call, so no link can be sent to it. Tell the caller how to reach the "
    "portal instead."
)
_NO_PORTAL = "The business has no portal. Say what the caller wanted to see there."


@dataclass(frozen=True, slots=True)
class PortalLink:
    """A link for one caller: where it leads, its id, and until when it opens (aware, UTC)."""

    url: str
    id: str
    expires_at: datetime

    @property
    def issued_at(self) -> datetime:
        """When it was issued first."""
        return self.expires_at - LIFETIME


@dataclass(frozen=True, slots=True)
class PortalVisit:
    """Whom a link has let in; the phone number is E.164, as the phone network signalled it in that phone call."""

    business_id: str
    session_id: str
    caller_phone: str
    caller_id: str | None
    link_id: str


class PortalLinks:
    """Issues links and redeems them."""

    def __init__(self, store: Store, clock: Clock, key: bytes, public_url: str = "") -> None:
        """Sign with `key`.

        Args:
            store: Where tickets are kept.
            clock: Says when a link is too old.
            key: At least 32 random bytes, the same in every process.
            public_url: Where this deployment is reached, for businesses without a portal of their own.

        Raises:
            ValueError: The key is too short to protect anything.
        """
        if len(key) < _KEY_BYTES:
            raise ValueError(f"the key for portal links needs {_KEY_BYTES} bytes, and has {len(key)}")
        self._store, self._clock, self._key, self._public_url = store, clock, key, public_url

    async def issue(self, ctx: CallContext) -> PortalLink:
        """Return a link for the caller of this phone call; the same one for the same wish. It ends nothing by itself.

        Raises:
            ToolError: VALIDATION where the caller's number is unknown, PERMANENT without a portal, TRANSIENT when the
                store does not answer.
        """
        facts, portal = ctx.facts, self._portal(ctx)
        if not facts.caller_phone:
            raise ToolError(ErrorType.VALIDATION, _NO_CALLER)
        id = _short(hashlib.sha256(f"portal|{ctx.effect_key}".encode()).digest()[:15])
        expires_at = ctx.now + LIFETIME
        ticket = {
            "callerPhone": facts.caller_phone,
            "callerId": facts.caller_id,
            "sessionId": facts.session_id,
            "expiresAt": expires_at,
            "expireAt": expires_at + _KEPT_AFTER,
        }
        path = ctx.paths.document("tickets", f"{_TICKET_PREFIX}{id}")
        try:
            await self._store.commit([Create(path, ticket)])
        except AlreadyExists:
            # The same wish: the same words, so that the text message is the same one too.
            document = await self._store.get(path)
            expires_at = document.data["expiresAt"] if document is not None else expires_at
        except StoreError as error:
            raise unreadable("portal", error) from error
        link = self._signed(ctx.business.id, facts.session_id, facts.caller_phone, expires_at, id)
        return PortalLink(f"{portal}?link={link}", id, expires_at)

    async def sent(self, ctx: CallContext, link: PortalLink) -> None:
        """Let a link that was sent take the place of what its number has had before. Never raises.

        Where nobody vouches for the number, what goes on by a link of another call goes on until this one is opened; a
        link that nobody has opened in its time goes on no longer.
        Where this is not written down, it takes that place when it is opened, too. Once more it changes nothing.
        """
        facts = ctx.facts
        place = self._visit(ctx.paths, facts.caller_phone or "")
        newest = self._newest(link.id, facts.caller_phone or "", facts.session_id, link.issued_at)
        try:
            for _ in range(_ATTEMPTS):
                visit = await self._store.get(place)
                goes_on = visit is not None and _goes_on(visit, ctx.now) and not _is_theirs(visit, facts)
                if visit is not None and (goes_on or _is_older(visit, link)):
                    return
                try:
                    await self._store.commit([_in_place_of(visit, place, newest)])
                except (AlreadyExists, Stale):
                    continue
                return
            raise Unavailable(f"it keeps changing which link counts: {place}")
        except StoreError as error:
            log.warning("a sent link counts only once it is opened", extra=log_fields(error))

    def business_of(self, link: str) -> str | None:
        """Return the business whose portal a link opens, None where we have not signed it."""
        claims = self._claims(link)
        return claims.business_id if claims is not None else None

    async def redeem(self, link: str, business_id: str, paths: BusinessPaths) -> PortalVisit:
        """Let the caller of a link in, once.

        Args:
            link: The value of `link` in the address.
            business_id: Whose portal was opened.
            paths: The document paths below that business.

        Raises:
            ToolError: AUTH, in the same words whatever is wrong with it; TRANSIENT when the store does not answer.
        """
        claims = self._claims(link)
        now = self._clock.now()
        if claims is None or claims.business_id != business_id or now >= claims.expires_at:
            raise ToolError(ErrorType.AUTH, _SPENT)
        path = paths.document("tickets", f"{_TICKET_PREFIX}{claims.id}")
        try:
            document = await self._store.get(path)
            if document is None or not _opens(document, now):
                raise ToolError(ErrorType.AUTH, _SPENT)
            phone, session_id = str(document.data["callerPhone"]), str(document.data["sessionId"])
            if claims.caller != self._hashed(phone) or claims.session != self._hashed(session_id):
                raise ToolError(ErrorType.AUTH, _SPENT)
            place = self._visit(paths, phone)
            opened = self._opened(place, await self._store.get(place), document, claims.id, now)
            await self._store.commit([Update(path, {"redeemedAt": now}, if_update_time=document.update_time), opened])
        except (Stale, AlreadyExists, Missing):
            raise ToolError(ErrorType.AUTH, _SPENT) from None
        except StoreError as error:
            raise unreadable("portal", error) from error
        return PortalVisit(business_id, session_id, phone, document.data.get("callerId"), claims.id)

    async def is_open(self, paths: BusinessPaths, phone: str, link_id: str) -> bool:
        """Tell whether the visit goes on that a link to a number has let in.

        Raises:
            StoreError: Nobody can tell.
        """
        document = await self._store.get(self._visit(paths, phone))
        return document is not None and _counts(document, link_id)

    async def end(self, ctx: CallContext) -> bool:
        """End what is open by a link to the number of this phone call; tell whether anything was.

        A call whose number nobody vouches for ends what its own links have opened, or could: any number can be shown.

        Raises:
            ToolError: TRANSIENT when the store does not answer; asking again is safe.
        """
        facts = ctx.facts
        if not facts.caller_phone:
            return False
        place = self._visit(ctx.paths, facts.caller_phone)
        try:
            for _ in range(_ATTEMPTS):
                own = await self._unopened(ctx)
                visit = await self._store.get(place)
                ends_visit = visit is not None and "endedAt" not in visit.data and _is_theirs(visit, facts)
                found = [*own, visit] if visit is not None and ends_visit else own
                ended = [Update(it.path, {"endedAt": ctx.now}, if_update_time=it.update_time) for it in found]
                try:
                    if ended:
                        await self._store.commit(ended)
                except (Missing, Stale):
                    # One of them was opened in this moment, or another link has come to count.
                    continue
                return bool(ended)
            raise Unavailable(f"it keeps changing which link counts: {place}")
        except StoreError as error:
            raise unreadable("portal", error) from error

    async def _unopened(self, ctx: CallContext) -> list[Document]:
        """Return the tickets of the links of this phone call that still let somebody in, sent already or not."""
        facts = ctx.facts
        whose = (Filter("sessionId", "==", facts.session_id), Filter("callerPhone", "==", facts.caller_phone))
        found = await self._store.query(Query(ctx.paths.collection("tickets"), whose))
        # What says which link counts has these fields, too.
        return [it for it in found if it.id.startswith(_TICKET_PREFIX) and _opens(it, ctx.now)]

    def _opened(self, place: str, visit: Document | None, ticket: Document, id: str, now: datetime) -> Write:
        """Return what writes down that a link was opened, and counts from now on.

        Raises:
            ToolError: AUTH, it does not count any more.
        """
        phone, session_id, issued_at = (ticket.data[name] for name in ("callerPhone", "sessionId", "expiresAt"))
        issued_at -= LIFETIME
        if visit is not None and not _counts(visit, id) and _is_over(visit, issued_at):
            raise ToolError(ErrorType.AUTH, _SPENT)
        opened = {"openedAt": now, "expiresAt": now + VISIT_LASTS, "expireAt": now + VISIT_LASTS + _KEPT_AFTER}
        return _in_place_of(visit, place, self._newest(id, str(phone), str(session_id), issued_at) | opened)

    def _newest(self, id: str, phone: str, session_id: str, issued_at: datetime) -> JsonObject:
        lasts = issued_at + LIFETIME + VISIT_LASTS
        return {
            "linkId": id,
            "callerPhone": phone,
            "sessionId": session_id,
            "issuedAt": issued_at,
            "expiresAt": lasts,
            "expireAt": lasts + _KEPT_AFTER,
        }

    def _visit(self, paths: BusinessPaths, phone: str) -> str:
        return paths.document("tickets", f"{VISIT_PREFIX}{self._hashed(phone)}")

    def _portal(self, ctx: CallContext) -> str:
        address = ctx.business.portal_url or (f"{self._public_url.rstrip('/')}/portal/" if self._public_url else "")
        try:
            parts = urlsplit(address)
        except ValueError as error:
            raise ToolError(ErrorType.PERMANENT, _NO_PORTAL, detail=f"{error}: {address!r}") from error
        is_here = parts.hostname in ("127.0.0.1", "localhost")
        if not parts.hostname or (parts.scheme != "https" and not (is_here and parts.scheme == "http")):
            raise ToolError(ErrorType.PERMANENT, _NO_PORTAL, detail=f"no https address: {address!r}")
        return urlunsplit((parts.scheme, parts.netloc, parts.path or "/", "", ""))

    def _signed(self, business_id: str, session_id: str, phone: str, expires_at: datetime, id: str) -> str:
        claims = [business_id, self._hashed(session_id), self._hashed(phone), int(expires_at.timestamp()), id]
        body = json.dumps(claims, separators=(",", ":"), ensure_ascii=False).encode()
        return f"{_short(body)}.{_short(self._mac(b'link|' + body))}"

    def _claims(self, link: str) -> "_Claims | None":
        body, _, signature = link[:_LONGEST_LINK].partition(".")
        try:
            raw, mac = (base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in (body, signature))
        except (binascii.Error, ValueError):
            return None
        # Before anything is read: what we have not signed is nobody's claim.
        if not hmac.compare_digest(mac, self._mac(b"link|" + raw)):
            return None
        business_id, session, caller, expires, id = json.loads(raw)
        return _Claims(business_id, session, caller, datetime.fromtimestamp(expires, UTC), id)

    def _hashed(self, text: str) -> str:
        return _short(self._mac(b"name|" + text.encode("utf-8", "surrogatepass"))[:9])

    def _mac(self, text: bytes) -> bytes:
        return hmac.new(self._key, text, hashlib.sha256).digest()


@dataclass(frozen=True, slots=True)
class _Claims:
    """What a link says; session and caller are keyed hashes."""

    business_id: str
    session: str
    caller: str
    expires_at: datetime
    id: str


def _counts(visit: Document, link_id: str) -> bool:
    """Tell whether a link is the newest of its number, and what it opens was not ended."""
    return visit.data.get("linkId") == link_id and "endedAt" not in visit.data


def _is_over(visit: Document, issued_at: datetime) -> bool:
    """Tell whether a link of that moment came before the one that counts, or before that was ended."""
    return issued_at <= _latest(visit)


def _is_older(visit: Document, link: PortalLink) -> bool:
    """Tell whether a link that was sent is the one that counts already, or one that came before that or its end."""
    return visit.data.get("linkId") == link.id or link.issued_at < _latest(visit)


def _latest(visit: Document) -> datetime:
    issued_at: datetime = visit.data["issuedAt"]
    ended_at: datetime = visit.data.get("endedAt", issued_at)
    return max(issued_at, ended_at)


def _goes_on(visit: Document, now: datetime) -> bool:
    """Tell whether what was opened is open still, or a link that nobody has opened can still be."""
    data = visit.data
    until: datetime = data["expiresAt"] if "openedAt" in data else data["issuedAt"] + LIFETIME
    return "endedAt" not in data and until > now


def _is_theirs(visit: Document, facts: Context) -> bool:
    """Tell whether a call may end it: one whose number is vouched for, or that has brought the link itself."""
    return vouched_number(facts) is not None or visit.data.get("sessionId") == facts.session_id


def _opens(ticket: Document, now: datetime) -> bool:
    """Tell whether a link was neither opened nor taken back, and is in its time."""
    data = ticket.data
    return "redeemedAt" not in data and "endedAt" not in data and bool(now < data["expiresAt"])


def _in_place_of(visit: Document | None, place: str, newest: JsonObject) -> Write:
    """Return the write that makes a link the one that counts, unless something has changed since."""
    if visit is None:
        return Create(place, newest)
    return Update(place, {"openedAt": DELETE_FIELD, "endedAt": DELETE_FIELD} | newest, if_update_time=visit.update_time)


def _short(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")

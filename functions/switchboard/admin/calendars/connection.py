"""Connecting a business to a calendar elsewhere: a consent that is begun, finished once, and taken back.

A consent under way is a ticket, `businesses/{id}/tickets/{vendor}Connect.{hash}`, as `{calendarId, by, expireAt,
usedAt}`. Its name is the hash of the `state` that the vendor carries round, so that whoever reads the store cannot
finish it. The vendor sends a browser back without any credential: `by` says who the audit will name.
"""

import base64
import binascii
import hashlib
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from datetime import datetime, timedelta
from typing import Any, Protocol

from switchboard.admin.access.access import OwnerIdentity, Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Role
from switchboard.admin.calendars.connection_trail import ConnectionTrail, KeptPermission, KeptWithdrawal
from switchboard.contract.business.business import read_business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, Create, Document, Missing, Stale, Update

STATE_LASTS = timedelta(minutes=10)
_RANDOM_BYTES = 32  # 43 characters of base64url
_LONGEST_STATE = 1_000


@dataclass(frozen=True, slots=True)
class ConnectedVendor:
    """Who keeps calendars that owners connect by their consent.

    Attributes:
        name: The part of our addresses that is its own, such as `google`.
        company: Who asks owners for their consent, in words.
        product: What is connected, in words.
        integration: The connection's name in `businesses/{id}.integrations`.
        longest_id: Of the ids of its calendars, how long one can be.
        variable: What the operator sets to register with it.
    """

    name: str
    company: str
    product: str
    integration: str
    longest_id: int
    variable: str


class Consent(Protocol):
    """What asks owners for their consent and takes it back (`integrations/oauth/consent.py`)."""

    @property
    def callback_url(self) -> str:
        """Where the vendor sends owners back to."""

    def url(self, state: str) -> str:
        """Return the vendor's page on which an owner consents."""

    async def accept(self, business_id: str, code: str, state: str) -> KeptPermission:
        """Return what a consent gives; it is not kept yet.

        Raises:
            ToolError: It gives nothing that could be kept.
        """

    async def withdrawal(self, business_id: str) -> KeptWithdrawal:
        """Return what forgets a business's permission, and then gives it back."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A consent under way; the state is shown to nobody but the owner's browser."""

    state: str = field(repr=False)
    url: str = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Ticket:
    """A consent under way, as it is found again; the permit is that of whoever began it."""

    permit: Permit
    business_name: str
    calendar_id: str | None
    document: Document = field(repr=False)


class CalendarConnection:
    """The owners' operations. What the store raises passes through; other failures are `ToolError`s."""

    def __init__(
        self,
        vendor: ConnectedVendor,
        trail: ConnectionTrail,
        consent: Consent,
        clock: Clock,
        forget: Callable[[str], None],
    ) -> None:
        """Keep connections to `vendor` with `trail`, tickets beside them, and ask with `consent`.

        `forget` lets the catalog read a business anew, so that its tools follow its connection at once.
        """
        self.vendor = vendor
        self._trail, self._consent, self._clock, self._forget = trail, consent, clock, forget
        self._store: Store = trail.store
        self._paths: Paths = trail.paths

    @property
    def toolkit(self) -> str:
        """The name of the toolkit that is connected."""
        return self._trail.toolkit.name

    @property
    def callback_url(self) -> str:
        """Where the vendor sends owners back to."""
        return self._consent.callback_url

    async def begin(self, permit: Permit, calendar_id: str | None = None) -> Begun:
        """Begin a consent, which must be finished within ten minutes.

        Args:
            permit: Who asks, and for which business.
            calendar_id: The calendar to use from then on; without it, the one in use, or the account's own.

        Raises:
            NotFound: There is no such business.
            NotValid: No calendar can have that id.
        """
        if calendar_id is not None and not _can_be_calendar(calendar_id, self.vendor.longest_id):
            words = f"calendarId is `primary`, or the id that the calendar has at {self.vendor.company}"
            raise NotValid([EntryProblem("calendarId", words)])
        business_id = permit.business_id
        await self._trail.business(business_id)
        state = f"{secrets.token_urlsafe(_RANDOM_BYTES)}.{_encoded(business_id)}"
        expires_at = self._clock.now() + STATE_LASTS
        whose = {"kind": self._kind, "calendarId": calendar_id, "by": permit.who}
        ticket = {**whose, "expireAt": expires_at, "usedAt": None}
        await self._store.commit([Create(self._ticket_path(business_id, state), ticket)])
        return Begun(state, self._consent.url(state), expires_at)

    async def find(self, state: str) -> Ticket:
        """Return the consent under way that a state belongs to.

        Raises:
            ToolError: NOT_FOUND, there never was one, CONFLICT, it was finished, or AUTH, its time is over.
        """
        business_id = _business_of(state)
        document = await self._store.get(self._ticket_path(business_id, state)) if business_id else None
        if document is None:
            raise ToolError(ErrorType.NOT_FOUND, "this connection was never begun here")
        if document.data.get("usedAt") is not None:
            raise ToolError(ErrorType.CONFLICT, "this connection was finished, or given up, before")
        if document.data["expireAt"] <= self._clock.now():
            raise ToolError(ErrorType.AUTH, "this connection was begun more than ten minutes ago")
        business = await self._trail.business(business_id)
        name = business.data.get("name")
        permit = _permit(business_id, document.data.get("by"))
        return Ticket(permit, str(name or business_id), document.data.get("calendarId"), document)

    def consent_url(self, state: str) -> str:
        """Return the vendor's page for a consent under way."""
        return self._consent.url(state)

    async def finish(self, ticket: Ticket, code: str, state: str) -> str:
        """Exchange what the vendor brought back for a lasting permission, and mark the business as connected.

        The ticket is spent first, so that a second delivery of the same address cannot do anything.

        Returns:
            The integration that keeps the business's appointments now: another one than this stays it, where that one
            was chosen or comes first.

        Raises:
            ToolError: CONFLICT, somebody else spent the ticket; otherwise as `Consent.accept`. The business keeps the
                connection that it had.
        """
        await self.spend(ticket)
        business_id = ticket.permit.business_id
        permission = await self._consent.accept(business_id, code, state)

        def connected(business: Mapping[str, Any]) -> JsonObject:
            return {
                "isConnected": True,
                "needsReauth": False,
                "calendarId": ticket.calendar_id or self._calendar_in_use(business) or "primary",
                "scopes": list(permission.scopes),
                "connectedAt": SERVER_TIME,
            }

        await self._trail.connected(ticket.permit, permission, connected)
        self._forget(business_id)
        document = await self._trail.business(business_id)
        return read_business(business_id, document.data).calendar

    async def spend(self, ticket: Ticket) -> None:
        """Make a ticket useless, also because the owner said no at the vendor's.

        Raises:
            ToolError: CONFLICT, it was spent in the same moment.
        """
        document = ticket.document
        try:
            await self._store.commit(
                [Update(document.path, {"usedAt": SERVER_TIME}, if_update_time=document.update_time)]
            )
        except (Stale, Missing):
            raise ToolError(ErrorType.CONFLICT, "this connection was finished, or given up, before") from None

    async def disconnect(self, permit: Permit) -> bool:
        """End a business's connection and forget its permission; tell whether the vendor took it back too.

        Its settings stay. A business that is not connected is left as it is.

        Raises:
            ToolError: NOT_FOUND, there is no such business; TRANSIENT, it is being changed too quickly.
        """
        # In this order: from here on no call uses the calendar, whatever becomes of it at the vendor's.
        withdrawal = await self._trail.disconnected(permit, self._ended, self._consent.withdrawal)
        if withdrawal is None:
            return False
        self._forget(permit.business_id)
        return await withdrawal.give_back()

    async def withdraw(self, business_id: str) -> Callable[[], Awaitable[bool]]:
        """Return what gives a business's permission back to the vendor, once it is forgotten here; see `Withdraw`."""
        return (await self._consent.withdrawal(business_id)).give_back

    @property
    def _kind(self) -> str:
        return f"{self.vendor.name}Connect"

    def _ticket_path(self, business_id: str, state: str) -> str:
        return self._paths.within(business_id).document("tickets", f"{self._kind}.{state_hash(state)}")

    def _ended(self, business: Mapping[str, Any]) -> JsonObject:
        settings = self._connected_to(business)
        is_there = settings.get("isConnected") is True or settings.get("needsReauth") is True
        return {"isConnected": False, "needsReauth": False} if is_there else {}

    def _connected_to(self, business: Mapping[str, Any]) -> Mapping[str, Any]:
        integrations = business.get("integrations")
        settings = integrations.get(self.vendor.integration) if isinstance(integrations, Mapping) else None
        return settings if isinstance(settings, Mapping) else {}

    def _calendar_in_use(self, business: Mapping[str, Any]) -> str | None:
        calendar_id = self._connected_to(business).get("calendarId")
        return calendar_id if isinstance(calendar_id, str) and calendar_id else None


def state_hash(state: str) -> str:
    """Return the SHA-256 of a state as hex; states are long and random, so no slow hash is needed."""
    return hashlib.sha256(state.encode("utf-8", "surrogatepass")).hexdigest()


def _encoded(business_id: str) -> str:
    return base64.urlsafe_b64encode(business_id.encode("utf-8", "surrogatepass")).rstrip(b"=").decode()


def _business_of(state: str) -> str:
    """Return the business that a state names; believed only once a ticket of that state is found there."""
    text = state.partition(".")[2]
    if len(state) > _LONGEST_STATE:
        return ""
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("utf-8", "surrogatepass")
    except (binascii.Error, ValueError):
        return ""


def _permit(business_id: str, by: Any) -> Permit:
    """Return who began a consent, as the audit names them."""
    who = by if isinstance(by, Mapping) else {}
    identity = OwnerIdentity(str(who.get("id") or ""), str(who.get("name") or ""))
    return Permit(identity, business_id, Role(who.get("role") or Role.OWNER))


def _can_be_calendar(id: str, longest: int) -> bool:
    return 0 < len(id) <= longest and id.isprintable() and not set(id) & set(" /?#")

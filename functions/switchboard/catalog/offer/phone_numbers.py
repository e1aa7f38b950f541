"""Whose a phone number is, of several businesses that claim one, and who answers it.

A number is known by itself, by the id that the owner gave it (`integrations.twilio.phoneNumbers`), and by Vapi's id of
it: `vapiPhoneNumberId` in that row, or `integrations.vapi.phoneNumberId` for the main number. A row may name the agent
that answers there (`agentId`).

A business claims its main number (`twilioNumber`), which the platform assigns, and those that it lists with its phone
account (`integrations.twilio.phoneNumbers`). Whose main number it is comes before all who list it; of several of a kind
whoever claimed it first. Since when a number is listed stands beside the list (`listedAt`); of what was entered before
that was kept, the business's own age says it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.contract.business.agent import Agent
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.business.own_addresses import TOOLKIT, number_rows
from switchboard.contract.channel import Channel
from switchboard.contract.document import mapping, text
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, Document, Filter, Query

LISTED_AT: Final = "listedAt"
"""The field of `integrations.twilio` that says since when each number is listed there."""
MOST_OF_AN_ACCOUNT: Final = 200
"""Businesses that share one account; each is a read, once a minute, where a number is nobody's main one."""
_MOST_CLAIMS = 10
# As many values as Firestore compares at once.
_AT_ONCE = 30
_E164 = re.compile(r"\+[1-9][0-9]{6,14}")
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class PhoneLine:
    """One phone number of a business.

    Attributes:
        number: E.164.
        ids: What it is known by.
        vapi_id: Vapi's id of it; empty where Vapi does not know it.
        agent_id: Who answers it; None for the agent that answers the phone.
    """

    number: str
    ids: frozenset[str]
    vapi_id: str = ""
    agent_id: str | None = None

    def agent(self, tenant: Tenant) -> Agent | None:
        """Return who answers here; None where the business has no such agent."""
        return tenant.agent(self.agent_id, Channel.PHONE)


def assistant_of(tenant: Tenant, agent: Agent | None) -> str:
    """Return Vapi's assistant that mirrors an agent, or else the business's usual one; empty where there is none."""
    if agent is not None and agent.vapi_assistant_id:
        return agent.vapi_assistant_id
    return _setting(tenant.business, "vapi", "assistantId")


def own_line(business: Business, id: str) -> PhoneLine | None:
    """Return the number that an id means, None where the business has none."""
    return next((line for line in own_lines(business) if id in line.ids), None)


def own_lines(business: Business) -> Iterator[PhoneLine]:
    """Yield every phone number of a business."""
    rows = {str(row["number"]): row for row in number_rows(business)}
    numbers = {business.twilio_number: None, **rows} if business.twilio_number else rows
    for number in numbers:
        row = rows.get(number, {})
        usual = _setting(business, "vapi", "phoneNumberId") if number == business.twilio_number else ""
        vapi_id = text(row.get("vapiPhoneNumberId")) or usual
        ids = frozenset(filter(None, (number, text(row.get("id")), vapi_id)))
        yield PhoneLine(number, ids, vapi_id, text(row.get("agentId")) or None)


def _setting(business: Business, integration: str, name: str) -> str:
    connection = business.integrations.get(integration)
    return text(connection.settings.get(name)) if connection else ""


@dataclass(frozen=True, slots=True)
class NumberClaim:
    """A business that says that a number is its own."""

    business_id: str
    name: str
    is_main: bool
    since: datetime


class NumberClaims:
    """Who claims a number. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths) -> None:
        """Look among the businesses in `store`."""
        self._store, self._businesses = store, paths.businesses

    async def is_gone(self, business_id: str) -> bool:
        """Tell whether there is no such business any more."""
        return await self._store.get(f"{self._businesses}/{business_id}") is None

    async def main(self, numbers: Collection[str]) -> dict[str, tuple[NumberClaim, ...]]:
        """Return by number whose main number each is, whoever has it rightfully first; nobody's are left out."""
        asked, claims = sorted(set(numbers)), list[tuple[str, NumberClaim]]()
        for at in range(0, len(asked), _AT_ONCE):
            some = asked[at : at + _AT_ONCE]
            own = Filter("twilioNumber", "==", some[0]) if len(some) == 1 else Filter("twilioNumber", "in", some)
            documents = await self._store.query(Query(self._businesses, (own,), limit=_MOST_CLAIMS * len(some)))
            claims += [pair for document in documents for pair in claims_of(document) if pair[1].is_main]
        return _by_number(claims)

    async def of_account(self, account: str) -> tuple[dict[str, tuple[NumberClaim, ...]], bool]:
        """Return by number who of the businesses of a phone account claims it, whoever has it rightfully first.

        The second says whether there may be more businesses than were read.
        """
        of_account = Filter(f"integrations.{TOOLKIT}.accountSid", "==", account)
        documents = await self._store.query(Query(self._businesses, (of_account,), limit=MOST_OF_AN_ACCOUNT))
        claims = [pair for document in documents for pair in claims_of(document)]
        return _by_number(claims), len(documents) == MOST_OF_AN_ACCOUNT

    async def listed(self, number: str) -> tuple[NumberClaim, ...]:
        """Return who lists a number, whatever the account, as far as it was entered since that is kept."""
        if not _E164.fullmatch(number):
            # Nothing else can be entered in a list, nor stand in a path of fields.
            return ()
        since = Filter(f"integrations.{TOOLKIT}.{LISTED_AT}.{_key(number)}", ">", _BEGINNING)
        documents = await self._store.query(Query(self._businesses, (since,), limit=_MOST_CLAIMS))
        claims = [pair for document in documents for pair in claims_of(document) if pair[0] == number]
        return _by_number(claims).get(number, ())


def claims_of(document: Document) -> Iterable[tuple[str, NumberClaim]]:
    """Yield each number that a business claims, with the claim."""
    business = read_business(document.id, document.data)
    since = document.create_time
    if business.twilio_number:
        yield business.twilio_number, NumberClaim(business.id, business.name, True, since)
    noted = _noted(document.data)
    for number in {row["number"] for row in number_rows(business)} - {business.twilio_number}:
        listed_at = noted.get(_key(number))
        yield (
            number,
            NumberClaim(business.id, business.name, False, listed_at if isinstance(listed_at, datetime) else since),
        )


def noted_listing(document: Document, after: Mapping[str, Any]) -> JsonObject:
    """Return `listedAt` for the toolkit's fields as they are to be; in another account everything is listed anew."""
    before = _twilio(document.data)
    is_same = before.get("accountSid") == after.get("accountSid")
    listed = {number: claim.since for number, claim in claims_of(document) if not claim.is_main} if is_same else {}
    business = read_business(document.id, {**document.data, "integrations": {TOOLKIT: after}})
    return {_key(row["number"]): listed.get(row["number"], SERVER_TIME) for row in number_rows(business)}


def _by_number(numbered: Iterable[tuple[str, NumberClaim]]) -> dict[str, tuple[NumberClaim, ...]]:
    claims = dict[str, list[NumberClaim]]()
    for number, claim in numbered:
        claims.setdefault(number, []).append(claim)
    return {number: rightful_first(several) for number, several in claims.items()}


def rightful_first(claims: Iterable[NumberClaim]) -> tuple[NumberClaim, ...]:
    """Return claims of one number in the order in which they count."""
    return tuple(sorted(claims, key=lambda claim: (not claim.is_main, claim.since, claim.business_id)))


def _noted(data: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(_twilio(data).get(LISTED_AT))


def _twilio(data: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(mapping(data.get("integrations")).get(TOOLKIT))


def _key(number: str) -> str:
    # A path of fields may hold a name that begins with a letter as it is.
    return f"n{number.removeprefix('+')}"

"""What is left to do before callers can call a new business, told by what is stored: nothing is ticked off by hand."""

import asyncio
from collections.abc import Iterator

from switchboard.admin.access.known_business import business_document
from switchboard.admin.credentials.api_keys import read_key
from switchboard.admin.credentials.role_entries import ROLE
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.credential import Scope
from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Filter, Order, Query

_TELEPHONE, _MESSAGE, _TRANSFER = "twilio", "message", "transfer"
_MOST_KEYS = 100


@dataclass(frozen=True, slots=True)
class _Standing:
    """What a step may be told by."""

    business: Business
    is_edited: bool
    has_owner: bool
    has_been_called: bool


@dataclass(frozen=True, slots=True)
class ChecklistStep:
    """One thing to do.

    Attributes:
        id: Its name to programs.
        what: What has to be so.
        how: How it becomes so; empty once it is.
        page: The owners' page for it, by its path.
        is_done: Whether it is so.
    """

    id: str
    what: str
    how: str
    page: str
    is_done: bool

    def to_json(self) -> JsonObject:
        """Return the step as the API answers it."""
        return as_json(self, how="" if self.is_done else self.how)


class OpeningChecklist:
    """Tells it. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Read from `store`; `clock` tells whether a key still works."""
        self._store, self._paths, self._clock = store, paths, clock

    async def steps(self, business_id: str) -> list[ChecklistStep]:
        """Return all steps, in the order in which they are best done.

        Raises:
            NotFound: There is no such business.
        """
        within = self._paths.within(business_id)
        given = Query(within.collection("audit"), (Filter("kind", "==", ROLE.name),), (Order("at", True),), limit=1)
        keys = Query(within.collection("apiKeys"), limit=_MOST_KEYS)
        document, roles, stored, calls = await asyncio.gather(
            business_document(self._store, within),
            self._store.query(given),
            self._store.query(keys),
            self._store.query(Query(within.collection("interactions"), limit=1)),
        )
        now = self._clock.now()
        own = (key for key in map(read_key, stored) if Scope.OWNER.value in key.scopes)
        has_owner = any(key.works_at(now) for key in own) or any(role.data.get("after") for role in roles)
        business, is_edited = read_business(business_id, document.data), bool(document.data.get("updatedBy"))
        return list(_steps(_Standing(business, is_edited, has_owner, bool(calls))))


def steps_before(business_id: str, document: JsonObject) -> list[ChecklistStep]:
    """Return all steps of a business that is not made yet."""
    standing = _Standing(read_business(business_id, document), is_edited=False, has_owner=False, has_been_called=False)
    return list(_steps(standing))


def to_json(steps: list[ChecklistStep]) -> JsonObject:
    """Return the checklist as the API answers it."""
    return {"steps": [step.to_json() for step in steps], "left": sum(not step.is_done for step in steps)}


def _steps(standing: _Standing) -> Iterator[ChecklistStep]:
    business = standing.business
    yield ChecklistStep(
        *("own", "Hours, services, prices and people are this business's own"),
        *("Look through them: what stands there is the template's until somebody saves it.", "business"),
        standing.is_edited,
    )
    yield ChecklistStep(
        *("hours", "It is known when somebody is there", "Enter the opening hours.", "business"),
        any(business.working_hours.weekly.values()),
    )
    yield ChecklistStep(
        *("person", "Callers who want a person reach one"),
        *("Enter whom they are put through to, and who gets their messages.", "business"),
        {_TRANSFER, _MESSAGE} <= {rule.action for rule in business.escalation_rules},
    )
    yield ChecklistStep(
        *("calendar", "Appointments are kept in a calendar"),
        *("Connect one, or use the built-in one.", "business"),
        bool(business.usable_calendar),
    )
    connected = business.integrations.get(_TELEPHONE)
    yield ChecklistStep(
        *("number", "It has a number that callers call"),
        *("Enter the number, and connect the account at Twilio that it stands in.", "business"),
        bool(business.twilio_number) and connected is not None and connected.is_connected,
    )
    yield ChecklistStep(
        *("owner", "Somebody of the business can sign in"),
        *(f"Give them a role: scripts/grant THEIR-ADDRESS {business.id} owner.", "business"),
        standing.has_owner,
    )
    yield ChecklistStep(
        *("call", "A call was tried"),
        *("Try a conversation, or call the number.", "playground"),
        standing.has_been_called,
    )

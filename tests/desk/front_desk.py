"""A salon to test the desk with: its documents, calls to it, a clock that stands still, and stores that misbehave."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.context import CallContext, PhoneContext, PortalContext
from switchboard.contract.ports import Store
from switchboard.contract.store import Document, Query, Set, StoreError, Unavailable, Write, WriteResult
from switchboard.desk.tenant_tools.service_places import ServicePlaces
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

# A Wednesday morning in New York; the clocks go forward on Sunday, March 14.
NOW = datetime(2027, 3, 10, 15, 0, tzinfo=UTC)
DAY_HOURS = [{"open": "09:00", "close": "18:00"}]
SALON: dict[str, Any] = {
    "name": "Maple Street Hair Studio",
    "industry": "hair salon",
    "phone": "+15185550142",
    "timezone": "America/New_York",
    "services": [
        {"name": "Haircut", "durationMinutes": 30, "price": "$48"},
        {"name": "Color", "durationMinutes": 90, "price": "from $135"},
        {"name": "Beard trim", "durationMinutes": 15},
        {"name": "Highlights", "durationMinutes": 120, "bufferBeforeMinutes": 10, "bufferAfterMinutes": 20},
    ],
    "workingHours": {
        "tuesday": DAY_HOURS,
        "wednesday": DAY_HOURS,
        "thursday": [{"open": "09:00", "close": "12:30"}, {"open": "13:00", "close": "18:00"}],
        "friday": DAY_HOURS,
        "saturday": DAY_HOURS,
        "exceptions": {"2027-03-24": "closed", "2027-03-25": [{"open": "10:00", "close": "12:00"}]},
    },
    "integrations": {"builtinCalendar": {"isConnected": True, "minNoticeMinutes": 60, "maxDaysAhead": 60}},
    "features": {"records": True},
    "ai": {"trustCallerId": True},
}


def salon(id: str = "demo-salon", **changes: Any) -> Business:
    """Return the salon, with some fields of its document changed."""
    return read_business(id, {**SALON, **changes})


def calendar(**settings: Any) -> dict[str, Any]:
    """Return the field `integrations` with a built-in calendar and its settings."""
    return {"builtinCalendar": {"isConnected": True, **settings}}


def at(business: Business, text: str) -> datetime:
    """Return a local time of a business, as the argument reader hands it to a handler."""
    return datetime.fromisoformat(text).replace(tzinfo=business.timezone)


def call(
    business: Business,
    wish: str = "wish",
    *,
    session: str = "session-1",
    phone: str | None = "+15185550171",
    now: datetime = NOW,
    portal: bool = False,
    verified: bool = False,
    address: str = "",
    attestation: str | None = VOUCHED_FOR,
) -> CallContext:
    """Return the context of a call to a business, whose number the carrier vouches for unless it is said otherwise.

    `wish` stands for the arguments' hash in the effect key.
    """
    known: dict[str, Any] = {
        "business_id": business.id,
        "session_id": session,
        "caller_phone": phone,
        "address": address,
    }
    known |= {"interaction_id": f"interaction of {session}", "caller_verified": verified}
    facts = PortalContext(**known) if portal else PhoneContext(**known, attestation=attestation)
    return CallContext(
        business=business,
        facts=facts,
        paths=FirestorePaths().within(business.id),
        now=now,
        tool="some_tool",
        effect_key=f"{business.id}|{session}|{wish}",
    )


class StoppedClock:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.seconds = 1_000.0
        self.moment = NOW

    def wait(self, seconds: float) -> None:
        """Let time pass, by the date and by the monotonic clock."""
        self.seconds += seconds
        self.moment += timedelta(seconds=seconds)

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return self.seconds


def all_places() -> ServicePlaces:
    """Return the places of owners' services, none of them taken."""
    return ServicePlaces(MemoryStore(), StoppedClock())


class WatchedStore:
    """A store that counts what is asked of it, and fails on request.

    `fail_before` names methods that fail without doing anything; `fail_after` those that do it and then do not answer.
    """

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.asked: Counter[str] = Counter()
        self.paths: list[str] = []
        self.fail_before: dict[str, StoreError] = {}
        self.fail_after: dict[str, StoreError] = {}

    def fail(self, *methods: str, after: bool = False) -> None:
        (self.fail_after if after else self.fail_before).update({m: Unavailable(f"{m} hangs") for m in methods})

    def recover(self) -> None:
        self.fail_before.clear()
        self.fail_after.clear()

    def _asked(self, method: str) -> None:
        self.asked[method] += 1
        if method in self.fail_before:
            raise self.fail_before[method]

    def _done(self, method: str) -> None:
        if method in self.fail_after:
            raise self.fail_after[method]

    async def get(self, path: str) -> Document | None:
        self.paths.append(path)
        self._asked("get")
        return await self.inner.get(path)

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        self.paths += paths
        self._asked("get_many")
        return await self.inner.get_many(paths)

    async def query(self, query: Query) -> list[Document]:
        self.paths.append(query.collection)
        self._asked("query")
        return await self.inner.query(query)

    async def count(self, query: Query) -> int:
        self.paths.append(query.collection)
        self._asked("count")
        return await self.inner.count(query)

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        self.paths += [write.path for write in writes]
        self._asked("commit")
        results = await self.inner.commit(writes)
        self._done("commit")
        return results

    async def close(self) -> None:
        await self.inner.close()


async def write_down(store: Store, business_id: str, collection: Any, documents: dict[str, dict[str, Any]]) -> None:
    """Put documents into a collection of a business."""
    paths = FirestorePaths().within(business_id)
    await store.commit([Set(paths.document(collection, id), data) for id, data in documents.items()])


async def stored(store: Store, business_id: str, collection: Any) -> dict[str, dict[str, Any]]:
    """Return all documents of a collection of a business, by id."""
    found = await store.query(Query(FirestorePaths().within(business_id).collection(collection)))
    return {document.id: document.data for document in found}

"""What a conversation found when it began: appointments and callers as they were then, and what its look-ups read.

The store holds what came of it, and of all that happened since. What a call was answered then says more than what is
there now, what the conversation has made itself is left out, and nothing that is younger than it is taken along.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date, datetime, time, timedelta
from typing import Any

from switchboard.admin.evals.stored_conversation import ModelCall, StoredConversation
from switchboard.contract.business.business import Business
from switchboard.contract.document import mapping, moment, objects_of, text
from switchboard.contract.json import JsonObject, leaves
from switchboard.contract.ports import BusinessCollection, BusinessPaths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Filter, Query
from switchboard.desk.bookings.booking import CANCELLED
from switchboard.desk.calendars.grid import STEP

_MOST_BOOKINGS = 60
_MOST_TEXTS = 60
_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_MOST_DAYS = 14
# Which texts of the business a look-up reads.
_READ: Mapping[str, tuple[BusinessCollection, ...]] = {
    "get_policies": ("policies",),
    "get_faqs": ("faqs",),
    "search_knowledge": ("policies", "faqs", "knowledge"),
    "kb_search": ("policies", "faqs", "knowledge"),
    "kb_get": ("policies", "faqs", "knowledge"),
}
_TEXT_FIELDS = ("topic", "title", "content", "question", "answer", "tags", "source")
_CALLER_FIELDS = ("name", "phone", "email", "dateOfBirth")
_UNNAMED = "Somebody Else"


@dataclass(slots=True)
class ConversationSetting:
    """The documents that a scenario adds, by collection and id, and by which ids their appointments were called.

    Attributes:
        bookings: Appointments as wishes: `days` from the first, `at`, `service`, `caller`, `with`, `party`.
        callers: Who has them, and who called.
        texts: Policies, questions and documents.
        named: Which of `bookings` an id in the conversation means.
    """

    bookings: dict[str, JsonObject] = field(default_factory=dict)
    callers: dict[str, JsonObject] = field(default_factory=dict)
    texts: dict[str, dict[str, JsonObject]] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)

    @property
    def documents(self) -> JsonObject:
        """All of it, by collection and id."""
        by_collection = {"callers": self.callers, "bookings": self.bookings, **self.texts}
        return {name: documents for name, documents in by_collection.items() if documents}

    def caller(self, fields: JsonObject) -> str:
        """Return the id of a caller's document, entering it where that number has none."""
        known = next((id for id, one in self.callers.items() if one["phone"] == fields["phone"]), None)
        if known is not None:
            self.callers[known] = fields | self.callers[known]
            return known
        id = f"caller-{len(self.callers) + 1}"
        self.callers[id] = fields
        return id


async def setting_of(
    store: Store, within: BusinessPaths, business: Business, held: StoredConversation
) -> ConversationSetting:
    """Return what a conversation found.

    Raises:
        StoreError: The store's.
    """
    setting = ConversationSetting()
    for document in await _callers(store, within, held):
        fields = {name: document.data[name] for name in _CALLER_FIELDS if text(document.data.get(name))}
        if "name" in fields and "phone" in fields:
            setting.caller({**fields, "phone": held.phone})
    mentioned = _mentioned(held.calls)
    for document in await _bookings(store, within, business, held, list(mentioned)):
        wish = _wish(business, held, document, mentioned.get(document.id, {}), setting)
        if wish is not None:
            name = f"booking-{len(setting.bookings) + 1}"
            setting.bookings[name], setting.named[document.id] = wish, name
    for collection in dict.fromkeys(name for call in held.calls for name in _READ.get(call.tool, ())):
        documents = await store.query(Query(within.collection(collection), limit=_MOST_TEXTS))
        setting.texts[collection] = {
            one.id: {name: one.data[name] for name in _TEXT_FIELDS if name in one.data} for one in documents
        }
    return setting


async def _callers(store: Store, within: BusinessPaths, held: StoredConversation) -> list[Document]:
    if not held.phone:
        return []
    either = (
        Filter("phoneNormalised", "==", held.phone),
        Filter("otherPhonesNormalised", "array-contains", held.phone),
    )
    known = Query(within.collection("callers"), limit=3, any_of=either)
    return [one for one in await store.query(known) if _was_there(one, held.began)]


async def _bookings(
    store: Store, within: BusinessPaths, business: Business, held: StoredConversation, ids: Sequence[str]
) -> list[Document]:
    """Return the appointments that its calls named, that are the caller's, or on a day that it asked about."""
    collection = within.collection("bookings")
    documents = [one for one in await store.get_many([within.document("bookings", id) for id in ids[:20]]) if one]
    if held.phone:
        own = Query(collection, (Filter("callerPhone", "==", held.phone),), limit=_MOST_BOOKINGS)
        documents += await store.query(own)
    for day in _days(held.calls):
        begins = datetime.combine(day, time(), business.timezone)
        on_day = (Filter("start", ">=", begins), Filter("start", "<", begins + timedelta(days=1)))
        documents += await store.query(Query(collection, on_day, limit=_MOST_BOOKINGS))
    by_id = {one.id: one for one in documents if _was_there(one, held.began)}
    mine = [one for one in by_id.values() if mapping(one.data.get("source")).get("sessionId") != held.session]
    # Those that were cancelled before took no time then either.
    return [one for one in mine if not _was_cancelled(one, held.began)][:_MOST_BOOKINGS]


def _was_there(document: Document, began: datetime) -> bool:
    made = moment(document.data.get("createdAt")) or document.create_time
    return made <= began


def _was_cancelled(document: Document, began: datetime) -> bool:
    if document.data.get("status") != CANCELLED:
        return False
    at = moment(document.data.get("cancelledAt"))
    return at is None or at <= began


def _days(calls: Sequence[ModelCall]) -> list[date]:
    """Return the days that calls named, the first ones."""
    days: dict[date, None] = {}
    for word in (word for call in calls for _, value in leaves(call.arguments) for word in _DAY.findall(str(value))):
        try:
            days.setdefault(date.fromisoformat(word))
        except ValueError:
            continue
    return list(days)[:_MOST_DAYS]


def _mentioned(calls: Sequence[ModelCall]) -> dict[str, JsonObject]:
    """Return the appointments that calls named, each as it was told the first time, before it was changed here."""
    named: dict[str, JsonObject] = {}
    for call in calls:
        for row in (call.data, *objects_of(call.data.get("appointments"))):
            id = row.get("bookingId")
            if isinstance(id, str) and id and (call.tool.startswith(("lookup", "get_", "check")) or id in named):
                named.setdefault(id, row)
        for name, value in call.arguments.items():
            if name.endswith("booking_id") and isinstance(value, str) and value:
                named.setdefault(value, {})
    return named


def _wish(
    business: Business,
    held: StoredConversation,
    document: Document,
    told: Mapping[str, Any],
    setting: ConversationSetting,
) -> JsonObject | None:
    """Return an appointment as a seed wishes for it; None where the business has no such service any more."""
    data = document.data
    start = _time_of(told.get("startTime")) or moment(data.get("start"))
    service = text(told.get("service")) or text(data.get("service"))
    if start is None or business.service_named(service) is None:
        return None
    local, today = start.astimezone(business.timezone), held.began.astimezone(business.timezone).date()
    phone = text(data.get("customerPhone")) or text(data.get("callerPhone"))
    name = text(told.get("customerName")) or text(data.get("customerName")) or _UNNAMED
    caller = {"name": name, "phone": phone or f"+1202555{len(setting.callers):04}"}
    email = text(data.get("customerEmail"))
    minute = local.minute - local.minute % (STEP.seconds // 60)
    people = [row for row in objects_of(data.get("resources")) if row.get("kind") == "person"]
    party = data.get("partySize")
    wish: JsonObject = {
        "days": (local.date() - today).days,
        "at": f"{local.hour:02}:{minute:02}",
        "service": service,
        "caller": setting.caller(caller | ({"email": email} if email else {})),
    }
    if len(people) == 1 and text(people[0].get("name")):
        wish["with"] = people[0]["name"]
    return wish | ({"party": party} if isinstance(party, int) and party > 1 else {})


def _time_of(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None

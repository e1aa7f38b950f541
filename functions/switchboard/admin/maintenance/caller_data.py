"""How a caller's traces are told in stored documents: by number, by the ids that lead from one record to the next.

A document is the caller's when it lies under one of the caller's conversations, or when one of the fields that say who
somebody is holds the caller's number or an id that was found with it, or when it is a visitor's conversation in which
the caller is named. Text that merely speaks of the caller (what somebody else said, what an owner noted) is told by
number, e-mail address and full name. What the business has done at its desk stands in sessions of many customers: they
lead from nobody to anybody, and of what lies in them that is the caller's which names their appointment or number.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from switchboard.admin.maintenance.person_spellings import ABROAD, BEHIND_ESCAPE, number_ways, spelled
from switchboard.contract.context import STAFF_SESSION
from switchboard.contract.json import JsonObject, leaves
from switchboard.contract.store import Document

REMOVED = "(removed)"
"""What stands where a caller was named."""

_NUMBER_FIELDS = frozenset(
    {
        *("callerPhone", "customerPhone", "phone", "phoneNormalised", "number", "to"),
        *("otherPhones", "otherPhonesNormalised"),
    }
)
# By the kind of id; `callId` is a conversation's in bookings and in the outbox, and one tool call's in the ledger.
_ID_FIELDS = frozenset({"callerId", "sessionId", "interactionId", "callSid", "voiceSessionId", "portalSessionId"})
_NAME_FIELDS = ("name", "customerName", "callerName")
_MAIL_FIELDS = ("email", "customerEmail")
_BY_CALLER = frozenset({"callers", "interactions", "parts", "bookings"})
_RECORDS = ("interactions", "parts")
_DONE_AT_THE_DESK = frozenset({"calls", "effects", "outbox"})
_NOTED = frozenset(
    {
        *("customerName", "customerPhone", "customerEmail", "customerNotes", "internalNotes"),
        *("name", "phone", "otherPhones", "email", "dateOfBirth", "notes"),
        *("flagReason", "blockReason", "handlingNote"),
    }
)
"""What the audit tells of a person, by field."""


class CallerData:
    """What is known of one caller of one business; it grows while documents are looked at."""

    def __init__(self, business: str, number: str, *others: str) -> None:
        """Begin with every number of the caller, in E.164; `business` is the path of the business's document."""
        import phonenumbers

        self._within = f"{business}/"
        parsed = [phonenumbers.parse(one) for one in (number, *others)]
        # Each as its country's code, and as it is dialled within that country.
        self._numbers = [(str(one.country_code), phonenumbers.national_significant_number(one)) for one in parsed]
        self.ids: set[str] = set()
        self.appointments: set[str] = set()
        self.records: set[str] = set()
        self.names: set[str] = set()
        self.mails: set[str] = set()
        self.questions: set[str] = set()

    @property
    def size(self) -> int:
        """How much is known; a further look is of use as long as this grows."""
        records = len(self.appointments) + len(self.records)
        return records + len(self.ids) + len(self.names) + len(self.mails) + len(self.questions)

    def owns(self, document: Document) -> bool:
        """Tell whether a document is the caller's; if so, what it tells of the caller is known from now on."""
        place, parts = document.path.split("/")[-2], self._parts(document.path)
        is_own = bool(self.ids & {*parts, *(tail for part in parts for tail in _tails(part))})
        is_own = is_own or any(self._points_here(name, value, place) for name, value in leaves(document.data))
        # What brings a caller's message to the owner is that message once more.
        is_own = is_own or (place == "outbox" and _brought(document.data) in self.ids)
        is_own = is_own or (place in _DONE_AT_THE_DESK and self._was_done_for_caller(parts, document.data))
        # Nobody else's conversation is it, if a visitor without a number gives this one.
        is_own = is_own or (place in _RECORDS and _is_nobodys(document.data) and self.names_caller(document))
        if is_own:
            self._learn(document.data, place, parts)
        if place == "audit" and document.data.get("document") in self.records:
            self.records |= _texts(_mapping(document.data.get("after")), ("mergedFrom",))
        return is_own

    def names_caller(self, document: Document) -> bool:
        """Tell whether a document that is somebody else's speaks of the caller."""
        return self.without(document.data) != document.data

    def without(self, data: JsonObject) -> JsonObject:
        """Return fields with `REMOVED` wherever a text names the caller."""
        pattern = self._pattern()
        return {name: _replaced(value, pattern) for name, value in data.items()}

    def without_notes(self, entry: JsonObject) -> JsonObject:
        """Return an entry of the audit without what it notes of a person, if it is about a record of the caller's."""
        if entry.get("document") not in self.appointments | self.records | self.ids:
            return entry
        return entry | {side: _unnoted(entry[side]) for side in ("before", "after") if side in entry}

    def without_receipts(self, session: JsonObject) -> JsonObject:
        """Return a session of the business's desk without the receipts of the caller's appointments."""
        receipts = _mapping(session.get("receipts"))
        rest = {k: r for k, r in receipts.items() if not self.appointments & set(_mapping(r).get("effectIds") or ())}
        return session if len(rest) == len(receipts) else session | {"receipts": rest}

    def _was_done_for_caller(self, parts: list[str], data: JsonObject) -> bool:
        texts = [(name, value) for name, value in leaves(data) if isinstance(value, str)]
        if not any(map(is_desks, parts)) and not any(name in _ID_FIELDS and is_desks(value) for name, value in texts):
            return False
        number = re.compile("|".join(self._ways()), re.IGNORECASE)
        return any(
            number.search(value) or value in self.mails or any(id in value for id in self.appointments)
            for _, value in texts
        )

    def _parts(self, path: str) -> list[str]:
        rest = path.removeprefix(self._within).split("/")
        return rest[1::2]

    def _points_here(self, name: str, value: Any, place: str) -> bool:
        if not isinstance(value, str) or not value:
            return False
        if name in _NUMBER_FIELDS:
            return self._is_number(value)
        if name == "callId" and place in ("bookings", "outbox"):
            return value in self.ids
        return name in _ID_FIELDS and value in self.ids

    def _is_number(self, text: str) -> bool:
        digits = re.sub(r"\D", "", unicodedata.normalize("NFKC", text))
        at_home = ("", "0") if text[:1] != "+" else ()
        return any(
            digits
            in {*(f"{before}{country}{national}" for before in ABROAD), *(before + national for before in at_home)}
            for country, national in self._numbers
        )

    def _learn(self, data: JsonObject, place: str, parts: list[str]) -> None:
        # A session's or an interaction's id leads on; those of single calls are too often just "c1".
        leading: set[str] = set()
        if place in (*_RECORDS, "callers") or (place in ("sessions", "calls", "effects") and parts):
            leading.add(parts[0])
        if place == "outbox" and parts:
            leading.add(parts[0])
        leading |= {v for name, v in leaves(data) if isinstance(v, str) and v and name in _ID_FIELDS}
        self.ids |= {id for id in leading if not is_desks(id)}
        if place == "bookings":
            self.appointments.add(parts[0])
        if place == "callers":
            self.records.add(parts[0])
        if place in _BY_CALLER:
            self.names |= _texts(data, _NAME_FIELDS)
            self.mails |= _texts(data, _MAIL_FIELDS)
        if place == "calls" and isinstance(data.get("arguments"), str):
            self.questions |= {" ".join(word.casefold().split()) for word in _words(data["arguments"])}

    def _ways(self) -> list[str]:
        """Return patterns of the numbers, however they are written."""
        return [way for number in self._numbers for way in number_ways(*number)]

    def _pattern(self) -> re.Pattern[str]:
        ways = self._ways()
        # A first name alone is many people's.
        full = [name for name in self.names if len(name.split()) > 1]
        texts = sorted({*full, *self.mails}, key=len, reverse=True)
        ways += [rf"(?:(?<!\w)|{BEHIND_ESCAPE}){spelled(text)}(?!\w)" for text in texts]
        return re.compile("|".join(ways), re.IGNORECASE)


def is_desks(id: str) -> bool:
    """Tell whether an id is that of a session, or call, of the business's desk: such a session has many customers."""
    return id.startswith(STAFF_SESSION)


def leads(document: Document) -> bool:
    """Tell whether other documents of the same place are found by this one: a message by what brings it."""
    return document.path.split("/")[-2] == "outbox" and document.data.get("kind") == "message"


def _brought(data: JsonObject) -> str:
    """Return the id of the message that a text to the owner brings; empty for any other text."""
    path, _, way = str(data.get("effectKey") or "").partition("|")
    return path.rpartition("/")[2] if way == "text" else ""


def _is_nobodys(data: JsonObject) -> bool:
    return not data.get("callerPhone") and not data.get("callerId")


def _replaced(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return pattern.sub(REMOVED, value)
    if isinstance(value, Mapping):
        return {_replaced(key, pattern): _replaced(inner, pattern) for key, inner in value.items()}
    if isinstance(value, list):
        return [_replaced(inner, pattern) for inner in value]
    return value


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _unnoted(side: Any) -> JsonObject:
    return {name: REMOVED if name in _NOTED and value else value for name, value in _mapping(side).items()}


def _tails(part: str) -> list[str]:
    """Return what may be an id within a ticket's name, `approval:{session}`."""
    return part.split(":")[1:] if ":" in part else []


def _texts(data: Mapping[str, Any], names: tuple[str, ...]) -> set[str]:
    texts = (" ".join(str(data[name]).split()) for name in names if isinstance(data.get(name), str))
    return {text for text in texts if text}


def _words(arguments: str) -> Iterator[str]:
    import json

    try:
        yield from (value for _, value in leaves(json.loads(arguments)) if isinstance(value, str))
    except ValueError:
        return

"""How a caller's traces are told in stored documents: by number, by the ids that lead from one record to the next.

A document is the caller's when it lies under one of the caller's conversations, or when one of the fields that say who
somebody is holds the caller's number or an id that was found with it, or when it is a visitor's conversation in which
the caller is named. Text that merely speaks of the caller (what somebody else said, what an owner noted) is told by
number, e-mail address and full name. What the business has done at its desk stands in sessions of many customers: they
lead from nobody to anybody, and of what lies in them that is the caller's which names their appointment or number.

Names and e-mail addresses may be others' as well. What is told, by number or id, to be a namesake's keeps them, and
nothing is taken to be the caller's by what others bear too.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from switchboard.admin.maintenance.person_spellings import ABROAD, BEHIND_ESCAPE, number_ways, spelled
from switchboard.admin.maintenance.seen_beside import SeenBeside
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
_SESSIONS = frozenset({"sessions", "calls", "interactions"})
_WHO = frozenset({"callerPhone", "callerId", "verifiedPhone"})
_ABOUT_A_PERSON = frozenset({"customer", "customersMerged", "callerRestriction", "booking"})
"""Kinds of entries in the audit that are about one customer's record or appointment."""
_DONE_AT_THE_DESK = frozenset({"calls", "effects", "outbox"})
_NOTED = frozenset(
    {
        *("customerName", "customerPhone", "customerEmail", "customerNotes", "internalNotes"),
        *("name", "phone", "otherPhones", "email", "dateOfBirth", "notes"),
        *("flagReason", "blockReason", "handlingNote", "note"),
    }
)
"""What the audit tells of a person, by field."""


class CallerData:
    """What is known of one caller of one business; it grows while documents are looked at."""

    def __init__(self, business: str, *numbers: str, records: Iterable[str] = ()) -> None:
        """Begin with what tells the caller.

        Args:
            business: The path of the business's document.
            numbers: Every number of the caller, in E.164.
            records: The ids of records that are the caller's, whether or not they have a number.
        """
        import phonenumbers

        self._within = f"{business}/"
        parsed = [phonenumbers.parse(number) for number in numbers]
        # Each as its country's code, and as it is dialled within that country.
        self._numbers = [(str(one.country_code), phonenumbers.national_significant_number(one)) for one in parsed]
        self._number = _any_of(self._ways())
        self.ids: set[str] = set(records)
        self.appointments: set[str] = set()
        self.records: set[str] = set(records)
        self.names: set[str] = set()
        self.mails: set[str] = set()
        self.questions: set[str] = set()
        # Sessions of nobody in which the number was given; the caller's unless they prove to be somebody else's.
        self._given_in: set[str] = set()
        self._looks = 0
        self._beside, self._now_beside = SeenBeside(), SeenBeside()

    @property
    def size(self) -> int:
        """How much is known; a further look is of use as long as this grows."""
        records = len(self.appointments) + len(self.records)
        return records + len(self.ids) + len(self.names) + len(self.mails) + len(self.questions) + len(self._given_in)

    @property
    def is_settled(self) -> bool:
        """Whether the look that has just ended has met beside the caller's own what the one before had."""
        return self._beside == self._now_beside and self._given_in <= self.ids | self._beside.identified

    def begin_look(self) -> None:
        """Begin to look at everything once more, or to decide: what the last look has met is known from now on."""
        self._looks += 1
        self._beside, self._now_beside = self._now_beside, SeenBeside()
        if self._has_looked:
            self.ids |= self._given_in - self._beside.identified

    @property
    def _has_looked(self) -> bool:
        """Whether it is known what is others'."""
        return self._looks > 1

    def owns(self, document: Document) -> bool:
        """Tell whether a document is the caller's; if so, what it tells of the caller is known from now on."""
        place, parts = document.path.split("/")[-2], self._parts(document.path)
        is_own = bool(self.ids & {*parts, *(tail for part in parts for tail in _tails(part))})
        is_own = is_own or any(self._points_here(name, value, place) for name, value in leaves(document.data))
        # What brings a caller's message to the owner is that message once more.
        is_own = is_own or (place == "outbox" and _brought(document.data) in self.ids)
        is_own = is_own or (place in _DONE_AT_THE_DESK and self._was_done_for_caller(parts, document.data))
        # Nobody else's conversation is it, if a visitor without a number gives this one.
        is_own = is_own or (place in _RECORDS and _is_nobodys(document.data) and self._is_given(document.data))
        is_own = is_own or self._is_left_behind(place, document.data)
        if is_own:
            self._learn(document.data, place, parts)
        else:
            self._note_beside(document, place, parts)
        if place == "audit":
            self._learn_changes(document.data)
        self._note_what_is_there(document, place)
        return is_own

    def names_caller(self, document: Document) -> bool:
        """Tell whether a document that is somebody else's speaks of the caller."""
        return self.without(document) != document.data

    def without(self, document: Document, data: JsonObject | None = None) -> JsonObject:
        """Return a document's fields, or what they are to be, with `REMOVED` wherever a text names the caller."""
        fields = document.data if data is None else data
        texts = self._texts_of_caller()
        removed = _removed(fields, self._pattern(texts))
        if removed == fields or not (theirs := self._beside.theirs(document, fields, texts)):
            return removed
        return _removed(fields, self._pattern([text for text in texts if text not in theirs]))

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
        return any(
            self._number.search(value) or value in self.mails or any(id in value for id in self.appointments)
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
        if place in _BY_CALLER or (place == "outbox" and data.get("kind") == "message"):
            self.names |= _texts(data, _NAME_FIELDS)
            self.mails |= _texts(data, _MAIL_FIELDS)
        if place == "calls" and isinstance(data.get("arguments"), str):
            self.questions |= {" ".join(word.casefold().split()) for word in _words(data["arguments"])}

    def _is_given(self, data: JsonObject) -> bool:
        """Tell whether what nobody is known to have said gives the caller's number, or what nobody else bears."""
        alone = [text for text in self._texts_of_caller() if not self._beside.is_shared(text)]
        pattern = self._pattern(alone if self._has_looked else [])
        return any(isinstance(value, str) and pattern.search(value) for _, value in leaves(data))

    def _is_left_behind(self, place: str, data: JsonObject) -> bool:
        """Tell whether a document is the caller's that no conversation of theirs leads to."""
        if place == "outbox" and data.get("kind") == "message" and _is_nobodys(data):
            return self._is_number(str(data.get("callbackPhone") or ""))
        if not self._has_looked:
            return False
        # Who is reached by an address alone is told by it, as far as it is nobody else's.
        if place == "bookings" and _is_nobodys(data) and not data.get("customerPhone"):
            return self._is_own_address(data.get("customerEmail"), data.get("customerName"))
        if place == "outbox" and data.get("kind") == "email":
            return self._is_own_address(data.get("to"))
        # The message was taken away while this was being written.
        brought = _brought(data) if place == "outbox" else ""
        return bool(brought) and brought not in self._beside.messages and self._is_given(data)

    def _is_own_address(self, address: Any, name: Any = None) -> bool:
        if not isinstance(address, str) or address.casefold() not in {mail.casefold() for mail in self.mails}:
            return False
        if not self._beside.is_shared(address):
            return True
        named = " ".join(name.split()) if isinstance(name, str) else ""
        return named in self.names and not self._beside.is_shared(named)

    def _note_beside(self, document: Document, place: str, parts: list[str]) -> None:
        """Note what is somebody else's, or nobody's that the caller may be."""
        data = document.data
        if place in _SESSIONS and not is_desks(parts[0]):
            # A conversation's record may hold what tools were given; who has it stands at its top.
            known = leaves({name: data.get(name) for name in _WHO}) if place == "interactions" else leaves(data)
            if any(name in _WHO and value for name, value in known):
                self._now_beside.identified.add(parts[0])
            elif place == "calls" and self._number.search(str(data.get("arguments") or "")):
                self._given_in.add(parts[0])
        if place in ("callers", "bookings", "outbox") and not self._is_number(str(data.get("callbackPhone") or "")):
            self._note_bearer(data, place, parts)

    def _note_bearer(self, data: JsonObject, place: str, parts: list[str]) -> None:
        """Note which of the caller's names and addresses somebody else bears, who is told by number, id or address."""
        own = {text.casefold() for text in self.names | self.mails}
        texts = {text for text in _texts(data, (*_NAME_FIELDS, *_MAIL_FIELDS)) if text.casefold() in own}
        if not texts:
            return
        told = [(name, value) for name, value in leaves(data) if isinstance(value, str) and value]
        numbers = {value for name, value in told if name in _NUMBER_FIELDS or name == "callbackPhone"}
        ids = {value for name, value in told if name in _ID_FIELDS and not is_desks(value)} - self.ids
        is_told = place == "callers" or bool(numbers) or bool(data.get("callerId"))
        # Whoever is told by an address alone that others have too may be one of these.
        mails = _texts(data, _MAIL_FIELDS)
        if is_told or any(mail.casefold() not in own or self._beside.is_shared(mail) for mail in mails):
            self._now_beside.bears(texts, {parts[0], *numbers, *ids})

    def _note_what_is_there(self, document: Document, place: str) -> None:
        if place == "callers":
            self._now_beside.on_file.add(document.id)
        if place == "outbox" and document.data.get("kind") == "message":
            self._now_beside.messages.add(document.id)

    def _learn_changes(self, entry: JsonObject) -> None:
        """Learn from an entry of the audit what a record of the caller's has said before, also one that is gone."""
        about, sides = entry.get("document"), [_mapping(entry.get(side)) for side in ("before", "after")]
        is_told = any(self._points_here(name, value, "audit") for side in sides for name, value in leaves(side))
        is_gone = self._has_looked and about not in self._beside.on_file
        if is_told and is_gone and entry.get("kind") in _ABOUT_A_PERSON and isinstance(about, str):
            self.records.add(about)
        if about not in self.records:
            return
        self.records |= _texts(sides[1], ("mergedFrom",))
        for side in sides:
            self.names |= _texts(side, _NAME_FIELDS)
            self.mails |= _texts(side, _MAIL_FIELDS)

    def _ways(self) -> list[str]:
        """Return patterns of the numbers, however they are written."""
        return [way for number in self._numbers for way in number_ways(*number)]

    def _texts_of_caller(self) -> list[str]:
        """Return the names and addresses by which a text may speak of the caller; the longest first."""
        # A first name alone is many people's.
        full = [name for name in self.names if len(name.split()) > 1]
        return sorted({*full, *self.mails}, key=lambda text: (-len(text), text))

    def _pattern(self, texts: Iterable[str]) -> re.Pattern[str]:
        """Return what finds the numbers, and some texts, however they are written."""
        return _any_of([*self._ways(), *(rf"(?:(?<!\w)|{BEHIND_ESCAPE}){spelled(text)}(?!\w)" for text in texts)])


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


def _any_of(ways: Iterable[str]) -> re.Pattern[str]:
    # None of them finds nothing.
    return re.compile("|".join(ways) or r"(?!)", re.IGNORECASE)


def _removed(data: JsonObject, pattern: re.Pattern[str]) -> JsonObject:
    return {name: _replaced(value, pattern) for name, value in data.items()}


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

"""Flags and blocks as owners see, add and lift them; every one of it is audited.

What a conversation decided stands in a caller's record where its number was vouched for, and in the conversation's
session (`desk/callers/moderation.py`). What owners decide is about a number, and stands in the record of everybody who
has it.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import Revisions, Saved
from switchboard.contract.business.business import Business
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.store import DELETE_FIELD, Document, Filter, Query, Set, Update, Write
from switchboard.desk.callers.callers import Callers, read_caller
from switchboard.desk.contact.phone import to_e164

Place: TypeAlias = Literal["callers", "sessions"]

_FLAG: Final = ("flagged", "flagReason", "flaggedAt", "flaggedIn", "flaggedUntil")
# A session's own block has names of its own.
_BLOCKS: Final[Mapping[Place, tuple[str, ...]]] = {
    "callers": ("blockedUntil", "blockReason", "blockedAt", "blockedIn"),
    "sessions": ("ignoredUntil", "ignoreReason", "ignoredAt"),
}
_NAMES: Final[Mapping[Place, str]] = {"callers": "callerRestriction", "sessions": "sessionRestriction"}
_MOST = 500
_LONGEST_BLOCK = timedelta(days=366)
# A document whose id the store has replaced by its hash is found by that.
_HASHED = re.compile(r"h~[0-9a-f]{40}")


def restriction_kinds() -> list[DocumentKind]:
    """Return the kinds of documents that hold flags and blocks: the records of callers, and sessions."""
    return [_kind(place) for place in _BLOCKS]


def _kind(place: Place) -> DocumentKind:
    def path(paths: BusinessPaths, id: str) -> str:
        return f"{paths.collection(place)}/{id}" if _HASHED.fullmatch(id) else paths.document(place, id)

    return DocumentKind(
        _NAMES[place], Operation.EDIT_SAFEGUARDS, path, lambda after, before: (), (*_FLAG, *_BLOCKS[place])
    )


class Restrictions:
    """The flags and blocks of every business. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock, revisions: Revisions) -> None:
        self._store, self._paths, self._clock, self._revisions = store, paths, clock, revisions
        self._callers = Callers(store)
        self._kinds: dict[Place, DocumentKind] = {place: _kind(place) for place in _BLOCKS}

    async def listed(self, business_id: str) -> tuple[list[JsonObject], bool]:
        """Return those that stand, the newest first, and whether these are all; see `_shown`."""
        within, now = self._paths.within(business_id), self._clock.now()
        queries = [
            Query(within.collection(place), (condition,), limit=_MOST)
            for place in _BLOCKS
            for condition in (Filter("flagged", "==", True), Filter(_BLOCKS[place][0], ">", now))
        ]
        results = await asyncio.gather(*map(self._store.query, queries))
        by_path = {document.path: document for result in results for document in result}
        shown = (self._shown(_place_of(document), document) for document in by_path.values())
        # A flag that held for a while is over by itself.
        rows = [row for row in shown if row["flagged"] or row["blockedUntil"]]
        rows.sort(key=lambda row: str(row["at"] or ""), reverse=True)
        return rows, all(len(result) < _MOST for result in results)

    async def one(self, business_id: str, place: str, id: str) -> JsonObject:
        """Return what stands against a caller, or in a session.

        Raises:
            NotFound: Nothing does.
        """
        known = _place(place)
        return self._shown(known, await self._restricted(business_id, known, id))

    async def add(self, permit: Permit, given: Mapping[str, Any]) -> tuple[list[JsonObject], Saved]:
        """Flag a number, block it until a time, or both; an unknown number gets a record.

        Args:
            permit: Who does it, and where.
            given: `{phone, reason, flag?, blockedUntil?}`: the number in any usual spelling, the time as one.

        Returns:
            What stands now, by record, and the last change.

        Raises:
            NotValid: Everything that is wrong with it.
            ToolError: NOT_FOUND, there is no such business.
        """
        within, now = self._paths.within(permit.business_id), self._clock.now()
        business = await self._business(permit.business_id)
        number, fields = _read(given, business, now)
        ids = [caller.id for caller in await self._callers.of_number(within, number)]
        if not ids:
            ids = [await self._callers.new_id(within, number)]
            # The same that somebody gets who is flagged on the phone; it says nothing but the number.
            known: JsonObject = {"phone": number, "phoneNormalised": number}
            await self._store.commit([Set(within.document("callers", ids[0]), known, merge=True)])
        kind, rows = self._kinds["callers"], []
        for id in ids:
            document = await self._revisions.read(permit.business_id, kind, id)
            saved = await self._revisions.change(
                permit, kind, id, kind.revision(document), lambda current: _without_place(current, fields) | fields
            )
            assert saved.document is not None
            rows.append(self._shown("callers", saved.document))
        return rows, saved

    async def lift(self, permit: Permit, place: str, id: str, based_on: str | None) -> Saved:
        """Lift the flag and the block of a record, and of the conversation that they came from; or of a session.

        Raises:
            NotFound: Nothing stands there.
            RevisionMissing, OutOfDate, Forbidden: See `Revisions.change`.
        """
        known = _place(place)
        restriction = await self._restricted(permit.business_id, known, id)
        beside = await self._in_sessions(permit.business_id, restriction) if known == "callers" else ()
        kind = replace(self._kinds[known], beside=lambda paths, id: beside)
        return await self._revisions.change(permit, kind, id, based_on, lambda current: {})

    async def _in_sessions(self, business_id: str, caller: Document) -> tuple[Write, ...]:
        """Return what lifts the same in the conversations in which it was decided, as far as these are kept."""
        within = self._paths.within(business_id)
        named = [caller.data.get(name) for name in ("flaggedIn", "blockedIn")]
        ids = {str(place["sessionId"]) for place in named if isinstance(place, Mapping) and place.get("sessionId")}
        sessions = await self._store.get_many([within.document("sessions", id) for id in sorted(ids)]) if ids else []
        lifted = dict.fromkeys(self._kinds["sessions"].fields or (), DELETE_FIELD)
        return tuple(Update(session.path, dict(lifted)) for session in sessions if session is not None)

    async def _restricted(self, business_id: str, place: Place, id: str) -> Document:
        document = await self._revisions.read(business_id, self._kinds[place], id)
        if not self._kinds[place].view(document.data):
            raise NotFound("Nothing stands against that one.")
        return document

    async def _business(self, business_id: str) -> Business:
        return await known_business(self._store, self._paths.within(business_id))

    def _shown(self, place: Place, document: Document) -> JsonObject:
        data, (until, reason, at, *_) = document.data, _BLOCKS[place]
        caller = read_caller(document) if place == "callers" else None
        now, flagged_until = self._clock.now(), data.get("flaggedUntil")
        is_flagged = data.get("flagged") is True and (flagged_until is None or _is_after(flagged_until, now))
        is_blocked = _is_after(data.get(until), now)
        times = [time for time in (data.get("flaggedAt"), data.get(at)) if isinstance(time, datetime)]
        return {
            "place": place,
            "id": document.id,
            "name": caller.name if caller else "",
            "phone": (caller.phone or data.get("phone")) if caller else None,
            "otherPhones": list(caller.other_phones) if caller else [],
            "flagged": is_flagged,
            "flagReason": str(data.get("flagReason") or ""),
            "flaggedUntil": flagged_until if is_flagged else None,
            "blockedUntil": data.get(until) if is_blocked else None,
            "blockReason": str(data.get(reason) or "") if is_blocked else "",
            "at": max(times).astimezone(UTC) if times else None,
            # Flags of calls whose number nobody vouched for do not bind the record that they once were put into.
            "binds": is_blocked or (is_flagged and (caller is None or caller.is_flagged)),
            "changedBy": data.get("updatedBy"),
            "revision": self._kinds[place].revision(document),
        }


def _place(text: str) -> Place:
    for place in _BLOCKS:
        if place == text:
            return place
    raise NotFound("Flags and blocks stand in callers or sessions.")


def _place_of(document: Document) -> Place:
    return _place(document.path.split("/")[-2])


def _without_place(current: JsonObject, fields: JsonObject) -> JsonObject:
    """Return what stands, without where it was decided, if that is now the owner's word."""
    gone = {"flaggedIn", "flaggedUntil"} if "flagged" in fields else set()
    gone |= {"blockedIn"} if "blockedUntil" in fields else set()
    return {name: value for name, value in current.items() if name not in gone}


def _read(given: Mapping[str, Any], business: Business, now: datetime) -> tuple[str, JsonObject]:
    """Return the number, and the fields that an owner wants; raise `NotValid` with everything that is wrong."""
    problems: list[EntryProblem] = []
    number, reason, until = "", " ".join(given["reason"].split()), _in_utc(given.get("blockedUntil"))
    try:
        number = to_e164(given["phone"], business)
    except ToolError as error:
        problems.append(EntryProblem("phone", error.message))
    if until and not now < until <= now + _LONGEST_BLOCK:
        words = f"blockedUntil must be a time with its offset, from now and within {_LONGEST_BLOCK.days} days."
        problems.append(EntryProblem("blockedUntil", words))
    flag = given.get("flag", until is None)
    if not flag and until is None:
        problems.append(EntryProblem("flag", "Say flag, blockedUntil or both: otherwise there is nothing to do."))
    if problems:
        raise NotValid(problems)
    fields: JsonObject = {"flagged": True, "flagReason": reason, "flaggedAt": now} if flag else {}
    return number, fields | ({"blockedUntil": until, "blockReason": reason, "blockedAt": now} if until else {})


def _in_utc(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC) if moment is not None else None


def _is_after(value: Any, now: datetime) -> bool:
    return isinstance(value, datetime) and value.tzinfo is not None and value > now

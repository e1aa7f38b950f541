"""Calls and chats as owners look back on them: lists that are filtered and searched, transcripts, and what was done."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from switchboard.admin.access.refusal import NotFound
from switchboard.admin.api.paging import Page, Slice, cursor_behind
from switchboard.admin.conversations.chat_takeover import answering_person_of
from switchboard.admin.conversations.waterfall import turn_times
from switchboard.contract.business.agent_trial import ANSWERED_BY_VERSION, version_of
from switchboard.contract.conclusion import TAKEN_OVER
from switchboard.contract.context import is_trials_id
from switchboard.contract.document import mapping, moment, objects_of, strings
from switchboard.contract.error import ErrorType, is_failure
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.record_parts import joined, part_numbers
from switchboard.contract.store import Document, Filter, Order, Query

SCANNED_AT_MOST = 150
RINGING: Final = "ringing"
"""The state of a call that was taken over, once the phone network has said that it puts the caller through."""
# A record holds its whole transcript; so many arrive within the store's time-out for one read of an owner's page.
_READ_AT_ONCE = 150
_EXCERPT = 160
# So many digits are looked for as a number, in whatever spelling; fewer as they are written.
_LEAST_DIGITS, _WHOLE_DIGITS = 4, 9
_PHONE = re.compile(r"[+(]?[\d(][\d\s().\-/\u2010-\u2015]*")
_PHONE_IN_TEXT = re.compile(r"[+(]?\d[\d ().\-/\u2010-\u2015]{2,}")


@dataclass(frozen=True, slots=True)
class InteractionFilter:
    """Which interactions are wanted; what is None does not matter.

    Attributes:
        since: Begun then or later (aware).
        until: Begun before then (aware).
        channel: On this channel.
        outcome: Which came to this.
        text: Whose words, caller's number or tools contain this, ignoring case.
        is_trial: Those that owners held to see how they go, and no others; else callers' ones alone.
    """

    since: datetime | None = None
    until: datetime | None = None
    channel: str | None = None
    outcome: str | None = None
    text: str | None = None
    is_trial: bool = False

    @property
    def began(self) -> str:
        """The field that says when one began, which only those have that are wanted."""
        return "triedAt" if self.is_trial else "startedAt"

    def query(self, within: BusinessPaths) -> Query:
        """Return the query for all of it but the text, the newest first."""
        filters = [Filter("channel", "==", self.channel)] if self.channel else []
        filters += [Filter("outcome", "==", self.outcome)] if self.outcome else []
        filters += [Filter(self.began, ">=", self.since)] if self.since else []
        filters += [Filter(self.began, "<", self.until)] if self.until else []
        order = (Order(self.began, descending=True),)
        return Query(within.collection("interactions"), tuple(filters), order)


@dataclass(frozen=True, slots=True)
class InteractionPage:
    """A page of interactions; `scanned` records were read for it, and a search may go on at the cursor with none."""

    page: Slice[JsonObject]
    scanned: int


class InteractionRecords:
    """The records of every business. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths) -> None:
        self._store, self._paths = store, paths

    async def listed(self, business_id: str, selection: InteractionFilter, page: Page) -> InteractionPage:
        """Return a page of interactions, the newest first, without their transcripts.

        A text is looked for in at most `SCANNED_AT_MOST` records at a time; the cursor goes on behind them.
        """
        within = self._paths.within(business_id)
        query = selection.query(within)
        needle = " ".join((selection.text or "").split()).casefold()
        number = digits_of(needle)
        items: list[JsonObject] = []
        after, scanned, cursor = page.after, 0, None
        while True:
            size = min(_READ_AT_ONCE, SCANNED_AT_MOST - scanned) if needle else min(_READ_AT_ONCE, page.limit + 1)
            part = await self._store.query(replace(query, limit=size, start_after=after))
            for record in part:
                if len(items) == page.limit:
                    return InteractionPage(Slice(items, cursor), scanned)
                scanned += 1
                # One after the other: whole, a page of long conversations would be held in memory at once.
                document = await whole_of(self._store, within, record)
                cursor = cursor_behind(query, document)
                excerpt = _excerpt(document.data, needle, number) if needle else None
                if not needle or excerpt is not None:
                    items.append(summary(document) | ({"excerpt": excerpt} if needle else {}))
            if len(part) < size:
                return InteractionPage(Slice(items), scanned)
            after = (part[-1].data[selection.began], part[-1].id)
            if needle and scanned >= SCANNED_AT_MOST:
                return InteractionPage(Slice(items, cursor), scanned)

    async def read(self, business_id: str, id: str) -> Document:
        """Return one record.

        Raises:
            NotFound: There is none of that id.
        """
        within = self._paths.within(business_id)
        document = await self._store.get(within.document("interactions", id))
        if document is None:
            raise NotFound("There is no interaction of that id.")
        return await whole_of(self._store, within, document)


async def whole_of(store: Store, within: BusinessPaths, record: Document) -> Document:
    """Return a record of a business with what has moved into its parts, of which few have any.

    Raises:
        StoreError: The store's.
    """
    numbers = part_numbers(record.data)
    return joined(record, await store.get_many([within.part(record.id, n) for n in numbers])) if numbers else record


def summary(document: Document) -> JsonObject:
    """Return an interaction as it stands in a list."""
    data = document.data
    tools = objects_of(data.get("tools"))
    return {
        "id": document.id,
        "sessionId": data.get("sessionId"),
        "channel": data.get("channel"),
        "outcome": data.get("outcome") or None,
        "startedAt": data.get("startedAt") or data.get("triedAt"),
        "isTrial": "triedAt" in data or is_trials_id(document.id),
        "endedAt": data.get("endedAt"),
        "durationSeconds": data.get("durationSeconds"),
        "turns": data.get("turns"),
        "agentVersions": _versions(data.get(ANSWERED_BY_VERSION)),
        "callerPhone": data.get("callerPhone"),
        "callerId": data.get("callerId"),
        "tools": [str(row.get("name")) for row in tools],
        "failedTools": [str(row.get("name")) for row in tools if has_failed(row)],
        "receipts": len(objects_of(data.get("receipts"))),
    }


def _versions(marks: object) -> list[JsonObject]:
    """Return of which agents' trials a conversation was on which side."""
    named = [version for mark in strings(marks) if (version := version_of(mark)) is not None]
    return [{"agentId": agent_id, "since": since, "side": side} for agent_id, since, side in named]


def whole(document: Document) -> JsonObject:
    """Return an interaction with what was said, in order, which tools were called, and how long its steps took."""
    data = document.data
    return summary(document) | {
        "transcript": [_as_heard(row) for row in objects_of(data.get("transcript"))],
        "toolCalls": [dict(row) | {"isFailure": has_failed(row)} for row in objects_of(data.get("tools"))],
        "receiptList": [dict(row) for row in objects_of(data.get("receipts"))],
        "turnTimes": turn_times(data, _business_of(document), session_of(document)),
        "takenOver": taken_over_of(data),
        "answeringPerson": answering_person_of(data),
    }


def taken_over_of(data: Mapping[str, Any]) -> JsonObject | None:
    """Return who has taken a call over, as owners see it; None where nobody has."""
    taken_over = mapping(data.get(TAKEN_OVER))
    at = moment(taken_over.get("at"))
    if at is None:
        return None
    who = str(mapping(taken_over.get("by")).get("name") or "")
    is_sure = taken_over.get("state") == RINGING
    return {"at": at, "by": who, "to": str(taken_over.get("to") or ""), "isSure": is_sure}


def has_failed(row: Mapping[str, Any]) -> bool:
    """Tell whether a call, as it stands in a conversation's record, failed; a no that is an answer is none."""
    if row.get("ok") is not False:
        return False
    error = row.get("error") or ErrorType.INTERNAL
    return is_failure(str(error), was_refused=row.get("refused") is True, is_unknown=row.get("unknown") is True)


def session_of(document: Document) -> str:
    """Return the session whose ledger tells of an interaction's calls."""
    return str(document.data.get("sessionId") or document.id)


def _business_of(document: Document) -> str:
    # Records of the first versions say it by their paths only.
    return str(document.data.get("businessId") or document.path.split("/")[1])


def _as_heard(row: Mapping[str, Any]) -> JsonObject:
    """Return an entry of a transcript, and beside what was heard of it the rest as `unheard`."""
    spoken, heard = str(row.get("text") or ""), row.get("heard")
    if not isinstance(heard, str):
        return dict(row)
    rest = spoken.removeprefix(heard) if spoken.startswith(heard) else spoken
    return {**row, "unheard": rest.strip()}


def digits_of(text: str) -> str:
    """Return the digits of a phone number, or a part of one, in any usual spelling; empty for what is none.

    What is dialled in front of it within a country, or to leave one, is no part of the number.
    """
    digits = re.sub(r"\D", "", text.replace("(0)", "")).lstrip("0") if _PHONE.fullmatch(text) else ""
    return digits if len(digits) >= _LEAST_DIGITS else ""


def _place_of(number: str, text: str) -> int:
    """Return where a text holds a number in some spelling, or a part of it; -1 where it does not."""
    for match in _PHONE_IN_TEXT.finditer(text):
        written = digits_of(match[0])
        # A country's prefix may stand in one of the two only.
        if written and (number in written or (len(written) >= _WHOLE_DIGITS and number.endswith(written))):
            return match.start()
    return -1


def _excerpt(data: Mapping[str, Any], needle: str, number: str) -> str | None:
    for text in _searched(data):
        plain = " ".join(text.split())
        at = plain.casefold().find(needle)
        if at < 0 and number:
            at = _place_of(number, plain)
        if at >= 0:
            start = max(0, at - _EXCERPT // 4)
            cut = plain[start : start + _EXCERPT]
            return f"{'…' if start else ''}{cut}{'…' if start + _EXCERPT < len(plain) else ''}"
    return None


def _searched(data: Mapping[str, Any]) -> Iterator[str]:
    # What was not heard was not said to anybody.
    yield from (str(row.get("heard", row.get("text")) or "") for row in objects_of(data.get("transcript")))
    yield from (str(row.get("name") or "") for row in objects_of(data.get("tools")))
    yield str(data.get("callerPhone") or "")

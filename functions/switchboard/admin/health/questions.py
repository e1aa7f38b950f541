"""What callers asked that could not be answered: searches of the knowledge that found nothing, grouped by question.

On every channel alike, also for a vendor's webhook and for MCP: whoever calls a tool leaves the same row in the ledger.

Nothing is written for it while a call goes on: the ledger has each search with its question and its empty result. When
the list is looked at, and by a pass in the background, what is new in the ledger is counted into
`businesses/{id}/questions/{questionId}`, each call exactly once, so that it outlives the ledger's seven days.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import businesses
from switchboard.admin.access.refusal import EntryProblem, NotFound
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.paging import Page, Slice, sliced
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import Revisions, Saved
from switchboard.contract import policy
from switchboard.contract.context import is_trials_id
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessCollection, BusinessPaths, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    AlreadyExists,
    Create,
    Document,
    Filter,
    Increment,
    Missing,
    Order,
    Query,
    Set,
    Stale,
    Update,
    Write,
)

QUESTIONS: BusinessCollection = "questions"
SEARCHES = {
    "search_knowledge": ("query", "results"),
    "kb_search": ("query", "results"),
    "get_faqs": ("topic", "faqs"),
    "get_policies": ("topic", "policies"),
}
"""The tools that search what a business has written down: the argument that holds the question, and where finds are."""
_COLLECTED = "~collected"
_PAGE = 100
_PAGES = 5
# A call's end is dated by its own instance, and written a moment later: what is that recent is looked at again.
_OVERLAP = timedelta(seconds=2 * policy.CALL_LEASE_S)
_KEPT = timedelta(days=policy.INTERACTION_DAYS)
_LONGEST = 300
LONGEST_NOTE = 500
_PUNCTUATION = re.compile(r"[^\w\s]|_")


def question_kind() -> DocumentKind:
    """Return the kind of document that a question is: owners say whether it is answered, and note what they like."""
    return DocumentKind(
        "questions",
        Operation.EDIT_ENTRIES,
        lambda paths, id: paths.document(QUESTIONS, id),
        _check,
        ("isAnswered", "note"),
    )


def open_questions(within: BusinessPaths) -> Query:
    """Return the query for the questions of a business that are not marked as answered."""
    return Query(within.collection(QUESTIONS), (Filter("isAnswered", "==", False),))


def normalised(question: str) -> str:
    """Return what questions that differ only in spelling have in common: no case, no marks, no punctuation."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", question).casefold())
    plain = "".join(c for c in folded if not unicodedata.combining(c))
    return " ".join(_PUNCTUATION.sub(" ", plain).split()) or " ".join(question.split())


@dataclass(slots=True)
class _Asked:
    """How often one question was asked in a page of the ledger."""

    question: str
    last_at: datetime
    count: int = 0
    channels: set[str] = field(default_factory=set)


class UnansweredQuestions:
    """The unanswered questions of every business. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock, revisions: Revisions, kind: DocumentKind) -> None:
        """Count in `store`; marks are written through `revisions`."""
        self._store, self._paths, self._clock = store, paths, clock
        self._revisions, self._kind = revisions, kind

    async def listed(self, business_id: str, page: Page, *, is_answered: bool = False) -> Slice[JsonObject]:
        """Return a page of the questions, the one asked last first, after counting what is new."""
        if page.after is None:
            await self.collect(business_id)
        collection = self._paths.within(business_id).collection(QUESTIONS)
        marked = Filter("isAnswered", "==", is_answered)
        part = await sliced(self._store, Query(collection, (marked,), (Order("lastAt", descending=True),)), page)
        return Slice([self.shown(document) for document in part.items], part.next_cursor)

    async def mark(self, permit: Permit, id: str, based_on: str | None, fields: JsonObject) -> tuple[JsonObject, Saved]:
        """Mark a question as answered, or as open again; asked again later, it opens by itself.

        Raises:
            NotValid: The fields are something else than `isAnswered` and `note`.
            RevisionMissing, OutOfDate, Forbidden, NotFound: See `Revisions.change`.
        """
        if id == _COLLECTED:
            raise NotFound("There is no question of that id.")
        saved = await self._revisions.change(permit, self._kind, id, based_on, lambda now: {**now, **fields})
        assert saved.document is not None
        return self.shown(saved.document), saved

    def shown(self, document: Document) -> JsonObject:
        """Return a question as the admin API answers it."""
        data = document.data
        return {
            "id": document.id,
            "question": str(data.get("question") or ""),
            "count": int(data.get("count") or 0),
            "firstAt": document.create_time,
            "lastAt": data.get("lastAt"),
            "channels": sorted(data.get("channels") or {}),
            "isAnswered": data.get("isAnswered") is True,
            "note": str(data.get("note") or ""),
            "revision": self._kind.revision(document),
        }

    async def collect(self, business_id: str) -> int:
        """Count what is new in the ledger of a business and return how many calls that were.

        Of a long backlog a part is left for the next time. Two who collect at once count nothing twice.
        """
        counted = 0
        for _ in range(_PAGES):
            count, is_last = await self._collect_page(business_id)
            counted += count
            if is_last:
                break
        return counted

    async def collect_all(self) -> int:
        """Do so for every business; return how many calls were counted."""
        counted = 0
        async for document in businesses(self._store, self._paths):
            counted += await self.collect(document.id)
        return counted

    async def _collect_page(self, business_id: str) -> tuple[int, bool]:
        within = self._paths.within(business_id)
        place = within.document(QUESTIONS, _COLLECTED)
        state = await self._store.get(place)
        since = self._clock.now() - timedelta(days=policy.LEDGER_DAYS)
        until = state.data["until"] if state is not None else since
        seen = list(state.data.get("seen") or ()) if state is not None else []
        # Those that were looked at before are read again, and must not fill the page.
        rows = await self._store.query(_searches(business_id, max(since, until - _OVERLAP), _PAGE + len(seen)))
        new = [row for row in rows if _key(row) not in seen]
        if not new:
            return 0, True
        last = max(until, max(row.data["finishedAt"] for row in new))
        recent = [_key(row) for row in rows if row.data["finishedAt"] > last - _OVERLAP]
        asked = _grouped(new)
        writes = await self._counting(within, asked)
        fields: JsonObject = {"until": last, "seen": recent}
        mark: Write = (
            Create(place, fields) if state is None else Update(place, fields, if_update_time=state.update_time)
        )
        try:
            await self._store.commit([*writes, mark])
        except (AlreadyExists, Stale, Missing):
            # Somebody else is counting the same at this moment.
            return 0, True
        return sum(one.count for one in asked.values()), len(rows) < _PAGE + len(seen)

    async def _counting(self, within: BusinessPaths, asked: Mapping[str, _Asked]) -> list[Write]:
        paths = [within.document(QUESTIONS, id) for id in asked]
        documents = await self._store.get_many(paths) if paths else []
        writes: list[Write] = []
        for path, before, one in zip(paths, documents, asked.values(), strict=True):
            fields: JsonObject = {
                "question": one.question,
                "count": Increment(one.count),
                "lastAt": one.last_at,
                "channels": dict.fromkeys(sorted(one.channels), True),
                "expireAt": one.last_at + _KEPT,
            }
            marked_at = before.data.get("updatedAt") if before is not None else None
            # Asked before it was marked, it was answered since.
            if before is None or not isinstance(marked_at, datetime) or one.last_at > marked_at:
                fields["isAnswered"] = False
            writes.append(Set(path, fields, merge=True))
        return writes


def _searches(business_id: str, since: datetime, limit: int) -> Query:
    return Query(
        "calls",
        (
            Filter("businessId", "==", business_id),
            Filter("tool", "in", list(SEARCHES)),
            Filter("finishedAt", ">=", since),
        ),
        (Order("finishedAt"),),
        limit=limit,
        group=True,
    )


def _grouped(rows: Sequence[Document]) -> dict[str, _Asked]:
    by_name: dict[str, _Asked] = {}
    for row in rows:
        question = _unanswered(row.data)
        if question is None:
            continue
        id = hashlib.sha256(normalised(question).encode()).hexdigest()[:20]
        one = by_name.setdefault(id, _Asked(question[:_LONGEST], row.data["finishedAt"]))
        one.question, one.last_at = question[:_LONGEST], row.data["finishedAt"]
        one.count += 1
        one.channels.add(str(row.data.get("channel") or "unknown"))
    return by_name


def _unanswered(data: Mapping[str, Any]) -> str | None:
    """Return the question of a search that found nothing; None of any other."""
    try:
        argument, finds = SEARCHES[data["tool"]]
        question, response = json.loads(data["arguments"])[argument], json.loads(data["response"])
        is_empty = response["ok"] is True and response["data"][finds] == []
    except (KeyError, TypeError, ValueError):
        return None
    # Given again within the same conversation, it is the same question; and what an owner tries nobody has asked.
    is_repeated = bool((response.get("meta") or {}).get("reused")) or is_trials_id(str(data.get("sessionId")))
    return question if is_empty and not is_repeated and isinstance(question, str) and question.strip() else None


def _key(row: Document) -> str:
    return hashlib.sha256(row.path.encode()).hexdigest()[:16]


def _check(after: JsonObject, before: JsonObject) -> list[EntryProblem]:
    problems = []
    if not isinstance(after.get("isAnswered"), bool):
        problems.append(EntryProblem("isAnswered", "isAnswered must be true or false."))
    note = after.get("note", "")
    if not isinstance(note, str) or len(note) > LONGEST_NOTE:
        problems.append(EntryProblem("note", f"note must be text of at most {LONGEST_NOTE} characters."))
    return problems

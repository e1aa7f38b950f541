"""Look-ups that owners have made tools of: in what is written down for callers, or in a collection of their own.

Seed 002 ("Query"), such as an estate agent's properties. A collection is read and never written here; which one, which
fields are shown and what is fixed of the filters is the owner's choice alone.

Firestore answers equalities on several fields, or one range, from the indexes that every field has; for mixtures it
wants an index that somebody has made. Owners make collections and tools without asking us, so the rest is done here.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, get_args

from switchboard.contract.context import CallContext
from switchboard.contract.definitions.tenant_tool import BoundQuery
from switchboard.contract.error import ErrorType, ToolError, unreadable
from switchboard.contract.json import JsonObject, at_path, leaves
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Filter, Operator, Order, Query, StoreError
from switchboard.desk.knowledge.chunk import Passage
from switchboard.desk.knowledge.keyword_index import KeywordIndex
from switchboard.desk.knowledge.knowledge import Knowledge, cited
from switchboard.desk.untrusted_text import as_data, as_fields

MOST_SHOWN = 25
# A page is one read of the store; so many items are looked at for one answer, and the answer says if there are more.
_PAGE = 300
MOST_LOOKED_AT = 1_500
# Indexing takes some 40 microseconds per item; above this it would be heard as a pause in other calls.
_LARGE = 120
_ITEM_CHARACTERS = 4_000
_SET_UP_WRONGLY = (
    "What this tool looks in is not set up, so nothing can be said from it: not that there is any, nor that there is "
    "none."
)

Condition = tuple[str, str, Any]
"""Field (dotted), operator and value."""

OPERATORS: Final = ("==", "<", "<=", ">", ">=", "in", "array-contains")
_RANGES = frozenset({"<", "<=", ">", ">="})
# As many values as Firestore takes in one `in`.
_MOST_VALUES = 30
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a look-up has found.

    Attributes:
        results: The best first, or in the order of the collection; JSON that may stand in a result.
        has_more: Whether there are more than were to be shown, or more items than were looked at.
    """

    results: tuple[JsonObject, ...]
    has_more: bool = False


class TenantQueries:
    """Looks things up as owners have set it up."""

    def __init__(self, store: Store, knowledge: Knowledge) -> None:
        """Read collections from `store`, and ask `knowledge` for what is written down."""
        self._store, self._knowledge = store, knowledge

    async def ask(self, ctx: CallContext, query: BoundQuery) -> QueryResult:
        """Return what answers a query.

        Raises:
            ToolError: VALIDATION, there is nothing to look for. PERMANENT, the tool's collection is empty or there is
                none, so that finding nothing in it says nothing. TRANSIENT, the store does not answer.
        """
        limit = max(1, min(query.limit, MOST_SHOWN))
        if query.collection:
            return await self._in_collection(ctx, query, limit)
        question = query.question.strip()
        if not question:
            raise ToolError(ErrorType.VALIDATION, "Say what is to be looked for, in the caller's words.")
        hits = await self._knowledge.search(ctx, question, limit)
        return QueryResult(tuple(cited(ctx, hits)))

    async def _in_collection(self, ctx: CallContext, query: BoundQuery, limit: int) -> QueryResult:
        unknown = [op for _, op, _ in query.filters if op not in OPERATORS]
        if unknown:
            raise ToolError(ErrorType.PERMANENT, _SET_UP_WRONGLY, detail=f"unknown operators {unknown}")
        question = query.question.strip()
        # With a question all items are ranked; without one, the first that fit will do.
        enough = None if question else limit + 1
        fitting, is_whole = await self._fitting(ctx, query, enough)
        if not fitting and is_whole:
            await self._require_items(ctx, query.collection)
        if question:
            fitting = await _ranked(ctx, fitting, question)
        shown = tuple(_shown(ctx, item, query.fields) for item in fitting[:limit])
        return QueryResult(shown, has_more=len(fitting) > limit or not is_whole)

    async def _fitting(self, ctx: CallContext, query: BoundQuery, enough: int | None) -> tuple[list[Document], bool]:
        """Return items that meet the conditions, and whether none was left unseen for there being too many."""
        collection, asked = ctx.paths.items(query.collection), asked_of_store(query.filters)
        documents: list[Document] = []
        after: Document | None = None
        for _ in range(MOST_LOOKED_AT // _PAGE):
            page = await self._read(_page(collection, asked, after))
            documents += [item for item in page if fits(item.data, query.filters)]
            if len(page) < _PAGE or (enough is not None and len(documents) >= enough):
                return documents, True
            after = page[-1]
        return documents, False

    async def _require_items(self, ctx: CallContext, collection: str) -> None:
        if not await self._read(Query(ctx.paths.items(collection), limit=1)):
            # "We have no such property" would be said of every property there is.
            detail = f"no items in the collection {collection!r}"
            raise ToolError(ErrorType.PERMANENT, _SET_UP_WRONGLY, detail=detail)

    async def _read(self, query: Query) -> list[Document]:
        try:
            return await self._store.query(query)
        except StoreError as error:
            raise unreadable("collection", error) from error


def _page(collection: str, asked: tuple[Filter, ...], after: Document | None) -> Query:
    # What is compared has to be sorted by before a read can go on behind an item.
    compared = next((f.field for f in asked if f.op not in ("==", "in", "array-contains")), None)
    order = (Order(compared),) if compared else ()
    start = None if after is None else (*([at(after.data, compared)] if compared else ()), after.id)
    return Query(collection, asked, order, _PAGE, start)


async def _ranked(ctx: CallContext, items: Sequence[Document], question: str) -> list[Document]:
    """Return the items that speak of what is asked, best first."""
    known = {item.id: item for item in items}
    passages = [Passage(item.id, "item", *_words(ctx, item)) for item in items]
    if len(passages) > _LARGE:
        hits = await asyncio.to_thread(lambda: KeywordIndex(passages).search(question, len(passages)))
    else:
        hits = KeywordIndex(passages).search(question, len(passages))
    return [known[hit.passage.id] for hit in hits]


def _words(ctx: CallContext, item: Document) -> tuple[str, str]:
    """Return an item's name and all else that it says, to be found by."""
    data = as_fields(item.data, ctx.business.timezone)
    name = next((str(data[key]) for key in ("title", "name", "label") if data.get(key)), "")
    said = (str(value) for _, value in leaves(data) if value is not None and not isinstance(value, bool))
    return name, " ".join(said)[:_ITEM_CHARACTERS]


def _shown(ctx: CallContext, item: Document, fields: Sequence[str]) -> JsonObject:
    zone = ctx.business.timezone
    if not fields:
        return {"id": item.id, **as_fields(item.data, zone)}
    values = {field: at(item.data, field) for field in fields}
    if "id" in values and not is_there(values["id"]):
        values["id"] = item.id
    return {field: as_data(value, zone) for field, value in values.items() if is_there(value)}


def asked_of_store(conditions: Sequence[Condition]) -> tuple[Filter, ...]:
    """Return the conditions that the store answers without an index made for them.

    All equalities with at most one `array-contains`; without any, one `in`, or the ranges of one field.
    """
    usable = [condition for condition in conditions if _is_plain(condition)]
    equal = [c for c in usable if c[1] == "=="]
    containing = [c for c in usable if c[1] == "array-contains"][:1]
    one_of = [c for c in usable if c[1] == "in"][:1]
    ranges = [c for c in usable if c[1] in _RANGES]
    chosen = [*equal, *containing] or one_of or [c for c in ranges if c[0] == ranges[0][0]]
    return tuple(Filter(field, _operator(op), value) for field, op, value in chosen)


def fits(item: Mapping[str, Any], conditions: Sequence[Condition]) -> bool:
    """Tell whether an item meets every condition; one without the field, or with another type there, does not."""
    return all(_meets(at(item, field), op, value) for field, op, value in conditions)


def at(item: Mapping[str, Any], field: str) -> Any:
    """Return what stands at a dotted field; what is not there equals nothing, not even None."""
    return at_path(item, field, _ABSENT)


def is_there(value: Any) -> bool:
    """Tell whether `at` has found something."""
    return value is not _ABSENT


def _is_plain(condition: Condition) -> bool:
    _, op, value = condition
    values = value if op == "in" and isinstance(value, list | tuple) else [value]
    return 0 < len(values) <= _MOST_VALUES and all(isinstance(v, bool | int | float | str | datetime) for v in values)


def _operator(word: str) -> Operator:
    operator: Operator = next(op for op in get_args(Operator) if op == word)
    return operator


def _meets(stored: Any, op: str, value: Any) -> bool:
    if not is_there(stored):
        return False
    if op == "==":
        return _equal(stored, value)
    if op == "in":
        return isinstance(value, list | tuple) and any(_equal(stored, one) for one in value)
    if op == "array-contains":
        return isinstance(stored, list | tuple) and any(_equal(one, value) for one in stored)
    if not _is_comparable(stored, value):
        return False
    if op in ("<", "<="):
        return bool(stored < value or (op == "<=" and stored == value))
    return op in _RANGES and bool(stored > value or (op == ">=" and stored == value))


def _equal(stored: Any, value: Any) -> bool:
    # In Python, True is 1.
    return isinstance(stored, bool) == isinstance(value, bool) and bool(stored == value)


def _is_comparable(stored: Any, value: Any) -> bool:
    if isinstance(stored, bool) or isinstance(value, bool):
        return False
    kinds: tuple[Any, ...] = (int | float, str, datetime)
    return any(isinstance(stored, kind) and isinstance(value, kind) for kind in kinds)

"""Lists in pages: how many, from where, and the cursor that says where the next page begins."""

import base64
import binascii
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, Generic, TypeVar

import orjson

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.contract.json import at_path
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Query

T = TypeVar("T")
USUAL = 25
MOST = 100
_SIFTED_AT_ONCE, _SIFTED_AT_MOST = 200, 2_000
_LONGEST_CURSOR = 2_000
_NO_CURSOR = EntryProblem("cursor", "cursor must be the next cursor that an earlier page of this list told.")


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list is wanted: at most `limit`, behind `after` (one value per sort key, then a document id)."""

    limit: int = USUAL
    after: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class Slice(Generic[T]):
    """A part of a list; `next_cursor` is None at its end."""

    items: list[T]
    next_cursor: str | None = None


def page_at(cursor: str, keys: int, limit: int) -> Page:
    """Return the page of so many behind a cursor, the first one where it is empty.

    Raises:
        NotValid: It is no cursor of a list with so many sort keys.
    """
    after = _decoded(cursor, keys)
    if cursor and after is None:
        raise NotValid([_NO_CURSOR])
    return Page(limit, after)


async def sliced(store: Store, query: Query, page: Page) -> Slice[Document]:
    """Return a page of what a query finds; one document more is read, to know whether there is a next page."""
    documents = await store.query(replace(query, limit=page.limit + 1, start_after=page.after))
    items = documents[: page.limit]
    return Slice(items, cursor_behind(query, items[-1]) if len(documents) > page.limit else None)


async def sifted(store: Store, query: Query, page: Page, keep: Callable[[Document], bool]) -> Slice[Document]:
    """Return a page of those documents of a query that `keep` says yes to.

    So many are looked at and no more: a page may hold fewer than it could, and say that there is a next one.
    """
    items: list[Document] = []
    after = page.after
    for _ in range(_SIFTED_AT_MOST // _SIFTED_AT_ONCE):
        documents = await store.query(replace(query, limit=_SIFTED_AT_ONCE, start_after=after))
        for document in documents:
            if keep(document):
                if len(items) == page.limit:
                    return Slice(items, cursor_behind(query, items[-1]))
                items.append(document)
        if len(documents) < _SIFTED_AT_ONCE:
            return Slice(items)
        after = (*(at_path(documents[-1].data, order.field) for order in query.order), documents[-1].id)
    return Slice(items, cursor_of(*after) if after is not None else None)


def cursor_behind(query: Query, document: Document) -> str:
    """Return the cursor of the page that begins behind a document."""
    return cursor_of(*(at_path(document.data, order.field) for order in query.order), document.id)


def cursor_of(*values: Any) -> str:
    """Return the cursor that stands for sort keys and an id; times are marked as such."""
    plain = [{"at": value.isoformat()} if isinstance(value, datetime) else value for value in values]
    return base64.urlsafe_b64encode(orjson.dumps(plain)).rstrip(b"=").decode()


def _decoded(text: str, keys: int) -> tuple[Any, ...] | None:
    try:
        raw = base64.urlsafe_b64decode(text[:_LONGEST_CURSOR].encode() + b"=" * (-len(text) % 4))
        values = orjson.loads(raw)
        read = [datetime.fromisoformat(v["at"]) if isinstance(v, dict) else v for v in values]
    except (binascii.Error, ValueError, TypeError, KeyError):
        return None
    are_plain = isinstance(values, list) and all(isinstance(v, str | datetime) for v in read)
    # A time without a zone could be any.
    are_aware = all(v.tzinfo is not None for v in read if isinstance(v, datetime))
    is_whole = are_plain and are_aware and len(read) == keys + 1 and _is_id(read[-1])
    return tuple(read) if is_whole else None


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and value != "" and "/" not in value

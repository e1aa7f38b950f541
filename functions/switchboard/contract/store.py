"""The store's vocabulary: documents, queries, writes with preconditions and increments, and how they fail.

It is Firestore's model, reduced to what this house uses. A path is a slash-separated string made by `ports.Paths`;
field paths inside `Update`, `Filter` and `Order` may be dotted to reach nested fields.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import field, replace
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """A stored document as it was read.

    Attributes:
        path: Full path, e.g. `businesses/demo-salon/bookings/bk_1`.
        data: The fields. Times come back as aware UTC `datetime` values. The caller owns this copy.
        update_time: Changes with every write that changes something; give it back as `if_update_time` to write only
            if nothing has changed since.
        create_time: When the document came to be.
    """

    path: str
    data: JsonObject
    update_time: datetime
    create_time: datetime

    @property
    def id(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("/", 1)[1]


class _Sentinel:
    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def __deepcopy__(self, memo: object) -> "_Sentinel":
        return self


SERVER_TIME = _Sentinel("SERVER_TIME")
"""As a field's value: the time at which the store committed the write."""
DELETE_FIELD = _Sentinel("DELETE_FIELD")
"""As a field's value in `Update` or a merging `Set`: remove the field."""


@dataclass(frozen=True, slots=True)
class Increment:
    """As a field's value: add `by` to what is there (0 if nothing is); the new value comes back in `WriteResult`."""

    by: int | float = 1


@dataclass(frozen=True, slots=True)
class ArrayUnion:
    """As a field's value: append those values (at least one) that the array does not hold yet."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Vector:
    """As a field's value: at most 2,048 numbers that `Near` compares; never inside an array."""

    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class GeoPoint:
    """As a field's value: a place on earth, in degrees; latitudes from -90 to 90, longitudes from -180 to 180."""

    latitude: float
    longitude: float

    def __str__(self) -> str:
        return f"{self.latitude}, {self.longitude}"


@dataclass(frozen=True, slots=True)
class Reference:
    """As a field's value: the path of a document, which need not exist.

    One of another database is its whole name, `projects/{project}/databases/{database}/documents/{path}`.
    """

    path: str

    @property
    def id(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True, slots=True)
class Create:
    """Write a document that must not exist yet; otherwise the whole commit fails with `AlreadyExists`."""

    path: str
    data: JsonObject


@dataclass(frozen=True, slots=True)
class Set:
    """Write a document whether or not it exists: replaced, or with `merge` joined field by field (deeply)."""

    path: str
    data: JsonObject
    merge: bool = False


@dataclass(frozen=True, slots=True)
class Update:
    """Change some fields of a document that must exist (`Missing`), optionally unchanged since read.

    With a time, a document that changed or is gone fails with `Stale`.

    Keys of `data` are dotted field paths: `{"ai.tone": "warm"}` leaves the other fields of `ai` alone.
    """

    path: str
    data: JsonObject
    if_update_time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove a document; with `must_exist` a missing one fails (`Missing`), with a time a changed one (`Stale`)."""

    path: str
    must_exist: bool = False
    if_update_time: datetime | None = None


Write: TypeAlias = Create | Set | Update | Delete


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What one write of a commit did.

    Attributes:
        update_time: The document's new update time (for a `Delete`, the commit's time).
        increments: The value after each `Increment` of that write, by dotted field path.
    """

    update_time: datetime
    increments: Mapping[str, int | float] = field(default_factory=dict)


Operator: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not-in", "array-contains", "array-contains-any"]


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on one field. Documents that lack the field never match, whatever the operator."""

    field: str
    op: Operator
    value: Any


@dataclass(frozen=True, slots=True)
class Order:
    """Sort by one field; documents that lack the field are left out, as Firestore does."""

    field: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Near:
    """Which vectors a query looks for: those with the greatest dot product, which ranks unit vectors by their angle.

    Attributes:
        field: Where documents keep their vector, not dotted; those without one, or of another length, never match.
        vector: What is looked for.
        result: The field of the found documents' data in which the dot product stands; nothing is stored.
    """

    field: str
    vector: Vector
    result: str = "similarity"


@dataclass(frozen=True, slots=True)
class Query:
    """Which documents of a collection to read, in which order.

    Attributes:
        collection: A collection's path; with `group`, only its last part, meaning every collection of that name. With
            `group` and no name, all documents there are, in the order of their paths; then nothing is filtered by.
        filters: All must hold.
        order: Sort keys; ties and unordered queries are sorted by document id, in the direction of the last key.
        limit: At most so many documents.
        start_after: Continue behind this point: one value per `order` key, optionally followed by a document id (for
            a group, the document's path) that breaks ties between equal keys. A field with a range filter must then
            be named in `order`.
        group: Whether to search every collection of that name, in every business.
        near: Return the nearest by vector, nearest first; needs a `limit` of 1 to 1,000 and takes no `order` and no
            `start_after`. Firestore needs a vector index over the filtered fields and this one.
        any_of: At least one of these must hold as well, each an "==", an "in" or an "array-contains", of which a query
            takes one, `filters` included; a document that meets several comes once. Not together with `near`. With an
            order, Firestore needs the index of each of them.
    """

    collection: str
    filters: tuple[Filter, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    start_after: tuple[Any, ...] | None = None
    group: bool = False
    near: Near | None = None
    any_of: tuple[Filter, ...] = ()


async def documents_of(
    read: Callable[[Query], Awaitable[list[Document]]], query: Query, at_once: int
) -> AsyncIterator[Document]:
    """Yield all that a query finds, however much that is.

    Args:
        read: `Store.query`.
        query: Without a limit; what it orders by stands at the top of each document.
        at_once: How many are read in one round trip.
    """
    while True:
        page = await read(replace(query, limit=at_once))
        for document in page:
            yield document
        if len(page) < at_once:
            return
        last = page[-1]
        keys = [last.data[order.field] for order in query.order]
        query = replace(query, start_after=(*keys, last.path if query.group else last.id))


class StoreError(Exception):
    """The store could not do what was asked; the subclasses say why. Nothing of a failed commit is written."""


class AlreadyExists(StoreError):
    """A `Create` met an existing document."""


class Missing(StoreError):
    """An `Update`, or a `Delete` that insists, met no document."""


class Stale(StoreError):
    """A document changed since the update time that the write was conditioned on."""


RESERVED_NAME: Final = re.compile(r"__.*__", re.DOTALL)
"""Names of fields that are Firestore's own."""


class Invalid(StoreError):
    """The store refuses the data or the query as such (a bad path, an array inside an array, 1 MiB, ...)."""


class NotStorable(Invalid):
    """A value, or a name, that no document can hold; the text says which, for whoever wrote it to read."""


class Unavailable(StoreError):
    """The store did not answer in time or could not be reached. For a commit: it may or may not have happened."""


class Unsent(Unavailable):
    """The store was not even asked: for a commit, it has certainly not happened and will not."""

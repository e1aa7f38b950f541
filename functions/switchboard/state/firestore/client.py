"""Our words in Google's: the Firestore SDK's client, and the translation of reads, queries and writes.

Imported only by `store.py`, and only when the first request is made: importing the SDK takes more than half a
second.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import grpc  # type: ignore[import-untyped]
from google.api_core.datetime_helpers import DatetimeWithNanoseconds
from google.api_core.exceptions import GoogleAPIError
from google.auth.credentials import AnonymousCredentials
from google.auth.exceptions import GoogleAuthError
from google.cloud import firestore
from google.cloud.firestore_v1 import _helpers
from google.cloud.firestore_v1._helpers import GeoPoint as FirestorePoint
from google.cloud.firestore_v1._helpers import WriteOption
from google.cloud.firestore_v1.async_aggregation import AsyncAggregationQuery
from google.cloud.firestore_v1.async_batch import AsyncWriteBatch
from google.cloud.firestore_v1.async_document import AsyncDocumentReference
from google.cloud.firestore_v1.async_query import AsyncQuery
from google.cloud.firestore_v1.base_document import DocumentSnapshot
from google.cloud.firestore_v1.base_query import FieldFilter
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.field_path import FieldPath
from google.cloud.firestore_v1.services.firestore import FirestoreAsyncClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcAsyncIOTransport
from google.cloud.firestore_v1.vector import Vector as FirestoreVector

from switchboard.contract.store import (
    DELETE_FIELD,
    SERVER_TIME,
    ArrayUnion,
    Create,
    Delete,
    Document,
    GeoPoint,
    Increment,
    Invalid,
    Query,
    Reference,
    Set,
    Update,
    Vector,
    Write,
    WriteResult,
)
from switchboard.state.memory.transforms import instructions
from switchboard.state.value import is_elsewhere, joined_path, split_path

RAISED = (GoogleAPIError, GoogleAuthError, grpc.RpcError)
"""Everything that the SDK raises when a request fails."""

_CHANNEL_OPTIONS = [
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.keepalive_time_ms", 30_000),
    # After a long outage gRPC would not try again for up to two minutes, and fail every request until then.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
]
_OPERATORS = {"array-contains": "array_contains", "array-contains-any": "array_contains_any"}
# Most of what is read is one of these, and asking what else it could be takes longer than all the rest.
_AS_THEY_ARE = frozenset({str, int, float, bool, bytes, type(None)})


@dataclass(frozen=True, slots=True)
class _Named:
    """What the SDK takes for a reference to a document, by the one field it looks at."""

    _document_path: str


def _reference(name: str, client: firestore.AsyncClient) -> Reference:
    database, _, path = name.partition("/documents/")
    is_ours = database == client._database_string and not is_elsewhere(path)
    return Reference(path if is_ours else name)


# The SDK's own refuses a reference into another database, and with it every document that holds one.
_helpers.reference_value_to_document = _reference  # type: ignore[assignment]


class FirestoreConnection:
    """One channel to one database; belongs to the event loop in which it is made."""

    def __init__(self, project: str, database: str | None, emulator_host: str | None) -> None:
        credentials = AnonymousCredentials() if emulator_host else None  # type: ignore[no-untyped-call]
        self._client = firestore.AsyncClient(project=project, database=database, credentials=credentials)
        # The SDK takes these two from the environment and from fixed defaults, and offers no other way in.
        self._client._emulator_host = emulator_host
        self._channel = _channel(self._client, emulator_host)
        transport = FirestoreGrpcAsyncIOTransport(host=self._client._target, channel=self._channel)
        self._client._firestore_api_internal = FirestoreAsyncClient(transport=transport)

    async def read(self, paths: Sequence[str], timeout_s: float) -> list[Document | None]:
        """Return the documents in the order asked for, None where there is none."""
        references = [self._client.document(path) for path in dict.fromkeys(paths)]
        answer = self._client.get_all(references, retry=None, timeout=timeout_s)
        # The SDK answers in any order, and once where a path is asked for twice.
        snapshots = {snapshot.reference.path: snapshot async for snapshot in answer if snapshot.exists}
        return [_document(snapshots[path]) if path in snapshots else None for path in paths]

    async def find(self, query: Query, timeout_s: float) -> list[Document]:
        """Return the documents that match, in order."""
        asked = self._query(query)
        if query.near is not None:
            nearest = asked.find_nearest(
                _quoted(query.near.field),
                FirestoreVector(query.near.vector.values),
                limit=query.limit or 1,
                distance_measure=DistanceMeasure.DOT_PRODUCT,
                distance_result_field=query.near.result,
            )
            snapshots = await nearest.get(retry=None, timeout=timeout_s)
        else:
            snapshots = await asked.get(retry=None, timeout=timeout_s)
        return [_document(snapshot) for snapshot in snapshots]

    async def count(self, query: Query, timeout_s: float) -> int:
        """Return how many documents match."""
        answer = await AsyncAggregationQuery(self._query(query)).count().get(retry=None, timeout=timeout_s)
        return int(answer[0][0].value)

    async def commit(self, writes: Sequence[Write], timeout_s: float) -> list[WriteResult]:
        """Do all writes or none."""
        batch = self._client.batch()
        try:
            for write in writes:
                self._add(batch, write)
        except (TypeError, ValueError) as error:
            raise Invalid(str(error)) from error
        results = await batch.commit(retry=None, timeout=timeout_s)
        commit_time = cast(datetime, batch.commit_time)
        return [_result(*pair, commit_time) for pair in zip(writes, results, strict=True)]

    async def close(self) -> None:
        """Close the channel."""
        await self._channel.close()

    def _query(self, query: Query) -> AsyncQuery:
        if query.group:
            asked: AsyncQuery = self._client.collection_group(query.collection.rpartition("/")[2])
        else:
            asked = AsyncQuery(self._client.collection(query.collection))
        for item in query.filters:
            op = _OPERATORS.get(item.op, item.op)
            asked = asked.where(filter=FieldFilter(_quoted(item.field), op, self._spoken(item.value)))
        direction = AsyncQuery.ASCENDING
        for order in query.order:
            direction = AsyncQuery.DESCENDING if order.descending else AsyncQuery.ASCENDING
            asked = asked.order_by(_quoted(order.field), direction=direction)
        if query.start_after is not None:
            values = [self._spoken(value) for value in query.start_after]
            if len(values) > len(query.order):
                path = values[-1] if query.group else f"{query.collection}/{values[-1]}"
                values[-1] = self._client.document(path)
                # in the direction of the last key, as the order that Firestore implies: else it needs one more index
                asked = asked.order_by(FieldPath.document_id(), direction=direction)
            asked = asked.start_after(values)
        # A query for the nearest has its limit among what is said about nearness.
        return asked if query.limit is None or query.near else asked.limit(query.limit)

    def _add(self, batch: AsyncWriteBatch, write: Write) -> None:
        document = self._client.document(write.path)
        match write:
            case Create():
                batch.create(document, self._spoken(write.data))
            case Set():
                batch.set(document, self._spoken(write.data), merge=write.merge)
            case Update():
                fields = {_quoted(dotted): self._spoken(value) for dotted, value in write.data.items()}
                batch.update(document, fields, option=self._unchanged_since(write.if_update_time))
            case Delete():
                must_exist = self._client.write_option(exists=True) if write.must_exist else None
                batch.delete(document, option=self._unchanged_since(write.if_update_time) or must_exist)

    def _unchanged_since(self, time: datetime | None) -> WriteOption | None:
        return None if time is None else self._client.write_option(last_update_time=time)

    def _spoken(self, value: Any) -> Any:
        """Return a checked value with our instructions, and what is ours in it, replaced by the SDK's."""
        if type(value) in _AS_THEY_ARE:
            return value
        if value is SERVER_TIME:
            return firestore.SERVER_TIMESTAMP
        if value is DELETE_FIELD:
            return firestore.DELETE_FIELD
        match value:
            case dict():
                return {name: self._spoken(item) for name, item in value.items()}
            case list():
                return [self._spoken(item) for item in value]
            case Increment():
                return firestore.Increment(value.by)
            case ArrayUnion():
                return firestore.ArrayUnion([self._spoken(item) for item in value.values])
            case Vector():
                return FirestoreVector(value.values)
            case GeoPoint():
                return FirestorePoint(value.latitude, value.longitude)
            case Reference(path):
                return _Named(path if is_elsewhere(path) else f"{self._client._database_string}/documents/{path}")
        return value


def _channel(client: firestore.AsyncClient, emulator_host: str | None) -> grpc.aio.Channel:
    if emulator_host:
        return grpc.aio.insecure_channel(emulator_host, options=_CHANNEL_OPTIONS)
    return FirestoreGrpcAsyncIOTransport.create_channel(
        client._target, credentials=client._credentials, options=_CHANNEL_OPTIONS
    )


def _document(snapshot: DocumentSnapshot[AsyncDocumentReference]) -> Document:
    return Document(
        path=snapshot.reference.path,
        data=_heard(snapshot.to_dict() or {}),
        update_time=_time(snapshot.update_time),
        create_time=_time(snapshot.create_time),
    )


def _heard(value: Any) -> Any:
    """Return a value with the SDK's own kind of times made plain, which JSON libraries would not take."""
    if type(value) in _AS_THEY_ARE:
        return value
    match value:
        case datetime():
            return datetime.combine(value.date(), value.timetz())
        case FirestoreVector():
            return Vector(tuple(value))
        case FirestorePoint():
            return GeoPoint(value.latitude, value.longitude)
        case dict():
            return {name: _heard(item) for name, item in value.items()}
        case list():
            return [_heard(item) for item in value]
    return value


def _time(stamp: Any) -> datetime:
    if isinstance(stamp, datetime):
        return stamp
    # Queries over a collection group hand out the bare message.
    return cast(datetime, DatetimeWithNanoseconds.from_timestamp_pb(stamp))  # type: ignore[no-untyped-call]


def _result(write: Write, result: Any, commit_time: datetime) -> WriteResult:
    if isinstance(write, Delete):
        return WriteResult(commit_time)
    values = zip(instructions(write), result.transform_results, strict=True)
    increments = {
        joined_path(path): value.integer_value if "integer_value" in value else value.double_value
        for (path, instruction), value in values
        if isinstance(instruction, Increment)
    }
    return WriteResult(result.update_time, increments)


def _quoted(dotted: str) -> str:
    return FieldPath(*split_path(dotted)).to_api_repr()

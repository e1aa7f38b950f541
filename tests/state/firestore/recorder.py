"""A Firestore that writes down what it is asked, and what Google's own client asks for the same."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc  # type: ignore[import-untyped]
from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore
from google.cloud.firestore_v1._helpers import GeoPoint as GooglesPoint
from google.cloud.firestore_v1.async_aggregation import AsyncAggregationQuery
from google.cloud.firestore_v1.async_query import AsyncQuery
from google.cloud.firestore_v1.base_query import FieldFilter, Or
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.field_path import FieldPath
from google.cloud.firestore_v1.types import firestore as requests
from google.cloud.firestore_v1.types.document import Document
from google.cloud.firestore_v1.vector import Vector as GooglesVector

from switchboard.contract.store import (
    DELETE_FIELD,
    SERVER_TIME,
    ArrayUnion,
    Create,
    Delete,
    GeoPoint,
    Increment,
    Query,
    Reference,
    Set,
    Update,
    Vector,
    Write,
)

SAID = ("google-cloud-resource-prefix", "x-goog-request-params", "x-goog-api-client", "authorization")


@dataclass
class Recorder(grpc.GenericRpcHandler):  # type: ignore[misc]
    """Serves Firestore's requests, each with an answer that says as little as possible."""

    requests: list[Any] = field(default_factory=list)
    metadata: list[dict[str, str]] = field(default_factory=list)
    refusal: str | None = None
    """What a document that is asked for by itself is refused with."""

    def service(self, handler_call_details: Any) -> Any:
        """Return what answers a method."""
        self.metadata.append({key: value for key, value in handler_call_details.invocation_metadata if key in SAID})
        name = handler_call_details.method.rpartition("/")[2]
        kind = getattr(requests, f"{name}Request")
        is_unary = name in ("Commit", "GetDocument")
        handler = grpc.unary_unary_rpc_method_handler if is_unary else grpc.unary_stream_rpc_method_handler
        answer: Callable[..., Any] = getattr(self, f"_{name}")
        return handler(answer, request_deserializer=kind.deserialize, response_serializer=_bytes)

    async def _Commit(self, request: Any, context: Any) -> Any:
        self.requests.append(request)
        results = [
            {"transform_results": [{"integer_value": 1}] * len(write.update_transforms), "update_time": {"seconds": 1}}
            for write in request.writes
        ]
        return requests.CommitResponse(write_results=results, commit_time={"seconds": 2})

    async def _GetDocument(self, request: Any, context: Any) -> Any:
        self.requests.append(request)
        if self.refusal is not None:
            await context.abort(grpc.StatusCode.NOT_FOUND, self.refusal)
        return Document(name=request.name)

    async def _BatchGetDocuments(self, request: Any, context: Any) -> AsyncIterator[Any]:
        self.requests.append(request)
        for name in request.documents:
            yield requests.BatchGetDocumentsResponse(missing=name)

    async def _RunQuery(self, request: Any, context: Any) -> AsyncIterator[Any]:
        self.requests.append(request)
        yield requests.RunQueryResponse(read_time={"seconds": 1})

    async def _RunAggregationQuery(self, request: Any, context: Any) -> AsyncIterator[Any]:
        self.requests.append(request)
        alias = request.structured_aggregation_query.aggregations[0].alias or "field_1"
        yield requests.RunAggregationQueryResponse(result={"aggregate_fields": {alias: {"integer_value": 3}}})


def _bytes(message: Any) -> bytes:
    return type(message).serialize(message)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class _Named:
    """What the client takes for a reference to a document."""

    _document_path: str


class GooglesClient:
    """Asks what our store asks, by google-cloud-firestore's own client."""

    def __init__(self, project: str) -> None:
        self.client = firestore.AsyncClient(project=project, credentials=AnonymousCredentials())  # type: ignore[no-untyped-call]

    async def commit(self, writes: list[Write]) -> None:
        """Do all writes or none."""
        batch = self.client.batch()
        for write in writes:
            document = self.client.document(write.path)
            match write:
                case Create():
                    batch.create(document, self._spoken(write.data))
                case Set():
                    batch.set(document, self._spoken(write.data), merge=write.merge)
                case Update():
                    since = write.if_update_time
                    option = None if since is None else self.client.write_option(last_update_time=since)
                    batch.update(document, {_quoted(k): self._spoken(v) for k, v in write.data.items()}, option=option)
                case Delete():
                    exists = self.client.write_option(exists=True) if write.must_exist else None
                    since = write.if_update_time
                    option = None if since is None else self.client.write_option(last_update_time=since)
                    batch.delete(document, option=option or exists)
        await batch.commit(retry=None, timeout=30)

    async def get_many(self, paths: list[str]) -> None:
        """Read documents."""
        async for _ in self.client.get_all([self.client.document(p) for p in paths], retry=None, timeout=30):
            pass

    async def get(self, path: str) -> None:
        """Read one document by the request for one."""
        name = self.client.document(path)._document_path
        await self.client._firestore_api.get_document({"name": name}, metadata=self.client._rpc_metadata, timeout=30)

    async def query(self, query: Query) -> None:
        """Find documents."""
        asked: Any = self._query(query)
        if query.near is not None:
            asked = asked.find_nearest(
                _quoted(query.near.field),
                GooglesVector(query.near.vector.values),
                limit=query.limit,
                distance_measure=DistanceMeasure.DOT_PRODUCT,
                distance_result_field=query.near.result,
            )
        await asked.get(retry=None, timeout=30)

    async def count(self, query: Query) -> None:
        """Count documents."""
        await AsyncAggregationQuery(self._query(query)).count("count").get(retry=None, timeout=30)

    def _query(self, query: Query) -> AsyncQuery:
        if query.group:
            asked: AsyncQuery = self.client.collection_group(query.collection.rpartition("/")[2])
        else:
            asked = AsyncQuery(self.client.collection(query.collection))
        for item in query.filters:
            asked = asked.where(filter=FieldFilter(_quoted(item.field), _operator(item.op), self._spoken(item.value)))
        either = [
            FieldFilter(_quoted(item.field), _operator(item.op), self._spoken(item.value)) for item in query.any_of
        ]
        if either:
            asked = asked.where(filter=Or(either) if len(either) > 1 else either[0])
        direction = AsyncQuery.ASCENDING
        for order in query.order:
            direction = AsyncQuery.DESCENDING if order.descending else AsyncQuery.ASCENDING
            asked = asked.order_by(_quoted(order.field), direction=direction)
        if query.start_after is not None:
            values = [self._spoken(value) for value in query.start_after]
            if len(values) > len(query.order):
                values[-1] = self.client.document(values[-1] if query.group else f"{query.collection}/{values[-1]}")
                asked = asked.order_by(FieldPath.document_id(), direction=direction)
            asked = asked.start_after(values)
        return asked if query.limit is None or query.near else asked.limit(query.limit)

    def _spoken(self, value: Any) -> Any:
        """Return a value of ours as the client takes it."""
        if value is SERVER_TIME or value is DELETE_FIELD:
            return firestore.SERVER_TIMESTAMP if value is SERVER_TIME else firestore.DELETE_FIELD
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
                return GooglesVector(value.values)
            case GeoPoint():
                return GooglesPoint(value.latitude, value.longitude)
            case Reference():
                return _Named(f"{self.client._database_string}/documents/{value.path}")
        return value


def _operator(op: str) -> str:
    return op.replace("-", "_") if op.startswith("array") else op


def _quoted(dotted: str) -> str:
    return str(FieldPath(*dotted.split(".")).to_api_repr())

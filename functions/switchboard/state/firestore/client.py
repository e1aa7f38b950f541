"""Firestore's own requests over a channel of google-cloud-firestore's, as plain protobuf messages.

The library's client costs a multiple of what a request itself costs: it wraps every message in another one. So the
messages, the channel, its credentials and what is said beside every request are the library's, and nothing else.

Imported only by `store.py`, and only when the first request is made: importing the library takes more than half a
second.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, TypeAlias

import grpc  # type: ignore[import-untyped]
from google.api_core.exceptions import GoogleAPIError, NotFound, from_grpc_error
from google.api_core.gapic_v1.routing_header import to_grpc_metadata
from google.auth.exceptions import GoogleAuthError
from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcAsyncIOTransport
from google.cloud.firestore_v1.services.firestore.transports.base import DEFAULT_CLIENT_INFO
from google.cloud.firestore_v1.types import firestore as requests

from switchboard.contract.store import Document, Invalid, Query, Write, WriteResult
from switchboard.state.firestore.queries import encode_query, parent_path
from switchboard.state.firestore.values import DocumentMessage, Message, ValueCodec
from switchboard.state.firestore.writes import decode_results, encode_write

RAISED = (GoogleAPIError, GoogleAuthError, grpc.RpcError)
"""Everything that is raised when a request fails."""

_CHANNEL_OPTIONS = [
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.keepalive_time_ms", 30_000),
    # After a long outage gRPC would not try again for up to two minutes, and fail every request until then.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
]
_SERVICE = "/google.firestore.v1.Firestore"
_COUNT = "count"
_GetDocument = requests.GetDocumentRequest.pb()
_BatchGet = requests.BatchGetDocumentsRequest.pb()
_RunQuery = requests.RunQueryRequest.pb()
_RunAggregation = requests.RunAggregationQueryRequest.pb()
_Commit = requests.CommitRequest.pb()
_Metadata: TypeAlias = Any
"""What is said beside a request, as gRPC's own type: others would be made into one anew for each."""


class FirestoreConnection:
    """One channel to one database; belongs to the event loop in which it is made."""

    def __init__(self, project: str, database: str | None, emulator_host: str | None) -> None:
        self.database = f"projects/{project}/databases/{database or '(default)'}"
        self._codec = ValueCodec(self.database)
        self._headers: tuple[tuple[str, str], ...] = (
            ("google-cloud-resource-prefix", self.database),
            DEFAULT_CLIENT_INFO.to_grpc_metadata(),  # type: ignore[no-untyped-call]
        )
        if emulator_host:
            self._channel = grpc.aio.insecure_channel(emulator_host, options=_CHANNEL_OPTIONS)
            # Whoever says so is not asked what he may do.
            self._headers += (("authorization", "Bearer owner"),)
        else:
            self._channel = FirestoreGrpcAsyncIOTransport.create_channel(options=_CHANNEL_OPTIONS)
        self._of_database = self._routed("database", self.database)
        unary, stream = self._channel.unary_unary, self._channel.unary_stream
        self._get = _method(unary, "GetDocument", _GetDocument, DocumentMessage)
        self._commit = _method(unary, "Commit", _Commit, requests.CommitResponse.pb())
        self._batch_get = _method(stream, "BatchGetDocuments", _BatchGet, requests.BatchGetDocumentsResponse.pb())
        self._run_query = _method(stream, "RunQuery", _RunQuery, requests.RunQueryResponse.pb())
        self._run_aggregation = _method(
            stream, "RunAggregationQuery", _RunAggregation, requests.RunAggregationQueryResponse.pb()
        )

    async def read(self, paths: Sequence[str], timeout_s: float) -> list[Document | None]:
        """Return the documents in the order asked for, None where there is none."""
        if len(paths) == 1:
            return [await self._read_one(paths[0], timeout_s)]
        return await self._read_many(paths, timeout_s)

    async def find(self, query: Query, timeout_s: float) -> list[Document]:
        """Return the documents that match, in order."""
        parent = self._parent(query)
        request = _RunQuery(parent=parent)
        encode_query(request.structured_query, query, self._codec)
        answers = _streamed(self._run_query, request, timeout_s, self._routed("parent", parent))
        # One that carries no document only tells how far the search has come.
        return [self._codec.decode_document(answer.document) async for answer in answers if answer.HasField("document")]

    async def count(self, query: Query, timeout_s: float) -> int:
        """Return how many documents match."""
        parent = self._parent(query)
        request = _RunAggregation(parent=parent)
        aggregation = request.structured_aggregation_query
        encode_query(aggregation.structured_query, query, self._codec)
        aggregation.aggregations.add(alias=_COUNT).count.SetInParent()
        answers = _streamed(self._run_aggregation, request, timeout_s, self._routed("parent", parent))
        return sum([answer.result.aggregate_fields[_COUNT].integer_value async for answer in answers])

    async def commit(self, writes: Sequence[Write], timeout_s: float) -> list[WriteResult]:
        """Do all writes or none."""
        request = _Commit(database=self.database)
        try:
            transforms = [encode_write(request.writes.add(), write, self._codec) for write in writes]
        except (TypeError, ValueError) as error:
            raise Invalid(str(error)) from error
        response = await _answered(self._commit, request, timeout_s, self._of_database)
        return decode_results(writes, transforms, response, self._codec)

    async def close(self) -> None:
        """Close the channel."""
        await self._channel.close()

    async def _read_one(self, path: str, timeout_s: float) -> Document | None:
        # A request with one answer costs half of one with a stream of them.
        name = self._codec.name(path)
        try:
            answer = await _answered(self._get, _GetDocument(name=name), timeout_s, self._routed("name", name))
        except NotFound as error:
            if name in str(error):
                return None
            # It may as well be the database that is not there; the other request tells the two apart.
            return (await self._read_many([path], timeout_s))[0]
        return self._codec.decode_document(answer)

    async def _read_many(self, paths: Sequence[str], timeout_s: float) -> list[Document | None]:
        # Documents come in any order, and once where a path is asked for twice.
        request = _BatchGet(database=self.database, documents=map(self._codec.name, dict.fromkeys(paths)))
        answers = _streamed(self._batch_get, request, timeout_s, self._of_database)
        documents = {answer.found.name: answer.found async for answer in answers if answer.HasField("found")}
        messages = [documents.get(self._codec.name(path)) for path in paths]
        return [None if message is None else self._codec.decode_document(message) for message in messages]

    def _parent(self, query: Query) -> str:
        return self._codec.name(parent_path(query)).removesuffix("/")

    def _routed(self, key: str, value: str) -> _Metadata:
        """Return what is said beside a request, with what tells Google where it goes."""
        return grpc.aio.Metadata(*self._headers, to_grpc_metadata(((key, value),)))  # type: ignore[no-untyped-call]


def _method(call: Callable[..., Any], name: str, request: Message, response: Message) -> Callable[..., Any]:
    return call(  # type: ignore[no-any-return]
        f"{_SERVICE}/{name}", request_serializer=request.SerializeToString, response_deserializer=response.FromString
    )


async def _answered(method: Callable[..., Any], request: Message, timeout_s: float, metadata: _Metadata) -> Message:
    try:
        return await method(request, timeout=timeout_s, metadata=metadata)
    except grpc.RpcError as error:
        raise from_grpc_error(error) from error  # type: ignore[no-untyped-call]


async def _streamed(
    method: Callable[..., Any], request: Message, timeout_s: float, metadata: _Metadata
) -> AsyncIterator[Message]:
    try:
        async for answer in method(request, timeout=timeout_s, metadata=metadata):
            yield answer
    except grpc.RpcError as error:
        raise from_grpc_error(error) from error  # type: ignore[no-untyped-call]

"""A stand-in for an OTLP collector on this machine: keeps what it is sent, decoded."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stand_ins.loopback import serving

KINDS = {1: "internal", 2: "server", 3: "client"}


@dataclass(frozen=True)
class Span:
    """One span as it came."""

    name: str
    kind: str
    trace: str
    id: str
    parent: str
    fields: dict[str, Any]
    is_failed: bool


@dataclass
class Collector:
    """What has come, and where it is to be sent."""

    url: str = ""
    status: int = 200
    spans: list[Span] = field(default_factory=list)
    metrics: dict[str, list[tuple[dict[str, str], Any]]] = field(default_factory=dict)
    resource: dict[str, Any] = field(default_factory=dict)
    bodies: list[bytes] = field(default_factory=list)
    came: threading.Event = field(default_factory=threading.Event)

    def named(self, name: str) -> Span:
        """Return the one span of that name."""
        (found,) = [span for span in self.spans if span.name == name]
        return found

    def parent_of(self, span: Span) -> Span:
        """Return the span that a span is a part of."""
        (found,) = [other for other in self.spans if other.id == span.parent]
        return found

    async def take_traces(self, request: Request) -> Response:
        """Keep spans."""
        sent = ExportTraceServiceRequest.FromString(await self._body(request))
        for of_resource in sent.resource_spans:
            self.resource = plain(of_resource.resource.attributes)
            for scope in of_resource.scope_spans:
                for span in scope.spans:
                    self.spans.append(
                        Span(
                            span.name,
                            KINDS[span.kind],
                            span.trace_id.hex(),
                            span.span_id.hex(),
                            span.parent_span_id.hex(),
                            plain(span.attributes),
                            span.status.code == 2,
                        )
                    )
                    assert not span.events and not span.status.message
        return Response(status_code=self.status)

    async def take_metrics(self, request: Request) -> Response:
        """Keep the latest values."""
        sent = ExportMetricsServiceRequest.FromString(await self._body(request))
        for of_resource in sent.resource_metrics:
            self.resource = plain(of_resource.resource.attributes)
            for scope in of_resource.scope_metrics:
                for metric in scope.metrics:
                    data = getattr(metric, str(metric.WhichOneof("data")))
                    self.metrics[metric.name] = [(plain(p.attributes), p) for p in data.data_points]
        return Response(status_code=self.status)

    async def _body(self, request: Request) -> bytes:
        body = await request.body()
        found = gzip.decompress(body) if request.headers.get("content-encoding") == "gzip" else body
        self.bodies.append(found)
        self.came.set()
        return found


def plain(pairs: Any) -> dict[str, Any]:
    """Return attributes as a dictionary."""

    def told(value: AnyValue) -> Any:
        found = getattr(value, str(value.WhichOneof("value")))
        return [told(one) for one in found.values] if isinstance(found, ArrayValue) else found

    return {pair.key: told(pair.value) for pair in pairs}


@contextmanager
def collecting() -> Iterator[Collector]:
    """Collect on a free port of this machine."""
    found = Collector()
    routes = [
        Route("/v1/traces", found.take_traces, methods=["POST"]),
        Route("/v1/metrics", found.take_metrics, methods=["POST"]),
    ]
    with serving(Starlette(routes=routes)) as url:
        found.url = url
        yield found

"""`GET /healthz`, `/health` and `/metrics`: whether this process serves, and what it has measured.

Cloud Run keeps some paths that end in z to itself (cloud.google.com/run/docs/known-issues, "Reserved URL paths").
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard import VERSION
from switchboard.catalog.definitions.definitions import Definitions
from switchboard.channels.http.answer import json_answer
from switchboard.contract.business.zones import zone_data_version

if TYPE_CHECKING:
    from switchboard.pipeline.metrics.meter import Meter

AT_ROOT = "/health"
"""The same beside `/healthz`, where Cloud Run keeps that to itself."""

_JSON = "application/json"
# Whoever asks for OpenMetrics reads the older text too.
_TEXT = ("text/plain", "application/openmetrics-text")
_HEADERS = {"Cache-Control": "no-store", "Vary": "Accept"}


def health_routes(definitions: Definitions, store_name: str) -> list[Route]:
    """Return the routes of the `healthz` function: one without its path prefix, and `AT_ROOT`."""

    async def healthz(request: Request) -> Response:
        # Always 200 while the process can serve something: a store that is away must not get it restarted.
        current = await definitions.current()
        body = {
            "status": "ok" if current.writes_allowed and current.source != "stale" else "degraded",
            "version": VERSION,
            "store": store_name,
            "timeZones": zone_data_version(),
            "registryVersion": definitions.registry.version,
            "definitions": {"source": current.source, "count": len(current.set.tools), "hash": current.set.hash},
        }
        return json_answer(orjson.dumps(body))

    return [Route(path, healthz, methods=["GET"]) for path in ("/", AT_ROOT)]


def metrics_routes(meter: "Meter", built_in: Collection[str]) -> list[Route]:
    """Return the route of the `metrics` function, without its path prefix.

    `?tool=` (any number of times) shows only these tools. Like `healthz` it asks for no credential: it names no
    business and no person. So it tells of the tools in `built_in` alone: what an owner calls a tool may name both.
    """
    # Here, since whoever only asks whether this process serves does not wait for them.
    from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

    from switchboard.pipeline.metrics.meter import OTHER

    everybodys = frozenset(built_in) | {OTHER}

    async def metrics(request: Request) -> Response:
        asked = frozenset(request.query_params.getlist("tool"))
        # No tool is called nothing: whoever asks for what is not told is shown none, and not all.
        tools = (asked or everybodys) & everybodys or {""}
        if prefers_text(",".join(request.headers.getlist("accept"))):
            return Response(meter.prometheus(tools), headers=_HEADERS, media_type=CONTENT_TYPE_PLAIN_0_0_4)
        return json_answer(orjson.dumps(meter.snapshot(tools)), headers=_HEADERS)

    return [Route("/", metrics, methods=["GET"])]


def prefers_text(accept: str) -> bool:
    """Return whether an `Accept` header ranks plain text above JSON; at equal rank JSON is the answer."""
    # A range may stand several times, with other parameters: the highest rank counts.
    ranges = dict(sorted(_range(part) for part in accept.split(",")))
    return max(_rank(type, ranges) for type in _TEXT) > _rank(_JSON, ranges)


def _range(part: str) -> tuple[str, float]:
    name, *parameters = (text.strip().lower() for text in part.split(";"))
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip() == "q":
            try:
                return name, float(value)
            except ValueError:
                return name, 0.0
    return name, 1.0


def _rank(type: str, ranges: dict[str, float]) -> float:
    """Return the rank of a media type: that of the most specific range that covers it."""
    covering = (type, type.partition("/")[0] + "/*", "*/*")
    return next((ranges[name] for name in covering if name in ranges), 0.0)

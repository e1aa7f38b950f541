"""`GET /healthz` and `GET /health`: whether this process serves, and whether its store answers.

Cloud Run keeps some paths that end in z to itself (cloud.google.com/run/docs/known-issues, "Reserved URL paths").
"""

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard import VERSION
from switchboard.catalog.definitions.definitions import Definitions
from switchboard.channels.http.answer import json_answer
from switchboard.contract.business.zones import zone_data_version

AT_ROOT = "/health"
"""The same beside `/healthz`, where Cloud Run keeps that to itself."""


def routes(definitions: Definitions, store_name: str) -> list[Route]:
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

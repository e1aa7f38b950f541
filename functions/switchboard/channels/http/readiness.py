"""`GET /readyz` and `/ready`: whether conversations can be carried here now, and if not, why.

That is another question than whether the process lives (`monitoring.py`): an instance whose store is away is not to be
restarted, and whoever watches is to know. What is answered names no business, no person and no setting's value.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.catalog.definitions.definitions import Definitions
from switchboard.channels.http.answer import json_answer
from switchboard.contract.cache import Cache, Monotonic
from switchboard.contract.error import ToolError
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import StoreError

log = logging.getLogger(__name__)

READY_PATHS = ("/readyz", "/ready")
"""At the root; Cloud Run may keep the first to itself."""

_HEADERS = {"Cache-Control": "no-store"}
_NAME = "ready"
# Whoever asks every second, from several places, costs one look.
_ASKED_AGAIN_S = 5.0
# An uptime check waits for ten seconds at most.
_LONGEST_S = 4.0

Lack = Callable[[], Awaitable[str]]
"""Returns why something that serving needs is not there, in a sentence for whoever runs this; empty where it is."""


class Readiness:
    """Tells what is lacking, from a look a few seconds old at most."""

    def __init__(self, lacks: Mapping[str, Lack], clock: Monotonic) -> None:
        """Look for each of `lacks`, by what it is about."""
        self._lacks = lacks
        self._seen: Cache[str, tuple[str, ...]] = Cache(clock, _ASKED_AGAIN_S, 1, self._look)
        self._told: tuple[str, ...] = ()

    async def reasons(self) -> tuple[str, ...]:
        """Return why this instance cannot serve, one sentence each; nothing where it can."""
        return (await self._seen.get(_NAME)).value

    async def _look(self, _: str) -> tuple[str, ...]:
        reasons = await asyncio.gather(*(self._reason(about, lack) for about, lack in self._lacks.items()))
        found = tuple(reason for reason in reasons if reason)
        if found != self._told:
            level = logging.ERROR if found else logging.INFO
            log.log(level, "cannot serve" if found else "can serve again", extra={"reasons": list(found)})
        self._told = found
        return found

    async def _reason(self, about: str, lack: Lack) -> str:
        try:
            return await asyncio.wait_for(lack(), _LONGEST_S)
        except TimeoutError:
            return f"{about} did not answer within {_LONGEST_S:g} seconds."
        except (StoreError, ToolError) as error:
            log.warning("not ready", extra={"about": about, "reason": type(error).__name__})
            return f"{about} cannot be used now."


def store_lack(store: Store, paths: Paths) -> Lack:
    """Return what looks whether Firestore answers, by one small document."""

    async def lack() -> str:
        try:
            await store.get(paths.tool_pointer)
        except StoreError:
            return (
                "The store does not answer: look whether Firestore is up, and whether GOOGLE_CLOUD_PROJECT, "
                "FIRESTORE_DATABASE and the service account's role datastore.user are right."
            )
        return ""

    return lack


def definitions_lack(definitions: Definitions) -> Lack:
    """Return what looks whether the published tools can be read, or were not too long ago."""

    async def lack() -> str:
        current = await definitions.current()
        if current.writes_allowed and current.set.tools:
            return ""
        return (
            "The published tools cannot be read, so nothing that changes anything is offered: look whether Firestore "
            "answers, and run scripts/seed --only tools where nothing was ever published."
        )

    return lack


def ready_routes(readiness: Readiness) -> list[Route]:
    """Return the routes of readiness, which stand at the root."""

    async def ready(request: Request) -> Response:
        return ready_answer(await readiness.reasons())

    return [Route(path, ready, methods=["GET"]) for path in READY_PATHS]


def ready_answer(reasons: tuple[str, ...]) -> Response:
    """Return 200 where nothing is lacking, and else 503 with the reasons."""
    body = {"status": "unready" if reasons else "ready", "reasons": list(reasons)}
    return json_answer(orjson.dumps(body), 503 if reasons else 200, headers=_HEADERS)

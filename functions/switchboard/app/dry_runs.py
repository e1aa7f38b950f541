"""Owners' changes that are only to be told: carried out in a house of their own, of which nothing is kept or sent.

The same endpoint answers as for the change itself, over a store that keeps its writes to itself, so that the checks and
refusals are the same; what then would be offered is asked of a catalog over that store.
"""

import asyncio
from typing import TYPE_CHECKING, Any, NoReturn

from starlette.requests import Request
from starlette.responses import Response

from switchboard.app.core import Core
from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.http_session import HttpSession, NoAnswer
from switchboard.state.memory.overlay import OverlaidStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from starlette.routing import BaseRoute

    from switchboard.admin.access.access import Permit
    from switchboard.admin.api.endpoint import Authorises, Endpoint
    from switchboard.contract.business.business import Business

# What is read from, or knows no business, serves both houses; secrets must open in either.
_SHARED = ("breakers", "keeper", "remote_tools", "egress", "sign_ins")
_BEGUN_WELL = 400
_MOST_WAITING = 8
"""So many wait for their turn: each takes a sixth of a second of a processor, on which callers are served as well."""


class _SilentSession(HttpSession):
    """Sends nothing: nobody outside learns of a change that is not made."""

    def client(self) -> NoReturn:
        raise NoAnswer("nothing is sent in a dry run", was_sent=False)

    async def request(self, *args: Any, **options: Any) -> NoReturn:
        raise NoAnswer("nothing is sent in a dry run", was_sent=False)


class _NoPlatforms:
    """No business has an account with a voice platform, in which its tools would have to be changed too."""

    async def of(self, business: "Business") -> None:
        return None


class DryRuns:
    """Answers what owners' changes would do."""

    def __init__(self, core: Core, endpoints_of: "Callable[[Core], Iterable[Endpoint]]") -> None:
        """Look at what `core` holds, and change nothing of it; `endpoints_of` builds the owners' side of a house."""
        self._core, self._endpoints_of = core, endpoints_of
        self._turn, self._inside = asyncio.Lock(), 0

    def routes(self, endpoints: "Iterable[Endpoint]", access: "Authorises") -> "list[BaseRoute]":
        """Return the routes of endpoints, which let in as `access` does and answer here who only asks."""
        from switchboard.admin.api.serving import routes
        from switchboard.admin.audit.wishes import Wishes

        return routes(endpoints, access, self.answer, Wishes(self._core.store, self._core.paths))

    async def answer(self, endpoint: "Endpoint", request: Request, permit: "Permit | None") -> Response:
        """Return what a request would do to what callers are offered, or the refusal that it would meet.

        One after the other, so that no caller waits for all that owners ask at once.

        Raises:
            ToolError, StoreError: As the change itself; RATE_LIMIT, too many wait already.
        """
        if self._inside > _MOST_WAITING:
            raise ToolError(
                ErrorType.RATE_LIMIT,
                "Many changes are being looked at for what they would do. Nothing was done; ask again in seconds.",
                retryable=True,
            )
        self._inside += 1
        try:
            async with self._turn:
                return await self._told(endpoint, request, permit)
        finally:
            self._inside -= 1

    async def _told(self, endpoint: "Endpoint", request: Request, permit: "Permit | None") -> Response:
        from switchboard.admin.api.answer import json_answer
        from switchboard.admin.api.serving import OwnersRoute
        from switchboard.admin.audit.trail import entries_left
        from switchboard.admin.foresight.foresight import Side, foresee

        before, after = self._house(), self._house()
        route = OwnersRoute(self._same(endpoint, after))
        try:
            with entries_left():
                # What would be left in the audit is left nowhere.
                answer = await route.answer(request, permit)
            if answer.status_code >= _BEGUN_WELL:
                return answer
            sides = Side(before.store, before.catalog), Side(after.store, after.catalog)
            written = after.store.written if isinstance(after.store, OverlaidStore) else ()
            foreseen = await foresee(after.paths, *sides, written, after.clock.now())
            return json_answer(foreseen.to_json())
        finally:
            for house in (before, after):
                await house.catalog.ended()

    def _house(self) -> Core:
        core = self._core
        # What a catalog compiles while it reads is kept as little as what is changed.
        house = Core(core.configuration, OverlaidStore(core.store))
        house.clock = core.clock
        house.__dict__ |= {name: getattr(core, name) for name in _SHARED}
        house.__dict__ |= {"http": _SilentSession(), "voice_platforms": _NoPlatforms()}
        return house

    def _same(self, endpoint: "Endpoint", house: Core) -> "Endpoint":
        """Return the endpoint of another house that does the same."""
        every = self._endpoints_of(house)
        return next(one for one in every if (one.method, one.path) == (endpoint.method, endpoint.path))

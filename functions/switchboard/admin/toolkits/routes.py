"""The owners' HTTP API for toolkits: `/businesses/{id}/toolkits…`. Secrets go in, and never come out."""

from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.request_body import known_change, revisioned_body
from switchboard.admin.api.schemas import ANYTHING, FLAG, ROWS, TEXT, record
from switchboard.admin.toolkits.state import ToolkitChange, ToolkitState
from switchboard.admin.toolkits.toolkits import ToolkitSettings
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject

PARTS = ("config", "sensitiveConfig")
CHANGE = dict.fromkeys(PARTS, ANYTHING)
REMOVED = record({"removed": FLAG})


async def read_change(request: Request, *more: str) -> tuple[ToolkitChange, JsonObject, str | None]:
    """Return what a body `{config?, sensitiveConfig?}` wants of a toolkit, the body without it, and the revision.

    Raises:
        TooLarge, NotValid: The body cannot be read, or says nothing.
    """
    body, based_on = await known_change(request, *PARTS, *more)
    if not body:
        raise NotValid([EntryProblem("", f"The body is empty; give {' or '.join((*PARTS, *more))}.")])
    change = ToolkitChange(body.pop("config", None), body.pop("sensitiveConfig", None))
    return change, body, based_on


class ToolkitEndpoints:
    """Shows toolkits, sets them up and tries them."""

    def __init__(self, settings: ToolkitSettings, definitions: Callable[[], Mapping[str, Definition]]) -> None:
        """Answer with what `settings` do; `definitions` describe the toolkits' tools."""
        self._settings, self._definitions = settings, definitions

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base = "/businesses/{business_id}/toolkits"
        one, see, connect = f"{base}/{{name}}", Operation.SEE_SETUP, Operation.CONNECT
        change, tried = (
            record({**CHANGE, "revision": TEXT}, (*PARTS, "revision")),
            record({"ok": FLAG, "message": TEXT}),
        )
        all, set_up = "List the toolkits, and which are set up", "Change a toolkit's settings and secrets"
        away = "Disconnect a toolkit and forget its secrets"
        look = "Read a toolkit's settings; of secrets, since when they are set"
        return (
            Endpoint("GET", base, see, all, self._all, record({"toolkits": ROWS})),
            Endpoint("GET", one, see, look, self._one, ANYTHING),
            Endpoint("PUT", one, connect, set_up, self._change, ANYTHING, body=change, is_revisioned=True),
            Endpoint("DELETE", one, connect, away, self._remove, REMOVED, is_revisioned=True),
            Endpoint("POST", f"{one}/test", connect, "Try whether a toolkit's settings work", self._test, tried),
        )

    async def _all(self, request: Request, permit: Permit) -> Response:
        states = await self._settings.all(permit.business_id)
        return json_answer({"toolkits": [self._shown(state) for state in states]})

    async def _one(self, request: Request, permit: Permit) -> Response:
        state = await self._settings.one(permit.business_id, request.path_params["name"])
        return json_answer(self._shown(state), revision=state.revision)

    async def _change(self, request: Request, permit: Permit) -> Response:
        change, _, based_on = await read_change(request)
        state, saved = await self._settings.change(permit, request.path_params["name"], based_on, change)
        return saved_answer(self._shown(state), saved)

    async def _remove(self, request: Request, permit: Permit) -> Response:
        _, based_on = await revisioned_body(request)
        saved = await self._settings.remove(permit, request.path_params["name"], based_on)
        return saved_answer({"removed": True}, saved)

    async def _test(self, request: Request, permit: Permit) -> Response:
        return json_answer(await self._settings.test(permit.business_id, request.path_params["name"]))

    def _shown(self, state: ToolkitState) -> JsonObject:
        known = self._definitions()
        tools = [
            {"name": name, "description": known[name].description, "parameters": known[name].parameters}
            for name in state.toolkit.actions
            if name in known
        ]
        return state.to_json() | {"tools": tools}

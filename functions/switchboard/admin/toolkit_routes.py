"""The owners' HTTP API for toolkits: `/businesses/{id}/toolkits…`. Secrets go in, and never come out."""

from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.admin.http import Authorise, Refuse
from switchboard.admin.owner_request import answering, json_answer, json_body
from switchboard.admin.refusal import NotValid, Problem
from switchboard.admin.toolkit_state import Change, ToolkitState
from switchboard.admin.toolkits import ToolkitSettings
from switchboard.contract.definition import Definition
from switchboard.contract.json import JsonObject

PARTS = ("config", "sensitiveConfig")


def routes(
    settings: ToolkitSettings,
    definitions: Callable[[], Mapping[str, Definition]],
    authorise: Authorise,
    refuse: Refuse,
) -> list[Route]:
    """Return the routes below `/businesses/{business_id}/toolkits`; `definitions` describe the toolkits' tools."""
    endpoints = _Endpoints(settings, definitions, authorise)
    base = "/businesses/{business_id}/toolkits"
    return [
        Route(path, answering(endpoint, refuse), methods=[method])
        for method, path, endpoint in (
            ("GET", base, endpoints.all),
            ("GET", base + "/{name}", endpoints.one),
            ("PUT", base + "/{name}", endpoints.change),
            ("DELETE", base + "/{name}", endpoints.remove),
            ("POST", base + "/{name}/test", endpoints.test),
        )
    ]


async def read_change(request: Request, *more: str) -> tuple[Change, JsonObject]:
    """Return what a body wants of a toolkit, and the body without it: `{config?, sensitiveConfig?}`.

    Raises:
        TooLarge, NotValid: The body cannot be read, or says nothing.
    """
    body = await json_body(request, (*PARTS, *more))
    if not body:
        raise NotValid([Problem("", f"The body is empty; give {' or '.join((*PARTS, *more))}.")])
    change = Change(body.pop("config", None), body.pop("sensitiveConfig", None))
    return change, body


class _Endpoints:
    def __init__(
        self, settings: ToolkitSettings, definitions: Callable[[], Mapping[str, Definition]], authorise: Authorise
    ) -> None:
        self._settings, self._definitions, self._authorise = settings, definitions, authorise

    async def all(self, request: Request) -> Response:
        """List: `{toolkits: [...]}`."""
        states = await self._settings.all(await self._business(request))
        return json_answer({"toolkits": [self._shown(state) for state in states]})

    async def one(self, request: Request) -> Response:
        """Return one toolkit."""
        business_id = await self._business(request)
        return json_answer(self._shown(await self._settings.one(business_id, request.path_params["name"])))

    async def change(self, request: Request) -> Response:
        """Replace the settings, keep secrets, and return the toolkit as it then is."""
        business_id = await self._business(request)
        change, _ = await read_change(request)
        return json_answer(self._shown(await self._settings.change(business_id, request.path_params["name"], change)))

    async def remove(self, request: Request) -> Response:
        """Disconnect, and forget settings and secrets: `{removed: true}`."""
        await self._settings.remove(await self._business(request), request.path_params["name"])
        return json_answer({"removed": True})

    async def test(self, request: Request) -> Response:
        """Try the account: `{ok, message}`."""
        business_id = await self._business(request)
        return json_answer(await self._settings.test(business_id, request.path_params["name"]))

    async def _business(self, request: Request) -> str:
        return await self._authorise(request, request.path_params["business_id"])

    def _shown(self, state: ToolkitState) -> JsonObject:
        known = self._definitions()
        tools = [
            {"name": name, "description": known[name].description, "parameters": known[name].parameters}
            for name in state.toolkit.actions
            if name in known
        ]
        return state.to_json() | {"tools": tools}

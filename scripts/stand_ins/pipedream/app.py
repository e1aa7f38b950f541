"""The app that serves the stand-in."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stand_ins.faults import refused
from stand_ins.pipedream.faults import Faults
from stand_ins.pipedream.project import Project
from stand_ins.pipedream.refusal import Refusal

_CONNECT = "/v1/connect/{project_id}"
_HIDDEN = ("environment", "credentials")

Do = Callable[[Request, dict[str, Any]], dict[str, Any]]


class PipedreamStandIn:
    """One project and the app that serves it."""

    def __init__(self, project: Project | None = None) -> None:
        self.project, self.faults = project or Project(), Faults()
        methods: dict[str, tuple[str, str, Do]] = {
            "token": ("POST", "/v1/oauth/token", lambda _, body: self.project.token(body)),
            "actions.run": ("POST", f"{_CONNECT}/actions/run", lambda r, b: self.project.run(b, _environment(r))),
            "actions.props": (
                "POST",
                f"{_CONNECT}/actions/props",
                lambda r, b: self.project.reload(b, _environment(r)),
            ),
            "actions.retrieve": ("GET", f"{_CONNECT}/actions/{{id}}", self._component),
            "accounts.list": ("GET", f"{_CONNECT}/accounts", self._accounts),
            "accounts.retrieve": ("GET", f"{_CONNECT}/accounts/{{id}}", self._account),
        }
        routes = [self._route(name, *method) for name, method in methods.items()]
        routes += [
            Route("/_stand_in/accounts", self._connect, methods=["POST"]),
            Route("/_stand_in/accounts/{id}", self._revoke, methods=["DELETE"]),
            *self.faults.controls,
            Route("/_stand_in/runs", self._runs, methods=["GET", "DELETE"]),
            Route("/healthz", lambda _: JSONResponse({"ok": True})),
        ]
        self.app = Starlette(routes=routes, exception_handlers={Refusal: refused})

    def _route(self, name: str, http: str, path: str, do: Do) -> Route:
        async def serve(request: Request) -> Response:
            raw = await request.body()
            shown = _read(raw, request) if raw else {}

            async def act() -> Response:
                if isinstance(shown, Refusal):
                    raise shown
                if name != "token":
                    authorization = request.headers.get("authorization", "")
                    self.project.admit(authorization, _environment(request), request.path_params["project_id"])
                return JSONResponse(do(request, shown))

            return await self.faults.answer(name, request, None if isinstance(shown, Refusal) else shown, act)

        return Route(path, serve, methods=[http])

    def _component(self, request: Request, _: dict[str, Any]) -> dict[str, Any]:
        component = self.project.component(request.path_params["id"], request.query_params.get("version"))
        return {"data": component.described()}

    def _account(self, request: Request, _: dict[str, Any]) -> dict[str, Any]:
        account = self.project.account(request.path_params["id"], _environment(request))
        return {name: value for name, value in account.items() if name not in _HIDDEN}

    def _accounts(self, request: Request, _: dict[str, Any]) -> dict[str, Any]:
        listed = self.project.listed(request.query_params, _environment(request))
        rows = [{name: value for name, value in row.items() if name not in _HIDDEN} for row in listed["data"]]
        return listed | {"data": rows}

    async def _connect(self, request: Request) -> JSONResponse:
        return JSONResponse(self.project.connect(await request.json()), 201)

    async def _revoke(self, request: Request) -> JSONResponse:
        self.project.revoke(request.path_params["id"])
        return JSONResponse({"ok": True})

    async def _runs(self, request: Request) -> JSONResponse:
        if request.method == "DELETE":
            self.project.runs.clear()
        return JSONResponse({"runs": self.project.runs})


def _environment(request: Request) -> str:
    return request.headers.get("x-pd-environment", "")


def _read(raw: bytes, request: Request) -> dict[str, Any] | Refusal:
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        return Refusal(415, "The body must be application/json")
    try:
        parsed = json.loads(raw)
    except ValueError:
        parsed = None
    return parsed if isinstance(parsed, dict) else Refusal(400, "The body must be a JSON object")

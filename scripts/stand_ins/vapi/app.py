"""The app that serves the stand-in."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stand_ins.faults import refused
from stand_ins.vapi.account import KEY, Account, Document
from stand_ins.vapi.document import checked_query
from stand_ins.vapi.faults import Faults
from stand_ins.vapi.refusal import Refusal

Act = Callable[[Request, Document], Any]


class VapiStandIn:
    """One Vapi account and the app that serves it.

    Args:
        key: The account's private key.
        account: What it holds.
        public_key: What control addresses ask for; None where they are open to whoever knows them, as is usual.
    """

    def __init__(self, key: str = KEY, account: Account | None = None, public_key: str | None = None) -> None:
        self.account, self.faults, self._key, self._public_key = account or Account(), Faults(), key, public_key
        own = self.account
        methods: dict[str, tuple[str, str, Act, int]] = {
            "tools.create": ("POST", "/tool", lambda _, body: own.create_tool(body), 201),
            "tools.list": ("GET", "/tool", lambda r, _: _listed(own, "tools", r), 200),
            "tools.get": ("GET", "/tool/{id}", lambda r, _: own.found("tools", _id(r)), 200),
            "tools.update": ("PATCH", "/tool/{id}", lambda r, body: own.update_tool(_id(r), body), 200),
            "tools.delete": ("DELETE", "/tool/{id}", lambda r, _: own.delete_tool(_id(r)), 200),
            "assistants.create": ("POST", "/assistant", lambda _, body: own.create_assistant(body), 201),
            "assistants.list": ("GET", "/assistant", lambda r, _: _listed(own, "assistants", r), 200),
            "assistants.get": ("GET", "/assistant/{id}", lambda r, _: own.found("assistants", _id(r)), 200),
            "assistants.update": ("PATCH", "/assistant/{id}", lambda r, body: own.update_assistant(_id(r), body), 200),
            "calls.create": ("POST", "/call", lambda r, body: own.begin_call(body, _base(r)), 201),
            "calls.get": ("GET", "/call/{id}", lambda r, _: own.found("calls", _id(r)), 200),
        }
        routes = [
            Route("/healthz", lambda _: JSONResponse({"ok": True})),
            Route("/_stand_in/calls", self._calls),
            Route("/_stand_in/calls/{id}", self._end, methods=["DELETE"]),
            *self.faults.controls,
            *[self._route(name, *method, self._key) for name, method in methods.items()],
            self._route("calls.control", "POST", "/{id}/control", self._control, 200, public_key),
        ]
        self.app = Starlette(routes=routes, exception_handlers={Refusal: refused})

    def _route(self, name: str, http: str, path: str, act: Act, status: int, key: str | None) -> Route:
        async def serve(request: Request) -> Response:
            async def do() -> Response:
                _authenticate(request, key)
                body = _object(await request.body()) if http in ("POST", "PATCH") else {}
                return JSONResponse(act(request, body), status)

            return await self.faults.answer(name, request, do)

        return Route(path, serve, methods=[http])

    def _control(self, request: Request, body: Document) -> Document:
        self.account.control(_id(request), body)
        return {"success": True}

    async def _calls(self, request: Request) -> JSONResponse:
        own = self.account
        return JSONResponse([{**call, "controlled": own.messages[id]} for id, call in own.calls.items()])

    async def _end(self, request: Request) -> JSONResponse:
        self.account.end(_id(request))
        return JSONResponse({"ok": True})


def _authenticate(request: Request, key: str | None) -> None:
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    if key is not None and (kind != "Bearer" or not hmac.compare_digest(given.encode(), key.encode())):
        raise Refusal(401, "Invalid Key. Hot tip, you may be using the public key instead of the private key.")


def _object(content: bytes) -> Document:
    try:
        body = json.loads(content)
    except ValueError:
        raise Refusal(400, "Unexpected token in JSON") from None
    if not isinstance(body, dict):
        raise Refusal(400, ["body must be an object"])
    return body


def _listed(account: Account, kind: str, request: Request) -> list[Document]:
    return account.listed(kind, *checked_query(request.query_params))


def _id(request: Request) -> str:
    return str(request.path_params["id"])


def _base(request: Request) -> str:
    return str(request.base_url).rstrip("/")

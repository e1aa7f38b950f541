"""Endpoints as FastAPI serves them: let in first of all, then read and checked by their types, then answered.

Imported when the first owner asks for something, and by nothing that answers callers.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Annotated, Any, Final, TypeAlias
from urllib.parse import urlencode

# FastAPI imports it with the first route that it makes; here it is imported along with everything else.
import pydantic.v1  # noqa: F401
from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.api.answer import OwnersAnswer
from switchboard.admin.api.endpoint import DRY_RUN, Authorises, Endpoint, Foresees, Handle, entered
from switchboard.admin.api.request_body import json_body, revision_said
from switchboard.admin.api.wording import problems_of, wrong_with
from switchboard.admin.audit.wishes import LONGEST, Fulfilled, Wishes, wishing
from switchboard.admin.foresight.models import OffersForeseen
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.store import StoreError

log = logging.getLogger(__name__)

_PERMIT = "switchboard.permit"
_JSON = (b"content-type", b"application/json")
_KEY: Final[JsonObject] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": LONGEST, "default": ""},
    "description": "Names this wish: sent again under it, it is done once, and told as it is by then.",
}
_DONE_BEFORE = (
    "This was done before under the same Idempotency-Key, and nothing was done anew: {made}. What was told then is "
    "told only once; look at what is listed, and send a new key for another one."
)
_GONE_SINCE = (
    "What was made under this Idempotency-Key ({made}) has been removed since, and nothing was made anew. Send a new "
    "key to make it again."
)


async def _permit_of(request: Request) -> Permit:
    permit: Permit = request.scope[_PERMIT]
    return permit


async def _based_on(request: Request) -> str | None:
    return revision_said(request.headers.get("if-match", ""), (await request.json()).get("revision"))


Caller: TypeAlias = Annotated[Permit, Depends(_permit_of)]
"""A handler's parameter: who was let in, and for which business."""
BasedOn: TypeAlias = Annotated[str | None, Depends(_based_on)]
"""A handler's parameter: the revision that a request says it is based on, of an endpoint that is revisioned."""


class OwnersRoute(APIRoute):
    """The route of an endpoint, by the types of its bodies, queries and answers."""

    def __init__(
        self,
        endpoint: Endpoint,
        access: Authorises | None = None,
        foresees: Foresees | None = None,
        prefix: str = "",
        once: "OnceOnly | None" = None,
    ) -> None:
        """Serve it to those that `access` lets in; without one it is there to be described, or to be answered by.

        `foresees` answers who asks what a change would do, `once` who names what is wished by a key.
        """
        self._served, self._access, self._foresees, self._once = endpoint, access, foresees, once
        self._handle: Callable[[Request], Awaitable[Response]] = endpoint.handle
        super().__init__(
            prefix + endpoint.path,
            endpoint.handle,
            methods=[endpoint.method],
            response_model=endpoint.answer,
            status_code=endpoint.status,
            openapi_extra=None if endpoint.once is None else {"parameters": [_KEY]},
        )

    def get_route_handler(self) -> Callable[[Request], Any]:
        """Return what answers a request."""
        self._handle = super().get_route_handler()
        return self._handle if self._access is None else entered(self._served, self._access, self._told_or_done)

    async def answer(self, request: Request, permit: Permit | None) -> Response:
        """Answer a request that was let in; may raise `ToolError` and `StoreError`."""
        request.scope[_PERMIT] = permit
        try:
            response = await self._handle(await self._read(request))
        except RequestValidationError as error:
            raise NotValid(self._problems(error.errors())) from None
        self._hold(response)
        return response

    async def _told_or_done(self, request: Request, permit: Permit | None) -> Response:
        asked, request = is_dry(request), _without_question(request)
        if not asked and self._once is not None and permit is not None:
            return await self._once.answer(await self._read(request), permit, self.answer)
        if not asked:
            return await self.answer(request, permit)
        if self._foresees is None or not self._served.decides_offers:
            words = "This changes nothing of what callers are offered; nothing was done."
            raise NotValid([EntryProblem(DRY_RUN, words)])
        response = await self._foresees(self._served, request, permit)
        self._hold(response, OffersForeseen)
        return response

    async def _read(self, request: Request) -> Request:
        """Return a request with its body read as owners' bodies are: strictly, within bounds, whatever it is called."""
        if isinstance(request, _ReadRequest) or (self.body_field is None and not self._served.is_revisioned):
            return request
        body = await json_body(request, self._served.most_bytes)
        headers = [header for header in request.scope["headers"] if header[0] != _JSON[0]]
        return _ReadRequest({**request.scope, "headers": [*headers, _JSON]}, body)

    def _problems(self, errors: Sequence[Mapping[str, Any]]) -> list[Any]:
        queried = self.dependant.query_params[:1]
        types: dict[str, Any] = {"query": queried[0].field_info.annotation if queried else None}
        types["header"] = dict[str, str]
        types["body"] = self.body_field.field_info.annotation if self.body_field is not None else None
        problems = []
        for place, type in types.items():
            own = [{**error, "loc": error["loc"][1:]} for error in errors if error["loc"][0] == place]
            problems += problems_of(own, type)
        return problems

    def _hold(self, response: Response, answer: Any = None) -> None:
        """Note an answer that is not as described: what is stored may be, and is shown all the same."""
        if isinstance(response, OwnersAnswer) and response.status_code in (
            self._served.status,
            self._served.trial_status,
            self._served.later_status,
            200 if answer else None,
        ):
            problems = wrong_with(answer or self._served.answer, response.told)
            if problems:
                path = f"{self._served.method} {self._served.path}"
                log.error(
                    "answer differs from its description", extra={"route": path, "fields": [p.field for p in problems]}
                )


class OnceOnly:
    """Answers who names by an `Idempotency-Key` what is wished: it is done once, and told again as it is by then."""

    def __init__(self, endpoint: Endpoint, wishes: Wishes, shown: Endpoint | None) -> None:
        """Look wishes up in `wishes`; `shown` reads what `endpoint` makes, None where nothing tells it again."""
        self._served, self._wishes, self._shown = endpoint, wishes, shown

    async def answer(self, request: Request, permit: Permit, do: Handle) -> Response:
        """Return what `do` answers, or what it has made before under the key that the request names, if any.

        Raises:
            ToolError, StoreError: As `do`; CONFLICT, the key was used for something else, or what was made is not there
                any more, or cannot be told again.
        """
        key = request.headers.get(_KEY["name"], "").strip()
        if not key:
            return await do(request, permit)
        if len(key) > LONGEST:
            raise NotValid([EntryProblem(_KEY["name"], f"{_KEY['name']} has at most {LONGEST} characters.")])
        place = [self._served.method, self._served.path, request.path_params]
        wish = self._wishes.of(permit, key, place, [await request.json(), request.query_params.multi_items()])
        fulfilled = await self._wishes.fulfilled(wish)
        if fulfilled is None:
            try:
                with wishing(wish):
                    return await do(request, permit)
            except (ToolError, StoreError):
                # Somebody with the same wish was quicker, or what had been made could not be told.
                fulfilled = await self._wishes.fulfilled(wish)
                if fulfilled is None:
                    raise
        return await self._told_again(request, permit, fulfilled)

    async def _told_again(self, request: Request, permit: Permit, fulfilled: Fulfilled) -> Response:
        if self._shown is None:
            raise ToolError(ErrorType.CONFLICT, _DONE_BEFORE.format(made=fulfilled.made))
        name = self._shown.path.rpartition("{")[2].rstrip("}")
        asked = {"method": "GET", "path_params": request.path_params | {name: fulfilled.made}, "query_string": b""}
        try:
            response = await OwnersRoute(self._shown).answer(Request({**request.scope, **asked}), permit)
        except NotFound:
            raise ToolError(ErrorType.CONFLICT, _GONE_SINCE.format(made=fulfilled.made)) from None
        response.status_code = self._served.status
        response.headers.update({"Audit-Entry": fulfilled.entry_id, "Idempotent-Replayed": "true"})
        return response


class _LateRoute(Route):
    """The route of an endpoint, whose types are looked at when it is first asked for: that takes milliseconds."""

    def __init__(
        self, endpoint: Endpoint, access: Authorises, foresees: Foresees | None, once: OnceOnly | None
    ) -> None:
        super().__init__(endpoint.path, endpoint.handle, methods=[endpoint.method])
        self._make, self.app = partial(OwnersRoute, endpoint, access, foresees, once=once), self._answered

    @cached_property
    def _route(self) -> OwnersRoute:
        return self._make()

    async def _answered(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._route.app(scope, receive, send)


class _ReadRequest(Request):
    """A request whose body was read before."""

    def __init__(self, scope: Any, body: JsonObject) -> None:
        super().__init__(scope)
        # Where Starlette keeps both once they were asked for.
        self._body, self._json = b"{}", body


def routes(
    endpoints: Iterable[Endpoint], access: Authorises, foresees: Foresees | None = None, wishes: Wishes | None = None
) -> list[BaseRoute]:
    """Return the routes of endpoints, without the prefix of their function."""
    every = tuple(endpoints)
    shown = {endpoint.path: endpoint for endpoint in every if endpoint.method == "GET"}

    def once(endpoint: Endpoint) -> OnceOnly | None:
        if wishes is None or endpoint.once is None:
            return None
        return OnceOnly(endpoint, wishes, shown[endpoint.once] if endpoint.once else None)

    return [_LateRoute(endpoint, access, foresees, once(endpoint)) for endpoint in every]


def is_dry(request: Request) -> bool:
    """Tell whether a request only asks what it would do.

    Raises:
        NotValid: It says neither that it does nor that it does not.
    """
    asked = request.query_params.getlist(DRY_RUN)
    if any(value not in ("", "true", "false") for value in asked) or len(asked) > 1:
        raise NotValid([EntryProblem(DRY_RUN, f"{DRY_RUN} must be true or false, and be there once.")])
    return asked == ["true"]


def _without_question(request: Request) -> Request:
    asked = [pair for pair in request.query_params.multi_items() if pair[0] != DRY_RUN]
    if len(asked) == len(request.query_params.multi_items()):
        return request
    return Request({**request.scope, "query_string": urlencode(asked).encode()}, request.receive)


def owners_app(routes: Iterable[BaseRoute], handlers: Mapping[Any, Callable[..., Awaitable[Response]]]) -> FastAPI:
    """Return the app of some routes; `handlers` answer what they raise."""
    # The document is served by a route of its own: it tells of other functions too.
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, exception_handlers=dict(handlers))
    app.router.routes.extend(routes)
    return app


def operations_of(endpoints: Iterable[Endpoint]) -> tuple[JsonObject, JsonObject]:
    """Return what endpoints take and answer, by path and method as OpenAPI says it, and the schemas they name."""
    whole = get_openapi(
        title="", version="", routes=[OwnersRoute(e) for e in endpoints], separate_input_output_schemas=False
    )
    schemas = whole.get("components", {}).get("schemas", {})
    own = {name: schema for name, schema in schemas.items() if name not in ("HTTPValidationError", "ValidationError")}
    for operation in (operation for path in whole["paths"].values() for operation in path.values()):
        if "requestBody" in operation:
            _say_whether_it_is_needed(operation["requestBody"], own)
    return _untitled(whole["paths"]), _untitled(own)


def _say_whether_it_is_needed(body: JsonObject, schemas: JsonObject) -> None:
    """Nothing at all counts as an empty object: it will do where no field has to be there."""
    schema = body["content"]["application/json"]["schema"]
    named = schemas.get(schema.get("$ref", "").rpartition("/")[2], schema)
    body["required"] = named.get("type") != "object" or "required" in named


def schemas_of(model: type[BaseModel]) -> JsonObject:
    """Return the schema of a model, and those that it names, each by its name."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    named = schema.pop("$defs", {})
    whole: JsonObject = _untitled({**named, model.__name__: schema})
    return whole


def _untitled(value: Any) -> Any:
    """Return a part of a document without the titles that Pydantic makes up out of the names."""
    if isinstance(value, dict):
        named = {key: inner for key, inner in value.items() if not (key == "title" and isinstance(inner, str))}
        if named.get("default", ...) is None:
            # Left out is what it means, and null is often not even allowed.
            named.pop("default")
        return {key: _untitled(inner) for key, inner in named.items()}
    return [_untitled(inner) for inner in value] if isinstance(value, list) else value

"""The OpenAPI 3.1 document of every HTTP surface.

Endpoints of the owners' API are described by the very records that their routes are built from. Other rooms' routes
come as the routes themselves with words for each; a route without words, or words without a route, is an error.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from switchboard.admin.access.roles import ALLOWED, Role
from switchboard.admin.api.endpoint import DRY_RUN, Endpoint
from switchboard.admin.api.refusal_models import No
from switchboard.admin.api.serving import operations_of, schemas_of
from switchboard.admin.foresight.models import OffersForeseen
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

# Of the function `healthz`: these stand beside it, and not below.
_AT_ROOT = ("/health", "/readyz", "/ready")
_PARAMETER = re.compile(r"{(\w+)(?::\w+)?}")
_NO: JsonObject = {"application/json": {"schema": {"$ref": "#/components/schemas/No"}}}
_REFUSED: JsonObject = {"description": "Refused.", "content": _NO}
_AS_TEXT: JsonObject = {media: {"schema": {"type": "string"}} for media in ("text/html", "text/plain")}
_REFUSED_ON_A_PAGE: JsonObject = {**_REFUSED, "content": {**_NO, **_AS_TEXT}}
_ELSEWHERE: JsonObject = {"description": "Goes on elsewhere."}
_LEAST_REFUSED = 400
_FORM = "application/x-www-form-urlencoded"
_IF_MATCH: JsonObject = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "The revision that the change is based on; it may stand in the body instead, as `revision`.",
}
_IF_MATCH_OR_NOT: JsonObject = {
    **_IF_MATCH,
    "description": "The revision that this is based on; it may stand in the body instead, as `revision`. One that is "
    "sent is held: where it is out of date nothing is done. Without one it is done on what is there.",
}
_ETAG: JsonObject = {
    "ETag": {
        "description": "The revision, which a later change is based on; `none` where there is nothing any more.",
        "schema": {"type": "string"},
    }
}
_AUDITED: JsonObject = {
    "Audit-Entry": {
        "description": "What it left in the audit: an entry's id, or several with commas; none where nothing changed.",
        "schema": {"type": "string"},
    }
}
_DRY_RUN: JsonObject = {
    "name": DRY_RUN,
    "in": "query",
    "required": False,
    "schema": {"type": "string", "enum": ["true", "false"]},
    "description": "true changes nothing, and answers which businesses would lose or get which tools, where and why "
    "(`OffersForeseen`); what the change would be refused for is refused just so.",
}
_DONE, _FORESEEN = "200", {"$ref": f"#/components/schemas/{OffersForeseen.__name__}"}
_STALE = "Somebody else has changed it since that revision; `error.conflict` holds both versions."


@dataclass(frozen=True, slots=True)
class RouteDescription:
    """What is said of another room's route.

    Attributes:
        summary: One sentence, without a full stop.
        credential: `bearer` (a service's), `access` (that, or an access token), `signature` (the vendor's) or `none`.
        body: The media type and JSON Schema of what it takes; None where it takes nothing.
        answer: The media type and JSON Schema of what it answers; a schema of None is any text.
        query: JSON Schemas by the name of a parameter.
        status: What it answers when all is well.
        is_body_needed: Whether nothing at all is refused.
    """

    summary: str
    credential: str = "bearer"
    body: tuple[str, JsonObject] | None = None
    answer: tuple[str, JsonObject | None] = ("application/json", {"type": "object"})
    query: Mapping[str, JsonObject] = field(default_factory=dict)
    status: int = 200
    is_body_needed: bool = True


@dataclass(frozen=True, slots=True)
class Surface:
    """The paths of one function, ready to stand in the document, and the schemas that they name."""

    paths: Mapping[str, JsonObject]
    schemas: Mapping[str, JsonObject] = field(default_factory=dict)


def of_endpoints(prefix: str, endpoints: Iterable[Endpoint]) -> Surface:
    """Return the surface of endpoints below a prefix such as `/admin`."""
    endpoints = tuple(endpoints)
    typed, schemas = operations_of(endpoints)
    paths: dict[str, JsonObject] = {}
    for endpoint in endpoints:
        path, method = _full(prefix, endpoint.path), endpoint.method.lower()
        paths.setdefault(path, {})[method] = _endpoint(prefix, path, endpoint, typed[endpoint.path][method])
        schemas |= schemas_of(endpoint.form) if endpoint.form is not None else {}
        schemas |= schemas_of(OffersForeseen) if endpoint.decides_offers else {}
    return Surface(paths, schemas)


def of_routes(prefix: str, routes_served: Iterable[BaseRoute], words: Mapping[str, RouteDescription]) -> Surface:
    """Return the surface of another room's routes; `words` stand by method and path, such as `POST /execute`.

    WebSockets are left out: OpenAPI has no words for them.

    Raises:
        ValueError: A route has no words, or words have no route.
    """
    paths: dict[str, JsonObject] = {}
    unused = set(words)
    for route in routes_served:
        for method, below in _methods(route):
            key = f"{method} {below}"
            if key not in words:
                raise ValueError(f"{prefix}: nothing is said of {key}")
            unused.discard(key)
            path = _full(prefix, below)
            paths.setdefault(path, {})[method.lower()] = _foreign(prefix, method, path, words[key])
    if unused:
        raise ValueError(f"{prefix}: there is no route {', '.join(sorted(unused))}")
    return Surface(paths)


def document(surfaces: Iterable[Surface], version: str = "1.0.0", server: str = "/") -> JsonObject:
    """Return the document of these surfaces.

    Raises:
        ValueError: Two of them have the same path.
    """
    paths: JsonObject = {}
    schemas = schemas_of(No)
    for surface in surfaces:
        twice = paths.keys() & surface.paths.keys()
        twice |= {name for name in schemas.keys() & surface.schemas.keys() if schemas[name] != surface.schemas[name]}
        if twice:
            raise ValueError(f"described twice: {', '.join(sorted(twice))}")
        paths |= surface.paths
        schemas |= surface.schemas
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Switchboard",
            "version": version,
            "description": "The tool dispatcher behind an AI receptionist. Every refusal has the shape of `No`.",
        },
        "servers": [{"url": server}],
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": dict(sorted(schemas.items())), "securitySchemes": _SECURITY},
    }


def route(surfaces: Callable[[], Sequence[Surface]], prefix: str = "/admin", version: str = "1.0.0") -> Route:
    """Return the route that serves the document at `/openapi.json` below a prefix.

    Surfaces are asked for when the document is first wanted; the route itself is added to them.
    """

    @cache
    def body() -> bytes:
        return orjson.dumps(document([*surfaces(), of_routes(prefix, [own], _OWN_WORDS)], version))

    composing = asyncio.Lock()

    async def served(request: Request) -> Response:
        async with composing:
            # It takes seconds once, in which everybody's conversations go on.
            content = await asyncio.to_thread(body)
        return Response(content, media_type="application/json", headers={"Cache-Control": "public, max-age=300"})

    own = Route("/openapi.json", served, methods=["GET"])
    return own


def _methods(route: BaseRoute) -> Iterator[tuple[str, str]]:
    if isinstance(route, Route):
        # A HEAD comes with every GET and says nothing of its own.
        yield from ((method, route.path) for method in sorted((route.methods or set()) - {"HEAD"}))


def _full(prefix: str, below: str) -> str:
    # What is well known stands at the root, whichever function serves it.
    above = "" if below.startswith("/.well-known/") or (prefix == "/healthz" and below in _AT_ROOT) else prefix
    return above + (_PARAMETER.sub(r"{\1}", below) if below != "/" else "")


def _endpoint(prefix: str, path: str, endpoint: Endpoint, types: JsonObject) -> JsonObject:
    if_match = _IF_MATCH_OR_NOT if endpoint.may_go_without else _IF_MATCH
    asked = [one for one in types.get("parameters", ()) if one["in"] in ("query", "header")]
    parameters = [*_in_path(path), *asked, *([if_match] if endpoint.is_revisioned else ())]
    parameters += [_DRY_RUN] if endpoint.decides_offers else []
    answer = types["responses"][str(endpoint.status)]["content"]["application/json"]
    good: JsonObject = {
        "description": "Done." if endpoint.method != "GET" else "Found.",
        "content": {endpoint.media: answer, **{media: {"schema": {"type": "string"}} for media in endpoint.text_media}},
    }
    headers = _ETAG if endpoint.is_revisioned or endpoint.tells_revision else {}
    headers = headers | _AUDITED if endpoint.method != "GET" else headers
    if headers and endpoint.operation is not None:
        good["headers"] = headers
    described: JsonObject = {
        "operationId": _id(endpoint.method, path),
        "summary": endpoint.summary,
        "tags": [prefix.strip("/")],
        "parameters": parameters,
        "responses": _foreseen(endpoint, {str(endpoint.status): good} | _refusals(endpoint, types, good)),
        "security": [],
    }
    if endpoint.operation is not None:
        allowed = ", ".join(role.value for role in Role if role in ALLOWED[endpoint.operation])
        described["description"] = f"For: {allowed}."
        described["security"] = [{"firebase": []}, *_SERVICES]
        described["x-operation"] = endpoint.operation.value
    if endpoint.form is not None:
        schema = {"$ref": f"#/components/schemas/{endpoint.form.__name__}"}
        described["requestBody"] = {"required": True, "content": {_FORM: {"schema": schema}}}
    elif "requestBody" in types:
        described["requestBody"] = types["requestBody"]
    return described


def _refusals(endpoint: Endpoint, types: JsonObject, good: JsonObject) -> JsonObject:
    """Return everything that an endpoint can answer beside what is good, by its status."""
    if endpoint.operation is None:
        return {"default": _REFUSED_ON_A_PAGE}
    statuses = ["400", "401", "403", "404", "503"]
    statuses += ["409"] if endpoint.method == "POST" or endpoint.is_revisioned else []
    statuses += ["412"] if endpoint.is_revisioned else []
    statuses += ["428"] if endpoint.is_revisioned and not endpoint.may_go_without else []
    statuses += ["413"] if "requestBody" in types or endpoint.is_revisioned else []
    answers = dict.fromkeys(statuses, _REFUSED)
    answers |= {str(status): _REFUSED if status >= _LEAST_REFUSED else _ELSEWHERE for status in endpoint.further}
    if endpoint.trial_status is not None:
        answers[str(endpoint.trial_status)] = {"description": "What would be.", "content": good["content"]}
    if endpoint.later_status is not None:
        answers[str(endpoint.later_status)] = {"description": "It was begun, and goes on.", "content": good["content"]}
    if endpoint.is_revisioned:
        answers["412"] = {**_REFUSED, "description": _STALE, "headers": _ETAG}
    return answers


def _foreseen(endpoint: Endpoint, answers: JsonObject) -> JsonObject:
    """Return the answers with what is told where a change is only asked about."""
    if not endpoint.decides_offers:
        return answers
    usual = answers.get(_DONE, {"description": "What would be."})
    schemas = [usual["content"][endpoint.media]["schema"]] if "content" in usual else []
    media = {"schema": {"anyOf": [*schemas, _FORESEEN]} if schemas else _FORESEEN}
    return answers | {_DONE: {**usual, "content": {endpoint.media: media}}}


def _foreign(prefix: str, method: str, path: str, words: RouteDescription) -> JsonObject:
    media, schema = words.answer
    good = {"description": "Answered.", "content": {media: {"schema": schema or {"type": "string"}}}}
    refused = _REFUSED_ON_A_PAGE if media == "text/html" else _REFUSED
    described: JsonObject = {
        "operationId": _id(method, path),
        "summary": words.summary,
        "tags": [prefix.strip("/")],
        "security": list(_CREDENTIALS[words.credential]),
        "parameters": [*_in_path(path), *_in_query(words.query)],
        "responses": {str(words.status): good, "default": refused},
    }
    if words.body is not None:
        media, body = words.body
        described["requestBody"] = {"required": words.is_body_needed, "content": {media: {"schema": body}}}
    return described


def _in_path(path: str) -> Iterator[JsonObject]:
    for name in _PARAMETER.findall(path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _in_query(query: Mapping[str, JsonObject]) -> Iterator[JsonObject]:
    for name, schema in query.items():
        inner = {key: value for key, value in schema.items() if key != "description"}
        words = {"description": schema["description"]} if "description" in schema else {}
        yield {"name": name, "in": "query", "required": False, "schema": inner, **words}


def _id(method: str, path: str) -> str:
    words = re.findall(r"[A-Za-z0-9]+", path)
    return method.lower() + "".join(word[:1].upper() + word[1:] for word in words)


_OWN_WORDS = {"GET /openapi.json": RouteDescription("Read this document", "none")}
_SERVICES: Sequence[JsonObject] = ({"apiKey": []}, {"serviceAccount": []})
_CREDENTIALS: Mapping[str, Sequence[JsonObject]] = {
    "bearer": _SERVICES,
    "access": (*_SERVICES, {"accessToken": []}),
    "signature": ({"signature": []},),
    "none": (),
}
_SECURITY: JsonObject = {
    "firebase": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A Firebase ID token with the claims platformAdmin or roles.",
    },
    "apiKey": {"type": "http", "scheme": "bearer", "description": "A business's API key."},
    "serviceAccount": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "An ID token that Google has signed for a service account which is entered for the business; "
        "its audience is the public address, by itself or with the function's path behind it.",
    },
    "accessToken": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "An access token of the authorization server that /.well-known/oauth-protected-resource names, "
        "of an account which is entered for the business, made for this address.",
    },
    "signature": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Twilio-Signature",
        "description": "The vendor's signature over the configured public address.",
    },
}

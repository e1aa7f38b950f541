"""How a stranger's API wants to be shown who asks: its security schemes as headers that name secrets, never hold them.

A secret's name belongs to one host. Otherwise a document could name a secret that the business keeps for somebody
else, and have it sent to its own server.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import field
from typing import Any
from urllib.parse import urlsplit

from switchboard.admin.importers.api_schemas import ApiSchemas
from switchboard.catalog.tenant_tools.config import snake_case
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

_READABLE = 27
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Keys:
    """What is sent along.

    Attributes:
        headers: By name: `{"secret": name, "prefix"?: …}`.
        secrets: What each secret must be, by its name, in words for the owner.
    """

    headers: Mapping[str, JsonObject] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)


def keys_of(document: JsonObject, operation: JsonObject, server: str, schemas: ApiSchemas, report: list[str]) -> Keys:
    """Return the headers that an operation's security asks for: of several ways the first that can be done.

    Raises:
        DefinitionError: None of the ways can be done.
    """
    asked = operation.get("security", document.get("security"))
    ways = asked if isinstance(asked, list) else []
    if not ways:
        return Keys()
    failed: DefinitionError | None = None
    for way in sorted((way for way in ways if isinstance(way, Mapping)), key=lambda way: not way):
        try:
            way_found = _way(document, way, server, schemas)
        except DefinitionError as error:
            failed = failed or error
            continue
        if len(ways) > 1:
            report.append(f"security: of {len(ways)} ways, {' and '.join(way) or 'none'} is used")
        return way_found
    raise failed or DefinitionError("security", "cannot be read", "write a list of objects")


def secret_name(server: str, scheme: str) -> str:
    """Return the name of the secret for a scheme at a server: readable, and of no other server."""
    host = urlsplit(server).netloc.casefold()
    digest = hashlib.sha256(f"{host}\n{scheme}".encode("utf-8", "replace")).hexdigest()[:_DIGITS]
    readable = (snake_case(f"{host} {scheme}") or "key")[:_READABLE].rstrip("_")
    return f"{readable}_{digest}"


def _way(document: JsonObject, way: Mapping[str, Any], server: str, schemas: ApiSchemas) -> Keys:
    headers: dict[str, JsonObject] = {}
    secrets = {}
    components = document.get("components")
    known = components.get("securitySchemes") if isinstance(components, Mapping) else None
    for scheme in way:
        at = f"security.{scheme[:60]}"
        way_known = known.get(scheme) if isinstance(known, Mapping) else None
        way_known = schemas.followed(way_known, at)
        if not isinstance(way_known, Mapping):
            raise DefinitionError(at, "is described nowhere", "describe it below components.securitySchemes")
        header, prefix, words = _header(way_known, at)
        if header.lower() in (name.lower() for name in headers):
            raise DefinitionError(at, f"wants a second {header} header", "describe one scheme only")
        name = secret_name(server, scheme)
        headers[header] = {"secret": name} | ({"prefix": prefix} if prefix else {})
        secrets[name] = f"{words} of {urlsplit(server).netloc} ({scheme[:60]})"
    return Keys(headers, secrets)


def _header(scheme: Mapping[str, Any], at: str) -> tuple[str, str, str]:
    """Return the header of a scheme, what stands before the secret, and what the secret is."""
    kind, place, name = (str(scheme.get(key) or "") for key in ("type", "in", "name"))
    how = str(scheme.get("scheme") or "").lower()
    if kind == "http" and how == "bearer":
        return "Authorization", "Bearer ", "the token"
    if kind == "http" and how == "basic":
        return "Authorization", "Basic ", "the base64 of user:password"
    if kind in ("oauth2", "openIdConnect"):
        return "Authorization", "Bearer ", "an access token that lasts (none is fetched or renewed here)"
    if kind == "apiKey" and place == "header" and name:
        return name, "", "the key"
    if kind == "apiKey" and place == "cookie" and name:
        return "Cookie", f"{name}=", "the key"
    problem = "wants its key in the address, where it would be logged" if place == "query" else "is not supported"
    raise DefinitionError(at, problem, "use a bearer token, or a key in a header")

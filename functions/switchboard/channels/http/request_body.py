"""Bodies from the internet: size checked while reading, JSON read strictly, each field named when it is wrong.

And the path that a request came by, as it was sent.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from starlette.requests import ClientDisconnect, Request

from switchboard.catalog.arguments.arguments import MalformedJson, parse_json
from switchboard.contract import policy
from switchboard.contract.caller.outside_id import outside_id


class Malformed(Exception):
    """The request cannot be read: `field` is what is wrong (empty: the body as a whole), `message` what is right."""

    def __init__(self, field: str, message: str, status: int = 400) -> None:
        """Keep what the answer says."""
        super().__init__(message)
        self.field, self.message, self.status = field, message, status


async def json_object(request: Request) -> dict[str, Any]:
    """Return a request's body as a JSON object.

    Raises:
        Malformed: It is too large (413), not JSON, or not an object.
    """
    try:
        value = parse_json(await whole_body(request))
    except MalformedJson as error:
        raise Malformed("", f"The body cannot be read: it {error}.") from None
    if not isinstance(value, dict):
        raise Malformed("", "The body must be a JSON object.")
    return value


async def whole_body(request: Request, most_bytes: int = policy.BODY_BYTES) -> bytes:
    """Return a request's body, of which nobody has read anything yet.

    Raises:
        Malformed: It is too large (413).
    """
    body = bytearray()
    # What `request.stream()` does, without the generator that it is: nearly every body comes in one piece.
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        piece = message.get("body", b"")
        if len(body) + len(piece) > most_bytes:
            raise Malformed("", f"The body is larger than {most_bytes} bytes.", status=413)
        if not message.get("more_body", False):
            return bytes(body + piece) if body else piece
        body += piece


def text(body: Mapping[str, Any], field: str, *, within: str = "", longest: int = 200) -> str:
    """Return a required, non-empty text field.

    Raises:
        Malformed: It is missing, empty, too long or not text.
    """
    value = optional_text(body, field, within=within, longest=longest)
    if value is None:
        name = within + field
        raise Malformed(name, f"{name} is required.")
    return value


def optional_text(body: Mapping[str, Any], field: str, *, within: str = "", longest: int = 200) -> str | None:
    """Return a text field, or None when it is missing, null or empty.

    Raises:
        Malformed: It is too long or not text.
    """
    value = body.get(field)
    if value is None or value == "":
        return None
    name = within + field
    if not isinstance(value, str):
        raise Malformed(name, f"{name} must be text.")
    if len(value) > longest:
        raise Malformed(name, f"{name} must not be longer than {longest:,} characters; it has {len(value):,}.")
    return value


def named_id(body: Mapping[str, Any], field: str, *, within: str = "") -> str:
    """Return a required id, as `optional_id` reads it.

    Raises:
        Malformed: It is missing or shows nothing, is too long or not text.
    """
    value = optional_id(body, field, within=within)
    if value is None:
        name = within + field
        raise Malformed(name, f"{name} is required.")
    return value


def optional_id(body: Mapping[str, Any], field: str, *, within: str = "") -> str | None:
    """Return an id without blanks around it, or None when it is missing, null, or nothing of it can be seen.

    Raises:
        Malformed: It is too long or not text.
    """
    value = optional_text(body, field, within=within)
    return None if value is None else outside_id(value) or None


def with_ids(body: Mapping[str, Any], names: Iterable[str], *, within: str = "") -> dict[str, Any]:
    """Return fields of which those that are ids are as `optional_id` reads them; an id that names nothing is left out.

    Raises:
        Malformed: An id is too long or not text.
    """
    fields = dict(body)
    for name in names:
        if name in fields and (id := optional_id(body, name, within=within)) is not None:
            fields[name] = id
        else:
            fields.pop(name, None)
    return fields


def optional_number(
    body: Mapping[str, Any], field: str, meaning: str, *, within: str = "", least: int = 0, most: int = 999_999_999
) -> int | None:
    """Return a whole number, or None when it is missing or null.

    Raises:
        Malformed: It is something else, or out of bounds; it `must be` what `meaning` says.
    """
    value = body.get(field)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most):
        name = within + field
        raise Malformed(name, f"{name} must be {meaning}.")
    return value


def path_as_sent(request: Request) -> str:
    """Return a request's path with what is percent-encoded in it as it came, where the server tells that."""
    path = request.url.path
    parts = bytes(request.scope.get("raw_path") or b"").decode("latin-1").partition("?")[0].split("/")
    # A function's own name may have been taken off in front.
    sent = "/".join(["", *parts[-path.count("/") :]])
    return sent if unquote(sent) == path else path

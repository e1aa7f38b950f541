"""The body of an owner's request as bytes, in the form that its content type asks for."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import orjson

from switchboard.contract.error import ErrorType, ToolError

_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
_TEXT = "text/plain; charset=utf-8"


def encoded(body: Any, content_type: str | None) -> tuple[bytes | None, str | None]:
    """Return a body and its content type; neither where there is no body.

    Args:
        body: Any JSON value; text goes as it is; None for no body.
        content_type: What the owner set, if anything. A form takes the fields of an object, a list as several of one
            name.

    Raises:
        ToolError: PERMANENT, it cannot be written as JSON.
    """
    if body is None:
        return None, None
    if isinstance(body, str):
        return body.encode("utf-8", "replace"), content_type or (_JSON if _is_json(body) else _TEXT)
    if isinstance(body, Mapping) and (content_type or "").partition(";")[0].strip().lower() == _FORM:
        return urlencode(_pairs(body), errors="replace").encode(), content_type
    try:
        return orjson.dumps(body), content_type or _JSON
    except TypeError as error:
        raise ToolError(
            ErrorType.PERMANENT,
            "What this tool should send cannot be written as JSON. Nothing was sent; its owner has to change it.",
            detail=repr(error),
        ) from error


def _is_json(text: str) -> bool:
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


def _pairs(fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (name, item if isinstance(item, str) else orjson.dumps(item).decode())
        for name, value in fields.items()
        for item in (value if isinstance(value, list | tuple) else [value])
        if item is not None
    ]

"""JSON as owners write it, in files and in the editor: read strictly, with the place of a mistake."""

import json
from typing import Any, NoReturn

from switchboard.contract.json import JsonObject


class BadJson(ValueError):
    """A text is not one JSON object; `line` and `column` count from 1, and are 0 where no place can be told."""

    def __init__(self, problem: str, line: int = 0, column: int = 0) -> None:
        """Keep the place apart, so that an editor can go there."""
        super().__init__(problem)
        self.line = line
        self.column = column


def decode(data: bytes) -> str:
    """Return the text of a file that must be UTF-8.

    Raises:
        BadJson: It is not, with the place of the first byte that does not fit.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadJson("is not UTF-8", line, error.start - data.rfind(b"\n", 0, error.start)) from None


def parse_object(text: str) -> JsonObject:
    """Return the JSON object that a text is.

    Raises:
        BadJson: It is not JSON, not an object, or says something twice or something that cannot be kept.
    """
    try:
        value = json.loads(text, object_pairs_hook=_without_repetition, parse_constant=_refuse_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise BadJson(error.msg, error.lineno, error.colno) from None
    except UnicodeEncodeError:
        raise BadJson("holds half of a character (a lone surrogate)") from None
    if not isinstance(value, dict):
        raise BadJson("must be one JSON object", 1, 1)
    return value


def _without_repetition(pairs: list[tuple[str, Any]]) -> JsonObject:
    result: JsonObject = {}
    for key, value in pairs:
        if key in result:
            raise BadJson(f"the key {key!r} stands twice in one object")
        result[key] = value
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise BadJson(f"{name} is not JSON")

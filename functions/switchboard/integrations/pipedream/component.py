"""What an action can be configured with, and values of a model brought into that form."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import orjson

from switchboard.contract.document import objects_of
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.pipedream.failures import failure

_APP = "app"


@dataclass(frozen=True, slots=True)
class Prop:
    """One field of a component.

    Attributes:
        name: The key of its value.
        type: Pipedream's, such as `string[]`.
        app: The app's slug, where it takes an account.
        is_needed: Whether it must have a value and has none by itself.
        reloads: Whether its value decides which other fields there are.
    """

    name: str
    type: str
    app: str = ""
    is_needed: bool = False
    reloads: bool = False


def read_props(rows: Any) -> tuple[Prop, ...]:
    """Return the fields among what stands in `configurable_props`."""
    return tuple(
        Prop(
            name=str(row["name"]),
            type=str(row.get("type") or "any"),
            app=str(row.get("app") or ""),
            is_needed=row.get("type") in _READERS
            and row.get("default") is None
            and not any(row.get(mark) for mark in ("optional", "disabled", "readOnly", "hidden")),
            reloads=row.get("reloadProps") is True,
        )
        for row in objects_of(rows)
        if row.get("name")
    )


def app_prop(props: Iterable[Prop], app: str) -> str:
    """Return the field that takes the account: it may have another name than the app.

    Raises:
        ToolError: PERMANENT, the action is of another app.
    """
    taking = [prop for prop in props if prop.type == _APP]
    matching = next((prop for prop in taking if prop.app == app), None)
    if matching is None and len(taking) == 1 and not (app and taking[0].app):
        matching = taking[0]
    if matching is None:
        raise failure(ErrorType.PERMANENT, f"the action takes no account of {app or 'an unnamed app'}")
    return matching.name


def unknown_among(props: Iterable[Prop], values: Mapping[str, Any]) -> list[str]:
    """Return the names of values for which there is no field."""
    known = {prop.name for prop in props}
    return sorted(values.keys() - known)


def fitted(props: Iterable[Prop], values: Mapping[str, Any]) -> JsonObject:
    """Return values in the types of their fields: "5" where a number stands, and a list where several may stand.

    What takes an account is left out, whoever named it.

    Raises:
        ToolError: VALIDATION, naming the fields that are missing or cannot be read.
    """
    configured: JsonObject = {}
    problems: list[str] = []
    for prop in props:
        value = values.get(prop.name)
        if prop.type == _APP:
            continue
        if value is None:
            if prop.is_needed:
                problems.append(f"{prop.name} is missing")
            continue
        try:
            configured[prop.name] = _READERS.get(prop.type, _as_it_is)(value)
        except ValueError:
            problems.append(f"{prop.name} must be {_NAMES.get(prop.type, prop.type)}")
    if problems:
        raise ToolError(
            ErrorType.VALIDATION, f"Nothing was done: {'; '.join(problems)}. Ask the caller, and try once more."
        )
    return configured


def _as_it_is(value: Any) -> Any:
    return value


def _text(value: Any) -> str:
    if isinstance(value, bool | int | float):
        return orjson.dumps(value).decode()
    if isinstance(value, str):
        return value
    raise ValueError


def _whole_number(value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        return int(value.strip())
    raise ValueError


def _yes_or_no(value: Any) -> bool:
    word = value.strip().lower() if isinstance(value, str) else value
    if word in (True, "true", "yes"):
        return True
    if word in (False, "false", "no"):
        return False
    raise ValueError


def _list_of(read: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    def several(value: Any) -> list[Any]:
        if isinstance(value, str):
            value = _from_json(value) if value.lstrip().startswith("[") else value.split(",")
            value = [item.strip() if isinstance(item, str) else item for item in value]
        items = value if isinstance(value, list | tuple) else [value]
        return [read(item) for item in items if item != ""]

    return several


def _mapping(value: Any) -> dict[str, Any]:
    parsed = _from_json(value) if isinstance(value, str) else value
    if not isinstance(parsed, dict):
        raise ValueError
    return parsed


def _from_json(text: str) -> Any:
    # orjson's error is a ValueError.
    return orjson.loads(text)


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "string": _text,
    "string[]": _list_of(_text),
    "integer": _whole_number,
    "integer[]": _list_of(_whole_number),
    "boolean": _yes_or_no,
    "object": _mapping,
}
_NAMES = {
    "string": "text",
    "string[]": "a list of texts",
    "integer": "a whole number",
    "integer[]": "a list of whole numbers",
    "boolean": "true or false",
    "object": "an object",
}

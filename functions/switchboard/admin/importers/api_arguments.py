"""What a model would be asked for to call a stranger's operation: `params` of a `ToolConfig`, named for models."""

import re
from typing import Any

from switchboard.admin.importers.api_schemas import resolved, with_needed, within
from switchboard.admin.importers.untrusted_text import has_variables, plain
from switchboard.catalog.arguments.arguments import TRUSTED_NAMES
from switchboard.catalog.definitions.variables import VARIABLES
from switchboard.catalog.tenant_tools.config_parameters import LONGEST_WORDS
from switchboard.contract.json import JsonObject

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_LONGEST = 56


class ApiArguments:
    """Gathers the arguments of one operation."""

    def __init__(self, report: list[str]) -> None:
        """Begin with none; what is called otherwise than there goes to `report`."""
        self.params: JsonObject = {}
        self._report = report

    def add(self, name: str, place: str, schema: JsonObject, *, is_required: bool, words: object = "") -> str:
        """Add one argument and return what it is called.

        Args:
            name: What it is called there.
            place: Where it stands there: `path`, `query`, `header` or `body`.
            schema: Sound, and standing by itself.
            is_required: Whether a call without it is refused.
            words: What the document says of it.
        """
        schema = _plainly(schema)
        told = self._told(name, place)
        if told != name:
            self._report.append(f"{place}.{name[:60]} is called {told}")
        only = _only_value(schema)
        if is_required and only and not has_variables(only[0]):
            self.params[told] = {"mode": "fixed", "value": only[0]}
            self._report.append(f"{place}.{name[:60]} has one possible value, which is fixed")
            return told
        asked: JsonObject = {"mode": "ai", "required": is_required}
        prompt = plain(words, LONGEST_WORDS)
        if prompt:
            asked["prompt"] = prompt
        # A schema that allows everything says nothing, which would be taken for a text.
        self.params[told] = asked | {"schema": within(schema or {"type": list(_ANY)}, told)}
        return told

    def _told(self, name: str, place: str) -> str:
        told = re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("_.-")[:_LONGEST] or place
        if _NAME.fullmatch(name) and name not in TRUSTED_NAMES and name not in VARIABLES:
            told = name
        is_ours = told in TRUSTED_NAMES or told in VARIABLES or told.startswith("secret.")
        if is_ours or told in self.params:
            told = f"{place}_{told}"[:_LONGEST]
        found, number = told, 1
        while found in self.params:
            number += 1
            found = f"{told}_{number}"
        return found


_ANY = ("string", "number", "boolean", "object", "array", "null")


def kind_of(schema: JsonObject) -> str:
    """Return what a schema's values are: `array`, `object` or `scalar`; empty where they may be any."""
    schema = resolved(schema, schema) or {}
    told = schema.get("type")
    kinds = {kind for kind in (told if isinstance(told, list) else [told]) if kind not in (None, "null")}
    if not kinds and ("enum" in schema or "const" in schema):
        values = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
        kinds = {"array" if isinstance(v, list) else "object" if isinstance(v, dict) else "text" for v in values}
    if len(kinds) == 1 and (only := kinds.pop()) in ("array", "object"):
        return str(only)
    return "" if not kinds and not told else "scalar" if not kinds & {"array", "object"} else ""


def _plainly(schema: JsonObject) -> JsonObject:
    """Return what a schema refers to in its place, unless that refers to itself."""
    meant, definitions = resolved(schema, schema), schema.get("$defs") or {}
    if not isinstance(meant, dict) or meant is schema:
        return schema
    words: JsonObject = {key: schema[key] for key in ("title", "description") if key in schema}
    found = with_needed({**meant, **words}, definitions)
    is_round = any(definition is meant for definition in found.get("$defs", {}).values())
    return schema if is_round else found


def _only_value(schema: JsonObject) -> list[Any]:
    if "const" in schema:
        return [schema["const"]]
    listed = schema.get("enum")
    return listed if isinstance(listed, list) and len(listed) == 1 else []

"""The body of a stranger's operation: its properties as arguments, or one argument for all of it."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from switchboard.admin.importers.api_parameters import ApiArguments, kind_of
from switchboard.admin.importers.api_schemas import ApiSchemas, resolved, with_needed
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
_MOST_PROPERTIES = 40
# What may stand beside the properties of a body that is asked for one by one.
_PLAIN = frozenset({"type", "properties", "required", "additionalProperties", "title", "description", "$defs"})


@dataclass(frozen=True, slots=True)
class Body:
    """What is sent: a template, and the headers that go with it."""

    template: Any = None
    headers: JsonObject = field(default_factory=dict)


def body_of(operation: JsonObject, schemas: ApiSchemas, arguments: ApiArguments, report: list[str]) -> Body:
    """Return the body of an operation, its arguments entered.

    Raises:
        DefinitionError: The operation needs one, and it cannot be sent.
    """
    body_described = schemas.followed(operation.get("requestBody"), "requestBody")
    if body_described is None:
        return Body()
    if not isinstance(body_described, Mapping):
        raise DefinitionError("requestBody", "is no object", "write content and required")
    is_required = body_described.get("required") is True
    content = body_described.get("content")
    known = content if isinstance(content, Mapping) else {}
    media = _media(known)
    if not media:
        sentence = ", ".join(str(name)[:60] for name in known) or "nothing"
        if is_required:
            raise DefinitionError("requestBody", f"takes {sentence} only", f"use {JSON} or {FORM}")
        report.append(f"requestBody was left out: it takes {sentence} only")
        return Body()
    if len(known) > 1:
        report.append(f"requestBody: of {len(known)} media types {media} is used")
    row = known[media]
    sent = JSON if "*" in media else media
    schema = schemas.whole(row.get("schema") if isinstance(row, Mapping) else None, "body", report)
    flat = _flattened(schema)
    words = body_described.get("description") or schema.get("description")
    headers = {} if sent == JSON else {"Content-Type": sent}
    properties = flat.get("properties") if flat is not None else None
    if flat is None or not isinstance(properties, Mapping) or not 0 < len(properties) <= _MOST_PROPERTIES:
        if _plain_media(media) == FORM:
            raise DefinitionError("requestBody", "is a form without plain fields", "name its fields as properties")
        name = arguments.add("body", "body", schema, is_required=is_required, words=words)
        return Body(f"{{{{{name}}}}}", {"Content-Type": sent})
    return Body(_template(flat, media, arguments, report, is_required=is_required), headers)


def _template(
    flat: JsonObject, media: str, arguments: ApiArguments, report: list[str], *, is_required: bool
) -> JsonObject:
    template: JsonObject = {}
    required = flat.get("required") or ()
    shelf = flat.get("$defs") or {}
    if flat.get("additionalProperties"):
        report.append("body: further fields, which the document allows, cannot be given")
    if required and not is_required:
        report.append("body: the whole of it is optional there; here its required fields are asked for")
    for name, schema in flat["properties"].items():
        own = with_needed(schema if isinstance(schema, dict) else {}, shelf)
        if _plain_media(media) == FORM and kind_of(own) in ("array", "object"):
            if name in required:
                raise DefinitionError(f"body.{name[:60]}", "is no plain value, which forms cannot carry", "use JSON")
            report.append(f"body.{name[:60]} is left out: forms carry plain values only")
            continue
        argument = arguments.add(name, "body", own, is_required=name in required, words=own.get("description"))
        template[name] = f"{{{{{argument}}}}}"
    return template


def _media(content: Mapping[str, Any]) -> str:
    """Return the media type to send: JSON, something like it, or a form; empty where there is none of these."""
    names = [name for name in content if isinstance(name, str)]
    exact = [name for name in names if _plain_media(name) in (JSON, "*/*", "application/*")]
    like = [name for name in names if _plain_media(name).endswith("+json") and name.isascii() and name.isprintable()]
    forms = [name for name in names if _plain_media(name) == FORM]
    return next(iter([*exact, *like, *forms]), "")


def _plain_media(name: str) -> str:
    """Return a media type without its parameters."""
    return name.partition(";")[0].strip().lower()


def _flattened(schema: JsonObject) -> JsonObject | None:
    """Return an object's schema with its parts joined into one; None where it is more than named properties."""
    parts = schema.get("allOf")
    rest = {key: value for key, value in schema.items() if key != "allOf"}
    flat: JsonObject = {"properties": {}, "required": []}
    for part in [rest, *(parts if isinstance(parts, list) else ())]:
        one = resolved(part, schema)
        if isinstance(one, dict) and "allOf" in one:
            one = _flattened({"$defs": {}, **one} | ({"$defs": schema["$defs"]} if "$defs" in schema else {}))
        if not isinstance(one, dict) or one.keys() - _PLAIN or one.get("type", "object") != "object":
            return None
        properties = one.get("properties") or {}
        if flat["properties"].keys() & properties.keys():
            return None
        flat["properties"] |= properties
        flat["required"] += [name for name in one.get("required") or () if name not in flat["required"]]
        if one.get("additionalProperties"):
            flat["additionalProperties"] = one["additionalProperties"]
    if "$defs" in schema:
        flat["$defs"] = schema["$defs"]
    return flat

"""OpenAI Chat Completions, and every server that speaks it.

Fields: reference/wire-formats §6.2 (calls and results), §6.1 (schemas) and §6.3 (strict mode). Trap 26: whether a
tool is strict is always said, because a vendor that is not told may decide for itself.
"""

from collections.abc import Sequence
from json import dumps
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.definition import Definition
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.formats.joining import listed
from switchboard.formats.lowering import COMMON, STANDARD, Dialect, Lowered, lower
from switchboard.formats.subschema import children
from switchboard.formats.visible import visible

# The outermost schema is refused with these: "must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/..."
_LENIENT = Dialect(STANDARD, forbidden_at_root=frozenset({"allOf", "anyOf", "oneOf", "enum", "const", "not"}))
_STRICT = Dialect(
    COMMON
    | {
        "$defs",
        "$ref",
        "additionalProperties",
        "const",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "multipleOf",
        "pattern",
    },
    formats=frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
    forbidden_at_root=frozenset({"anyOf", "enum", "const"}),
)
# wire-formats §6.3
_MOST_PROPERTIES = 5_000
_MOST_LEVELS = 10
_MOST_NAME_CHARACTERS = 120_000
_MOST_WORDS = 1_000
_LONG_ENUM = 250
_LONG_ENUM_CHARACTERS = 15_000


def declare(definition: Definition) -> JsonObject:
    """Return one tool as `{type: "function", function: {…, strict: false}}`."""
    return _function(definition, lower(definition.parameters, _LENIENT).schema, strict=False)


def lowerings(definition: Definition) -> tuple[str, ...]:
    """Return what `declare` could not say, one sentence each, by JSON pointer into `parameters`."""
    return lower(definition.parameters, _LENIENT).notes


def declare_strict(definition: Definition) -> tuple[JsonObject | None, tuple[str, ...]]:
    """Return one tool under the strict subset and what that lost; None and the reason where it cannot be said.

    Optional arguments become required and nullable, as strict mode demands; the null that the model then sends is
    dropped again when arguments are read.
    """
    lowered = lower(definition.parameters, _STRICT)
    strict = _Strict(lowered)
    schema = strict.object(lowered.schema, "", 1)
    strict.check_totals(schema)
    if strict.reasons:
        return None, tuple(strict.reasons)
    return _function(definition, schema, strict=True), lowered.notes


def declare_all(declarations: Sequence[JsonObject]) -> list[JsonObject]:
    """Return what stands under `tools` in a request."""
    return list(declarations)


def parse(vendor: Any) -> ToolCall:
    """Read one element of `tool_calls`; arguments stay the JSON text that the model wrote.

    Raises:
        Refused: It names no function, or its arguments are neither text nor an object.
    """
    function = vendor.get("function") if isinstance(vendor, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise Refused(ErrorType.VALIDATION, "A tool call must name its function.")
    arguments = function.get("arguments") or ""
    # Some compatible servers send the object itself.
    if not isinstance(arguments, str | dict):
        raise Refused(ErrorType.VALIDATION, "The arguments of a tool call must be a JSON object.")
    return ToolCall(function["name"], arguments, str(vendor.get("id") or ""))


def render(call_id: str, name: str, response: ToolResponse) -> JsonObject:
    """Return the message that answers a call; there is no error convention, so `content` says whether it went well."""
    content = dumps(visible(response), ensure_ascii=False, separators=(",", ":"))
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def _function(definition: Definition, parameters: JsonObject, *, strict: bool) -> JsonObject:
    function = {
        "name": definition.name,
        "description": definition.description,
        "parameters": parameters,
        "strict": strict,
    }
    return {"type": "function", "function": function}


class _Strict:
    """Brings a lowered schema under the strict rules and collects the reasons why that cannot be done."""

    def __init__(self, lowered: Lowered) -> None:
        # What was lost where an object's keys were open cannot be said at all: strict objects are closed.
        self.reasons = [note for note in lowered.notes if "patternProperties" in note or "prefixItems" in note]

    def node(self, schema: JsonObject, at: str, level: int) -> JsonObject:
        """Return a schema in which every object is closed and complete."""
        if level > _MOST_LEVELS:
            self.reasons.append(f"{at}: strict mode takes at most {_MOST_LEVELS} levels")
            return schema
        types = listed(schema.get("type", []))
        if not schema.keys() & {"type", "anyOf", "enum", "const", "$ref"}:
            self.reasons.append(f"{at or '/'}: strict mode cannot say that any value will do")
        if "anyOf" in schema:
            branches = [self.node(b, f"{at}/anyOf/{i}", level) for i, b in enumerate(schema["anyOf"])]
            schema = schema | {"anyOf": branches}
        if "array" in types:
            if not schema.get("items"):
                self.reasons.append(f"{at}: strict mode needs to know an array's items")
            else:
                schema = schema | {"items": self.node(schema["items"], f"{at}/items", level + 1)}
        return self.object(schema, at, level) if "object" in types else schema

    def object(self, schema: JsonObject, at: str, level: int) -> JsonObject:
        """Return an object schema that is closed and requires every property, the optional ones nullable."""
        is_open = schema.get("additionalProperties", False) is not False
        if is_open or (at and "properties" not in schema):
            self.reasons.append(f"{at or '/'}: strict mode cannot say an object with open keys")
        required = schema.get("required", [])
        properties = {
            name: self.node(child, f"{at}/properties/{name}", level + 1)
            for name, child in schema.get("properties", {}).items()
        }
        closed = schema | {
            "properties": {name: c if name in required else _nullable(c) for name, c in properties.items()},
            "required": list(properties),
            "additionalProperties": False,
        }
        if "$defs" in schema:
            closed["$defs"] = {n: self.node(c, f"{at}/$defs/{n}", level) for n, c in schema["$defs"].items()}
        return closed

    def check_totals(self, schema: JsonObject) -> None:
        """Hold the whole schema against the vendor's limits on size."""
        properties = words = characters = 0
        queue = [schema]
        while queue:
            node = queue.pop()
            values = [*node.get("enum", []), *([node["const"]] if "const" in node else [])]
            texts = [value for value in values if isinstance(value, str)]
            names = [*node.get("properties", {}), *node.get("$defs", {})]
            properties += len(node.get("properties", {}))
            words += len(node.get("enum", []))
            characters += sum(map(len, texts)) + sum(map(len, names))
            if len(texts) > _LONG_ENUM and sum(map(len, texts)) > _LONG_ENUM_CHARACTERS:
                self.reasons.append(f"/: one enum has more than {_LONG_ENUM_CHARACTERS} characters")
            queue += [child for _, child in children(node) if isinstance(child, dict)]
        limits = (
            (properties, _MOST_PROPERTIES, "properties"),
            (words, _MOST_WORDS, "enum words"),
            (characters, _MOST_NAME_CHARACTERS, "characters of names and words"),
        )
        self.reasons += [f"/: strict mode takes at most {most} {what}" for n, most, what in limits if n > most]


def _nullable(schema: JsonObject) -> JsonObject:
    """Return the schema of a value that may be left out, which strict mode spells as null."""
    if "const" in schema:
        schema = {key: value for key, value in schema.items() if key != "const"} | {"enum": [schema["const"]]}
    if "anyOf" in schema:
        null: JsonObject = {"type": "null"}
        return schema if null in schema["anyOf"] else schema | {"anyOf": [*schema["anyOf"], null]}
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    if "type" in schema and "null" not in listed(schema["type"]):
        schema = schema | {"type": [*listed(schema["type"]), "null"]}
    if "enum" in schema and None not in schema["enum"]:
        schema = schema | {"enum": [*schema["enum"], None]}
    return schema

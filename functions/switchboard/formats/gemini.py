"""Gemini: `generateContent` and the Live API share these shapes.

Two encodings of one
schema exist, which exclude each other: `parameters` with upper-case types for the Live API and older clients, and
`parametersJsonSchema` (seed 003, "Gemini 3 Format Handling").
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.formats.model_view import visible
from switchboard.formats.schema.dialect import COMBINING, COMMON, FOR_TYPE, Dialect, Lowered, hint, with_hints
from switchboard.formats.schema.lowering import lower
from switchboard.formats.schema.memo import once_per_schema
from switchboard.formats.schema.spelling import SpellingRule, restorer, spelled
from switchboard.formats.schema.subschema import children, pointer

# 128 are documented; backends refuse more than 64.
TOOL_NAMES = SpellingRule("A-Za-z0-9_.:-", 64, starts_with_letter=True)
"""How functions may be called."""
ARGUMENT_NAMES = SpellingRule("A-Za-z0-9_", 64, starts_with_letter=True)
"""How arguments may be called."""
_AT_ROOT = COMBINING | {"enum"}
_NATIVE = Dialect(
    COMMON
    | {"default", "example", "maxLength", "maxProperties", "minLength", "minProperties"}
    | {"nullable", "pattern", "propertyOrdering"},
    enum_types=(str,),
    has_references=False,
    has_type_lists=False,
    # "specified other fields alongside any_of"
    has_bare_any_of=True,
    forbidden_at_root=_AT_ROOT,
    names=ARGUMENT_NAMES,
)
# Others are refused: "only 'enum' and 'date-time' are supported for STRING type".
_FORMATS = {
    "string": {"enum", "date-time"},
    "number": {"float", "double"},
    "integer": {"int32", "int64"},
}
_JSON = Dialect(
    COMMON | {"$defs", "$ref", "additionalProperties", "prefixItems", "propertyOrdering"},
    enum_types=(str, int, float),
    forbidden_at_root=_AT_ROOT,
    names=ARGUMENT_NAMES,
)
_ARRAYS_OF_ANYTHING = 2

_PREFIX = "#/$defs/"


def declare(definition: Definition) -> JsonObject:
    """Return one function declaration with upper-case types; without `parameters` where a tool takes none."""
    return _declaration(definition, "parameters", _native(definition.parameters).schema)


def lowerings(definition: Definition) -> tuple[str, ...]:
    """Return what `declare` could not say, one sentence each, by JSON pointer into `parameters`."""
    return _native(definition.parameters).notes


def declare_json(definition: Definition) -> JsonObject:
    """Return one function declaration in the `parametersJsonSchema` encoding."""
    return _declaration(definition, "parametersJsonSchema", as_json_schema(definition.parameters).schema)


def lowerings_json(definition: Definition) -> tuple[str, ...]:
    """Return what `declare_json` could not say, one sentence each, by JSON pointer into `parameters`."""
    return as_json_schema(definition.parameters).notes


def declare_all(declarations: Sequence[JsonObject]) -> list[JsonObject]:
    """Return what stands under `tools` in a request: one element that holds every declaration."""
    return [{"functionDeclarations": list(declarations)}] if declarations else []


def parse(vendor: Any) -> ToolCall:
    """Read a part `{functionCall: {id?, name, args}}`, or its inside as the Live API sends it.

    The call id is empty where the model gave none; whoever knows turn and position makes one.

    Raises:
        Refused: It names no function, or its arguments are not an object.
    """
    call = vendor.get("functionCall", vendor) if isinstance(vendor, dict) else None
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        raise Refused(ErrorType.VALIDATION, "A function call must name its function.")
    arguments = call.get("args")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise Refused(ErrorType.VALIDATION, "The args of a function call must be an object.")
    return ToolCall(call["name"], arguments, str(call.get("id") or ""))


restore = restorer(ARGUMENT_NAMES)
"""Gives a call's arguments the names they have in the definition."""


def render(call_id: str, name: str, response: ToolResponse) -> JsonObject:
    """Return the part that answers a call: `output` or `error` inside `response`, which must be an object.

    An empty call id is left out: a model that gave none must not be answered with one.
    """
    seen = visible(response)
    answer = {"output": seen["data"]} if response.ok else {"error": seen["error"]}
    inner: JsonObject = {"id": call_id} if call_id else {}
    return {"functionResponse": inner | {"name": name, "response": answer}}


def _declaration(definition: Definition, key: str, schema: JsonObject) -> JsonObject:
    declaration: JsonObject = {"name": spelled(definition.name, TOOL_NAMES), "description": definition.description}
    # An object without properties was refused by older backends.
    return declaration | {key: schema} if schema.get("properties") else declaration


@once_per_schema
def as_json_schema(parameters: JsonObject) -> Lowered:
    """Return parameters as the `parametersJsonSchema` encoding says them."""
    return with_optional_recursion(lower(parameters, _JSON))


@once_per_schema
def _native(parameters: JsonObject) -> Lowered:
    lowered = lower(parameters, _NATIVE)
    notes = list(lowered.notes)
    return Lowered(_typed(lowered.schema, "", notes), tuple(dict.fromkeys(notes)))


def _typed(schema: Mapping[str, Any], at: str, notes: list[str]) -> JsonObject:
    """Return a lowered schema with upper-case types and what the backend insists on beyond the keywords."""
    word = dict(schema)
    if "type" not in word and "anyOf" not in word:
        guessed = _guessed(word)
        if not guessed:
            notes.append(f"{at or '/'}: Gemini needs a type; any of them is told")
            return {key: word[key] for key in word if key in ("title", "description")} | _anything()
        word["type"] = guessed
        notes.append(f"{at or '/'}: Gemini needs a type; {guessed} is told")
    kind = word.get("type", "")
    hints = _drop_strangers(word, kind, at, notes)
    if hints:
        word["description"] = with_hints(word.get("description"), hints)
    if kind == "array" and not isinstance(word.get("items"), Mapping):
        word["items"] = {}
    if kind == "object" and at and not word.get("properties"):
        notes.append(f"{at}: older backends refuse an object without named properties; use gemini_json")
    if kind:
        word["type"] = kind.upper()
    if "properties" in word:
        word["properties"] = {
            name: _typed(child, at + pointer("properties", name), notes) for name, child in word["properties"].items()
        }
    # "properties.x.required[0]: property is not defined" refuses the whole request.
    word["required"] = [name for name in word.get("required", []) if name in word.get("properties", ())]
    if not word["required"]:
        del word["required"]
    if isinstance(word.get("items"), Mapping):
        word["items"] = _typed(word["items"], f"{at}/items", notes)
    if "anyOf" in word:
        word["anyOf"] = [_typed(branch, at + pointer("anyOf", i), notes) for i, branch in enumerate(word["anyOf"])]
    return word


def _drop_strangers(word: JsonObject, kind: str, at: str, notes: list[str]) -> list[str]:
    """Drop keywords that belong to another type, and formats that the backend refuses; return hints for these."""
    foreign = set().union(*FOR_TYPE.values()) - FOR_TYPE.get(kind, frozenset())
    strangers = [key for key in word if (key in foreign and kind) or (key == "enum" and kind not in ("string", ""))]
    hints = []
    if "format" in word and "format" not in strangers and word["format"] not in _FORMATS.get(kind, ()):
        strangers.append("format")
        hints.append(hint("format", word["format"]))
    for key in strangers:
        del word[key]
        notes.append(f"{at or '/'}: {key} is {'told in the description only' if hints else 'left out'}")
    return hints


def _guessed(word: JsonObject) -> str:
    """Return the type that the rules of a schema are about; empty where there are none."""
    if "properties" in word:
        return "object"
    if "items" in word:
        return "array"
    if word.keys() & (FOR_TYPE["number"] - FOR_TYPE["string"]):
        return "number"
    return "string" if word.keys() & FOR_TYPE["string"] or "enum" in word else ""


def _anything(levels: int = _ARRAYS_OF_ANYTHING) -> JsonObject:
    """Return a schema for any value; arrays in arrays end somewhere, since each must say its items."""
    kinds: list[JsonObject] = [{"type": kind} for kind in ("STRING", "NUMBER", "BOOLEAN", "OBJECT")]
    if levels:
        kinds.append({"type": "ARRAY", "items": _anything(levels - 1)})
    return {"anyOf": kinds, "nullable": True}


def with_optional_recursion(lowered: Lowered) -> Lowered:
    """Return a lowered schema in which no property that leads back to its own definition is required.

    Gemini unrolls recursion itself and takes it inside optional properties only.
    """
    definitions = lowered.schema.get("$defs", {})
    reached = {name: _reached(name, definitions) for name in definitions}
    if not any(name in names for name, names in reached.items()):
        return lowered
    notes = list(lowered.notes)
    loosened = {
        name: _loosened(
            schema, pointer("$defs", name), {other for other in reached[name] if name in reached[other]}, notes
        )
        for name, schema in definitions.items()
    }
    return Lowered(lowered.schema | {"$defs": loosened}, tuple(dict.fromkeys(notes)))


def _reached(start: str, definitions: Mapping[str, Any]) -> set[str]:
    """Return the definitions that one leads to."""
    reached: set[str] = set()
    queue = [start]
    while queue:
        for name in _named(definitions[queue.pop()]):
            if name in definitions and name not in reached:
                reached.add(name)
                queue.append(name)
    return reached


def _named(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(reference := schema.get("$ref"), str):
            yield reference.removeprefix(_PREFIX)
        for _, child in children(schema):
            yield from _named(child)


def _loosened(schema: Any, at: str, circle: set[str], notes: list[str]) -> Any:
    if not isinstance(schema, Mapping) or not circle:
        return schema
    word: JsonObject = dict(schema)
    properties = word.get("properties", {})
    back = [n for n in word.get("required", ()) if n in properties and circle & set(_named(properties[n]))]
    if back:
        word["required"] = [name for name in word["required"] if name not in back]
        word["description"] = with_hints(word.get("description"), [f"always with {', '.join(back)}"])
        notes += [f"{at}: {name} leads back to itself and is told as optional" for name in back]
    if "properties" in word:
        word["properties"] = {
            name: _loosened(child, at + pointer("properties", name), circle, notes)
            for name, child in properties.items()
        }
    for keyword in ("items", "additionalProperties"):
        if keyword in word:
            word[keyword] = _loosened(word[keyword], at + pointer(keyword), circle, notes)
    for keyword in ("anyOf", "prefixItems"):
        if keyword in word:
            word[keyword] = [
                _loosened(child, at + pointer(keyword, index), circle, notes)
                for index, child in enumerate(word[keyword])
            ]
    return word

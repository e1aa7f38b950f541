"""The names that people give to types and keywords, and the JSON Schema that each of them means.

Python (`str`, `Optional[int]`, `list[str]`), Gemini (`STRING`), databases and forms (`datetime`, `varchar(20)`),
shorthand (`string[]`, `string?`) and other languages (`HashMap<String, Integer>`, `[]string`, `Vec<u8>`). A name that
can mean two things is none.

OpenAPI 3.0 and Swagger, draft 4, Gemini's upper-case schemas and their Python spelling, Pydantic's constraints.
"""

import ast
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.formats.schema.subschema import ALONE, ANNOTATIONS, IN_LISTS, IN_MAPS

TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})

_MEANT: dict[str, JsonObject] = {
    **{name: {"type": "string"} for name in ("string", "str", "text", "varchar", "char")},
    **{name: {"type": "integer"} for name in ("integer", "int", "int32", "int64", "long", "bigint", "smallint")},
    **{name: {"type": "number"} for name in ("number", "float", "double", "decimal", "numeric", "real")},
    **{name: {"type": "boolean"} for name in ("boolean", "bool")},
    **{name: {"type": "array"} for name in ("array", "list", "sequence", "iterable")},
    **{name: {"type": "object"} for name in ("object", "dict", "map", "mapping", "record", "struct")},
    **{name: {"type": "null"} for name in ("null", "none", "nonetype", "nil", "undefined")},
    **{name: {"type": "string", "format": "date-time"} for name in ("datetime", "date-time", "date_time")},
    **{name: {"type": "string", "format": name} for name in ("date", "time", "email", "uuid", "uri", "hostname")},
    **{name: {"type": "string", "format": "uri"} for name in ("url", "anyurl", "httpurl")},
    "emailstr": {"type": "string", "format": "email"},
    **{name: {"type": "array", "uniqueItems": True} for name in ("set", "frozenset")},
    **{name: {} for name in ("any", "mixed", "type_unspecified")},
}
_ALSO_CALLED = {
    "string": "nvarchar nsstring wstring rune charsequence",
    "integer": "short ushort uint ulong usize isize biginteger tinyint serial int8 int16 int128 uint8 "
    "uint16 uint32 uint64 i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 int8_t int16_t int32_t int64_t uint8_t uint16_t "
    "uint32_t uint64_t size_t",
    "number": "bigdecimal f32 f64 float32 float64 cgfloat money",
    "list": "arraylist linkedlist vec vector collection readonlyarray mutablelist immutablelist ilist ienumerable "
    "slice deque queue",
    "tuple": "pair",
    "set": "hashset treeset linkedhashset sortedset readonlyset mutableset btreeset",
    "map": "hashmap treemap linkedhashmap hashtable dictionary idictionary hash mutablemap btreemap sortedmap",
    "optional": "option maybe nullable",
    "datetime": "zoneddatetime offsetdatetime datetimeoffset instant",
    "date": "localdate dateonly",
    "uuid": "guid",
}
_MEANT["tuple"] = {"type": "array"}
_OWN_NAME = {other: name for name, others in _ALSO_CALLED.items() for other in others.split()}
_PREFIX = re.compile(
    r"^(?:typing(?:_extensions)?|collections\.abc|datetime|decimal|uuid|builtins|pydantic(?:\.networks)?"
    r"|Type|SchemaType|types\.Type|genai\.types\.Type|java\.(?:util|lang|time|math)|System|kotlin)\.(?=\w)"
    r"|^std::(?=\w)"
)
_CLASS = re.compile(r"^<(?:class|enum) '([\w.]+)'>$")
_GENERIC = re.compile(r"^(\w+)\[(.*)\]$", re.DOTALL)
_GO_MAP = re.compile(r"^map\[([^\[\]]+)\](.+)$", re.DOTALL)
_SWIFT = re.compile(r"^\[([^:]+)(?::(.+))?\]$", re.DOTALL)
_SIZED = re.compile(r"^(\w+)\((.*)\)$", re.DOTALL)
_LONGEST = 300

COUNTS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}) | {
    "minContains",
    "maxContains",
}
NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
FLAGS = frozenset({"uniqueItems", "nullable", "x-nullable", "optional", "deprecated", "readOnly", "writeOnly"})
KEYWORDS = frozenset({"type", "enum", "const", "required", "dependentRequired", "format", "pattern"}).union(
    {"$schema", "$id", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "$comment"},
    {"contentMediaType", "contentEncoding"},
    IN_MAPS,
    IN_LISTS,
    ALONE,
    ANNOTATIONS,
    COUNTS,
    NUMBERS,
) - {"definitions"}
"""The keywords of 2020-12."""

_SNAKE = {
    re.sub(r"(?<=[a-z])(?=[A-Z])", "_", word).lower(): word
    for word in KEYWORDS
    if word.isalpha() and not word.islower()
}
RENAMED: Mapping[str, str] = _SNAKE | {
    "ge": "minimum",
    "le": "maximum",
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
    "regex": "pattern",
    "choices": "enum",
    "allowedValues": "enum",
    "allowed_values": "enum",
    "desc": "description",
}
"""Other names of keywords, used where the keyword itself is not."""

SIZES: Mapping[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
}
"""What `min` and `max` mean, by type."""

FORMATS = {
    "datetime": "date-time",
    "date_time": "date-time",
    "dateTime": "date-time",
    "url": "uri",
    "e-mail": "email",
    "guid": "uuid",
    "UUID": "uuid",
}
"""Formats by names that can only mean one."""

COMMENTS = re.compile(r"^(?://|#|_?comments?$)")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?", re.ASCII)
_FLAG = {"true": True, "false": False, "yes": True, "no": False}

TYPED = (
    ("object", frozenset({"properties", "required", "additionalProperties", "minProperties", "maxProperties"})),
    ("array", frozenset({"items", "prefixItems", "minItems", "maxItems", "uniqueItems"})),
    ("string", frozenset({"minLength", "maxLength", "pattern"})),
    ("number", NUMBERS),
)
"""Types, and the keywords that speak of no other."""

Note: TypeAlias = Callable[[str, str], None]
"""Reports one repair: a JSON pointer, and a sentence."""

_WHOLE_TOOLS = ("parameters", "inputSchema", "input_schema", "parametersJsonSchema", "function", "functionSchema")
_ONLY_WORDS = frozenset({"title", "description", "type", "format", "pattern", "required", "enum", "$comment"})


def meaning(name: str) -> JsonObject | None:
    """Return the schema that a type's name means, or None where it means nothing, or more than one thing."""
    if len(name) > _LONGEST:
        return None
    text = _PREFIX.sub("", _CLASS.sub(r"\1", name.strip()))
    if not set(text) & set("'\""):
        text = text.replace("<", "[").replace(">", "]")
    if text.endswith("?"):
        return _either([text[:-1], "null"])
    if text.startswith("[]"):
        return _list(text[2:])
    if text.endswith("[]"):
        return _list(text[:-2])
    parts = _split(text, "|")
    if len(parts) > 1:
        return _either(parts)
    if match := _GENERIC.match(text):
        return _generic(_known(match[1]), match[2])
    if (match := _GO_MAP.match(text)) or ((match := _SWIFT.match(text)) and match[2]):
        return _generic("map", f"{match[1]},{match[2]}")
    if match := _SWIFT.match(text):
        return _list(match[1])
    if match := _SIZED.match(text):
        return _sized(_known(match[1]), match[2])
    meant = _MEANT.get(_known(text))
    return None if meant is None else dict(meant)


def _known(name: str) -> str:
    """Return a name in lower case, as it is called here."""
    name = name.casefold()
    return _OWN_NAME.get(name, name)


def _sized(name: str, inside: str) -> JsonObject | None:
    """Return what a database's type with brackets means, such as `varchar(20)`, `decimal(10,2)` or `enum('a','b')`."""
    if name == "enum":
        words = _words(inside)
        return {"type": "string", "enum": words} if words and all(isinstance(word, str) for word in words) else None
    meant = _MEANT.get(name)
    if meant is None or not re.fullmatch(r"\s*\d{1,9}\s*(?:,\s*\d{1,9}\s*)?", inside, re.ASCII):
        return None
    if meant == {"type": "string"}:
        return {"type": "string", "maxLength": int(inside)} if inside.strip().isdigit() else None
    return dict(meant) if meant.get("type") in ("integer", "number") else None


def unclear(at: str, name: Any) -> DefinitionError:
    """Return the error for a type that cannot be told."""
    known = ", ".join(sorted(TYPES))
    shown = json.dumps(name, ensure_ascii=False)[:60]
    return DefinitionError(at, f"{shown} can mean more than one type, or none", f"write one of {known}")


def or_null(schema: JsonObject) -> JsonObject:
    """Return the schema of a value that may also be null."""
    null: JsonObject = {"type": "null"}
    types = schema.get("type")
    if schema.keys() & {"$ref", "anyOf", "oneOf", "allOf", "not", "const"} or types is None:
        words = {key: schema[key] for key in ("description", "title", "default") if key in schema}
        inner = {key: value for key, value in schema.items() if key not in words}
        if not inner:
            return schema
        is_any_of = inner.keys() == {"anyOf"} and isinstance(inner["anyOf"], list)
        forms = inner["anyOf"] if is_any_of else [inner]
        return words | {"anyOf": forms if null in forms else [*forms, null]}
    kinds = [types] if isinstance(types, str) else list(types)
    nullable = schema | {"type": kinds if "null" in kinds else [*kinds, "null"]}
    if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
        nullable["enum"] = [*schema["enum"], None]
    return nullable


def _generic(name: str, inside: str) -> JsonObject | None:
    parts = _split(inside, ",")
    match name:
        case "optional":
            return _either([*parts, "null"]) if len(parts) == 1 else None
        case "union":
            return _either(parts)
        case "literal":
            words = _words(inside)
            return {"enum": words} if words else None
        case "annotated":
            return meaning(parts[0])
        case "tuple":
            return _tuple(parts)
        case "list" | "array" | "sequence" | "iterable":
            return _list(parts[0]) if len(parts) == 1 else None
        case "set" | "frozenset":
            meant = _list(parts[0]) if len(parts) == 1 else None
            return None if meant is None else meant | {"uniqueItems": True}
        case "dict" | "mapping" | "map" | "record":
            if len(parts) != 2 or meaning(parts[0]) != {"type": "string"}:
                return None
            values = meaning(parts[1])
            return None if values is None else {"type": "object", "additionalProperties": values or True}
    return None


def _list(name: str) -> JsonObject | None:
    items = meaning(name)
    return None if items is None else {"type": "array", "items": items}


def _tuple(names: list[str]) -> JsonObject | None:
    if names[1:] == ["..."]:
        return _list(names[0])
    items = [meaning(name) for name in names]
    if None in items:
        return None
    return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}


def _words(inside: str) -> list[Any]:
    """Return the values of a `Literal`, as Python and as JSON write them; none where they are something else."""
    try:
        # `true` and `null` are JSON's.
        words = json.loads(f"[{inside}]")
    except ValueError:
        try:
            words = ast.literal_eval(f"[{inside}]")
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return []
    return words if all(isinstance(word, str | int | None) for word in words) else []


def _either(names: list[str]) -> JsonObject | None:
    branches = [meaning(name) for name in names]
    forms = [form for form in branches if form is not None]
    if len(forms) < len(branches) or not forms or {} in forms:
        return None
    forms = [form for position, form in enumerate(forms) if form not in forms[:position]]
    others = [form for form in forms if form != {"type": "null"}]
    if len(forms) == 1:
        return forms[0]
    if len(others) == 1 and "enum" not in others[0]:
        return or_null(others[0])
    if all(form.keys() == {"type"} and isinstance(form["type"], str) for form in forms):
        return {"type": [form["type"] for form in forms]}
    return {"anyOf": forms}


def _split(text: str, separator: str) -> list[str]:
    """Split at a separator that stands in no bracket and no quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for position, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "[(":
            depth += 1
        elif char in "])":
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    return [*parts, text[start:].strip()]


def number_in(value: Any) -> int | float | None:
    """Return the number that a text spells, or None."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value) if "." in value else int(value)
    return None


def flag_in(value: Any) -> bool | None:
    """Return what a text says that stands for true or false, or None."""
    return _FLAG.get(value.strip().casefold()) if isinstance(value, str) else None


def as_schema(document: Any, note: Note) -> JsonObject:
    """Return the object schema that a document means.

    Raises:
        DefinitionError: It is no schema, or a whole tool.
    """
    if isinstance(document, list) and document and all(isinstance(row, Mapping) and "name" in row for row in document):
        note("", "a list of parameters was made the properties of an object")
        return {"type": "object", "properties": by_name(document, "")}
    if not isinstance(document, Mapping):
        raise DefinitionError(
            "/", f"is {type(document).__name__}, no schema", "write an object with type and properties"
        )
    known = document.keys() & (KEYWORDS | RENAMED.keys())
    if not known - {"description", "title"}:
        for key in _WHOLE_TOOLS:
            if isinstance(document.get(key), Mapping):
                raise DefinitionError("/", "is a whole tool", f"give only what stands under {key}, its schema")
    if document and _is_bare(document):
        note("", "a map from names to types was made the properties of an object")
        return {"type": "object", "properties": dict(document)}
    return dict(document)


def by_name(rows: list[Any], at: str) -> JsonObject:
    """Return a list of parameters, each with its `name`, as properties.

    Raises:
        DefinitionError: One has no name, or two have the same.
    """
    properties: JsonObject = {}
    for index, row in enumerate(rows):
        name = row.get("name") if isinstance(row, Mapping) else None
        if not isinstance(name, str) or not name:
            raise DefinitionError(f"{at}/{index}", "has no name", 'write {"name": …, "type": …} for each parameter')
        if name in properties:
            raise DefinitionError(f"{at}/{index}", f"{name!r} is there twice", "give every parameter its own name")
        properties[name] = {key: value for key, value in row.items() if key != "name"}
    return properties


def _is_bare(document: Mapping[str, Any]) -> bool:
    """Tell whether every key can only be the name of a property."""
    rows = {key: value for key, value in document.items() if not COMMENTS.match(key)}
    return bool(rows) and all(_is_property(key, value) for key, value in rows.items())


def _is_property(key: str, value: Any) -> bool:
    if key in KEYWORDS or key in RENAMED or key == "nullable":
        return key in _ONLY_WORDS and isinstance(value, Mapping) and "type" in value
    if isinstance(value, str):
        return meaning(value) is not None
    return isinstance(value, Mapping) and bool(value.keys() & {"type", "enum", "properties", "items", "$ref", "anyOf"})

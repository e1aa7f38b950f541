"""OpenAI's strict mode: the subset of JSON Schema under which a model cannot write arguments that do not fit.

Every object is closed and every property required;
one that may be left out takes null instead, and `without_nulls` reads that back as left out.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.formats.schema.dialect import COMBINING, COMMON, FOR_TYPE, Dialect, Lowered
from switchboard.formats.schema.keywords import listed, type_of
from switchboard.formats.schema.lowering import lower
from switchboard.formats.schema.memo import once_per_schema
from switchboard.formats.schema.subschema import children, target

_DIALECT = Dialect(
    COMMON
    | {"$defs", "$ref", "additionalProperties", "const", "pattern"}
    | {"exclusiveMaximum", "exclusiveMinimum", "multipleOf"},
    formats=frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
    has_bare_any_of=True,
    forbidden_at_root=COMBINING | {"enum", "const"},
)
_FOR_ANY = frozenset().union(*FOR_TYPE.values())
_MOST_PROPERTIES = 5_000
_MOST_LEVELS = 10
_MOST_NAME_CHARACTERS = 120_000
_MOST_WORDS = 1_000
_LONG_ENUM = 250
_LONG_ENUM_CHARACTERS = 15_000


@dataclass(frozen=True, slots=True)
class Strict:
    """A schema under the strict rules, or None and why there cannot be one; `notes` say what was lost."""

    schema: JsonObject | None
    notes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@once_per_schema
def strictly(parameters: JsonObject) -> Strict:
    """Return the schema of a tool's arguments under the strict rules."""
    strict = _Strict(lower(parameters, _DIALECT))
    schema = strict.whole()
    if strict.reasons:
        return Strict(None, reasons=tuple(dict.fromkeys(strict.reasons)))
    return Strict(schema, tuple(dict.fromkeys(strict.notes)))


class _Strict:
    """Brings a lowered schema under the strict rules and collects the reasons why that cannot be done."""

    def __init__(self, lowered: Lowered) -> None:
        self._lowered = lowered.schema
        self.notes = list(lowered.notes)
        # Any items at all would have to be allowed for, which no closed schema can.
        self.reasons = [note for note in lowered.notes if "prefixItems" in note]

    def whole(self) -> JsonObject:
        definitions = self._lowered.get("$defs", {})
        schema = self._object({key: value for key, value in self._lowered.items() if key != "$defs"}, "", 1)
        if definitions:
            schema["$defs"] = {name: self._node(child, f"/$defs/{name}", 1) for name, child in definitions.items()}
        self._check_totals(schema)
        return schema

    def _node(self, schema: JsonObject, at: str, level: int) -> JsonObject:
        """Return a schema in which every object is closed and complete."""
        if level > _MOST_LEVELS:
            self.reasons.append(f"{at}: strict mode takes at most {_MOST_LEVELS} levels")
            return schema
        schema = self._typed(schema, at)
        if "anyOf" in schema:
            branches = [self._node(b, f"{at}/anyOf/{i}", level) for i, b in enumerate(schema["anyOf"])]
            schema = schema | {"anyOf": branches}
        types = listed(schema.get("type", []))
        schema = {key: value for key, value in schema.items() if key not in _FOR_ANY or _is_for(key, types)}
        if "array" in types:
            if not schema.get("items"):
                self.reasons.append(f"{at}: strict mode needs to know an array's items")
            else:
                schema = schema | {"items": self._node(schema["items"], f"{at}/items", level + 1)}
        return self._object(schema, at, level) if "object" in types else schema

    def _typed(self, schema: JsonObject, at: str) -> JsonObject:
        """Return a schema that says its type, and whose words are all of that type."""
        if schema.keys() & {"anyOf", "$ref"}:
            return schema
        if not schema.keys() & {"type", "enum", "const"}:
            kind = "object" if "properties" in schema else "array" if "items" in schema else ""
            if not kind:
                self.reasons.append(f"{at or '/'}: strict mode cannot say that any value will do")
                return schema
            self.notes.append(f"{at}: strict mode needs a type; {kind} is told")
            schema = {"type": kind} | schema
        words = schema["enum"] if "enum" in schema else [schema["const"]] if "const" in schema else []
        if any(isinstance(word, list | dict) for word in words):
            self.reasons.append(f"{at}: strict mode takes no lists and objects as words")
            return schema
        kinds = list(dict.fromkeys(map(type_of, words)))
        if words and "type" not in schema:
            schema = {"type": kinds[0] if len(kinds) == 1 else kinds} | schema
        elif "enum" in schema:
            # The vendor holds every word against the type.
            allowed = {*listed(schema["type"])} | ({"integer"} if "number" in listed(schema["type"]) else set())
            fitting = [word for word in words if type_of(word) in allowed]
            schema = schema | {"enum": fitting}
            if not fitting:
                self.reasons.append(f"{at}: none of the words has the type")
        return schema

    def _object(self, schema: JsonObject, at: str, level: int) -> JsonObject:
        """Return an object schema that is closed and requires every property, the optional ones nullable."""
        is_open = schema.get("additionalProperties", False) is not False
        if is_open or (at and "properties" not in schema):
            self.reasons.append(f"{at or '/'}: strict mode cannot say an object with open keys")
        required = schema.get("required", [])
        properties: JsonObject = {}
        for name, child in schema.get("properties", {}).items():
            inner = self._node(child, f"{at}/properties/{name}", level + 1)
            properties[name] = inner if name in required else _nullable(inner)
            if name not in required and properties[name] == inner:
                self.notes.append(f"{at}/properties/{name}: leaving it out is told as null, which is also a value here")
        return schema | {"properties": properties, "required": list(properties), "additionalProperties": False}

    def _check_totals(self, schema: JsonObject) -> None:
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


def _is_for(keyword: str, types: list[str]) -> bool:
    """Tell whether a keyword that is one type's own says anything about these."""
    return not types or any(keyword in FOR_TYPE.get(kind, ()) for kind in types)


def _nullable(schema: JsonObject) -> JsonObject:
    """Return the schema of a value that may be left out, which strict mode spells as null."""
    if "const" in schema:
        schema = {key: value for key, value in schema.items() if key != "const"} | {"enum": [schema["const"]]}
    if "anyOf" in schema:
        if any("null" in listed(branch.get("type")) for branch in schema["anyOf"]):
            return schema
        return schema | {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    if "type" in schema and "null" not in listed(schema["type"]):
        schema = schema | {"type": [*listed(schema["type"]), "null"]}
    if "enum" in schema and None not in schema["enum"]:
        schema = schema | {"enum": [*schema["enum"], None]}
    return schema


def without_nulls(arguments: JsonObject, parameters: JsonObject) -> JsonObject:
    """Return the arguments of a strict call without the nulls that stand for what was left out.

    A null stays where the canonical schema takes one: it is a value there.
    """
    read: JsonObject = _StrictReader(parameters).value(arguments, [parameters])
    return read


class _StrictReader:
    """Follows arguments and the schemas that apply to them side by side."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root

    def value(self, value: Any, schemas: list[Any]) -> Any:
        applying = [applicable for schema in schemas for applicable in self._applying(schema, value, ())]
        if isinstance(value, list):
            inner = [a["items"] for a in applying if "items" in a]
            return [self.value(item, inner) for item in value]
        if not isinstance(value, dict):
            return value
        fields = {}
        for name, item in value.items():
            inner = [a["properties"][name] for a in applying if name in a.get("properties", {})]
            if item is not None or not inner or any(self._takes_null(schema, ()) for schema in inner):
                fields[name] = self.value(item, inner)
        return fields

    def _applying(self, schema: Any, value: Any, open_: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
        """Yield the schema objects that may say something about a value, behind references and in branches."""
        if not isinstance(schema, Mapping):
            return
        yield schema
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference not in open_:
            yield from self._applying(self._target(reference), value, (*open_, reference))
        for branch in listed(schema.get("allOf", [])):
            yield from self._applying(branch, value, open_)
        branches = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), schema.get("then"), schema.get("else")]
        branches += [s for name, s in (schema.get("dependentSchemas") or {}).items() if _has(value, name)]
        for branch in branches:
            applying = list(self._applying(branch, value, open_))
            if all(_may_be(one, value) for one in applying):
                yield from applying

    def _takes_null(self, schema: Any, open_: tuple[str, ...]) -> bool:
        if not isinstance(schema, Mapping):
            return schema is not False
        words = schema.get("enum", [schema["const"]] if "const" in schema else [None])
        if None not in words or ("type" in schema and "null" not in listed(schema["type"])):
            return False
        reference = schema.get("$ref")
        is_new = isinstance(reference, str) and reference not in open_
        if is_new and not self._takes_null(self._target(str(reference)), (*open_, str(reference))):
            return False
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema and not any(self._takes_null(branch, open_) for branch in schema[keyword]):
                return False
        return all(self._takes_null(branch, open_) for branch in schema.get("allOf", ()))

    def _target(self, reference: str) -> Any:
        try:
            return target(self._root, reference)
        except LookupError:
            return None


def _has(value: Any, name: str) -> bool:
    return isinstance(value, dict) and value.get(name) is not None


def _may_be(schema: Mapping[str, Any], value: Any) -> bool:
    """Tell whether an object may be meant for a branch, by the words that tell branches apart."""
    if not isinstance(value, dict):
        return True
    for name, child in schema.get("properties", {}).items():
        if not isinstance(child, Mapping) or name not in value:
            continue
        if "const" in child and value[name] != child["const"]:
            return False
        if "enum" in child and value[name] is not None and value[name] not in child["enum"]:
            return False
    return True

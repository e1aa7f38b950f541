"""Schemas that owners and builds write: checked in full, then compiled, with nothing fetched and nothing that blows up.

Every Python validator fetches a remote `$ref` unless it is
kept from it, and a pattern or a doubling reference can cost minutes. What is refused here cannot be reached at a call.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

from switchboard.catalog.arguments.correction import phrase, place
from switchboard.catalog.schema.references import deepest_value, reference_problems, with_uri_references
from switchboard.catalog.schema.satisfiable import impossible_required
from switchboard.catalog.schema.types import kind_of
from switchboard.contract import policy
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import Limits, MalformedJson, check_value
from switchboard.formats.schema.subschema import children, pointer

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

DIALECT = "https://json-schema.org/draft/2020-12/schema"
LONGEST_PATTERN = 256
_PATTERN_BYTES = 1 << 20  # what a compiled pattern may take
# A schema with hundreds of properties says several things about each.
_LIMITS = Limits(depth=4 * policy.SCHEMA_DEPTH, nodes=4 * policy.SCHEMA_NODES, bytes=policy.SCHEMA_BYTES)

ASSERTED_FORMATS = frozenset(
    {"date", "date-time", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri"}
    | {"uri-reference", "iri", "iri-reference", "uri-template", "uuid", "regex", "json-pointer"}
    | {"relative-json-pointer"}
)
"""The formats that are checked."""
NOTED_FORMATS = frozenset({"int32", "int64", "float", "double", "byte", "binary", "password"})
"""OpenAPI's own, which add nothing to check. Any other format is a remark too; the linter reports those."""

_REMEDIES = {
    "type": "use array, boolean, integer, null, number, object or string",
    "required": "write a list of property names, each once",
    "properties": "write an object that has a schema for each name",
    "enum": "write a list of values",
    "anyOf": "write a list of schemas",
    "oneOf": "write a list of schemas",
    "allOf": "write a list of schemas",
    "items": "write one schema",
    "pattern": "write a regular expression",
}
_BRANCH = re.compile(r"/(?:(?:allOf|anyOf|oneOf)/\d+|if|then|else|not|dependentSchemas/[^/]*)$")
_ELSEWHERE = {"$ref", "allOf", "anyOf", "oneOf", "patternProperties"}
_BOUNDS = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)


@dataclass(frozen=True, slots=True)
class CompiledSchema:
    """A schema ready to check values.

    Attributes:
        schema: What it was compiled from.
        is_valid: Whether a value satisfies it; the fastest question.
        errors: Everything that is wrong with a value that is not nested too deeply.
        deepest: How many levels deep a value may nest, where the schema refers to itself; None where it does not.
    """

    schema: JsonObject
    is_valid: Callable[[Any], bool]
    errors: Callable[[Any], "Iterator[ValidationError]"]
    deepest: int | None = None

    def problem(self, value: Any) -> str | None:
        """Return the first thing that is wrong with a value, without quoting it, or None."""
        if self.deepest is not None and not _is_nested(value, self.deepest):
            return f"is nested more than {self.deepest} levels deep"
        for error in self.errors(value):
            name = place(tuple(error.instance_path))
            return f"{name}: {phrase(error)}" if name else phrase(error)
        return None


def compile_schema(schema: JsonObject) -> CompiledSchema:
    """Return a checked schema ready for use; formats are asserted.

    Raises:
        DefinitionError: The first of the problems that `check_schema` finds.
    """
    problems = check_schema(schema)
    if problems:
        raise problems[0]
    return compile_checked(schema)


def compile_checked(schema: JsonObject) -> CompiledSchema:
    """Return a schema that is known to be sound ready for use, such as one derived from a checked one."""
    validator = _validator(with_uri_references(schema))
    is_valid, deepest = validator.is_valid, deepest_value(schema)
    if deepest is None:
        return CompiledSchema(schema, is_valid, validator.iter_errors)
    levels = deepest
    return CompiledSchema(
        schema, lambda value: _is_nested(value, levels) and is_valid(value), validator.iter_errors, deepest
    )


def _is_nested(value: Any, levels: int) -> bool:
    """Tell whether a value nests at most so many levels deep."""
    level = [value]
    for _ in range(levels + 1):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, list | tuple):
                inner += item
        if not inner:
            return True
        level = inner
    return False


def check_schema(schema: Any) -> list[DefinitionError]:
    """Return everything that is wrong with a schema, each with its JSON pointer; empty when it can be used."""
    if not isinstance(schema, dict):
        return [DefinitionError("/", f"expected an object, found {type(schema).__name__}", "write a JSON Schema")]
    try:
        check_value(schema, _LIMITS)
    except MalformedJson as error:
        return [DefinitionError("/", str(error), "make the schema smaller or plainer")]
    problems = list(_against_metaschema(schema))
    nodes = list(_walk(schema))
    if any(at.count("/") > 2 * policy.SCHEMA_DEPTH for at, _ in nodes):
        problems.append(
            DefinitionError("/", "schemas are nested too deeply", f"use at most {policy.SCHEMA_DEPTH} levels")
        )
    for at, node in nodes:
        problems += _about_node(node, at)
    problems += reference_problems(schema, nodes)
    return problems or [*_about_defaults(schema, nodes), *_about_required(schema)]


def _walk(schema: Any) -> Iterator[tuple[str, Any]]:
    queue = [("", schema)]
    for at, node in queue:
        yield at, node
        queue += [(at + inner, child) for inner, child in children(node)]


def _against_metaschema(schema: JsonObject) -> Iterator[DefinitionError]:
    seen = set()
    for error in _metaschema().iter_errors(schema):
        at = pointer(*error.instance_path) or "/"
        keyword = str(error.instance_path[-1]) if error.instance_path else ""
        # Eight vocabularies report the same thing; patterns are judged by `_about_pattern`.
        if (at, error.kind.name) not in seen and error.kind.name != "format":
            seen.add((at, error.kind.name))
            yield DefinitionError(at, phrase(error), _REMEDIES.get(keyword, "see JSON Schema 2020-12"))


def _about_node(node: Any, at: str) -> Iterator[DefinitionError]:
    """Yield what the metaschema allows and we do not."""
    if not isinstance(node, dict):
        return
    if str(node.get("$schema", DIALECT)).rstrip("#") != DIALECT:
        yield DefinitionError(f"{at}/$schema", "is another dialect", f"write {DIALECT} or leave it out")
    for keyword in {"$id", "$anchor", "$dynamicAnchor", "$dynamicRef"} & node.keys():
        if at or keyword != "$id":
            yield DefinitionError(f"{at}/{keyword}", "is not supported", "refer by JSON pointer, such as #/$defs/name")
    patterns = [("pattern", node.get("pattern"))]
    if isinstance(node.get("patternProperties"), Mapping):
        patterns += [(f"patternProperties{pointer(p)}", p) for p in node["patternProperties"]]
    for keyword, pattern in patterns:
        if isinstance(pattern, str) and (problem := _about_pattern(pattern)):
            yield DefinitionError(f"{at}/{keyword}", *problem)
    yield from _about_contradictions(node, at)


def _about_pattern(pattern: str) -> tuple[str, str] | None:
    if len(pattern) > LONGEST_PATTERN:
        return f"has {len(pattern)} characters", f"use at most {LONGEST_PATTERN}"
    try:
        _validator({"pattern": pattern})
    except ValueError:
        return "cannot be used", "write a linear-time expression: no look-around, no back-references, no huge repeats"
    return None


def _about_contradictions(node: JsonObject, at: str) -> Iterator[DefinitionError]:
    for low, high in _BOUNDS:
        one, two = node.get(low), node.get(high)
        if isinstance(one, int | float) and isinstance(two, int | float) and one > two:
            yield DefinitionError(f"{at}/{low}", f"is above {high}, so no value fits", "swap or widen the limits")
    if node.get("enum") == []:
        yield DefinitionError(f"{at}/enum", "is empty, so no value fits", "list at least one value")
    for keyword, words in (("enum", node.get("enum") or None), ("const", [node["const"]] if "const" in node else None)):
        if isinstance(words, list) and not any(_is_of_type(word, node.get("type")) for word in words):
            problem = f"has nothing of the type {_shown_type(node['type'])}, so no value fits"
            yield DefinitionError(f"{at}/{keyword}", problem, "write values of that type, or the type that they have")
    properties, required = node.get("properties"), node.get("required")
    # A branch may require what the schema around it names, and an open object what nobody names.
    is_whole = not _BRANCH.search(at) and not node.keys() & _ELSEWHERE and not node.get("additionalProperties")
    if is_whole and isinstance(properties, Mapping) and isinstance(required, list):
        for name in required:
            if isinstance(name, str) and name not in properties:
                yield DefinitionError(f"{at}/required", f"names {name!r}, which is no property", "add or remove it")


def _is_of_type(value: Any, types: Any) -> bool:
    """Tell whether a value has one of the types that a schema states, where it states any."""
    kinds = [types] if isinstance(types, str) else types
    if not isinstance(kinds, list) or not kinds:
        return True
    kind = kind_of(value)
    is_whole = kind == "integer" or (isinstance(value, float) and value.is_integer())
    return kind in kinds or (kind == "integer" and "number" in kinds) or (is_whole and "integer" in kinds)


def _shown_type(types: Any) -> str:
    return types if isinstance(types, str) else " or ".join(map(str, types))


def _about_defaults(root: JsonObject, nodes: list[tuple[str, Any]]) -> Iterator[DefinitionError]:
    """Yield every default that its own schema refuses: a call that leaves it out could never succeed."""
    with_default = [(at, node) for at, node in nodes if isinstance(node, Mapping) and "default" in node]
    if not with_default:
        return
    validators = _library().validator_map_for(with_uri_references(root), **_options())
    for at, node in with_default:
        for error in validators[f"#{at}"].iter_errors(node["default"]):
            yield DefinitionError(f"{at}/default", phrase(error), "correct the default or leave it out")
            break


def _about_required(root: JsonObject) -> Iterator[DefinitionError]:
    """Yield every required property that no value fits: no call could ever succeed."""
    for at in impossible_required(root, lambda schema, value: _validator(schema).is_valid(value)):
        yield DefinitionError(at, "is required, and no value fits it", "widen it, or take it out of required")


def _validator(schema: JsonObject) -> "Validator":
    validator: Validator = _library().Draft202012Validator(schema, **_options())
    return validator


@cache
def _metaschema() -> "Validator":
    return _validator({"$ref": DIALECT})


@cache
def _options() -> JsonObject:
    patterns = _library().RegexOptions(size_limit=_PATTERN_BYTES, dfa_size_limit=_PATTERN_BYTES)
    return {"validate_formats": True, "retriever": _refuse, "pattern_options": patterns}


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri} would have to be fetched")


@cache
def _library() -> Any:
    # 23 ms: paid when the first schema is compiled, not when a process starts.
    import jsonschema_rs

    return jsonschema_rs

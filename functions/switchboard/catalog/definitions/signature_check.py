"""Whether a schema and the handler behind it fit together.

Two questions. A schema that is built must say exactly what the code says, so that neither can drift. A
definition edited in Firestore must be one that the handler can serve: it may tighten limits, drop optional arguments or
make them required, and change words and defaults; it may not add arguments, change types, or make optional what the
code requires.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from switchboard.catalog.definitions.signature import HandlerParameter, HandlerSignature, array_of, normalised
from switchboard.catalog.schema.types import Shape, shape_of
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject

_BRANCHES = ("allOf", "anyOf", "oneOf")
# A schema may say that a list holds lists of its own kind, without end.
_DEEPEST = 8
_CONDITIONS = ("if", "then", "else")


def disagreements(
    parameters: JsonObject, signature: HandlerSignature, *, edited: bool = False
) -> list[DefinitionError]:
    """Return everything about a checked schema of arguments that does not fit a handler; empty when all does.

    Args:
        parameters: The schema; `check_schema` found nothing wrong with it.
        signature: What the handler takes.
        edited: Ask the second question: not whether they say the same, but whether the handler can serve it.
    """
    shape = shape_of(parameters, parameters)
    found = list(_open_ends(parameters, shape))
    for name, inner in shape.properties.items():
        parameter = signature.parameters.get(name)
        if parameter is None:
            found.append(_error(name, "is unknown to the handler", "remove it, or add it to execute"))
            continue
        found += _about_presence(name, shape, parameter, edited)
        found += _about_type(name, inner, parameter, edited)
    for name, parameter in signature.parameters.items():
        if name not in shape.properties and (parameter.required or not edited):
            found.append(_error(name, "is missing, but the handler takes it", "add it to properties"))
    return found


def _error(name: str, problem: str, remedy: str) -> DefinitionError:
    return DefinitionError(f"parameters.properties.{name}", problem, remedy)


def _open_ends(parameters: JsonObject, shape: Shape) -> Iterator[DefinitionError]:
    """Yield every way in which arguments could come through that no property names."""
    for keyword in ("additionalProperties", "unevaluatedProperties", "patternProperties"):
        if parameters.get(keyword, False) is not False:
            remedy = "remove it: a handler takes no arguments but those it names"
            yield DefinitionError(f"parameters.{keyword}", "lets unnamed arguments through", remedy)
    for name in sorted(_names_in_branches(parameters) - shape.properties.keys()):
        yield _error(name, "is only named inside a branch", "name it in properties as well")


def _names_in_branches(schema: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    inner = [branch for keyword in _BRANCHES for branch in schema.get(keyword, [])]
    inner += [schema[keyword] for keyword in _CONDITIONS if keyword in schema]
    inner += schema.get("dependentSchemas", {}).values()
    for branch in inner:
        if isinstance(branch, Mapping):
            found |= branch.get("properties", {}).keys() | _names_in_branches(branch)
    return found


def _about_presence(name: str, shape: Shape, parameter: HandlerParameter, edited: bool) -> Iterator[DefinitionError]:
    """Yield where one side may leave an argument out and the other may not, and where defaults differ."""
    is_required, has_default = name in shape.required, name in shape.defaults
    if parameter.required and not is_required and not (edited and has_default):
        yield _error(name, "is optional, but the handler requires it", "list it in required, or give execute a default")
    if edited:
        return
    if is_required and not parameter.required:
        yield _error(name, "is required, but the handler has a default", "remove one of the two")
    default = shape.defaults.get(name)
    if not parameter.required and not is_required and not _same(default, parameter.default):
        shown = f"{default!r} here and {parameter.default!r} in execute"
        yield _error(name, f"has different defaults, {shown}", "write the same default on both sides")


def _same(one: Any, two: Any) -> bool:
    return bool(one == two) and isinstance(one, bool) == isinstance(two, bool)


def _about_type(name: str, shape: Shape, parameter: HandlerParameter, edited: bool) -> Iterator[DefinitionError]:
    said, taken = _names(shape), frozenset(parameter.types)
    fits = _is_taken if edited else _is_same
    missing = [kind for kind in said if not any(fits(kind, other) for other in taken)]
    # None as a default needs no null in the schema: it stands for an argument that was not sent.
    unsaid = taken - ({"null"} if not parameter.required and parameter.default is None else set())
    extra = [kind for kind in unsaid if not any(fits(other, kind) for other in said)]
    if missing or (extra and not edited):
        shown = f"{' or '.join(sorted(said))} here and {' or '.join(sorted(taken))} in execute"
        yield _error(name, f"has different types, {shown}", "write the same type on both sides")
        return
    if parameter.words is None:
        return
    words = [word for word in shape.words or () if word is not None]
    allowed = [word for word in parameter.words if word is not None]
    if shape.words is None or any(word not in allowed for word in words) or (not edited and len(words) < len(allowed)):
        yield _error(name, "differs from the words that execute takes", f"use enum with {allowed}")


def _is_same(kind: str, by: str) -> bool:
    """Tell whether two type names say the same, or the second is one that says nothing in detail."""
    return kind == by or by == "any" or (kind.startswith("array") and by in ("array", "array of any"))


def _is_taken(kind: str, by: str) -> bool:
    """Tell whether a value of one type may be given where the other is taken."""
    if kind.startswith("array of ") and by.startswith("array of "):
        inner, outer = (name.removeprefix("array of ").split("|") for name in (kind, by))
        return all(any(_is_taken(one, other) for other in outer) for one in inner)
    return _is_same(kind, by) or (kind, by) == ("integer", "number")


def _names(shape: Shape, depth: int = 0) -> frozenset[str]:
    """Return the type names of a shape, as a signature writes them; of arrays within arrays as deep as one has them."""
    if not shape.types:
        return frozenset({"any"})
    names = set(shape.types)
    if shape.is_moment:
        names = names - {"string"} | {"date-time"}
    if "array" in names and shape.items is not None and depth < _DEEPEST:
        names = names - {"array"} | {array_of(_names(shape.items, depth + 1))}
    return normalised(names)

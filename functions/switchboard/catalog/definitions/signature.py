"""What a handler takes, as data: read from its code when tools are built, and held against its tool's schema.

Design §2: `async def execute(ctx: CallContext, desk: Desk, *, service: str, start_time: datetime, …) -> Result`, no
`**kwargs`. Types are named as JSON Schema names them, plus `date-time`, `any` and `array of …`.

Two questions. A schema that is built must say exactly what the code says, so that neither can drift. A
definition edited in Firestore must be one that the handler can serve: it may tighten limits, drop optional arguments or
make them required, and change words and defaults; it may not add arguments, change types, or make optional what the
code requires.
"""

import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any

from switchboard.catalog.schema.types import Shape, kind_of, shape_of
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

_PLAIN: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    datetime: "date-time",
    type(None): "null",
    None: "null",
    Any: "any",
}
_REMEDY = "use str, int, float, bool, datetime, Literal, list[…], dict[str, Any] or a union of these"

_BRANCHES = ("allOf", "anyOf", "oneOf")
# A schema may say that a list holds lists of its own kind, without end.
_DEEPEST = 8
_CONDITIONS = ("if", "then", "else")


@dataclass(frozen=True, slots=True)
class HandlerParameter:
    """One keyword of a handler.

    Attributes:
        types: What it takes, sorted.
        required: Whether it has no default.
        default: Its default as JSON; None where there is none.
        words: The values of its `Literal`, or None where any value of its types will do.
    """

    types: tuple[str, ...]
    required: bool
    default: Any = None
    words: tuple[Any, ...] | None = None

    def to_json(self) -> JsonObject:
        """Return it as it stands in the artifact."""
        document: JsonObject = {"types": list(self.types), "required": self.required}
        if not self.required:
            document["default"] = self.default
        if self.words is not None:
            document["words"] = list(self.words)
        return document


@dataclass(frozen=True, slots=True)
class HandlerSignature:
    """The keywords of a handler by name, in the order in which they are written."""

    parameters: Mapping[str, HandlerParameter] = field(default_factory=dict)

    def to_json(self) -> JsonObject:
        """Return it as it stands in the artifact."""
        return {name: parameter.to_json() for name, parameter in self.parameters.items()}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "HandlerSignature":
        """Read what `to_json` wrote."""
        return cls(
            {
                name: HandlerParameter(
                    types=tuple(row["types"]),
                    required=row["required"],
                    default=row.get("default"),
                    words=tuple(row["words"]) if "words" in row else None,
                )
                for name, row in document.items()
            }
        )


def read_signature(
    execute: Callable[..., Any], name: str = "execute", returns: str = "Result"
) -> tuple[HandlerSignature, list[DefinitionError]]:
    """Return what a handler takes, and everything about its form that the design does not allow.

    Args:
        execute: The function.
        name: What it is called, and so where errors say that they are.
        returns: The name of what it must return.
    """

    def wrong(problem: str, remedy: str) -> DefinitionError:
        return DefinitionError(name, problem, remedy)

    problems = [] if inspect.iscoroutinefunction(execute) else [wrong("is not async", f"write async def {name}")]
    parameters = list(inspect.signature(execute).parameters.values())
    first = [p.name for p in parameters[:2] if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if first != ["ctx", "desk"]:
        problems.append(wrong("must take ctx and desk first", f"write {name}(ctx, desk, *, …)"))
    taken: dict[str, HandlerParameter] = {}
    for parameter in parameters[len(first) :]:
        if parameter.kind is not parameter.KEYWORD_ONLY:
            is_open = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            remedy = "name every argument" if is_open else "put a bare * behind desk"
            problems.append(wrong(f"{parameter.name} is not one named keyword", remedy))
            continue
        try:
            taken[parameter.name] = _parameter(parameter, execute)
        except TypeError as error:
            problems.append(wrong(f"{parameter.name} {error}", _REMEDY))
    returned = inspect.get_annotations(execute).get("return")
    if getattr(returned, "__name__", str(returned)).rpartition(".")[2] != returns:
        problems.append(wrong(f"must return {returns}", f"write -> {returns}"))
    return HandlerSignature(taken), problems


def proposal_problems(propose: Any, execute: HandlerSignature) -> list[DefinitionError]:
    """Return what is wrong with a `propose` beside a handler: it takes the very arguments that the handler takes."""
    if not callable(propose):
        remedy = "write async def propose(ctx, desk, *, …) -> Proposal, or remove it"
        return [DefinitionError("propose", "is no function", remedy)]
    signature, problems = read_signature(propose, "propose", "Proposal")
    for name in dict.fromkeys([*execute.parameters, *signature.parameters]):
        own, other = signature.parameters.get(name), execute.parameters.get(name)
        if own != other and not any(error.problem.startswith(f"{name} ") for error in problems):
            problem = "is not taken" if own is None else "is taken by propose alone" if other is None else "differs"
            problems.append(DefinitionError("propose", f"{name} {problem}", "take exactly what execute takes"))
    return problems


def normalised(names: set[str]) -> frozenset[str]:
    """Return type names without what others among them already say: every integer is a number."""
    return frozenset(names - {"integer"} if "number" in names else names)


def array_of(names: frozenset[str]) -> str:
    """Return the name of the type of an array whose items have one of these types."""
    return f"array of {'|'.join(sorted(names))}"


def _parameter(parameter: inspect.Parameter, execute: Callable[..., Any]) -> HandlerParameter:
    annotation = parameter.annotation
    if annotation is parameter.empty:
        raise TypeError("has no type")
    if isinstance(annotation, str):  # under `from __future__ import annotations`
        try:
            annotation = typing.get_type_hints(execute, localns={"return": None})[parameter.name]
        except NameError as error:
            raise TypeError(f"has a type that is not imported ({error})") from None
    words: list[Any] = []
    names = _names(annotation, words)
    has_default = parameter.default is not parameter.empty
    return HandlerParameter(
        types=tuple(sorted(names)),
        required=not has_default,
        default=_json(parameter.default) if has_default else None,
        words=tuple(words) if words else None,
    )


def _names(annotation: Any, words: list[Any]) -> frozenset[str]:
    """Return the type names of an annotation; the values of a `Literal` are added to `words`."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _names(inner[0], words)
    if origin is typing.Literal:
        words += inner
        return normalised({kind_of(word) for word in inner})
    if origin in (typing.Union, types.UnionType):
        return normalised({name for branch in inner for name in _names(branch, words)})
    if annotation in _PLAIN:
        return frozenset({_PLAIN[annotation]})
    kind = origin or annotation
    if kind in (list, Sequence):
        return frozenset({array_of(_names(inner[0], [])) if inner else "array"})
    if kind in (dict, Mapping) or typing.is_typeddict(kind):
        return frozenset({"object"})
    raise TypeError(f"has the type {getattr(annotation, '__name__', annotation)}")


def _json(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _json(item) for name, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"has a default that JSON cannot carry ({type(value).__name__})")


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
    problems = list(_open_ends(parameters, shape))
    for name, inner in shape.properties.items():
        parameter = signature.parameters.get(name)
        if parameter is None:
            problems.append(_error(name, "is unknown to the handler", "remove it, or add it to execute"))
            continue
        problems += _about_presence(name, shape, parameter, edited)
        problems += _about_type(name, inner, parameter, edited)
    for name, parameter in signature.parameters.items():
        if name not in shape.properties and (parameter.required or not edited):
            problems.append(_error(name, "is missing, but the handler takes it", "add it to properties"))
    return problems


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
    names: set[str] = set()
    inner = [branch for keyword in _BRANCHES for branch in schema.get(keyword, [])]
    inner += [schema[keyword] for keyword in _CONDITIONS if keyword in schema]
    inner += schema.get("dependentSchemas", {}).values()
    for branch in inner:
        if isinstance(branch, Mapping):
            names |= branch.get("properties", {}).keys() | _names_in_branches(branch)
    return names


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
    declared, taken = _shape_types(shape), frozenset(parameter.types)
    fits = _is_taken if edited else _is_same
    missing = [kind for kind in declared if not any(fits(kind, other) for other in taken)]
    # None as a default needs no null in the schema: it stands for an argument that was not sent.
    unsaid = taken - ({"null"} if not parameter.required and parameter.default is None else set())
    extra = [kind for kind in unsaid if not any(fits(other, kind) for other in declared)]
    if missing or (extra and not edited):
        shown = f"{' or '.join(sorted(declared))} here and {' or '.join(sorted(taken))} in execute"
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


def _shape_types(shape: Shape, depth: int = 0) -> frozenset[str]:
    """Return the type names of a shape, as a signature writes them; of arrays within arrays as deep as one has them."""
    if not shape.types:
        return frozenset({"any"})
    names = set(shape.types)
    if shape.is_moment:
        names = names - {"string"} | {"date-time"}
    if "array" in names and shape.items is not None and depth < _DEEPEST:
        names = names - {"array"} | {array_of(_shape_types(shape.items, depth + 1))}
    return normalised(names)

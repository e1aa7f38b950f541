"""Words for what is wrong with a value, so that whoever sent it can send a better one.

One message names every wrong argument and says what would be right: "duration_minutes: must be at least 15 (you sent
5)". Error types tell the program what happened, this text tells the model.
"""

import json
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from switchboard.catalog.coercion import Place, Problem
from switchboard.catalog.moment import EXAMPLE
from switchboard.catalog.shape import Shape

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

MOST_PROBLEMS = 8
LONGEST_QUOTE = 80
_MOST_WORDS = 20

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_FORMATS = {
    "date-time": f"a date and time such as {EXAMPLE}",
    "date": "a real date such as 2026-03-05",
    "time": "a time with offset such as 14:00:00Z",
    "email": "an e-mail address",
    "uri": "a full web address",
    "uuid": "a UUID",
}
# keyword → what the value must be; {0} is the keyword's own value
_PHRASES = {
    "minimum": "must be at least {0}",
    "maximum": "must be at most {0}",
    "exclusiveMinimum": "must be more than {0}",
    "exclusiveMaximum": "must be less than {0}",
    "multipleOf": "must be a multiple of {0}",
    "minLength": "must have at least {0} characters",
    "maxLength": "must have at most {0} characters",
    "minItems": "must have at least {0} items",
    "maxItems": "must have at most {0} items",
    "minProperties": "must have at least {0} entries",
    "maxProperties": "must have at most {0} entries",
    "pattern": "must match the pattern {0}",
    "const": "must be {0}",
    "uniqueItems": "must not hold the same item twice",
    "contains": "lacks an item that it must hold",
    "propertyNames": "has a name that is not allowed",
    "not": "is not allowed",
    "falseSchema": "must be left out",
    "dependentRequired": "lacks something that must come with the rest",
}


def correction(errors: Iterable["ValidationError"], problems: Sequence[Problem], shape: Shape) -> str:
    """Return one message for everything that is wrong with a call's arguments, at most eight problems in it.

    Args:
        errors: What the validator found.
        problems: What was found before it; the validator's words about the same argument are left out.
        shape: The shape of the arguments, for the names that would have been right.
    """
    known = {problem.at for problem in problems}
    found = [*problems, *(p for error in errors for p in _problems(error, shape) if p.at not in known)]
    names = list(shape.properties)
    order = {name: position for position, name in enumerate(names)}
    found.sort(key=lambda p: order.get(str(p.at[0]), -1) if p.at else -1)
    lines = list(dict.fromkeys(_line(problem) for problem in found))
    more = len(lines) - MOST_PROBLEMS
    return "; ".join(lines[:MOST_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")


def phrase(error: "ValidationError") -> str:
    """Return what a value must be, without quoting the value."""
    keyword, details = error.kind.name, error.kind.as_dict()
    value = next(iter(details.values()), None)
    match keyword:
        case "type":
            return f"must be {_listed_types(details['types'])}"
        case "enum":
            words = details["options"]
            shown = ", ".join(map(_json, words[:_MOST_WORDS])) + (", …" if len(words) > _MOST_WORDS else "")
            return f"must be one of {shown}" + _meant(error.instance, words)
        case "format":
            return f"must be {_FORMATS.get(details['format'], 'a valid ' + details['format'])}"
        case "minLength" if value == 1:
            return "must not be empty"
        case "required":
            return f"lacks {value}"
        case "additionalProperties" | "unevaluatedProperties":
            return f"has unknown entries: {', '.join(details['unexpected'])}"
        case "anyOf" | "oneOf":
            return _alternatives(details["context"], len(error.instance_path))
    return _PHRASES[keyword].format(_plain(value)) if keyword in _PHRASES else f"does not satisfy {keyword}"


def quoted(value: Any) -> str:
    """Return a value as JSON, at most 80 characters of it."""
    text = _json(value)
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"


def place(at: Place) -> str:
    """Return a place as one writes it: `customer.phones[0]`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in at)
    return text.removeprefix(".")


def _problems(error: "ValidationError", shape: Shape) -> Iterable[Problem]:
    at = tuple(error.instance_path)
    details = error.kind.as_dict()
    match error.kind.name:
        case "required":
            name = details["property"]
            inner = _shape_at(shape, (*at, name))
            wanted = f" ({_listed_types(sorted(inner.types))})" if inner and inner.types else ""
            yield Problem((*at, name), f"is required{wanted}")
        case "additionalProperties" | "unevaluatedProperties":
            inner = _shape_at(shape, at)
            for name in details["unexpected"]:
                yield Problem((*at, name[:LONGEST_QUOTE]), _unknown(name, list(inner.properties) if inner else []))
        case _:
            yield Problem(at, f"{phrase(error)} (you sent {quoted(error.instance)})")


def _line(problem: Problem) -> str:
    sent = "" if problem.sent is None else f" (you sent {quoted(problem.sent)})"
    return f"{place(problem.at) or 'the arguments'}: {problem.text}{sent}"


def _unknown(name: str, known: list[str]) -> str:
    if not known:
        return "is not an argument; none may be given here"
    meant = _meant(name, known)
    return f"is not an argument{meant}{' The' if meant else '; the'} known ones are {', '.join(known[:_MOST_WORDS])}"


def _meant(value: Any, words: Sequence[Any]) -> str:
    if not isinstance(value, str):
        return ""
    folded = {word.casefold(): word for word in words if isinstance(word, str)}
    close = get_close_matches(value[:LONGEST_QUOTE].casefold(), folded, n=1)
    return f"; did you mean {folded[close[0]]}?" if close else ""


def _shape_at(shape: Shape, at: Place) -> Shape | None:
    found: Shape | None = shape
    for part in at:
        if found is None:
            return None
        found = found.items if isinstance(part, int) else found.properties.get(part, found.others)
    return found


def _alternatives(branches: list[list["ValidationError"]], depth: int) -> str:
    """Return what the branch asks for that the value came closest to, or all the types that would do."""
    if not any(branches):
        return "fits more than one of the forms, of which only one may fit"
    mistyped = [[e for e in errors if e.kind.name == "type" and len(e.instance_path) == depth] for errors in branches]
    near = [errors for errors, wrong in zip(branches, mistyped, strict=True) if not wrong]
    if not near:
        types = [name for errors in mistyped for error in errors for name in error.kind.as_dict()["types"]]
        return f"must be {_listed_types(types)}"
    return " or ".join(dict.fromkeys(" and ".join(_inside(e, depth) for e in errors) for errors in near[:3]))


def _inside(error: "ValidationError", depth: int) -> str:
    name = place(tuple(error.instance_path[depth:]))
    return f"{name} {phrase(error)}" if name else phrase(error)


def _listed_types(types: Iterable[str]) -> str:
    names = sorted(dict.fromkeys(types), key=lambda name: name == "null")
    return " or ".join(_TYPES.get(name, name) for name in names)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False, default=str)

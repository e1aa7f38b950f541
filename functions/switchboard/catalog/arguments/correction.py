"""Words for what is wrong with a value, so that whoever sent it can send a better one.

One message names every wrong argument and says what would be right: "duration_minutes: must be at least 15 (you sent
5)". Error types tell the program what happened, this text tells the model.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from switchboard.catalog.arguments.coercion import EXAMPLE, ArgumentProblem, Place
from switchboard.catalog.schema.sensitivity import MASK
from switchboard.catalog.schema.types import Shape

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

MOST_PROBLEMS = 8
_MOST_FOUND = 64
_MOST_FORMS = 256
_MOST_LEVELS = 4
_MOST_IN_A_FORM = 3
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


def correction(
    errors: Iterable["ValidationError"], problems: Sequence[ArgumentProblem], shape: Shape, shown: Any = None
) -> str:
    """Return one message for everything that is wrong with a call's arguments, at most eight problems in it.

    The message is kept, logged and shown, so that no secret is quoted in it.

    Args:
        errors: What the validator found.
        problems: What was found before it; the validator's words about the same argument are left out.
        shape: The shape of the arguments, for the names that would have been right.
        shown: The arguments with `•••` for secrets; None where there can be none.
    """
    known = {problem.at for problem in problems}
    problems_in_order = [
        *problems,
        *(p for error in _first(errors) for p in _problems(error, shape, shown) if p.at not in known),
    ]
    names = list(shape.properties)
    order = {name: position for position, name in enumerate(names)}
    problems_in_order.sort(key=lambda p: order.get(str(p.at[0]), -1) if p.at else -1)
    lines = list(dict.fromkeys(_line(problem, shown) for problem in problems_in_order))
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
            return _alternatives(error, len(error.instance_path), 1)
    return _PHRASES[keyword].format(_plain(value)) if keyword in _PHRASES else f"does not satisfy {keyword}"


def quoted(value: Any) -> str:
    """Return a value as JSON, at most 80 characters of it."""
    text = _json(value)
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"


def place(at: Place) -> str:
    """Return a place as one writes it: `customer.phones[0]`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in at)
    return text.removeprefix(".")


def _first(errors: Iterable["ValidationError"]) -> Iterator["ValidationError"]:
    """Yield the first errors: finding one costs time for each form that was tried, and nobody reads on for ever."""
    forms = 0
    for number, error in enumerate(errors, 1):
        yield error
        forms += len(error.kind.as_dict().get("context", ()))
        if number == _MOST_FOUND or forms > _MOST_FORMS:
            return


def _problems(error: "ValidationError", shape: Shape, shown: Any) -> Iterable[ArgumentProblem]:
    at = tuple(error.instance_path)
    details = error.kind.as_dict()
    match error.kind.name:
        case "required":
            name = details["property"]
            inner = _shape_at(shape, (*at, name))
            types = f" ({_wanted(inner)})" if inner and inner.types else ""
            yield ArgumentProblem((*at, name), f"is required{types}")
        case "additionalProperties" | "unevaluatedProperties":
            inner = _shape_at(shape, at)
            is_open = bool(_sent(at, error.instance, shown))
            for position, name in enumerate(details["unexpected"] if is_open else ()):
                yield ArgumentProblem((*at, name[:LONGEST_QUOTE]), _unknown(name, inner, position < MOST_PROBLEMS))
            if not is_open:
                # Whoever puts a secret into the wrong form may have made a name of it.
                yield ArgumentProblem(at, "has entries that are not arguments")
        case _:
            yield ArgumentProblem(at, phrase(error) + _sent(at, error.instance, shown))


def _wanted(shape: Shape) -> str:
    return _FORMATS["date-time"] if shape.is_moment else _listed_types(sorted(shape.types))


def _line(problem: ArgumentProblem, shown: Any) -> str:
    text = problem.text
    if problem.sent is not None:
        sent = _sent(problem.at, problem.sent, shown)
        # The words about a time repeat it.
        text = text + sent if sent else f"must be {_FORMATS['date-time']}"
    return f"{place(problem.at) or 'the arguments'}: {text}"


def _sent(at: Place, value: Any, shown: Any) -> str:
    """Quote what was sent at a place as far as it may be shown; nothing of what is a secret, or may be one."""
    if shown is not None:
        value = shown
        for part in at:
            try:
                value = MASK if value == MASK else value[part]
            except (KeyError, IndexError, TypeError):
                return ""
        if value == MASK:
            return ""
    return f" (you sent {quoted(value)})"


def _unknown(name: str, shape: Shape | None, in_full: bool) -> str:
    """Return what is said of a name that may not be there; looking for the one that is meant takes time."""
    known = dict.fromkeys(shape.names()) if shape else {}
    if not known:
        return "is not an argument; none may be given here"
    if name in known:
        return "does not go with what else was sent here"
    meant = _meant(name, list(known)) if in_full else ""
    shown = ", ".join(list(known)[:_MOST_WORDS])
    return f"is not an argument{meant}{' The' if meant else '; the'} known ones are {shown}"


def _meant(value: Any, words: Sequence[Any]) -> str:
    if not isinstance(value, str):
        return ""
    folded = {word.casefold(): word for word in words if isinstance(word, str)}
    close = get_close_matches(value[:LONGEST_QUOTE].casefold(), folded, n=1)
    return f"; did you mean {folded[close[0]]}?" if close else ""


def _shape_at(shape: Shape, at: Place) -> Shape | None:
    inner: Shape | None = shape
    for part in at:
        if inner is None:
            return None
        inner = inner.at(part)
    return inner


def _alternatives(error: "ValidationError", base: int, level: int) -> str:
    """Return what the form asks for that the value came closest to, or all the types that would do.

    Args:
        error: Of an `anyOf` or `oneOf`.
        base: How much of its place the reader has been told already.
        level: How many unions it stands in, itself included.
    """
    branches, depth = error.kind.as_dict()["context"], len(error.instance_path)
    name = place(tuple(error.instance_path[base:]))
    before = f"{name} " if name else ""
    if not any(branches):
        return f"{before}fits more than one of the forms, of which only one may fit"
    mistyped = [[e for e in errors if e.kind.name == "type" and len(e.instance_path) == depth] for errors in branches]
    near = [errors for errors, wrong in zip(branches, mistyped, strict=True) if not wrong]
    if not near:
        types = [name for errors in mistyped for error in errors for name in error.kind.as_dict()["types"]]
        return f"{before}must be {_listed_types(types)}"
    if level > _MOST_LEVELS:
        return f"{before}fits none of the forms that it may have"
    # Where forms are told apart by a word, the one whose word was sent is the one that is meant.
    meant = [errors for errors in near if not any(_is_another_form(e, depth) for e in errors)]
    alternatives = (
        " and ".join(_inside(e, base, level) for e in errors[:_MOST_IN_A_FORM]) for errors in (meant or near)[:3]
    )
    return " or ".join(dict.fromkeys(alternatives))


def _is_another_form(error: "ValidationError", depth: int) -> bool:
    return error.kind.name in ("const", "enum") and len(error.instance_path) == depth + 1


def _inside(error: "ValidationError", base: int, level: int) -> str:
    if error.kind.name in ("anyOf", "oneOf"):
        return _alternatives(error, base, level + 1)
    name = place(tuple(error.instance_path[base:]))
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

"""What Pydantic finds wrong, in an owner's words: each problem once, at its path, with what would work."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.api.models import QueryParameters, RequestBody, Wording
from switchboard.contract.business.names import nearest

_SHOWN = 60
_LONGEST_PATH = 200
_UNKNOWN = "extra_forbidden"
_SENTENCES: Mapping[str, str] = {
    "missing": "is required.",
    "string_type": "must be text.",
    "bool_type": "must be true or false.",
    "bool_parsing": "must be true or false.",
    "list_type": "must be a list.",
    "dict_type": "must be an object.",
    "model_type": "must be an object.",
    "model_attributes_type": "must be an object.",
    "int_type": "must be a whole number.",
    "int_parsing": "must be a whole number.",
    "int_from_float": "must be a whole number.",
    "float_type": "must be a number.",
    "float_parsing": "must be a number.",
    "none_required": "must be null.",
    "finite_number": "must be a number.",
}

# What an owner cannot see in a value is told to be there; how the value must be written says nothing of it.
_BEYOND_WORDING = frozenset({"one_line", "hidden"})


def problems_of(errors: Sequence[Mapping[str, Any]], type: Any) -> list[EntryProblem]:
    """Return what is wrong with a value of a type: unknown names first, then in the order of the fields."""
    by_name: dict[str, EntryProblem] = {}
    for error in sorted(filter(partial(_is_telling, errors), errors), key=lambda error: error["type"] != _UNKNOWN):
        problem = _problem(error, type)
        by_name.setdefault(problem.field, problem)
    return list(by_name.values())


def _is_telling(errors: Sequence[Mapping[str, Any]], error: Mapping[str, Any]) -> bool:
    """Tell whether an error is more than that a value, of which others say what is wrong, could have been left out."""
    at = error["loc"][:-1]
    return error["type"] != "none_required" or not any(e["loc"][: len(at)] == at for e in errors if e is not error)


def wrong_with(type: Any, value: Any) -> list[EntryProblem]:
    """Return everything that is wrong with a value, which is not a request's body but what is to become of one."""
    try:
        TypeAdapter(type).validate_python(value)
    except ValidationError as error:
        return problems_of(error.errors(include_url=False), type)
    return []


def _problem(error: Mapping[str, Any], type: Any) -> EntryProblem:
    kind, steps = error["type"], list(error["loc"])
    name = str(steps.pop()) if kind == _UNKNOWN else ""
    places, path = [type], ""
    for step in (*steps, None):
        wording = next((wording for place in places if (wording := _wording(place))), None)
        if wording is not None and kind not in _BEYOND_WORDING:
            return EntryProblem(path[:_LONGEST_PATH], f"{path[:_LONGEST_PATH]} {wording.sentence}")
        if step is not None:
            places, path = _inside(places, step, path)
    if kind == _UNKNOWN:
        return _unknown(path, name, places)
    return EntryProblem(path[:_LONGEST_PATH], f"{path[:_LONGEST_PATH] or 'The body'} {_sentence(error)}")


def _sentence(error: Mapping[str, Any]) -> str:
    kind, context = error["type"], error.get("ctx") or {}
    if kind in _SENTENCES:
        return _SENTENCES[kind]
    if kind == "string_too_long":
        return f"must not be longer than {context['max_length']} characters; it has {len(error['input'])}."
    if kind == "string_too_short":
        least = context["min_length"]
        return "must not be empty." if least == 1 else f"must have at least {least} characters."
    if kind == "too_long":
        return f"must hold at most {context['max_length']}."
    if kind == "too_short":
        return f"must hold at least {context['min_length']}."
    if kind in ("literal_error", "enum", "union_tag_invalid"):
        expected = context.get("expected") or context.get("expected_tags") or ""
        return f"must be {expected.replace(chr(39), '')}."
    if kind == "union_tag_not_found":
        return f"needs {context['discriminator'].replace(chr(39), '')}."
    if kind in ("greater_than_equal", "greater_than"):
        return f"must be {'at least' if 'ge' in context else 'more than'} {context.get('ge', context.get('gt'))}."
    if kind in ("less_than_equal", "less_than"):
        return f"must be {'at most' if 'le' in context else 'less than'} {context.get('le', context.get('lt'))}."
    # A rule of our own says it in our words; one of Pydantic's that nobody thought of at least says what it is.
    message: str = error["msg"].removeprefix("Value error, ")
    return message if message.endswith(".") else f"cannot be taken: {message}."


def _unknown(path: str, name: str, places: Sequence[Any]) -> EntryProblem:
    models = [
        place
        for each in places
        for place in _branches(each)
        if isinstance(place, type) and issubclass(place, BaseModel)
    ]
    field = f"{path}.{name}" if path else name
    for model in models:
        if issubclass(model, RequestBody) and name in model.elsewhere:
            return EntryProblem(field[:_LONGEST_PATH], model.elsewhere[name])
    known = [field.alias or own for model in models for own, field in model.model_fields.items()]
    close = nearest(name, known)
    meant = f" Did you mean {close}?" if close else ""
    whole = "The query" if any(issubclass(model, QueryParameters) for model in models) else "The body"
    sentence = f"{path or whole} has no {name[:_SHOWN]!r}.{meant} Use {', '.join(known)}."
    at = f"{path}.{close}" if path and close else close
    return EntryProblem(field[:_LONGEST_PATH], sentence, is_unknown=True, meant=at)


def _inside(places: Sequence[Any], step: str | int, path: str) -> tuple[list[Any], str]:
    """Return the types that stand at a step inside of types, and the path to there.

    A step that leads nowhere is one of Pydantic's own, such as the branch of a union, and no part of the path.
    """
    inner_places = [inner for place in places for inner in _members(place, step)]
    if not inner_places:
        return list(places), path
    if isinstance(step, int):
        return inner_places, f"{path}[{step}]"
    return inner_places, f"{path}.{step}" if path else step


def _members(place: Any, step: str | int) -> Iterator[Any]:
    for type_ in _branches(place):
        origin, parts = get_origin(type_) or type_, get_args(type_)
        if isinstance(step, int):
            if origin in (list, tuple) and parts:
                yield parts[0]
        elif isinstance(origin, type) and issubclass(origin, BaseModel):
            for name, field in origin.model_fields.items():
                if step == (field.alias or name):
                    yield Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
        elif origin is dict and len(parts) == 2:
            yield parts[1]


def _branches(place: Any) -> Iterator[Any]:
    """Yield the types that a type is made of: itself, or each of a union's."""
    bare = _bare(place)
    if get_origin(bare) in (Union, UnionType):
        for part in get_args(bare):
            yield from _branches(part)
    else:
        yield bare


def _bare(place: Any) -> Any:
    return get_args(place)[0] if get_origin(place) is Annotated else place


def _wording(place: Any) -> Wording | None:
    """Return what is said of whatever is wrong at a type."""
    bare = _bare(place)
    for one in get_args(place)[1:] if get_origin(place) is Annotated else ():
        wording = one if isinstance(one, Wording) else getattr(one, "wording", None)
        if wording is not None:
            return wording
    parts = get_args(bare) if get_origin(bare) in (Union, UnionType) else ()
    return next((wording for part in parts if (wording := _wording(part))), None)

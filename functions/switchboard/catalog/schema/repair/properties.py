"""What a loosely written object says about its properties: lists of them, and `required` in the wrong place."""

from collections.abc import Mapping
from typing import Any

from switchboard.catalog.schema.repair.bare_types import Note, by_name
from switchboard.catalog.schema.repair.keywords import COMMENTS, flag_in
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.formats.schema.subschema import pointer


def with_properties(word: JsonObject, at: str, note: Note) -> JsonObject:
    """Return a schema whose properties stand by name, and whose list of required ones is complete.

    Raises:
        DefinitionError: A property is both required and optional, or has no name.
    """
    if isinstance(word.get("properties"), list):
        word["properties"] = by_name(word["properties"], f"{at}/properties")
        note(at, "a list of properties is written as an object")
    properties = word.get("properties")
    if not isinstance(properties, Mapping):
        return word
    kept: JsonObject = {}
    marks: dict[str, bool] = {}
    for name, inner in properties.items():
        if COMMENTS.match(name) and isinstance(inner, str):
            note(at + pointer("properties", name), "the comment was left out")
            continue
        kept[name] = inner
        if isinstance(inner, Mapping):
            mark, kept[name] = _marked(inner, at + pointer("properties", name), note)
            if mark is not None:
                marks[name] = mark
    word["properties"] = kept
    return _merged(word, marks, at, note) if marks else word


def with_required(word: JsonObject, at: str, note: Note, *, in_property: bool) -> JsonObject:
    """Return a schema whose `required` is a list of names, each once.

    Raises:
        DefinitionError: Nobody can tell which names are meant.
    """
    required = word.get("required")
    if isinstance(word.get("optional"), bool) and not in_property:
        note(at, "optional was left out: it says nothing here")
        del word["optional"]
    if isinstance(required, bool):
        if required and not at:
            raise DefinitionError("/required", "is true, but nothing contains this schema", "list the names required")
        note(at, f"required: {str(required).lower()} was left out: it says nothing here")
        del word["required"]
    elif isinstance(required, str):
        names = [name.strip() for name in required.split(",")]
        known = word.get("properties")
        if not isinstance(known, Mapping) or not all(name in known for name in names):
            raise DefinitionError(f"{at}/required", f"{required[:60]!r} names no properties", "write a list of names")
        note(at, "required is written as a list")
        word["required"] = names
    elif isinstance(required, Mapping) and all(isinstance(flag, bool) for flag in required.values()):
        note(at, "required is written as a list")
        word["required"] = [name for name, flag in required.items() if flag]
    listed = word.get("required")
    if isinstance(listed, list) and all(isinstance(n, str) for n in listed) and len({*listed}) < len(listed):
        note(at, "required names something twice, and was written with each name once")
        word["required"] = list(dict.fromkeys(listed))
    return word


def _marked(inner: Mapping[str, Any], at: str, note: Note) -> tuple[bool | None, Mapping[str, Any]]:
    """Return whether a property says of itself that it is required, and the property without that."""
    required, optional = inner.get("required"), inner.get("optional")
    required = flag_in(required) if isinstance(required, str) else required
    optional = flag_in(optional) if isinstance(optional, str) else optional
    marks = {
        flag for flag in (required, None if not isinstance(optional, bool) else not optional) if flag in (True, False)
    }
    marks = {flag for flag in marks if isinstance(flag, bool)}
    if len(marks) == 2:
        raise DefinitionError(f"{at}/required", "says that it is required and optional", "say one of the two")
    if not marks:
        return None, inner
    gone = {key for key, flag in (("required", required), ("optional", optional)) if isinstance(flag, bool)}
    mark = marks.pop()
    told = "was moved to the list of the object around it" if mark else "was left out: it is not in the list"
    note(at, f"{' and '.join(sorted(gone))} {told}")
    return mark, {key: value for key, value in inner.items() if key not in gone}


def _merged(word: JsonObject, marks: Mapping[str, bool], at: str, note: Note) -> JsonObject:
    listed = word.get("required", [])
    if isinstance(listed, bool):
        # It says something about this object in the one around it.
        listed = []
    if not isinstance(listed, list):
        word = with_required(word, at, note, in_property=True)
        listed = word["required"]
    if not isinstance(listed, list):
        # No list of names at all, which the check of the whole schema says.
        return word
    for name, is_required in marks.items():
        if name in listed and not is_required:
            problem = f"lists {name!r}, which says of itself that it is optional"
            raise DefinitionError(f"{at}/required", problem, "say one of the two")
    required = [*listed, *(name for name, mark in marks.items() if mark and name not in listed)]
    if required:
        word["required"] = required
    return word

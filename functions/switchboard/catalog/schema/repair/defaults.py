"""A default of the wrong type: read as what it says, left out where it says nothing."""

from datetime import UTC

from switchboard.catalog.arguments.coercion import coerced
from switchboard.catalog.schema.repair.bare_types import Note
from switchboard.catalog.schema.types import kind_of, shape_of
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject


def with_fitting_default(word: JsonObject, at: str, note: Note) -> JsonObject:
    """Return a schema whose default has one of its types.

    Raises:
        DefinitionError: Nobody can tell what the default is meant to be.
    """
    if "default" not in word:
        return word
    default = word["default"]
    types = word.get("type", [])
    kinds = frozenset([types] if isinstance(types, str) else types)
    if not kinds or _is_of(default, kinds):
        return word
    if default is None:
        note(at, "default: null was left out: without the argument there is none")
        return {key: value for key, value in word.items() if key != "default"}
    plain = {key: value for key, value in word.items() if key == "type" or (key == "enum" and isinstance(value, list))}
    meant = coerced(default, shape_of(plain, plain), UTC, [])
    if not _is_of(meant, kinds):
        problem = f"is {kind_of(default)}, but the type is {' or '.join(sorted(kinds))}"
        raise DefinitionError(f"{at}/default", problem, "write a default of that type, or none")
    note(at, f"default {default!r} is written as {meant!r}")
    return word | {"default": meant}


def _is_of(value: object, kinds: frozenset[str]) -> bool:
    kind = kind_of(value)
    if isinstance(value, float) and value.is_integer() and "integer" in kinds:
        return True
    return kind in kinds or (kind == "integer" and "number" in kinds)

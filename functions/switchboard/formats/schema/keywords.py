"""Saying one schema object in a dialect's words: keyword by keyword, as exactly as the dialect allows, never tighter.

Each function changes the object it is given and notes what it could not say. The order of `reword` matters: what turns
one keyword into another comes before what handles the other.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.formats.schema.dialect import FOR_TYPE, Dialect, hint
from switchboard.formats.schema.subschema import ANNOTATIONS

Note = Callable[[str], None]
"""Takes a sentence about what was lost here."""
Flat = Callable[[Any], JsonObject]
"""Returns a schema as one object, its references followed and its `allOf` merged."""

_CONDITIONAL = ("anyOf", "oneOf", "then", "else", "dependentSchemas")

TIGHTER = {
    "minimum": max,
    "exclusiveMinimum": max,
    "minLength": max,
    "minItems": max,
    "minProperties": max,
    "maximum": min,
    "exclusiveMaximum": min,
    "maxLength": min,
    "maxItems": min,
    "maxProperties": min,
}
"""How two limits become one."""

# Keywords that read each other: two sets of them cannot be mixed, unless both consist of the first one alone.
_TOGETHER = (
    ("properties", "patternProperties", "additionalProperties", "unevaluatedProperties"),
    ("items", "prefixItems", "unevaluatedItems"),
    ("if", "then", "else"),
    ("contains", "minContains", "maxContains"),
)


def reword(word: JsonObject, at: str, dialect: Dialect, note: Note, flat: Flat) -> list[str]:
    """Bring one flat schema into the dialect's words; return hints for what it cannot check.

    Keywords that the dialect does not know may remain, for the caller to drop.
    """
    _alternatives(word, dialect, note)
    _tuples(word, dialect, note)
    _patterns(word, dialect, note)
    _conditional_properties(word, at, dialect, note, flat)
    if dialect.has_bare_any_of and at:
        _branches_alone(word, note, flat)
    _bounds(word, dialect, note)
    if not dialect.has_type_lists:
        _types(word, note)
    return _enum(word, dialect, note)


def type_of(value: Any) -> str:
    """Return the JSON type of a value; a whole number is an `integer` however it is written."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if float(value).is_integer() else "number"
    if isinstance(value, list):
        return "array"
    return "string" if isinstance(value, str) else "null" if value is None else "object"


def united(schemas: Iterable[Any]) -> Any:
    """Return one schema for what satisfies any of these."""
    unique: list[Any] = []
    for schema in schemas:
        if schema not in unique:
            unique.append(schema)
    if len(unique) == 1:
        return unique[0]
    words = [_only_words(schema) for schema in unique]
    if all(words):
        return {"enum": list(dict.fromkeys(word for enum in words for word in enum))}
    return {"anyOf": unique}


def _only_words(schema: Any) -> list[Any]:
    """Return the texts of a schema that says nothing but which texts it takes."""
    if not isinstance(schema, Mapping) or schema.keys() - ANNOTATIONS - {"type", "const", "enum"}:
        return []
    values = [schema["const"]] if "const" in schema else listed(schema.get("enum", []))
    return values if all(isinstance(word, str) for word in values) else []


def _alternatives(word: JsonObject, dialect: Dialect, note: Note) -> None:
    if "const" in word and "const" not in dialect.keywords:
        word["enum"] = [word.pop("const")]
    if "oneOf" in word and "oneOf" not in dialect.keywords and "anyOf" not in word:
        word["anyOf"] = word.pop("oneOf")
        note("oneOf is told as anyOf")
    kinds = list(dict.fromkeys(type_of(value) for value in word.get("enum", ())))
    if "type" not in word and not dialect.has_type_lists and len(kinds) > 1 and not {*kinds} <= {"integer", "number"}:
        word["type"] = kinds


def _tuples(word: JsonObject, dialect: Dialect, note: Note) -> None:
    """Say items by position as items of any of their kinds."""
    if "prefixItems" not in word or "prefixItems" in dialect.keywords:
        return
    first, rest = word.pop("prefixItems"), word.pop("items", True)
    note("prefixItems are told as items of any of these kinds")
    if rest is False:
        word["items"] = united(first)
        word["maxItems"] = min(len(first), word.get("maxItems", len(first)))
    elif isinstance(rest, Mapping) and rest:
        word["items"] = united([*first, rest])


def _patterns(word: JsonObject, dialect: Dialect, note: Note) -> None:
    """Say properties by pattern, and those that nothing else names, as further properties."""
    is_lost = "unevaluatedProperties" not in dialect.keywords
    if is_lost and word.get("unevaluatedProperties", False) is not False and "additionalProperties" not in word:
        word["additionalProperties"] = True
    if "patternProperties" not in word or "patternProperties" in dialect.keywords:
        return
    kinds = list(word.pop("patternProperties").values())
    note("patternProperties are told as additionalProperties")
    rest = word.get("additionalProperties", True)
    if rest is False:
        word["additionalProperties"] = united(kinds)
    else:
        word["additionalProperties"] = united([*kinds, rest]) if isinstance(rest, Mapping) else True


def _conditional_properties(word: JsonObject, at: str, dialect: Dialect, note: Note, flat: Flat) -> None:
    """Name what only the branches of a keyword name that the dialect does not take here, so that it can be given.

    An object that is silent about further properties has none but these, in whichever branch.
    """
    if "additionalProperties" in word or not ("properties" in word or "object" in listed(word.get("type"))):
        return
    named: dict[str, list[Any]] = {}
    needed: list[str] = list(word.get("required", ()))
    for keyword in _CONDITIONAL:
        if keyword not in word or dialect.understands(keyword, word[keyword], at):
            continue
        inside = word[keyword].values() if keyword == "dependentSchemas" else listed(word[keyword])
        branches = [flat(branch) for branch in inside if isinstance(branch, Mapping)]
        for branch in branches:
            for name, child in branch.get("properties", {}).items():
                named.setdefault(name, []).append(child)
        if keyword in ("anyOf", "oneOf") and len(branches) == len(word[keyword]):
            needed += [n for n in branches[0].get("required", ()) if all(n in b.get("required", ()) for b in branches)]
    known = word.get("properties", {})
    added = {name: united(schemas) for name, schemas in named.items() if name not in known}
    if added:
        word["properties"] = known | added
        note(f"{', '.join(added)} may be given in some cases only, which is not told")
    if needed:
        word["required"] = list(dict.fromkeys(needed))


def _branches_alone(word: JsonObject, note: Note, flat: Flat) -> None:
    """Move what stands beside `anyOf` into its branches."""
    beside = {key: word[key] for key in word if key not in ANNOTATIONS and key not in ("anyOf", "nullable")}
    if not beside or not isinstance(word.get("anyOf"), list):
        return
    branches, is_exact = [], True
    for branch in word["anyOf"]:
        inner = flat(branch)
        if _is_reference(inner):
            # It is being followed already; joined with what stands beside it, it would never end.
            is_exact = False
            break
        both, lost = joined(inner, beside)
        if lost != ["type"]:  # else no value can be both, and the branch is never taken
            branches.append(both)
            is_exact = is_exact and not lost
    if branches and is_exact:
        for key in beside:
            del word[key]
        word["anyOf"] = branches
    else:
        del word["anyOf"]
        note("anyOf is left out beside other rules")


def _is_reference(schema: JsonObject) -> bool:
    """Tell whether a schema, flat as it is, still is nothing but a reference."""
    branches = schema.get("anyOf")
    if len(schema) > 1 or not isinstance(branches, list) or len(branches) != 1:
        return False
    return isinstance(branches[0], Mapping) and branches[0].keys() == {"$ref"}


def _bounds(word: JsonObject, dialect: Dialect, note: Note) -> None:
    """Say an exclusive bound as an inclusive one: exactly for whole numbers, a little wider for others."""
    rules = (("exclusiveMinimum", "minimum", math.floor, 1), ("exclusiveMaximum", "maximum", math.ceil, -1))
    for exclusive, inclusive, rounded, step in rules:
        if exclusive not in word or exclusive in dialect.keywords or inclusive not in dialect.keywords:
            continue
        limit = word.pop(exclusive)
        if word.get("type") == "integer":
            limit = rounded(limit) + step
        else:
            note(f"{exclusive} is told as {inclusive}")
        word[inclusive] = TIGHTER[inclusive](limit, word.get(inclusive, limit))


def _types(word: JsonObject, note: Note) -> None:
    """Say a list of types as `nullable` and `anyOf`, moving each type's keywords into its branch."""
    if not isinstance(word.get("type"), list):
        return
    types = word.pop("type")
    rest = [kind for kind in types if kind != "null"]
    if "number" in rest:
        rest = [kind for kind in rest if kind != "integer"]
    if len(rest) < len(types) and "null" in types:
        word["nullable"] = True
    if len(rest) <= 1:
        word["type"] = rest[0] if rest else "null"
    elif "anyOf" in word:
        note("the list of types is left out beside anyOf")
    else:
        branches = [_branch(kind, word) for kind in rest]
        # Those of other types say nothing here, and would stand beside `anyOf`.
        for keyword in [key for key in word if key == "enum" or any(key in known for known in FOR_TYPE.values())]:
            del word[keyword]
        branches = [branch for branch in branches if branch]
        word |= {"anyOf": branches} if len(branches) > 1 else branches[0] if branches else {"type": rest[0]}


def _branch(kind: str, word: JsonObject) -> JsonObject:
    branch = {"type": kind} | {key: word[key] for key in word if key in FOR_TYPE[kind]}
    if isinstance(word.get("enum"), list):
        kinds = {"integer", "number"} if kind == "number" else {kind}
        words = [value for value in word["enum"] if type_of(value) in kinds]
        return branch | {"enum": words} if words else {}
    return branch


def _enum(word: JsonObject, dialect: Dialect, note: Note) -> list[str]:
    """Keep the words that the dialect's `enum` can hold; return hints for what it cannot."""
    allowed = dialect.enum_types
    if allowed is None or not isinstance(word.get("enum"), list):
        return []
    types = listed(word["type"]) if "type" in word else []
    values = [v for v in word.pop("enum") if v is not None or not types or "null" in types or word.get("nullable")]
    words = [value for value in values if value is not None]
    has_null = len(words) < len(values)
    kinds = {type_of(value) for value in words} or {"null"}
    if "type" not in word and len(kinds) == 1:
        word["type"] = next(iter(kinds))
    elif "type" not in word and kinds <= {"integer", "number"}:
        word["type"] = "number"
    hints = []
    if words and all(isinstance(value, allowed) and not isinstance(value, bool) and value != "" for value in words):
        word["enum"] = words
    elif words:
        if kinds <= {"integer", "number"} and not word.keys() & {"minimum", "maximum"}:
            word |= {"minimum": min(words), "maximum": max(words)}
        note("enum is told in the description only")
        hints = [hint("enum", words)]
    if has_null and words and not dialect.has_type_lists:
        word["nullable"] = True
    elif has_null and words:
        _beside_null(word)
    return hints


def _beside_null(word: JsonObject) -> None:
    """Say the words of an enum and null as two branches, since null cannot be one of the words."""
    inner = {key: word.pop(key) for key in list(word) if key not in ANNOTATIONS}
    if "type" in inner:
        kinds = [kind for kind in listed(inner["type"]) if kind != "null"]
        inner["type"] = kinds[0] if len(kinds) == 1 else kinds
    word["anyOf"] = [inner, {"type": "null"}]


def joined(first: JsonObject, second: JsonObject) -> tuple[JsonObject, list[str]]:
    """Return one schema for what satisfies both, and the keywords of the second that could not be said in it.

    Annotations of the first win. A schema inside that differs becomes an `allOf`, to be joined when it is reached.
    """
    both, lost = dict(first), []
    strangers = {key for group in _TOGETHER if _clash(group, first, second) for key in group}
    for key, two in second.items():
        one: Any = both.get(key)
        if key in strangers:
            lost.append(key)
        elif key not in both:
            both[key] = two
        elif one == two or key in ANNOTATIONS:
            continue
        elif key in TIGHTER:
            both[key] = TIGHTER[key](one, two)
        elif key == "required":
            both[key] = list(dict.fromkeys([*one, *two]))
        elif key in ("properties", "$defs"):
            both[key] = one | two | {name: {"allOf": [one[name], two[name]]} for name in _differing(one, two)}
        elif key == "items":
            both[key] = {"allOf": [one, two]}
        elif key in ("type", "enum") and (common := _common(key, one, two)):
            both[key] = common[0] if key == "type" and len(common) == 1 else common
        else:
            lost.append(key)
    return both, lost


def listed(value: Any) -> list[Any]:
    """Return a keyword's value as the list that it may also be written as."""
    return list(value) if isinstance(value, list) else [value]


def _clash(group: tuple[str, ...], first: JsonObject, second: JsonObject) -> bool:
    one, two = ({key: schema[key] for key in group if key in schema} for schema in (first, second))
    return bool(one) and bool(two) and one != two and (one.keys() | two.keys()) != {group[0]}


def _differing(one: JsonObject, two: JsonObject) -> list[str]:
    return [name for name in one if name in two and one[name] != two[name]]


def _common(key: str, one: Any, two: Any) -> list[Any]:
    first, second = listed(one), listed(two)
    if key == "type":  # every integer is a number
        first, second = (side + ["integer"] * ("number" in side) for side in (first, second))
    return list(dict.fromkeys(value for value in first if value in second))

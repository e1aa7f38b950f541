"""The form that a schema gives to a value, as far as reading arguments and comparing signatures need it.

A schema's other rules (limits, patterns, conditions) are left to the validator. Whatever a shape says holds for every
value that the schema takes: coercion relies on it.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from switchboard.catalog.schema.references import followed
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.formats.schema.subschema import ANNOTATIONS, target

ONE_LINE: Final = "x-one-line"
"""What a schema says of a text that stands on one line."""
_NOTHING: Mapping[str, Any] = {}
_ANY: frozenset[str] = frozenset()
_NULL = frozenset({"null"})


class Shape:
    """What a value may look like; shapes inside are made when they are asked for: a schema may contain itself.

    Attributes:
        types: JSON type names; empty means any.
        is_moment: Whether text is a date and time.
        is_one_line: Whether text stands on one line.
        words: The values of `enum` or `const`, or None.
    """

    def __init__(self, schemas: Iterable[Any], known: "_Known") -> None:
        """Take schemas that all must hold; `shape_of` makes one for a single schema."""
        self._known = known
        self._schemas, forms = known.flat(schemas)
        self._unions = tuple(_Union.of(known.shape((form,)) for form in each) for each in forms)
        self.types = _common([*map(_own_types, self._schemas), *(union.types for union in self._unions)])
        says_moment = any(schema.get("format") == "date-time" for schema in self._schemas)
        self.is_moment = "string" in self.types and (says_moment or any(union.is_moment for union in self._unions))
        self.is_one_line = any(schema.get(ONE_LINE) is True for schema in self._schemas)
        lists = [*map(_own_words, self._schemas), *(union.words for union in self._unions)]
        self.words = next((words for words in lists if words is not None), None)

    @property
    def takes_null(self) -> bool:
        """Whether null is a value here."""
        return not self.types or "null" in self.types

    @property
    def is_scalar(self) -> bool:
        """Whether values are text, numbers or booleans, never containers."""
        return bool(self.types) and not self.types & {"array", "object"}

    @cached_property
    def properties(self) -> Mapping[str, "Shape"]:
        """The shapes of the properties that are known by name."""
        names = dict.fromkeys(name for schema in self._schemas for name in schema.get("properties", _NOTHING))
        return {name: self._known.shape(self._about(name)) for name in names}

    @cached_property
    def required(self) -> frozenset[str]:
        """The names that must be there."""
        return frozenset(name for schema in self._schemas for name in schema.get("required", ()))

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """By property name, what stands in for a missing one; nothing does for one that is required."""
        defaults: dict[str, Any] = {}
        for schema in self._schemas:
            for name, inner in schema.get("properties", _NOTHING).items():
                if name in self.required:
                    continue
                whole = effective(inner, self._known.root) if isinstance(inner, Mapping) else _NOTHING
                if "default" in whole:
                    defaults.setdefault(name, whole["default"])
        return defaults

    @cached_property
    def others(self) -> "Shape | None":
        """The shape of properties that are not known by name."""
        return self._known.shape_or_none(filter(None, map(_others, self._schemas)))

    @cached_property
    def items(self) -> "Shape | None":
        """The shape that all of an array's items have, or None where nothing is known of it."""
        if any("prefixItems" in schema for schema in self._schemas):
            return None
        shape = self._known.shape_or_none(schema["items"] for schema in self._schemas if "items" in schema)
        alone = next((union.shapes[0] for union in self._unions if len(union.shapes) == 1), None)
        return shape or (alone.items if alone else None)

    def at(self, part: str | int) -> "Shape | None":
        """Return the shape of what stands in a value under a name or at a position; None where nothing is known."""
        if isinstance(part, str):
            return self.properties.get(part, self.others)
        return self.items or self._known.shape_or_none(
            inner for schema in self._schemas if (inner := _at_position(schema, part)) is not None
        )

    def names(self) -> Iterator[str]:
        """Yield every name that a property may have in any of the forms; some more than once."""
        yield from self.properties
        for union in self._unions:
            for form in union.shapes:
                yield from form.names()

    def forms(self, value: Any) -> Iterator["Shape"]:
        """Yield of every union beside this shape the form that a container is meant in, where that is beyond doubt."""
        for union in self._unions:
            fitting = [form for form in union.shapes if not form.types or kind_of(value) in form.types]
            if len(fitting) > 1:
                fitting = [form for form in fitting if form._can_mean(value)]
            if len(fitting) == 1:
                yield fitting[0]

    def _can_mean(self, value: Any) -> bool:
        """Tell whether a container can be meant in this form, by the names and the words by which forms differ."""
        if not isinstance(value, Mapping):
            return True
        if not value.keys() >= self.required:
            return False
        if any(map(_is_closed, self._schemas)) and not value.keys() <= self.properties.keys():
            return False
        known = [(self.properties[name], item) for name, item in value.items() if name in self.properties]
        return all(inner.words is None or _is_one_of(item, inner.words) for inner, item in known)

    def _about(self, name: str) -> Iterator[Any]:
        """Yield every schema that speaks of the property of that name."""
        for schema in self._schemas:
            inner = schema.get("properties", _NOTHING).get(name, _others(schema))
            if inner is not None:
                yield inner


@dataclass(frozen=True, slots=True)
class _Union:
    """What the forms of one `anyOf` or `oneOf` have in common; null is told in `types` and is no form of its own."""

    shapes: tuple[Shape, ...]
    types: frozenset[str]
    is_moment: bool
    words: tuple[Any, ...] | None

    @classmethod
    def of(cls, forms: Iterable[Shape]) -> "_Union":
        every = tuple(forms)
        shapes = tuple(form for form in every if form.types != _NULL)
        types = frozenset[str]().union(*(form.types for form in every)) if all(f.types for f in every) else _ANY
        texts = [form.is_moment for form in shapes if "string" in form.types]
        words = [form.words for form in shapes]
        all_words = [word for some in words if some is not None for word in some]
        is_listed = bool(words) and None not in words
        return cls(shapes, types, bool(texts) and all(texts), tuple(all_words) if is_listed else None)


class _Known:
    """The shapes of one document that have been made, so that what contains itself is made once."""

    def __init__(self, root: JsonObject) -> None:
        self.root = root
        self._shapes: dict[tuple[int, ...], Shape] = {}

    def shape(self, schemas: Iterable[Any]) -> Shape:
        """Return the shape of values for which all of the schemas hold; they belong to the document."""
        parts = tuple(schemas)
        key = tuple(map(id, parts))
        if key not in self._shapes:
            self._shapes[key] = Shape(parts, self)
        return self._shapes[key]

    def shape_or_none(self, schemas: Iterable[Any]) -> Shape | None:
        """Return the shape of some schemas, or None where none of them says anything."""
        parts = [schema for schema in schemas if isinstance(schema, Mapping)]
        return self.shape(parts) if parts else None

    def flat(self, schemas: Iterable[Any]) -> tuple[tuple[Mapping[str, Any], ...], list[list[Any]]]:
        """Return all schemas that hold with these, references and `allOf` followed, and the unions among them."""
        applied: dict[int, Mapping[str, Any]] = {}
        queue = list(schemas)
        for schema in queue:
            if isinstance(schema, Mapping) and id(schema) not in applied:
                applied[id(schema)] = schema
                queue += [followed(self.root, schema), *schema.get("allOf", ())]
        unions = [schema[keyword] for schema in applied.values() for keyword in ("anyOf", "oneOf") if keyword in schema]
        return tuple(applied.values()), unions


def shape_of(schema: Any, root: JsonObject) -> Shape:
    """Return the shape of a schema whose local references point into `root`; `check_schema` found nothing wrong."""
    return _Known(root).shape((schema,))


def effective(schema: Mapping[str, Any], root: JsonObject) -> JsonObject:
    """Return a schema with its reference followed, where nothing but words stands beside it."""
    merged = dict(schema)
    while is_mere_reference(merged):
        meant = target(root, merged.pop("$ref"))
        merged = (dict(meant) if isinstance(meant, Mapping) else {}) | merged
    return merged


def kind_of(value: Any) -> str:
    """Return the JSON type of a value; a float without a fraction is still a `number`."""
    if isinstance(value, bool):
        return "boolean"
    for types, name in ((str, "string"), (int, "integer"), (float, "number"), (Mapping, "object"), (list, "array")):
        if isinstance(value, types):
            return name
    return "null"


def folded(text: str) -> str:
    """Return a text as it counts when words are compared: its case and blanks do not."""
    return " ".join(text.split()).casefold()


def is_mere_reference(schema: Mapping[str, Any]) -> bool:
    """Tell whether a schema says nothing beyond its `$ref` but words."""
    return "$ref" in schema and schema.keys() - {"$ref"} <= ANNOTATIONS


def _own_types(schema: Mapping[str, Any]) -> frozenset[str]:
    types = schema.get("type", [])
    return frozenset([types] if isinstance(types, str) else types) or frozenset(map(kind_of, _own_words(schema) or ()))


def _own_words(schema: Mapping[str, Any]) -> tuple[Any, ...] | None:
    words = schema.get("enum", [schema["const"]] if "const" in schema else None)
    return tuple(words) if words is not None else None


def _common(types: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the types that are among all of these; one that says nothing, or that contradicts, changes nothing."""
    common = _ANY
    for some in types:
        # Every integer is a number.
        one, two = (side | {"integer"} if "number" in side else side for side in (common, some))
        both = one & two
        common = (both - {"integer"} if "number" in both else both) or common or some
    return common


def _others(schema: Mapping[str, Any]) -> Any:
    """Return what a schema says about every property that it does not name; None where that cannot be told by name."""
    others = schema.get("additionalProperties")
    return others if isinstance(others, Mapping) and "patternProperties" not in schema else None


def _is_closed(schema: Mapping[str, Any]) -> bool:
    return schema.get("additionalProperties") is False and "patternProperties" not in schema


def _at_position(schema: Mapping[str, Any], position: int) -> Any:
    first = schema.get("prefixItems", ())
    return first[position] if position < len(first) else schema.get("items")


def _is_one_of(value: Any, words: tuple[Any, ...]) -> bool:
    if isinstance(value, str) and all(isinstance(word, str) for word in words):
        return any(folded(word) == folded(value) for word in words)
    # Text may still turn out to be the number that is meant.
    return isinstance(value, str) or value in words

"""The schemas of a stranger's OpenAPI document, each made to stand by itself: cleaned, repaired, nothing fetched.

References stay inside the document. A schema that refers to itself stays one that does: what it refers to stands in
its own `$defs`, each definition once, so that no document grows when it is read.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from switchboard.admin.importers.untrusted_text import has_variables, plain
from switchboard.catalog.schema.repair.repair import repair
from switchboard.contract import policy
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.formats.schema.subschema import ALONE, IN_LISTS, IN_MAPS, children, pointer, target

_LONGEST_CHAIN = 20
_NODES = 4 * policy.SCHEMA_NODES
_WORDS = 500
# What says something to other tools than a model, or repeats what the schema says.
# Definitions are copied from where they are referred to.
_PASSED_OVER = frozenset(
    {"discriminator", "xml", "externalDocs", "example", "examples", "$comment", "$defs", "definitions"}
)


@dataclass
class Budget:
    """How many parts of schemas may still be looked at, all schemas of a document together."""

    left: int = 40_000

    @property
    def is_spent(self) -> bool:
        """Whether nothing more is looked at."""
        return self.left <= 0


class ApiSchemas:
    """Reads references and schemas of one document."""

    def __init__(self, document: JsonObject, budget: Budget) -> None:
        """Read out of `document`, as long as there is a `budget`."""
        self._document, self._budget = document, budget

    def followed(self, node: Any, at: str) -> Any:
        """Return what a part of the document is, where it may be a reference to it.

        Raises:
            DefinitionError: It leads nowhere, in circles or out of the document; named as `at`.
        """
        node_followed = node
        for _ in range(_LONGEST_CHAIN):
            reference = node_followed.get("$ref") if isinstance(node_followed, Mapping) else None
            if not isinstance(reference, str):
                return node_followed
            node_followed = self._target(reference, at)
        raise DefinitionError(at, "refers to itself", "write out what is meant")

    def whole(self, schema: Any, at: str, report: list[str]) -> JsonObject:
        """Return a schema that can be used by itself; what was changed in it goes to `report`.

        Raises:
            DefinitionError: It cannot be used; named as `at`.
        """
        copying = _Copying(self, at, report)
        by_name = copying.cleaned({} if schema is None else schema, at)
        definitions: JsonObject = {}
        # While definitions are copied, further ones are found.
        while copying.waiting:
            reference, name = copying.waiting.popitem()
            definitions[name] = copying.cleaned(self._target(reference, at), f"{at}.$defs.{name}")
        if not isinstance(by_name, Mapping):
            by_name = {} if by_name is True else {"not": {}}
        if definitions:
            by_name = {**by_name, "$defs": definitions}
        try:
            repaired, repairs = repair(by_name)
        except DefinitionError as error:
            raise DefinitionError(f"{at}{error.field.rstrip('/')}"[:200], error.problem, error.remedy) from None
        report += [f"{at}{one}" for one in repairs]
        return repaired

    def spend(self, at: str) -> None:
        """Count one part of a schema.

        Raises:
            DefinitionError: There is no budget for it any more.
        """
        self._budget.left -= 1
        if self._budget.is_spent:
            raise DefinitionError(at, "was not looked at: the document is too large", "take parts of it out")

    def _target(self, reference: str, at: str) -> Any:
        reference_text = repr(reference[:80])
        if not reference.startswith("#/"):
            problem = f"refers to {reference_text}, which is not in the document, and nothing is fetched"
            raise DefinitionError(at, problem, "copy it into the document, below components")
        try:
            return target(self._document, reference)
        except LookupError:
            raise DefinitionError(
                at, f"refers to {reference_text}, where there is nothing", "correct the reference"
            ) from None


def within(schema: JsonObject, name: str) -> JsonObject:
    """Return a schema whose references hold where it stands as one property of a larger one."""
    if "$defs" not in schema:
        return schema
    result: JsonObject = moved(schema, f"#{pointer('properties', name)}")
    return result


def moved(schema: Any, base: str) -> Any:
    """Return a schema whose references hold where it stands at `base`, such as `#/properties/customer`."""
    if not isinstance(schema, Mapping):
        return schema
    copy = dict(schema)
    if isinstance(copy.get("$ref"), str) and copy["$ref"].startswith("#"):
        copy["$ref"] = base + copy["$ref"][1:]
    for keyword in IN_MAPS:
        if isinstance(copy.get(keyword), Mapping):
            copy[keyword] = {name: moved(inner, base) for name, inner in copy[keyword].items()}
    for keyword in IN_LISTS:
        if isinstance(copy.get(keyword), list):
            copy[keyword] = [moved(inner, base) for inner in copy[keyword]]
    for keyword in ALONE:
        if keyword in copy:
            copy[keyword] = moved(copy[keyword], base)
    return copy


def resolved(schema: Any, root: Any) -> Any:
    """Return what a schema is that may be nothing but a reference into `$defs` of `root`; None where it is more."""
    shelf = root.get("$defs") if isinstance(root, Mapping) else None
    definitions = shelf if isinstance(shelf, Mapping) else {}
    seen = set()
    while isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str) and schema["$ref"] not in seen:
        seen.add(schema["$ref"])
        if schema.keys() - {"$ref", "$defs", "title", "description"}:
            return None
        schema = definitions.get(_definition(schema["$ref"]))
    return schema


def with_needed(schema: JsonObject, definitions: Mapping[str, Any]) -> JsonObject:
    """Return a schema with those definitions that it leads to."""
    result: JsonObject = {}
    waiting = [schema]
    for one in waiting:
        for name in map(_definition, _references(one)):
            if name in definitions and name not in result:
                result[name] = definitions[name]
                waiting.append(definitions[name])
    return {**schema, "$defs": result} if result else schema


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for _, inner in children(schema):
            yield from _references(inner)


def _definition(reference: str) -> str:
    return reference.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")


class _Copying:
    """Copies one schema with everything it refers to."""

    def __init__(self, schemas: ApiSchemas, at: str, report: list[str]) -> None:
        self._schemas, self._at, self._report = schemas, at, report
        self._names: dict[str, str] = {}
        self._left = _NODES
        self.waiting: dict[str, str] = {}

    def cleaned(self, schema: Any, at: str) -> Any:
        """Return a schema with plain words, without what is nobody's to say, its references into `$defs`."""
        self._left -= 1
        if self._left < 0:
            raise DefinitionError(self._at, "is too large, with all that it refers to", "take parts of it out")
        self._schemas.spend(self._at)
        if not isinstance(schema, Mapping):
            return schema
        hidden = _only_answered(schema)
        self._report += [f"{at}.{name[:60]}: was left out: it stands in answers only (readOnly)" for name in hidden]
        return {
            keyword: self._value(keyword, value, at, hidden)
            for keyword, value in schema.items()
            if keyword not in _PASSED_OVER
            and not keyword.startswith("x-")
            and not self._is_doubtful(keyword, value, at)
        }

    def _value(self, keyword: str, value: Any, at: str, hidden: list[str]) -> Any:
        if keyword == "$ref" and isinstance(value, str):
            return f"#{pointer('$defs', self._name(value))}"
        if keyword in ("title", "description"):
            return plain(value, _WORDS)
        if keyword in IN_MAPS and isinstance(value, Mapping):
            remaining = {name: inner for name, inner in value.items() if keyword != "properties" or name not in hidden}
            return {name: self.cleaned(inner, f"{at}.{name[:60]}") for name, inner in remaining.items()}
        if keyword in IN_LISTS and isinstance(value, list):
            return [self.cleaned(inner, f"{at}.{keyword}") for inner in value]
        if keyword in ALONE:
            return self.cleaned(value, f"{at}.{keyword}")
        if keyword == "required" and isinstance(value, list):
            return [name for name in value if name not in hidden]
        return value

    def _is_doubtful(self, keyword: str, value: Any, at: str) -> bool:
        if keyword != "default" or not has_variables(value):
            return False
        self._report.append(f"{at}: the default was left out, because it looks like a variable")
        return True

    def _name(self, reference: str) -> str:
        if reference not in self._names:
            last = reference.rpartition("/")[2].replace("~1", "_").replace("~0", "_")[:60] or "part"
            taken, number, name = set(self._names.values()), 1, last
            while name in taken:
                number += 1
                name = f"{last}_{number}"
            self._names[reference] = self.waiting[reference] = name
        return self._names[reference]


def _only_answered(schema: Mapping[str, Any]) -> list[str]:
    properties = schema.get("properties")
    rows = properties.items() if isinstance(properties, Mapping) else ()
    return [name for name, inner in rows if isinstance(inner, Mapping) and inner.get("readOnly") is True]

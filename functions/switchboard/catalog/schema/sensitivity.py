"""What of a value is a secret or about a person, by how its schema declares it: what one may see, another may not.

A parameter says `"x-secret": true` of what is shown to nobody, and `"x-personal": false` of what names nobody, such as
a service; inner schemas inherit the latter until one says otherwise. What says nothing is taken for personal, also in
tools that owners make. A yes or no and a word that the schema itself lists are in its declaration and name nobody.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from switchboard.catalog.schema.references import followed
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.formats.schema.subschema import children

SECRET: Final = "x-secret"
PERSONAL: Final = "x-personal"
MASK: Final = "•••"
# Nobody nests what a caller says like that, and whoever shows it must not break on it.
_DEEPEST = 40
_MOST_NAMED = 100
_BRANCHES = ("allOf", "anyOf", "oneOf")
_CONDITIONS = ("if", "then", "else")


class MaskReason(StrEnum):
    """Why a part of a value is not shown."""

    SECRET = "secret"
    PERSONAL = "personal"
    NESTED = "nested"


@dataclass(frozen=True, slots=True)
class MaskedPart:
    """A part that is not shown; `at` is its JSON pointer, in which `•••` stands for names that nobody declared."""

    at: str
    reason: MaskReason


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A value with `•••` for what is not shown; `masked` names those places, at most a hundred, in order."""

    value: Any
    masked: tuple[MaskedPart, ...] = ()


def holds_secret(root: JsonObject, schema: Any) -> bool:
    """Tell whether a schema declares a secret, itself or anywhere within; references lead into `root`."""
    queue, seen = [schema], set[int]()
    for node in queue:
        if not isinstance(node, Mapping) or id(node) in seen:
            continue
        seen.add(id(node))
        if node.get(SECRET) is True:
            return True
        queue += [inner for _, inner in children(node)]
        queue.append(followed(root, node))
    return False


def shown_to(value: Any, schema: JsonObject | None, *, may_see_personal: bool) -> ShownValue:
    """Return a value as somebody may see it who may see what is personal, or may not; secrets nobody may.

    Args:
        value: Of a JSON text.
        schema: Which declares it; None where nobody knows its declaration any more.
        may_see_personal: Whether what is about people is shown.
    """
    masking = _Masking(schema or {}, may_see_personal)
    shown = masking.value(value, [schema or {}], "", None, 0)
    return ShownValue(shown, tuple(masking.parts[:_MOST_NAMED]))


def secrets_in(value: Any, schema: JsonObject) -> tuple[str, ...]:
    """Return every word and number of a value that its schema declares a secret, as text."""
    masking = _Masking(schema, True)
    masking.value(value, [schema], "", None, 0)
    return tuple(dict.fromkeys(text for secret in masking.secrets for text in _leaves(secret)))


def _leaves(value: Any) -> Iterator[str]:
    queue = [value]
    for inner in queue:
        if isinstance(inner, Mapping):
            queue += inner.values()
        elif isinstance(inner, list | tuple):
            queue += inner
        elif inner is not None and not isinstance(inner, bool):
            yield str(inner)


class _Masking:
    def __init__(self, root: JsonObject, may_see_personal: bool) -> None:
        self._root, self._may_see_personal = root, may_see_personal
        self.parts: list[MaskedPart] = []
        self.secrets: list[Any] = []

    def value(self, value: Any, schemas: Iterable[Any], at: str, inherited: bool | None, depth: int) -> Any:
        nodes = list(self._in_place(schemas))
        if any(node.get(SECRET) is True for node in nodes):
            self.secrets.append(value)
            return self._mask(at, MaskReason.SECRET)
        stated = [node[PERSONAL] for node in nodes if isinstance(node.get(PERSONAL), bool)]
        # Where branches differ, the stricter one counts.
        personal = any(stated) if stated else inherited
        if isinstance(value, Mapping | list) and depth >= _DEEPEST:
            return self._mask(at, MaskReason.NESTED)
        if isinstance(value, Mapping) and any("properties" in n or "additionalProperties" in n for n in nodes):
            return self._members(value, nodes, at, personal, depth)
        if isinstance(value, list) and any("items" in node or "prefixItems" in node for node in nodes):
            return [
                self.value(inner, _of_item(nodes, number), f"{at}/{number}", personal, depth + 1)
                for number, inner in enumerate(value)
            ]
        if any(holds_secret(self._root, node) for node in nodes):
            # It is not of the form that was declared: nobody can tell where in it the secret is.
            self.secrets.append(value)
            return self._mask(at, MaskReason.SECRET)
        if self._may_see_personal or personal is False or value is None:
            return value
        is_declared = personal is None and any(_names(node, value) for node in nodes)
        return value if is_declared else self._mask(at, MaskReason.PERSONAL)

    def _members(
        self, value: Mapping[str, Any], nodes: Sequence[JsonObject], at: str, personal: bool | None, depth: int
    ) -> JsonObject:
        shown: JsonObject = {}
        for name, inner in value.items():
            schemas = list(_of_member(self._root, nodes, name))
            if schemas or self._may_see_personal or personal is False:
                place = f"{at}/{name.replace('~', '~0').replace('/', '~1')}"
                shown[name] = self.value(inner, schemas, place, personal, depth + 1)
            elif MASK not in shown:
                # A name that nobody declared may be a person's.
                shown[MASK] = self._mask(f"{at}/{MASK}", MaskReason.PERSONAL)
        return shown

    def _in_place(self, schemas: Iterable[Any]) -> Iterator[JsonObject]:
        """Yield schemas with all that say something of the same value."""
        queue, seen = list(schemas), set[int]()
        for node in queue:
            if not isinstance(node, Mapping) or id(node) in seen:
                continue
            seen.add(id(node))
            yield dict(node)
            queue.append(followed(self._root, node))
            queue += [node[keyword] for keyword in _CONDITIONS if keyword in node]
            queue += [inner for keyword in _BRANCHES for inner in node.get(keyword) or ()]

    def _mask(self, at: str, reason: MaskReason) -> str:
        self.parts.append(MaskedPart(at, reason))
        return MASK


def _of_member(root: JsonObject, nodes: Sequence[JsonObject], name: str) -> Iterator[Any]:
    for node in nodes:
        declared = node.get("properties")
        if isinstance(declared, Mapping) and name in declared:
            yield declared[name]
            continue
        if isinstance(node.get("additionalProperties"), Mapping):
            yield node["additionalProperties"]
        patterns = node.get("patternProperties")
        # Which names a pattern means is not tried out: any of them may be the secret's.
        if isinstance(patterns, Mapping) and any(holds_secret(root, inner) for inner in patterns.values()):
            yield {SECRET: True}


def _of_item(nodes: Sequence[JsonObject], number: int) -> Iterator[Any]:
    for node in nodes:
        first = node.get("prefixItems")
        if isinstance(first, list) and number < len(first):
            yield first[number]
        elif "items" in node:
            yield node["items"]


def _names(node: JsonObject, value: Any) -> bool:
    """Tell whether a schema itself names a value: nobody's own words."""
    if isinstance(value, bool):
        return True
    if isinstance(value, str):
        words = node.get("enum")
        return node.get("const") == value or (isinstance(words, list) and value in words)
    return False

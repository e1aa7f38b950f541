"""The parts of a business that a template says, as trees in which every value has a name of its own, and back.

Services and rules are lists: they are told apart by what they are called, not by their place, so that one that an
owner has put in front of the others changes nothing about these.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias, get_args

from switchboard.admin.documents.difference import ABSENT
from switchboard.admin.knowledge.entry_form import Collection
from switchboard.admin.pushing.comparing import Tree
from switchboard.contract.business.names import folded, letters
from switchboard.contract.json import JsonObject

DocumentPart: TypeAlias = Literal[
    "workingHours", "services", "escalation", "ai", "enabledTools", "features", "portal", "limits"
]
EntryPart: TypeAlias = Collection
Part: TypeAlias = DocumentPart | EntryPart

DOCUMENT_PARTS: tuple[DocumentPart, ...] = get_args(DocumentPart)
ENTRY_PARTS: tuple[EntryPart, ...] = get_args(EntryPart)
PARTS: tuple[Part, ...] = (*DOCUMENT_PARTS, *ENTRY_PARTS)
"""All of them, in the order in which they are told."""

# Whom a rule reaches is each business's own.
_REACH = ("destination", "email")
_RULES = "rules"
_NAMING = ("name", "label", "question", "title", "topic")


def document_tree(part: DocumentPart, document: Mapping[str, Any]) -> Any:
    """Return a part of a business's document as a tree; `ABSENT` where the document says nothing of it.

    What is not of the shape that it should have is one value.
    """
    value = document.get(part)
    if part == "services" and (value is None or isinstance(value, list)):
        return dict(_by_key(value or []))
    if part == "enabledTools" and isinstance(value, list):
        return {name: True for name in value if isinstance(name, str)}
    if part == "escalation" and (value is None or isinstance(value, Mapping)):
        rules = (value or {}).get(_RULES) or []
        return {_RULES: {key: _unreached(rule) for key, rule in _by_key(rules)} if isinstance(rules, list) else rules}
    return ABSENT if value is None else value


def with_part(part: DocumentPart, document: JsonObject, tree: Any) -> JsonObject:
    """Return a business's document in which a part is as its tree says, and rows that stay keep their order."""
    value = document.get(part)
    if tree is ABSENT:
        return {name: inner for name, inner in document.items() if name != part}
    if part == "services" and isinstance(tree, Mapping):
        return {**document, part: _rows(value, tree, lambda row, changed: changed)}
    if part == "enabledTools" and isinstance(tree, Mapping):
        return {**document, part: list(tree)}
    if part == "escalation" and isinstance(tree, Mapping):
        before = value if isinstance(value, Mapping) else {}
        return {**document, part: {**before, _RULES: _rows(before.get(_RULES), tree[_RULES], _reaching)}}
    return {**document, part: tree}


def entry_tree(fields: Mapping[str, Any]) -> Tree:
    """Return an entry as a tree: what is empty is the same as what is not there."""
    return {name: value for name, value in fields.items() if value not in ("", None, [])}


def field_path(part: Part, steps: tuple[str, ...], *sides: Any) -> str:
    """Return where a value is as a path that people read: `services[Haircut].price`, `faqs[faq-parking].answer`.

    Args:
        part: The part it is in.
        steps: Where it is in there.
        sides: Trees of the part, of which the first that has a service tells what it is called.
    """
    if part == "enabledTools" or part in ENTRY_PARTS:
        return _keyed(str(part), steps)
    if part == "services" and steps:
        rows = (side.get(steps[0]) for side in sides if isinstance(side, Mapping))
        name = next((str(row["name"]) for row in rows if isinstance(row, Mapping) and row.get("name")), steps[0])
        return _keyed(part, (name, *steps[1:]))
    if part == "escalation" and steps:
        return _keyed(f"{part}.{steps[0]}", steps[1:])
    return ".".join((part, *steps))


def name_of(part: Part, steps: tuple[str, ...], *sides: Any) -> str | None:
    """Return what the service, rule or entry is called that a value is of; None of other values."""
    depth = 2 if part == "escalation" else 1
    if part not in ("services", "escalation", *ENTRY_PARTS) or len(steps) < depth:
        return None
    for side in sides:
        row = side
        for step in steps[:depth]:
            row = row.get(step) if isinstance(row, Mapping) else None
        named = next((str(row[name]) for name in _NAMING if row.get(name)), "") if isinstance(row, Mapping) else ""
        if named:
            return named
    return None


def _keyed(place: str, steps: tuple[str, ...]) -> str:
    return ".".join((f"{place}[{steps[0]}]", *steps[1:])) if steps else place


def _by_key(rows: list[Any]) -> Iterator[tuple[str, JsonObject]]:
    """Yield each row by what tells it from others: of two that bear one name, the first."""
    seen = set[str]()
    for at, row in enumerate(rows):
        if isinstance(row, Mapping) and (key := _key(at, row)) not in seen:
            seen.add(key)
            yield key, dict(row)


def _key(at: int, row: Mapping[str, Any]) -> str:
    if row.get("action") is not None:
        return str(row.get("id") or "").strip() or f"rule {at + 1}"
    name = str(row.get("name") or "")
    return letters(name) or folded(name) or f"service {at + 1}"


def _rows(stored: Any, tree: Mapping[str, Any], joined: Any) -> list[Any]:
    """Return the rows of a list after a tree was changed: those it had in their order, new ones behind them."""
    rows, left = list[Any](), dict(tree)
    known = dict(_by_key(stored)) if isinstance(stored, list) else {}
    for at, row in enumerate(stored if isinstance(stored, list) else ()):
        key = _key(at, row) if isinstance(row, Mapping) else ""
        if key in left:
            rows.append(joined(row, left.pop(key)))
        elif key not in known or key in tree:
            # No row of the tree's: it stays as it is, for whoever saves to be told what is wrong with it.
            rows.append(row)
    return [*rows, *(joined({}, row) for row in left.values())]


def _unreached(rule: Mapping[str, Any]) -> JsonObject:
    return {name: value for name, value in rule.items() if name not in _REACH}


def _reaching(rule: Mapping[str, Any], changed: Mapping[str, Any]) -> JsonObject:
    return {**changed, **{name: rule[name] for name in _REACH if name in rule}}

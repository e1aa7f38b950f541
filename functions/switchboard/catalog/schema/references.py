"""References inside a schema: each leads somewhere in it, ends, and cannot multiply the work of checking a value.

A schema may refer to itself wherever that goes one level deeper into the value (a list of nodes inside a node). What
is refused: leaving the document, going round without going deeper, growing without bound when references are
followed, and forms that refer back so often that one nested value would be checked thousands of times over.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote

from switchboard.contract import policy
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.formats.schema.subschema import ALONE, IN_LISTS, IN_MAPS, children, target

IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
"""Keywords whose schemas speak about the same value as the schema around them."""

_DEEPEST_CHAIN = 100
_DEEPEST_VALUE = 64
# Every refusal of a union quotes what each branch found, all the way down: some 35 µs for each time a value is checked.
_MOST_CHECKS = 256
_LEAST_DEPTH = 3
_UNSPECIAL = "/~!$&'()*+,;=:@?._-"
_URI_FRAGMENT = re.compile(rf"#(?:[A-Za-z0-9{re.escape(_UNSPECIAL)}]|%[0-9A-Fa-f]{{2}})*")


def reference_problems(root: JsonObject, nodes: list[tuple[str, Any]]) -> list[DefinitionError]:
    """Return everything wrong with a schema's references; empty when all of them can be followed.

    Args:
        root: The schema.
        nodes: Every schema inside it with its JSON pointer, itself first.
    """
    problems = [*_dangling(root, nodes)]
    if not problems:
        problems = [*_circles(root, nodes)]
    if not problems:
        problems = [*_growth(root)]
    if not problems and (deepest := deepest_value(root)) is not None and deepest < _LEAST_DEPTH:
        problem = "has so many forms that refer back to themselves that nested values could not be checked in time"
        problems = [DefinitionError("/", problem, "tell the forms apart by property names, or write fewer of them")]
    return problems


def deepest_value(root: JsonObject) -> int | None:
    """Return how many levels deep a value may nest in a sound schema; None where the schema itself is the limit.

    Only a schema that refers to itself needs a limit. It is lower where several of a union's forms lead back through
    the same property, because the work then multiplies with every level.
    """
    if not _has_circle(root):
        return None
    work = _CheckingWork(root)
    return next((d for d in range(_DEEPEST_VALUE) if work.checks(root, d + 1) > _MOST_CHECKS), _DEEPEST_VALUE)


def followed(root: JsonObject, node: Any) -> Any:
    """Return what a schema's `$ref` points at, or None where it has none or that leads nowhere."""
    reference = node.get("$ref") if isinstance(node, Mapping) else None
    if not isinstance(reference, str):
        return None
    try:
        return target(root, reference)
    except LookupError:
        return None


def with_uri_references(schema: Any) -> Any:
    """Return a schema whose references are spelt as URIs, which validators insist on.

    Programs name definitions `List<string>` or `Größe` and refer to them as they are called.
    """
    if isinstance(schema, list):
        return [with_uri_references(inner) for inner in schema]
    if not isinstance(schema, Mapping):
        return schema
    encoded = dict(schema)
    reference = encoded.get("$ref")
    if isinstance(reference, str) and reference.startswith("#") and not _URI_FRAGMENT.fullmatch(reference):
        encoded["$ref"] = "#" + quote(unquote(reference[1:]), safe=_UNSPECIAL)
    for keyword in IN_MAPS:
        if isinstance(encoded.get(keyword), Mapping):
            encoded[keyword] = {name: with_uri_references(inner) for name, inner in encoded[keyword].items()}
    for keyword in (*IN_LISTS, *ALONE):
        if keyword in encoded:
            encoded[keyword] = with_uri_references(encoded[keyword])
    return encoded


def _dangling(root: JsonObject, nodes: list[tuple[str, Any]]) -> Iterator[DefinitionError]:
    for at, node in nodes:
        reference = node.get("$ref") if isinstance(node, Mapping) else None
        if not isinstance(reference, str) or followed(root, node) is not None:
            continue
        shown = repr(reference[:80])
        if not reference.startswith("#"):
            problem, remedy = (
                f"{shown} is outside of this schema, and nothing is fetched",
                "copy it into $defs and refer",
            )
            remedy += " to it as #/$defs/name"
        elif reference == "#":
            problem, remedy = "refers to the whole schema", "move it into $defs and refer to it as #/$defs/name"
        elif not reference.startswith("#/"):
            problem, remedy = f"{shown} refers to an anchor", "refer by JSON pointer: #/$defs/name"
        else:
            problem, remedy = f"{shown} leads nowhere", "refer to a place in here: #/$defs/name"
        yield DefinitionError(f"{at}/$ref", problem, remedy)


def _in_place(root: JsonObject, node: Any) -> list[Any]:
    """Return the schemas that a schema applies to the very value that it is applied to."""
    inner = [child for at, child in children(node) if at.split("/", 2)[1] in IN_PLACE]
    meant = followed(root, node)
    return [*inner, meant] if isinstance(meant, Mapping) else inner


def _circles(root: JsonObject, nodes: list[tuple[str, Any]]) -> Iterator[DefinitionError]:
    """Yield every schema that comes back to itself without going deeper into the value."""
    is_done: dict[int, bool] = {}
    for at, start in nodes:
        stack = [(start, iter(_in_place(root, start)))] if is_done.setdefault(id(start), False) is False else []
        while stack:
            node, inner = stack[-1]
            child = next(inner, None)
            if child is None:
                is_done[id(node)] = True
                stack.pop()
            elif id(child) not in is_done and len(stack) <= _DEEPEST_CHAIN:
                is_done[id(child)] = False
                stack.append((child, iter(_in_place(root, child))))
            elif len(stack) > _DEEPEST_CHAIN:
                problem = "leads to a reference, and that to another, for too long"
                yield DefinitionError(at or "/", problem, "refer more directly")
                return
            elif not is_done[id(child)]:
                problem = "refers to itself without going into a property or an item, so that checking never ends"
                yield DefinitionError(at or "/", problem, "refer back from inside properties or items only")
                return


def _growth(root: JsonObject) -> Iterator[DefinitionError]:
    """Yield a problem where following references, each once on a path, makes a schema too large or too deep."""
    seen = 0
    stack: list[tuple[Any, frozenset[str], int]] = [(root, frozenset(), 0)]
    while stack:
        node, open_, depth = stack.pop()
        seen += 1
        if seen > policy.SCHEMA_NODES:
            remedy = f"stay below {policy.SCHEMA_NODES} schemas in all"
            yield DefinitionError("/", "grows too large when its references are followed", remedy)
            return
        if depth > _DEEPEST_CHAIN:
            yield DefinitionError("/", "leads to a reference, and that to another, for too long", "refer more directly")
            return
        stack += [(child, open_, depth + 1) for _, child in children(node)]
        meant = followed(root, node)
        if meant is not None and node["$ref"] not in open_:
            stack.append((meant, open_ | {node["$ref"]}, depth + 1))


def _has_circle(root: JsonObject) -> bool:
    """Tell whether any schema that can be reached leads back to itself."""
    is_done: dict[int, bool] = {id(root): False}
    stack: list[tuple[Any, Iterator[Any]]] = [(root, iter(_all_inner(root, root)))]
    while stack:
        node, inner = stack[-1]
        child = next(inner, None)
        if child is None:
            is_done[id(node)] = True
            stack.pop()
        elif not isinstance(child, Mapping) or is_done.get(id(child)) is True:
            continue
        elif id(child) in is_done:
            return True
        else:
            is_done[id(child)] = False
            stack.append((child, iter(_all_inner(root, child))))
    return False


def _all_inner(root: JsonObject, node: Any) -> list[Any]:
    # Definitions are not applied by standing there.
    inner = [child for at, child in children(node) if at.split("/", 2)[1] not in ("$defs", "definitions")]
    meant = followed(root, node)
    return inner if meant is None else [*inner, meant]


class _CheckingWork:
    """Counts how often one value so many levels down is checked, at the worst."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._inner: dict[int, list[Counter[int]]] = {}
        self._here: dict[int, Counter[int]] = {}
        self._nodes: dict[int, Any] = {}
        self._known: dict[tuple[int, int], int] = {}

    def checks(self, node: Any, depth: int) -> int:
        """Return how many times `node` has a value checked that stands exactly `depth` levels inside its own."""
        key = (id(node), depth)
        if key not in self._known:
            self._nodes[id(node)] = node
            if depth == 0:
                self._known[key] = 1
            else:
                ways = self._ways(node)
                self._known[key] = max(
                    (sum(n * self.checks(self._nodes[one], depth - 1) for one, n in way.items()) for way in ways),
                    default=0,
                )
        return self._known[key]

    def _ways(self, node: Any) -> list[Counter[int]]:
        """Return for each place inside a value the schemas that are applied there, and how often each."""
        if id(node) not in self._inner:
            ways: dict[str, Counter[int]] = {}
            anywhere: Counter[int] = Counter()
            for one, times in self._applied(node).items():
                for at, child in children(self._nodes[one]):
                    keyword, _, name = at[1:].partition("/")
                    if not isinstance(child, Mapping) or keyword in IN_PLACE or keyword in ("$defs", "definitions"):
                        continue
                    self._nodes[id(child)] = child
                    place = ways.setdefault(name, Counter()) if keyword == "properties" else anywhere
                    place[id(child)] += times
            self._inner[id(node)] = [way + anywhere for way in ways.values()] or [anywhere]
        return self._inner[id(node)]

    def _applied(self, node: Any) -> Counter[int]:
        """Return every schema that is applied to the value that `node` is applied to, and how often."""
        if id(node) not in self._here:
            self._nodes[id(node)] = node
            times = Counter({id(node): 1})
            for child in _in_place(self._root, node):
                times += self._applied(child)
            self._here[id(node)] = times
        return self._here[id(node)]

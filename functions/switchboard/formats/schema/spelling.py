"""Names that a dialect does not take, spelt so that it does: different names stay different, and the way back is known.

Vendors refuse a whole request over one name, such as `filter[status]`, that owners of connected systems never chose to
be a problem.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import MalformedJson, parse_json
from switchboard.formats.schema.memo import once_per_schema
from switchboard.formats.schema.subschema import children, target

_DIGITS = 8
_MOST_DIGITS = 32


@dataclass(frozen=True, slots=True)
class SpellingRule:
    """How a dialect lets things be called.

    Attributes:
        characters: The inside of a regular expression's character class.
        longest: How many of them.
        starts_with_letter: Whether the first must be a letter or `_`.
        taken: Names that mean something else there.
    """

    characters: str
    longest: int
    starts_with_letter: bool = False
    taken: frozenset[str] = frozenset()

    def takes(self, name: str) -> bool:
        """Tell whether a name may stay as it is."""
        if name in self.taken:
            return False
        if self.starts_with_letter and not re.match(r"[A-Za-z_]", name):
            return False
        return bool(re.fullmatch(f"[{self.characters}]{{1,{self.longest}}}", name))


@lru_cache(4_096)
def spelled(name: str, rule: SpellingRule, digits: int = _DIGITS) -> str:
    """Return the name itself if the rule takes it, else what is left of it and a digest that tells it from others."""
    if rule.takes(name):
        return name
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = re.sub("_+", "_", re.sub(f"[^{rule.characters}]", "_", letters)).strip("_.-")
    if rule.starts_with_letter and not re.match(r"[A-Za-z_]", plain):
        plain = f"_{plain}"
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
    return f"{plain[: rule.longest - digits - 1] or 'x'}_{digest}"


def told_names(names: Iterable[str], rule: SpellingRule) -> dict[str, str]:
    """Return how those names are told that the rule does not take; no two names are told alike."""
    known = sorted(set(names))
    taken = {name for name in known if rule.takes(name)}
    spellings: dict[str, str] = {}
    for name in known:
        if name in taken:
            continue
        for digits in range(_DIGITS, _MOST_DIGITS + 1, 4):
            if (spelling := spelled(name, rule, digits)) not in taken:
                break
        taken.add(spelling)
        spellings[name] = spelling
    return spellings


def argument_names(schema: JsonObject) -> set[str]:
    """Return every name that a schema gives to a property, at any depth and behind references."""
    return {name for node in _reachable(schema) for name in _named(node)}


def respelled(value: Any, names: Mapping[str, str]) -> Any:
    """Return a JSON value in which properties are called as `names` says, at any depth."""
    if isinstance(value, dict):
        return {names.get(key, key): respelled(item, names) for key, item in value.items()}
    return [respelled(item, names) for item in value] if isinstance(value, list) else value


def _named(node: Mapping[str, Any]) -> Iterator[str]:
    for keyword in ("properties", "required", "dependentRequired", "dependentSchemas"):
        yield from (name for name in node.get(keyword) or () if isinstance(name, str))
    for names in (node.get("dependentRequired") or {}).values():
        yield from names


def _reachable(root: JsonObject) -> Iterator[Mapping[str, Any]]:
    queue: list[Any] = [root]
    seen: set[int] = set()
    for node in queue:
        if not isinstance(node, Mapping) or id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        queue += [child for _, child in children(node)]
        if isinstance(reference := node.get("$ref"), str):
            try:
                queue.append(target(root, reference))
            except LookupError:
                continue


def as_told(definition: Definition, call: ToolCall) -> ToolCall:
    """Return a call as it is: for dialects that tell arguments as they are."""
    return call


def restorer(rule: SpellingRule) -> Callable[[Definition, ToolCall], ToolCall]:
    """Return what gives a call's arguments their own names again, in a dialect that has a rule for them."""

    @once_per_schema
    def meant_names(parameters: JsonObject) -> dict[str, str]:
        return {renamed: meant for meant, renamed in told_names(argument_names(parameters), rule).items()}

    def restore(definition: Definition, call: ToolCall) -> ToolCall:
        names = meant_names(definition.parameters)
        if not names:
            return call
        return rewritten(call, lambda arguments: respelled(arguments, names), only_with=list(names))

    return restore


def rewritten(call: ToolCall, rewrite: Callable[[JsonObject], JsonObject], only_with: Sequence[str]) -> ToolCall:
    """Return a call with its arguments rewritten; text is only read where it holds one of the words.

    What cannot be read stays as it is, for whoever validates it to refuse.
    """
    arguments = call.arguments
    if isinstance(arguments, str):
        if not any(word in arguments for word in only_with):
            return call
        try:
            arguments = parse_json(arguments)
        except MalformedJson:
            return call
    return replace(call, arguments=rewrite(arguments)) if isinstance(arguments, dict) else call

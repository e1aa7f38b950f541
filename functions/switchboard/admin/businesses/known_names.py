"""Which tools and features a business's settings can name, so that a typing error is told rather than kept.

Names that were stored before stay allowed: what they named may be gone, and an old setting must not keep an owner from
saving another.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.definitions.definition_set import read_published
from switchboard.catalog.definitions.registry import Registry
from switchboard.catalog.offer.inclusion import conditions
from switchboard.contract.business.names import nearest
from switchboard.contract.definitions.definition import TOOL_NAME, Definition, DefinitionError, read_definition
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass

_FEATURE = "feature"
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class NamesThereAre:
    """What a business's whole document can name.

    Attributes:
        tools: The built-in tools.
        features: What some tool asks for, or is opened by.
    """

    tools: Collection[str]
    features: Collection[str]

    @staticmethod
    def of(built_in: Collection[Definition], published: Iterable[Definition] = ()) -> "NamesThereAre":
        """Return the names that the built-in tools have, as they were built and as they are published."""
        definitions = [*built_in, *published]
        named = (condition.partition(":") for definition in definitions for condition in conditions(definition))
        opening = {definition.opened_by for definition in definitions if definition.opened_by is not None}
        features = opening | {name for group, _, name in named if group == _FEATURE}
        return NamesThereAre(frozenset(definition.name for definition in built_in), frozenset(features))

    def problems(self, document: Mapping[str, Any]) -> Iterator[EntryProblem]:
        """Yield a problem for each name in `enabledTools` and `features` that nothing has, with the nearest one."""
        enabled, features = document.get("enabledTools"), _names(document.get("features"))
        unknown = [name for name in _names(enabled) if name not in self.tools]
        if isinstance(enabled, list) and enabled and len(unknown) == len(enabled):
            sentence = "enabledTools names no tool that there is, so callers are offered none."
            yield EntryProblem("enabledTools", f"{sentence} Use {', '.join(sorted(self.tools))}.")
        for at, name in enumerate(enabled if isinstance(enabled, list) else ()):
            # What could be no tool's name is told by the form itself.
            if isinstance(name, str) and TOOL_NAME.fullmatch(name) and name not in self.tools:
                meant = nearest(name, self.tools)
                would = f"Did you mean {meant}?" if meant else f"Use {', '.join(sorted(self.tools))}."
                sentence = f"There is no built-in tool {name[:_SHOWN]!r}. {would}"
                is_missing = meant if meant not in _names(enabled) else ""
                yield EntryProblem(f"enabledTools[{at}]", sentence, is_unknown=True, meant=is_missing)
        for name in features:
            if name not in self.features:
                meant = nearest(name, self.features)
                would = f"Did you mean {meant}?" if meant else f"Use {', '.join(sorted(self.features)) or 'none'}."
                sentence = f"No tool asks for a feature {name[:_SHOWN]!r}. {would}"
                path = f"features.{meant}" if meant else ""
                yield EntryProblem(f"features.{name[:_SHOWN]}", sentence, is_unknown=True, meant=path)


class KnownNames:
    """Holds settings against the names there are. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, registry: Callable[[], Registry]) -> None:
        """Read what is published from `store`; `registry` holds the tools that were built."""
        self._store, self._paths, self._registry = store, paths, registry

    async def problems(self, fields: JsonObject, before: Mapping[str, Any]) -> list[EntryProblem]:
        """Return a problem for each name in `enabledTools` and `features` that nothing has and that is new there."""
        entries = list(self._tools(fields.get("enabledTools"), before.get("enabledTools")))
        features, before_features = _names(fields.get("features")), _names(before.get("features"))
        if any(name not in before_features for name in features):
            known = await self._features()
            sentence = f"Use {', '.join(sorted(known)) or 'none'}."
            entries += [
                EntryProblem(f"features.{name[:_SHOWN]}", f"No tool asks for a feature {name[:_SHOWN]!r}. {sentence}")
                for name in features
                if name not in before_features and name not in known
            ]
        return entries

    def _tools(self, enabled: object, before: object) -> Iterator[EntryProblem]:
        known, names_before = self._registry().tools, _names(before)
        for at, name in enumerate(enabled if isinstance(enabled, list) else ()):
            # What could be no tool's name is told by the form itself.
            is_name = isinstance(name, str) and TOOL_NAME.fullmatch(name)
            if is_name and name not in known and name not in names_before:
                sentence = f"There is no built-in tool {name[:_SHOWN]!r}. Use {', '.join(sorted(known))}."
                yield EntryProblem(f"enabledTools[{at}]", sentence)

    async def _features(self) -> Collection[str]:
        published = await read_published(self._store, self._paths)
        built_in = [tool.definition for tool in self._registry().tools.values()]
        definitions = list[Definition]()
        for name, document in published.documents.items():
            try:
                definitions.append(read_definition(name, document))
            except DefinitionError:
                continue
        return NamesThereAre.of(built_in, definitions).features


def _names(value: object) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list | Mapping) else []

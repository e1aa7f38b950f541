"""Which tools and features a business's settings can name, so that a typing error is told rather than kept.

Names that were stored before stay allowed: what they named may be gone, and an old setting must not keep an owner from
saving another.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.definitions.definition_set import read_published
from switchboard.catalog.definitions.registry import Registry
from switchboard.catalog.offer.inclusion import conditions
from switchboard.contract.definitions.definition import TOOL_NAME, Definition, DefinitionError, read_definition
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store

_FEATURE = "feature"
_SHOWN = 60


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
        definitions: list[Definition] = [tool.definition for tool in self._registry().tools.values()]
        for name, document in published.documents.items():
            try:
                definitions.append(read_definition(name, document))
            except DefinitionError:
                continue
        named = (condition.partition(":") for definition in definitions for condition in conditions(definition))
        opening = {definition.opened_by for definition in definitions if definition.opened_by is not None}
        return opening | {name for group, _, name in named if group == _FEATURE}


def _names(value: object) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list | Mapping) else []

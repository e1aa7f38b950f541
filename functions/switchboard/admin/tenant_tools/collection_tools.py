"""Attach a collection of the business's own to an agent: its query tool is made by that (seed 002, "Query")."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.tenant_tools.attachments import Attachments
from switchboard.admin.tenant_tools.record import Attachment, StoredTenantTool, new_id
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.admin.tenant_tools.tenant_tools import TenantTools
from switchboard.catalog.schema.lint.rules import is_trusted
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Query

MOST_FIELDS = 8
"""Fields that callers can narrow a look-up by; a number takes two of the ten conditions that a query has."""
_MOST_CONDITIONS = 10
_MOST_EXAMPLES = 6
_LONGEST_EXAMPLE = 40
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,40}")
_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")
_QUESTION = "question"


def wish_of(collection: str, items: Sequence[Mapping[str, Any]]) -> JsonObject:
    """Return the `ToolConfig` of a collection's query tool.

    Whatever may be asked by is optional: text and yes or no by what it equals, numbers by their least and most. What
    the caller says in words ranks what is left. Every field is shown, and the owner can edit the tool as any other.

    Args:
        collection: Its name.
        items: Some of its items.
    """
    words = _words(collection)
    params: JsonObject = {
        _QUESTION: _asked({"type": "string"}, f"What the caller looks for among the {words}, in the caller's words")
    }
    filters: list[JsonObject] = []
    for field in _fields(items):
        for name, op, schema, prompt in _conditions(field, [item[field] for item in items if field in item]):
            if len(filters) < _MOST_CONDITIONS and name not in params:
                params[name] = _asked(schema, prompt)
                filters.append({"field": field, "op": op, "param": name})
    return {
        "type": "query",
        "label": f"Search {words}"[:80],
        "description": f"Look up the {words} of this business when the caller asks about them. Say only what it finds.",
        "params": params,
        "knowledge": {"type": "collection", "collection": collection, "filters": filters},
    }


def _fields(items: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the fields that at least half of the items have, the most frequent first."""
    known = Counter(field for item in items for field in item if _FIELD.fullmatch(str(field)) and not is_trusted(field))
    common = [field for field, count in known.items() if 2 * count >= len(items)]
    return sorted(common, key=lambda field: (-known[field], field))[:MOST_FIELDS]


def _conditions(field: str, values: Sequence[Any]) -> Iterator[tuple[str, str, JsonObject, str]]:
    words = _words(field)
    if all(isinstance(value, bool) for value in values):
        yield field, "==", {"type": "boolean"}, f"Whether {words}"
    elif all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        kind = "integer" if all(isinstance(value, int) for value in values) else "number"
        yield f"least_{field}", ">=", {"type": kind}, f"The least {words} that will do"
        yield f"most_{field}", "<=", {"type": kind}, f"The most {words} that will do"
    elif all(isinstance(value, str) for value in values) and _is_a_kind(values):
        examples = [value for value, _ in Counter(values).most_common(_MOST_EXAMPLES)]
        yield field, "==", {"type": "string"}, f"The {words}, spelt exactly like {', '.join(examples)}"


def _is_a_kind(values: Sequence[str]) -> bool:
    """Tell words that items have in common from their own names and descriptions."""
    return len(set(values)) <= max(1, len(values) // 2) and all(0 < len(value) <= _LONGEST_EXAMPLE for value in values)


def _asked(schema: JsonObject, prompt: str) -> JsonObject:
    return {"mode": "ai", "prompt": prompt, "required": False, "schema": schema}


def _words(name: str) -> str:
    return _BETWEEN_WORDS.sub(" ", name).replace("-", " ").strip().lower()


_LOOKED_AT = 50


class CollectionTools:
    """Attaches collections. What the store raises passes through."""

    def __init__(self, store: ToolStore, tools: TenantTools, attachments: Attachments) -> None:
        self._store, self._tools, self._attachments = store, tools, attachments

    async def attach(self, permit: Permit, agent_id: str, collection: str) -> tuple[StoredTenantTool, Attachment]:
        """Return a collection's query tool, made if there was none, and its attachment to an agent.

        Asking for the same again changes nothing: one collection has one such tool, also after its owner has edited
        it, and an agent has it once.

        Raises:
            NotFound: There is no such business or agent.
            NotValid: The name is none, or nothing lies in the collection.
            ToolError: As making a tool, and as attaching one.
        """
        business_id = permit.business_id
        await self._store.owner(business_id)
        await self._store.agent(business_id, agent_id)
        wish = f"collection:{collection}"
        tool = await self._store.find(business_id, new_id(business_id, wish))
        if tool is None or tool.unfinished is not None:
            tool = await self._tools.create(permit, tool.config if tool else await self._wish(permit, collection), wish)
        row = await self._store.attachment(business_id, agent_id, tool.id)
        if row is None or row.is_leaving:
            row = await self._attachments.attach(permit, agent_id, tool.id)
        return tool, row

    async def _wish(self, permit: Permit, collection: str) -> JsonObject:
        query = Query(self._store.within(permit.business_id).items(collection), limit=_LOOKED_AT)
        items = [document.data for document in await self._store.store.query(query)]
        if not items:
            message = (
                f"The collection {collection[:80]!r} has no items; write some first: they show what can be asked by."
            )
            raise NotValid([EntryProblem("collection", message)])
        return wish_of(collection, items)

"""Tools out of an OpenAPI document: first a list of what could be made, then the operations that an owner chose.

Each operation makes one tool however often it is asked for: it is known by its server, method and path. Nothing that
a document says grants anything: only what was chosen is made, and only as if its owner had entered it.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid, problem
from switchboard.admin.audit.revisions import allow
from switchboard.admin.importers.api_document import ApiDocument, ApiOperation, read_api
from switchboard.admin.tenant_tools.record import StoredTenantTool, new_id
from switchboard.admin.tenant_tools.store import TOOL
from switchboard.admin.tenant_tools.tenant_tools import TenantTools
from switchboard.catalog.tenant_tools.config import free_name
from switchboard.contract import policy
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject


class Importing:
    """The owners' operations. What the store raises passes through."""

    def __init__(self, tools: TenantTools, built_in: Callable[[], Collection[str]]) -> None:
        """Make tools with `tools`, under names that none of the `built_in` ones has."""
        self._tools, self._built_in = tools, built_in

    async def look(self, business_id: str, document: Any, server: str | None = None) -> JsonObject:
        """Return what a document holds, and what would become of each of its operations; nothing is changed.

        Args:
            business_id: Whose tools it would become.
            document: OpenAPI 3.0 or 3.1, as JSON or YAML text or as a JSON object.
            server: Where the API is served, if the document does not say, or another than it says.

        Raises:
            NotValid: It cannot be read.
            NotFound: There is no such business.
        """
        known = {stored_tool.id: stored_tool for stored_tool in await self._tools.all(business_id)}
        api = await _read(document, None, server or "")
        rows = [
            operation.to_json() | {"tool": _made(known.get(new_id(business_id, _wish(operation))), operation)}
            for operation in api.operations
        ]
        return {
            "title": api.title,
            "version": api.version,
            "servers": list(api.servers),
            "operations": rows,
            "report": list(api.report),
        }

    async def take(self, permit: Permit, document: Any, chosen: Sequence[str], server: str | None = None) -> JsonObject:
        """Make a tool of each chosen operation, or of none where one of them cannot be made.

        Returns `{tools: [{operation, state, tool}], secrets: {name: what it must be}}`: `state` is `created`, `there`
        where the same was imported before, or `differs` where the document or the tool has been changed since; then
        the tool stays as it is.

        Args:
            permit: Who makes them, and where.
            document: As for `look`.
            chosen: Ids of operations, or methods and paths such as `GET /customers/{id}`.
            server: As for `look`.

        Raises:
            NotValid: Everything that keeps one of them from being made; then none is.
            Forbidden: The role is not enough for one of them, such as one that carries a secret; then none is.
            NotFound: There is no such business.
            ToolError: As for making a tool; those made before it stay, and a repeat goes on behind them.
        """
        names = list(dict.fromkeys(chosen))
        api = await _read(document, frozenset(names), server or "")
        operations = _found(api, names)
        known = {stored_tool.id: stored_tool for stored_tool in await self._tools.all(permit.business_id)}
        taken = {*self._built_in(), *(stored_tool.name for stored_tool in known.values())}
        new = [o for o in operations if new_id(permit.business_id, _wish(o)) not in known]
        if len(known) + len(new) > policy.TENANT_TOOLS:
            raise ToolError(ErrorType.CONFLICT, f"A business has at most {policy.TENANT_TOOLS} tools.")
        for operation in new:
            # Before the first is made: all of them are, or none.
            allow(permit, TOOL, {}, {"configMetadata": operation.config})
        rows = []
        for operation in operations:
            tool_known = known.get(new_id(permit.business_id, _wish(operation)))
            state = "created" if tool_known is None else "there" if _is_same(tool_known, operation) else "differs"
            if tool_known is None or tool_known.unfinished is not None:
                name = tool_known.name if tool_known is not None else free_name(operation.config["name"], taken)
                taken.add(name)
                config = tool_known.config if tool_known is not None else operation.config | {"name": name}
                tool_known = await self._tools.create(permit, config, _wish(operation))
            rows.append({"operation": operation.id, "state": state, "tool": tool_known.to_json()})
        secrets = {name: words for operation in operations for name, words in operation.secrets.items()}
        return {"tools": rows, "secrets": secrets}


async def _read(document: Any, chosen: Collection[str] | None, server: str) -> ApiDocument:
    try:
        # A large document takes a while, and phone calls go on in this process meanwhile.
        return await asyncio.to_thread(read_api, document, chosen, server)
    except DefinitionError as error:
        raise NotValid([problem(error)]) from None


def _found(api: ApiDocument, names: Sequence[str]) -> list[ApiOperation]:
    by_name: Mapping[str, ApiOperation] = {o.key: o for o in api.operations} | {o.id: o for o in api.operations}
    problems = []
    for name in names:
        operation = by_name.get(name)
        at = f"chosen.{name[:100]}"
        if operation is None:
            problems.append(EntryProblem(at, f"The document has no operation {name[:100]!r}."))
        else:
            problems += [EntryProblem(at, f"{p.field} {p.problem}; {p.remedy}.") for p in operation.problems]
    if problems:
        raise NotValid(problems)
    return list({by_name[name].key: by_name[name] for name in names}.values())


def _wish(operation: ApiOperation) -> str:
    # The same operation of the same server, whatever the document says of it today.
    return f"openapi|{operation.server}|{operation.method}|{operation.path}"


def _made(stored_tool: StoredTenantTool | None, operation: ApiOperation) -> JsonObject | None:
    if stored_tool is None or operation.problems:
        return None
    return {"id": stored_tool.id, "name": stored_tool.name, "isSame": _is_same(stored_tool, operation)}


def _is_same(stored_tool: StoredTenantTool, operation: ApiOperation) -> bool:
    return _nameless(stored_tool.config) == _nameless(operation.config)


def _nameless(config: JsonObject) -> JsonObject:
    return {key: value for key, value in config.items() if key != "name"}

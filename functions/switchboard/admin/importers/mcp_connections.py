"""Outside MCP servers that an owner connects: looked at, taken over tool by tool, and looked at again.

What an owner approved is what is called: a server that changes its words, schemas or hints later changes nothing here
until its owner has seen the difference and taken it over.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import business_document
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid, OutOfDate, problem
from switchboard.admin.audit.revisions import require
from switchboard.admin.audit.trail import AuditTrail, left
from switchboard.admin.importers.mcp_adoption import Adoption, adopt, digest_of, server_name
from switchboard.admin.importers.mcp_drift import as_problems, drift, remote_name, renewed, server_of, shown, wording
from switchboard.admin.tenant_tools.store import TOOL, owned
from switchboard.catalog.tenant_tools.config import DefinitionErrors, build, free_name, read_config
from switchboard.catalog.tenant_tools.config_mcp import McpSettings
from switchboard.contract import policy
from switchboard.contract.definitions.remote_tools import RemoteServer, RemoteTool, RemoteTools
from switchboard.contract.definitions.tenant_tool import Template, TenantTool
from switchboard.contract.error import ErrorType, ServiceFault, ToldToOwner, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Secrets, Store
from switchboard.contract.store import (
    SERVER_TIME,
    AlreadyExists,
    Create,
    Document,
    Missing,
    Query,
    Stale,
    Update,
    Write,
)
from switchboard.desk.tenant_tools.api_secrets import TOOLKIT

# A remote no, for the owner, who can do something about it.
_WORDS: Mapping[ErrorType, str] = {
    ErrorType.AUTH: "The server refuses the key that it was shown; check the secret named in server.headers.",
    ErrorType.RATE_LIMIT: "The server is asked too often at the moment; try again in a minute.",
    ErrorType.TRANSIENT: "The server does not answer; check its address, or try again in a moment.",
}
_NO_SERVER = "At this address there is no MCP server that can be used (streamable HTTP over https, on the internet)."


class McpConnections:
    """The owners' operations. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        trail: AuditTrail,
        remote: RemoteTools,
        secrets: Secrets,
        built_in: Callable[[], Collection[str]],
        forget: Callable[[str], None],
    ) -> None:
        """Keep tenant tools in `store`.

        Args:
            store: Where businesses are.
            paths: Where things are in it.
            trail: Writes the audit: an entry for each tool.
            remote: Reaches the servers.
            secrets: The businesses' keys.
            built_in: Names the built-in tools, whose names are theirs.
            forget: Lets the catalog read a business anew.
        """
        self._store, self._paths, self._trail = store, paths, trail
        self._remote, self._secrets = remote, secrets
        self._built_in, self._forget = built_in, forget

    async def discover(self, business_id: str, server: Any) -> JsonObject:
        """Return what a server offers and how each tool would be taken over; nothing is changed.

        Args:
            business_id: Whose keys are shown to it.
            server: `{name?, url, headers?: {name: text | {secret, prefix?}}}`.

        Raises:
            NotValid: The server is not entered as it should be.
            NotFound: There is no such business.
            ToolError: The server does not answer as one.
        """
        known = await self._tools(business_id)
        adoptions = await self._adoptions(business_id, server, {})
        rows = [shown(adoption, known.get(adoption.id)) for adoption in adoptions]
        return {"server": {"name": server_name(server), "url": server["url"]}, "tools": rows}

    async def connect(
        self, permit: Permit, server: Any, chosen: Sequence[str], params: Mapping[str, Any] | None = None
    ) -> list[JsonObject]:
        """Take tools over, all of them or none, and return their documents.

        Args:
            permit: Who takes them over, and where.
            server: As for `discover`.
            chosen: The names of the tools there.
            params: Arguments that the owner fixes: `{tool: {argument: {mode: "fixed", value}}}`.

        Raises:
            NotValid: Everything that is wrong, by tool.
            ToolError: As for `discover`; CONFLICT, one of them was connected at this moment.
        """
        business_id, names, fixed = permit.business_id, list(dict.fromkeys(chosen)), params or {}
        known = await self._tools(business_id)
        adoptions = {a.tool: a for a in reversed(await self._adoptions(business_id, server, fixed))}
        problems = [problem for name in names for problem in _problems(name, adoptions.get(name), known)]
        problems += [
            EntryProblem(f"params.{name}", f"{name} is not among the chosen tools.") for name in fixed.keys() - names
        ]
        if len(known) + len(names) > policy.TENANT_TOOLS:
            problems.append(EntryProblem("tools", f"A business has at most {policy.TENANT_TOOLS} tools of its own."))
        if problems:
            raise NotValid(problems)
        within, taken = self._paths.within(business_id), _taken(known) | set(self._built_in())
        writes: list[Write] = []
        entries: list[Create] = []
        made = []
        for name in names:
            tool = _tenant_tool(adoptions[name], free_name(adoptions[name].config["name"], taken))
            taken.add(tool.name)
            document = tool.to_document() | {"createdAt": SERVER_TIME, "updatedAt": SERVER_TIME}
            writes.append(Create(within.document("tools", tool.id), document))
            entries.append(self._trail.entry(permit, TOOL, tool.id, None, owned(document)))
            made.append({"id": tool.id, **tool.to_document()})
        try:
            await self._store.commit([*writes, *entries])
        except AlreadyExists:
            raise ToolError(ErrorType.CONFLICT, "One of these tools has just been connected; look again.") from None
        for entry in entries:
            left(entry)
        self._forget(business_id)
        return made

    async def review(self, business_id: str, url: str) -> JsonObject:
        """Return how a connected server differs from what was taken over; nothing is changed.

        `tools` holds a row for each tenant tool of it: `state` is `unchanged`, `changed` (with `what` differs, and how
        it would be now) or `removed`, and `digest` says which state of the server was seen; `added` are the tools that
        are not taken over. `revision` is what taking over is based on: it changes with the tools here and there.

        Raises:
            NotFound: No tool of such a server is connected.
            ToolError: As for `discover`.
        """
        connected = await self._connected(business_id, url)
        return _review(url, connected, await self._now(business_id, connected))

    async def resync(self, permit: Permit, url: str, based_on: str | None, accepted: Mapping[str, str]) -> JsonObject:
        """Take over the differences that an owner has seen, and return what `review` then says.

        A tool that its server has changed is taken over anew under its old name, its owner's words kept where they
        are not the server's; one that its server has removed is disabled.

        Args:
            permit: Who does it, and where.
            url: The server's.
            based_on: The revision of the review that was looked at.
            accepted: `{tool id: digest}` as `review` gave them.

        Raises:
            RevisionMissing: `based_on` says nothing.
            OutOfDate: The server, or one of its tools here, has changed since; nothing was changed.
            NotValid: Something cannot be taken over.
            ToolError: CONFLICT, something that was accepted is not what is there.
        """
        require(based_on)
        business_id = permit.business_id
        connected = await self._connected(business_id, url)
        now = await self._now(business_id, connected)
        seen = _review(url, connected, now)
        if seen["revision"] != based_on:
            raise OutOfDate(seen["revision"], seen, None)
        by_id = {document.id: document for document in connected}
        writes: list[Write] = []
        entries: list[Create] = []
        for id, digest in accepted.items():
            update = self._taken_over(by_id.get(id), id, digest, now)
            before = by_id[id].data
            entry = self._trail.entry(permit, TOOL, id, owned(before), owned({**before, **update.data}))
            writes.append(update)
            entries.append(entry)
        try:
            await self._store.commit([*writes, *entries])
        except (Stale, Missing):
            raise ToolError(ErrorType.CONFLICT, "One of these tools was changed in the meantime; look again.") from None
        for entry in entries:
            left(entry)
        self._forget(business_id)
        return await self.review(business_id, url)

    def _taken_over(self, document: Document | None, id: str, digest: Any, now: Mapping[str, Adoption]) -> Update:
        if document is None:
            raise NotFound(f"No tool {id[:60]!r} of this server is connected.")
        adoption = now.get(remote_name(document))
        if drift(document, adoption)["digest"] != digest:
            raise ToolError(ErrorType.CONFLICT, f"{id} is not what you have seen any more; look again.")
        later: JsonObject = {"updatedAt": SERVER_TIME, "revision": int(document.data.get("revision") or 1) + 1}
        if adoption is None:
            return Update(document.path, {"enabled": False, **later}, document.update_time)
        return Update(document.path, renewed(document, adoption) | later, document.update_time)

    async def _adoptions(self, business_id: str, server: Any, fixed: Mapping[str, Any]) -> list[Adoption]:
        remote = await self._offered(business_id, server)
        return [adopt(server, tool, fixed.get(tool.name)) for tool in remote]

    async def _offered(self, business_id: str, server: Any) -> Sequence[RemoteTool]:
        headers = await self._headers(business_id, _settings(server))
        try:
            return await self._remote.offered(RemoteServer(business_id, server["url"], headers))
        except ToolError as error:
            type = ErrorType.PERMANENT if error.type is ErrorType.AUTH else error.type
            # What its owner can mend is told in the words of whatever refused it.
            reason = f" ({error.message})" if error.meta.get("reason") in set(ServiceFault) else ""
            raise ToolError(type, _WORDS.get(error.type, _NO_SERVER) + reason, detail=error.detail) from None

    async def _headers(self, business_id: str, settings: McpSettings) -> dict[str, str]:
        by_name = {}
        for header in settings.headers:
            at = f"server.headers.{header.name}"
            try:
                secret = await self._secrets.reveal(business_id, TOOLKIT, header.secret) if header.secret else ""
            except ToldToOwner as error:
                raise NotValid([EntryProblem(at, error.message)]) from None
            if secret is None:
                raise NotValid([EntryProblem(at, f"There is no secret named {header.secret}; enter it first.")])
            by_name[header.name] = header.before + secret + header.after
        return by_name

    async def _tools(self, business_id: str) -> dict[str, Document]:
        within = self._paths.within(business_id)
        await business_document(self._store, within)
        documents = await self._store.query(Query(within.collection("tools"), limit=policy.TENANT_TOOLS))
        return {document.id: document for document in documents}

    async def _connected(self, business_id: str, url: str) -> list[Document]:
        tools = await self._tools(business_id)
        connected = [tools[id] for id in sorted(tools) if server_of(tools[id]).get("url") == url]
        if not connected:
            raise NotFound("No tool of a server at this address is connected.")
        return connected

    async def _now(self, business_id: str, connected: Sequence[Document]) -> dict[str, Adoption]:
        server = dict(server_of(connected[0]))
        return {adoption.tool: adoption for adoption in await self._adoptions(business_id, server, {})}


def _review(url: str, connected: Sequence[Document], now: Mapping[str, Adoption]) -> JsonObject:
    rows = [drift(document, now.get(remote_name(document))) for document in connected]
    added = sorted(now.keys() - {remote_name(document) for document in connected})
    rows_told = [
        [row["id"], row["digest"], document.data.get("revision")] for row, document in zip(rows, connected, strict=True)
    ]
    return {"url": url, "tools": rows, "added": added, "revision": digest_of([url, rows_told])}


def _settings(server: Any) -> McpSettings:
    """Return how a server is reached, read as it will be read with every call."""
    document = {"type": Template.MCP_TOOL.value, "label": "x", "tool": "x", "server": server}
    try:
        settings = read_config({**document, "inputSchema": {"type": "object"}}).settings
    except DefinitionErrors as errors:
        raise NotValid([problem(error) for error in errors.errors]) from None
    assert isinstance(settings, McpSettings)
    return settings


def _problems(name: str, adoption: Adoption | None, known: Mapping[str, Document]) -> list[EntryProblem]:
    if adoption is None:
        return [EntryProblem(f"tools.{name[:100]}", f"The server offers no tool {name[:100]!r}.")]
    if adoption.id in known:
        return [EntryProblem(f"tools.{name}", f"{name} is connected already; review it to take over changes.")]
    return as_problems(adoption)


def _taken(known: Mapping[str, Document]) -> set[str]:
    return {str(document.data.get("name")) for document in known.values()}


def _tenant_tool(adoption: Adoption, name: str) -> TenantTool:
    read = adoption.read
    assert read is not None
    function, static = build(read)
    return TenantTool(
        id=adoption.id,
        name=name,
        label=read.label,
        description=read.description,
        template=Template.MCP_TOOL,
        function_schema=function | {"name": name},
        static_config=static,
        config_metadata=adoption.config | {"name": name, "wording": wording(adoption.config)},
    )

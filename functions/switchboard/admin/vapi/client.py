"""A business's tenant tools at Vapi: what each should look like there, and how it is made, found, changed and removed.

A tool there is known as ours by the address that it calls: below this deployment's own, with the tool's id in it. That
is how a repeat finds what an earlier attempt made, rather than making a second (seed 002, "Tool Creation Flow").
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

from switchboard.admin.access.refusal import NotValid, problem
from switchboard.admin.vapi.callback_key import CallbackKeys
from switchboard.catalog.tenant_tools.config_kinds import TransferSettings
from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.definitions.tenant_tool import TenantTool
from switchboard.contract.definitions.voice_platform import VoicePlatform, VoicePlatforms
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.formats.vapi.tools import Callback, declare_callback, declare_handover

_INTEGRATION = "vapi"
# What is in these and not wanted would be shown to a model, or sent to us.
_WHOLE = ("body", "parameters")
_CALLBACK = re.compile(r"/api/tools/([^/?#]+)/execute(?:[?#].*)?")


@dataclass(frozen=True, slots=True)
class Mirror:
    """One business's side at Vapi, open for one operation.

    Attributes:
        platform: Its account.
        business: Whose.
        public_url: Below which Vapi calls this deployment.
        credential_id: Vapi's id of the credential that callbacks are proved with; empty where they carry `tool_key`.
        tool_key: The key that they carry otherwise.
    """

    platform: VoicePlatform
    business: Business
    public_url: str
    credential_id: str
    tool_key: str

    def __repr__(self) -> str:
        """Show whose it is, and no key."""
        return f"Mirror({self.business.id})"

    def wanted(self, tool: TenantTool) -> JsonObject:
        """Return a tool as Vapi should have it.

        Raises:
            NotValid: Vapi cannot have it like this.
        """
        try:
            own, callback = OwnTool(tool), Callback(self._url_of(tool.id), self.credential_id, self.tool_key)
            if isinstance(own.config.settings, TransferSettings) and own.hands_over_to:
                return declare_handover(own.declared, callback, own.config.settings.message)
            return declare_callback(own.declared, callback)
        except DefinitionError as error:
            raise NotValid([problem(error)]) from None

    async def make(self, tool: TenantTool, *, may_be_there: bool) -> JsonObject:
        """Make a tool at Vapi and return it as it is kept there; one that an earlier attempt made is used.

        Args:
            tool: Which.
            may_be_there: Whether to look for it first.

        Raises:
            ToolError: It was not made; with partial side effects where not even a look tells whether it was.
        """
        declaration = self.wanted(tool)
        if may_be_there:
            row = await self.found(tool.id, declaration["type"])
            if row is not None:
                return row if not differing(declaration, row) else await self._updated(row["id"], declaration)
        try:
            return await self.platform.create_tool(declaration)
        except ToolError as error:
            if not error.partial_side_effects:
                raise
            row = await self._looked_for(tool.id, declaration["type"], error)
            if row is not None:
                return row
            raise ToolError(ErrorType.TRANSIENT, _NOT_MADE, detail=error.detail) from None

    async def change(self, external_id: str, tool: TenantTool) -> JsonObject | None:
        """Bring a tool at Vapi in line and return it as it is kept there; None where Vapi has it no more.

        Raises:
            ToolError: It was not changed; with partial side effects where nobody knows whether it was.
        """
        try:
            return await self._updated(external_id, self.wanted(tool))
        except ToolError as error:
            if error.type is ErrorType.NOT_FOUND:
                return None
            raise

    async def found(self, tool_id: str, type: str | None = None) -> JsonObject | None:
        """Return the tool at Vapi that calls us under an id, the oldest where there are several; None without any."""
        rows = [row for row in await self.all_of(tool_id) if type is None or row.get("type") == type]
        return min(rows, key=lambda row: (str(row.get("createdAt") or ""), row["id"]), default=None)

    async def all_of(self, tool_id: str) -> Sequence[JsonObject]:
        """Return every tool at Vapi that calls us under an id."""
        return [row for row in await self.platform.list_tools() if self.id_of(row) == tool_id]

    def id_of(self, row: Mapping[str, Any]) -> str | None:
        """Return under which id a tool at Vapi calls this deployment; None where it does not."""
        for url in _addresses(row):
            match = _CALLBACK.fullmatch(url.removeprefix(self.public_url)) if url.startswith(self.public_url) else None
            if match is not None:
                return unquote(match[1])
        return None

    def _url_of(self, tool_id: str) -> str:
        url = f"{self.public_url}/api/tools/{quote(tool_id, safe='')}/execute"
        # A signature does not say whose it is, and outside phone calls there is no number that would.
        return f"{url}?business={quote(self.business.id, safe='')}" if self.credential_id else url

    async def _updated(self, external_id: str, declaration: JsonObject) -> JsonObject:
        changes = {name: value for name, value in declaration.items() if name != "type"}
        return await self.platform.update_tool(external_id, changes)

    async def _looked_for(self, tool_id: str, type: str, error: ToolError) -> JsonObject | None:
        try:
            return await self.found(tool_id, type)
        except ToolError:
            raise error from None


class VapiMirrors:
    """Opens mirrors."""

    def __init__(self, platforms: VoicePlatforms, keys: CallbackKeys, public_url: str | None) -> None:
        """Ask `platforms` for accounts; `public_url` is where Vapi reaches this deployment, None where nobody said."""
        self._platforms, self._keys = platforms, keys
        self._public_url = (public_url or "").rstrip("/")

    async def of(self, business: Business) -> Mirror | None:
        """Return a business's mirror; None where it has no account with Vapi.

        Raises:
            ToolError: AUTH, its key is missing; CONFLICT, this deployment has no public address.
        """
        platform = await self._platforms.of(business)
        if platform is None:
            return None
        if not self._public_url:
            raise ToolError(
                ErrorType.CONFLICT,
                "This deployment has no public address, so that Vapi could not call its tools; set "
                "SWITCHBOARD_PUBLIC_URL. Nothing was done.",
            )
        credential = business.integrations[_INTEGRATION].settings.get("credentialId")
        credential_id = credential.strip() if isinstance(credential, str) else ""
        key = "" if credential_id else await self._keys.of(business.id)
        return Mirror(platform, business, self._public_url, credential_id, key)


def usual_assistant(business: Business) -> str:
    """Return the assistant that stands for a business's default agent where that names none; empty without one."""
    connection = business.integrations.get(_INTEGRATION)
    assistant = connection.settings.get("assistantId") if connection else None
    return assistant if isinstance(assistant, str) else ""


def differing(declared: Mapping[str, Any], held: Mapping[str, Any]) -> tuple[str, ...]:
    """Return which fields of a tool at Vapi are not as wanted; what Vapi adds does not count."""
    return tuple(name for name, value in declared.items() if not _holds(name, held.get(name), value))


def _addresses(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the addresses that a tool at Vapi calls: its own, its server's, and those of where it hands over."""
    destinations = row.get("destinations")
    places = [row, row.get("server")]
    for place in destinations if isinstance(destinations, list) else ():
        places.append(place.get("server") if isinstance(place, Mapping) else None)
    yield from (url for place in places if isinstance(place, Mapping) and isinstance(url := place.get("url"), str))


def _holds(name: str, held: Any, declared: Any) -> bool:
    if name in _WHOLE:
        return bool(_without_nothing(held) == _without_nothing(declared))
    if isinstance(declared, Mapping):
        return isinstance(held, Mapping) and all(_holds(key, held.get(key), value) for key, value in declared.items())
    if isinstance(declared, list):
        rows = held if isinstance(held, list) else []
        return len(rows) == len(declared) and all(map(_holds, [name] * len(rows), rows, declared))
    return bool(held == declared)


def _without_nothing(value: Any) -> Any:
    """Return a value without members that say nothing, which may be left out or not."""
    if isinstance(value, Mapping):
        members = {key: _without_nothing(inner) for key, inner in value.items()}
        return {key: inner for key, inner in members.items() if inner not in (None, {}, [])}
    return [_without_nothing(item) for item in value] if isinstance(value, list) else value


_NOT_MADE = "Vapi did not answer and has not made the tool; nothing was done. Try once more."

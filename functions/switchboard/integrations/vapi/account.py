"""One business's Vapi account as the house's `VoicePlatform`."""

import re
from collections.abc import Sequence
from urllib.parse import quote

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.integrations.vapi.control import checked
from switchboard.integrations.vapi.failures import failure
from switchboard.integrations.vapi.transport import VapiTransport, document, documents

READ_S = 5.0
CHANGE_S = 8.0
# Vapi gives an incoming phone call 7.5 s altogether, and a person to dial must be left time.
CALL_S = 3.5
MESSAGE_S = 1.5
PAGE = 100
"""How many rows a list is asked for at a time: whole assistants are long."""

# Anything else is no id of Vapi's, and could mean another path.
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
VENDORS_OWN = frozenset({"id", "orgId", "createdAt", "updatedAt", "latestVersion"})
"""What Vapi adds to a tool when it keeps it, and refuses in a change."""


class VapiAccount:
    """Tools, assistants and phone calls of one account; every request is sent once.

    Args:
        key: The private key; never shown or logged.
        transport: Shared by all accounts of the process.
        public_key: Shown to the control address of phone calls that ask for one.
    """

    def __init__(self, key: str, transport: VapiTransport, public_key: str = "") -> None:
        self._key, self._transport, self._public_key = key, transport, public_key

    async def create_tool(self, tool: JsonObject) -> JsonObject:
        """Make a tool and return it as it is kept, with its `id`."""
        return await self._change("POST", "/tool", tool)

    async def update_tool(self, id: str, changes: JsonObject) -> JsonObject:
        """Change a tool and return it; what Vapi itself writes into a tool is left out of `changes`."""
        wanted_fields = {name: value for name, value in changes.items() if name not in VENDORS_OWN}
        return await self._change("PATCH", f"/tool/{_known(id)}", wanted_fields)

    async def get_tool(self, id: str) -> JsonObject | None:
        """Return a tool, or None where there is none."""
        return await self._found("/tool", id)

    async def list_tools(self) -> Sequence[JsonObject]:
        """Return every tool of the account."""
        return await self._all("/tool")

    async def delete_tool(self, id: str) -> bool:
        """Delete a tool; False where there was none."""
        if not _ID.fullmatch(id):
            return False
        try:
            await self._transport.ask("DELETE", f"/tool/{id}", self._key, effect="change", timeout_s=CHANGE_S)
        except ToolError as error:
            if error.type is ErrorType.NOT_FOUND:
                return False
            raise
        return True

    async def get_assistant(self, id: str) -> JsonObject | None:
        """Return an assistant, or None where there is none."""
        return await self._found("/assistant", id)

    async def list_assistants(self) -> Sequence[JsonObject]:
        """Return every assistant of the account."""
        return await self._all("/assistant")

    async def replace_model(self, assistant_id: str, model: JsonObject) -> JsonObject:
        """Replace an assistant's whole `model` (Vapi joins nothing inside it) and return the assistant."""
        return await self._change("PATCH", f"/assistant/{_known(assistant_id)}", {"model": model})

    async def begin_call(self, call: JsonObject) -> JsonObject:
        """Hand a phone call over and return Vapi's call, with all that the published document does not name."""
        return await self._change("POST", "/call", call, timeout_s=CALL_S)

    async def add_message(self, control_url: str, role: str, content: str) -> None:
        """Put a message into a running phone call without making the agent speak.

        Raises:
            ToolError: VALIDATION, the address is not Vapi's own, and nothing was sent; CONFLICT, the phone call has
                ended.
        """
        url = checked(control_url, self._transport.base_url)
        body = {
            "type": "add-message",
            "message": {"role": role, "content": content},
            # Vapi's default is to answer at once.
            "triggerResponseEnabled": False,
        }
        await self._transport.send("POST", url, effect="message", timeout_s=MESSAGE_S, body=body, key=self._public_key)

    async def _change(self, method: str, path: str, body: JsonObject, timeout_s: float = CHANGE_S) -> JsonObject:
        answer = await self._transport.ask(method, path, self._key, effect="change", timeout_s=timeout_s, body=body)
        return document(answer, "change")

    async def _found(self, path: str, id: str) -> JsonObject | None:
        if not _ID.fullmatch(id):
            return None
        try:
            answer = await self._transport.ask("GET", f"{path}/{id}", self._key, effect="read", timeout_s=READ_S)
        except ToolError as error:
            if error.type is ErrorType.NOT_FOUND:
                return None
            raise
        return document(answer, "read")

    async def _all(self, path: str) -> list[JsonObject]:
        rows: dict[str, JsonObject] = {}
        query = f"?limit={PAGE}"
        while True:
            answer = await self._transport.ask("GET", path + query, self._key, effect="read", timeout_s=READ_S)
            page = documents(answer)
            known = len(rows)
            rows |= {row["id"]: row for row in page}
            if len(page) < PAGE:
                return list(rows.values())
            first, last = (str(row.get("createdAt") or "") for row in (page[0], page[-1]))
            if len(rows) == known or not last:
                # Half a list would look as if the rest had been deleted.
                raise failure(ErrorType.PERMANENT, f"{path} has no page after {known} rows")
            # Which way round a list goes is not documented; rows of the same moment come twice and count once.
            query = f"?limit={PAGE}&createdAt{'Ge' if first < last else 'Le'}={quote(last, safe='')}"


def _known(id: str) -> str:
    if not _ID.fullmatch(id):
        raise failure(ErrorType.NOT_FOUND, "an id that cannot be one")
    return id

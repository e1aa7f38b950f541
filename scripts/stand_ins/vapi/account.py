"""One Vapi account: the tools, assistants and phone calls that it holds."""

from __future__ import annotations

import copy
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from operator import ge, gt, le, lt
from typing import Any

from stand_ins.vapi.document import CHANGED, CREATED, KEPT, check
from stand_ins.vapi.refusal import Refusal

KEY = "stand-in-private-key"
Document = dict[str, Any]
_ORGANISATION = "0f0f0f0f-0000-4000-8000-000000000001"
_E164 = re.compile(r"\+[1-9]\d{6,14}")
_BOUNDS: dict[str, Callable[[datetime, datetime], bool]] = {"Gt": gt, "Lt": lt, "Ge": ge, "Le": le}
_CONTROLS = {
    "say": {"content"},
    "add-message": {"message"},
    "append-context": {"content"},
    "control": {"control"},
    "end-call": set(),
    "transfer": {"destination"},
    "handoff": {"destination"},
}


@dataclass
class Account:
    """What one account holds, by id; `messages` are what was said to the control addresses of its phone calls."""

    tools: dict[str, Document] = field(default_factory=dict)
    assistants: dict[str, Document] = field(default_factory=dict)
    calls: dict[str, Document] = field(default_factory=dict)
    messages: dict[str, list[Document]] = field(default_factory=dict)
    _moments: Iterator[datetime] = field(default_factory=lambda: _ticking())

    def create_tool(self, body: Document) -> Document:
        """Make a tool.

        Raises:
            Refusal: 400.
        """
        check(_of_type(CREATED, body.get("type")), body)
        tool = self._made(body) | {"latestVersion": "v1"}
        check(KEPT[tool["type"]], tool)
        self.tools[tool["id"]] = tool
        return tool

    def update_tool(self, id: str, body: Document) -> Document:
        """Change the top level of a tool, which makes a version.

        Raises:
            Refusal: 404; 400, also for another type.
        """
        tool = self.found("tools", id)
        if body.get("type", tool["type"]) != tool["type"]:
            raise Refusal(400, ["type cannot be changed"])
        check(CHANGED[tool["type"]], body)
        version = f"v{int(tool['latestVersion'][1:]) + 1}"
        tool |= {**body, "latestVersion": version, "updatedAt": self._now()}
        return tool

    def delete_tool(self, id: str) -> Document:
        """Delete a tool.

        Raises:
            Refusal: 404; 409 while an assistant has a version of it pinned.
        """
        tool = self.found("tools", id)
        pins = [
            {"sourceType": "assistant_version", "sourceId": assistant["id"]}
            for assistant in self.assistants.values()
            if any(ref["toolId"] == id for ref in (assistant.get("model") or {}).get("toolRefs", []))
        ]
        if pins:
            raise pinned(pins)
        return self.tools.pop(tool["id"])

    def create_assistant(self, body: Document) -> Document:
        """Make an assistant.

        Raises:
            Refusal: 400.
        """
        check("CreateAssistantDTO", body)
        assistant = self._made(body)
        self.assistants[assistant["id"]] = assistant
        return assistant

    def update_assistant(self, id: str, body: Document) -> Document:
        """Replace fields of an assistant, each as a whole.

        Raises:
            Refusal: 404, 400.
        """
        assistant = self.found("assistants", id)
        check("UpdateAssistantDTO", body)
        assistant |= {**copy.deepcopy(body), "updatedAt": self._now()}
        return assistant

    def begin_call(self, body: Document, base_url: str) -> Document:
        """Take a phone call over, or place one.

        Raises:
            Refusal: 400; the assistant, the number or the customer is none.
        """
        check("CreateCallDTO", body)
        if body.get("assistantId") not in self.assistants and "assistant" not in body:
            raise Refusal(400, f"Couldn't Get Assistant. assistantId: {body.get('assistantId')}")
        customer = body.get("customer") or {}
        if customer.get("numberE164CheckEnabled", True) and not _E164.fullmatch(customer.get("number", "")):
            raise Refusal(400, ["customer.number must be a valid phone number in the E.164 format"])
        if not body.get("phoneNumberId") and "phoneNumber" not in body:
            raise Refusal(400, "Need Either `phoneNumberId` Or `phoneNumber`")
        given = {name: value for name, value in body.items() if name != "phoneCallProviderBypassEnabled"}
        call = self._made(given)
        at = f"{base_url}/{call['id']}"
        stream = "ws" + at.removeprefix("http")
        call |= {"status": "queued", "phoneCallProvider": "twilio"}
        call["monitor"] = {"listenUrl": f"{stream}/listen", "controlUrl": f"{at}/control"}
        check("Call", call)
        if body.get("phoneCallProviderBypassEnabled"):
            twiml = f'<Response><Connect><Stream url="{stream}/transport" /></Connect></Response>'
            call |= {"type": "inboundPhoneCall", "phoneCallProviderDetails": {"twiml": twiml}}
        self.calls[call["id"]], self.messages[call["id"]] = call, []
        return call

    def control(self, id: str, body: Document) -> None:
        """Do what a control address is told.

        Raises:
            Refusal: 404 for a phone call that has ended, 400 for what cannot be told.
        """
        if id not in self.calls or self.calls[id]["status"] == "ended":
            raise Refusal(404, "Call not found or has ended")
        needed = _CONTROLS.get(body.get("type", ""))
        missing = None if needed is None else sorted(needed - body.keys())
        message = body.get("message")
        if needed is None or missing:
            raise Refusal(
                400, [f"type must be one of {', '.join(_CONTROLS)}" if needed is None else f"{missing} missing"]
            )
        if "message" in needed and not (isinstance(message, dict) and {"role", "content"} <= message.keys()):
            raise Refusal(400, ["message must have a role and content"])
        self.messages[id].append(body)
        if body["type"] == "end-call":
            self.end(id)

    def end(self, id: str) -> None:
        """End a phone call.

        Raises:
            Refusal: 404.
        """
        self.found("calls", id)["status"] = "ended"

    def found(self, kind: str, id: str) -> Document:
        """Return a document of a kind (`tools`, `assistants`, `calls`).

        Raises:
            Refusal: 404.
        """
        documents: dict[str, Document] = getattr(self, kind)
        if id not in documents:
            raise Refusal(404, f"{kind.removesuffix('s').capitalize()} with ID {id} not found.")
        return documents[id]

    def listed(self, kind: str, limit: int, bounds: Mapping[str, datetime]) -> list[Document]:
        """Return a kind's documents within bounds such as `createdAtLe`, newest first."""
        rows = [
            row
            for row in getattr(self, kind).values()
            if all(_BOUNDS[name[-2:]](datetime.fromisoformat(row[name[:-2]]), at) for name, at in bounds.items())
        ]
        return sorted(rows, key=lambda row: str(row["createdAt"]), reverse=True)[:limit]

    def _made(self, body: Document) -> Document:
        now = self._now()
        own = {"id": str(uuid.uuid4()), "orgId": _ORGANISATION, "createdAt": now, "updatedAt": now}
        return copy.deepcopy(body) | own

    def _now(self) -> str:
        return next(self._moments).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def pinned(pins: list[dict[str, str]]) -> Refusal:
    """Return the conflict of something that some version still uses, with its sources."""
    message = "Cannot delete: a version of this resource is pinned."
    body = {"error": "version_pinned", "message": message, "pinnedBy": pins}
    check("VersionPinConflictResponseDTO", body)
    return Refusal(409, message, body)


def _of_type(schemas: Mapping[str, str], type: Any) -> str:
    if not isinstance(type, str) or type not in schemas:
        raise Refusal(400, [f"type must be one of the following values: {', '.join(schemas)}"])
    return schemas[type]


def _ticking() -> Iterator[datetime]:
    """Yield the time, later each time."""
    last = datetime.now(UTC)
    while True:
        last = max(datetime.now(UTC), last + timedelta(milliseconds=1))
        yield last

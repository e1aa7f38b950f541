"""The API's names and values in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from admin_ui.plain_text import plain

TRIAL = "try_"
"""What the ids of conversations begin with that an owner held in the Playground."""
CHANNELS = {"phone": "Phone", "portal": "Portal chat", "browser_voice": "Browser voice"}
CHANNEL_ICONS = {"phone": "call", "portal": "chat", "browser_voice": "mic"}
OUTCOMES = {
    "answered": "Not ended",
    "ended": "Ended",
    "transferred": "Put through to a person",
    "interrupted": "Caller spoke last",
    "failed": "Went wrong",
}
OUTCOME_COLORS = {"answered": "gray", "ended": "green", "transferred": "blue", "interrupted": "gray", "failed": "red"}
KINDS = {
    "business": "Business",
    "policies": "Policies",
    "faqs": "Questions and answers",
    "knowledge": "Documents",
    "questions": "Callers' questions",
    "portalVisit": "Visits to the portal",
    "callerRestriction": "Callers turned away",
    "sessionRestriction": "Conversations turned away",
    "agent": "Agents",
    "toolkit": "Accounts",
    "agentToolkit": "An agent's accounts",
    "tool": "Your own tools",
    "attachment": "Tools of agents",
    "secret": "Secrets",
    "apiKey": "API keys",
}
DEEDS = {"created": "added", "changed": "changed", "deleted": "removed"}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_FIELDS = {
    "workingHours": "Opening hours",
    "exceptions": "Special days",
    "ai": "Receptionist",
    "callerVerification": "Caller checks",
    "trustCallerId": "Trust the caller's number",
    "escalation": "People",
    "rules": "Person",
    "safeNumber": "Fallback number",
    "twilioNumber": "Number that callers dial",
    "portalUrl": "Portal address",
    "enabledTools": "Tools in use",
    "faqs": "Questions and answers",
    "timezone": "Time zone",
    "durationMinutes": "Minutes",
    "bufferBeforeMinutes": "Minutes kept free before",
    "bufferAfterMinutes": "Minutes kept free after",
    "isDefault": "Answers when no other does",
    "configMetadata": "Settings",
    "enabled": "Switched on",
    "sensitiveConfig": "Secrets",
    "agentId": "Agent",
    "toolId": "Tool",
    "attachedTo": "Agents that had it",
    "attachedTools": "Your own tools that it had",
    "setBy": "What agents had set for it",
    "portal": "Portal chat",
    "visitors": "Open to visitors without an invitation",
}
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def field(path: str) -> str:
    """Return a dotted path in words, such as `Opening hours / Tuesday`."""
    steps = [_FIELDS.get(name) or _spaced(name) if name else str(int(at) + 1) for name, at in _STEP.findall(path)]
    return " / ".join(steps)


def value(found: Any) -> str:
    """Return a value as Markdown that anyone can read."""
    if found is None or found == "" or found == [] or found == {}:
        return "*nothing*"
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, list):
        return "  \n".join(_row(one) for one in found)
    if isinstance(found, Mapping):
        return "  \n".join(f"{plain(field(name))}: {_row(inner)}" for name, inner in found.items())
    return plain(found).replace("\n", "  \n")


def _row(found: Any) -> str:
    if isinstance(found, Mapping):
        return " · ".join(_row(inner) for inner in found.values() if inner not in (None, ""))
    if isinstance(found, list):
        return ", ".join(map(_row, found))
    return value(found)


def _spaced(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.replace("_", " ")).lower()
    return spaced[:1].upper() + spaced[1:]

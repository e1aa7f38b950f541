"""The API's names and values in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from admin_ui.widgets.plain_text import plain

CHANNELS = {"phone": "Phone", "portal": "Portal chat", "browser_voice": "Browser voice"}
CHANNEL_ICONS = {"phone": "call", "portal": "chat", "browser_voice": "mic"}
CONCLUSIONS = {
    "booked": "Booked",
    "answered": "Answered",
    "handed_over": "Handed over to a person",
    "left": "Left without an answer",
}
"""What can come of a conversation."""
OUTCOMES = CONCLUSIONS | {
    "failed": "Went wrong",
    "transferred": "Put through to a person",
    "interrupted": "Caller spoke last",
    "ended": "Ended",
}
"""That, and how the last turn of one that goes on can have ended; of earlier ones nothing else is known."""
_OUTCOME_COLORS = {"booked": "green", "handed_over": "blue", "transferred": "blue", "left": "orange", "failed": "red"}
ANSWERS = {
    "CONFIRMATION_REQUIRED": "Asked for a yes",
    "MODE_RESTRICTED": "Not here, or not yet",
    "BUDGET_EXCEEDED": "Enough for this turn",
    "RATE_LIMIT": "A limit was kept",
    "CONFLICT": "Taken, or under way",
    "NOT_FOUND": "Not there",
    "VALIDATION": "Asked to correct it",
    "LOOP_DETECTED": "Asked before",
    "SESSION_INACTIVE": "Conversation was over",
}
"""What a tool's no means that is an answer, and no failure."""
KINDS = {
    "business": "Business",
    "opened": "The beginning",
    "templatePush": "Pushes of a template",
    "resource": "Team and rooms",
    "booking": "Appointments",
    "message": "Messages",
    "customer": "Customers",
    "customersMerged": "Customers who were made one",
    "customerForgotten": "Customers who were forgotten",
    "policies": "Policies",
    "faqs": "Questions and answers",
    "knowledge": "Documents",
    "collection": "Collections",
    "collectionRows": "Rows of collections",
    "questions": "Callers' questions",
    "evals": "Tests made of calls",
    "portalVisit": "Visits to the portal",
    "callerRestriction": "Callers turned away",
    "sessionRestriction": "Conversations turned away",
    "agent": "Agents",
    "toolkit": "Accounts",
    "agentToolkit": "An agent's accounts",
    "agentTrial": "Versions of agents on trial",
    "tool": "Your own tools",
    "attachment": "Tools of agents",
    "secret": "Secrets",
    "apiKey": "API keys",
    "calendarFeed": "Addresses for calendars",
    "monthlyLimits": "Limits of a month",
}
_GOES_ON = "Going on"
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
    "knowledge": "Documents",
    "prompt": "Instructions",
    "fillers": "Words while something takes a moment",
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
    "needs": "What it takes up",
    "perPerson": "For each of a party",
    "hours": "Own hours",
    "portal": "Portal chat",
    "visitors": "Open to visitors without an invitation",
    "monthlyLimits": "Limits of a month",
    "isSet": "Set",
    "texts": "Text messages",
    "phoneMinutes": "Minutes on the phone",
    "modelTokens": "Tokens of models",
    "warnAt": "Warns at",
    "stopAt": "Stops at",
}
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def outcome(interaction: Mapping[str, Any]) -> tuple[str, Any]:
    """Return how a conversation ended, in words, and their colour."""
    word = str(interaction["outcome"] or "")
    if not word:
        # Another service holds the call, and tells us of its tools alone.
        return "Not known", "gray"
    if not interaction["endedAt"] and word not in ("failed", "transferred"):
        return _GOES_ON, "gray"
    return OUTCOMES.get(word, _GOES_ON), _OUTCOME_COLORS.get(word, "gray")


def turn_outcome(word: str) -> tuple[str, Any]:
    """Return how a turn ended, in words, and their colour."""
    return OUTCOMES.get(word, word), _OUTCOME_COLORS.get(word, "gray")


def field(path: str) -> str:
    """Return a dotted path in words, such as `Opening hours / Tuesday`."""
    steps = [_FIELDS.get(name) or _spaced(name) if name else str(int(at) + 1) for name, at in _STEP.findall(path)]
    return " / ".join(steps)


def value(data: Any) -> str:
    """Return a value as Markdown that anyone can read."""
    if data is None or data == "" or data == [] or data == {}:
        return "*nothing*"
    if isinstance(data, bool):
        return "yes" if data else "no"
    if isinstance(data, list):
        return "  \n".join(_row(one) for one in data)
    if isinstance(data, Mapping):
        return "  \n".join(f"{plain(field(name))}: {_row(inner)}" for name, inner in data.items())
    return plain(data).replace("\n", "  \n")


def _row(data: Any) -> str:
    if isinstance(data, Mapping):
        return " · ".join(_row(inner) for inner in data.values() if inner not in (None, ""))
    if isinstance(data, list):
        return ", ".join(map(_row, data))
    return value(data)


def _spaced(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.replace("_", " ")).lower()
    return spaced[:1].upper() + spaced[1:]

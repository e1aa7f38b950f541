"""Which right each field needs that an owner's request can set: decided here, one by one.

Whoever may edit a thing may edit its words. Where callers are put through to or led, who else is written to, and what
the business's accounts and secrets are used for is for those who may decide just that. What is decided of a field is
decided of it everywhere: where it is entered, changed, imported, copied, undone, or taken over from an older version.

A tool's address is its editors' as long as no secret and no account goes with the request: whoever may edit tools
may read all that callers say, and sends nothing there that they do not have.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from switchboard.admin.access.roles import Operation


def _decided(by_right: Mapping[Operation, Sequence[str]]) -> dict[str, Operation]:
    return {field: right for right, fields in by_right.items() for field in fields}


_HOURS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "exceptions")
_RULE = ("action", "id", "label", "destination", "email", "when", "fallback", "timeoutS")
_NEEDS = ("kind", "any", "count", "perPerson")
_SERVICE = ("name", "durationMinutes", "price", "description", "bufferBeforeMinutes", "bufferAfterMinutes", "id")

BUSINESS: Final = _decided(
    {
        # What callers are told, and when the house is open. The addresses and numbers among it are told as the
        # business's own, like those in its answers and policies; nobody is let in, put through or written to by them.
        Operation.EDIT_BUSINESS: (
            *("name", "industry", "phone", "address", "website", "timezone", "features", "enabledTools"),
            *("ai.tone", "ai.language", "ai.greeting", "ai.voice", "ai.fillers", "limits"),
            *("portal.visitors", "portal.greeting"),
            *(f"workingHours.{name}" for name in _HOURS),
            *(f"services.{name}" for name in (*_SERVICE, "category")),
            *(f"services.needs.{name}" for name in _NEEDS),
        ),
        Operation.EDIT_SAFEGUARDS: (
            *(f"escalation.rules.{name}" for name in _RULE),
            *(f"escalation.rules.hours.{name}" for name in _HOURS),
            *("escalation.safeNumber", "ai.callerVerification", "ai.trustCallerId"),
            # A link that lets a caller in leads there; what callers answer to an e-mail goes there.
            *("portalUrl", "email"),
        ),
        Operation.ASSIGN_NUMBER: ("twilioNumber",),
        Operation.CONNECT: ("integrations.calendar",),
    }
)

AGENT: Final = _decided(
    {
        Operation.EDIT_AGENTS: (
            *("name", "isDefault", "channels", "language", "description", "tools.enabled", "tools.config", "limits"),
            *("prompt", "model", "voice", "fillers", "toolkits.enabled"),
        ),
        Operation.CONNECT: (
            # Another server there would be told the business's own password.
            "toolkits.config",
            # Whose conversations of the account at Vapi are this agent's, with its tools and their key.
            "vapiAssistantId",
        ),
    }
)

RESOURCE: Final = _decided(
    {
        Operation.EDIT_BUSINESS: (
            *("id", "name", "kind", "capacity", "seats", "services"),
            *(f"hours.{name}" for name in _HOURS),
            *(f"absences.{name}" for name in ("id", "start", "end", "reason")),
        ),
        # Appointments with their callers' names are written there.
        Operation.CONNECT: ("calendars.integration", "calendars.calendarId", "calendars.calendarUrl"),
    }
)

TOOL: Final = _decided(
    {
        Operation.EDIT_TOOLS: (
            *("type", "name", "label", "description", "enabled", "async", "executeOnCallStart", "attachToAgent"),
            *("callerNumber", "deed", "repeat", "timeoutMs", "maxAtOnce", "text", "confirm"),
            *("readBack",),
            # Those that are sent along with a secret, or by an account, go with what they are sent in.
            "params",
            # Made of the answer.
            *(f"request.{name}" for name in ("response", "idempotent")),
            # To somebody of the business's own rules, or to another of its agents.
            *(f"destination.{name}" for name in ("type", "id", "agentId", "label", "message")),
            *(f"knowledge.{name}" for name in ("type", "collection", "filters", "fields", "limit")),
            # What a server is called and says about its tool.
            *("server.name", "outputSchema", "annotations", "offered", "wording", "pipedreamMetadata.appName"),
        ),
        # To whom callers are put through, and who is texted; texts to the caller alone are anybody's.
        Operation.EDIT_SAFEGUARDS: (
            *("destination.number", "recipients", "textAnyone"),
            *(f"from.{name}" for name in ("type", "phone_number_id", "phoneNumberId")),
        ),
        Operation.CONNECT: (
            # With a secret in one of its headers.
            *(f"request.{name}" for name in ("method", "url", "headers", "body")),
            # Connecting a server is approving what is sent to it.
            *("server.url", "server.headers", "tool", "inputSchema"),
            *(f"pipedreamMetadata.{name}" for name in ("app", "accountId", "actionKey", "version")),
        ),
    }
)

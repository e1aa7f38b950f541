"""What the OpenAPI document says of the routes that other rooms serve, by function; see `openapi.of_routes`."""

from collections.abc import Mapping

from switchboard.admin.api.openapi import RouteDescription
from switchboard.contract.json import JsonObject

_TEXT: JsonObject = {"type": "string"}
_OBJECT: JsonObject = {"type": "object"}
_JSON_BODY = ("application/json", _OBJECT)
_PAGE = ("text/html", None)
_FILE = ("application/octet-stream", None)
_TWIML = ("text/xml", None)
_FORM = ("application/x-www-form-urlencoded", _OBJECT)
_CHANNEL: JsonObject = {"enum": ["phone", "portal", "browser_voice"]}
_EXECUTE: JsonObject = {
    "type": "object",
    "required": ["businessId", "name", "args", "context"],
    "properties": {
        "businessId": _TEXT,
        "name": _TEXT,
        "args": {"type": ["object", "string"]},
        "context": {
            "type": "object",
            "required": ["channel"],
            "properties": {
                "channel": _CHANNEL,
                **dict.fromkeys(("sessionId", "callId", "callSid", "callerPhone"), _TEXT),
                "turn": {"type": "integer"},
            },
        },
    },
}
_ENVELOPE: JsonObject = {
    "type": "object",
    "required": ["ok", "intents", "meta"],
    "properties": {
        "ok": {"type": "boolean"},
        "data": {},
        "error": _OBJECT,
        "intents": {"type": "array", "items": {"type": "object"}},
        "meta": _OBJECT,
    },
}
_OF_BUSINESS = ("application/json", {"type": "object", "properties": {"businessId": _TEXT}})
_DONE: tuple[str, JsonObject] = (
    "application/json",
    {
        "type": "object",
        "required": ["ok", "task", "businessId", "counts"],
        "properties": {
            "ok": {"const": True},
            "task": _TEXT,
            "businessId": {"type": ["string", "null"], "description": "null for all businesses."},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
    },
)


def _webhook(summary: str) -> RouteDescription:
    return RouteDescription(summary, "signature", _FORM, _TWIML)


def _task(summary: str) -> RouteDescription:
    return RouteDescription(summary, body=_OF_BUSINESS, answer=_DONE, is_body_needed=False)


WORDS: Mapping[str, Mapping[str, RouteDescription]] = {
    "tools": {
        "GET /definitions": RouteDescription(
            "List the tools that are offered right now",
            query={
                "businessId": _TEXT,
                "channel": _CHANNEL,
                "format": {**_TEXT, "description": "A model's dialect, or canonical."},
                "sessionId": _TEXT,
                "callerPhone": {**_TEXT, "description": "Who calls, for tools whose words speak of the number."},
                "calledPhone": {**_TEXT, "description": "The number that was called, likewise."},
                "explain": {**_TEXT, "description": "1 also returns what is not offered, and why."},
            },
        ),
        "POST /execute": RouteDescription(
            "Call a tool; whatever becomes of it is 200 with the envelope",
            body=("application/json", _EXECUTE),
            answer=("application/json", _ENVELOPE),
        ),
        "POST /execute/{name}": RouteDescription(
            "Call one tool by its own path",
            body=("application/json", {**_EXECUTE, "required": ["businessId", "args", "context"]}),
            answer=("application/json", _ENVELOPE),
        ),
        "POST /heard": RouteDescription(
            "Tell what the caller has said, which may approve what was proposed", body=_JSON_BODY
        ),
    },
    "phone": {
        "POST /incoming": _webhook("Answer a phone call"),
        "POST /turn": _webhook("Go on with a phone call that is held in turns"),
        "POST /relay-ended": _webhook("Take a phone call over from the relay"),
        "POST /transfer-result": _webhook("Hear what became of a transfer"),
        "POST /status": _webhook("Hear that a phone call has ended"),
        "POST /text": _webhook("Take STOP, START and HELP that somebody texts"),
    },
    "portal": {
        "GET /": RouteDescription("Show the portal's page", "none", answer=_PAGE),
        "GET /page/{name}": RouteDescription("Read a file of the portal's page", "none", answer=_FILE),
        "POST /session": RouteDescription("Redeem a portal link, or begin as a visitor", "none", _JSON_BODY),
        "POST /chat": RouteDescription(
            "Say something, and be answered as JSON or as a stream of events", body=_JSON_BODY
        ),
        "POST /stop": RouteDescription("Stop the answer that is being given", body=_JSON_BODY),
        "GET /history": RouteDescription("Read what was said so far"),
        "GET /news": RouteDescription("Read what a person of the business wrote, and who answers now"),
    },
    "browser_voice": {
        "GET /": RouteDescription("Show the page for speaking", "none", answer=_PAGE),
        "GET /page/{name}": RouteDescription("Read a file of the page", "none", answer=_FILE),
        "GET /token": RouteDescription("Get a short-lived key for a vendor's voice"),
        "GET /history": RouteDescription("Read what was said so far"),
        "POST /session": RouteDescription("Begin a conversation", body=_JSON_BODY),
        "POST /turn": RouteDescription("Say something in words", body=_JSON_BODY),
        "POST /interrupt": RouteDescription("Interrupt the answer", body=_JSON_BODY),
        "POST /execute": RouteDescription("Call a tool that the voice wants", body=_JSON_BODY),
        "POST /cancel": RouteDescription("Cancel calls that the voice has given up", body=_JSON_BODY),
    },
    "api": {
        "POST /tools/{id}/execute": RouteDescription("Call a tool, as a voice platform does", "signature", _JSON_BODY),
        "POST /phone-number/{id}/incoming": RouteDescription(
            "Answer a phone call that a voice platform carries", "signature", _FORM, _TWIML
        ),
    },
    "mcp": {
        "POST /{business_id}": RouteDescription(
            "Speak the Model Context Protocol with a business's tools", "access", body=_JSON_BODY
        ),
        "GET /.well-known/oauth-protected-resource": RouteDescription(
            "Tell who gives access tokens; not found where no authorization server is trusted", "none"
        ),
        "GET /.well-known/oauth-protected-resource/mcp/{business_id}": RouteDescription(
            "Tell who gives access tokens for a business's tools", "none"
        ),
    },
    "tasks": {
        "POST /silent": _task("End conversations of which nothing is heard any more"),
        "POST /questions": _task("Count what callers asked in vain"),
        "POST /months": _task("Sum up by months what businesses have used"),
        "POST /callers": _task("Store what records of callers are found by"),
        "POST /trials": _task("Count how drafts do that some businesses try"),
        "POST /evals": _task("Play the kept tests that were not played since yesterday"),
        "POST /queued": _task("Carry out calls that were accepted"),
        "POST /reap": _task("Bring abandoned calls to an end"),
        "POST /bookings": _task("Bring unfinished bookings to an end"),
        "POST /outbox": _task("Send what is waiting to be sent"),
        "POST /deletions": _task("Go on with what is being deleted"),
        "POST /reindex": _task("Rebuild the indexes of texts that were changed"),
    },
    "metrics": {"GET /": RouteDescription("Read what was measured", "none", query={"tool": _TEXT})},
    "healthz": {
        "GET /": RouteDescription("Tell whether this deployment serves", "none"),
        "GET /health": RouteDescription(
            "Tell whether this deployment serves; Cloud Run may keep paths that end in z", "none"
        ),
        "GET /readyz": RouteDescription("Tell whether conversations can be carried now, and if not, why", "none"),
        "GET /ready": RouteDescription(
            "Tell whether conversations can be carried now; Cloud Run may keep paths that end in z", "none"
        ),
    },
}
"""By function; then by method and path as the route has it."""

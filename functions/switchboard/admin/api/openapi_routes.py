"""What the OpenAPI document says of the routes that other rooms serve, by function; see `openapi.of_routes`."""

from collections.abc import Mapping

from switchboard.admin.api.openapi import Words
from switchboard.admin.calendars.connection import VENDORS, ConnectedVendor
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
        "intents": {"type": "array"},
        "meta": _OBJECT,
    },
}


def _webhook(summary: str) -> Words:
    return Words(summary, "signature", _FORM, _TWIML)


def _connecting(vendor: ConnectedVendor) -> Mapping[str, Words]:
    base, begin = f"/integrations/{vendor.name}", dict.fromkeys(("businessId", "calendarId", "redirect"), _TEXT)
    back = dict.fromkeys(("state", "code", "error"), _TEXT)
    return {
        f"DELETE {base}": Words(f"Disconnect {vendor.product}", query={"businessId": _TEXT}),
        f"GET {base}/connect": Words(f"Begin connecting {vendor.product}", query=begin),
        f"GET {base}/begin": Words(
            "Ask who is about to connect a calendar", "none", answer=_PAGE, query={"state": _TEXT}
        ),
        f"POST {base}/begin": Words("Show what is about to be connected", "none", _FORM, answer=_PAGE),
        f"GET {base}/callback": Words(f"Come back from {vendor.company}", "none", answer=_PAGE, query=back),
    }


WORDS: Mapping[str, Mapping[str, Words]] = {
    "tools": {
        "GET /definitions": Words(
            "List the tools that are offered right now",
            query={
                "businessId": _TEXT,
                "channel": _CHANNEL,
                "format": {**_TEXT, "description": "A model's dialect, or canonical."},
                "sessionId": _TEXT,
                "explain": {**_TEXT, "description": "1 also returns what is not offered, and why."},
            },
        ),
        "POST /execute": Words(
            "Call a tool; whatever becomes of it is 200 with the envelope",
            body=("application/json", _EXECUTE),
            answer=("application/json", _ENVELOPE),
        ),
        "POST /execute/{name}": Words(
            "Call one tool by its own path",
            body=("application/json", {**_EXECUTE, "required": ["businessId", "args", "context"]}),
            answer=("application/json", _ENVELOPE),
        ),
        "POST /heard": Words("Tell what the caller has said, which may approve what was proposed", body=_JSON_BODY),
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
        "GET /": Words("Show the portal's page", "none", answer=_PAGE),
        "GET /page/{name}": Words("Read a file of the portal's page", "none", answer=_FILE),
        "POST /session": Words("Redeem a portal link, or begin as a visitor", "none", _JSON_BODY),
        "POST /chat": Words("Say something, and be answered as JSON or as a stream of events", body=_JSON_BODY),
        "POST /stop": Words("Stop the answer that is being given", body=_JSON_BODY),
        "GET /history": Words("Read what was said so far"),
    },
    "browser_voice": {
        "GET /": Words("Show the page for speaking", "none", answer=_PAGE),
        "GET /page/{name}": Words("Read a file of the page", "none", answer=_FILE),
        "GET /token": Words("Get a short-lived key for a vendor's voice"),
        "POST /session": Words("Begin a conversation", body=_JSON_BODY),
        "POST /turn": Words("Say something in words", body=_JSON_BODY),
        "POST /interrupt": Words("Interrupt the answer", body=_JSON_BODY),
        "POST /execute": Words("Call a tool that the voice wants", body=_JSON_BODY),
        "POST /cancel": Words("Cancel calls that the voice has given up", body=_JSON_BODY),
    },
    "admin": {
        "GET /explain": Words(
            "Tell why a call ended as it did, or list a session's calls",
            query=dict.fromkeys(("businessId", "session", "call"), _TEXT),
        ),
        **{route: words for vendor in VENDORS for route, words in _connecting(vendor).items()},
    },
    "api": {
        "GET /calendar/{business_id}/{token}.ics": Words(
            "Read the appointments as a calendar; whoever has the address may", "none", answer=("text/calendar", None)
        ),
        "POST /tools/{id}/execute": Words("Call a tool, as a voice platform does", "signature", _JSON_BODY),
        "POST /phone-number/{id}/incoming": Words(
            "Answer a phone call that a voice platform carries", "signature", _FORM, _TWIML
        ),
    },
    "mcp": {
        "POST /{business_id}": Words(
            "Speak the Model Context Protocol with a business's tools", "access", body=_JSON_BODY
        ),
        "GET /.well-known/oauth-protected-resource": Words(
            "Tell who gives access tokens; not found where no authorization server is trusted", "none"
        ),
        "GET /.well-known/oauth-protected-resource/mcp/{business_id}": Words(
            "Tell who gives access tokens for a business's tools", "none"
        ),
    },
    "tasks": {
        "POST /silent": Words("End conversations of which nothing is heard any more", body=_JSON_BODY),
        "POST /questions": Words("Count what callers asked in vain", body=_JSON_BODY),
        "POST /callers": Words("Store what records of callers are found by", body=_JSON_BODY),
        "POST /queued": Words("Carry out calls that were accepted", body=_JSON_BODY),
        "POST /reap": Words("Bring abandoned calls to an end", body=_JSON_BODY),
        "POST /bookings": Words("Bring unfinished bookings to an end", body=_JSON_BODY),
        "POST /outbox": Words("Send what is waiting to be sent", body=_JSON_BODY),
        "POST /reindex": Words("Rebuild the indexes of texts that were changed", body=_JSON_BODY),
    },
    "metrics": {"GET /": Words("Read what was measured", "none", query={"tool": _TEXT})},
    "healthz": {
        "GET /": Words("Tell whether this deployment serves", "none"),
        "GET /health": Words("Tell whether this deployment serves; Cloud Run may keep paths that end in z", "none"),
    },
}
"""By function; then by method and path as the route has it."""

"""Configurations of tenant tools as owners write them: the examples of seed 002, and one sound one of every type."""

from typing import Any

from switchboard.catalog.definitions.variables import PhoneNumbers

NUMBERS = PhoneNumbers("+15551234567", "+12015550199", proven_phone="+15551234567")
UNPROVEN = PhoneNumbers("+15551234567", "+12015550199")
NOBODY = PhoneNumbers()

# Seed 002, "Column Descriptions", config_metadata.
SEED_PIPEDREAM: dict[str, Any] = {
    "type": "pipedream_action",
    "label": "Send Email",
    "description": "Send an email via Gmail",
    "pipedreamMetadata": {
        "app": "gmail",
        "appName": "Gmail",
        "accountId": "acc_xxx",
        "actionKey": "gmail.action.send-email",
    },
    "params": {
        "to": {"mode": "ai", "prompt": "The recipient's email address"},
        "subject": {"mode": "fixed", "value": "Order Confirmation"},
    },
}
# Seed 002, "Parameter Modes" and "Variable Substitution".
SEED_FIXED = {"mode": "fixed", "value": "Order Confirmation"}
SEED_AI = {
    "mode": "ai",
    "prompt": "The recipient's email address",
    "schema": {"type": "string", "description": "..."},
}
SEED_EXTENDABLE = {
    "mode": "array_extendable",
    "fixedValues": ["+1234567890"],
    "aiExtension": {
        "enabled": True,
        "prompt": "Additional phone numbers from conversation",
        "required": False,
    },
}
SEED_URL = {"mode": "fixed", "value": "https://api.example.com/customers?phone={{caller_phone_number}}"}

SMS: dict[str, Any] = {
    "type": "sms",
    "label": "Send confirmation SMS",
    "description": "Send a confirmation SMS to the customer",
    "from": {"type": "called_number"},
    "text": {"mode": "ai", "prompt": "The message to send"},
    "recipients": ["+1234567890"],
}
QUERY: dict[str, Any] = {
    "type": "query",
    "label": "Find homes",
    "params": {
        "town": {"mode": "ai", "prompt": "Which town"},
        "price": {"mode": "ai", "required": False, "schema": {"type": "integer", "minimum": 0}},
    },
    "knowledge": {
        "type": "collection",
        "collection": "properties",
        "filters": [
            {"field": "town", "param": "town"},
            {"field": "price", "op": "<=", "param": "price"},
            {"field": "isSold", "op": "==", "value": False},
        ],
        "fields": ["town", "price"],
        "limit": 3,
    },
}
TRANSFER: dict[str, Any] = {
    "type": "transfer_call",
    "label": "Front desk",
    "destination": {"type": "number", "number": "+1 (201) 555-0123", "message": "{{caller_phone_number}} is calling"},
}


def request(params: dict[str, Any] | None = None, **parts: Any) -> dict[str, Any]:
    """Return an `api_request` tool with a sound address and these parts of the request."""
    return {
        "type": "api_request",
        "label": "Look up a customer",
        "description": "Look a customer up.",
        "request": {"url": "https://api.example.com/customers"} | parts,
        "params": params or {},
    }


def asked(**changes: Any) -> dict[str, Any]:
    """Return a parameter that the model fills."""
    return {"mode": "ai", "prompt": "What it is"} | changes

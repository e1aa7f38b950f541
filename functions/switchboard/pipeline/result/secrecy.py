"""What of a call is secret, taken out of whatever is answered: an answer is kept, and shown to owners."""

from dataclasses import replace

from switchboard.catalog.arguments.trusted_values import as_object
from switchboard.contract.definitions.redaction import NOTHING_HIDDEN, Redaction
from switchboard.contract.error import Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Failure, Intent
from switchboard.pipeline.invocation import Invocation


def redaction_of(invocation: Invocation) -> Redaction:
    """Return what takes a call's secret arguments out of anything, as they were sent and as they are used."""
    secrets = secrets_of(invocation)
    return Redaction(secrets) if secrets else NOTHING_HIDDEN


def secrets_of(invocation: Invocation) -> tuple[str, ...]:
    """Return a call's secret arguments, as they were sent and as they are used."""
    tool = invocation.tool.tool if invocation.tool is not None else None
    if tool is None or not tool.secret_arguments:
        return ()
    try:
        sent: JsonObject = as_object(invocation.call.arguments)
    except Refused:
        # Nobody can tell where in it a secret is; it went nowhere, and is kept nowhere.
        sent = {}
    used = invocation.arguments.canonical if invocation.arguments is not None else {}
    return (*tool.secrets_in(sent), *tool.secrets_in(used))


def without(redaction: Redaction, intents: tuple[Intent, ...]) -> tuple[Intent, ...]:
    """Return intents without secrets."""
    if not redaction:
        return intents
    return tuple(replace(intent, payload=redaction.value(intent.payload)) for intent in intents)


def told(redaction: Redaction, failure: Failure) -> Failure:
    """Return a failure without secrets: a refusal may quote what was refused, and a service what it was sent."""
    return replace(failure, message=redaction.text(failure.message)) if redaction else failure

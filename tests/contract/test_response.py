"""The envelope, version 1.0.0."""

import json

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.intent import Intent, IntentType
from switchboard.contract.response import Failure, ToolResponse


@pytest.mark.requirement("003-65")
def test_a_success_is_ok_data_intents_meta():
    """Seed 003, "ToolResponse Envelope"."""
    response = ToolResponse({"ended": True}, intents=(Intent(IntentType.END_CALL, {"reason": "done"}),), meta={"a": 1})
    assert response.to_json() == {
        "ok": True,
        "data": {"ended": True},
        "intents": [{"type": "END_CALL", "payload": {"reason": "done"}}],
        "meta": {"a": 1},
    }


@pytest.mark.requirement("003-66")
def test_a_failure_is_type_message_retryable_and_partial_side_effects():
    """Seed 003, "ToolResponse Envelope" and "Error Handling Philosophy"."""
    response = ToolResponse(failure=Failure.of(ToolError(ErrorType.CONFLICT, "taken")))
    assert response.to_json() == {
        "ok": False,
        "error": {"type": "CONFLICT", "message": "taken", "retryable": False, "partialSideEffects": False},
        "intents": [],
        "meta": {},
    }


@pytest.mark.parametrize(
    "response",
    [
        ToolResponse({"a": [1, {"b": None}]}, meta={"x": 1}),
        ToolResponse(failure=Failure(ErrorType.TRANSIENT, "later", True, True), meta={"timedOut": True}),
        ToolResponse({}, intents=(Intent(IntentType.SUPPRESS_AUDIO),)),
    ],
)
def test_an_envelope_survives_being_stored(response):
    """What the ledger keeps as text is given again as it was."""
    assert ToolResponse.from_json(json.loads(json.dumps(response.to_json()))) == response

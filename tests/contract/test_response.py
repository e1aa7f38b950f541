"""The envelope, version 1.0.0."""

import json
from typing import Any, cast

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.response import Failure, Intent, IntentType, ToolResponse


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


@pytest.mark.requirement("003-85")
@pytest.mark.parametrize("type", ["END_CALL", "SELF_DESTRUCT", None, 7])
def test_an_intent_outside_the_closed_set_is_refused(type: Any) -> None:
    """Also one that is only spelt like one: a channel matches on the set itself."""
    with pytest.raises(ValueError, match="use one of END_CALL"):
        Intent(cast(IntentType, type))


def test_every_intent_of_the_set_can_be_asked_for() -> None:
    """With a payload, or without."""
    assert [Intent(type).to_json() for type in IntentType] == [{"type": t.value, "payload": {}} for t in IntentType]

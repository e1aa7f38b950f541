"""Intents: a closed set of effects that a tool may ask a channel for."""

from typing import Any, cast

import pytest

from switchboard.contract.intent import Intent, IntentType


@pytest.mark.requirement("003-85")
@pytest.mark.parametrize("type", ["END_CALL", "SELF_DESTRUCT", None, 7])
def test_an_intent_outside_the_closed_set_is_refused(type: Any) -> None:
    """Also one that is only spelt like one: a channel matches on the set itself."""
    with pytest.raises(ValueError, match="use one of END_CALL"):
        Intent(cast(IntentType, type))


def test_every_intent_of_the_set_can_be_asked_for() -> None:
    """With a payload, or without."""
    assert [Intent(type).to_json() for type in IntentType] == [{"type": t.value, "payload": {}} for t in IntentType]

"""end_call: seed 004 ("Special Tool Behaviors")."""

import pytest

from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.response import Intent, IntentType
from tests.desk.front_desk import call, salon
from tests.tools.folder import run, schema


@pytest.mark.requirement("004-52", "003-96", "003-05")
@pytest.mark.parametrize(
    ("arguments", "reason"), [({"reason": "The caller said goodbye."}, "The caller said goodbye."), ({}, "")]
)
async def test_ending_is_an_intent_that_the_channel_applies(desk, store, arguments, reason):
    """`{ended: true}` signals that no more may be said; nothing is stored."""
    result = await run("end_call", call(salon()), desk, arguments)
    assert result.data == {"ended": True}
    assert result.intents == (Intent(IntentType.END_CALL, {"reason": reason}),)
    assert not store.asked


def test_it_writes_nothing_and_is_for_the_phone_only():
    """Seed 004: included when the channel is phone only; it stays offered while the store is away."""
    definition = read_definition("end_call", schema("end_call"))
    assert (definition.writes, [c.value for c in definition.channels]) == (False, ["phone"])
    assert definition.requires == ("channel:phone",)

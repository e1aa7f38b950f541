"""The template `pipedream_action` (seed 002, "Pipedream Action")."""

from dataclasses import replace

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.tools.templates.pipedream_action import execute
from tests.desk.front_desk import StoppedClock, call, salon
from tests.desk.memory_actions import ROW, MemoryActions
from tests.desk.phone_network import MemoryPhoneNetwork
from tests.tools.templates.bound_desk import bound_desk

SALON = salon()


@pytest.fixture
def actions() -> MemoryActions:
    return MemoryActions()


@pytest.fixture
def desk(store, actions):
    return bound_desk(store, MemoryPhoneNetwork(StoppedClock()), actions, StoppedClock())


@pytest.mark.requirement("002-17", "002-41", "002-44")
async def test_what_the_app_did_comes_back_with_a_receipt(desk, actions):
    """And what was bound is what is run."""
    result = await execute(call(SALON), desk, bound=ROW)
    assert result.data == {
        "done": True,
        "summary": "Added 1 row",
        "result": {"rows": [["Tom"], ["Anna"]]},
        "repeated": False,
    }
    assert result.receipt is not None
    assert (result.receipt["what"], result.receipt["for"]) == ("app action", "google_sheets")
    assert actions.runs == [(SALON.id, ROW)]


async def test_the_same_wish_again_is_done_once(desk, actions):
    """Under another call id."""
    first, again = [await execute(call(SALON), desk, bound=ROW) for _ in range(2)]
    assert again == replace(first, data=first.data | {"repeated": True})
    assert len(actions.runs) == 1


@pytest.mark.requirement("002-45")
async def test_an_action_that_failed_is_never_called_done(desk, actions):
    """The error is the app's."""
    actions.failures = [ToolError(ErrorType.AUTH, "Connect again.")]
    with pytest.raises(ToolError) as caught:
        await execute(call(SALON), desk, bound=ROW)
    assert caught.value.type is ErrorType.AUTH


@pytest.mark.requirement("004-941")
async def test_an_app_that_says_no_is_not_called_done(desk, actions):
    """What the action did before it, nobody knows; it is not run again."""
    actions.answer = {"summary": "Sent", "result": {"ok": False, "error": "channel_not_found"}}
    for _ in range(2):
        with pytest.raises(ToolError) as caught:
            await execute(call(SALON), desk, bound=ROW)
        assert caught.value.partial_side_effects
    assert len(actions.runs) == 1

"""What a conversation has told of calls that ended after their answers."""

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.context import PhoneContext
from switchboard.contract.response import ToolResponse
from switchboard.conversation.pending_results import Arrival
from tests.conversation.claims.test_claims import session


@pytest.mark.requirement("004-2422")
def test_calls_know_which_late_outcomes_the_model_was_told_of() -> None:
    """By a note, or by the answer to the same call again; it stays so when a channel's next request comes."""
    held = session()
    held.arrive(Arrival("late", "light", ToolResponse(data={})))
    held.note(ToolCall("light", {}, "b"), ToolResponse(data={}, meta={"repeatedOf": "first"}), 1.0)
    held.note(ToolCall("light", {}, "c"), ToolResponse(data={}), 1.0)
    assert held.facts.told == ("late", "first")
    assert held.of_now(PhoneContext(business_id="salon", session_id="s")).told == ("late", "first")

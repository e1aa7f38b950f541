"""What fits into a turn, at its very edges: calls, rounds of look-ups, look-ups side by side, and their time."""

from types import SimpleNamespace

import pytest

from switchboard.contract.context import Beside, Round
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.pipeline.checks.budget import budget
from switchboard.pipeline.invocation import TurnCounts
from tests.each import each

PHONE = next(iter(CHANNEL_POLICY.values()))
MS = PHONE.retrieval_ms_per_turn


def look_up(counts: TurnCounts, *, usual_ms: float = 0.0, beside: Beside | None = None) -> SimpleNamespace:
    """Return a look-up that counts as said."""
    return SimpleNamespace(
        counts=counts,
        overdrawn=(),
        wish_granted=None,
        takes=1,
        kind=Kind.RETRIEVAL,
        policy=PHONE,
        usual_ms=usual_ms,
        facts=SimpleNamespace(beside=beside),
        call=SimpleNamespace(name="look"),
    )


def refused(invocation: SimpleNamespace) -> Refused | None:
    """Return what the check says against a call."""
    try:
        budget(invocation)
    except Refused as said:
        return said
    return None


@pytest.mark.requirement("003-392")
@each(
    ("counts", "usual_ms", "told"),
    [
        (TurnCounts(calls=PHONE.calls_per_turn), 0, None),
        (TurnCounts(calls=PHONE.calls_per_turn + 1), 0, f"All {PHONE.calls_per_turn} tool calls"),
        (TurnCounts(retrievals=PHONE.retrieval_calls_per_turn), 0, None),
        (TurnCounts(retrievals=PHONE.retrieval_calls_per_turn + 1), 0, "rounds of look-ups of this turn are used"),
        # The first one of a turn is let try, however long it usually takes.
        (TurnCounts(), MS + 1, None),
        (TurnCounts(retrieval_ms=0.5), MS, "usually takes"),
        (TurnCounts(retrieval_ms=1), MS - 1, None),
        (TurnCounts(retrieval_ms=1), MS, "usually takes"),
        # With nothing known of it, it goes as long as there is any time.
        (TurnCounts(retrieval_ms=MS - 0.5), 0, None),
        (TurnCounts(retrieval_ms=MS), 0, "0 ms of this turn are left"),
    ],
)
def test_a_turn_has_room_up_to_its_limits_and_none_beyond(counts: TurnCounts, usual_ms: float, told: str | None):
    said = refused(look_up(counts, usual_ms=usual_ms))
    assert (said is None) is (told is None)
    if said is not None:
        assert said.type is ErrorType.BUDGET_EXCEEDED and str(told) in said.message


@pytest.mark.requirement("003-392")
def test_so_many_look_ups_run_side_by_side_and_those_behind_them_are_told():
    """One that does not fit takes the room of none before it."""
    round = Round()
    most = PHONE.look_ups_at_once
    said = [refused(look_up(TurnCounts(retrievals=1), beside=Beside(round, place))) for place in range(most + 2)]
    assert said[:most] == [None] * most
    assert all(each is not None and f"No more than {most} look-ups" in each.message for each in said[most:])


@pytest.mark.requirement("003-392")
def test_where_the_first_of_a_round_does_not_fit_none_of_the_others_does():
    """They count as one."""
    round = Round()
    over = TurnCounts(retrievals=PHONE.retrieval_calls_per_turn + 1)
    assert refused(look_up(over, beside=Beside(round, 0))) is not None
    assert refused(look_up(TurnCounts(retrievals=1), beside=Beside(round, 1))) is not None

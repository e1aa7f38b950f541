"""How long the steps of a turn took, as an owner reads it: what was measured, and nothing made up for the rest."""

from datetime import timedelta
from typing import Any

import pytest

from switchboard.admin.conversations.waterfall import turn_times
from switchboard.contract.store import Update
from tests.admin.owners_office import OWN, PATHS, Premises, fill
from tests.desk.front_desk import NOW
from tests.each import each

STEPS = [
    {"kind": "listening", "startMs": -800.0, "ms": 800.0},
    {"kind": "model", "startMs": 5.0, "ms": 300.0, "firstMs": 120.0},
    {"kind": "tool", "startMs": 306.0, "ms": 40.0, "name": "get_faqs", "callId": "1.2.c&1"},
]
TURN = {"turn": 1, "channel": "phone", "at": NOW, "steps": STEPS}


@pytest.mark.requirement("004-813")
async def test_a_calls_page_has_the_steps_of_each_turn_with_a_link_to_each_call(premises: Premises):
    """In the document that describes it, too."""
    await fill(premises.store, OWN, 1)
    path = PATHS.within(OWN).document("interactions", "i0")
    await premises.store.commit([Update(path, {"times": [TURN], "tools": []})])
    answer = await premises.ask("GET", f"/admin/businesses/{OWN}/interactions/i0")
    (turn,) = answer.json()["turnTimes"]
    assert (turn["turn"], turn["ms"], turn["leftOut"]) == (1, 1146.0, 0)
    assert turn["steps"][:2] == STEPS[:2]
    session = answer.json()["sessionId"]
    link = f"/admin/explain?businessId={OWN}&session={session}&call=1.2.c%261"
    assert turn["steps"][2] == STEPS[2] | {"link": link}


@pytest.mark.requirement("004-813")
def test_of_a_turn_that_nobody_timed_the_tools_are_told():
    """Which every record has: how long each took, and when it was answered."""
    record: dict[str, Any] = {
        "transcript": [{"role": "caller", "turn": 2, "at": NOW}],
        "tools": [
            {"name": "look", "turn": 2, "at": NOW + timedelta(seconds=2), "elapsedMs": 500.0},
            {"name": "act", "turn": 2, "at": NOW + timedelta(seconds=3), "elapsedMs": 250.0},
            {"name": "later", "turn": 2, "at": NOW + timedelta(hours=3), "elapsedMs": 0.0, "late": True},
        ],
    }
    (turn,) = turn_times(record, OWN, "s1")
    assert [(s["kind"], s["name"], s["startMs"], s["ms"]) for s in turn["steps"]] == [
        ("tool", "look", 1500.0, 500.0),
        ("tool", "act", 2750.0, 250.0),
    ]
    assert turn["ms"] == 3000.0


@each(
    "times",
    [
        None,
        "soon",
        [7],
        [{"turn": "1", "steps": "x"}],
        [{"turn": 1, "steps": [{"kind": "model", "startMs": True, "ms": 1}]}],
        [{"turn": 1, "steps": [{"kind": "guess", "startMs": 0, "ms": 1}]}],
    ],
)
def test_what_cannot_be_read_is_left_out(times: Any):
    """Whatever wrote it."""
    assert turn_times({"times": times, "tools": [{"name": "look"}]}, OWN, "s1") == []

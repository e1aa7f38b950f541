"""Turns whose steps are timed: which stand in the record, in which order, and which are left out."""

import asyncio
from typing import Any

import pytest

from switchboard.contract.model import TextPiece
from switchboard.contract.observability.turn_times import MOST_STEPS, StepKind, TurnTimes
from switchboard.contract.record_parts import MOST_BYTES, split
from switchboard.contract.store import Set
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import Text
from switchboard.conversation.turn_timing import timed
from switchboard.state.measured import MeasuredStore
from switchboard.state.memory.store import MemoryStore
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import Office
from tests.conversation.scripted import calls, says
from tests.conversation.test_interruption import until
from tests.desk.front_desk import NOW
from tests.pipeline.conftest import BUSINESS, PATHS


@pytest.fixture
async def office() -> Office:
    """An instance over a store that is measured, as a deployment's is."""
    made = Office(MeasuredStore(MemoryStore()))
    await made.store.inner.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon", "ai": {"language": "en"}})])
    return made


async def talk(office: Office, *answers: Any) -> Conversation:
    """Begin a conversation whose turns are timed."""
    conversation = await office.talk(*answers)
    return Conversation(timed(conversation._parts), conversation.session)


def ends(step: dict[str, Any]) -> float:
    return float(step["startMs"] + step["ms"])


@pytest.mark.requirement("004-812")
async def test_a_turn_leaves_the_steps_that_were_measured_in_its_record(office: Office):
    """What was listened to comes before it, the tool between two answers of the model, the store within."""
    conversation = await talk(office, calls(("look", {})), says("Good morning."))
    await answer(conversation, "Hi", listened_s=1.5)
    (turn,) = (await office.record())["times"]
    assert (turn["turn"], turn["channel"], turn["at"]) == (1, "phone", NOW)
    steps: dict[str, list[dict[str, Any]]] = {}
    for step in turn["steps"]:
        steps.setdefault(step["kind"], []).append(step)
    assert {kind: len(rows) for kind, rows in steps.items() if kind != "store"} == {
        "listening": 1,
        "model": 2,
        "tool": 1,
        "speech": 1,
    }
    assert (steps["listening"][0]["startMs"], steps["listening"][0]["ms"]) == (-1500.0, 1500.0)
    first, second = steps["model"]
    (tool,) = steps["tool"]
    assert tool["name"] == "look"
    assert ends(first) <= tool["startMs"] + 0.2 and ends(tool) <= second["startMs"] + 0.2
    assert (await office.instance.ledger(tool["callId"]))["tool"] == "look"
    assert any(tool["startMs"] <= one["startMs"] <= ends(tool) for one in steps["store"])
    assert {one["name"] for one in steps["store"]} <= {"get", "get_many", "query", "commit"}


@pytest.mark.requirement("004-812")
async def test_what_was_not_measured_is_left_out(office: Office):
    """Where nobody told when the caller began to speak, nothing was listened to."""
    conversation = await talk(office, says("Good morning."))
    await answer(conversation, "Hi")
    (turn,) = (await office.record())["times"]
    assert "listening" not in {step["kind"] for step in turn["steps"]}


async def test_a_conversation_that_is_not_timed_has_no_times(office: Office):
    """The record is as it was before."""
    await answer(await office.talk(says("Good morning.")), "Hi")
    assert "times" not in await office.record()


async def test_the_steps_of_an_interrupted_turn_are_kept_too(office: Office):
    """As far as they came."""
    conversation = await talk(office, [TextPiece("We open at nine. "), asyncio.Event()])
    await until(conversation, lambda event: isinstance(event, Text))
    await conversation.interrupt("We open")
    (turn,) = (await office.record())["times"]
    assert {"model", "speech"} <= {step["kind"] for step in turn["steps"]}


async def test_times_that_could_not_be_stored_come_with_the_next_turn(office: Office):
    """Each once."""
    conversation = await talk(office, says("One."), says("Two."))
    office.store.fail("commit")
    await answer(conversation, "Hi")
    office.store.recover()
    await answer(conversation, "And?")
    turns = [turn["turn"] for turn in (await office.record())["times"]]
    assert len(turns) == len(set(turns)) == 2


def test_of_many_steps_the_first_are_kept_and_the_others_counted():
    """A turn of many calls does not fill its record."""
    times = TurnTimes(1, NOW, "phone", began=0.0)
    for number in range(MOST_STEPS + 3):
        times.note(StepKind.STORE, number, number + 1, name="get")
    document = times.document()
    assert document is not None
    assert (len(document["steps"]), document["leftOut"]) == (MOST_STEPS, 3)


def test_times_move_into_a_part_with_all_else_that_grows():
    """A record stays short enough to be read before a turn."""
    rows = [{"turn": n, "at": NOW, "steps": [{"kind": "model", "startMs": 0.0, "ms": 1.0}] * 40} for n in range(300)]
    divided = split({"times": rows, "transcript": [{"text": "x" * MOST_BYTES}]})
    assert divided is not None
    assert divided.part["times"] + divided.left["times"] == rows
    assert divided.part["times"] and divided.left["times"]

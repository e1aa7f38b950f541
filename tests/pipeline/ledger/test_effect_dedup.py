"""The same thing twice on purpose: once in a turn, in a conversation, or as often as it is asked for."""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.catalog.tenant_tools.config import DefinitionErrors, read_config
from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Kind, Repeat, read_definition
from switchboard.contract.definitions.tenant_tool import read_tenant_tool
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Delete, Update
from switchboard.formats.mcp import annotations
from switchboard.pipeline.checks.loop import may_repeat
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.execution.deadline import outlived
from tests.pipeline import planted
from tests.pipeline.conftest import PATHS, Instance
from tests.pipeline.test_tenant_tools import enter, tool

SEEDS = Path(__file__).parents[3] / "seeds" / "tools"
LIGHT = {
    "type": "api_request",
    "label": "Light",
    "description": "Turns the light on or off.",
    "request": {"method": "POST", "url": "https://house.example.com/toggle"},
    "params": {},
}


def light(**config: Any) -> dict[str, Any]:
    return tool("light", **(LIGHT | config))


@pytest.fixture
def house(office: Instance) -> list[str]:
    """The effect keys under which requests have left."""
    sent: list[str] = []

    async def send(ctx: Any, bound: Any) -> Any:
        sent.append(ctx.effect_key)
        return SimpleNamespace(status=200, result={"done": True}, is_cut=False, is_empty=False, problem="", state="")

    office.dispatcher.runner.desk = SimpleNamespace(api_requests=SimpleNamespace(send=send))
    return sent


@pytest.mark.requirement("002-137")
async def test_a_later_turn_may_ask_an_owners_tool_for_the_same_again(office, house):
    """Twice within a turn is a model that repeats itself; each turn has a key of its own for the service."""
    await enter(office, light())
    first = await office.call("light", turn=1)
    again = await office.call("light", turn=1)
    later = await office.call("light", turn=2)
    assert (again.data["repeated"], again.meta["repeatedOf"]) == (True, first.meta["callId"])
    assert "repeated" not in later.data and "repeated" not in later.meta
    assert len(house) == len(set(house)) == 2


@pytest.mark.requirement("002-137")
@pytest.mark.parametrize(("repeat", "sent"), [("never", 4), ("turn", 2), ("session", 1)])
async def test_its_owner_says_within_what_it_is_done_once(office, house, repeat, sent):
    await enter(office, light(repeat=repeat))
    for turn in (1, 1, 2, 2):
        assert (await office.call("light", turn=turn)).ok
    assert len(house) == len(set(house)) == sent


@pytest.mark.requirement("002-137")
@pytest.mark.parametrize(("repeat", "sent"), [("never", 5), ("turn", 1), ("session", 1)])
async def test_called_often_within_a_turn_it_is_done_or_answered_as_its_owner_says(office, house, repeat, sent):
    """That is no loop; what bounds it is how many calls a turn has."""
    await enter(office, light(repeat=repeat))
    answers = [await office.call("light", channel=Channel.PORTAL) for _ in range(5)]
    assert [answer.ok for answer in answers] == [True] * 5
    assert len(house) == len(set(house)) == sent
    more = [await office.call("light", channel=Channel.PORTAL) for _ in range(5)]
    assert more[-1].failure.type is ErrorType.BUDGET_EXCEEDED
    assert len(house) <= 8


async def test_an_owners_tool_whose_calls_are_refused_is_in_a_loop_all_the_same(office, house):
    """A mistake does not get better by repetition."""
    await enter(office, light(repeat="never"))
    kinds = [(await office.call("light", {"colour": "red"}, channel=Channel.PORTAL)).failure.type for _ in range(3)]
    assert kinds == [ErrorType.VALIDATION] * 2 + [ErrorType.LOOP_DETECTED]
    assert not house


@pytest.mark.parametrize(
    ("confirm", "approved", "free"), [(True, False, False), (True, True, True), (False, False, True)]
)
def test_what_is_asked_for_a_yes_again_and_again_is_a_loop(confirm, approved, free):
    """Until there is one, each call is refused, and no limit of the turn counts it."""
    definition = SimpleNamespace(kind=Kind.ACTION, confirm=confirm)
    case: Any = SimpleNamespace(
        definition=definition, tool=object(), invalid=None, repeat=Repeat.NEVER, is_approved=approved
    )
    assert may_repeat(case) is free


@pytest.mark.parametrize("repeat", list(Repeat))
async def test_a_redelivery_is_answered_as_before_whatever_may_be_repeated(office, house, repeat):
    await enter(office, light(repeat=repeat.value))
    first = await office.call("light", call_id="c1", turn=1)
    again = await office.call("light", call_id="c1", turn=1)
    assert (again.data, len(house)) == (first.data, 1)


async def test_phone_and_portal_of_one_conversation_count_their_turns_apart(office, house):
    await enter(office, light())
    await office.call("light", turn=1)
    assert (await office.call("light", turn=1, channel=Channel.PORTAL)).ok
    assert len(house) == 2


async def test_who_interrupts_a_slow_action_has_not_asked_for_a_second_one(office, house):
    """While it runs it is the same wish in every turn, and so it stays while nobody knows what came of it."""
    await enter(office, light())
    gate = asyncio.Event()

    async def send(ctx: Any, bound: Any) -> Any:
        house.append(ctx.effect_key)
        await gate.wait()
        raise ToolError(ErrorType.TRANSIENT, "Nobody knows.", retryable=False, partial_side_effects=True)

    office.dispatcher.runner.desk.api_requests.send = send
    slow = asyncio.create_task(office.call("light", turn=1))
    while not house:
        await asyncio.sleep(0)
    impatient = await office.call("light", turn=2)
    assert impatient.failure.type is ErrorType.CONFLICT and impatient.failure.retryable
    gate.set()
    assert (await slow).failure.partial_side_effects
    unknown = await office.call("light", turn=3)
    assert unknown.failure.partial_side_effects and unknown.meta["repeated"]
    assert len(house) == 1


async def finishes_late(office: Instance, house: list[str], **facts: Any) -> None:
    """Make a call in the first turn that is carried out only when its caller waits no longer."""
    gate = asyncio.Event()

    async def send(ctx: Any, bound: Any) -> Any:
        house.append(ctx.effect_key)
        if len(house) == 1:
            await gate.wait()
        return SimpleNamespace(status=200, result={"done": True}, is_cut=False, is_empty=False, problem="", state="")

    office.dispatcher.runner.desk.api_requests.send = send
    answer = await office.call("light", call_id="late", turn=1, **facts)
    assert answer.meta["timedOut"] and answer.failure.partial_side_effects
    gate.set()
    await outlived()
    assert (await office.ledger("late"))["state"] == "finished"


@pytest.mark.requirement("004-2422")
@pytest.mark.parametrize("idempotent", [False, True])
async def test_who_has_not_heard_that_it_was_done_after_all_does_not_ask_for_a_second_one(office, house, idempotent):
    """The answer was that it may still succeed: whoever asks again gets what came of it, and may ask anew then."""
    request = LIGHT["request"] | {"idempotent": idempotent}
    await enter(office, light(timeoutMs=200, request=request))
    await finishes_late(office, house)
    again = await office.call("light", turn=2)
    assert again.ok and [one["callId"] for one in again.meta["pendingResults"]] == ["late"]
    # Whose service makes one effect of one key is asked under the same; nobody else is asked at all.
    assert len(set(house)) == 1 and len(house) == 1 + idempotent
    anew = await office.call("light", turn=3)
    assert anew.ok and "repeated" not in anew.meta and len(set(house)) == 2


@pytest.mark.requirement("004-2422")
async def test_a_conversation_that_has_told_of_it_may_ask_for_the_same_again(office, house):
    """What was told stands in the session's document until the turn is written down: the conversation says so."""
    await enter(office, light(timeoutMs=200))
    await finishes_late(office, house, applies_intents=True)
    untold = await office.call("light", turn=2, applies_intents=True)
    assert untold.meta["repeatedOf"] == "late" and len(house) == 1
    anew = await office.call("light", turn=2, applies_intents=True, told=("late",))
    assert anew.ok and "repeated" not in anew.meta and len(house) == 2


async def test_what_certainly_was_not_done_may_be_asked_for_again_in_the_same_turn(office, house):
    await enter(office, light())
    send = office.dispatcher.runner.desk.api_requests.send

    async def fail(ctx: Any, bound: Any) -> Any:
        raise ToolError(ErrorType.PERMANENT, "No.")

    office.dispatcher.runner.desk.api_requests.send = fail
    assert not (await office.call("light", turn=1)).ok
    office.dispatcher.runner.desk.api_requests.send = send
    assert (await office.call("light", turn=1)).ok
    assert len(house) == 1


async def test_two_calls_of_a_later_turn_are_one(office, house):
    await enter(office, light())
    await office.call("light", turn=1)
    answers = await asyncio.gather(*(office.call("light", turn=2) for _ in range(2)))
    assert len(house) == 2
    assert sum(answer.ok and "repeated" not in answer.meta for answer in answers) == 1


async def test_a_wish_that_another_call_of_the_turn_took_and_gave_up_is_granted(office, store, monkeypatch):
    """It had claimed the wish anew and failed, which leaves no claim: nothing to replace, and nothing in the way."""
    await office.call("act_anew", {"what": "x"}, turn=1)
    commit = store.commit

    async def given_up_meanwhile(writes):
        anew = [write for write in writes if isinstance(write, Update) and "/effects/" in write.path]
        if anew:
            monkeypatch.setattr(store, "commit", commit)
            await commit([Delete(anew[0].path)])
        return await commit(writes)

    monkeypatch.setattr(store, "commit", given_up_meanwhile)
    assert (await office.call("act_anew", {"what": "x"}, turn=2)).ok
    assert len(planted.done) == 2


@pytest.mark.requirement("004-333")
async def test_a_tool_that_makes_one_effect_of_one_key_is_given_another_key_in_a_later_turn(office):
    """Such as a text: "send it again" sends it again, and the model's second call of one turn does not."""
    for turn in (1, 1, 2):
        await office.call("act_anew", {"what": "x"}, turn=turn)
    first, again, later = planted.done
    assert first == again != later


async def test_while_nobody_knows_what_came_of_it_a_later_turn_goes_on_under_the_same_key(office):
    """A text that may have been sent is looked up when it is asked for again, rather than sent a second time."""
    for turn in (1, 2):
        assert (await office.call("stumble_anew", {"what": "x"}, turn=turn)).failure.partial_side_effects
    first, again = planted.done
    assert first == again


@pytest.mark.parametrize("name", ["send_sms", "take_message", "send_email", "send_portal_link"])
def test_what_is_sent_for_a_caller_is_once_in_a_turn(name):
    definition = read_definition(name, json.loads((SEEDS / f"{name}.json").read_text()))
    assert (definition.repeat, definition.is_repeatable) == (Repeat.TURN, True)
    # A client that retries by that hint would have it sent once in each turn.
    assert annotations(definition)["idempotentHint"] is False


@pytest.mark.parametrize("name", ["book_appointment", "cancel_appointment", "reschedule_appointment"])
def test_bookings_are_once_in_a_conversation(name):
    definition = read_definition(name, json.loads((SEEDS / f"{name}.json").read_text()))
    assert definition.repeat is Repeat.SESSION and annotations(definition)["idempotentHint"] is True


@pytest.mark.parametrize(
    ("annotations", "own", "repeat"),
    [
        ({}, None, Repeat.TURN),
        ({"idempotentHint": False}, None, Repeat.TURN),
        ({"idempotentHint": True}, None, Repeat.NEVER),
        ({"idempotentHint": True}, "session", Repeat.SESSION),
    ],
)
def test_what_a_connected_server_says_of_repetition_holds_unless_its_owner_says_otherwise(annotations, own, repeat):
    """A call that changes nothing more need never be held back."""
    config = {
        "type": "mcp_tool",
        "label": "Set the light",
        "server": {"name": "house", "url": "https://mcp.example.com/mcp"},
        "tool": "set_light",
        "inputSchema": {"type": "object", "properties": {"on": {"type": "boolean"}}},
        "annotations": annotations,
    } | ({"repeat": own} if own else {})
    document = {"name": "set_light", "type": "mcp_tool", "configMetadata": config}
    assert OwnTool(read_tenant_tool("t_1", document)).definition.repeat is repeat


def test_a_word_that_says_no_time_is_refused_with_those_that_do():
    with pytest.raises(DefinitionErrors) as refused:
        read_config({"type": "api_request", "label": "x", "request": LIGHT["request"], "repeat": "always"})
    (error,) = refused.value.errors
    assert error.field == "repeat" and "never, turn, session" in error.remedy


async def test_a_yes_counts_for_the_call_of_the_turn_after_the_question_and_for_one_alone(office, store, clock):
    """What is asked about in one turn is done in the next, which is another turn; a third turn is asked about anew."""
    approvals = Approvals(store, PATHS)
    for turn in (1, 3):
        asked = await office.call("act_anew_if_agreed", {"what": "x"}, turn=turn)
        assert asked.failure.type is ErrorType.CONFIRMATION_REQUIRED
        heard = await approvals.hear("salon", "s1", turn + 1, "yes", clock.now(), question=turn)
        assert heard.verdict == "approved"
        assert (await office.call("act_anew_if_agreed", {"what": "x"}, turn=turn + 1)).ok
    assert len(planted.done) == len(set(planted.done)) == 2


@pytest.mark.requirement("004-2423")
async def test_a_no_after_an_outcome_that_nobody_knows_is_still_unknown(office, house):
    """The service may have done it and answer 409 or 422 ever after: neither the pass nor a later turn says no."""
    await enter(office, light(request=LIGHT["request"] | {"idempotent": True}))
    errors = [ToolError(ErrorType.TRANSIENT, "Nobody knows.", retryable=False, partial_side_effects=True)]
    errors += [ToolError(type, "Nothing was done.") for type in (ErrorType.CONFLICT, ErrorType.VALIDATION)]
    told: list[ToolResponse] = []

    async def send(ctx: Any, bound: Any) -> Any:
        house.append(ctx.effect_key)
        raise errors[min(len(house), len(errors)) - 1]

    async def arrived(facts: Any, tool: str, response: ToolResponse) -> None:
        told.append(response)

    office.dispatcher.runner.desk.api_requests.send = send
    office.dispatcher.arrivals.append(arrived)
    assert (await office.call("light", call_id="a", turn=1)).failure.partial_side_effects
    office.clock.wait(600)
    assert await office.dispatcher.recovery.recover(None) == 1
    again = await office.call("light", call_id="a", turn=1)
    later = await office.call("light", turn=2)
    for answer in (again, later, *told):
        assert answer.failure.partial_side_effects and not answer.failure.retryable
    assert len(house) >= 3 and len(set(house)) == 1


async def test_what_the_pass_sends_again_takes_no_service_away_from_callers(office, house):
    """Its failures were counted when callers met them."""
    await enter(office, light(request=LIGHT["request"] | {"idempotent": True}))

    async def send(ctx: Any, bound: Any) -> Any:
        house.append(ctx.effect_key)
        raise ToolError(ErrorType.TRANSIENT, "Nobody knows.", retryable=False, partial_side_effects=True)

    office.dispatcher.runner.desk.api_requests.send = send
    for session in ("a", "b"):
        await office.call("light", turn=1, session_id=session)
    for _ in range(4):
        office.clock.wait(600)
        await office.dispatcher.recovery.recover(None)
    assert len(house) > 6
    circuits = office.dispatcher.runner._breakers.circuits_of("salon")
    assert not circuits.open

"""`execute_tool`: every outcome is an envelope, and the ledger can tell the story."""

import asyncio
import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.channel import Channel
from switchboard.contract.context import CallContext, PhoneContext
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CHANNEL_POLICY, DEFINITION_TTL_S
from switchboard.contract.response import Result
from switchboard.contract.store import Unavailable, Unsent, Update
from switchboard.pipeline.execution.deadline import outlived
from tests.leisure import AS_IN_PRODUCTION
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance


def kind(response):
    return response.failure.type if response.failure else None


@pytest.mark.requirement("004-38", "000-34", "003-128")
async def test_a_call_runs_the_handler_of_its_name_with_its_arguments(office):
    """Seed 004, "Execution"; defaults are filled in."""
    response = await office.call("look", {"word": "ab", "times": 2})
    assert response.data == {"said": "abab", "business": BUSINESS}


@pytest.mark.requirement("003-04", "000-35")
async def test_every_response_tells_what_was_called_and_how_long_it_took(office):
    """The envelope's version, the call's identity, the catalog's version and milliseconds."""
    meta = (await office.call("look", call_id="c1", turn=4)).meta
    expected = {"version": "1.0.0", "tool": "look", "callId": "c1", "sessionId": "s1", "turn": 4, "channel": "phone"}
    assert {key: meta[key] for key in expected} == expected
    assert meta["catalogVersion"]
    assert meta["elapsedMs"] >= 0


@pytest.mark.requirement("003-55", "003-95")
async def test_an_action_leaves_its_receipt_and_intents_in_answer_and_ledger(office):
    """What was done can be shown later, and the audit is the ledger document itself."""
    response = await office.call("act", {"what": "wave"}, call_id="c1")
    assert response.meta["receipt"] == {"what": "wave"}
    row = await office.ledger("c1")
    assert row["state"] == "finished"
    assert json.loads(row["response"]) == response.to_json()
    assert (row["tool"], row["kind"], row["channel"], row["turn"]) == ("act", "action", "phone", 1)
    assert json.loads(row["arguments"]) == {"what": "wave"}


@pytest.mark.requirement("003-70")
@pytest.mark.parametrize("name", ["book", "Look", "lok", "", "x" * 5_000, "\ud800", "look\x00", "../look", "🦊"])
async def test_an_unknown_tool_is_answered_with_the_names_that_can_be_called(office, name):
    """NOT_FOUND never leaves a model guessing, whatever it wrote."""
    response = await office.call(name)
    assert kind(response) is ErrorType.NOT_FOUND
    assert "look, look_slowly" in response.failure.message
    assert "look_in_portal" not in response.meta["callable"]
    assert len(response.failure.message) < 1_000


async def test_a_misspelt_tool_is_guessed_but_not_run(office):
    """The model corrects itself; nothing runs under a wrong name."""
    response = await office.call("ACT-", {"what": "x"})
    assert "Did you mean act?" in response.failure.message
    assert planted.done == []


@pytest.mark.requirement("003-72", "004-37", "003-130")
@pytest.mark.parametrize(
    ("name", "facts", "condition"),
    [
        ("look_in_portal", {}, "channel:phone"),
        ("look_with_calendar", {"channel": Channel.PORTAL}, "integration:calendar"),
        ("look_verified", {}, "session:verified"),
    ],
)
async def test_a_tool_that_is_not_for_here_and_now_is_refused_with_the_condition(office, name, facts, condition):
    """The gate at listing stands at execution too."""
    response = await office.call(name, **facts)
    assert kind(response) is ErrorType.MODE_RESTRICTED
    assert response.meta["condition"] == condition


async def test_the_same_tool_runs_where_its_conditions_hold(office):
    """A refusal is about the situation, not about the tool."""
    assert (await office.call("look_in_portal", channel=Channel.PORTAL)).ok
    assert (await office.call("look_verified", caller_verified=True)).ok


@pytest.mark.requirement("003-69")
@pytest.mark.parametrize(
    "args",
    [
        {"times": "many"},
        {"colour": "red"},
        {"word": None, "times": [1]},
        "{bad",
        "[]",
        "[" * 100_000,
        '{"word":' * 50_000,
        '{"word": "a", "word": "b"}',
        '{"times": NaN}',
        '{"times": 1e400}',
        '{"times": ' + "9" * 5_000 + "}",
        '{"word": "\\ud800"}',
        {"word": "x" * 40_000},
        {"word": {"a": {"b": [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}}},
        5,
        object(),
    ],
    ids=lambda a: a[:24] if isinstance(a, str) else type(a).__name__,
)
async def test_arguments_that_cannot_be_used_are_answered_with_validation(office, args):
    """Wrong types, unknown keys, broken, hostile and huge JSON: each an envelope, quickly."""
    started = asyncio.get_running_loop().time()
    response = await office.call("look", args)
    assert kind(response) is ErrorType.VALIDATION
    assert response.failure.message
    assert asyncio.get_running_loop().time() - started < 1
    json.dumps(response.to_json())


@pytest.mark.requirement("000-33")
async def test_trusted_values_among_the_arguments_are_left_out_and_reported(office):
    """Seed 000 has `business_id` as an argument: here it never decides whose data is read."""
    response = await office.call("look", {"business_id": "rival", "session_id": "other", "word": "hi"})
    assert response.data["business"] == BUSINESS
    assert response.meta["ignoredArguments"] == ["business_id", "session_id"]


@pytest.mark.requirement("003-71", "003-133")
@pytest.mark.parametrize(("name", "partial"), [("crash", False), ("crash_acting", True)])
async def test_an_unexpected_failure_ends_in_internal_and_tells_nothing_of_itself(office, name, partial):
    """Of an action it must be assumed that the world has changed."""
    response = await office.call(name, call_id="c1")
    assert kind(response) is ErrorType.INTERNAL
    assert response.failure.partial_side_effects is partial
    assert "secret" not in json.dumps(response.to_json())
    assert (await office.ledger("c1"))["state"] == ("unknown" if partial else "failed")


@pytest.mark.requirement("003-131")
@pytest.mark.parametrize("name", ["nonsense", "look_in_portal", "act"])
async def test_a_refusal_changes_nothing_and_is_not_retryable(office, name):
    """Before execution: `partialSideEffects` false, the ledger says refused."""
    response = await office.call(name, {"wrong": 1}, call_id="c1")
    assert (response.failure.retryable, response.failure.partial_side_effects) == (False, False)
    assert (await office.ledger("c1"))["state"] == "refused"


@pytest.mark.requirement("003-132", "003-76", "003-77", "003-79", "003-80", "000-56")
@pytest.mark.parametrize(
    ("type", "retryable", "says"),
    [
        ("TRANSIENT", True, True),
        ("RATE_LIMIT", True, True),
        ("PERMANENT", False, True),
        ("AUTH", False, True),
        ("CONFLICT", False, False),
    ],
)
async def test_a_failure_the_handler_knows_is_passed_on_as_it_says(office, type, retryable, says):
    """Type, retryability, facts for the model and, where the model has no answer, a true sentence for the caller."""
    response = await office.call("decline", {"type": type, "partial": True})
    assert kind(response) is ErrorType(type)
    assert (response.failure.retryable, response.failure.partial_side_effects) == (retryable, True)
    assert response.meta["alternatives"] == ["later"]
    assert response.meta.get("say") == ("Ob das geklappt hat, kann ich noch nicht sagen." if says else None)


@pytest.mark.requirement("003-67", "000-11")
async def test_a_result_that_breaks_the_tools_promise_never_reaches_the_model(office):
    """`returns` is checked on the way out."""
    response = await office.call("lie")
    assert kind(response) is ErrorType.INTERNAL
    assert response.data is None


@pytest.mark.requirement("003-54")
async def test_a_store_that_does_not_answer_the_handler_is_transient(office):
    """Nothing was read; once more may help."""
    response = await office.call("stall")
    assert (kind(response), response.failure.retryable) == (ErrorType.TRANSIENT, True)


async def test_a_context_of_another_business_is_refused_before_anything_is_read(office, store):
    """The business comes from the credential; a context that disagrees is an attack or a bug."""
    context = PhoneContext(business_id="rival", session_id="s", call_id="c")
    response = await office.dispatcher.execute_tool("look", {}, BUSINESS, context)
    assert kind(response) is ErrorType.AUTH
    assert not store.asked


async def test_an_unknown_business_is_an_envelope_too(clock, office):
    """Said by the store, not guessed."""
    context = PhoneContext(business_id="nobody", session_id="s", call_id="c")
    response = await office.dispatcher.execute_tool("look", {}, "nobody", context)
    assert kind(response) is ErrorType.NOT_FOUND


class TestReplay:
    """The same delivery again."""

    async def test_a_delivery_that_comes_again_gets_the_stored_answer(self, office):
        """One effect, the same answer, marked as replayed; intents included."""
        first = await office.call("act", {"what": "wave"}, call_id="c1")
        again = await office.call("act", '{ "what": "wave" }', call_id="c1")
        assert again.meta == {**first.meta, "replayed": True}
        assert (again.data, again.intents) == (first.data, first.intents)
        assert len(planted.done) == 1

    async def test_twenty_deliveries_at_once_have_one_effect(self, office):
        """Whoever comes second waits for nobody: done already, or still in progress and retryable."""
        answers = await asyncio.gather(*(office.call("act", {"what": "x"}, call_id="c1") for _ in range(20)))
        assert len(planted.done) == 1
        assert sum(a.ok for a in answers) >= 1
        assert all(a.ok or (kind(a) is ErrorType.CONFLICT and a.failure.retryable) for a in answers)

    async def test_another_instance_gives_the_stored_answer_too(self, office, store, clock):
        """The ledger is in the store, not in memory."""
        await office.call("act", {"what": "x"}, call_id="c1")
        again = await Instance(store, clock).call("act", {"what": "x"}, call_id="c1")
        assert again.ok
        assert again.meta["replayed"] is True
        assert len(planted.done) == 1

    @pytest.mark.parametrize(("name", "args"), [("act", {"what": "other"}), ("look", {})])
    async def test_an_id_that_belongs_to_another_call_is_a_conflict(self, office, name, args):
        """Same id with other arguments or another tool: an error of the sender, without effect."""
        await office.call("act", {"what": "x"}, call_id="c1")
        response = await office.call(name, args, call_id="c1")
        assert (kind(response), response.failure.retryable) == (ErrorType.CONFLICT, False)
        assert len(planted.done) == 1

    async def test_a_delivery_that_is_still_being_carried_out_is_a_retryable_conflict(self, office, unlimited):
        """Until it ends; then its answer is given."""
        planted.gates["g"] = asyncio.Event()
        first = asyncio.create_task(office.call("act_slowly", {"gate": "g"}, call_id="c1"))
        while "look" not in planted.gates and not (await office.store.get("businesses/salon/sessions/s1/calls/c1")):
            await asyncio.sleep(0)
        second = await office.call("act_slowly", {"gate": "g"}, call_id="c1")
        assert (kind(second), second.failure.retryable) == (ErrorType.CONFLICT, True)
        planted.gates["g"].set()
        assert (await first).ok
        assert (await office.call("act_slowly", {"gate": "g"}, call_id="c1")).ok
        assert len(planted.done) == 1

    async def test_a_refusal_is_replayed_like_any_answer(self, office):
        """The stored response is given even where today's checks might say something else."""
        first = await office.call("look_with_calendar", call_id="c1")
        again = await office.call("look_with_calendar", call_id="c1")
        assert again.failure == first.failure
        assert again.meta["replayed"] is True


class TestDeadline:
    """Time limits: a retrieval is abandoned, an action is told about honestly."""

    @pytest.mark.requirement("000-40", "003-54")
    async def test_a_retrieval_that_takes_too_long_is_abandoned(self, office):
        """TRANSIENT, retryable, `timedOut`; nothing has changed."""
        response = await office.call("look_slowly", call_id="c1")
        assert kind(response) is ErrorType.TRANSIENT
        assert response.meta["timedOut"] is True
        assert (response.failure.retryable, response.failure.partial_side_effects) == (True, False)
        assert (await office.ledger("c1"))["state"] == "failed"

    async def test_an_action_that_takes_too_long_goes_on_and_its_outcome_is_not_invented(self, office):
        """The caller hears that it is not known yet; when it ends, the ledger says what happened."""
        planted.gates["g"] = asyncio.Event()
        response = await office.call("act_slowly", {"gate": "g"}, call_id="c1")
        assert kind(response) is ErrorType.TRANSIENT
        assert (response.failure.retryable, response.failure.partial_side_effects) == (False, True)
        assert response.meta["say"] == "Ob das geklappt hat, kann ich noch nicht sagen."
        assert planted.done == []
        planted.gates["g"].set()
        await outlived()
        assert len(planted.done) == 1
        assert (await office.ledger("c1"))["state"] == "finished"
        again = await office.call("act_slowly", {"gate": "g"}, call_id="c1")
        assert again.data == {"done": "g"}

    async def test_an_action_outlives_a_caller_who_interrupts(self, office):
        """Barge-in must not lose what has begun."""
        planted.gates["g"] = asyncio.Event()
        call = asyncio.create_task(office.call("act_slowly", {"gate": "g"}, call_id="c1"))
        while not await office.store.get("businesses/salon/sessions/s1/calls/c1"):
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        planted.gates["g"].set()
        await outlived()
        assert len(planted.done) == 1
        assert (await office.ledger("c1"))["state"] == "finished"

    async def test_clients_see_the_time_that_is_left(self, office, monkeypatch):
        """The deadline travels beside the call: 800 ms on the phone, 5 s in the portal."""
        told = []
        for channel, seconds in ((Channel.PHONE, 0.8), (Channel.PORTAL, 5)):
            limits = AS_IN_PRODUCTION[channel]
            assert limits.retrieval_deadline_ms == 1_000 * seconds
            # Ten times as long, for a machine that is busy.
            patient = replace(
                limits,
                retrieval_deadline_ms=limits.retrieval_deadline_ms * 10,
                retrieval_ms_per_turn=limits.retrieval_ms_per_turn * 10,
            )
            monkeypatch.setitem(CHANNEL_POLICY, channel, patient)
            answer = await office.call("clock", channel=channel, session_id=f"{channel}")
            told.append(answer.data["seconds"] / 10)
        assert 0.4 < told[0] <= 0.8 and 4 < told[1] <= 5

    async def test_a_call_waits_for_its_turn_a_part_of_what_it_may_take(self, office, monkeypatch):
        """An action longer than a look-up: whoever comes too late for a time is told so, rather than sent away."""
        monkeypatch.setitem(CHANNEL_POLICY, Channel.PHONE, AS_IN_PRODUCTION[Channel.PHONE])
        waited, place = [], office.dispatcher.concurrency.slot

        def noted(business_id, lane, *, is_let_in, within_s):
            waited.append(within_s)
            return place(business_id, lane, is_let_in=is_let_in, within_s=within_s)

        monkeypatch.setattr(office.dispatcher.concurrency, "slot", noted)
        for name, args in (("look", {}), ("act", {"what": "wave"}), ("no such tool", {})):
            await office.call(name, args)
        assert waited == [0.2, 1.5, 1.5]


class TestStoreAway:
    """A store that does not answer."""

    async def test_a_read_goes_unrecorded_but_is_answered(self, office, store):
        """The caller gets the answer; only the ledger misses a line."""
        await office.call("look")
        store.fail("commit")
        assert (await office.call("look", {"word": "still here"})).data["said"] == "still here"

    async def test_an_action_that_cannot_be_recorded_is_not_started(self, office, store):
        """Nothing would keep it from happening twice. A store that was not even asked does not do it later either."""
        await office.call("look")
        for error, may_be_done in ((Unavailable("hangs"), True), (Unsent("away"), False)):
            store.fail_before["commit"] = error
            response = await office.call("act", {"what": "x"})
            assert kind(response) is ErrorType.TRANSIENT
            assert response.failure.partial_side_effects is may_be_done
            assert ("nothing was done" in response.failure.message) is not may_be_done
            assert planted.done == []

    async def test_an_action_whose_settlement_fails_has_still_happened(self, office, store):
        """The answer is true; a redelivery gets it again, and does not repeat the effect."""
        await office.call("look")
        commit, admissions = store.commit, []

        async def commit_once(writes):
            admissions.append(1)
            # Let in, and then begun.
            if len(admissions) > 2:
                store.fail("commit")
            return await commit(writes)

        store.commit = commit_once
        assert (await office.call("act", {"what": "x"}, call_id="c1")).ok
        store.recover()
        store.commit = commit
        again = await office.call("act", {"what": "x"}, call_id="c1")
        assert again.ok
        assert again.meta["replayed"] is True
        assert len(planted.done) == 1


async def test_a_warm_look_up_costs_one_round_trip(office, store):
    """It is admitted and settled at once; definitions, business and session are known."""
    await office.call("look")
    store.asked.clear()
    await office.call("look", {"word": "again"})
    assert dict(store.asked) == {"commit": 1}


async def test_a_warm_action_costs_two_round_trips(office, store):
    """Admission and settlement, since nothing may be done that is not recorded."""
    await office.call("act_again", {"what": "x"})
    store.asked.clear()
    await office.call("act_again", {"what": "y"})
    assert dict(store.asked) == {"commit": 2}


async def test_the_first_call_of_a_session_costs_no_more(office, store):
    """What admits it opens the session in the same commit."""
    await office.call("look")
    store.asked.clear()
    await office.call("look", session_id="s2")
    assert dict(store.asked) == {"commit": 1}


async def test_arguments_nested_without_end_are_answered_too(office):
    """An object that holds itself, as only code can make one."""
    endless = {}
    endless["word"] = endless
    assert kind(await office.call("look", endless)) is ErrorType.VALIDATION


@pytest.mark.requirement("000-54", "000-96", "001-69")
async def test_each_call_leaves_one_line_in_the_log_without_anybodys_words(office, caplog):
    """Seed 000, "Observability": tool name, latency, result size, and why it failed."""
    with caplog.at_level(logging.INFO, "switchboard.pipeline.metrics.call_metrics"):
        await office.call("look", {"word": "secret"})
        await office.call("decline", {"type": "CONFLICT"})
        await office.call("decline", {"type": "PERMANENT"})
        await office.call("decline", {"type": "PERMANENT", "partial": True}, turn=2)
        await office.call("look", {"word": 7, "secret": "secret"}, turn=2)
    lines = [record for record in caplog.records if record.message == "tool call"]
    assert [(line.tool, line.outcome, getattr(line, "reason", None)) for line in lines] == [
        ("look", "done", None),
        ("decline", "answered", "CONFLICT"),
        ("decline", "failed", "PERMANENT"),
        ("decline", "unknown", "PERMANENT"),
        ("look", "refused", "VALIDATION"),
    ]
    assert lines[0].latencyMs >= 0
    assert lines[0].characters == len('{"said":"secret","business":"salon"}')
    assert not any("secret" in str(vars(line)) for line in lines)


async def tell_told(ctx: CallContext, desk: Any) -> Result:
    """Tell of which tools the model is told."""
    return Result({"told": sorted(ctx.told_tools)})


@pytest.mark.requirement("003-339")
@pytest.mark.parametrize("enabled", [["tell_told"], ["tell_told", "kb_get"]])
async def test_a_handler_knows_of_which_tools_the_model_is_told(store, clock, enabled):
    """So that no answer names a tool that the conversation does not have."""
    tools = [planted._tool(tell_told, "retrieval", {}, name=name) for name in ("tell_told", "kb_get")]
    office = Instance(store, clock, Registry("1.0.00000000", {tool.name: tool for tool in tools}))
    told = (await office.call("tell_told", session_id="before")).data["told"]
    assert told == ["tell_told"]
    await store.commit([Update(PATHS.within(BUSINESS).business, {"enabledTools": enabled})])
    clock.wait(DEFINITION_TTL_S + 1)
    assert (await office.call("tell_told", session_id="then")).data["told"] == sorted(enabled)

"""The story of a call: what each step saw and decided, without a word that somebody said."""

import asyncio
import json
import re
from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.context import Beside, Round
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CALL_LEASE_S, STALE_WRITE_TOOLS_S
from switchboard.contract.store import Set, Update
from switchboard.pipeline.checks.checks import CHECKS
from switchboard.pipeline.checks.session_active import ended_mark
from switchboard.pipeline.execution.deadline import outlived
from switchboard.pipeline.json_text import json_text
from switchboard.pipeline.result.check_trace import STEPS, story, story_text
from switchboard.pipeline.result.outcome import CallOutcome
from tests.leisure import AT_LEISURE
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

LIMITS = AT_LEISURE[Channel.PHONE]
PER_TURN_MS = LIMITS.retrieval_ms_per_turn
SESSION = PATHS.within(BUSINESS).document("sessions", "s1")


def tell(office: Instance) -> list[tuple[Any, CallOutcome]]:
    """Return what an instance settles, as it comes."""
    settled: list[tuple[Any, CallOutcome]] = []
    ledger = office.dispatcher.ledger
    settle = ledger.settle

    async def telling(case, outcome):
        settled.append((case, outcome))
        await settle(case, outcome)

    async def recording(case, outcome):
        settled.append((case, outcome))
        return await record(case, outcome)

    async def refusing(case, outcome, recorded):
        settled.append((case, outcome))
        return await refuse(case, outcome, recorded)

    at_once = ledger.at_once
    record, refuse = at_once.record, at_once.refuse
    ledger.settle, at_once.record, at_once.refuse = telling, recording, refusing
    return settled


async def die(office, name, args):
    """Begin a call `c1`, the first of several if it looks something up, whose instance dies before it is settled."""
    ledger = office.dispatcher.ledger
    settle = ledger.settle

    async def lost(case, outcome):
        return None

    ledger.settle = lost
    beside = Beside(Round(), 0) if name == "look" else None
    await office.call(name, args, call_id="c1", beside=beside)
    ledger.settle = settle
    office.clock.wait(CALL_LEASE_S + 1)


@pytest.fixture
def settled(office):
    """What the office settles: pairs of case and outcome."""
    return tell(office)


@pytest.fixture
def told(settled):
    """Tells the last story as `{check: (decided, saw, why)}`."""

    def told():
        entries = story(*settled[-1])
        assert [entry["check"] for entry in entries] == list(STEPS)
        # What is kept says the same, whether or not its words were found before.
        assert story_text(*settled[-1]) == json_text(entries)
        return {e["check"]: (e["decided"], e["saw"], e.get("why", "")) for e in entries}

    return told


def decisions(steps):
    return {name: step[0] for name, step in steps.items()}


def test_the_steps_stand_in_the_order_of_the_dispatcher():
    """Design §5: replay first, then the checks as they are asked, then the run and its settlement."""
    asked = [check.__name__ for check in CHECKS]
    assert [step for step in STEPS if step in asked] == asked
    assert STEPS[:7] == ("replay", "session_active", "resolve", "admit", "loop", "validate", "confirm")
    assert STEPS[7:] == ("budget", "reuse", "run", "settle")


@pytest.mark.requirement("003-121")
async def test_a_look_up_that_runs_passes_every_step(office, told):
    """Each step tells what it looked at: counts against limits, names of arguments, milliseconds."""
    await office.call("look", {"times": 2, "session_id": "other"})
    steps = told()
    assert decisions(steps) == dict.fromkeys(STEPS, "passed")
    assert not any(why for _, _, why in steps.values())
    saw = {name: step[1] for name, step in steps.items()}
    assert saw["replay"] == "a call id that was not used before"
    assert re.fullmatch(r"one of \d+ tools offered(, as built)?", saw["resolve"])
    assert saw["admit"] == "phone"
    assert saw["loop"] == "call 1 of at most 2 with the same arguments in this turn; 0 empty results"
    assert (
        saw["validate"]
        == "2 arguments, defaults included: word, times; left out, since not the model's to say: session_id"
    )
    assert saw["budget"] == f"call 1 of 3, look-up 1 of 2, 0 of {PER_TURN_MS} ms"
    assert re.fullmatch(rf"[\d.]+ ms in all, of at most {LIMITS.retrieval_deadline_ms} ms for the tool", saw["run"])
    assert re.fullmatch(r"kept as finished; \d+ of 1500 characters", saw["settle"])


async def test_an_action_tells_of_its_receipt_and_what_it_asks_of_the_channel(office, told):
    """And that nobody had made the wish before."""
    await office.call("act", {"what": "wave"})
    steps = told()
    assert steps["reuse"][:2] == ("passed", "the first call with this wish in this session")
    assert steps["budget"][1] == "call 1 of 3"
    assert steps["settle"][1].endswith("; asked of the channel: INJECT_CONTEXT; with a receipt")


async def test_calls_that_differ_in_what_a_step_looks_at_are_told_apart(office, settled):
    """The words that usual calls have in common are found once, and are those of no other call."""
    for args in ({"times": 1}, {"times": 2, "session_id": "other"}, {"word": "nothing"}):
        await office.call("look", args, channel=Channel.PORTAL)
        await office.call("look", {**args, "times": 3}, channel=Channel.PORTAL, caller_verified=True)
    await office.call("act", {"what": "wave"})
    for case, outcome in settled:
        assert story_text(case, outcome) == json_text(story(case, outcome))


async def refuse_by_loop(office):
    for _ in range(3):
        await office.call("act", {"what": "x"}, channel=Channel.PORTAL)


async def refuse_by_empty_results(office):
    for n in (1, 2, 3):
        await office.call("look", {"word": "nothing", "times": n}, channel=Channel.PORTAL)


async def refuse_by_calls(office):
    for n in range(4):
        await office.call("act", {"what": str(n)})


async def refuse_by_look_ups(office):
    for n in range(3):
        await office.call("look", {"times": n})


async def refuse_by_time(office):
    await office.call("look", {"times": 1})
    await office.store.inner.commit([Update(SESSION, {"turns.1.retrievalMs": float(PER_TURN_MS)})])
    await office.call("look", {"times": 2})


async def refuse_a_calendar_tool(office):
    await office.call("look_with_calendar")


async def refuse_after_the_end(office):
    await office.store.inner.commit([Set(SESSION, ended_mark(Channel.PHONE, office.clock.now()), merge=True)])
    await office.call("look")


REFUSALS = {
    "session_active": (
        refuse_after_the_end,
        "a conversation that has ended",
        "nobody is there any more who could have asked for it",
    ),
    "resolve": (lambda o: o.call("nonsense"), r"none of \d+ tools offered.*", "there is no tool of that name"),
    "admit": (
        refuse_a_calendar_tool,
        "phone; decided by integration:calendar",
        "no calendar is connected",
    ),
    "admit, by channel": (
        lambda o: o.call("look_in_portal"),
        "phone; decided by channel:phone",
        "only offered on portal",
    ),
    "admit, by verification": (
        lambda o: o.call("look_verified"),
        "phone; needs a verified caller: not met",
        "the caller's identity is not established yet",
    ),
    "loop": (
        refuse_by_loop,
        "call 3 of at most 2 with the same arguments in this turn; 0 empty results",
        "the same call was made too often in this turn",
    ),
    "loop, by empty results": (
        refuse_by_empty_results,
        "call 1 of at most 2 with the same arguments in this turn; 2 empty results",
        "the tool found nothing too often in this turn",
    ),
    "validate": (
        lambda o: o.call("look", {"times": "many", "colour": 1}),
        "2 arguments",
        "times wrong or missing",
    ),
    "validate, by a name": (
        lambda o: o.call("look", {"colour": 1}),
        "1 argument",
        "they are not what the tool takes",
    ),
    "validate, by its text": (lambda o: o.call("act", "{bad"), "arguments as text", "they are not what the tool takes"),
    "validate, by what is missing": (lambda o: o.call("act", "{}"), "arguments as text", "what wrong or missing"),
    "budget": (refuse_by_calls, "call 4 of 3", "all 3 calls of this turn were used"),
    "budget, by look-ups": (
        refuse_by_look_ups,
        rf"call 3 of 3, look-up 3 of 2, \d+ of {PER_TURN_MS} ms",
        "all 2 look-ups of this turn were used",
    ),
    "budget, by time": (
        refuse_by_time,
        f"call 2 of 3, look-up 2 of 2, {PER_TURN_MS} of {PER_TURN_MS} ms",
        "too little of this turn's time for look-ups was left",
    ),
}


@pytest.mark.requirement("003-121", "003-131")
@pytest.mark.parametrize("refusal", list(REFUSALS))
async def test_a_refusal_says_which_step_what_it_saw_and_why(office, told, refusal):
    """Steps before it passed, steps behind it were skipped."""
    make, saw, why = REFUSALS[refusal]
    await make(office)
    steps, by = told(), refusal.partition(",")[0]
    at = STEPS.index(by)
    assert decisions(steps) == {
        step: "passed" if n < at else "refused" if n == at else "skipped" for n, step in enumerate(STEPS)
    }
    assert re.fullmatch(saw, steps[by][1])
    assert steps[by][2] == why
    assert steps["run"] == ("skipped", "", f"refused by {by}")
    assert steps["settle"][1] == "kept as refused, and not counted in the turn's budget"


async def test_the_usual_time_of_a_tool_is_told_where_it_decides(office, settled, told):
    """Whoever reads "too little time was left" can see for what."""
    await office.call("look")
    settled[-1][0].usual_ms = 120.4
    assert told()["budget"][1].endswith("ms; usually takes 120 ms")


async def test_a_condition_that_is_met_is_told_as_met(office, store, told):
    """A calendar that is connected, a caller who is verified."""
    integrations = {"builtinCalendar": {"isConnected": True}}
    await store.commit(
        [Set(PATHS.within(BUSINESS).business, {"timezone": "UTC", "integrations": integrations}, merge=True)]
    )
    await office.call("look_with_calendar")
    assert told()["admit"][1] == "phone; needs integration:calendar: met"
    await office.call("look_verified", caller_verified=True)
    assert told()["admit"][1] == "phone; needs a verified caller: met"


async def test_a_look_up_answered_from_the_session_is_not_run(office, told):
    """The step before the run gave the answer, and says so."""
    await office.call("look")
    await office.call("look", turn=2)
    steps = told()
    assert steps["reuse"] == ("passed", "the same look-up was answered a moment ago", "that answer was given again")
    assert steps["run"] == ("skipped", "", "an earlier answer was given again")
    assert steps["settle"][0] == "passed"


async def test_a_repeated_wish_is_not_granted_twice_and_the_story_says_so(office, told):
    """Its answer is the earlier call's."""
    await office.call("act", {"what": "x"}, call_id="c1")
    await office.call("act", {"what": "x"}, call_id="c2", turn=2)
    steps = told()
    assert steps["reuse"][1:] == ("the same wish was made before in this session", "that call's answer was given again")
    assert steps["run"][0] == "skipped"
    assert len(planted.done) == 1


async def test_a_tool_that_sees_to_repetition_itself_is_run_each_time(office, told):
    """Nothing is held back from it."""
    await office.call("act_again", {"what": "x"})
    assert told()["reuse"] == ("skipped", "", "the tool may be run as often as it is called")


async def test_a_redelivery_adds_nothing_to_the_story(office, settled):
    """The first delivery's story stands as it was written."""
    await office.call("act", {"what": "x"}, call_id="c1")
    before = await office.ledger("c1")
    assert (await office.call("act", {"what": "x"}, call_id="c1")).meta["replayed"] is True
    assert await office.ledger("c1") == before
    assert len(settled) == 1


async def test_a_look_up_that_comes_too_late_has_failed_with_its_limit(office, told):
    """A failure is not a refusal: the tool was run."""
    await office.call("look_slowly")
    steps = told()
    assert steps["run"][0] == "failed"
    assert steps["run"][1].endswith(" ms in all, of at most 50 ms for the tool")
    assert steps["run"][2] == "it did not answer within 50 ms, and nobody waited any longer"
    assert steps["settle"][:2] == ("passed", "kept as failed")


async def test_an_action_that_outlives_its_caller_tells_both_of_its_end_and_of_what_was_said(office, told):
    """The ledger holds what really happened."""
    planted.gates["g"] = asyncio.Event()
    waited = await office.call("act_slowly", {"gate": "g"})
    assert waited.meta["timedOut"] is True
    planted.gates["g"].set()
    await outlived()
    decided, _, why = told()["run"]
    assert (decided, why) == ("passed", "by then the caller may have been told that it was still going on")


@pytest.mark.parametrize("type", [type for type in ErrorType if type is not ErrorType.BUDGET_EXCEEDED])
@pytest.mark.parametrize("partial", [False, True])
async def test_every_failure_of_a_tool_has_words(office, told, type, partial):
    """And where something may have been done, they say that too."""
    await office.call("decline", {"type": type.value, "partial": partial})
    decided, _, why = told()["run"]
    assert decided == "failed"
    assert why.endswith("; something may have been done") is partial
    assert len(why) > 10


@pytest.mark.parametrize(("reason", "ends"), [("closed", "(closed)"), ("Mrs Okafor said no", "changed")])
async def test_a_failure_of_a_tool_is_told_with_its_reason_where_that_is_a_word_of_the_houses(
    office, told, reason, ends
):
    """A closed door is not a time that is taken; what somebody may have written stays out of it."""
    await office.call("decline", {"type": "CONFLICT", "reason": reason})
    assert told()["run"][2].endswith(ends)


@pytest.mark.parametrize("name", ["crash", "crash_acting", "lie", "stall"])
async def test_a_tool_that_breaks_has_failed_and_nothing_of_its_insides_is_told(office, told, name):
    """Exceptions count as personal."""
    await office.call(name)
    assert told()["run"][0] == "failed"
    assert "secret" not in json.dumps(told())


async def test_a_refusal_by_the_handler_is_the_runs(office, settled, told):
    """It said no before it did anything."""
    await office.call("act", {"what": "x"})
    case, outcome = settled[-1]
    failed = {"type": "PERMANENT", "message": "", "retryable": False, "partialSideEffects": False}
    response = outcome.response.from_json({**outcome.response.to_json(), "ok": False, "error": failed})
    settled.append((case, CallOutcome(response, "refused")))
    assert (told()["run"][0], told()["settle"][2]) == ("refused", "nothing to settle")


class TestRecovered:
    """Calls that were begun by an instance that died: nothing is counted a second time."""

    async def test_a_look_up_is_done_again_without_the_turns_counts(self, office, settled, told):
        """The checks that go by counts could not look."""
        await die(office, "look", {})
        assert await office.dispatcher.recover() == 1
        steps = told()
        assert {name for name, step in steps.items() if step[0] == "skipped"} == {
            "replay",
            "session_active",
            "loop",
            "budget",
        }
        assert steps["budget"][1:] == (
            "the turn's counts are not known",
            "the call had been begun before, or the store did not answer",
        )

    async def test_an_action_is_not_looked_at_again(self, office, settled, told):
        """Nobody knows whether it was carried out, so nothing is tried."""
        await die(office, "act", {"what": "x"})
        assert await office.dispatcher.recover() == 1
        steps = told()
        assert set(decisions(steps).values()) == {"skipped", "passed"}
        assert steps["run"][2] == "it may have been carried out before, and is not carried out twice"
        assert steps["settle"] == ("passed", "kept as unknown", "")

    async def test_a_repeatable_action_is_carried_out_again(self, office, settled, told):
        """Its handler makes one effect of one wish."""
        await die(office, "act_again", {"what": "x"})
        await office.dispatcher.recover()
        assert told()["run"][0] == "passed"


class TestConfirm:
    """Tools that need the caller's yes."""

    @pytest.fixture
    def office(self, store, clock):
        """An office with such a tool."""
        registry = planted.registry()
        tool = planted._tool(planted.act, "action", {"what": {"type": "string"}}, confirm=True)
        registry.tools["act"] = tool
        return Instance(store, clock, registry)

    async def test_a_missing_yes_is_the_reason(self, office, told):
        """Everything behind it is skipped; the ledger is the audit, and claims no consent that nobody gave."""
        await office.call("act", {"what": "x"})
        assert told()["confirm"][0] == "refused"
        assert told()["budget"] == ("skipped", "", "refused by confirm")


async def test_an_old_copy_of_the_tools_is_told_as_such(office, store, clock, told):
    """An owner who edited a tool sees why the edit did not count yet."""
    await office.call("look")
    store.fail("get", "get_many", "query")
    clock.wait(STALE_WRITE_TOOLS_S + 1)
    await office.call("look", {"times": 2}, turn=2)
    assert re.fullmatch(r"one of \d+ tools offered, as (last read|built)", told()["resolve"][1])


SAID = ("Anna Kowalski", "+15185550171", "anna@example.com", "Zürichbergstraße 7")
CALLS: list[tuple[str, Any]] = [
    ("look", {"word": SAID[0]}),
    ("look", {"times": SAID[1]}),
    ("look", {SAID[0]: SAID[1], SAID[2]: 1}),
    ("look", json.dumps({"word": 5, "times": f"; word: {SAID[3]}"}, ensure_ascii=False)),
    ("look", f"{{{SAID[3]}"),
    ("act", {"what": SAID[3]}),
    ("act", {"what": SAID[3]}),
    ("act", {"what": [SAID[2]]}),
    ("decline", {"type": SAID[0]}),
    ("crash_acting", {SAID[1]: SAID[0]}),
    (SAID[0], {"name": SAID[0]}),
]


@pytest.mark.parametrize("channel", list(Channel))
async def test_nothing_that_anybody_said_is_told(office, settled, channel):
    """Neither a value, nor a name that a model made up, nor the number of the caller; in no outcome."""
    for turn, (name, args) in enumerate(CALLS):
        await office.call(name, args, caller_phone=SAID[1], caller_id=SAID[0], channel=channel, turn=turn)
    assert len(settled) == len(CALLS)
    text = json.dumps([story(*pair) for pair in settled], ensure_ascii=False)
    assert not [said for said in SAID if said in text]


async def test_an_argument_whose_schema_is_a_plain_true_is_told_like_any(store, clock):
    """JSON Schema allows it, and a story that broke would lose the call's settlement."""
    registry = planted.registry()
    parameters = {"type": "object", "properties": {"what": True}, "required": ["what"]}
    registry.tools["act"] = planted._tool(planted.act, "action", {}, parameters=parameters)
    office = Instance(store, clock, registry)
    settled = tell(office)
    assert (await office.call("act", {"what": "x"})).ok
    assert story(*settled[-1])[STEPS.index("validate")]["saw"] == "1 argument: what"


async def test_a_story_is_short_enough_to_be_kept_with_every_call(office, settled):
    """At most two kilobytes, whatever was sent."""
    for args in ({"word": "x" * 30_000}, {"x" * 30_000: 1}, "[" * 30_000, {f"n{n}": n for n in range(400)}):
        await office.call("look", args)
        assert len(json.dumps(story(*settled[-1]))) < 2_000

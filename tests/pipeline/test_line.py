"""A conversation's own line answers, counts and acts exactly as the dispatcher does; only sooner."""

import asyncio
import json
from datetime import timedelta
from functools import cache
from zoneinfo import ZoneInfo

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard.catalog.plain_arguments import plain_reader
from switchboard.catalog.registry import Registry
from switchboard.catalog.tool import Tool
from switchboard.contract.call import canonical
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.deadline import ENDS_AT
from switchboard.contract.policy import CALL_LEASE_S, CALLS_AT_ONCE, DEFINITION_TTL_S, REUSE_S
from switchboard.contract.response import Result
from switchboard.contract.store import Set
from switchboard.pipeline.deadline import outlived
from switchboard.pipeline.dispatch import Dispatcher
from switchboard.pipeline.memory_ledger import MemoryLedger
from switchboard.pipeline.meter import Meter
from switchboard.state.memory import MemoryStore
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.leisure import AT_LEISURE
from tests.pipeline import planted, planted_lines
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

LIMIT_S = AT_LEISURE[Channel.PHONE].retrieval_deadline_ms / 1_000
VIENNA = ZoneInfo("Europe/Vienna")


class Office:
    """One process: a dispatcher over a ledger in memory, and lines to it."""

    def __init__(self, store, clock, registry=None):
        self.clock = clock
        self.instance = Instance(store, clock, registry or planted_lines.registry())
        self.ledger = MemoryLedger(store, PATHS)
        self.meter = Meter(clock)
        catalog = self.instance.catalog
        self.dispatcher = Dispatcher(catalog, self.ledger, None, PATHS, clock, self.meter)
        self.dispatched = []
        execute = self.dispatcher.execute_tool

        async def watched(name, *rest):
            self.dispatched.append(name)
            return await execute(name, *rest)

        # Seen from outside, which way a call took is only this.
        object.__setattr__(self.dispatcher, "execute_tool", watched)
        self.execute = execute

    def facts(self, channel=Channel.PORTAL, **facts):
        return CONTEXTS[channel](**({"business_id": BUSINESS, "session_id": "s1"} | facts))

    def line(self, **facts):
        return self.dispatcher.line(self.facts(**facts))

    async def direct(self, name, args, call_id, turn, **facts):
        """Execute a call without a line, to the bytes that a line would answer."""
        response = await self.execute(name, args, BUSINESS, self.facts(call_id=call_id, turn=turn, **facts))
        return orjson.dumps(response.to_json(), default=str).decode()


async def opened(clock, registry=None):
    store = WatchedStore(MemoryStore())
    await store.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon", "ai": {"language": "de-AT"}})])
    return Office(store, clock, registry)


@pytest.fixture
async def office(clock):
    """An office whose first session has begun, so that its calls can take the short way."""
    found = await opened(clock)
    await found.line().call("note", {"text": "begin"}, "c0", 0)
    found.dispatched.clear()
    planted.done.clear()
    return found


def read(envelope):
    """Return an envelope without what differs from one measurement to the next."""
    found = json.loads(envelope)
    found["meta"].pop("elapsedMs", None)
    return found


def kind(envelope):
    return json.loads(envelope).get("error", {}).get("type")


TEXTS = st.sampled_from(
    ["a", "b", "a b", "a  b", " a", "José", "Jose\u0301", "nothing", "x" * 500, '"', "\x7f", "12:30"]
)
ARGUMENTS = st.one_of(
    st.fixed_dictionaries({}, optional={"word": TEXTS, "times": st.integers(0, 3)}).map(json.dumps),
    st.fixed_dictionaries({}, optional={"word": TEXTS, "times": st.integers(0, 3)}),
    st.fixed_dictionaries({"what": st.sampled_from(["a", "b", " a"])}).map(json.dumps),
    st.sampled_from(
        [
            "",
            None,
            "{bad",
            "[]",
            '{"word":"a","word":"b"}',
            '{"word" :"a","word":"b"}',
            '{"times":3.0}',
            '{"times":"2"}',
            '{"times":18446744073709551615}',
            '{"times":123456789012345678901234567890}',
            '{"times":1e400}',
            '{"times":NaN}',
            '{"word":"\\ud800"}',
            '{"word":"\\u0061"}',
            '{"word":null}',
            '{"colour":"red"}',
            '{"session_id":"s2","word":"a"}',
            '{"word":{"a":[1]}}',
            '{"type":"CONFLICT"}',
            '{"type":"TRANSIENT","partial":true}',
            '{"share":0.5}',
            '{"share":1.0}',
            '{"share":1}',
            '{"at":"2027-03-11T10:00"}',
            '{"at":"2027-03-14T02:30"}',
            '{"at":"never"}',
        ]
    ),
)
# Not those that tell the time, wait for a test to let them go on, or remember the last call.
NAMES = [
    *(planted_lines.registry().tools.keys() - {"clock", "look_slowly", "act_slowly", "act_later", "falter"}),
    "nonsense",
    "look\ud800",
    "",
]
FITTING = {
    "weigh": st.sampled_from(['{"share":0.5}', '{"share":1.0}', '{"share":1}', "{}", '{"share":18446744073709551616}']),
    "meet": st.sampled_from(
        [f'{{"at":"2027-03-{time}"}}' for time in ("11T10:00", "11T15:00Z", "14T02:30", "41T02:30")]
    ),
    "note": TEXTS.map(lambda text: json.dumps({"text": text}, ensure_ascii=False)),
    "decline": st.sampled_from(['{"type":"CONFLICT"}', '{"type":"TRANSIENT","partial":true}']),
    "act": st.sampled_from(['{"what":"a"}', '{"what":" a"}', '{"what":"b"}']),
}
CALL = st.sampled_from(sorted(NAMES)).flatmap(
    lambda name: st.tuples(
        st.just(name),
        st.one_of(FITTING.get(name, ARGUMENTS), ARGUMENTS),
        st.integers(0, 12),
        st.integers(1, 3),
        st.sampled_from([0, 0, 0, 20, 40]),
    )
)


@settings(max_examples=150)
@given(st.lists(CALL, min_size=3, max_size=14), st.sampled_from(list(Channel)), st.booleans())
async def test_a_line_answers_whatever_the_dispatcher_would(calls, channel, verified):
    """The same envelopes in the same order, the same effects, the same measurements."""
    # hypothesis brings its own examples, so nothing may come from a fixture that lasts longer than one
    offices = [await opened(StoppedClock()) for _ in range(2)]
    facts = {"channel": channel, "caller_verified": verified, "caller_phone": "+15185550171"}
    lined, plain = offices
    line = lined.line(**facts)
    for name, args, call_id, turn, wait in calls:
        for one in offices:
            one.clock.wait(wait)
        planted.done.clear()
        ours = await line.call(name, args, f"c{call_id}", turn)
        acted = list(planted.done)
        planted.done.clear()
        theirs = await plain.direct(name, args, f"c{call_id}", turn, **facts)
        assert read(ours) == read(theirs)
        assert acted == planted.done
    assert numbers(lined) == numbers(plain)


def numbers(office):
    """Return what the meter counted, without the times."""
    return {
        use.name: (use.runs, use.calls, use.errors, use.loops, list(use.sizes)) for use in office.meter._tools.values()
    }


async def ways(office, *calls, **facts):
    """Make calls on one line; return for each whether it went through the dispatcher, and the envelopes."""
    line, answers, dispatched = office.line(**facts), [], []
    for name, args, *rest in calls:
        office.dispatched.clear()
        call_id, turn = rest if rest else (f"id{len(answers)}", len(answers) + 1)
        answers.append(await line.call(name, args, call_id, turn))
        dispatched.append(bool(office.dispatched))
    return dispatched, answers


class TestWhichWay:
    """Only what needs nothing special takes the short way."""

    @pytest.mark.parametrize(
        ("name", "args"),
        [
            ("look", '{"word":"a","times":2}'),
            ("look", {"word": "a"}),
            ("look", '{"word":"12:30"}'),
            ("look", '{"word":"Jos\u00e9"}'),
            ("note", "{}"),
            ("pause", "{}"),
            ("meet", '{"at":"2027-03-11T10:00"}'),
            ("crash", "{}"),
            ("lie", "{}"),
            ("chat", "{}"),
            ("break_json", "{}"),
        ],
    )
    async def test_a_plain_call_takes_it(self, office, name, args):
        """Whatever becomes of it."""
        assert (await ways(office, (name, args)))[0] == [False]

    @pytest.mark.parametrize(
        ("name", "args"),
        [
            ("act", '{"what":"a"}'),
            ("nonsense", "{}"),
            ("look_verified", "{}"),
            ("look_with_calendar", "{}"),
            ("call_back", "{}"),
            ("look", '{"word":"a","word":"b"}'),
            ("look", '{"word" :"a","word":"b"}'),
            ("look", '{"times":"2"}'),
            ("look", '{"times":2.0}'),
            ("look", '{"colour":"red"}'),
            ("look", '{"word":"' + "x" * 5_000 + '"}'),
            ("look", '{"session_id":"s2"}'),
            ("look", "{bad"),
            ("look", "[]"),
            ("look", None),
            ("weigh", '{"share":1}'),
            ("meet", '{"at":"never"}'),
        ],
    )
    async def test_anything_else_is_the_dispatchers(self, office, name, args):
        """Actions, unmet conditions, facts of the call, and arguments that need care."""
        assert (await ways(office, (name, args)))[0] == [True]

    @pytest.mark.parametrize(
        ("calls", "last"),
        [
            ([("look", "{}", "c1", 1), ("look", "{}", "c1", 1)], None),
            ([("look", "{}", "c1", 1), ("note", "{}", "c1", 1)], "CONFLICT"),
            ([("look", "{}", "c1", 1), ("look", "{}", "c2", 2)], None),
            ([("note", "{}", f"d{n}", 1) for n in range(3)], "LOOP_DETECTED"),
            ([("note", json.dumps({"text": str(n)}), f"d{n}", 1) for n in range(9)], "BUDGET_EXCEEDED"),
            ([("look", json.dumps({"times": n}), f"d{n}", 1) for n in range(6)], "BUDGET_EXCEEDED"),
            ([("look", json.dumps({"word": "nothing", "times": n}), f"d{n}", 1) for n in range(3)], "LOOP_DETECTED"),
        ],
        ids=["replay", "conflict", "reuse", "loop", "calls", "look-ups", "empty"],
    )
    async def test_what_stands_in_a_calls_way_is_said_by_the_dispatcher(self, office, calls, last):
        """Replays, reuse, loops and budgets look at one ledger; only the last of these calls meets them."""
        dispatched, answers = await ways(office, *calls)
        assert dispatched == [False] * (len(calls) - 1) + [True]
        assert kind(answers[-1]) == last

    async def test_the_first_call_of_a_session_opens_it(self, office):
        """With the dispatcher's admission; the second one is short."""
        calls = [("look", "{}"), ("look", '{"word":"b"}')]
        assert (await ways(office, *calls, session_id="s2"))[0] == [True, False]

    async def test_a_call_that_is_given_again_is_marked_whichever_way_it_took(self, office):
        """The stored envelope of a short call is the dispatcher's to replay."""
        _, (first, again) = await ways(office, ("chat", "{}", "c1", 1), ("chat", " {}", "c1", 1))
        assert again != first
        assert read(again)["meta"] == read(first)["meta"] | {"replayed": True}
        assert read(again)["data"] == read(first)["data"]

    async def test_an_answer_is_reused_until_it_is_old_or_something_was_done(self, office):
        """By either way, from either way."""
        spelt = [("look", '{"word":"a"}'), ("look", '{"times":"1","word":" a"}'), ("act", '{"what":"x"}')]
        _, answers = await ways(office, *spelt, ("look", '{"word":"a"}'))
        assert [read(answer)["meta"].get("reused") for answer in answers] == [None, True, None, None]
        office.clock.wait(REUSE_S)
        assert (await ways(office, ("look", '{"word":"a"}', "late", 9)))[0] == [False]

    async def test_a_full_business_is_refused_however_many_wait(self, office):
        """Calls that wait take a place; those that do not are never there together."""
        line = office.line()
        lines = [office.line(session_id=f"w{n}") for n in range(CALLS_AT_ONCE)]
        for one in lines:
            await one.call("note", "{}", "c0", 0)
        waiting = [asyncio.create_task(one.call("pause", '{"times":9}', "c1", 1)) for one in lines]
        await asyncio.sleep(0)
        assert office.dispatcher.crowd.inside(BUSINESS) == CALLS_AT_ONCE
        assert kind(await line.call("look", "{}", "c1", 1)) == "RATE_LIMIT"
        await asyncio.gather(*waiting)
        assert kind(await line.call("look", "{}", "c1", 1)) is None
        assert office.dispatcher.crowd.inside(BUSINESS) == 0


async def test_the_time_of_a_short_look_up_is_spent_from_its_turns(office):
    """What is left then decides about the next one, whichever way that takes."""
    took = json.loads(await office.line().call("nap", "{}", "c1", 1))["meta"]["elapsedMs"]
    turn = office.ledger.session((BUSINESS, "s1")).turns[1]
    assert turn.retrieval_ms == took > 0
    turn.retrieval_ms = AT_LEISURE[Channel.PORTAL].retrieval_ms_per_turn
    assert kind(await office.line().call("look", "{}", "c2", 1)) == "BUDGET_EXCEEDED"


class TestOffer:
    """What was looked up is used for as long as the catalog would say the same."""

    async def test_a_tool_that_is_taken_away_is_refused_when_definitions_are_read_again(self, office):
        """Within the minute it may be called; conditions are asked again as everywhere else."""
        line = office.line()
        assert kind(await line.call("look", "{}", "c1", 1)) is None
        document = {"name": "Salon", "enabledTools": ["note"]}
        await office.instance.store.commit([Set(PATHS.within(BUSINESS).business, document)])
        assert kind(await line.call("look", "{}", "c2", 2)) is None
        office.clock.wait(DEFINITION_TTL_S)
        assert kind(await line.call("look", "{}", "c3", 3)) == "MODE_RESTRICTED"

    async def test_what_is_forgotten_is_not_used_again(self, office):
        """Publishing from this process is seen at once."""
        line = office.line()
        await line.call("look", "{}", "c1", 1)
        office.instance.definitions.forget()
        office.dispatched.clear()
        await line.call("look", "{}", "c2", 2)
        assert office.dispatched == ["look"]
        await line.call("look", '{"word":"b"}', "c3", 3)
        assert office.dispatched == ["look"]

    async def test_while_the_store_is_away_every_call_is_the_dispatchers(self, office):
        """It decides from moment to moment what a stale offer is good for."""
        office.instance.store.fail("get", "query")
        office.clock.wait(DEFINITION_TTL_S)
        assert (await ways(office, ("look", "{}"), ("look", "{}")))[0] == [True, True]

    async def test_a_handler_sees_what_it_would_see_otherwise(self, office):
        """Facts, key, time, paths and tool are worked out when they are asked for."""
        line = office.line(caller_phone="+15185550171")
        seen = json.loads(await line.call("note", '{"text":"x"}', "c7", 3))["data"]
        assert seen == {"noted": "x", "call": "c7", "tool": "note", "path": PATHS.within(BUSINESS).business}
        data = json.loads(await line.call("pause", "{}", "c8", 3))["data"]
        assert (data["turn"], data["now"]) == (3, office.clock.now().isoformat())
        assert len(data["key"]) == 40


class TestDeadline:
    """A limit is armed only for what waits, with the manners of `asyncio.timeout`."""

    async def test_a_retrieval_that_takes_too_long_is_abandoned(self, office):
        """The dispatcher's words; a redelivery is given the same."""
        _, (first, again) = await ways(office, ("look_slowly", "{}", "c1", 1), ("look_slowly", "{}", "c1", 1))
        assert (kind(first), read(first)["meta"]["timedOut"]) == ("TRANSIENT", True)
        assert read(again)["error"] == read(first)["error"]
        assert asyncio.current_task().cancelling() == 0

    async def test_clients_see_the_time_that_is_left_and_nobody_after_them(self, office):
        """The deadline stands from the first step on."""
        line = office.line(channel=Channel.PHONE)
        assert json.loads(await line.call("clock", "{}", "c1", 1))["data"]["seconds"] <= LIMIT_S
        assert ENDS_AT.get() is None
        assert json.loads(await line.call("clock", "{}", "c2", 2))["data"]["seconds"] > LIMIT_S / 2

    @pytest.mark.parametrize("times", [0, 1])
    async def test_a_time_out_of_the_handlers_own_is_told_like_ours(self, office, times):
        """At once or later, as the dispatcher does."""
        answer = await office.line().call("time_out", json.dumps({"times": times}), "c1", 1)
        assert read(answer)["meta"]["timedOut"] is True

    async def test_a_caller_who_leaves_leaves_a_started_call_behind(self, office):
        """A redelivery is told to wait, and after the lease the call is carried out again."""
        task = asyncio.create_task(office.line().call("pause", '{"times":99}', "c1", 1))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()
        assert office.dispatcher.crowd.inside(BUSINESS) == 0
        line = office.line()
        assert kind(await line.call("pause", '{"times":99}', "c1", 1)) == "CONFLICT"
        office.clock.wait(CALL_LEASE_S + 1)
        assert kind(await line.call("pause", '{"times":99}', "c1", 1)) is None

    async def test_a_wider_limit_around_a_call_is_not_taken_for_ours(self, office):
        """The cancellation is somebody else's."""
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await office.line(channel=Channel.PORTAL).call("pause", '{"times":1000000}', "c1", 1)

    async def test_an_action_outlives_a_caller_who_interrupts(self, office):
        """It is the dispatcher's, in a task of its own."""
        planted.gates["g"] = asyncio.Event()
        task = asyncio.create_task(office.line().call("act_slowly", '{"gate":"g"}', "c1", 1))
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        planted.gates["g"].set()
        await outlived()
        assert len(planted.done) == 1
        assert read(await office.line().call("act_slowly", '{"gate":"g"}', "c1", 1))["meta"]["replayed"] is True

    async def test_many_lines_wait_side_by_side(self, office):
        """Each call keeps to its own task and its own answer."""
        lines = [office.line(session_id=f"m{n}") for n in range(50)]
        await asyncio.gather(*(line.call("note", "{}", "c0", 0) for line in lines))
        asked = [line.call("pause", json.dumps({"word": str(n)}), "c1", 1) for n, line in enumerate(lines)]
        said = [json.loads(answer)["data"]["said"] for answer in await asyncio.gather(*asked)]
        assert said == [str(n) for n in range(50)]


@cache
def readers(name):
    tool = Tool.as_built(planted_lines.registry().tools[name])
    return tool, plain_reader(tool.definition.parameters, VIENNA)


@settings(max_examples=500)
@given(
    st.one_of(
        ARGUMENTS,
        FITTING["meet"],
        st.text(max_size=40),
        st.text(alphabet='{}[]":, \\u0aword1.e-+timesnull', max_size=30),
        st.dictionaries(st.sampled_from(["word", "times", "x"]), st.one_of(TEXTS, st.integers(), st.none())).map(
            json.dumps
        ),
    )
)
@pytest.mark.parametrize("name", ["look", "meet"])
def test_a_plain_reading_is_never_another_one(name, raw):
    """What it returns, the strict reader returns as well, and spells alike."""
    tool, plainly = readers(name)
    found = plainly(raw)
    if found is not None:
        strict = tool.arguments.read(raw, VIENNA)
        assert found == (strict.values, canonical(strict.canonical))


async def test_a_row_of_a_short_call_tells_what_the_dispatchers_does():
    """The ledger is the audit, whichever way a call took."""
    offices = [await opened(StoppedClock()) for _ in range(2)]
    rows = []
    for office, call in zip(offices, (offices[0].line().call, offices[1].direct), strict=True):
        await call("note", "{}", "c0", 0)
        await call("look", '{"word":"a b"}', "c1", 1)
        row = office.ledger.session((BUSINESS, "s1")).fields("c1")
        checks = [check for check in json.loads(row["checks"]) if check["check"] != "run"]
        rows.append(row | {"response": read(row["response"]), "finishedAt": None, "checks": checks})
        assert row["finishedAt"] - row["startedAt"] < timedelta(minutes=1)
    assert rows[0] == rows[1]


@pytest.mark.parametrize("word", ["a b", "nothing"])
async def test_a_row_tells_whether_anything_was_found(word):
    """An owner who asks why a caller was told that there is nothing finds it in the call's story."""
    office = await opened(StoppedClock())
    line = office.line()
    await line.call("note", "{}", "c0", 0)
    await line.call("look", json.dumps({"word": word}), "c1", 1)
    row = office.ledger.session((BUSINESS, "s1")).fields("c1")
    (settled,) = (check["saw"] for check in json.loads(row["checks"]) if check["check"] == "settle")
    assert ("nothing found" in settled) == (word == "nothing")


async def stamp(ctx, desk) -> Result:
    """Compute something that leaves a receipt."""
    return Result({"stamped": True}, receipt={"what": "stamp"})


async def test_the_short_way_answers_measures_and_keeps_what_the_dispatcher_does():
    """Results of every kind: plain, empty, too long, with a receipt, untrue, breakdowns; then the same again."""
    known = planted_lines.registry()
    registry = Registry(known.version, known.tools | {"stamp": planted._tool(stamp, "utility", {})})
    lined, plain = [await opened(StoppedClock(), registry) for _ in range(2)]
    line = lined.line()
    names = ["note", "look", "chat", "stamp", "lie", "crash", "break_json", "stall", "stall_later", "time_out"]
    calls = [(name, "{}", turn) for turn, name in enumerate([*names, *names])]
    calls += [("look", '{"word":"nothing"}', 50)]
    for number, (name, args, turn) in enumerate(calls):
        ours, theirs = (
            await line.call(name, args, f"c{number}", turn),
            await plain.direct(name, args, f"c{number}", turn),
        )
        assert read(ours) == read(theirs)
        if not read(ours)["ok"]:
            assert read(ours)["error"]["partialSideEffects"] is False
    assert numbers(lined) == numbers(plain)
    summaries = [office.meter.session((BUSINESS, "s1")) for office in (lined, plain)]
    assert summaries[0].calls == summaries[1].calls == len(calls)
    assert summaries[0].turns == summaries[1].turns


async def test_what_was_done_forgets_the_answers_for_a_line_as_well(office):
    """After it a source is asked once, and what it says is known again."""
    calls = [("look", "{}"), ("act", '{"what":"x"}'), ("look", "{}"), ("look", "{}")]
    _, answers = await ways(office, *calls)
    assert [read(answer)["meta"].get("reused") for answer in answers] == [None, None, None, True]


async def test_a_line_whose_session_was_forgotten_begins_anew_where_others_look(office):
    """What it does then is in the ledger: a delivery that comes again is answered again."""
    office.ledger._most = 1
    line = office.line()
    await line.call("note", '{"text":"a"}', "c1", 1)
    await office.line(session_id="s2").call("note", "{}", "c0", 0)
    first = await line.call("note", '{"text":"b"}', "c2", 2)
    again = await line.call("note", '{"text":"b"}', "c2", 2)
    assert read(again)["meta"] == read(first)["meta"] | {"replayed": True}
    assert office.ledger.session((BUSINESS, "s1")).fields("c2")["state"] == "finished"


async def test_calls_after_a_conversations_end_are_another_conversations(office):
    """The meter shows what it had by then; what comes much later counts anew."""
    key, line = (BUSINESS, "s1"), office.line()
    await line.call("note", '{"text":"a"}', "c1", 1)
    before = office.meter.session_closed(key).calls
    office.clock.wait(90)
    await line.call("note", '{"text":"b"}', "c2", 2)
    await line.call("note", '{"text":"c"}', "c3", 3)
    assert (before, office.meter.session(key).calls) == (2, 2)

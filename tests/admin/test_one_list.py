"""One list says what is a failure, whoever counts; and what owners try out is counted by nobody."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from switchboard.admin.api.paging import Page
from switchboard.admin.businesses.daily_stats import DailyStats
from switchboard.admin.businesses.stats import BusinessStats, tool_figures
from switchboard.admin.conversations.records import InteractionFilter, InteractionRecords, has_failed
from switchboard.admin.conversations.session_records import SessionRecords
from switchboard.admin.health.health import HealthService
from switchboard.admin.health.questions import UnansweredQuestions, question_kind
from switchboard.catalog.definitions.registry import Registry
from switchboard.catalog.offer.inclusion import ALL_CLOSED
from switchboard.contract.context import CallContext
from switchboard.contract.error import TELLS, ErrorType, Refused, ToolError
from switchboard.contract.response import Result, ToolResponse
from switchboard.contract.store import Query, Set
from switchboard.conversation.record.record import tool_entry
from switchboard.state.memory.store import MemoryStore
from tests.admin.conversations.test_converse import ASKED, CHANNELS, SESSION, held, owner
from tests.admin.office import numbers_of
from tests.admin.owners_office import OWN
from tests.admin.whole_house import BUSINESS as OWN_PATH
from tests.admin.whole_house import WITHIN as OWN_WITHIN
from tests.admin.whole_house import Owner
from tests.desk.front_desk import StoppedClock
from tests.each import each
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

__all__ = ["owner"]

WITHIN = PATHS.within(BUSINESS)
E = ErrorType
# As an owner would say it, and as the code has to: nothing here is worked out from the code's own list.
NO_FAILURES = {
    *(E.VALIDATION, E.NOT_FOUND, E.MODE_RESTRICTED, E.BUDGET_EXCEEDED, E.CONFIRMATION_REQUIRED),
    *(E.LOOP_DETECTED, E.SESSION_INACTIVE, E.CONFLICT),
}
FAILURES = {E.INTERNAL, E.TRANSIENT, E.PERMANENT, E.AUTH}
WAYS = ("known", "refused", "unknown")
TIMES = 3


async def say_no(ctx: CallContext, desk: Any, *, type: str, way: str, n: int) -> Result:
    """Say no in one of the ways there are."""
    if way == "refused":
        raise Refused(ErrorType(type), "no")
    raise ToolError(ErrorType(type), "no", partial_side_effects=way == "unknown")


def cases() -> Iterator[tuple[ErrorType, str, bool]]:
    """Yield every type in every way with whether that is a failure."""
    for type in ErrorType:
        for way in WAYS:
            is_failure = way == "unknown" or type in FAILURES or (type is E.RATE_LIMIT and way != "refused")
            yield type, way, is_failure


def test_every_type_is_judged():
    """A type that is added must be decided about."""
    assert set(TELLS) == set(ErrorType) == NO_FAILURES | FAILURES | {E.RATE_LIMIT}


async def told_by_everybody(type: ErrorType, way: str) -> dict[str, Any]:
    """Have one call in three turns of a conversation say no, and return how many failures each counter tells of."""
    text = {"type": "string"}
    tool = planted._tool(say_no, "action", {"type": text, "way": text, "n": {"type": "integer"}}, repeatable=True)
    store, clock = MemoryStore(), StoppedClock()
    await store.commit([Set(WITHIN.business, {"name": "Salon"})])
    office = Instance(store, clock, Registry("1.0.0", {tool.name: tool}))
    entries = []
    for n in range(TIMES):
        response = await office.call("say_no", {"type": type.value, "way": way, "n": n}, turn=n + 1)
        assert response.failure is not None and response.failure.type is type
        entries.append(tool_entry(str(n), "say_no", n + 1, clock.now(), 1.0, response))
    record = {"channel": "phone", "outcome": "answered", "startedAt": clock.now(), "tools": entries}
    await store.commit([Set(WITHIN.document("interactions", "s1"), record)])
    health = await HealthService(store, PATHS, office.catalog, clock, lambda _: ALL_CLOSED, numbers_of(store)).of(
        BUSINESS
    )
    (day,) = (await DailyStats(store, PATHS, clock).of(BUSINESS, 1)).days
    summary = await BusinessStats(store, PATHS).summary(BUSINESS, InteractionFilter())
    (line,) = (await InteractionRecords(store, PATHS).listed(BUSINESS, InteractionFilter(), Page())).page.items
    rows = (await SessionRecords(store, PATHS).calls(BUSINESS, "s1", Page())).items
    snapshot, text_of = office.meter.snapshot(), office.meter.prometheus()
    exposed = [row for row in text_of.splitlines() if row.startswith("tool_call_failures_total{")]
    found = {finding.what for finding in health.findings}
    return {
        "Overview, by day": day["failedCalls"],
        "Overview, by tool": summary["tools"][0]["failed"],
        "Calls, in the list": len(line["failedTools"]),
        "Calls, of one": sum(row["isFailure"] for row in rows),
        "Health, counted": health.calls["failed"] + health.calls["unknown"],
        "Health, found": TIMES if found & {"tool_failing", "outcome_unknown"} else 0,
        "Health, a limit": TIMES if "quota_spent" in found else 0,
        "/metrics, JSON": sum(sum(errors.values()) for errors in snapshot["failures"].values()),
        "/metrics, text": sum(int(float(row.rpartition(" ")[2])) for row in exposed),
    }


@pytest.mark.requirement("000-354")
@each(("type", "way", "is_failure"), cases())
async def test_whoever_counts_failures_counts_the_same(type, way, is_failure):
    """A yes that is waited for, "verify first", a time that is taken, a budget that is used up are answers."""
    told = await told_by_everybody(type, way)
    # A vendor's limit is told as what it is; one of the house's is no failure, and told all the same.
    limit = told.pop("Health, a limit")
    assert limit == (TIMES if type is E.RATE_LIMIT and way != "unknown" else 0)
    if limit:
        told.pop("Health, found")
    assert told == dict.fromkeys(told, TIMES if is_failure else 0)


@each(
    ("row", "expected"),
    [
        ({"ok": True}, False),
        ({}, False),
        # As they were written before: without what tells a refusal or an unknown outcome.
        ({"ok": False, "error": "CONFIRMATION_REQUIRED"}, False),
        ({"ok": False, "error": "TRANSIENT"}, True),
        ({"ok": False, "error": "RATE_LIMIT"}, True),
        ({"ok": False, "error": "RATE_LIMIT", "refused": True}, False),
        ({"ok": False, "error": "CONFLICT", "unknown": True}, True),
        ({"ok": False}, True),
        ({"ok": False, "error": "A_TYPE_OF_LATER"}, True),
    ],
)
def test_records_of_before_are_judged_by_the_same_list(row, expected):
    """What nobody can read is not taken for an answer."""
    assert has_failed(row) is expected
    assert tool_figures([{"name": "x", **row}])[0]["failed"] == expected


async def test_refusals_do_not_hide_the_failures_of_a_day():
    """A hundred refusals are no reason to see none of the failures before them."""
    store, clock = MemoryStore(), StoppedClock()
    await store.commit([Set(WITHIN.business, {"name": "Salon"})])
    office = Instance(store, clock)
    for n in range(3):
        await office.call("decline", {"type": "PERMANENT"}, session_id=f"s{n}")
    clock.wait(60)
    for n in range(120):
        await office.call("look_in_portal", {"word": "x"}, session_id=f"r{n}")
    health = await HealthService(store, PATHS, office.catalog, clock, lambda _: ALL_CLOSED, numbers_of(store)).of(
        BUSINESS
    )
    failing = [(f.subject, f.count) for f in health.findings if f.what == "tool_failing"]
    assert failing == [("decline", 3)]


async def counted_anywhere(owner: Owner) -> dict[str, Any]:
    """Return every number that a trial could have moved."""
    house = owner.house
    base = OWN_PATH
    metrics = (await owner.send("GET", f"{base}/metrics")).json()
    days = (await owner.send("GET", f"{base}/days?days=1")).json()["days"]
    health = (await owner.send("GET", f"{base}/health")).json()
    listed = (await owner.send("GET", f"{base}/interactions")).json()["interactions"]
    counts = (await owner.send("GET", f"{base}/counts")).json()
    await house.admin_app.questions.collect(OWN)
    questions = await house.store.query(Query(OWN_WITHIN.collection("questions")))
    snapshot = house.meter.snapshot()
    return {
        "metrics": metrics,
        "days": days,
        "health": (health["calls"], health["findings"]),
        "calls": listed,
        "counts": counts,
        "questions": [one.data.get("question") for one in questions if "question" in one.data],
        "meter": {name: snapshot[name] for name in ("calls", "failures", "responseSizes", "sessions", "context")},
        "text": [row for row in house.meter.prometheus().splitlines() if row.startswith(("tool_", "sessions_"))],
    }


@pytest.mark.requirement("000-353")
async def test_what_owners_try_out_counts_nowhere(owner: Owner):
    """Conversations, single tools, searches that find nothing: done like any, seen apart, never counted."""
    before = await counted_anywhere(owner)
    for n, channel in enumerate(CHANNELS):
        await held(owner, ASKED, channel=channel, sessionId=f"{SESSION}{n}")
        for args in ({"query": "zeppelin rides"}, {}):
            body = {"name": "search_knowledge", "args": args, "channel": channel}
            tried = await owner.send("POST", f"{OWN_PATH}/try", body)
            assert tried.json()["response"]["ok"] is bool(args)
    assert await counted_anywhere(owner) == before
    trials = (await owner.send("GET", f"{OWN_PATH}/interactions?trials=1")).json()["interactions"]
    assert {trial["channel"] for trial in trials} == set(CHANNELS)
    assert all(trial["isTrial"] and trial["startedAt"] and trial["tools"] == ["search_knowledge"] for trial in trials)
    one = await owner.send("GET", f"{OWN_PATH}/interactions/{trials[0]['id']}/calls")
    assert [(call["tool"], call["isFailure"]) for call in one.json()["calls"]] == [("search_knowledge", False)]
    assert one.json()["calls"][0]["finishedAt"] is not None


async def test_a_trial_that_is_carried_out_later_is_one_still():
    """A queued call is taken up from its ledger row."""
    store, clock = MemoryStore(), StoppedClock()
    await store.commit([Set(WITHIN.business, {"name": "Salon"})])
    office = Instance(store, clock)
    await office.call("act_later", {"what": "tea"}, call_id="c1", is_trial=True)
    assert await office.dispatcher.carry_out_queued(None) == 1
    row = await office.ledger("c1")
    assert row["state"] == "finished" and "finishedAt" not in row and row["triedAt"]
    assert office.meter.snapshot()["calls"] == {}


async def test_what_was_tried_before_is_no_question_of_callers():
    """Rows of earlier versions tell a trial by the id of its session alone."""
    store, clock = MemoryStore(), StoppedClock()
    response = ToolResponse(data={"results": []}).to_json()
    for session in ("try_0123456789abcdef", "trial_0123", "s1"):
        row = {"businessId": BUSINESS, "tool": "search_knowledge", "sessionId": session, "finishedAt": clock.now()}
        row |= {"arguments": '{"query": "dogs"}', "response": json.dumps(response), "channel": "phone"}
        await store.commit([Set(WITHIN.call(session, "c1"), row)])
    assert await UnansweredQuestions(store, PATHS, clock, None, question_kind()).collect(BUSINESS) == 1  # type: ignore[arg-type]

"""A revoked authorisation: marked once, and the tools that need it are gone in the next turn (seed 004)."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.business.business import CALENDARS
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.response import Result
from switchboard.contract.revoked import note_revoked
from switchboard.contract.store import Filter, Query, Set, Update
from switchboard.contract.vendors import OUTSIDE_CALENDARS
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.execution.reauthorization import Reauthorisation
from switchboard.pipeline.ledger.ledger import Ledger
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

PATH = PATHS.within(BUSINESS).business
CONNECTED = {"googleCalendar": {"isConnected": True, "calendarId": "primary"}}


@pytest.fixture
async def instance(store: Any, clock: Any) -> Instance:
    """An instance whose business has a connected calendar, and a tool that the calendar refuses."""
    return await opened(store, clock, CONNECTED, "integration:googleCalendar")


async def ask_another(ctx: Any, desk: Any, *, goes_on: bool) -> Result:
    """Be refused by somebody's own calendar, and go on without it or not."""
    if goes_on:
        note_revoked("caldavCalendar")
        return Result({"said": "the others are free"})
    error = ToolError(ErrorType.AUTH, "no")
    error.integration = "caldavCalendar"
    raise ToolError(ErrorType.AUTH, "in other words") from error


async def opened(store: Any, clock: Any, integrations: dict[str, Any], condition: str) -> Instance:
    """Return an instance whose business has connected these, and a tool on the calendar, which that refuses."""
    await store.inner.commit([Set(PATH, {"name": "Salon", "timezone": "UTC", "integrations": integrations})])
    refused = planted._tool(
        planted.decline,
        "action",
        {"type": {"type": "string"}, "partial": {"type": "boolean", "default": False}},
        name="use_calendar",
        category="calendar",
        requires=[condition],
    )
    registry = planted.registry()
    registry.tools["use_calendar"] = refused
    arguments = {"goes_on": {"type": "boolean"}}
    registry.tools["ask_another"] = planted._tool(
        ask_another, "retrieval", arguments, name="ask_another", category="calendar", requires=[condition]
    )
    found = Instance(store, clock, registry)
    reauthorisation = Reauthorisation(store, PATHS, found.catalog.forget)
    found.dispatcher = Dispatcher(
        found.catalog, Ledger(store, PATHS), None, PATHS, clock, found.meter, reauthorisation=reauthorisation
    )
    return found


async def needs_reauth(store: Any) -> bool:
    document = await store.inner.get(PATH)
    return document.data["integrations"]["googleCalendar"].get("needsReauth") is True


@pytest.mark.requirement("001-58", "004-48", "004-49", "004-50")
async def test_an_authorisation_that_is_gone_is_marked_and_its_tools_leave_the_offer(instance, store):
    """The next call of the same caller finds them gone; the answer to this one stays graceful."""
    first = await instance.call("use_calendar", {"type": "AUTH"})
    assert first.failure.type is ErrorType.AUTH
    assert await needs_reauth(store)
    second = await instance.call("use_calendar", {"type": "AUTH"})
    assert second.failure.type is ErrorType.MODE_RESTRICTED
    assert second.meta["condition"] == "integration:googleCalendar"


@pytest.mark.parametrize("calendar", OUTSIDE_CALENDARS)
async def test_whichever_calendar_is_in_use_is_marked_and_takes_its_tools_along(store, clock, calendar):
    """The others, and the built-in one, do not stand in for it."""
    others = {name: {"isConnected": True} for name in CALENDARS if name != calendar}
    integrations = {**others, calendar: {"isConnected": True}, "calendar": calendar}
    instance = await opened(store, clock, integrations, "integration:calendar")
    assert (await instance.call("use_calendar", {"type": "AUTH"})).failure.type is ErrorType.AUTH
    stored = (await store.inner.get(PATH)).data["integrations"]
    assert [name for name in CALENDARS if stored[name].get("needsReauth")] == [calendar]
    second = await instance.call("use_calendar", {"type": "AUTH"})
    assert second.failure.type is ErrorType.MODE_RESTRICTED
    assert second.meta["condition"] == "integration:calendar"


async def test_many_callers_at_once_leave_one_mark(instance, store):
    """One write, however many notice it in the same moment."""
    await instance.call("look")
    before = store.asked["commit"]
    await asyncio.gather(*(instance.call("use_calendar", {"type": "AUTH"}, session_id=f"s{n}") for n in range(20)))
    # Each session is opened in its admission, each call has its settlement, and what was tried at all was noted as
    # begun; what is left is the mark.
    rows = await store.inner.query(Query("calls", filters=(Filter("tool", "==", "use_calendar"),), group=True))
    begun = sum(row.data.get("begunAt") is not None for row in rows)
    assert 5 <= begun <= 20
    assert store.asked["commit"] - before == 20 * 2 + begun + 1
    assert await needs_reauth(store)


@pytest.mark.parametrize("type", ["TRANSIENT", "PERMANENT", "RATE_LIMIT", "CONFLICT"])
async def test_other_failures_leave_the_connection_alone(instance, store, type):
    """Only AUTH says that it must be connected again."""
    await instance.call("use_calendar", {"type": type})
    assert not await needs_reauth(store)


async def test_a_connection_that_was_made_meanwhile_is_not_marked(instance, store, clock):
    """The call began before the owner connected again."""
    path = "integrations.googleCalendar.connectedAt"
    await store.inner.commit([Update(PATH, {path: clock.now() + timedelta(seconds=1)})])
    await instance.call("use_calendar", {"type": "AUTH"})
    assert not await needs_reauth(store)


async def test_a_store_that_does_not_answer_leaves_the_mark_to_the_next_call(instance, store):
    """The answer is given all the same."""
    await instance.call("look")
    store.fail("get")
    assert (await instance.call("use_calendar", {"type": "AUTH"})).failure.type is ErrorType.AUTH
    store.recover()
    assert not await needs_reauth(store)
    await instance.call("use_calendar", {"type": "AUTH"})
    assert await needs_reauth(store)


@pytest.mark.parametrize("own", ["googleCalendar", "builtinCalendar"])
@pytest.mark.parametrize("goes_on", [True, False])
async def test_somebodys_own_calendar_is_blamed_itself_and_the_tools_of_the_house_stay(store, clock, own, goes_on):
    """Also where the call went on without it, as nobody is booked with whom it belongs to."""
    both = {name: {"isConnected": True} for name in (own, "caldavCalendar")}
    instance = await opened(store, clock, {**both, "calendar": own}, "integration:calendar")
    for session in ("s1", "s2"):
        answer = await instance.call("ask_another", {"goes_on": goes_on}, session_id=session)
        assert answer.ok if goes_on else answer.failure.type is ErrorType.AUTH
    stored = (await store.inner.get(PATH)).data["integrations"]
    assert [name for name in both if stored[name].get("needsReauth")] == ["caldavCalendar"]

"""What goes wrong at Google, and what the house makes of it: one table, few second tries, honest about writes."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import httpx2 as httpx
import orjson
import pytest

from switchboard.contract.business.calendar import IdTaken
from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.google_calendar import transport
from switchboard.integrations.google_calendar.failures import FAILURES, OAUTH_FAILURES, refused, token_refused
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.oauth import requests
from switchboard.integrations.retry_budget import RetryBudget
from tests.each import each
from tests.integrations.conftest import SHORT_S
from tests.integrations.google_calendar.premises import DAY, Premises, visit

READ, WRITE = "events.get", "events.insert"


def answer(status: int, reason: str = "", **more: str) -> HttpAnswer:
    body = {
        "error": {"code": status, "message": "m", "errors": [{"domain": "global", "reason": reason, "message": "m"}]}
    }
    return HttpAnswer(status, {}, orjson.dumps(more or body))


async def failing(calendar, method: str) -> ToolError:
    """Return what a read or a write of a calendar raises."""
    with pytest.raises(ToolError) as caught:
        await (calendar.find("bk00001") if method == READ else calendar.insert(visit()))
    return caught.value


@each(
    ("status", "reason", "type"),
    [
        (400, "invalid", "PERMANENT"),
        (400, "timeRangeEmpty", "PERMANENT"),
        (401, "authError", "AUTH"),
        (403, "rateLimitExceeded", "RATE_LIMIT"),
        (403, "userRateLimitExceeded", "RATE_LIMIT"),
        (403, "quotaExceeded", "RATE_LIMIT"),
        (403, "dailyLimitExceeded", "RATE_LIMIT"),
        (403, "insufficientPermissions", "AUTH"),
        (403, "forbidden", "PERMANENT"),
        (403, "forbiddenForNonOrganizer", "PERMANENT"),
        (403, "forbiddenForServiceAccounts", "PERMANENT"),
        (403, "requiredAccessLevel", "PERMANENT"),
        (403, "accessNotConfigured", "PERMANENT"),
        (403, "", "PERMANENT"),
        (404, "notFound", "PERMANENT"),
        (409, "duplicate", "PERMANENT"),
        (410, "fullSyncRequired", "PERMANENT"),
        (412, "conditionNotMet", "PERMANENT"),
        (418, "teapot", "PERMANENT"),
        (301, "", "PERMANENT"),
        (302, "", "PERMANENT"),
        (429, "rateLimitExceeded", "RATE_LIMIT"),
        (500, "backendError", "TRANSIENT"),
        (503, "", "TRANSIENT"),
        (599, "", "TRANSIENT"),
    ],
)
@pytest.mark.requirement("001-59")
def test_every_refusal_has_one_meaning(status, reason, type):
    """By status and reason: a 403 can mean slower, never, or connect again."""
    error = refused(answer(status, reason), is_write=False)
    assert (error.type, error.partial_side_effects) == (ErrorType(type), False)
    assert error.retryable is (type in ("RATE_LIMIT", "TRANSIENT"))
    assert refused(answer(status, reason), is_write=True).partial_side_effects is (type == "TRANSIENT" or status == 302)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"error": "x"}', b'{"error": {"errors": [7]}}'])
def test_a_refusal_in_any_other_shape_is_understood_by_its_status(body):
    """Proxies on the way answer in their own words."""
    assert refused(HttpAnswer(503, {}, body), is_write=False).type is ErrorType.TRANSIENT
    assert refused(HttpAnswer(403, {}, body), is_write=False).type is ErrorType.PERMANENT


@each(
    ("status", "error", "type"),
    [
        (400, "invalid_grant", "AUTH"),
        (401, "invalid_client", "PERMANENT"),
        (400, "unauthorized_client", "PERMANENT"),
        (400, "something_new", "PERMANENT"),
        (400, "temporarily_unavailable", "TRANSIENT"),
        (500, "invalid_grant", "TRANSIENT"),
        (503, "", "TRANSIENT"),
        (429, "", "TRANSIENT"),
        (401, {"code": 401, "status": "UNAUTHENTICATED"}, "PERMANENT"),
        (400, ["invalid_grant"], "PERMANENT"),
        (400, None, "PERMANENT"),
    ],
)
def test_only_a_lost_permission_asks_the_owner_to_connect_again(status, error, type):
    """Neither a failing server nor our own mistake ever flags a business's connection."""
    found = token_refused(answer(status, error=error))
    assert found.type is ErrorType(type)
    # Of an entry it says nothing: whoever waits for the calendar goes on waiting.
    assert (found.meta.get("reason") == "not_asked") is (type == "PERMANENT")


def test_the_table_speaks_only_of_what_google_can_answer():
    """Every type in it is one that the port promises."""
    promised = {ErrorType.AUTH, ErrorType.RATE_LIMIT, ErrorType.TRANSIENT, ErrorType.PERMANENT}
    assert set(FAILURES.values()) | set(OAUTH_FAILURES.values()) == promised


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked again is asked at once."""
    monkeypatch.setattr(requests, "PAUSE_S", (0.0, 0.0))


@pytest.mark.parametrize("method", [READ, WRITE])
@pytest.mark.parametrize("mode", ["403-rate", "429"])
async def test_a_limit_that_is_soon_over_is_waited_out_once(premises: Premises, method: str, mode: str):
    """It was not carried out, so that a write may be sent again too."""
    calendar = await premises.calendar()
    premises.fail(method, mode)
    await (calendar.find("never") if method == READ else calendar.insert(visit()))
    assert [line["fault"] for line in premises.asked(method)] == [mode, None]


async def test_a_limit_that_lasts_is_not_waited_out(premises: Premises):
    """No call can wait for tomorrow."""
    calendar = await premises.calendar()
    premises.fail(READ, "403-quota", None)
    assert (await failing(calendar, READ)).type is ErrorType.RATE_LIMIT
    assert len(premises.asked(READ)) == 1


async def test_a_second_refusal_is_the_last(premises: Premises):
    """Two requests, then the caller is told."""
    calendar = await premises.calendar()
    premises.fail(READ, "429", None)
    assert (await failing(calendar, READ)).type is ErrorType.RATE_LIMIT
    assert len(premises.asked(READ)) == 2


async def test_without_time_for_it_there_is_no_second_try(premises: Premises, monkeypatch: pytest.MonkeyPatch):
    """A pause that outlasts the caller's patience helps nobody."""
    calendar = await premises.calendar()
    await calendar.find("never")
    premises.fail(READ, "429", None)
    # A minute to answer in, and an hour's pause before it is asked again.
    monkeypatch.setattr(requests, "PAUSE_S", (3_600.0, 3_600.0))
    with ending_in(60.0):
        assert (await failing(calendar, READ)).type is ErrorType.RATE_LIMIT
    assert len(premises.asked(READ)) == 2  # the first was before


async def test_a_failing_server_is_asked_again_for_a_read_only(premises: Premises):
    """A write that it may have carried out is left to whoever can look."""
    calendar = await premises.calendar()
    premises.fail(READ, "500", None)
    premises.fail(WRITE, "500", None)
    write, read = await failing(calendar, WRITE), await failing(calendar, READ)
    assert (read.type, read.partial_side_effects) == (ErrorType.TRANSIENT, False)
    assert (write.type, write.partial_side_effects) == (ErrorType.TRANSIENT, True)
    assert (len(premises.asked(READ)), len(premises.asked(WRITE))) == (2, 1)


async def test_an_entry_that_was_made_without_an_answer_is_not_made_again(premises: Premises):
    """The connection breaks after the insert: nobody knows, so the caller looks, and finds it there once."""
    calendar = await premises.calendar()
    premises.fail(WRITE, "accept-then-drop")
    error = await failing(calendar, WRITE)
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, True)
    assert len(premises.asked(WRITE)) == 1
    found = await calendar.find("bk00001")
    assert found is not None and found.booking_id == "bk_1"
    with pytest.raises(IdTaken):
        await calendar.insert(visit())


async def test_a_read_whose_connection_breaks_is_made_again(premises: Premises):
    """Reading twice is harmless."""
    calendar = await premises.calendar()
    await calendar.insert(visit())
    premises.fail(READ, "accept-then-drop")
    assert await calendar.find("bk00001") is not None


@pytest.mark.parametrize(("method", "is_partial"), [(READ, False), (WRITE, True)])
async def test_a_hanging_google_costs_no_more_than_the_calls_own_time(
    premises: Premises, method: str, is_partial: bool
):
    """And a write that was on its way may have been made."""
    calendar = await premises.calendar()
    await calendar.find("never")
    premises.fail(method, "slow", None, seconds=600)
    before = len(premises.asked(method))
    for seconds in SHORT_S:
        with ending_in(seconds):
            error = await failing(calendar, method)
        if premises.asked(method)[before:]:
            break
    assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, is_partial)


async def test_a_google_that_cannot_be_reached_has_done_nothing(premises: Premises, unused_tcp_port: int):
    """A refused connection is no unknown outcome, for a write either."""
    calendar = await premises.calendar()
    await calendar.find("never")
    elsewhere = transport.GoogleTransport(
        premises.http,
        f"http://127.0.0.1:{unused_tcp_port}/calendar/v3/",
        calendar.transport._requests._tokens,
        premises.clock,
    )
    error = await failing(replace(calendar, transport=elsewhere), WRITE)
    assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, False)


async def test_an_outage_makes_few_requests_more(premises: Premises):
    """At most one second try in ten requests, whatever happens."""
    calendar = await premises.calendar()
    premises.fail(READ, "500", None)
    for _ in range(40):
        assert (await failing(calendar, READ)).type is ErrorType.TRANSIENT
    assert len(premises.asked(READ)) <= 40 + 1 + 4


def test_second_tries_are_earned():
    """One to begin with, then one for every ten requests, and never a hoard."""
    budget = RetryBudget()
    assert [budget.spend(), budget.spend()] == [True, False]
    for _ in range(10):
        budget.earn()
    assert [budget.spend(), budget.spend()] == [True, False]
    for _ in range(10_000):
        budget.earn()
    assert sum(budget.spend() for _ in range(100)) == 10


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"not json", b'{"items": [{"id": "x"}]}', b'{"items": [7]}'])
async def test_a_success_that_makes_no_sense_is_not_an_empty_calendar(premises: Premises, body: bytes):
    """Its time would be called free."""
    calendar = await premises.calendar(scopes=["https://www.googleapis.com/auth/calendar.events"])

    async def nonsense(*args: object, **more: object) -> HttpAnswer:
        return HttpAnswer(200, {"content-type": "application/json"}, body)

    await calendar.busy(DAY, DAY + timedelta(days=1))
    premises.http.request = nonsense  # type: ignore[method-assign]
    with pytest.raises(ToolError) as caught:
        await calendar.busy(DAY, DAY + timedelta(days=1))
    assert caught.value.type is ErrorType.TRANSIENT


async def test_faults_can_be_set_over_http_too(premises: Premises):
    """As somebody who tries things out does."""
    async with httpx.AsyncClient(base_url=premises.url, verify=False) as client:
        set_ = await client.post("/_stand_in/faults", json={"method": READ, "mode": "403-quota", "times": 1})
        assert set_.status_code == 200
        assert (await client.post("/_stand_in/faults", json={"mode": "sideways"})).status_code == 400
        error = await failing(await premises.calendar(), READ)
        assert error.type is ErrorType.RATE_LIMIT
        journal = (await client.get("/_stand_in/requests")).json()
        assert [line["method"] for line in journal] == ["token", READ]
        assert (await client.get("/_stand_in/events")).json()["owner@example.com"] == []


async def test_google_is_told_apart_per_business(premises: Premises):
    """One request of a business lets another's pass."""
    calendar = await premises.calendar()
    await calendar.find("never")
    premises.fail(READ, "slow", 1, seconds=600)
    other = replace(calendar, connection=replace(calendar.connection, generation="other"))
    slow = asyncio.create_task(calendar.find("never"))
    while not premises.asked(READ)[1:]:
        await asyncio.sleep(0.005)
    await other.find("never")
    assert not slow.done()
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow

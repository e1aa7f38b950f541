"""What goes wrong at Microsoft, and what the house makes of it: one table, few second tries, honest about writes."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import orjson
import pytest

from switchboard.contract.business.calendar import IdTaken
from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.microsoft_calendar.calendar import MicrosoftCalendar
from switchboard.integrations.microsoft_calendar.failures import FAILURES, OAUTH_FAILURES, refused, token_refused
from switchboard.integrations.oauth import requests
from tests.each import each
from tests.integrations.conftest import SHORT_S
from tests.integrations.microsoft_calendar.premises import DAY, Premises, visit

READ, WRITE = "events.list", "events.create"
# Graph's documentation, "Microsoft Graph error responses": every status that it lists.
LISTED = (
    *(400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 412, 413, 415, 416, 422, 423, 429),
    *(500, 501, 503, 504, 507, 509),
)


def answer(status: int, code: str = "", **more: Any) -> HttpAnswer:
    return HttpAnswer(status, {}, orjson.dumps(more or {"error": {"code": code, "message": "m", "innerError": {}}}))


async def failing(calendar: MicrosoftCalendar, method: str) -> ToolError:
    """Return what a read or a write of a calendar raises."""
    with pytest.raises(ToolError) as caught:
        await (calendar.find("bk00001") if method == READ else calendar.insert(visit()))
    return caught.value


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked again is asked at once."""
    monkeypatch.setattr(requests, "PAUSE_S", (0.0, 0.0))


@each(
    ("status", "code", "type"),
    [
        (400, "ErrorInvalidRequest", "PERMANENT"),
        (401, "InvalidAuthenticationToken", "AUTH"),
        (403, "ErrorAccessDenied", "PERMANENT"),
        (404, "ErrorItemNotFound", "PERMANENT"),
        (404, "MailboxNotEnabledForRESTAPI", "PERMANENT"),
        (409, "ErrorDuplicateTransactionId", "PERMANENT"),
        (412, "ErrorIrresolvableConflict", "PERMANENT"),
        (418, "teapot", "PERMANENT"),
        (301, "", "PERMANENT"),
        (302, "", "PERMANENT"),
        (423, "locked", "TRANSIENT"),
        (429, "ApplicationThrottled", "RATE_LIMIT"),
        (500, "ErrorInternalServerError", "TRANSIENT"),
        (501, "notSupported", "PERMANENT"),
        (503, "ServiceUnavailable", "TRANSIENT"),
        (507, "ErrorQuotaExceeded", "PERMANENT"),
        (509, "", "RATE_LIMIT"),
        (599, "", "TRANSIENT"),
    ],
)
def test_every_refusal_has_one_meaning(status, code, type):
    """And a write that met trouble at the server may have been made."""
    error = refused(answer(status, code), is_write=False)
    assert (error.type, error.partial_side_effects) == (ErrorType(type), False)
    assert refused(answer(status, code), is_write=True).partial_side_effects is (type == "TRANSIENT" or status == 302)


def test_the_table_speaks_of_every_status_that_graph_lists():
    """Each in a type that the port promises."""
    promised = {ErrorType.AUTH, ErrorType.RATE_LIMIT, ErrorType.TRANSIENT, ErrorType.PERMANENT}
    assert {status for status, _ in FAILURES} >= set(LISTED)
    assert set(FAILURES.values()) | set(OAUTH_FAILURES.values()) == promised


@each("body", [b"", b"<html>", b"[]", b'{"error": "x"}', b'{"error": {"code": 7}}'])
def test_a_refusal_in_any_other_shape_is_understood_by_its_status(body):
    """Proxies on the way answer in their own words."""
    assert refused(HttpAnswer(503, {}, body), is_write=False).type is ErrorType.TRANSIENT
    assert token_refused(HttpAnswer(400, {}, body)).type is ErrorType.PERMANENT


@each(
    ("status", "error", "numbers", "type"),
    [
        (400, "invalid_grant", [70008], "AUTH"),
        (400, "invalid_grant", [65001], "AUTH"),
        (400, "interaction_required", [50076], "AUTH"),
        (400, "unauthorized_client", [7000112], "AUTH"),
        (400, "unauthorized_client", [700016], "PERMANENT"),
        (401, "invalid_client", [7000215], "PERMANENT"),
        (400, "invalid_client", "7000112", "PERMANENT"),
        (400, "something_new", [], "PERMANENT"),
        (400, "temporarily_unavailable", [], "TRANSIENT"),
        (500, "invalid_grant", [70008], "TRANSIENT"),
        (429, "invalid_grant", [], "TRANSIENT"),
        (400, ["invalid_grant"], None, "PERMANENT"),
    ],
)
def test_only_a_lost_permission_asks_the_owner_to_connect_again(status, error, numbers, type):
    """Also one that the owner's organisation took; neither a failing server nor our own mistake."""
    found = token_refused(answer(status, error=error, error_codes=numbers))
    assert found.type is ErrorType(type)
    assert (found.meta.get("reason") == "not_asked") is (type == "PERMANENT")


@pytest.mark.parametrize("method", [READ, WRITE])
async def test_a_limit_that_is_soon_over_is_waited_out_once(premises: Premises, method: str):
    """It was not carried out, so that a write may be sent again too."""
    calendar = await premises.calendar()
    premises.fail(method, "429", seconds=0.01)
    await (calendar.find("never") if method == READ else calendar.insert(visit()))
    assert [line["fault"] for line in premises.asked(method)][:2] == ["429", None]


@pytest.mark.requirement("004-563")
async def test_for_as_long_as_microsoft_wants_to_be_left_alone_it_is(premises: Premises):
    """Every request before then is refused here and lengthens nothing; other businesses are asked for."""
    calendar = await premises.calendar()
    premises.fail(READ, "429", 1, seconds=120)
    for _ in range(3):
        error = await failing(calendar, READ)
        assert (error.type, error.partial_side_effects) == (ErrorType.RATE_LIMIT, False)
    assert (await failing(calendar, WRITE)).type is ErrorType.RATE_LIMIT
    assert len(premises.asked(READ, WRITE)) == 1
    premises.clock.wait(110)
    assert (await failing(calendar, READ)).type is ErrorType.RATE_LIMIT
    premises.clock.wait(9.9)
    # What is left can be waited for.
    assert await calendar.find("bk00001") is None
    premises.clock.wait(2)
    assert await calendar.find("bk00001") is None


async def test_a_service_that_is_away_for_a_while_is_left_alone_too(premises: Premises):
    """503 says Retry-After as well."""
    calendar = await premises.calendar()
    premises.fail(READ, "503", 1, seconds=60)
    assert (await failing(calendar, READ)).type is ErrorType.TRANSIENT
    assert (await failing(calendar, READ)).type is ErrorType.RATE_LIMIT
    assert len(premises.asked(READ)) == 1


@each("seconds", ["x", "-5", "nan", "inf", "Wed, 21 Oct 2015 07:28:00 GMT", "9" * 10])
def test_nobody_is_kept_out_by_a_retry_after_that_makes_no_sense(seconds):
    """Ten minutes are the most."""
    told = requests._retry_after(HttpAnswer(429, {"Retry-After": seconds}, b""))
    assert told == (requests.LONGEST_PAUSE_S if seconds == "9" * 10 else 0.0)


def test_a_retry_after_may_be_a_date():
    """As at the other vendors: whoever asks before then only lengthens it."""
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 80 < requests._retry_after(HttpAnswer(503, {"Retry-After": soon}, b"")) <= 90


async def test_a_failing_server_is_asked_again_for_a_read_only(premises: Premises):
    """A write that it may have carried out is left to whoever can look."""
    calendar = await premises.calendar()
    premises.fail(WRITE, "500", None)
    write = await failing(calendar, WRITE)
    premises.fail(READ, "500", None)
    read = await failing(calendar, READ)
    assert (read.type, read.partial_side_effects) == (ErrorType.TRANSIENT, False)
    assert (write.type, write.partial_side_effects) == (ErrorType.TRANSIENT, True)
    assert len(premises.asked(WRITE)) == 1


@pytest.mark.requirement("004-560")
async def test_an_entry_that_was_made_without_an_answer_is_found_again(premises: Premises):
    """The connection breaks after the creation: nobody knows, so the caller looks, and finds it there once."""
    calendar = await premises.calendar()
    premises.fail(WRITE, "accept-then-drop")
    error = await failing(calendar, WRITE)
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, True)
    found = await calendar.find("bk00001")
    assert found is not None and found.booking_id == "bk_1"
    with pytest.raises(IdTaken):
        await calendar.insert(visit())
    assert len(premises.kept()) == 1


async def test_an_entry_that_cannot_be_looked_at_after_it_was_made_is_no_certain_one(premises: Premises):
    """It stands there; whether it alone stands there is not known."""
    calendar = await premises.calendar()
    await calendar.find("never")
    create = premises.microsoft.folder().create

    def then_away(body: dict[str, Any], **more: Any) -> dict[str, Any]:
        premises.fail(READ, "500", None)
        return create(body, **more)

    premises.microsoft.folder().create = then_away  # type: ignore[method-assign]
    error = await failing(calendar, WRITE)
    assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, True)
    premises.microsoft.faults.waiting.clear()
    found = await calendar.find("bk00001")
    assert found is not None and found.booking_id == "bk_1"


async def test_a_move_without_an_answer_is_not_made_again(premises: Premises):
    """Whoever wanted it looks."""
    calendar = await premises.calendar()
    kept = await calendar.insert(visit())
    premises.fail("events.update", "accept-then-drop")
    with pytest.raises(ToolError) as caught:
        await calendar.move(kept.id, DAY.replace(hour=14), DAY.replace(hour=15), kept.version)
    assert caught.value.partial_side_effects
    assert len(premises.asked("events.update")) == 1
    found = await calendar.find(kept.id)
    assert found is not None and found.start == DAY.replace(hour=14)


@pytest.mark.parametrize(("method", "is_partial"), [(READ, False), (WRITE, True)])
async def test_a_hanging_microsoft_costs_no_more_than_the_calls_own_time(
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


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"not json", b'{"value": [{"id": "x"}]}', b'{"value": [7]}'])
async def test_a_success_that_makes_no_sense_is_not_an_empty_calendar(premises: Premises, body: bytes):
    """Its time would be called free."""
    calendar = await premises.calendar()
    await calendar.find("never")

    async def nonsense(*args: object, **more: object) -> HttpAnswer:
        return HttpAnswer(200, {"content-type": "application/json"}, body)

    premises.http.request = nonsense  # type: ignore[method-assign]
    with pytest.raises(ToolError) as caught:
        await calendar.busy(DAY, DAY.replace(hour=23))
    assert caught.value.type is ErrorType.TRANSIENT

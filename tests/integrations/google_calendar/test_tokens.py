"""Access tokens: fetched once for everybody, replaced once, and a lost permission that is learned of once."""

import asyncio
from typing import Any

import pytest

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Unavailable
from switchboard.integrations.google_calendar.calendars import GoogleCalendars
from switchboard.integrations.google_calendar.endpoints import TOOLKIT, GoogleEndpoints
from switchboard.integrations.oauth.server import REFRESH_TOKEN
from tests.integrations.google_calendar.premises import SALON, Premises

CALLERS = 20


async def types_of(*calls: Any) -> list[Any]:
    """Return the type of each call's failure, or None where it succeeded."""
    ended = await asyncio.gather(*calls, return_exceptions=True)
    return [error.type if isinstance(error, ToolError) else error for error in ended]


@pytest.mark.requirement("001-57")
async def test_one_token_serves_everybody_until_shortly_before_its_end(premises: Premises):
    """Twenty callers cost one refresh; the next is due five minutes before Google says so."""
    calendar = await premises.calendar()
    await asyncio.gather(*(calendar.find("never") for _ in range(CALLERS)))
    premises.clock.wait(3_599 - 301)
    await calendar.find("never")
    assert len(premises.asked("token")) == 1
    premises.clock.wait(2)
    await calendar.find("never")
    assert len(premises.asked("token")) == 2
    assert all(line["hasBearer"] for line in premises.asked("events.get"))


@pytest.mark.parametrize("is_warm", [False, True])
async def test_a_permission_that_was_taken_back_is_learned_of_once(premises: Premises, is_warm: bool):
    """However many callers come at once: one refused request, one refused refresh, and everybody is told."""
    calendar = await premises.calendar()
    if is_warm:
        await calendar.find("never")
    premises.google.consents.revoke_all()
    premises.google.faults.journal.clear()
    for _ in range(2):
        assert await types_of(*(calendar.find("never") for _ in range(CALLERS))) == [ErrorType.AUTH] * CALLERS
    assert len(premises.asked()) <= 2


async def test_a_new_permission_is_tried_although_the_old_one_was_lost(premises: Premises):
    """Connecting again brings another refresh token."""
    calendar = await premises.calendar()
    premises.google.consents.revoke_all()
    assert await types_of(calendar.find("never")) == [ErrorType.AUTH]
    calendar = await premises.calendar()
    assert await calendar.find("never") is None


async def test_a_refused_token_is_replaced_once(premises: Premises):
    """The caller does not notice."""
    calendar = await premises.calendar()
    await calendar.find("never")
    premises.fail("events.get", "401")
    assert await calendar.find("never") is None
    assert [line["method"] for line in premises.asked()] == ["token", "events.get", "events.get", "token", "events.get"]


async def test_a_google_that_refuses_fresh_tokens_is_not_asked_for_more(premises: Premises):
    """401 twice is AUTH, and stays it."""
    calendar = await premises.calendar()
    premises.fail("events.get", "401", None)
    assert await types_of(calendar.find("never")) == [ErrorType.AUTH]
    asked = len(premises.asked())
    assert await types_of(*(calendar.find("never") for _ in range(CALLERS))) == [ErrorType.AUTH] * CALLERS
    assert (asked, len(premises.asked())) == (4, 4)


@pytest.mark.requirement("001-58")
async def test_without_a_permission_nothing_is_asked(premises: Premises):
    """AUTH: the owner has to connect."""
    calendar = await premises.calendar()
    await premises.secrets.forget(SALON, TOOLKIT)
    assert await types_of(calendar.find("never")) == [ErrorType.AUTH]
    assert premises.asked() == []


@pytest.mark.parametrize("mode", ["500", "429", "slow"])
async def test_a_token_endpoint_in_trouble_never_costs_a_business_its_connection(premises: Premises, mode: str):
    """TRANSIENT, and the next call finds it well."""
    calendar = await premises.calendar()
    premises.fail("token", mode, 1, seconds=1)
    with ending_in(0.1):
        assert await types_of(calendar.find("never")) == [ErrorType.TRANSIENT]
    while any(not task.done() for task in calendar.transport._requests._tokens._flights.values()):
        await asyncio.sleep(0.01)
    assert await calendar.find("never") is None


async def test_the_hurry_of_the_first_caller_does_not_fail_the_second(premises: Premises):
    """The token is fetched under nobody's deadline; who has time gets it."""
    calendar = await premises.calendar()
    premises.fail("token", "slow", 1, seconds=0.8)

    async def hurried() -> None:
        with ending_in(0.05):
            await calendar.find("never")

    first = asyncio.create_task(hurried())
    await asyncio.sleep(0)
    assert await types_of(first, calendar.find("never")) == [ErrorType.TRANSIENT, None]
    assert len(premises.asked("token")) == 1


async def test_secrets_that_cannot_be_read_now_are_no_lost_permission(premises: Premises, monkeypatch):
    """An outage of the store is TRANSIENT here as well."""
    calendar = await premises.calendar()

    async def away(*_: object) -> None:
        raise Unavailable("away")

    monkeypatch.setattr(premises.store, "get_many", away)
    assert await types_of(calendar.find("never")) == [ErrorType.TRANSIENT]


async def test_a_later_connection_does_not_use_the_tokens_of_the_earlier(premises: Premises):
    """It may be to another account."""
    await (await premises.calendar(connectedAt="monday")).find("never")
    await (await premises.calendar(connectedAt="tuesday")).find("never")
    assert len(premises.asked("token")) == 2


async def test_no_token_shows_in_what_can_be_printed(premises: Premises, caplog: pytest.LogCaptureFixture):
    """Neither in records nor in errors nor in the log, at any level, whatever fails."""
    caplog.set_level(0)
    canary = await premises.secrets.reveal(SALON, TOOLKIT, REFRESH_TOKEN)
    assert canary is None
    calendar = await premises.calendar()
    refresh = str(await premises.secrets.reveal(SALON, TOOLKIT, REFRESH_TOKEN))
    await calendar.find("never")
    access = await calendar.transport._requests._tokens.current(calendar.connection)
    grant = await premises.oauth.refresh(refresh)
    printed = [repr(thing) for thing in (calendar, access, grant, premises.oauth.client, vars(calendar.transport))]
    for mode in ("401", "500", "accept-then-drop", "403-forbidden"):
        premises.fail("events.insert", mode)
        premises.fail("token", "500")
        with pytest.raises(ToolError) as caught:
            await calendar.transport.send(
                calendar.connection,
                lambda library: library.events().insert(calendarId="primary", body={"start": {}, "end": {}}),
                is_write=True,
            )
        printed += [repr(caught.value), str(vars(caught.value))]
    everything = "\n".join([*printed, caplog.text, *(str(vars(record)) for record in caplog.records)])
    for secret in (refresh, access.text, grant.access_token, premises.oauth.client.secret):
        assert secret not in everything


async def calendar_of(premises: Premises, integrations: dict[str, Any]) -> Any:
    """Return what a business with these integrations has as its outside calendar, or the type of the failure."""
    business: Business = read_business(SALON, {"timezone": "Europe/Berlin", "integrations": integrations})
    try:
        return await premises.calendars.of(business)
    except ToolError as error:
        return error.type


async def test_which_calendar_a_business_has(premises: Premises):
    """Google's if it is connected, or was: the built-in one, said as None, never stands in."""
    google, built_in = {"isConnected": True}, {"builtinCalendar": {"isConnected": True}}
    gone = google | {"needsReauth": True}
    assert await calendar_of(premises, {}) is None
    assert await calendar_of(premises, built_in) is None
    assert await calendar_of(premises, {"googleCalendar": {"isConnected": False}}) is None
    assert await calendar_of(premises, {"googleCalendar": gone}) is ErrorType.AUTH
    assert await calendar_of(premises, {"googleCalendar": gone} | built_in) is ErrorType.AUTH
    assert await calendar_of(premises, {"googleCalendar": google | {"calendarId": 7}}) is ErrorType.PERMANENT
    found = await calendar_of(premises, {"googleCalendar": google} | built_in)
    assert (found.calendar_id, found.zone.key, found.knows_free_busy) == ("primary", "Europe/Berlin", False)


async def test_a_deployment_without_an_oauth_client_says_so(premises: Premises):
    """PERMANENT: no owner can repair it by connecting again."""
    bare = GoogleCalendars(premises.http, GoogleEndpoints.real(), None, premises.secrets, premises.clock)
    await bare.warm()
    with pytest.raises(ToolError) as caught:
        await bare.of(premises.business())
    assert caught.value.type is ErrorType.PERMANENT


async def test_warming_asks_nobody_anything(premises: Premises):
    """It only loads what the first call would wait for."""
    await premises.calendars.warm()
    assert premises.asked() == []

"""Permissions at Microsoft: refresh tokens that each use replaces, and permissions that are lost."""

import asyncio
from typing import Any

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Unavailable
from switchboard.integrations.microsoft_calendar.calendars import MicrosoftCalendars
from switchboard.integrations.microsoft_calendar.endpoints import TOOLKIT, MicrosoftEndpoints
from switchboard.integrations.oauth.server import REFRESH_TOKEN
from tests.integrations.microsoft_calendar.premises import SALON, Premises

CALLERS = 20


async def types_of(*calls: Any) -> list[Any]:
    """Return the type of each call's failure, or None where it succeeded."""
    ended = await asyncio.gather(*calls, return_exceptions=True)
    return [error.type if isinstance(error, ToolError) else error for error in ended]


async def sealed(premises: Premises) -> str | None:
    return await premises.secrets.reveal(SALON, TOOLKIT, REFRESH_TOKEN)


@pytest.mark.requirement("004-562")
async def test_the_refresh_token_that_comes_with_a_token_takes_the_earlier_ones_place(premises: Premises):
    """So that the connection outlives the earlier one, in every instance."""
    calendar = await premises.calendar()
    first = await sealed(premises)
    await calendar.find("never")
    second = await sealed(premises)
    assert second == premises.microsoft.accounts.given[-1] != first
    premises.microsoft.accounts.forget(str(first))
    another = await premises.instance().of(premises.business())
    assert another is not None and await another.find("never") is None


async def test_callers_at_once_cost_one_refresh(premises: Premises):
    """And one refresh token more."""
    calendar = await premises.calendar()
    assert await types_of(*(calendar.find("never") for _ in range(CALLERS))) == [None] * CALLERS
    assert len(premises.asked("token")) == 1
    assert len(premises.microsoft.accounts.given) == 2


async def test_of_two_instances_that_refresh_at_once_both_go_on(premises: Premises):
    """One of the two later tokens is kept; each is good."""
    await premises.calendar()
    found = [await premises.instance().of(premises.business()) for _ in range(4)]
    assert await types_of(*(c.find("never") for c in found if c)) == [None] * 4
    assert await sealed(premises) in premises.microsoft.accounts.given[1:]


async def test_a_later_token_that_cannot_be_sealed_costs_nobody_anything(premises: Premises, monkeypatch):
    """The earlier one is still kept, and still good."""
    calendar = await premises.calendar()
    first = await sealed(premises)

    async def away(*_: object, **__: object) -> bool:
        raise Unavailable("away")

    monkeypatch.setattr(premises.secrets, "replace", away)
    assert await calendar.find("never") is None
    assert await sealed(premises) == first


@pytest.mark.requirement("004-562")
@pytest.mark.parametrize("then", ["forgotten", "connected anew"])
async def test_a_permission_that_was_changed_meanwhile_stays_as_it_was_made(premises: Premises, monkeypatch, then: str):
    """A refresh under way brings nothing back that its owner has just taken away."""
    calendar = await premises.calendar()
    refresh = premises.oauth.refresh

    async def meanwhile(token: str) -> Any:
        grant = await refresh(token)
        if then == "forgotten":
            await premises.secrets.forget(SALON, TOOLKIT)
        else:
            await premises.secrets.keep(SALON, TOOLKIT, REFRESH_TOKEN, "another account's")
        return grant

    monkeypatch.setattr(premises.oauth, "refresh", meanwhile)
    await calendar.find("never")
    assert await sealed(premises) == (None if then == "forgotten" else "another account's")


@pytest.mark.parametrize("is_warm", [False, True])
@pytest.mark.parametrize("by", ["owner", "organisation"])
async def test_a_permission_that_was_taken_back_is_learned_of_once(premises: Premises, is_warm: bool, by: str):
    """By whomever, and however many callers come at once."""
    calendar = await premises.calendar()
    if is_warm:
        await calendar.find("never")
    if by == "owner":
        premises.microsoft.accounts.revoke_all()
    else:
        premises.microsoft.accounts.is_disabled = True
    premises.microsoft.faults.journal.clear()
    for _ in range(2):
        assert await types_of(*(calendar.find("never") for _ in range(CALLERS))) == [ErrorType.AUTH] * CALLERS
    assert len(premises.asked()) <= 2


async def test_a_new_permission_is_tried_although_the_old_one_was_lost(premises: Premises):
    """Connecting again brings another refresh token."""
    calendar = await premises.calendar()
    premises.microsoft.accounts.revoke_all()
    assert await types_of(calendar.find("never")) == [ErrorType.AUTH]
    calendar = await premises.calendar()
    assert await calendar.find("never") is None


async def test_a_microsoft_that_refuses_fresh_tokens_is_not_asked_for_more(premises: Premises):
    """401 twice is AUTH, and stays it, although the refresh token is another by then."""
    calendar = await premises.calendar()
    premises.fail("events.list", "401", None)
    assert await types_of(calendar.find("never")) == [ErrorType.AUTH]
    asked = len(premises.asked())
    assert await types_of(*(calendar.find("never") for _ in range(CALLERS))) == [ErrorType.AUTH] * CALLERS
    assert (asked, len(premises.asked())) == (4, 4)


async def test_no_token_shows_in_what_can_be_printed(premises: Premises, caplog: pytest.LogCaptureFixture):
    """Neither in records nor in errors nor in the log, at any level, whatever fails."""
    caplog.set_level(0)
    calendar = await premises.calendar()
    first = str(await sealed(premises))
    printed = []
    for mode in ("401", "500", "accept-then-drop", "403", "429"):
        premises.fail("events.list", mode, None if mode == "500" else 1, seconds=0.01)
        premises.fail("token", "500")
        printed += [repr(error) for error in await asyncio.gather(calendar.find("bk00001"), return_exceptions=True)]
        premises.microsoft.faults.waiting.clear()
    access = await calendar.graph._requests._tokens.current(calendar.connection)
    printed += [repr(calendar), repr(access), repr(premises.oauth.client)]
    everything = "\n".join([*printed, caplog.text, *(str(vars(record)) for record in caplog.records)])
    for secret in (first, str(await sealed(premises)), access.text, premises.oauth.client.secret):
        assert secret not in everything


async def test_which_calendar_a_business_has(premises: Premises):
    """Microsoft's if it is connected, or was."""

    async def found(**settings: Any) -> Any:
        try:
            return await premises.calendars.of(premises.business(**settings))
        except ToolError as error:
            return error.type

    assert await found(isConnected=False) is None
    assert await found(needsReauth=True) is ErrorType.AUTH
    assert await found(calendarId=7) is ErrorType.PERMANENT
    calendar = await found()
    assert (calendar.calendar_id, calendar.zone.key) == ("primary", "America/New_York")


async def test_a_deployment_without_an_oauth_client_says_so(premises: Premises):
    """PERMANENT: no owner can repair it by connecting again."""
    bare = MicrosoftCalendars(premises.http, MicrosoftEndpoints.real(), None, premises.secrets, premises.clock)
    await bare.warm()
    assert await types_of(bare.of(premises.business())) == [ErrorType.PERMANENT]
    await premises.calendars.warm()
    assert premises.asked() == []

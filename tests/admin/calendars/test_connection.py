"""Connecting a calendar on a CalDAV server as owners do it: over HTTP, against a real server."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx
import pytest

from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.toolkits.options import ToolkitOptions
from switchboard.admin.toolkits.routes import ChoiceEndpoints
from switchboard.channels.http.answer import HANDLERS
from switchboard.contract.business.business import read_business
from switchboard.integrations.caldav.calendars import CaldavCalendars
from switchboard.integrations.caldav.dav import DavEgress
from switchboard.state.memory.store import MemoryStore
from tests.admin.office import CANARY, PATHS, SALON, Office, Owners, opened
from tests.desk.front_desk import StoppedClock
from tests.integrations.caldav.conftest import premises, radicale  # noqa: F401 - fixtures
from tests.integrations.caldav.premises import Premises
from tests.integrations.caldav.radicale_server import PASSWORD, USER
from tests.integrations.conftest import unhurried  # noqa: F401 - a fixture

PATH = "toolkits/caldav"


@dataclass
class Connecting:
    """An owner's office, and the server whose calendars are to be used."""

    office: Office
    premises: Premises
    calendars: CaldavCalendars
    browser: httpx.AsyncClient

    async def listed(self, toolkit: str = "caldav", role: str = "owner") -> httpx.Response:
        headers = {"Authorization": f"Bearer {SALON}", "X-Role": role}
        return await self.browser.get(f"/businesses/{SALON}/toolkits/{toolkit}/calendars", headers=headers)

    async def save(self, password: str | None = PASSWORD, **config: Any) -> dict[str, Any]:
        body: dict[str, Any] = {"config": {"serverUrl": self.premises.url, "username": USER, **config}}
        return await self.office.done("PUT", PATH, body | {"sensitiveConfig": {"appPassword": password}})


@pytest.fixture
async def connecting(premises: Premises) -> AsyncIterator[Connecting]:  # noqa: F811
    """An office in front of the server."""
    clock = StoppedClock()
    async with opened(MemoryStore()) as first:
        calendars = CaldavCalendars(DavEgress(stand_ins=[premises.url.removeprefix("http://")]), first.secrets, clock)
        async with opened(first.store, probes={"caldav": calendars.check}) as office:
            choices = ToolkitOptions(
                office.store, PATHS, None, {"caldav": CaldavCalendars(calendars._egress, office.secrets, clock)}
            )
            app = owners_app(routes(ChoiceEndpoints(choices).endpoints, Owners()), HANDLERS)
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as browser:
                yield Connecting(office, premises, calendars, browser)
                await calendars._egress.close()


@pytest.mark.requirement("001-92")
async def test_a_calendar_is_connected_step_by_step(connecting: Connecting):
    """Server, user name and password; then one of the account's calendars; then callers are offered appointments."""
    first = await connecting.save()
    assert (first["isConnected"], first["missing"]) == (False, ["calendarUrl"])
    found = (await connecting.listed()).json()["calendars"]
    mine = next(row for row in found if row["id"] == connecting.premises.url + connecting.premises.path)
    assert mine == {"id": mine["id"], "name": "Appointments", "isReadOnly": False}
    second = await connecting.save(calendarUrl=mine["id"])
    assert (second["isConnected"], second["missing"], second["provides"]) == (True, [], "calendar")
    stored = await connecting.office.business()
    business = read_business(SALON, stored)
    assert business.usable_calendar == "caldavCalendar"
    seen = json.dumps(second) + await connecting.office.everything()
    assert PASSWORD not in seen


async def test_an_owner_presses_try_it(connecting: Connecting):
    """And is told what to do, in words about this very account."""
    await connecting.save(calendarUrl=connecting.premises.url + connecting.premises.path)
    assert await connecting.office.done("POST", f"{PATH}/test") == {"ok": True, "message": "It works."}
    await connecting.save("wrong", calendarUrl=connecting.premises.url + connecting.premises.path)
    refused = await connecting.office.done("POST", f"{PATH}/test")
    assert (refused["ok"], refused["type"]) == (False, "AUTH") and "app password" in refused["message"]


async def test_calendars_that_cannot_be_listed_say_why(connecting: Connecting):
    """Nothing set up yet, a wrong password, a toolkit of another kind, and who may not connect."""
    answer = await connecting.listed()
    assert answer.status_code == 400 and "serverUrl" in answer.text
    await connecting.save("wrong")
    answer = await connecting.listed()
    assert answer.status_code == 400 and "app password" in answer.text
    assert (await connecting.listed("email")).status_code == 404
    assert (await connecting.listed(role="editor")).status_code == 403


async def test_a_calendars_name_is_told_on_one_line(connecting: Connecting):
    """Whatever somebody wrote into it: it is chosen from a list."""
    await connecting.save()
    home = connecting.premises.path.rstrip("/").rpartition("/")[0]
    second, third = f"{home}/second/", f"{home}/third/"
    connecting.premises.make_calendar(second, "  Rosa&apos;s\n cuts&#13;\t\u2028\u202eagain ")
    connecting.premises.make_calendar(third, "\u202e")
    url = connecting.premises.url
    found = {row["id"].removeprefix(url): row["name"] for row in (await connecting.listed()).json()["calendars"]}
    assert (found[second], found[third]) == ("Rosa's cuts again", url + third)


async def test_bad_settings_name_what_would_work(connecting: Connecting):
    """By field; no value is quoted."""
    for config, at in (
        ({"username": "a:b"}, "config.username"),
        ({"calendarUrl": "x" * 3_000}, "config.calendarUrl"),
        ({"serverUrl": ""}, "config.serverUrl"),
        ({"colour": "red"}, "config.colour"),
        ({"defaultEventDuration": 0}, "config.defaultEventDuration"),
    ):
        body = {"config": {"serverUrl": connecting.premises.url, "username": USER, **config}}
        error = await connecting.office.refused("PUT", PATH, body, 400)
        assert [problem["field"] for problem in error["problems"]] == [at]
    error = await connecting.office.refused("PUT", PATH, {"sensitiveConfig": {"appPassword": [CANARY]}}, 400)
    assert CANARY not in json.dumps(error)


async def test_disconnecting_forgets_the_password(connecting: Connecting):
    """And the business has no such calendar any more."""
    await connecting.save(calendarUrl=connecting.premises.url + connecting.premises.path)
    await connecting.office.done("DELETE", PATH)
    assert await connecting.office.secrets.reveal(SALON, "caldav", "appPassword") is None
    business = read_business(SALON, await connecting.office.business())
    assert await connecting.calendars.of(business) is None

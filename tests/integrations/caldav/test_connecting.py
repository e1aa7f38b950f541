"""From the address that an owner knows to the calendar that is chosen; and what the owner is told on the way."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.responses import Response

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.error import ErrorType, ToldToOwner, ToolError
from switchboard.integrations import caldav
from switchboard.integrations.caldav.account import INTEGRATION, CaldavAccount, read_account
from switchboard.integrations.caldav.calendars import CaldavCalendars
from switchboard.integrations.caldav.dav import DavEgress
from switchboard.integrations.egress.target import read_target
from tests.each import each
from tests.integrations.caldav.front import Wrong
from tests.integrations.caldav.premises import DAY, Premises
from tests.integrations.caldav.radicale_server import STRANGER, STRANGERS_PASSWORD, USER
from tests.integrations.calendar_contract import HOUR, visit

HOME = f"/{USER.replace('@', '%40')}/"
ENOUGH = {"serverUrl": "https://cal.example.com/dav/", "username": USER, "calendarUrl": "https://cal.example.com/c/"}


def account_of(settings: dict[str, Any], password: str | None) -> CaldavAccount:
    """Return the account of a business that has set these, and what else is needed."""
    own = {"timezone": "UTC", "integrations": {INTEGRATION: ENOUGH | settings}}
    return read_account(read_business("salon", own).integrations[INTEGRATION], password)


async def told(asked: Any) -> ToldToOwner:
    """Return what an owner is told."""
    with pytest.raises(ToldToOwner) as caught:
        await asked
    return caught.value


@pytest.mark.parametrize("path", ["", "/", HOME, HOME.rstrip("/"), "/.well-known/caldav"])
async def test_the_calendars_of_an_account_are_found_from_any_address_that_its_owner_may_know(
    premises: Premises, path: str
):
    """Before one is chosen; tasks and address books are not among them."""
    await premises.keep_password()
    premises.make_calendar(f"{premises.path.rstrip('/')}-tasks/", "Tasks", "VTODO")
    business = premises.business(serverUrl=premises.url + path, calendarUrl="", isConnected=False)
    found = {it.url: it for it in await premises.calendars.listed(business)}
    mine = found[premises.url + premises.path]
    assert (mine.name, mine.is_read_only) == ("Appointments", False)
    assert not any("tasks" in url for url in found)
    chosen = await premises.calendar(serverUrl=premises.url + path, calendarUrl=mine.url)
    await chosen.insert(visit())
    assert len(await chosen.busy(DAY, DAY + 24 * HOUR)) == 1


async def test_a_redirect_within_the_server_is_followed_and_one_to_elsewhere_is_not(premises: Premises):
    """The password would be shown there; the owner may enter that address, and so decide."""
    await premises.keep_password()
    business = premises.business(serverUrl=f"{premises.url}/dav", calendarUrl="")
    moved = Response(status_code=301, headers={"Location": "/"})
    premises.front.wrong.append(Wrong(("PROPFIND",), moved, 1))
    assert await premises.calendars.listed(business)
    away = Response(status_code=301, headers={"Location": "https://evil.example/dav"})
    premises.front.wrong.append(Wrong(("PROPFIND",), away, None))
    premises.front.asked.clear()
    error = await told(premises.calendars.listed(business))
    assert error.type is ErrorType.PERMANENT and "another host" in error.message
    assert {path for _, path, _ in premises.front.asked} == {"/dav", "/.well-known/caldav"}


async def test_redirects_without_an_end_are_not_followed_for_ever(premises: Premises):
    """A few steps, and it is said that nothing is there."""
    await premises.keep_password()
    premises.front.wrong.append(Wrong(("PROPFIND",), Response(status_code=302, headers={"Location": "/again"})))
    error = await told(premises.calendars.listed(premises.business(calendarUrl="")))
    assert error.type is ErrorType.PERMANENT and "no CalDAV server" in error.message
    assert len(premises.front.asked) <= 12


async def test_what_works_is_said_to_work(premises: Premises):
    """Nothing is changed by trying it."""
    calendar = await premises.calendar()
    await premises.calendars.check(premises.business())
    assert {*premises.front.methods()} <= {"PROPFIND", "REPORT"}
    assert await calendar.busy(DAY, DAY + HOUR) == []


@pytest.mark.requirement("001-92")
async def test_an_owner_is_told_what_is_wrong_in_plain_words(premises: Premises):
    """Password, calendar, rights, encryption, server, event: each by itself, and what would work."""
    await premises.calendar()
    check = premises.calendars.check
    await premises.keep_password("wrong")
    error = await told(check(premises.business()))
    assert error.type is ErrorType.AUTH and "app password" in error.message
    await premises.keep_password()
    error = await told(check(premises.business(calendarUrl=f"{premises.url}{HOME}gone/")))
    assert error.type is ErrorType.PERMANENT and "no calendar at calendarUrl" in error.message
    error = await told(check(premises.business(calendarUrl=premises.url + HOME)))
    assert "holds no events" in error.message
    error = await told(
        check(premises.business(serverUrl="http://cal.example.com", calendarUrl="http://cal.example.com/c/"))
    )
    assert "https://" in error.message
    error = await told(check(premises.business(serverUrl="https://10.0.0.7", calendarUrl="https://10.0.0.7/c/")))
    assert "on the internet" in error.message
    error = await told(check(premises.business(calendarUrl="https://other.example.com/c/")))
    assert "another host" in error.message
    premises.put("DTSTART;TZID=Nowhere/Land:20270310T100000\nDTEND;TZID=Nowhere/Land:20270310T110000")
    error = await told(check(premises.business()))
    assert "cannot be understood" in error.message
    premises.front.wrong.append(Wrong(("PROPFIND",), Response("<html>", 200)))
    assert "no CalDAV server" in (await told(check(premises.business()))).message
    premises.front.wrong[:] = [Wrong(("PROPFIND",), Response("broken", 500))]
    error = await told(check(premises.business()))
    assert error.type is ErrorType.TRANSIENT and "try again" in error.message


READ_ONLY = """<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><response><href>{path}</href><propstat>
<prop><resourcetype><collection/><C:calendar/></resourcetype><displayname>Holidays</displayname>
<current-user-privilege-set><privilege><read/></privilege></current-user-privilege-set></prop>
<status>HTTP/1.1 200 OK</status></propstat></response></multistatus>"""


async def test_a_calendar_that_is_only_for_reading_is_said_to_be(premises: Premises):
    """Before a caller finds out."""
    await premises.calendar()
    premises.front.wrong.append(Wrong(("PROPFIND",), Response(READ_ONLY.format(path=premises.path), 207)))
    error = await told(premises.calendars.check(premises.business()))
    assert error.type is ErrorType.PERMANENT and "only for reading" in error.message


async def test_one_accounts_password_opens_nothing_of_anothers(premises: Premises):
    """The stranger is let in, and may not look."""
    await premises.keep_password(STRANGERS_PASSWORD)
    error = await told(premises.calendars.check(premises.business(username=STRANGER)))
    assert error.type in (ErrorType.AUTH, ErrorType.PERMANENT)


@each(
    ("settings", "password", "type"),
    [
        ({}, "p", None),
        ({"calendarUrl": ""}, "p", None),
        ({"serverUrl": ""}, "p", "PERMANENT"),
        ({"serverUrl": 7}, "p", "PERMANENT"),
        ({"serverUrl": "cal.example.com"}, "p", "PERMANENT"),
        ({"serverUrl": "https://me:secret@cal.example.com/"}, "p", "PERMANENT"),
        ({"username": None}, "p", "PERMANENT"),
        ({"username": "a:b"}, "p", "PERMANENT"),
        ({"username": "a\r\nX: y"}, "p", "PERMANENT"),
        ({"calendarUrl": "https://cal.example.com.evil.example/c/"}, "p", "PERMANENT"),
        ({"calendarUrl": "http://cal.example.com/c/"}, "p", "PERMANENT"),
        ({"calendarUrl": "https://cal.example.com:8443/c/"}, "p", "PERMANENT"),
        ({}, None, "AUTH"),
        ({}, "", "AUTH"),
    ],
)
def test_an_account_is_one_that_can_work(settings, password, type):
    """Whatever stands in the document: owners' tools of former times wrote there too."""
    if type is None:
        assert account_of(settings, password).username == USER
        return
    with pytest.raises(ToolError) as caught:
        account_of(settings, password)
    assert caught.value.type is ErrorType(type)


@each(
    ("server", "url", "may"),
    [
        ("https://caldav.icloud.com", "https://p42-caldav.icloud.com/123/calendars/work/", True),
        ("https://caldav.icloud.com", "https://p42-caldav.icloud.com:443/123/", True),
        ("https://caldav.icloud.com", "http://p42-caldav.icloud.com/123/", False),
        ("https://caldav.icloud.com", "https://icloud.com.evil.example/", False),
        ("https://caldav.icloud.com", "https://evilicloud.com/", False),
        ("https://cal.example.com", "https://p42-caldav.icloud.com/123/", False),
        ("https://cloud.example.co.uk", "https://evil.co.uk/", False),
        ("https://cloud.example.com", "https://other.example.com/", False),
        ("https://cloud.example.com", "https://cloud.example.com/remote.php/dav/", True),
        ("https://cloud.example.com", "https://CLOUD.example.com:443/x", True),
        ("https://cloud.example.com", "/x", False),
        ("https://cloud.example.com", "https://cloud.example.com@evil.example/", False),
    ],
)
def test_the_password_goes_to_the_accounts_own_server(server, url, may):
    """Apple's partitions are Apple's; elsewhere it is the very host that the owner named."""
    account = account_of({"serverUrl": server, "calendarUrl": ""}, "p")
    assert account.may_receive(url) is may


async def test_no_password_is_sent_in_clear_outside_of_this_machine(premises: Premises):
    """Only https, unless it is a stand-in that was named so."""
    strict = CaldavCalendars(DavEgress(), premises.secrets, premises.clock)
    await premises.keep_password()
    calendar = await strict.of(premises.business())
    assert calendar is not None
    with pytest.raises(ToolError) as caught:
        await calendar.find("bk00001")
    assert caught.value.type is ErrorType.PERMANENT
    assert premises.front.asked == []


def test_a_password_is_shown_nowhere():
    """Neither an account's text nor what it is refused with holds it."""
    account = account_of({}, "app-password-7f3a")
    assert "7f3a" not in f"{account!r} {account}"
    assert account.authorization == "Basic c2Fsb25AZXhhbXBsZS5jb206YXBwLXBhc3N3b3JkLTdmM2E="


async def test_a_business_without_a_usable_connection_has_no_calendar(premises: Premises):
    """None where nothing is connected; otherwise it is said what is missing."""
    of = premises.calendars.of
    assert await of(Business(id="other")) is None
    assert await of(premises.business(isConnected=False)) is None
    with pytest.raises(ToolError) as caught:
        await of(premises.business())
    assert caught.value.type is ErrorType.AUTH
    await premises.keep_password()
    for settings, type in (({"needsReauth": True}, "AUTH"), ({"calendarUrl": ""}, "PERMANENT")):
        with pytest.raises(ToolError) as caught:
            await of(premises.business(**settings))
        assert caught.value.type is ErrorType(type)
    own = replace(premises.business(), integrations={})
    assert INTEGRATION not in own.integrations and await of(own) is None


@pytest.mark.requirement("001-92")
async def test_the_password_is_shown_to_no_server_that_an_agent_a_person_or_an_older_booking_names(premises: Premises):
    """They may name another calendar; where that is, and who asks, is the business's to say."""
    calendar = await premises.calendar()
    own = premises.business()
    connection = own.integrations[INTEGRATION]
    led_astray = {**connection.settings, "serverUrl": "https://evil.example", "username": "somebody"}

    def with_settings(**settings: str) -> Business:
        other = replace(connection, settings={**led_astray, **settings})
        return replace(own, integrations={INTEGRATION: other})

    found = await premises.calendars.of(with_settings())
    assert found is not None and found.dav.account == calendar.dav.account
    with pytest.raises(ToolError) as caught:
        await premises.calendars.of(with_settings(calendarUrl="https://evil.example/c/"))
    assert caught.value.type is ErrorType.PERMANENT


@each(
    ("address", "may"),
    [
        ("https://caldav.icloud.com", True),
        ("https://cloud.example.com/remote.php/dav", True),
        ("javascript:alert(1)", False),
        ("file:///etc/passwd", False),
        ("https://user:secret@host.example/", False),
        ("https://host.example\r\nHost: other.example/", False),
        ("https://192.0.2.7:8443/dav/", True),
        ("https://[2001:db8::7]/dav/", True),
        ("https://münchen.example./dav/", True),
        ("https://cloud9/", True),
        # One host could be read as another, so that it would be refused whenever it is asked.
        ("https://2130706433/", False),
        ("https://0x7f000001/", False),
        ("https://127.1/", False),
        ("https://0177.0.0.1/", False),
        ("https://host.0x7f/", False),
        ("https://host.example:port/", False),
        ("https://host.example\\@other.example/", False),
        ("https://.../", False),
    ],
)
def test_what_is_no_server_address_is_refused_when_it_is_saved(address, may):
    """A password in it would stand in settings that everybody with a role can read."""
    toolkit = json.loads((Path(caldav.__file__).parent / "toolkit.json").read_text())
    given = {"serverUrl": address, "username": "anna", "calendarUrl": "https://host.example/c/"}
    assert Draft202012Validator(toolkit["config"]).is_valid(given) is may
    if may:
        read_target(address)

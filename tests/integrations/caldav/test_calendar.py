"""A calendar on a CalDAV server: what is sent and kept, what other servers do otherwise, and what people enter."""

from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from starlette.responses import Response

from switchboard.contract.business.calendar import EntryChanged, IdTaken, NoSuchEntry
from switchboard.contract.error import ErrorType, ToolError
from tests.each import each
from tests.integrations.caldav.front import Wrong, with_etag_of_packed, without_etag
from tests.integrations.caldav.premises import DAY, Premises, times
from tests.integrations.caldav.radicale_server import USER
from tests.integrations.calendar_contract import HOUR, day_of, moments, raised, visit

TEN = DAY.replace(hour=10)
BERLIN = ZoneInfo("Europe/Berlin")
NEXT_DAY = DAY + timedelta(days=1)


async def test_what_is_entered_says_whose_booking_it_is_and_when_in_utc(premises: Premises):
    """Under a name that follows from its id, which is its UID too."""
    calendar = await premises.calendar()
    await calendar.insert(visit(description="Phone: +15185550171", attendees=("ana@example.com",)))
    text = premises.text_of("bk00001").replace("\r\n ", "")
    for expected in (
        "UID:bk00001",
        "X-SWITCHBOARD-BOOKING:bk_1",
        "DTSTART:20270310T150000Z",
        "DTEND:20270310T160000Z",
        "TRANSP:OPAQUE",
        "ATTENDEE;SCHEDULE-AGENT=NONE:mailto:ana@example.com",
    ):
        assert expected in text.splitlines()
    # Without one no server sends invitations.
    assert "ORGANIZER" not in text


async def test_the_password_goes_along_and_every_write_has_a_condition(premises: Premises):
    """Nothing is overwritten that was not seen."""
    calendar = await premises.calendar()
    kept = await calendar.insert(visit())
    await calendar.move(kept.id, kept.start + HOUR, kept.end + HOUR, kept.version)
    writes = [headers for method, _, headers in premises.front.asked if method == "PUT"]
    assert writes[0]["if-none-match"] == "*" and "if-match" not in writes[0]
    assert writes[1]["if-match"] == f'"{kept.version}"' and "if-none-match" not in writes[1]
    assert all(headers["authorization"].startswith("Basic ") for _, _, headers in premises.front.asked)


async def test_what_people_added_to_an_entry_stays_when_it_is_moved(premises: Premises):
    """Alarms, colours, notes of their own."""
    calendar = await premises.calendar()
    await calendar.insert(visit())
    text = premises.text_of("bk00001")
    alarm = "BEGIN:VALARM\r\nACTION:DISPLAY\r\nDESCRIPTION:soon\r\nTRIGGER:-PT15M\r\nEND:VALARM\r\n"
    text = text.replace("END:VEVENT", f"COLOR:teal\r\nX-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC\r\n{alarm}END:VEVENT")
    assert premises.person.put(f"{premises.path}bk00001.ics", content=text.encode()).is_success
    found = await calendar.find("bk00001")
    assert found is not None
    await calendar.move("bk00001", TEN + 2 * HOUR, TEN + 3 * HOUR, found.version)
    after = premises.text_of("bk00001")
    for part in ("COLOR:teal", "X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC", "TRIGGER:-PT15M", "SEQUENCE:1"):
        assert part in after
    assert await day_of(calendar) == moments(TEN + 2 * HOUR)


async def test_an_entry_that_was_made_to_last_all_day_can_be_moved_to_a_time(premises: Premises):
    """And one for which a person gave a length instead of an end."""
    calendar = await premises.calendar()
    for name, lines in (("bk00001", times(DAY.date())), ("bk00002", "DTSTART:20270310T200000Z\nDURATION:PT45M")):
        premises.put(lines + "\nX-SWITCHBOARD-BOOKING:bk_1", name=name)
        found = await calendar.find(name)
        assert found is not None
        assert found.end - found.start == (timedelta(days=1) if found.is_all_day else timedelta(minutes=45))
        moved = await calendar.move(name, TEN, TEN + HOUR, found.version)
        assert (moved.is_all_day, moved.booking_id) == (False, "bk_1")
    assert await day_of(calendar) == moments(TEN, TEN)


async def test_an_entry_whose_version_is_not_told_when_it_is_written_is_read_once_more(premises: Premises):
    """Servers that change what they are sent tell none (RFC 4791 5.3.4)."""
    calendar = await premises.calendar()
    premises.front.changed["PUT"] = without_etag
    kept = await calendar.insert(visit())
    assert premises.front.methods() == ["PUT", "REPORT"]
    moved = await calendar.move(kept.id, TEN + HOUR, TEN + 2 * HOUR, kept.version)
    assert moved.version not in ("", kept.version)
    premises.front.wrong.append(Wrong(("REPORT",), Response("broken", 500)))
    blind = await calendar.insert(visit("bk00002", 14))
    assert blind.version == ""
    with pytest.raises(EntryChanged):
        await calendar.move(blind.id, TEN, TEN + HOUR, blind.version)


async def test_a_version_that_a_packing_web_server_has_marked_is_shown_as_it_was(premises: Premises):
    """Apache adds -gzip, others W/; the server behind them knows neither."""
    calendar = await premises.calendar()
    premises.front.changed["PUT"] = with_etag_of_packed
    kept = await calendar.insert(visit())
    moved = await calendar.move(kept.id, TEN + HOUR, TEN + 2 * HOUR, kept.version)
    assert (await calendar.find(kept.id)) == moved


async def test_an_entry_that_a_persons_client_keeps_under_another_name_is_ours_all_the_same(premises: Premises):
    """It is found, moved and removed by its UID; entering it once more is refused."""
    calendar = await premises.calendar()
    premises.put(f"{times(TEN)}\nUID:bk00001\nX-SWITCHBOARD-BOOKING:bk_1", name="2F9A-moved-here")
    premises.put(f"{times(TEN + 5 * HOUR)}\nUID:bk000012")
    found = await calendar.find("bk00001")
    assert found is not None and found.booking_id == "bk_1"
    with pytest.raises(IdTaken):
        await calendar.insert(visit())
    await calendar.move("bk00001", TEN + HOUR, TEN + 2 * HOUR, found.version)
    assert await day_of(calendar) == moments(TEN + HOUR, TEN + 5 * HOUR)
    await calendar.delete("bk00001")
    assert await day_of(calendar) == moments(TEN + 5 * HOUR)


async def test_an_entry_that_is_marked_as_cancelled_is_gone(premises: Premises):
    """It may be looked at, and not moved."""
    calendar = await premises.calendar()
    premises.put(f"{times(TEN)}\nSTATUS:CANCELLED", name="bk00001")
    found = await calendar.find("bk00001")
    assert found is not None and (found.is_cancelled, found.is_busy) == (True, False)
    with pytest.raises(NoSuchEntry):
        await calendar.move("bk00001", TEN, TEN + HOUR, found.version)
    assert await day_of(calendar) == []


async def test_a_title_of_any_length_and_language_comes_back(premises: Premises):
    """Lines are folded between bytes, which letters have several of."""
    calendar = await premises.calendar()
    words = "Färben & Föhnen 日本語の予約 😀; a, b\\n <b>&amp;]]> " * 12
    kept = await calendar.insert(visit(title=words.strip(), description=words.strip()))
    found = await calendar.find(kept.id)
    assert found is not None and (found.title, found.description) == (words.strip(), words.strip())
    assert (await calendar.entries(DAY, NEXT_DAY))[0].title == words.strip()


BAND = """BEGIN:VTIMEZONE
TZID:{name}
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:+0530
TZOFFSETTO:+0530
TZNAME:IST
END:STANDARD
END:VTIMEZONE
"""


@pytest.mark.parametrize(
    ("zone", "zones", "start"),
    [
        ("Europe/Berlin", "", datetime(2027, 3, 10, 10, tzinfo=BERLIN)),
        # What Outlook calls it, in an invitation that was taken over.
        ("W. Europe Standard Time", "", datetime(2027, 3, 10, 10, tzinfo=BERLIN)),
        # Rules of the server's own, of another year: the zone's real ones count.
        ("Europe/Berlin", BAND.format(name="Europe/Berlin"), datetime(2027, 3, 10, 10, tzinfo=BERLIN)),
        # A name of somebody's own, with its rules beside it.
        ("Our shop", BAND.format(name="Our shop"), datetime(2027, 3, 10, 10, tzinfo=ZoneInfo("Asia/Kolkata"))),
    ],
)
async def test_a_zone_is_known_by_its_name_or_by_what_comes_with_it(premises: Premises, zone, zones, start):
    """Also in what repeats itself."""
    calendar = await premises.calendar()
    lines = f"DTSTART;TZID={zone}:20270310T100000\nDTEND;TZID={zone}:20270310T110000"
    premises.put(lines, zones=zones)
    premises.put(f"{lines}\nRRULE:FREQ=DAILY;COUNT=2", zones=zones)
    later = start + timedelta(days=1)
    assert await day_of(calendar, DAY - timedelta(days=1), 4) == moments(start, start, later)


async def test_a_zone_that_nobody_knows_is_never_taken_for_another(premises: Premises):
    """Whoever asks what is free is told that nobody can say."""
    calendar = await premises.calendar()
    premises.put("DTSTART;TZID=Nowhere/Land:20270310T100000\nDTEND;TZID=Nowhere/Land:20270310T110000")
    error = await raised(calendar.busy(DAY, NEXT_DAY))
    assert (error.type, error.partial_side_effects) == (ErrorType.PERMANENT, False)
    assert "nobody knows its zone" in error.detail


async def test_an_event_that_ends_before_it_begins_keeps_the_moment_at_which_it_begins(premises: Premises):
    """As one without an end does."""
    calendar = await premises.calendar()
    premises.put(f"{times(TEN, TEN)}")
    ((start, end),) = await day_of(calendar)
    assert start == TEN and timedelta() < end - start < timedelta(minutes=5)


async def test_whose_declining_frees_the_time_is_asked_of_the_server_when_it_matters(premises: Premises):
    """The account's own addresses count, whoever else has declined; it is asked once."""
    calendar = await premises.calendar(username=USER)
    await premises.keep_password()
    for hour, who in ((9, "guest@example.com"), (10, "owner@shop.example"), (11, USER.upper())):
        premises.put(f"{times(DAY.replace(hour=hour))}\nATTENDEE;PARTSTAT=DECLINED:MAILTO:{who}")
    own = Response(
        '<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><response><href>/</href><propstat><prop>'
        "<current-user-principal><href>/x/</href></current-user-principal><C:calendar-user-address-set>"
        "<href>mailto:Owner@shop.example</href><href>/x/</href></C:calendar-user-address-set></prop></propstat>"
        "</response></multistatus>",
        207,
    )
    premises.front.wrong.append(Wrong(("PROPFIND",), own))
    for _ in range(2):
        assert await day_of(calendar) == moments(DAY.replace(hour=9))
    assert premises.front.methods().count("PROPFIND") == 2


async def test_a_declining_that_nobody_can_place_keeps_the_time_taken(premises: Premises):
    """The server does not say who the account's owner is."""
    calendar = await premises.calendar()
    premises.put(f"{times(TEN)}\nATTENDEE;PARTSTAT=DECLINED:mailto:somebody@shop.example")
    premises.front.wrong.append(Wrong(("PROPFIND",), Response("broken", 500)))
    assert await day_of(calendar) == moments(TEN)


def cut_short(answer: Response) -> Response:
    """Return a list with the row by which a server says that it has left out the rest (RFC 6578, RFC 4791)."""
    row = b"<response><href>/x/</href><status>HTTP/1.1 507 Insufficient Storage</status></response></multistatus>"
    return Response(answer.body.replace(b"</multistatus>", row), 207)


def without_content(answer: Response) -> Response:
    """Return a list of which one event is kept back."""
    body = answer.body.replace(b"calendar-data", b"something-else")
    return Response(body, 207)


@pytest.mark.parametrize("change", [cut_short, without_content])
async def test_a_list_of_which_a_part_is_missing_is_none(premises: Premises, change):
    """Taken for the whole, it would call the rest free."""
    calendar = await premises.calendar()
    await calendar.insert(visit())
    premises.front.changed["REPORT"] = change
    assert (await raised(calendar.busy(DAY, NEXT_DAY))).type is ErrorType.TRANSIENT


@each(
    "body",
    [
        b"",
        b"<html>Sign in to the hotel's wireless network</html>",
        b'<multistatus xmlns="DAV:">',
        b'<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><multistatus xmlns="DAV:">&b;</multistatus>',
        b"<a>" * 5_000,
        b'<other xmlns="DAV:"/>',
    ],
)
async def test_an_answer_that_is_no_list_is_no_empty_calendar(premises: Premises, body: bytes):
    """Whatever somebody on the way put in its place."""
    calendar = await premises.calendar()
    premises.front.wrong.append(Wrong(("REPORT",), Response(body, 207), 1))
    assert (await raised(calendar.busy(DAY, NEXT_DAY))).type is ErrorType.TRANSIENT


async def test_many_events_are_read_at_once(premises: Premises):
    """All of them, in order, with one question."""
    calendar = await premises.calendar()
    for number in range(40):
        premises.put(times(DAY + number * HOUR / 2, DAY + (number + 1) * HOUR / 2))
    found = await calendar.busy(DAY, NEXT_DAY)
    assert len(found) == 40
    assert [entry.start for entry in found] == sorted(entry.start for entry in found)
    assert premises.front.methods() == ["REPORT"]


async def test_where_nothing_is_kept_any_more_nobody_is_called_free(premises: Premises):
    """The calendar was removed: there is nothing to connect again, and nothing to ask once more."""
    calendar = await premises.calendar()
    assert premises.person.delete(premises.path).is_success
    for asked in (calendar.busy(DAY, NEXT_DAY), calendar.find("bk00001"), calendar.insert(visit())):
        error = await raised(asked)
        assert (error.type, error.partial_side_effects) == (ErrorType.PERMANENT, False)


async def test_a_server_that_names_another_host_is_not_followed_there(premises: Premises):
    """The password would go along."""
    calendar = await premises.calendar()
    await calendar.insert(visit())

    def elsewhere(answer: Response) -> Response:
        path = premises.path.encode()
        return Response(answer.body.replace(b"<href>" + path, b"<href>https://evil.example" + path), 207)

    premises.front.changed["REPORT"] = elsewhere
    with pytest.raises(ToolError) as caught:
        await calendar.find("bk00001")
    assert caught.value.type is ErrorType.PERMANENT and "another host" in caught.value.detail


async def test_nobody_reads_or_enters_in_a_strangers_calendar(premises: Premises):
    """The server refuses it, and the owner is asked to connect another one."""
    calendar = replace(await premises.calendar(), url=f"{premises.url}/stranger/private/")
    error = await raised(calendar.insert(visit()))
    assert (error.type, error.partial_side_effects) == (ErrorType.AUTH, False)

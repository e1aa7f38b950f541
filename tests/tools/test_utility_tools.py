"""extract_contacts and format_datetime: seed 003 ("Utility Tools")."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Kind, read_definition
from switchboard.contract.error import ErrorType, Refused, ToolError
from tests.desk.front_desk import call, salon
from tests.each import each
from tests.tools.folder import run, schema

SALON = call(salon())
GERMAN = call(salon(ai={"language": "de"}, timezone="Europe/Berlin", phone="+493023125410"))


async def worded(ctx=SALON, **arguments):
    result = await run("format_datetime", ctx, None, {"moment": "2027-03-16T14:00:00"} | arguments)
    return result.data["text"]


@pytest.mark.requirement("003-60", "001-76")
async def test_contacts_are_listed_in_one_spelling():
    """With what was written."""
    result = await run("extract_contacts", SALON, None, {"text": "518.555.0177 or Anna@mail.example"})
    assert result.data == {
        "phones": [{"number": "+15185550177", "written": "518.555.0177"}],
        "emails": ["anna@mail.example"],
        "isCut": False,
    }
    assert not result.empty


async def test_a_text_without_contacts_is_an_empty_answer():
    """`ok`, not an error."""
    result = await run("extract_contacts", SALON, None, {"text": "See you on Tuesday."})
    assert (result.data, result.empty) == ({"phones": [], "emails": [], "isCut": False}, True)


@pytest.mark.parametrize("text", ["", "x" * 6_001])
async def test_no_text_and_too_much_text_are_refused(text):
    """Before anything runs."""
    with pytest.raises(Refused):
        await run("extract_contacts", SALON, None, {"text": text})


@pytest.mark.parametrize(
    "zone", [None, "America/Los_Angeles", "Europe/Berlin", "Pacific/Kiritimati", "Africa/Cairo", "America/Havana"]
)
@pytest.mark.parametrize("day", ["2026-12-08", "2026-04-24", "2026-11-01"])
async def test_a_date_alone_is_that_date_in_every_zone_and_has_no_time(zone, day):
    """Also where the clocks skip or repeat its midnight."""
    given = {"moment": day, "style": "medium"} | ({"timezone": zone} if zone else {})
    told = (await run("format_datetime", SALON, None, given)).data
    assert told["text"] == datetime.fromisoformat(day).strftime("%b %-d, %Y")
    assert told["iso"].startswith(day)


async def test_a_midnight_that_was_named_is_a_time_and_a_date_has_none_to_tell():
    """Only what was left out is missing."""
    assert await worded(moment="2026-12-08T00:00") == "Tuesday, December 8, 2026, 12:00 AM"
    assert (
        await worded(moment="2026-12-08T00:00", timezone="America/Los_Angeles") == "Monday, December 7, 2026, 9:00 PM"
    )
    with pytest.raises(ToolError, match="2026-12-08T14:00"):
        await worded(moment="2026-12-08", part="time")


@pytest.mark.requirement("003-60")
@each(
    ("arguments", "text"),
    [
        ({}, "Tuesday, March 16, 2027, 2:00 PM"),
        ({"style": "long"}, "March 16, 2027, 2:00 PM"),
        ({"style": "medium"}, "Mar 16, 2027, 2:00 PM"),
        ({"style": "short"}, "3/16/27, 2:00 PM"),
        ({"part": "date"}, "Tuesday, March 16, 2027"),
        ({"part": "time"}, "2:00 PM"),
        ({"part": "time", "style": "short"}, "2:00 PM"),
        ({"language": "de"}, "Dienstag, 16. März 2027, 14:00"),
        ({"language": "de-AT", "part": "time"}, "14:00"),
        ({"language": "en-GB"}, "Tuesday, 16 March 2027, 14:00"),
        ({"language": "fr"}, "mardi 16 mars 2027, 14:00"),
        ({"timezone": "Europe/Berlin"}, "Tuesday, March 16, 2027, 7:00 PM"),
        ({"moment": "2027-03-16T23:30:00Z", "part": "date"}, "Tuesday, March 16, 2027"),
        ({"moment": "2027-03-17T03:30:00Z", "part": "date"}, "Tuesday, March 16, 2027"),
        ({"moment": "2027-03-17T03:30:00Z", "part": "date", "timezone": "UTC"}, "Wednesday, March 17, 2027"),
    ],
)
async def test_a_time_is_put_into_words(arguments, text):
    """In the language and zone that were asked for, or the business's; with plain blanks, as voices need them."""
    assert await worded(**arguments) == text


async def test_a_business_speaks_its_own_language_in_its_own_zone():
    """And tells which they are, with the instant."""
    result = await run("format_datetime", GERMAN, None, {"moment": "2027-03-16T14:00:00Z"})
    assert result.data == {
        "text": "Dienstag, 16. März 2027, 15:00",
        "iso": "2027-03-16T15:00:00+01:00",
        "language": "de",
        "timezone": "Europe/Berlin",
    }


async def test_a_business_whose_language_nobody_knows_speaks_english():
    """What an owner wrote wrongly is not the caller's fault."""
    assert await worded(call(salon(ai={"language": "klingon!"})), part="date") == "Tuesday, March 16, 2027"


@each(
    "arguments",
    [
        {"language": "klingon"},
        {"language": "../../x"},
        {"language": "de_DE.UTF-8@euro"},
        {"timezone": "Mars/Base"},
        {"timezone": "../../etc/passwd"},
        {"timezone": "/etc/localtime"},
        {"timezone": "Europe"},
        {"moment": "9999-12-31T23:00:00Z", "timezone": "Asia/Tokyo"},
        {"moment": "tomorrow"},
        {"style": "huge"},
        {"part": "weekday"},
    ],
)
async def test_what_does_not_exist_is_refused_with_what_would_do(arguments):
    """VALIDATION, for the model to correct."""
    with pytest.raises(ToolError) as caught:
        await worded(**arguments)
    assert caught.value.type is ErrorType.VALIDATION


@given(st.text(min_size=2, max_size=35), st.text(min_size=1, max_size=64))
async def test_any_text_may_be_sent_as_a_language_or_a_zone(language, zone):
    """Answered or refused, never an error of our own."""
    for arguments in ({"language": language}, {"timezone": zone}):
        try:
            assert await worded(**arguments)
        except ToolError as error:
            assert error.type is ErrorType.VALIDATION


@pytest.mark.parametrize("name", ["extract_contacts", "format_datetime"])
def test_they_compute_and_are_offered_everywhere(name):
    """Seed 003: predictable outputs; nothing is read or written."""
    definition = read_definition(name, schema(name))
    assert (definition.kind, definition.writes, definition.requires) == (Kind.UTILITY, False, ())
    assert definition.channels == tuple(Channel)

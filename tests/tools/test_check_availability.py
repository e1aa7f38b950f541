"""check_availability: seed 001 (Google calendar, `check_availability`) and seed 004 (calendar tools)."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest

from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.tools.check_availability.handler import shorten
from tests.desk.front_desk import NOW, calendar, call, salon
from tests.desk.front_desk import SALON as SALON_FIELDS
from tests.tools.folder import run

SALON = salon()


async def check(desk, ctx=None, **arguments):
    return (await run("check_availability", ctx or call(SALON), desk, arguments)).data


@pytest.mark.requirement("001-50", "001-51", "001-52")
async def test_a_free_time_is_available_for_half_an_hour_unless_said_otherwise(desk):
    """No conflicts, the duration and the zone are told."""
    assert await check(desk, date="2027-03-16T10:00:00") == {
        "available": True,
        "conflicts": [],
        "openTimes": ["2027-03-16T10:00:00-04:00"],
        "durationMinutes": 30,
        "timezone": "America/New_York",
    }


@pytest.mark.parametrize("arguments", [{}, {"date": "2027-03-16T10:00", "duration_minutes": 14}, {"date": "soon"}])
@pytest.mark.requirement("001-50", "001-51")
async def test_a_missing_date_and_impossible_durations_are_refused(desk, arguments):
    """15 to 240 minutes (seed 001)."""
    with pytest.raises(Refused) as caught:
        await check(desk, **arguments)
    assert caught.value.type is ErrorType.VALIDATION


@pytest.mark.requirement("001-53")
async def test_a_taken_time_tells_the_overlap_but_never_whose_it_is(desk):
    """Neither name, nor service, nor where the other's appointment begins."""
    other = call(SALON, session="other", phone="+15185550199")
    booked = {"service": "Color", "start_time": "2027-03-16T09:30:00", "customer_name": "Grace Okafor"}
    await run("book_appointment", other, desk, booked)
    data = await check(desk, date="2027-03-16T10:30:00", duration_minutes=60)
    assert data["conflicts"] == [
        {"start": "2027-03-16T10:30:00-04:00", "end": "2027-03-16T11:00:00-04:00", "reason": "taken"}
    ]
    assert (data["available"], len(data["openTimes"])) == (False, 3)
    assert not any(word in json.dumps(data) for word in ("Grace", "Okafor", "Color", "09:30"))


@pytest.mark.requirement("004-01")
async def test_a_bare_date_asks_for_the_whole_day(desk):
    """A list short enough for a phone."""
    data = await check(desk, date="2027-03-16", service="beard TRIM")
    assert (data["available"], data["durationMinutes"], data["service"]) == (True, 15, "Beard trim")
    assert (data["openTimes"][0], data["openTimes"][-1]) == ("2027-03-16T09:00:00-04:00", "2027-03-16T17:45:00-04:00")
    assert len(json.dumps(data)) < 1_500


@pytest.mark.parametrize(
    ("zone", "day", "first"),
    [("America/Santiago", "2027-09-05", "01:00"), ("America/Havana", "2027-11-07", "00:00")],
    ids=["a day that begins at one", "a midnight that comes twice"],
)
async def test_a_bare_date_is_the_whole_day_also_where_midnight_is_odd(desk, zone, day, first):
    """The argument reader hands over the day's first moment, which need not be 00:00 or unique."""
    always = salon(
        timezone=zone,
        workingHours={"sunday": [{"open": "00:00", "close": "24:00"}]},
        integrations=calendar(maxDaysAhead=365),
    )
    data = await check(desk, call(always), date=day)
    assert data["openTimes"][0][11:16] == first
    assert [day["date"] for day in data["free"]] == [day]


@pytest.mark.parametrize(
    ("arguments", "minutes"),
    [
        ({"service": "Color"}, 90),
        ({"service": "Color", "duration_minutes": 120}, 120),
        ({"duration_minutes": 45}, 45),
        ({"service": "Color", "duration_minutes": 30}, 90),
    ],
)
async def test_a_service_brings_its_own_duration(desk, arguments, minutes):
    """Unless another than the default is given: which of the two the model meant by 30 cannot be told."""
    assert (await check(desk, date="2027-03-16T10:00:00", **arguments))["durationMinutes"] == minutes


@pytest.mark.parametrize("text", ["2027-03-16T14:00:00Z", "2027-03-16T10:00:00-04:00", "2027-03-16T15:00:00+01:00"])
@pytest.mark.requirement("001-55")
async def test_the_same_instant_in_any_spelling_gets_the_same_answer(desk, text):
    """Times with offset name an instant (seed 001)."""
    assert (await check(desk, date=text))["openTimes"] == ["2027-03-16T10:00:00-04:00"]


async def test_an_unknown_service_is_refused_with_those_offered(desk):
    """So that the model can ask again."""
    with pytest.raises(ToolError) as caught:
        await check(desk, date="2027-03-16", service="Massage")
    assert (caught.value.type, "Haircut" in caught.value.message) == (ErrorType.VALIDATION, True)


async def test_today_from_now_on(desk):
    """What is past or too soon is not offered."""
    data = await check(desk, call(SALON, now=datetime(2027, 3, 10, 21, 20, tzinfo=UTC)), date="2027-03-10")
    assert data["free"][0]["times"] == "Wednesday 17:20 to 17:30"
    assert data["openTimes"] == ["2027-03-10T17:20:00-05:00", "2027-03-10T17:30:00-05:00"]


def test_a_long_day_is_told_in_times_that_are_spread_over_it():
    """Morning, noon and evening are kept when a caller cannot listen to everything."""
    times = [f"2027-03-16T{hour:02}:{minute:02}:00-04:00" for hour in range(24) for minute in range(0, 60, 15)]
    shorter = shorten({"available": True, "openTimes": times, "timezone": "America/New_York"}, 600)
    assert len(json.dumps(shorter)) <= 600
    assert (shorter["openTimes"][0], shorter["openTimes"][-1]) == (times[0], times[-1])
    assert shorter["openTimes"] == sorted(set(shorter["openTimes"]))
    assert len(shorter["openTimes"]) > 10


@pytest.mark.requirement("004-331")
async def test_a_day_is_told_as_people_tell_it(desk):
    """In stretches, with its weekday; what is taken is left out, and nothing is listed stamp by stamp."""
    booked = {"service": "Color", "start_time": "2027-03-19T10:00:00", "customer_name": "Grace Okafor"}
    await run("book_appointment", call(SALON, session="other", phone="+15185550199"), desk, booked)
    data = await check(desk, date="2027-03-19", service="Haircut")
    [day] = data["free"]
    assert day["date"] == "2027-03-19"
    assert day["times"].startswith("Friday 9:00 to 9:") and ", 11:" in day["times"] and " to " in day["times"]
    assert len(data["openTimes"]) <= 8
    # What is all there is comes first.
    assert list(data).index("free") < list(data).index("openTimes")
    for start in data["openTimes"]:
        assert (await check(desk, date=start, service="Haircut"))["available"]


@pytest.mark.requirement("004-331")
async def test_a_range_of_days_is_looked_through_at_once(desk):
    """This week, in one call; days without a free time are not named."""
    data = await check(desk, date="2027-03-16", until="2027-03-21")
    days = [day["date"] for day in data["free"]]
    assert data["available"] and len(days) > 2
    assert days == sorted(days) and days[0] == "2027-03-16" and days[-1] <= "2027-03-21"
    weekdays = [day["times"].split()[0] for day in data["free"]]
    assert weekdays == [f"{datetime.fromisoformat(day):%A}" for day in days]
    assert len(json.dumps(data)) < 1_500


@pytest.mark.requirement("004-331")
async def test_the_soonest_is_found_whichever_day_it_is(desk):
    """A caller who says "as soon as you can" has named no day, and asks for none."""
    data = await check(desk, date="2027-03-10", soonest=True, service="Color")
    assert data["available"] and len(data["openTimes"]) <= 3
    first = data["openTimes"][0]
    assert data["free"][0]["date"] == first[:10]
    later = await check(desk, date=data["openTimes"][-1], soonest=True, service="Color")
    assert later["openTimes"][0] == data["openTimes"][-1]


async def test_a_business_that_is_never_open_has_no_soonest(desk):
    """It ends, and says so."""
    data = await check(desk, call(salon(workingHours={})), date="2027-03-10", soonest=True)
    assert (data["available"], data["openTimes"]) == (False, [])
    assert "free" not in data


def closed_until(day, days_ahead):
    """Return the salon as it is closed from today until a day, with appointments so many days ahead."""
    dates = (f"{NOW.date() + timedelta(days=n)}" for n in range((date.fromisoformat(day) - NOW.date()).days))
    hours = {**SALON_FIELDS["workingHours"], "exceptions": dict.fromkeys(dates, "closed")}
    return salon(workingHours=hours, integrations=calendar(maxDaysAhead=days_ahead))


async def test_the_soonest_is_looked_for_as_far_ahead_as_is_usual(desk):
    """Whoever is booked up for ten weeks has a first free time in the eleventh."""
    data = await check(desk, call(closed_until("2027-05-25", 90)), date="2027-03-10", soonest=True)
    assert data["free"][0] == {"date": "2027-05-25", "times": "Tuesday 9:00 to 17:30"}
    assert "lookedUntil" not in data


@pytest.mark.parametrize(("days_ahead", "until"), [(30, "2027-04-09"), (365, "2027-06-29")])
async def test_where_there_is_no_soonest_it_says_until_when_there_is_none(desk, days_ahead, until):
    """Until as far ahead as appointments are made, or as was looked."""
    data = await check(desk, call(closed_until("2027-07-20", days_ahead)), date="2027-03-10", soonest=True)
    assert (data["available"], data["openTimes"], data["lookedUntil"]) == (False, [], until)


@pytest.mark.parametrize(
    ("days_ahead", "words"),
    [
        (10, "No other time can be offered."),
        (90, "Nothing else is free in the 14 days from then on. Later days may be: look there as well."),
    ],
)
async def test_that_there_is_no_other_time_is_said_only_where_every_day_was_looked_at(desk, days_ahead, words):
    """Two weeks are looked through for others, and appointments are made for longer."""
    wish = {"service": "Haircut", "start_time": "2027-03-16T10:00", "customer_name": "Ada"}
    with pytest.raises(ToolError) as caught:
        await run("book_appointment", call(closed_until("2027-05-25", days_ahead)), desk, wish)
    assert caught.value.message.endswith(words)
    assert caught.value.meta["alternatives"] == []


@pytest.mark.requirement("004-331")
@pytest.mark.parametrize("until", ["2027-03-15", "2027-04-15", "0000-01-01", "someday"])
async def test_a_range_that_cannot_be_meant_is_refused_with_what_can(desk, until):
    """Backwards, or longer than anybody can listen to."""
    with pytest.raises((ToolError, Refused)) as caught:
        await check(desk, date="2027-03-16", until=until)
    assert caught.value.type is ErrorType.VALIDATION


@pytest.mark.requirement("004-331")
async def test_the_days_are_named_in_the_businesss_language(desk):
    """A model that reads Friday says Friday."""
    german = salon(ai={"language": "de-AT"})
    [day] = (await check(desk, call(german), date="2027-03-19"))["free"]
    assert day["times"].startswith("Freitag 9:00 bis ")


@pytest.mark.requirement("004-331")
async def test_what_is_free_instead_is_told_so_too(desk):
    """Of a time that is taken or closed."""
    data = await check(desk, date="2027-03-16T22:00:00")
    assert data["available"] is False
    assert sum(day["times"].count(":") for day in data["free"]) >= 1
    assert {start[:10] for start in data["openTimes"]} == {day["date"] for day in data["free"]}

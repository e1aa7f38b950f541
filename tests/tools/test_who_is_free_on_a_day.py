"""What is free on a day says with whom: one call instead of one for each person."""

import json

import pytest

from switchboard.tools.check_availability.handler import shorten
from tests.desk.front_desk import call
from tests.tools.folder import run
from tests.tools.test_with_person import HOUSE, book, check

pytestmark = pytest.mark.requirement("004-1504")
TUESDAY = "2027-03-16"


async def test_of_a_whole_day_each_is_named_with_their_own_times_where_these_are_fewer(desk):
    """Rosa is taken from ten to half past; the day as such is as free as before."""
    before = (await check(desk, date=TUESDAY))["free"]
    await book(desk, with_person="Rosa")
    [day] = (await check(desk, date=TUESDAY))["free"]
    assert day["times"] == before[0]["times"]
    rosa, *others = day["with"]
    assert rosa.startswith("Rosa 9:00 to 9:30, 10:30 to ") and others == before[0]["with"][1:]


async def test_a_range_of_days_and_the_soonest_say_it_of_each_day(desk):
    """Marcus is not there on Wednesdays."""
    days = (await check(desk, date=TUESDAY, until="2027-03-18"))["free"]
    named = {day["date"]: {who.split()[0] for who in day["with"]} for day in days}
    assert "Marcus" in named[TUESDAY] and "Marcus" not in named["2027-03-17"]
    assert all("with" in day for day in (await check(desk, date=TUESDAY, soonest=True))["free"])
    one_day = await run("get_availability", call(HOUSE), desk, {"date": TUESDAY})
    assert one_day.data["free"][0]["with"] == days[0]["with"]


async def test_where_somebody_was_asked_for_nobody_else_is_named(desk):
    """It says already whose times these are."""
    asked = await check(desk, date=TUESDAY, with_person="Rosa")
    assert asked["with"] == "Rosa" and "with" not in asked["free"][0]


async def test_an_answer_that_is_too_long_says_of_fewer_days_with_whom_before_it_leaves_days_out(desk):
    """Of the later ones."""
    data = await check(desk, date=TUESDAY, until="2027-03-20")
    short = shorten(data, len(json.dumps(data | {"openTimes": data["openTimes"][:1]})) - 1)
    assert [day["date"] for day in short["free"]] == [day["date"] for day in data["free"]]
    assert "with" in short["free"][0] and "with" not in short["free"][-1]
    assert all("with" in day for day in data["free"])

"""Times as a model reads them: ISO 8601 in the business's zone, and words it can say."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.resources import PERSON, candidates
from switchboard.contract.business.zones import is_shown_twice, with_zone_if_twice
from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.desk.bookings.availability import AvailabilityAnswer, Choice
from switchboard.desk.bookings.duration import VisitLength
from switchboard.desk.bookings.free_days import FreeDay, Runs
from switchboard.desk.calendars.grid import STEP

_WORDS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday to",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag bis",
    "es": "lunes martes miércoles jueves viernes sábado domingo a",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche à",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica alle",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo às",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag tot",
}

_DAY = timedelta(days=1)


def iso(moment: datetime, zone: ZoneInfo) -> str:
    """Return an aware time as local time with offset, e.g. `2027-03-16T10:00:00-04:00`."""
    return moment.astimezone(zone).isoformat(timespec="seconds")


def in_words(moment: datetime, zone: ZoneInfo) -> str:
    """Return an aware time in English words with its ISO form, e.g. `Tuesday, March 16 at 10:00 AM (2027-…)`."""
    local = moment.astimezone(zone)
    words = f"{local:%A, %B} {local.day} at {local.hour % 12 or 12}:{local:%M %p}"
    return f"{with_zone_if_twice(words, local)} ({iso(moment, zone)})"


def days_in_words(days: Sequence[FreeDay], business: Business) -> list[JsonObject]:
    """Return free days as `{date, times, with, room, note}`, such as `Friday 9:00 to 14:30, 16:30`, in its language.

    `with` names who is free: `Rosa` at all of these times, `Dana 9:00 to 10:30` at those. `note` tells a model what to
    do about a time that the clocks show twice that day. `room` says how many can come together: `4` at all of these
    times, `9:00 to 9:30: 4; 10:00: 6` at those.
    """
    words = _WORDS.get(language_of(business.language), _WORDS["en"])
    *weekdays, until = words.split()
    rows: list[JsonObject] = []
    for day in days:
        times = _runs(day.runs, business.timezone, until)
        row: JsonObject = {"date": day.date.isoformat(), "times": f"{weekdays[day.date.weekday()]} {times}"}
        if day.people:
            theirs = ((name, _runs(runs, business.timezone, until)) for name, runs in day.people)
            row["with"] = [name if own == times else f"{name} {own}" for name, own in theirs]
        if day.room:
            counts = ((count, _runs(runs, business.timezone, until)) for count, runs in day.room)
            row["room"] = "; ".join(str(count) if own == times else f"{own}: {count}" for count, own in counts)
        if note := _twice(day.runs, business.timezone):
            row["note"] = note
        rows.append(row)
    return rows


def _runs(runs: Runs, zone: ZoneInfo, until: str) -> str:
    clocks = (tuple(_clock(moment, zone) for moment in run) for run in runs)
    return ", ".join(first if first == last else f"{first} {until} {last}" for first, last in clocks)


def _twice(runs: Runs, zone: ZoneInfo) -> str:
    """Return what a model is to do with times of these that the clocks show twice; empty where there are none."""
    if not runs or _offset(runs[0][0] - _DAY, zone) == _offset(runs[-1][1] + _DAY, zone):
        return ""
    alone = ""
    for first, last in runs:
        for n in range((last - first) // STEP + 1):
            local = (first + n * STEP).astimezone(zone)
            if not is_shown_twice(local):
                continue
            both = [local.replace(fold=fold) for fold in (0, 1)]
            told = [f"{moment.isoformat(timespec='seconds')} ({moment.tzname()})" for moment in both]
            shown = f"The clocks go back and show {local.hour}:{local:%M} twice."
            if all(_is_in(moment, runs) for moment in both):
                return f"{shown} Ask which one is meant, and send its offset: {' or '.join(told)}."
            alone = alone or f"{shown} Only one of them is free: send its offset, {told[local.fold]}."
    return alone


def _is_in(local: datetime, runs: Runs) -> bool:
    # Compared in UTC: Python calls a local time that is shown twice equal to nothing in another zone (PEP 495).
    return any(first <= local.astimezone(UTC) <= last for first, last in runs)


def _offset(moment: datetime, zone: ZoneInfo) -> timedelta | None:
    return moment.astimezone(zone).utcoffset()


def told_people(ctx: CallContext, visit: VisitLength, answer: AvailabilityAnswer) -> JsonObject:
    """Return whose free times an answer tells where only one will do, and who is free at the one time asked for.

    Also on which weekdays it can be had at all, where that is why there is nothing.
    """
    people = ctx.business.people
    needed = [candidates(need, people, visit.service) for need in visit.needs if need.kind == PERSON]
    able = [person.name for who in needed for person in who if visit.person in ("", person.id)]
    data: JsonObject = {"with": able[0]} if len(able) == 1 else {}
    if answer.only_on:
        *weekdays, _ = _WORDS.get(language_of(ctx.business.language), _WORDS["en"]).split()
        dates = (f"{weekdays[day.weekday()]} {day.isoformat()}" for day in answer.only_on.dates)
        data["onlyOn"] = ", ".join([*(weekdays[day] for day in answer.only_on.weekdays), *dates])
    if answer.free_with and answer.asked is not None:
        data |= {"freeWith": list(answer.free_with), "asked": iso(answer.asked, ctx.business.timezone)}
    if answer.room is not None:
        data["room"] = answer.room
    return data


def _clock(moment: datetime, zone: ZoneInfo) -> str:
    local = moment.astimezone(zone)
    return with_zone_if_twice(f"{local.hour}:{local:%M}", local)


def fewer_times(data: JsonObject, characters: int) -> JsonObject:
    """Return an answer about free times that fits: with fewer of `openTimes`, spread over them, then of `free`.

    Beside `free`, which is all there is, one of them is enough before any day is left out; before that, with whom the
    later days are free.
    """
    times, shorter = data["openTimes"], dict(data)
    # Beside whole days the first and the last are sample enough.
    for count in range(min(len(times), 40), 1 if data.get("free") else 3, -1):
        shorter["openTimes"] = [times[n * (len(times) - 1) // (count - 1)] for n in range(count)]
        if _size(shorter) <= characters:
            return shorter
    if shorter.get("free"):
        shorter["openTimes"], shorter["free"] = times[:1], [dict(row) for row in shorter["free"]]
        for row in reversed(shorter["free"]):
            if _size(shorter) > characters:
                row.pop("with", None)
    for name in ("conflicts", "free"):
        while len(shorter.get(name) or ()) > 1 and _size(shorter) > characters:
            if name == "free":
                # Until when there is more must be known, or what is left looks like all.
                shorter.setdefault("moreUntil", shorter[name][-1]["date"])
            shorter[name] = shorter[name][:-1]
    return shorter


def _size(data: JsonObject) -> int:
    return len(json.dumps(data))


def as_choices(choices: Sequence[Choice], visit: VisitLength, zone: ZoneInfo) -> list[JsonObject]:
    """Return `{start, end}` of a visit, in local ISO form, for each way to have it; `with` says with whom."""
    return [
        {"start": iso(choice.start, zone), "end": iso(visit.end(choice.start), zone)}
        | ({"with": choice.person} if choice.person else {})
        for choice in choices
    ]


def stamp(moment: datetime) -> str:
    """Return an aware time as seed 000 writes times: UTC, ending in Z."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

"""Secret addresses at which people's own calendars read the appointments: over HTTP, as owners and calendars do."""

import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx2 as httpx
import icalendar
import pytest
from starlette.routing import Mount

from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.audit.trail import AuditTrail
from switchboard.admin.calendars import feeds as calendar_feeds
from switchboard.admin.calendars.feed_routes import CalendarFeedEndpoints
from switchboard.admin.calendars.feeds import MOST_FEEDS, CalendarFeeds
from switchboard.channels.http.answer import HANDLERS
from switchboard.contract.ports import Store
from switchboard.contract.store import Delete, Query, Set, Unavailable
from switchboard.desk.bookings.assignment import Assignment, TakenResource
from switchboard.desk.bookings.booking import CANCELLED, PENDING, Booking
from tests.admin.office import OTHER, PATHS, SALON, Owners
from tests.desk.front_desk import StoppedClock
from tests.each import each

BASE = f"/admin/businesses/{SALON}/calendar-feeds"
WITHIN = PATHS.within(SALON)
MARIA = Assignment((TakenResource("maria", "person", "Maria"),), ("s1",))
ROSA = Assignment((TakenResource("rosa", "person", "Rosa"),), ("s2",))


@dataclass
class Wall:
    """Owners, calendars that read, and what there is."""

    store: Store
    clock: StoppedClock
    browser: httpx.AsyncClient

    async def ask(
        self, method: str, path: str, body: Any = None, *, role: str = "owner", of: str = SALON, **headers: str
    ):
        shown = {"Authorization": f"Bearer {of}", "X-Role": role, **headers}
        return await self.browser.request(method, path, content=json.dumps(body or {}), headers=shown)

    async def made(self, **given: Any) -> dict[str, Any]:
        answer = await self.ask("POST", BASE, {"name": "Rosa's phone", **given})
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def read(self, url: str) -> list[icalendar.Event]:
        """Return the events that a calendar program sees, which shows nothing but the address."""
        answer = await self.browser.get(url)
        assert answer.status_code == 200, answer.text
        return list(icalendar.Calendar.from_ical(answer.text).walk("VEVENT"))

    async def book(self, id: str, days: float, **more: Any) -> None:
        """Have an appointment so many days from now."""
        now = self.clock.now()
        fields: dict[str, Any] = {"service": "Haircut", "customer_name": "Ana Lopez", "minutes": 30, **more}
        start = now.replace(minute=0, second=0, microsecond=0) + timedelta(days=days)
        booking = Booking(id=id, business_id=SALON, start=start, created_at=now, **fields)
        await self.store.commit([Set(WITHIN.document("bookings", id), booking.to_document())])


@pytest.fixture
async def wall(store: Store) -> AsyncIterator[Wall]:
    """A salon with two people, and a business beside it."""
    clock = StoppedClock()
    people = {"resources": [{"id": "maria", "name": "Maria"}, {"id": "rosa", "name": "Rosa"}]}
    await store.commit(
        [
            Set(WITHIN.business, {"name": "Salon", "timezone": "America/New_York", **people}),
            Set(PATHS.within(OTHER).business, {"name": "Plumber"}),
        ]
    )
    feeds = CalendarFeedEndpoints(CalendarFeeds(store, PATHS, AuditTrail(store, PATHS, clock), clock), clock)
    both = [
        Mount("/admin", routes=routes(feeds.endpoints, Owners())),
        Mount("/api", routes=routes([feeds.reading], Owners())),
    ]
    app = owners_app(both, HANDLERS)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="https://salon.example") as browser:
        yield Wall(store, clock, browser)


@pytest.mark.requirement("001-93")
async def test_a_calendar_reads_the_appointments_at_a_secret_address(wall: Wall):
    """Those that stand, in the days around now; services and times, and nobody's name."""
    await wall.book("bk_1", 1, customer_phone="+15185550171", customer_notes="allergic", internal_notes="late payer")
    await wall.book("bk_2", 2, status=PENDING)
    await wall.book("bk_3", 3, status=CANCELLED)
    await wall.book("bk_4", -30)
    await wall.book("bk_5", 400)
    made = await wall.made()
    assert made["url"].startswith(f"https://salon.example/api/calendar/{SALON}/") and made["url"].endswith(".ics")
    answer = await wall.browser.get(made["url"])
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert "private" in answer.headers["cache-control"] and "noindex" in answer.headers["x-robots-tag"]
    first, second = await wall.read(made["url"])
    assert (str(first["SUMMARY"]), str(first["STATUS"]), str(second["STATUS"])) == ("Haircut", "CONFIRMED", "TENTATIVE")
    start = wall.clock.now().replace(minute=0, second=0, microsecond=0) + timedelta(days=1)
    assert (first["DTSTART"].dt, first["DTEND"].dt) == (start, start + timedelta(minutes=30))
    for hidden in ("Ana", "5185550171", "allergic", "late payer"):
        assert hidden not in answer.text


async def test_customers_are_named_only_where_the_owner_wants_it(wall: Wall):
    """Never with a number or a note."""
    await wall.book("bk_1", 1, customer_phone="+15185550171", customer_notes="allergic", taken=MARIA)
    (event,) = await wall.read((await wall.made(showsNames=True))["url"])
    assert str(event["SUMMARY"]) == "Haircut: Ana Lopez (Maria)"
    assert "5185550171" not in event.to_ical().decode() and "allergic" not in event.to_ical().decode()


async def test_how_many_come_is_told_where_they_are_several(wall: Wall):
    """Whoever reads it has to know how many chairs to put out."""
    await wall.book("bk_1", 1, taken=MARIA, party=3)
    await wall.book("bk_2", 2, taken=MARIA, party=1)
    for asked, title in (
        ({"showsNames": True}, "Haircut: Ana Lopez, 3 people (Maria)"),
        ({}, "Haircut, 3 people (Maria)"),
        ({"person": "maria", "showsNames": True}, "Haircut: Ana Lopez, 3 people"),
    ):
        first, second = await wall.read((await wall.made(**asked))["url"])
        assert str(first["SUMMARY"]) == title and "people" not in str(second["SUMMARY"])


async def test_a_persons_own_address_tells_that_persons_appointments(wall: Wall):
    """And nobody else's."""
    await wall.book("bk_1", 1, taken=MARIA)
    await wall.book("bk_2", 2, taken=ROSA)
    await wall.book("bk_3", 3)
    (event,) = await wall.read((await wall.made(person="rosa"))["url"])
    assert str(event["UID"]) == f"bk_2@{SALON}" and str(event["SUMMARY"]) == "Haircut"
    assert len(await wall.read((await wall.made())["url"])) == 3


async def test_a_busy_house_does_not_crowd_one_person_out_of_a_feed(wall: Wall, monkeypatch: pytest.MonkeyPatch):
    """Others' appointments and cancelled ones, however many there were, take no room in it."""
    monkeypatch.setattr(calendar_feeds, "_AT_ONCE", 2)
    monkeypatch.setattr(calendar_feeds, "MOST_READ", 6)
    for number in range(8):
        await wall.book(f"bk_{number}", number / 10 - 2, taken=MARIA)
    for number in range(3):
        await wall.book(f"bk_gone{number}", number / 10 - 1, taken=ROSA, status=CANCELLED)
    await wall.book("bk_rosa", 1, taken=ROSA)
    url = (await wall.made(person="rosa"))["url"]
    assert [str(event["UID"]) for event in await wall.read(url)] == [f"bk_rosa@{SALON}"]
    assert "Whole until" not in (await wall.browser.get(url)).text


async def test_a_feed_that_had_to_be_cut_says_until_when_it_is_whole(wall: Wall, monkeypatch: pytest.MonkeyPatch):
    """On the business's own clock; one that just fits says nothing of it."""
    monkeypatch.setattr(calendar_feeds, "_AT_ONCE", 2)
    monkeypatch.setattr(calendar_feeds, "MOST_READ", 4)
    for number in range(4):
        await wall.book(f"bk_{number}", number + 1)
    url = (await wall.made())["url"]
    assert len(await wall.read(url)) == 4 and "Whole until" not in (await wall.browser.get(url)).text
    await wall.book("bk_4", 5)
    assert len(await wall.read(url)) == 4
    start = wall.clock.now().replace(minute=0, second=0, microsecond=0) + timedelta(days=5)
    local = start.astimezone(ZoneInfo("America/New_York"))
    calendar = icalendar.Calendar.from_ical((await wall.browser.get(url)).text)
    assert f"Whole until {local:%Y-%m-%d %H:%M} only" in str(calendar["X-WR-CALDESC"])


@each(
    ("name", "read"),
    [
        ("Ana\r\nBEGIN:VEVENT\r\nUID:evil\r\nEND:VEVENT", "Ana BEGIN:VEVENT UID:evil END:VEVENT"),
        ("Ana\nX-EVIL:1", "Ana X-EVIL:1"),
        ("Ana\rX-EVIL:1", "Ana X-EVIL:1"),
        ("Ana\u2028X-EVIL:1\u2029X-EVIL:2\x85X-EVIL:3\x0bX-EVIL:4", "Ana X-EVIL:1 X-EVIL:2 X-EVIL:3 X-EVIL:4"),
        ("Ana\x00X-EVIL:1\x1b\x7f Lopez\t", "Ana X-EVIL:1 Lopez"),
        ('a;b,c\\n:d"e\\', 'a;b,c\\n:d"e\\'),
        ("é😀" * 40, "é😀" * 40),
    ],
)
async def test_no_name_brings_a_line_of_its_own_into_a_feed(wall: Wall, name: str, read: str):
    """Of people, services, businesses and customers: it is read as it was entered, on one line, escaped and folded."""
    people = {"resources": [{"id": "rosa", "name": name}]}
    await wall.store.commit([Set(WITHIN.business, {"name": name, "timezone": "UTC", **people})])
    with_whom = Assignment((TakenResource("rosa", "person", name),), ("s1",))
    await wall.book("bk_1", 1, service=name, customer_name=name, taken=with_whom)
    answer = await wall.browser.get((await wall.made(showsNames=True))["url"])
    assert answer.status_code == 200
    lines = [line.decode() for line in answer.content.removesuffix(b"\r\n").split(b"\r\n")]
    assert all(line.isprintable() and len(line.encode()) <= 75 for line in lines)
    assert (lines.count("BEGIN:VEVENT"), [line for line in lines if line.startswith("X-EVIL")]) == (1, [])
    calendar = icalendar.Calendar.from_ical(answer.content)
    (event,) = calendar.walk("VEVENT")
    assert (str(event["UID"]), str(event["SUMMARY"])) == (f"bk_1@{SALON}", f"{read}: {read} ({read})")
    # A program reads what it does not know as text as well.
    text = "".join(line.removeprefix(" ") if line.startswith(" ") else f"\n{line}" for line in lines)
    told = re.search(r"^X-WR-CALNAME:(.*)$", text, re.MULTILINE)
    assert told is not None and re.sub(r"\\(.)", r"\1", told[1]) == f"{read}: Rosa's phone"


async def test_an_address_is_told_once_and_only_its_hash_is_kept(wall: Wall):
    """Whoever reads the store, the list or the audit cannot read the calendar."""
    made = await wall.made(showsNames=True)
    token = made["url"].rpartition("/")[2].removesuffix(".ics")
    assert len(token) >= 40
    listed = (await wall.ask("GET", BASE)).json()["feeds"]
    assert [(it["id"], it["name"], it["showsNames"], it["person"]) for it in listed] == [
        (made["id"], "Rosa's phone", True, None)
    ]
    kept = [await wall.store.query(Query(WITHIN.collection(name))) for name in ("calendarFeeds", "audit")]
    assert all(kept) and token not in repr(kept) + json.dumps(listed)
    assert (await wall.browser.get(made["url"].replace(token, made["id"]))).status_code == 404


async def test_a_revoked_address_leads_nowhere(wall: Wall):
    """At once; the others go on."""
    first, second = await wall.made(), await wall.made(name="Office")
    late = await wall.ask("DELETE", f"{BASE}/{first['id']}", **{"If-Match": '"another"'})
    assert late.status_code == 412
    gone = await wall.ask("DELETE", f"{BASE}/{first['id']}", **{"If-Match": f'"{first["revision"]}"'})
    assert (gone.status_code, gone.json()["revoked"]) == (200, True)
    answer = await wall.browser.get(first["url"])
    assert (answer.status_code, answer.headers["cache-control"]) == (404, "no-store")
    assert await wall.read(second["url"]) == []
    again = await wall.ask("DELETE", f"{BASE}/{first['id']}", **{"If-Match": f'"{first["revision"]}"'})
    assert again.status_code == 404
    changes = [row.data["kind"] for row in await wall.store.query(Query(WITHIN.collection("audit")))]
    assert changes == ["calendarFeed"] * 3


async def test_an_address_opens_one_business_and_nothing_else(wall: Wall):
    """Neither another one's appointments, nor anything under a guess."""
    made = await wall.made()
    token = made["url"].rpartition("/")[2]
    for path in (
        f"/api/calendar/{OTHER}/{token}",
        f"/api/calendar/nobody/{token}",
        f"/api/calendar/{SALON}/x.ics",
        f"/api/calendar/{SALON}/{'x' * 5_000}.ics",
        f"/api/calendar/{SALON}/%F0%9F%98%80.ics",
        f"/api/calendar/..%2F..%2F{SALON}/{token}",
    ):
        assert (await wall.browser.get(path)).status_code == 404, path
    assert (await wall.browser.post(made["url"])).status_code == 405
    await wall.store.commit([Delete(WITHIN.business)])
    assert (await wall.browser.get(made["url"])).status_code == 404


@each(
    ("given", "field"),
    [
        ({}, "name"),
        ({"name": " "}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "two\nlines"}, "name"),
        ({"name": "x", "showsNames": "yes"}, "showsNames"),
        ({"name": "x", "person": "nobody"}, "person"),
        ({"name": "x", "person": 7}, "person"),
        ({"name": "x", "colour": "red"}, "colour"),
    ],
)
async def test_what_cannot_be_made_names_the_field(wall: Wall, given: dict[str, Any], field: str):
    """And what would work."""
    answer = await wall.ask("POST", BASE, given)
    assert answer.status_code == 400
    assert [problem["field"] for problem in answer.json()["error"]["problems"]] == [field]


async def test_only_who_may_make_keys_may_make_an_address(wall: Wall):
    """An editor would otherwise let anybody read who comes."""
    assert (await wall.ask("POST", BASE, {"name": "x"}, role="editor")).status_code == 403
    assert (await wall.ask("GET", BASE, role="viewer")).status_code == 403
    assert (await wall.ask("POST", BASE, {"name": "x"}, of=OTHER)).status_code == 403


async def test_there_are_only_so_many(wall: Wall):
    """One more is refused, until one is revoked."""
    for number in range(MOST_FEEDS):
        await wall.made(name=f"n{number}")
    answer = await wall.ask("POST", BASE, {"name": "x"})
    assert answer.status_code == 409 and "revoke one" in answer.text


async def test_while_the_store_does_not_answer_a_calendar_is_told_to_come_back(
    wall: Wall, monkeypatch: pytest.MonkeyPatch
):
    """Nothing is empty by mistake: a program that reads an empty calendar deletes all its entries."""
    made = await wall.made()

    async def hangs(*_: object, **__: object) -> None:
        raise Unavailable("hangs")

    monkeypatch.setattr(type(wall.store), "query", hangs)
    answer = await wall.browser.get(made["url"])
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "60")

"""What a month cost, over HTTP: for those who run a business, of all for platform admins, as JSON and as CSV."""

import csv
import io
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx2 as httpx
import pytest

from switchboard.admin.api.paging import Page
from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.costs.counting import MonthCounting
from switchboard.admin.costs.limit_settings import LimitSettings
from switchboard.admin.costs.month_stops import LimitStandings, MonthStops, limits_kind
from switchboard.admin.costs.months import MonthStatements
from switchboard.admin.costs.prices import Prices
from switchboard.admin.costs.routes import CostEndpoints
from switchboard.channels.http.answer import HANDLERS
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Set
from switchboard.state.memory.store import MemoryStore
from tests.admin.businesses.test_daily_stats import ReadStore
from tests.admin.owners_office import HOST, OTHER, OWN, PATHS, Premises, open_premises, token
from tests.desk.front_desk import NOW, StoppedClock

MONTH = f"{NOW:%Y-%m}"
SUMS: JsonObject = {
    "toolCalls": {"look": 3, "=HYPERLINK": 1, "book_appointment": 2},
    "kinds": {"retrieval": 4, "action": 2},
    "texts": {"count": 2, "segments": 3, "unknown": 1},
    "conversations": {
        "phone": {"count": 2, "turns": 6, "seconds": 121, "minutes": 4, "unknown": 1},
        "browser_voice": {"count": 1, "turns": 1, "unknown": 1},
        "portal": {"count": 1, "turns": 2},
    },
    "models": {
        "openai:gpt-4.1-mini": {"input": 1_234_567, "output": 20_000, "answers": 9, "unknown": 2},
        "gemini:flash": {"answers": 1, "unknown": 1},
    },
}
PRICES = {
    "currency": "USD",
    "prices": [
        {"item": "texts", "price": "0.0079"},
        {"item": "phoneMinutes", "price": "0.014"},
        {"item": "modelInput", "of": "openai:gpt-4.1-mini", "price": "0.40"},
        {"item": "modelOutput", "price": "1.60"},
    ],
}


@dataclass
class Counter:
    """A counter at which people ask what a month cost."""

    premises: Premises
    client: httpx.AsyncClient

    async def ask(self, path: str, person: str = "platform", **query: str) -> httpx.Response:
        """Ask as somebody."""
        return await self.client.get(path, headers=token(person), params=query)

    async def put(self, body: Any, person: str = "platform", revision: str = "") -> httpx.Response:
        """Enter prices, based on those that there are now unless said otherwise."""
        based_on = revision or (await self.ask("/prices")).json()["revision"]
        return await self.client.put("/prices", headers=token(person) | {"If-Match": f'"{based_on}"'}, json=body)

    async def line(self, item: str, of: str = "") -> JsonObject:
        """Return a line of the salon's month."""
        lines = (await self.ask(f"/businesses/{OWN}/costs", month=MONTH)).json()["lines"]
        (line,) = [one for one in lines if (one["item"], one["of"]) == (item, of)]
        return dict(line)


@pytest.fixture
async def counter() -> AsyncIterator[Counter]:
    """The endpoints, over a salon of which a month was counted, and a plumber of whom none was."""
    premises = await open_premises(MemoryStore())
    since = NOW - timedelta(days=100)
    progress = {name: {"at": NOW, "path": ""} for name in ("calls0", "calls1", "conversations0", "conversations1")}
    await premises.store.commit(
        [
            Set(PATHS.within(OWN).document("days", MONTH), {"month": MONTH, **SUMS}),
            Set(PATHS.month_counting, {"since": since, "messages": {"at": NOW, "path": ""}, **progress}),
        ]
    )
    parts = premises.store, PATHS, premises.clock
    stops = MonthStops(*parts, premises.forgotten.append)
    limits = LimitSettings(*parts, premises.office.revisions, limits_kind(stops.note_of), LimitStandings(*parts))
    endpoints = CostEndpoints(MonthStatements(*parts), Prices(*parts), limits).endpoints
    app = owners_app(routes(endpoints, premises.access), HANDLERS)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST) as client:
        yield Counter(premises, client)
    await premises.browser.aclose()


@pytest.mark.requirement("004-802")
async def test_without_prices_everything_is_counted_and_nothing_has_a_cost(counter: Counter) -> None:
    """What nobody knows is told as unknown, and is no zero."""
    month = (await counter.ask(f"/businesses/{OWN}/costs", "editor")).json()
    assert (month["month"], month["cost"], month["currency"], month["isWhole"]) == (MONTH, None, "", False)
    lines = {(line["item"], line["of"]): (line["count"], line["unknown"], line["cost"]) for line in month["lines"]}
    assert lines["toolCalls", "look"] == (3, 0, None)
    assert lines["texts", ""] == (3, 1, None)
    assert lines["phoneMinutes", ""] == (4, 1, None)
    assert lines["voiceMinutes", ""] == (None, 1, None)
    assert lines["modelInput", "openai:gpt-4.1-mini"] == (1_234_567, 2, None)
    assert lines["modelInput", "gemini:flash"] == (None, 1, None)
    assert {line["item"] for line in month["lines"] if line["isEstimated"]} == {
        "firestoreReads",
        "firestoreWrites",
        "firestoreDeletes",
    }


@pytest.mark.requirement("004-802")
async def test_costs_are_decimal_and_those_of_prices_that_are_entered(counter: Counter) -> None:
    """Binary fractions would make 3 texts of 0.0079 cost 0.023700000000000002."""
    assert (await counter.put(PRICES)).status_code == 200
    assert (await counter.line("texts"))["cost"] == "0.0237"
    assert (await counter.line("phoneMinutes"))["cost"] == "0.056"
    assert (await counter.line("modelInput", "openai:gpt-4.1-mini"))["cost"] == "0.4938268"
    assert (await counter.line("modelInput", "gemini:flash"))["price"] is None
    month = (await counter.ask(f"/businesses/{OWN}/costs", "owner")).json()
    assert (month["currency"], month["cost"], month["isWhole"]) == ("USD", "0.6055268", False)


@pytest.mark.requirement("004-802")
async def test_a_month_is_priced_by_the_prices_of_now(counter: Counter) -> None:
    """Also one in whose midst, or after whose end, a price was changed: there are no prices of then."""
    await counter.put(PRICES)
    dearer = {"currency": "USD", "prices": [{"item": "texts", "price": "0.01"}]}
    assert (await counter.put(dearer)).status_code == 200
    assert (await counter.line("texts"))["cost"] == "0.03"
    assert (await counter.line("phoneMinutes"))["price"] is None


@pytest.mark.requirement("004-803")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"currency": "dollar", "prices": []}, "currency"),
        ({"currency": "usd", "prices": []}, "currency"),
        ({"currency": "USD", "prices": [{"item": "texts", "price": "0.0079 EUR"}]}, "prices[0].price"),
        ({"currency": "USD", "prices": [{"item": "texts", "price": "€0.0079"}]}, "prices[0].price"),
        ({"currency": "USD", "prices": [{"item": "texts", "price": "0,0079"}]}, "prices[0].price"),
        ({"currency": "USD", "prices": [{"item": "texts", "price": "-1"}]}, "prices[0].price"),
        ({"currency": "USD", "prices": [{"item": "texts", "price": 0.0079}]}, "prices[0].price"),
        ({"currency": "USD", "prices": [{"item": "calls", "price": "1"}]}, "prices[0].item"),
        ({"currency": "USD", "prices": [{"item": "texts", "of": "look", "price": "1"}]}, "prices[0].of"),
        (
            {"currency": "USD", "prices": [{"item": "texts", "price": "1"}, {"item": "texts", "price": "2"}]},
            "prices[1]",
        ),
        ({"currency": "USD", "prices": [{"item": "texts", "price": "1", "currency": "EUR"}]}, "prices[0].currency"),
    ],
)
async def test_what_is_no_price_in_the_one_currency_is_refused_by_name(
    counter: Counter, body: JsonObject, field: str
) -> None:
    answer = await counter.put(body)
    assert answer.status_code == 400
    assert [problem["field"] for problem in answer.json()["error"]["problems"]] == [field]
    assert (await counter.ask("/prices")).json()["prices"] == []


@pytest.mark.requirement("004-803")
async def test_prices_are_replaced_on_what_was_read_and_it_is_kept_who_did_it(counter: Counter) -> None:
    before = (await counter.ask("/prices")).json()["revision"]
    saved = await counter.put(PRICES, revision=before)
    assert saved.headers["ETag"] == f'"{saved.json()["revision"]}"'
    late = await counter.put({"currency": "EUR", "prices": []}, revision=before)
    assert (late.status_code, late.json()["error"]["conflict"]["current"]["currency"]) == (412, "USD")
    unchanged = await counter.put(PRICES)
    assert (unchanged.status_code, "Audit-Entry" in unchanged.headers) == (200, False)
    unsaid = await counter.client.put("/prices", headers=token("platform"), json=PRICES)
    assert unsaid.status_code == 428
    (change,) = (await counter.ask("/prices/changes")).json()["changes"]
    assert (change["id"], change["who"]["name"]) == (saved.headers["Audit-Entry"], "platform@example.com")
    assert (change["before"]["prices"], len(change["after"]["prices"])) == ([], 4)


@pytest.mark.requirement("004-804")
@pytest.mark.parametrize(
    ("path", "person", "status"),
    [
        (f"/businesses/{OWN}/costs", "viewer", 403),
        (f"/businesses/{OWN}/costs", "editor", 200),
        (f"/businesses/{OWN}/costs", "owner", 200),
        (f"/businesses/{OWN}/costs", "platform", 200),
        (f"/businesses/{OWN}/costs", "neighbour", 403),
        (f"/businesses/{OTHER}/costs", "owner", 403),
        (f"/businesses/{OTHER}/costs", "neighbour", 200),
        ("/costs", "owner", 403),
        ("/costs", "platform", 200),
        ("/prices", "owner", 403),
        ("/prices", "platform", 200),
        ("/prices/changes", "owner", 403),
    ],
)
async def test_who_may_see_what_it_cost(counter: Counter, path: str, person: str, status: int) -> None:
    """Nobody sees another business's month; all of them, and prices, are for platform admins."""
    assert (await counter.ask(path, person)).status_code == status


@pytest.mark.requirement("004-804")
async def test_an_owner_enters_no_prices(counter: Counter) -> None:
    assert (await counter.put(PRICES, "owner")).status_code == 403


@pytest.mark.requirement("004-802")
async def test_as_csv_a_month_is_a_row_a_line_and_no_cell_is_a_formula(counter: Counter) -> None:
    await counter.put(PRICES)
    answer = await counter.ask(f"/businesses/{OWN}/costs", month=MONTH, format="csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert f"costs-{MONTH}.csv" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    month = (await counter.ask(f"/businesses/{OWN}/costs", month=MONTH)).json()
    assert len(rows) == len(month["lines"])
    by_item = {(row["item"], row["of"]): row for row in rows}
    assert by_item["texts", ""]["cost"] == "0.0237"
    assert (by_item["voiceMinutes", ""]["count"], by_item["voiceMinutes", ""]["unknown"]) == ("", "1")
    assert by_item["toolCalls", "'=HYPERLINK"]["count"] == "1"
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@"))]


@pytest.mark.requirement("004-804")
async def test_all_businesses_come_in_pages_also_as_csv(counter: Counter) -> None:
    first = (await counter.ask("/costs", month=MONTH, limit="1")).json()
    then = (await counter.ask("/costs", month=MONTH, limit="1", cursor=first["nextCursor"])).json()
    ids = [one["businessId"] for one in (*first["statements"], *then["statements"])]
    assert (ids, then["nextCursor"]) == ([OTHER, OWN], None)
    table = await counter.ask("/costs", month=MONTH, format="csv", limit="1")
    assert table.headers["Next-Cursor"] == first["nextCursor"]
    rest = await counter.ask("/costs", month=MONTH, format="csv", cursor=first["nextCursor"])
    rows = list(csv.DictReader(io.StringIO(rest.text)))
    assert ({row["businessId"] for row in rows}, "Next-Cursor" in rest.headers) == ({OWN}, False)


@pytest.mark.requirement("004-804")
@pytest.mark.parametrize("month", ["2026", "2026-13", "2026-1", "1999-01", "2026-11-01", "x"])
async def test_what_is_no_month_is_refused(counter: Counter, month: str) -> None:
    for path in (f"/businesses/{OWN}/costs", "/costs"):
        answer = await counter.ask(path, month=month)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, "month")


@pytest.mark.requirement("004-801")
async def test_a_month_says_whether_it_was_counted_whole_and_whether_it_is_over(counter: Counter) -> None:
    """A month in whose midst counting began has no whole count; without any counting, nothing is known."""
    asked = [f"{NOW - timedelta(days=days):%Y-%m}" for days in (0, 40, 100)]
    told = [(await counter.ask(f"/businesses/{OWN}/costs", month=month)).json() for month in asked]
    assert [(one["isCountedWhole"], one["isOver"]) for one in told] == [(True, False), (True, True), (False, True)]
    assert told[0]["countedUntil"] is not None
    fresh = MonthStatements(MemoryStore(), PATHS, counter.premises.clock)
    await fresh._store.commit([Set(PATHS.within(OWN).business, {"name": "Salon", "timezone": "UTC"})])
    statement = await fresh.of(OWN)
    assert (statement.counted_since, statement.is_counted_whole, statement.lines) == (None, False, ())


@pytest.mark.requirement("004-801")
async def test_until_what_is_counted_reaches_the_beginning_nothing_is_said_to_be_counted() -> None:
    """What is counted is some time old: the first pass looks back, and has seen nothing of what it shall count."""
    store = MemoryStore()
    await store.commit([Set(PATHS.within(OWN).business, {"name": "Salon", "timezone": "UTC"})])
    await MonthCounting(store, PATHS, StoppedClock()).count()
    statement = await MonthStatements(store, PATHS, StoppedClock()).of(OWN)
    assert statement.counted_since is not None and statement.counted_until is None


@pytest.mark.requirement("004-807")
async def test_a_month_is_told_from_a_handful_of_documents_however_much_was_used() -> None:
    """Conversations and calls are not read for it, and nothing is counted by the store."""
    store = ReadStore()
    writes = [Set(PATHS.within(OWN).document("interactions", f"i{n}"), {"startedAt": NOW}) for n in range(300)]
    sums = Set(PATHS.within(OWN).document("days", MONTH), SUMS)
    await store.commit([Set(PATHS.within(OWN).business, {"name": "Salon", "timezone": "UTC"}), sums, *writes])
    months = MonthStatements(store, PATHS, StoppedClock())
    assert (await months.of(OWN, MONTH)).lines
    assert (store.read, store.counted) == (4, 0)
    store.read = 0
    assert len((await months.of_all(Page(), MONTH)).items) == 1
    assert (store.read, store.counted) == (4, 0)

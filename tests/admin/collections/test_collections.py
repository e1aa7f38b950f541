"""Collections over HTTP: made, filled row by row or by a file, read by callers' tools, and never half-done."""

import asyncio
import threading
from typing import Any

import pytest

from switchboard.admin.collections.rows import MOST_CHANGED, MOST_ROWS
from switchboard.admin.collections.table_text import TableText, read_table
from switchboard.contract.definitions.tenant_tool import BoundQuery
from switchboard.contract.store import Query, Set
from switchboard.desk.tenant_tools.queries import TenantQueries
from tests.admin.owners_office import OTHER, OWN, PATHS, Premises
from tests.desk.front_desk import call, salon

BASE = f"/admin/businesses/{OWN}/collections"
HOMES = f"{BASE}/homes"
FIELDS = [
    {"name": "town", "type": "text"},
    {"name": "rooms", "type": "number"},
    {"name": "has_garden", "type": "boolean"},
]
ALBANY = {"town": "Albany", "rooms": 3, "has_garden": True}


@pytest.fixture
async def homes(premises: Premises) -> Premises:
    """The salon, which keeps homes."""
    made = await premises.ask("POST", BASE, json={"name": "homes", "fields": FIELDS})
    assert (made.status_code, made.json()["items"]) == (201, 0), made.text
    return premises


async def added(premises: Premises, **fields: Any) -> dict[str, Any]:
    answer = await premises.ask("POST", f"{HOMES}/rows", json={"fields": ALBANY | fields})
    assert answer.status_code == 201, answer.text
    row: dict[str, Any] = answer.json()
    return row


async def stored(premises: Premises) -> list[dict[str, Any]]:
    """Return the rows as callers' tools read them."""
    return [document.data for document in await premises.store.query(Query(PATHS.within(OWN).items("homes")))]


async def checked(premises: Premises, csv: str, **more: Any) -> dict[str, Any]:
    answer = await premises.ask("POST", f"{HOMES}/table/check", json={"csv": csv, **more})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def taken(premises: Premises, csv: str, revision: str, person: str = "owner", **more: Any) -> Any:
    return await premises.ask("POST", f"{HOMES}/table", person, json={"csv": csv, **more}, revision=revision)


@pytest.mark.requirement("004-733")
async def test_rows_are_added_changed_and_removed_and_callers_are_told_so_at_once(homes: Premises):
    """They lie where tools have always read them, with nothing in them but what their owner wrote."""
    row = await added(homes)
    assert row["fields"] == ALBANY
    assert await stored(homes) == [ALBANY]
    asked = BoundQuery(collection="homes", filters=(("rooms", ">=", 3),), limit=5)
    queries = TenantQueries(homes.store, homes.knowledge)
    assert [one["town"] for one in (await queries.ask(call(salon(OWN)), asked)).results] == ["Albany"]
    path = f"{HOMES}/rows/{row['id']}"
    put = await homes.ask("PUT", path, json={"fields": {"town": "Troy", "rooms": 2}}, revision=row["revision"])
    assert (put.status_code, await stored(homes)) == (200, [{"town": "Troy", "rooms": 2}])
    stale = await homes.ask("PUT", path, "editor", json={"fields": ALBANY}, revision=row["revision"])
    assert (stale.status_code, stale.json()["error"]["conflict"]["current"]["town"]) == (412, "Troy")
    gone = await homes.ask("DELETE", path, revision=put.json()["revision"])
    assert (gone.status_code, await stored(homes)) == (200, [])
    assert [entry["kind"] for entry in await homes.audit()] == ["collection", *["collectionRows"] * 3]


@pytest.mark.requirement("004-733")
async def test_a_value_of_another_type_is_refused_by_its_name(homes: Premises):
    """Everything that is wrong at once; nothing is written."""
    wrong = {"town": 3, "rooms": True, "has_garden": "yes", "price": 1}
    answer = await homes.ask("POST", f"{HOMES}/rows", json={"fields": wrong})
    assert (answer.status_code, [one["field"] for one in answer.json()["error"]["problems"]]) == (
        400,
        ["fields.town", "fields.rooms", "fields.has_garden", "fields.price"],
    )
    for fields in ({}, {"town": None}, {"town": "x" * 2_001}, {"rooms": 1e300}):
        assert (await homes.ask("POST", f"{HOMES}/rows", json={"fields": fields})).status_code == 400
    assert await stored(homes) == []


@pytest.mark.requirement("004-733")
async def test_a_collection_that_was_filled_before_shows_its_fields_and_loses_nothing(premises: Premises):
    """Whatever else lies in a row stays there when it is edited."""
    old = ALBANY | {"photos": ["a.jpg"], "since": premises.clock.now()}
    await premises.store.commit([Set(f"{PATHS.within(OWN).items('homes')}/h1", old)])
    shown = (await premises.ask("GET", HOMES, "viewer")).json()
    assert (shown["isDescribed"], sorted(one["name"] for one in shown["fields"])) == (False, sorted(ALBANY))
    [row] = (await premises.ask("GET", f"{HOMES}/rows", "viewer")).json()["rows"]
    assert (row["fields"], row["others"]) == (ALBANY, ["photos", "since"])
    put = await premises.ask(
        "PUT", f"{HOMES}/rows/h1", json={"fields": ALBANY | {"rooms": 4}}, revision=row["revision"]
    )
    assert put.status_code == 200, put.text
    assert await stored(premises) == [old | {"rooms": 4}]


@pytest.mark.requirement("004-734")
async def test_a_file_is_checked_first_and_taken_in_whole(homes: Premises):
    """With the semicolons and decimal commas of a spreadsheet, and the columns in any order."""
    text = "\ufeffRooms;Has Garden;Town;Agent\r\n3,5;ja;Albany;Ann\r\n2;nein;Troy;Bob\r\n;;;\r\n"
    told = await checked(homes, text)
    assert told["columns"] == [
        {"name": "Rooms", "field": "rooms"},
        {"name": "Has Garden", "field": "has_garden"},
        {"name": "Town", "field": "town"},
        {"name": "Agent", "field": None},
    ]
    assert [note["column"] for note in told["notes"]] == ["Agent"]
    assert (told["added"], told["problems"], await stored(homes)) == (2, [], [])
    answer = await taken(homes, text, told["revision"])
    assert answer.status_code == 200, answer.text
    assert sorted(row["town"] for row in await stored(homes)) == ["Albany", "Troy"]
    assert {row["rooms"] for row in await stored(homes)} == {2, 3.5}
    # Sent again, as by somebody whose page showed no answer, it makes nothing twice.
    again = await taken(homes, text, answer.json()["revision"])
    assert (again.status_code, again.json()["unchanged"], len(await stored(homes))) == (200, 2, 2)
    assert len(await homes.audit()) == 2


@pytest.mark.requirement("004-734")
async def test_what_is_written_out_is_read_in_again(homes: Premises):
    """By their ids rows are changed, and with `replace` those that are not named are removed; formulas stay text."""
    words = {"town": '=HYPERLINK("x"), "a"\nb', "rooms": -2, "has_garden": False}
    await added(homes)
    await added(homes, **words)
    table = (await homes.ask("GET", f"{HOMES}/table", "viewer")).json()["csv"]
    assert "'=HYPERLINK" in table
    told = await checked(homes, table, replace=True)
    assert (told["added"], told["changed"], told["removed"], told["unchanged"]) == (0, 0, 0, 2)
    edited = "\r\n".join(line for line in table.replace("Albany", "Colonie").split("\r\n") if "HYPERLINK" not in line)
    edited = edited.replace('b",-2,no\r\n', "")
    told = await checked(homes, edited, replace=True)
    assert (told["added"], told["changed"], told["removed"], told["problems"]) == (0, 1, 1, [])
    assert (await taken(homes, edited, told["revision"], replace=True)).status_code == 200
    assert [row["town"] for row in await stored(homes)] == ["Colonie"]


@pytest.mark.requirement("004-734")
async def test_a_file_with_one_bad_line_changes_nothing(homes: Premises):
    """Each bad line is named with its number and the reason, as many as there are."""
    text = "town,rooms,has_garden\nAlbany,3,yes\nTroy,many,perhaps\n,,\nColonie,1,no,more\n"
    told = await checked(homes, text)
    assert [(one["line"], one["column"]) for one in told["problems"]] == [(3, "rooms"), (3, "has_garden"), (5, "")]
    assert "it is 'many'" in told["problems"][0]["message"]
    answer = await taken(homes, text, told["revision"])
    assert (answer.status_code, "Line 3" in answer.text, await stored(homes)) == (400, True, [])


@pytest.mark.requirement("004-734")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "first line must name"),
        ("price\n3\n", "first line must name"),
        ("town,Town\na,b\n", "Two columns"),
        ("id,town\nnobody,Troy\n", "no row of the id"),
        ('town\n"Albany\n', "no CSV"),
        ("town\n" + "\n".join(f"T{n}" for n in range(MOST_CHANGED + 1)), "Cut it into several"),
        ("town\n" + "\n".join(f"T{n}" for n in range(MOST_ROWS + 1)), "There would be 1,501 rows, and at most 1,500"),
    ],
)
async def test_a_file_that_cannot_be_taken_in_says_why(homes: Premises, text: str, words: str):
    """And loses nothing."""
    told = await checked(homes, text)
    assert words in told["problems"][0]["message"]
    assert (await taken(homes, text, told["revision"])).status_code == 400
    assert await stored(homes) == []


@pytest.mark.requirement("004-734")
async def test_a_file_of_as_many_rows_as_one_commit_takes_is_taken_in_whole(homes: Premises):
    """In one commit, so that there is no half of it."""
    text = "town\n" + "\n".join(f"Town {n}" for n in range(MOST_CHANGED))
    told = await checked(homes, text)
    assert (await taken(homes, text, told["revision"])).status_code == 200
    assert len(await stored(homes)) == MOST_CHANGED


@pytest.mark.requirement("004-734")
async def test_a_check_tells_what_taking_it_in_would_be_refused_for(homes: Premises):
    """Also where the rows that there are leave no room: nobody cuts a file up in vain."""
    items = PATHS.within(OWN).items("homes")
    rows = [Set(f"{items}/row_{n:04}", {"town": f"Town {n}"}) for n in range(MOST_ROWS - 1)]
    for begin in range(0, len(rows), 500):
        await homes.store.commit(rows[begin : begin + 500])
    told = await checked(homes, "town\nTroy\nAlbany\n")
    assert [one["message"] for one in told["problems"]] == [
        "There would be 1,501 rows, and at most 1,500 are looked through when a caller asks. Leave some out, or make a "
        "second collection."
    ]
    assert (await taken(homes, "town\nTroy\nAlbany\n", told["revision"])).status_code == 400
    told = await checked(homes, "town\nTroy\n")
    assert told["problems"] == []
    assert (await taken(homes, "town\nTroy\n", told["revision"])).status_code == 200


@pytest.mark.requirement("004-734")
async def test_a_file_that_was_checked_before_somebody_else_wrote_is_checked_again(homes: Premises):
    """Nothing of theirs is overwritten unseen."""
    told = await checked(homes, "town\nTroy\n", replace=True)
    await added(homes)
    answer = await taken(homes, "town\nTroy\n", told["revision"], replace=True)
    assert (answer.status_code, await stored(homes)) == (412, [ALBANY])


@pytest.mark.requirement("004-733")
async def test_nobody_reads_or_writes_a_collection_who_may_not(homes: Premises):
    """Viewers read; neighbours see nothing; the other business has no such collection."""
    row = await added(homes)
    body = {"fields": ALBANY}
    for method, path, sent in (
        ("POST", f"{HOMES}/rows", body),
        ("PUT", f"{HOMES}/rows/{row['id']}", body),
        ("POST", f"{HOMES}/table", {"csv": "town\nTroy\n"}),
        ("POST", BASE, {"name": "more", "fields": FIELDS}),
    ):
        for person in ("viewer", "neighbour"):
            assert (await homes.ask(method, path, person, json=sent, revision=row["revision"])).status_code == 403
    assert (await homes.ask("GET", f"{HOMES}/rows", "viewer")).status_code == 200
    assert (await homes.ask("GET", f"{HOMES}/rows", "neighbour")).status_code == 403
    assert (await homes.ask("GET", f"{HOMES}/rows".replace(OWN, OTHER), "neighbour")).status_code == 404
    assert await stored(homes) == [ALBANY]


async def test_a_collection_is_made_described_anew_and_removed_when_it_is_empty(homes: Premises):
    """Names and fields are held to what tools can ask by."""
    for body, words in (
        ({"name": "my homes", "fields": FIELDS}, "name must be letters"),
        ({"name": "a", "fields": []}, "at least 1"),
        ({"name": "a", "fields": [FIELDS[0], FIELDS[0]]}, "name town once"),
        ({"name": "a", "fields": [{"name": "id", "type": "text"}]}, "which every row has"),
        ({"name": "a", "fields": [{"name": "b", "type": "date"}]}, "type must be"),
    ):
        answer = await homes.ask("POST", BASE, json=body)
        assert (answer.status_code, words in answer.text) == (400, True), answer.text
    assert (await homes.ask("POST", BASE, json={"name": "homes", "fields": FIELDS})).status_code == 409
    row = await added(homes)
    revision = (await homes.ask("GET", HOMES)).json()["revision"]
    assert (await homes.ask("DELETE", HOMES, revision=revision)).status_code == 409
    fewer = await homes.ask("PUT", HOMES, json={"fields": FIELDS[:2]}, revision=revision)
    assert [one["name"] for one in fewer.json()["fields"]] == ["town", "rooms"]
    shown = (await homes.ask("GET", f"{HOMES}/rows/{row['id']}")).json()
    assert (shown["fields"], shown["others"]) == ({"town": "Albany", "rooms": 3}, ["has_garden"])
    await homes.ask("DELETE", f"{HOMES}/rows/{row['id']}", revision=row["revision"])
    assert (await homes.ask("DELETE", HOMES, revision=fewer.json()["revision"])).status_code == 200
    assert (await homes.ask("GET", HOMES)).status_code == 404


@pytest.mark.requirement("004-901")
async def test_conversations_go_on_while_a_large_table_is_read(homes: Premises, monkeypatch: pytest.MonkeyPatch):
    """Ten thousand lines take a second to read."""
    loop, went_on = asyncio.get_running_loop(), []

    def read(*given: Any) -> TableText:
        turned = threading.Event()
        loop.call_soon_threadsafe(turned.set)
        went_on.append(turned.wait(5))
        return read_table(*given)

    monkeypatch.setattr("switchboard.admin.collections.collections.read_table", read)
    assert (await checked(homes, "town;rooms\nAlbany;3\n"))["added"] == 1
    assert went_on == [True]

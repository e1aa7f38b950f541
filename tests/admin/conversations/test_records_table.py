"""Calls and chats as CSV: by the filter of the list, in pages that make one file, masked by role."""

import csv
import io

import pytest

from switchboard.admin.conversations.records_table import COLUMNS
from switchboard.contract.store import Update
from tests.admin.owners_office import OTHER, OWN, PATHS, Premises, fill
from tests.each import each

TABLE = f"/admin/businesses/{OWN}/interactions-table"


async def rows(premises: Premises, person: str = "owner", **query: str) -> list[dict[str, str]]:
    """Return the lines of all pages, put behind each other."""
    text = ""
    while True:
        answer = await premises.ask("GET", TABLE, person, params=query)
        assert answer.status_code == 200, answer.text
        text += answer.json()["csv"]
        if answer.json()["nextCursor"] is None:
            return list(csv.DictReader(io.StringIO(text, newline="")))
        query["cursor"] = answer.json()["nextCursor"]


@pytest.mark.requirement("004-814")
@each(
    ("query", "expected"),
    [
        ({}, [6, 5, 4, 3, 2, 1, 0]),
        ({"limit": "2"}, [6, 5, 4, 3, 2, 1, 0]),
        ({"channel": "portal", "limit": "1"}, [5, 3, 1]),
        ({"outcome": "ended"}, [6, 4, 2, 0]),
        ({"from": "2027-03-10T17:00:00+00:00", "to": "2027-03-10T19:00:00Z"}, [3, 2]),
        ({"text": "518-555-0102"}, [2]),
    ],
)
async def test_the_table_has_what_the_list_has_in_pages_that_make_one_file(
    premises: Premises, query: dict[str, str], expected: list[int]
):
    """The names of the columns once, and nobody else's calls."""
    await fill(premises.store, OWN, 7)
    await fill(premises.store, OTHER, 1)
    found = await rows(premises, **query)
    assert [row["id"] for row in found] == [f"i{n}" for n in expected]
    assert all(tuple(row) == COLUMNS for row in found)


@pytest.mark.requirement("004-814")
async def test_who_called_is_masked_for_a_viewer(premises: Premises):
    """A number begins with a sign that a spreadsheet would calculate with."""
    await fill(premises.store, OWN, 1)
    path = PATHS.within(OWN).document("interactions", "i0")
    await premises.store.commit([Update(path, {"callerPhone": "+15185550100", "callerId": "c_1"})])
    (owners,), (viewers,) = await rows(premises), await rows(premises, "viewer")
    assert (owners["callerPhone"], owners["callerId"]) == ("'+15185550100", "c_1")
    assert (viewers["callerPhone"], viewers["callerId"]) == ("•••", "•••")
    assert viewers["id"] == "i0"


@pytest.mark.requirement("004-814")
@each("text", ["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
async def test_no_cell_is_taken_for_a_formula(premises: Premises, text: str):
    """Whatever a tool is called, and whatever came of it."""
    await fill(premises.store, OWN, 1)
    path = PATHS.within(OWN).document("interactions", "i0")
    changes = {"outcome": text, "tools": [{"name": text}], "callerId": text}
    await premises.store.commit([Update(path, changes)])
    (row,) = await rows(premises)
    assert [row[name] for name in ("outcome", "tools", "callerId")] == [f"'{text}"] * 3


async def test_a_table_longer_than_a_page_may_be_is_refused(premises: Premises):
    """It is asked for in parts."""
    answer = await premises.ask("GET", TABLE, params={"limit": "501"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "limit")

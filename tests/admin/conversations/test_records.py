"""Looking back: lists of calls and chats, filtered and searched in pages, transcripts, ledgers and receipts."""

import json
from datetime import timedelta

import pytest

from switchboard.admin.api.paging import Page
from switchboard.admin.conversations.records import SCANNED_AT_MOST, InteractionFilter, InteractionRecords
from switchboard.contract.ports import Store
from switchboard.contract.store import Set, Update
from switchboard.conversation.record.endings import SilentConversations
from switchboard.state.memory.store import MemoryStore
from tests.admin.owners_office import OTHER, OWN, PATHS, Premises, fill, open_premises
from tests.desk.front_desk import NOW, StoppedClock, WatchedStore
from tests.each import each

LIST = f"/admin/businesses/{OWN}/interactions"


@pytest.fixture
async def premises(premises: Premises) -> Premises:
    """An office over each store in turn, with seven interactions."""
    await fill(premises.store, OWN, 7)
    await fill(premises.store, OTHER, 1)
    return premises


async def listed(premises: Premises, **query: str) -> list[str]:
    """Return the ids of all pages."""
    seen: list[str] = []
    while True:
        answer = await premises.ask("GET", LIST, params=query)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert len(body["interactions"]) <= int(query.get("limit", "25"))
        seen += [line["id"] for line in body["interactions"]]
        if body["nextCursor"] is None:
            return seen
        query["cursor"] = body["nextCursor"]


@each(
    ("query", "expected"),
    [
        ({}, [6, 5, 4, 3, 2, 1, 0]),
        ({"limit": "2"}, [6, 5, 4, 3, 2, 1, 0]),
        ({"limit": "7"}, [6, 5, 4, 3, 2, 1, 0]),
        ({"channel": "portal", "limit": "1"}, [5, 3, 1]),
        ({"outcome": "ended"}, [6, 4, 2, 0]),
        ({"channel": "phone", "outcome": "answered"}, []),
        ({"from": "2027-03-10T17:00:00+00:00", "to": "2027-03-10T19:00:00Z"}, [3, 2]),
        ({"from": "2027-03-10T13:00:00-05:00", "limit": "1"}, [6, 5, 4, 3]),
        ({"text": "parking  NUMBER 4"}, [4]),
        ({"text": "behind the house", "limit": "3"}, [6, 5, 4, 3, 2, 1, 0]),
        ({"text": "+15185550102"}, [2]),
        ({"text": "518-555-0102"}, [2]),
        ({"text": "(518) 555-0102"}, [2]),
        ({"text": "+1 518 555 0102"}, [2]),
        ({"text": "001 518 555 0102"}, [2]),
        ({"text": "555.0102"}, [2]),
        ({"text": "518-555-0199"}, []),
        ({"text": "book_appointment", "channel": "portal", "limit": "1"}, [5, 3, 1]),
        ({"text": "nobody said this"}, []),
    ],
)
async def test_interactions_are_filtered_and_paged(premises: Premises, query: dict[str, str], expected: list[int]):
    """The newest first, each once, of this business alone."""
    assert await listed(premises, **query) == [f"i{n}" for n in expected]


@each(
    ("query", "fields"),
    [
        ({"from": "yesterday", "to": "2027-03-10T10:00:00", "channel": "fax"}, {"from", "to", "channel"}),
        ({"from": "2027-03-11T00:00:00Z", "to": "2027-03-10T00:00:00Z"}, {"to"}),
        ({"text": "x" * 201}, {"text"}),
        ({"limit": "0", "cursor": "x"}, {"limit", "cursor"}),
        ({"cursor": "WyJhIiwiYi9jIl0"}, {"cursor"}),
        ({"cursor": "bnVsbA"}, {"cursor"}),
        ({"cursor": "W3siYXQiOiJ4In0sImkxIl0"}, {"cursor"}),
    ],
)
async def test_what_cannot_be_understood_is_told_at_once(premises: Premises, query: dict[str, str], fields: set[str]):
    """Never a list of something else."""
    answer = await premises.ask("GET", LIST, params=query)
    assert answer.status_code == 400
    assert {problem["field"] for problem in answer.json()["error"]["problems"]} == fields


@pytest.mark.requirement("004-645")
async def test_a_number_that_was_said_is_found_however_it_is_written(premises: Premises):
    """In a chat it stands as somebody typed it."""
    path = PATHS.within(OWN).document("interactions", "i3")
    said = [{"role": "caller", "text": "Call me at (518) 555-0177, please."}]
    await premises.store.commit([Update(path, {"transcript": said})])
    for text in ("+15185550177", "518 555 0177", "5550177", "518-555-0177"):
        assert await listed(premises, text=text) == ["i3"]


@pytest.mark.requirement("004-645")
async def test_sessions_are_found_by_their_callers_number_in_any_spelling(premises: Premises):
    """Also those that a service carries, of which there is no record; what is no number is refused."""
    within, sessions = PATHS.within(OWN), f"/admin/businesses/{OWN}/sessions"
    await premises.store.commit(
        [
            Set(within.document("sessions", f"svc{n}"), {"callerPhone": number, "startedAt": NOW, "channel": "phone"})
            for n, number in enumerate(("+15185550188", "+15185550189"))
        ]
    )
    for text in ("518-555-0188", "(518) 555-0188", "+1 518 555 0188", "+15185550188"):
        answer = await premises.ask("GET", sessions, params={"caller": text})
        assert [(row["id"], row["callerPhone"]) for row in answer.json()["sessions"]] == [("svc0", "+15185550188")]
    answer = await premises.ask("GET", sessions, params={"caller": "parking"})
    assert (answer.status_code, answer.json()["error"]["problems"][0]["field"]) == (400, "caller")


@pytest.mark.requirement("004-645")
@each("path", ["sessions", "interactions"])
async def test_a_query_that_nobody_knows_is_refused_with_those_there_are(premises: Premises, path: str):
    """It is never left out without a word: the list would be of something else."""
    answer = await premises.ask("GET", f"/admin/businesses/{OWN}/{path}", params={"caler": "x"})
    (problem,) = answer.json()["error"]["problems"]
    assert (answer.status_code, problem["field"]) == (400, "caler")
    assert "The query has no 'caler'." in problem["message"]
    assert "limit, cursor" in problem["message"]


async def test_an_interaction_is_read_with_its_transcript(premises: Premises):
    """What was said, which tools were called, what was done."""
    body = (await premises.ask("GET", f"{LIST}/i0", "viewer")).json()
    assert [entry["role"] for entry in body["transcript"]] == ["caller", "agent"]
    assert body["transcript"][0]["text"] == "Do you have PARKING number 0?"
    assert (body["tools"], body["failedTools"], body["receipts"]) == (["book_appointment"], [], 1)
    assert body["receiptList"][0]["what"] == "Haircut"
    assert (await premises.ask("GET", f"{LIST}/i99")).status_code == 404
    assert (await premises.ask("GET", f"/admin/businesses/{OTHER}/interactions/i5", "neighbour")).status_code == 404


async def test_a_search_shows_where_it_was_found(premises: Premises):
    """A stretch around the words."""
    [line] = (await premises.ask("GET", LIST, params={"text": "number 3"})).json()["interactions"]
    assert line["excerpt"] == "Do you have PARKING number 3?"


@pytest.mark.parametrize("base", [f"{LIST}/i0", f"/admin/businesses/{OWN}/sessions/s0"])
async def test_the_ledger_and_the_receipts_tell_what_was_done(premises: Premises, base: str):
    """Of an interaction as of its session; in order, in pages."""
    body = (await premises.ask("GET", f"{base}/calls", params={"limit": "1"})).json()
    [call] = body["calls"]
    assert (call["id"], call["tool"], call["ok"], call["elapsedMs"]) == ("c1", "book_appointment", True, 12.5)
    assert call["hasReceipt"] is True
    rest = (await premises.ask("GET", f"{base}/calls", params={"cursor": body["nextCursor"]})).json()
    assert [(c["id"], c["state"], c["error"], c["message"]) for c in rest["calls"]] == [
        ("c2", "failed", "NOT_FOUND", "No such booking.")
    ]
    assert rest["nextCursor"] is None
    receipts = (await premises.ask("GET", f"{base}/receipts")).json()["receipts"]
    assert [(receipt["tool"], receipt["what"]) for receipt in receipts] == [("book_appointment", "Haircut")]


async def test_sessions_are_listed_and_read(premises: Premises):
    """The newest first."""
    for n in range(1, 4):
        fields = {"channel": "portal", "startedAt": NOW + timedelta(minutes=n)}
        await premises.store.commit([Set(PATHS.within(OWN).document("sessions", f"s{n}"), fields)])
    path = f"/admin/businesses/{OWN}/sessions"
    first = (await premises.ask("GET", path, params={"limit": "3"})).json()
    second = (await premises.ask("GET", path, params={"cursor": first["nextCursor"]})).json()
    assert [s["id"] for s in first["sessions"] + second["sessions"]] == ["s3", "s2", "s1", "s0"]
    session = (await premises.ask("GET", f"{path}/s0")).json()
    assert (session["channel"], session["receipts"], session["receiptList"][0]["what"]) == ("phone", 1, "Haircut")
    assert (await premises.ask("GET", f"{path}/s9")).status_code == 404


async def test_a_search_reads_a_bounded_number_of_records_and_goes_on(monkeypatch: pytest.MonkeyPatch):
    """A page may come back empty with a cursor behind what was read; nothing is missed."""
    watched = WatchedStore(MemoryStore())
    premises = await open_premises(watched)
    records = SCANNED_AT_MOST + 50
    within = PATHS.within(OWN)
    for n in range(records):
        said = [{"role": "caller", "text": "the needle" if n == 0 else "hay"}]
        fields = {"startedAt": NOW + timedelta(minutes=n), "transcript": said}
        await watched.commit([Set(within.document("interactions", f"i{n:04}"), fields)])
    first = (await premises.ask("GET", LIST, params={"text": "needle"})).json()
    assert (first["interactions"], first["scanned"]) == ([], SCANNED_AT_MOST)
    second = (await premises.ask("GET", LIST, params={"text": "needle", "cursor": first["nextCursor"]})).json()
    assert ([line["id"] for line in second["interactions"]], second["scanned"]) == (["i0000"], 50)
    assert second["nextCursor"] is None
    await premises.browser.aclose()


async def test_of_a_page_only_what_is_shown_is_read_whole(premises: Premises):
    """Long conversations are several documents each; those behind the page stay where they are."""
    watched = WatchedStore(premises.store)
    within = PATHS.within(OWN)
    for n in range(7):
        part = {"transcript": [{"role": "caller", "text": "Long ago"}], "number": 0}
        changed = Update(within.document("interactions", f"i{n}"), {"parts": 1})
        await premises.store.commit([changed, Set(within.part(f"i{n}", 0), part)])
    records = InteractionRecords(watched, PATHS)
    for wanted in (InteractionFilter(), InteractionFilter(text="long ago")):
        watched.asked.clear()
        found = await records.listed(OWN, wanted, Page(2))
        assert [item["id"] for item in found.page.items] == ["i6", "i5"]
        assert (watched.asked["get_many"], found.scanned) == (2, 2)


async def test_a_record_with_gaps_is_shown_all_the_same(premises: Premises):
    """Others begin such records too, and people edit them."""
    fields = {"startedAt": NOW - timedelta(days=1), "transcript": "?", "tools": [5, {}], "receipts": None}
    await premises.store.commit([Set(PATHS.within(OWN).document("interactions", "odd"), fields)])
    assert (await listed(premises))[-1] == "odd"
    body = (await premises.ask("GET", f"{LIST}/odd")).json()
    assert (body["transcript"], body["sessionId"]) == ([], None)
    assert (await premises.ask("GET", f"{LIST}/odd/receipts")).json() == {"receipts": []}


async def test_while_the_store_is_away_owners_are_told_so():
    """503, to be tried again; no list that only looks empty."""
    watched = WatchedStore(MemoryStore())
    premises = await open_premises(watched)
    watched.fail("get", "get_many", "query", "count")
    for path in ("", "/interactions", "/sessions", "/counts", "/metrics", "/audit", "/interactions/i0/receipts"):
        answer = await premises.ask("GET", f"/admin/businesses/{OWN}{path}")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2"), path
    await premises.browser.aclose()


async def test_either_store_finds_what_is_silent(store: Store) -> None:
    """Over all businesses, by a field that holds nothing."""
    clock, now = StoppedClock(), StoppedClock().now()
    record = {"businessId": OWN, "channel": "portal", "channels": ["portal"], "turns": 1, "outcome": "answered"}
    within = PATHS.within(OWN)
    for id, ended_at in (("open", None), ("over", now)):
        fields = record | {"updatedAt": now, "endedAt": ended_at}
        await store.commit([Set(within.document("interactions", id), fields)])
    clock.wait(3600)
    assert await SilentConversations(store, clock).end() == {"ended": 1}
    found = await store.get(within.document("interactions", "open"))
    assert found is not None and found.data["endedAt"] == now


@pytest.mark.requirement("004-810")
async def test_why_a_call_did_not_work_is_told_to_a_viewer_without_the_tools_words(premises: Premises):
    """They may name whom it was asked about."""
    path = PATHS.within(OWN).call("s0", "c9")
    error = {"type": "VALIDATION", "message": "There is nobody called Ana.", "retryable": False}
    answer = json.dumps({"ok": False, "error": error | {"partialSideEffects": False}, "intents": [], "meta": {}})
    await premises.store.commit([Set(path, {"tool": "look", "startedAt": NOW, "state": "failed", "response": answer})])
    for person, words in (("owner", "There is nobody called Ana."), ("viewer", "•••")):
        listed = await premises.ask("GET", f"/admin/businesses/{OWN}/sessions/s0/calls", person)
        (call,) = [row for row in listed.json()["calls"] if row["id"] == "c9"]
        assert (call["error"], call["message"]) == ("VALIDATION", words)

"""Businesses found by how their names and ids begin: whoever wrote them, and however many there are."""

import unicodedata
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from switchboard.admin.access.access import OwnerIdentity
from switchboard.admin.api.paging import Page
from switchboard.admin.businesses.directory import SCANNED_AT_MOST
from switchboard.admin.businesses.words import FIELD, are_found, looked_up, stored_words, words_of
from switchboard.contract.ports import Store
from switchboard.contract.store import Query, Set, Unavailable, Update
from switchboard.state.memory.store import MemoryStore
from tests.admin import owners_office
from tests.admin.owners_office import OWN, PATHS, Premises, open_premises
from tests.admin.small_seeds import WatchedStore
from tests.desk.front_desk import WatchedStore as CountingStore
from tests.each import each

NAMES = {
    "acme": "ACME Dental",
    "b-17": "Café Zoë",
    "c_9": "Łódź Straßenbahn O'Brien",
    "dental": "Dr. Müller",
    "east": "東京サロン",
    "fjord": "Ærø Bådservice",
}
ADMIN = OwnerIdentity("user:platform", "platform", is_platform=True)


@pytest.fixture
async def premises(premises: Premises) -> Premises:
    """An office over each store in turn, with more businesses that another program wrote."""
    await premises.store.commit([Set(PATHS.within(id).business, {"name": name}) for id, name in NAMES.items()])
    return premises


async def found(premises: Premises, text: str, person: str = "platform", **query: str) -> list[str]:
    """Return the ids on all pages."""
    ids: list[str] = []
    while True:
        answer = await premises.ask("GET", "/admin/businesses", person, params={"text": text, **query})
        assert answer.status_code == 200, answer.text
        body = answer.json()
        ids += [line["id"] for line in body["businesses"]]
        if body["nextCursor"] is None:
            return ids
        query["cursor"] = body["nextCursor"]


@each(
    ("text", "expected"),
    [
        ("dental", ["acme", "dental"]),
        ("DENT ac", ["acme"]),
        ("ental", []),
        ("cafe", ["b-17"]),
        ("CAFÉ zoe", ["b-17"]),
        ("Cafe\u0301", ["b-17"]),
        ("b-1", ["b-17"]),
        ("lodz strasse", ["c_9"]),
        ("c_9", ["c_9"]),
        ("o'b", ["c_9"]),
        ("muller", ["dental"]),
        ("東京", ["east"]),
        ("aero bad", ["fjord"]),
        ("maple", [OWN]),
        ("demo", ["demo-plumber", OWN]),
        ("acme dental clinic", []),
        ("!?", []),
        ("  ", sorted([*NAMES, "demo-plumber", OWN])),
    ],
)
async def test_a_business_is_found_by_how_words_of_its_name_or_id_begin(premises: Premises, text: str, expected):
    """Ignoring case and accents, all words of it; the first time and once what it is found by is stored."""
    assert await found(premises, text) == expected
    assert await found(premises, text, limit="1") == expected


async def test_an_edit_is_found_by_the_new_name_and_no_longer_by_the_old(premises: Premises):
    """At once, also undone; nothing of it is seen in the business."""
    await found(premises, "x")
    assert (await premises.patch({"name": "Élan Coiffure"})).status_code == 200
    assert (await found(premises, "elan"), await found(premises, "maple")) == ([OWN], [])
    [entry] = await premises.audit()
    path = f"/admin/businesses/{OWN}/audit/{entry['id']}"
    revision = (await premises.ask("GET", path)).json()["revision"]
    assert (await premises.ask("POST", f"{path}/undo", revision=revision)).status_code == 200
    assert (await found(premises, "elan"), await found(premises, "maple")) == ([], [OWN])
    assert FIELD not in (await premises.business())["business"]
    assert set(entry["after"]) == {"name"}


async def test_others_find_only_what_they_have_a_role_in(premises: Premises, monkeypatch: pytest.MonkeyPatch):
    """In pages too."""
    roles = {"acme": "editor", "dental": "viewer", "b-17": "viewer", "gone": "viewer"}
    monkeypatch.setitem(owners_office.PEOPLE, "agency", {"roles": roles})
    assert await found(premises, "dent", "agency", limit="1") == ["acme", "dental"]
    assert await found(premises, "zoe", "agency") == ["b-17"]
    assert await found(premises, "maple", "agency") == []


async def test_a_text_that_is_no_name_is_refused(premises: Premises):
    """400 in words."""
    answer = await premises.ask("GET", "/admin/businesses", "platform", params={"text": "x" * 201})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "text")


async def crowd(store: Store, count: int, **more: Any) -> None:
    for start in range(0, count, 400):
        await store.commit(
            [
                Set(PATHS.within(f"n{n:05}").business, {"name": f"Shop {n:05} of many", **more})
                for n in range(start, min(count, start + 400))
            ]
        )


async def test_one_of_thousands_is_found_by_reading_a_few():
    """Once all are entered, which the search itself sees to, a bounded number at a time."""
    store = CountingStore(MemoryStore())
    await crowd(store, 2_000)
    premises = await open_premises(store)
    assert await found(premises, "01234") == ["n01234"]
    read = await reads_of(premises, "01234")
    assert read == 1
    # A word that all have, and one that hardly any has: the longer one is looked up.
    assert await reads_of(premises, "shop many 0123") <= SCANNED_AT_MOST
    await premises.browser.aclose()


async def reads_of(premises: Premises, text: str) -> int:
    """Return how many documents one page of a search reads."""
    store, total = premises.store, 0
    query = store.query

    async def counted(asked: Query) -> Any:
        nonlocal total
        documents = await query(asked)
        total += len(documents)
        return documents

    store.query = counted  # type: ignore[method-assign]
    try:
        await premises.office.businesses.listed(ADMIN, Page(), text)
    finally:
        store.query = query  # type: ignore[method-assign]
    return total


async def test_before_all_are_entered_a_search_reads_no_more_at_a_time():
    """A page may be empty and go on; whoever follows it finds the last of them."""
    premises = await open_premises(MemoryStore())
    await crowd(premises.store, 700)
    assert await reads_of(premises, "00699") == SCANNED_AT_MOST
    answer = await premises.ask("GET", "/admin/businesses", "platform", params={"text": "00699"})
    assert answer.json()["businesses"] == [] and answer.json()["nextCursor"]
    assert await found(premises, "00699") == ["n00699"]
    await premises.browser.aclose()


async def test_a_business_that_another_program_adds_later_is_found(premises: Premises):
    """As soon as there is one that was not entered, all are looked through again."""
    assert await found(premises, "cafe") == ["b-17"]
    await premises.store.commit([Set(PATHS.within("zz").business, {"name": "Café Zwei"})])
    assert await found(premises, "cafe") == ["b-17", "zz"]


async def test_what_was_entered_in_another_way_is_entered_anew(premises: Premises):
    """By an older version of these words, or by somebody who wrote nonsense there."""
    await found(premises, "x")
    for nonsense in ({"version": 0, "words": ["wrong"]}, "nonsense", None, {"version": 2}):
        await premises.store.commit([Update(PATHS.within("acme").business, {FIELD: nonsense})])
        assert await found(premises, "acme") == ["acme"]
        document = await premises.store.get(PATHS.within("acme").business)
        assert document is not None and document.data[FIELD] == stored_words("acme", document.data)[FIELD]


async def test_a_new_name_is_found_also_where_entering_it_was_cut_short():
    """The edit itself says in its commit that what the business is found by is out of date."""
    store = WatchedStore(MemoryStore())
    premises = await open_premises(store)
    await found(premises, "x")
    store.kill_at, store.failure = store.commits + 2, lambda: Unavailable("gone")
    assert (await premises.patch({"name": "New Name"})).status_code == 200
    store.kill_at = 0
    assert await found(premises, "new") == [OWN]
    await premises.browser.aclose()


@hypothesis.given(st.text(max_size=200), st.data())
def test_every_word_of_a_name_finds_it_by_every_beginning(name: str, data: st.DataObject):
    """Whatever the script, the case and the accents; and what the index would look up is stored."""
    words = words_of(name)
    hypothesis.assume(words)
    word = data.draw(st.sampled_from(words))
    beginning = words_of(word[: data.draw(st.integers(1, len(word)))])
    stored = stored_words("id", {"name": name})[FIELD]["words"]
    for wanted in (beginning, words_of(unicodedata.normalize("NFD", word)), words_of(word.upper().lower())):
        if wanted:
            assert are_found(wanted, "id", {"name": name})
            assert looked_up(wanted) in stored
    assert len(stored) < 1_300

"""Documents over HTTP: written, found by callers at once, never overwritten unseen, and brought back."""

import asyncio
from typing import Any

import httpx2 as httpx
import jsonschema_rs
import pytest

from switchboard.contract.error import ToolError
from switchboard.contract.ports import Store
from switchboard.contract.store import Query, Set
from switchboard.desk.knowledge.knowledge import Knowledge
from tests.admin.owners_office import OTHER, OWN, PATHS, Premises, open_premises
from tests.desk.embedders import KnowingEmbedder
from tests.desk.front_desk import StoppedClock, call, salon
from tests.each import each

DOCUMENTS = f"/admin/businesses/{OWN}/documents"
BEARDS = {
    "title": "Beards",
    "content": "A beard trim takes 15 minutes and ends with a hot towel.",
    "topic": "services",
    "tags": ["beard"],
    "source": "Price list of 2027",
}
# JSON can spell one half of a surrogate pair, which no store takes.
HALF = b'{"title": "Beards", "content": "half \\ud800 a character"}'
DESCRIBED = "/admin/businesses/{business_id}/documents"


async def added(premises: Premises, **changes: Any) -> dict[str, Any]:
    answer = await premises.ask("POST", DOCUMENTS, json=BEARDS | changes)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def replaced(premises: Premises, document: dict[str, Any], person: str = "owner", **changes: Any) -> Any:
    path = f"{DOCUMENTS}/{document['id']}"
    return await premises.ask("PUT", path, person, json=BEARDS | changes, revision=document["revision"])


async def removed(premises: Premises, document: dict[str, Any], person: str = "owner") -> httpx.Response:
    return await premises.ask("DELETE", f"{DOCUMENTS}/{document['id']}", person, revision=document["revision"])


async def undo(premises: Premises, entry_id: str) -> httpx.Response:
    path = f"/admin/businesses/{OWN}/audit/{entry_id}"
    revision = (await premises.ask("GET", path)).json()["revision"]
    return await premises.ask("POST", f"{path}/undo", revision=revision)


async def texts_found(premises: Premises, question: str) -> list[str]:
    """Return what callers would be answered from."""
    return [hit.passage.text for hit in await premises.knowledge.search(call(salon(OWN)), question, 5)]


async def test_a_document_is_added_read_and_listed(premises: Premises):
    """Whole with its passages, or in a list by its beginning; both say which revision a change is based on."""
    answer = await premises.ask("POST", DOCUMENTS, json=BEARDS)
    document = answer.json()
    assert (answer.status_code, answer.headers["etag"]) == (201, f'"{document["revision"]}"')
    assert document | BEARDS == document
    assert (document["businessId"], document["updatedBy"]) == (OWN, "owner@example.com")
    assert document["passages"] == [BEARDS["content"]]
    read = await premises.ask("GET", f"{DOCUMENTS}/{document['id']}", "viewer")
    assert (read.json(), read.headers["etag"]) == (document, answer.headers["etag"])
    [line] = (await premises.ask("GET", DOCUMENTS, "viewer")).json()["documents"]
    shared = {name: value for name, value in document.items() if name not in ("content", "parts", "passages")}
    size = {"characters": len(BEARDS["content"]), "passageCount": 1}
    assert line == shared | size | {"excerpt": BEARDS["content"]}
    assert (await premises.ask("GET", f"{DOCUMENTS}/none")).status_code == 404


@pytest.mark.requirement("004-09")
async def test_callers_are_answered_from_what_was_just_written_and_never_from_what_is_gone(premises: Premises):
    """After adding, replacing, removing and undoing; by search and by id, also where texts had just been read."""
    assert await texts_found(premises, "beard towel") == []
    document = await added(premises)
    assert await texts_found(premises, "beard towel") == [BEARDS["content"]]
    newer = (await replaced(premises, document, content="We shave with a razor.")).json()
    assert await texts_found(premises, "hot towel") == []
    assert await texts_found(premises, "razor") == ["We shave with a razor."]
    gone = await removed(premises, newer)
    assert gone.json() == {"deleted": document["id"], "entryId": gone.headers["audit-entry"]}
    assert await texts_found(premises, "beard razor") == []
    with pytest.raises(ToolError):
        await premises.knowledge.entry(call(salon(OWN)), document["id"])
    assert (await undo(premises, gone.json()["entryId"])).status_code == 200
    assert await texts_found(premises, "razor") == ["We shave with a razor."]
    assert (await premises.knowledge.entry(call(salon(OWN)), document["id"])).title == "Beards"


@pytest.mark.requirement("000-104")
async def test_the_index_holds_the_vectors_of_what_is_there_now(store: Store):
    """One for each passage; of a text that was replaced or removed none is left."""
    embedder, clock = KnowingEmbedder(is_local=False), StoppedClock()
    premises = await open_premises(store, lambda _: Knowledge(store, clock, embedder))
    vectors = PATHS.within(OWN).collection("passages")

    async def indexed() -> list[str]:
        return [document.data["documentId"] for document in await store.query(Query(vectors))]

    document = await added(premises, content="Spaces for a car.\n\n" + "x " * 400 + "\n\nDogs may come.")
    assert len(document["passages"]) > 1
    assert await indexed() == [document["id"]] * len(document["passages"])
    newer = (await replaced(premises, document, content="No pets.")).json()
    assert await indexed() == [document["id"]]
    await removed(premises, newer)
    assert await indexed() == []
    await premises.browser.aclose()


async def test_the_second_of_two_owners_gets_both_versions(premises: Premises):
    """412 for a change and for a removal; without a revision 428; nothing of theirs is written."""
    document = await added(premises)
    assert (await replaced(premises, document, "editor", title="Shaving")).status_code == 200
    answer = await replaced(premises, document, title="Barber")
    conflict = answer.json()["error"]["conflict"]
    assert (answer.status_code, conflict["changedBy"]) == (412, "editor@example.com")
    assert (conflict["current"]["title"], conflict["yours"]["title"]) == ("Shaving", "Barber")
    assert (await removed(premises, document)).status_code == 412
    path = f"{DOCUMENTS}/{document['id']}"
    for method, body in (("PUT", BEARDS), ("DELETE", None)):
        assert (await premises.ask(method, path, json=body)).status_code == 428
    assert (await premises.ask("GET", path)).json()["title"] == "Shaving"


async def test_of_many_who_save_at_once_one_succeeds(premises: Premises):
    """And it is the one that is told so."""
    document = await added(premises)
    answers = await asyncio.gather(*(replaced(premises, document, title=f"Title {n}") for n in range(5)))
    assert sorted(answer.status_code for answer in answers) == [200, *[412] * 4]
    winner = next(answer.json()["title"] for answer in answers if answer.status_code == 200)
    assert (await premises.ask("GET", f"{DOCUMENTS}/{document['id']}")).json()["title"] == winner


async def test_every_change_is_on_record_and_goes_back(premises: Premises):
    """Who, what, before and after; a change undone leaves the document as it was, an addition undone takes it away."""
    document = await added(premises)
    await replaced(premises, document, "editor", title="Shaving")
    made, changed = await premises.audit()
    assert [(e["kind"], e["document"], e["deed"]) for e in (made, changed)] == [
        ("knowledge", document["id"], "created"),
        ("knowledge", document["id"], "changed"),
    ]
    assert (changed["who"]["name"], changed["before"], changed["after"]) == (
        "editor@example.com",
        {"title": "Beards"},
        {"title": "Shaving"},
    )
    assert (await undo(premises, changed["id"])).status_code == 200
    path = f"{DOCUMENTS}/{document['id']}"
    assert (await premises.ask("GET", path)).json()["revision"] == document["revision"]
    assert (await undo(premises, made["id"])).status_code == 200
    assert (await premises.ask("GET", path)).status_code == 404


@pytest.mark.parametrize(
    ("person", "statuses"),
    [
        ("platform", (200, 201, 200, 200)),
        ("owner", (200, 201, 200, 200)),
        ("editor", (200, 201, 200, 200)),
        ("viewer", (200, 403, 403, 403)),
        ("neighbour", (403, 403, 403, 403)),
        ("nobody", (403, 403, 403, 403)),
    ],
)
async def test_viewers_read_editors_write_and_others_do_neither(local: Premises, person: str, statuses):
    """Reading, adding, replacing, removing."""
    document = await added(local)
    answers = (
        await local.ask("GET", DOCUMENTS, person),
        await local.ask("POST", DOCUMENTS, person, json=BEARDS),
        await replaced(local, document, person),
        await removed(local, document, person),
    )
    assert tuple(answer.status_code for answer in answers) == statuses


async def test_a_business_sees_its_own_documents_only(local: Premises):
    """Another's are neither listed nor read by their ids."""
    await local.store.commit([Set(PATHS.within(OTHER).document("knowledge", "theirs"), {**BEARDS, "title": "Theirs"})])
    assert (await local.ask("GET", DOCUMENTS)).json() == {"documents": [], "nextCursor": None}
    assert (await local.ask("GET", f"{DOCUMENTS}/theirs")).status_code == 404


@each(
    ("body", "fields"),
    [
        ({}, ["title", "content"]),
        ({"title": " ", "content": 5, "id": "mine"}, ["id", "title", "content"]),
        ({**BEARDS, "title": "t" * 201, "content": "c" * 50_001}, ["title", "content"]),
        ({**BEARDS, "topic": "t" * 101, "source": "s" * 301}, ["topic", "source"]),
        ({**BEARDS, "topic": None, "source": ["x"]}, ["topic", "source"]),
        ({**BEARDS, "tags": ["ok", "", 3]}, ["tags[1]", "tags[2]"]),
        ({**BEARDS, "content": "\u200b\ufeff \n"}, ["content"]),
    ],
)
async def test_everything_that_is_wrong_is_told_at_once(premises: Premises, body: Any, fields: list[str]):
    """400 with each field, in plain words; nothing is stored."""
    answer = await premises.ask("POST", DOCUMENTS, json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"]) == (400, "VALIDATION")
    assert all(one["message"].endswith(".") for one in error["problems"])
    assert [one["field"] for one in error["problems"]] == fields
    assert await premises.audit() == []


@pytest.mark.parametrize(
    ("content", "status"),
    [(b"", 400), (b"# Beards\n\nA trim.", 400), (b"[]", 400), (HALF, 400), (b'"' + b"x" * 1_048_577, 413)],
)
async def test_a_body_that_cannot_be_read_is_refused(local: Premises, content: bytes, status: int):
    """A document travels in JSON, also when it is Markdown."""
    answer = await local.ask("POST", DOCUMENTS, content=content)
    assert (answer.status_code, answer.json()["error"]["type"]) == (status, "VALIDATION")


async def test_the_longest_document_is_kept_in_every_script(premises: Premises):
    """Also with both versions of it in the audit, in characters of four bytes."""
    document = await added(premises, content="\U0001f9d4" * 50_000)
    answer = await replaced(premises, document, content="\U0001f488" * 50_000)
    assert answer.status_code == 200
    assert len(answer.json()["content"]) == 50_000


async def test_optional_fields_that_say_nothing_are_left_out(local: Premises):
    """Forms send them all; what is cited is the title then."""
    document = await added(local, topic="", source="", tags=[])
    found = await local.store.get(PATHS.within(OWN).document("knowledge", document["id"]))
    assert found is not None and not {"topic", "source"} & found.data.keys()
    [hit] = await local.knowledge.search(call(salon(OWN)), "beard", 3)
    assert hit.passage.source == "Beards"


async def test_a_heading_of_markdown_stays_with_what_stands_below_it(local: Premises):
    """So that a passage says what it is about; no heading is a passage of its own."""
    sections = [f"## Part {n}\n\n### In short\n\nWords about {'it ' * 180}{n}." for n in range(5)]
    document = await added(local, content="Guide\n=====\n\n" + "\n\n".join(sections))
    assert len(document["passages"]) == 5
    for n, passage in enumerate(document["passages"]):
        assert f"## Part {n}\n\n### In short\n\nWords" in passage
        assert passage.endswith(f"{n}.")
    assert document["passages"][0].startswith("Guide\n=====")


async def test_a_document_of_headings_alone_is_searched_too(local: Premises):
    """Nothing that was written is lost between the passages."""
    document = await added(local, content="# Parking\n\n## Dogs")
    assert document["passages"] == ["# Parking\n\n## Dogs"]


async def test_a_long_list_comes_in_pages_all_or_by_topic(premises: Premises):
    """Each document once, by id."""
    within = PATHS.within(OWN)
    await premises.store.commit(
        [
            Set(within.document("knowledge", f"d{n:02}"), {**BEARDS, "topic": "price list" if n % 3 else "team"})
            for n in range(60)
        ]
    )
    for topic, expected in (("", range(60)), ("Price-List", [n for n in range(60) if n % 3])):
        seen, query = [], {"limit": "25", "topic": topic}
        while True:
            body = (await premises.ask("GET", DOCUMENTS, params=query)).json()
            seen += [line["id"] for line in body["documents"]]
            if body["nextCursor"] is None:
                break
            query["cursor"] = body["nextCursor"]
        assert seen == [f"d{n:02}" for n in expected]
    assert (await premises.ask("GET", DOCUMENTS, params={"limit": "51"})).status_code == 400


async def test_there_are_no_more_than_searching_can_carry(local: Premises):
    """The 201st is refused in words; nothing is kept of it."""
    within = PATHS.within(OWN)
    await local.store.commit([Set(within.document("knowledge", f"d{n}"), BEARDS) for n in range(200)])
    answer = await local.ask("POST", DOCUMENTS, json=BEARDS)
    assert (answer.status_code, answer.json()["error"]["type"]) == (409, "CONFLICT")
    assert "200" in answer.json()["error"]["message"]
    assert await local.store.count(Query(within.collection("knowledge"))) == 200


async def test_documents_that_others_wrote_are_shown_as_they_are_searched(local: Premises):
    """With `text` for the content, and fields that nobody expected."""
    stored = {"title": 7, "text": "Dogs are welcome.", "tags": "dogs", "language": "en"}
    await local.store.commit([Set(PATHS.within(OWN).document("knowledge", "old"), stored)])
    shown = (await local.ask("GET", f"{DOCUMENTS}/old")).json()
    assert (shown["content"], shown["passages"], shown["tags"]) == ("Dogs are welcome.", ["Dogs are welcome."], [])


async def test_what_is_described_as_a_body_is_what_is_taken(local: Premises):
    """The schema and the form agree on these, good and bad."""
    described = local.document["paths"][DESCRIBED]["post"]["requestBody"]["content"]["application/json"]["schema"]
    validator = jsonschema_rs.validator_for({"components": local.document["components"], **described})
    for body in (
        BEARDS,
        {"title": "t", "content": "c"},
        {},
        BEARDS | {"more": 1},
        BEARDS | {"title": ""},
        BEARDS | {"content": "c" * 50_001},
        BEARDS | {"topic": ""},
        BEARDS | {"topic": "t" * 101},
        BEARDS | {"source": 5},
        BEARDS | {"tags": ["t"] * 21},
        BEARDS | {"businessId": OWN},
    ):
        answer = await local.ask("POST", DOCUMENTS, json=body)
        assert (answer.status_code == 201) is validator.is_valid(body), body

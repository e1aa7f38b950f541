"""Files and pages read in over HTTP: shown first, kept in one step, put in the place of what was read before."""

import base64
import json
from typing import Any

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.knowledge.knowledge import cited
from switchboard.integrations.egress.pages import FetchedPage
from tests.admin.owners_office import OTHER, OWN, Premises
from tests.admin.reading.made_files import PICTURE, pdf, word
from tests.desk.front_desk import call, salon

pytestmark = pytest.mark.process

DOCUMENTS = f"/admin/businesses/{OWN}/documents"
READ = f"{DOCUMENTS}/read"
ADDRESS = "https://linden.example.com/prices"
FIRST = ("Haircut 40 euros", PICTURE, "We take cards.")
SECOND = ("Haircut 45 euros", PICTURE, "We take cards.", "Closed on Mondays.")


def file(content: bytes, name: str = "price list.pdf") -> dict[str, str]:
    return {"name": name, "file": base64.b64encode(content).decode()}


async def draft(premises: Premises, body: dict[str, str], person: str = "owner") -> dict[str, Any]:
    answer = await premises.ask("POST", READ, person, json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def found(premises: Premises, question: str) -> list[tuple[str, str]]:
    """Return what callers would be told, and what of."""
    asked = call(salon(OWN))
    hits = await premises.knowledge.search(asked, question, 5)
    return [(one["text"], one["source"]) for one in cited(asked, hits)]


@pytest.mark.requirement("004-730")
async def test_a_file_is_shown_first_kept_in_one_step_and_cited_by_its_page(premises: Premises):
    """What is shown keeps nothing; what is kept is one document, with one entry in the audit."""
    shown = await draft(premises, file(pdf(*FIRST)))
    assert (shown["revision"], shown["differences"], shown["notes"]) == (None, [], [])
    assert shown["document"]["origin"]["unread"] == ["page 2 is a picture without text"]
    assert shown["passages"] == [
        {"text": "Haircut 40 euros", "source": "price list.pdf, page 1"},
        {"text": "We take cards.", "source": "price list.pdf, page 3"},
    ]
    assert await found(premises, "haircut") == []
    assert await premises.audit() == []
    kept = await premises.ask("POST", DOCUMENTS, json=shown["document"])
    assert (kept.status_code, kept.json()["id"]) == (201, shown["id"])
    assert len(await premises.audit()) == 1
    assert await found(premises, "haircut") == [("Haircut 40 euros", "price list.pdf, page 1")]
    [line] = (await premises.ask("GET", DOCUMENTS)).json()["documents"]
    assert (line["origin"], line["passageCount"]) == (shown["document"]["origin"], 2)


@pytest.mark.requirement("004-732")
async def test_the_same_file_read_again_replaces_its_pieces_and_doubles_none(premises: Premises):
    """What differs is shown first; what its owner has called it stays."""
    first = await draft(premises, file(pdf(*FIRST)))
    own = first["document"] | {"title": "Our prices", "tags": ["prices"]}
    assert (await premises.ask("POST", DOCUMENTS, json=own)).status_code == 201
    again = await draft(premises, file(pdf(*SECOND), r"C:\offers\Price List.pdf"))
    assert again["id"] == first["id"]
    assert (again["document"]["title"], again["document"]["tags"]) == ("Our prices", ["prices"])
    assert again["differences"] == [
        {"place": "page 1", "before": "Haircut 40 euros", "after": "Haircut 45 euros"},
        {"place": "page 4", "before": None, "after": "Closed on Mondays."},
    ]
    doubled = await premises.ask("POST", DOCUMENTS, json=again["document"])
    assert (doubled.status_code, "Read it again" in doubled.text) == (409, True)
    path = f"{DOCUMENTS}/{again['id']}"
    replaced = await premises.ask("PUT", path, json=again["document"], revision=again["revision"])
    assert replaced.status_code == 200, replaced.text
    assert [text for text, _ in await found(premises, "haircut")] == ["Haircut 45 euros"]
    # A page that was drawn before somebody else read the file again is shown both versions, and loses nothing.
    stale = await premises.ask("PUT", path, "editor", json=own, revision=again["revision"])
    assert stale.status_code == 412
    taken_away = await premises.ask("DELETE", path, revision=replaced.json()["revision"])
    assert taken_away.status_code == 200
    assert await found(premises, "haircut cards Mondays") == []


@pytest.mark.requirement("004-730")
async def test_a_page_is_kept_with_its_address_and_the_day_on_which_it_was_read(premises: Premises):
    """Each piece under its heading; that the address sends on is told."""
    html = b"<html><head><title>Prices</title></head><body><main><h1>Cuts</h1><p>A haircut is 40 euros, on any day of "
    html += b"the week, and takes half an hour, whatever the length of your hair.</p><h2>Beards</h2><p>A beard trim is "
    html += b"15 euros, and ends with a hot towel, as it always did here.</p></main></body></html>"
    premises.pages[ADDRESS] = FetchedPage(ADDRESS, f"{ADDRESS}/2027", html, "text/html", "utf-8")
    shown = await draft(premises, {"address": ADDRESS})
    day = premises.clock.now().date().isoformat()
    assert shown["document"]["origin"] == {"kind": "page", "name": ADDRESS, "readOn": day, "unread": []}
    assert shown["notes"] == [f"The address sends on to {ADDRESS}/2027."]
    assert (await premises.ask("POST", DOCUMENTS, json=shown["document"])).status_code == 201
    [(text, source)] = await found(premises, "beard towel")
    assert ("15 euros" in text, source) == (True, f"{ADDRESS} (read {day}), Beards")


@pytest.mark.requirement("004-731")
async def test_what_cannot_be_read_says_why_and_loses_nothing(premises: Premises):
    """422 with the file's name; what was kept before stays."""
    first = await draft(premises, file(pdf(*FIRST)))
    await premises.ask("POST", DOCUMENTS, json=first["document"])
    answer = await premises.ask("POST", READ, json=file(pdf(PICTURE)))
    assert (answer.status_code, answer.json()["error"]["message"][:29]) == (422, "price list.pdf: It has no tex")
    premises.pages[ADDRESS] = ToolError(ErrorType.PERMANENT, "The page sends on to another address.")
    assert (await premises.ask("POST", READ, json={"address": ADDRESS})).status_code == 422
    assert await found(premises, "haircut") == [("Haircut 40 euros", "price list.pdf, page 1")]


async def test_a_body_must_be_a_file_or_an_address(premises: Premises):
    """And no longer than a file may be; whoever may not write is not read to."""
    for body, words in (
        ({}, "file or address"),
        (file(b"x") | {"address": ADDRESS}, "file or address"),
        ({"file": "eA=="}, "name is required"),
        ({"name": "a.pdf", "file": "no base64"}, "base64"),
        (file(b"x" * (10 * 1024 * 1024 + 1)), "10 MB"),
    ):
        answer = await premises.ask("POST", READ, json=body)
        assert (answer.status_code, words in answer.text) == (400, True), answer.text
    long = await premises.ask("POST", READ, content=json.dumps(file(b"x" * 11 * 1024 * 1024)).encode())
    assert long.status_code == 413
    assert (await premises.ask("POST", READ, "viewer", json=file(b"x"))).status_code == 403
    assert (await premises.ask("POST", READ, "neighbour", json=file(b"x"))).status_code == 403
    assert (await premises.ask("POST", READ.replace(OWN, OTHER), json=file(b"x"))).status_code == 403


async def test_a_document_is_typed_or_read_and_not_both(premises: Premises):
    """What is read has parts and an origin, which stays the one it has."""
    shown = (await draft(premises, file(word(), "prices.docx")))["document"]
    parts, origin = shown["parts"], shown["origin"]
    for body, field in (
        ({"title": "A"}, "content"),
        ({"title": "A", "content": "B", "parts": parts}, "content"),
        ({"title": "A", "parts": parts}, "origin"),
        ({"title": "A", "origin": origin}, "parts"),
        (shown | {"parts": [{"text": "x" * 20_000}] * 6}, "parts"),
    ):
        answer = await premises.ask("POST", DOCUMENTS, json=body)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    made = (await premises.ask("POST", DOCUMENTS, json=shown)).json()
    other = shown | {"origin": origin | {"name": "other.docx"}}
    moved = await premises.ask("PUT", f"{DOCUMENTS}/{made['id']}", json=other, revision=made["revision"])
    assert (moved.status_code, moved.json()["error"]["field"]) == (400, "origin")

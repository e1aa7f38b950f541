"""Reading and checking a business's files."""

from datetime import time

import pytest

from switchboard.admin.maintenance.business_folder import FolderReader, read_business_folder
from tests.admin.small_seeds import BUSINESS, COLLECTIONS, write_business, write_json


def read(tmp_path, id="salon"):
    reader = FolderReader(tmp_path / "seeds")
    return read_business_folder(reader, tmp_path / "seeds" / "businesses" / id), reader.problems


def test_a_folder_is_read_whole(tmp_path):
    """The business, its document, the documents below it and the bookings to enter all come out."""
    write_business(tmp_path / "seeds")
    folder, problems = read(tmp_path)
    assert problems == []
    assert folder.document == BUSINESS
    assert folder.business.service_named("color").duration_minutes == 90
    assert folder.collections == {name: rows for name, rows in COLLECTIONS.items() if name != "bookings"}
    (wish,) = folder.wishes
    assert (wish.name, wish.days, wish.at, wish.visit.service) == ("cut", 1, time(9, 30), "Haircut")
    assert wish.caller == COLLECTIONS["callers"]["anna"]


def test_a_business_needs_no_more_than_its_document(tmp_path):
    """Collections without a file are not part of the seeds."""
    write_json(tmp_path / "seeds/businesses/salon/business.json", BUSINESS)
    folder, problems = read(tmp_path)
    assert (folder.collections, folder.wishes, problems) == ({}, (), [])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"business": {"timezone": "Mars/Base"}}, "business.json: timezone: 'Mars/Base' is not an IANA zone"),
        (
            {"business": {"services": [{"name": "Cut", "durationMinutes": 0}]}},
            "business.json: services[0].durationMinutes must be",
        ),
        ({"business": {"a.b": 1}}, "business.json: a.b: is not the name of a field"),
        ({"business": {"grid": [[1]]}}, "business.json: grid: an array cannot stand directly in an array"),
        ({"faqs": {"a b": {}}}, "faqs.json: a b: needs an id"),
        ({"faqs": {"a": "yes"}}, "faqs.json: a: needs an id"),
        ({"faqs": {"a": {"topic": "t", "question": "q"}}}, "faqs.json: a.answer: is missing, or no text"),
        ({"policies": {"a": {"topic": 1, "content": "c"}}}, "policies.json: a.topic: is missing, or no text"),
        ({"knowledge": {"a": {"title": "t", "content": ""}}}, "knowledge.json: a.content: is missing, or no text"),
        ({"polices": {}}, "polices.json: is not one of business, policies, faqs"),
        ({"bookings": {"x": {"days": "1"}}}, "bookings.json: x.at: is missing, or no text"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path, changes, expected):
    """Each problem names file, document and field."""
    write_business(tmp_path / "seeds", **changes)
    _, problems = read(tmp_path)
    assert any(p.startswith(f"seeds/businesses/salon/{expected}") for p in problems), problems


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"days": 1.5}, "days"),
        ({"days": True}, "days"),
        ({"days": 400}, "days"),
        ({"at": "9:30"}, "at"),
        ({"at": "24:00"}, "at"),
        ({"at": "09:32"}, "at"),
        ({"service": "Massage"}, "service"),
        ({"caller": "ben"}, "caller"),
    ],
)
def test_a_booking_that_cannot_be_is_named(tmp_path, changes, expected):
    """Day, time, service and caller are held against the business and its callers."""
    write_business(tmp_path / "seeds", bookings={"cut": COLLECTIONS["bookings"]["cut"] | changes})
    folder, (problem,) = read(tmp_path)
    assert problem.startswith(f"seeds/businesses/salon/bookings.json: cut.{expected}: ")
    assert folder.wishes == ()


PEOPLE = [{"id": "rosa", "name": "Rosa"}, {"id": "class", "name": "Class", "kind": "seats", "capacity": 6}]
CLASS = {"name": "Class", "durationMinutes": 60, "needs": [{"kind": "seats"}]}


def test_a_booking_may_say_with_whom_and_for_how_many(tmp_path):
    """By the names in the business's own document."""
    cut = COLLECTIONS["bookings"]["cut"]
    bookings = {"cut": cut | {"with": "Rosa"}, "class": cut | {"service": "Class", "party": 3}}
    business = {"resources": PEOPLE, "services": [*BUSINESS["services"], CLASS]}
    write_business(tmp_path / "seeds", bookings=bookings, business=business)
    folder, problems = read(tmp_path)
    assert problems == []
    assert [(wish.visit.person, wish.visit.party) for wish in folder.wishes] == [("rosa", 1), ("", 3)]


@pytest.mark.parametrize(
    "changes", [{"with": "Zoe"}, {"with": 5}, {"party": 9}, {"party": 0}, {"party": "two"}, {"party": True}]
)
def test_a_booking_with_nobody_or_for_too_many_is_named(tmp_path, changes):
    """Nobody else takes it quietly."""
    bookings = {"cut": COLLECTIONS["bookings"]["cut"] | changes}
    write_business(tmp_path / "seeds", bookings=bookings, business={"resources": PEOPLE})
    folder, (problem,) = read(tmp_path)
    assert problem.startswith("seeds/businesses/salon/bookings.json: cut.with, party: ")
    assert folder.wishes == ()


def test_one_mistake_is_told_once(tmp_path):
    """A broken file of callers is not followed by a complaint about every booking."""
    write_business(tmp_path / "seeds")
    (tmp_path / "seeds/businesses/salon/callers.json").write_text('{\n  "anna": {"name" "Anna"}\n}')
    _, problems = read(tmp_path)
    assert problems == ["seeds/businesses/salon/callers.json:2:19: Expecting ':' delimiter"]


def test_a_folder_without_a_business_is_named(tmp_path):
    """The document is what makes a business."""
    write_json(tmp_path / "seeds/businesses/salon/faqs.json", {})
    _, problems = read(tmp_path)
    assert problems == ["seeds/businesses/salon: needs a business.json, and a name of letters, digits, _ and -"]


def test_other_files_are_named_and_hidden_ones_are_not(tmp_path):
    """An editor's hidden files do no harm; a file that would silently not be pushed does."""
    write_business(tmp_path / "seeds")
    (tmp_path / "seeds/businesses/salon/.faqs.json.swp").write_text("x")
    (tmp_path / "seeds/businesses/salon/faqs.jsonc").write_text("{}")
    _, problems = read(tmp_path)
    assert problems == ["seeds/businesses/salon/faqs.jsonc: is not a .json file"]

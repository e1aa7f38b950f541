"""Documents on the page of what is known: listed, written, taken from files, removed, brought back, and found."""

import pytest

from admin_ui.widgets import text_file
from switchboard.contract.store import Set
from tests.admin_ui.conftest import field, labelled, labels, part, press, said
from tests.admin_ui.premises import PATHS, SALON, TOOLLESS, LiveServer, token

DOGS = "Dogs are welcome on a lead.\n\nWe keep a bowl of water by the door."


@pytest.fixture
def library(salon: LiveServer):
    """The salon with the documents that it was seeded with."""
    salon.empty(SALON, "knowledge")
    salon.restore()
    yield salon
    salon.empty(SALON, "knowledge")
    salon.restore()


def add(app, title: str, text: str):
    press(app, "Add a document")
    labelled(app, "text_input", "Title").set_value(title)
    labelled(app, "text_area", "Text").set_value(text)
    return press(app, "Save")


def ask(app, question: str):
    field(part(app, "Try the search"), "text_input", "question").set_value(question)
    return press(app, "Search")


def stored(live: LiveServer) -> list[str]:
    from switchboard.contract.store import Query

    found = live.within(live.house.store.query(Query(PATHS.within(SALON).collection("knowledge"))))
    return [str(document.data["title"]) for document in found]


def test_documents_are_listed_in_pages(opened, library):
    """Each with its beginning, its size, and how many passages it is searched by."""
    rows = [Set(PATHS.within(SALON).document("knowledge", f"a{n:02}"), {"title": f"No {n}"}) for n in range(21)]
    library.put(*rows)
    app = part(opened("knowledge"), "Documents")
    assert (labels(app).count("Edit"), "No 20" in said(app)) == (20, False)
    press(app, "More")
    text = said(app)
    assert "No 20" in text
    assert "A haircut is booked for 30 minutes." in text
    assert "characters in 1 passage ·" in text
    press(app, "Back")
    assert "No 20" not in said(app)


def test_a_document_is_added_found_changed_and_removed(opened, library):
    """Callers are answered from it at once, and no longer once it is gone."""
    app = add(part(opened("knowledge"), "Documents"), "Pets", DOGS)
    assert "Pets" in stored(library)
    assert "Dogs are welcome" in said(ask(app, "May I bring my dog on a lead?"))
    press(app, "Open the document")
    assert labelled(app, "text_area", "Text").value == DOGS
    labelled(app, "text_area", "Text").set_value("Sorry, no dogs, nor any other animal.")
    labelled(app, "text_input", "Tags (optional)").set_value("dogs, pets")
    press(app, "Save")
    assert "no dogs" in said(ask(app, "May I bring my dog on a lead?"))
    press(app, "Open the document")
    assert labelled(app, "text_input", "Tags (optional)").value == "dogs, pets"
    press(app, "Remove this document")
    assert "Pets" not in stored(library)
    assert "no dogs" not in said(ask(app, "May I bring my dog on a lead?"))


def test_what_was_done_last_is_undone_where_it_was_done(opened, library):
    """A removed document comes back; the page says who removed it."""
    app = add(part(opened("knowledge", {SALON: token("partner")}), "Documents"), "Pets", DOGS)
    assert "Last change: partner@example.com added Pets" in said(app)
    app.button(key=next(b.key for b in app.button if b.label == "Undo")).click().run()
    assert "Pets" not in stored(library)
    press(app, "Undo")
    assert "Pets" in stored(library)
    app = opened("audit")
    app.selectbox(key="audit_kind").set_value("knowledge").run()
    # What was added is in force again; that, and what brought it back, can be taken back.
    assert [word in said(app) for word in ("Undone", "In force again")] == [True, True]
    assert labels(app).count("Undo") == 2


def test_a_document_is_taken_from_a_file(opened, library):
    """Markdown's heading is its title, and what is in the file can be edited before it is saved."""
    app = press(part(opened("knowledge"), "Documents"), "Add a document")
    content = "\ufeff# Price list #\r\n\r\nA cut is $30.".encode()
    app.file_uploader[0].set_value(("prices_2027.md", content, "text/markdown")).run()
    assert labelled(app, "text_input", "Title").value == "Price list"
    assert labelled(app, "text_area", "Text").value == "# Price list #\n\nA cut is $30."
    press(app, "Save")
    assert "Price list" in stored(library)
    press(app, "Add a document")
    app.file_uploader[0].set_value(("late_arrivals-2027.txt", b"Call us.", "text/plain")).run()
    assert labelled(app, "text_input", "Title").value == "late arrivals 2027"


def test_a_file_takes_the_place_of_a_text_and_not_of_its_title(opened, library):
    """A newer version of a leaflet is still that leaflet."""
    app = add(part(opened("knowledge"), "Documents"), "A Pets", DOGS)
    app.button(key=next(b.key for b in app.button if b.label == "Edit")).click().run()
    title = labelled(app, "text_input", "Title").value
    app.file_uploader[0].set_value(("new.txt", b"No dogs.", "text/plain")).run()
    assert labelled(app, "text_input", "Title").value == title
    assert labelled(app, "text_area", "Text").value == "No dogs."


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("Größe".encode("latin-1"), "Save it as plain text in UTF-8"),
        (b"PK\x03\x04\0\0", "This file is no text."),
        (b" \r\n\t", "nothing in this file"),
        (b"x" * (text_file.LONGEST_MB * 1_048_576 + 1), "too long"),
    ],
)
def test_a_file_that_is_no_text_is_refused_in_words(opened, library, content: bytes, told: str):
    """And the form stays as it was."""
    app = press(part(opened("knowledge"), "Documents"), "Add a document")
    app.file_uploader[0].set_value(("file.txt", content, "text/plain")).run()
    assert told in said(app)
    assert labelled(app, "text_area", "Text").value == ""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_is_read_in_the_encodings_that_editors_write(encoding: str):
    """Without the mark that some begin with."""
    assert text_file.read("Größe\r\nund mehr\r".encode(encoding)) == "Größe\nund mehr"


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", "\n##  Dogs and cats ##\n\nText", "Dogs and cats"),
        ("My Dogs.md", "Text\n# Later", "My Dogs"),
        ("our_price-list.v2.txt", "#hashtag", "our price list.v2"),
    ],
)
def test_a_file_is_called_by_its_heading_or_its_name(name: str, text: str, title: str):
    """A heading further below is one of a part."""
    assert text_file.title(name, text) == title


def test_a_document_that_cannot_be_kept_stays_in_its_form(opened, library):
    """The server says what is missing, and too much."""
    app = press(part(opened("knowledge"), "Documents"), "Add a document")
    labelled(app, "text_area", "Text").set_value("x" * 50_001)
    press(app, "Save")
    text = said(app).lower()
    assert "title must not be empty." in text
    assert "content must not be longer than 50000 characters" in text
    assert len(labelled(app, "text_area", "Text").value) == 50_001
    press(app, "All documents")
    assert "Add a document" in labels(app)


def test_a_document_that_somebody_else_changed_is_not_overwritten_unseen(opened, library):
    """Both versions, and a choice."""
    first, second = (press(part(opened("knowledge", {SALON: token("partner")}), "Documents"), "Edit") for _ in range(2))
    for app, text in ((first, "First."), (second, "Second.")):
        labelled(app, "text_area", "Text").set_value(text)
        press(app, "Save")
    assert "partner@example.com has changed this" in said(second)
    assert "First." in said(second)
    assert "Second." in said(second)
    press(second, "Save mine instead")
    assert "Second." in said(second)


def test_the_search_tells_which_passage_of_which_document_fits(opened, library):
    """With a score; opened, the document shows all its passages."""
    filler = "We say much about hair and how it grows. " * 17
    app = add(part(opened("knowledge"), "Documents"), "Pets", f"{filler}\n\n{filler}\n\n{DOGS}")
    text = said(ask(app, "Is there a bowl of water for dogs on a lead?"))
    assert "**Pets**" in text
    assert "Passage 3 of 3" in text
    assert next(bar.proto.text for bar in app.get("progress")) == "Fits by 1.00 of 1"
    press(app, "Open the document")
    text = said(app)
    assert "How it is searched: 3 passages" in str(app.get("expander")[0].label)
    assert "3 of 3" in text


def test_a_viewer_reads_documents_and_changes_none(opened, library):
    """The text and its passages; no form."""
    app = part(opened("knowledge", {SALON: token("viewer")}), "Documents")
    assert not {"Edit", "Add a document", "Undo"} & set(labels(app))
    press(app, "Read")
    assert not app.text_area
    assert "How it is searched" in str(app.get("expander")[0].label)
    assert "an owner or editor may" in said(part(app, "Try the search"))


def test_a_business_without_documents_is_told_what_they_are_for(opened, live_server):
    """An empty list says what to put there."""
    app = part(opened("knowledge", {TOOLLESS: live_server.keys[TOOLLESS]}), "Documents")
    assert "There is no document yet." in said(app)

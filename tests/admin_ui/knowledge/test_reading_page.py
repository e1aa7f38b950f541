"""Files and web pages on the page of what is known: read, looked at, kept, read again, and taken away whole."""

import pytest

from tests.admin.reading.made_files import PICTURE, pdf
from tests.admin_ui.conftest import field, labels, part, press, said
from tests.admin_ui.knowledge.test_documents_page import ask, library, stored  # noqa: F401

pytestmark = pytest.mark.process

FIRST = ("Dogs are welcome on a lead.", PICTURE, "Beard trim 15 euros.")
SECOND = ("Dogs are welcome on a short lead.", PICTURE, "Beard trim 15 euros.")


def reads(app, content: bytes, name: str = "leaflet.pdf"):
    press(app, "Read a file or a web page")
    return drop(app, content, name)


def drop(app, content: bytes, name: str = "leaflet.pdf"):
    app.file_uploader[0].set_value((name, content, "application/pdf")).run()
    return app


def open_source(app):
    (button,) = [one for one in app.button if one.label == "Read"]
    button.click().run()
    return app


@pytest.mark.requirement("004-730")
@pytest.mark.requirement("004-732")
def test_a_file_is_read_looked_at_kept_read_again_and_taken_away(opened, library):  # noqa: F811
    """Nothing is kept before its owner has seen what would be; callers hear the page that an answer is from."""
    before = stored(library)
    app = reads(part(opened("knowledge"), "Documents"), pdf(*FIRST))
    text = said(app)
    assert "Not readable: page 2 is a picture without text." in text
    assert "leaflet.pdf, page 3" in text
    assert stored(library) == before
    press(app, "Keep it")
    assert sorted(stored(library)) == sorted([*before, "leaflet"])
    assert "Read from leaflet.pdf on" in said(app)
    assert "· 1 not readable" in said(app)
    assert "on a lead" in said(ask(app, "May I bring my dog on a lead?"))
    app = open_source(part(app, "Documents"))
    press(app, "Read it again")
    drop(app, pdf(*SECOND))
    assert "It was read before: 1 place would change" in said(app)
    press(app, "Put it in place of what is there")
    assert sorted(stored(library)) == sorted([*before, "leaflet"])
    assert "on a short lead" in said(ask(app, "May I bring my dog on a lead?"))
    app = open_source(part(app, "Documents"))
    press(app, "Take it away")
    app.button(key=next(b.key for b in app.button if str(b.key).endswith("/yes"))).click().run()
    assert stored(library) == before


@pytest.mark.requirement("004-731")
def test_what_cannot_be_read_is_said_and_the_way_back_is_open(opened, library):  # noqa: F811
    """Of a file, and of an address."""
    before = stored(library)
    app = reads(part(opened("knowledge"), "Documents"), pdf(PICTURE))
    assert "its page is a picture" in said(app)
    for address, words in (
        ("http://example.com", "does not begin with https"),
        ("https://10.0.0.1/", "may not be read"),
    ):
        field(app, "text_input", "reading/at").set_value(address)
        press(app, "Read the page")
        assert words in said(app)
    drop(app, pdf(*FIRST), "other.pdf")
    press(app, "Drop it")
    assert "Add a document" in labels(app)
    assert stored(library) == before


@pytest.mark.requirement("004-732")
def test_whoever_was_slower_sees_both_versions(opened, library):  # noqa: F811
    """Somebody else had read the file again, and nothing of theirs is lost."""
    app = press(reads(part(opened("knowledge"), "Documents"), pdf(*FIRST)), "Keep it")
    slow = reads(part(opened("knowledge"), "Documents"), pdf("Dogs are not welcome."))
    press(reads(app, pdf(*SECOND)), "Put it in place of what is there")
    press(slow, "Put it in place of what is there")
    assert "has changed this since you opened it" in said(slow)
    press(slow, "Keep what is saved now")
    assert "on a short lead" in said(ask(slow, "May I bring my dog on a lead?"))

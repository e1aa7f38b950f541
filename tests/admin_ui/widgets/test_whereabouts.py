"""Where somebody is, as the pages read it from an address and write it there."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from admin_ui.shell.page_list import PAGES
from admin_ui.widgets import whereabouts
from tests.admin_ui.conftest import labelled, press, said
from tests.admin_ui.premises import PLUMBER, SALON, token
from tests.admin_ui.shell.test_pages import have_called

PATHS = [page.path for page in PAGES]
PLATFORM = {SALON: token("platform")}


def address(app: AppTest) -> dict[str, Any]:
    """Return what stands in the address besides the business."""
    return {name: value for name, value in app.query_params.items() if name != "business"}


@pytest.mark.requirement("004-881")
@pytest.mark.parametrize("path", PATHS)
def test_whatever_stands_in_an_address_a_page_is_drawn(opened, salon, path):
    """Each of its choices is given what it does not know: it is as usual, and that is said."""
    app = opened(path, PLATFORM)
    names = {whereabouts.named(key) for key in app.session_state["place"].taken}
    again = opened(path, PLATFORM, **dict.fromkeys(names, "no such thing"), unheard="of")
    assert not again.exception and not again.error
    assert "unheard" not in address(again)
    searched = {name for name in address(again) if address(again)[name] == "no such thing"}
    assert not searched & {name for name in names if name.endswith(("part", "section", "shown", "period", "of"))}


@pytest.mark.requirement("004-881")
@pytest.mark.parametrize(
    ("path", "query", "left"),
    [
        ("business", {"section": "Nothing"}, {}),
        ("tools", {"tool": "no_such_tool"}, {}),
        ("tools", {"tool": "x" * 1_400}, {}),
        ("tools", {"tool_page": "900"}, {}),
        ("calls", {"call": "of-another-business"}, {}),
        ("calls", {"call_pages": "nonsense"}, {}),
        ("customers", {"customer": "../../businesses"}, {}),
        ("appointments", {"when": "A day", "appointments_day": "2031-02-31"}, {"when": "A day"}),
        ("knowledge", {"knowledge_section": "Documents", "edit-documents": "\x00"}, {}),
        ("agents", {"edit-agents": "nobody"}, {}),
        ("own_tools", {"own": "none"}, {}),
        ("costs", {"costs_month": "1999-01"}, {}),
    ],
)
def test_an_address_of_what_is_not_there_shows_the_beginning_and_says_so(opened, salon, path, query, left):
    app = opened(path, **query)
    assert ["this is the beginning of the page" in toast.value for toast in app.toast] == [True]
    assert not app.error
    assert address(app) == left


@pytest.mark.requirement("004-880")
def test_filters_and_searches_are_written_and_read_again(opened, salon):
    have_called(salon, 1)
    app = opened("calls")
    assert address(app) == {}
    app.selectbox(key="call_channel").set_value("phone").run()
    app.toggle(key="call_trials").set_value(True).run()
    app.text_input(key="call_text").set_value("a haircut").run()
    query = address(app)
    assert query == {"call_channel": "phone", "call_trials": "yes", "call_text": "a haircut"}
    again = opened("calls", **query)
    assert again.selectbox(key="call_channel").value == "phone"
    assert again.toggle(key="call_trials").value is True
    assert again.text_input(key="call_text").value == "a haircut"
    app.text_input(key="call_text").set_value("").run()
    app.selectbox(key="call_channel").set_value(None).run()
    app.toggle(key="call_trials").set_value(False).run()
    assert address(app) == {}


@pytest.mark.requirement("004-880")
def test_what_lies_around_an_opened_call_is_there_again_once_it_is_closed(opened, salon):
    have_called(salon, 1)
    app = opened("calls")
    app.toggle(key="call_live").set_value(True).run()
    app = press(app, "Open")
    assert address(app) == {"call_live": "yes", "call": "call000"}
    again = opened("calls", **address(app))
    press(again, "All calls")
    assert again.toggle(key="call_live").value is True
    assert address(again) == {"call_live": "yes"}


@pytest.mark.requirement("004-880", "004-882")
def test_a_page_of_a_list_is_kept_but_for_one_of_a_search_that_is_not(opened, salon):
    have_called(salon, 25)
    app = press(opened("calls"), "Older")
    assert address(app)["call_pages"]
    again = opened("calls", **address(app))
    assert "Newer" in [button.label for button in again.button]
    app.text_input(key="call_text").set_value("+1 518 555 0161").run()
    assert address(app) == {}
    assert "stays out of the page's address" in said(app)


@pytest.mark.requirement("004-882")
@pytest.mark.parametrize(
    ("text", "is_private"),
    [
        ("+1 518 555 0161", True),
        ("(518) 555-0161", True),
        ("0176/1234567", True),
        ("12345", True),
        ("anna@mail.example", True),
        ("sk-4f9a8b7c6d5e4f3a2b1c", True),
        ("Anna Whitfield", False),
        ("haircut at 10", False),
        ("book_appointment", False),
        ("", False),
    ],
)
def test_numbers_addresses_and_keys_are_private(text, is_private):
    assert whereabouts.is_private(text) is is_private


@pytest.mark.requirement("004-881")
def test_another_business_begins_at_the_beginning(opened, salon):
    app = opened("business", section="Services")
    assert address(app) == {"section": "Services"}
    app.selectbox(key="business").set_value(PLUMBER).run()
    assert app.query_params["business"] in (PLUMBER, [PLUMBER])
    assert address(app) == {}


@pytest.mark.requirement("004-881")
def test_who_may_not_change_something_is_shown_no_form_by_a_link(opened, salon):
    viewer = {SALON: token("viewer")}
    for path, query in (
        ("agents", {"edit-agents": "new"}),
        ("knowledge", {"edit-policies": "new"}),
        ("knowledge", {"knowledge_section": "Documents", "edit-documents": "new"}),
        ("own_tools", {"own": "new"}),
        ("business", {"section": "Services", "edit-business": "0"}),
    ):
        app = opened(path, viewer, **query)
        assert "Save" not in [button.label for button in app.button], path
        assert labelled(app, "selectbox", "Business")

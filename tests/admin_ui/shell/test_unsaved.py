"""Whoever has typed something that is not saved is asked before it is lost, in a browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Dialog, Locator, Page, expect

from tests.admin_ui.browsing import (
    WIDTHS,
    Visitor,
    choose,
    fill,
    go_to,
    idle,
    main,
    pages_started,
    photograph,
    press,
    settled,
    turn_to,
    window,
)
from tests.admin_ui.premises import SALON, LiveServer, token

# As it is where the page's own script comes late.
FORGET_WHAT_WAS_TOLD = """() => Object.assign(window.unsavedWatch, {
    take: () => {},
    isTold: false,
    told: {kept: [], harmless: [], ways: [], isDraft: false, saved: 0, business: '', words: {}},
})"""


@pytest.fixture(params=WIDTHS)
def visit(request: pytest.FixtureRequest, browser: Browser, pages_url: str, salon: LiveServer) -> Iterator[Visitor]:
    """Open a page about the salon, as it was seeded, in a window of a desk's or a phone's width."""
    context = window(browser, request.param)
    yield Visitor(context, pages_url)
    context.close()


@pytest.fixture
def runner(browser: Browser, live_server: LiveServer, salon: LiveServer) -> Iterator[Visitor]:
    """Open a page as whoever runs all businesses."""
    context = window(browser)
    with pages_started(live_server.url, {SALON: token("platform")}) as url:
        yield Visitor(context, url)
    context.close()


def question(page: Page) -> Locator:
    """Return what is asked before something is lost."""
    return page.get_by_role("dialog", name="You have typed something that is not saved.")


def answer(page: Page, label: str) -> None:
    """Answer it."""
    expect(question(page)).to_be_visible()
    question(page).get_by_role("button", name=label, exact=True).click()
    expect(question(page)).to_have_count(0)


def go_back(page: Page) -> None:
    """Press the browser's Back, without waiting for where it leads: that may be asked about."""
    page.evaluate("() => history.back()")


def begin(page: Page) -> None:
    """Write another name of the business, and do not save it."""
    fill(page, "Name", "Maple & Elm")


def asked_by_browser(page: Page) -> bool:
    """Tell whether the browser asks before the page is loaded anew; whoever is asked stays."""
    asked: list[Dialog] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog)
        dialog.dismiss()

    page.once("dialog", stay)
    page.evaluate("() => { setTimeout(() => location.reload()) }")
    page.wait_for_timeout(1_500)
    if not asked:
        page.remove_listener("dialog", stay)
    return bool(asked)


@pytest.mark.requirement("004-883")
def test_whoever_stays_keeps_the_words_and_whoever_leaves_loses_them(visit, tmp_path):
    page = visit("business")
    begin(page)
    idle(page).get_by_role("radio", name="Hours", exact=True).click()
    expect(question(page)).to_be_visible()
    photograph(page, tmp_path / "question.png")
    answer(page, "Stay")
    expect(idle(page).get_by_label("Name", exact=True)).to_have_value("Maple & Elm")
    expect(idle(page).get_by_role("radio", name="Details", exact=True)).to_be_checked()
    idle(page).get_by_role("radio", name="Hours", exact=True).click()
    answer(page, "Leave without saving")
    expect(idle(page).get_by_role("radio", name="Hours", exact=True)).to_be_checked()
    go_to(page, "Details")
    expect(question(page)).to_have_count(0)


@pytest.mark.requirement("004-883")
def test_another_page_and_the_browsers_back_ask_too(visit):
    page = visit("business")
    go_to(page, "People")
    page.wait_for_function("() => location.search.includes('section=People')")
    go_to(page, "Details")
    page.wait_for_function("() => !location.search.includes('section=')")
    begin(page)
    go_back(page)
    answer(page, "Stay")
    expect(idle(page).get_by_label("Name", exact=True)).to_have_value("Maple & Elm")
    assert "section" not in page.url
    unfold = page.get_by_test_id("stExpandSidebarButton")
    if unfold.is_visible():
        unfold.click()
    page.get_by_role("link", name="Agents").click()
    answer(page, "Stay")
    expect(idle(page).get_by_label("Name", exact=True)).to_have_value("Maple & Elm")
    go_back(page)
    answer(page, "Leave without saving")
    expect(idle(page).get_by_role("radio", name="People", exact=True)).to_be_checked()


@pytest.mark.requirement("004-883")
def test_a_reload_asks_as_long_as_something_is_not_saved(visit):
    page = visit("business")
    assert not asked_by_browser(page)
    expect(idle(page).get_by_label("Name", exact=True)).to_be_visible()
    begin(page)
    assert asked_by_browser(page)
    expect(idle(page).get_by_label("Name", exact=True)).to_have_value("Maple & Elm")


@pytest.mark.requirement("004-884")
def test_nothing_is_asked_once_it_is_saved_and_all_the_same_where_it_was_refused(visit):
    page = visit("business")
    fill(page, "Name", "")
    press(page, "Save")
    refused = idle(page).get_by_role("alert").filter(has_text="Nothing was changed")
    expect(refused).to_be_visible()
    idle(page).get_by_role("radio", name="Hours", exact=True).click()
    answer(page, "Stay")
    begin(page)
    press(page, "Save")
    expect(page.get_by_test_id("stToast")).to_contain_text("Saved")
    settled(page)
    go_to(page, "Hours")
    expect(question(page)).to_have_count(0)


@pytest.mark.requirement("004-884")
def test_searching_and_choosing_is_no_unsaved_text(visit):
    page = visit("tools")
    fill(page, "Find", "book")
    go_to(page, "Offered")
    turn_to(page, "Customers")
    fill(page, "Search", "Anna")
    turn_to(page, "Agents")
    expect(question(page)).to_have_count(0)
    assert not asked_by_browser(page)


@pytest.mark.requirement("004-884")
@pytest.mark.parametrize("visit", WIDTHS[:1], indirect=True)
def test_nothing_is_asked_before_the_page_has_told_what_is_a_form(visit):
    """Its words are not there yet either: a slow browser showed an empty question to whoever had only searched."""
    page = visit("tools")
    expect(idle(page).get_by_label("Find", exact=True)).to_be_visible()
    settled(page)
    page.evaluate(FORGET_WHAT_WAS_TOLD)
    field = idle(page).get_by_label("Find", exact=True)
    field.click()
    field.fill("book")
    expect(field).to_have_value("book")
    assert page.evaluate("() => window.unsavedWatch.isUnsaved()") is False
    # Without this, what was typed there would have been taken for a form's.
    assert page.evaluate("() => Object.assign(window.unsavedWatch, {isTold: true}).isUnsaved()") is True


@pytest.mark.requirement("004-885")
def test_a_draft_counts_also_where_its_field_is_not_drawn(runner):
    """The parts of a tool's editor are drawn one at a time; going between them loses nothing, and asks nothing."""
    page = runner("tools")
    press(page, "Open")
    field = idle(page).get_by_role("textbox", name="While it runs", exact=True)
    field.fill("Words that nobody has saved")
    field.blur()
    differs = main(page).get_by_text("What differs from what is published (1)")
    expect(differs).to_be_visible()
    go_to(page, "Rules")
    expect(differs).to_be_visible()
    press(page, "All tools")
    answer(page, "Stay")
    expect(idle(page).get_by_role("radio", name="Rules", exact=True)).to_be_checked()


@pytest.mark.requirement("004-883")
@pytest.mark.parametrize("visit", WIDTHS[:1], indirect=True)
def test_another_business_is_asked_about_before_the_list_opens(visit):
    page = visit("business")
    begin(page)
    field = page.get_by_test_id("stSidebar").get_by_role("combobox", name="Business")
    field.click()
    expect(question(page)).to_be_visible()
    expect(page.get_by_role("option")).to_have_count(0)
    answer(page, "Stay")
    expect(idle(page).get_by_label("Name", exact=True)).to_have_value("Maple & Elm")
    field.click()
    answer(page, "Leave without saving")
    choose(page, "Business", "Klempnerei Lindhorst")
    expect(main(page).get_by_text("Klempnerei Lindhorst").first).to_be_visible()
    expect(question(page)).to_have_count(0)

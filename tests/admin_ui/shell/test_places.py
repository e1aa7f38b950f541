"""Where somebody is stands in the address: a reload, a link and the browser's Back bring exactly that, in a browser."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.admin_ui.browsing import (
    WIDTHS,
    Visitor,
    button,
    choose,
    fill,
    go_to,
    idle,
    main,
    opened,
    photograph,
    press,
    settled,
    turn_to,
    window,
)
from tests.admin_ui.premises import SALON, LiveServer


@pytest.fixture(params=WIDTHS)
def visit(request: pytest.FixtureRequest, browser: Browser, pages_url: str, salon: LiveServer) -> Iterator[Visitor]:
    """Open a page about the salon, as it was seeded, in a window of a desk's or a phone's width."""
    context = window(browser, request.param)
    yield Visitor(context, pages_url)
    context.close()


def expect_address(page: Page, **params: str) -> None:
    """Wait until so much stands in the address, besides the business."""
    idle(page)
    page.wait_for_function(
        """params => {
            const there = new URLSearchParams(location.search);
            return there.has('business') && [...there.keys()].length === Object.keys(params).length + 1
                && Object.entries(params).every(([name, value]) => there.get(name) === value);
        }""",
        arg=params,
    )


def address(page: Page) -> dict[str, str]:
    """Return what stands in the address of a page that has come to rest, without the business."""
    settled(page)
    params = {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}
    assert params.pop("business")
    return params


def chosen(page: Page, part: str) -> None:
    """Make sure that a part of a page is the one that is looked at."""
    expect(idle(page).get_by_role("radio", name=part, exact=True)).to_be_checked()


@pytest.mark.requirement("004-880")
def test_a_reload_and_back_bring_the_part_that_was_looked_at(visit, tmp_path):
    page = visit("business")
    for part in ("Hours", "Services"):
        go_to(page, part)
        expect_address(page, section=part)
    page.reload()
    chosen(page, "Services")
    page.go_back()
    chosen(page, "Hours")
    expect_address(page, section="Hours")
    page.go_back()
    chosen(page, "Details")
    expect_address(page)
    page.go_forward()
    chosen(page, "Hours")
    photograph(page, tmp_path / "hours.png")


@pytest.mark.requirement("004-880")
def test_each_press_of_back_goes_one_place_back_over_pages_too(visit):
    page = visit("business")
    go_to(page, "Hours")
    expect_address(page, section="Hours")
    turn_to(page, "Tools")
    expect_address(page)
    fill(page, "Find", "book")
    expect(button(page, "Open").first).to_be_visible()
    expect_address(page, find_tool="book")
    press(page, "Open")
    expect(button(page, "All tools")).to_be_visible()
    page.wait_for_function("() => location.search.includes('tool=')")
    tool = address(page)["tool"]
    go_to(page, "History")
    expect_address(page, find_tool="book", tool=tool, tool_part="History")
    page.reload()
    chosen(page, "History")
    page.go_back()
    chosen(page, "Words and rules")
    page.go_back()
    expect(idle(page).get_by_label("Find", exact=True)).to_have_value("book")
    page.go_back()
    expect(idle(page).get_by_label("Find", exact=True)).to_have_value("")
    page.go_back()
    chosen(page, "Hours")
    assert urlsplit(page.url).path == "/business"


@pytest.mark.requirement("004-880")
def test_a_colleague_sees_by_a_link_what_was_opened_and_filtered(visit, browser, pages_url, tmp_path):
    page = visit("knowledge")
    go_to(page, "Questions and answers")
    fill(page, "Find", "park")
    # Until the list is narrowed, the first button is somebody else's.
    expect_address(page, **{"knowledge_section": "Questions and answers", "find-faqs": "park"})
    press(page, "Edit")
    expect(button(page, "Save")).to_be_visible()
    page.wait_for_function("() => location.search.includes('edit-faqs=')")
    assert address(page).keys() == {"knowledge_section", "find-faqs", "edit-faqs"}
    context = window(browser)
    colleague = opened(context.new_page(), page.url)
    chosen(colleague, "Questions and answers")
    expect(idle(colleague).get_by_label("Find", exact=True)).to_have_value("park")
    expect(button(colleague, "Save")).to_be_visible()
    photograph(colleague, tmp_path / "link.png")
    assert address(colleague) == address(page)
    context.close()


@pytest.mark.requirement("004-880")
def test_days_people_and_what_is_opened_are_brought_back(visit):
    page = visit("customers")
    page.get_by_text("Only those who are flagged").click()
    expect_address(page, customers_flagged="yes")
    page.go_back()
    press(page, "Open")
    expect(button(page, "All customers")).to_be_visible()
    page.wait_for_function("() => location.search.includes('customer=')")
    assert address(page).keys() == {"customer"}
    press(page, "Correct")
    expect(button(page, "Save")).to_be_visible()
    page.wait_for_function("() => location.search.includes('edit-customers=')")
    page.go_back()
    expect(button(page, "Correct")).to_be_visible()
    press(page, "All customers")
    expect(button(page, "New customer")).to_be_visible()
    expect_address(page)
    turn_to(page, "Appointments")
    go_to(page, "A day")
    expect_address(page, when="A day")
    opened(page, page.url + "&appointments_day=2031-02-03")
    expect(idle(page).get_by_role("group", name="Which day")).to_contain_text("2031")
    page.reload()
    expect(idle(page).get_by_role("group", name="Which day")).to_contain_text("2031")


@pytest.mark.requirement("004-881")
@pytest.mark.parametrize("visit", WIDTHS[:1], indirect=True)
def test_another_business_and_another_page_begin_at_their_beginning(visit):
    page = visit("business")
    go_to(page, "Services")
    choose(page, "Business", "Klempnerei Lindhorst")
    chosen(page, "Details")
    expect_address(page)
    page.go_back()
    chosen(page, "Services")
    assert f"business={SALON}" in page.url
    turn_to(page, "Calls")
    expect_address(page)


@pytest.mark.requirement("004-881")
def test_an_address_of_what_is_not_there_shows_the_beginning_and_says_so(visit, tmp_path):
    page = visit("tools")
    opened(page, f"{page.url}&tool=no_such_tool&tool_part=History")
    expect(page.get_by_test_id("stToast")).to_contain_text("this is the beginning of the page")
    expect(button(page, "Open").first).to_be_visible()
    expect_address(page)
    photograph(page, tmp_path / "nothing.png")


@pytest.mark.requirement("004-881")
@pytest.mark.parametrize("visit", WIDTHS[:1], indirect=True)
def test_an_endless_address_is_left_aside(visit):
    page = visit("tools")
    opened(page, f"{page.url}&tool={'x' * 16_000}")
    expect(button(page, "Open").first).to_be_visible()
    expect_address(page)


@pytest.mark.requirement("004-882")
def test_a_search_for_a_number_stays_out_of_the_address(visit, tmp_path):
    page = visit("customers")
    fill(page, "Search", "+1 518 555 0161")
    expect(main(page).get_by_text("stays out of the page's address")).to_be_visible()
    photograph(page, tmp_path / "number.png")
    expect_address(page)
    page.reload()
    expect(idle(page).get_by_label("Search", exact=True)).to_have_value("")

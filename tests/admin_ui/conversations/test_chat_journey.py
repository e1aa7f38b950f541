"""A chat that a person of the business takes over, from both sides in a real browser, on a phone and on a desk."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.admin_ui.browsing import WIDTHS, fill, main, opened, pages_started, photograph, press, window
from tests.admin_ui.premises import SALON, LiveServer, served

pytestmark = pytest.mark.requirement("004-898")


@pytest.fixture(scope="module")
def chat_server() -> Iterator[LiveServer]:
    """The server, with everything in memory."""
    with served({}) as live:
        yield live


@pytest.fixture(scope="module")
def pages_url(chat_server: LiveServer) -> Iterator[str]:
    """The pages as scripts/run starts them."""
    with pages_started(chat_server.url, chat_server.keys) as url:
        yield url


@pytest.fixture(params=WIDTHS)
def sides(
    request: pytest.FixtureRequest, browser: Browser, chat_server: LiveServer
) -> Iterator[tuple[BrowserContext, BrowserContext]]:
    """A window of the owner's and one of the visitor's, who know nothing of each other."""
    chat_server.restore()
    contexts = window(browser, request.param), window(browser, request.param)
    yield contexts
    for context in contexts:
        context.close()


def say(page: Page, text: str) -> None:
    """Write something in the portal, as a visitor does."""
    page.get_by_label("Your message").fill(text)
    page.get_by_label("Your message").press("Enter")


def test_both_sides_of_a_chat_that_is_taken_over_read_each_other_and_the_assistant_goes_on(
    sides, chat_server, pages_url, tmp_path
):
    owners, visitors = sides
    visitor = visitors.new_page()
    visitor.goto(f"{chat_server.url}/portal/?business={SALON}")
    say(visitor, "When do you open on Saturday?")
    expect(visitor.locator(".agent").nth(1)).to_be_visible()
    session = visitor.evaluate("JSON.parse(sessionStorage.getItem('switchboard.portal')).visit.sessionId")
    owner = opened(owners.new_page(), f"{pages_url}/calls?business={SALON}&call={session}")

    popover = owner.get_by_test_id("stPopover").get_by_role("button")
    popover.click()
    owner.get_by_label("Your name, as the visitor reads it").fill("Rosa")
    owner.get_by_role("button", name="Answer myself").click()
    expect(visitor.locator(".person-note", has_text="Now Rosa (")).to_be_visible()
    expect(visitor.locator("#about")).to_contain_text("You are writing with Rosa")

    fill(owner, "Your message to the visitor", "Hello, Rosa here. From eight, if you like.")
    press(owner, "Send")
    expect(visitor.locator(".person .bubble")).to_have_text("Hello, Rosa here. From eight, if you like.")
    expect(owner.get_by_label("Your message to the visitor")).to_have_value("")
    say(visitor, "That is kind of you")
    expect(main(owner).get_by_text("That is kind of you")).to_be_visible()
    expect(main(owner).get_by_text("The visitor waits for an answer.")).to_be_visible()

    visitor.reload()
    expect(visitor.locator(".person .bubble")).to_have_count(1)
    expect(visitor.locator(".caller")).to_have_count(2)
    assert visitor.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.screenshot(path=tmp_path / "visitor.png")
    photograph(owner, tmp_path / "owner.png")

    press(owner, "Hand back to the assistant")
    expect(visitor.locator(".person-note", has_text="The AI assistant goes on.")).to_have_count(1)
    expect(visitor.locator("#about")).to_have_text("You are writing with the AI assistant.")
    # What the visitor wrote last had no answer: it gets one without being written again.
    expect(visitor.locator(".agent").nth(2)).to_be_visible()
    expect(popover).to_be_visible()
    expect(owner.get_by_label("Your message to the visitor")).to_have_count(0)

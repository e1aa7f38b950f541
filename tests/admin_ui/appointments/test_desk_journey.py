"""A salon's day at its desk, in a real browser, on a phone and on a desk: appointments, messages and customers."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from switchboard.contract.store import Set
from tests.admin_ui.browsing import (
    WIDTHS,
    Visitor,
    button,
    fill,
    go_to,
    idle,
    main,
    pages_started,
    photograph,
    press,
    turn_to,
    window,
)
from tests.admin_ui.premises import PATHS, SALON, LiveServer, served
from tests.admin_ui.team import TEAM, booked, furnish, in_utc

pytestmark = pytest.mark.requirement("004-652")


@pytest.fixture(scope="module")
def desk_server() -> Iterator[LiveServer]:
    """The server, with everything in memory."""
    with served({}) as live:
        yield live


@pytest.fixture(scope="module")
def pages_url(desk_server: LiveServer) -> Iterator[str]:
    """The pages as scripts/run starts them."""
    with pages_started(desk_server.url, desk_server.keys) as url:
        yield url


@pytest.fixture(scope="module")
def windows(browser: Browser) -> Iterator[Mapping[int, BrowserContext]]:
    """A window of a desk's and one of a phone's width."""
    contexts = {width: window(browser, width) for width in WIDTHS}
    yield contexts
    for context in contexts.values():
        context.close()


@pytest.fixture(params=WIDTHS)
def visit(
    request: pytest.FixtureRequest,
    windows: Mapping[int, BrowserContext],
    pages_url: str,
    desk_server: LiveServer,
) -> Iterator[Visitor]:
    """Open a page about the salon, with two people, one appointment tomorrow, and a message."""
    desk_server.restore()
    furnish(desk_server, *TEAM)
    in_utc(desk_server)
    desk_server.empty(SALON, "outbox")
    booked(desk_server, "7", 1, TEAM[0])
    message = {
        "kind": "message",
        "state": "sent",
        "callerName": "Anna Whitfield",
        "callbackPhone": "+15185550161",
        "text": "Please call me about the color of my next visit.",
        "createdAt": datetime.now(UTC) - timedelta(hours=2),
        "channel": "phone",
    }
    desk_server.put(Set(PATHS.within(SALON).document("outbox", "msg_1"), message))
    visitor = Visitor(windows[request.param], pages_url)
    yield visitor
    visitor.leave()


def test_an_owner_looks_at_tomorrow_and_makes_moves_and_cancels_an_appointment(visit, desk_server, tmp_path):
    """Tomorrow is one click away; nothing on the way is cut off."""
    page = visit("appointments")
    expect(main(page).get_by_text("There is no appointment here.")).to_be_visible()
    go_to(page, "Tomorrow")
    expect(main(page).get_by_text("Customer 7")).to_be_visible()
    photograph(page, tmp_path / "tomorrow.png")
    press(page, "New appointment")
    fill(page, "Customer", "Jürgen Müller")
    fill(page, "Phone", "(518) 555-0161")
    photograph(page, tmp_path / "making.png")
    press(page, "Make the appointment")
    expect(main(page).get_by_text("Jürgen Müller")).to_be_visible()
    press(page, "Open")
    expect(button(page, "Move")).to_be_visible()
    photograph(page, tmp_path / "opened.png")
    press(page, "Cancel it")
    press(page, "Yes, cancel it")
    expect(main(page).get_by_text("Cancelled by you.")).to_be_visible()
    photograph(page, tmp_path / "cancelled.png")


def test_an_owner_works_through_the_messages_and_finds_a_customer(visit, desk_server, tmp_path):
    """A message that is done leaves the inbox; a customer is found by a part of the name."""
    page = visit("messages")
    expect(main(page).get_by_text("Please call me about the color of my next visit.")).to_be_visible()
    photograph(page, tmp_path / "messages.png")
    press(page, "Called back")
    expect(main(page).get_by_text("called back").first).to_be_visible()
    press(page, "Done")
    expect(main(page).get_by_text("There is no message to see to.")).to_be_visible()
    turn_to(page, "Customers")
    field = idle(page).get_by_label("Search")
    field.fill("whitf")
    field.press("Enter")
    expect(main(page).get_by_text("anna.whitfield@mail.example")).to_be_visible()
    photograph(page, tmp_path / "customers.png")
    press(page, "Open")
    expect(button(page, "Correct")).to_be_visible()
    photograph(page, tmp_path / "customer.png")
    press(page, "Correct")
    fill(page, "Phone", "12")
    press(page, "Save")
    expect(main(page).get_by_text("is not a number that can be called").first).to_be_visible()
    photograph(page, tmp_path / "wrong.png")


@pytest.mark.requirement("004-1104")
def test_an_owner_reads_who_may_change_what(visit, tmp_path):
    """Beside the keys, on a phone as well: nothing of it is cut off."""
    page = visit("business")
    go_to(page, "API keys")
    expect(main(page).get_by_text("Who may change what")).to_be_visible()
    expect(main(page).get_by_text("An owner or editor:").first).to_be_visible()
    photograph(page, tmp_path / "rights.png")

"""Owners' ways through the pages, in a real browser and against a real server on the Firestore emulator."""

import http.client
import re
import time
from collections.abc import Iterator, Mapping

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from running import emulator, standing_in
from switchboard.contract import policy
from switchboard.contract.store import Delete
from tests.admin_ui.browsing import (
    SLOW_MS,
    WIDTHS,
    Visitor,
    button,
    choose,
    fill,
    go_to,
    idle,
    knows_held,
    main,
    pages_started,
    photograph,
    press,
    settled,
    turn_to,
    window,
)
from tests.admin_ui.premises import PATHS, SALON, LiveServer, served, token
from tests.admin_ui.team import TEAM, booked, furnish


@pytest.fixture(scope="module")
def journey_server(emulator_host: str, worker_project: str) -> Iterator[LiveServer]:
    """The server, on an emptied emulator and beside something that stands in for Google."""
    emulator.clear(emulator_host, worker_project)
    store = {"FIRESTORE_EMULATOR_HOST": emulator_host, "GOOGLE_CLOUD_PROJECT": worker_project}
    with standing_in.beside(0, "any", {}) as stand_ins, pytest.MonkeyPatch.context() as patch:
        assert stand_ins
        # The pages are looked at here; how long a store may take for a call is looked at elsewhere.
        for limit in ("STORE_READ_S", "STORE_WRITE_S", "STORE_FIRST_CALL_S"):
            patch.setattr(policy, limit, 60.0)
        stand_ins.wait_until_ready()
        with served({**store, **stand_ins.environ}) as live:
            yield live


@pytest.fixture(scope="module")
def pages_url(journey_server: LiveServer) -> Iterator[str]:
    """The pages as scripts/run starts them."""
    with pages_started(journey_server.url, journey_server.keys) as url:
        yield url


@pytest.fixture(scope="module")
def windows(browser: Browser) -> Iterator[Mapping[int, BrowserContext]]:
    """A window of a desk's and one of a phone's width."""
    contexts = {width: window(browser, width) for width in WIDTHS}
    yield contexts
    for context in contexts.values():
        context.close()


@pytest.fixture(params=WIDTHS[:1])
def visit(
    request: pytest.FixtureRequest,
    windows: Mapping[int, BrowserContext],
    pages_url: str,
    journey_server: LiveServer,
) -> Iterator[Visitor]:
    """Open a page about the salon, as it was seeded, in a window of a desk's or a phone's width."""
    journey_server.restore()
    visitor = Visitor(windows[request.param], pages_url)
    yield visitor
    visitor.leave()


@pytest.fixture(params=WIDTHS)
def runner(
    request: pytest.FixtureRequest, windows: Mapping[int, BrowserContext], journey_server: LiveServer
) -> Iterator[Visitor]:
    """Open a page as whoever runs all businesses."""
    with pages_started(journey_server.url, {SALON: token("platform")}) as url:
        visitor = Visitor(windows[request.param], url)
        yield visitor
        visitor.leave()


@pytest.fixture
def colleague(browser: Browser, pages_url: str) -> Iterator[Visitor]:
    """Open a page in somebody else's window, who sits before it at the same time."""
    context = window(browser)
    yield Visitor(context, pages_url)
    context.close()


def ask_in_portal(page: Page, server: LiveServer, text: str) -> Page:
    """Ask something in the portal's chat, in a window of its own, and return that."""
    portal = page.context.new_page()
    portal.goto(f"{server.url}/portal/?business={SALON}")
    field = portal.get_by_label("Your message")
    expect(field).to_be_editable()
    field.fill(text)
    field.press("Enter")
    return portal


@pytest.mark.parametrize("visit", WIDTHS, indirect=True)
def test_an_owner_looks_around(visit, tmp_path):
    """Every page of the menu opens, and nothing on it is cut off."""
    page = visit("")
    expect(page.get_by_text("Local mode: everyone who can reach this page may use it.")).to_be_visible()
    expect(main(page).get_by_text("Built-in calendar")).to_be_visible()
    photograph(page, tmp_path / "overview.png")
    for title, sight in (
        ("Calls", "Nobody has called or written in this time."),
        ("Appointments", "New appointment"),
        ("Messages", "To do"),
        ("Customers", "Anna Whitfield"),
        ("Knowledge", "You can cancel free of charge"),
        ("Agents", "Echo at the front desk"),
        ("Changes", "What every receptionist is told before a conversation changed"),
        ("Business", "Your receptionist"),
    ):
        turn_to(page, title)
        expect(main(page).get_by_text(sight).first).to_be_visible()
        photograph(page, tmp_path / f"{title}.png")
    for part, sight in (
        ("Hours", "Special days"),
        ("Services", "Kids' cut"),
        ("Team and rooms", "As long as nobody is entered, there is one chair."),
        ("People", "Message to Rosa, the owner"),
        ("Caller checks", "Trust the number that a call comes from"),
    ):
        go_to(page, part)
        expect(main(page).get_by_text(sight).first).to_be_visible()
        photograph(page, tmp_path / f"{part}.png")


def test_an_owner_connects_a_calendar(visit, journey_server, tmp_path):
    """From the page to Google's consent and back: it is connected, and can be disconnected again."""
    page = visit("business")
    go_to(page, "Connections")
    calendar = main(page).locator(".st-key-toolkit-google_calendar")
    expect(calendar.get_by_text("Not connected")).to_be_visible()
    idle(page)
    calendar.get_by_role("button", name="Connect", exact=True).click()
    with page.context.expect_page() as opening:
        calendar.frame_locator("iframe").get_by_role("button", name="Go on to Google Calendar").click()
    consent = opening.value
    expect(consent.get_by_text("You are about to let the receptionist")).to_be_visible()
    consent.get_by_role("link", name="Go on to Google").click()
    consent.get_by_role("button", name="Allow").click()
    expect(consent.get_by_role("heading", name="Connected", exact=True)).to_be_visible()
    press(page, "Look again")
    expect(calendar.get_by_text(re.compile(r"check_circle\s*Connected$"))).to_be_visible()
    photograph(page, tmp_path / "connected.png")
    calendar.get_by_role("button", name="Disconnect").click()
    expect(main(page).get_by_text("Disconnect Google Calendar?")).to_be_visible()
    photograph(page, tmp_path / "disconnecting.png")
    press(page, "Yes, disconnect")
    expect(calendar.get_by_text("Not connected")).to_be_visible()


def test_an_owner_adds_a_policy_and_callers_are_told(visit, journey_server, tmp_path):
    """A moment later the portal's chat answers with the owner's words."""
    page = visit("knowledge")
    journey_server.empty(SALON, "policies")
    page.reload()
    expect(main(page).get_by_text("There is no policy yet.")).to_be_visible()
    press(page, "Add a policy")
    fill(page, "Topic", "cancellation")
    fill(page, "What callers are told", "Call us an hour before, and it costs nothing.")
    photograph(page, tmp_path / "adding.png")
    press(page, "Save")
    expect(main(page).get_by_text("Call us an hour before, and it costs nothing.")).to_be_visible()
    portal = ask_in_portal(page, journey_server, "What is your policy on cancellations?")
    expect(portal.locator("#conversation")).to_contain_text("Call us an hour before")
    portal.screenshot(path=tmp_path / "told.png")


@pytest.mark.parametrize("visit", WIDTHS, indirect=True)
def test_an_owner_puts_in_a_document_and_sees_which_passage_callers_are_answered_from(visit, journey_server, tmp_path):
    """From a file to the search and back to the document; removed, it is found no more, until that is undone."""
    page = visit("knowledge")
    go_to(page, "Documents")
    expect(main(page).get_by_text("How a haircut works here")).to_be_visible()
    photograph(page, tmp_path / "documents.png")
    press(page, "Add a document")
    leaflet = tmp_path / "wigs.md"
    leaflet.write_text("# Wigs\n\n" + "A wig is fitted here. " * 40 + "\n\nBring the wig on its stand.\n")
    main(page).locator("input[type=file]").set_input_files(leaflet)
    expect(main(page).get_by_label("Title").first).to_have_value("Wigs")
    # Until the form without the file is gone, its buttons lead nowhere.
    expect(button(page, "Save")).to_have_count(1)
    photograph(page, tmp_path / "adding.png")
    press(page, "Save")
    expect(main(page).get_by_text(re.compile("Last change: .* added Wigs"))).to_be_visible()
    go_to(page, "Try the search")
    fill(page, "What a caller might ask", "Do I bring the stand of my wig?")
    press(page, "Search")
    expect(main(page).get_by_text("Passage 2 of 2")).to_be_visible()
    photograph(page, tmp_path / "found.png")
    press(page, "Open the document")
    expect(main(page).get_by_text("How it is searched: 2 passages")).to_be_visible()
    idle(page).get_by_text("How it is searched: 2 passages").click()
    expect(main(page).get_by_text("A caller is answered from one of these.")).to_be_visible()
    photograph(page, tmp_path / "document.png")
    press(page, "Remove this document")
    expect(main(page).get_by_text(re.compile("Last change: .* removed Wigs"))).to_be_visible()
    press(page, "Undo")
    expect(main(page).get_by_text(re.compile("Last change: .* added Wigs"))).to_be_visible()
    journey_server.empty(SALON, "knowledge")


def test_an_owner_finds_out_why_a_tool_was_missing_in_a_call(visit, journey_server, tmp_path):
    """From the list to the conversation, what was said, and each missing tool with its reason."""
    page = visit("calls")
    portal = ask_in_portal(page, journey_server, "What is your policy on cancellations?")
    expect(portal.locator("#conversation")).to_contain_text("24 hours")
    portal.close()
    # What was said is written down a moment after it was answered.
    deadline = time.monotonic() + SLOW_MS / 1000
    while button(page, "Open").count() == 0:
        assert time.monotonic() < deadline
        visit("calls")
        settled(page)
    photograph(page, tmp_path / "list.png")
    press(page, "Open")
    said = main(page).get_by_test_id("stChatMessage").filter(has_text="policy on cancellations")
    expect(said.first).to_be_visible()
    photograph(page, tmp_path / "transcript.png")
    go_to(page, "Tools")
    press(page, "Why?")
    expect(main(page).get_by_text("the model asked for")).to_be_visible()
    photograph(page, tmp_path / "why.png")
    go_to(page, "Missing tools")
    expect(main(page).get_by_text("end_call")).to_be_visible()
    expect(main(page).get_by_text("Only offered on phone.").first).to_be_visible()
    photograph(page, tmp_path / "missing.png")


def test_two_owners_who_edit_the_same_are_not_lost(visit, colleague, tmp_path):
    """The second sees both versions, and saves over the first knowingly; the audit has both, and undoes."""
    first, second = visit("knowledge"), colleague("knowledge")
    for page in (first, second):
        press(page, "Edit")
        expect(main(page).get_by_label("What callers are told")).to_be_visible()
    fill(first, "What callers are told", "Cancel whenever you like.")
    press(first, "Save")
    expect(main(first).get_by_text("Cancel whenever you like.")).to_be_visible()
    expect(main(first).get_by_label("What callers are told")).to_have_count(0)
    fill(second, "What callers are told", "Cancel by Tuesday.")
    press(second, "Save")
    expect(main(second).get_by_text("has changed this since you opened it")).to_be_visible()
    conflict = main(second).locator(".st-key-conflict")
    expect(conflict.get_by_text("Cancel whenever you like.")).to_be_visible()
    expect(conflict.get_by_text("Cancel by Tuesday.")).to_be_visible()
    photograph(second, tmp_path / "conflict.png")
    press(second, "Save mine instead")
    expect(main(second).get_by_text("Cancel by Tuesday.")).to_be_visible()
    expect(conflict).to_have_count(0)
    page = visit("audit")
    expect(main(page).get_by_text("Cancel whenever you like.").first).to_be_attached()
    photograph(page, tmp_path / "changes.png")
    press(page, "Undo")
    expect(main(page).get_by_text("Undid a change")).to_be_visible()


def test_a_tool_can_be_tried(visit, tmp_path):
    """As a channel would call it, with its answer."""
    page = visit("playground")
    go_to(page, "Portal chat")
    choose(page, "Tool", "get_policies")
    fill(page, "topic (optional)", "cancellation")
    press(page, "Run it")
    expect(main(page).get_by_text(re.compile(r"check_circle\s*ok"))).to_be_visible()
    photograph(page, tmp_path / "answered.png")


def test_a_business_that_is_gone_is_told(visit, journey_server, tmp_path):
    """In the server's words, with a way to look again."""
    page = visit("business")
    journey_server.put(Delete(PATHS.within(SALON).business))
    # The choice goes with all that is left of the page.
    idle(page).get_by_role("radio", name="Hours", exact=True).click()
    expect(main(page).get_by_text("There is nothing of that id.")).to_be_visible()
    photograph(page, tmp_path / "gone.png")


# It needs no browser, and yet the pages that the others have up.
@pytest.mark.browser
def test_a_page_of_another_name_cannot_drive_it(pages_url):
    """A name that somebody makes resolve to this machine is refused, so that no foreign page runs tools here."""
    host, port = pages_url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=SLOW_MS / 1000)
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    key = {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    connection.request("GET", "/_stcore/stream", headers={**upgrade, **key, "Host": f"evil.example:{port}"})
    assert connection.getresponse().status == 403
    connection.close()


@pytest.mark.requirement("004-535")
@pytest.mark.parametrize("visit", WIDTHS, indirect=True)
def test_an_owner_lets_somebody_go_and_gives_the_appointment_to_another(visit, journey_server, tmp_path):
    """The appointment is shown before it is saved, stands afterwards, and is given away by one press."""
    furnish(journey_server, *TEAM)
    booked(journey_server, "1", 2, TEAM[0])
    page = visit("business")
    go_to(page, "Team and rooms")
    expect(main(page).get_by_text("Who is away")).to_be_visible()
    photograph(page, tmp_path / "team.png")
    press(page, "Edit")
    expect(button(page, "Remove")).to_be_visible()
    photograph(page, tmp_path / "form.png")
    press(page, "Remove")
    expect(main(page).get_by_text("This is not saved yet: something would break by it.")).to_be_visible()
    expect(main(page).get_by_text("Rosa is not there any more. Free then: Marcus.")).to_be_visible()
    photograph(page, tmp_path / "asked.png")
    press(page, "Save it all the same")
    expect(main(page).get_by_text("This is not saved yet")).to_be_hidden()
    turn_to(page, "Appointments")
    expect(main(page).get_by_text("1 appointment needs somebody.")).to_be_visible()
    photograph(page, tmp_path / "astray.png")
    press(page, "Give all that can be to whoever is free")
    expect(main(page).get_by_text("1 appointment needs somebody.")).to_be_hidden()
    go_to(page, "7 days")
    expect(main(page).get_by_text("Marcus")).to_be_visible()


@pytest.mark.requirement("004-682")
def test_a_business_is_made_and_its_receptionist_answers_a_first_conversation(runner, journey_server, tmp_path):
    """From the menu to an answer in ten clicks and what is typed."""
    page = runner("overview")
    name = f"Birch Lane {page.viewport_size['width']}"
    clicks = list[str]()
    page.expose_function("noteClick", lambda name: clicks.append(name))
    page.evaluate("document.addEventListener('click', e => window.noteClick(e.target.tagName), true)")
    try:
        turn_to(page, "New business")
        expect(main(page).get_by_text("Who is reached")).to_be_visible()
        choose(page, "Trade", "Hair salon (English)")
        fill(page, "Name", name)
        photograph(page, tmp_path / "form.png")
        press(page, "Make the business")
        expect(main(page).get_by_text("Before callers can call")).to_be_visible()
        expect(main(page).get_by_text("It is shown this once")).to_be_visible()
        photograph(page, tmp_path / "made.png")
        # Whoever goes on with the key still shown is asked first.
        press(page, "I have copied it, or need none")
        knows_held(page, is_held=False)
        press(page, "Try a conversation")
        expect(main(page).get_by_role("heading", name="Playground")).to_be_visible()
        expect(main(page).get_by_text(name).first).to_be_visible()
        go_to(page, "Hold a conversation")
        field = main(page).get_by_placeholder("What the caller says")
        field.fill("What does a haircut cost?")
        field.press("Enter")
        expect(main(page).get_by_text("$45").first).to_be_visible()
        photograph(page, tmp_path / "answered.png")
        assert len(clicks) <= 12, clicks
    finally:
        journey_server.without(name.lower().replace(" ", "-"))

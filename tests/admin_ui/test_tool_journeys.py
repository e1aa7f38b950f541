"""Ways through the pages about tools, in a real browser and against a real server."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from admin_ui import server
from outside import Outside
from tests.admin_ui.browsing import SLOW_MS, WIDTHS, fill, go_to, main, pages_started, photograph, press
from tests.admin_ui.premises import SALON, LiveServer, served, token
from tests.integrations.egress.internet import Internet, Server, answer, contexts

Visit = Callable[[str], Page]
CUSTOMER = json.dumps({"customer": {"name": "Ada Byron", "since": 2019}}).encode()


@pytest.fixture(scope="module")
def outside_server() -> Iterator[tuple[LiveServer, Internet]]:
    """The server, with everything in memory, before a small internet of its own."""
    net = Internet(Server([answer(CUSTOMER, Content_Type="application/json")]))
    egress = net.egress()
    with pytest.MonkeyPatch.context() as patch:
        # Before the house is built: whatever sends requests keeps what it was given.
        patch.setattr(Outside, "egress", property(lambda house: egress))
        with served({}) as live:
            listening = live.within(asyncio.start_server(net.server.serve, "127.0.0.1", 0, ssl=contexts()[0]))
            net.server.port = listening.sockets[0].getsockname()[1]
            yield live, net
            live.within(egress.close())
            live.loop.call_soon_threadsafe(listening.close)


@pytest.fixture(scope="module")
def live(outside_server: tuple[LiveServer, Internet]) -> LiveServer:
    """The server alone."""
    return outside_server[0]


@pytest.fixture(scope="module")
def pages_url(live: LiveServer) -> Iterator[str]:
    """The pages, for a platform admin."""
    with pages_started(live.url, {SALON: token("platform")}) as url:
        yield url


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """Chromium."""
    with sync_playwright() as playwright:
        expect.set_options(timeout=SLOW_MS)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser, pages_url: str, live: LiveServer) -> Iterator[Visit]:
    """Open a page about the salon, as it was seeded."""
    live.restore()
    live.empty(SALON, "tools", "agentTools")
    context = browser.new_context(viewport={"width": WIDTHS[0], "height": 900})

    def go(path: str) -> Page:
        page = context.new_page()
        page.set_default_timeout(SLOW_MS)
        page.goto(f"{pages_url}/{path}?business={SALON}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        return page

    yield go
    context.close()


def pictured(page: Page, path: Path) -> None:
    """Take a picture in a window of a desk's and of a phone's width; nothing may be cut off in either."""
    before = page.viewport_size
    assert before
    for width in reversed(WIDTHS):
        page.set_viewport_size({"width": width, "height": before["height"]})
        photograph(page, path.with_stem(f"{path.stem}-{width}"))


def words_of(live: LiveServer, tool: str, session: str) -> str | None:
    """Return what a chat is told of a tool; None where it does not have it."""
    told = server.Server(live.url, live.keys[SALON])
    query = {"businessId": SALON, "channel": "portal", "sessionId": session}
    listing = told.get("/tools/definitions", query).body
    return next((one["description"] for one in listing["tools"] if one["name"] == tool), None)


def chat(live: LiveServer, session: str, text: str) -> str:
    """Say something in a chat of the portal, and return the answer."""
    message = {"businessId": SALON, "sessionId": session, "text": text}
    return str(server.Server(live.url, live.keys[SALON]).send("POST", "/portal/chat", message).body["text"])


def open_tool(page: Page, name: str) -> None:
    """Find a tool in the list, and open it."""
    fill(page, "Find", name)
    row = main(page).locator(f".st-key-open-{name}")
    expect(row).to_be_visible()
    row.get_by_role("button").click()
    expect(main(page).get_by_text("What is to be said of it")).to_be_visible()


def test_a_tool_is_edited_switched_off_and_brought_back(visit, live, tmp_path):
    """The next chat has the new words and a running one keeps its own; switched off, both lose it; then all is back."""
    running, following, last = "running", "following", "last"
    assert "24 hours" in chat(live, running, "What is your policy on cancellations?")
    before = words_of(live, "get_policies", running)
    page = visit("tools")
    pictured(page, tmp_path / "tools.png")
    open_tool(page, "get_policies")
    fill(page, "What the model is told about it", "Get the house rules of {{business.name}} on one topic.")
    expect(main(page).get_by_role("button", name="Save draft")).to_be_enabled()
    pictured(page, tmp_path / "editing.png")
    press(page, "Save draft")
    expect(main(page).get_by_text("This is a draft, saved by")).to_be_visible()
    assert words_of(live, "get_policies", running) == before
    go_to(page, "Publish")
    expect(main(page).get_by_text("The draft was held against the latest calls")).to_be_visible()
    pictured(page, tmp_path / "publishing.png")
    main(page).get_by_text("I have looked at what changes.").click()
    publish = main(page).get_by_role("button", name="Publish to every business")
    expect(publish).to_be_enabled()
    publish.click()
    expect(main(page).get_by_text("There is no draft.")).to_be_visible()
    chat(live, following, "Hello")
    assert words_of(live, "get_policies", following) == "Get the house rules of Maple Street Hair Studio on one topic."
    assert words_of(live, "get_policies", running) == before
    press(page, "Switch it off for everybody")
    press(page, "Yes, switch it off")
    expect(main(page).get_by_text("switched off for everybody")).to_be_visible()
    assert words_of(live, "get_policies", running) is None
    assert words_of(live, "get_policies", following) is None
    assert "24 hours" not in chat(live, running, "And what is your cancellation policy, once more?")
    press(page, "Switch it on again")
    expect(main(page).get_by_text("switched off for everybody")).to_have_count(0)
    go_to(page, "History")
    main(page).locator(".st-key-compare-builtIn").get_by_role("button").click()
    press(page, "Bring this back")
    press(page, "Yes, bring it back")
    expect(main(page).get_by_text("What is published says the same.")).to_be_visible()
    pictured(page, tmp_path / "history.png")
    chat(live, last, "Hello")
    assert words_of(live, "get_policies", last) == before


def test_a_request_to_another_system_is_built_and_called(visit, outside_server, tmp_path):
    """From an empty page to the other system's answer, without a line of code."""
    _, net = outside_server
    page = visit("own_tools")
    expect(main(page).get_by_text("There is no tool of your own yet.")).to_be_visible()
    pictured(page, tmp_path / "none.png")
    press(page, "Add a tool")
    fill(page, "What you call it", "Find a customer")
    fill(page, "When a model should use it, and what for", "Finds a customer by number, for questions about orders.")
    fill(page, "Address", "https://api.example.com/customers/{{number}}")
    press(page, "Add a parameter")
    fill(page, "Name", "number")
    fill(page, "What it is, for the model", "The customer's number, such as K-17.")
    pictured(page, tmp_path / "building.png")
    press(page, "Make the tool")
    expect(main(page).get_by_role("button", name="Give it").first).to_be_visible()
    pictured(page, tmp_path / "agents.png")
    press(page, "Give it")
    expect(main(page).get_by_text("has it")).to_be_visible()
    go_to(page, "Try it")
    fill(page, "number", "K-17")
    press(page, "Call it")
    expect(main(page).get_by_text("Ada Byron").first).to_be_visible()
    pictured(page, tmp_path / "called.png")
    assert net.server.requests[-1].startswith(b"GET /customers/K-17 ")


def test_the_other_pages_about_tools_are_whole(visit, tmp_path):
    """Nothing is cut off where something is imagined, tried, said or brought in."""
    page = visit("what_if")
    main(page).get_by_role("combobox", name="Built-in calendar").click()
    page.get_by_role("option", name="not connected", exact=True).click()
    expect(main(page).get_by_text("would be gone everywhere")).to_be_visible()
    pictured(page, tmp_path / "what_if.png")
    page = visit("playground")
    go_to(page, "Hold a conversation")
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill("What is your policy on cancellations?")
    box.press("Enter")
    expect(main(page).get_by_text("24 hours").first).to_be_visible()
    pictured(page, tmp_path / "conversation.png")
    page = visit("health")
    expect(main(page).get_by_text("What callers asked that nobody could answer")).to_be_visible()
    pictured(page, tmp_path / "health.png")
    page = visit("own_tools")
    for part, sight in (
        ("Secrets", "There is no secret yet."),
        ("Vapi", "Vapi is not connected."),
        ("Connected servers", "Connect a server"),
        ("Bring in, take out", "Take your tools out"),
    ):
        go_to(page, part)
        expect(main(page).get_by_text(sight).first).to_be_visible()
        pictured(page, tmp_path / f"{part}.png")

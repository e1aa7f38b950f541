"""Ways through the pages about tools, in a real browser and against a real server."""

import asyncio
import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from admin_ui.shell import server
from switchboard.app.clients import Clients
from switchboard.app.core import Core
from switchboard.contract.store import Set
from tests.admin.evals.playing_as import minimal
from tests.admin_ui.browsing import (
    Visitor,
    choose,
    fill,
    go_to,
    idle,
    main,
    pages_started,
    photograph_both,
    press,
    turn_to,
    window,
)
from tests.admin_ui.definitions.test_words_trial import Reader
from tests.admin_ui.premises import PATHS, SALON, LiveServer, served, token
from tests.admin_ui.tool_building import made, own
from tests.integrations.egress.internet import Internet, Server, answer, contexts

# Starting a process and playing a test, on a machine that has much else to do.
PLAYED_WITHIN_MS = 120_000
CUSTOMER = json.dumps({"customer": {"name": "Ada Byron", "since": 2019}}).encode()


@pytest.fixture(scope="module")
def outside_server() -> Iterator[tuple[LiveServer, Internet]]:
    """The server, with everything in memory, before a small internet of its own."""
    net = Internet(Server([answer(CUSTOMER, Content_Type="application/json")]))
    egress = net.egress()
    with pytest.MonkeyPatch.context() as patch:
        # Before the house is built: whatever sends requests keeps what it was given.
        patch.setattr(Clients, "egress", property(lambda house: egress))
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
def one_window(browser: Browser) -> Iterator[BrowserContext]:
    """The window before which they sit."""
    context = window(browser)
    yield context
    context.close()


@pytest.fixture
def visit(one_window: BrowserContext, pages_url: str, live: LiveServer) -> Iterator[Visitor]:
    """Open a page about the salon, as it was seeded."""
    live.restore()
    live.empty(SALON, "tools", "agentTools")
    visitor = Visitor(one_window, pages_url)
    yield visitor
    visitor.leave()


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
    row = main(page).locator(f".st-key-open-{name}").get_by_role("button")
    idle(page)
    # While the list is drawn anew, a row of before may stand beside the new one.
    expect(row).to_have_count(1)
    row.first.click()
    expect(main(page).get_by_text("What is to be said of it")).to_be_visible()


@pytest.mark.requirement("004-1707")
def test_a_press_on_save_takes_what_is_typed_last_and_what_is_typed_meanwhile_stays(visit, live):
    """Nobody waits for the page between a field, the button and the next field."""
    text = {"mode": "fixed", "value": "We are open."}
    to = {"mode": "fixed", "value": ["{{caller_phone_number}}"]}
    tool = made(live, type="sms", label="Text", description="Texts the caller.", text=text, recipients=to)
    page = visit("own_tools")
    idle(page).locator(f".st-key-open-{tool['id']}").get_by_role("button").first.click()
    about = idle(page).get_by_label("When a model should use it, and what for", exact=True)
    for n in range(3):
        idle(page).get_by_label("What you call it", exact=True).click()
        page.keyboard.press("Control+A")
        page.keyboard.type(f"Text {n}")
        main(page).get_by_role("button", name="Save", exact=True).click()
        about.click()
        page.keyboard.press("Control+End")
        page.keyboard.type(f" More {n}.")
        expect(main(page).get_by_role("heading", name=f"Text {n}")).to_be_visible()
        idle(page)
        assert about.input_value().endswith(f" More {n}.")
        # What was typed in the round before is saved with this one's name.
        (stored,) = own(live)
        assert (stored["label"], stored["description"].count("More")) == (f"Text {n}", n)


def test_a_tool_is_edited_switched_off_and_brought_back(visit, live, tmp_path):
    """The next chat has the new words and a running one keeps its own; switched off, both lose it; then all is back."""
    running, following, last = "running", "following", "last"
    assert "24 hours" in chat(live, running, "What is your policy on cancellations?")
    before = words_of(live, "get_policies", running)
    page = visit("tools")
    photograph_both(page, tmp_path / "tools.png")
    open_tool(page, "get_policies")
    fill(page, "What the model is told about it", "Get the house rules of {{business.name}} on one topic.")
    expect(main(page).get_by_role("button", name="Save draft")).to_be_enabled()
    photograph_both(page, tmp_path / "editing.png")
    press(page, "Save draft")
    expect(main(page).get_by_text("This is a draft, saved by")).to_be_visible()
    assert words_of(live, "get_policies", running) == before
    go_to(page, "Publish")
    expect(main(page).get_by_text("The draft was held against the latest calls")).to_be_visible()
    photograph_both(page, tmp_path / "publishing.png")
    idle(page).get_by_text("I have looked at what changes.").click()
    expect(main(page).get_by_role("button", name="Publish to every business")).to_be_enabled()
    press(page, "Publish to every business")
    expect(main(page).get_by_text("There is no draft.")).to_be_visible()
    chat(live, following, "Hello")
    assert words_of(live, "get_policies", following) == "Get the house rules of Maple Street Hair Studio on one topic."
    assert words_of(live, "get_policies", running) == before
    press(page, "Switch it off for everybody")
    press(page, "Yes, switch it off")
    expect(main(page).get_by_text("switched off for everybody")).to_be_visible()
    assert words_of(live, "get_policies", running) is None
    assert words_of(live, "get_policies", following) is None
    # A running chat goes on without it.
    assert chat(live, running, "And what is your cancellation policy, once more?")
    press(page, "Switch it on again")
    expect(main(page).get_by_text("switched off for everybody")).to_have_count(0)
    go_to(page, "History")
    idle(page).locator(".st-key-compare-builtIn").get_by_role("button").click()
    press(page, "Bring this back")
    press(page, "Yes, bring it back")
    expect(main(page).get_by_text("What is published says the same.")).to_be_visible()
    photograph_both(page, tmp_path / "history.png")
    chat(live, last, "Hello")
    assert words_of(live, "get_policies", last) == before


def test_a_draft_on_trial_is_seen_beside_the_old_words(visit, live, tmp_path, monkeypatch):
    """From the first call on; a model is asked the same again in both, and the trial stands among the changes."""
    page = visit("tools")
    open_tool(page, "search_knowledge")
    words = "Search what {{business.name}} has written down, before anything is said of it."
    fill(page, "What the model is told about it", words)
    press(page, "Save draft")
    expect(main(page).get_by_text("This is a draft, saved by")).to_be_visible()
    go_to(page, "Publish")
    idle(page).get_by_text("I have looked at what changes.").click()
    choose(page, "Businesses", "Maple Street Hair Studio (demo-salon)")
    page.keyboard.press("Escape")
    press(page, "Let them try it")
    expect(main(page).get_by_text("New words: No call yet.")).to_be_visible()
    assert "24 hours" in chat(live, "trying", "What is your policy on cancellations?")
    go_to(page, "History")
    go_to(page, "Publish")
    expect(main(page).get_by_text("New words: 1 call says little yet.")).to_be_visible()
    photograph_both(page, tmp_path / "canary.png")
    press(page, "Take it back from them")
    expect(main(page).get_by_text("New words beside the old ones")).to_be_visible()
    monkeypatch.setattr(Core, "open_model", lambda core, tools: Reader())
    page = visit("tools")
    open_tool(page, "search_knowledge")
    go_to(page, "Publish")
    press(page, "Ask 1 again")
    expect(main(page).get_by_text("differs")).to_be_visible()
    photograph_both(page, tmp_path / "words.png")
    turn_to(page, "Changes")
    expect(
        main(page).get_by_text("ended what this business tried").or_(main(page).get_by_text("canary ended"))
    ).to_have_count(1)
    photograph_both(page, tmp_path / "changes.png")


@pytest.mark.requirement("004-784")
def test_a_test_that_is_red_is_seen_run_and_published_over(visit, live, tmp_path):
    """Played in earnest: in a process of its own, which tells what was said instead."""
    words = minimal(SALON, "knows-zebras", expect="{said: {has: [zebra]}}", channels="[portal]")
    live.put(Set(PATHS.within(SALON).document("evals", "knows-zebras"), {"text": words}))
    page = visit("calls")
    press(page, "Tests made of calls")
    press(page, "Run now")
    expect(main(page).get_by_text("'zebra' is not said")).to_be_visible(timeout=PLAYED_WITHIN_MS)
    photograph_both(page, tmp_path / "kept_tests.png")
    page = visit("tools")
    open_tool(page, "get_policies")
    fill(page, "What the model is told about it", "Get the house rules of {{business.name}} on one topic.")
    expect(main(page).get_by_role("button", name="Save draft")).to_be_enabled()
    press(page, "Save draft")
    expect(main(page).get_by_text("This is a draft, saved by")).to_be_visible()
    go_to(page, "Publish")
    idle(page).get_by_text("I have looked at what changes.").click()
    expect(main(page).get_by_role("button", name="Publish to every business")).to_be_enabled()
    press(page, "Publish to every business")
    box = main(page).get_by_text("Publish although knows-zebras of demo-salon is red")
    expect(box).to_be_visible(timeout=PLAYED_WITHIN_MS)
    # A machine that is busy may come to no answer about the words before within the time that there is.
    before = main(page).get_by_text("It was red before as well.")
    expect(before.or_(main(page).get_by_text("Nobody knows whether it was red before."))).to_be_visible()
    photograph_both(page, tmp_path / "red_tests.png")
    idle(page)
    box.click()
    idle(page)
    press(page, "Publish to every business")
    expect(main(page).get_by_text("There is no draft.")).to_be_visible(timeout=PLAYED_WITHIN_MS)
    live.empty(SALON, "evals")
    owners, path = server.Server(live.url, token("platform")), "/admin/definitions/get_policies"
    owners.send("POST", f"{path}/reset", {}, owners.get(path).revision)


def test_a_request_to_another_system_is_built_and_called(visit, outside_server, tmp_path):
    """From an empty page to the other system's answer, without a line of code."""
    _, net = outside_server
    page = visit("own_tools")
    expect(main(page).get_by_text("There is no tool of your own yet.")).to_be_visible()
    photograph_both(page, tmp_path / "none.png")
    press(page, "Add a tool")
    fill(page, "What you call it", "Find a customer")
    fill(page, "When a model should use it, and what for", "Finds a customer by number, for questions about orders.")
    fill(page, "Address", "https://api.example.com/customers/{{number}}")
    press(page, "Add a parameter")
    fill(page, "Name", "number")
    fill(page, "What it is, for the model", "The customer's number, such as K-17.")
    photograph_both(page, tmp_path / "building.png")
    press(page, "Make the tool")
    expect(main(page).get_by_role("button", name="Give it").first).to_be_visible()
    photograph_both(page, tmp_path / "agents.png")
    press(page, "Give it")
    expect(main(page).get_by_text("has it")).to_be_visible()
    go_to(page, "Try it")
    fill(page, "number", "K-17")
    press(page, "Call it")
    expect(main(page).get_by_text("Ada Byron").first).to_be_visible()
    photograph_both(page, tmp_path / "called.png")
    assert net.server.requests[-1].startswith(b"GET /customers/K-17 ")


def test_the_other_pages_about_tools_are_whole(visit, tmp_path):
    """Nothing is cut off where something is imagined, tried, said or brought in."""
    page = visit("what_if")
    choose(page, "Built-in calendar", "not connected")
    expect(main(page).get_by_text("would be gone everywhere")).to_be_visible()
    photograph_both(page, tmp_path / "what_if.png")
    turn_to(page, "Playground")
    go_to(page, "Hold a conversation")
    box = page.get_by_test_id("stChatInputTextArea")
    expect(box).to_be_editable()
    idle(page)
    box.fill("What is your policy on cancellations?")
    box.press("Enter")
    expect(main(page).get_by_text("24 hours").first).to_be_visible()
    photograph_both(page, tmp_path / "conversation.png")
    page = visit("health")
    expect(main(page).get_by_text("What callers asked that nobody could answer")).to_be_visible()
    photograph_both(page, tmp_path / "health.png")
    turn_to(page, "Your tools")
    for part, sight in (
        ("Secrets", "There is no secret yet."),
        ("Vapi", "Vapi is not connected."),
        ("Connected servers", "Connect a server"),
        ("Bring in, take out", "Take your tools out"),
    ):
        go_to(page, part)
        expect(main(page).get_by_text(sight).first).to_be_visible()
        photograph_both(page, tmp_path / f"{part}.png")


def test_an_owner_holds_a_phone_conversation_and_sees_what_the_model_saw(visit, tmp_path):
    """From the choice of a channel to each tool's story; a paragraph in Hebrew runs from right to left."""
    page = visit("playground")
    go_to(page, "Hold a conversation")
    expect(main(page).get_by_text("This is real: what a tool does is done.")).to_be_visible()
    go_to(page, "Phone")
    fill(page, "Caller's number (optional)", "+12015550123")
    photograph_both(page, tmp_path / "choosing.png")
    field = main(page).get_by_placeholder("What the caller says")
    for said in ("What is your policy on cancellations?", "שלום, מתי אתם פתוחים?"):
        idle(page)
        field.fill(said)
        field.press("Enter")
        expect(main(page).get_by_test_id("stChatMessage").filter(has_text=said)).to_be_visible()
        idle(page)
        expect(main(page).get_by_text("The receptionist is thinking")).to_have_count(0)
    hebrew = main(page).get_by_test_id("stChatMessage").get_by_text("שלום")
    expect(hebrew).to_have_css("unicode-bidi", "plaintext")
    idle(page).get_by_text("Exactly what the model saw").click()
    expect(main(page).get_by_text("this is what it was sent last")).to_be_visible()
    main(page).get_by_role("tab", name="Messages").click()
    expect(
        main(page).get_by_text("Switchboard, to the model").or_(main(page).get_by_text("The model")).first
    ).to_be_visible()
    press(page, "Why? Each tool's story")
    expect(main(page).get_by_text("the model asked for search_knowledge").first).to_be_visible()
    photograph_both(page, tmp_path / "talking.png")
    press(page, "New conversation")
    expect(main(page).get_by_label("Caller's number (optional)")).to_be_visible()


def test_an_owner_takes_a_tool_away_from_the_own_business(visit, live, tmp_path):
    """A chat that begins then does not have it; the list says so, and how all are given back."""
    page = visit("tools")
    open_tool(page, "get_policies")
    idle(page).get_by_text("Offer it to callers of Maple Street Hair Studio").click()
    expect(main(page).get_by_text("This business uses the tools that are switched on here.")).to_be_visible()
    assert words_of(live, "get_policies", "after_that") is None
    photograph_both(page, tmp_path / "tool.png")
    press(page, "All tools")
    expect(main(page).get_by_text("open a tool to switch it on or off")).to_be_visible()
    photograph_both(page, tmp_path / "tools.png")
    press(page, "Use all tools again")
    expect(main(page).get_by_text("open a tool to switch it on or off")).to_have_count(0)
    assert words_of(live, "get_policies", "then_again") is not None


def test_an_agent_s_versions_are_seen_and_compared(visit, live, tmp_path):
    """On a desk and on a phone."""
    owner, path = server.Server(live.url, live.keys[SALON]), f"/admin/businesses/{SALON}/agents"
    owner.send("POST", path, {"name": "Ada", "language": "en", "description": "Answers whoever calls in the morning."})
    changed = {"language": "de", "tools": {"send_sms": {"enabled": False}}}
    owner.send("PATCH", f"{path}/ada", changed, owner.get(f"{path}/ada").revision)
    page = visit("agents")
    idle(page).locator(".st-key-versions-ada label").click()
    press(page, "Compare")
    expect(main(page).get_by_text("Then").first).to_be_visible()
    photograph_both(page, tmp_path / "versions.png")


def test_the_other_settings_can_be_read_and_set(visit, live, tmp_path):
    """On a desk and on a phone: the business's settings, an agent's accounts, the health of all."""
    page = visit("business")
    go_to(page, "Settings")
    expect(main(page).get_by_label("Greeting in the portal", exact=True)).to_be_visible()
    photograph_both(page, tmp_path / "settings.png")
    server.Server(live.url, live.keys[SALON]).send("POST", f"/admin/businesses/{SALON}/agents", {"name": "Ada"})
    page = visit("agents")
    idle(page).get_by_text("Accounts of its own").last.click()
    choose(page, "Account", "Twilio")
    expect(main(page).get_by_text("It may use this account")).to_be_visible()
    photograph_both(page, tmp_path / "agents.png")
    turn_to(page, "Health")
    go_to(page, "All businesses")
    expect(main(page).get_by_text("Switchboard itself")).to_be_visible()
    photograph_both(page, tmp_path / "health.png")

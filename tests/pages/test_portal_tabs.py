"""Tabs of one browser that show the same portal, and which answers are marked as broken off."""

import asyncio
import re

import pytest
from playwright.sync_api import expect

from switchboard.contract.model import Ended, Ending, TextPiece
from tests.channels.portal import planted
from tests.conversation.scripted import calls, says
from tests.pages.conftest import SLOW_MS
from tests.pages.test_portal_page import BOOKING, answers, say

HIDE = """Object.defineProperty(document, 'hidden', { configurable: true, get: () => window.isAway ?? false })"""


def another(page, query="business=salon"):
    """Open another tab of the same browser."""
    tab = page.context.new_page()
    tab.set_default_timeout(SLOW_MS)
    tab.goto(f"{page.url.partition('?')[0]}?{query}")
    return tab


def shown(page):
    return page.locator("#conversation .bubble")


def look_away(page, *, is_away):
    page.evaluate(HIDE)
    page.evaluate(f"window.isAway = {str(is_away).lower()}; document.dispatchEvent(new Event('visibilitychange'))")


WELCOME = "Welcome to Maple Street Hair Studio. How can I help you?"


@pytest.mark.requirement("004-890")
def test_a_new_tab_of_the_same_business_joins_the_talk(visit, premises):
    """Instead of beginning another; what is said in one appears in the other, while it is said."""
    gate = asyncio.Event()
    premises.script(says("Hello Ana."), [*says("On Tuesday, ")[:-1], gate, *says("at ten.")], says("Yes?"))
    page = visit()
    say(page, "Hello")
    expect(answers(page).last).to_have_text("Hello Ana.")
    tab = another(page)
    expect(shown(tab)).to_have_text([WELCOME, "Hello", "Hello Ana."])
    say(page, "When?")
    for one in (page, tab):
        expect(answers(one).last).to_have_text(re.compile("^On Tuesday,"))
        expect(one.get_by_role("button", name="Stop the answer")).to_be_visible()
    premises.open(gate)
    for one in (page, tab):
        expect(answers(one).last).to_have_text("On Tuesday, at ten.")
        expect(one.get_by_role("button", name="Stop the answer")).to_be_hidden()
    say(tab, "Are you there?")
    for one in (page, tab):
        expect(shown(one)).to_have_text(
            [WELCOME, "Hello", "Hello Ana.", "When?", "On Tuesday, at ten.", "Are you there?", "Yes?"]
        )
        one.reload()
        expect(shown(one)).to_have_count(7)
    assert len(premises.salon.model.prompts) >= 3
    expect(page.locator(".cut")).to_have_count(0)


@pytest.mark.requirement("004-890")
def test_a_tab_that_nobody_looks_at_catches_up_when_it_is_looked_at(visit, premises):
    """Also with what was said before the last message."""
    premises.script(says("One."), says("Two."))
    page = visit()
    expect(answers(page)).to_have_count(1)
    tab = another(page)
    expect(answers(tab)).to_have_count(1)
    look_away(tab, is_away=True)
    say(page, "First")
    expect(answers(page).last).to_have_text("One.")
    say(page, "Second")
    expect(answers(page).last).to_have_text("Two.")
    expect(shown(tab)).to_have_count(1)
    look_away(tab, is_away=False)
    expect(shown(tab)).to_have_text([WELCOME, "First", "One.", "Second", "Two."])


@pytest.mark.requirement("004-890")
def test_a_question_that_is_answered_in_one_tab_is_closed_in_the_other(visit, premises):
    """And what was done is seen in both, once."""
    premises.script(calls(BOOKING), calls(BOOKING), says("You are booked."))
    page = visit()
    expect(answers(page)).to_have_count(1)
    tab = another(page)
    expect(answers(tab)).to_have_count(1)
    say(page, "A haircut")
    for one in (page, tab):
        expect(one.get_by_role("button", name="Yes")).to_be_visible()
    tab.get_by_role("button", name="Yes").click()
    for one in (page, tab):
        expect(one.locator(".receipt")).to_have_count(1)
        expect(answers(one).last).to_have_text("You are booked.")
        expect(one.get_by_role("button", name="Yes")).to_have_count(0)
    assert planted.reserved == ["Ana Lopez"]


@pytest.mark.requirement("004-890")
def test_an_answer_is_stopped_in_either_tab(visit, premises):
    """Both say that it was broken off, also after a reload."""
    premises.script([*says("One, two, ")[:-1], asyncio.Event(), *says("three.")])
    page = visit()
    expect(answers(page)).to_have_count(1)
    tab = another(page)
    expect(answers(tab)).to_have_count(1)
    say(page, "Count")
    expect(answers(tab).last).to_have_text(re.compile("two"))
    tab.get_by_role("button", name="Stop the answer").click()
    for one in (page, tab):
        expect(one.locator(".cut")).to_have_text("Stopped here.")
        expect(one.get_by_role("button", name="Stop the answer")).to_be_hidden()
        one.reload()
        expect(one.locator(".cut")).to_have_text("Stopped here.")


@pytest.mark.requirement("004-890")
def test_two_tabs_that_send_at_once_show_the_order_of_the_server(visit, premises):
    """Each has shown its own first; in the end both show the same, as after a reload."""
    premises.script(says("A."), says("B."))
    page = visit()
    expect(answers(page)).to_have_count(1)
    tab = another(page)
    expect(answers(tab)).to_have_count(1)
    for one, words in ((page, "From here"), (tab, "From there")):
        one.get_by_label("Your message").fill(words)
    for one in (page, tab):
        one.evaluate("setTimeout(() => document.getElementById('composer').requestSubmit(), 50)")
    for one in (page, tab):
        expect(one.locator("#conversation .caller")).to_have_count(2)
        expect(one.locator(".waiting")).to_have_count(0)
        expect(one.get_by_role("button", name="Stop the answer")).to_be_hidden()
    before = shown(page).all_text_contents()
    assert set(before[1:]) >= {"From here", "From there"}
    expect(shown(tab)).to_have_text(before)
    page.reload()
    expect(shown(page)).to_have_text(before)


@pytest.mark.requirement("004-891")
def test_a_spent_link_that_is_opened_again_shows_the_talk(visit, premises):
    """In a second tab of the same browser, and in the same tab; nowhere else, and in none once all are closed."""
    premises.script(says("Hello again."), says("Two."))
    link = premises.within(premises.salon.link("CA-again", "again"))
    page = visit(f"link={link}")
    say(page, "Hello")
    expect(answers(page).last).to_have_text("Hello again.")
    tab = another(page, f"link={link}")
    expect(shown(tab)).to_have_text([WELCOME, "Hello", "Hello again."])
    assert "link" not in tab.url
    say(tab, "On?")
    expect(answers(page).last).to_have_text("Two.")
    page.goto(f"{premises.url}/portal/?link={link}")
    expect(answers(page).last).to_have_text("Two.")
    context = page.context
    tab.close()
    page.close()
    late = context.new_page()
    late.goto(f"{premises.url}/portal/?link={link}")
    expect(late.locator("#notice")).to_contain_text("This link is not valid any more.")


@pytest.mark.requirement("004-891")
def test_a_talk_is_not_kept_beyond_its_tabs(visit, premises):
    """Computers are shared: whoever opens the page after all its tabs were closed begins a talk of their own."""
    premises.script(says("Hello Ana."))
    page = visit()
    say(page, "I am Ana Lopez")
    expect(answers(page).last).to_have_text("Hello Ana.")
    context, url = page.context, page.url
    page.close()
    late = context.new_page()
    late.goto(url)
    expect(shown(late)).to_have_text([WELCOME])
    assert late.evaluate("Object.keys(localStorage)") == []


def _slowly(page):
    """Let words that have come be typed so slowly that they are not all there."""
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)


LONG = "We open at nine, and we close at six, and on Saturdays we open at ten. " * 8


@pytest.mark.requirement("004-892")
@pytest.mark.parametrize("how", ["stop", "another message"])
def test_a_whole_answer_is_not_marked_as_stopped(visit, premises, how):
    """All the words had come, and only the page was still typing them: neither now nor after a reload."""
    premises.script(says(LONG), says("Yes?"))
    page = visit()
    expect(answers(page)).to_have_count(1)
    _slowly(page)
    say(page, "When?")
    expect(answers(page)).to_have_count(2)
    session = page.evaluate("JSON.parse(sessionStorage['switchboard.portal']).visit.sessionId")
    while premises.within(premises.salon.record(session)).get("outcome") != "answered":
        page.evaluate("fetch('../portal/history').then(() => null)")
    assert len(answers(page).last.text_content()) < len(LONG) / 2
    if how == "stop":
        page.get_by_role("button", name="Stop the answer").click()
        page.clock.resume()
    else:
        say(page, "Go on")
        page.clock.resume()
        expect(answers(page).last).to_have_text("Yes?")
    for _ in range(2):
        expect(answers(page).nth(1)).to_have_text(LONG.strip())
        expect(page.get_by_text("Stopped here.")).to_have_count(0)
        page.reload()


@pytest.mark.requirement("004-892")
def test_what_was_really_cut_is_marked_now_and_after_a_reload(visit, premises):
    """By another message, in the middle of the answer."""
    premises.script(
        [TextPiece("One, two, "), asyncio.Event(), TextPiece("three."), Ended(Ending.STOPPED)], says("Yes?")
    )
    page = visit()
    say(page, "Count")
    expect(answers(page).last).to_have_text(re.compile("two"))
    say(page, "Enough")
    expect(answers(page).last).to_have_text("Yes?")
    for _ in range(2):
        expect(page.locator("#conversation > .agent").nth(1)).to_have_text(re.compile(r"One, two,\s*Stopped here\.$"))
        expect(page.get_by_text("Stopped here.")).to_have_count(1)
        page.reload()


@pytest.mark.requirement("004-892")
def test_an_answer_that_is_too_long_to_be_kept_says_so_after_a_reload(visit, premises):
    """Nothing over the length that records hold is cut without a word."""
    premises.script(says("word " * 1_200))
    page = visit(reduced_motion="reduce")
    say(page, "Tell me")
    expect(page.get_by_role("button", name="Stop the answer")).to_be_hidden()
    expect(answers(page).last).to_contain_text("word word")
    page.reload()
    expect(page.locator(".cut")).to_have_text("The rest was too long to be kept.")


@pytest.mark.requirement("004-889")
@pytest.mark.parametrize(
    ("language", "counted", "sentence"),
    [
        ("en", "3,990 of 4,000 characters", "This message has 4,001 characters, and at most 4,000 can be sent."),
        ("de", "3.990 von 4.000 Zeichen", "Diese Nachricht hat 4.001 Zeichen, höchstens 4.000 können gesendet werden."),
    ],
)
def test_what_is_too_long_is_neither_cut_nor_sent(visit, premises, language, counted, sentence):
    """A count near the limit, a sentence beyond it, the words stay; emoji and new lines count as at the server."""
    premises.script(says("A lot."))
    page = visit("business=salon" if language == "en" else "business=klempner")
    expect(answers(page)).to_have_count(1)
    field, length = page.locator("#message"), page.locator("#length")
    field.fill("x" * 3_599)
    expect(length).to_be_hidden()
    field.fill("😀\n" * 100 + "x" * 3_790)
    expect(length).to_have_text(counted)
    text = "😀\n" * 100 + "x" * 3_801
    field.fill(text)
    expect(length).to_contain_text(sentence)
    expect(page.locator("#urgent")).to_contain_text(sentence)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(re.compile(re.escape(sentence)))
    field.press("Enter")
    expect(field).to_have_value(text)
    expect(page.locator("#conversation .caller")).to_have_count(0)
    field.press("Backspace")
    field.press("Enter")
    expect(answers(page).last).to_have_text("A lot.")
    expect(length).to_be_hidden()
    assert premises.salon.model.prompts[-1].messages[-1].text == text[:-1]


@pytest.mark.requirement("004-893")
def test_a_visit_that_ends_while_it_is_open_is_begun_anew_with_the_words_kept(visit, premises):
    """What was sent and not taken is in the field again, with what was written since."""
    premises.script(says("Hello."))
    page = visit()
    expect(answers(page)).to_have_count(1)
    page.route("**/portal/chat", lambda route: route.fulfill(status=401, body="{}"))
    say(page, "Are you there?")
    expect(page.get_by_text("This visit has ended.").first).to_be_visible()
    field = page.get_by_label("Your message")
    expect(field).to_have_value("Are you there?")
    field.press("End")
    page.keyboard.type(" It is Ana.")
    page.keyboard.press("Enter")
    anew = page.get_by_role("button", name="Start a new conversation")
    expect(anew).to_be_focused()
    page.unroute("**/portal/chat")
    page.keyboard.press("Enter")
    expect(page.locator(".trouble")).to_have_count(0)
    expect(field).to_be_focused()
    expect(field).to_have_value("Are you there? It is Ana.")
    field.press("Enter")
    expect(shown(page)).to_have_text([WELCOME, "Are you there? It is Ana.", "Hello."])


@pytest.mark.requirement("004-893")
def test_without_storage_the_page_works(visit, premises):
    """Browsers can be told to forbid it, and each tab is then alone."""
    premises.script(says("Hello."))
    page = visit("")
    page.add_init_script("""for (const name of ['sessionStorage', 'localStorage'])
        Object.defineProperty(window, name, { get() { throw new DOMException('', 'SecurityError'); } });
        window.BroadcastChannel = class { constructor() { throw new DOMException('', 'SecurityError'); } };""")
    page.goto(f"{premises.url}/portal/?business=salon")
    say(page, "Hello")
    expect(answers(page).last).to_have_text("Hello.")

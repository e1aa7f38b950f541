"""The portal's page in a real browser: what somebody sees, hears and can do there."""

import asyncio
import re
import time

import pytest
from playwright.sync_api import expect

from tests.channels.portal import planted
from tests.conversation.scripted import calls, says
from tests.pages.accessibility import AUDIT
from tests.pages.conftest import SLOW_MS

BOOKING = ("book_appointment", {"service": "Haircut", "name": "Ana Lopez"})


def say(page, text):
    field = page.get_by_label("Your message")
    field.fill(text)
    field.press("Enter")


def answers(page):
    return page.locator("#conversation .agent .bubble")


def announced(page):
    """What a screen reader was told, in order."""
    return page.locator("#spoken p")


def stand_still(page):
    """Stop the clock of a page that waits for nothing: what a tool then does is quick to it, however long it takes."""
    expect(page.get_by_role("button", name="Stop the answer")).to_be_hidden()
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)


def test_a_visitor_books_an_appointment(visit, premises, photograph):
    """Greeting, streamed words, what is being done, a question with buttons, and a receipt in the salon's time."""
    checking, gate = asyncio.Event(), asyncio.Event()
    premises.script(
        calls(("find_times", {"day": "Tuesday"}), text="Let me look at Tuesday. "),
        [*says("On Tuesday, ten ")[:-1], gate, *says("or half past eleven is free.")],
        calls(BOOKING),
        calls(BOOKING),
        says("You are booked. See you on Tuesday!"),
    )
    planted.gates["Tuesday"] = checking
    page = visit()
    expect(page.get_by_role("heading", name="Maple Street Hair Studio")).to_be_visible()
    expect(page).to_have_title("Maple Street Hair Studio")
    expect(answers(page)).to_have_text(["Welcome to Maple Street Hair Studio. How can I help you?"])

    say(page, "Is there a time for a haircut on Tuesday?")
    expect(page.get_by_text("Checking Tuesday…").first).to_be_visible()
    photograph(page, "checking")
    premises.open(checking)
    expect(answers(page).last).to_have_text(re.compile("^On Tuesday, ten ?$"))
    photograph(page, "streaming")
    premises.open(gate)
    expect(answers(page).last).to_have_text("On Tuesday, ten or half past eleven is free.")
    expect(page.locator(".activity")).to_have_count(0)

    say(page, "Ten, please, for Ana Lopez")
    expect(page.get_by_role("group", name="Shall I book Haircut for Ana Lopez?")).to_be_visible()
    photograph(page, "asking")
    page.get_by_role("button", name="Yes").click()
    card = page.locator(".receipt")
    expect(card.get_by_role("heading", name="Booked")).to_be_visible()
    expect(card.locator("dd")).to_have_text(["Haircut", "Ana Lopez", "Tuesday, March 16, 2027 at 10:00 AM"])
    expect(answers(page).last).to_have_text("You are booked. See you on Tuesday!")
    expect(page.get_by_role("button", name="Yes")).to_have_count(0)
    assert planted.reserved == ["Ana Lopez"]
    photograph(page, "booked")


DEMO = {
    "text": "Demo: no language model is connected.",
    "connect": "These two lines connect one:",
    "lines": ["export OPENAI_API_KEY=sk-…", "SWITCHBOARD_MODEL=openai:gpt-5-mini scripts/run"],
    "ask": "You could ask:",
    "examples": {"portal": ["When are you open?", "<b>Is there parking?</b>"], "browser_voice": []},
}


@pytest.mark.requirement("000-313")
@pytest.mark.parametrize("width", [1100, 390])
def test_a_page_without_a_model_says_so_and_offers_questions_as_buttons(visit, premises, photograph, width):
    """With the two lines that connect one; a question is asked as it stands, and the buttons then make room."""
    premises.salon.demo = DEMO
    try:
        premises.script(says("From nine to six."))
        page = visit(viewport={"width": width, "height": 800})
        note = page.get_by_role("complementary", name=DEMO["text"])
        expect(note.locator("code")).to_have_text("\n".join(DEMO["lines"]))
        asking = page.get_by_role("group", name="You could ask:")
        expect(asking.get_by_role("button")).to_have_text(DEMO["examples"]["portal"])
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        photograph(page, f"demo-{width}")
        asking.get_by_role("button", name="When are you open?").click()
        expect(page.locator("#conversation .caller .bubble")).to_have_text("When are you open?")
        expect(answers(page).last).to_have_text("From nine to six.")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        photograph(page, f"demo-asked-{width}")
        assert page.evaluate(AUDIT) == []
    finally:
        premises.salon.demo = None


def test_a_page_with_a_model_says_nothing_of_a_demo(visit, premises):
    """Neither note nor questions."""
    page = visit()
    expect(answers(page)).to_have_count(1)
    expect(page.locator("#demo")).to_be_hidden()
    expect(page.locator("#examples")).to_be_hidden()


def test_a_reload_keeps_the_conversation(visit, premises):
    """What was said, what was done, and the question that is still open."""
    premises.script(says("Hello Ana."), calls(BOOKING), calls(BOOKING), says("Done."))
    page = visit()
    say(page, "Hello")
    expect(answers(page).last).to_have_text("Hello Ana.")
    say(page, "Book it")
    expect(page.get_by_role("button", name="Yes")).to_be_visible()
    before = page.locator("#conversation .bubble").all_text_contents()
    page.reload()
    expect(page.locator("#conversation .bubble")).to_have_text(before)
    page.get_by_role("button", name="Yes").click()
    expect(page.locator(".receipt")).to_be_visible()
    expect(answers(page).last).to_have_text("Done.")
    page.reload()
    expect(page.locator(".receipt dd").first).to_have_text("Haircut")
    expect(page.get_by_role("button", name="Yes")).to_have_count(0)


def test_a_reload_in_the_middle_of_an_answer_brings_all_of_it(visit, premises):
    """The message is not sent a second time, and stands there once."""
    gate = asyncio.Event()
    premises.script([*says("One ")[:-1], gate, *says("two.")])
    page = visit()
    say(page, "Count")
    expect(answers(page).last).to_have_text(re.compile("^One"))
    page.reload()
    expect(answers(page).last).to_have_text(re.compile("^One"))
    premises.open(gate)
    expect(answers(page).last).to_have_text("One two.")
    expect(page.locator("#conversation .caller")).to_have_count(1)
    page.reload()
    expect(page.locator("#conversation .bubble")).to_have_count(3)


def test_a_dropped_stream_is_taken_up_again(visit, premises):
    """The same message again, until its answer has come; nobody has to do anything."""
    premises.script(says("Here I am."))
    page = visit()
    expect(answers(page)).to_have_count(1)
    sent = []

    def drop_twice(route):
        sent.append(route.request.post_data_json["messageId"])
        route.abort() if len(sent) < 3 else route.continue_()

    page.route("**/portal/chat", drop_twice)
    say(page, "Are you there?")
    expect(answers(page).last).to_have_text("Here I am.")
    assert len(sent) == 3 and len(set(sent)) == 1


def test_what_cannot_be_reached_is_told_and_tried_again(visit, premises, photograph):
    """In words, with a button, and without losing what was written."""
    premises.script(says("Here I am."))
    page = visit()
    page.clock.install()
    page.route("**/portal/chat", lambda route: route.abort())
    say(page, "Are you there?")
    lost, deadline = page.locator("#conversation .trouble"), time.monotonic() + SLOW_MS / 1000
    while not lost.is_visible() and time.monotonic() < deadline:
        page.clock.run_for(2_000)
    expect(lost).to_contain_text("The connection was lost.")
    assert page.locator("#urgent").text_content() == "The connection was lost."
    photograph(page, "lost")
    page.unroute("**/portal/chat")
    page.get_by_role("button", name="Try again").click()
    page.clock.resume()
    expect(answers(page).last).to_have_text("Here I am.")
    expect(page.locator(".trouble")).to_have_count(0)
    expect(page.locator("#conversation .caller")).to_have_count(1)


def test_an_answer_can_be_stopped(visit, premises):
    """What was said until then stays, and says so."""
    premises.script([*says("One, two, ")[:-1], asyncio.Event(), *says("three.")], says("Yes?"))
    page = visit()
    say(page, "Count")
    expect(answers(page).last).to_have_text(re.compile("two"))
    page.get_by_role("button", name="Stop the answer").click()
    expect(page.get_by_text("Stopped here.")).to_be_visible()
    expect(page.get_by_role("button", name="Stop the answer")).to_be_hidden()
    say(page, "Hey")
    expect(answers(page).last).to_have_text("Yes?")


def test_writing_on_interrupts(visit, premises):
    """Nobody has to wait for an answer that they do not want."""
    premises.script([*says("One, two, ")[:-1], asyncio.Event(), *says("three.")], says("All right."))
    page = visit()
    say(page, "Count")
    expect(answers(page).last).to_have_text(re.compile("two"))
    say(page, "Enough")
    expect(answers(page).last).to_have_text("All right.")
    expect(page.locator("#conversation > li")).to_have_text(
        [
            re.compile("Welcome"),
            re.compile("Count"),
            re.compile("Stopped here"),
            re.compile("Enough"),
            re.compile("All"),
        ]
    )


def test_it_can_be_used_with_the_keyboard_alone(visit, premises):
    """Skip link, field, send, and the buttons of a question; the focus is never lost."""
    premises.script(says("Hello."), calls(BOOKING), calls(BOOKING), says("Done."))
    page = visit()
    expect(answers(page)).to_have_count(1)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the message field")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Your message")).to_be_focused()
    page.keyboard.type("Hello")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("there")
    assert page.get_by_label("Your message").input_value() == "Hello\nthere"
    page.keyboard.press("Enter")
    expect(answers(page).last).to_have_text("Hello.")
    # While an answer comes, its own button stands before the one that sends.
    expect(page.get_by_role("button", name="Stop the answer")).to_be_hidden()
    page.keyboard.type("Book")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Send")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Yes")).to_be_visible()
    expect(page.get_by_role("button", name="Stop the answer")).to_be_hidden()
    page.get_by_label("Your message").focus()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="No")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".receipt")).to_be_visible()
    expect(page.get_by_label("Your message")).to_be_focused()


def test_a_screen_reader_is_told_whole_sentences(visit, premises):
    """Each once, with what takes long and what was done; words in pieces are no sentence."""
    gate = asyncio.Event()
    premises.script(
        calls(("find_times", {"day": "Tuesday"})),
        says("On Tu", "esday. Ten is fr", "ee. Shall", " we?"),
        calls(BOOKING),
        calls(BOOKING),
        says("Done."),
    )
    planted.gates["Tuesday"] = gate
    page = visit()
    expect(answers(page)).to_have_count(1)
    page.clock.install()
    stand_still(page)
    say(page, "Tuesday?")
    expect(page.get_by_text("Checking Tuesday…").first).to_be_visible()
    expect(announced(page)).to_have_count(0)
    page.clock.run_for(1_000)
    expect(announced(page)).to_have_text(["Checking Tuesday…"])
    premises.open(gate)
    expect(answers(page)).to_have_count(2)
    page.clock.resume()
    expect(answers(page).last).to_have_text("On Tuesday. Ten is free. Shall we?")
    stand_still(page)
    say(page, "Ten")
    expect(answers(page)).to_have_count(3)
    page.clock.resume()
    expect(page.get_by_role("button", name="Yes")).to_be_visible()
    stand_still(page)
    page.get_by_role("button", name="Yes").click()
    expect(answers(page)).to_have_count(4)
    page.clock.resume()
    expect(answers(page).last).to_have_text("Done.")
    told = [
        "Checking Tuesday…",
        "On Tuesday.",
        "Ten is free.",
        "Shall we?",
        "Shall I book Haircut for Ana Lopez?",
        "Booked. What: Haircut. For: Ana Lopez. When: Tuesday, March 16, 2027 at 10:00 AM",
        "Done.",
    ]
    expect(announced(page)).to_have_text(told)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1100])
def test_it_is_readable_and_reachable(visit, premises, photograph, scheme, width):
    """Light and dark, on a phone and on a desk: contrast, sizes of targets, names, nothing cut off at the side."""
    premises.script(
        calls(BOOKING),
        calls(BOOKING),
        says("You are booked, Ana. Read https://example.org/" + "a-very-long-address/" * 6 + " beside the bakery."),
        calls(("book_appointment", {"service": "Color", "name": "Ana Lopez"})),
    )
    # Words stand there at once: what is looked at is what is left of them.
    page = visit(color_scheme=scheme, viewport={"width": width, "height": 740}, reduced_motion="reduce")
    say(page, "Hello! I would like to have a haircut on Tuesday at ten, for Ana Lopez.")
    page.get_by_role("button", name="Yes").click()
    expect(page.locator(".receipt")).to_be_visible()
    expect(answers(page).last).to_have_text(re.compile("bakery"))
    say(page, "And color")
    expect(page.get_by_role("button", name="Yes")).to_be_visible()
    assert page.evaluate(AUDIT) == []
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(19, 24, 23)") is (scheme == "dark")
    photograph(page, f"{scheme}-{width}")


def test_whoever_prefers_stillness_gets_it(visit, premises):
    """Nothing moves, and words stand there as soon as they have come."""
    gate = asyncio.Event()
    premises.script(calls(("find_times", {"day": "Tuesday"})), says("Ten."))
    planted.gates["Tuesday"] = gate
    page = visit(reduced_motion="reduce")
    say(page, "Tuesday?")
    expect(page.get_by_text("Checking Tuesday…").first).to_be_visible()
    assert page.evaluate("document.getAnimations().length") == 0
    premises.open(gate)
    expect(answers(page).last).to_have_text("Ten.")


def test_a_german_business_speaks_german(visit, premises):
    """The page's own words too; times stand there as the visitor's browser writes them, with their zone."""
    premises.script(calls(("act", {"what": "x"})), says("Erledigt."))
    page = visit("business=klempner", locale="de-DE")
    expect(answers(page)).to_have_text(["Was ist los bei Ihnen?"])
    assert page.evaluate("document.documentElement.lang") == "de"
    page.get_by_label("Ihre Nachricht").fill("Der Abfluss ist verstopft")
    page.get_by_role("button", name="Senden").click()
    expect(page.locator(".receipt h3")).to_have_text("Erledigt")
    expect(page.locator(".receipt dt")).to_have_text(["Was"])


@pytest.mark.requirement("004-1103")
def test_a_card_says_with_whom_it_is_and_for_how_many(visit, premises, photograph):
    """Now and when the conversation is shown again; where it is with nobody in particular, it says neither."""
    dinner = ("book_appointment", {"service": "Dinner", "name": "Ana"})
    premises.script(calls(dinner), calls(dinner), says("Done."))
    page = visit()
    say(page, "Dinner with Maja")
    page.get_by_role("button", name="Yes").click()
    for _ in range(2):
        expect(page.locator(".receipt dt")).to_have_text(["What", "With", "For", "People", "When"])
        expect(page.locator(".receipt dd").nth(1)).to_have_text("Maja")
        expect(page.locator(".receipt dd").nth(3)).to_have_text("3")
        photograph(page, "with-somebody")
        page.reload()


def test_times_elsewhere_name_their_zone(visit, premises):
    """A visitor in Berlin must not take the salon's ten o'clock for theirs."""
    premises.script(calls(BOOKING), calls(BOOKING), says("Done."))
    page = visit(locale="de-DE", timezone_id="Europe/Berlin")
    say(page, "Book")
    page.get_by_role("button", name="Yes").click()
    expect(page.locator(".receipt dd").last).to_have_text("Dienstag, 16. März 2027 um 10:00 GMT-4")


@pytest.mark.requirement("003-334")
def test_nothing_that_was_said_is_read_as_html(visit, premises):
    """Neither from models nor from visitors; addresses become links, if they are the business's own."""
    said = "<img src=x onerror=alert(1)> <b>bold</b> see https://maple.example/a?b=1). javascript:alert(1) http://[x"
    premises.script(says(said))
    page = visit()
    say(page, "<script>alert(1)</script> **mine** https://maple.example")
    expect(answers(page).last).to_have_text(said)
    caller = page.locator("#conversation .caller .bubble")
    expect(caller).to_have_text("<script>alert(1)</script> **mine** https://maple.example")
    assert page.locator("#conversation :is(img, script, b)").count() == 0
    assert page.locator("#conversation .caller :is(a, strong)").count() == 0
    links = page.locator("#conversation a")
    assert [a.get_attribute("href") for a in links.all()] == ["https://maple.example/a?b=1"]
    assert links.first.get_attribute("rel") == "noopener noreferrer"


PRICES = """We have **three** of them, and _all_ are good:

- **Haircut**: 40 dollars
- Colour: *from* 80 dollars

1. [Book here](https://maple.example/book)
2. Or call us.

# No heading, | no | table, `no code`, snake_case_name, 5 * 3 * 2, \\*stars\\*."""
PLAIN = ["three", "Haircut"], ["all", "from"], ["Book here"]


@pytest.mark.requirement("003-334")
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
def test_marks_become_emphasis_lists_and_links_however_they_are_cut(visit, premises, photograph, size):
    """A streamed piece may end in the middle of a mark; in the end the same stands there, also after a reload."""
    pieces = [PRICES[i : i + size] for i in range(0, len(PRICES), size)]
    premises.script(says(*pieces))
    page = visit()
    say(page, "What does it cost?")
    bubble = answers(page).last
    for _ in range(2):
        expect(bubble.locator("ol li")).to_have_text(["Book here", "Or call us."])
        expect(bubble).to_contain_text("# No heading, | no | table, `no code`, snake_case_name, 5 * 3 * 2, *stars*.")
        for tag, texts in zip(("strong", "em", "a"), PLAIN, strict=True):
            expect(bubble.locator(tag)).to_have_text(texts)
        expect(bubble.locator("ul li")).to_have_text(["Haircut: 40 dollars", "Colour: from 80 dollars"])
        assert "**" not in (bubble.text_content() or "")
        photograph(page, f"marks-{size}")
        page.reload()


@pytest.mark.requirement("003-334")
def test_half_a_mark_is_not_shown_while_the_rest_is_still_to_come(visit, premises, photograph):
    """Nobody sees asterisks turn into bold letters, or an address become a label."""
    gate, second = asyncio.Event(), asyncio.Event()
    premises.script(
        [
            *says("It is **very im")[:-1],
            *(gate, *says("portant** to see [our pa")[:-1]),
            *(second, *says("ge](https://maple.example/x) now.")),
        ]
    )
    page = visit()
    say(page, "Hm?")
    expect(answers(page).last).to_have_text("It is very im")
    expect(answers(page).last.locator("strong")).to_have_text("very im")
    premises.open(gate)
    expect(answers(page).last).to_have_text("It is very important to see our pa")
    photograph(page, "half")
    premises.open(second)
    expect(answers(page).last).to_have_text("It is very important to see our page now.")
    expect(answers(page).last.locator("a")).to_have_attribute("href", "https://maple.example/x")
    expect(announced(page).last).to_have_text("It is very important to see our page now.")


HOSTILE = [
    "[Book here](https://evil.example)",
    "[https://maple.example](https://evil.example/)",
    "[x](javascript:alert(1))",
    "[x](//maple.example/)",
    "https://maple.example.evil.example/",
    "https://maple.example@evil.example/",
    "https://evil.example/?https://maple.example",
    "https://notmaple.example/",
    "[x](https://maple.example:8443/)",
    "[x](data:text/html,<script>alert(1)</script>)",
    '[x](https://maple.example/"onclick="alert(1))',
    "<a href=https://maple.example>x</a>",
    "<svg onload=alert(1)>",
    "&lt;b&gt;",
    "**",
    "** not bold **",
    "*" * 5_000,
    "[" * 5_000,
    "_a" * 2_000,
    "**a*b**c*" * 500,
]


@pytest.mark.requirement("003-334")
def test_whoever_writes_to_deceive_is_shown_as_written(visit, premises):
    """No link but to the business, and none that looks like one; marks that close nothing are text."""
    premises.script(*(says(said) for said in HOSTILE))
    page = visit()
    for number, said in enumerate(HOSTILE, 2):
        say(page, "Go on")
        expect(answers(page)).to_have_count(number)
        expect(page.get_by_role("button", name="Stop the answer")).to_be_hidden()
        shown = answers(page).last.text_content() or ""
        assert shown == said or "**a*b**c*" in said
        allowed = "a, strong, em, ul, ol, li"
        assert page.locator(f"#conversation .agent .bubble :not({allowed})").count() == 0
        for link in page.locator("#conversation a").all():
            href = link.get_attribute("href") or ""
            assert href.startswith("https://maple.example/"), (said, href)


def test_a_link_lets_its_caller_in_and_leaves_the_address_bar(visit, premises):
    """Once; a reload goes on, and a second window is told what to do."""
    premises.script(says("Hello again."))
    link = premises.within(premises.salon.link("CA-page", "page"))
    page = visit(f"link={link}")
    expect(answers(page)).to_have_count(1)
    assert page.url == f"{premises.url}/portal/"
    say(page, "Hello")
    expect(answers(page).last).to_have_text("Hello again.")
    page.reload()
    expect(answers(page).last).to_have_text("Hello again.")
    record = premises.within(premises.salon.record("CA-page"))
    # The conversation goes on; whose number the call showed does not say who reads the link.
    assert (record["sessionId"], record["callerPhone"]) == ("CA-page", None)
    other = visit(f"link={link}")
    expect(other.locator("#notice")).to_have_text("This link is not valid any more. Ask for a new one on the phone.")
    expect(other.get_by_label("Your message")).to_be_hidden()


@pytest.mark.parametrize("query", ["", "business=closed"])
def test_without_a_way_in_it_says_what_to_do(visit, photograph, query):
    """In the browser's language."""
    page = visit(query, locale="de-DE")
    expect(page.locator("#notice")).to_have_text("Bitte öffnen Sie diese Seite mit dem Link, den Sie bekommen haben.")
    photograph(page, "no-way-in")


def test_it_works_without_a_slash_at_the_end(visit, premises):
    """A function may be reached under its bare name."""
    premises.script(says("Hello."))
    page = visit(path="/portal")
    say(page, "Hi")
    expect(answers(page).last).to_have_text("Hello.")


def test_whoever_is_turned_away_reads_it(visit, premises):
    """And the model is not asked."""
    page = visit()
    expect(answers(page)).to_have_count(1)
    premises.salon.turned_away.add(page.evaluate("JSON.parse(sessionStorage['switchboard.portal']).visit.sessionId"))
    say(page, "Hello")
    expect(answers(page).last).to_contain_text("We cannot continue this conversation")
    expect(page.get_by_text("This conversation has ended.")).to_be_visible()


def test_an_expired_visit_can_be_begun_anew(visit, premises):
    """A tab that was left open over night."""
    premises.script(says("Good morning."))
    page = visit()
    expect(answers(page)).to_have_count(1)
    page.evaluate("""() => {
        const kept = JSON.parse(sessionStorage['switchboard.portal']);
        kept.visit.token += 'x';
        sessionStorage['switchboard.portal'] = JSON.stringify(kept);
    }""")
    page.reload()
    page.get_by_role("button", name="Start a new conversation").click()
    say(page, "Hello")
    expect(answers(page).last).to_have_text("Good morning.")

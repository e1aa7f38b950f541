"""The page in Chromium, with ears and a voice that do what the test tells them."""

import asyncio
import json

import pytest
from playwright.async_api import expect

from switchboard.contract.model import Ended, Ending, Noted, Spoken, TextPiece, UserMessage
from switchboard.contract.store import Set
from tests.channels.browser_voice.conftest import FAKE_SPEECH, until
from tests.channels.browser_voice.salon import DOCUMENT, Salon
from tests.conversation import planted
from tests.conversation.scripted import calls, says
from tests.pipeline import planted as pipeline_planted
from tests.pipeline.conftest import BUSINESS, PATHS

GREETING = "Hello, this is the assistant of Salon. How can I help you?"


async def talking(open_page, **options):
    """Return the page once it listens, greeted to the end."""
    page = await open_page(**options)
    await page.get_by_role("button", name="Start talking").click()
    await until(page, "voice.now !== null")
    await page.evaluate("voice.finish()")
    await is_state(page, "listening")
    return page


async def is_state(page, name):
    await expect(page.locator("body")).to_have_attribute("data-state", name)


async def says_now(page, text):
    await until(page, f"voice.now === {json.dumps(text)}")


async def test_the_salon_greets_listens_and_answers_sentence_by_sentence(salon: Salon, open_page):
    """The first sentence is spoken while the second is still to come."""
    more = asyncio.Event()
    salon.model.answers = [
        [TextPiece("We open at nine. We"), more, TextPiece(" close at 6 p.m. today."), Ended(Ending.STOPPED)]
    ]
    page = await talking(open_page)
    assert await page.evaluate("voice.spoken") == [GREETING]
    await page.evaluate("ears.guess('when do you')")
    await expect(page.locator("#captions .guess .text")).to_have_text("when do you")
    await page.evaluate("ears.say('When do you open?')")
    await says_now(page, "We open at nine.")
    await is_state(page, "speaking")
    await page.evaluate("voice.finish()")
    await is_state(page, "thinking")
    more.set()
    await says_now(page, "We close at 6 p.m. today.")
    await page.evaluate("voice.finish()")
    await is_state(page, "listening")
    captions = await page.locator("#captions .text").all_text_contents()
    assert captions == [GREETING, "When do you open?", "We open at nine. We close at 6 p.m. today."]
    assert salon.model.prompts[0].messages == [Spoken(GREETING), UserMessage("When do you open?")]


DEMO = {
    "text": "Demo: no language model is connected.",
    "connect": "These two lines connect one:",
    "lines": ["export OPENAI_API_KEY=sk-…", "SWITCHBOARD_MODEL=openai:gpt-5-mini scripts/run"],
    "ask": "You could ask:",
    "examples": {"portal": [], "browser_voice": ["When are you open?", "<i>Are you a robot?</i>"]},
}


@pytest.mark.requirement("000-313")
@pytest.mark.parametrize("width", [1100, 390])
async def test_without_a_model_the_page_says_so_and_offers_questions_as_buttons(salon: Salon, open_page, width):
    """With the two lines that connect one; a question that is clicked is asked, and answered aloud."""
    salon.demo = DEMO
    salon.model.answers = [says("From nine to six.")]
    page = await open_page(viewport={"width": width, "height": 800})
    note = page.get_by_role("complementary", name=DEMO["text"])
    await expect(note.locator("pre")).to_have_text("\n".join(DEMO["lines"]))
    asking = page.get_by_role("group", name="You could ask:")
    await expect(asking.get_by_role("button")).to_have_text(DEMO["examples"]["browser_voice"])
    await asking.get_by_role("button", name="When are you open?").click()
    await expect(page.locator("#captions .caller .text")).to_have_text("When are you open?")
    await expect(page.locator("#captions .agent .text").last).to_have_text("From nine to six.")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_speaking_up_stops_the_voice_and_tells_what_was_heard(salon: Salon, open_page):
    """The switchboard keeps of its answer what the caller heard; the page strikes the rest through."""
    salon.model.answers = [says("We open at nine. ", "We close at six. ", "On Sundays we rest."), says("At nine.")]
    page = await talking(open_page)
    await page.evaluate("ears.say('When?')")
    await says_now(page, "We open at nine.")
    await page.evaluate("voice.finish()")
    await page.evaluate("voice.reach(3)")
    async with page.expect_response("**/interrupt") as told:
        await page.evaluate("ears.guess('no wait')")
    assert (await told.value).request.post_data_json == {"turn": 1, "heard": "We open at nine. We close"}
    assert await page.evaluate("voice.now") is None
    await is_state(page, "listening")
    unheard = await page.locator("#captions .unheard").text_content()
    assert unheard.split() == ["at", "six.", "On", "Sundays", "we", "rest."]
    await page.evaluate("ears.say('No, wait: when do you open?')")
    await says_now(page, "At nine.")
    assert salon.model.prompts[-1].messages[1:4] == [
        UserMessage("When?"),
        Spoken("We open at nine. We close"),
        Noted("The caller interrupted here and did not hear the rest."),
    ]


async def test_the_page_does_not_interrupt_itself(salon: Salon, open_page):
    """Without headphones the microphone hears the loudspeaker, also a moment after it fell silent."""
    salon.model.answers = [says("We open at nine.")]
    page = await talking(open_page)
    await page.evaluate("ears.say('When?')")
    await says_now(page, "We open at nine.")
    await page.evaluate("ears.guess('we open at')")
    await says_now(page, "We open at nine.")
    await page.evaluate("voice.finish(); ears.say('We open at nine')")
    await is_state(page, "listening")
    assert await page.locator("#captions .caller").count() == 1
    assert len(salon.model.prompts) == 1


@pytest.mark.parametrize("by", ["voice", "button"])
@pytest.mark.requirement("003-134")
async def test_a_question_is_answered_by_voice_or_by_a_button(salon: Salon, open_page, by):
    """What was booked is shown."""
    wish = calls(("book", {"what": "a cut"}))
    salon.model.answers = [wish, wish, says("It is booked.")]
    page = await talking(open_page)
    await page.evaluate("ears.say('Book a cut.')")
    question = page.get_by_role("group", name="Book a cut?")
    await expect(question).to_be_visible()
    await says_now(page, "Book a cut?")
    if by == "voice":
        await page.evaluate("voice.finish(); ears.say('Yes, please.')")
    else:
        await question.get_by_role("button", name="Yes").click()
    await says_now(page, "It is booked.")
    await expect(question).to_be_hidden()
    assert pipeline_planted.done == ["a cut"]
    await expect(page.locator("#captions .receipt")).to_contain_text("a cut")


async def test_what_a_tool_does_is_shown_while_it_runs(salon: Salon, open_page):
    """In the words that its definition has for it."""
    planted.gates["a"] = asyncio.Event()
    salon.model.answers = [calls(("fetch", {"key": "a"})), says("Found it.")]
    page = await talking(open_page)
    await page.evaluate("ears.say('Look it up.')")
    await expect(page.locator("#activity")).to_have_text("One moment.")
    planted.gates["a"].set()
    await expect(page.locator("#activity")).to_be_hidden()


@pytest.mark.requirement("003-81", "003-94")
async def test_the_microphone_is_closed_after_the_last_words(salon: Salon, open_page):
    """Not in the middle of them."""
    salon.model.answers = [calls(("hang_up", {}), text="Goodbye and thank you.")]
    page = await talking(open_page)
    await page.evaluate("ears.say('Bye.')")
    await says_now(page, "Goodbye and thank you.")
    await is_state(page, "speaking")
    await page.evaluate("voice.finish()")
    await is_state(page, "ended")
    assert await page.evaluate("ears.open") is None
    await expect(page.get_by_role("button", name="Start talking")).to_be_visible()


@pytest.mark.requirement("003-82")
async def test_an_answer_that_is_not_to_be_heard_is_only_shown(salon: Salon, open_page):
    """SUPPRESS_AUDIO."""
    salon.model.answers = [calls(("whisper", {})), says("Read this. And this.")]
    page = await talking(open_page)
    await page.evaluate("ears.say('Quietly.')")
    await expect(page.locator("#captions .agent .text").last).to_have_text("Read this. And this.")
    await is_state(page, "listening")
    assert await page.evaluate("voice.spoken") == [GREETING]


@pytest.mark.parametrize(
    ("error", "words"), [("not-allowed", "may not use your microphone"), ("network", "cannot be reached")]
)
async def test_a_microphone_that_cannot_be_used_is_explained_and_writing_goes_on(salon, open_page, error, words):
    """In words that say what can be done; the answer is spoken all the same."""
    salon.model.answers = [says("At nine.")]
    page = await open_page()
    await page.get_by_role("button", name="Start talking").click()
    await until(page, "ears.open !== null")
    await page.evaluate("error => ears.fail(error)", error)
    await page.evaluate("voice.finish()")
    await expect(page.get_by_role("alert")).to_contain_text(words)
    await is_state(page, "waiting")
    await page.get_by_label("Or write").fill("When do you open?")
    await page.keyboard.press("Enter")
    await says_now(page, "At nine.")
    await expect(page.get_by_role("alert")).to_be_hidden()


async def test_a_browser_without_recognition_writes(salon: Salon, open_page):
    """No button that could not work; the first words that are written begin the conversation."""
    salon.model.answers = [says("At nine.")]
    without = "for (const name of ['SpeechRecognition', 'webkitSpeechRecognition']) delete window[name];"
    page = await open_page(fakes=FAKE_SPEECH + without)
    await expect(page.get_by_text("This browser cannot turn speech into text")).to_be_visible()
    await expect(page.locator("#microphone")).to_be_hidden()
    await page.get_by_label("Write to us").fill("When do you open?")
    await page.get_by_role("button", name="Send").click()
    await says_now(page, "At nine.")
    await page.evaluate("voice.finish()")
    await is_state(page, "waiting")


async def test_a_recogniser_that_falls_asleep_is_woken_and_one_that_cannot_is_given_up(open_page):
    """Browsers end recognition after a silence; words that were heard start the count anew."""
    page = await talking(open_page)
    for _ in range(5):
        await page.evaluate("ears.open.onend()")
    assert await page.evaluate("ears.starts") == 6
    await page.evaluate("ears.guess('hm'); ears.open.onend()")
    assert await page.evaluate("ears.starts") == 7
    await page.evaluate("for (let i = 0; i < 5; i += 1) ears.open?.onend()")
    await expect(page.get_by_role("alert")).to_contain_text("Please write instead")


async def test_stopping_is_silence_at_once(salon: Salon, open_page):
    """Ears and voice, and the switchboard knows what was heard."""
    salon.model.answers = [says("We open at nine. We close at six.")]
    page = await talking(open_page)
    await page.evaluate("ears.say('When?')")
    await says_now(page, "We open at nine.")
    async with page.expect_response("**/interrupt"):
        await page.get_by_role("button", name="Stop").click()
    assert await page.evaluate("[voice.now, ears.open]") == [None, None]
    await is_state(page, "idle")


async def test_an_answer_that_does_not_come_is_said_in_words(salon: Salon, open_page, monkeypatch):
    """The switchboard's own sentence where there is one."""
    page = await talking(open_page)
    await page.route("**/turn", lambda route: route.abort())
    await page.evaluate("ears.say('When?')")
    await expect(page.get_by_role("alert")).to_contain_text("no connection")
    await is_state(page, "listening")


async def test_a_page_without_a_business_says_so(open_page):
    """Nothing could be asked."""
    page = await open_page(query="")
    await expect(page.get_by_role("alert")).to_contain_text("without naming a business")
    await expect(page.get_by_role("button", name="Start talking")).to_be_disabled()


async def test_a_visit_goes_on_where_the_portal_left_it(salon: Salon, open_page):
    """Its token stands in the fragment, which no server is told, and is taken out of the address."""
    salon.model.answers = [says("At nine.")]
    page = await open_page(query=f"#{salon.token}")
    await expect(page.get_by_role("button", name="Start talking")).to_be_enabled()
    assert salon.token not in page.url
    await page.get_by_role("button", name="Start talking").click()
    await says_now(page, GREETING)


@pytest.mark.parametrize("path", ["", "/"])
async def test_the_page_asks_nobody_but_us(open_page, address, path):
    """With and without a slash at the end; its policy names nobody else but configured vendors."""
    asked: list[str] = []
    page = await open_page(path=path)
    page.on("request", lambda request: asked.append(request.url))
    response = await page.reload()
    await expect(page.get_by_role("button", name="Start talking")).to_be_enabled()
    assert all(url.startswith(address) for url in asked)
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "connect-src 'self' wss://voice.example;" in policy
    assert response.headers["permissions-policy"].startswith("microphone=(self)")


async def test_a_german_salon_is_spoken_to_in_german(salon: Salon, open_page):
    """Labels, recognition and voice take the business's language."""
    await salon.store.commit([_german()])
    page = await open_page()
    await page.locator("#microphone").click()
    await until(page, "voice.now !== null")
    await expect(page.get_by_role("button", name="Beenden")).to_be_visible()
    assert await page.evaluate("[document.documentElement.lang, ears.open.lang, voice.queue[0].lang]") == ["de"] * 3


@pytest.mark.requirement("003-83")
async def test_an_answer_that_is_not_to_be_shown_is_only_spoken(open_page):
    """SUPPRESS_TRANSCRIPT."""
    lines = [
        ("turn", {"turn": 1}),
        ("intent", {"type": "SUPPRESS_TRANSCRIPT", "payload": {}}),
        ("text", {"text": "Your code is 123.", "filler": False, "audible": True}),
        ("done", {"outcome": "answered", "turn": 1}),
    ]
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in lines)
    page = await talking(open_page)
    await page.route("**/turn", lambda route: route.fulfill(body=body, content_type="text/event-stream"))
    await page.evaluate("ears.say('My code?')")
    await says_now(page, "Your code is 123.")
    assert "123" not in (await page.locator("#captions").text_content())


SENTENCES = [
    (["One. Two! Thr", "ee? ", "Four"], ["One. ", "Two! ", "Three? "], "Four"),
    (["At 9 a.m. on Monday. ", "Yes."], ["At 9 a.m. on Monday. "], "Yes."),
    (["Dr. Lopez is in. "], ["Dr. Lopez is in. "], ""),
    (["Am 3. Mai um 9 Uhr. "], ["Am 3. Mai um 9 Uhr. "], ""),
    (['He said "yes." Then'], ['He said "yes." '], "Then"),
    (["It costs 12.50 euros"], [], "It costs 12.50 euros"),
    (["first\nsecond"], ["first\n"], "second"),
]


async def test_sentences_end_where_people_end_them(open_page):
    """However the words arrive; nothing is lost or said twice."""
    page = await open_page()
    cut = """async (pieces) => {
      const { Sentences } = await import("/browser_voice/page/sentences.js");
      const sentences = new Sentences();
      return [pieces.flatMap((piece) => sentences.feed(piece)), sentences.rest()];
    }"""
    for pieces, whole, rest in SENTENCES:
        for given in (pieces, list("".join(pieces))):
            assert await page.evaluate(cut, given) == [whole, rest], given


async def test_a_voice_that_tells_no_words_is_believed_by_the_sentence(open_page):
    """What it had not finished was not heard."""
    page = await open_page()
    heard = """async () => {
      const { Speaker } = await import("/browser_voice/page/speaker.js");
      const speaker = new Speaker(speechSynthesis, SpeechSynthesisUtterance, { onStart() {}, onSilence() {} });
      speaker.begin();
      for (const sentence of ["One. ", "Two. ", "Three."]) speaker.say(sentence);
      voice.finish();
      return [speaker.stop(), speaker.isSpeaking];
    }"""
    assert await page.evaluate(heard) == ["One. ", False]


def _german():
    return Set(PATHS.within(BUSINESS).business, DOCUMENT | {"ai": {"language": "de"}})

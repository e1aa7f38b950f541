"""The page when it is opened again, when its visit is over, and what its button and its field say."""

import asyncio
import json

import pytest
from playwright.async_api import expect

from switchboard.contract.model import Ended, Ending, TextPiece, UserMessage
from switchboard.contract.store import Delete, Set
from tests.channels.browser_voice.conftest import FAKE_SPEECH, until
from tests.channels.browser_voice.salon import DOCUMENT, Salon
from tests.channels.browser_voice.test_openai_page import VENDOR
from tests.channels.browser_voice.test_page import GREETING, is_state, says_now, talking
from tests.conversation.scripted import calls, says
from tests.pipeline import planted as pipeline_planted
from tests.pipeline.conftest import BUSINESS, PATHS

WISH = ("book", {"what": "a cut"})


def captions(page):
    return page.locator("#captions .text")


def press(page):
    return page.locator("#microphone")


async def say(page, words, answer):
    """Say something, and hear the answer to its end."""
    await page.evaluate("words => ears.say(words)", words)
    await says_now(page, answer)
    await page.evaluate("voice.finish()")
    await is_state(page, "listening")


async def write(page, words):
    await page.get_by_label("Or write").fill(words)
    await page.keyboard.press("Enter")


@pytest.mark.requirement("004-886")
async def test_after_a_reload_the_talk_is_there_and_goes_on_by_voice(salon: Salon, open_page):
    """Captions, receipts; nothing is spoken again, nothing is sent, and the model knows what was said."""
    salon.model.answers = [calls(WISH), calls(WISH), says("It is booked."), says("At nine.")]
    page = await talking(open_page)
    await say(page, "Book a cut.", "Book a cut?")
    await say(page, "Yes, please.", "It is booked.")
    before = await page.locator("#captions li").all_text_contents()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    await page.reload()
    await expect(page.locator("#captions li")).to_have_text(before)
    await expect(press(page)).to_have_text("Go on talking")
    await expect(press(page)).to_be_enabled()
    assert await page.evaluate("[voice.spoken, ears.starts]") == [[], 0]
    assert [url for url in sent if "interrupt" not in url] == []
    await press(page).click()
    await is_state(page, "listening")
    await say(page, "When is that?", "At nine.")
    assert UserMessage("Book a cut.") in salon.model.prompts[-1].messages
    assert pipeline_planted.done == ["a cut"]
    assert (await salon.interaction())["turns"] == 3


@pytest.mark.requirement("004-886")
async def test_what_was_not_heard_is_struck_through_after_a_reload_as_before(salon: Salon, open_page):
    """The page has shown it; and a whole answer, whose last mark no voice tells, is not marked at all."""
    salon.model.answers = [says("We open at nine. ", "We close at six."), says("At nine.")]
    page = await talking(open_page)
    await page.evaluate("ears.say('When?')")
    await says_now(page, "We open at nine.")
    await page.evaluate("voice.finish(); voice.reach(3)")
    async with page.expect_response("**/interrupt"):
        await page.evaluate("ears.guess('wait')")
    await page.evaluate("ears.say('Again?')")
    await says_now(page, "At nine.")
    async with page.expect_response("**/interrupt"):
        await page.evaluate("voice.reach(3); ears.guess('thanks')")
    for _ in range(2):
        await expect(page.locator("#captions .unheard")).to_have_text(" at six.")
        await expect(page.locator("#captions .note")).to_have_count(0)
        await page.reload()


@pytest.mark.requirement("004-886")
async def test_an_open_question_is_there_after_a_reload_and_can_be_answered(salon: Salon, open_page):
    """By its button, which begins to talk in writing."""
    salon.model.answers = [calls(WISH), calls(WISH), says("It is booked.")]
    page = await talking(open_page)
    await say(page, "Book a cut.", "Book a cut?")
    await page.reload()
    question = page.get_by_role("group", name="Book a cut?")
    await question.get_by_role("button", name="Yes").click()
    await says_now(page, "It is booked.")
    await expect(question).to_be_hidden()
    await expect(captions(page)).to_have_text([GREETING, "Book a cut.", "Book a cut?", "Yes", "a cut", "It is booked."])
    assert pipeline_planted.done == ["a cut"]


@pytest.mark.requirement("004-886")
async def test_a_reload_in_the_middle_of_an_answer_shows_what_was_heard_of_it(salon: Salon, open_page):
    """And says that it was interrupted; what was taken is not sent again."""
    more = asyncio.Event()
    salon.model.answers = [[TextPiece("We open at nine. We"), more, TextPiece(" close."), Ended(Ending.STOPPED)]]
    page = await talking(open_page)
    await page.evaluate("ears.say('When?')")
    await says_now(page, "We open at nine.")
    await page.evaluate("voice.finish()")
    await page.reload()
    await expect(captions(page)).to_have_text([GREETING, "When?", "We open at nine. We"])
    await expect(page.locator("#captions .unheard")).to_have_text("We")
    assert len(salon.model.prompts) == 1
    more.set()


@pytest.mark.requirement("004-886")
async def test_back_shows_the_talk_as_well(salon: Salon, open_page):
    """Whoever has followed a link and comes back finds it, silent, and the button says that it goes on."""
    salon.model.answers = [says("At nine.")]
    page = await talking(open_page)
    await say(page, "When?", "At nine.")
    await page.goto("about:blank")
    await page.go_back()
    await expect(captions(page)).to_have_text([GREETING, "When?", "At nine."])
    await expect(press(page)).to_have_text("Go on talking")
    assert await page.evaluate("voice.now") is None


@pytest.mark.requirement("004-886")
async def test_a_greeting_alone_is_there_after_a_reload(salon: Salon, open_page):
    """Nobody has spoken yet, so that nothing is recorded."""
    page = await talking(open_page)
    await page.reload()
    await expect(captions(page)).to_have_text([GREETING])


@pytest.mark.requirement("004-886")
async def test_a_visit_that_came_from_the_portal_outlives_a_reload(salon: Salon, open_page):
    """Its token stood in the address once."""
    salon.model.answers = [says("At nine.")]
    page = await open_page(query=f"#{salon.token}")
    await write(page, "When do you open?")
    await says_now(page, "At nine.")
    await page.reload()
    await expect(captions(page)).to_have_text([GREETING, "When do you open?", "At nine."])
    await expect(page.get_by_role("heading", name="Talk to Salon")).to_be_visible()


@pytest.mark.requirement("004-886")
async def test_what_was_said_with_a_vendor_is_shown_and_told_to_its_model_again(salon: Salon, open_page):
    """What the record holds; also what was being said when the page was left."""

    async def open(instructions: str, *_: object) -> dict[str, str]:
        told.append(instructions)
        return {"clientSecret": "ek_1", "url": "https://voice.example/v1/realtime/calls"}

    told: list[str] = []
    salon.vendors["openai"].open = open
    page = await open_page(fakes="")
    await page.evaluate(VENDOR)
    await page.get_by_label("Voice").select_option("openai")
    await press(page).click()
    await until(page, "vendor.events.length === 1")
    for event in (
        {"type": "input_audio_buffer.committed", "item_id": "i1"},
        {"type": "conversation.item.input_audio_transcription.completed", "item_id": "i1", "transcript": "When?"},
        {"type": "response.created"},
        {"type": "response.output_audio_transcript.delta", "delta": "We open at nine, and"},
    ):
        await page.evaluate("event => vendor.tell(event)", event)
    await expect(captions(page).last).to_have_text("We open at nine, and")
    async with page.expect_response("**/execute"):
        await page.get_by_role("button", name="Stop").click()
    await page.reload()
    await expect(captions(page)).to_have_text([GREETING, "When?", "We open at nine, and"])
    await expect(page.locator("#captions .note")).to_have_text("Interrupted here.")
    await expect(page.get_by_label("Voice")).to_have_value("openai")
    await page.evaluate(VENDOR)
    await press(page).click()
    await is_state(page, "listening")
    # By the browser's word, and told as that.
    assert "Caller: When?\nThe caller's browser reports" in told[1] and "We open at nine, and" in told[1]
    assert "Caller:" not in told[0]


async def _expire(salon: Salon) -> None:
    salon.clock.wait(13 * 3_600)


async def _close(salon: Salon) -> None:
    # The catalog believes for a minute what it has read.
    await salon.store.commit([Delete(PATHS.within(BUSINESS).business)])
    salon.clock.wait(3_600)


@pytest.mark.requirement("004-887")
@pytest.mark.parametrize("how", ["on reload", "while it is open"])
async def test_a_visit_that_is_over_has_a_button_to_begin_anew_with_the_words_kept(salon: Salon, open_page, how):
    """What was typed stays in the field, what was sent and not taken comes back, and then it is answered."""
    salon.model.answers = [says("At nine."), says("At six.")]
    page = await talking(open_page)
    await say(page, "When?", "At nine.")
    await _expire(salon)
    salon.session_id = "web_2"
    if how == "on reload":
        await page.reload()
    else:
        await write(page, "When do you close?")
    await expect(page.get_by_role("alert")).to_contain_text("This visit has ended.")
    await expect(press(page)).to_be_disabled()
    if how == "on reload":
        await page.get_by_label("Or write").fill("When do you close?")
    await expect(page.get_by_label("Or write")).to_have_value("When do you close?")
    await page.get_by_label("Or write").press("Enter")
    anew = page.get_by_role("button", name="Start a new conversation")
    await expect(anew).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(anew).to_be_hidden()
    await expect(page.get_by_role("alert")).to_be_hidden()
    await expect(page.locator("#captions li")).to_have_count(0)
    await expect(page.get_by_label("Or write")).to_have_value("When do you close?")
    await page.get_by_label("Or write").press("Enter")
    await says_now(page, "At six.")
    await expect(captions(page)).to_have_text([GREETING, "When do you close?", "At six."])
    assert len(salon.model.prompts) == 2


@pytest.mark.requirement("004-887")
async def test_a_visit_that_was_signed_with_another_key_is_over_too(salon: Salon, open_page):
    """As one whose token was spoilt."""
    page = await open_page()
    await expect(press(page)).to_be_enabled()
    await page.evaluate("""() => {
        const key = 'switchboard.browserVoice.visit';
        const kept = JSON.parse(sessionStorage[key]);
        sessionStorage[key] = JSON.stringify({ ...kept, token: kept.token + 'x' });
    }""")
    await page.reload()
    await page.get_by_role("button", name="Start a new conversation").click()
    await expect(press(page)).to_be_enabled()
    await expect(press(page)).to_be_focused()


@pytest.mark.requirement("004-887")
async def test_where_the_business_was_taken_away_nothing_can_be_begun_and_it_is_said(salon: Salon, open_page):
    """In words, without a button that could not work; the words stay."""
    page = await open_page()
    await expect(press(page)).to_be_enabled()
    await _close(salon)
    await write(page, "When do you open?")
    await page.get_by_role("button", name="Start a new conversation").click()
    await expect(page.get_by_role("alert")).to_contain_text("No conversation can be begun here any more")
    await expect(page.locator("#anew")).to_be_hidden()
    await expect(page.get_by_label("Or write")).to_have_value("When do you open?")


@pytest.mark.requirement("004-887")
async def test_words_that_did_not_get_through_come_back_to_the_field(salon: Salon, open_page):
    """Offline is not over: they are sent again by whoever wrote them, and by nobody else."""
    salon.model.answers = [says("At nine.")]
    page = await talking(open_page)
    await page.route("**/turn", lambda route: route.abort())
    await write(page, "When do you open?")
    await expect(page.get_by_role("alert")).to_contain_text("no connection")
    await expect(page.get_by_label("Or write")).to_have_value("When do you open?")
    await expect(page.locator("#captions .caller")).to_have_count(0)
    await page.unroute("**/turn")
    await page.get_by_label("Or write").press("Enter")
    await says_now(page, "At nine.")
    await expect(page.get_by_label("Or write")).to_have_value("")


@pytest.mark.requirement("004-886")
async def test_without_storage_the_page_works_and_begins_anew(salon: Salon, open_page):
    """Browsers can be told to forbid it."""
    forbidden = (
        "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError') } });"
    )
    salon.model.answers = [says("At nine.")]
    page = await talking(open_page, fakes=FAKE_SPEECH + forbidden)
    await say(page, "When?", "At nine.")
    salon.session_id = "another"
    await page.reload()
    await expect(press(page)).to_have_text("Start talking")
    await expect(press(page)).to_be_enabled()
    await expect(captions(page)).to_have_count(0)


LABELS = {
    "en": ("Start talking", "Cancel", "Stop the talk", "Go on talking", "Start talking again"),
    "de": ("Sprechen beginnen", "Abbrechen", "Gespräch beenden", "Weitersprechen", "Wieder sprechen"),
    "es": ("Empezar a hablar", "Cancelar", "Terminar la charla", "Seguir hablando", "Volver a hablar"),
    "fr": ("Commencer à parler", "Annuler", "Arrêter la conversation", "Continuer à parler", "Reparler"),
}


@pytest.mark.requirement("004-888")
@pytest.mark.parametrize("language", LABELS)
async def test_the_big_button_says_what_it_does(salon: Salon, open_page, language: str):
    """In every state and language, to be seen and as its name."""
    await salon.store.commit([Set(PATHS.within(BUSINESS).business, DOCUMENT | {"ai": {"language": language}})])
    start, cancel, stop, again, anew = LABELS[language]
    thinking = asyncio.Event()
    salon.model.answers = [[thinking, *says("Ja.")], calls(("hang_up", {}), text="Bye.")]
    page = await open_page()
    button = page.get_by_role("button", name=start, exact=True)
    await expect(button).to_have_text(start)
    assert await button.get_attribute("aria-pressed") is None
    hold = asyncio.Event()

    async def wait(route):
        await hold.wait()
        await route.continue_()

    await page.route("**/browser_voice/session", wait)
    await button.click()
    await expect(press(page)).to_have_text(cancel)
    hold.set()
    await is_state(page, "speaking")
    await expect(press(page)).to_have_text(stop)
    await page.evaluate("voice.finish()")
    await is_state(page, "listening")
    await expect(press(page)).to_have_text(stop)
    await page.evaluate("ears.say('Hm?')")
    await is_state(page, "thinking")
    await expect(page.get_by_role("button", name=stop, exact=True)).to_be_visible()
    thinking.set()
    await says_now(page, "Ja.")
    await press(page).click()
    await expect(press(page)).to_have_text(again)
    await press(page).click()
    await is_state(page, "listening")
    await page.evaluate("ears.say('Bye.')")
    await says_now(page, "Bye.")
    await page.evaluate("voice.finish()")
    await is_state(page, "ended")
    await expect(press(page)).to_have_text(anew)


@pytest.mark.requirement("004-888")
async def test_a_talk_that_is_being_begun_can_be_cancelled(salon: Salon, open_page):
    """The button says so, and what comes late begins nothing."""
    page = await open_page()
    hold = asyncio.Event()

    async def wait(route):
        await hold.wait()
        await route.continue_()

    await page.route("**/browser_voice/session", wait)
    await press(page).click()
    await page.get_by_role("button", name="Cancel").click()
    await is_state(page, "idle")
    async with page.expect_response("**/browser_voice/session"):
        hold.set()
    await expect(press(page)).to_have_text("Start talking")
    assert await page.evaluate("[ears.starts, voice.now]") == [0, None]


@pytest.mark.requirement("004-889")
async def test_what_is_too_long_is_neither_cut_nor_sent(salon: Salon, open_page):
    """A count near the limit, a sentence beyond it, and the words stay; an emoji counts as the server counts it."""
    salon.model.answers = [says("That is a lot.")]
    page = await open_page()
    field, length = page.get_by_label("Or write"), page.locator("#length")
    await field.fill("x" * 3_599)
    await expect(length).to_be_hidden()
    await field.fill("😀" * 3_990)
    await expect(length).to_have_text("3,990 of 4,000 characters")
    text = "😀" * 4_000 + "y"
    await field.fill(text)
    sentence = "This has 4,001 characters, and at most 4,000 can be sent. Please shorten it by 1, or send it in parts."
    await expect(length).to_have_text(sentence)
    await expect(page.locator("#too-long")).to_have_text(sentence)
    await expect(field).to_have_attribute("aria-invalid", "true")
    await field.press("Enter")
    await expect(field).to_have_value(text)
    assert salon.model.prompts == []
    await field.press("Backspace")
    await field.press("Enter")
    await says_now(page, "That is a lot.")
    await expect(length).to_be_hidden()
    assert (await salon.interaction())["transcript"][-2]["text"] == "😀" * 4_000


@pytest.mark.requirement("004-886")
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_talk_that_is_there_again_fits_a_phone(salon: Salon, open_page, scheme, tmp_path):
    """Nothing is wider than the window, and the end of the talk is seen."""
    salon.model.answers = [says("We open at nine. " * 30), calls(WISH)]
    page = await talking(open_page, viewport={"width": 390, "height": 800}, color_scheme=scheme)
    await page.evaluate("ears.say('When?')")
    await until(page, "voice.queue.length === 30")
    await page.evaluate("while (voice.now) voice.finish()")
    await page.evaluate("ears.say('Book a cut.')")
    await says_now(page, "Book a cut?")
    await page.reload()
    await expect(page.get_by_role("group", name="Book a cut?")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert json.loads(
        await page.evaluate("""() => {
        const list = document.getElementById('captions');
        return JSON.stringify(list.scrollTop + list.clientHeight >= list.scrollHeight - 2);
    }""")
    )
    await page.screenshot(path=tmp_path / f"again-{scheme}.png")


@pytest.mark.requirement("004-2201")
async def test_an_open_question_is_asked_again_by_voice_after_a_reload(salon: Salon, open_page):
    """And a spoken yes counts."""
    salon.model.answers = [calls(WISH), calls(WISH), says("It is booked.")]
    page = await talking(open_page)
    await say(page, "Book a cut.", "Book a cut?")
    await page.reload()
    await press(page).click()
    await says_now(page, "Book a cut?")
    await expect(page.get_by_role("group", name="Book a cut?")).to_be_visible()
    await page.evaluate("voice.finish()")
    await is_state(page, "listening")
    await say(page, "Yes, please.", "It is booked.")
    assert pipeline_planted.done == ["a cut"]


@pytest.mark.requirement("004-2201")
async def test_a_yes_spoken_into_a_question_that_is_asked_again_is_none(salon: Salon, open_page):
    """It was not heard to its end by then, as in any turn."""
    salon.model.answers = [calls(WISH), calls(WISH), says("So be it.")]
    page = await talking(open_page)
    await say(page, "Book a cut.", "Book a cut?")
    await page.reload()
    await press(page).click()
    await says_now(page, "Book a cut?")
    await page.evaluate("voice.reach(0)")
    async with page.expect_response("**/turn"), page.expect_response("**/interrupt") as told:
        await page.evaluate("ears.say('Yes, please.')")
    assert "Book a cut?" not in (await told.value).request.post_data_json["heard"]
    # The page's own clock: that a short stream has ended is not always told by the browser's remote control.
    await page.wait_for_function(
        "performance.getEntriesByType('resource').some(one => one.name.endsWith('/turn') && one.responseEnd)"
    )
    assert pipeline_planted.done == []

"""The page in Chromium hears and speaks in the caller's language, once their own words have shown it."""

import pytest

from tests.channels.browser_voice.conftest import Browser, until
from tests.channels.browser_voice.salon import Salon
from tests.channels.browser_voice.test_page import is_state, says_now, talking
from tests.conversation.scripted import says
from tests.conversation.test_callers_language import SPANISH

pytestmark = pytest.mark.requirement("004-1701")
BACK = "Sorry, can you say that in English?"
# In which language the page speaks, and in which the recogniser was started that is open now.
SPOKEN = "[voice.queue[0].lang, ears.open.lang, ears.hears]"


async def test_voice_and_recogniser_follow_the_caller_there_and_back(salon: Salon, open_page):
    """What was begun in another language is broken off and begun anew; nothing is, where none changes."""
    salon.model.answers = [says("Claro. Un momento."), says("Bien."), says("Of course.")]
    page = await talking(open_page)
    assert await page.evaluate("[ears.hears, ears.starts]") == ["en", 1]
    for said, answered, language, starts in (
        (SPANISH, ["Claro.", "Un momento."], "es", 2),
        ("Sí, a las diez.", ["Bien."], "es", 2),
        (BACK, ["Of course."], "en", 3),
    ):
        await page.evaluate("text => ears.say(text)", said)
        for sentence in answered:
            await says_now(page, sentence)
            assert await page.evaluate(SPOKEN) == [language] * 3
            await page.evaluate("voice.finish()")
        await is_state(page, "listening")
        assert await page.evaluate("ears.starts") == starts


async def test_an_answer_that_is_spoken_into_still_tells_the_language(salon: Salon, open_page):
    """The caller goes on in it, whether or not they have heard a word of the answer."""
    salon.model.answers = [says("Claro. Un momento."), says("Bien.")]
    page = await talking(open_page)
    await page.evaluate("text => ears.say(text)", SPANISH)
    await says_now(page, "Claro.")
    await page.evaluate("ears.guess('el viernes')")
    await is_state(page, "listening")
    await page.evaluate("ears.say('El viernes, por favor.')")
    await says_now(page, "Bien.")
    assert await page.evaluate(SPOKEN) == ["es"] * 3


async def test_a_page_that_is_opened_again_goes_on_in_the_callers_language(salon: Salon, open_page):
    """Its first words are heard and answered in it; what the page itself says stays the business's."""
    salon.model.answers = [says("Claro."), says("Bien.")]
    page = await talking(open_page)
    await page.evaluate("text => ears.say(text)", SPANISH)
    await says_now(page, "Claro.")
    await page.evaluate("voice.finish()")
    await page.reload()
    await page.get_by_role("button", name="Go on talking").click()
    await until(page, "ears.open !== null")
    assert await page.evaluate("[ears.hears, document.documentElement.lang]") == ["es", "en"]
    await page.evaluate("ears.say('Sí.')")
    await says_now(page, "Bien.")
    assert await page.evaluate(SPOKEN) == ["es"] * 3


async def test_a_recogniser_that_is_started_anew_for_a_language_is_not_taken_for_one_that_cannot_begin(open_page):
    """However often somebody changes it."""
    page = await open_page()
    heard = """async () => {
      const { Listener } = await import("/browser_voice/page/listener.js");
      const troubles = [];
      const on = { guess() {}, heard() {}, trouble: (name) => troubles.push(name) };
      const listener = new Listener(SpeechRecognition, on);
      listener.start();
      for (let turn = 0; turn < 20; turn += 1) {
        listener.listenFor(["es", "en"][turn % 2]);
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      return [ears.starts, ears.hears, listener.isListening, troubles];
    }"""
    assert await page.evaluate(heard) == [21, "en", True, []]


async def test_a_vendors_talk_is_told_the_language_that_was_spoken_before_it(salon: Salon, browser: Browser):
    """What the vendor writes down of the caller is what a yes is read from."""
    salon.model.answers = [says("Claro.")]
    await browser.turn(text=SPANISH)
    opened = (await browser.post("session", provider="openai")).json()
    assert opened["language"] == "es" and opened["business"]["language"] == "en"
    assert salon.vendors["openai"].asked[0]["language"] == "es"

"""A vendor's live talk in the caller's language: what is asked before a call, and what is written down of it."""

import pytest

from tests.channels.browser_voice.conftest import Browser
from tests.channels.browser_voice.salon import Salon
from tests.channels.browser_voice.test_execute import item
from tests.conversation.scripted import says
from tests.conversation.test_callers_language import ASKED, READ_BACK, SPANISH, tools  # noqa: F401 - a fixture
from tests.pipeline.planted import done

pytestmark = pytest.mark.requirement("004-1502")


def asked(language: str) -> str:
    """Return the question about lunch."""
    return READ_BACK[language].replace("{{what}}", "lunch")


@pytest.fixture(autouse=True)
async def held_by_a_model(tools: None, salon: Salon) -> None:  # noqa: F811
    """The conversation was opened with a vendor's model."""
    await salon.open_live()


@pytest.mark.parametrize("language", READ_BACK)
async def test_a_live_models_calls_are_asked_about_in_the_callers_language(
    salon: Salon, browser: Browser, language: str
) -> None:
    """Another instance goes on in it, and the caller's yes is one in it."""
    answer = await browser.execute(item("c1", "call_off", what="lunch"), heard={"text": ASKED[language]})
    assert answer["asked"]["question"] == asked(language)
    if language != "en":
        assert (await salon.interaction())["spokenIn"] == dict.fromkeys(("portal", "browser_voice"), language)
    other = Salon(salon.store)
    transport = type(browser.http._transport)(app=other.app)
    elsewhere = Browser(type(browser.http)(transport=transport, base_url="http://test", headers=browser.http.headers))
    yes = {"en": "Yes.", "de": "Ja.", "es": "Sí.", "fr": "Oui.", "it": "Sì.", "pt": "Sim.", "nl": "Ja."}[language]
    answer = await elsewhere.execute(turn=2, heard={"text": "Okay."}, asked="...")
    answer = await elsewhere.execute(item("c2", "call_off", what="lunch"), turn=3)
    assert answer["asked"]["question"] == asked(language)
    told = {"heard": {"text": yes}, "asked": asked(language)}
    answer = await elsewhere.execute(item("c3", "call_off", what="lunch"), turn=4, **told)
    assert answer["heard"]["verdict"] == "approved" and done == ["lunch"]


async def test_who_has_not_understood_a_live_models_question_is_asked_it_in_their_own_language(
    browser: Browser,
) -> None:
    """And goes back as they came."""
    call = item("c1", "call_off", what="lunch")
    assert (await browser.execute(call, heard={"text": "cancel lunch"}))["asked"]["question"] == asked("en")
    lost = {"heard": {"text": "No le entiendo, ¿me habla en español?"}, "asked": asked("en")}
    assert (await browser.execute(turn=2, **lost))["heard"]["readBack"] == asked("es")
    again = item("c2", "call_off", what="lunch")
    back = await browser.execute(again, turn=3, heard={"text": "Sorry, can you say that in English?"}, asked="...")
    assert back["asked"]["question"] == asked("en")


async def test_a_live_talk_begins_in_the_language_that_was_spoken_before_it(salon: Salon, browser: Browser) -> None:
    """By the browser's own means, before and between."""
    salon.model.answers = [says("Claro."), says("Of course.")]
    for said, language in ((SPANISH, "es"), ("Sorry, can you say that in English?", "en")):
        await browser.turn(text=said)
        begun = (await browser.post("session", provider="openai")).json()
        turn = begun["turn"] + 1
        answer = await browser.execute(item(f"c{turn}", "call_off", what="lunch"), turn=turn)
        assert answer["asked"]["question"] == asked(language)

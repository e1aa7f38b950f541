"""A question that was open when somebody left: it is put again when they are back, by whichever instance."""

import httpx2 as httpx
import pytest

from switchboard.contract.context import BrowserVoiceContext
from tests.channels.browser_voice.conftest import Browser
from tests.channels.browser_voice.salon import SESSION, Salon
from tests.conversation.scripted import calls, says
from tests.pipeline.conftest import BUSINESS
from tests.pipeline.planted import done

pytestmark = pytest.mark.requirement("004-2201")
WISH = ("book", {"what": "lunch"})
FACTS = BrowserVoiceContext(
    business_id=BUSINESS,
    session_id=SESSION,
    turn=0,
    caller_phone="+15550001",
    caller_id="caller_1",
    applies_intents=True,
)


@pytest.fixture
async def elsewhere(salon: Salon):
    """The same browser, at another instance over the same store."""
    other = Salon(salon.store.inner)
    other.clock = salon.clock
    headers = {"Authorization": f"Bearer {salon.token}"}
    transport = httpx.ASGITransport(app=other.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        yield other, Browser(client)


async def asked(salon: Salon, browser: Browser) -> None:
    """Open a talk, and be asked in it."""
    salon.model.answers = [calls(WISH)]
    await browser.post("session")
    await browser.turn(text="Lunch")


async def test_whoever_comes_back_is_asked_again_and_their_yes_counts(salon: Salon, browser: Browser, elsewhere):
    """What is said first is the question, and its buttons are there."""
    other, again = elsewhere
    await asked(salon, browser)
    opened = (await again.post("session")).json()
    assert opened["greeting"] == "Book lunch?"
    assert opened["ask"] == {"question": "Book lunch?", "turn": 1, "tool": "book"}
    other.model.answers = [calls(WISH), says("It is booked.")]
    await again.turn(text="Yes")
    assert done == ["lunch"]


async def test_a_stream_that_was_lost_in_the_middle_has_the_question_put_again(salon: Salon, browser: Browser):
    """Nobody knows whether its last words were heard; those of the greeting are."""
    await asked(salon, browser)
    held = await salon.conversations.open(FACTS)
    held.close_question(is_missed=True)
    assert (await browser.post("session")).json()["greeting"] == "Book lunch?"
    salon.model.answers = [calls(WISH), says("It is booked.")]
    await browser.turn(text="Yes")
    assert done == ["lunch"]


async def test_whoever_answers_in_writing_has_read_the_question(salon: Salon, browser: Browser):
    """The page shows it, with its buttons; it stands as it was asked."""
    await asked(salon, browser)
    assert (await browser.post("session", written=True)).json()["greeting"] == ""
    salon.model.answers = [calls(WISH), says("It is booked.")]
    await browser.turn(button="yes", question=1)
    assert done == ["lunch"]


async def test_who_comes_back_too_late_is_asked_nothing(salon: Salon, browser: Browser):
    """No yes could count."""
    await asked(salon, browser)
    salon.clock.wait(110)
    opened = (await browser.post("session")).json()
    assert (opened["greeting"], "ask" in opened) == ("", False)


@pytest.fixture
async def talked(salon: Salon, browser: Browser) -> dict[str, object]:
    """A talk of a vendor's in which a question was put, and whose line then dropped."""
    await salon.open_live()
    await browser.post("session", provider="openai")
    call = {"type": "function_call", "id": "i", "call_id": "c1", "name": "book", "arguments": '{"what": "lunch"}'}
    answer = await browser.execute(call, provider="openai", heard={"text": "Lunch"})
    return dict(answer["asked"])


@pytest.mark.requirement("004-2406")
@pytest.mark.parametrize("provider", ["openai", "gemini"])
async def test_a_vendors_model_puts_an_open_question_again(salon: Salon, browser: Browser, elsewhere, talked, provider):
    """Its page has it say what is said first; by whichever vendor, on whichever instance."""
    _, again = elsewhere
    opened = (await again.post("session", provider=provider)).json()
    assert (opened["greeting"], opened["ask"]) == ("Book lunch?", talked)
    assert (await again.post("session", provider=provider, written=True)).json()["greeting"] == ""


@pytest.mark.requirement("004-2406")
async def test_a_yes_to_what_a_vendors_model_asks_again_counts(salon: Salon, browser: Browser, talked):
    """Where its page tells that it was said."""
    opened = (await browser.post("session", provider="openai")).json()
    heard = {"provider": "openai", "heard": {"text": "Yes"}, "asked": opened["greeting"]}
    answer = await browser.execute(turn=opened["turn"] + 1, **heard)
    assert answer["heard"]["verdict"] == "approved"


async def test_a_vendors_model_asks_nothing_that_nobody_can_agree_to_any_more(salon: Salon, browser: Browser, talked):
    """It has lapsed, or was answered."""
    salon.clock.wait(110)
    opened = (await browser.post("session", provider="openai")).json()
    assert (opened["greeting"], "ask" in opened) == ("", False)

"""A month that is used up by voice in a browser: nobody begins, with or without a vendor, and who speaks goes on."""

import pytest

from switchboard.contract.store import Update
from tests.channels.browser_voice.conftest import Browser
from tests.channels.browser_voice.salon import Salon
from tests.channels.browser_voice.test_execute import live, responses
from tests.conversation.scripted import says
from tests.desk.front_desk import NOW
from tests.pipeline.conftest import BUSINESS, PATHS

SAID = "Nobody can answer you here at the moment. Please try again here a little later."


async def stop(salon: Salon, unit: str = "cost", **fields: object) -> None:
    """Note that this is used up, as a pass does; a minute later every instance knows."""
    note = {"month": f"{NOW:%Y-%m}", "since": {unit: NOW}}
    await salon.store.commit([Update(PATHS.within(BUSINESS).business, {"monthStop": note, **fields})])
    salon.clock.wait(61)


@pytest.mark.requirement("004-844")
@pytest.mark.parametrize("provider", ["browser", "openai", "gemini"])
async def test_no_conversation_is_opened_and_no_vendor_is_asked(salon: Salon, browser: Browser, provider: str) -> None:
    """With a sentence that the page shows, in the business's language."""
    await stop(salon)
    answer = await browser.post("session", provider=provider)
    assert (answer.status_code, answer.json()["error"]["message"]) == (403, SAID)
    assert not any(vendor.asked for vendor in salon.vendors.values())
    await stop(salon, **{"ai.language": "de"})
    told = (await browser.post("session", provider=provider)).json()["error"]["message"]
    assert told.startswith("Hier kann Ihnen im Moment niemand antworten.")


@pytest.mark.requirement("004-844")
async def test_a_turn_without_a_session_is_told_aloud_and_none_is_begun(salon: Salon, browser: Browser) -> None:
    await stop(salon, "modelTokens")
    assert await browser.turn(text="When?") == [
        ("turn", {"turn": 0}),
        ("text", {"text": SAID, "filler": False, "audible": True}),
        ("done", {"outcome": "ended", "turn": 0}),
    ]
    assert salon.model.prompts == []


@pytest.mark.requirement("004-844")
async def test_whoever_has_been_greeted_goes_on(salon: Salon, browser: Browser) -> None:
    """Also when the page is opened again in the same conversation."""
    await browser.post("session")
    await stop(salon)
    salon.model.answers = [says("At nine.")]
    assert dict(await browser.turn(text="When?"))["text"]["text"] == "At nine."
    assert (await browser.post("session")).status_code == 200


@pytest.mark.requirement("004-844")
async def test_a_call_of_a_vendor_s_model_that_holds_a_conversation_is_carried_out(
    salon: Salon, browser: Browser
) -> None:
    await browser.post("session", provider="gemini")
    await stop(salon)
    answer = await browser.execute(live("f1", "look"))
    assert "output" in responses(answer)["f1"]["response"]

"""The page and Gemini Live: a real socket, microphone and voice in Chromium, and a stand-in for Google."""

import asyncio
import base64
import dataclasses
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

import pytest
from playwright.async_api import expect

from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.realtime.gemini import GeminiLive
from switchboard.pipeline.execution.deadline import outlived
from tests.channels.browser_voice.gemini_server import SLOW_S, TOKEN, GeminiServer, serving
from tests.channels.browser_voice.salon import Salon
from tests.conversation import planted
from tests.pipeline import planted as pipeline_planted

GREETING = "Hello, this is the assistant of Salon. How can I help you?"


def silence(seconds: float) -> str:
    """Return so much of nothing as a vendor sends it: 16-bit samples at 24 kHz."""
    return base64.b64encode(bytes(int(48_000 * seconds))).decode()


SILENCE = silence(0.1)

pytestmark = pytest.mark.requirement("003-24")


@pytest.fixture
async def google() -> AsyncIterator[GeminiServer]:
    async with serving() as found:
        yield found


@pytest.fixture
async def salon(google: GeminiServer) -> AsyncIterator[Salon]:
    """A salon whose live model is the stand-in's."""
    for known in (planted.gates, planted.begun, pipeline_planted.done):
        known.clear()
    http = HttpSession()
    found = Salon()
    found.vendors = {"gemini": GeminiLive(http, "key", "gemini-live", google.url)}
    await found.furnish()
    yield found
    for gate in planted.gates.values():
        gate.set()
    await outlived()
    await http.close()


async def talking(open_page, google: GeminiServer):
    """Return the page once its model has been asked to greet."""
    page = await open_page(fakes="")
    await page.get_by_label("Voice").select_option("gemini")
    await page.get_by_role("button", name="Start talking").click()
    greeting = await google.next()
    assert GREETING in greeting["clientContent"]["turns"][0]["parts"][0]["text"]
    return page


async def hears(google: GeminiServer, text: str, finished: bool = True) -> None:
    await google.send(serverContent={"inputTranscription": {"text": text, "finished": finished}})


async def says(google: GeminiServer, text: str, sound: str = SILENCE, **more: object) -> None:
    part = {"inlineData": {"data": sound, "mimeType": "audio/pcm;rate=24000"}}
    content = {"modelTurn": {"parts": [part]}, "outputTranscription": {"text": text}}
    await google.send(serverContent=content | more)


async def calls(google: GeminiServer, id: str, name: str, **arguments: object) -> None:
    await google.send(toolCall={"functionCalls": [{"id": id, "name": name, "args": arguments}]})


async def is_state(page, name: str) -> None:
    await expect(page.locator("body")).to_have_attribute("data-state", name)


async def test_the_browser_opens_the_socket_with_the_token_and_sends_the_microphone(open_page, google: GeminiServer):
    """The first message is what the token is locked to; sound goes as 16-bit samples at 16 kHz."""
    page = await talking(open_page, google)
    assert google.tokens == [TOKEN]
    assert google.setups == [google.minted[0]["bidiGenerateContentSetup"] | {"sessionResumption": {}}]
    piece = await google.until(lambda: google.audio[0] if google.audio else None)
    assert piece["mimeType"] == "audio/pcm;rate=16000"
    assert len(base64.b64decode(piece["data"])) == 2048
    # The fake microphone beeps: something else than silence arrives.
    await google.until(lambda: any(any(base64.b64decode(p["data"])) for p in google.audio))
    await is_state(page, "listening")


async def test_a_call_is_executed_and_a_yes_is_heard_before_the_next(salon: Salon, open_page, google: GeminiServer):
    """From the wish to the receipt, by voice."""
    page = await talking(open_page, google)
    await hears(google, "Book a cut.")
    await calls(google, "f1", "book", what="a cut")
    answer = (await google.next())["toolResponse"]["functionResponses"][0]
    assert (answer["id"], "error" in answer["response"]) == ("f1", True)
    await expect(page.get_by_role("group", name="Book a cut?")).to_be_visible()
    await says(google, "Shall I book a cut?", turnComplete=True)
    # It listened before, too: once the words stand there, it does so because they have been played to their end.
    await expect(page.locator("#captions .agent .text").last).to_have_text("Shall I book a cut?")
    await is_state(page, "listening")
    # Until all has come, so that however long it is on its way no pause in speaking is heard.
    await page.clock.install()
    await page.clock.pause_at(datetime.now() + timedelta(hours=1))
    await hears(google, "Yes,", finished=False)
    await calls(google, "f2", "book", what="a cut")
    # The transcript comes beside the conversation, and may come behind the call.
    await hears(google, " please.", finished=False)
    await expect(page.locator("#captions .guess .text")).to_have_text("Yes, please.")
    assert pipeline_planted.done == []
    await page.clock.resume()
    answer = (await google.next())["toolResponse"]["functionResponses"][0]
    assert answer["response"] == {"output": {"booked": True}}
    await expect(page.get_by_role("group", name="Book a cut?")).to_be_hidden()
    await expect(page.locator("#captions .receipt")).to_contain_text("a cut")
    captions = await page.locator("#captions .caller .text").all_text_contents()
    assert captions == ["Book a cut.", "Yes, please."]
    await says(google, "It is booked.", turnComplete=True)
    async with asyncio.timeout(SLOW_S):
        while [e["text"] for e in (await salon.interaction())["transcript"]][-1] != "It is booked.":
            await asyncio.sleep(0.01)
    spoken = [(e["role"], e["text"]) for e in (await salon.interaction())["transcript"]]
    assert spoken == [
        ("agent", GREETING),
        ("caller", "Book a cut."),
        ("agent", "Shall I book a cut?"),
        ("caller", "Yes, please."),
        ("agent", "It is booked."),
    ]


async def test_a_button_says_yes_too(open_page, google: GeminiServer):
    """The switchboard knows before the model is told."""
    page = await talking(open_page, google)
    await hears(google, "Book a cut.")
    await calls(google, "f1", "book", what="a cut")
    await google.next()
    await page.get_by_role("button", name="Yes").click()
    assert await google.next() == {"realtimeInput": {"text": "Yes"}}
    await calls(google, "f2", "book", what="a cut")
    await google.next()
    assert pipeline_planted.done == ["a cut"]


async def test_a_call_that_is_taken_back_is_not_answered_and_told_in_the_next_turn(open_page, google: GeminiServer):
    """It had begun, so it is kept."""
    planted.gates["a"] = asyncio.Event()
    page = await talking(open_page, google)
    await hears(google, "Post it.")
    await calls(google, "f1", "post", key="a")
    await google.until(lambda: planted.begun)
    async with page.expect_response("**/cancel"):
        await google.send(toolCallCancellation={"ids": ["f1"]})
        await google.send(serverContent={"interrupted": True})
    await google.send(serverContent={"turnComplete": True})
    await expect(page.locator("#activity")).to_be_visible()
    planted.gates["a"].set()
    await expect(page.locator("#activity")).to_be_hidden()
    await hears(google, "What about it?")
    note = (await google.next())["clientContent"]
    assert "was carried out" in note["turns"][0]["parts"][0]["text"] and note["turnComplete"] is False
    assert google.received == []


async def test_a_call_that_is_taken_back_is_not_answered_even_if_the_switchboard_never_heard_of_it(
    open_page, google: GeminiServer
):
    """The cancellation did not get through."""
    planted.gates["a"] = asyncio.Event()
    page = await talking(open_page, google)
    await page.route("**/cancel", lambda route: route.abort())
    await hears(google, "Post it.")
    await calls(google, "f1", "post", key="a")
    await google.until(lambda: planted.begun)
    await google.send(toolCallCancellation={"ids": ["f1"]})
    await expect(page.get_by_role("alert")).to_contain_text("no connection")
    planted.gates["a"].set()
    await expect(page.locator("#activity")).to_be_hidden()
    await calls(google, "f2", "look")
    responses = (await google.next())["toolResponse"]["functionResponses"]
    assert [response["id"] for response in responses] == ["f2"]


async def test_speech_that_is_interrupted_stops(open_page, google: GeminiServer):
    """At once, although there was more to play."""
    page = await talking(open_page, google)
    await hears(google, "When?")
    for _ in range(6):
        await says(google, "At nine. ", silence(20))
    await is_state(page, "speaking")
    await google.send(serverContent={"interrupted": True})
    await is_state(page, "listening")


async def test_a_connection_that_ends_is_taken_up_again(open_page, google: GeminiServer):
    """With the handle that Google gave, and the same token."""
    await talking(open_page, google)
    await google.send(sessionResumptionUpdate={"newHandle": "h1", "resumable": True})
    await google.send(goAway={"timeLeft": "1s"})
    await google.until(lambda: len(google.setups) == 2)
    assert google.setups[1]["sessionResumption"] == {"handle": "h1"}
    assert google.tokens == [TOKEN, TOKEN]


async def test_a_connection_that_cannot_be_taken_up_again_is_said_to_be_lost(open_page, google: GeminiServer):
    """And the microphone is let go."""
    page = await talking(open_page, google)
    await google.send(goAway={"timeLeft": "1s"})
    await expect(page.get_by_role("alert")).to_contain_text("was lost")
    await is_state(page, "idle")


@pytest.mark.requirement("003-81")
async def test_the_session_ends_after_the_last_words(open_page, google: GeminiServer):
    """Not in the middle of them."""
    page = await talking(open_page, google)
    await hears(google, "Bye.")
    await says(google, "Goodbye.")
    await calls(google, "f1", "hang_up")
    await google.next()
    assert google.closed == 0
    await says(google, " Have a nice day.", turnComplete=True)
    await is_state(page, "ended")
    await google.until(lambda: google.closed)


async def test_a_vendor_that_is_away_leaves_the_browsers_own_voice(salon: Salon, open_page, google: GeminiServer):
    """The page says so, and offers it."""
    gone = dataclasses.replace(salon.vendors["gemini"], base_url="http://127.0.0.1:9")
    salon.vendors["gemini"] = gone
    page = await open_page()
    await page.get_by_label("Voice").select_option("gemini")
    await page.get_by_role("button", name="Start talking").click()
    await expect(page.get_by_role("alert")).to_contain_text("You can go on with this browser's voice")
    await expect(page.get_by_label("Voice")).to_have_value("browser")

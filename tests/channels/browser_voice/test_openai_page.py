"""The page and OpenAI Realtime: its events as fakes, and its connection over WebRTC to a stand-in in the same page."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from openai.types.realtime import RealtimeClientEvent
from playwright.async_api import expect
from pydantic import TypeAdapter

from tests.channels.browser_voice.conftest import until, visiting
from tests.channels.browser_voice.salon import Salon
from tests.channels.listening import listening
from tests.pipeline import planted as pipeline_planted

pytestmark = pytest.mark.requirement("003-24")

READ = TypeAdapter(RealtimeClientEvent)
TALK = """async (openQuestion) => {
  const { RealtimeMessages } = await import("/browser_voice/page/openai_messages.js");
  const log = { sent: [], executed: [], states: [], ended: 0, troubles: [], muted: false };
  const screen = new Proxy({}, { get: (_, name) => (...values) => {
    if (name === "state") log.states.push(values[0]);
    if (name === "trouble") log.troubles.push(values[0]);
  }});
  window.log = log;
  window.answers = [];
  window.talk = new RealtimeMessages({
    turn: 4,
    screen,
    send: (event) => log.sent.push(event),
    mute: (isMuted) => { log.muted = isMuted; },
    end: () => { log.ended += 1; },
    sleep: () => new Promise((resolve) => { window.wake = resolve; }),
    cancel: async () => ({ notes: [] }),
    execute: async (body) => {
      log.executed.push(body);
      const messages = body.calls.map((call) => ({
        type: "conversation.item.create",
        item: { type: "function_call_output", call_id: call.call_id, output: "{}" },
      }));
      const plain = { messages, heard: null, asked: null, receipts: [], notes: [], intents: [], over: false };
      const made = { ...plain, ...(window.answers.shift() ?? {}) };
      await made.wait;
      return made;
    },
  });
}"""


class Talk:
    """OpenAI's side of a conversation, told event by event."""

    def __init__(self, page: Any) -> None:
        self.page = page

    async def tell(self, type: str, **fields: Any) -> None:
        await self.page.evaluate("event => { talk.handle(event); }", {"type": type, **fields})

    async def done(self, *calls: str, status: str = "completed") -> None:
        output = [{"type": "function_call", "call_id": id, "name": "look", "arguments": "{}"} for id in calls]
        await self.tell("response.done", response={"id": "r", "status": status, "output": output})

    async def log(self) -> dict[str, Any]:
        found: dict[str, Any] = await self.page.evaluate("log")
        for event in found["sent"]:
            READ.validate_python(event)
        return found

    async def sent(self) -> list[str]:
        return [event["type"] for event in (await self.log())["sent"]]

    async def answer(self, **fields: Any) -> None:
        await self.page.evaluate("fields => { answers.push(fields); }", fields)


@pytest.fixture(scope="module")
async def page_for_talks(chromium_running: Any) -> AsyncIterator[Any]:
    """A page whose scripts are all that is wanted of it: one for all talks, each of which begins anew."""
    salon = Salon()
    await salon.furnish()
    async with listening(salon.app) as address, visiting(chromium_running, address) as open_page:
        yield await open_page()


@pytest.fixture
async def talk(page_for_talks: Any) -> Talk:
    await page_for_talks.evaluate(TALK)
    return Talk(page_for_talks)


async def test_calls_are_executed_when_their_response_has_completed(talk: Talk):
    """Every result first, then one response.create."""
    await talk.tell("input_audio_buffer.committed", item_id="i1")
    await talk.tell("response.created")
    await talk.tell("response.function_call_arguments.done", call_id="c1", name="look", arguments="{}")
    assert (await talk.log())["executed"] == []
    await talk.done("c1", "c2")
    log = await talk.log()
    assert [(b["provider"], b["turn"], b["status"], len(b["calls"])) for b in log["executed"]] == [
        ("openai", 5, "completed", 2)
    ]
    assert await talk.sent() == ["conversation.item.create", "conversation.item.create", "response.create"]


@pytest.mark.parametrize("status", ["cancelled", "failed", "incomplete"])
async def test_a_response_that_was_broken_off_asks_for_no_other(talk: Talk, status: str):
    """Its calls are answered, so that the conversation is whole; nothing is spoken about them."""
    await talk.tell("response.created")
    await talk.done("c1", status=status)
    assert (await talk.log())["executed"][0]["status"] == status
    assert await talk.sent() == ["conversation.item.create"]


async def test_a_call_waits_for_the_transcript_while_a_question_is_open(talk: Talk):
    """The yes arrives after the call that relies on it; without a question nothing waits."""
    await talk.answer(asked={"question": "Book?", "turn": 5, "tool": "book"})
    await talk.tell("input_audio_buffer.committed", item_id="i1")
    await talk.done("c1")
    await talk.tell("input_audio_buffer.committed", item_id="i2")
    await talk.done("c2")
    assert len((await talk.log())["executed"]) == 1
    await talk.tell("conversation.item.input_audio_transcription.completed", item_id="i2", transcript="Yes. ")
    log = await talk.log()
    assert (log["executed"][1]["turn"], log["executed"][1]["heard"]) == (6, {"text": "Yes."})


async def test_a_transcript_that_does_not_come_is_not_waited_for_long(talk: Talk):
    """The call then asks again."""
    await talk.answer(asked={"question": "Book?", "turn": 5, "tool": "book"})
    await talk.tell("input_audio_buffer.committed", item_id="i1")
    await talk.done("c1")
    await talk.tell("input_audio_buffer.committed", item_id="i2")
    await talk.done("c2")
    await talk.page.evaluate("wake()")
    assert "heard" not in (await talk.log())["executed"][1]


async def test_the_switchboard_is_told_how_a_turn_ended(talk: Talk):
    """What was heard and said, and whether the caller broke it off."""
    await talk.tell("input_audio_buffer.committed", item_id="i1")
    await talk.tell("conversation.item.input_audio_transcription.completed", item_id="i1", transcript="When?")
    await talk.tell("response.created")
    await talk.tell("response.output_audio_transcript.delta", delta="At ")
    await talk.tell("response.output_audio_transcript.delta", delta="nine.")
    await talk.done(status="cancelled")
    told = (await talk.log())["executed"][0]
    heard = {"heard": {"text": "When?"}, "asked": None}
    assert told == heard | {"provider": "openai", "calls": [], "turn": 5, "said": "At nine.", "interrupted": True}


async def test_no_second_answer_is_asked_for_once_the_caller_goes_on(talk: Talk):
    """Voice activity has asked for it already."""
    await talk.page.evaluate("answers.push({ wait: new Promise((resolve) => { window.finish = resolve; }) })")
    await talk.tell("input_audio_buffer.committed", item_id="i1")
    await talk.done("c1")
    await talk.tell("input_audio_buffer.committed", item_id="i2")
    await talk.page.evaluate("finish()")
    await until(talk.page, "log.sent.length === 1")
    assert await talk.sent() == ["conversation.item.create"]


async def test_an_answer_that_was_asked_for_too_early_is_asked_for_again(talk: Talk):
    """As soon as the one under way has ended."""
    await talk.done("c1")
    await talk.tell("error", error={"code": "conversation_already_has_active_response", "message": "busy"})
    assert await talk.sent() == ["conversation.item.create", "response.create"]
    await talk.done()
    assert (await talk.sent())[2:] == ["response.create"]
    assert (await talk.log())["troubles"] == []


async def test_other_errors_are_shown(talk: Talk):
    """In the vendor's words, which are all there is."""
    await talk.tell("error", error={"code": "x", "message": "Something else."})
    assert (await talk.log())["troubles"] == ["Something else."]


async def test_a_button_is_told_before_the_model_is(talk: Talk):
    """What was being said is broken off."""
    await talk.tell("response.created")
    await talk.tell("output_audio_buffer.started")
    await talk.page.evaluate("talk.press('yes', 4, 'Yes')")
    log = await talk.log()
    assert log["executed"] == [
        {"provider": "openai", "turn": 5, "calls": [], "heard": {"button": "yes", "question": 4}, "asked": None}
    ]
    sent = ["response.cancel", "output_audio_buffer.clear", "conversation.item.create"]
    assert (await talk.sent())[:3] == sent
    await talk.done(status="cancelled")
    assert (await talk.sent())[3:] == ["response.create"]


async def test_what_became_of_an_interrupted_action_is_told_with_the_next_turn(talk: Talk):
    """As the system's word, not the caller's."""
    await talk.answer(notes=["post was carried out."])
    await talk.done("c1")
    await talk.tell("input_audio_buffer.committed", item_id="i1")
    item = (await talk.log())["sent"][-1]["item"]
    assert (item["role"], item["content"][0]["text"]) == ("system", "post was carried out.")


@pytest.mark.requirement("003-81")
async def test_the_session_ends_when_the_last_words_have_been_played(talk: Talk):
    """Not when they have been made."""
    await talk.answer(over=True, intents=["END_VOICE_SESSION"])
    await talk.tell("output_audio_buffer.started")
    await talk.done("c1")
    log = await talk.log()
    assert (log["ended"], await talk.sent()) == (0, ["conversation.item.create"])
    await talk.tell("output_audio_buffer.stopped")
    assert (await talk.log())["ended"] == 1


@pytest.mark.requirement("003-82")
async def test_an_answer_that_is_not_to_be_heard_is_muted_until_the_next_turn(talk: Talk):
    """SUPPRESS_AUDIO."""
    await talk.answer(intents=["SUPPRESS_AUDIO"])
    await talk.done("c1")
    assert (await talk.log())["muted"] is True
    await talk.tell("input_audio_buffer.committed", item_id="i1")
    assert (await talk.log())["muted"] is False


VENDOR = """() => {
  window.vendor = { events: [], tracks: 0, authorization: null };
  const own = window.fetch;
  window.fetch = async (url, options) => {
    if (!String(url).endsWith("/realtime/calls")) return own(url, options);
    vendor.authorization = options.headers.Authorization;
    const peer = new RTCPeerConnection();
    vendor.peer = peer;
    peer.ontrack = () => { vendor.tracks += 1; };
    peer.ondatachannel = ({ channel }) => {
      vendor.channel = channel;
      channel.onmessage = (event) => vendor.events.push(JSON.parse(event.data));
    };
    await peer.setRemoteDescription({ type: "offer", sdp: options.body });
    await peer.setLocalDescription(await peer.createAnswer());
    if (peer.iceGatheringState !== "complete") {
      await new Promise((resolve) => {
        peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && resolve();
      });
    }
    return new Response(peer.localDescription.sdp, { status: 201 });
  };
  vendor.tell = (event) => vendor.channel.send(JSON.stringify(event));
}"""


async def test_a_whole_call_over_webrtc(salon: Salon, open_page):
    """Secret, offer, sound, greeting, a call and its result, and the end."""

    async def open(*_: Any) -> dict[str, str]:
        return {"clientSecret": "ek_1", "url": "https://voice.example/v1/realtime/calls"}

    salon.vendors["openai"].open = open
    page = await open_page(fakes="")
    await page.evaluate(VENDOR)
    await page.get_by_label("Voice").select_option("openai")
    await page.get_by_role("button", name="Start talking").click()
    await until(page, "vendor.events.length === 1")
    assert await page.evaluate("[vendor.authorization, vendor.tracks]") == ["Bearer ek_1", 1]
    greeting = await page.evaluate("vendor.events[0]")
    assert greeting["type"] == "response.create" and "Salon" in greeting["response"]["instructions"]
    call = {"type": "function_call", "call_id": "c1", "name": "act", "arguments": '{"what": "x"}'}
    for event in (
        {"type": "input_audio_buffer.committed", "item_id": "i1"},
        {"type": "conversation.item.input_audio_transcription.completed", "item_id": "i1", "transcript": "Do x."},
        {"type": "response.done", "response": {"id": "r1", "status": "completed", "output": [call]}},
    ):
        await page.evaluate("event => vendor.tell(event)", event)
    await until(page, "vendor.events.length === 3")
    item = await page.evaluate("vendor.events[1].item")
    assert json.loads(item["output"])["data"] == {"done": "x"}
    assert len(pipeline_planted.done) == 1
    await expect(page.locator("#captions .caller .text")).to_have_text("Do x.")
    await page.get_by_role("button", name="Stop").click()
    await expect(page.locator("body")).to_have_attribute("data-state", "idle")
    await until(page, "vendor.channel.readyState === 'closed'")

"""What the pages say was presented to a human before they answered: exactly that, and nothing that was cut off."""

from typing import Any

import pytest

from tests.channels.browser_voice.conftest import until
from tests.channels.browser_voice.test_openai_page import Talk, page_for_talks, talk  # noqa: F401 - fixtures

pytestmark = pytest.mark.requirement("004-125")
QUESTION = "I would now cancel your appointment. Shall I go ahead?"
OWN = "Would you like me to text you our address?"


async def ask(talk: Talk, *said: str) -> None:  # noqa: F811
    """Let the model have a call refused for want of a yes, and say something then."""
    await talk.answer(asked={"question": QUESTION, "turn": 5, "tool": "book"})
    await talk.tell("input_audio_buffer.committed", item_id="i1")
    await talk.tell("response.created")
    await talk.done("c1")
    await talk.tell("response.created")
    await talk.tell("output_audio_buffer.started")
    for piece in said:
        await talk.tell("response.output_audio_transcript.delta", delta=piece)


async def yes(talk: Talk) -> dict[str, Any]:  # noqa: F811
    """Say yes, and return what the page then tells the switchboard."""
    before = len((await talk.log())["executed"])
    await talk.tell("input_audio_buffer.committed", item_id="i2")
    await talk.tell("conversation.item.input_audio_transcription.completed", item_id="i2", transcript="Yes please.")
    await talk.tell("response.created")
    await talk.done("c2")
    await until(talk.page, f"log.executed.length === {before + 1}")
    told = (await talk.log())["executed"][-1]
    assert told["heard"] == {"text": "Yes please."}
    return dict(told)


@pytest.mark.parametrize("said", [(QUESTION,), ("I would now cancel your ", "appointment. Shall I go ahead?"), (OWN,)])
async def test_what_the_model_said_last_is_told_word_for_word(talk: Talk, said: tuple[str, ...]) -> None:  # noqa: F811
    """Be it the question or one of its own; which of them can be agreed to, the switchboard decides."""
    await ask(talk, *said)
    await talk.done()
    await talk.tell("output_audio_buffer.stopped")
    assert (await yes(talk))["asked"] == "".join(said)


async def test_silence_is_told_as_no_words(talk: Talk) -> None:  # noqa: F811
    """A model that said nothing has asked nothing."""
    await ask(talk)
    await talk.done()
    assert (await yes(talk))["asked"] is None


@pytest.mark.parametrize("has_ended", [False, True])
async def test_a_question_that_was_cut_off_was_not_presented(talk: Talk, has_ended: bool) -> None:  # noqa: F811
    """Also when all its words were made already, and only their sound was still being played."""
    await ask(talk, QUESTION)
    if has_ended:
        await talk.done()
    await talk.tell("input_audio_buffer.speech_started")
    await talk.tell("output_audio_buffer.cleared")
    if not has_ended:
        await talk.done(status="cancelled")
    assert (await yes(talk))["asked"] is None


async def test_after_a_cut_the_question_counts_that_is_asked_again_and_heard(talk: Talk) -> None:  # noqa: F811
    """One interruption spoils one answer."""
    await ask(talk, QUESTION)
    await talk.done()
    await talk.tell("output_audio_buffer.cleared")
    await yes(talk)
    await talk.tell("response.created")
    await talk.tell("output_audio_buffer.started")
    await talk.tell("response.output_audio_transcript.delta", delta=QUESTION)
    await talk.done()
    await talk.tell("output_audio_buffer.stopped")
    assert (await yes(talk))["asked"] == QUESTION


@pytest.mark.parametrize("is_playing", [False, True])
async def test_a_yes_that_is_typed_answers_what_was_played(talk: Talk, is_playing: bool) -> None:  # noqa: F811
    """Whoever types while it is being said may not have waited for its end."""
    await ask(talk, QUESTION)
    await talk.done()
    if not is_playing:
        await talk.tell("output_audio_buffer.stopped")
    await talk.page.evaluate("() => { talk.write('Yes') }")
    await until(talk.page, "log.executed.some((body) => body.heard)")
    told = next(body for body in (await talk.log())["executed"] if body.get("heard"))
    assert told["asked"] == (None if is_playing else QUESTION)


GEMINI = """async () => {
  const { LiveMessages } = await import("/browser_voice/page/gemini_messages.js");
  const log = { executed: [] };
  window.log = log;
  const nothing = new Proxy({}, { get: () => () => {} });
  let now = 0;
  const plain = { messages: [], heard: null, asked: null, receipts: [], notes: [], intents: [], over: false };
  window.talk = new LiveMessages({
    turn: 4,
    screen: nothing,
    player: nothing,
    send: () => {},
    end: () => {},
    again: () => {},
    now: () => now,
    sleep: async (milliseconds) => { now += milliseconds; },
    cancel: async () => ({ notes: [] }),
    execute: async (body) => { log.executed.push(body); return plain; },
  });
}"""


@pytest.mark.parametrize("until_end", [True, False])
@pytest.mark.parametrize("how", ["interrupted", "over while it plays", "typed into"])
async def test_gemini_presents_what_was_played_to_its_end(page_for_talks: Any, until_end: bool, how: str) -> None:  # noqa: F811
    """What its words were is known long before they were heard."""
    await page_for_talks.evaluate(GEMINI)

    async def tell(**content: Any) -> None:
        await page_for_talks.evaluate("content => talk.handle({ serverContent: content })", content)

    await tell(inputTranscription={"text": "Cancel it.", "finished": True})
    sound = {"parts": [{"inlineData": {"data": "AAAA", "mimeType": "audio/pcm;rate=24000"}}]}
    await tell(modelTurn=sound, outputTranscription={"text": QUESTION})
    if how == "over while it plays" or until_end:
        await tell(turnComplete=True)
    if until_end:
        await page_for_talks.evaluate("talk.silent()")
    elif how == "interrupted":
        await tell(interrupted=True)
    if how == "typed into":
        await page_for_talks.evaluate("talk.write('Yes please.')")
    else:
        await tell(inputTranscription={"text": "Yes please.", "finished": True})
        calls = {"functionCalls": [{"id": "c2", "name": "look", "args": {}}]}
        await page_for_talks.evaluate("calls => talk.handle({ toolCall: calls })", calls)
    told = (await page_for_talks.evaluate("log"))["executed"][-1]
    assert told["heard"] == {"text": "Yes please."}
    assert told["asked"] == (QUESTION if until_end else None)

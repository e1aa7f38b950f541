"""start_voice_session and end_voice_session: seed 003 ("Tool Exposure", "Intent Types")."""

import pytest

from switchboard.catalog.offer.inclusion import Situation, exclusion
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.response import Intent, IntentType
from tests.desk.front_desk import call, salon
from tests.tools.folder import run, schema


@pytest.mark.requirement("003-14")
@pytest.mark.parametrize(("arguments", "reason"), [({}, ""), ({"reason": "Hates typing."}, "Hates typing.")])
async def test_starting_is_an_intent_that_the_channel_applies(store, arguments, reason):
    """Nothing is stored."""
    result = await run("start_voice_session", call(salon(), portal=True), None, arguments)
    assert result.data == {"started": True}
    assert result.intents == (Intent(IntentType.START_VOICE_SESSION, {"reason": reason}),)
    assert not store.asked


@pytest.mark.requirement("003-15")
async def test_ending_is_an_intent_that_the_channel_applies(store):
    """What is being said is heard to its end; nothing is stored."""
    result = await run("end_voice_session", call(salon(), portal=True), None, {"reason": "Goodbye."})
    assert result.data == {"ended": True}
    assert result.intents == (Intent(IntentType.END_VOICE_SESSION, {"reason": "Goodbye."}),)
    assert not store.asked


@pytest.mark.requirement("003-15")
async def test_ending_silently_asks_for_silence_first():
    """The channel may not look at anything after the end."""
    result = await run("end_voice_session", call(salon(), portal=True), None, {"silent": True})
    kinds = [intent.type for intent in result.intents]
    assert kinds == [IntentType.SUPPRESS_AUDIO, IntentType.END_VOICE_SESSION]


@pytest.mark.requirement("003-16")
@pytest.mark.parametrize("channel", list(Channel))
def test_voice_is_started_in_writing_and_ended_in_browser_voice(channel):
    """A phone call is ended by end_call; both stay offered while the store is away."""
    start, end = (read_definition(name, schema(name)) for name in ("start_voice_session", "end_voice_session"))
    away = Situation(salon(), channel, writes_allowed=False)
    assert (exclusion(start, away) is None) is (channel is Channel.PORTAL)
    assert (exclusion(end, away) is None) is (channel is Channel.BROWSER_VOICE)

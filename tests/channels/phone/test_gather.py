"""Calls in `<Gather>` turns: silence, keys, and models that take longer than anybody waits."""

import asyncio
from dataclasses import replace

import pytest

from switchboard.channels.phone import gather, turns, twiml
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.channel import Channel
from switchboard.contract.context import PhoneContext
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Ended, Ending, TextPiece
from switchboard.contract.policy import CHANNEL_POLICY, FIRST_TOKEN_S
from switchboard.conversation import turn
from switchboard.conversation.speech import bridging
from tests.channels.phone.house import BUSINESS, PUBLIC_URL, WITHIN, Heard, PhoneInstance, Twilio, until
from tests.conversation.planted import begun, gates
from tests.conversation.scripted import calls, says
from tests.pipeline.planted import done

TRANSFERRED_IN_VAIN = {"DialCallStatus": "no-answer"}
# As it is for callers, read before a test turns it up.
PATIENCE_S = turns.PATIENCE_S


@pytest.fixture
def impatient(monkeypatch):
    """A tenth of the patience."""
    monkeypatch.setattr(turns, "PATIENCE_S", 0.2)


async def _business(twilio: Twilio) -> Business:
    document = await twilio.instance.store.inner.get(WITHIN.business)
    assert document is not None
    return read_business(BUSINESS, document.data)


async def test_silence_is_asked_about_twice_and_then_the_call_ends(twilio):
    """Every address is another one, so that no silence counts as an earlier one delivered again."""
    heard = await twilio.ask("/phone/incoming")
    said, addresses = [], []
    while heard.redirect:
        addresses.append(heard.redirect)
        heard = await twilio.ask(heard.redirect)
        said.append(heard.said)
    assert said == [
        "Are you still there?",
        "Are you still there?",
        "I have to end the call here. Please call again whenever you like. Goodbye.",
    ]
    assert heard.names == ["Say", "Hangup"]
    assert len(set(addresses)) == len(addresses)
    assert twilio.instance.model.prompts == []


@pytest.mark.requirement("004-993")
async def test_words_of_which_nobody_sees_anything_are_silence(twilio):
    """Nobody has said them."""
    heard = await twilio.ask("/phone/incoming")
    again = await twilio.ask(heard.action, SpeechResult="\u200b\u2060")
    assert again.names == ["Gather", "Redirect"] and twilio.instance.model.prompts == []


@pytest.mark.parametrize("ending", ["the agent", "hung up"])
@pytest.mark.parametrize("elsewhere", [False, True])
async def test_a_turn_after_the_end_of_a_call_says_goodbye_and_does_nothing(twilio, ending, elsewhere):
    """No model is asked and nothing is called, on whichever instance it comes; nor does a late transfer go on."""
    ends = [says("Good."), calls(("hang_up", {}))] if ending == "the agent" else [says("Good.")]
    twilio.instance.model.answers = [*ends, calls(("look", {})), says("Not to be heard.")]
    heard = await twilio.ask("/phone/incoming")
    heard = await twilio.ask(heard.action, SpeechResult="Hello")
    if ending == "the agent":
        assert (await twilio.ask(heard.action, SpeechResult="Bye")).names[-1] == "Hangup"
    else:
        await twilio.ask("/phone/status", CallStatus="completed")
    asked = len(twilio.instance.model.prompts)
    async with PhoneInstance(twilio.instance.store).serving() as other:
        late = Twilio(other, twilio.call_sid) if elsewhere else twilio
        for path, fields in (("turn?turn=3", {"SpeechResult": "Look"}), ("transfer-result", TRANSFERRED_IN_VAIN)):
            after = await late.ask(f"/phone/{path}", **fields)
            assert (after.names[-1], after.said[-8:]) == ("Hangup", "Goodbye.")
        assert (len(twilio.instance.model.prompts), other.model.prompts) == (asked, [])
    refused = await twilio.instance.office.dispatcher.execute_tool(
        "look",
        {"times": 2},
        BUSINESS,
        PhoneContext(business_id=BUSINESS, session_id=twilio.call_sid, turn=9, call_id="late"),
    )
    assert refused.failure.type is ErrorType.SESSION_INACTIVE


async def test_who_answers_the_question_is_listened_to(twilio):
    """Silence is no turn."""
    twilio.instance.model.answers = [says("Good.")]
    heard = await twilio.ask("/phone/incoming")
    heard = await twilio.ask(heard.redirect)
    heard = await twilio.ask(heard.action, SpeechResult="Yes, sorry")
    assert (heard.said, heard.action) == ("Good.", f"{PUBLIC_URL}/phone/turn?turn=2")


async def test_a_question_is_answered_with_one_key_and_a_number_with_many(twilio):
    """The wait for a second key is long when one is enough."""
    twilio.instance.model.answers = [
        calls(("book", {"what": "lunch"})),
        calls(("book", {"what": "lunch"})),
        says("It is booked."),
    ]
    heard = await twilio.ask("/phone/incoming")
    assert heard.attribute("Gather", "numDigits") is None
    heard = await twilio.ask(heard.action, SpeechResult="Lunch")
    assert heard.attribute("Gather", "numDigits") == "1"
    heard = await twilio.ask(heard.action, Digits="1")
    assert heard.said == "It is booked."
    assert heard.attribute("Gather", "numDigits") is None
    assert done == ["lunch"]


async def test_a_slow_model_is_bridged_and_its_answer_is_fetched(twilio, impatient):
    """Whole sentences as they come, a filler where there are none, and nothing twice."""
    first, second = asyncio.Event(), asyncio.Event()
    twilio.instance.model.answers = [
        [first, TextPiece("We open at nine. And"), second, TextPiece(" close at six."), Ended(Ending.STOPPED)]
    ]
    heard = await twilio.ask("/phone/incoming")
    heard = await twilio.ask(heard.action, SpeechResult="When?")
    assert heard.said == "One moment, please."
    assert heard.attribute("Gather", "action") == f"{PUBLIC_URL}/phone/turn?turn=2"
    assert heard.redirect == f"{PUBLIC_URL}/phone/turn?turn=1&waiting=1&heard=0"
    heard = await twilio.ask(heard.redirect)
    assert (heard.names, heard.said) == (["Redirect"], "")
    first.set()
    while not heard.said:
        heard = await twilio.ask(heard.redirect)
    assert heard.said == "We open at nine."
    second.set()
    said, heard = await twilio.finish(await twilio.ask(heard.redirect))
    assert said.strip() == "And close at six."
    assert "Gather" in heard.names
    assert len(twilio.instance.model.prompts) == 1


async def test_another_instance_fetches_the_answer_from_the_store(twilio, impatient):
    """Twilio's next webhook may be balanced anywhere."""
    gate = asyncio.Event()
    twilio.instance.model.answers = [[gate, *says("We open at nine.")]]
    heard = await twilio.ask("/phone/incoming")
    heard = await twilio.ask(heard.action, SpeechResult="When?")
    async with PhoneInstance(twilio.instance.store).serving() as other:
        elsewhere = Twilio(other, twilio.call_sid)
        heard = await elsewhere.ask(heard.redirect)
        assert heard.names == ["Redirect"]
        gate.set()
        said, heard = await elsewhere.finish(heard)
        assert said == "We open at nine."
        other.model.answers = [says("Bye.")]
        heard = await elsewhere.ask(heard.action, SpeechResult="Thanks")
        assert heard.said == "Bye."
        assert [m.text for m in other.model.prompts[0].messages[-2:]] == ["We open at nine.", "Thanks"]


async def test_an_action_in_a_slow_turn_is_done_once_whoever_waits(twilio, impatient):
    """Also where its webhook comes twice."""
    gates["k"] = asyncio.Event()
    twilio.instance.model.answers = [calls(("post", {"key": "k"}), text="Let me post it. "), says("Posted.")]
    heard = await twilio.ask("/phone/incoming")
    answers = await asyncio.gather(*(twilio.post(heard.action, SpeechResult="Post it") for _ in range(3)))
    assert {answer.status_code for answer in answers} == {200}
    heard = Heard(answers[0].text)
    assert heard.said == "Let me post it."
    gates["k"].set()
    again = await asyncio.gather(*(twilio.post(heard.redirect) for _ in range(3)))
    assert len({answer.text for answer in again}) == 1
    said, _ = await twilio.finish(Heard(again[0].text))
    assert said.split() == ["Posted."]
    assert done == ["k"]


async def test_who_speaks_while_being_bridged_interrupts(twilio, impatient):
    """A retrieval is dropped, and the new turn is answered."""
    gates["k"] = asyncio.Event()
    twilio.instance.model.answers = [calls(("fetch", {"key": "k"}), text="Let me look. "), says("Of course.")]
    heard = await twilio.ask("/phone/incoming")
    heard = await twilio.ask(heard.action, SpeechResult="Look it up")
    assert heard.said == "Let me look."
    heard = await twilio.ask(heard.action, SpeechResult="No, never mind")
    assert heard.said == "Of course."
    told = twilio.instance.model.prompts[1].messages
    assert any("broken off" in str(getattr(m, "response", "")) for m in told)


async def test_an_action_goes_on_when_the_caller_interrupts(twilio, impatient):
    """And the next turn knows what became of it."""
    gates["k"] = asyncio.Event()
    twilio.instance.model.answers = [calls(("post", {"key": "k"}), text="Let me post it. "), says("It is posted.")]
    heard = await twilio.ask("/phone/incoming")
    heard = await twilio.ask(heard.action, SpeechResult="Post it")
    await until(lambda: begun == ["k"])
    asyncio.get_running_loop().call_later(0.05, gates["k"].set)
    said, _ = await twilio.finish(await twilio.ask(heard.action, SpeechResult="Hello?"))
    assert said.split() == ["It", "is", "posted."]
    assert done == ["k"]


async def test_what_never_ends_is_given_up(twilio, impatient, monkeypatch):
    """The caller is not sent round for ever."""
    monkeypatch.setattr(gather, "_WAITS", 3)
    twilio.instance.model.answers = [[TextPiece("Well"), asyncio.Event()], says("Yes?")]
    heard = await twilio.ask("/phone/incoming")
    said, heard = await twilio.finish(await twilio.ask(heard.action, SpeechResult="Hi"))
    assert said.startswith("One moment, please. I'm sorry, we have a technical problem.")
    assert twilio.instance.model.closed == 1
    assert (await twilio.ask(heard.action, SpeechResult="Hello?")).said == "Yes?"


async def test_a_stalling_model_is_heard_of_within_three_seconds(twilio, impatient, monkeypatch):
    """A filler first, at a tenth of its real pace, and a way out when the model has had its twelve seconds."""
    assert (PATIENCE_S, FIRST_TOKEN_S) == (2.0, 12.0)
    stalling = []

    class Stopwatch(turn.ModelTimeout):
        async def __aenter__(self):
            stalling.append(self)
            return await super().__aenter__()

    monkeypatch.setattr(turn, "ModelTimeout", Stopwatch)
    twilio.instance.model.answers = [[asyncio.Event()]]
    heard = await twilio.ask("/phone/incoming")
    heard = await twilio.ask(heard.action, SpeechResult="Hi")
    assert heard.said == "One moment, please."
    stalling[0]._first_is_over()
    said, heard = await twilio.finish(heard)
    assert "take a message" in said
    assert "Gather" in heard.names


@pytest.mark.requirement("003-336")
async def test_a_filler_is_fetched_when_it_is_said_and_not_when_patience_ends(twilio, monkeypatch):
    """Without a relay as well: patience is endless here, and the caller hears every filler, whole, and the answer."""
    soon = replace(CHANNEL_POLICY[Channel.PHONE], filler_after_ms=20, filler_apart_ms=20)
    monkeypatch.setitem(CHANNEL_POLICY, Channel.PHONE, soon)
    monkeypatch.setattr(bridging, "CHARACTERS_PER_S", 1e6)
    gate = asyncio.Event()
    twilio.instance.model.answers = [[gate, *says("We open at nine.")]]
    heard = await twilio.ask("/phone/incoming")
    heard = await twilio.ask(heard.action, SpeechResult="When do you open?")
    assert "waiting=" in heard.redirect
    assert heard.said.endswith(".")
    first, heard = heard.said, await twilio.ask(heard.redirect)
    assert heard.said.endswith(".")
    assert heard.said != first
    gate.set()
    said, heard = await twilio.finish(heard)
    assert said.endswith("We open at nine.")
    assert "Gather" in heard.names


@pytest.mark.parametrize(
    "query", ["turn=x", "turn=-1", "turn=1&waiting=x&heard=%C3%A9", "turn=1&silent=99999999999999"]
)
async def test_an_address_that_makes_no_sense_is_still_answered(twilio, query, impatient):
    """It is signed, but nobody is perfect."""
    heard = await twilio.ask(f"/phone/turn?{query}")
    assert heard.names


async def test_a_turn_that_broke_down_without_a_word_ends_in_a_sentence(twilio):
    """Silence would be worse."""
    twilio.instance.model.answers = [[KeyError("nobody thought of it")]]
    heard = await twilio.ask("/phone/incoming")
    heard = await twilio.ask(heard.action, SpeechResult="Hi")
    assert "take a message" in heard.said
    assert "Gather" in heard.names


@pytest.mark.requirement("004-142")
@pytest.mark.usefixtures("endless")
async def test_a_long_answer_is_said_in_several_documents_and_the_question_comes_last(twilio):
    """Each is one that Twilio takes, whatever its characters take in XML, and nothing is lost between them."""
    for answer in ("It is open. " * 2_000, "\U0001f600 " * 6_000, "&" * 10_000, f"{'a' * 2_990}. \xe9 & <" * 3):
        twilio.instance.model.answers = [says(answer)]
        heard = await twilio.ask("/phone/incoming")
        documents = [await twilio.ask(heard.action, SpeechResult=f"Tell me, {answer[:9]}")]
        while "waiting=" in documents[-1].redirect:
            documents.append(await twilio.ask(documents[-1].redirect))
        assert max(len(document.twiml.encode()) for document in documents) <= 60_000
        assert all(len(said.text) <= 3_000 for document in documents for said in document.verbs.iter("Say"))
        assert "".join(document.said for document in documents).split() == answer.split()
        assert "waiting=" not in documents[-1].redirect
    wordy = [*says("We are closed on Sundays. " * 400)[:-1], *calls(("book", {"what": "lunch"}))]
    twilio.instance.model.answers = [wordy]
    said, heard = await twilio.finish(await twilio.ask(heard.action, SpeechResult="Lunch"))
    assert said.count("We are closed on Sundays.") == 400
    assert said.endswith("Book lunch?")
    assert heard.names[:2] == ["Say", "Gather"]
    assert done == []


@pytest.mark.requirement("004-142")
async def test_a_document_is_one_that_twilio_takes_whatever_is_to_be_said(twilio):
    """Also what no model says: an owner's greeting that was stored before there was a limit."""
    for said in ("\U0001f600" * 50_000, "&" * 50_000):
        business = replace(await _business(twilio), greeting=said)
        for document in (
            twiml.gather(business, said, "/turn", "/silent", is_asking=True),
            twiml.bridge(business, said, "/turn", "/wait"),
            twiml.goodbye(said, business),
            twiml.connect(business, "wss://relay", "token", said, "/ended"),
            twiml.dial(said, business, {"number": "+15185550143"}, "/result"),
        ):
            assert len(document.encode()) <= 60_000


@pytest.mark.requirement("003-170")
async def test_a_question_is_played_to_its_end_and_a_yes_to_other_words_is_none(twilio):
    """No word spoken into it is taken; "Are you still there?" is another question."""
    wish = calls(("book", {"what": "lunch"}))
    twilio.instance.model.answers = [wish, says("What can I do for you?"), wish, wish, says("It is booked.")]
    heard = await twilio.ask("/phone/incoming")
    heard = await twilio.ask(heard.action, SpeechResult="Lunch")
    assert (heard.said, heard.names[:2]) == ("Book lunch?", ["Say", "Gather"])
    heard = await twilio.ask(heard.redirect)
    assert heard.said == "Are you still there?"
    heard = await twilio.ask(heard.action, SpeechResult="Yes.")
    assert heard.said == "What can I do for you?"
    assert done == []
    heard = await twilio.ask(heard.action, SpeechResult="Lunch")
    assert heard.said == "Book lunch?"
    heard = await twilio.ask(heard.action, SpeechResult="Yes, go ahead.")
    assert (heard.said, done) == ("It is booked.", ["lunch"])

"""`POST /browser_voice/turn` and `/interrupt`: the turn loop, for a browser that hears and speaks by itself."""

import asyncio

import pytest

from switchboard.contract.model import Noted, Spoken, TextPiece, UserMessage
from switchboard.contract.store import Unavailable
from tests.channels.browser_voice.conftest import Browser
from tests.channels.browser_voice.salon import KEY, RIVAL, SESSION, Salon
from tests.conversation import planted
from tests.conversation.scripted import calls, says
from tests.pipeline import planted as pipeline_planted
from tests.pipeline.conftest import BUSINESS


def said(events) -> str:
    return "".join(data["text"] for name, data in events if name == "text" and not data["filler"])


async def test_what_was_said_is_answered_as_a_stream_of_events(salon: Salon, browser: Browser):
    """The number of the turn first, the words as they come, `done` last."""
    salon.model.answers = [says("We open ", "at nine.")]
    events = await browser.turn(text="When do you open?")
    assert events == [
        ("turn", {"turn": 1}),
        ("language", {"language": "en"}),
        ("text", {"text": "We open ", "filler": False, "audible": True}),
        ("text", {"text": "at nine.", "filler": False, "audible": True}),
        ("done", {"outcome": "answered", "turn": 1}),
    ]


@pytest.mark.requirement("004-41")
async def test_the_tools_are_told_business_and_channel(salon: Salon, browser: Browser):
    """Of the context, from the credential; the caller is not taken to be who the link was sent to."""
    salon.model.answers = [calls(("look", {})), says("Hello.")]
    events = await browser.turn(text="Hello?")
    assert ("done", {"outcome": "answered", "turn": 1}) in events
    record = await salon.interaction()
    assert (record["businessId"], record["channel"], record["callerPhone"]) == (BUSINESS, "browser_voice", None)


@pytest.mark.requirement("003-134")
async def test_a_yes_is_spoken_or_clicked(salon: Salon, browser: Browser):
    """The question is an event of its own, whose turn a button has to name."""
    for yes in ({"text": "Yes, please."}, {"button": "yes", "question": 3}):
        wish = calls(("book", {"what": f"cut {len(yes)}"}))
        salon.model.answers = [wish, wish, says("Done.")]
        asked = dict(await browser.turn(text="Book a cut."))["ask"]
        assert asked["question"] == f"Book cut {len(yes)}?"
        await browser.turn(**yes | ({"question": asked["turn"]} if "button" in yes else {}))
        assert f"cut {len(yes)}" in pipeline_planted.done


async def test_an_interruption_keeps_what_was_heard(salon: Salon, browser: Browser):
    """Also when the model had long finished: speech lags behind it."""
    salon.model.answers = [says("We open at nine. ", "We close at six."), says("Yes.")]
    await browser.turn(text="When?")
    answer = await browser.post("interrupt", turn=1, heard="We open at")
    assert answer.json() == {"turn": 1, "heard": "We open at"}
    await browser.turn(text="On Sundays too?")
    told = salon.model.prompts[-1].messages
    assert told == [
        UserMessage("When?"),
        Spoken("We open at"),
        Noted("The caller interrupted here and did not hear the rest."),
        UserMessage("On Sundays too?"),
    ]


async def test_an_answer_that_was_heard_to_its_end_is_not_called_interrupted(salon: Salon, browser: Browser):
    """The caller spoke just as the last word ended."""
    salon.model.answers = [says("We open at nine."), says("Yes.")]
    await browser.turn(text="When?")
    await browser.post("interrupt", turn=1, heard="We open at nine.")
    await browser.turn(text="On Sundays too?")
    assert not [m for m in salon.model.prompts[-1].messages if isinstance(m, Noted)]


async def test_an_interruption_of_an_earlier_turn_changes_nothing(salon: Salon, browser: Browser):
    """Requests overtake each other."""
    salon.model.answers = [says("We open at nine."), says("Sundays we are closed."), says("Yes.")]
    await browser.turn(text="When?")
    await browser.turn(text="On Sundays too?")
    await browser.post("interrupt", turn=1, heard="")
    await browser.turn(text="Really?")
    assert Spoken("Sundays we are closed.") in salon.model.prompts[-1].messages


async def test_an_interruption_ends_the_stream_and_never_an_action(salon: Salon, browser: Browser):
    """What reads and speaks is broken off; what acts is finished, and told in the next turn."""
    planted.gates["a"] = asyncio.Event()
    salon.model.answers = [calls(("post", {"key": "a"}), text="One moment. "), says("It is done.")]
    speaking = asyncio.create_task(browser.turn(text="Post it."))
    while not planted.begun:
        await asyncio.sleep(0)
    await browser.post("interrupt", turn=1, heard="One")
    assert (await speaking)[-1] == ("done", {"outcome": "interrupted", "turn": 1})
    planted.gates["a"].set()
    events = await browser.turn(text="And?")
    assert ("tool", True) in [(name, data.get("ok")) for name, data in events]
    assert pipeline_planted.done == ["a"]


async def test_who_goes_away_has_interrupted(salon: Salon):
    """The model is not asked for words that nobody hears."""
    waiting = asyncio.Event()
    salon.model.answers = [[TextPiece("We open "), waiting, TextPiece("at nine.")]]
    arrived, gone = asyncio.Event(), asyncio.Event()
    body = b'{"text": "When?"}'

    async def receive():
        if not arrived.is_set():
            arrived.set()
            return {"type": "http.request", "body": body, "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    sent = []

    async def send(message):
        sent.append(message)
        if b"We open" in message.get("body", b""):
            gone.set()

    headers = [(b"authorization", f"Bearer {salon.token}".encode()), (b"content-length", str(len(body)).encode())]
    scope = {"type": "http", "method": "POST", "path": "/browser_voice/turn", "headers": headers, "query_string": b""}
    await salon.app(scope | {"asgi": {"version": "3.0"}, "http_version": "1.1"}, receive, send)
    async with asyncio.timeout(60):
        while not salon.model.closed or (await salon.interaction())["outcome"] != "interrupted":
            await asyncio.sleep(0.01)


async def test_a_silent_answer_is_shown_and_not_spoken(salon: Salon, browser: Browser):
    """SUPPRESS_AUDIO; the page is told with each piece."""
    salon.model.answers = [calls(("whisper", {})), says("Read this.")]
    events = await browser.turn(text="Quietly.")
    assert [data["audible"] for name, data in events if name == "text"] == [False]
    assert ("intent", {"type": "SUPPRESS_AUDIO", "payload": {}}) in events
    # What is told to the model is not for browsers.
    assert "Anna" not in str(events)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, ""),
        ({"text": "yes", "button": "yes"}, ""),
        ({"text": 7}, "text"),
        ({"button": "maybe"}, "button"),
        ({"button": "yes", "question": "1"}, "question"),
    ],
)
async def test_what_cannot_be_read_is_named(browser: Browser, body, field):
    """Exactly one of text and button."""
    answer = await browser.post("turn", **body)
    assert (answer.status_code, answer.json()["error"].get("field", "")) == (400, field)


@pytest.mark.parametrize("body", [{"heard": "x"}, {"turn": 0, "heard": ""}, {"turn": 1}, {"turn": True, "heard": ""}])
async def test_an_interruption_says_which_turn_and_what_was_heard(browser: Browser, body):
    """Both are needed."""
    assert (await browser.post("interrupt", **body)).status_code == 400


async def test_a_conversation_belongs_to_its_visitor(salon: Salon, browser: Browser):
    """Business and conversation come from the credential; a body that disagrees is refused."""
    salon.model.answers = [says("Hello.")]
    for other in ({"businessId": "rival"}, {"sessionId": "web_2"}):
        assert (await browser.post("turn", text="Hi", **other)).status_code == 403
    nobody = await browser.http.post("/browser_voice/turn", json={"text": "Hi"}, headers={"Authorization": ""})
    assert nobody.status_code == 401
    assert salon.model.prompts == []


@pytest.mark.parametrize(("key", "status"), [(KEY, 200), (RIVAL, 403), ("sb_none", 401)])
async def test_a_service_speaks_for_its_own_business(salon: Salon, browser: Browser, key, status):
    """With its API key, in a conversation that it names."""
    salon.model.answers = [says("Hello.")]
    body = {"businessId": BUSINESS, "sessionId": SESSION, "text": "Hi"}
    headers = {"Authorization": f"Bearer {key}"}
    assert (await browser.http.post("/browser_voice/turn", json=body, headers=headers)).status_code == status


async def test_a_store_that_does_not_answer_is_said_to_be_the_reason(salon: Salon, browser: Browser, monkeypatch):
    """503, in the envelope's shape."""

    async def open(facts):
        raise Unavailable("away")

    monkeypatch.setattr(salon.conversations, "open", open)
    answer = await browser.post("turn", text="Hi")
    assert (answer.status_code, answer.json()["error"]["retryable"]) == (503, True)

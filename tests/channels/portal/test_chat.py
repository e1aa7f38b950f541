"""A written conversation over HTTP: `POST /portal/chat`, as a stream and as JSON."""

import asyncio

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.model import ModelError, Spoken, UserMessage
from switchboard.contract.store import Update
from switchboard.state.memory.store import MemoryStore
from tests.channels.portal import planted
from tests.channels.portal.salon import CLOSED, GERMAN, PATHS, PHONE, SALON, Browser, events_in, pausing, until
from tests.conversation.scripted import calls, says
from tests.desk.front_desk import WatchedStore

BOOKING = ("book_appointment", {"service": "Haircut", "name": "Ana"})


async def test_an_answer_comes_as_json(opened):
    """What was said, without what only bridged a wait."""
    salon = await opened(calls(("find_times", {"day": "Tuesday"}), text="Let me see. "), says("At ", "ten."))
    ada = await salon.visitor()
    answer = await ada.say("Is there a time on Tuesday?")
    assert answer["text"] == "Let me see. At ten."
    assert (answer["outcome"], answer["turn"], answer["sessionId"]) == ("answered", 1, ada.session_id)
    assert (answer["ask"], answer["receipts"]) == (None, [])
    assert [event["event"] for event in answer["events"]] == ["text", "tool", "tool", "text", "text", "done"]


@pytest.mark.requirement("003-31")
async def test_an_answer_comes_as_a_stream_of_events(opened):
    """Words as they come, and what is being done, in the business's language."""
    salon = await opened(calls(("find_times", {"day": "Tuesday"})), says("At ", "ten."))
    events = await (await salon.visitor()).stream()
    elapsed = events[1][1].pop("elapsedMs")
    known = {"callId": "call_0", "name": "find_times", "label": "Checking Tuesday…"}
    assert events == [
        ("tool", {**known, "state": "started"}),
        ("tool", {**known, "state": "finished", "ok": True}),
        ("text", {"text": "At ", "filler": False}),
        ("text", {"text": "ten.", "filler": False}),
        ("done", {"outcome": "answered", "turn": 1}),
    ]
    assert elapsed >= 0


async def test_nothing_may_keep_or_collect_a_stream(opened):
    """Neither caches nor proxies; each event carries its turn in its id."""
    salon = await opened(says("Hello."))
    response = await (await salon.visitor()).post("chat", {"text": "Hi"}, Accept="text/event-stream")
    assert (response.headers["cache-control"], response.headers["x-accel-buffering"]) == ("no-store", "no")
    assert [line for line in response.text.splitlines() if line.startswith("id")] == ["id: 1.0", "id: 1.1"]


async def test_a_silent_stream_shows_that_it_is_open(opened):
    """A line that says nothing would be cut by whoever is in between."""
    gate = asyncio.Event()
    salon = await opened(pausing("One ", gate, "two."), beat_s=0.001)
    ada = await salon.visitor()
    streaming = asyncio.create_task(ada.post("chat", {"text": "Hi"}, Accept="text/event-stream"))
    await until(lambda: bool(salon.model.prompts))
    await asyncio.sleep(0.02)
    gate.set()
    text = (await streaming).text
    assert ": still here\n\n" in text
    assert [data["text"] for name, data in events_in(text) if name == "text"] == ["One ", "two."]


@pytest.mark.requirement("003-134")
async def test_a_question_is_answered_with_a_button(opened):
    """It names the turn of its question; what was done is told by a receipt."""
    salon = await opened(calls(BOOKING), calls(BOOKING), says("You are booked."))
    ada = await salon.visitor()
    asked = await ada.say("Book a haircut for Ana")
    assert asked["ask"] == {"question": "Shall I book Haircut for Ana?", "turn": 1, "tool": "book_appointment"}
    assert planted.reserved == []
    done = await ada.click("yes", 1)
    receipt = {"callId": "call_0", "tool": "book_appointment", "what": "Haircut", "for": "Ana", "when": planted.WHEN}
    assert done["receipts"] == [receipt]
    assert planted.reserved == ["Ana"]


async def test_a_no_does_nothing(opened):
    """Nor does the button of a question that is no longer open."""
    salon = await opened(calls(BOOKING), says("All right."), calls(BOOKING))
    ada = await salon.visitor()
    await ada.say("Book a haircut for Ana")
    await ada.click("no", 1)
    again = await ada.click("yes", 1)
    assert again["ask"] is not None
    assert planted.reserved == []


async def test_the_same_message_is_answered_once(opened):
    """It gets the same answer again, here and on another instance, as JSON or as a stream."""
    salon = await opened(calls(("post", {"key": "a"})), says("Do", "ne."))
    planted.planted.gates["a"] = asyncio.Event()
    planted.planted.gates["a"].set()
    ada = await salon.visitor()
    first = await ada.say("Do it", messageId="m1")
    again = await ada.say("Do it", messageId="m1")
    elsewhere = await ada.on(await opened(store=salon.store)).stream("Do it", messageId="m1")
    assert first["text"] == again["text"] == "Done."
    assert again["receipts"] == first["receipts"] != []
    assert [name for name, _ in elsewhere] == ["tool", "tool", "receipt", "text", "done"]
    assert dict(elsewhere)["text"]["text"] == "Done."
    assert len(salon.model.prompts) == 2
    assert (await ada.history())["turn"] == 1


async def test_another_message_under_the_same_id_is_another_message(opened):
    """A careless client loses nothing."""
    salon = await opened(says("One."), says("Two."))
    ada = await salon.visitor()
    assert (await ada.say("a", messageId="m"))["text"] == "One."
    assert (await ada.say("b", messageId="m"))["text"] == "Two."


async def test_the_same_message_joins_the_answer_that_is_being_given(opened):
    """A browser that reconnects hears it from the beginning, and nothing is done twice."""
    gate = asyncio.Event()
    salon = await opened(pausing("One ", gate, "two."))
    ada = await salon.visitor()
    both = [asyncio.create_task(ada.stream("Hi", messageId="m")) for _ in range(2)]
    await until(lambda: bool(salon.model.prompts))
    gate.set()
    one, other = await asyncio.gather(*both)
    assert one == other
    assert len(salon.model.prompts) == 1


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
async def test_whoever_goes_away_has_interrupted(opened, accept):
    """The model is broken off, and what was said until then is what counts."""
    salon = await opened(pausing("One ", asyncio.Event(), "two."), says("Yes?"))
    ada = await salon.visitor()
    await _leave_in_the_middle(salon, ada, accept)
    await until(lambda: salon.model.closed == 1)
    await ada.say("Still there?")
    entries = (await ada.history())["transcript"]
    said = [entry for entry in entries if entry["role"] == "agent" and entry["turn"] == 1]
    assert [(entry["text"], entry.get("interrupted")) for entry in said] == [("One ", True)]


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
async def test_an_action_is_finished_although_nobody_waits_for_it(opened, accept):
    """Its outcome is told in the next turn."""
    planted.gates["Ana"] = asyncio.Event()
    salon = await opened(calls(BOOKING), calls(BOOKING), says("It is booked."))
    ada = await salon.visitor()
    await ada.say("Book a haircut for Ana")
    await _leave_in_the_middle(salon, ada, accept, {"button": "yes", "question": 1}, prompts=2)
    await until(lambda: salon.model.closed == 2)
    planted.gates["Ana"].set()
    answer = await ada.say("Is it booked?")
    assert planted.reserved == ["Ana"]
    assert [receipt["for"] for receipt in answer["receipts"]] == ["Ana"]


async def test_whoever_comes_back_at_once_has_not_interrupted(opened):
    """A phone that changes from one network to another hears all of the answer."""
    gate, later = asyncio.Event(), asyncio.Event()
    salon = await opened(pausing("One ", gate, "two."), rejoin_s=0.4)
    ada = await salon.visitor()
    await _leave_in_the_middle(salon, ada, "text/event-stream", {"text": "Hello", "messageId": "m"})
    back = asyncio.create_task(ada.say("Hello", messageId="m"))
    asyncio.get_running_loop().call_later(0.5, later.set)
    await later.wait()
    gate.set()
    assert (await back)["text"] == "One two."


async def test_what_was_said_is_written_down_before_the_answer_ends(opened):
    """Also where somebody went away and the store takes its time."""

    class Hesitant(MemoryStore):
        async def commit(self, writes):
            for _ in range(50 if "/interactions/" in writes[0].path else 0):
                await asyncio.sleep(0)
            return await super().commit(writes)

    salon = await opened(pausing("One ", asyncio.Event()), store=WatchedStore(Hesitant()))
    ada = await salon.visitor()
    streaming = asyncio.create_task(ada.stream("Count", messageId="m"))
    await until(lambda: bool(salon.model.prompts))
    await ada.post("stop", {"messageId": "m"})
    assert (await streaming)[-1][1]["outcome"] == "interrupted"
    assert [entry["text"] for entry in (await salon.record(ada.session_id))["transcript"]][1:] == ["Count", "One "]


async def test_what_bridges_a_wait_is_no_part_of_the_answer(opened, bridged):
    """It is marked in the stream, also when the answer is given again, and does not stand in the history."""
    gate = planted.planted.gates["a"] = asyncio.Event()
    salon = await opened(calls(("fetch", {"key": "a"}), text="Let me see. "), says("Found."))
    ada = await salon.visitor()
    bridged(Channel.PORTAL, gate)
    assert (await ada.say("Look", messageId="m"))["text"] == "Let me see. Found."
    again = [data for name, data in await ada.stream("Look", messageId="m") if name == "text"]
    filler = {"text": "One moment.", "filler": True}
    assert again == [{"text": "Let me see. ", "filler": False}, filler, {"text": " Found.", "filler": False}]
    said = [e["text"].strip() for e in (await ada.history())["transcript"] if e["role"] == "agent" and e["turn"]]
    assert said == ["Let me see.", "Found."]


async def test_an_answer_can_be_stopped(opened):
    """At once, and the stream says so."""
    salon = await opened(pausing("One ", asyncio.Event(), "two."), rejoin_s=60.0)
    ada = await salon.visitor()
    streaming = asyncio.create_task(ada.stream("Hi", messageId="m"))
    await until(lambda: bool(salon.model.prompts))
    assert (await ada.post("stop", {"messageId": "m"})).json() == {"stopped": True}
    assert (await streaming)[-1] == ("done", {"outcome": "interrupted", "turn": 1})
    assert (await ada.post("stop", {"messageId": "m"})).json() == {"stopped": False}


async def test_nobody_stops_somebody_elses_answer(opened):
    """An id is known within its own conversation only."""
    gate = asyncio.Event()
    salon = await opened(pausing("One ", gate, "two."))
    ada, eve = await salon.visitor(), await salon.visitor()
    streaming = asyncio.create_task(ada.stream("Hi", messageId="m"))
    await until(lambda: bool(salon.model.prompts))
    assert (await eve.post("stop", {"messageId": "m"})).json() == {"stopped": False}
    gate.set()
    assert (await streaming)[-1][1]["outcome"] == "answered"


async def test_a_message_interrupts_the_answer_to_the_one_before(opened):
    """One answer at a time, in the order of the messages, however many come at once."""
    salon = await opened(pausing("One ", asyncio.Event()), *[says(f"{n}.") for n in range(2, 6)])
    ada = await salon.visitor()
    first = asyncio.create_task(ada.say("1"))
    await until(lambda: bool(salon.model.prompts))
    rest = await asyncio.gather(*(ada.say(str(n)) for n in range(2, 6)))
    assert (await first)["outcome"] == "interrupted"
    assert sorted(answer["turn"] for answer in rest) == [2, 3, 4, 5]
    # An answer that was not begun yet may be interrupted as well, but none is lost or mixed with another.
    assert all(answer["text"] in {"", "2.", "3.", "4.", "5."} for answer in rest)


async def test_the_model_is_told_what_the_visitor_read_first(opened):
    """The greeting is part of the conversation, once."""
    salon = await opened(says("Nine."), says("Bye."))
    ada = await salon.visitor()
    await ada.say("When do you open?")
    await ada.say("Thanks")
    told = [m for m in salon.model.prompts[1].messages if isinstance(m, Spoken | UserMessage)]
    assert [m.text for m in told] == [
        "Welcome to Maple Street Hair Studio. How can I help you?",
        "When do you open?",
        "Nine.",
        "Thanks",
    ]


async def test_a_model_that_fails_still_ends_in_words(opened):
    """And the next message is answered."""
    salon = await opened([ModelError("down")], says("I am back."))
    ada = await salon.visitor()
    failed = await ada.say()
    assert failed["outcome"] == "failed"
    assert failed["text"].endswith("You will find more at www.maple.example.")
    assert (await ada.say())["text"] == "I am back."


@pytest.mark.requirement("004-40")
async def test_tools_know_where_they_are_called_from(opened):
    """The business and the channel come from the token, nothing from the model; the caller is not taken from a link."""
    salon = await opened(calls(("ring", {})), says("Done."))
    begun = (await salon.http.post("/portal/session", json={"link": await salon.link("CA7")})).json()
    await Browser(salon, begun).say()
    facts = planted.rung[-1]
    assert (facts.business_id, facts.channel.value, facts.session_id) == (SALON, "portal", "CA7")
    assert (facts.caller_phone, facts.caller_id, facts.caller_verified) == (None, None, False)
    assert facts.applies_intents


async def test_a_browser_gets_no_phone_numbers(opened):
    """Neither where calls go nor whom they come from, nor what is noted for the model."""
    salon = await opened(calls(("ring", {}), ("ignore_user", {})), says("Done."))
    response = await (await salon.visitor()).post("chat", {"text": "Hi"}, Accept="text/event-stream")
    events = events_in(response.text)
    assert [data for name, data in events if name == "intent"] == [
        {"type": "START_VOICE_SESSION", "payload": {"reason": "call me on …"}},
        {"type": "INJECT_CONTEXT", "payload": {}},
    ]
    assert "0177" not in response.text and "5143" not in response.text
    assert not [data for name, data in events if name == "receipt"]


@pytest.mark.requirement("003-13")
@pytest.mark.parametrize(("business_id", "word"), [(SALON, "Goodbye"), (GERMAN, "Auf Wiedersehen")])
async def test_whoever_is_turned_away_is_told_politely(opened, business_id, word):
    """No model is asked, and nothing is written down."""
    salon = await opened()
    eve = await salon.visitor(business_id)
    salon.turned_away.add(eve.session_id)
    answer = await eve.say()
    assert (answer["outcome"], answer["turn"]) == ("ended", 0)
    assert word in answer["text"]
    assert salon.model.prompts == []


async def test_a_chat_that_has_ended_goes_on_when_somebody_writes_again(opened):
    """A caller who has hung up may open the link."""
    salon = await opened(calls(("hang_up", {})), says("Hello again."))
    ada = await salon.visitor()
    assert (await ada.say("Bye"))["outcome"] == "ended"
    assert (await ada.say("One more thing"))["text"] == "Hello again."


async def test_a_service_speaks_for_its_visitors_with_its_key(opened):
    """It names the conversation, and greets by itself."""
    salon = await opened(says("Hi."))
    headers = {"Authorization": f"Bearer {await salon.key()}"}
    body = {"businessId": SALON, "sessionId": "mine", "text": "Hello", "messageId": "m1"}
    answer = (await salon.http.post("/portal/chat", json=body, headers=headers)).json()
    assert (answer["text"], answer["sessionId"]) == ("Hi.", "mine")
    params = {"businessId": SALON, "sessionId": "mine"}
    history = (await salon.http.get("/portal/history", params=params, headers=headers)).json()
    assert [entry["text"] for entry in history["transcript"]] == ["Hello", "Hi."]


@pytest.mark.requirement("004-925")
async def test_blanks_around_the_id_of_a_chat_or_a_message_do_not_make_another_one(opened):
    """A blank id of a message is none: each is a message of its own."""
    salon = await opened(says("Hi."), says("Again."), says("Once more."))
    headers = {"Authorization": f"Bearer {await salon.key()}"}

    async def said(session, message):
        body = {"businessId": SALON, "sessionId": session, "text": "Hello", "messageId": message}
        return (await salon.http.post("/portal/chat", json=body, headers=headers)).json()

    first, again = await said("mine", "m1"), await said(" mine\u200b", " m1")
    assert (again["sessionId"], again["turn"], again["text"]) == ("mine", first["turn"], "Hi.")
    assert [(await said("mine", " "))["text"] for _ in range(2)] == ["Again.", "Once more."]
    for path in ("/portal/history", "/portal/news"):
        asked = {"businessId": SALON, "sessionId": " "}
        assert (await salon.http.get(path, params=asked, headers=headers)).status_code == 400


@pytest.mark.parametrize(
    ("scopes", "changes", "status"),
    [
        (("tools:read",), {}, 403),
        (("tools:execute",), {"businessId": CLOSED}, 403),
        (("tools:execute",), {"businessId": None}, 400),
        (("tools:execute",), {"sessionId": None}, 400),
        (("tools:execute",), {"sessionId": " "}, 400),
        (("tools:execute",), {"sessionId": "\u200b\t"}, 400),
    ],
)
async def test_a_key_speaks_for_its_own_business_only(opened, scopes, changes, status):
    """And needs the scope that lets tools be executed."""
    salon = await opened()
    headers = {"Authorization": f"Bearer {await salon.key(scopes=scopes)}"}
    body = {"businessId": SALON, "sessionId": "s", "text": "Hi"} | changes
    assert (await salon.http.post("/portal/chat", json=body, headers=headers)).status_code == status


@pytest.mark.parametrize("authorization", [None, "Bearer", "Bearer visit.x.y", "Basic eDp5", "Bearer sb_unknown"])
async def test_nobody_is_let_in_without_a_token(opened, authorization):
    """In the shape of every other refusal."""
    salon = await opened()
    headers = {"Authorization": authorization} if authorization else {}
    response = await salon.http.post("/portal/chat", json={"text": "Hi"}, headers=headers)
    assert (response.status_code, response.json()["error"]["type"]) == (401, "AUTH")


@pytest.mark.parametrize("said", [{"businessId": GERMAN}, {"sessionId": "somebody-elses"}])
async def test_a_visitor_cannot_name_another_conversation(opened, said):
    """The token decides."""
    ada = await (await opened()).visitor()
    assert (await ada.post("chat", {"text": "Hi", **said})).status_code == 403


async def test_a_business_that_closes_its_portal_is_closed_within_a_minute(opened):
    """Also for those who were let in; a caller with a link may stay."""
    salon = await opened(says("Hello."))
    ada = await salon.visitor()
    caller = (await salon.http.post("/portal/session", json={"link": await salon.link()})).json()
    await salon.store.commit([Update(PATHS.within(SALON).business, {"portal.visitors": False})])
    salon.clock.wait(61)
    assert (await ada.post("chat", {"text": "Hi"})).status_code == 403
    headers = {"Authorization": f"Bearer {caller['token']}"}
    assert (await salon.http.post("/portal/chat", json={"text": "Hi"}, headers=headers)).status_code == 200
    assert salon.tokens.read(caller["token"]).caller_phone == PHONE


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "text"),
        ({"text": " "}, "text"),
        ({"text": " \u200b\u2060\u3164 "}, "text"),
        ({"text": 7}, "text"),
        ({"text": "x" * 4_001}, "text"),
        ({"text": "yes", "button": "yes"}, "text"),
        ({"button": "maybe"}, "button"),
        ({"button": "yes", "question": "1"}, "question"),
        ({"button": "yes", "question": True}, "question"),
        ({"text": "Hi", "messageId": "m" * 201}, "messageId"),
    ],
)
async def test_a_message_that_cannot_be_is_refused_by_name(opened, body, field):
    """And nobody is asked anything."""
    salon = await opened()
    response = await (await salon.visitor()).post("chat", body)
    assert (response.status_code, response.json()["error"]["field"]) == (400, field)
    assert salon.model.prompts == []


@pytest.mark.requirement("004-889")
async def test_a_text_that_is_too_long_is_refused_with_the_limit_and_its_length(opened):
    """Counted in characters of Unicode, whatever they take in bytes; the longest that is taken is kept whole."""
    salon = await opened(says("A lot."))
    ada = await salon.visitor()
    refused = await ada.post("chat", {"text": "😀" * 4_001})
    message = "text must not be longer than 4,000 characters; it has 4,001."
    assert (refused.status_code, refused.json()["error"]["message"]) == (400, message)
    assert (await ada.say("😀" * 4_000))["text"] == "A lot."
    [said] = [entry for entry in (await ada.history())["transcript"] if entry["role"] == "caller"]
    assert (said["text"], "cut" in said) == ("😀" * 4_000, False)


async def test_a_body_has_an_end(opened):
    """A megabyte."""
    ada = await (await opened()).visitor()
    response = await ada.salon.http.post("/portal/chat", content=b"x" * 1_100_000, headers=ada.headers)
    assert response.status_code == 413


async def test_half_a_character_is_refused_before_anybody_reads_it(opened):
    """JSON can carry what no store and no model can."""
    salon = await opened()
    ada = await salon.visitor()
    response = await salon.http.post("/portal/chat", content=b'{"text": "a\\ud800"}', headers=ada.headers)
    assert response.status_code == 400
    assert salon.model.prompts == []


async def test_a_store_that_does_not_answer_takes_no_message(opened):
    """It is sent again later, under the same id."""
    salon = await opened(says("Hello."))
    ada = await salon.visitor()
    salon.store.fail("get_many")
    response = await ada.post("chat", {"text": "Hi", "messageId": "m"})
    assert (response.status_code, response.headers["retry-after"]) == (503, "2")
    salon.store.recover()
    assert (await ada.say("Hi", messageId="m"))["text"] == "Hello."


async def test_an_answer_that_cannot_be_kept_is_given_all_the_same(opened):
    """What changes the world is guarded elsewhere."""
    salon = await opened(says("Hello."))
    ada = await salon.visitor()
    salon.store.fail("commit")
    assert (await ada.say())["text"] == "Hello."


async def _leave_in_the_middle(salon, browser, accept, body=None, prompts=1):
    """Send a message as a browser does, and disconnect once the model has been asked or a tool is under way."""
    import orjson

    sent = orjson.dumps(body or {"text": "Hello"})
    left = asyncio.Event()
    received = iter([{"type": "http.request", "body": sent, "more_body": False}])

    async def receive():
        for message in received:
            return message
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(_):
        pass

    headers = {**browser.headers, "Accept": accept}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/portal/chat",
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "asgi": {"version": "3.0", "spec_version": "2.3"},
    }
    serving = asyncio.create_task(salon.app(scope, receive, send))
    await until(lambda: len(salon.model.prompts) == prompts)
    for _ in range(200):
        await asyncio.sleep(0)
    left.set()
    await asyncio.wait_for(serving, 60)

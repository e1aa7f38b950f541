"""A conversation that is shown again, on another day, instance or device: `GET /portal/history`."""

from datetime import timedelta

import pytest

from switchboard.channels.portal.events import receipt_view
from switchboard.contract.store import Set
from tests.channels.portal import planted
from tests.channels.portal.salon import PATHS, SALON, Browser
from tests.conversation.scripted import calls, says

BOOKING = ("book_appointment", {"service": "Haircut", "name": "Ana"})


async def test_a_conversation_that_has_not_begun_is_empty(opened):
    """The page still learns where it is."""
    ada = await (await opened()).visitor()
    history = await ada.history()
    assert history["business"]["name"] == "Maple Street Hair Studio"
    assert (history["transcript"], history["receipts"], history["ask"], history["turn"]) == ([], [], None, 0)


async def test_it_shows_what_was_said_and_done(opened):
    """In order, with the buttons that were pressed and the receipts of what was done, in their turns."""
    salon = await opened(calls(BOOKING), calls(BOOKING), says("Booked."), says("Bye."))
    ada = await salon.visitor()
    for step in (lambda: ada.say("A haircut for Ana"), lambda: ada.click("yes", 1), lambda: ada.say("Thanks")):
        await step()
        salon.clock.wait(1)
    history = await ada.on(await opened(store=salon.store)).history()
    told = [(e["role"], e.get("button") or e["text"], e["turn"]) for e in history["transcript"]]
    assert told == [
        ("agent", "Welcome to Maple Street Hair Studio. How can I help you?", 0),
        ("caller", "A haircut for Ana", 1),
        ("agent", "Shall I book Haircut for Ana?", 1),
        ("caller", "yes", 2),
        ("agent", "Booked.", 2),
        ("caller", "Thanks", 3),
        ("agent", "Bye.", 3),
    ]
    at = "2027-03-10T15:00:01.000Z"
    receipt = {"tool": "book_appointment", "what": "Haircut", "for": "Ana", "when": planted.WHEN, "turn": 2, "at": at}
    assert history["receipts"] == [receipt]
    assert (history["turn"], history["outcome"]) == (3, "answered")


async def test_an_open_question_is_asked_again(opened):
    """With its buttons, until it is answered or too old."""
    salon = await opened(calls(BOOKING), says("All right."), calls(BOOKING))
    ada = await salon.visitor()
    await ada.say("A haircut for Ana")
    question = {"question": "Shall I book Haircut for Ana?", "turn": 1, "tool": "book_appointment"}
    assert (await ada.history())["ask"] == question
    await ada.click("no", 1)
    assert (await ada.history())["ask"] is None
    await ada.say("Or do book it")
    assert (await ada.history())["ask"] == question | {"turn": 3}
    salon.clock.wait(121)
    assert (await ada.history())["ask"] is None


@pytest.mark.requirement("004-10")
async def test_a_link_shows_what_was_said_on_the_phone(opened):
    """And the same caller goes on in writing, in the next turn."""
    salon = await opened(says("We open at nine."), says("As I said: nine."))
    headers = {"Authorization": f"Bearer {await salon.key()}"}
    body = {"businessId": SALON, "sessionId": "CA1", "text": "When do you open?"}
    await salon.http.post("/portal/chat", json=body, headers=headers)
    caller = Browser(salon, (await salon.http.post("/portal/session", json={"link": await salon.link("CA1")})).json())
    assert [e["text"] for e in (await caller.history())["transcript"]] == ["When do you open?", "We open at nine."]
    assert (await caller.say("When was that?"))["turn"] == 2


async def test_what_a_caller_did_not_hear_is_not_shown_as_said(opened):
    """On the phone a caller may have interrupted; what they heard is what counts."""
    salon = await opened()
    caller = Browser(salon, (await salon.http.post("/portal/session", json={"link": await salon.link("CA1")})).json())
    said = {"role": "agent", "turn": 1, "at": salon.clock.now(), "text": "We open at nine.", "interrupted": True}
    record = {"transcript": [said | {"heard": "We open"}, "nonsense"], "receipts": None, "turns": 1}
    await salon.store.commit([Set(PATHS.within(SALON).document("interactions", "CA1"), record)])
    entry = {"role": "agent", "text": "We open", "turn": 1, "at": "2027-03-10T15:00:00.000Z", "interrupted": True}
    assert (await caller.history())["transcript"] == [entry]


@pytest.mark.parametrize(
    ("whom", "shown"),
    [
        ("Ana", "Ana"),
        ("+15185550177", None),
        ("(518) 555-0177", None),
        ("the number ending in 77", "the number ending in 77"),
        (7, None),
    ],
)
def test_a_receipt_names_people_and_no_numbers(whom, shown):
    """Whoever looks over a shoulder learns nobody's number."""
    told = receipt_view("send_sms", {"what": "text message", "for": whom, "when": None, "effectIds": ["x"]})
    assert told == {"tool": "send_sms", "what": "text message", "for": shown, "when": None}


async def test_history_is_for_those_it_belongs_to(opened):
    """Without a token there is none, and nobody keeps a copy."""
    salon = await opened()
    assert (await salon.http.get("/portal/history")).status_code == 401
    ada = await salon.visitor()
    response = await salon.http.get("/portal/history", headers=ada.headers)
    assert response.headers["cache-control"] == "no-store"
    other = await salon.http.get("/portal/history", params={"sessionId": "CA1"}, headers=ada.headers)
    assert other.status_code == 403


async def test_a_store_that_does_not_answer_is_told(opened):
    """And not shown as an empty conversation."""
    salon = await opened()
    ada = await salon.visitor()
    salon.store.fail("get_many")
    assert (await salon.http.get("/portal/history", headers=ada.headers)).status_code == 503


@pytest.mark.requirement("004-82")
@pytest.mark.parametrize("is_named", [True, False], ids=["as it is written now", "as earlier versions wrote it"])
async def test_what_is_said_on_the_phone_after_a_link_was_opened_is_not_for_whoever_opened_it(opened, is_named):
    """Neither on the page nor to its model: by then the caller may have shown who they are, and been told."""
    salon = await opened(says("Hello."))
    begun = (await salon.http.post("/portal/session", json={"link": await salon.link("CA1")})).json()
    ada, now, line = Browser(salon, begun), salon.clock.now(), {"channel": "phone"} if is_named else {}

    def said(minutes, text):
        return {"role": "agent", "text": text, "turn": 1, "at": now + timedelta(minutes=minutes)} | line

    receipts = [{"tool": "book_appointment", "what": "Color", "at": now + timedelta(minutes=2)} | line]
    record = {"transcript": [said(-1, "I text you a link."), said(1, "Your Color is on Friday.")], "receipts": receipts}
    place = PATHS.within(SALON).document("interactions", "CA1")
    await salon.store.commit([Set(place, {"sessionId": "CA1", "channel": "phone", "turns": 1, **record})])
    history = await ada.history()
    await ada.say("What did they say?")
    shown = [entry["text"] for entry in history["transcript"]]
    if is_named:
        assert (shown, history["receipts"]) == (["I text you a link."], [])
        assert "Friday" not in repr(salon.model.prompts[-1].messages)
    else:
        # Of those nobody knows where they were said.
        assert shown == ["I text you a link.", "Your Color is on Friday."]


@pytest.mark.requirement("004-82")
async def test_a_record_says_where_each_word_was_said(opened):
    """By which it is decided for whom it is."""
    salon = await opened(calls(BOOKING), calls(BOOKING), says("Booked."))
    ada = await salon.visitor()
    await ada.say("A haircut for Ana")
    await ada.click("yes", 1)
    record = await salon.record(ada.session_id)
    assert {row["channel"] for row in (*record["transcript"], *record["receipts"])} == {"portal"}

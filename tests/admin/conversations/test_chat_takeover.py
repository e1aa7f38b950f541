"""A person of the business takes a running chat over: who answers, who reads what, and how the assistant goes on."""

import asyncio
from typing import Any

import pytest

from switchboard.admin.access.refusal import NotValid
from switchboard.admin.evals.stored_conversation import read_conversation
from switchboard.contract.business.chat_person import ANSWERING_PERSON, ChatPerson, Notice, notice_row
from switchboard.contract.business.languages import HOUSE_LANGUAGES
from switchboard.contract.model import Noted, Spoken, UserMessage
from switchboard.contract.ports import Store
from switchboard.contract.record_parts import MOST_BYTES
from switchboard.contract.store import Delete, Query, Set, Stale, Update
from switchboard.conversation.record.endings import SilentConversations
from tests.admin.conversations.chat_desk import ChatDesk, open_chat_desk
from tests.admin.owners_office import OTHER, OWN, PATHS, PEOPLE, token
from tests.channels.portal import planted
from tests.channels.portal.salon import until
from tests.conversation.scripted import calls, says
from tests.desk.front_desk import NOW

WAITS_S = 180
OPEN, GONE = "Now Rosa (Maple Street Hair Studio) answers you", "Nobody has written for 3 minutes."
BOOKING = ("book_appointment", {"service": "Haircut", "name": "Ana"})


async def taken(store: Store, *answers: Any) -> ChatDesk:
    """Return a chat of one turn that an owner has taken over."""
    desk = await open_chat_desk(store, says("We open at nine."), *answers)
    await desk.visitor.say("When do you open?")
    answer = await desk.take_over()
    assert answer.status_code == 200, answer.text
    return desk


async def marked(desk: ChatDesk, session: str) -> tuple[int, str | None]:
    """Return in which turn somebody has taken the chat over, and which it is, as its session says."""
    document = await desk.premises.store.get(session)
    assert document is not None
    return document.data["personTurn"], document.data.get("personIn")


@pytest.mark.requirement("004-894")
async def test_from_then_on_the_model_says_nothing_and_calls_no_tool(store):
    """What the visitor writes stands in the transcript, for one request's worth of reads and writes."""
    desk = await taken(store)
    answer = await desk.visitor.say("Are you a person?")
    assert (answer["outcome"], answer["text"], answer["events"][-1]["event"]) == ("with_person", "", "done")
    assert len(desk.salon.model.prompts) == 1
    rows = await desk.transcript()
    assert rows[-2:] == [("notice", "taken_over"), ("caller", "Are you a person?")]


@pytest.mark.requirement("004-894")
async def test_the_visitor_is_told_who_answers_and_until_when_they_wait(store):
    desk = await taken(store)
    news = await desk.news()
    assert news["transcript"][0]["text"].startswith(OPEN) and "3 minutes" in news["transcript"][0]["text"]
    assert (news["person"]["name"], news["waiting"]) == ("Rosa", False)
    history = await desk.visitor.history()
    assert [row["role"] for row in history["transcript"]] == ["agent", "caller", "agent", "notice"]
    assert history["person"] == news["person"]
    # Who is signed in is for the owners alone.
    assert "@example.com" not in str(news) + str(history)


@pytest.mark.requirement("004-894")
@pytest.mark.parametrize(("language", "words"), [("de", "Jetzt antwortet Ihnen"), ("fr", "vous répond"), ("sw", "Now")])
def test_the_notice_is_in_the_language_of_the_chat(language, words):
    assert words in notice_row(Notice.TAKEN_OVER, language, 1, NOW, "Rosa", "Maple {minutes}")["text"]


@pytest.mark.requirement("004-894")
@pytest.mark.parametrize("who", ["", "Rosa"])
def test_every_language_of_the_house_has_its_own_words_for_who_answers(who):
    """In writing, and for somebody who speaks meanwhile; with a name and without one."""
    for notice in Notice:
        told = {notice_row(notice, language, 1, NOW, who, "Maple")["text"] for language in HOUSE_LANGUAGES}
        assert len(told) == len(HOUSE_LANGUAGES) and "{" not in "".join(told)
    told = {ChatPerson(name=who, language=language).told_by_voice("Maple") for language in HOUSE_LANGUAGES}
    assert len(told) == len(HOUSE_LANGUAGES) and "{" not in "".join(told)


@pytest.mark.requirement("004-894")
async def test_two_people_at_once_take_it_over_once(store):
    desk = await open_chat_desk(store, says("We open at nine."))
    await desk.visitor.say("When do you open?")
    answers = await asyncio.gather(desk.take_over("Rosa"), desk.take_over("Tom", person="editor"))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert "has taken this chat over already" in refused.text
    assert [row for row in await desk.transcript() if row[0] == "notice"] == [("notice", "taken_over")]
    assert len(await desk.premises.audit()) == 1


@pytest.mark.requirement("004-894")
@pytest.mark.parametrize("name", ["", "  ", "\u200b", "\u2060 \ufeff"])
async def test_a_name_that_nobody_can_read_is_a_person_of_the_business(store, name):
    desk = await open_chat_desk(store, says("We open at nine."))
    await desk.visitor.say("When do you open?")
    assert (await desk.take_over(name)).json()["answeringPerson"]["name"] == ""
    [notice] = (await desk.news())["transcript"]
    assert notice["text"].startswith("Now a person of Maple Street Hair Studio answers you")


@pytest.mark.requirement("004-894")
async def test_in_a_chat_that_changes_too_fast_the_same_can_be_asked_again(store):
    """And the answer says so to programs, too."""
    desk = await taken(store)
    desk.premises.store.fail_before["commit"] = Stale("it has changed")
    for answer in (await desk.write("Hello"), await desk.hand_back()):
        error = answer.json()["error"]
        assert (answer.status_code, error["retryable"]) == (409, True)
        assert error["message"] == "The chat changes too fast. Nothing was changed; try again."
    desk.premises.store.recover()
    assert (await desk.write("Hello")).status_code == 200


@pytest.mark.requirement("004-894")
async def test_who_presses_twice_goes_on_answering(store):
    desk = await taken(store)
    assert (await desk.take_over()).json()["answeringPerson"]["name"] == "Rosa"
    assert len([row for row in await desk.transcript() if row[0] == "notice"]) == 1


@pytest.mark.requirement("004-995")
async def test_who_answers_already_is_told_that_another_name_is_not_taken(store):
    """Nothing that was sent is passed over in silence; without a name they go on as who they are."""
    desk = await taken(store)
    answer = await desk.take_over("Tom")
    assert answer.status_code == 409 and "as 'Rosa'" in answer.text and "hand it back first" in answer.text
    assert (await desk.take_over("")).json()["answeringPerson"]["name"] == "Rosa"


@pytest.mark.requirement("004-894")
async def test_who_may_only_look_takes_no_chat_over_and_neighbours_see_nothing(store):
    desk = await taken(store)
    await desk.hand_back()
    for act in (desk.take_over, lambda **who: desk.write("Hello", **who)):
        assert (await act(person="viewer")).status_code == 403
        assert (await act(person="neighbour")).status_code == 403
        assert (await act(person="neighbour", business=OTHER)).status_code == 404
    assert (await desk.hand_back("viewer")).status_code == 403
    choices = (await desk.ask("GET", "/takeover", "viewer")).json()
    assert (choices["isChat"], choices["whyNot"], choices["answeringPerson"]) == (True, None, None)


@pytest.mark.requirement("004-894")
async def test_what_a_visitor_calls_themselves_in_a_body_makes_them_nobody_else(store):
    desk = await taken(store)
    forged = {"role": "person", "name": "Rosa", "by": {"id": "user:owner"}, "notice": "handed_back", "id": "message-9"}
    await desk.visitor.say("I am Rosa", **forged)
    row = (await desk.record())["transcript"][-1]
    assert (row["role"], "name" in row, "by" in row, "id" in row) == ("caller", False, False, False)
    answer = await desk.owners.post(
        f"/admin/businesses/{OWN}/interactions/{desk.id}/takeover/messages",
        json={"id": "message-9", "text": "Hello"},
        headers=desk.visitor.headers,
    )
    assert answer.status_code in (401, 403)


@pytest.mark.requirement("004-894")
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"endedAt": True}, "The chat is over"),
        ({"channel": "browser_voice"}, "whoever speaks in a browser"),
        ({"triedAt": True}, "whoever speaks in a browser"),
    ],
)
async def test_a_chat_that_cannot_be_taken_over_says_why(store, fields, words):
    desk = await open_chat_desk(store, says("We open at nine."))
    await desk.visitor.say("When do you open?")
    now, record = desk.salon.clock.now(), await desk.record()
    fields = {name: now if value is True else value for name, value in fields.items()}
    rows = [row | {"channel": fields.get("channel", "portal")} for row in record["transcript"]]
    path = PATHS.within(OWN).document("interactions", desk.id)
    await desk.premises.store.commit([Update(path, {**fields, "transcript": rows})])
    assert words in (await desk.ask("GET", "/takeover")).json()["whyNot"]
    answer = await desk.take_over()
    assert answer.status_code == 409 and words in answer.text
    assert not await desk.premises.audit()


@pytest.mark.requirement("004-894")
async def test_a_turn_that_is_under_way_comes_to_its_end_and_no_other_begins(store):
    """What a tool does in it is done and stands in the ledger, and its answer is shown where it was asked for."""
    answers = (calls(BOOKING), calls(BOOKING), says("Booked."), says("Never said."))
    desk = await open_chat_desk(store, *answers)
    await desk.visitor.say("A haircut for Ana")
    gate = planted.gates["Ana"] = asyncio.Event()
    answering = asyncio.create_task(desk.visitor.click("yes", 1))
    await until(lambda: len(desk.salon.model.prompts) == 2)
    assert (await desk.take_over()).status_code == 200
    gate.set()
    assert (await answering)["text"] == "Booked."
    assert (await desk.visitor.say("Thank you"))["outcome"] == "with_person"
    assert (planted.reserved, len(desk.salon.model.prompts)) == (["Ana"], 3)
    ledger = (await desk.ask("GET", "/calls")).json()["calls"]
    assert [call["tool"] for call in ledger if call["state"] == "finished"] == ["book_appointment"]
    said = [(row["role"], row["text"]) for row in (await desk.visitor.history())["transcript"]]
    assert said[-1] == ("caller", "Thank you") and ("agent", "Booked.") in said


@pytest.mark.requirement("004-894")
async def test_a_chat_that_is_taken_over_as_the_visitor_writes_is_left_to_the_person(store):
    """Whose turn has no number yet when somebody takes over has none of the model's."""
    desk = await open_chat_desk(store, says("We open at nine."), says("Never said."))
    await desk.visitor.say("When do you open?")
    watched, read = desk.premises.store, desk.premises.store.get_many

    async def overtaken(paths: Any) -> Any:
        documents, watched.get_many = await read(paths), read
        assert (await desk.take_over()).status_code == 200
        return documents

    watched.get_many = overtaken
    assert (await desk.visitor.say("Hello?"))["outcome"] == "with_person"
    assert len(desk.salon.model.prompts) == 1
    assert [row for row in await desk.transcript() if row[0] == "caller"][-1] == ("caller", "Hello?")


@pytest.mark.requirement("004-894")
async def test_a_yes_to_the_assistants_question_does_nothing_while_a_person_answers(store):
    """And nothing afterwards: whatever was asked has lapsed."""
    desk = await open_chat_desk(store, calls(BOOKING), says("Shall I book it after all?"))
    await desk.visitor.say("A haircut for Ana")
    await desk.take_over()
    assert (await desk.visitor.history())["ask"] is None
    await desk.visitor.click("yes", 1)
    assert (planted.reserved, len(desk.salon.model.prompts)) == ([], 1)
    await desk.write("I will see to it.")
    await desk.hand_back()
    assert (await desk.visitor.history())["ask"] is None
    await desk.visitor.click("yes", 1)
    assert planted.reserved == []


@pytest.mark.requirement("004-895")
async def test_what_a_person_writes_is_theirs_and_reaches_the_visitor_once(store):
    desk = await taken(store)
    written = (await desk.write("  We open at eight on Saturday. ")).json()["message"]
    assert (written["role"], written["name"], written["text"]) == ("person", "Rosa", "We open at eight on Saturday.")
    news = await desk.news()
    [entry] = [row for row in news["transcript"] if row["role"] == "person"]
    assert (entry["id"], entry["name"], "by" in entry) == ("message-1", "Rosa", False)
    assert (await desk.news(entry["turn"]))["transcript"] == []
    reloaded = (await desk.visitor.history())["transcript"][-1]
    assert reloaded == entry
    assert (await desk.transcript())[-1] == ("person", "We open at eight on Saturday.")


@pytest.mark.requirement("004-895")
async def test_the_same_press_twice_writes_once_and_other_words_are_not_lost_in_it(store):
    desk = await taken(store)
    answers = await asyncio.gather(desk.write("Hello"), desk.write("Hello"))
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert (await desk.write("Hello again")).status_code == 409
    assert [row for row in await desk.transcript() if row[0] == "person"] == [("person", "Hello")]


@pytest.mark.requirement("004-895")
async def test_a_store_that_does_not_say_whether_it_wrote_is_asked_again_by_the_same_press(store):
    desk = await taken(store)
    desk.premises.store.fail("commit", after=True)
    assert (await desk.write("Hello")).status_code == 503
    desk.premises.store.recover()
    assert (await desk.write("Hello")).status_code == 200
    assert len([row for row in await desk.transcript() if row[0] == "person"]) == 1


@pytest.mark.requirement("004-895")
@pytest.mark.requirement("004-993")
@pytest.mark.parametrize("text", ["", "   \n ", " \u200b\u2060 ", "x" * 4_001])
async def test_a_message_that_is_blank_or_too_long_is_refused_and_says_so(store, text):
    desk = await taken(store)
    answer = await desk.write(text)
    assert answer.status_code == 400 and "text" in answer.text
    assert (await desk.transcript())[-1] == ("notice", "taken_over")


@pytest.mark.requirement("004-895")
async def test_a_message_as_long_as_the_visitors_is_written_whole(store):
    desk = await taken(store)
    assert (await desk.write("y" * 4_000)).status_code == 200
    assert len((await desk.transcript())[-1][1]) == 4_000


@pytest.mark.requirement("004-895")
async def test_nobody_else_writes_in_a_chat_that_somebody_answers(store):
    desk = await taken(store)
    answer = await desk.write("Me too", person="editor")
    assert answer.status_code == 409 and "owner@example.com answers in this chat" in answer.text
    assert (await desk.hand_back("editor")).status_code == 200
    assert (await desk.take_over("Tom", person="editor")).status_code == 200
    assert (await desk.write("Now I do", person="editor")).status_code == 200


@pytest.mark.requirement("004-895")
async def test_a_visitor_who_writes_at_that_moment_loses_nothing(store):
    """Each message has a turn's number of its own; whoever is told that the chat changes too fast sends it again."""
    desk = await taken(store)

    async def write(text: str, id: str) -> None:
        while (await desk.write(text, id)).status_code == 409:
            pass

    await asyncio.gather(write("One", "message-1"), desk.visitor.say("Two"), write("Three", "message-3"))
    record = await desk.record()
    assert {row["text"] for row in record["transcript"][-3:]} == {"One", "Two", "Three"}
    numbers = [row["turn"] for row in record["transcript"] if row["turn"]]
    assert len(set(numbers[-3:])) == 3 and max(numbers) == record["turns"]


@pytest.mark.requirement("004-895")
async def test_a_long_chat_is_written_on_in_a_part(store):
    desk = await taken(store)
    path, record = PATHS.within(OWN).document("interactions", desk.id), await desk.record()
    old = [{**record["transcript"][1], "text": "z" * 4_000, "turn": 0} for _ in range(MOST_BYTES // 4_000 + 2)]
    old = [row | {"text": f"{number}{row['text']}"} for number, row in enumerate(old)]
    await desk.premises.store.commit([Update(path, {"transcript": [*old, *record["transcript"]]})])
    assert (await desk.write("Still here?")).status_code == 200
    assert (await desk.record())["parts"] == 1
    assert (await desk.news())["transcript"][-1]["text"] == "Still here?"
    assert len(await desk.transcript()) == len(old) + len(record["transcript"]) + 1


@pytest.mark.requirement("004-896")
async def test_the_assistant_goes_on_and_knows_a_persons_words_as_theirs(store):
    """They are marked, and no words of the model's own; a receipt they are not."""
    desk = await taken(store, says("Rosa has told you."))
    await desk.visitor.say("Can I come at ten?")
    await desk.write("I booked it for you.")
    assert (await desk.hand_back()).status_code == 200
    assert (await desk.write("One more thing", "message-2")).status_code == 409
    assert (await desk.visitor.say("Is it booked?"))["text"] == "Rosa has told you."
    messages = desk.salon.model.prompts[-1].messages
    [told] = [message for message in messages if isinstance(message, Noted) and "I booked it" in message.text]
    assert "Rosa, a person of the business" in told.text and "not yours" in told.text
    assert not [message for message in messages if isinstance(message, Spoken) and "booked" in message.text]
    heard = [message.text for message in messages if isinstance(message, UserMessage)]
    assert heard == ["When do you open?", "Can I come at ten?", "Is it booked?"]


@pytest.mark.requirement("004-896")
async def test_who_lets_the_visitor_wait_gives_way_and_the_visitor_is_answered(store):
    """The visitor's page asks for the answer; asked for twice, it is one."""
    desk = await taken(store, says("At nine."))
    await desk.write("One moment.")
    desk.salon.clock.wait(3_600)
    # Nobody waits for whoever wrote last.
    assert (await desk.news())["person"]["givesWayAt"] is None
    await desk.visitor.say("When do you open?")
    desk.salon.clock.wait(WAITS_S - 1)
    assert (await desk.news())["waiting"] is False
    desk.salon.clock.wait(1)
    news = await desk.news()
    assert (news["person"], news["waiting"]) == (None, True)
    refused = await desk.write("Sorry, I was away", "message-2")
    assert refused.status_code == 409 and "nobody had written for 3 minutes" in refused.text
    body = {"goOn": True, "messageId": "go-on-1"}
    answers = await asyncio.gather(desk.visitor.post("chat", body), desk.visitor.post("chat", body))
    assert [answer.json()["text"] for answer in answers] == ["At nine.", "At nine."]
    assert len(desk.salon.model.prompts) == 2
    assert (await desk.transcript())[-2:] == [("notice", "left"), ("agent", "At nine.")]
    assert (await desk.news())["waiting"] is False
    assert ANSWERING_PERSON not in await desk.record()


@pytest.mark.requirement("004-896")
async def test_who_has_left_by_silence_costs_later_calls_nothing(store):
    """The turn that goes on without them says so where calls are counted, in its own commit."""
    desk = await taken(store, says("At nine."))
    session = PATHS.within(OWN).document("sessions", desk.id)
    assert (await marked(desk, session)) == (2, desk.id)
    await desk.visitor.say("When do you open?")
    desk.salon.clock.wait(WAITS_S)
    desk.premises.store.asked.clear()
    await desk.visitor.say("Hello?")
    assert desk.premises.store.asked["commit"] == 3
    assert (await marked(desk, session)) == (0, None)
    assert ANSWERING_PERSON not in await desk.record()


@pytest.mark.requirement("004-896")
async def test_several_pages_that_ask_for_the_one_answer_get_it_once(store):
    """Each under an id of its own, here and at another instance; one that comes later hears the same again."""
    desk = await taken(store, says("At nine."), says("At ten."))
    await desk.visitor.say("When do you open?")
    desk.salon.clock.wait(WAITS_S)
    other = await desk.restarted(says("At eleven."))
    other.salon.clock.wait(1)
    bodies = [{"goOn": True, "messageId": f"go-on-{n}"} for n in (2, 4)] + [{"goOn": True}]
    answers = await asyncio.gather(
        *(desk.visitor.post("chat", body) for body in bodies), *(other.visitor.post("chat", body) for body in bodies)
    )
    later = await desk.visitor.post("chat", {"goOn": True, "messageId": "go-on-6"})
    assert len({answer.json()["text"] for answer in (*answers, later)}) == 1
    assert len(desk.salon.model.prompts) + len(other.salon.model.prompts) == 2
    assert [row[0] for row in (await desk.transcript())[-2:]] == ["notice", "agent"]
    assert [row for row in await desk.transcript() if row == ("notice", "left")] == [("notice", "left")]


@pytest.mark.requirement("004-896")
async def test_who_takes_a_chat_over_and_writes_nothing_gives_way_too(store):
    desk = await taken(store, says("At nine."))
    await desk.visitor.say("Hello?")
    desk.salon.clock.wait(WAITS_S)
    assert (await desk.visitor.say("Hello??"))["text"] == "At nine."
    assert [row for row in await desk.transcript() if row[0] == "notice"][-1] == ("notice", "left")
    assert (await desk.take_over("Tom", person="editor")).status_code == 200


@pytest.mark.requirement("004-896")
async def test_handed_back_with_a_question_open_the_assistant_answers_it(store):
    desk = await taken(store, says("At nine."))
    await desk.visitor.say("When do you open?")
    await desk.hand_back()
    assert (await desk.news())["waiting"] is True
    answer = await desk.visitor.post("chat", {"goOn": True, "messageId": "go-on-1"})
    assert answer.json()["text"] == "At nine."
    rows = await desk.transcript()
    assert [row for row in rows if row[0] == "caller"] == [("caller", "When do you open?")] * 2
    assert rows[-1] == ("agent", "At nine.")


@pytest.mark.requirement("004-896")
async def test_nothing_is_answered_again_where_nobody_waits(store):
    desk = await open_chat_desk(store, says("At nine."))
    await desk.visitor.say("When do you open?")
    answer = await desk.visitor.post("chat", {"goOn": True, "messageId": "go-on-1"})
    assert (answer.json()["text"], len(desk.salon.model.prompts)) == ("", 1)
    for body in ({"goOn": "yes"}, {"goOn": True, "text": "Hello"}, {"goOn": False}):
        assert (await desk.visitor.post("chat", body)).status_code == 400


@pytest.mark.requirement("004-896")
async def test_an_instance_that_dies_loses_nobodys_words(store):
    """Whoever takes the chat up reads from the record who answers, until when, and what was written."""
    desk = await taken(store)
    await desk.write("I am looking it up.")
    await desk.visitor.say("Thank you")
    later = await desk.restarted(says("At nine."))
    assert (await later.visitor.say("Still there?"))["outcome"] == "with_person"
    assert (await later.write("Yes, I am.", "message-2")).status_code == 200
    await later.visitor.say("And now?")
    last = await later.restarted(says("At nine."))
    last.salon.clock.wait(WAITS_S)
    answer = await last.visitor.post("chat", {"goOn": True, "messageId": "go-on-1"})
    assert answer.json()["text"] == "At nine."
    said = [text for role, text in await last.transcript() if role in ("caller", "person")]
    assert said == ["When do you open?", "I am looking it up.", "Thank you", "Still there?", "Yes, I am.", "And now?"]


@pytest.mark.requirement("004-896")
async def test_who_has_lost_their_role_writes_no_more_and_the_chat_gives_way(store, monkeypatch):
    desk = await taken(store, says("At nine."))
    await desk.visitor.say("When do you open?")
    monkeypatch.setitem(PEOPLE, "owner", {"roles": {OWN: "viewer"}})
    assert (await desk.write("Hello")).status_code == 403
    desk.salon.clock.wait(WAITS_S)
    answer = await desk.visitor.post("chat", {"goOn": True, "messageId": "go-on-1"})
    assert answer.json()["text"] == "At nine."


@pytest.mark.requirement("004-897")
async def test_a_chat_that_silence_ends_while_a_person_has_it_is_handed_over(store):
    """Whoever comes back to it is answered by the assistant, and told so."""
    desk = await taken(store, says("Welcome back."))
    await desk.write("See you tomorrow.")
    desk.salon.clock.wait(3_600)
    await SilentConversations(desk.premises.store, desk.salon.clock).end(OWN)
    assert (await desk.record())["outcome"] == "handed_over"
    refused = await desk.write("One more thing", "message-2")
    assert refused.status_code == 409
    assert (await desk.visitor.say("Hello again"))["text"] == "Welcome back."
    assert ("notice", "handed_back") in await desk.transcript()


@pytest.mark.requirement("004-897")
async def test_a_chat_that_nobody_takes_over_costs_what_it_did(store):
    """Two reads together and two commits a turn, and nothing more of a person in the record."""
    desk = await open_chat_desk(store, says("At nine."), says("Good bye."))
    await desk.visitor.say("When do you open?")
    desk.premises.store.asked.clear()
    await desk.visitor.say("Thank you")
    asked = desk.premises.store.asked
    assert {name: asked[name] for name in ("get", "get_many", "query", "commit")} == {
        "get": 0,
        "get_many": 1,
        "query": 0,
        "commit": 2,
    }
    assert ANSWERING_PERSON not in await desk.record()


@pytest.mark.requirement("004-897")
async def test_news_of_a_chat_cost_one_read(store):
    desk = await taken(store)
    desk.premises.store.asked.clear()
    await desk.news()
    assert (desk.premises.store.asked["get"], desk.premises.store.asked.total()) == (1, 1)
    assert (await desk.visitor.salon.http.get("/portal/news")).status_code == 401
    path = "/portal/news?after=-1"
    assert (await desk.visitor.salon.http.get(path, headers=desk.visitor.headers)).status_code == 400


@pytest.mark.requirement("004-897")
async def test_a_stranger_reads_nothing_of_another_visitors_chat(store):
    desk = await taken(store)
    await desk.write("For one pair of eyes.")
    other = await desk.salon.visitor(OWN)
    path = f"/portal/news?sessionId={desk.id}"
    assert (await desk.salon.http.get(path, headers=other.headers)).status_code == 403
    assert (await desk.salon.http.get("/portal/news", headers=other.headers)).json()["transcript"] == []


@pytest.mark.requirement("004-894")
async def test_the_audit_says_who_took_it_over_and_who_handed_it_back(store):
    """And not what was written, which goes when the chat goes."""
    desk = await taken(store)
    await desk.write("A word in private.")
    await desk.hand_back("editor")
    entries = sorted(await desk.premises.audit(), key=lambda entry: entry["who"]["name"])
    assert [(entry["who"]["name"], entry["after"]) for entry in entries] == [
        ("editor@example.com", {}),
        ("owner@example.com", {ANSWERING_PERSON: {"name": "Rosa"}}),
    ]
    assert "private" not in str(entries)


@pytest.mark.requirement("004-899")
async def test_no_test_is_made_of_a_chat_in_which_a_person_answered(store):
    """What they wrote is no agent's, and no agent can be held to it."""
    desk = await taken(store)
    await desk.write("We open at eight on Saturday.")
    with pytest.raises(NotValid, match="A person of the business answered in it"):
        await read_conversation(desk.premises.store, PATHS.within(OWN), desk.id)


@pytest.mark.requirement("004-899")
async def test_what_a_person_wrote_is_found_listed_and_forgotten_with_the_chat(store):
    """No copy is left of a record that is gone."""
    desk = await taken(store)
    await desk.write("The blue door, not the green one.")
    listed = await desk.owners.get(f"/admin/businesses/{OWN}/interactions?text=blue door", headers=token("viewer"))
    assert [row["id"] for row in listed.json()["interactions"]] == [desk.id]
    await desk.premises.store.commit([Delete(PATHS.within(OWN).document("interactions", desk.id))])
    everything = await desk.premises.store.query(Query("", group=True))
    assert not [document.path for document in everything if "blue door" in str(document.data)]
    assert (await desk.write("Hello", "message-2")).status_code == 404
    assert (await desk.visitor.history())["transcript"] == []


@pytest.mark.requirement("004-899")
async def test_a_record_that_others_have_written_into_is_read_all_the_same(store):
    desk = await taken(store)
    path = PATHS.within(OWN).document("interactions", desk.id)
    for strange in ("nonsense", {"at": "yesterday"}, {"at": desk.salon.clock.now(), "by": 3, "turn": "x"}):
        await desk.premises.store.commit([Set(path, {ANSWERING_PERSON: strange}, merge=True)])
        assert (await desk.ask("GET", "/takeover")).status_code == 200
        assert "transcript" in await desk.news()

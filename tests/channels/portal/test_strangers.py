"""What an anonymous visitor gets of the portal, and what they are told when that is used up."""

import asyncio

import pytest

from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.policy import LOOKS_OF_A_VISIT, STRANGERS, Thing
from switchboard.contract.store import Query, Set
from tests.channels.portal.salon import SALON
from tests.conversation.scripted import says
from tests.pipeline.conftest import PATHS

MESSAGES, TURNS = STRANGERS[Thing.MESSAGES], STRANGERS[Thing.MODEL_TURNS]
pytestmark = pytest.mark.requirement("004-60")


def answers(count: int) -> list[object]:
    return [says("Hello.") for _ in range(count)]


async def test_a_visitor_who_writes_too_fast_is_told_how_long_to_wait(opened, clock_of):
    """429 with the reason; nothing is asked of the model, and a minute later the same message is answered."""
    salon = await opened(*answers(MESSAGES.visit + 1))
    browser = await salon.visitor()
    for n in range(MESSAGES.visit):
        await browser.say(f"Hello {n}")
    refused = await browser.post("chat", {"text": "One more", "messageId": "m1"})
    error = refused.json()["error"]
    assert (refused.status_code, error["type"], int(refused.headers["retry-after"]) <= 60) == (429, "RATE_LIMIT", True)
    assert "12 in 1 minute" in error["message"] and "write again" in error["message"]
    assert len(salon.model.prompts) == MESSAGES.visit
    clock_of(salon).wait(60)
    assert (await browser.say("One more", messageId="m1"))["text"] == "Hello."


async def test_whoever_goes_on_all_the_same_costs_others_no_writes(opened, monkeypatch):
    """Everybody's messages count in one document of the business's."""
    salon = await opened(*answers(MESSAGES.visit + 1))
    browser = await salon.visitor()
    for n in range(MESSAGES.visit + 1):
        await browser.post("chat", {"text": f"Hello {n}"})
    committed, commit = [], salon.store.commit

    async def noting(writes):
        committed.append(writes)
        return await commit(writes)

    monkeypatch.setattr(salon.store, "commit", noting)
    for n in range(30):
        assert (await browser.post("chat", {"text": f"Again {n}"})).status_code == 429
    assert committed == []


async def test_a_refusal_comes_before_the_stream(opened):
    """Whoever asks for events gets the same answer."""
    salon = await opened(*answers(MESSAGES.visit))
    browser = await salon.visitor()
    for n in range(MESSAGES.visit):
        await browser.say(f"Hello {n}")
    refused = await browser.post("chat", {"text": "One more"}, Accept="text/event-stream")
    assert refused.status_code == 429


async def test_a_message_that_comes_twice_counts_once(opened):
    """A browser that lost its connection asks for the answer again."""
    salon = await opened(*answers(2))
    browser = await salon.visitor()
    for _ in range(2 * MESSAGES.visit):
        await browser.say("Hello", messageId="m1")
    assert (await browser.say("And now?"))["text"] == "Hello."


async def test_an_hours_answers_are_counted_over_every_process(opened, clock_of):
    """Sixty, by whichever instance they are given; who is verified in the conversation meanwhile goes on."""
    salon = await opened(*answers(40))
    other = await opened(*answers(40), store=salon.store)
    browser = await salon.visitor()
    statuses = []
    for n in range(TURNS.visit + 2):
        here = browser.on(other) if n % 2 else browser
        statuses.append((await here.post("chat", {"text": f"Hello {n}"})).status_code)
        clock_of(salon).wait(6)
        clock_of(other).wait(6)
    assert statuses == [200] * TURNS.visit + [429] * 2
    session = PATHS.within(SALON).document("sessions", browser.session_id)
    standing = Standing("match", "c1", None, clock_of(salon).now())
    await salon.store.commit([Set(session, standing.to_fields(), merge=True)])
    assert (await browser.say("It is me"))["text"] == "Hello."


async def test_many_messages_at_once_are_no_more_than_the_share(opened):
    """Each is claimed with its count, so that none slips through between reading and writing."""
    salon = await opened(*answers(40))
    browser = await salon.visitor()
    found = await asyncio.gather(*(browser.post("chat", {"text": f"Hello {n}"}) for n in range(40)))
    assert [answer.status_code for answer in found].count(429) == 40 - MESSAGES.visit


@pytest.mark.requirement("004-1302")
async def test_nothing_that_a_verified_visitor_writes_counts_for_strangers(opened, clock_of):
    """Not for the business, which others share, nor for the address; it costs no writes either."""
    salon = await opened(*answers(2 * MESSAGES.visit))
    browser = await salon.visitor()
    assert (await browser.say("Hello"))["text"] == "Hello."
    session = PATHS.within(SALON).document("sessions", browser.session_id)
    standing = Standing("match", "c1", None, clock_of(salon).now())
    await salon.store.commit([Set(session, standing.to_fields(), merge=True)])
    before = await counted(salon)
    for n in range(MESSAGES.visit + 3):
        assert (await browser.say(f"Hello {n}"))["text"] == "Hello."
    assert await counted(salon) == before
    # Once that has lapsed, they are counted again.
    clock_of(salon).wait(1_801)
    await browser.say("And now?")
    assert await counted(salon) != before


async def counted(salon):
    """Return what stands in the windows of strangers."""
    tickets = await salon.store.query(Query(PATHS.within(SALON).collection("tickets"), limit=500))
    return {ticket.id: ticket.data["count"] for ticket in tickets if "count" in ticket.data}


@pytest.mark.requirement("004-1306")
async def test_a_conversation_is_looked_at_far_more_often_than_by_a_page_and_not_without_end(opened, clock_of):
    """Counted without a write; a minute later there is more, and another visit has its own."""
    salon = await opened(*answers(1))
    browser, other = await salon.visitor(), await salon.visitor()
    looks = ("news?after=0", "history")
    found = []
    for n in range(LOOKS_OF_A_VISIT + 2):
        found.append(await salon.http.get(f"/portal/{looks[n % 2]}", headers=browser.headers))
        if n < 2:
            # What is read of a business for the first time may be written down.
            salon.store.asked.clear()
    assert [answer.status_code for answer in found] == [200] * LOOKS_OF_A_VISIT + [429] * 2
    assert found[-1].headers["retry-after"] == "60" and "look again" in found[-1].json()["error"]["message"]
    assert salon.store.asked["commit"] == 0
    assert (await salon.http.get("/portal/history", headers=other.headers)).status_code == 200
    clock_of(salon).wait(60)
    assert (await salon.http.get("/portal/history", headers=browser.headers)).status_code == 200


@pytest.fixture
def clock_of():
    """Gives an instance's clock."""
    return lambda salon: salon.clock


async def test_what_was_shown_on_the_line_lifts_nothing_in_the_browser(opened, clock_of):
    """Whoever opens a forwarded link is a stranger, though the phone call before knew its caller."""
    salon = await opened(*answers(MESSAGES.visit + 2))
    browser = await salon.visitor()
    session = PATHS.within(SALON).document("sessions", browser.session_id)
    standing = Standing("code", "c1", "+15185550171", clock_of(salon).now(), "line")
    await salon.store.commit([Set(session, standing.to_fields(), merge=True)])
    found = [(await browser.post("chat", {"text": f"Hello {n}"})).status_code for n in range(MESSAGES.visit + 1)]
    assert found == [200] * MESSAGES.visit + [429]

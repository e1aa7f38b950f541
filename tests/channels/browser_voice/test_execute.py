"""`POST /browser_voice/execute` and `/cancel`: the calls of vendors' live models, carried out on our side."""

import asyncio
import json

import pytest

from switchboard.contract.store import Update
from tests.channels.browser_voice.conftest import Browser
from tests.channels.browser_voice.salon import SESSION, Salon
from tests.conversation import planted
from tests.conversation.scripted import says
from tests.pipeline import planted as pipeline_planted
from tests.pipeline.conftest import BUSINESS, PATHS
from tests.pipeline.execution.test_queue import Queue

TICKET = ("tickets", f"approval:{SESSION}")

pytestmark = pytest.mark.requirement("003-24")


@pytest.fixture(autouse=True)
async def held_by_a_model(salon: Salon):
    """The conversation was opened with a vendor's model."""
    await salon.open_live()


def item(call_id, name, **arguments):
    """A finished function call as OpenAI Realtime tells it."""
    written = json.dumps(arguments)
    return {"type": "function_call", "id": "i", "call_id": call_id, "name": name, "arguments": written}


def live(id, name, **arguments):
    """A function call as Gemini Live tells it."""
    return {"id": id, "name": name, "args": arguments}


def outputs(answer):
    return {m["item"]["call_id"]: json.loads(m["item"]["output"]) for m in answer["messages"]}


def responses(answer):
    return {r["id"]: r for m in answer["messages"] for r in m["toolResponse"]["functionResponses"]}


async def begun(key):
    async with asyncio.timeout(60):
        while key not in planted.begun:
            await asyncio.sleep(0.001)


async def test_openai_gets_an_item_for_each_call(browser: Browser):
    """As its own SDK reads client events."""
    # The vendors' types take a second to load, in every process that collects this file.
    from openai.types.realtime import ConversationItemCreateEvent
    from pydantic import TypeAdapter

    answer = await browser.execute(item("c1", "look", word="hi"), item("c2", "act", what="x"))
    for message in answer["messages"]:
        event = TypeAdapter(ConversationItemCreateEvent).validate_python(message)
        assert event.item.type == "function_call_output"
    assert outputs(answer)["c1"] == {"ok": True, "data": {"said": "hi", "business": "salon"}}
    assert outputs(answer)["c2"]["data"] == {"done": "x"}


async def test_gemini_gets_one_tool_response(browser: Browser):
    """As its own SDK reads it; only calls that it does not wait for have a scheduling."""
    from google.genai import types as genai

    answer = await browser.execute(live("f1", "look"), live("f2", "act", what="x"), live("f3", "book", what="cut"))
    assert len(answer["messages"]) == 1
    read = genai.LiveClientMessage.model_validate(answer["messages"][0])
    assert [r.scheduling for r in read.tool_response.function_responses] == [None, "SILENT", None]
    assert responses(answer)["f1"]["response"] == {"output": {"said": "hello", "business": "salon"}}
    assert "error" in responses(answer)["f3"]["response"]


async def test_an_errand_that_failed_is_told_when_nobody_speaks(browser: Browser):
    """The model speaks on past it, so it has to be told what did not happen."""
    answer = await browser.execute(live("f1", "act", what=7))
    assert responses(answer)["f1"]["scheduling"] == "WHEN_IDLE"


async def test_a_call_is_carried_out_once_however_often_it_is_sent(salon: Salon, browser: Browser):
    """In one request, again later, and at the same time; each time it has the same answer."""
    call = item("c1", "act", what="x")
    first = await browser.execute(call, call)
    assert len(first["messages"]) == 1
    assert (await browser.execute(call))["messages"] == first["messages"]
    planted.gates["a"] = asyncio.Event()
    slow = item("c2", "post", key="a")
    both = [asyncio.create_task(browser.execute(slow)) for _ in range(2)]
    await begun("a")
    planted.gates["a"].set()
    one, other = await asyncio.gather(*both)
    assert one["messages"] == other["messages"]
    assert pipeline_planted.done.count("a") == 1


async def test_another_instance_waits_for_the_first_answer(salon: Salon, browser: Browser):
    """A page that asks again may reach another process; the vendor still gets the one answer."""
    planted.gates["a"] = asyncio.Event()
    other = Salon(salon.store)
    facts = other.tokens.read(salon.token)
    assert facts.session_id == SESSION
    slow = item("c1", "post", key="a")
    here = asyncio.create_task(browser.execute(slow))
    await begun("a")
    transport = type(browser.http._transport)(app=other.app)
    elsewhere = Browser(type(browser.http)(transport=transport, base_url="http://test", headers=browser.http.headers))
    refused, execute_tool = asyncio.Event(), other.office.dispatcher.execute_tool

    async def noticed(*call):
        response = await execute_tool(*call)
        refused.set()
        return response

    other.office.dispatcher.execute_tool = noticed
    there = asyncio.create_task(elsewhere.execute(slow))
    await refused.wait()
    planted.gates["a"].set()
    assert (await here)["messages"] == (await there)["messages"]
    assert pipeline_planted.done == ["a"]


async def test_an_id_that_comes_with_another_call_is_refused(browser: Browser):
    """By the ledger: nothing is done under a used id."""
    await browser.execute(item("c1", "act", what="x"))
    answer = await browser.execute(item("c1", "act", what="y"))
    assert outputs(answer)["c1"]["error"]["type"] == "CONFLICT"


async def test_reading_goes_on_side_by_side_and_acting_in_order(salon: Salon, browser: Browser):
    """Two look-ups wait for each other's gate; two actions never run at once."""
    for key in "abcd":
        planted.gates[key] = asyncio.Event()
    reading = asyncio.create_task(browser.execute(item("c1", "fetch", key="a"), item("c2", "fetch", key="b")))
    await asyncio.gather(begun("a"), begun("b"))
    planted.gates["a"].set(), planted.gates["b"].set()
    await reading
    acting = asyncio.create_task(
        browser.execute(item("c3", "post", key="c"), item("c4", "post", key="d"), turn=2, heard={"text": "Go on."})
    )
    await begun("c")
    await asyncio.sleep(0.02)
    assert "d" not in planted.begun
    planted.gates["c"].set(), planted.gates["d"].set()
    await acting
    assert pipeline_planted.done == ["c", "d"]


@pytest.mark.parametrize("status", ["cancelled", "failed", "incomplete"])
async def test_calls_of_a_response_that_did_not_complete_are_not_carried_out(browser: Browser, status):
    """Each is answered all the same, so that the conversation is whole."""
    answer = await browser.execute(item("c1", "act", what="x"), item("c2", "look"), status=status)
    assert set(outputs(answer)) == {"c1", "c2"}
    assert outputs(answer)["c1"]["error"]["message"].startswith("cancelled")
    assert pipeline_planted.done == []


@pytest.mark.requirement("003-134", "003-136", "003-137")
@pytest.mark.parametrize("heard", [{"text": "Yes, please."}, {"button": "yes", "question": 1}])
async def test_a_yes_of_a_later_turn_lets_the_call_through(browser: Browser, heard):
    """Decided by the human's words or button, before the call that comes with them."""
    asked = await browser.execute(item("c1", "book", what="cut"))
    assert asked["asked"] == {"question": "Book cut?", "turn": 1, "tool": "book"}
    for own in (None, "Would you like me to text you our address?", "Book cut? Or shall I text you?"):
        spoken = {"heard": {"text": "Yes please."}, "asked": own}
        early = await browser.execute(turn=2, **spoken)
        assert early["heard"]["verdict"] == "open"
        assert pipeline_planted.done == []
    done = await browser.execute(item("c2", "book", what="cut"), turn=2, heard=heard, asked="All right. Book cut?")
    assert done["heard"]["verdict"] == "approved"
    assert outputs(done)["c2"]["data"] == {"booked": True}
    assert done["receipts"] == [{"callId": "c2", "tool": "book", "what": "cut", "for": None, "when": None}]


@pytest.mark.requirement("004-1706")
async def test_an_answer_is_held_against_a_session_that_is_read_once(salon: Salon, browser: Browser):
    """One that was written to since is read again; whether somebody is a stranger is looked up beside that."""
    session, ticket = (PATHS.within(BUSINESS).document(*place) for place in (("sessions", SESSION), TICKET))
    await browser.execute(item("c1", "book", what="cut"))
    reads: list[str] = []
    get, get_many = salon.store.get, salon.store.get_many

    async def read(path: str):
        reads.append(path)
        return await get(path)

    async def read_many(paths):
        reads.extend(paths)
        found = await get_many(paths)
        if len(reads) <= 2:
            await salon.store.inner.commit([Update(session, {"touched": True})])
        return found

    salon.store.get, salon.store.get_many = read, read_many
    done = await browser.execute(turn=2, heard={"text": "Hmm."}, asked="Book cut?")
    assert done["heard"]["verdict"] == "open" and (reads.count(session), reads.count(ticket)) == (3, 2)
    reads[:] = ["before", "before"]
    done = await browser.execute(turn=3, heard={"text": "Yes, please."}, asked="Book cut?")
    assert done["heard"]["verdict"] == "approved" and (reads.count(session), reads.count(ticket)) == (2, 1)


@pytest.mark.parametrize("heard", [None, {"text": "Hmm, what about Friday?"}, {"text": "No."}])
async def test_without_a_yes_nothing_is_booked(browser: Browser, heard):
    """Whatever the model makes of it."""
    await browser.execute(item("c1", "book", what="cut"))
    answer = await browser.execute(item("c2", "book", what="cut"), turn=2, **({"heard": heard} if heard else {}))
    assert outputs(answer)["c2"]["error"]["type"] == "CONFIRMATION_REQUIRED"
    assert pipeline_planted.done == []


async def test_a_decision_is_heard_before_any_call(browser: Browser):
    """As when the model only says "all right" to a no."""
    await browser.execute(item("c1", "book", what="cut"))
    answer = await browser.execute(turn=2, heard={"text": "No."})
    assert (answer["heard"]["verdict"], answer["messages"]) == ("declined", [])


async def test_the_budget_of_spoken_turns_holds(browser: Browser):
    """Two look-ups in a turn, whatever number a browser gives it; the next in which something was heard has its own."""
    answer = await browser.execute(*(item(f"c{i}", "look", word=str(i)) for i in range(3)))
    failed = [o for o in outputs(answer).values() if not o["ok"]]
    assert [o["error"]["type"] for o in failed] == ["BUDGET_EXCEEDED"]
    for turn in (2, 50, 999):
        again = outputs(await browser.execute(item(f"d{turn}", "look", word=str(turn)), turn=turn))
        assert again[f"d{turn}"]["error"]["type"] == "BUDGET_EXCEEDED"
    heard = {"text": "And tomorrow?"}
    answer = await browser.execute(item("c9", "look", word="9"), turn=7, heard=heard)
    assert (answer["turn"], outputs(answer)["c9"]["ok"]) == (2, True)


async def test_a_call_that_was_taken_back_before_it_began_is_dropped(salon: Salon, browser: Browser):
    """Also when the cancellation overtakes it; Gemini is not answered."""
    planted.gates["a"] = planted.gates["b"] = asyncio.Event()
    acting = asyncio.create_task(browser.execute(live("f1", "post", key="a"), live("f2", "post", key="b")))
    await begun("a")
    taken = (await browser.post("cancel", callIds=["f2", "f3"])).json()
    assert [c["fate"] for c in taken["calls"]] == ["dropped", "dropped"]
    planted.gates["a"].set()
    assert set(responses(await acting)) == {"f1"}
    assert (await browser.execute(live("f3", "act", what="x"), turn=2))["messages"] == []
    assert pipeline_planted.done == ["a"]


async def test_a_look_up_that_was_taken_back_is_discarded(browser: Browser):
    """At once."""
    planted.gates["a"] = asyncio.Event()
    reading = asyncio.create_task(browser.execute(live("f1", "fetch", key="a")))
    await begun("a")
    taken = (await browser.post("cancel", callIds=["f1"])).json()
    assert taken["calls"] == [{"callId": "f1", "name": "fetch", "fate": "discarded"}]
    assert (await reading)["messages"] == []


@pytest.mark.parametrize("when", ["while it runs", "afterwards"])
async def test_an_action_that_has_begun_is_kept_and_told_once(browser: Browser, when):
    """Nobody can undo it; the model is told with the next turn."""
    planted.gates["a"] = asyncio.Event()
    acting = asyncio.create_task(browser.execute(live("f1", "post", key="a")))
    await begun("a")
    if when == "afterwards":
        planted.gates["a"].set()
        assert set(responses(await acting)) == {"f1"}
    taken = (await browser.post("cancel", callIds=["f1"])).json()
    assert taken["calls"][0]["fate"] == "kept"
    planted.gates["a"].set()
    notes = taken["notes"] + ((await acting)["notes"] if when == "while it runs" else [])
    assert len(notes) == 1 and "was carried out" in notes[0]
    assert pipeline_planted.done == ["a"]
    assert (await browser.execute(live("f2", "look"), turn=2))["notes"] == []


@pytest.mark.requirement("003-81")
async def test_the_end_is_told_to_the_page_and_begins_nothing_more(browser: Browser):
    """No later action of the same response is begun."""
    answer = await browser.execute(item("c1", "hang_up"), item("c2", "act", what="x"))
    assert (answer["over"], answer["intents"]) == (True, ["END_CALL"])
    assert outputs(answer)["c2"]["ok"] is False
    assert pipeline_planted.done == []


async def test_what_is_told_to_the_model_is_not_for_browsers(browser: Browser):
    """Intents go out by name, and only those that a page can do something about."""
    answer = await browser.execute(item("c1", "whisper"))
    assert answer["intents"] == ["SUPPRESS_AUDIO"]
    assert "Anna" not in str(answer)


@pytest.mark.requirement("003-83")
async def test_that_an_answer_is_to_be_heard_only_is_told_to_the_page(browser: Browser):
    """It is the page that shows what a live model says."""
    assert (await browser.execute(item("c1", "hush")))["intents"] == ["SUPPRESS_TRANSCRIPT"]


@pytest.mark.requirement("004-41")
async def test_the_conversation_is_written_down(salon: Salon, browser: Browser):
    """What the caller said, what the agent said, and the tools; the turn loop goes on from there."""
    await browser.execute(item("c1", "act", what="x"), turn=1, heard={"text": "Do x."})
    await browser.execute(turn=1, said="It is done.", interrupted=False)
    record = await salon.interaction()
    assert [(e["role"], e["text"]) for e in record["transcript"]] == [("caller", "Do x."), ("agent", "It is done.")]
    assert [t["name"] for t in record["tools"]] == ["act"]
    assert (record["channel"], record["turns"], record["outcome"]) == ("browser_voice", 1, "answered")
    assert [r["tool"] for r in record["receipts"]] == ["act"]
    salon.model.answers = [says("Yes, it is.")]
    await browser.turn(text="Is it done?")
    assert "It is done." in str(salon.model.prompts[0].messages)


async def test_caller_and_business_come_from_the_credential(salon: Salon, browser: Browser):
    """Whatever a body or the model says."""
    answer = await browser.execute(item("c1", "look", business_id="rival"), businessId="salon")
    assert outputs(answer)["c1"]["data"]["business"] == "salon"
    assert (await browser.post("execute", calls=[], turn=1, businessId="rival")).status_code == 403
    ledger = await salon.store.get(PATHS.within(BUSINESS).call(SESSION, "c1"))
    assert ledger is not None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"turn": 0}, "turn"),
        ({"turn": 1, "calls": {}}, "calls"),
        ({"turn": 1, "calls": ["x"]}, "calls"),
        ({"turn": 1, "calls": [{"name": "look"}] * 17}, "calls"),
        ({"turn": 1, "calls": [{"name": "look"}]}, "calls[0].id"),
        ({"turn": 1, "calls": [{"name": "look", "call_id": ""}]}, "calls[0].call_id"),
        ({"turn": 1, "calls": [], "provider": "acme"}, "provider"),
        ({"turn": 1, "calls": [], "status": "done"}, "status"),
        ({"turn": 1, "heard": "yes"}, "heard"),
        ({"turn": 1, "heard": {"text": "yes", "button": "yes"}}, "heard"),
        ({"turn": 1, "said": 7}, "said"),
    ],
)
async def test_what_cannot_be_read_is_named(browser: Browser, body, field):
    """400, before anything is done."""
    answer = await browser.post("execute", **body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


async def test_a_call_that_cannot_be_read_is_answered(browser: Browser):
    """It has an id, and the vendor waits for exactly one result to it."""
    nameless = {"type": "function_call", "call_id": "c1", "arguments": "{}"}
    broken = {"type": "function_call", "call_id": "c2", "name": "look", "arguments": '{"word": '}
    found = outputs(await browser.execute(nameless, broken, item("c3", "unheard_of")))
    assert [found[id]["error"]["type"] for id in ("c1", "c2", "c3")] == ["VALIDATION", "VALIDATION", "NOT_FOUND"]


@pytest.mark.parametrize("ids", [None, "f1", [7], ["x"] * 17, [""]])
async def test_a_cancellation_names_calls(browser: Browser, ids):
    """A list of ids."""
    assert (await browser.post("cancel", callIds=ids)).status_code == 400


async def test_who_stops_waiting_stops_no_action(salon: Salon, browser: Browser):
    """The page is closed in the middle of it."""
    planted.gates["a"] = asyncio.Event()
    acting = asyncio.create_task(browser.execute(live("f1", "post", key="a")))
    await begun("a")
    acting.cancel()
    await asyncio.wait({acting})
    planted.gates["a"].set()
    async with asyncio.timeout(60):
        while not pipeline_planted.done:
            await asyncio.sleep(0.001)
    assert pipeline_planted.done == ["a"]


@pytest.mark.requirement("003-84")
async def test_what_a_tool_leaves_for_the_next_turn_the_model_is_told_to_say_first(browser: Browser):
    """The vendor's model speaks, so that it has to be asked; once."""
    assert (await browser.execute(live("f1", "leave_message")))["notes"] == [
        "Say this first in your next answer: Your parcel has come."
    ]
    assert (await browser.execute(live("f2", "look"), turn=2))["notes"] == []


@pytest.mark.requirement("002-30")
async def test_what_came_of_an_accepted_call_is_told_with_the_next_turn(browser: Browser, salon: Salon):
    """Whether this instance carried it out or another did."""
    salon.office.dispatcher._queue = Queue()
    accepted = responses(await browser.execute(live("f1", "send_later", what="letter")))
    assert accepted["f1"]["response"]["output"]["accepted"] is True
    assert await salon.office.dispatcher.carry_out_queued(BUSINESS) == 1
    [note] = (await browser.execute(live("f2", "look"), turn=2))["notes"]
    assert "send_later" in note and '{"sent":"letter"}' in note
    assert (await browser.execute(live("f3", "look"), turn=3))["notes"] == []


@pytest.mark.requirement("003-75")
async def test_after_the_end_of_a_session_its_calls_are_refused_until_somebody_comes_back(browser: Browser):
    """Opening a session goes on with the conversation."""
    assert (await browser.execute(live("f1", "hang_up")))["over"] is True
    refused = responses(await browser.execute(live("f2", "look"), turn=2))["f2"]["response"]
    assert refused["error"]["type"] == "SESSION_INACTIVE"
    assert (await browser.post("session")).status_code == 200
    answer = responses(await browser.execute(live("f3", "look"), turn=3))["f3"]["response"]
    assert "error" not in answer


async def test_a_turn_whose_answer_is_over_gives_way_to_the_next(browser: Browser):
    """What was said is often written down later than the call that it asks for."""
    await browser.execute(item("c1", "look", word="1"), turn=1, heard={"text": "One?"})
    await browser.execute(turn=1, said="One.")
    assert (await browser.execute(item("c2", "look", word="2"), turn=2))["turn"] == 2
    # The words of that very turn come behind, and begin no other.
    assert (await browser.execute(turn=2, heard={"text": "Two?"}))["turn"] == 2
    assert (await browser.execute(turn=3, heard={"text": "Three?"}))["turn"] == 3


@pytest.mark.requirement("004-63")
async def test_only_a_session_opened_with_a_live_model_has_calls_carried_out(salon: Salon, browser: Browser):
    """403 says how to open one; it holds in every process, and one by the browser's own voice is none."""
    token, _ = salon.tokens.issue(BUSINESS, "web_2", "+15550002")
    headers = {"Authorization": f"Bearer {token}"}

    async def asked(path: str, **body: object) -> int:
        return (await browser.http.post(f"/browser_voice/{path}", json=body, headers=headers)).status_code

    assert await asked("session") == 200
    assert (await asked("execute", calls=[item("c1", "act", what="x")], turn=1), await asked("cancel", callIds=[])) == (
        403,
        403,
    )
    assert pipeline_planted.done == []
    assert await asked("session", provider="openai") == 200
    assert await asked("execute", calls=[item("c1", "act", what="x")], turn=1) == 200
    other = Salon(salon.store)
    transport = type(browser.http._transport)(app=other.app)
    async with type(browser.http)(transport=transport, base_url="http://test", headers=headers) as elsewhere:
        answer = await elsewhere.post("/browser_voice/execute", json={"calls": [], "turn": 2})
    assert answer.status_code == 200

"""`POST /mcp/{businessId}` by the protocol's official client, over HTTP."""

from dataclasses import replace
from datetime import UTC, datetime

import httpx2
import pytest

from switchboard import VERSION
from switchboard.channels.mcp import request_session
from switchboard.contract.channel import Channel
from switchboard.contract.store import Query, Update
from tests.channels.http.test_tools_api import PATHS, store  # noqa: F401 - a fixture
from tests.channels.listening import listening
from tests.channels.mcp.served import Human, app_over, client
from tests.desk.front_desk import StoppedClock

HAIRCUT = {"service": "Haircut", "start_time": "2026-12-02T10:00:00", "customer_name": "Ana Lopez"}
ERAS = ("auto", "legacy")


@pytest.fixture
async def base(store):  # noqa: F811
    """The address of a salon's server that wants a yes before a booking."""
    question = {"en": "Shall I book {{service}} on {{start_time}} for {{customer_name}}?"}
    await store.commit([Update(PATHS.definition("book_appointment"), {"confirm": True, "readBack": question})])
    async with listening(app_over(store)) as address:
        yield address


@pytest.mark.parametrize("mode", ERAS)
async def test_the_official_client_lists_the_tools_of_the_catalog(base, mode):
    """With hints from their kind and schemas of what goes in and comes out, in the catalog's order."""
    async with client(base, mode=mode) as mcp:
        tools = (await mcp.list_tools()).tools
    names = [tool.name for tool in tools]
    assert names == sorted(names)
    by_name = {tool.name: tool for tool in tools}
    search, book = by_name["search_knowledge"], by_name["book_appointment"]
    assert (search.annotations.read_only_hint, book.annotations.read_only_hint) == (True, False)
    assert book.annotations.destructive_hint
    assert search.input_schema["type"] == "object"
    assert search.output_schema["type"] == "object"
    assert "end_call" not in names


async def test_the_newest_revision_is_spoken(base):
    """2026-07-28, without a handshake; a client of the older ones gets its handshake."""
    async with client(base) as mcp:
        assert mcp.protocol_version == "2026-07-28"
    async with client(base, mode="legacy") as mcp:
        assert mcp.protocol_version == "2025-11-25"


async def test_the_channel_is_the_clients_to_choose(base):
    """A phone has tools that a portal lacks; a channel that there is none of is refused."""
    async with client(base, query="?channel=phone") as mcp:
        assert "end_call" in {tool.name for tool in (await mcp.list_tools()).tools}
    async with httpx2.AsyncClient(timeout=300, verify=False) as http:
        answer = await http.post(f"{base}/mcp/demo-salon?channel=fax", json=ping(), headers=headers())
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "channel")


@pytest.mark.parametrize("mode", ERAS)
async def test_a_call_answers_with_structured_content_and_the_same_as_text(base, mode):
    """The library itself holds it against the output schema."""
    async with client(base, mode=mode) as mcp:
        result = await mcp.call_tool("search_knowledge", {"query": "parking"})
    assert not result.is_error
    assert result.structured_content["results"]
    assert result.content[0].text.startswith("{")
    assert result.meta["switchboard/meta"]["elapsedMs"] >= 0


async def test_what_fails_within_a_tool_is_a_result_that_a_model_can_correct(base):
    """A wrong argument and a tool of another channel; only a tool that nobody knows is the protocol's error."""
    async with client(base) as mcp:
        wrong = await mcp.call_tool("search_knowledge", {"question": 1})
        elsewhere = await mcp.call_tool("end_call", {})
        with pytest.raises(Exception, match="search_knowledge") as unknown:
            await mcp.call_tool("make_coffee", {})
    assert wrong.is_error and "VALIDATION" in wrong.content[0].text
    assert elsewhere.is_error and "MODE_RESTRICTED" in elsewhere.content[0].text
    assert unknown.value.code == -32602


async def test_the_humans_yes_in_the_client_is_their_next_turn(base):
    """The call waits for it, and is then made once."""
    human = Human("accept")
    async with client(base, human=human) as mcp:
        booked = await mcp.call_tool("book_appointment", HAIRCUT)
    assert human.asked == ["Shall I book Haircut on Wednesday, December 2 at 10:00 AM for Ana Lopez?"]
    assert booked.structured_content["booked"] is True


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_without_a_yes_nothing_is_booked(base, store, action):  # noqa: F811
    """A no, or a question that is closed: it was put once, and the model reads that it was a no."""
    human = Human(action)
    async with client(base, human=human) as mcp:
        result = await mcp.call_tool("book_appointment", HAIRCUT)
    assert result.is_error and "said no" in result.content[0].text
    assert len(human.asked) == 1
    assert await bookings(store) == 0


@pytest.mark.parametrize("action", ["cancel", "decline", "dismiss", "", None, 1, ["accept"], {"accept": True}])
async def test_whatever_is_no_acceptance_is_a_no(base, store, action):  # noqa: F811
    """Also where the question is not open any more: nobody is asked twice."""
    asked = await call(base, "book_appointment", HAIRCUT, 1)
    answer = {"inputResponses": {"confirm": {"action": action}}, "requestState": asked["requestState"]}
    for id in (2, 3):
        found = await call(base, "book_appointment", HAIRCUT, id, **answer)
        assert "error" in found or found["isError"]
    assert await bookings(store) == 0


async def test_a_yes_that_cannot_count_is_asked_for_once_more_and_no_further(base, store):  # noqa: F811
    """Each time to other arguments than were read back: the third answer is words, no question."""
    found = await call(base, "book_appointment", HAIRCUT, 1)
    for hour in (11, 12):
        answer = {"inputResponses": {"confirm": {"action": "accept"}}, "requestState": found["requestState"]}
        other = HAIRCUT | {"start_time": f"2026-12-02T{hour}:00:00"}
        found = await call(base, "book_appointment", other, hour, **answer)
    assert found["isError"] and "CONFIRMATION_REQUIRED" in found["content"][0]["text"]
    assert await bookings(store) == 0


async def test_a_client_that_asks_nobody_reads_how_a_yes_is_reported(base):
    """The conversation has to be named first; then what to send, with the turn in which the call is made again."""
    async with client(base, mode="legacy") as mcp:
        result = await mcp.call_tool("book_appointment", HAIRCUT)
    assert "/tools/heard" in result.content[0].text or "?session=" in result.content[0].text
    async with client(base, query="?session=s12") as mcp:
        told = (await mcp.call_tool("book_appointment", HAIRCUT, meta={"switchboard/turn": 4})).content[0].text
    for part in ("/tools/heard", "s12", "switchboard/turn", "No argument and no tool call is a yes"):
        assert part in told
    assert '"turn": 5' in told.replace("\\", "") or '"turn":5' in told.replace("\\", "")


@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_that_asks_nobody_reads_what_to_ask(base, store, mode):  # noqa: F811
    """And calling again approves nothing, with whatever arguments."""
    async with client(base, mode=mode, query="?session=s1") as mcp:
        for more in ({}, {}, {"confirmed": True}):
            result = await mcp.call_tool("book_appointment", HAIRCUT | more)
            assert result.is_error
        assert "VALIDATION" in result.content[0].text
    assert await bookings(store) == 0


@pytest.mark.parametrize(
    "forge",
    [
        lambda state: None,
        lambda state: "",
        lambda state: "é",
        lambda state: state[:-2] + ("AA" if state[-2:] != "AA" else "BB"),
        lambda state: "eyJ4IjoxfQ.AAAA",
    ],
)
async def test_a_yes_without_the_servers_own_question_counts_for_nothing(base, store, forge):  # noqa: F811
    """What the client brings back is signed; anything else only asks anew."""
    asked = await call(base, "book_appointment", HAIRCUT, 1)
    answer = {"inputResponses": {"confirm": {"action": "accept"}}, "requestState": forge(asked["requestState"])}
    again = await call(base, "book_appointment", HAIRCUT, 2, **{k: v for k, v in answer.items() if v is not None})
    assert again["resultType"] == "input_required"
    assert await bookings(store) == 0


async def test_a_yes_is_to_the_arguments_that_were_read_back(base, store):  # noqa: F811
    """Another hour, another tool or another key: the question is asked anew."""
    asked = await call(base, "book_appointment", HAIRCUT, 1)
    answer = {"inputResponses": {"confirm": {"action": "accept"}}, "requestState": asked["requestState"]}
    changed = await call(base, "book_appointment", HAIRCUT | {"start_time": "2026-12-02T11:00:00"}, 2, **answer)
    assert changed["resultType"] == "input_required"
    assert await bookings(store) == 0


async def test_a_yes_to_an_old_question_answers_no_newer_one(base, store):  # noqa: F811
    """A client that shows its human one question cannot have their yes count for another."""
    later = HAIRCUT | {"start_time": "2026-12-02T11:00:00"}
    turns = [meta(elicitation={}) | {"switchboard/turn": turn} for turn in (1, 2, 3)]
    old = await call(base, "book_appointment", HAIRCUT, 1, "s4", _meta=turns[0])
    await call(base, "book_appointment", later, 2, "s4", _meta=turns[1])
    answer = {"inputResponses": {"confirm": {"action": "accept"}}, "requestState": old["requestState"]}
    found = await call(base, "book_appointment", later, 3, "s4", _meta=turns[2], **answer)
    assert found["resultType"] == "input_required"
    assert await bookings(store) == 0


async def test_an_answer_belongs_to_the_conversation_that_asked(base, store):  # noqa: F811
    """Brought into another one it only asks anew."""
    asked = await call(base, "book_appointment", HAIRCUT, 1, "s5")
    answer = {"inputResponses": {"confirm": {"action": "accept"}}, "requestState": asked["requestState"]}
    found = await call(base, "book_appointment", HAIRCUT, 2, "s6", **answer)
    assert found["resultType"] == "input_required"
    assert await bookings(store) == 0


async def test_one_yes_books_once(base, store):  # noqa: F811
    """The answer sent twice, as a client does whose connection broke, is one answer."""
    asked = await call(base, "book_appointment", HAIRCUT, 1)
    answer = {"inputResponses": {"confirm": {"action": "accept"}}, "requestState": asked["requestState"]}
    first = await call(base, "book_appointment", HAIRCUT, 2, **answer)
    second = await call(base, "book_appointment", HAIRCUT, 2, **answer)
    third = await call(base, "book_appointment", HAIRCUT, 3, **answer)
    assert first["structuredContent"] == second["structuredContent"]
    assert third["structuredContent"]["repeated"] is True
    assert await bookings(store) == 1


async def test_any_instance_can_hear_the_answer_to_what_another_asked(store, base):  # noqa: F811
    """Nothing of a conversation is kept in a process."""
    asked = await call(base, "book_appointment", HAIRCUT, 1)
    answer = {"inputResponses": {"confirm": {"action": "accept"}}, "requestState": asked["requestState"]}
    async with listening(app_over(store)) as elsewhere:
        done = await call(elsewhere, "book_appointment", HAIRCUT, 2, **answer)
    assert done["structuredContent"]["booked"] is True


async def test_a_request_that_is_sent_again_in_its_session_is_the_same_delivery(base):
    """Same session, id and turn: the stored answer. 1 and "1" are two ids."""
    arguments, turn = {"message": "Call me back", "caller_name": "Ana"}, meta() | {"switchboard/turn": 3}
    first = await call(base, "take_message", arguments, 7, session="s9", _meta=turn)
    again = await call(base, "take_message", arguments, 7, session="s9", _meta=turn)
    other = await call(base, "take_message", arguments, "7", session="s9", _meta=turn)
    assert first["content"] == again["content"]
    assert again["_meta"]["switchboard/meta"]["replayed"] is True
    assert "replayed" not in other["_meta"]["switchboard/meta"]
    assert first["structuredContent"]["messageId"] == other["structuredContent"]["messageId"]


@pytest.mark.requirement("003-443")
async def test_a_client_that_counts_no_turns_is_told_what_a_turn_is_when_one_is_used_up(base):
    """One that does has heard of turns, and its next one begins when the person speaks."""
    for number in range(30):
        found = await call(base, "get_faqs", {"topic": f"t{number}"}, number, "s20")
        if "30 s" in found["content"][0]["text"]:
            break
    text = found["content"][0]["text"]
    assert "calls within one window of 30 s count as one turn" in text and "switchboard/turn" in text
    counted = meta() | {"switchboard/turn": 3}
    answers = [await call(base, "get_faqs", {"topic": f"t{n}"}, n, "s21", _meta=counted) for n in range(30)]
    texts = [one["content"][0]["text"] for one in answers]
    refused = [text for text in texts if "BUDGET_EXCEEDED" in text or "LOOP_DETECTED" in text]
    assert refused and not any("window of 30 s" in told for told in refused)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_conversation_goes_on_over_another_connection(base, mode):
    """Agents connect anew for each turn, and their clients count requests from the start again each time."""
    for topic, turn in (("parking", 1), ("cancellation", 2), ("parking", 3)):
        async with client(base, mode=mode, query="?session=s11") as connected:
            found = await connected.call_tool("get_policies", {"topic": topic}, meta={"switchboard/turn": turn})
        assert not found.is_error
        assert [policy["topic"] for policy in found.structured_content["policies"]] == [topic]
        assert "replayed" not in found.meta["switchboard/meta"]


async def test_without_a_named_session_two_requests_are_two_conversations(base):
    """Whoever else calls with the same id is not taken for the one before."""
    first = await call(base, "search_knowledge", {"query": "parking"}, 1)
    second = await call(base, "get_faqs", {}, 1)
    assert not first["isError"]
    assert "CONFLICT" not in second["content"][0]["text"]


MESSAGE = {"message": "Call me back", "caller_name": "Ana"}


@pytest.fixture
def clock():
    """A clock that stands a second before the full hour, where every grid has an edge."""
    found = StoppedClock()
    found.moment = datetime(2026, 11, 28, 11, 59, 59, tzinfo=UTC)
    return found


@pytest.fixture
async def two(store, clock):  # noqa: F811
    """The addresses of two instances over one store."""
    async with listening(app_over(store, clock=clock)) as one, listening(app_over(store, clock=clock)) as other:
        yield one, other


async def test_an_action_that_is_sent_again_without_a_session_is_done_once(two, clock):
    """Within two minutes of the first time, on whichever instance, and whatever edge of the clock lies between."""
    ids = []
    for at, wait_s in ((0, 0), (1, 2), (1, 117), (0, 1), (1, 119)):
        clock.wait(wait_s)
        answer = await call(two[at], "take_message", MESSAGE, 77)
        ids.append(answer["structuredContent"]["messageId"])
        assert answer["_meta"]["switchboard/meta"].get("replayed", False) is (len(ids) not in (1, 4))
    assert ids[0] == ids[1] == ids[2] != ids[3] == ids[4]


@pytest.mark.parametrize("counted", [False, True], ids=["by the clock", "as the application counts"])
async def test_in_a_named_conversation_no_edge_of_the_clock_parts_an_action_from_its_repetition(two, clock, counted):
    """It is known for as long as a turn lasts, from its first time; then a client may count from the start anew."""
    ids = []
    for at, wait_s, turn in ((0, 0, 1), (1, 2, 1), (1, 27, 1), (0, 1, 2)):
        clock.wait(wait_s)
        told = {"_meta": meta(elicitation={}) | {"switchboard/turn": turn}} if counted else {}
        answer = await call(two[at], "take_message", MESSAGE, 1, "s40", **told)
        ids.append(answer["structuredContent"]["messageId"])
    assert ids[0] == ids[1] == ids[2] != ids[3]


async def test_what_tells_requests_apart_makes_them_two(base):
    """An id of another kind, a word, a conversation, the person's turn, and where a client waits for progress."""
    told, traced = meta(elicitation={}), {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    others = [
        await call(base, "take_message", MESSAGE, 77),
        await call(base, "take_message", MESSAGE, 78),
        await call(base, "take_message", MESSAGE, "77"),
        await call(base, "take_message", MESSAGE | {"caller_name": "Bo"}, 77),
        await call(base, "take_message", MESSAGE, 77, session="s30"),
        await call(base, "take_message", MESSAGE, 77, _meta=told | {"switchboard/turn": 4}),
        await call(base, "take_message", MESSAGE, 77, _meta=told | {"progressToken": "a"}),
        await call(base, "take_message", MESSAGE, 77, _meta=told | {"progressToken": "b"}),
        await call(base, "take_message", MESSAGE, 77, _meta=told | {"example.com/thread": "t1"}),
    ]
    assert len({answer["structuredContent"]["messageId"] for answer in others}) == len(others)
    again = await call(base, "take_message", MESSAGE, 77, _meta=told | traced)
    assert again["structuredContent"] == others[0]["structuredContent"]


async def test_a_look_up_that_is_sent_again_without_a_session_is_looked_up_again(base):
    """It has no effect, and clients that give every request the same id want what is true now."""
    for _ in range(2):
        found = await call(base, "get_faqs", {}, 1)
        assert "replayed" not in found["_meta"]["switchboard/meta"]


async def test_an_action_that_may_have_come_before_is_not_begun(base, store):  # noqa: F811
    """While nobody can say whether it did; the model reads that nothing was done."""
    await call(base, "get_faqs", {}, 1)
    store.fail("commit")
    refused = await call(base, "take_message", MESSAGE, 77)
    assert refused["isError"] and "nothing was done" in refused["content"][0]["text"]
    store.recover()
    assert (await call(base, "take_message", MESSAGE, 77))["structuredContent"]["messageId"]


def test_what_is_told_of_a_request_is_its_clients_alone():
    """Clients count from the start anew with each connection, and strangers must not meet in one conversation."""
    params = {"name": "take_message", "arguments": MESSAGE, "_meta": None}
    mine = request_session.RequestSession("salon", "k1", Channel.PORTAL, "s", is_named=False)
    changes = ({}, {"key_id": "k2"}, {"business_id": "other"}, {"channel": Channel.PHONE}, {"agent_id": "a"})
    told = {replace(mine, **change).fingerprint(7, params) for change in changes}
    told.add(mine.fingerprint(7, params | {"requestState": "q"}))
    told |= {replace(mine, session_id=id, is_named=True).fingerprint(7, params) for id in ("s", "s2")}
    assert len(told) == len(changes) + 3
    assert replace(mine, session_id="s2").fingerprint(7, params) in told


async def test_a_client_of_the_handshake_era_gets_a_session_that_any_instance_knows(base, store):  # noqa: F811
    """Its id is made at the handshake, and two clients never share one."""
    names = set()
    async with httpx2.AsyncClient(timeout=300, verify=False) as http:
        for _ in range(2):
            opened = await http.post(f"{base}/mcp/demo-salon", json=initialize(), headers=headers(None))
            names.add(opened.headers["mcp-session-id"])
            assert f'"version":"{VERSION}"' in opened.text.replace(": ", ":")
        async with listening(app_over(store)) as elsewhere:
            told = headers(None) | {"mcp-session-id": names.copy().pop(), "mcp-protocol-version": "2025-11-25"}
            body = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
            listed = await http.post(f"{elsewhere}/mcp/demo-salon", json=body, headers=told)
    assert len(names) == 2
    assert listed.json()["result"]["tools"]


async def bookings(store):  # noqa: F811
    found = await store.query(Query(PATHS.within("demo-salon").collection("bookings"), limit=500))
    return sum("Ana Lopez" in str(document.data) for document in found)


def headers(method="server/discover", name=None, **more):
    found = {"Authorization": "Bearer sb_salon", "Accept": "application/json, text/event-stream"}
    if method:
        found |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    return found | ({"Mcp-Name": name} if name else {}) | more


def meta(**abilities):
    prefix = "io.modelcontextprotocol/"
    return {f"{prefix}protocolVersion": "2026-07-28", f"{prefix}clientCapabilities": abilities}


def ping():
    return {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta()}}


def initialize():
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


async def call(base, name, arguments, id, session=None, **more):
    """Send one call as the wire has it, for what no honest client would do."""
    params = {"name": name, "arguments": arguments, "_meta": meta(elicitation={})} | more
    body = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
    url = f"{base}/mcp/demo-salon" + (f"?session={session}" if session else "")
    async with httpx2.AsyncClient(timeout=300, verify=False) as http:
        answer = await http.post(url, json=body, headers=headers("tools/call", name))
    found = answer.json()
    return found.get("result", found)

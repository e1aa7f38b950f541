"""Why a call ended as it did, as owners read it: the record, its sentences, and `GET /explain`."""

import json

import orjson
import pytest
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from switchboard.admin.access.access import OwnerIdentity, Permit
from switchboard.admin.access.roles import Role
from switchboard.admin.api import serving
from switchboard.admin.api.paging import Page
from switchboard.admin.conversations.explain import calls, explain
from switchboard.admin.conversations.routes import ExplanationEndpoints
from switchboard.admin.conversations.session_records import SessionRecords
from switchboard.contract.channel import Channel
from switchboard.contract.store import Set, Unavailable, Update
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.leisure import AT_LEISURE
from tests.pipeline.conftest import BUSINESS, PATHS, Instance, nothing_left_over
from tests.pipeline.result.test_check_trace import CALLS, REFUSALS, SAID, STEPS, die, tell

__all__ = ["nothing_left_over"]
ACTS_MS = AT_LEISURE[Channel.PHONE].action_deadline_ms
AT = "At 10:00:00 on March 10, 2027 (America/New_York time) the model asked for "


@pytest.fixture
async def store() -> WatchedStore:
    """A store in memory that knows the business and its zone."""
    found = WatchedStore(MemoryStore())
    salon = {"name": "Salon", "timezone": "America/New_York", "ai": {"callerVerification": "match"}}
    await found.commit([Set(PATHS.within(BUSINESS).business, salon)])
    return found


@pytest.fixture
def office(store) -> Instance:
    """One instance over that store, whose calls' stories are kept."""
    found = Instance(store, StoppedClock())
    tell(found)
    return found


@pytest.fixture
def explained(store):
    """Explains a call of the session."""

    async def explained(call_id="c1"):
        found = await explain(store, PATHS, BUSINESS, "s1", call_id)
        assert 4 <= len(found.sentences) <= 10
        return found

    return explained


@pytest.mark.requirement("003-121")
async def test_a_call_that_succeeded_is_told_whole(office, explained):
    """Who asked, what was checked, how long it took, what came of it; times in the business's zone."""
    await office.call("act", {"what": "wave"}, call_id="c1", turn=3)
    found = (await explained()).to_json()
    elapsed = found.pop("elapsedMs")
    assert elapsed >= 0
    assert found.pop("finishedAt").startswith("2027-03-10T10:00:00.")
    assert [entry["check"] for entry in found.pop("checks")] == list(STEPS)
    assert found == {
        "businessId": "salon",
        "sessionId": "s1",
        "callId": "c1",
        "tool": "act",
        "kind": "action",
        "channel": "phone",
        "turn": 3,
        "timezone": "America/New_York",
        "startedAt": "2027-03-10T10:00:00.000-05:00",
        "state": "finished",
        "stateMeans": "It is kept as finished: the tool's answer was given.",
        "argumentsNames": ["what"],
        "outcome": {"ok": True},
        "receipt": {"what": "wave"},
        "sentences": [
            f"{AT}act in turn 3 of a phone call.",
            "It had 1 argument: what.",
            "It passed 8 checks: new delivery, in a conversation that went on, known tool, allowed here and now, not "
            "going round in circles, usable arguments, no yes missing, within the turn's budget.",
            "In this turn it was call 1 of 3.",
            f"The tool ran and answered: {elapsed:g} ms in all, of at most {ACTS_MS} ms for the tool.",
            "A receipt says what was done.",
            "It is kept as finished: the tool's answer was given.",
        ],
    }


@pytest.mark.requirement("004-1105")
@pytest.mark.parametrize(("tool", "kind", "listed"), [("enter_event", "action", "action"), ("nonsense", "none", None)])
async def test_a_call_of_what_is_not_offered_is_told_with_its_true_kind(office, store, explained, tool, kind, listed):
    """Whatever it is counted as; a tool that there is not has none."""
    await office.call(tool, call_id="c1")
    assert (await explained()).to_json()["kind"] == kind
    (call,) = (await SessionRecords(store, PATHS).calls(BUSINESS, "s1", Page(9, None))).items
    assert call["kind"] == listed


@pytest.mark.requirement("003-121", "003-131")
@pytest.mark.parametrize("refusal", list(REFUSALS))
async def test_a_refusal_is_told_with_the_step_and_its_reason(office, store, explained, refusal):
    """Whatever refused: one sentence says so, and another that nothing was done."""
    make, _, why = REFUSALS[refusal]
    await make(office)
    refused = [call.id for call in await calls(store, PATHS, BUSINESS, "s1") if call.state == "refused"]
    found = await explained(refused[-1])
    assert found.state == "refused"
    told = [sentence for sentence in found.sentences if sentence.startswith("It was refused ")]
    assert [sentence.endswith(f": {why}.") for sentence in told] == [True]
    assert found.sentences[-1] == "It is kept as refused: the tool did not do anything."
    assert f"The model was told {found.outcome['type']}, and that it should not simply try again." in found.sentences


async def test_a_refusal_by_the_budget_names_the_budget(office, store, explained):
    """The words of an owner, not of a programmer."""
    await REFUSALS["budget"][0](office)
    refused = next(call for call in await calls(store, PATHS, BUSINESS, "s1") if call.state == "refused")
    sentences = (await explained(refused.id)).sentences
    assert "It was refused by the budget: all 3 calls of this turn were used." in sentences
    assert "What that check saw: call 4 of 3." in sentences


async def test_a_redelivered_call_is_told_as_it_was_the_first_time(office, explained):
    """The second delivery got the stored answer and left no trace."""
    await office.call("act", {"what": "x"}, call_id="c1")
    first = await explained()
    assert (await office.call("act", {"what": "x"}, call_id="c1")).meta["replayed"] is True
    assert await explained() == first


async def test_a_repeated_wish_names_the_call_that_made_it_first(office, explained):
    """And tells no time that another call took."""
    await office.call("act", {"what": "x"}, call_id="c1")
    office.clock.wait(90)
    await office.call("act", {"what": "x"}, call_id="c2", turn=2)
    found = await explained("c2")
    assert found.repeated_of == {"callId": "c1", "at": "2027-03-10T10:00:00.000-05:00"}
    assert found.elapsed_ms is None
    assert (
        "The tool was not run again: the same wish was made before in this session at 10:00:00, and that call's answer "
        "was given again." in found.sentences
    )


async def test_a_repeated_wish_whose_first_answer_was_a_failure_says_so(office, explained):
    """Finished, but not well."""
    args = {"type": "TRANSIENT", "partial": True}
    await office.call("decline", args, call_id="c1")
    await office.call("decline", args, call_id="c2", turn=2)
    assert (await explained("c1")).sentences[-1].startswith("It is kept as unknown: something may have been done")
    assert (await explained("c2")).state_means.endswith("the failure of an earlier call was reported again.")


async def test_a_repeated_look_up_says_that_it_was_not_run(office, explained):
    """Half a minute is current enough."""
    await office.call("look")
    await office.call("look", call_id="c1", turn=2)
    assert any(s.startswith("The tool was not run again: the same look-up") for s in (await explained()).sentences)


async def test_a_call_that_timed_out_tells_its_limit(office, explained):
    """The owner sees that the tool was slow, not forbidden."""
    await office.call("look_slowly", call_id="c1")
    found = await explained()
    assert found.outcome["type"] == "TRANSIENT"
    assert found.state == "failed"
    assert "The tool ran and failed: it did not answer within 50 ms, and nobody waited any longer." in found.sentences
    assert "The model was told TRANSIENT, and that it may try again." in found.sentences


@pytest.mark.parametrize(
    ("name", "args", "told"),
    [
        ("look", {}, "The tool ran and answered: "),
        (
            "act",
            {"what": "x"},
            "The tool was not run: it may have been carried out before, and is not carried out twice.",
        ),
    ],
)
async def test_a_recovered_call_tells_that_it_was_taken_up_again(office, explained, name, args, told):
    """With the time at which that was."""
    await die(office, name, args)
    await office.dispatcher.recover()
    found = await explained()
    assert (
        "The server that had begun it stopped before the end; at 10:00:31 the call was taken up again."
        in found.sentences
    )
    assert found.to_json()["retakenAt"] == "2027-03-10T10:00:31.000-05:00"
    assert any(sentence.startswith(told) for sentence in found.sentences)


@pytest.mark.requirement("004-643")
@pytest.mark.parametrize("later", [0, 90])
async def test_a_call_that_is_delivered_again_after_a_retryable_failure_names_no_server_that_stopped(
    office, explained, later
):
    """Nothing had stopped: whoever called delivered it again."""
    args = {"type": "TRANSIENT"}
    await office.call("decline", args, call_id="c1")
    assert (await explained()).retaken_at is None
    office.clock.wait(later)
    await office.call("decline", args, call_id="c1")
    sentences = (await explained()).sentences
    at = "10:01:30" if later else "10:00:00"
    assert (
        "Its first answer was that nothing was done and that it may be tried again; "
        f"at {at} it was delivered again." in sentences
    )
    assert not [sentence for sentence in sentences if "stopped" in sentence]


@pytest.mark.requirement("004-643")
async def test_a_tools_no_is_told_as_one_with_its_own_words(office, explained):
    """Not as a failure, which it is not; what breaks down is one, and says why as well."""
    await office.call("decline", {"type": "MODE_RESTRICTED"}, call_id="c1")
    sentences = (await explained()).sentences
    assert "The tool ran and said no: it does not do this for this caller, here and now." in sentences
    assert any(sentence.startswith("The tool's own words: “no") for sentence in sentences), sentences[6:]
    assert sentences[-1].startswith("It is kept as failed and counts as no failure")
    await office.call("decline", {"type": "AUTH"}, call_id="c2", turn=2)
    sentences = (await explained("c2")).sentences
    assert any(sentence.startswith("The tool ran and failed: a connection") for sentence in sentences)
    assert any(sentence.startswith("The tool's own words: “no") for sentence in sentences), sentences[6:]


async def test_a_tools_own_words_are_told_without_what_anybody_had_said(office, store, explained):
    """A tool may quote what it was asked; the sentences do not."""
    await office.call("decline", {"type": "NOT_FOUND"}, call_id="c1", caller_phone=SAID[1])
    row = await office.ledger("c1")
    answer = json.loads(row["response"])
    answer["error"]["message"] = f"Nobody called anna kowalski ({SAID[1]}) was here. Ask for the name."
    fields = {"response": json.dumps(answer), "arguments": json.dumps({"name": SAID[0]})}
    await store.commit([Update(PATHS.within(BUSINESS).call("s1", "c1"), fields)])
    words = "The tool's own words: “Nobody called … (…) was here. Ask for the name.”"
    assert words in (await explained()).sentences


async def test_a_call_that_goes_on_has_no_end_and_no_checks_yet(office, explained):
    """Nothing is guessed."""
    await die(office, "act", {"what": "x"})
    found = await explained()
    assert (found.state, found.outcome, found.checks, found.finished_at) == ("started", None, (), None)
    assert found.sentences == (
        f"{AT}act in turn 1 of a phone call.",
        "The checks it met are not yet written down.",
        "The model has no answer yet.",
        "It has begun, and no end of it is recorded yet.",
    )


async def test_a_call_from_before_stories_were_kept_is_told_all_the_same(store, explained):
    """Without its checks."""
    office = Instance(store, StoppedClock())
    await office.call("act", {"what": "x"}, call_id="c1")
    await store.commit([Update(PATHS.within(BUSINESS).call("s1", "c1"), {"checks": None})])
    found = await explained()
    assert "The checks it met were not written down." in found.sentences
    assert found.outcome == {"ok": True}


@pytest.mark.parametrize(
    ("args", "names"),
    [
        ({"times": 2, "word": "x"}, ("word", "times")),
        ({"times": "x", "colour": 1}, ("colour", "times")),
        ('{"times": "x", "colour": 1}', ("times", "colour")),
        ("{bad", ()),
        ("[1]", ()),
        ("[" * 100_000, ()),
        ({"x" * 40_000: 1}, ()),
        ({f"n{n:03}": 1 for n in range(300)}, tuple(f"n{n:03}" for n in range(40))),
        ({"x" * 100: 1}, ("x" * 60,)),
        ({"word\ud800": 1}, ()),
    ],
    ids=lambda a: ascii(a)[:20],
)
async def test_the_names_of_arguments_are_told_as_far_as_they_can_be_read(office, explained, args, names):
    """What a model sent may be anything."""
    await office.call("look", args, call_id="c1")
    found = await explained()
    assert found.arguments_names == names
    orjson.dumps(found.to_json())


@pytest.mark.parametrize("name", ["\x1b[31mevil", "x" * 300, "look\n", ""])
async def test_a_name_that_is_none_is_not_repeated_in_sentences(office, explained, name):
    """It may be anything, a caller's name too."""
    await office.call(name, call_id="c1")
    assert (await explained()).sentences[0].startswith(f"{AT}a tool by a name that no tool can have in turn 1")


@pytest.mark.parametrize(
    ("channel", "place"), [(Channel.PORTAL, "a portal chat"), (Channel.BROWSER_VOICE, "a browser")]
)
async def test_every_channel_has_its_words(office, explained, channel, place):
    """The owner knows where it was said."""
    await office.call("look", call_id="c1", channel=channel)
    assert f"of {place}" in (await explained()).sentences[0]


async def test_nothing_that_anybody_said_is_told(office, store, explained):
    """Neither in the checks nor in the sentences, in no outcome; the receipt is another field."""
    for turn, (name, args) in enumerate(CALLS):
        await office.call(name, args, caller_phone=SAID[1], caller_id=SAID[0], call_id=f"c{turn}", turn=turn)
    for turn in range(len(CALLS)):
        found = await explained(f"c{turn}")
        text = json.dumps([[dict(entry) for entry in found.checks], found.sentences], ensure_ascii=False)
        assert not [said for said in SAID if said in text]


async def test_a_call_is_read_in_one_round_trip(office, store):
    """With its business, for the zone; a repeated wish costs a second one."""
    await office.call("act", {"what": "x"}, call_id="c1")
    await office.call("act", {"what": "x"}, call_id="c2", turn=2)
    for call_id, expected in (("c1", {"get_many": 1}), ("c2", {"get_many": 1, "get": 1})):
        store.asked.clear()
        await explain(store, PATHS, BUSINESS, "s1", call_id)
        assert store.asked == expected


async def test_what_the_ledger_does_not_hold_is_none(office, store):
    """Another session's, another business's, nobody's."""
    await office.call("look", call_id="c1")
    assert await explain(store, PATHS, BUSINESS, "s1", "c2") is None
    assert await explain(store, PATHS, BUSINESS, "s2", "c1") is None
    assert await explain(store, PATHS, "rival", "s1", "c1") is None
    assert await calls(store, PATHS, BUSINESS, "s2") == []


async def test_the_calls_of_a_session_stand_in_the_order_in_which_they_began(office, store):
    """With what became of them."""
    for call_id, name in (("z", "look"), ("a", "nonsense"), ("m", "look_slowly")):
        await office.call(name, call_id=call_id)
        office.clock.wait(1)
    found = [line.to_json() for line in await calls(store, PATHS, BUSINESS, "s1")]
    assert [(line["id"], line["tool"], line["state"]) for line in found] == [
        ("z", "look", "finished"),
        ("a", "nonsense", "refused"),
        ("m", "look_slowly", "failed"),
    ]
    assert found[1]["at"] == "2027-03-10T10:00:01.000-05:00"


class TestHttp:
    """`GET /explain`."""

    @pytest.fixture
    def client(self, office, store):
        """A client that may see the business `salon`, and no other."""

        class Access:
            """Lets everybody in to that one."""

            async def permit(self, request, business_id, operation):
                if business_id not in (None, BUSINESS):
                    raise HTTPException(403)
                role = Role(request.headers.get("x-role", Role.OWNER.value))
                return Permit(OwnerIdentity("key:k", "K"), BUSINESS, role)

        endpoints = ExplanationEndpoints(store, PATHS, office.catalog).endpoints
        return TestClient(serving.owners_app(serving.routes(endpoints, Access()), {}))

    async def test_a_call_is_answered_as_json(self, office, store, client):
        """The same as the record says."""
        await office.call("act", {"what": "x"}, call_id="c 1")
        answer = client.get("/explain", params={"session": "s1", "call": "c 1"})
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        expected = await explain(store, PATHS, BUSINESS, "s1", "c 1")
        values = {
            "arguments": {"value": {"what": "x"}, "masked": []},
            "result": {"value": {"done": "x"}, "masked": []},
            "sentToModel": {"value": {"ok": True, "data": {"done": "x"}}, "masked": []},
        }
        assert answer.json() == orjson.loads(orjson.dumps(expected.to_json())) | values

    @pytest.mark.requirement("004-810")
    async def test_the_words_of_a_tools_no_are_told_to_a_viewer_nowhere_in_it(self, office, client):
        """Neither as what came of it, nor as what the model was sent, nor in a sentence."""
        await office.call("decline", {"type": "NOT_FOUND"}, call_id="c1")
        path = {"session": "s1", "call": "c1"}
        asked = {role: client.get("/explain", params=path, headers={"x-role": role}) for role in ("owner", "viewer")}
        owner, viewer = (asked[role].json() for role in ("owner", "viewer"))
        assert owner["outcome"]["message"] == "no"
        assert [one for one in owner["sentences"] if one not in viewer["sentences"]] == ["The tool's own words: “no”"]
        assert [one for one in viewer["sentences"] if "own words" in one] == []
        assert viewer["outcome"]["message"] == viewer["sentToModel"]["value"]["error"]["message"] == "•••"

    async def test_without_a_call_the_sessions_calls_are_listed(self, office, client):
        """In order."""
        await office.call("look", call_id="c1")
        body = client.get("/explain", params={"session": "s1", "businessId": "salon"}).json()
        assert (body["businessId"], body["sessionId"]) == ("salon", "s1")
        assert body["calls"] == [
            {"id": "c1", "tool": "look", "state": "finished", "at": "2027-03-10T10:00:00.000-05:00"}
        ]

    @pytest.mark.parametrize(
        ("query", "status", "field"),
        [
            ({"session": "s1", "call": "c2"}, 404, "call"),
            ({"session": "s2", "call": "c1"}, 404, "session"),
            ({"session": "s2"}, 404, "session"),
            ({}, 400, "session"),
            ({"session": ""}, 400, "session"),
            ({"session": "x" * 201}, 400, "session"),
            ({"session": "s1", "call": "x" * 201}, 400, "call"),
        ],
    )
    async def test_what_cannot_be_explained_is_refused_in_the_envelopes_shape(
        self, office, client, query, status, field
    ):
        """With the field that is wrong."""
        await office.call("look", call_id="c1")
        answer = client.get("/explain", params=query)
        body = answer.json()
        assert answer.status_code == status
        assert (body["ok"], body["error"]["field"], body["intents"], body["meta"]) == (False, field, [], {})
        assert body["error"]["type"] == ("NOT_FOUND" if status == 404 else "VALIDATION")

    async def test_who_may_not_see_a_business_reads_nothing_of_it(self, office, store, client):
        """Asked before anything is read."""
        await office.call("look", call_id="c1")
        store.asked.clear()
        assert client.get("/explain", params={"session": "s1", "businessId": "rival"}).status_code == 403
        assert not store.asked

    async def test_a_store_that_does_not_answer_is_retryable(self, store, client):
        """503, and again in a moment."""
        store.fail_before["get_many"] = Unavailable("hangs")
        answer = client.get("/explain", params={"session": "s1", "call": "c1"})
        assert (answer.status_code, answer.json()["error"]["retryable"]) == (503, True)


async def test_firestore_tells_the_same(firestore):
    """Its times and its nested lists come back as they were written."""
    await firestore.commit([Set(PATHS.within(BUSINESS).business, {"timezone": "America/New_York"})])
    office = Instance(firestore, StoppedClock())
    tell(office)
    await office.call("act", {"what": "x"}, call_id="c1")
    await office.call("act", {"what": "x"}, call_id="c2", turn=2)
    assert [line.id for line in await calls(firestore, PATHS, BUSINESS, "s1")] == ["c1", "c2"]
    found = await explain(firestore, PATHS, BUSINESS, "s1", "c2")
    assert found.sentences[0].startswith(AT)
    assert found.repeated_of["callId"] == "c1"
    assert [entry["check"] for entry in found.checks] == list(STEPS)
    orjson.dumps(found.to_json())


@pytest.mark.parametrize("lost", ["channel", "kind", "turn", "arguments", "sessionId", "startedAt", "tool"])
async def test_a_call_that_nobody_could_bring_to_its_end_is_told_although_it_cannot_be_read(office, store, lost):
    """Whoever is told of it by the alert reads here what is wrong with it, and what to do."""
    await office.call("look", call_id="c1")
    path, clock = PATHS.within(BUSINESS).call("s1", "c1"), office.clock
    spoilt = (await store.get(path)).data | {"state": "started", "response": None, "dueAt": clock.now()}
    spoilt.pop(lost)
    await store.commit([Set(path, spoilt)])
    for _ in range(3 * 60):
        clock.wait(60)
        await office.dispatcher.recover()
    if lost in ("startedAt", "sessionId"):
        # Nothing but explaining needs the one, and the other stands in the path.
        assert (await store.get(path)).data["state"] == "finished"
    found = await explain(store, PATHS, BUSINESS, "s1", "c1")
    assert found.to_json()["callId"] == "c1"
    if lost not in ("startedAt", "sessionId"):
        assert "nobody could bring it to its end: that was tried 14 times, and failed with" in found.sentences[-1]
        assert "somebody should check" in found.sentences[-1]
        assert [line.state for line in await calls(store, PATHS, BUSINESS, "s1")] == ["unknown"]

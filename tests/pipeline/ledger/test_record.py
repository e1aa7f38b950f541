"""What a call's ledger document tells whoever goes on with the call: another delivery, another instance, an owner."""

import json
import re
from datetime import timedelta

import pytest

from switchboard.catalog.definitions.registry import Registry
from switchboard.contract import policy
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.contract.store import Set
from tests.pipeline import planted, planted_nesting, test_once
from tests.pipeline.conftest import BUSINESS, PATHS, Instance
from tests.pipeline.execution.test_queue import Queue

CALLER = {
    "caller_phone": "+15185550171",
    "caller_id": "ana",
    "caller_verified": True,
    "interaction_id": "i1",
    "agent_id": "evenings",
    "is_call_start": True,
}
die = test_once.TestAbandonedCalls.die
PHONE = {"call_sid": "CA1", "called_phone": "+15185550142", "attestation": "A"}


@pytest.fixture
def office(store, clock) -> Instance:
    """One instance, whose accepted calls wait until they are asked for."""
    found = Instance(store, clock, planted_nesting.registry())
    found.dispatcher._queue = Queue()
    return found


async def waiting(office):
    """Return the row of the one call that waits to be carried out."""
    (row,) = await office.dispatcher.ledger.due(office.clock.now())
    return row


@pytest.mark.parametrize("channel", Channel)
@pytest.mark.parametrize("is_known", [True, False], ids=["known", "unknown"])
async def test_a_call_that_is_carried_out_later_is_the_same_callers(office, channel, is_known):
    """All that was known of who called, and nothing that was not; without the vendor's token."""
    await office.store.commit([Set(PATHS.within(BUSINESS).document("agents", "evenings"), {"name": "Evenings"})])
    facts = {**CALLER, **(PHONE if channel is Channel.PHONE else {})} if is_known else {}
    token = {"auth_token": "secret"} if channel is Channel.PHONE else {}
    assert (await office.call("act_later", {"what": "x"}, call_id="c1", turn=3, channel=channel, **facts, **token)).ok
    known = {"business_id": BUSINESS, "session_id": "s1", "call_id": "c1", "turn": 3}
    assert (await waiting(office)).facts() == CONTEXTS[channel](**known, **facts)


async def test_a_call_within_a_call_is_one_also_when_it_is_carried_out_later(office):
    """What it takes is its outer call's."""
    assert (await office.call("ask_to_act", {"tool": "act_later"}, call_id="outer")).ok
    row = await waiting(office)
    assert row.facts().within == ("outer",)
    assert row.document.data["within"] == ["outer"]


async def test_a_name_of_any_length_is_the_same_name_when_it_comes_again(office):
    """Models write what they like; a redelivery is given the same answer all the same."""
    name = "look" * 100
    first = await office.call(name, call_id="c1")
    assert first.failure.type is ErrorType.NOT_FOUND
    again = await office.call(name, call_id="c1")
    assert (again.failure, again.meta["replayed"]) == (first.failure, True)
    assert len((await office.ledger("c1"))["tool"]) == 200


async def test_a_lease_ends_for_redeliveries_when_it_ends_for_passes(office, clock):
    """Neither may wait for a moment longer than the other."""
    await die(office, None, "act_again", {"what": "x"})
    clock.wait(CALL_LEASE_S)
    (row,) = await office.dispatcher.ledger.abandoned(clock.now())
    assert row.owner
    assert (await office.call("act_again", {"what": "x"}, call_id="c1")).ok
    assert len(set(planted.done)) == 1


async def test_a_document_says_which_words_the_model_had_read_and_until_when_it_is_kept(office, clock):
    """The audit tells what was offered; what the law wants forgotten goes by itself."""
    answer = await office.call("look", call_id="c1")
    row = await office.ledger("c1")
    assert row["catalogVersion"] == answer.meta["catalogVersion"]
    session = await office.store.get(PATHS.within(BUSINESS).document("sessions", "s1"))
    assert row["catalogHash"] == session.data["catalogHash"]
    assert row["expireAt"] == clock.now() + timedelta(days=policy.LEDGER_DAYS)


async def test_a_document_says_when_its_call_ended(office):
    """Admission and how long the call took make the end; reports look for calls by it."""
    answer = await office.call("look_slowly", call_id="c1")
    assert answer.meta["elapsedMs"] >= 40
    row = await office.ledger("c1")
    assert row["finishedAt"] - row["startedAt"] == timedelta(milliseconds=answer.meta["elapsedMs"])


async def unlock(ctx, desk, *, code: str, door: str) -> Result:
    """Use a secret."""
    planted.done.append(f"{door} {code}")
    return Result({"open": True})


async def echo(ctx, desk, *, box: dict[str, str], door: str, way: str) -> Result:
    """Give back what was said."""
    code, quoted = box["code"], json.dumps({"sent": box["code"]})
    deep = {"you": [{"sent": f"<{code}>", code: [code, quoted]}], "order": f"9{code}9", "door": door}
    if way == "answered":
        return Result(deep, (Intent(IntentType.INJECT_CONTEXT, {"text": code}),), receipt={"what": code})
    kind = Refused if way == "refused" else ToolError
    raise kind(ErrorType.CONFLICT, f"{quoted} clashes", say=f"{code} clashes", meta=deep)


class TestSecrets:
    """What a caller says in confidence is used and kept nowhere."""

    @pytest.fixture
    def office(self, store, clock):
        """One instance with a tool that takes a secret."""
        own = {"code": {"type": "string", "x-secret": True}, "door": {"type": "string"}}
        tool = planted._tool(unlock, "action", own, repeatable=True)
        return Instance(store, clock, Registry("1.0.00000000", planted.registry().tools | {"unlock": tool}))

    async def test_a_secret_argument_is_used_and_not_kept(self, office):
        """Beside it the others stand as they were sent."""
        await office.call("unlock", {"code": "4711", "door": "back"}, call_id="c1")
        assert planted.done == ["back 4711"]
        row = await office.ledger("c1")
        assert json.loads(row["arguments"]) == {"code": "hidden", "door": "back"}
        assert "4711" not in repr(row)

    @pytest.mark.requirement("004-943")
    @pytest.mark.parametrize("way", ["answered", "refused", "failed"])
    async def test_a_secret_that_comes_back_is_neither_told_nor_kept(self, store, clock, way):
        """By the service that was given it, in whatever it says; what only looks like a part of it stays."""
        inner = {"code": {"type": "string", "x-secret": True}, "lid": {"type": "string"}}
        own = {"box": {"type": "object", "properties": inner}, "door": {"type": "string"}, "way": {"type": "string"}}
        tool = planted._tool(echo, "action", own)
        office = Instance(store, clock, Registry("1.0.00000000", planted.registry().tools | {"echo": tool}))
        box = {"code": "471188", "lid": "oak-lid"}
        answer = await office.call("echo", {"box": box, "door": "oak-lid door", "way": way}, call_id="c1")
        assert answer.ok is (way == "answered")
        session = await office.store.get(PATHS.within(BUSINESS).document("sessions", "s1"))
        seen = f"{answer.to_json()} {await office.ledger('c1')} {session}"
        assert "oak-lid door" in seen and "94711889" in seen and "[secret]" in seen
        assert not re.search(r"(?<!\d)471188(?!\d)", seen)

    async def test_a_question_is_put_without_the_secret_that_it_is_about(self, store, clock):
        """Whoever is in the room hears it, and it is kept."""
        own = {"code": {"type": "string", "x-secret": True}, "door": {"type": "string"}}
        tool = planted._tool(unlock, "action", own, confirm=True)
        office = Instance(store, clock, Registry("1.0.00000000", planted.registry().tools | {"unlock": tool}))
        answer = await office.call("unlock", {"code": "gnome-4711", "door": "back"}, call_id="c1")
        assert answer.failure.type is ErrorType.CONFIRMATION_REQUIRED
        assert "back" in answer.meta["readBack"] and "gnome" not in f"{answer} {await office.ledger('c1')}"

    async def test_of_arguments_that_cannot_be_read_nothing_is_kept_where_one_may_be_a_secret(self, office):
        """It may stand anywhere in them; those of other tools are kept, as escaped text."""
        await office.call("unlock", '{"code": "4711", "door":', call_id="c1")
        row = await office.ledger("c1")
        assert (row["state"], json.loads(row["arguments"])) == ("refused", "hidden")
        assert "4711" not in repr(row)
        await office.call("look", '{"word": "\ud800', call_id="c2")
        assert "ud800" in (await office.ledger("c2"))["arguments"]

    async def test_a_pass_does_not_carry_out_a_call_without_its_secret(self, office, clock):
        """Nobody said the word that stands in its place: what became of the call is unknown, and is not made up."""
        await die(office, None, "unlock", {"code": "4711", "door": "back"})
        clock.wait(CALL_LEASE_S + 1)
        assert await office.dispatcher.recover() == 1
        assert planted.done == ["back 4711"]
        assert (await office.ledger("c1"))["state"] == "unknown"

    async def test_a_delivery_that_brings_the_secret_again_carries_the_call_out(self, office, clock):
        """A repeatable action is driven on by whoever knows what it needs."""
        await die(office, None, "unlock", {"code": "4711", "door": "back"})
        clock.wait(CALL_LEASE_S + 1)
        assert (await office.call("unlock", {"code": "4711", "door": "back"}, call_id="c1")).ok
        assert planted.done == ["back 4711"] * 2


@pytest.mark.parametrize("sent", [{"what": "wave"}, '{"what": "wave"}'], ids=["object", "text"])
async def test_a_redelivery_is_the_same_call_though_its_tool_was_edited_in_between(store, clock, sent):
    """Of two instances one may still read the older definition, by which the same words are other arguments."""
    edited = planted.registry()
    politely = {"what": {"type": "string"}, "manner": {"type": "string", "default": "politely"}}
    edited.tools["act"] = planted._tool(planted.act_so, "action", politely, name="act")
    first = await Instance(store, clock).call("act", sent, call_id="c1")
    again = await Instance(store, clock, edited).call("act", sent, call_id="c1")
    other = await Instance(store, clock, edited).call("act", {"what": "bow"}, call_id="c1")
    assert (again.ok, again.data, again.meta["replayed"]) == (True, first.data, True)
    assert other.failure.type is ErrorType.CONFLICT and not other.failure.retryable
    assert len(planted.done) == 1


@pytest.mark.parametrize(
    "other",
    [{"caller_phone": "+15185550177"}, {"caller_phone": None}, {"channel": Channel.PORTAL, "caller_phone": None}],
    ids=["number", "no number", "channel"],
)
async def test_another_callers_call_under_the_same_ids_is_not_told_the_first_ones_answer(office, other):
    """A platform may count its calls, and its conversations, anew for each caller."""
    known = {"call_id": "1", "caller_phone": "+15185550161"}
    first = await office.call("look", channel=Channel.PHONE, **known)
    assert first.ok
    again = await office.call("look", **{"channel": Channel.PHONE, **known, **other})
    assert (again.ok, again.failure.type, again.data) == (False, ErrorType.CONFLICT, None)
    assert (await office.call("look", channel=Channel.PHONE, **known)).meta["replayed"]

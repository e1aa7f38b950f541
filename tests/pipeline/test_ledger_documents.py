"""What a call leaves in the store: facts of its session, the claim of its wish, its receipt, counts given back."""

from datetime import timedelta
from typing import Any

import pytest

from switchboard.catalog.definitions.registry import Registry
from switchboard.contract import policy
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.response import Result
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

WITHIN = PATHS.within(BUSINESS)
SAY = {"en": {"failed": "That did not work.", "slow": "That takes a while."}}


async def greet(ctx: CallContext, desk: Any, *, name: str) -> Result:
    """Do it and give a receipt."""
    return Result({"greeted": name}, receipt={"what": "greeting", "for": name, "effectIds": ["g1"]})


async def stumble(ctx: CallContext, desk: Any, *, type: str, partial: bool, late: bool, say: str = "") -> Result:
    """Fail as asked."""
    meta = {"timedOut": True} if late else {}
    raise ToolError(ErrorType(type), "No.", partial_side_effects=partial, say=say, meta=meta)


def registry() -> Registry:
    text = {"type": "string"}
    flags = {"partial": {"type": "boolean"}, "late": {"type": "boolean"}}
    tools = [
        planted._tool(greet, "action", {"name": text}),
        planted._tool(stumble, "action", {"type": text, **flags, "say": {**text, "default": ""}}, say=SAY),
    ]
    return Registry("1.0.00000000", {**planted.registry().tools, **{tool.name: tool for tool in tools}})


@pytest.fixture
def office(store, clock) -> Instance:
    return Instance(store, clock, registry())


async def document(store, path: str) -> dict[str, Any]:
    found = await store.get(path)
    assert found is not None, path
    return found.data


async def test_a_session_says_where_it_is_held_since_when_and_until_when_it_is_kept(office, store, clock):
    """What is not needed any more goes by itself."""
    await office.call("look")
    session = await document(store, WITHIN.document("sessions", "s1"))
    kept = timedelta(days=policy.LEDGER_DAYS)
    told = (session["channel"], session["startedAt"], session["expireAt"])
    assert told == ("phone", clock.now(), clock.now() + kept)


async def test_a_wish_is_claimed_under_the_name_of_the_call_that_grants_it(office, store, clock):
    """For as long as the ledger knows the call."""
    await office.call("act", {"what": "cake"}, call_id="c1")
    row = await office.ledger("c1")
    claim = await document(store, WITHIN.effect("s1", row["effectKey"]))
    expire_at = clock.now() + timedelta(days=policy.LEDGER_DAYS)
    assert claim == {"callId": "c1", "tool": "act", "at": clock.now(), "expireAt": expire_at}


async def test_a_receipt_stands_beside_the_conversation_once_per_wish(office, store, clock):
    """Where later turns find it, and who asks when it was done."""
    for call_id in ("c1", "c2"):
        await office.call("greet", {"name": "Ada"}, call_id=call_id, turn=4)
    receipts = (await document(store, WITHIN.document("sessions", "s1")))["receipts"]
    (receipt,) = receipts.values()
    assert (receipt["tool"], receipt["callId"], receipt["what"], receipt["for"]) == ("greet", "c1", "greeting", "Ada")
    assert (receipt["turn"], receipt["at"]) == (4, clock.now())


@pytest.mark.parametrize(("tool", "args"), [("look", {"times": "many"}), ("act", {})])
async def test_a_refused_call_is_given_back_to_its_turn(office, store, tool, args):
    """A corrected mistake must not cost the answer: neither the call nor, for a look-up, its own count."""
    await office.call("look", {"word": "first"}, turn=3)
    before = (await document(store, WITHIN.document("sessions", "s1")))["turns"]["3"]
    refused = await office.call(tool, args, turn=3)
    assert refused.failure.type is ErrorType.VALIDATION
    after = (await document(store, WITHIN.document("sessions", "s1")))["turns"]["3"]
    assert (after["calls"], after["retrievals"]) == (before["calls"], before["retrievals"]) == (1, 1)


@pytest.mark.parametrize(
    ("type", "partial", "late", "say", "said"),
    [
        ("PERMANENT", False, False, "", "That did not work."),
        ("PERMANENT", False, False, "My own words.", "My own words."),
        ("TRANSIENT", True, True, "", "That takes a while."),
        ("TRANSIENT", True, False, "", "Ob das geklappt hat, kann ich noch nicht sagen."),
        ("TRANSIENT", False, True, "", "That did not work."),
        ("CONFLICT", False, False, "", None),
        ("CONFLICT", False, False, "Taken.", "Taken."),
    ],
)
async def test_what_the_caller_hears_of_a_failure(office, store, type, partial, late, say, said):
    """The handler's words before the tool's; of what may have been done never that it failed; of an answer nothing."""
    answer = await office.call("stumble", {"type": type, "partial": partial, "late": late, "say": say})
    assert answer.failure.type is ErrorType(type)
    assert answer.meta.get("say") == said

"""A new version of an agent on trial: each conversation has one of the two, from its beginning to its end."""

from typing import Any

import pytest

from switchboard.catalog.offer.catalog import Options
from switchboard.channels.phone.voice import on_the_phone
from switchboard.contract.business.agent_trial import ANSWERED_BY_VERSION, AgentTrial
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.store import Set
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.record.record import record_path
from switchboard.state.memory.store import MemoryStore
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import Office
from tests.conversation.scripted import calls, says
from tests.conversation.test_conversations import parts
from tests.pipeline.conftest import BUSINESS, PATHS

SINCE = "2026-11-29T10:00:00.000Z"
OLD, NEW = {"prompt": "Be brief.", "voice": "Polly.Amy"}, {"prompt": "Ask for the dog.", "voice": "Polly.Emma"}
WITHIN = PATHS.within(BUSINESS)
BY_SHARE = AgentTrial(SINCE, 50, None, NEW)
# The ids of a conversation on each side of a trial that half of them are in.
TRYING, BESIDE = (next(f"s{n}" for n in range(99) if BY_SHARE.side_of(f"s{n}") == side) for side in ("new", "old"))


def trial(share: int = 50, **fields: Any) -> dict[str, Any]:
    return {"trial": {"since": SINCE, "share": share, "by": "Ada", "document": NEW | fields}}


async def enter(office: Office, **fields: Any) -> None:
    """Store the agent as it is from now on, and have the instance read it anew."""
    agent = {"name": "Echo", "isDefault": True, "channels": ["phone", "portal"], **OLD, **fields}
    await office.store.inner.commit([Set(WITHIN.document("agents", "echo"), agent)])
    office.instance.catalog.forget(BUSINESS)


@pytest.fixture
async def office() -> Office:
    found = Office()
    await found.store.inner.commit([Set(WITHIN.business, {"name": "Salon", "ai": {"language": "en"}})])
    return found


def facts(session: str, **more: Any) -> Any:
    return CONTEXTS[Channel.PORTAL](business_id=BUSINESS, session_id=session, turn=0, applies_intents=True, **more)


async def prompt(office: Office, session: str, **more: Any) -> str:
    """Return the instructions with which a conversation is answered now."""
    business = (await parts(office).offer(facts(session, **more))).business
    return business.prompt


async def both(office: Office) -> list[str]:
    return [await prompt(office, session) for session in (TRYING, BESIDE)]


SIDES = [NEW["prompt"], OLD["prompt"]]


@pytest.mark.requirement("004-863")
async def test_a_share_of_conversations_has_the_new_version_and_no_read_is_added_by_that(office: Office):
    await enter(office, **trial())
    assert await both(office) == SIDES
    sides = [BY_SHARE.side_of(f"call-{n}") for n in range(1000)]
    assert 420 < sides.count("new") < 580
    await office.instance.catalog.ended()
    office.store.asked.clear()
    assert await both(office) == SIDES
    assert not office.store.asked


@pytest.mark.requirement("004-863")
@pytest.mark.parametrize("share", [1, 99])
async def test_a_conversation_that_has_begun_stays_on_its_side_when_the_share_is_changed(office: Office, share: int):
    await enter(office, **trial())
    await both(office)
    await enter(office, **trial(share))
    assert await both(office) == SIDES


@pytest.mark.requirement("004-863")
async def test_one_that_began_before_the_trial_is_on_no_side_of_it(office: Office):
    await enter(office)
    await both(office)
    await enter(office, **trial(99))
    assert await both(office) == [OLD["prompt"], OLD["prompt"]]
    there = Office(office.store.inner)
    assert await both(there) == [OLD["prompt"], OLD["prompt"]]


ENDED = {
    "stopped": {"trials": [{"since": SINCE, "old": OLD, "new": NEW}]},
    "adopted": {**NEW, "trials": [{"since": SINCE, "old": OLD, "new": NEW}]},
    "changed since": {"prompt": "Something else.", "trials": [{"since": SINCE, "old": OLD, "new": NEW}]},
}


@pytest.mark.requirement("004-863")
@pytest.mark.parametrize("after", ENDED.values(), ids=ENDED)
async def test_a_call_in_whose_middle_a_trial_ends_goes_on_as_it_began_on_every_instance(office: Office, after: Any):
    """However it ended; the next call has what all have."""
    await enter(office, **trial())
    await both(office)
    await enter(office, **after)
    there = Office(office.store.inner)
    assert [await both(office), await both(there)] == [SIDES, SIDES]
    assert await prompt(office, "next") == after.get("prompt", OLD["prompt"])


@pytest.mark.requirement("004-863")
async def test_an_instance_that_has_not_read_of_a_trial_goes_on_with_a_call_of_it_as_another_began_it(office: Office):
    """It reads the business anew, once; the calls that begin there in the meantime have the old version."""
    store = office.store.inner
    await enter(office)
    there = Office(store)
    await prompt(there, "warm")
    await enter(office, **trial(99))
    assert await prompt(office, TRYING) == NEW["prompt"]
    assert await prompt(there, "meanwhile") == OLD["prompt"]
    assert await prompt(there, TRYING) == NEW["prompt"]
    assert await prompt(office, "meanwhile") == OLD["prompt"]


@pytest.mark.requirement("004-863")
async def test_a_session_that_an_earlier_release_opens_beside_a_trial_has_the_agent_as_all_have_it(office: Office):
    """That one writes no mark and knows of no trial: whoever goes on with the conversation does as it did."""
    await enter(office)
    await prompt(office, TRYING)
    await enter(office, **trial(99))
    there = Office(office.store.inner)
    assert await prompt(there, TRYING) == OLD["prompt"]


async def test_a_mark_of_a_trial_that_is_long_over_is_looked_for_once(office: Office):
    await enter(office, **trial(99))
    await prompt(office, TRYING)
    await enter(office)
    there = Office(office.store.inner)
    assert await prompt(there, TRYING) == OLD["prompt"]
    await there.instance.catalog.ended()
    there.store.asked.clear()
    assert await prompt(there, TRYING) == OLD["prompt"]
    assert not there.store.asked


@pytest.mark.requirement("004-863")
async def test_calls_of_the_tools_alone_are_on_the_same_side_and_a_redelivery_too(office: Office):
    """A tool that the new version must not use is refused there and done beside it, by whichever instance."""
    await enter(office, **trial(tools={"look": {"enabled": False, "config": {}}}))
    there = Office(office.store.inner)
    for instance in (office.instance, there.instance):
        for session, is_done in ((TRYING, False), (BESIDE, True)):
            response = await instance.call("look", session_id=session, call_id="c1", channel=Channel.PORTAL)
            assert response.ok is is_done
    rows = [(await office.instance.ledger("c1", session))["agentVersion"] for session in (TRYING, BESIDE)]
    assert rows == [f"@{BUSINESS}/echo:{SINCE}:{side}" for side in ("new", "old")]


@pytest.mark.requirement("004-864")
async def test_the_record_of_a_conversation_says_which_version_answered(office: Office):
    await enter(office, **trial())
    for session, side in ((TRYING, "new"), (BESIDE, "old")):
        conversations = Conversations(parts(office, calls(("look", {})), says("Found.")), office.interactions)
        await answer(await conversations.open(facts(session)))
        record = await office.store.get(record_path(PATHS, facts(session)))
        assert record.data[ANSWERED_BY_VERSION] == [f"@{BUSINESS}/echo:{SINCE}:{side}"]


@pytest.mark.requirement("004-864")
async def test_what_an_owner_tries_out_is_on_no_side_and_counts_on_none(office: Office):
    await enter(office, **trial(99))
    assert await prompt(office, "try_1", is_trial=True) == OLD["prompt"]
    session = await office.store.get(WITHIN.document("sessions", "try_1"))
    assert "canaries" not in session.data


@pytest.mark.requirement("004-863")
async def test_the_phone_is_answered_with_the_voice_of_the_version_that_answers(office: Office):
    """Before the first turn as after it."""
    await enter(office, **trial())
    catalog = office.instance.catalog
    tenant = await catalog.tenant(BUSINESS)
    for _ in range(2):
        voices = [on_the_phone(tenant, catalog.marks_of(tenant, session)).voice for session in (TRYING, BESIDE)]
        assert voices == ["Polly.Emma", "Polly.Amy"]
        for session in (TRYING, BESIDE):
            await catalog.get_tool_definitions(BUSINESS, Options(Channel.PHONE, session))


@pytest.mark.requirement("004-863")
@pytest.mark.parametrize(
    "broken", [{"trial": 5}, {"trial": {"since": SINCE}}, {"trial": {"share": 5, "document": {}}}, {"trials": [7, {}]}]
)
async def test_a_trial_that_cannot_be_used_costs_the_trial_alone(office: Office, broken: Any):
    await enter(office, **broken)
    assert await both(office) == [OLD["prompt"], OLD["prompt"]]


@pytest.mark.requirement("004-863")
async def test_a_trial_of_one_business_is_none_of_anothers():
    """Though both have an agent of that id, and a conversation of one id."""
    store = MemoryStore()
    office = Office(store)
    await store.commit(
        [Set(WITHIN.business, {"name": "Salon"}), Set(PATHS.within("other").business, {"name": "Other"})]
    )
    await store.commit([Set(PATHS.within("other").document("agents", "echo"), {"isDefault": True, **OLD})])
    await enter(office, **trial(99))
    for _ in range(2):
        offers = [
            await office.instance.catalog.get_tool_definitions(business, Options(Channel.PORTAL, TRYING))
            for business in (BUSINESS, "other")
        ]
        assert [offer.business.prompt for offer in offers] == [NEW["prompt"], OLD["prompt"]]
    session = await store.get(PATHS.within("other").document("sessions", TRYING))
    assert "canaries" not in session.data

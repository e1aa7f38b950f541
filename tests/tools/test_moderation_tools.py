"""flag_caller (seed 004) and ignore_user (seed 003)."""

from types import SimpleNamespace

import pytest

from switchboard.catalog.offer.inclusion import Situation, exclusion
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.error import Refused
from switchboard.contract.response import Intent, IntentType
from switchboard.desk.callers.moderation import LEAST_MINUTES, MOST_MINUTES
from tests.desk.front_desk import salon, stored
from tests.desk.reception import ANNA
from tests.tools.folder import run, schema

WHY = {"reason": "Shouted at the receptionist."}
ENDINGS = {
    Channel.PHONE: (Intent(IntentType.END_CALL, {"reason": "ignored"}),),
    Channel.BROWSER_VOICE: (Intent(IntentType.END_VOICE_SESSION, {"reason": "ignored"}),),
    Channel.PORTAL: (),
}


@pytest.fixture
def desk(reception):
    """The service that these tools use."""
    return SimpleNamespace(moderation=reception.moderation)


@pytest.mark.requirement("004-55", "004-56")
async def test_a_flag_is_stored_before_the_call_is_ended(reception, desk, store):
    """`{flagged: true, ended: true}`, and the intent that the channel applies."""
    result = await run("flag_caller", reception.phoned(), desk, WHY)
    assert result.data == {"flagged": True, "ended": True}
    assert result.intents == (Intent(IntentType.END_CALL, {"reason": "flagged"}),)
    assert result.receipt == {
        "what": "flag",
        "for": ANNA,
        "when": "2027-03-10T10:00:00-05:00",
        "effectIds": ["clr_anna"],
    }
    record = (await stored(store, "demo-salon", "callers"))["clr_anna"]
    assert (record["flagged"], record["flagReason"]) == (True, WHY["reason"])


async def test_a_withheld_number_is_not_flagged_and_the_call_ends(reception, desk):
    """Said as it is, without a receipt."""
    result = await run("flag_caller", reception.phoned(number=None), desk, WHY)
    assert (result.data, result.receipt) == ({"flagged": False, "ended": True}, None)
    assert result.intents[0].type is IntentType.END_CALL


async def test_flagging_again_is_harmless(reception, desk):
    """The latest reason stands."""
    first = await run("flag_caller", reception.phoned(), desk, WHY)
    assert await run("flag_caller", reception.phoned(), desk, WHY) == first


@pytest.mark.requirement("003-12", "003-141")
@pytest.mark.parametrize("channel", list(Channel))
async def test_who_is_ignored_is_told_until_when_and_the_conversation_ends(reception, desk, channel):
    """On every channel, as that channel ends; an hour unless another time is named."""
    ctx = reception.asking_for(channel=channel, caller_phone=ANNA)
    result = await run("ignore_user", ctx, desk, WHY)
    assert result.data == {"ignored": True, "until": "2027-03-10T11:00:00-05:00", "ended": True}
    assert result.intents == ENDINGS[channel]
    assert result.receipt["effectIds"] == []
    day = await run("ignore_user", ctx, desk, WHY | {"duration_minutes": 1_440})
    assert day.data["until"] == "2027-03-11T10:00:00-05:00"
    assert await reception.moderation.turned_away(ctx.paths, ctx.facts, ctx.now)


@pytest.mark.requirement("003-12")
@pytest.mark.parametrize("minutes", [LEAST_MINUTES - 1, MOST_MINUTES + 1, 7.5, "for ever"])
async def test_a_duration_out_of_bounds_is_refused(reception, desk, store, minutes):
    """Before anything runs."""
    store.asked.clear()
    with pytest.raises(Refused):
        await run("ignore_user", reception.phoned(), desk, WHY | {"duration_minutes": minutes})
    assert not store.asked


@pytest.mark.parametrize("name", ["flag_caller", "ignore_user"])
@pytest.mark.parametrize("arguments", [{}, {"reason": ""}, WHY | {"phone": "+15185550163"}, WHY | {"caller_id": "x"}])
async def test_nobody_can_be_named(reception, desk, store, name, arguments):
    """Whoever is calling is meant: a model cannot be talked into harming somebody else."""
    try:
        await run(name, reception.phoned(), desk, arguments)
    except Refused:
        pass
    else:
        # A trusted fact that a model sends is dropped, not followed.
        assert arguments.keys() & {"caller_id"}
    records = await stored(store, "demo-salon", "callers")
    touched = {id for id, record in records.items() if record.get("flagged") or record.get("blockedUntil")}
    assert touched <= {"clr_anna"}


def test_a_flag_is_for_the_phone_and_a_block_for_every_channel():
    """Seed 004 ("Conditional Inclusion") and seed 003 ("Current Tools"); their bounds agree with the desk's."""
    flag, block = (read_definition(name, schema(name)) for name in ("flag_caller", "ignore_user"))
    for channel in Channel:
        assert (exclusion(flag, Situation(salon(), channel)) is None) is (channel is Channel.PHONE)
        assert exclusion(block, Situation(salon(), channel)) is None
    duration = schema("ignore_user")["parameters"]["properties"]["duration_minutes"]
    assert (duration["minimum"], duration["maximum"]) == (LEAST_MINUTES, MOST_MINUTES)
    assert (flag.is_repeatable, block.is_repeatable) == (True, True)

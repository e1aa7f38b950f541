"""What a business or an agent sets of the limits of a turn: within the platform's greatest, or told otherwise."""

import pytest

from switchboard.contract.business.agent import read_agent
from switchboard.contract.business.business import read_business
from switchboard.contract.business.limits import FIELDS, bounds, over, policy_on, read_limits, table
from switchboard.contract.channel import Channel
from switchboard.contract.policy import CHANNEL_POLICY, GREATEST


@pytest.mark.requirement("003-443")
def test_what_is_set_holds_on_its_channel_and_all_else_is_as_the_house_says():
    limits = {"phone": {"lookUpsPerTurn": 1, "lookUpMsPerTurn": 2_500}}
    business = read_business("salon", {"timezone": "UTC", "limits": limits})
    phone = business.policy_on(Channel.PHONE)
    assert (phone.retrieval_calls_per_turn, phone.retrieval_ms_per_turn) == (1, 2_500)
    assert phone.calls_per_turn == CHANNEL_POLICY[Channel.PHONE].calls_per_turn
    assert business.policy_on(Channel.PORTAL) == CHANNEL_POLICY[Channel.PORTAL]
    assert business.problems == ()


def test_an_agent_comes_before_its_business():
    own, _ = read_limits({"phone": {"lookUpsPerTurn": 4, "callsPerTurn": 6}})
    agent = read_agent("ada", {"limits": {"phone": {"lookUpsPerTurn": 3}}})
    found = policy_on(Channel.PHONE, over(own, agent.limits))
    assert (found.retrieval_calls_per_turn, found.calls_per_turn) == (3, 6)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"phone": {"lookUpsPerTurn": 7}}, "limits.phone.lookUpsPerTurn: must be a whole number from 1 to 6"),
        ({"phone": {"actionMs": 99}}, "limits.phone.actionMs: must be a whole number from 100 to 8000"),
        ({"phone": {"lookUpMsPerTurn": True}}, "must be a whole number from 100 to 3000"),
        ({"portal": {"callsPerTurn": 2.5}}, "must be a whole number from 1 to 20"),
        ({"phone": {"lookups": 3}}, "there is no limit of that name; use lookUpsPerTurn"),
        ({"fax": {}}, "limits.fax: expected numbers by name for one of phone"),
        ({"phone": 5}, "limits.phone: expected numbers by name"),
        ([5], "limits: expected an object"),
    ],
)
def test_what_cannot_be_used_is_left_out_and_told(limits, told):
    """The rest of the business stays on the air."""
    business = read_business("salon", {"limits": limits})
    assert any(told in problem for problem in business.problems), business.problems
    assert business.policy_on(Channel.PHONE) == CHANNEL_POLICY[Channel.PHONE]


@pytest.mark.parametrize(
    ("part", "whole", "numbers"),
    [("lookUpsPerTurn", "callsPerTurn", (6, 1)), ("lookUpMs", "lookUpMsPerTurn", (900, 800))],
)
def test_what_is_never_had_is_told(part, whole, numbers):
    """More of a part than of the whole, which ends it first; as much is fine, and each alone."""
    found, problems = read_limits({"phone": {part: numbers[0], whole: numbers[1]}})
    assert len(found) == 2
    assert problems == [
        f"limits.phone.{part}: {numbers[0]} is never had, since {whole} is {numbers[1]}; lower it, or raise {whole}"
    ]
    assert read_limits({"phone": {part: numbers[1], whole: numbers[1]}})[1] == []
    assert read_limits({"phone": {part: numbers[0]}, "portal": {whole: numbers[1]}})[1] == []


@pytest.mark.requirement("004-644")
@pytest.mark.parametrize(
    ("limits", "calls", "ms"),
    [
        ({"lookUpsPerTurn": 5}, 6, 1_000),
        ({"lookUpsPerTurn": 6}, 7, 1_000),
        ({"lookUpsPerTurn": 1}, 3, 1_000),
        ({"lookUpMs": 1_500}, 3, 1_700),
        ({"lookUpsPerTurn": 5, "callsPerTurn": 8}, 8, 1_000),
        ({"callsPerTurn": 2}, 2, 1_000),
    ],
)
def test_a_part_that_is_set_alone_is_had(limits, calls, ms):
    """The whole follows it where nobody sets it, with the room beside it that there was; one that is set stays."""
    policy = read_business("salon", {"limits": {"phone": limits}}).policy_on(Channel.PHONE)
    assert (policy.calls_per_turn, policy.retrieval_ms_per_turn) == (calls, ms)
    assert read_limits({"phone": limits})[1] == []


@pytest.mark.requirement("004-644")
def test_an_agents_part_that_its_business_does_not_let_it_have_is_told():
    """The business set the whole."""
    business, _ = read_limits({"phone": {"callsPerTurn": 4}})
    told = "limits.phone.lookUpsPerTurn: 5 is never had, since callsPerTurn is 4 for the whole business; lower it, or "
    assert read_limits({"phone": {"lookUpsPerTurn": 5}}, business)[1] == [f"{told}raise callsPerTurn"]
    assert read_limits({"phone": {"lookUpsPerTurn": 5, "callsPerTurn": 6}}, business)[1] == []
    assert read_limits({"portal": {"lookUpsPerTurn": 5}}, business)[1] == []


def test_the_platforms_greatest_is_nowhere_less_than_what_there_is_without_any():
    for channel in Channel:
        for name, field in FIELDS.items():
            assert bounds(channel, name)[0] <= getattr(CHANNEL_POLICY[channel], field)
            assert getattr(CHANNEL_POLICY[channel], field) <= getattr(GREATEST[channel], field)
    assert table()["phone"]["lookUpsPerTurn"] == {"usual": 2, "least": 1, "greatest": 6}

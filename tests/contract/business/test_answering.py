"""Which agent answers a channel where none is named."""

import pytest

from switchboard.contract.business.agent import Agent, answering, in_question
from switchboard.contract.channel import Channel

pytestmark = pytest.mark.requirement("004-2003")

ECHO = Agent("echo", is_default=True, channels=(Channel.PHONE, Channel.BROWSER_VOICE))
PIP = Agent("pip", channels=(Channel.PORTAL, Channel.PHONE))
ZOE = Agent("zoe", channels=(Channel.PORTAL,))


def test_the_default_agent_answers_on_its_channels_before_all_others() -> None:
    """The others answer there after a handover."""
    assert answering([PIP, ECHO], Channel.PHONE) is ECHO
    assert answering([PIP, ECHO], Channel.BROWSER_VOICE) is ECHO


def test_where_the_default_agent_does_not_answer_the_one_that_says_so_does() -> None:
    """Of several it is the first by id, in whatever order they come."""
    assert answering([ECHO, PIP], Channel.PORTAL) is PIP
    assert answering([ZOE, ECHO, PIP], Channel.PORTAL) is PIP
    assert in_question([ZOE, ECHO, PIP], Channel.PORTAL) == [PIP, ZOE]
    assert in_question([ZOE, ECHO, PIP], Channel.PHONE) == [ECHO]


def test_where_no_agent_says_that_it_answers_none_does() -> None:
    """Every tool is there then, as without agents."""
    assert answering([ECHO], Channel.PORTAL) is None
    assert answering([], Channel.PHONE) is None
    assert answering([PIP, ZOE], Channel.PORTAL) is None

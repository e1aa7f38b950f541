"""How far a voice can have come, at the very most."""

import pytest

from switchboard.conversation.speech.bridging import CHARACTERS_PER_S
from switchboard.conversation.speech.playhead import FASTEST_CHARACTERS_PER_S, HEARD_SHARE, Playhead
from tests.desk.front_desk import StoppedClock

pytestmark = pytest.mark.requirement("004-2451")
QUESTION = "Shall I cancel your Haircut appointment with Rosa on Thursday, December 3 at 10:00 AM, for Miguel Santos?"
LASTS_S = len(QUESTION) / FASTEST_CHARACTERS_PER_S


@pytest.fixture
def clock():
    return StoppedClock()


def test_nothing_that_was_sent_has_been_heard_at_once(clock):
    """A second later a voice has said a quarter of it at most."""
    playhead = Playhead(clock.now)
    playhead.add(QUESTION)
    assert not playhead.can_have_played(QUESTION)
    clock.wait(1)
    assert not playhead.can_have_played(QUESTION)


def test_no_voice_that_people_hear_is_too_slow_for_an_honest_yes(clock):
    """Whoever answers at two thirds of a question that is spoken as usual has more than a second left."""
    playhead = Playhead(clock.now)
    playhead.add(QUESTION)
    clock.wait(HEARD_SHARE * len(QUESTION) / CHARACTERS_PER_S - 1)
    assert playhead.can_have_played(QUESTION)


def test_what_was_sent_before_is_played_before(clock):
    """A question waits for the words that lead to it, and not for those that were long over."""
    playhead = Playhead(clock.now)
    playhead.add("One moment, please.")
    clock.wait(60)
    playhead.add(QUESTION)
    assert not playhead.can_have_played(QUESTION)
    clock.wait(LASTS_S)
    assert playhead.can_have_played(QUESTION)
    playhead.add(QUESTION)
    playhead.add(QUESTION)
    clock.wait(LASTS_S)
    assert not playhead.can_have_played(QUESTION)
    clock.wait(LASTS_S)
    assert playhead.can_have_played(QUESTION)


def test_who_spoke_before_it_began_answers_something_else(clock):
    """However long they went on."""
    playhead = Playhead(clock.now)
    playhead.add(QUESTION)
    clock.wait(LASTS_S)
    assert playhead.can_have_played(QUESTION, LASTS_S - 0.1)
    assert not playhead.can_have_played(QUESTION, LASTS_S + 0.1)


def test_where_nothing_is_known_of_what_was_played_nothing_is_refused(clock):
    """The question was asked by another instance."""
    assert Playhead(clock.now).can_have_played(QUESTION)

"""People hum while they listen: for what cannot be taken back that is no yes."""

from datetime import UTC, datetime

import pytest

from switchboard.pipeline.confirmation.approvals import answered
from switchboard.pipeline.confirmation.asked_call import AskedCall
from switchboard.pipeline.confirmation.consent import Said
from switchboard.pipeline.confirmation.hums import is_hum
from switchboard.pipeline.confirmation.pending_call import PendingCall

pytestmark = pytest.mark.requirement("004-2452")
NOW = datetime(2027, 3, 10, 15, 0, tzinfo=UTC)
HUMS = ("mhm", "Mm-hmm.", "uh-huh", "Uh huh", "hm", "mmhmm", "hum hum", "ajá", "uhum")


def reply(text, deed, *joint):
    others = tuple(AskedCall(f"t{n}", f"k{n}", "Shall I?", (other,)) for n, other in enumerate(joint))
    call = PendingCall("tool", "key", "Shall I cancel it?", 1, NOW, deeds=(deed,), joint=others)
    return answered(Said(text, "en"), call, NOW)


@pytest.mark.parametrize("text", HUMS)
def test_a_hum_alone_cancels_nothing(text):
    """It is asked once more, and a word decides."""
    assert is_hum(text)
    assert reply(text, "cancelled") == "unclear"
    assert reply(text, "booked", "booked", "cancelled") == "unclear"


def test_a_hum_is_a_yes_to_what_can_be_taken_back():
    """As it was."""
    assert reply("mhm", "booked") == "yes"


@pytest.mark.parametrize("text", ["yes", "mhm, yes", "mm-hmm yes please", "okay"])
def test_a_word_beside_a_hum_agrees(text):
    """It is no hum alone."""
    assert not is_hum(text)
    assert reply(text, "cancelled") == "yes"

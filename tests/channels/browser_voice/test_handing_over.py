"""A conversation in the browser that another agent takes over: what the page is told, and where nobody can."""

import pytest

from switchboard.channels.browser_voice.vendor_sessions import VendorSession
from switchboard.channels.portal.events import EventView, Showing
from switchboard.contract.context import BrowserVoiceContext
from switchboard.contract.response import Intent, IntentType
from switchboard.conversation.event import Effect
from switchboard.conversation.session import CallSession, Successor
from tests.conversation.conftest import Notes

KNOWN = BrowserVoiceContext(business_id="salon", session_id="s1", turn=0, applies_intents=True)


@pytest.mark.requirement("002-20")
def test_the_page_is_told_who_goes_on_and_in_which_language_and_no_id():
    """So that it listens and speaks in that language."""
    payload = {"agentId": "billing", "name": "Billing", "language": "de"}
    shown = Showing().of(Effect(Intent(IntentType.SWITCH_AGENT, payload)), 1)
    told = {"type": "SWITCH_AGENT", "payload": {"name": "Billing", "language": "de"}}
    assert shown == [EventView("intent", told)]


@pytest.mark.requirement("002-20")
def test_a_vendors_live_model_cannot_be_taken_over():
    """It has its tools and its words for as long as it is connected; its calls say so, and the tool is not offered."""
    talk = VendorSession(CallSession(KNOWN), Notes())
    context = talk.turn_context(KNOWN)
    assert (context.applies_intents, context.agent_id) == (False, None)


def test_a_vendors_live_model_goes_on_as_whoever_has_taken_over_before():
    """The caller had spoken with the browser's own means, and somebody else answers since."""
    talk = VendorSession(CallSession(KNOWN, successor=Successor("billing", "Billing", "de")), Notes())
    assert talk.turn_context(KNOWN).agent_id == "billing"

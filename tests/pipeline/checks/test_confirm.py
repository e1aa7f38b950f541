"""CONFIRMATION_REQUIRED: the check that keeps a call from running until a person has agreed to it."""

import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from switchboard.catalog.arguments.arguments import ArgumentReader
from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.contract.business.business import Business
from switchboard.contract.call import arguments_hash, effect_key
from switchboard.contract.channel import Channel
from switchboard.contract.context import PhoneContext, StaffMember
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.response import ToolResponse
from switchboard.pipeline.checks.confirm import confirm
from switchboard.pipeline.result.outcome import failed

BUSINESS = Business("salon", language="de-AT", timezone=ZoneInfo("Europe/Vienna"))
SCHEMA = {
    "type": "object",
    "properties": {"start": {"type": "string", "format": "date-time"}, "what": {"type": "string"}},
}
SENT = {"start": "2027-03-16T14:00:00+00:00", "what": "Haarschnitt"}
QUESTION = "Soll ich Haarschnitt am Dienstag, 16. März um 15:00 Uhr buchen?"
TOOL = Definition(
    "book",
    "calendar",
    Kind.ACTION,
    "",
    SCHEMA,
    confirm=True,
    read_back={"de": "Soll ich {{what}} am {{start}} buchen?"},
)


def case(**changes: Any) -> Any:
    """Return what the check looks at: a valid call that nobody has agreed to yet."""
    known = {
        "definition": TOOL,
        "is_approved": False,
        "proposal": None,
        "wish_granted": None,
        "arguments": ArgumentReader(SCHEMA).read(SENT, BUSINESS.timezone),
        "business": BUSINESS,
        "language": BUSINESS.language,
        "call": SimpleNamespace(name="book"),
        "tool": None,
        "facts": SimpleNamespace(staff=None, turn=3),
        "beside": (),
        "now": datetime(2027, 3, 10, 15, 0, tzinfo=UTC),
    }
    return SimpleNamespace(**known | changes)


def refusal(**changes: Any) -> Refused:
    with pytest.raises(Refused) as refused:
        confirm(case(**changes))
    return refused.value


@pytest.mark.requirement("003-134")
def test_a_tool_that_requires_confirmation_does_not_run_on_its_first_call():
    """The answer is the question to put to the caller, for the model and for the caller's ear."""
    refused = refusal()
    assert refused.type is ErrorType.CONFIRMATION_REQUIRED
    assert refused.say == QUESTION
    assert refused.meta == {"readBack": QUESTION, "expiresInS": 120.0, "turn": 3}
    assert QUESTION in refused.message
    assert refused.retryable is False
    json.dumps(refused.meta)


def test_the_question_reaches_the_caller_and_a_refusal_without_one_says_nothing():
    """What is spoken stands in `meta.say`; the words for the model are never read aloud instead."""
    asked, silent = refusal(), Refused(ErrorType.LOOP_DETECTED, "Do something else.")
    known = case(
        call=SimpleNamespace(name="book"),
        began_at=0.0,
        tool=None,
        offer=SimpleNamespace(catalog_version="1", ways_out=lambda *_: Alternatives(Channel.PHONE)),
        facts=PhoneContext(business_id="salon", session_id="s1"),
    )
    for error, say in ((asked, QUESTION), (silent, None)):
        outcome = failed(known, error)
        assert (outcome.state, outcome.response.meta.get("say")) == ("refused", say)
        assert outcome.response.failure is not None and not outcome.response.failure.partial_side_effects


@pytest.mark.requirement("003-135")
def test_the_refusal_holds_nothing_that_could_approve_the_call():
    """Neither the key nor the hash that an approval is bound to: a model must not be able to approve for itself."""
    refused = refusal()
    shown = json.dumps([refused.message, refused.say, dict(refused.meta), refused.detail])
    canonical = case().arguments.canonical
    assert arguments_hash("book", canonical) not in shown
    assert effect_key("salon", "s1", "book", canonical)[:12] not in shown
    assert "token" not in shown.lower()


@pytest.mark.requirement("003-136")
def test_an_approved_call_passes():
    """What admission found out is all that counts."""
    confirm(case(is_approved=True))


@pytest.mark.parametrize(
    "changes",
    [
        {"definition": Definition("book", "calendar", Kind.ACTION, "", {})},
        {"definition": None},
        {"wish_granted": ToolResponse(data={})},
    ],
    ids=["no confirmation", "unknown tool", "carried out before"],
)
def test_nothing_is_asked_where_nothing_needs_a_yes(changes):
    """Tools without `confirm`, and a wish whose receipt is only given again."""
    confirm(case(**changes))


@pytest.mark.parametrize("approved", ["true", True, "yes"])
def test_what_a_model_writes_is_no_approval(approved):
    """An argument is an argument, whatever it is called."""
    schema = {"type": "object", "properties": {"is_approved": {}, "confirmed": {}, "token": {}}}
    sent = {"is_approved": approved, "confirmed": approved, "token": approved}
    refusal(arguments=ArgumentReader(schema).read(sent, BUSINESS.timezone))


def test_who_does_it_at_the_business_s_own_desk_is_asked_for_no_yes():
    """They have said so by doing it."""
    facts = SimpleNamespace(**{**vars(case().facts), "staff": StaffMember(id="user:1", name="Ana", role="owner")})
    confirm(case(facts=facts))

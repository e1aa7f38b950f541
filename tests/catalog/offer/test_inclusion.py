"""Which conditions keep a tool from being offered: the table of seed 004, row by row."""

import pytest

from switchboard.catalog.offer.inclusion import (
    Situation,
    conditions,
    exclusion,
    integration_of,
    is_condition,
    vocabulary,
)
from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.contract.business.agent import read_agent
from switchboard.contract.business.business import read_business
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import read_definition
from tests.each import each

NOTHING = {}
ZONE = {"timezone": "UTC"}
GOOGLE = {"integrations": {"googleCalendar": {"isConnected": True}}}
GOOGLE_GONE = {"integrations": {"googleCalendar": {"isConnected": True, "needsReauth": True}}}
GOOGLE_OFF = {"integrations": {"googleCalendar": {"isConnected": False}}}
BUILTIN = {"integrations": {"builtinCalendar": {"isConnected": True}}}
TRANSFER = {"escalation": {"rules": [{"action": "transfer"}]}}
MESSAGE = {"escalation": {"rules": [{"action": "message"}]}}
RECORDS = {"features": {"records": True}}
CALENDAR_TOOLS = ["check_availability", "book_appointment", "lookup_appointment", "cancel_appointment"]
VERIFICATION_TOOLS = ["verify_caller", "send_verification_code", "check_verification_code"]
PHONE, PORTAL, VOICE = Channel.PHONE, Channel.PORTAL, Channel.BROWSER_VOICE


def definition(name, category, **fields):
    words = {"category": category, "description": "d", "parameters": {"type": "object"}, "kind": "action"}
    return read_definition(name, words | fields)


def offered(tool, business, channel=PHONE, **situation):
    data = read_business("b", ZONE | business) if business is not None else None
    return exclusion(tool, Situation(data, channel, **situation)) is None


PHONE_TOOLS = ("end_call", "flag_caller", "send_portal_link", "close_portal_page")
SEED_TABLE = [
    *[(n, "calendar", b, PORTAL, b in (GOOGLE, BUILTIN)) for n in CALENDAR_TOOLS for b in (NOTHING, GOOGLE, BUILTIN)],
    *[(n, "calendar", b, PHONE, False) for n in CALENDAR_TOOLS for b in (GOOGLE_GONE, GOOGLE_OFF)],
    *[(n, "verification", b, PHONE, b is GOOGLE) for n in VERIFICATION_TOOLS for b in (NOTHING, GOOGLE)],
    *[("transfer_call", "phone", b, PHONE, b is TRANSFER) for b in (NOTHING, TRANSFER, MESSAGE)],
    *[("send_sms", "phone", b, PHONE, b is MESSAGE) for b in (NOTHING, TRANSFER, MESSAGE)],
    *[("search_knowledge", "knowledge", NOTHING, c, True) for c in Channel],
    *[(n, "phone", NOTHING, c, c is PHONE) for n in PHONE_TOOLS for c in Channel],
    *[("get_policies", "records", b, PORTAL, b is RECORDS) for b in (NOTHING, RECORDS)],
]


@pytest.mark.requirement(
    "004-24", "004-25", "004-26", "004-27", "004-28", "004-29", "004-30", "004-31", "004-32", "004-33", "004-34"
)
@pytest.mark.requirement("004-35", "004-36")
@each(("name", "category", "business", "channel", "expected"), SEED_TABLE)
def test_a_category_alone_brings_the_conditions_of_the_seeds_table(name, category, business, channel, expected):
    """Seed 004, "Conditional Inclusion": a document that has only a category."""
    assert offered(definition(name, category), business, channel) is expected


@pytest.mark.parametrize(
    ("condition", "met_by"),
    [
        ("integration:googleCalendar", GOOGLE),
        ("integration:calendar", BUILTIN),
        ("escalation:transfer", TRANSFER),
        ("escalation:message", MESSAGE),
        ("feature:records", RECORDS),
    ],
)
def test_each_condition_about_the_business_decides_by_itself(condition, met_by):
    """Met where the business has it, unmet where it has not or could not be read; always with a reason."""
    tool = definition("t", "general", requires=[condition])
    assert offered(tool, met_by)
    assert not offered(tool, NOTHING)
    why = exclusion(tool, Situation(None, PHONE))
    assert (why.condition, why.reason) == (condition, "the business could not be read")


def test_the_builtin_calendar_does_not_pass_for_googles():
    """`integration:googleCalendar` means that very integration; `integration:calendar` means either."""
    assert not offered(definition("t", "general", requires=["integration:googleCalendar"]), BUILTIN)


def test_conditions_about_channel_session_and_agent_look_at_the_conversation():
    """They need nothing of the business."""
    assert offered(definition("t", "general", requires=["channel:portal"]), NOTHING, PORTAL)
    assert not offered(definition("t", "general", requires=["channel:portal"]), NOTHING, VOICE)
    assert offered(definition("t", "general", requires=["session:verified"]), NOTHING, is_verified=True)
    assert not offered(definition("t", "general", requires=["session:verified"]), NOTHING)
    assert offered(definition("t", "general", requires=["agent:attached"]), NOTHING, attached=frozenset({"t"}))
    assert not offered(definition("t", "general", requires=["agent:attached"]), NOTHING, attached=frozenset())
    assert not offered(definition("t", "general", requires=["agent:attached"]), NOTHING)


@pytest.mark.requirement("000-59")
def test_a_tool_can_be_switched_off_by_its_definition_by_the_business_and_by_publication():
    """Each of the three says so in its own words."""
    tool = definition("t", "general")
    off = definition("t", "general", enabled=False)
    business = read_business("b", {})
    assert exclusion(off, Situation(business, PHONE)).condition == "definition:enabled"
    assert not offered(tool, {"enabledTools": ["other"]})
    assert offered(tool, {"enabledTools": ["t"]})
    assert exclusion(tool, Situation(business, PHONE, published={})).condition == "definition:enabled"
    assert exclusion(tool, Situation(business, PHONE, published={"t": off})).condition == "definition:enabled"


def test_a_tool_is_not_offered_on_a_channel_its_definition_does_not_name():
    """`channels` is a condition of its own, with its own reason."""
    tool = definition("t", "general", channels=["portal"])
    assert exclusion(tool, Situation(read_business("b", {}), PHONE)).reason == "only offered on portal"
    spoken = definition("t", "general", channels=["browser_voice"])
    assert exclusion(spoken, Situation(read_business("b", {}), PHONE)).reason == "only offered on browser voice"


@pytest.mark.requirement("004-642")
def test_what_writes_is_not_offered_to_an_agent_that_is_not_there():
    """Who it was may have been kept from it; looking up, ending and putting through go on in the middle of a call."""
    gone = {"no_agent": "The business 'b' has no agent 'narow'."}
    assert not offered(definition("book", "general", kind="action"), NOTHING, **gone)
    assert offered(definition("leave", "general", kind="action", writes=False), NOTHING, **gone)
    assert offered(definition("look", "general", kind="retrieval"), NOTHING, **gone)
    why = exclusion(definition("book", "general", kind="action"), Situation(None, PHONE, **gone))
    assert (why.condition, why.reason) == ("agent:there", "The business 'b' has no agent 'narow'")


def test_a_business_without_agents_says_so_of_one_that_is_named():
    """And one that is not named is none that is missing."""
    tenant = Tenant(read_business("b", {}))
    assert tenant.no_agent("ada") == "The business 'b' has no agent 'ada'. It has no agents."
    assert tenant.no_agent(None) == ""


def test_write_tools_go_first_when_the_store_is_away():
    """A booking nobody can record must not be offered; reading and hanging up still are."""
    business = read_business("b", {})
    away = Situation(business, PHONE, writes_allowed=False)
    assert exclusion(definition("t", "general"), away).condition == "store:reachable"
    assert exclusion(definition("t", "general", kind="retrieval"), away) is None
    assert exclusion(definition("t", "general", writes=False), away) is None


BOTH = {"integrations": GOOGLE["integrations"] | BUILTIN["integrations"]}
SLACK = {"toolkit": "slack"}


@each(
    ("category", "fields", "business", "expected"),
    [
        ("calendar", {}, GOOGLE, "googleCalendar"),
        ("verification", {}, GOOGLE, "googleCalendar"),
        ("calendar", {}, BOTH, "googleCalendar"),
        ("calendar", {}, BUILTIN, None),
        ("calendar", {}, GOOGLE_GONE, None),
        ("calendar", {}, GOOGLE_OFF, None),
        ("calendar", {}, None, None),
        ("knowledge", {}, GOOGLE, None),
        ("general", SLACK, NOTHING, "slack"),
        ("general", SLACK, None, "slack"),
        ("calendar", SLACK, GOOGLE, "slack"),
        ("general", {"toolkit": "builtinCalendar"}, BUILTIN, None),
    ],
)
def test_a_tool_depends_on_its_toolkit_or_on_the_outside_calendar_in_use(category, fields, business, expected):
    """What is built in is our own store, and has no circuit."""
    data = read_business("b", ZONE | business) if business is not None else None
    assert integration_of(definition("t", category, **fields), data) == expected


@each(
    ("chosen", "states", "expected"),
    [
        ("", "", ""),
        ("", "g b", "googleCalendar"),
        ("", "G b", None),
        ("", "b", "builtinCalendar"),
        ("googleCalendar", "b", None),
        ("googleCalendar", "G b", None),
        ("googleCalendar", "g b", "googleCalendar"),
        ("builtinCalendar", "g b", "builtinCalendar"),
        ("builtinCalendar", "G b", "builtinCalendar"),
        ("builtinCalendar", "g", None),
    ],
)
def test_the_calendar_of_a_business_has_no_stand_in(chosen, states, expected):
    """Its tools go with it (`G` is a consent that was taken back), messages are taken, and the owner reads why."""
    on = {"isConnected": True}
    known = {
        "g": ("googleCalendar", on),
        "G": ("googleCalendar", on | {"needsReauth": True}),
        "b": ("builtinCalendar", on),
    }
    integrations = dict(known[state] for state in states.split()) | ({"calendar": chosen} if chosen else {})
    business = read_business("b", ZONE | {"integrations": integrations})
    assert business.problems == ()
    situation = Situation(business, PHONE)
    book, message = definition("book_appointment", "calendar"), definition("m", "t", requires=["fallback:message"])
    assert business.usable_calendar == (expected or "")
    assert (exclusion(book, situation) is None) is bool(expected)
    assert (exclusion(message, situation) is None) is (expected is None)
    if expected is None:
        name = {"googleCalendar": "Google Calendar", "builtinCalendar": "the built-in calendar"}[business.calendar]
        is_taken_back = business.calendar == "googleCalendar" and "G" in states
        lack = "must be connected again" if is_taken_back else "is not connected"
        assert exclusion(book, situation).reason.startswith(f"{name} {lack}")


@pytest.mark.parametrize("zone", [{"timezone": "Europe/Belrin"}, {"timezonee": "Europe/Berlin"}])
def test_a_zone_that_is_not_known_is_told_as_the_reason(zone):
    """Whoever asks why nothing is booked is not sent to look for a calendar that is connected."""
    situation = Situation(read_business("b", zone | GOOGLE), PHONE)
    for condition in ("integration:calendar", "integration:googleCalendar"):
        told = exclusion(definition("t", "general", requires=[condition]), situation)
        assert "the time zone is not known" in told.reason
        assert str(next(iter(zone))) in told.reason and "connected, or" not in told.reason
    assert exclusion(definition("m", "t", requires=["fallback:message"]), situation) is None


def test_an_agent_that_may_not_use_the_calendar_has_no_other():
    """The built-in one is no stand-in for an agent either."""
    off = {"toolkits": {"googleCalendar": {"enabled": False}}}
    book = definition("book_appointment", "calendar")
    for chosen, is_there in (("googleCalendar", False), ("builtinCalendar", True)):
        business = read_business("b", ZONE | {"integrations": BOTH["integrations"] | {"calendar": chosen}})
        agent = read_agent("a", off, frozenset())
        assert (exclusion(book, Situation(business, PHONE, agent=agent)) is None) is is_there


def test_a_choice_of_no_calendar_is_told_and_the_connected_one_counts():
    """A business stays on the air with a typing error."""
    business = read_business("b", ZONE | {"integrations": BUILTIN["integrations"] | {"calendar": "outlook"}})
    assert business.usable_calendar == "builtinCalendar"
    one_of = "googleCalendar or microsoftCalendar or caldavCalendar or builtinCalendar"
    assert business.problems[0].startswith(f"integrations.calendar: 'outlook' is not {one_of};")


def test_an_open_circuit_takes_away_the_tools_of_that_integration():
    """With a condition of its own and a reason an owner understands; every other tool stays."""
    open_circuits = frozenset({"googleCalendar"})
    situation = Situation(read_business("b", ZONE | GOOGLE), PHONE, open_circuits=open_circuits)
    why = exclusion(definition("book_appointment", "calendar"), situation)
    assert (why.condition, why.reason) == (
        "circuit:googleCalendar",
        "Google Calendar keeps failing; it is tried again in seconds",
    )
    assert exclusion(definition("t", "general", **SLACK), situation) is None
    assert exclusion(definition("search_knowledge", "knowledge"), situation) is None
    assert offered(definition("book_appointment", "calendar"), BUILTIN, open_circuits=open_circuits)


def test_a_recovering_circuit_takes_nothing_away():
    """Otherwise nobody would ever try."""
    assert offered(definition("t", "calendar"), GOOGLE, recovering_circuits=frozenset({"googleCalendar"}))


def test_a_tool_may_be_offered_only_while_something_is_out_of_order():
    """`circuit:open` is met until whatever kept failing has worked again."""
    tool = definition("take_message", "message", requires=["circuit:open"])
    assert not offered(tool, GOOGLE)
    assert offered(tool, GOOGLE, open_circuits=frozenset({"googleCalendar"}))
    assert offered(tool, GOOGLE, recovering_circuits=frozenset({"googleCalendar"}))
    why = exclusion(tool, Situation(None, PHONE))
    assert why.reason == "only offered while something that the business uses is out of order"


@pytest.mark.requirement("004-46")
def test_the_vocabulary_is_closed():
    """A condition nobody can evaluate is recognised at build time and never met at run time."""
    assert all(is_condition(c.replace("<name>", "x")) for c in vocabulary())
    for nonsense in ("", "calendar", "moon:full", "escalation:fax", "channel:", "session:unverified", "circuit:x"):
        assert not is_condition(nonsense)
        assert not offered(definition("t", "general", requires=[nonsense]), GOOGLE)


def test_conditions_written_down_win_over_those_of_the_category():
    """`requires: []` means none at all."""
    assert conditions(definition("t", "calendar", requires=[])) == ()

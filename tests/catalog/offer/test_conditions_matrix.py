"""Which tool is offered when: a row for every tool, in the seeds' own words, held against every situation there is."""

import uuid

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.error import ErrorType
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.ledger.ledger import Ledger
from tests.catalog.every_situation import CATEGORIES, LEVELS, PATHS, SETTINGS, Matrix, Setting, built, by_category
from tests.each import each

BUILT = built()


def always(s: Setting) -> bool:
    return True


def never(s: Setting) -> bool:
    return False


def with_a_calendar(s: Setting) -> bool:
    return s.has_calendar


def with_a_rule_to_transfer(s: Setting) -> bool:
    return s.rules in ("transfer", "both")


def with_a_rule_to_message(s: Setting) -> bool:
    return s.rules in ("message", "both")


def with_a_rule_to_message_or_a_calendar_lost(s: Setting) -> bool:
    return with_a_rule_to_message(s) or s.calendar == "google must be connected again"


def on_the_phone(s: Setting) -> bool:
    return s.channel is Channel.PHONE


def in_the_portal(s: Setting) -> bool:
    return s.channel is Channel.PORTAL


def in_browser_voice(s: Setting) -> bool:
    return s.channel is Channel.BROWSER_VOICE


def on_the_phone_with_a_rule_to_transfer(s: Setting) -> bool:
    return on_the_phone(s) and with_a_rule_to_transfer(s)


def with_records(s: Setting) -> bool:
    return s.records


def with_records_and_a_calendar(s: Setting) -> bool:
    return s.records and s.has_calendar


def with_mail(s: Setting) -> bool:
    return s.mail


# Where it stands (a requirement, or the seed), the tool, and when it is offered.
# Seed 004, "Conditional Inclusion": the table's rows.
SEED_004 = (
    ("004-24", "check_availability", with_a_calendar),
    ("004-25", "book_appointment", with_a_calendar),
    ("004-26", "lookup_appointment", with_a_calendar),
    ("004-27", "cancel_appointment", with_a_calendar),
    # "Calendar connected (always paired with calendar tools)"
    ("004-28", "verify_caller", with_a_calendar),
    ("004-28", "send_verification_code", with_a_calendar),
    ("004-28", "check_verification_code", with_a_calendar),
    # "Escalation rules include a "transfer" action", "… a "message" action"
    ("004-29", "transfer_call", with_a_rule_to_transfer),
    ("004-30", "send_sms", with_a_rule_to_message),
    # "Always"
    ("004-31", "search_knowledge", always),
    # "Channel is "phone" only"
    ("004-32", "end_call", on_the_phone),
    ("004-33", "flag_caller", on_the_phone),
    ("004-34", "send_portal_link", on_the_phone),
    ("004-112", "close_portal_page", on_the_phone),
)
SEEDS_000_001_003 = (
    # Seed 000, "Rollout Plan", Phase 3: "Start enabling on select businesses"; otherwise "No restrictions".
    ("000", "get_latest_booking", with_records),
    ("000", "get_booking_by_id", with_records),
    ("000", "get_business_services", with_records),
    ("000", "get_working_hours", with_records),
    ("000", "get_policies", with_records),
    ("000", "get_faqs", with_records),
    # "Availability is not currently modeled": where there is a calendar `check_availability` tells it, days included.
    ("000", "get_availability", never),
    # Seed 000, "Tool Usage Policy", names rescheduling among what callers want; it needs what cancelling needs.
    ("000", "reschedule_appointment", with_a_calendar),
    # What was misheard is corrected where it was booked.
    ("000", "update_appointment", with_a_calendar),
    # Seed 001, "GoogleCalendarTool": without its access nothing can be listed or created. "EmailTool" likewise.
    ("001-74", "list_events", with_a_calendar),
    ("001-74", "create_event", with_a_calendar),
    ("001", "send_email", with_mail),
    # Seed 003, "Current Tools": "(text + voice)", "(text only)", "(voice only)".
    ("003-141", "kb_get", always),
    ("003-141", "ignore_user", always),
    ("003-16", "start_voice_session", in_the_portal),
    ("003-16", "end_voice_session", in_browser_voice),
    # The same search under seed 003's name, for a business that has chosen it: no catalog offers both names.
    ("003", "kb_search", never),
    # Seed 003, "Utility Tools": they depend on nothing.
    ("003", "extract_contacts", always),
    ("003", "format_datetime", always),
    # Seed 000, "If a tool fails": a message is offered when something is out of order, which nothing is here.
    ("000", "take_message", with_a_rule_to_message_or_a_calendar_lost),
)
# Seed 004 files it under "phone" and has it stop the Twilio handler ("Special Tool Behaviors"): its own definition says
# that there has to be a phone call to transfer, which a category does not say.
NARROWER = {"transfer_call": on_the_phone_with_a_rule_to_transfer}
# Tools of no seed: `("none", its name, where it is offered)`.
OURS = ()
ROWS = {name: rule for _, name, rule in (*SEED_004, *SEEDS_000_001_003, *OURS)} | NARROWER


@pytest.fixture(scope="module")
async def house() -> Matrix:
    """What the tools' own folders say."""
    return await Matrix.open(BUILT)


@pytest.fixture(scope="module")
async def categories() -> Matrix:
    """What a category alone brings."""
    return await Matrix.open(by_category())


def expected(rule) -> set[Setting]:
    return {setting for setting in SETTINGS if rule(setting)}


def differences(found: set[Setting], wanted: set[Setting]) -> list[str]:
    """Return a few of the situations in which the two disagree."""
    return [f"offered: {s}" for s in sorted(found - wanted, key=str)[:3]] + [
        f"missing: {s}" for s in sorted(wanted - found, key=str)[:3]
    ]


@pytest.mark.requirement(
    "004-24", "004-25", "004-26", "004-27", "004-28", "004-29", "004-30", "004-31", "004-32", "004-33", "004-34"
)
@pytest.mark.requirement("004-35", "004-36")
@each(("requirement", "name", "rule"), SEED_004)
async def test_a_category_alone_decides_as_seed_004_says(categories, requirement, name, rule):
    """In each of the situations: a stored document may have nothing else to be judged by."""
    assert differences(categories.where_offered(name), expected(rule)) == []


@pytest.mark.requirement(
    "004-24", "004-25", "004-26", "004-27", "004-28", "004-29", "004-30", "004-31", "004-32", "004-33", "004-34"
)
@pytest.mark.requirement("001-74", "003-16", "003-141")
@each(("requirement", "name", "rule"), [*SEED_004, *SEEDS_000_001_003, *OURS])
async def test_a_tool_is_offered_exactly_where_its_seed_says(house, requirement, name, rule):
    """In each of the situations: channel, calendar, rules, records, mail account, level of verification, caller."""
    assert differences(house.where_offered(name), expected(NARROWER.get(name, rule))) == []


def test_every_tool_has_a_row():
    """Nobody adds a tool without saying when it is offered, and every tool of the seeds is there."""
    assert set(BUILT.tools) == set(ROWS)
    assert set(CATEGORIES) <= set(ROWS)


def test_the_matrix_is_whole():
    """Four calendars, four sets of rules, two switches, three levels, three channels, verified or not."""
    assert len(SETTINGS) == len(set(SETTINGS)) == 4 * 4 * 2 * 2 * len(LEVELS) * 3 * 2


async def test_nothing_is_ever_offered_to_nobody(house):
    """Seed 004: whatever is disconnected, there is something that a model can do."""
    assert len(house.offers) == len(SETTINGS)
    assert all(offer.tools for offer in house.offers.values())


@pytest.mark.requirement("004-37")
@each("name", sorted(BUILT.tools))
async def test_what_is_not_offered_does_not_run(house, name):
    """Called all the same, it is refused by the same condition; one call for each channel and reason."""
    dispatcher = Dispatcher(house.catalog, Ledger(house.store, PATHS), None, PATHS, house.clock)
    reasons = {}
    for setting, offer in house.offers.items():
        why = offer.why_not(name)
        if why is not None:
            reasons.setdefault((setting.channel, why.condition), setting)
    for (channel, condition), setting in reasons.items():
        facts = CONTEXTS[channel](
            business_id=setting.business_id,
            session_id=uuid.uuid4().hex,
            call_id=uuid.uuid4().hex,
            caller_verified=setting.verified,
        )
        response = await dispatcher.execute_tool(name, {}, setting.business_id, facts)
        assert response.failure is not None
        assert response.failure.type is ErrorType.MODE_RESTRICTED
        assert (response.meta["condition"], response.failure.partial_side_effects) == (condition, False)


@pytest.mark.requirement("004-37")
async def test_a_name_that_nobody_knows_is_not_found(house):
    """NOT_FOUND, with the names that can be called."""
    setting = SETTINGS[0]
    dispatcher = Dispatcher(house.catalog, Ledger(house.store, PATHS), None, PATHS, house.clock)
    facts = CONTEXTS[setting.channel](business_id=setting.business_id, session_id="s", call_id="c")
    response = await dispatcher.execute_tool("google_calendar", {}, setting.business_id, facts)
    assert response.failure is not None
    assert response.failure.type is ErrorType.NOT_FOUND
    assert "search_knowledge" in response.failure.message

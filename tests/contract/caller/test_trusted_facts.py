"""Which facts of a call can stand in for a model's word, and how far each is trusted."""

import pytest

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.caller.trusted_facts import FACTS, Trust, provide
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context
from tests.each import each

MODEL, TOOL, SIGNALLING, VERIFIED, TENANT = Trust
SALON = read_business(
    "salon",
    {"name": "Salon", "phone": "+15185550100", "timezone": "Europe/Vienna", "twilioNumber": "+15185550199"},
)
OF_BUSINESS = {
    "business.id": "salon",
    "business.name": "Salon",
    "business.phone": "+15185550100",
    "business.timezone": "Europe/Vienna",
    "business.twilioNumber": "+15185550199",
}
OF_CALLER = {"caller_phone": "+15185550161", "caller_id": "ana"}
OF_PHONE_CALL = {"called_phone": "+15185550199", "call_sid": "CA1"}


def context(channel: Channel = Channel.PHONE, *, verified: bool = False, **facts: str) -> Context:
    """Return a context that knows everything its channel can know, unless `facts` say otherwise."""
    known = OF_CALLER | (OF_PHONE_CALL if channel is Channel.PHONE else {}) | facts
    on_file = {"verified_phone": "+15185550162"} if verified else {}
    return CONTEXTS[channel](business_id="salon", session_id="s1", caller_verified=verified, **on_file, **known)


def test_trust_grows_from_the_model_to_what_the_business_wrote_about_itself():
    """A caller can spoof a number, but neither a verification nor the business's document."""
    assert sorted([VERIFIED, MODEL, TENANT, SIGNALLING, TOOL]) == [MODEL, TOOL, SIGNALLING, VERIFIED, TENANT]
    assert VERIFIED >= SIGNALLING > MODEL
    assert MODEL <= MODEL < TENANT


def test_the_table_is_closed_and_every_fact_stands_at_its_level():
    """These facts and no others; nothing is taken from an earlier tool."""
    assert {name: list(fact.readings) for name, fact in FACTS.items()} == {
        "caller_phone": [SIGNALLING, VERIFIED],
        "called_phone": [SIGNALLING],
        "call_sid": [SIGNALLING],
        "caller_id": [VERIFIED],
        **{name: [TENANT] for name in OF_BUSINESS},
    }


@pytest.mark.parametrize("verified", [False, True])
@pytest.mark.parametrize("channel", Channel)
def test_each_channel_provides_what_it_knows(channel: Channel, verified: bool):
    """A chat has no phone call, and only a verified caller has a record."""
    facts = context(channel, verified=verified)
    of_call = OF_PHONE_CALL if channel is Channel.PHONE else dict.fromkeys(OF_PHONE_CALL)
    caller = {"caller_phone": "+15185550161", "caller_id": "ana" if verified else None}
    assert {name: provide(name, facts, SALON) for name in FACTS} == OF_BUSINESS | of_call | caller


LEVELS = [
    ("caller_phone", MODEL, False, "+15185550161"),
    ("caller_phone", SIGNALLING, False, "+15185550161"),
    ("caller_phone", VERIFIED, False, None),
    ("caller_phone", VERIFIED, True, "+15185550162"),
    ("caller_phone", TENANT, True, None),
    ("caller_id", SIGNALLING, False, None),
    ("caller_id", VERIFIED, True, "ana"),
    ("call_sid", VERIFIED, True, None),
    ("business.phone", VERIFIED, False, "+15185550100"),
]


@each(("fact", "least", "verified", "value"), LEVELS)
def test_a_fact_is_only_provided_where_it_is_trusted_enough(fact: str, least: Trust, verified: bool, value: str | None):
    """The number of the call may be anybody's; that of a verified caller is the one on file."""
    assert provide(fact, context(verified=verified), SALON, least) == value


@pytest.mark.parametrize("blank", ["", "  "])
def test_what_is_blank_is_not_known(blank: str):
    """An empty field is no fact, in a context and in a business alike."""
    facts = context(verified=True, **dict.fromkeys([*OF_CALLER, *OF_PHONE_CALL], blank))
    nobody = Business("salon", name=blank, phone=blank, twilio_number=blank)
    known = {name for name in FACTS if provide(name, facts, nobody) is not None}
    assert known == {"business.id", "business.timezone"}


def test_of_a_business_that_could_not_be_read_only_the_id_is_known():
    """Its name and time zone are not guessed; the id came with the credential."""
    known = {name: provide(name, context(), None) for name in OF_BUSINESS}
    assert known == dict.fromkeys(OF_BUSINESS) | {"business.id": "salon"}

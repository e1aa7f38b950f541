"""Transfers: to whom the owner has named, when somebody is there, and never to a number that somebody said."""

from dataclasses import replace
from datetime import UTC, datetime
from xml.etree import ElementTree

import phonenumbers
import pytest

from switchboard.contract.context import PhoneContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.escalation.transfers import Transfers, destinations
from tests.desk.front_desk import call
from tests.desk.phone_network import AWAY, CALLER, CLOSED, LOST, SENDER, MemoryPhoneNetwork, phone_salon

DESK = {"id": "front-desk", "action": "transfer", "label": "Front desk", "destination": "+15185550143"}
ROSA = {"id": "rosa", "action": "transfer", "label": "Rosa, the owner", "destination": "+1 518 555 0144"}
SUNDAY = datetime(2027, 3, 14, 15, 0, tzinfo=UTC)
EVENING = datetime(2027, 3, 10, 23, 30, tzinfo=UTC)  # a Wednesday, 18:30 in New York


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPhone(PhoneContext):
    """A phone call that our own channel carries."""

    applies_intents: bool = True


@pytest.fixture
def network(clock) -> MemoryPhoneNetwork:
    return MemoryPhoneNetwork(clock)


@pytest.fixture
def transfers(network) -> Transfers:
    return Transfers(network)


def on_phone(*rules, sid="CA1", phone=CALLER, kind=PhoneContext, business=None, **more):
    business = business or phone_salon(rules=list(rules) or [DESK])
    ctx = call(business, phone=phone, **more)
    facts = kind(business_id=business.id, session_id="s", caller_phone=phone, call_sid=sid, called_phone=SENDER)
    return replace(ctx, facts=facts)


async def failure(awaited) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await awaited
    return caught.value


@pytest.mark.requirement("002-53")
async def test_a_live_call_that_others_carry_is_redirected_to_the_destination(transfers, network):
    """This phone call and no other; the person who answers sees who is calling."""
    transfer = await transfers.transfer(on_phone(), "front-desk")
    ((sid, twiml),) = network.redirected
    dial = ElementTree.fromstring(twiml).find("Dial")
    assert (sid, [number.text for number in dial]) == ("CA1", ["+15185550143"])
    assert dial.attrib == {"callerId": CALLER, "timeout": "20", "answerOnBridge": "true"}
    assert (transfer.destination.label, transfer.applied, transfer.fallback) == ("Front desk", True, None)


@pytest.mark.parametrize(
    "ctx",
    [
        on_phone(kind=OwnPhone),
        on_phone(sid=""),
        on_phone(business=phone_salon(isConnected=False, rules=[DESK])),
    ],
)
async def test_otherwise_the_channel_puts_the_call_through(transfers, network, ctx):
    """Our own channel, an unknown call, or no account: the intent is all there is."""
    transfer = await transfers.transfer(ctx, "front-desk")
    assert (transfer.applied, transfer.destination.number, network.redirected) == (False, "+15185550143", [])


@pytest.mark.parametrize("error", [LOST, AWAY, CLOSED])
async def test_a_call_that_could_not_be_redirected_is_not_said_to_be(transfers, network, error):
    """The network's failure is the tool's: nothing is claimed."""
    network.fail(error)
    assert await failure(transfers.transfer(on_phone(), "front-desk")) is error


@pytest.mark.parametrize(
    ("wanted", "label"),
    [
        ("front-desk", "Front desk"),
        (" Front  Desk ", "Front desk"),
        ("ROSA", "Rosa, the owner"),
        ("Rosa, the owner", "Rosa, the owner"),
    ],
)
async def test_a_destination_is_named_by_its_id_or_its_label(transfers, wanted, label):
    """However it is spelt."""
    assert (await transfers.transfer(on_phone(DESK, ROSA), wanted)).destination.label == label


async def test_a_label_is_folded_as_what_was_said_is(transfers):
    """An owner's blanks and composed letters are no reason not to put somebody through."""
    bar = {**DESK, "id": "bar", "label": "Cafe\u0301  Bar"}
    found = await transfers.transfer(on_phone(bar, ROSA), "café bar")
    assert found.destination.id == "bar"


@pytest.mark.parametrize(
    "wanted", ["+15185550143", "+19005550123", "911", "sip:x@example.com", "client:x", "front-desk;+1900", "", "desk"]
)
async def test_no_number_can_be_dialled_that_somebody_said(transfers, network, wanted):
    """Not even one that is on the list; the ids and labels there are are named."""
    error = await failure(transfers.transfer(on_phone(DESK, ROSA), wanted))
    assert error.type is ErrorType.NOT_FOUND
    assert all(word in error.message for word in ("front-desk (Front desk)", "rosa (Rosa, the owner)"))
    assert network.redirected == []


async def test_the_only_destination_need_not_be_named_and_of_several_one_must(transfers):
    """VALIDATION names them."""
    assert (await transfers.transfer(on_phone(), None)).destination.id == "front-desk"
    error = await failure(transfers.transfer(on_phone(DESK, ROSA), None))
    assert (error.type, "rosa" in error.message) == (ErrorType.VALIDATION, True)


@pytest.mark.parametrize(
    ("hours", "label"),
    [
        (({}, {"monday": [{"open": "10:00", "close": "12:00"}]}), "Rosa, the owner"),
        (
            ({"monday": {"open": "09:00", "close": "12:00"}}, {"monday": {"open": "10:00", "close": "12:00"}}),
            DESK["label"],
        ),
        (
            ({"tuesday": {"open": "09:00", "close": "12:00"}}, {"monday": {"open": "10:00", "close": "12:00"}}),
            ROSA["label"],
        ),
        (({}, {}), "Front desk"),
    ],
)
async def test_where_nobody_is_there_nobody_need_be_chosen(transfers, network, hours, label):
    """CONFLICT says who will be there first, and when; there is nobody to choose from."""
    rules = [rule | {"hours": own} for rule, own in zip((DESK, ROSA), hours, strict=True)]
    error = await failure(transfers.transfer(on_phone(*rules, now=SUNDAY), None))
    assert (error.type, error.meta["label"], error.meta["alternatives"]) == (ErrorType.CONFLICT, label, [])
    assert error.message.startswith(f"{label} is not there now")
    assert ("will be from" in error.message) is any(hours)
    assert network.redirected == []


def test_every_number_that_may_be_dialled_is_an_ordinary_one():
    """Whatever stands in a rule, in every country and of every kind: what is left is never premium or out of space."""
    ordinary = {phonenumbers.PhoneNumberType.to_string(kind) for kind in (0, 1, 2, 3, 6)}
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        examples = [phonenumbers.example_number_for_type(region, kind) for kind in range(11)]
        numbers = [phonenumbers.format_number(number, 0) for number in examples if number]
        tricks = [f"{number},,9" for number in numbers] + [f"sip:{number}@example.com" for number in numbers]
        rules = [{**DESK, "id": text, "destination": text} for text in numbers + tricks]
        for found in destinations(phone_salon(rules=rules)):
            kind = phonenumbers.number_type(phonenumbers.parse(found.number))
            assert phonenumbers.PhoneNumberType.to_string(kind) in ordinary
            assert found.id in numbers


async def test_rules_that_lead_nowhere_or_back_here_are_left_out(transfers):
    """Unusable numbers, our own, and the caller's; without any left it is PERMANENT."""
    rules = [{**DESK, "id": number, "destination": number} for number in (SENDER, CALLER, "+19005550123", None)]
    error = await failure(transfers.transfer(on_phone(*rules), None))
    assert error.type is ErrorType.PERMANENT
    assert (await transfers.transfer(on_phone(*rules, ROSA), None)).destination.id == "rosa"


async def test_rules_without_an_id_can_be_chosen_all_the_same(transfers):
    """By their place and by their label."""
    rules = [{key: value for key, value in rule.items() if key != "id"} for rule in (DESK, ROSA)]
    assert (await transfers.transfer(on_phone(*rules), "transfer-2")).destination.label == "Rosa, the owner"


@pytest.mark.parametrize(
    ("hours", "now", "is_there"),
    [
        (None, SUNDAY, False),
        ("always", SUNDAY, True),
        ("business", SUNDAY, False),
        ("business", EVENING, False),
        ("whenever", SUNDAY, False),
        ({"sunday": [{"open": "10:00", "close": "12:00"}]}, SUNDAY, True),
        ({"sunday": [{"open": "12:00", "close": "14:00"}]}, SUNDAY, False),
        ({"wednesday": {"open": "18:00", "close": "24:00"}}, EVENING, True),
        ({"sunday": "closed"}, SUNDAY, False),
        ({"sunday": [{"open": "late", "close": "later"}]}, SUNDAY, False),
        ({"sunday": [{"open": "10:00", "close": "12:00"}], "exceptions": {"2027-03-14": "closed"}}, SUNDAY, False),
    ],
)
async def test_nobodys_phone_rings_outside_their_hours(transfers, network, hours, now, is_there):
    """A rule's `hours` are those of the business (also where it names none), of its own, or always; in its zone."""
    ctx = on_phone({**DESK, "hours": hours}, now=now)
    if is_there:
        assert (await transfers.transfer(ctx, None)).applied
    else:
        assert (await failure(transfers.transfer(ctx, None))).type is ErrorType.CONFLICT
        assert network.redirected == []


async def test_a_closed_destination_says_when_it_opens_and_who_is_there_instead(transfers):
    """The owner's fallback first."""
    rules = [
        {**DESK, "fallback": "rosa"},
        {**DESK, "id": "third", "label": "Third", "hours": "always"},
        {**ROSA, "hours": "always"},
    ]
    error = await failure(transfers.transfer(on_phone(*rules, now=SUNDAY), "front-desk"))
    assert "Tuesday, March 16 at 9:00 AM" in error.message
    assert error.meta["alternatives"] == [
        {"destination": "rosa", "label": "Rosa, the owner"},
        {"destination": "third", "label": "Third"},
    ]


async def test_with_nobody_there_what_can_be_had_instead_is_told(transfers):
    """And hours that never come name no time."""
    error = await failure(transfers.transfer(on_phone({**DESK, "hours": {}}, now=SUNDAY), None))
    assert error.instead
    assert "will be from" not in error.message


async def test_when_nobody_answers_the_fallback_is_rung_next(transfers, network):
    """One after the other, and only as long as nobody has answered."""
    rules = [{**DESK, "fallback": "rosa", "timeoutS": 12}, ROSA]
    transfer = await transfers.transfer(on_phone(*rules), "front-desk")
    dial = ElementTree.fromstring(network.redirected[0][1]).find("Dial")
    assert [number.text for number in dial] == ["+15185550143", "+15185550144"]
    assert (dial.attrib["sequential"], dial.attrib["timeout"]) == ("true", "12")
    assert transfer.fallback.id == "rosa"


@pytest.mark.parametrize("fallback", ["message", "front-desk", "nobody", "+19005550123", 7, None])
async def test_without_a_usable_fallback_a_message_is_taken(transfers, fallback):
    """Also where a rule names itself, or what it may not name."""
    transfer = await transfers.transfer(on_phone({**DESK, "fallback": fallback}, ROSA), "front-desk")
    assert transfer.fallback is None


async def test_a_fallback_that_is_closed_is_not_rung(transfers):
    """Its own hours hold for it too."""
    rules = [{**DESK, "hours": "always", "fallback": "rosa"}, ROSA]
    assert (await transfers.transfer(on_phone(*rules, now=SUNDAY), "front-desk")).fallback is None


@pytest.mark.parametrize(("seconds", "rings"), [(1, 5), (600, 60), (30.5, 30), ("long", 20), (True, 20)])
async def test_it_rings_for_a_sensible_time(transfers, seconds, rings):
    """Between five seconds and a minute."""
    transfer = await transfers.transfer(on_phone({**DESK, "timeoutS": seconds}), None)
    assert transfer.destination.rings_s == rings


async def test_a_caller_without_a_number_shows_the_businesss(transfers):
    """The network dials with a number of its own account, or the caller's."""
    assert (await transfers.transfer(on_phone(phone=None), None)).caller_phone == SENDER


@pytest.mark.parametrize(
    ("language", "locale", "words"),
    [
        ("de-DE", "de-DE", "Danke für Ihren Anruf bei Haar & <Bart>."),
        ("ES", "es-ES", "Gracias por llamar a Haar & <Bart>."),
        ("fr", "fr-FR", "Merci d'avoir appelé Haar & <Bart>."),
    ],
)
async def test_what_is_said_at_the_end_speaks_the_businesss_language(transfers, network, language, locale, words):
    """And its name is text, whatever it holds."""
    business = replace(phone_salon(rules=[DESK]), language=language, name="Haar & <Bart>")
    await transfers.transfer(on_phone(business=business), None)
    say = ElementTree.fromstring(network.redirected[0][1]).find("Say")
    assert say.attrib == {"language": locale}
    assert say.text.startswith(words)


@pytest.mark.requirement("004-2009")
async def test_a_label_written_as_an_id_is_understood(transfers):
    """A model that is told of somebody by the label alone makes an id of it."""
    vet = {**ROSA, "id": "vet-2", "label": "Emergency vet on call", "hours": "always"}
    transfer = await transfers.transfer(on_phone(DESK, vet), "emergency-vet-on-call")
    assert transfer.destination.id == "vet-2"

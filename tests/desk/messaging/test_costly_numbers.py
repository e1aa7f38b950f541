"""Numbers that cost whoever calls them extra: found in what callers leave, and told to the people who would call."""

import re
from typing import Any

import pytest

from switchboard.desk.contact.cost_warnings import costs_extra, warned
from switchboard.desk.contact.phone import costly_numbers
from switchboard.desk.messaging.email import Email
from switchboard.desk.messaging.sms_body import MOST_SEGMENTS, segments
from tests.desk.front_desk import call, salon
from tests.desk.messaging.test_email import MemoryMailer
from tests.desk.phone_network import CALLER, OWNER, phone_salon
from tests.each import each
from tests.refused import failure


def premium(region: str, kind: int) -> str:
    import phonenumbers

    sample = phonenumbers.example_number_for_type(region, kind)
    return str(phonenumbers.format_number(sample, phonenumbers.PhoneNumberFormat.INTERNATIONAL))


@each(
    "place",
    [("US", 4), ("GB", 4), ("DE", 5), ("DE", 4), ("FR", 4), ("ES", 4), ("CH", 4), ("AT", 4), ("IT", 4), ("GB", 7)],
)
def test_a_number_that_costs_extra_is_found_also_among_other_words(place: tuple[str, int]):
    """As the number to call back, or written into the message, in several countries (types of libphonenumber)."""
    number = premium(*place)
    for text in (number, f"Please call me at {number}, it is urgent.", f"+12015550123 or {number}"):
        assert costly_numbers(text, salon()) == ["+" + "".join(c for c in number if c.isdigit())]


@each("text", ["+1 201 555 0123", "Call +49 30 1234567 after 5", "Order 900 1234", "", "+1 800 234 5678"])
def test_ordinary_numbers_are_not_marked(text: str):
    """Nor freephone, nor digits that are none."""
    assert costly_numbers(text, salon()) == []


@each("language", ["en-US", "de-DE", "es-ES", "fr-FR", "pt-BR"])
def test_the_owner_is_warned_in_one_line(language: str):
    """In the business's language, with the number; nothing where there is none."""
    business: Any = salon(language=language)
    line = costs_extra(business, ["+19002345678"])
    assert "+19002345678" in line and line.count("\n") == 1
    assert costs_extra(business, []) == ""


SALON = phone_salon()
RING = "Ring +1 900 234 5678 or 1-900-234-5678 at once."
WARNING = "Careful, calling this number costs extra: +19002345678\n"


@pytest.mark.requirement("004-932")
async def test_whoever_gets_a_text_or_an_e_mail_of_the_businesss_is_warned_as_the_business_is(texts, network, watched):
    """Whatever a model or a caller has put there: the business's number is believed."""
    for purpose in ("sms", "confirmation"):
        await texts.send(call(SALON), CALLER, RING, effect_key=purpose, purpose=purpose)
    assert [sent.body for sent in network.sent] == [WARNING + RING] * 2
    mailer = MemoryMailer()
    await Email(watched, mailer).send(call(SALON), "anna@example.com", "Call 1-900-234-5678", "Soon.")
    assert mailer.sent[0][1:3] == ("Call 1-900-234-5678", WARNING + "Soon.")


@pytest.mark.requirement("004-932")
async def test_nobody_is_warned_twice_nor_of_the_businesss_own_numbers(texts, network):
    """Yet a warning that a model has worded itself does not stand for other numbers."""
    assert warned(SALON, WARNING + RING) == WARNING + RING
    assert warned(SALON, f"{WARNING}Or +1 900 234 5679.").startswith(f"{WARNING[:-1]}, +19002345679\n")
    assert warned(salon(phone="+19002345678"), RING) == RING
    await texts.send(call(SALON), OWNER, f"From X:\n{WARNING}{RING}", effect_key="own", purpose="message")
    assert network.sent[0].body.count("Careful") == 1


@pytest.mark.requirement("004-933")
async def test_a_text_that_is_too_long_by_what_is_added_to_it_is_told_by_how_much(texts, network):
    """Not the words of whoever wrote 200 characters that 400 would be the most; so much less of them fits."""
    text = " ".join(f"evil{n}.example/x" for n in range(20))
    assert segments(text) <= MOST_SEGMENTS
    message = (await failure(texts.send(call(SALON), CALLER, text, effect_key="one"))).message
    assert f"Your text has {len(text)} characters and fits, but not with what has to be added" in message
    over = int(re.search(r"too long by (\d+) characters: 918 are allowed\.", message)[1])
    assert 0 < over < len(text) and f"shorten your text by {over} characters, or" in message
    await texts.send(call(SALON), CALLER, text[:-over], effect_key="two")
    assert len(network.sent) == 1
    more = (await failure(texts.send(call(SALON), CALLER, f"{text} {text}", effect_key="three"))).message
    assert "To send it, leave such links and numbers out." in more


@pytest.mark.requirement("004-933")
@pytest.mark.parametrize(
    ("letter", "room"), [("x", "918 are allowed."), ("й", "402 are allowed, since it has 'й' in it")]
)
async def test_a_text_that_is_too_long_by_itself_is_told_by_how_much_too(texts, network, letter, room):
    """And which letter leaves less room."""
    message = (await failure(texts.send(call(SALON), CALLER, letter * 1000, effect_key="one"))).message
    over = int(re.search(r"is too long by (\d+) characters: ", message)[1])
    assert room in message
    await texts.send(call(SALON), CALLER, letter * (1000 - over), effect_key="two")
    assert len(network.sent) == 1

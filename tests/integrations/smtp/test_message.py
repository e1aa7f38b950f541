"""What an e-mail looks like as bytes, and that nobody can add a header to it."""

import string
from email import message_from_bytes
from email.policy import default

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.integrations.smtp.account import SmtpAccount
from switchboard.integrations.smtp.message import UnfitMessage, compose
from tests.desk.front_desk import NOW
from tests.each import each

ACCOUNT = SmtpAccount(
    "smtp.example.com", 587, "starttls", "hello@salon.example", "Salon", "desk@salon.example", "hello", "secret"
)
HEADERS = {
    "Message-ID",
    "Date",
    "From",
    "To",
    "Reply-To",
    "Subject",
    "Auto-Submitted",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
}


def composed(to="anna@example.com", subject="Hello", body="Text", message_id="eml_1"):
    return compose(ACCOUNT, to, subject, body, message_id, NOW)


@given(
    to=st.one_of(st.just("anna@example.com"), st.text(max_size=60)),
    subject=st.text(max_size=120),
    body=st.text(max_size=400),
)
def test_whatever_is_written_there_is_one_of_each_header_and_nothing_else(to, subject, body):
    """Either it is refused, or it has exactly our headers, one recipient, and the text as it was given."""
    try:
        raw = composed(to, subject, body)
    except UnfitMessage:
        return
    assert raw.isascii()
    assert b"\n" not in raw.replace(b"\r\n", b"")
    message = message_from_bytes(raw, policy=default)
    assert sorted(message.keys()) == sorted(HEADERS)
    assert len(message["To"].addresses) == 1
    assert message["To"].addresses[0].addr_spec == to
    assert message["Reply-To"] == "desk@salon.example"


@given(st.text(string.printable + "äöüß€✂", max_size=300).filter(lambda text: not set(text) & set("\x0b\x0c")))
def test_the_text_arrives_as_it_was_written(body):
    """Umlauts, dots at the start of lines and long lines included; line ends are CRLF on the way."""
    message = message_from_bytes(composed(body=body), policy=default)
    received = message.get_content().replace("\r\n", "\n")
    assert received.rstrip("\n") == body.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


@each("end", ["\r\n", "\n", "\r", "\x00", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"])
@each("field", ["to", "subject", "message_id"])
def test_a_line_end_in_a_header_is_refused(end, field):
    """CR, LF and whatever else ends a line somewhere: no header can be smuggled in."""
    text = {"to": "anna@example.com", "subject": "Hello", "message_id": "eml_1"}[field]
    with pytest.raises(UnfitMessage):
        composed(**{field: f"{text}{end}Bcc: everybody@example.com"})


@pytest.mark.parametrize(
    "to", ["anna@example.com, bob@example.com", "Anna <anna@example.com>", "anna", "", "@", "a@b>"]
)
def test_what_is_not_one_address_is_refused(to):
    """Lists, names and fragments."""
    with pytest.raises(UnfitMessage):
        composed(to=to)


@pytest.mark.parametrize("name", ["Salon, Bob <bob@example.com>", 'The "Salon"', "Frisör Müller", "a@b.example"])
def test_the_name_of_the_business_stays_a_name(name):
    """Whatever a business calls itself, mail comes from its one sender address."""
    import dataclasses

    account = dataclasses.replace(ACCOUNT, sender_name=name)
    message = message_from_bytes(compose(account, "anna@example.com", "Hello", "Text", "eml_1", NOW), policy=default)
    (sender,) = message["From"].addresses
    assert (sender.display_name, sender.addr_spec) == (name, "hello@salon.example")

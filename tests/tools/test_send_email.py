"""send_email: seed 001 ("Example: Adding a New Tool")."""

from types import SimpleNamespace

import pytest

from switchboard.catalog.offer.inclusion import Situation, exclusion
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.error import ErrorType, Refused
from switchboard.desk.messaging.email import Email
from switchboard.pipeline.confirmation.prompt import read_back
from tests.desk.front_desk import NOW, call, salon
from tests.desk.messaging.test_email import MemoryMailer
from tests.tools.folder import run, schema

WISH = {"to": "anna@example.com", "subject": "Where we are", "body": "48 Maple Street"}
CONNECTED = {"integrations": {"email": {"isConnected": True}}}
DEFINITION = read_definition("send_email", schema("send_email"))


@pytest.fixture
def mailer() -> MemoryMailer:
    """A mail account that works."""
    return MemoryMailer()


@pytest.fixture
def mailing(store, mailer) -> SimpleNamespace:
    """A desk that can do this one thing."""
    return SimpleNamespace(mail=Email(store, mailer))


@pytest.mark.requirement("001-83", "001-84")
async def test_a_sent_email_is_told_and_leaves_a_receipt(mailing, mailer):
    """What, to whom and when, with the id that the mail server knows it by."""
    result = await run("send_email", call(salon()), mailing, WISH)
    ((_, _, body, id),) = mailer.sent
    assert result.data == {
        "sent": True,
        "emailId": id,
        "to": "anna@example.com",
        "subject": "Where we are",
        "repeated": False,
    }
    assert body == "48 Maple Street"
    assert result.receipt == {
        "what": "email",
        "for": "anna@example.com",
        "when": "2027-03-10T10:00:00-05:00",
        "effectIds": [id],
    }
    assert (await run("send_email", call(salon()), mailing, WISH)).data["repeated"] is True


@pytest.mark.requirement("001-83")
@pytest.mark.parametrize("missing", ["to", "subject", "body"])
async def test_recipient_subject_and_text_are_required(mailing, mailer, missing):
    """All three are strings (seed 001); nothing else can be said, such as a sender or a copy."""
    for arguments in ({k: v for k, v in WISH.items() if k != missing}, WISH | {missing: 7}, WISH | {"cc": "b@c.de"}):
        with pytest.raises(Refused) as caught:
            await run("send_email", call(salon()), mailing, arguments)
        assert caught.value.type is ErrorType.VALIDATION
    assert mailer.sent == []


@pytest.mark.parametrize("subject", ["Hello\nBcc: everybody@example.com", "Hello\r\nX: y", "x" * 151])
async def test_a_subject_is_one_short_line(mailing, subject):
    """Refused before anything runs."""
    with pytest.raises(Refused):
        await run("send_email", call(salon()), mailing, WISH | {"subject": subject})


@pytest.mark.parametrize("channel", list(Channel))
def test_it_is_offered_where_a_mail_account_is_connected(channel):
    """On every channel; never without an account, nor while that must be connected again."""
    assert exclusion(DEFINITION, Situation(salon(**CONNECTED), channel)) is None
    for account in ({}, {"email": {"isConnected": False}}, {"email": {"isConnected": True, "needsReauth": True}}):
        why = exclusion(DEFINITION, Situation(salon(integrations=account), channel))
        assert why is not None
        assert why.condition == "integration:email"
    assert DEFINITION.is_repeatable


@pytest.mark.parametrize(("language", "begins"), [("en", "The e-mail to "), ("de-AT", "Die E-Mail an ")])
def test_recipient_subject_and_text_are_read_back_before_it_is_sent(language, begins):
    """The caller agrees to the very address, in the business's language."""
    question = read_back(DEFINITION, WISH, salon(ai={"language": language}), NOW)
    assert DEFINITION.confirm
    assert question.startswith(begins)
    assert all(value in question for value in WISH.values())


@pytest.mark.requirement("004-955")
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "would say: “hello cancel”. Shall I send"),
        ("de", "hätte den Text: „hello cancel“. Soll ich"),
        ("es", "diría: «hello cancel». ¿Envío"),
        ("fr", "dirait : « hello cancel ». Dois-je"),
    ],
)
def test_where_the_text_ends_is_heard_in_the_question(language: str, said: str) -> None:
    """The caller heard one sentence of which half was theirs."""
    question = read_back(DEFINITION, WISH | {"body": "hello cancel"}, salon(ai={"language": language}), NOW)
    assert said in question

"""E-mail to callers: once for a wish, counted, and honest about what nobody knows."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.business.business import Business
from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.store import Set
from switchboard.desk.contact.contacts import to_address
from switchboard.desk.contact.links import not_from
from switchboard.desk.limits.rate_limits import is_unproven
from switchboard.desk.messaging.email import BUSINESS_PER_DAY, RECIPIENT_PER_DAY, Email
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import NOW, WatchedStore, call, salon, stored
from tests.each import each

SALON = salon()
TO = "anna@example.com"
BUSY = ToolError(ErrorType.TRANSIENT, "busy", detail="451 later")
REFUSED = ToolError(ErrorType.PERMANENT, "refused", detail="550 no")
LOST = ToolError(ErrorType.TRANSIENT, "lost", retryable=False, partial_side_effects=True, detail="connection lost")


class MemoryMailer:
    """A mail account in memory; `behave` runs before a message is kept."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, str, str]] = []
        self.behave: Callable[[], Awaitable[None]] | None = None
        self.is_connected = True

    async def of(self, business: Business) -> "MemoryMailer | None":
        return self if self.is_connected else None

    async def send(self, to: str, subject: str, body: str, message_id: str) -> None:
        if self.behave:
            await self.behave()
        self.sent.append((to, subject, body, message_id))

    def fail(self, error: ToolError) -> None:
        async def behave() -> None:
            raise error

        self.behave = behave


@pytest.fixture
def store() -> WatchedStore:
    """A store in memory that counts, and fails on request."""
    return WatchedStore(MemoryStore())


@pytest.fixture
def mailer() -> MemoryMailer:
    """A mail account that works."""
    return MemoryMailer()


@pytest.fixture
def mail(store, mailer) -> Email:
    """The service over both."""
    return Email(store, mailer)


async def send(mail: Email, ctx=None, to=TO, subject="Where we are", body="48 Maple Street"):
    return await mail.send(ctx or call(SALON), to, subject, body)


async def refusal(mail: Email, ctx=None, **words) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await send(mail, ctx, **words)
    return caught.value


async def outbox(store) -> dict[str, Any]:
    (document,) = (await stored(store, SALON.id, "outbox")).values()
    return document


async def test_a_sent_email_stands_in_the_outbox_under_an_id_of_the_wish(mail, mailer, store):
    """The mail server is given the same id, so that the two can be held against each other."""
    sent = await send(mail, subject="Where\r\nwe  are ")
    assert (sent.to, sent.subject, sent.repeated) == (TO, "Where we are", False)
    assert mailer.sent == [(TO, "Where we are", "48 Maple Street", sent.id)]
    document = await outbox(store)
    assert (document["id"], document["kind"], document["state"]) == (sent.id, "email", "sent")
    assert (document["to"], document["text"], document["sentAt"]) == (TO, "48 Maple Street", NOW)
    assert document["expireAt"] == NOW + timedelta(days=90)


async def test_the_same_wish_again_is_the_same_email(mail, mailer):
    """Under whatever call id; another wish is another e-mail."""
    first, again = await send(mail), await send(mail)
    assert (again.id, again.repeated) == (first.id, True)
    other = await send(mail, call(SALON, "another wish"))
    assert (len(mailer.sent), other.id == first.id, other.repeated) == (2, False, False)


async def test_twenty_at_once_send_one(mail, mailer):
    """Whoever comes while it is being sent is told so; nothing is sent twice."""

    async def take_a_while() -> None:
        for _ in range(50):
            await asyncio.sleep(0)

    mailer.behave = take_a_while
    answers = await asyncio.gather(*(send(mail) for _ in range(20)), return_exceptions=True)
    assert len(mailer.sent) == 1
    assert {error.type for error in answers if isinstance(error, ToolError)} == {ErrorType.CONFLICT}


@pytest.mark.parametrize("error", [BUSY, REFUSED])
@pytest.mark.requirement("001-85")
async def test_what_was_not_sent_may_be_sent_later(mail, mailer, store, error):
    """The failure is told as it is and kept in the outbox; the next time may succeed."""
    mailer.fail(error)
    assert await refusal(mail) is error
    document = await outbox(store)
    assert (document["state"], document["error"], document["detail"]) == ("failed", error.type.value, error.detail)
    mailer.behave = None
    assert (await send(mail)).repeated is False
    assert (await outbox(store))["state"] == "sent"


@pytest.mark.requirement("001-85")
async def test_what_nobody_knows_is_never_sent_again(mail, mailer, store):
    """An unknown outcome is told as unknown, that time and every other."""
    mailer.fail(LOST)
    assert await refusal(mail) is LOST
    assert (await outbox(store))["state"] == "unknown"
    mailer.behave = None
    for now in (NOW, NOW + timedelta(hours=1)):
        error = await refusal(mail, call(SALON, now=now))
        assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, False, True)
    assert mailer.sent == []


async def test_an_email_whose_sender_died_becomes_unknown(mail, mailer, store):
    """Until its time is over somebody may still be sending it; after that nobody knows."""

    async def die() -> None:
        raise asyncio.CancelledError

    mailer.behave = die
    with pytest.raises(asyncio.CancelledError):
        await send(mail)
    mailer.behave = None
    soon, late = (call(SALON, now=NOW + timedelta(seconds=s)) for s in (29, 31))
    error = await refusal(mail, soon)
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.CONFLICT, True, False)
    assert (await outbox(store))["state"] == "sending"
    assert (await refusal(mail, late)).partial_side_effects is True
    assert ((await outbox(store))["state"], mailer.sent) == ("unknown", [])


@pytest.mark.parametrize("after", [False, True])
async def test_what_cannot_be_recorded_is_not_sent(mail, mailer, store, after):
    """Whether or not the record got through: the store did not say so, and too little is better than twice."""
    store.fail("commit", after=after)
    error = await refusal(mail)
    assert (error.type, error.partial_side_effects, mailer.sent) == (ErrorType.TRANSIENT, False, [])


async def test_what_was_sent_is_told_even_if_it_cannot_be_written_down(mail, mailer, store):
    """And is not sent again: the outbox still says that it is being sent."""

    async def lose_the_store() -> None:
        store.fail("commit")

    mailer.behave = lose_the_store
    assert (await send(mail)).repeated is False
    store.recover()
    assert (await refusal(mail, call(SALON, now=NOW + timedelta(hours=1)))).partial_side_effects is True
    assert len(mailer.sent) == 1


async def wear_out(mail: Email, business: Business, times: int, **words: Any) -> None:
    for n in range(times):
        await send(mail, call(business, f"wish {n} {words}"), **words)


async def test_an_address_gets_only_so_many_a_day(mail, mailer):
    """In any spelling; other addresses still get theirs, and so does this one tomorrow."""
    await wear_out(mail, SALON, RECIPIENT_PER_DAY)
    error = await refusal(mail, call(SALON, "one more"), to="Anna@EXAMPLE.com")
    assert (error.type, error.retryable) == (ErrorType.RATE_LIMIT, False)
    # Our own no, which must not be taken for the mail server's.
    assert isinstance(error, Refused)
    assert len(mailer.sent) == RECIPIENT_PER_DAY
    await send(mail, call(SALON, "other"), to="bob@example.com")
    # Midnight is where the business is: in New York, at four or five in the morning UTC.
    assert (await refusal(mail, call(SALON, "late", now=NOW + timedelta(hours=13)))).type is ErrorType.RATE_LIMIT
    await send(mail, call(SALON, "tomorrow", now=NOW + timedelta(hours=14, minutes=1)))


@pytest.mark.parametrize(("setting", "limit"), [({"dailyLimit": 3}, 3), ({"dailyLimit": "many"}, BUSINESS_PER_DAY)])
async def test_a_business_sends_only_so_many_a_day(mail, mailer, setting, limit):
    """As many as it has set, or the house's own limit where it has set none that can be read."""
    business = salon(integrations={"email": {"isConnected": True, **setting}})
    for n in range(limit):
        await send(mail, call(business, f"wish {n}"), to=f"caller{n}@example.com")
    error = await refusal(mail, call(business, "one more"), to="last@example.com")
    assert (error.type, error.retryable, len(mailer.sent)) == (ErrorType.RATE_LIMIT, False, limit)


async def test_what_was_not_sent_does_not_count(mail, mailer):
    """Failures and refusals leave room for what can be sent."""
    mailer.fail(BUSY)
    for n in range(RECIPIENT_PER_DAY * 2):
        await refusal(mail, call(SALON, f"busy {n}"))
    mailer.behave = None
    await wear_out(mail, SALON, RECIPIENT_PER_DAY)
    await refusal(mail, call(SALON, "too many"))
    assert len(mailer.sent) == RECIPIENT_PER_DAY


async def test_without_an_account_nothing_is_written(mail, mailer, store):
    """PERMANENT; offer to take a message."""
    mailer.is_connected = False
    assert (await refusal(mail)).type is ErrorType.PERMANENT
    assert await stored(store, SALON.id, "outbox") == {}


@pytest.mark.parametrize("words", [{"subject": " \n "}, {"body": "\n"}, {"to": "anna"}, {"to": f"{TO}, {TO}"}])
async def test_what_cannot_be_an_email_is_refused_before_anything_is_written(mail, mailer, store, words):
    """VALIDATION, with what to ask the caller."""
    assert (await refusal(mail, **words)).type is ErrorType.VALIDATION
    assert (mailer.sent, store.asked["commit"]) == ([], 0)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (" anna@example.com ", "anna@example.com"),
        ("Anna.Whitfield+salon@Mail.EXAMPLE.com", "Anna.Whitfield+salon@mail.example.com"),
        ("\u200eanna@example.com\u200b", "anna@example.com"),
        ("anna@example.com", "anna@example.com"),
    ],
)
def test_an_address_is_kept_in_one_spelling(said, kept):
    """Only what can differ without meaning another mailbox is made equal."""
    assert to_address(said) == kept


@each(
    "said",
    [
        "",
        "@",
        "anna",
        "anna@",
        "anna@localhost",
        "anna@127.0.0.1",
        "anna@[127.0.0.1]",
        "anna..w@example.com",
        ".anna@example.com",
        '"anna w"@example.com',
        "anna@example.com\n",
        "anna@exam ple.com",
        "Anna <anna@example.com>",
        "anna@example.com,bob@example.com",
        "anna(comment)@example.com",
        "müller@example.com",
        f"{'a' * 65}@example.com",
        f"anna@{'a.' * 125}example.com",
    ],
)
def test_what_is_not_one_plain_address_is_refused(said):
    """Line ends, lists, names, quoted and numeric forms: nothing that means more than it says."""
    with pytest.raises(ToolError) as caught:
        to_address(said)
    assert caught.value.type is ErrorType.VALIDATION


@given(st.text(max_size=80))
def test_an_accepted_address_has_no_room_for_anything_else(text):
    """Whatever a caller or a model writes: what is accepted is plain ASCII without blanks, commas or brackets."""
    try:
        address = to_address(text)
    except ToolError:
        return
    assert address.isascii()
    assert address.isprintable()
    assert not set(address) & set(' ,;:<>()[]"\\')
    assert address.count("@") == 1
    assert to_address(address) == address


@pytest.mark.requirement("004-131")
async def test_a_link_that_is_not_the_businesss_is_named_in_an_e_mail_too(store, mailer):
    """What the business's account sends is believed as its texts are."""
    await Email(store, mailer).send(call(SALON), TO, "Invoice", "Pay at https://evil.example/x")
    (_, _, body, _) = mailer.sent[0]
    assert body == f"Pay at {not_from(SALON)} https://evil.example/x"


@pytest.mark.requirement("004-133")
async def test_strangers_leave_half_of_the_days_e_mails_to_those_who_are_known(mail, mailer, store):
    """From any number of visits; who shows in the conversation who they are is known from then on."""
    business = salon(integrations={"email": {"isConnected": True, "dailyLimit": 6}})
    for n in range(3):
        await send(mail, call(business, f"w{n}", session=f"s{n}", portal=True, phone=None), to=f"a{n}@example.com")
    visit = {"session": "s9", "portal": True, "phone": None}
    error = await refusal(mail, call(business, "one more", **visit), to="a9@example.com")
    assert isinstance(error, Refused) and error.type is ErrorType.RATE_LIMIT
    assert "not verified" in error.message and "Verify the caller" in error.message
    await send(mail, call(business, "known", verified=True), to="b@example.com")
    standing = Standing("match", "c1", None, NOW, "browser")
    paths = call(business).paths
    await store.commit([Set(paths.document("sessions", "s9"), standing.to_fields(), merge=True)])
    await send(mail, call(business, "one more", **visit), to="a9@example.com")
    assert len(mailer.sent) == 5


@pytest.mark.requirement("004-133")
async def test_what_was_shown_on_the_line_lifts_nothing_behind_a_link(mail, store):
    """A link is forwarded: its visit goes on with the phone call's session and not with its caller."""
    business = salon(integrations={"email": {"isConnected": True, "dailyLimit": 1}})
    visit = {"session": "s9", "portal": True, "phone": None}
    on_the_line = call(business, session="s9", attestation=None)
    standing = Standing("match", "c1", None, NOW, "line", on_the_line.facts.caller_phone)
    await store.commit([Set(call(business).paths.document("sessions", "s9"), standing.to_fields(), merge=True)])
    assert await is_unproven(store, call(business, **visit))
    assert not await is_unproven(store, on_the_line)

"""Twilio through its own SDK, against the stand-in: what is sent, what failures mean, and what is tried twice."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import switchboard.integrations.twilio
from stand_ins.loopback import serving
from stand_ins.twilio.account import SID, TOKEN
from stand_ins.twilio.app import TwilioStandIn
from stand_ins.twilio.faults import REFUSALS
from stand_ins.twilio.rest import document
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.catalog.schema.schema import compile_schema
from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType, source_of
from switchboard.contract.telephony import TextStatus
from switchboard.integrations.twilio.accounts import TwilioAccounts
from switchboard.integrations.twilio.errors import BY_CODE, answered
from switchboard.integrations.twilio.phone import STATUSES, TwilioPhone
from switchboard.integrations.twilio.transport import TwilioTransport
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import salon
from tests.each import each
from tests.integrations.conftest import SHORT_S
from tests.integrations.twilio_account import CALLER, SENDER, MemorySecrets, StandIn, connected
from tests.refused import failure

TWIML = "<Response><Dial><Number>+15185550143</Number></Dial></Response>"


@pytest.fixture(scope="module")
def served() -> Iterator[StandIn]:
    with serving(TwilioStandIn().app) as url:
        yield StandIn(url)


@pytest.fixture
async def twilio(served: StandIn) -> AsyncIterator[StandIn]:
    await served.forget()
    yield served
    await served.forget()


@pytest.fixture
async def accounts(twilio: StandIn) -> AsyncIterator[TwilioAccounts]:
    found = TwilioAccounts(MemorySecrets(), twilio.url)
    yield found
    await found.close()


@pytest.fixture
async def phone(twilio: StandIn) -> AsyncIterator[TwilioPhone]:
    transport = TwilioTransport(twilio.url)
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    yield TwilioPhone(SID, TOKEN, transport, pause)
    assert all(0 < seconds < 1 for seconds in pauses)
    await transport.close()


@pytest.mark.requirement("004-08", "002-18", "002-50")
async def test_a_text_goes_from_the_businesss_number_with_its_own_credentials(accounts, twilio):
    """Form fields, path and Basic authentication are those of the account."""
    account = await accounts.of(connected())
    sent = await account.send_text(CALLER, SENDER, "Grüße & more: 1 + 1 = 2 😀")
    (line,) = await twilio.requests("messages.create")
    assert dict(line["fields"]) == {"To": CALLER, "From": SENDER, "Body": "Grüße & more: 1 + 1 = 2 😀"}
    assert line["path"] == f"/2010-04-01/Accounts/{SID}/Messages.json"
    assert (sent.to, sent.sender, sent.body, sent.status) == (
        CALLER,
        SENDER,
        "Grüße & more: 1 + 1 = 2 😀",
        TextStatus.ACCEPTED,
    )
    assert abs(sent.at - datetime.now(UTC)) < timedelta(minutes=1)


async def test_what_was_sent_to_a_number_is_listed_newest_first(phone):
    """Only to that number, and only since then."""
    first = await phone.send_text(CALLER, SENDER, "one")
    second = await phone.send_text(CALLER, SENDER, "two")
    await phone.send_text("+15185550172", SENDER, "to somebody else")
    listed = await phone.texts_to(CALLER, first.at - timedelta(seconds=1))
    assert {text.id for text in listed} >= {first.id, second.id}
    assert {text.to for text in listed} == {CALLER}
    assert [text.at for text in listed] == sorted((text.at for text in listed), reverse=True)
    assert await phone.texts_to(CALLER, datetime.now(UTC) + timedelta(minutes=1)) == []


async def test_a_live_phone_call_is_told_something_else_and_ended(phone, twilio):
    """One request each; ending one that has ended is no error."""
    sid = await twilio.phone_call()
    await phone.redirect_call(sid, TWIML)
    await phone.hang_up(sid)
    await phone.hang_up(sid)
    fields = [dict(line["fields"]) for line in await twilio.requests("calls.update")]
    assert fields == [{"Twiml": TWIML}, {"Status": "completed"}, {"Status": "completed"}]


async def test_a_phone_call_that_has_ended_cannot_be_redirected(phone, twilio):
    """CONFLICT for one that is over, NOT_FOUND for one that is none of this account's."""
    sid = await twilio.phone_call()
    await phone.hang_up(sid)
    assert (await failure(phone.redirect_call(sid, TWIML))).type is ErrorType.CONFLICT
    assert (await failure(phone.redirect_call("CA" + "f" * 32, TWIML))).type is ErrorType.NOT_FOUND


async def test_a_crowded_network_is_asked_once_more_and_sends_one_text(phone, twilio):
    """Reliability §2, row 12: a 429 was never processed."""
    await twilio.fault("429", method="messages.create")
    await phone.send_text(CALLER, SENDER, "once")
    lines = await twilio.requests("messages.create")
    assert [line["status"] for line in lines] == [429, 201]


async def test_a_network_that_stays_crowded_is_not_asked_a_third_time(phone, twilio):
    """RATE_LIMIT, nothing was done: the outbox may try later."""
    await twilio.fault("queue-full", method="messages.create", times=None)
    error = await failure(phone.send_text(CALLER, SENDER, "never"))
    assert (error.type, error.partial_side_effects) == (ErrorType.RATE_LIMIT, False)
    assert len(await twilio.requests("messages.create")) == 2


@pytest.mark.requirement("002-52")
@pytest.mark.parametrize("mode", ["accept-then-drop", "accept-then-500", "500", "503", "drop", "not-json"])
async def test_a_text_without_an_answer_is_never_sent_twice(phone, twilio, mode):
    """Reliability §2, row 13: TRANSIENT with partial side effects, and one request only."""
    await twilio.fault(mode, method="messages.create")
    error = await failure(phone.send_text(CALLER, SENDER, f"once, {mode}"))
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, False, True)
    assert len(await twilio.requests("messages.create")) == 1
    listed = await phone.texts_to(CALLER, datetime.now(UTC) - timedelta(minutes=1))
    assert sum(text.body == f"once, {mode}" for text in listed) == mode.startswith("accept")


async def test_nobody_waits_longer_than_the_call_has_time(phone, twilio):
    """The call's deadline ends the request, and its outcome is unknown."""
    await twilio.fault("slow", method="messages.create", times=len(SHORT_S), seconds=600)
    for seconds in SHORT_S:
        with ending_in(seconds):
            error = await failure(phone.send_text(CALLER, SENDER, "slowly"))
        if await twilio.requests("messages.create"):
            break
    assert error.partial_side_effects is True


async def test_where_nobody_listens_nothing_was_sent(accounts):
    """A connection that was refused is no unknown outcome: asking again is fine."""
    transport = TwilioTransport("http://127.0.0.1:9")
    error = await failure(TwilioPhone(SID, TOKEN, transport).send_text(CALLER, SENDER, "x"))
    await transport.close()
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, False)


@pytest.mark.parametrize("mode", ["500", "drop", "429"])
async def test_changing_a_phone_call_is_tried_once_more(phone, twilio, mode):
    """The same change twice is one change."""
    sid = await twilio.phone_call()
    await twilio.fault(mode, method="calls.update")
    await phone.redirect_call(sid, TWIML)
    assert len(await twilio.requests("calls.update")) == 2


@pytest.mark.parametrize("mode", ["500", "drop"])
async def test_a_phone_call_that_cannot_be_changed_is_not_said_to_be(phone, twilio, mode):
    """After the second time it is TRANSIENT, with partial side effects."""
    sid = await twilio.phone_call()
    await twilio.fault(mode, method="calls.update", times=2)
    error = await failure(phone.redirect_call(sid, TWIML))
    assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, True)
    assert (source_of(error), "not answer" in error.message) == ("twilio", False)


@pytest.mark.parametrize(
    ("mode", "type", "reason"),
    [
        ("opted-out", ErrorType.PERMANENT, "opted_out"),
        ("bad-number", ErrorType.VALIDATION, None),
        ("not-mobile", ErrorType.VALIDATION, None),
        ("no-permission", ErrorType.PERMANENT, None),
        ("401", ErrorType.AUTH, None),
    ],
)
async def test_what_twilio_refuses_is_said_in_our_words(phone, twilio, mode, type, reason):
    """Once asked, nothing done; the vendor's code is for the log alone."""
    await twilio.fault(mode, method="messages.create")
    error = await failure(phone.send_text(CALLER, SENDER, "x"))
    assert (error.type, error.partial_side_effects, error.meta.get("reason")) == (type, False, reason)
    assert source_of(error) == "twilio"
    assert str(REFUSALS[mode].code) in error.detail
    assert str(REFUSALS[mode].code) not in error.message
    assert len(await twilio.requests("messages.create")) == 1


async def test_both_of_the_sdks_exceptions_are_understood(phone, monkeypatch):
    """They have only `TwilioException` in common."""
    from twilio.base.exceptions import TwilioException, TwilioServiceException

    raised = [TwilioServiceException("about:blank", "crowded", 429, 20429), TwilioException("what is that")]
    monkeypatch.setattr(phone._client.messages, "create_async", lambda **_: _raise(raised.pop(0)))
    # The first is asked again, and then the second comes, of which nothing is known.
    error = await failure(phone.send_text(CALLER, SENDER, "x"))
    assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, True)
    assert raised == []


async def _raise(error: Exception) -> None:
    raise error


@each("code", sorted(BY_CODE))
def test_every_code_of_the_table_has_words_for_the_model(code):
    """And none says that anything was done."""
    error = answered(400, code, "text")
    assert error.message.endswith(".")
    assert not error.partial_side_effects


@pytest.mark.parametrize(("request_for", "type"), [("call", "NOT_FOUND"), ("text", "PERMANENT"), ("list", "PERMANENT")])
def test_what_is_not_found_is_a_phone_call_only_where_one_was_asked_for(request_for, type):
    """Elsewhere it is the account; both ways the model is told what can be had instead."""
    error = answered(404, 20404, request_for)
    assert error.type is ErrorType(type)
    assert ("phone call" in error.message) is (request_for == "call")
    assert error.instead


def test_every_status_that_twilio_documents_has_a_meaning():
    """The enum of Twilio's own document, and nothing beside it."""
    assert STATUSES.keys() == set(document()["answers"]["message"]["status"]["enum"])


async def test_a_business_without_an_account_has_none(accounts):
    """Not connected, or never set up."""
    assert await accounts.of(connected(isConnected=False)) is None
    assert await accounts.of(salon("never-set-up")) is None


@pytest.mark.parametrize(
    "business",
    [connected(accountSid="AC123"), connected(accountSid=None), connected(needsReauth=True), connected("nobody")],
)
async def test_credentials_that_are_missing_or_refused_must_be_given_again(accounts, business):
    """AUTH; the business `nobody` has no secret of its own, and gets no one else's."""
    error = await failure(accounts.of(business))
    assert (error.type, source_of(error)) == (ErrorType.AUTH, "twilio")


FIRST_TEXT = """
import asyncio, sys, threading
from switchboard.integrations.twilio.accounts import TwilioAccounts
from tests.integrations.twilio_account import MemorySecrets, connected

importing = []
sys.addaudithook(lambda event, args: event == "import" and importing.append((args[0], threading.current_thread())))

async def main():
    accounts = TwilioAccounts(MemorySecrets())
    phone = await accounts.of(connected())
    loaded = set(sys.modules)
    phone._client.messages
    assert not {name for name in set(sys.modules) - loaded if name.startswith("twilio")}
    heavy = [thread for name, thread in importing if name.startswith("twilio.rest.api.v2010.account")]
    assert heavy and threading.main_thread() not in heavy
    await accounts.close()

asyncio.run(main())
"""


@pytest.mark.process
async def test_the_first_text_of_a_process_holds_no_other_caller_up():
    """What the SDK loads, also what it puts off until a text is spoken of, is loaded beside the conversations."""
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", FIRST_TEXT, env=os.environ | paths)
    assert await process.wait() == 0


WARMED = """
import asyncio, sys
from switchboard.integrations.twilio.accounts import TwilioAccounts
from tests.integrations.twilio_account import MemorySecrets, connected

async def main():
    accounts = TwilioAccounts(MemorySecrets())
    await accounts.warm()
    loaded = set(sys.modules)
    phone = await accounts.of(connected())
    phone._client.messages
    assert not {name for name in set(sys.modules) - loaded if name.startswith("twilio")}
    await accounts.close()

asyncio.run(main())
"""


@pytest.mark.process
async def test_a_text_waits_for_no_import_where_the_process_was_warmed():
    """It would be told as unfinished for it: loading takes a good part of what an action may take."""
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", WARMED, env=os.environ | paths)
    assert await process.wait() == 0


async def test_a_server_loads_what_texts_while_nobody_waits(monkeypatch):
    """Before the first caller wants one; beside what reads a model's sentences."""
    warmed = []

    async def warm(accounts: TwilioAccounts) -> None:
        warmed.append(accounts)

    monkeypatch.setattr(TwilioAccounts, "warm", warm)
    house = build(read_configuration({}), MemoryStore())
    await house.channel_app.warm()
    assert warmed == [house.phones]


async def test_two_businesses_never_share_credentials(twilio):
    """Another account's token is refused by the vendor, and the connection of both is one."""
    secrets = MemorySecrets({("one", "twilio", "authToken"): TOKEN, ("two", "twilio", "authToken"): "wrong"})
    accounts = TwilioAccounts(secrets, twilio.url)
    one, two = await accounts.of(connected("one")), await accounts.of(connected("two"))
    await one.send_text(CALLER, SENDER, "one")
    assert (await failure(two.send_text(CALLER, SENDER, "two"))).type is ErrorType.AUTH
    await accounts.close()


def test_the_toolkits_schemas_can_draw_a_form():
    """Both compile, and what they say of the settings is what the code reads."""
    toolkit = json.loads((Path(switchboard.integrations.twilio.__path__[0]) / "toolkit.json").read_text())
    config = compile_schema(toolkit["config"])
    assert config.is_valid({"accountSid": SID, "textsPerHour": 30, "countries": ["DE"], "textAnyone": True})
    assert not config.is_valid({"accountSid": "AC1"})
    assert compile_schema(toolkit["auth"]["secrets"]).is_valid({"authToken": TOKEN})


async def test_neither_token_nor_number_is_in_what_the_sdk_logs(phone, caplog):
    """Logs are kept for longer than secrets are."""
    caplog.set_level("DEBUG")
    await phone.send_text(CALLER, SENDER, "a secret body")
    assert not [word for word in (TOKEN, CALLER, "a secret body") if word in caplog.text]

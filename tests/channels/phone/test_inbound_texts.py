"""What people text to a business's number: STOP, START and HELP, in the languages that we speak."""

import asyncio
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from twilio.request_validator import RequestValidator

from switchboard.app.clients import SystemClock
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.idempotency import Deliveries
from switchboard.channels.phone import inbound_texts
from switchboard.channels.phone.inbound_texts import OptOut, wish_in
from switchboard.channels.phone.phone_numbers import NO_SAFE_NUMBERS, SafeNumbers
from switchboard.channels.phone.webhook import WebhookAuth
from switchboard.contract.error import ErrorType
from switchboard.contract.store import Delete, Update
from switchboard.desk.limits.rate_limits import RateLimits
from switchboard.desk.messaging.opt_outs import OptOuts
from switchboard.desk.messaging.sms import OPTED_OUT, Texts
from tests.channels.phone.house import (
    BUSINESS,
    CALLER,
    NUMBER,
    PATHS,
    PUBLIC_URL,
    TOKEN,
    WITHIN,
    PhoneInstance,
    open_store,
)
from tests.desk.front_desk import call, salon
from tests.desk.phone_network import MemoryPhoneNetwork
from tests.each import each
from tests.refused import failure


class Texting:
    """One instance, over a store that others may share, and somebody who texts it."""

    def __init__(self, store: Any, network: MemoryPhoneNetwork, safe_numbers: SafeNumbers = NO_SAFE_NUMBERS) -> None:
        phone = PhoneInstance(store)
        self.store, self.clock = store, phone.clock
        limits = RateLimits(store, self.clock)
        self.catalog = phone.office.catalog
        self.texts = Texts(store, network, limits, self.clock)
        self.opt_outs = OptOuts(self.texts, limits)
        parts = inbound_texts.TextParts(
            WebhookAuth(phone.phone.door._lines, PUBLIC_URL, safe_numbers=safe_numbers),
            PATHS,
            phone.office.catalog,
            Deliveries(store, self.clock),
            phone.phone.reception,
            self.opt_outs,
            self.clock,
        )
        app = Starlette(routes=[Mount("/phone", routes=inbound_texts.routes(parts))], exception_handlers=HANDLERS)
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test")
        self._sent = 0

    async def text(self, body: str, *, token: str = TOKEN, **fields: str) -> httpx.Response:
        """Text the business."""
        self._sent += 1
        known = {"MessageSid": f"SM{self._sent}", "From": CALLER, "To": NUMBER, "Body": body} | fields
        signature = RequestValidator(token).compute_signature(f"{PUBLIC_URL}/phone/text", known)
        return await self.client.post("/phone/text", data=known, headers={"x-twilio-signature": signature})

    async def is_stopped(self) -> bool:
        """Tell whether the number gets no texts."""
        return await self.store.inner.get(WITHIN.document("tickets", f"stop:{CALLER}")) is not None


@pytest.fixture
async def texting() -> Any:
    found = Texting(await open_store(), MemoryPhoneNetwork(SystemClock()))
    yield found
    await found.client.aclose()


async def test_a_stop_holds_until_a_start(texting):
    """Nothing is sent in between, and what Twilio answers itself is not answered twice."""
    ctx = call(
        salon(BUSINESS, twilioNumber=NUMBER, integrations={"twilio": {"isConnected": True}}), now=texting.clock.now()
    )
    assert (await texting.text("Stop.")).text.endswith("<Response />")
    assert await texting.is_stopped()
    error = await failure(texting.texts.send(ctx, CALLER, "Hello", effect_key="one"))
    assert (error.type, error.meta["reason"]) == (ErrorType.PERMANENT, OPTED_OUT)
    assert (await texting.text("start")).text.endswith("<Response />")
    assert not await texting.is_stopped()
    assert (await texting.texts.send(ctx, CALLER, "Hello", effect_key="two")).state == "sent"


@pytest.mark.requirement("004-2405")
async def test_what_is_texted_to_a_business_that_is_gone_is_answered_nothing_and_kept_nowhere(texting):
    """Nothing of it is to come into being again."""
    assert "answer" not in (await texting.text("HELP", From="+15185550188")).text
    await texting.store.inner.commit([Delete(WITHIN.business)])
    texting.catalog.forget(BUSINESS)
    answer = await texting.text("STOP")
    assert (answer.status_code, answer.text.endswith("<Response />")) == (200, True)
    assert not await texting.is_stopped()


@pytest.mark.requirement("004-995")
async def test_a_stop_from_the_businesss_own_number_is_nobodys(texting):
    """Forwarded texts come from it; its owner would be texted no more."""
    for number in (NUMBER, "(518) 555-0100", "15185550100"):
        assert (await texting.text("Stop.", From=number)).text.endswith("<Response />")
    assert await texting.store.inner.get(WITHIN.document("tickets", f"stop:{NUMBER}")) is None


@pytest.mark.requirement("004-1306")
@each("written", ["+15185550142", "(518) 555-0142", "518 555 0142", "0015185550142"])
async def test_a_text_from_the_number_that_the_business_is_reached_on_is_nobodys_wish(texting, written):
    """Its owner, who texts it to try, would be texted no more; another number's is kept."""
    await texting.store.commit([Update(WITHIN.business, {"phone": written})])
    await texting.text("STOP", From="+15185550142")
    assert await texting.store.inner.get(WITHIN.document("tickets", "stop:+15185550142")) is None
    await texting.text("STOP")
    assert await texting.is_stopped()


async def test_a_stop_to_any_number_of_the_business_holds(texting):
    """Whoever answers a text that came from the second number has asked the business."""
    second, account = "+15185550199", "AC00000000000000000000000000000002"
    listed = {"twilio": {"accountSid": account, "phoneNumbers": [{"id": "PN2", "number": second}]}}
    await texting.store.commit([Update(WITHIN.business, {"integrations": listed})])
    assert (await texting.text("STOP", To=second, AccountSid=account)).status_code == 200
    assert await texting.is_stopped()


@each(
    ("body", "told", "wish"),
    [
        *(
            (word, "", OptOut.STOP)
            for word in ("STOP", " stop! ", "Opt out", "STOPP", "Arrêt", "désabonner", "Abmelden")
        ),
        *((word, "", OptOut.STOP) for word in ("basta", "BAJA", "Afmelden", "Sair")),
        *((word, "", OptOut.START) for word in ("START", "unstop", "Anmelden", "comecar", "começar", "alta")),
        *((word, "", OptOut.HELP) for word in ("HELP", "info", "Hilfe", "AIDE", "ayuda", "aiuto", "hulp", "Ajuda")),
        *(
            (word, "", OptOut.STOP)
            for word in ("STOP STOP", "Stop, stop!", "please stop", "stop texting me", "STOP 🛑")
        ),
        *((word, "", OptOut.STOP) for word in ("cancelar", "Detener.", "annulla", "Annuler !", "Bitte kündigen")),
        ("help please", "", OptOut.HELP),
        *((word, "", None) for word in ("", "Please stop by at ten", "Ja", "no", "x" * 5_000, "😀", "please", "me")),
        *((word, "", None) for word in ("cancelar mi cita", "stop start", "yes please", "don't stop", "cancel it")),
        *((word, "", OptOut.STOP) for word in ("stop it", "STOP. Thanks", "STOP - Anna", "Stop - thank you!", "🛑")),
        *((word, "", OptOut.STOP) for word in ("remove me", "take me off your list", "do not text me", "S T O P")),
        *((word, "", OptOut.STOP) for word in ("dont text me again", "no more texts", "Keine SMS mehr, bitte.")),
        *((word, "", None) for word in ("Stop. I will come at ten", "stopover at noon?", "Stop by - around ten")),
        ("no more please", "STOP", OptOut.STOP),
        ("stop", "START", OptOut.START),
        ("stop", "nonsense", OptOut.STOP),
    ],
)
def test_a_wish_is_a_word_alone_and_twilios_own_reading_counts_more(body, told, wish):
    """In any case, with or without accents; what could be meant for an appointment is none of ours."""
    assert wish_in(body, told) is wish


@pytest.mark.parametrize(
    ("language", "stop", "start", "help"),
    [
        ("de", "Abmelden", "Anmelden", "Hilfe"),
        ("fr", "arrêt", "reprendre", "aide"),
        ("es", "alto", "alta", "ayuda"),
        ("it", "basta", "riprendi", "aiuto"),
        ("nl", "afmelden", "aanmelden", "hulp"),
        ("pt", "parar", "iniciar", "ajuda"),
        ("sv", "stopp", "anmelden", "hilfe"),
    ],
)
async def test_words_that_twilio_does_not_know_are_kept_and_answered(language, stop, start, help):
    """In the business's language, or else in English, with its name and a way to end it."""
    texting = Texting(
        await open_store(ai={"language": language}, phone="(518) 555-0142"), MemoryPhoneNetwork(SystemClock())
    )
    said = (await texting.text(stop)).text
    assert "Salon" in said and "START" in said and await texting.is_stopped()
    said = (await texting.text(start)).text
    assert "Salon" in said and "STOP" in said and not await texting.is_stopped()
    said = (await texting.text(help)).text
    assert "(518) 555-0142" in said and "STOP" in said
    await texting.client.aclose()


async def test_help_is_answered_unless_twilio_has(texting):
    """Advanced opt-out says that it has."""
    assert "<Message>" in (await texting.text("HELP")).text
    assert "<Message>" not in (await texting.text("HELP", OptOutType="HELP")).text


@pytest.mark.requirement("004-2455")
async def test_what_nobody_reads_is_answered_once_an_hour_with_what_is_read_and_whom_to_call(texting):
    """And never to somebody who gets no texts, nor where Twilio has answered, nor to nothing."""
    assert "<Message>" not in (await texting.text(" ")).text
    await texting.text("stopp")
    assert "<Message>" not in (await texting.text("Thank you")).text
    await texting.text("start")
    said = (await texting.text("What time is it?")).text
    assert all(word in said for word in ("STOP", "START", "HELP", NUMBER))
    assert "<Message>" not in (await texting.text("Hello?")).text
    assert "<Message>" in (await texting.text("Hello?", From="+15185550177")).text


async def test_two_machines_that_answer_each_other_fall_silent(texting):
    """Three answers an hour; what is wished is kept all the same."""
    answered = ["<Message>" in (await texting.text("hilfe")).text for _ in range(5)]
    assert answered == [True, True, True, False, False]
    await texting.text("stopp")
    assert await texting.is_stopped()


async def test_what_twilio_did_not_send_changes_nothing(texting):
    """Nor what names no message, or comes from no number; a delivery again is one."""
    assert (await texting.text("stop", token="guessed")).status_code == 403
    assert (await texting.text("stop", MessageSid="")).status_code == 400
    assert (await texting.text("stop", From="SALON")).status_code == 200
    assert not await texting.is_stopped()
    await texting.text("stop", MessageSid="SM9")
    await texting.text("start", MessageSid="SM10")
    await texting.text("stop", MessageSid="SM9")
    assert not await texting.is_stopped()


async def test_a_wish_that_cannot_be_kept_is_told_so():
    """Where Twilio keeps it, it is quiet; where nobody can say who asks, Twilio is told to try elsewhere."""
    store = await open_store()
    texting = Texting(store, MemoryPhoneNetwork(SystemClock()))
    await texting.text("hello")
    store.fail("commit")
    assert "again in a few minutes" in (await texting.text("stopp")).text
    assert "<Message>" not in (await texting.text("stop")).text
    store.fail("get", "get_many", "query", "commit")
    cold = Texting(store, MemoryPhoneNetwork(SystemClock()))
    answer = await cold.text("stopp")
    assert (answer.status_code, "<Message>" in answer.text) == (503, False)
    for one in (texting, cold):
        await one.client.aclose()


async def test_a_stop_that_was_kept_is_told_as_kept_however_late_the_answer_is(texting, monkeypatch):
    """Whoever is told to send it again would think that texts go on."""

    async def hang(*_: Any) -> bool:
        return await asyncio.Event().wait()

    monkeypatch.setattr(inbound_texts, "ANSWERED_WITHIN_S", 0.5)
    monkeypatch.setattr(texting.opt_outs, "may_answer", hang, raising=False)
    said = (await texting.text("stopp")).text
    assert await texting.is_stopped()
    assert "no more texts" in said and "again in a few minutes" not in said
    assert "again in a few minutes" in (await texting.text("hilfe")).text


async def test_a_stop_that_takes_longer_than_twilio_waits_is_kept_all_the_same(texting, monkeypatch):
    """The caller is told to send it again, which then finds it kept."""
    kept, go_on, written = texting.opt_outs.stop, asyncio.Event(), asyncio.Event()

    async def slow(*how: Any) -> None:
        await go_on.wait()
        await kept(*how)
        written.set()

    monkeypatch.setattr(inbound_texts, "ANSWERED_WITHIN_S", 0.5)
    monkeypatch.setattr(texting.opt_outs, "stop", slow, raising=False)
    assert "again in a few minutes" in (await texting.text("stopp")).text
    go_on.set()
    await asyncio.wait_for(written.wait(), 30)
    assert await texting.is_stopped()


@pytest.mark.parametrize("has_read", [True, False])
async def test_that_it_did_not_work_is_told_in_the_business_s_language(has_read):
    """As it was read last; else as the operator's list of safe numbers has it, with the number that was texted."""
    store = await open_store(ai={"language": "de"})
    safe = SafeNumbers({NUMBER: ("+15185550143", "fr")})
    texting = Texting(store, MemoryPhoneNetwork(SystemClock()), safe)
    await texting.text("hilfe" if has_read else " ")
    store.fail("get", "get_many", "query", "commit")
    said = (await texting.text("abmelden")).text
    assert ("noch einmal" in said) is has_read
    assert ("quelques minutes" in said and NUMBER in said) is not has_read
    await texting.client.aclose()

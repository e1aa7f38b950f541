"""Whose a called number is: read at most once a minute, by one reader at a time, and kept while the store fails."""

import asyncio
import random
import string
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twilio.request_validator import RequestValidator

from switchboard.channels.phone.phone_numbers import Lines, SigningKey, is_signed
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Set, StoreError, Update
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import WatchedStore
from tests.each import each
from tests.pipeline.conftest import PATHS

pytestmark = pytest.mark.requirement("004-610")

NUMBER, SECOND, ACCOUNT = "+15185550100", "+15185550199", "AC00000000000000000000000000000002"

TOKEN = SigningKey(auth_token="12345")
SHARED = SigningKey(auth_token="other", shared_key="12345")
URL = "https://mycompany.com/myapp.php?foo=1&bar=2"
FORM = {
    "CallSid": ["CA1234567890ABCDE"],
    "Caller": ["+14158675309"],
    "Digits": ["1234"],
    "From": ["+14158675309"],
    "To": ["+18005551212"],
}
SHA1, SHA256 = "RSOYDt4T1cUTdK1PDd93/VVr8B8=", "033hgUJA9M/hXIZsYjwkerEP/DBm35nEri5FhCYjA5s="
ANNOUNCED = "key=webhooks_sharedkey_1,algorithm=HMAC_SHA256"


class HandClock:
    """A clock that moves when it is told to."""

    at = 0.0

    def monotonic(self) -> float:
        return self.at


class SlowSecrets:
    """The businesses' auth tokens; each takes as long to read as it is told, by the clock of the test."""

    def __init__(self, clock: HandClock) -> None:
        self.clock, self.takes_s, self.asked = clock, 0.0, 0
        self.tokens: dict[str, str] = {}
        self.fails: ToolError | None = None

    async def reveal_several(self, business_id: str, toolkit: str, fields: Sequence[str]) -> dict[str, str | None]:
        self.asked += 1
        self.clock.at += self.takes_s
        if self.fails is not None:
            raise self.fails
        return {**dict.fromkeys(fields), "authToken": self.tokens.get(business_id)}


class Exchange:
    """Businesses with their numbers, and who answers them."""

    def __init__(self) -> None:
        self.store, self.clock = WatchedStore(MemoryStore()), HandClock()
        self.secrets = SlowSecrets(self.clock)
        self.lines = Lines(self.store, PATHS, self.secrets, self.clock)  # type: ignore[arg-type]

    async def business(self, id: str, token: str, main: str = "", *listed: str) -> None:
        """Write a business as it is from now on."""
        rows = [{"id": number, "number": number} for number in listed]
        twilio = {"accountSid": ACCOUNT, "phoneNumbers": rows}
        self.secrets.tokens[id] = token
        data = {"name": id, "twilioNumber": main, "integrations": {"twilio": twilio}}
        await self.store.inner.commit([Set(PATHS.within(id).business, data)])

    async def answers(self, number: str, token: str, account: str = ACCOUNT) -> str | None:
        """Return which business answers a call that is signed with a token; None where none does."""
        line = await self.lines.proven(number, account, lambda key: key.auth_token == token)
        return line.business_id if line else None


@pytest.fixture
def exchange() -> Exchange:
    return Exchange()


async def test_a_listed_number_that_moved_is_answered_by_its_new_business_within_a_minute(exchange):
    """Measured from when the businesses were read, also where that was for another number, long before this one."""
    await exchange.business("old", "token", "", SECOND, "+15185550111")
    await exchange.business("new", "token")
    assert await exchange.answers("+15185550111", "token") == "old"
    await exchange.business("old", "token", "", "+15185550111")
    await exchange.business("new", "token", "", SECOND)
    exchange.clock.at = 59.0
    assert await exchange.answers(SECOND, "token") == "old"
    exchange.clock.at = 60.1
    assert await exchange.answers(SECOND, "token") == "new"


async def test_a_main_number_that_moved_is_answered_by_its_new_business_within_a_minute(exchange):
    """Nothing of what was read before that is served any longer."""
    await exchange.business("old", "token", NUMBER)
    await exchange.business("new", "token")
    assert await exchange.answers(NUMBER, "token") == "old"
    await exchange.business("old", "token")
    await exchange.business("new", "token", NUMBER)
    exchange.clock.at = 59.0
    assert await exchange.answers(NUMBER, "token") == "old"
    exchange.clock.at = 60.1
    assert await exchange.answers(NUMBER, "token") == "new"


async def test_a_slow_secret_makes_no_number_older(exchange):
    """The minute of a number begins when its business is read, and not when its signing key has been read as well."""
    await exchange.business("old", "token", NUMBER)
    exchange.secrets.takes_s = 20.0
    assert await exchange.answers(NUMBER, "token") == "old"
    exchange.secrets.takes_s = 0.0
    await exchange.business("old", "token")
    await exchange.business("new", "token", NUMBER)
    exchange.clock.at = 60.1
    assert await exchange.answers(NUMBER, "token") == "new"


async def test_within_a_minute_nothing_is_read_twice_and_many_callers_read_once(exchange):
    """Fifty calls at once cost what one costs; so do all of a minute's, for main numbers and for listed ones."""
    await exchange.business("salon", "token", NUMBER, SECOND)
    assert set(await asyncio.gather(*(exchange.answers(SECOND, "token") for _ in range(50)))) == {"salon"}
    # Whose main number it is, and what the businesses of the account list.
    assert (exchange.store.asked["query"], exchange.secrets.asked) == (2, 1)
    for exchange.clock.at in range(0, 60, 5):
        assert await exchange.answers(SECOND, "token") == "salon"
    assert (exchange.store.asked["query"], exchange.secrets.asked) == (2, 1)
    assert await exchange.answers(NUMBER, "token") == "salon"
    assert (exchange.store.asked["query"], exchange.secrets.asked) == (3, 1)


async def test_calls_that_are_signed_wrongly_make_the_store_no_busier_than_once_in_seconds(exchange):
    """What is older than five seconds is read anew for them, and what was read for them counts for the next one."""
    await exchange.business("salon", "token", "", SECOND)
    assert await exchange.answers(SECOND, "token") == "salon"
    exchange.clock.at = 6.0
    assert {await exchange.answers(SECOND, "forged") for _ in range(20)} == {None}
    assert (exchange.store.asked["query"], exchange.secrets.asked) == (4, 2)


@pytest.mark.parametrize("number", [NUMBER, SECOND])
async def test_a_wrong_signature_takes_no_line_away_while_the_store_fails(exchange, number):
    """What it makes us look for anew stays as it was where it cannot be read, for main numbers and for listed ones."""
    await exchange.business("salon", "token", NUMBER, SECOND)
    assert await exchange.answers(number, "token") == "salon"
    exchange.store.fail("query")
    exchange.secrets.fails = ToolError(ErrorType.TRANSIENT, "away")
    for exchange.clock.at in (10.0, 10.5, 70.0, 300.0):
        assert await exchange.answers(number, "forged") is None
        assert await exchange.answers(number, "token") == "salon"
    asked = exchange.store.asked["query"]
    assert {await exchange.answers(number, "forged") for _ in range(20)} == {None}
    assert exchange.store.asked["query"] == asked
    exchange.store.recover()
    exchange.secrets.fails = None
    exchange.clock.at = 302.0
    assert await exchange.answers(number, "token") == "salon"


async def test_what_was_never_read_is_told_from_what_is_nobodys(exchange):
    """Without an answer of the store nobody can say whose the number is."""
    exchange.store.fail("query")
    with pytest.raises(StoreError):
        await exchange.answers(NUMBER, "token")


async def test_a_number_that_is_connected_now_is_known_to_the_next_call(exchange):
    """What was read of it and of its account before keeps it away for seconds at most."""
    await exchange.business("salon", "token")
    assert await exchange.answers(SECOND, "token") is None
    await exchange.business("salon", "token", SECOND)
    assert await exchange.answers(SECOND, "token") == "salon"
    await exchange.business("salon", "token", "", NUMBER)
    exchange.clock.at = 5.0
    assert await exchange.answers(NUMBER, "token") == "salon"


async def test_a_number_that_a_sibling_lists_as_well_is_answered_by_who_listed_it_first(exchange, caplog):
    """Both sign with one token; neither is silenced, and the log has it once, whatever is read anew."""
    await exchange.business("first", "token", "", SECOND)
    await exchange.business("second", "token", "", SECOND)
    for exchange.clock.at in (0.0, 70.0, 140.0):
        assert await exchange.answers(SECOND, "token") == "first"
    (told,) = [record for record in caplog.records if "claim one phone number" in record.message]
    assert (told.business, told.others) == ("first", "second")
    assert SECOND not in told.getMessage()
    now = datetime.now(UTC)
    for id, since in (("first", now), ("second", now - timedelta(days=1))):
        noted = {"integrations.twilio.listedAt": {f"n{SECOND[1:]}": since}}
        await exchange.store.inner.commit([Update(PATHS.within(id).business, noted)])
    exchange.clock.at = 300.0
    assert await exchange.answers(SECOND, "token") == "second"


async def test_whose_main_number_it_is_has_it_before_who_lists_it_whoever_was_first(exchange):
    await exchange.business("sibling", "token", "", NUMBER)
    await exchange.business("salon", "token", NUMBER)
    assert await exchange.answers(NUMBER, "token") == "salon"


async def test_who_merely_names_an_account_silences_nobody_in_it(exchange):
    """A list without the account's token answers nothing, however early it was made."""
    await exchange.business("squatter", "guessed", "", SECOND)
    await exchange.business("salon", "token", "", SECOND)
    assert await exchange.answers(SECOND, "token") == "salon"


async def test_of_two_with_one_main_number_and_one_token_the_older_has_it(exchange):
    await exchange.business("older", "token", NUMBER)
    await exchange.business("newer", "token", NUMBER)
    assert await exchange.answers(NUMBER, "token") == "older"


async def test_what_is_too_long_for_a_number_is_nobodys_and_nothing_is_asked_for_it(exchange):
    """Anybody can send it, signed by nobody; the store would refuse it, and the log tell of a failure."""
    exchange.store.asked.clear()
    assert await exchange.lines.proven("+" + "1" * 1_600, ACCOUNT, lambda key: True) is None
    assert not exchange.store.asked


def test_the_published_vectors_hold():
    """Wire-formats §0.5: a form, the same under a shared key, and a WebSocket's handshake."""
    assert is_signed(TOKEN, URL, FORM, SHA1)
    assert is_signed(SHARED, URL, FORM, SHA256, ANNOUNCED)
    assert is_signed(TOKEN, "wss://example.com/relay", {}, "mbNFdPBlYbXhXfiw/E6CoJbYji0=")


@each(
    ("key", "signature", "settings"),
    [
        (SHARED, SHA256, None),
        (SHARED, SHA256, "key=k,algorithm=HMAC_SHA1"),
        (SHARED, SHA1, None),
        (SigningKey("12345", "other"), SHA1, None),
        (TOKEN, SHA256, ANNOUNCED),
        (TOKEN, SHA1, "key=k,algorithm=HMAC_MD5"),
        (SigningKey(), SHA1, None),
        (TOKEN, None, None),
        (TOKEN, "", None),
        (TOKEN, "R\u00f6" * 14, None),
        (TOKEN, "\udcff" * 28, None),
        (TOKEN, SHA1.lower(), None),
        (TOKEN, SHA1 + " ", None),
    ],
)
def test_who_signs_otherwise_than_is_configured_is_refused(key, signature, settings):
    """A header must not choose the weaker secret; none, or one that is no ASCII, is a no and not an error."""
    assert not is_signed(key, URL, FORM, signature, settings)


@pytest.mark.parametrize(
    ("configured", "called"),
    [
        ("https://example.com/hook", "https://example.com:443/hook"),
        ("https://example.com:443/hook", "https://example.com/hook"),
        ("http://example.com/hook", "http://example.com:80/hook"),
        ("wss://example.com/relay", "wss://example.com:443/relay"),
        ("https://example.com:8443/hook?a=1", "https://example.com/hook?a=1"),
    ],
)
def test_an_address_counts_with_its_port_and_without(configured, called):
    """Twilio itself varies."""
    assert is_signed(TOKEN, configured, {}, RequestValidator("12345").compute_signature(called, {}))


@pytest.mark.parametrize(
    "called",
    [
        "http://example.com/hook",
        "https://example.com/hook/",
        "https://example.com/hook?",
        "https://evil.com/hook",
        "https://example.com:8443/hook",
    ],
)
def test_another_address_does_not_count(called):
    """Nor does the other scheme; there is no falling back from https to http."""
    assert not is_signed(TOKEN, "https://example.com/hook", {}, RequestValidator("12345").compute_signature(called, {}))


def _drawn(seed):
    draw = random.Random(seed)
    letters = string.ascii_letters + string.digits + " +&=%?/#äß日😀'\""

    def text(least, most):
        return "".join(draw.choice(letters) for _ in range(draw.randint(least, most)))

    port = draw.choice(["", "", ":443", ":8443"])
    query = draw.choice(["", "?turn=1&silent=2", "?a=%20+b", "?"])
    url = f"{draw.choice(['https', 'https', 'http'])}://h{seed}.example.com{port}/phone/turn{query}"
    form = {text(1, 9): [text(0, 12) for _ in range(draw.choice([1, 1, 2, 3]))] for _ in range(draw.randint(0, 12))}
    return draw, text(1, 40), url, form, draw.choice(["HMAC_SHA1", "HMAC_SHA256"])


class _Form(dict):
    def getall(self, name):
        return super().__getitem__(name)


@each("seed", range(600))
def test_what_twilio_signs_is_accepted_and_what_is_changed_is_not(seed):
    """Reliability §5: 600 vectors of the vendor's own validator, and every one of them changed in five ways."""
    draw, secret, url, form, algorithm = _drawn(seed)
    key = SigningKey(secret) if algorithm == "HMAC_SHA1" else SigningKey("unused", secret)
    settings = None if algorithm == "HMAC_SHA1" else f"key=k,algorithm={algorithm}"
    signature = RequestValidator(secret).compute_signature(url, _Form(form), algorithm)
    assert is_signed(key, url, form, signature, settings)
    position = draw.randrange(len(signature) - 2)
    changed = signature[:position] + ("A" if signature[position] != "A" else "B") + signature[position + 1 :]
    other = SigningKey(secret + "x", secret + "x" if key.shared_key else "")
    assert not is_signed(key, url, form, changed, settings)
    assert not is_signed(key, url, form, signature[:-1], settings)
    assert not is_signed(key, url + "x", form, signature, settings)
    assert not is_signed(key, url, form | {"Zz added": ["1"]}, signature, settings)
    assert not is_signed(other, url, form, signature, settings)
    if form:
        name = next(iter(form))
        assert not is_signed(key, url, form | {name: [*form[name], "more"]}, signature, settings)


@given(st.text(), st.text(), st.dictionaries(st.text(), st.lists(st.text(), min_size=1)), st.text(), st.text())
def test_nothing_that_is_sent_breaks_the_check(url, secret, form, signature, settings):
    """Whatever the internet sends is right or wrong, and never an exception."""
    assert is_signed(SigningKey(secret), url, form, signature, settings) in (True, False)

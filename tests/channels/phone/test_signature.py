"""Twilio's signature: its published vectors, its own validator as the oracle, and whatever is changed is refused."""

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twilio.request_validator import RequestValidator

from switchboard.channels.phone.phone_numbers import SigningKey, is_signed
from tests.each import each

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

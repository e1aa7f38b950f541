"""ID tokens of service accounts, against a stand-in for Google that signs with keys of its own."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from switchboard.contract.account import TrustedAccount, claimed_issuer, service_account
from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.identity.google_id_tokens import GoogleIdTokens
from tests.each import each
from tests.integrations.token_issuer import ANOTHER, CURVE, OURS, Issuer, RealClock, json_key, pem, signed

URL, EMAIL = "https://switchboard.example.com", "till@my-project.iam.gserviceaccount.com"
# Further ahead than any run takes: these are made when tests are collected.
A_DAY_S = 86_400
CLAIMS = {"iss": "https://accounts.google.com", "aud": URL, "sub": "1", "email": EMAIL, "email_verified": True}


@pytest.fixture
def google(serve: Callable[[Any], str]) -> tuple[str, Issuer]:
    """Google on this machine."""
    found = Issuer()
    return f"{serve(found.app())}/oauth2/v3/certs", found


@pytest.fixture
def clock() -> RealClock:
    """A clock."""
    return RealClock()


@pytest.fixture
def tokens(google: tuple[str, Issuer], http: HttpSession, clock: RealClock) -> GoogleIdTokens:
    """What verifies tokens for this deployment."""
    return GoogleIdTokens(URL, ("tools", "mcp"), http, clock, google[0])


def token(key: Any = OURS, kid: str | None = "k1", alg: str = "RS256", **claims: Any) -> str:
    return signed(CLAIMS | claims, key, kid, alg)


async def refused(tokens: GoogleIdTokens, text: str) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await tokens.account(text)
    return caught.value


@each("issuer", ["https://accounts.google.com", "accounts.google.com"])
@each("audience", [URL, f"{URL}/", f"{URL}/tools", f"{URL}/mcp"])
async def test_a_service_account_is_known_by_its_e_mail_address(tokens: GoogleIdTokens, issuer: str, audience: str):
    """Google writes itself in two ways; the audience is the public address, or that of a function."""
    found = await tokens.account(token(iss=issuer, aud=audience, email=EMAIL.upper()))
    assert found == TrustedAccount("serviceAccount", EMAIL)


@each(
    "claims",
    [
        {"aud": "https://another.example.com"},
        {"aud": f"{URL}/elsewhere"},
        {"aud": f"{URL}/tools/execute"},
        {"aud": f"{URL}.evil.example"},
        {"aud": URL.replace("https", "http")},
        {"aud": [URL]},
        {"aud": [URL, "https://another.example.com"]},
        {"aud": None},
        {"aud": 7},
        {"iss": "https://securetoken.google.com/demo"},
        {"iss": "https://accounts.google.com/"},
        {"iss": "https://accounts.google.com.evil.example"},
        {"iss": None},
        {"iss": ["https://accounts.google.com"]},
        {"sub": None},
        {"exp": None},
        {"iat": None},
        {"exp": int(time.time()) - 60},
        {"exp": "soon"},
        {"exp": 1e400},
        {"iat": int(time.time()) + A_DAY_S},
        {"nbf": int(time.time()) + A_DAY_S},
        {"email": None},
        {"email": "somebody@gmail.com"},
        {"email": "till@my-project.iam.gserviceaccount.com.evil.example"},
        {"email": "till@evilgserviceaccount.com"},
        {"email": [EMAIL]},
        {"email_verified": False},
        {"email_verified": "true"},
        {"email_verified": None},
    ],
)
async def test_a_token_that_says_anything_else_is_refused(tokens: GoogleIdTokens, claims: dict[str, Any]):
    """However well it is signed; nothing of the token is repeated."""
    error = await refused(tokens, token(**claims))
    assert error.type is ErrorType.AUTH
    assert "evil" not in error.message and EMAIL not in error.message


@each(
    "make",
    [
        lambda: token(ANOTHER),
        lambda: token(kid=None),
        lambda: token(kid="k2"),
        lambda: token(alg="PS256"),
        lambda: token(alg="RS512"),
        lambda: token(CURVE, alg="ES256"),
        lambda: jwt.encode(CLAIMS, None, "none", headers={"kid": "k1"}),
        lambda: token().rsplit(".", 1)[0] + ".",
        lambda: token()[:-8] + "AAAAAAAA",
        lambda: ".".join([token().split(".")[0], token(email="admin@p.iam.gserviceaccount.com").split(".")[1], "AAAA"]),
        lambda: signed(CLAIMS, typ="dpop+jwt"),
        lambda: signed(CLAIMS | {"more": "x" * 9_000}),
        lambda: "eyJ.eyJ.eyJ",
        lambda: "",
    ],
)
async def test_a_token_that_google_has_not_signed_is_refused(tokens: GoogleIdTokens, make: Any):
    """Neither by another key, nor by another algorithm, nor by none."""
    assert (await refused(tokens, make())).type is ErrorType.AUTH


async def test_the_public_key_is_no_shared_secret(tokens: GoogleIdTokens):
    """A token that is signed with it symmetrically would otherwise pass."""

    def part(content: Any) -> bytes:
        return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=")

    now = int(time.time())
    text = part({"alg": "HS256", "kid": "k1"}) + b"." + part(CLAIMS | {"iat": now, "exp": now + 60})
    mac = base64.urlsafe_b64encode(hmac.digest(pem(OURS), text, hashlib.sha256)).rstrip(b"=")
    assert (await refused(tokens, (text + b"." + mac).decode())).type is ErrorType.AUTH


@pytest.mark.parametrize(("skew", "is_good"), [({"exp": -2}, True), ({"exp": -20}, False), ({"iat": 3}, True)])
async def test_clocks_may_differ_by_seconds(tokens: GoogleIdTokens, skew: dict[str, int], is_good: bool):
    """As Google's own library has it."""
    text = token(**{name: int(time.time()) + by for name, by in skew.items()})
    if is_good:
        assert (await tokens.account(text)).id == EMAIL
    else:
        assert "expired" in (await refused(tokens, text)).message


async def test_whoever_set_the_service_up_is_told_what_to_change(tokens: GoogleIdTokens):
    """The audience to ask for, and that the address must be included."""
    assert URL in (await refused(tokens, token(aud="https://another.example.com"))).message
    assert "includeEmail" in (await refused(tokens, token(email=None))).message


async def test_keys_are_kept_for_as_long_as_google_says(
    tokens: GoogleIdTokens, google: tuple[str, Issuer], clock: RealClock
):
    """By Cache-Control; and a key that is taken back lets nobody in from then on."""
    for _ in range(3):
        await tokens.account(token())
    clock.wait(3_590)
    await tokens.account(token())
    assert len(google[1].asked) == 1
    google[1].keys = [json_key(ANOTHER, "k2")]
    clock.wait(20)
    assert (await refused(tokens, token())).type is ErrorType.AUTH
    assert len(google[1].asked) == 2


@pytest.mark.parametrize(("cache", "kept_s"), [("no-store", 299), ("max-age=0", 29), (None, 299)])
async def test_google_is_not_asked_for_every_token_whatever_it_says_of_keeping(
    tokens: GoogleIdTokens, google: tuple[str, Issuer], clock: RealClock, cache: str | None, kept_s: float
):
    """Half a minute at least."""
    google[1].cache = cache
    await tokens.account(token())
    clock.wait(kept_s)
    await tokens.account(token())
    assert len(google[1].asked) == 1
    clock.wait(2)
    await tokens.account(token())
    assert len(google[1].asked) == 2


async def test_a_flood_of_made_up_key_ids_asks_google_twice_a_minute(
    tokens: GoogleIdTokens, google: tuple[str, Issuer], clock: RealClock
):
    """And a key that is really new is found meanwhile."""
    await tokens.account(token())
    for at in range(200):
        assert (await refused(tokens, token(kid=f"made-up-{at}"))).type is ErrorType.AUTH
        clock.wait(0.3)
    assert len(google[1].asked) <= 3
    google[1].keys.append(json_key(ANOTHER, "k2"))
    clock.wait(31)
    await tokens.account(token(ANOTHER, "k2"))


async def test_while_google_does_not_answer_nobody_can_tell_and_nobody_waits_in_line(
    tokens: GoogleIdTokens, google: tuple[str, Issuer], clock: RealClock
):
    """503 and not 401; it is asked again after two seconds, not by everybody."""
    google[1].status = 503
    for _ in range(20):
        assert (await refused(tokens, token())).type is ErrorType.TRANSIENT
    assert len(google[1].asked) == 1
    google[1].status = 200
    clock.wait(2)
    assert (await tokens.account(token())).id == EMAIL


async def test_known_keys_outlive_an_outage_by_a_day_and_no_longer(
    tokens: GoogleIdTokens, google: tuple[str, Issuer], clock: RealClock
):
    """Meanwhile nobody can tell about new ones."""
    await tokens.account(token())
    google[1].status = 500
    clock.wait(4_000)
    for _ in range(20):
        await tokens.account(token())
        assert (await refused(tokens, token(ANOTHER, "k2"))).type is ErrorType.TRANSIENT
    assert len(google[1].asked) == 2
    clock.wait(86_400)
    assert (await refused(tokens, token())).type is ErrorType.TRANSIENT


@pytest.mark.parametrize(
    "keys",
    [
        [],
        [{"kid": "k1"}],
        [json_key(OURS, "k1", use="enc")],
        [json_key(OURS, "k1", alg="RS512")],
        [json_key(CURVE, "k1")],
        [{**json_key(OURS, "k1"), "n": "%"}],
        ["k1"],
    ],
    ids=["none", "bare", "for encrypting", "of another algorithm", "a curve", "broken", "no rows"],
)
async def test_keys_that_cannot_be_used_are_none(
    tokens: GoogleIdTokens, google: tuple[str, Issuer], keys: list[Any], clock: RealClock
):
    """What cannot be read beside a good one takes nothing from it."""
    google[1].keys = keys
    assert (await refused(tokens, token())).type is ErrorType.TRANSIENT
    if keys and isinstance(keys[0], dict):
        google[1].keys = [*keys, json_key(ANOTHER, "k2")]
        clock.wait(3)
        assert (await tokens.account(token(ANOTHER, "k2"))).id == EMAIL


GOOD = token()
SEGMENT = st.one_of(
    st.text("ABCDEFabcdef0123456789-_=", max_size=40),
    st.sampled_from(GOOD.split(".")),
    st.binary(max_size=40).map(lambda raw: jwt.utils.base64url_encode(raw).decode()),
)
HEADERS = st.dictionaries(
    st.sampled_from(["alg", "kid", "typ", "crit", "b64", "jwk", "jku", "x5u"]),
    st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from(["RS256", "none", "k1", "JWT", "HS256"])),
).map(lambda header: jwt.utils.base64url_encode(json.dumps(header).encode()).decode())


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.one_of(SEGMENT, HEADERS), max_size=5), tail=st.text(max_size=5))
async def test_whatever_is_sent_is_refused_and_never_a_failure_of_ours(
    tokens: GoogleIdTokens, parts: list[str], tail: str
):
    """Malformed in every way, and in parts a good one's own."""
    text = ".".join(parts) + tail
    claimed_issuer(text)
    if text != GOOD:
        assert (await refused(tokens, text)).type is ErrorType.AUTH


@each(
    ("email", "is_one"),
    [
        (EMAIL, True),
        (" 123-compute@developer.gserviceaccount.com ", True),
        ("my-project@appspot.gserviceaccount.com", True),
        ("x@gserviceaccount.com", True),
        ("x@evilgserviceaccount.com", False),
        ("x@gserviceaccount.com.evil.example", False),
        ("x@y@p.iam.gserviceaccount.com", False),
        ("x\n@p.iam.gserviceaccount.com", False),
        ("ana@example.com", False),
        ("", False),
        (None, False),
        (7, False),
    ],
)
def test_what_is_a_service_account(email: object, is_one: bool):
    """By the names that Google gives; of nobody else's addresses."""
    assert (service_account(email) is not None) is is_one

"""The stand-in for an OpenID provider: as strict as a real one about what makes a sign-in safe."""

import base64
import hashlib
from collections.abc import AsyncIterator
from urllib.parse import parse_qsl, urlsplit

import httpx
import jwt
import pytest

from stand_ins.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider

URL, BACK, MARIA = "https://provider.example", "https://pages.example/oauth2callback", "maria@example.com"
VERIFIER = "a verifier of at least forty-three characters, as RFC 7636 wants it"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
ASKED = {
    "client_id": CLIENT_ID,
    "redirect_uri": BACK,
    "response_type": "code",
    "scope": "openid email",
    "state": "s-1",
    "nonce": "n-1",
    "code_challenge": CHALLENGE,
    "code_challenge_method": "S256",
}
REDEEMED = {"grant_type": "authorization_code", "redirect_uri": BACK, "code_verifier": VERIFIER}


@pytest.fixture
def provider() -> OpenIdProvider:
    """Where one person may sign in."""
    return OpenIdProvider(BACK, {MARIA: {"sub": "p-1"}})


@pytest.fixture
async def http(provider: OpenIdProvider) -> AsyncIterator[httpx.AsyncClient]:
    """Asks it."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(provider.app), base_url=URL) as client:
        yield client


async def sent_back(http: httpx.AsyncClient, person: str = MARIA) -> dict[str, str]:
    answer = await http.post("/authorize", params=ASKED, data={"person": person})
    return dict(parse_qsl(urlsplit(answer.headers["location"]).query))


async def redeem(http: httpx.AsyncClient, code: str, secret: str = CLIENT_SECRET, **changes: str) -> httpx.Response:
    return await http.post("/token", data={**REDEEMED, "code": code, **changes}, auth=(CLIENT_ID, secret))


async def test_a_code_is_worth_one_signed_token(http, provider):
    """It says who, for whom, and with which nonce; a second time the code is worth nothing."""
    back = await sent_back(http)
    assert back["state"] == "s-1"
    token = (await redeem(http, back["code"])).json()["id_token"]
    claims = jwt.decode(token, provider.public_key, algorithms=["RS256"], audience=CLIENT_ID, issuer=URL)
    assert (claims["sub"], claims["email"], claims["nonce"]) == ("p-1", MARIA, "n-1")
    assert (await redeem(http, back["code"])).json() == {"error": "invalid_grant"}


@pytest.mark.parametrize("name", [name for name in ASKED if name != "nonce"])
async def test_a_request_with_anything_missing_or_changed_is_refused(http, name):
    """And nobody is sent anywhere."""
    for changed in ({**ASKED, name: "another"}, {key: ASKED[key] for key in ASKED if key != name}):
        if name in ("state", "code_challenge") and name in changed:
            continue
        assert (await http.get("/authorize", params=changed)).status_code == 400


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"secret": "wrong"}, "invalid_client"),
        ({"code_verifier": "wrong"}, "invalid_grant"),
        ({"redirect_uri": "https://elsewhere.example"}, "invalid_grant"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
    ],
)
async def test_a_code_in_the_wrong_hands_is_worth_nothing(http, changes, error):
    """Whoever has the code alone cannot sign in with it."""
    back = await sent_back(http)
    assert (await redeem(http, back["code"], **changes)).json() == {"error": error}


async def test_whoever_turns_round_is_sent_back_without_a_code(http):
    """With the error that a client is told to expect."""
    assert await sent_back(http, "") == {"error": "access_denied", "state": "s-1"}

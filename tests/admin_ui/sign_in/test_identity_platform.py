"""A provider's ID token exchanged for a Firebase one, against stand-ins for both."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jwt
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from admin_ui.sign_in.identity_platform import Away, IdentityPlatform, NotSetUp, NotSignedIn, SignIn, nonce_of
from stand_ins.identity_platform import API_KEY, IdentityPlatformStandIn, TrustedProvider
from stand_ins.loopback import serving
from stand_ins.openid_provider import CLIENT_ID, OpenIdProvider
from tests.switch import Switch

MARIA, PAGE = "maria@example.com", "http://127.0.0.1:8501/oauth2callback"
ISSUER, COMPANY, RAW_NONCE = "https://accounts.google.com", "oidc.company", "only-the-pages-know-this"
PROVIDER = OpenIdProvider(PAGE, {MARIA: {"sub": "p-1"}})


@pytest.fixture
def stand_in() -> IdentityPlatformStandIn:
    """A project that lets people in from Google, and from a provider of a company's own."""
    trusted = TrustedProvider(ISSUER, CLIENT_ID, PROVIDER.public_key)
    return IdentityPlatformStandIn("demo-switchboard", {"google.com": trusted, COMPANY: trusted})


@pytest.fixture
def url(stand_in: IdentityPlatformStandIn, platform_server: tuple[str, Switch]) -> str:
    """Where it is."""
    found, switch = platform_server
    switch.stand_in = stand_in
    return found


def platform(url: str, **changes: Any) -> IdentityPlatform:
    known = {"accounts_url": f"{url}/identitytoolkit.googleapis.com", "tokens_url": f"{url}/securetoken.googleapis.com"}
    return IdentityPlatform(**{"api_key": API_KEY, **known, **changes})


@contextmanager
def answering(body: bytes) -> Iterator[str]:
    """Answer everything with 200 and this."""

    async def answer(request: Request) -> Response:
        return Response(body, media_type="application/json")

    with serving(Starlette(routes=[Route("/{path:path}", answer, methods=["POST"])])) as url:
        yield url


def google_token(**changes: Any) -> str:
    return PROVIDER.id_token(ISSUER, MARIA, **changes)


def claims(sign_in: SignIn) -> dict[str, Any]:
    return jwt.decode(sign_in.id_token, options={"verify_signature": False})


def test_a_providers_token_becomes_a_firebase_token(url):
    """It is the project's own, and says who it is."""
    found = platform(url).sign_in(google_token(), PAGE)
    assert claims(found)["iss"] == "https://securetoken.google.com/demo-switchboard"
    assert found.email == claims(found)["email"] == MARIA
    assert found.ends_at == pytest.approx(claims(found)["exp"], abs=60)


def test_a_fresh_token_has_the_roles_of_now(url, stand_in):
    """They were given after the sign-in."""
    found = platform(url).sign_in(google_token(), PAGE)
    assert "roles" not in claims(found)
    stand_in.account_of(MARIA)["customAttributes"] = json.dumps({"roles": {"salon": "owner"}})
    fresh = platform(url).refreshed(found)
    assert claims(fresh)["roles"] == {"salon": "owner"}
    assert (fresh.email, claims(fresh)["auth_time"]) == (MARIA, claims(found)["auth_time"])


@pytest.mark.parametrize(
    ("raw_nonce", "nonce", "is_in"),
    [(RAW_NONCE, nonce_of(RAW_NONCE), True), ("", nonce_of(RAW_NONCE), False), ("another", nonce_of(RAW_NONCE), False)],
)
def test_a_provider_of_ones_own_needs_the_nonce_that_the_token_was_made_with(url, raw_nonce, nonce, is_in):
    """Identity Platform compares it for `oidc.` providers."""
    own = platform(url, provider_id=COMPANY, raw_nonce=raw_nonce)
    if is_in:
        assert own.sign_in(google_token(nonce=nonce), PAGE).email == MARIA
    else:
        with pytest.raises(NotSetUp, match="raw_nonce"):
            own.sign_in(google_token(nonce=nonce), PAGE)


@pytest.mark.parametrize("changes", [{"aud": "another"}, {"exp": 1}, {"iss": "https://example.com"}])
def test_a_token_that_is_not_believed_signs_nobody_in(url, changes):
    """It was made for somebody else, or is over; nothing of it is quoted."""
    token = google_token(**changes)
    with pytest.raises(NotSignedIn) as refused:
        platform(url).sign_in(token, PAGE)
    assert token[-20:] not in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"api_key": "wrong"}, "API key is not valid"),
        ({"provider_id": "oidc.unknown"}, "does not let this provider in"),
    ],
)
def test_a_wrong_set_up_is_told_as_such(url, changes, sentence):
    """It is not the fault of whoever signs in."""
    with pytest.raises(NotSetUp, match=sentence):
        platform(url, **changes).sign_in(google_token(), PAGE)


def test_a_sign_in_that_was_taken_back_is_carried_on_no_further(url, stand_in):
    """Signed out everywhere, or the account closed, or gone."""
    found = platform(url).sign_in(google_token(), PAGE)
    stand_in.sign_out_everywhere(MARIA)
    with pytest.raises(NotSignedIn, match="not valid any more"):
        platform(url).refreshed(found)
    stand_in.account_of(MARIA).update(validSince="0", disabled=True)
    for ask in (lambda: platform(url).refreshed(found), lambda: platform(url).sign_in(google_token(), PAGE)):
        with pytest.raises(NotSignedIn, match="closed"):
            ask()
    stand_in.accounts.clear()
    with pytest.raises(NotSignedIn, match="not there any more"):
        platform(url).refreshed(found)


def test_trouble_at_google_is_nobodys_refusal(url, stand_in):
    """An error of theirs, nobody at the address, or somebody else."""
    stand_in.is_away = True
    with pytest.raises(Away):
        platform(url).sign_in(google_token(), PAGE)
    with pytest.raises(Away):
        platform("http://127.0.0.1:1").sign_in(google_token(), PAGE)


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b'{"idToken": "a", "refreshToken": "b", "expiresIn": "x"}'])
def test_an_answer_that_cannot_be_read_is_no_sign_in(body):
    """Whatever it is."""
    with answering(body) as url, pytest.raises(Away):
        platform(url).sign_in(google_token(), PAGE)


@pytest.mark.parametrize(
    ("body", "sentence"), [(b'{"needConfirmation": true}', "another way"), (b'{"mfaPendingCredential": "x"}', "second")]
)
def test_an_account_that_needs_more_than_this_is_told(body, sentence):
    """Google answers these with 200 and without tokens."""
    with answering(body) as url, pytest.raises(NotSignedIn, match=sentence):
        platform(url).sign_in(google_token(), PAGE)


def test_tokens_and_the_key_stand_in_no_text_of_theirs(url, caplog):
    """Neither in what is printed for a programmer nor in a log."""
    with caplog.at_level(logging.DEBUG):
        own = platform(url)
        found = own.refreshed(own.sign_in(google_token(), PAGE))
    for secret in (found.id_token, found.refresh_token, API_KEY):
        assert secret not in f"{found!r} {own!r} {caplog.text}"

"""Signing in as owners do: Streamlit's own sign-in, an OpenID provider, Identity Platform, and a server that verifies.

The provider and Identity Platform are stand-ins; Streamlit, the browser, and what reads the tokens are real.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from admin_ui.sign_in.identity_platform import nonce_of
from stand_ins.identity_platform import API_KEY, IdentityPlatformStandIn, TrustedProvider
from stand_ins.loopback import serving
from stand_ins.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider
from tests.admin_ui.browsing import SLOW_MS, idle, main, pages_started, photograph_both, press, turn_to, window
from tests.admin_ui.premises import PLUMBER, SALON, served

PROJECT, RAW_NONCE = "demo-switchboard", "only-the-pages-know-this"
OWNER, STRANGER = "maria@example.com", "nobody@example.com"
PEOPLE = {OWNER: {"sub": "p-1", "name": "Maria"}, STRANGER: {"sub": "p-2"}}
SECRETS = """
[auth]
redirect_uri = "http://127.0.0.1:{{port}}/oauth2callback"
cookie_secret = "a cookie secret of some length"
expose_tokens = ["id"]

[auth.company]
client_id = "{client_id}"
client_secret = "{client_secret}"
server_metadata_url = "{issuer}/.well-known/openid-configuration"

[auth.company.authorize_params]
nonce = "{nonce}"

[identity_platform]
api_key = "{api_key}"
provider_id = "oidc.company"
raw_nonce = "{raw_nonce}"
"""


@dataclass(frozen=True)
class Company:
    """Pages that people sign in to."""

    url: str
    provider: OpenIdProvider
    platform: IdentityPlatformStandIn


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """The pages, the server and all that signing in needs."""
    provider = OpenIdProvider("", PEOPLE)
    platform = IdentityPlatformStandIn(PROJECT)
    secrets = tmp_path_factory.mktemp("secrets") / "secrets.toml"
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        issuer = stack.enter_context(serving(provider.app))
        host = stack.enter_context(serving(platform.app)).removeprefix("http://")
        platform.providers["oidc.company"] = TrustedProvider(issuer, CLIENT_ID, provider.public_key)
        secrets.write_text(
            SECRETS.format(
                client_id=CLIENT_ID,
                client_secret=CLIENT_SECRET,
                issuer=issuer,
                nonce=nonce_of(RAW_NONCE),
                api_key=API_KEY,
                raw_nonce=RAW_NONCE,
            )
        )
        live = stack.enter_context(served({"FIREBASE_AUTH_EMULATOR_HOST": host}))
        patch.setitem(os.environ, "FIREBASE_AUTH_EMULATOR_HOST", host)
        patch.setitem(os.environ, "STREAMLIT_SECRETS_FILES", str(secrets))
        url = stack.enter_context(pages_started(live.url, {}))
        provider.redirect_uri = f"{url}/oauth2callback"
        yield Company(url, provider, platform)


@pytest.fixture
def page(browser: Browser, company: Company) -> Iterator[Page]:
    """A window in which nobody has signed in, before the pages."""
    context = window(browser)
    page = context.new_page()
    page.goto(company.url)
    expect(main(page).get_by_text("Sign in to look after your receptionist.")).to_be_visible()
    yield page
    context.close()


def sign_in_as(page: Page, person: str) -> None:
    """Go to the provider, and be somebody there."""
    press(page, "Sign in")
    page.get_by_role("button", name=person).click()


def test_an_owner_signs_in_looks_after_their_business_and_signs_out(page, company, tmp_path):
    """First without a role, then with one, and on with fresh tokens; no other business is theirs."""
    photograph_both(page, tmp_path / "door.png")
    sign_in_as(page, OWNER)
    expect(main(page).get_by_text("There is no business that you may look at yet.")).to_be_visible()
    expect(main(page).get_by_text(f"to give {OWNER} a role in one.")).to_be_visible()
    photograph_both(page, tmp_path / "no-role.png")

    company.platform.account_of(OWNER)["customAttributes"] = json.dumps({"roles": {SALON: "owner"}})
    # Every click finds a token that is about to end.
    company.platform.lifetime_s = 120
    press(page, "Look again")
    expect(page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    expect(page.get_by_text("You are here as: Owner")).to_be_visible()
    idle(page)
    refreshed = company.platform.asked.count("token")
    turn_to(page, "Agents")
    expect(main(page).get_by_text("Echo at the front desk").first).to_be_visible()
    assert company.platform.asked.count("token") > refreshed

    page.goto(f"{company.url}/?business={PLUMBER}")
    expect(main(page).get_by_text("You may not do this for this business.")).to_be_visible()

    idle(page)
    known = json.dumps(page.context.storage_state()) + page.content() + page.url
    assert not [token for token in company.platform.refresh_tokens if token in known]
    page.get_by_role("button", name="Sign out").click()
    expect(main(page).get_by_text("Sign in to look after your receptionist.")).to_be_visible()
    # The door is shown before the browser has been to where its cookies are taken back.
    deadline = time.monotonic() + SLOW_MS / 1000
    while left := [c["name"] for c in page.context.cookies() if c["name"].startswith("_streamlit_user")]:
        assert time.monotonic() < deadline, left
        page.wait_for_timeout(50)


def test_whoever_turns_round_at_the_provider_is_back_at_the_door(page, company):
    """Nobody is signed in, and they may try again as somebody else."""
    sign_in_as(page, "Nobody you know")
    expect(main(page).get_by_text("Sign in to look after your receptionist.")).to_be_visible()
    sign_in_as(page, STRANGER)
    expect(main(page).get_by_text(f"to give {STRANGER} a role in one.")).to_be_visible()
    assert company.provider.refused == []

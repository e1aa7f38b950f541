"""What the pages do with a sign-in over time: exchange it, carry it on, and say in plain words when it ends."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.errors import StreamlitAuthError
from streamlit.testing.v1 import AppTest

from admin_ui.sign_in import firebase_session
from stand_ins.identity_platform import API_KEY, IdentityPlatformStandIn, TrustedProvider
from stand_ins.openid_provider import CLIENT_ID, OpenIdProvider
from tests.admin_ui.conftest import SLOW_S, press, said
from tests.admin_ui.premises import LiveServer
from tests.switch import Switch

ISSUER = "https://accounts.google.com"
PEOPLE = ("owner", "viewer", "nobody")
HOUR_S = 3600


class Somebody(dict[str, Any]):
    """`st.user`, as Streamlit fills it from its cookie."""

    def __init__(self, claims: dict[str, Any], **tokens: str) -> None:
        super().__init__(claims)
        self.tokens = tokens


@dataclass
class Desk:
    """Somebody before the pages, and what stands behind them.

    Attributes:
        platform: Who gives Firebase tokens; the people of the premises have accounts.
        secrets: What Streamlit's secrets hold.
        logins: What Streamlit's own sign-in was asked for, None being the provider of [auth] itself.
    """

    platform: IdentityPlatformStandIn
    provider: OpenIdProvider
    secrets: dict[str, Any]
    patch: pytest.MonkeyPatch
    late_s: float = 0
    logins: list[str | None] = field(default_factory=list)
    logouts: int = 0

    def come(self, person: str, **claims: Any) -> AppTest:
        """Open the overview as somebody whom the provider has just let in."""
        email = f"{person}@example.com"
        own = {"is_logged_in": True, "email": email, "exp": time.time() + HOUR_S, **claims}
        self.patch.setattr(st, "user", Somebody(own, id=self.provider.id_token(ISSUER, email)))
        return self.open()

    def open(self) -> AppTest:
        """Open the overview as whoever is there."""
        app = AppTest.from_function(_overview, default_timeout=SLOW_S)
        app.secrets.update(self.secrets)
        return looked_again(app)

    def logout(self) -> None:
        """Streamlit's, which sends the browser elsewhere."""
        self.logouts += 1


@pytest.fixture(scope="module")
def provider() -> OpenIdProvider:
    """Who lets people in; its key takes longer to make than most tests take."""
    return OpenIdProvider("", {f"{person}@example.com": {"sub": person} for person in PEOPLE})


@pytest.fixture
def desk(
    monkeypatch: pytest.MonkeyPatch,
    pages_for: Callable[..., None],
    provider: OpenIdProvider,
    platform_server: tuple[str, Switch],
) -> Desk:
    """Pages with a sign-in before the live server, which knows the accounts' ids."""
    pages_for({})
    trusted = TrustedProvider(ISSUER, CLIENT_ID, provider.public_key)
    platform = IdentityPlatformStandIn("demo-switchboard", {"google.com": trusted})
    for id in PEOPLE:
        known = {"localId": id, "provider": ("google.com", id), "validSince": "0", "email": f"{id}@example.com"}
        platform.accounts[id] = known
    url, switch = platform_server
    switch.stand_in = platform
    own = {
        "api_key": API_KEY,
        "accounts_url": f"{url}/identitytoolkit.googleapis.com",
        "tokens_url": f"{url}/securetoken.googleapis.com",
    }
    found = Desk(platform, provider, {"auth": {"client_id": "c"}, "identity_platform": own}, monkeypatch)
    clock = SimpleNamespace(time=lambda: time.time() + found.late_s)
    monkeypatch.setattr(firebase_session, "time", clock)
    monkeypatch.setattr(st, "login", found.logins.append)
    monkeypatch.setattr(st, "logout", found.logout)
    monkeypatch.setattr(st, "user", Somebody({"is_logged_in": False}))
    return found


def _overview() -> None:
    from admin_ui.shell import frame

    frame.draw("overview")


def looked_again(app: AppTest) -> AppTest:
    """Have the page drawn anew, as any click does."""
    app.run()
    assert not app.exception
    return app


def is_overview(app: AppTest) -> bool:
    return [title.value for title in app.title] == ["Overview"]


def test_nobody_is_asked_to_sign_in(desk):
    """The button leads to the provider, and nobody else is asked."""
    app = press(desk.open(), "Sign in")
    assert (desk.logins, desk.platform.asked) == ([None], [])
    assert "Sign in to look after your receptionist." in said(app)


def test_a_provider_with_a_name_is_found_by_it(desk):
    """Streamlit keeps several below [auth]."""
    desk.secrets["auth"] = {"cookie_secret": "c", "company": {"client_id": "c"}}
    press(desk.open(), "Sign in")
    assert desk.logins == ["company"]


def test_a_sign_in_is_exchanged_once_and_then_kept(desk):
    """Clicks cost no further request."""
    app = desk.come("owner")
    assert is_overview(app)
    assert "Signed in as owner@example.com" in said(app)
    assert is_overview(looked_again(app))
    assert desk.platform.asked == ["signInWithIdp"]


def test_a_token_that_is_about_to_end_is_replaced_unnoticed(desk):
    """Even hours after the provider's own has ended."""
    app = desk.come("owner")
    for hours in (1, 2, 3):
        desk.late_s = hours * HOUR_S - 60
        desk.patch.setattr("admin_ui.sign_in.identity_platform.time", firebase_session.time)
        assert is_overview(looked_again(app))
    assert desk.platform.asked == ["signInWithIdp", "token", "token", "token"]


def test_trouble_at_google_goes_unnoticed_while_the_token_is_good(desk):
    """Only when it has ended is there something to say, and looking again is one click."""
    app = desk.come("owner")
    desk.platform.is_away = True
    desk.late_s = HOUR_S - 60
    assert is_overview(looked_again(app))
    desk.late_s = HOUR_S
    looked_again(app)
    assert "cannot be reached right now" in app.error[0].value
    desk.platform.is_away = False
    assert is_overview(press(app, "Look again"))


def test_a_sign_in_that_was_taken_back_ends_at_the_next_token(desk):
    """It is told once, and Google is not asked again with every click."""
    app = desk.come("owner")
    desk.platform.sign_out_everywhere("owner@example.com")
    desk.late_s = HOUR_S - 60
    for _ in range(2):
        looked_again(app)
        assert "This sign-in is not valid any more. Sign in again to go on." in said(app)
        assert "You came as owner@example.com" in said(app)
    assert desk.platform.asked == ["signInWithIdp", "token"]
    press(app, "Sign in")
    assert desk.logins == [None]


def test_a_closed_account_is_told_and_can_be_left(desk):
    """Whoever comes with the wrong account needs a way out."""
    desk.platform.accounts["owner"]["disabled"] = True
    app = desk.come("owner")
    assert "This account has been closed." in said(app)
    press(app, "Sign out")
    assert desk.logouts == 1


def test_a_cookie_of_yesterday_signs_nobody_in(desk):
    """The provider's token in it is over: nothing is sent, and it is said."""
    app = desk.come("owner", exp=time.time() - HOUR_S)
    assert "Your sign-in has ended. Sign in again to go on." in said(app)
    assert desk.platform.asked == []


def test_a_sign_in_that_the_server_does_not_take_is_asked_for_again(desk):
    """In the server's own words."""
    desk.platform.accounts["stranger"] = desk.platform.accounts.pop("owner") | {"localId": "stranger"}
    app = desk.come("owner")
    for _ in range(2):
        assert app.info[0].value.replace("\\", "") == "Sign in again."
        looked_again(app)
    assert desk.platform.asked == ["signInWithIdp"]


def test_a_sign_in_that_ends_under_a_page_leads_back_to_the_door(desk):
    """The businesses are known from before, so that it is the page itself that is turned away."""
    app = desk.come("owner")
    desk.platform.accounts["owner"]["localId"] = "stranger"
    desk.late_s = HOUR_S - 60
    looked_again(app)
    assert app.info[0].value.replace("\\", "") == "Sign in again."
    assert not app.error


def test_whoever_is_given_a_role_meanwhile_sees_it_by_looking_again(desk, live_server: LiveServer):
    """A role stands in tokens that were made after it was given."""
    app = desk.come("nobody")
    assert "no business that you may look at" in app.info[0].value
    assert "give nobody@example.com a role" in said(app)
    given = desk.platform.accounts.pop("nobody")
    given["localId"] = "owner"
    desk.platform.accounts["nobody"] = given
    assert is_overview(press(app, "Look again"))
    assert (desk.platform.asked[0], {*desk.platform.asked[1:]}) == ("signInWithIdp", {"token"})


def test_somebody_else_in_the_same_browser_is_somebody_else(desk):
    """Nobody goes on with the tokens of whoever sat there before."""
    app = desk.come("owner")
    other = {"is_logged_in": True, "email": "viewer@example.com", "exp": time.time() + HOUR_S}
    desk.patch.setattr(st, "user", Somebody(other, id=desk.provider.id_token(ISSUER, "viewer@example.com")))
    looked_again(app)
    assert "Signed in as viewer@example.com" in said(app)


def test_signing_out_leaves_nothing_behind(desk):
    """Neither in the cookie, which Streamlit takes away, nor in the session."""
    app = desk.come("owner")
    press(app, "Sign out")
    assert desk.logouts == 1
    desk.patch.setattr(st, "user", Somebody({"is_logged_in": False}))
    looked_again(app)
    assert "Sign in to look after your receptionist." in said(app)
    assert not [key for key in (firebase_session._KEPT, firebase_session._ENDED) if key in app.session_state]


@pytest.mark.parametrize(
    ("section", "name", "value", "sentence"),
    [
        ("identity_platform", "api_key", "", "api_key is missing below [identity_platform]"),
        ("identity_platform", "api_key", "wrong", "its API key is not valid"),
        ("identity_platform", "provider_id", "github.com", "is neither google.com nor oidc.<name>"),
    ],
)
def test_pages_that_are_set_up_wrongly_say_what_is_wrong(desk, section, name, value, sentence):
    """For whoever has set them up; nobody else can do anything about it."""
    desk.secrets[section][name] = value
    app = desk.come("owner")
    assert "Nobody can sign in here yet." in app.error[0].value
    assert sentence in said(app)


def test_a_sign_in_without_a_token_says_what_is_missing(desk):
    """Streamlit exposes none unless it is told to."""
    desk.patch.setattr(st, "user", Somebody({"is_logged_in": True, "email": "owner@example.com"}))
    assert 'expose_tokens = ["id"] is missing below [auth]' in said(desk.open())


def test_what_streamlit_lacks_is_told(desk):
    """Its own sentence names what is missing; nobody sees a traceback."""

    def fail(provider: str | None) -> None:
        raise StreamlitAuthError('Authentication credentials are missing the "cookie_secret" key.')

    desk.patch.setattr(st, "login", fail)
    app = press(desk.open(), "Sign in")
    assert 'missing the "cookie_secret" key' in said(app)


def test_the_auth_emulator_takes_the_place_of_google(monkeypatch):
    """It speaks for both, and wants no key of anybody's."""
    monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", "127.0.0.1:9099")
    monkeypatch.setattr(st, "secrets", {})
    found = firebase_session._platform()
    assert found.accounts_url == "http://127.0.0.1:9099/identitytoolkit.googleapis.com"
    assert found.tokens_url == "http://127.0.0.1:9099/securetoken.googleapis.com"

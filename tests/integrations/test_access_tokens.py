"""Access tokens of an authorization server, and how its keys are found, against a stand-in that has keys of its own."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from switchboard.contract.account import TrustedAccount
from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.identity.access_tokens import AccessTokens
from tests.each import each
from tests.integrations.token_issuer import ANOTHER, CURVE, OURS, Issuer, RealClock, json_key, signed

# Further ahead than any run takes: these are made when tests are collected.
A_DAY_S = 86_400
RESOURCE = "https://switchboard.example.com/mcp/demo-salon"
AUDIENCES = (RESOURCE, "https://switchboard.example.com")
OAUTH, OPENID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"


@pytest.fixture
def server(serve: Callable[[Any], str]) -> tuple[str, Issuer]:
    """An authorization server on this machine, which says nothing of itself yet."""
    found = Issuer(keys=[json_key(OURS, "k1"), json_key(CURVE, "e1")])
    return serve(found.app("/keys")), found


def published(server: tuple[str, Issuer], at: str = OAUTH, path: str = "", **more: Any) -> str:
    """Have the server tell of itself, and return its issuer."""
    issuer = server[0] + path
    server[1].metadata[at] = {"issuer": issuer, "jwks_uri": f"{server[0]}/keys"} | more
    return issuer


def reader(issuer: str, http: HttpSession, clock: Any = None, *, is_local: bool = True) -> AccessTokens:
    return AccessTokens(issuer, http, clock or RealClock(), is_local=is_local)


def token(issuer: str, key: Any = OURS, kid: str | None = "k1", alg: str = "RS256", **claims: Any) -> str:
    return signed({"iss": issuer, "aud": RESOURCE, "sub": "client-7", "scope": "tools:read"} | claims, key, kid, alg)


@pytest.mark.parametrize(
    ("path", "at"),
    [
        ("", OAUTH),
        ("", OPENID),
        ("/", OAUTH),
        ("/", OPENID),
        ("/tenant/1", f"{OAUTH}/tenant/1"),
        ("/tenant/1", f"{OPENID}/tenant/1"),
        ("/tenant/1", f"/tenant/1{OPENID}"),
    ],
)
async def test_the_keys_are_found_through_the_servers_own_words(
    server: tuple[str, Issuer], http: HttpSession, path: str, at: str
):
    """At each place that RFC 8414 and OpenID Connect have for them; and they are kept."""
    issuer = published(server, at, path)
    tokens = reader(issuer, http)
    for _ in range(3):
        found = await tokens.account(token(issuer), AUDIENCES)
        assert found == TrustedAccount("subject", "client-7", issuer, frozenset({"tools:read"}))
    assert server[1].asked.count("/keys") == 1


@each(
    "said",
    [
        {"issuer": "https://another.example.com"},
        {"issuer": None},
        {"jwks_uri": None},
        {"jwks_uri": 7},
        {"jwks_uri": "http://keys.example.com/keys"},
        {"jwks_uri": "file:///etc/passwd"},
    ],
)
async def test_words_that_are_not_the_issuers_lead_nowhere(
    server: tuple[str, Issuer], http: HttpSession, said: dict[str, Any]
):
    """Nobody can tell then; a refusal would blame the client."""
    issuer = published(server, **said)
    assert (await refused(reader(issuer, http), token(issuer))).type is ErrorType.TRANSIENT
    assert "/keys" not in server[1].asked


async def test_keys_that_lie_unencrypted_count_on_ones_own_machine_only(server: tuple[str, Issuer], http: HttpSession):
    """Whoever is on the way could put others there."""
    issuer = published(server)
    assert (await refused(reader(issuer, http, is_local=False), token(issuer))).type is ErrorType.TRANSIENT


async def refused(tokens: AccessTokens, text: str) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await tokens.account(text, AUDIENCES)
    return caught.value


@each(
    ("claims", "scopes"),
    [
        ({"scope": "tools:read tools:execute openid"}, {"tools:read", "tools:execute", "openid"}),
        ({"scope": None, "scp": ["tools:read", 7]}, {"tools:read"}),
        ({"scope": None, "scp": "tools:read tools:execute"}, {"tools:read", "tools:execute"}),
        ({"scope": ""}, set()),
        ({"scope": None}, set()),
        ({"scope": 7}, set()),
        ({"scope": {"tools:read": True}}, set()),
        ({"aud": AUDIENCES[1]}, {"tools:read"}),
        ({"aud": ["https://another.example.com", RESOURCE]}, {"tools:read"}),
        ({"iat": None}, {"tools:read"}),
    ],
)
async def test_a_token_lets_do_what_it_was_given(
    server: tuple[str, Issuer], http: HttpSession, claims: dict[str, Any], scopes: set[str]
):
    """In either of the two claims that servers write it in."""
    issuer = published(server)
    assert (await reader(issuer, http).account(token(issuer, **claims), AUDIENCES)).scopes == scopes


@each(
    "claims",
    [
        {"aud": "https://switchboard.example.com/mcp/demo-plumber"},
        {"aud": f"{RESOURCE}/"},
        {"aud": f"{RESOURCE}?x=1"},
        {"aud": "https://switchboard.example.com/mcp"},
        {"aud": "client-7"},
        {"aud": None},
        {"aud": []},
        {"iss": "https://another.example.com"},
        {"iss": None},
        {"sub": None},
        {"sub": ""},
        {"sub": " client-7"},
        {"sub": "a\nb"},
        {"sub": "x" * 256},
        {"sub": 7},
        {"exp": None},
        {"exp": int(time.time()) - 60},
        {"nbf": int(time.time()) + A_DAY_S},
        {"iat": int(time.time()) + A_DAY_S},
        {"cnf": {"jkt": "x"}},
    ],
)
async def test_a_token_for_others_is_refused(server: tuple[str, Issuer], http: HttpSession, claims: dict[str, Any]):
    """One that was made for another resource, or bound to a key that nobody here asks for."""
    issuer = published(server)
    assert (await refused(reader(issuer, http), token(issuer, **claims))).type is ErrorType.AUTH


async def test_the_algorithm_is_the_keys(server: tuple[str, Issuer], http: HttpSession):
    """Both kinds are known; neither is taken for the other, and no other is taken at all."""
    issuer = published(server)
    tokens = reader(issuer, http)
    assert (await tokens.account(token(issuer, CURVE, "e1", "ES256"), AUDIENCES)).id == "client-7"
    for key, kid, alg in [
        (CURVE, "k1", "ES256"),
        (OURS, "e1", "RS256"),
        (OURS, "k1", "PS256"),
        (ANOTHER, "k1", "RS256"),
        (OURS, "k9", "RS256"),
        ("a shared secret that is long enough", "k1", "HS256"),
        (None, "k1", "none"),
    ]:
        assert (await refused(tokens, token(issuer, key, kid, alg))).type is ErrorType.AUTH, (kid, alg)


async def test_a_server_that_does_not_answer_is_not_asked_again_at_once(server: tuple[str, Issuer], http: HttpSession):
    """Nobody can tell meanwhile."""
    clock = RealClock()
    issuer = published(server)
    server[1].status = 503
    tokens = reader(issuer, http, clock)
    for _ in range(5):
        assert (await refused(tokens, token(issuer))).type is ErrorType.TRANSIENT
    assert len(server[1].asked) == 2
    server[1].status = 200
    clock.wait(2)
    assert (await tokens.account(token(issuer), AUDIENCES)).id == "client-7"

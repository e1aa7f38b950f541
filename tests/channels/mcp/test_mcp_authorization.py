"""`/mcp/{businessId}` as an OAuth 2.1 resource server, by the official client's own discovery, over HTTP."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from switchboard.admin.credentials.api_keys import enter_account, revoke_key
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.contract.account import TrustedAccount
from switchboard.contract.credential import Scope
from tests.channels.http.test_tools_api import PATHS, store  # noqa: F401 - a fixture
from tests.channels.listening import listening
from tests.channels.mcp.authorization_server import CLIENT, PERSON, SECRET, AuthorizationServer
from tests.channels.mcp.served import KEY, READER
from tests.channels.mcp.test_mcp_server import headers, meta, ping
from tests.integrations.token_issuer import ANOTHER, RealClock, signed

SALON, PLUMBER = "demo-salon", "demo-plumber"
WELL_KNOWN = "/.well-known/oauth-protected-resource"


@dataclass
class Memory:
    """What a client keeps of its tokens: here, nothing beyond the process."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@dataclass
class Browser:
    """Follows the one redirect of a sign-in, as a person's browser would."""

    came_back: dict[str, str] = field(default_factory=dict)

    async def open(self, url: str) -> None:
        async with httpx2.AsyncClient(timeout=300, verify=False) as http:
            answer = await http.get(url)
        assert answer.status_code == 302, answer.text
        self.came_back = dict(parse_qsl(urlsplit(answer.headers["location"]).query))

    async def result(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=self.came_back["code"], state=self.came_back["state"])


@dataclass
class Premises:
    """A house that trusts an authorization server, both on this machine."""

    url: str
    house: Container
    server: AuthorizationServer
    store: Any
    clock: RealClock

    def resource(self, business_id: str = SALON) -> str:
        return f"{self.url}/mcp/{business_id}"

    async def enter(self, subject: str, business_id: str = SALON, **more: Any) -> str:
        account = TrustedAccount("subject", subject, self.server.url)
        return await enter_account(self.store, PATHS, business_id, "assistant", account, self.clock.now(), **more)

    async def ask(self, token: str | None, business_id: str = SALON, tool: str = "") -> httpx2.Response:
        """List the tools, or call one."""
        params = {"name": tool, "arguments": {"query": "parking"}, "_meta": meta()}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        sent = headers("tools/call", tool) if tool else headers()
        sent |= {"Authorization": f"Bearer {token}" if token else ""}
        async with httpx2.AsyncClient(timeout=300, verify=False) as http:
            return await http.post(self.resource(business_id), json=call if tool else ping(), headers=sent)


@pytest.fixture
def server(serve: Callable[[Any], str]) -> AuthorizationServer:
    """An authorization server."""
    found = AuthorizationServer()
    found.url = serve(found.app())
    return found


@pytest.fixture
async def premises(store: Any, server: AuthorizationServer) -> AsyncIterator[Premises]:  # noqa: F811
    """A house at its public address."""
    built: list[Container] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await built[0].app(scope, receive, send)

    async with listening(app) as url:
        house = build(read_configuration({"SWITCHBOARD_PUBLIC_URL": url, "SWITCHBOARD_MCP_ISSUER": server.url}), store)
        house.clock = clock = RealClock()
        built.append(house)
        yield Premises(url, house, server, store, clock)
        await house.http.close()


async def used(premises: Premises, auth: httpx2.Auth, business_id: str = SALON) -> tuple[list[str], bool]:
    """Have the official client list the tools and call one; return their names, and whether it failed."""
    async with (
        httpx2.AsyncClient(auth=auth, timeout=300, verify=False) as http,
        Client(streamable_http_client(premises.resource(business_id), http_client=http)) as client,
    ):
        names = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool("search_knowledge", {"query": "parking"})
    return names, bool(result.is_error)


async def test_the_official_client_finds_its_way_in_from_the_address_alone(premises: Premises):
    """From the 401 to the metadata, to the server, through registration and sign-in, and back with a token."""
    await premises.enter(PERSON)
    browser = Browser()
    wanted = OAuthClientMetadata(
        client_name="Assistant",
        redirect_uris=["http://127.0.0.1:1/callback"],
        grant_types=["authorization_code"],
        token_endpoint_auth_method="none",
    )
    auth = OAuthClientProvider(premises.resource(), wanted, Memory(), browser.open, browser.result)
    names, failed = await used(premises, auth)
    assert ("search_knowledge" in names, failed) == (True, False)
    assert premises.server.asked == [premises.resource()]


async def test_a_service_comes_with_its_client_credentials(premises: Premises):
    """Nobody signs in; the subject is the client."""
    await premises.enter(CLIENT)
    auth = ClientCredentialsOAuthProvider(
        premises.resource(), Memory(), CLIENT, SECRET, issuer=premises.server.url, scope="tools:read tools:execute"
    )
    names, failed = await used(premises, auth)
    assert ("search_knowledge" in names, failed) == (True, False)


async def test_a_client_that_lacks_a_scope_is_told_which_and_comes_back_with_it(premises: Premises):
    """RFC 6750's insufficient_scope; the official client asks for more by itself."""
    await premises.enter(CLIENT)
    reading = premises.server.token(CLIENT, premises.resource(), "tools:read")
    answer = await premises.ask(reading, tool="search_knowledge")
    assert answer.status_code == 403
    challenge = answer.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in challenge and 'scope="tools:execute"' in challenge
    assert f'resource_metadata="{premises.url}{WELL_KNOWN}/mcp/{SALON}"' in challenge
    memory = Memory(OAuthToken(access_token=reading, token_type="Bearer", expires_in=3600, scope="tools:read"))
    auth = ClientCredentialsOAuthProvider(
        premises.resource(), memory, CLIENT, SECRET, issuer=premises.server.url, scope="tools:read"
    )
    assert (await used(premises, auth))[1] is False
    assert memory.tokens is not None and memory.tokens.scope == "tools:read tools:execute"


@pytest.mark.parametrize(
    ("path", "resource"),
    [(WELL_KNOWN, ""), (f"{WELL_KNOWN}/mcp/{SALON}", f"/mcp/{SALON}"), (f"{WELL_KNOWN}/mcp/x", "/mcp/x")],
)
async def test_what_clients_are_told_stands_where_they_look(premises: Premises, path: str, resource: str):
    """At the root, whoever serves it, and the same whether or not there is such a business."""
    expected = {
        "resource": premises.url + resource,
        "authorization_servers": [premises.server.url],
        "scopes_supported": ["tools:read", "tools:execute"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Switchboard",
    }
    for app in (premises.house.app, premises.house.function("mcp")):
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://elsewhere") as http:
            answer = await http.get(path)
            assert (answer.status_code, answer.json()) == (200, expected)
            assert (await http.get(f"{WELL_KNOWN}/tools/{SALON}")).status_code == 404


@pytest.mark.parametrize("token", [None, "sb_unknown", "eyJ.eyJ.eyJ"])
async def test_whoever_is_not_known_is_told_where_tokens_come_from(premises: Premises, token: str | None):
    """RFC 9728; and that theirs was none, where they had one (RFC 6750)."""
    answer = await premises.ask(token)
    place = f'resource_metadata="{premises.url}{WELL_KNOWN}/mcp/{SALON}"'
    fault = 'error="invalid_token", ' if token else ""
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, f"Bearer {fault}{place}")


async def test_an_address_is_no_way_to_write_headers(premises: Premises):
    """What a business is called comes back in one."""
    answer = await premises.ask(None, "x%22%0D%0ASet-Cookie:%20a=b")
    assert "set-cookie" not in answer.headers
    assert answer.headers["www-authenticate"].count('"') == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda p: p.server.token(CLIENT, p.resource(PLUMBER), "tools:read"),
        lambda p: p.server.token(CLIENT, f"{p.url}/tools", "tools:read"),
        lambda p: p.server.token(CLIENT, "https://another.example.com", "tools:read"),
        lambda p: signed({"iss": p.server.url, "aud": p.resource(), "sub": CLIENT, "scope": "tools:read"}, ANOTHER),
        lambda p: signed({"iss": p.server.url, "aud": p.resource(), "sub": CLIENT, "exp": 1}),
        lambda p: signed({"iss": "https://other.example.com", "aud": p.resource(), "sub": CLIENT}),
    ],
    ids=["another business's", "another function's", "another resource", "forged", "expired", "another issuer's"],
)
async def test_a_token_that_was_not_made_for_here_is_401(premises: Premises, make: Any):
    """However well its account is known."""
    await premises.enter(CLIENT)
    await premises.enter(CLIENT, PLUMBER)
    answer = await premises.ask(make(premises))
    assert (answer.status_code, 'error="invalid_token"' in answer.headers["www-authenticate"]) == (401, True)


async def test_the_business_is_what_was_entered_and_not_what_the_token_says(premises: Premises):
    """An account that can get a token for any address is let in where it is entered, and nowhere else."""
    everywhere = premises.server.token(CLIENT, premises.url, "tools:read tools:execute")
    assert (await premises.ask(everywhere)).status_code == 403
    await premises.enter(CLIENT, PLUMBER)
    premises.clock.wait(11)
    assert (await premises.ask(everywhere)).status_code == 403
    own = premises.server.token(CLIENT, premises.resource(), "tools:read tools:execute")
    assert (await premises.ask(own)).status_code == 403
    assert (await premises.ask(everywhere, PLUMBER)).status_code == 200
    await premises.enter(CLIENT)
    premises.clock.wait(11)
    for business_id in (SALON, PLUMBER):
        assert (await premises.ask(everywhere, business_id)).status_code == 200
    assert (await premises.ask(own, PLUMBER)).status_code == 401


async def test_a_token_does_no_more_than_was_entered(premises: Premises):
    """Asking the server for more would not help, so nobody is sent there."""
    await premises.enter(CLIENT, scopes=[Scope.READ])
    token = premises.server.token(CLIENT, premises.resource(), "tools:read tools:execute owner platform")
    assert (await premises.ask(token)).status_code == 200
    answer = await premises.ask(token, tool="search_knowledge")
    assert (answer.status_code, "www-authenticate" in answer.headers) == (403, False)


async def test_an_entry_that_is_revoked_lets_nobody_in(premises: Premises):
    """However long the token lasts."""
    id = await premises.enter(CLIENT)
    token = premises.server.token(CLIENT, premises.resource(), "tools:read")
    assert (await premises.ask(token)).status_code == 200
    await revoke_key(premises.store, PATHS, SALON, id)
    premises.clock.wait(11)
    assert (await premises.ask(token)).status_code == 403


async def test_keys_go_on_letting_in(premises: Premises):
    """And an access token is good for nothing but this."""
    assert (await premises.ask(KEY)).status_code == 200
    answer = await premises.ask(READER, tool="search_knowledge")
    assert (answer.status_code, "www-authenticate" in answer.headers) == (403, False)
    await premises.enter(CLIENT)
    token = premises.server.token(CLIENT, premises.url, "tools:read tools:execute")
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=300, verify=False) as http:
        query = {"businessId": SALON, "channel": "portal"}
        assert (await http.get(f"{premises.url}/tools/definitions", params=query)).status_code == 401
        assert (await http.get(f"{premises.url}/admin/businesses/{SALON}")).status_code == 401


async def test_without_an_issuer_everything_is_as_if_there_were_no_oauth(store: Any):  # noqa: F811
    """Nothing is told and nothing is taken."""
    house = build(read_configuration({"SWITCHBOARD_PUBLIC_URL": "https://switchboard.example.com"}), store)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(house.app), base_url="http://127.0.0.1") as http:
        for path in (WELL_KNOWN, f"{WELL_KNOWN}/mcp/{SALON}"):
            answer = await http.get(path)
            assert (answer.status_code, answer.json()["error"]["type"]) == (404, "NOT_FOUND")
        answer = await http.post(f"/mcp/{SALON}", json=ping(), headers=headers(Authorization=""))
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")

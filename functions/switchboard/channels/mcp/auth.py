"""Who is let in to `/mcp/{businessId}`, and where a client gets what lets it in (MCP, "Authorization"; RFC 9728).

A business's API key and a service account's ID token do here what they do everywhere. Where the deployment trusts an
authorization server, this is an OAuth 2.1 resource server as well: it takes that server's access tokens, made for the
business's own address here or for the deployment as a whole, of accounts that are entered for the business. What such a
token may do is what it was given and what was entered, both. It goes no further than this: no tool ever sees it.

A browser can be led to a server on its own machine by a name that its owner controls (DNS rebinding); `Host` still says
that name, and `Origin` whose page it was. The protocol asks every server to look at both.
"""

from collections.abc import Sequence
from typing import Protocol
from urllib.parse import quote, urlsplit

from switchboard.channels.http.credentials import Accounts, Credentials, Rejected, entitled, read
from switchboard.contract.account import TrustedAccount, claimed_issuer
from switchboard.contract.credential import SERVICE_SCOPES, Credential, Scope
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

WELL_KNOWN = "/.well-known/oauth-protected-resource"

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class IssuerTokens(Protocol):
    """Reads access tokens of the issuer that is trusted."""

    issuer: str

    async def account(self, token: str, audiences: Sequence[str]) -> TrustedAccount:
        """Return the account that a token is for, with what it was given.

        Raises:
            ToolError: AUTH, it is not good, or for none of these audiences; TRANSIENT, nobody can tell right now.
        """


@dataclass(frozen=True, slots=True)
class TrustedIssuer:
    """An authorization server that is trusted.

    Attributes:
        tokens: Reads what it gives.
        accounts: Knows what is entered for those whom it names.
        public_url: Where clients reach this deployment, without a slash at the end.
    """

    tokens: IssuerTokens
    accounts: Accounts
    public_url: str

    def resource(self, business_id: str) -> str:
        """Return the address of a business's tools, as tokens for it name it; of the deployment for an empty id."""
        return f"{self.public_url}/mcp/{quote(business_id, safe='')}" if business_id else self.public_url

    def audiences(self, business_id: str) -> tuple[str, ...]:
        """Return what a token for a business may name: its own address, or the deployment's, in either spelling."""
        return self.resource(business_id), self.public_url, f"{self.public_url}/"


@dataclass(frozen=True, slots=True)
class Admitted:
    """Somebody who was recognised, and what their access token lets them do; None where they came without one."""

    credential: Credential
    given: frozenset[str] | None = None


class McpAuth:
    """Lets requests in."""

    def __init__(self, credentials: Credentials, trust: TrustedIssuer | None = None) -> None:
        """Let keys and service accounts in by `credentials`, and access tokens by `trust`, if there is any."""
        self._credentials, self._trust = credentials, trust

    def metadata(self, business_id: str) -> JsonObject | None:
        """Return what clients are told of a business's tools, or for an empty id of the deployment.

        It says the same whether or not there is such a business; None where no authorization server is trusted.
        """
        if self._trust is None:
            return None
        return {
            "resource": self._trust.resource(business_id),
            "authorization_servers": [self._trust.tokens.issuer],
            "scopes_supported": [scope.value for scope in SERVICE_SCOPES],
            "bearer_methods_supported": ["header"],
            "resource_name": "Switchboard",
        }

    async def recognise(self, authorization: str | None, business_id: str) -> Admitted:
        """Return whom an `Authorization` header speaks for at a business's address.

        Raises:
            Rejected: 401, nobody, with where a client gets a token; 403, they are entered nowhere; 503, nobody can
                tell.
        """
        scheme, _, token = (authorization or "").strip().partition(" ")
        token = token.strip()
        trust = self._trust
        try:
            if trust is None or scheme.lower() != "bearer" or claimed_issuer(token) != trust.tokens.issuer:
                return Admitted(await self._credentials.recognise(authorization))
            account = await read(trust.tokens.account(token, trust.audiences(business_id)))
            return Admitted(await trust.accounts.recognise(account), account.scopes)
        except Rejected as error:
            if error.status != 401 or trust is None:
                raise
            fault = 'error="invalid_token"' if token else ""
            raise Rejected(401, error.message, self._challenge(business_id, fault)) from None

    def entitle(self, admitted: Admitted, scope: Scope, business_id: str) -> None:
        """Let somebody act for a business, or say why not.

        Raises:
            Rejected: 403; with what to ask for, where it is their token that lacks it.
        """
        try:
            entitled(admitted.credential, scope, business_id)
        except Rejected as error:
            if admitted.given is None or scope.value in admitted.given:
                raise
            fault = f'error="insufficient_scope", scope="{scope.value}"'
            raise Rejected(403, error.message, self._challenge(business_id, fault)) from None

    def _challenge(self, business_id: str, fault: str) -> str:
        assert self._trust is not None
        suffix = f"/mcp/{quote(business_id, safe='')}"
        place = f'resource_metadata="{self._trust.public_url}{WELL_KNOWN}{suffix}"'
        return "Bearer " + ", ".join(filter(None, (fault, place)))


@dataclass(frozen=True, slots=True)
class OriginCheck:
    """What `Host` and `Origin` may say.

    Attributes:
        host: Of the public address, with its port where that is not the usual one; empty where nobody said.
        origin: Of the public address.
        is_anywhere: Whether any host will do, because requests are routed here by the names that this deployment has.
    """

    host: str = ""
    origin: str = ""
    is_anywhere: bool = False

    @classmethod
    def of(cls, public_url: str | None, *, is_local: bool) -> "OriginCheck":
        """Return the doors of a deployment: its public address, and on one's own machine the machine itself."""
        parts = urlsplit(public_url or "")
        return cls(parts.netloc.lower(), f"{parts.scheme}://{parts.netloc}".lower(), not is_local and not public_url)

    def problem(self, host: str | None, origin: str | None) -> tuple[int, str] | None:
        """Return the status and the reason for which a request is not let in by these headers; None where it is."""
        name = (host or "").strip().lower()
        is_loopback = _hostname(f"//{name}") in _LOOPBACK
        if not (is_loopback or self.is_anywhere or (self.host and name == self.host)):
            return 421, "This server is not reached by that host name; use the address that it was given to you by."
        if origin is None:
            return None
        page = origin.strip().lower()
        is_own = bool(self.host) and page == self.origin
        if is_own or (is_loopback and _hostname(page) in _LOOPBACK):
            return None
        return 403, "Web pages of that origin may not use this server."


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""

"""Who is let in to `/mcp/{businessId}`, and where a client gets what lets it in (MCP, "Authorization"; RFC 9728).

A business's API key and a service account's ID token do here what they do everywhere. Where the deployment trusts an
authorization server, this is an OAuth 2.1 resource server as well: it takes that server's access tokens, made for the
business's own address here or for the deployment as a whole, of accounts that are entered for the business. What such
a token may do is what it was given and what was entered, both. It goes no further than this: no tool ever sees it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

from switchboard.channels.http.accounts import Accounts, read
from switchboard.channels.http.credentials import Credentials, Rejected, entitled
from switchboard.contract.account import TrustedAccount, claimed_issuer
from switchboard.contract.credential import SERVICE_SCOPES, Credential, Scope
from switchboard.contract.json import JsonObject

WELL_KNOWN = "/.well-known/oauth-protected-resource"


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

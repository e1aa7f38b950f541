"""ID tokens that Google has signed for service accounts, by which services prove themselves without any secret.

Google's documentation of what to check: https://cloud.google.com/docs/authentication/token-types#id and
https://developers.google.com/identity/openid-connect/openid-connect#validatinganidtoken
"""

from collections.abc import Iterable

from switchboard.contract.account import GOOGLE_ISSUERS, TrustedAccount, service_account
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Clock
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.identity.signed_tokens import Expected, NotGood, PublicKeys, verified

CERTIFICATES = "https://www.googleapis.com/oauth2/v3/certs"
_REQUIRED = ("exp", "iat", "aud", "iss", "sub")


class GoogleIdTokens:
    """Verifies the ID tokens that service accounts get for this deployment."""

    def __init__(
        self,
        public_url: str,
        functions: Iterable[str],
        http: HttpSession,
        clock: Clock,
        keys_url: str = CERTIFICATES,
    ) -> None:
        """Accept tokens whose audience is this deployment.

        Args:
            public_url: Where it is reached. It is the audience, by itself, with a slash at its end, or with one of
                `functions` behind it, as those write it who call a Cloud Function by its own address.
            functions: First path segments.
            http: Asks Google.
            clock: Ages Google's keys.
            keys_url: Where they are.
        """
        self._keys = PublicKeys(http, keys_url, clock)
        audiences = (public_url, f"{public_url}/", *(f"{public_url}/{name}" for name in functions))
        self._expected = Expected(audiences, GOOGLE_ISSUERS, _REQUIRED)
        self._audience = public_url

    async def account(self, token: str) -> TrustedAccount:
        """Return the service account that a token is for.

        Raises:
            ToolError: AUTH, it is not good, in words for whoever has set the service up; TRANSIENT, nobody can tell.
        """
        try:
            claims = await verified(token, self._keys, self._expected)
        except NotGood as error:
            raise ToolError(ErrorType.AUTH, self._words(error)) from None
        account = service_account(claims.get("email")) if claims.get("email_verified") is True else None
        # A list would make it good elsewhere too, for whoever is shown it there.
        if not isinstance(claims["aud"], str):
            raise ToolError(ErrorType.AUTH, self._words(NotGood("audience")))
        if account is None:
            message = (
                "This ID token names no service account: let it be one's own, and have the e-mail address included "
                "(includeEmail, or format=full)."
            )
            raise ToolError(ErrorType.AUTH, message)
        return account

    def _words(self, error: NotGood) -> str:
        if error.fault == "expired":
            return "This ID token has expired; get a new one. They last for an hour."
        if error.fault == "audience":
            return f"This ID token is for another audience; get one for {self._audience}."
        return f"This is no ID token that Google has signed; get one for the audience {self._audience}."

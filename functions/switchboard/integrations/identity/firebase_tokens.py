"""Firebase ID tokens and App Check tokens, verified as Google's documentation says.

ID tokens and accounts are the Admin SDK's; what it leaves open is decided here: when keys of Google are fetched,
how long an account is taken to be as it was, and what the emulator's tokens must say.
https://firebase.google.com/docs/auth/admin/verify-id-tokens and
https://firebase.google.com/docs/app-check/custom-resource-backend
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from cachetools import TTLCache

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Clock
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.identity.firebase_client import FirebaseClient, FirebaseFailure
from switchboard.integrations.identity.signed_tokens import (
    LEEWAY_S,
    Expected,
    NotGood,
    PublicKeys,
    claims_of,
    header_of,
    key_of,
)
from switchboard.integrations.secrets.kms import AccessToken

if TYPE_CHECKING:
    from firebase_admin.auth import Client

ID_TOKEN_KEYS = "https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
APP_CHECK_KEYS = "https://firebaseappcheck.googleapis.com/v1/jwks"
LOOKUP_S = 2.0
# How long an account is taken to be as it was: whoever was disabled or signed out reads nothing after a minute, the
# time that an answer takes and what is under way included.
KNOWN_S = 50.0
_ACCOUNTS_KNOWN = 10_000
_LONGEST_UID = 128
_REFUSED = "This sign-in is not valid any more. Sign in again."
_APP_REFUSED = "This request does not come from one of our apps."
_AWAY = "Sign-ins cannot be checked right now; try again in a few seconds."


class FirebaseTokens:
    """Verifies the ID tokens of one Firebase project."""

    def __init__(
        self,
        project: str,
        http: HttpSession,
        clock: Clock,
        *,
        emulator_host: str | None = None,
        access_token: AccessToken | None = None,
        keys_url: str = ID_TOKEN_KEYS,
    ) -> None:
        """Accept that project's tokens.

        Args:
            project: The Firebase project's id.
            http: Fetches Google's keys.
            clock: Ages Google's keys.
            emulator_host: `host:port` of the Auth emulator, whose unsigned tokens are then accepted, and no others;
                for local running only.
            access_token: What this deployment itself acts with; None for its own credentials.
            keys_url: Where Google's certificates are.
        """
        self._emulator_host = emulator_host
        self._firebase = FirebaseClient(
            project, emulator_host=emulator_host, access_token=access_token, answers_within_s=LOOKUP_S
        )
        self._keys = PublicKeys(http, keys_url, clock)
        issuer = f"https://securetoken.google.com/{project}"
        self._expected = Expected((project,), (issuer,), ("exp", "iat", "aud", "iss", "sub", "auth_time"))
        self._clock = clock
        # user id -> since when sign-ins of an account count; None where none does
        self._known: TTLCache[str, tuple[int | None]] = TTLCache(_ACCOUNTS_KNOWN, KNOWN_S, timer=clock.monotonic)

    async def verify(self, token: str, *, check_revoked: bool) -> Mapping[str, Any]:
        """Return the claims of a token that is good; `sub` is the user's id.

        Args:
            token: What was sent.
            check_revoked: Whether Google is asked now what has become of the user, as for whatever changes something;
                otherwise what it said less than a minute ago counts too.

        Raises:
            ToolError: AUTH, it is not, or its user is disabled, gone, or has been signed out everywhere since;
                TRANSIENT, Google does not answer.
        """
        claims = await self._decoded(token)
        uid, signed_in = claims.get("sub"), claims.get("auth_time")
        if not isinstance(uid, str) or not 0 < len(uid) <= _LONGEST_UID:
            _refuse()
        if not isinstance(signed_in, int) or signed_in > self._clock.now().timestamp() + LEEWAY_S:
            _refuse()
        known = None if check_revoked else self._known.get(uid)
        if known is None:
            known = self._known[uid] = (await self._valid_since(uid),)
        (valid_since,) = known
        if valid_since is None or signed_in < valid_since:
            _refuse()
        return claims

    async def _decoded(self, token: str) -> Mapping[str, Any]:
        try:
            header = header_of(token)
            if self._emulator_host is not None:
                if header.get("alg") != "none" or not token.endswith("."):
                    # A signed one is somebody's real one that went astray: the emulator makes none.
                    _refuse()
                # The SDK would take an expired one here.
                return claims_of(token, None, self._expected)
            key = await key_of(header, self._keys)
            self._firebase.public_keys[header["kid"]] = key.pem
            claims = await self._firebase.verify(token, LEEWAY_S)
        except NotGood:
            _refuse()
        except FirebaseFailure as error:
            raise _away(f"verify_id_token: {error}") from None
        if claims is None:
            _refuse()
        return claims

    async def _valid_since(self, uid: str) -> int | None:
        """Return since when sign-ins of an account count, in seconds of the epoch; None where none does any more."""
        try:
            return await self._firebase.ask(partial(_sign_ins_since, uid=uid))
        except FirebaseFailure as error:
            raise _away(f"accounts:lookup: {error}") from None


def _sign_ins_since(client: "Client", uid: str) -> int | None:
    from firebase_admin.auth import UserNotFoundError

    try:
        user = client.get_user(uid)
    except UserNotFoundError:
        return None
    return None if user.disabled else int(user.tokens_valid_after_timestamp) // 1_000


class AppCheckTokens:
    """Verifies the App Check tokens of one Firebase project."""

    def __init__(self, project_number: str, http: HttpSession, clock: Clock, keys_url: str = APP_CHECK_KEYS) -> None:
        """Accept the tokens of the apps of the project of that number."""
        self._keys = PublicKeys(http, keys_url, clock)
        issuer = f"https://firebaseappcheck.googleapis.com/{project_number}"
        self._expected = Expected((f"projects/{project_number}",), (issuer,), ("exp", "aud", "iss", "sub"))

    async def verify(self, token: str) -> None:
        """Return if a token was given to one of the project's apps.

        Raises:
            ToolError: AUTH, it was not; TRANSIENT, Google does not answer.
        """
        try:
            header = header_of(token)
            if header.get("typ") != "JWT":
                raise NotGood
            claims_of(token, await key_of(header, self._keys), self._expected)
        except NotGood:
            _refuse(_APP_REFUSED)


def _refuse(message: str = _REFUSED) -> NoReturn:
    # In the same words whatever is wrong: whoever tries keys out learns nothing.
    raise ToolError(ErrorType.AUTH, message)


def _away(detail: str) -> ToolError:
    return ToolError(ErrorType.TRANSIENT, _AWAY, detail=detail)

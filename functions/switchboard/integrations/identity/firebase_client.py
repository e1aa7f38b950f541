"""Firebase's Admin SDK for one project. It blocks, so each call has a thread, and a limit of time of its own.

Importing it takes 0.7 s of processor time: that happens in the thread of the first call, in the functions and the
command that sign people in, and nowhere else.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from switchboard.integrations.secrets.kms import AccessToken, DeploymentToken

if TYPE_CHECKING:
    from firebase_admin.auth import Client

T = TypeVar("T")
# While Google does not answer, the SDK asks again for some seconds: that may hold these up, and nobody else's threads.
_THREADS: Final = 4


class FirebaseFailure(Exception):
    """Google did not do what it was asked; the reason is Google's own word for it, where it gave one.

    Attributes:
        is_refusal: Whether it answered at all.
    """

    def __init__(self, reason: str, *, is_refusal: bool = False) -> None:
        super().__init__(reason)
        self.is_refusal = is_refusal


class FirebaseClient:
    """What the SDK knows of one project: its tokens and its accounts."""

    def __init__(
        self,
        project: str,
        *,
        emulator_host: str | None = None,
        access_token: AccessToken | None = None,
        answers_within_s: float,
        pays_for_itself: bool = False,
    ) -> None:
        """Load nothing yet.

        Args:
            project: The Firebase project's id.
            emulator_host: `host:port` of the Auth emulator, which the process's environment must name as well.
            access_token: What this deployment itself acts with; None for its own credentials. Asked for before each
                call, so that nothing but a call needs credentials.
            answers_within_s: How long a call may take.
            pays_for_itself: Whether the project pays for requests, as it must for somebody's own credentials.
        """
        self._project, self._emulator_host = project, emulator_host
        self._access_token = access_token or DeploymentToken().current
        self._within_s, self._payer = answers_within_s, project if pays_for_itself else None
        self._threads = ThreadPoolExecutor(_THREADS, "firebase")
        # What asks nobody does not wait behind what waits for Google.
        self._verifying = ThreadPoolExecutor(_THREADS, "firebase-tokens")
        self._lock: asyncio.Lock | None = None
        self._client: Client | None = None
        self._credentials: Any = None
        # The PEM of each key that a token may be signed with, by its id; whoever verifies one puts its key here first.
        self.public_keys: dict[str, str] = {}

    async def verify(self, token: str, leeway_s: int) -> dict[str, Any] | None:
        """Return the claims of an ID token that a key of `public_keys` has signed, None where it is not good."""
        return await self._run(partial(_verified, token=token, leeway_s=leeway_s), self._verifying)

    async def ask(self, work: "Callable[[Client], T]") -> T:
        """Return what `work` makes of the SDK's client, in a thread.

        Raises:
            FirebaseFailure: It failed, or took longer; it may be done all the same.
            ToolError: As `access_token`.
        """
        token = "" if self._emulator_host else await self._access_token()
        return await self._run(work, self._threads, token)

    async def _run(self, work: "Callable[[Client], T]", threads: ThreadPoolExecutor, token: str = "") -> T:
        loop = asyncio.get_running_loop()
        if self._client is None:
            # Loading is no part of what Google is given time for.
            self._lock = self._lock or asyncio.Lock()
            async with self._lock:
                self._client = self._client or await loop.run_in_executor(threads, _guarded, self._made)
        if token:
            self._credentials.token = token
        try:
            async with asyncio.timeout(self._within_s):
                return await loop.run_in_executor(threads, _guarded, partial(work, self._client))
        except TimeoutError:
            raise FirebaseFailure("no answer in time") from None

    def _made(self) -> "Client":
        import firebase_admin
        from firebase_admin import _auth_utils, auth, credentials

        # The SDK looks there with every call, whatever it was told before.
        if _auth_utils.get_emulator_host() != (self._emulator_host or ""):
            raise FirebaseFailure(f"{_auth_utils.EMULATOR_HOST_ENV_VAR} is not what this process was configured with")
        self._credentials = _bearer_credentials(self._payer)

        class DeploymentCredentials(credentials.Base):  # type: ignore[misc]
            def get_credential(_self) -> Any:
                return self._credentials

        options = {"projectId": self._project, "httpTimeout": self._within_s}
        app = firebase_admin.App(self._project, DeploymentCredentials(), options)
        client = auth.Client(app)
        # The SDK would fetch Google's certificates itself: as often as it is shown a token, where they cannot be had,
        # and not again for hours where a key is new.
        client._token_verifier.request = partial(_answer_with_keys, self.public_keys)
        return client


def _guarded(work: Callable[[], T]) -> T:
    """Do something with the SDK, in a thread; all that it raises is one kind of failure."""
    from firebase_admin.exceptions import FirebaseError
    from google.auth.exceptions import GoogleAuthError

    try:
        return work()
    except FirebaseError as error:
        raise FirebaseFailure(_reason(error), is_refusal=error.http_response is not None) from None
    except (GoogleAuthError, ValueError, TypeError, KeyError, AttributeError) as error:
        # What an answer that cannot be read ends in; its text may be of people.
        raise FirebaseFailure(type(error).__name__) from None


def _verified(client: "Client", token: str, leeway_s: int) -> dict[str, Any] | None:
    from firebase_admin import _auth_utils
    from firebase_admin.auth import InvalidIdTokenError

    if _auth_utils.is_emulated():
        # The SDK would look at no signature, and at no date.
        return None
    try:
        claims: dict[str, Any] = client.verify_id_token(token, clock_skew_seconds=leeway_s)
    except (InvalidIdTokenError, ValueError):
        return None
    return claims


def _bearer_credentials(payer: str | None) -> Any:
    """Return credentials for google-auth that are one access token, which somebody else keeps fresh."""
    from google.auth.credentials import Credentials
    from google.auth.exceptions import RefreshError

    class BearerCredentials(Credentials):
        def refresh(self, request: Any) -> None:
            raise RefreshError("refused")  # type: ignore[no-untyped-call]

    bearer = BearerCredentials()  # type: ignore[no-untyped-call]
    bearer._quota_project_id = payer
    return bearer


class _KeysAnswer:
    """Google's certificates, as google-auth's transports answer."""

    status, headers = 200, dict[str, str]()

    def __init__(self, data: bytes) -> None:
        self.data = data


def _answer_with_keys(public_keys: dict[str, str], *_: Any, **__: Any) -> _KeysAnswer:
    import orjson

    return _KeysAnswer(orjson.dumps(public_keys))


def _reason(error: Any) -> str:
    """Return Google's own word for what it refuses, else the SDK's sentence."""
    try:
        return str(error.http_response.json()["error"]["message"])
    except (AttributeError, ValueError, TypeError, KeyError):
        return str(error)

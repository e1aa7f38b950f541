"""The people who sign in to a Firebase project, and their claims, over Identity Toolkit's REST interface.

Our own requests rather than firebase-admin, for the reasons that `integrations/firebase_tokens` gives.
https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from command_line import Problem
from switchboard.integrations.http_session import HttpSession, NoAnswer
from switchboard.integrations.identity.firebase_tokens import ACCOUNTS
from switchboard.integrations.secrets.kms import AccessToken, DeploymentToken

ANSWERS_WITHIN_S = 10.0
_A_PAGE = 500
# Firebase's own limit on all claims of an account together.
_MOST_CHARACTERS = 1000


@dataclass(frozen=True)
class Account:
    """Somebody who has signed in.

    Attributes:
        id: The user's id.
        email: Empty where the provider tells none.
        is_verified: Whether the address is known to be theirs.
        claims: What their ID tokens say beside who they are; roles among it.
    """

    id: str
    email: str
    is_verified: bool
    claims: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """For people to read."""
        return self.email or self.id


class Accounts:
    """The accounts of one project."""

    def __init__(
        self, project: str, http: HttpSession, emulator_host: str | None = None, access_token: AccessToken | None = None
    ) -> None:
        base = f"http://{emulator_host}/identitytoolkit.googleapis.com" if emulator_host else ACCOUNTS
        self._url, self._http, self._is_emulated = f"{base}/v1/projects/{project}/accounts", http, bool(emulator_host)
        self._project, self._access_token = project, access_token or DeploymentToken().current

    async def find(self, who: str) -> Account:
        """Return the account with an e-mail address, or with an id where there is no `@` in it.

        Raises:
            Problem: There is none, or nobody knows whose the address is.
        """
        wanted = {"email" if "@" in who else "localId": [who]}
        found = [_account(user) for user in (await self._ask("POST", ":lookup", wanted)).get("users") or ()]
        if not found:
            raise Problem(f"{who} has never signed in to {self._project}; let them sign in once, then run this again")
        if len(found) > 1:
            raise Problem(f"{who} is the address of several accounts; name one: {', '.join(one.id for one in found)}")
        if "@" in who and not found[0].is_verified:
            # Somebody else may have typed it in.
            raise Problem(f"that {who} is theirs was never verified; if you are sure, name the account: {found[0].id}")
        return found[0]

    async def everyone(self) -> AsyncIterator[Account]:
        """Yield all accounts.

        Raises:
            Problem: They cannot be had.
        """
        token = ""
        while True:
            query = urlencode({"maxResults": _A_PAGE} | ({"nextPageToken": token} if token else {}))
            answer = await self._ask("GET", f":batchGet?{query}")
            for user in answer.get("users") or ():
                yield _account(user)
            token = answer.get("nextPageToken") or ""
            if not token:
                return

    async def set_claims(self, account: Account, claims: Mapping[str, Any], *, ends_sign_ins: bool) -> None:
        """Replace an account's claims; with `ends_sign_ins` nothing that was signed in before can be changed with.

        Raises:
            Problem: They are too many, or it was not done.
        """
        text = json.dumps(claims, separators=(",", ":"))
        if len(text) > _MOST_CHARACTERS:
            raise Problem(
                f"{account.name} has too many roles: Firebase keeps {_MOST_CHARACTERS} characters for one account; "
                "use another account, or --platform-admin"
            )
        since = {"validSince": str(int(time.time()))} if ends_sign_ins else {}
        await self._ask("POST", ":update", {"localId": account.id, "customAttributes": text} | since)

    async def _ask(self, method: str, verb: str, body: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        bearer = "owner" if self._is_emulated else await self._access_token()
        headers = {
            "Authorization": f"Bearer {bearer}",
            "Content-Type": "application/json",
            # Somebody's own credentials, by gcloud, must say which project pays for the request.
            "X-Goog-User-Project": self._project,
        }
        content = None if body is None else json.dumps(body).encode()
        try:
            answer = await self._http.request(
                method, self._url + verb, headers=headers, body=content, timeout_s=ANSWERS_WITHIN_S
            )
            found = json.loads(answer.body)
        except (NoAnswer, ValueError) as error:
            raise Problem(f"Identity Platform did not answer: {error or type(error).__name__}") from None
        if answer.status != 200:
            raise Problem(f"Identity Platform refuses: {_reason(found) or answer.status}")
        return dict(found)


def _account(user: Mapping[str, Any]) -> Account:
    try:
        claims = json.loads(user.get("customAttributes") or "{}")
    except ValueError:
        raise Problem(f"the claims of {user.get('localId')} cannot be read") from None
    return Account(str(user["localId"]), str(user.get("email") or ""), user.get("emailVerified") is True, claims)


def _reason(answer: Any) -> str:
    error = answer.get("error") if isinstance(answer, dict) else None
    return str(error.get("message") or "") if isinstance(error, dict) else ""

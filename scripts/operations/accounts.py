"""The people who sign in to a Firebase project, and their claims, by Firebase's Admin SDK."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from command_line import Problem
from switchboard.integrations.identity.firebase_client import FirebaseClient, FirebaseFailure

if TYPE_CHECKING:
    from collections.abc import Callable

    from firebase_admin.auth import Client, UserRecord

ANSWERS_WITHIN_S = 30.0
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

    def __init__(self, project: str, emulator_host: str | None = None) -> None:
        self._project = project
        # Somebody's own credentials, by gcloud, must say which project pays for the request.
        self._firebase = FirebaseClient(
            project, emulator_host=emulator_host, answers_within_s=ANSWERS_WITHIN_S, pays_for_itself=True
        )

    async def find(self, who: str) -> Account:
        """Return the account with an e-mail address, or with an id where there is no `@` in it.

        Raises:
            Problem: There is none, or nobody knows whose the address is.
        """
        accounts = await self._ask(partial(_accounts_of, who=who))
        if not accounts:
            raise Problem(f"{who} has never signed in to {self._project}; let them sign in once, then run this again")
        if len(accounts) > 1:
            raise Problem(f"{who} is the address of several accounts; name one: {', '.join(a.id for a in accounts)}")
        if "@" in who and not accounts[0].is_verified:
            # Somebody else may have typed it in.
            raise Problem(
                f"that {who} is theirs was never verified; if you are sure, name the account: {accounts[0].id}"
            )
        return accounts[0]

    async def everyone(self) -> list[Account]:
        """Return all accounts.

        Raises:
            Problem: They cannot be had.
        """
        accounts: list[Account] = []
        # A page at a time, each within its limit of time.
        token: str | None = None
        while token != "":
            page = await self._ask(partial(_page, token=token))
            accounts += [_account(user) for user in page.users]
            token = page.next_page_token
        return accounts

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
        # Both at once: a role that is gone and can still be used would be the worst of both.
        valid_since = int(time.time()) if ends_sign_ins else None
        await self._ask(lambda client: client.update_user(account.id, custom_claims=text, valid_since=valid_since))

    async def _ask(self, work: Callable[[Client], Any]) -> Any:
        try:
            return await self._firebase.ask(work)
        except FirebaseFailure as error:
            verb = "refuses" if error.is_refusal else "did not answer"
            raise Problem(f"Identity Platform {verb}: {error}") from None


def _accounts_of(client: Client, who: str) -> list[Account]:
    from firebase_admin.auth import EmailIdentifier, UidIdentifier

    try:
        identifier = EmailIdentifier(who) if "@" in who else UidIdentifier(who)
    except ValueError:
        # What can be nobody's has never signed in.
        return []
    # Not by `get_user_by_email`, which takes the first of several.
    return [_account(user) for user in client.get_users([identifier]).users]


def _page(client: Client, token: str | None) -> Any:
    return client.list_users(token, _A_PAGE)


def _account(user: UserRecord) -> Account:
    try:
        claims = user.custom_claims or {}
    except ValueError:
        raise Problem(f"the claims of {user.uid} cannot be read") from None
    return Account(user.uid, user.email or "", user.email_verified, claims)

"""Who is asking, and whether they may: by a Firebase ID token with roles in its claims, or as a business's services do.

Those come with an API key, or with a service account's ID token, which Google has signed and not Firebase.

A token's custom claims are `{"platformAdmin": true}` or `{"roles": {"<businessId>": "owner" | "editor" | "viewer"}}`.
Whoever may not do something is told the same whether or not the business exists: nothing is read before.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any, Protocol

from starlette.requests import Request

from switchboard.admin.access.roles import ALLOWED, Operation, Role
from switchboard.contract.account import GOOGLE_ISSUERS, claimed_issuer
from switchboard.contract.credential import Credential, Scope
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

FORBIDDEN = "You may not do this for this business."
FOR_ALL = "You may not do this: it is about all businesses at once, and takes a platform admin."
SEVERAL = "You may do this for several businesses; name the one that is meant."
UNSAID = "Say which business this is about: send its id as businessId."
APP_CHECK_HEADER = "x-firebase-appcheck"
_JWT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*")
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_GIVEN_ROLES = {role.value: role for role in Role if role is not Role.PLATFORM}
_LONGEST_NAME = 200
_LONGEST_KEY_NAME = 100


class TokenVerifier(Protocol):
    """Reads ID tokens."""

    async def verify(self, token: str, *, check_revoked: bool) -> Mapping[str, Any]:
        """Return the claims of a token that is good.

        Raises:
            ToolError: AUTH, it is not, or was taken back: with `check_revoked` until now, otherwise until a minute ago;
                TRANSIENT, nobody can tell right now.
        """


class AppVerifier(Protocol):
    """Reads App Check tokens."""

    async def verify(self, token: str) -> None:
        """Return if a token was given to one of our own apps.

        Raises:
            ToolError: AUTH, it was not; TRANSIENT, nobody can tell right now.
        """


@dataclass(frozen=True, slots=True)
class OwnerIdentity:
    """Somebody who was recognised.

    Attributes:
        id: Stands in the audit: `user:<uid>` or `key:<keyId>`.
        name: For people to read: an e-mail address, or what its owners call the key.
        roles: By business id.
        is_platform: Whether every business is theirs.
    """

    id: str
    name: str
    roles: Mapping[str, Role] = field(default_factory=dict)
    is_platform: bool = False

    def role_in(self, business_id: str) -> Role | None:
        """Return the role in a business, whether or not it exists."""
        return Role.PLATFORM if self.is_platform else self.roles.get(business_id)

    @property
    def highest(self) -> Role | None:
        """The most that this is to any business."""
        if self.is_platform:
            return Role.PLATFORM
        return next((role for role in Role if role in self.roles.values()), None)


@dataclass(frozen=True, slots=True)
class Permit:
    """A request that is let in: who makes it, and what they are to the business it is about.

    `business_id` is empty where an operation is about no single business; then `role` is their highest anywhere.
    """

    identity: OwnerIdentity
    business_id: str
    role: Role

    def may(self, operation: Operation) -> bool:
        """Tell whether this role may do something further."""
        return self.role in ALLOWED[operation]

    @property
    def who(self) -> JsonObject:
        """Who makes it, as every change is noted: `{id, name, role}`."""
        return {"id": self.identity.id, "name": self.identity.name, "role": self.role.value}


class Access:
    """Lets requests in."""

    def __init__(
        self,
        keys: Callable[[str | None], Awaitable[Credential]],
        rejected: Callable[[int, str], Exception],
        tokens: TokenVerifier | None = None,
        apps: AppVerifier | None = None,
    ) -> None:
        """Join the parts.

        Args:
            keys: Recognises services by their `Authorization` header, or raises what `rejected` makes.
            rejected: Makes the exception that answers with a status (400, 401, 403 or 503) and a sentence.
            tokens: Reads ID tokens; None where only keys are let in.
            apps: Reads App Check tokens, which then must come with every ID token; None where they need not.
        """
        self._keys, self._rejected, self._tokens, self._apps = keys, rejected, tokens, apps

    async def authorise(self, request: Request, business_id: str, operation: Operation) -> Permit:
        """Return the permit for a business, or without one (`""`) for an operation that is about no single business.

        Raises:
            Exception: What `rejected` makes: 401, nobody can be recognised; 403, they may not; 503, nobody can tell.
        """
        return self._permit(await self.identify(request), business_id, operation)

    async def identify(self, request: Request) -> OwnerIdentity:
        """Return who makes a request; for one that changes something, an ID token must not have been taken back by now.

        One that only reads is let in for less than a minute after that.

        Raises:
            Exception: What `rejected` makes: 401 or 503.
        """
        authorization = request.headers.get("authorization")
        scheme, _, text = (authorization or "").strip().partition(" ")
        token = text.strip()
        is_signed = scheme.lower() == "bearer" and _JWT.fullmatch(token) is not None
        if self._tokens is None or not is_signed or claimed_issuer(token) in GOOGLE_ISSUERS:
            return _of_key(await self._keys(authorization))
        try:
            if self._apps is not None:
                await self._apps.verify(request.headers.get(APP_CHECK_HEADER, ""))
            claims = await self._tokens.verify(token, check_revoked=request.method not in _SAFE_METHODS)
        except ToolError as error:
            raise self._rejected(401 if error.type is ErrorType.AUTH else 503, error.message) from None
        return _of_claims(claims)

    async def permit(self, request: Request, business_id: str | None, operation: Operation) -> Permit:
        """Return the permit for the business named, or for the only one that the credential is for.

        Raises:
            Exception: What `rejected` makes: 400, all businesses are theirs and none is named; 401, nobody can be
                recognised; 403, they may not; 503, nobody can tell.
        """
        identity = await self.identify(request)
        named = business_id or (next(iter(identity.roles)) if len(identity.roles) == 1 else "")
        if not named and identity.is_platform:
            raise self._rejected(400, UNSAID)
        if not named:
            raise self._rejected(403, SEVERAL if identity.roles else FORBIDDEN)
        return self._permit(identity, named, operation)

    def _permit(self, identity: OwnerIdentity, business_id: str, operation: Operation) -> Permit:
        role = identity.role_in(business_id) if business_id else identity.highest
        if role is None or role not in ALLOWED[operation]:
            raise self._rejected(403, FORBIDDEN if business_id or role is None else FOR_ALL)
        return Permit(identity, business_id, role)


def _of_key(credential: Credential) -> OwnerIdentity:
    each = credential.several or (credential,)
    roles = {one.business_id: Role.OWNER for one in each if Scope.OWNER.value in one.scopes}
    is_platform = any(Scope.PLATFORM.value in one.scopes for one in each)
    named = f"{credential.name[:_LONGEST_KEY_NAME]} (API key)" if credential.name else f"API key {credential.key_id}"
    name = credential.holder or named
    return OwnerIdentity(f"key:{credential.key_id}", name[:_LONGEST_NAME], roles, is_platform)


def _of_claims(claims: Mapping[str, Any]) -> OwnerIdentity:
    uid, given = str(claims["sub"]), claims.get("roles")
    named = given.items() if isinstance(given, Mapping) else ()
    # An unknown word is no role: a typing error must not open a door.
    roles = {str(id): _GIVEN_ROLES[word] for id, word in named if isinstance(word, str) and word in _GIVEN_ROLES}
    name = claims.get("email") or claims.get("name") or uid
    return OwnerIdentity(f"user:{uid}", str(name)[:_LONGEST_NAME], roles, claims.get("platformAdmin") is True)

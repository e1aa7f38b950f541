"""What is sent and answered about API keys, and about accounts that are let in without one."""

import re
from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.access.roles import Role
from switchboard.admin.api.models import AnswerBody, Moment, OneLine, OneOf, RequestBody, Wording
from switchboard.contract.credential import OWNER_SCOPES

_SCOPES = tuple(scope.value for scope in OWNER_SCOPES)
# As `contract/account.py` reads it: blanks around it and capitals do not count.
_SERVICE_ACCOUNT = re.compile(
    " {0,20}[A-Za-z0-9._-]{1,100}@([A-Za-z0-9.-]{0,99}[.-])?"
    r"[Gg][Ss][Ee][Rr][Vv][Ii][Cc][Ee][Aa][Cc][Cc][Oo][Uu][Nn][Tt]\.[Cc][Oo][Mm] {0,20}"
)


class KeyBody(RequestBody):
    """A key, or an account that is let in without one, as it is entered."""

    service_account: (
        Annotated[
            str,
            OneLine(300, 1, form=_SERVICE_ACCOUNT),
            Wording("must be its e-mail address, such as till@my-project.iam.gserviceaccount.com."),
        ]
        | None
    ) = Field(default=None, description="A service account at Google that comes in without a key.")
    subject: Annotated[str, OneLine(255, 1)] | None = Field(
        default=None,
        description="An account of the authorization server that is trusted here, as its tokens say in sub; such a one"
        " may not have the scope owner. One of serviceAccount and subject, or neither.",
    )
    name: Annotated[str, OneLine(100, 1), Wording("must tell what the key is for, in 1 to 100 characters.")] = Field(
        description="What it is for."
    )
    scopes: Annotated[
        list[Annotated[str, OneOf(_SCOPES)]],
        Field(min_length=1),
        Wording(f"must be a list of at least one of {', '.join(_SCOPES)}."),
    ]
    expires_at: Moment | None = Field(default=None, description="When it ends: a time to come.")


class KeyShown(AnswerBody):
    """A key, or an account that stands for one; never its text."""

    id: str
    name: str
    scopes: list[str]
    created_at: Moment | None
    expires_at: Moment | None
    revoked_at: Moment | None
    works: bool
    revision: str
    service_account: str | SkipJsonSchema[None] = None
    subject: str | SkipJsonSchema[None] = None
    issuer: str | SkipJsonSchema[None] = None


class KeyList(AnswerBody):
    """All keys, the oldest first; `issuer` is the authorization server whose accounts may be entered."""

    keys: list[KeyShown]
    issuer: str | None


class KeyMade(AnswerBody):
    """A key that was made; its text is told this once. An account has none."""

    id: str
    text: str | None
    revision: str


class KeyRevoked(AnswerBody):
    """The key is good for nothing any more."""

    revoked: Literal[True]


class RightShown(AnswerBody):
    """Some fields of one kind of thing, and the roles that may set them."""

    of: Annotated[str, OneOf(("business", "resource", "agent", "tool"))]
    may: list[Annotated[str, OneOf(tuple(role.value for role in Role))]]
    fields: list[str] = Field(description="Dotted paths, such as `ai.greeting`.")


class RightList(AnswerBody):
    """Which role may change what: the very table by which it is decided."""

    rights: list[RightShown]

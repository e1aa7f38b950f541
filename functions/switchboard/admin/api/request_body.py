"""What owners send: a JSON body, read strictly and within bounds, and the revision that a change is based on."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starlette.requests import Request

from switchboard.admin.access.refusal import EntryProblem, NotValid, TooLarge
from switchboard.catalog.arguments.arguments import MalformedJson, parse_json
from switchboard.contract import policy
from switchboard.contract.json import JsonObject
from switchboard.contract.python.strict_json import Limits

_LIMITS = Limits(depth=64, nodes=20_000, bytes=policy.BODY_BYTES)
_TAG = re.compile(r'"([^"]*)"')


async def json_body(request: Request, most_bytes: int = policy.BODY_BYTES) -> JsonObject:
    """Return a request's body, which must be one JSON object; nothing at all counts as an empty one.

    Raises:
        TooLarge: It is longer than any body may be.
        NotValid: It is not a JSON object.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most_bytes:
            raise TooLarge(most_bytes)
    if not body:
        return {}
    try:
        parsed = parse_json(bytes(body), replace(_LIMITS, bytes=most_bytes))
    except MalformedJson as error:
        raise NotValid([EntryProblem("", f"The body cannot be read: it {error}.")]) from None
    if not isinstance(parsed, dict):
        raise NotValid([EntryProblem("", "The body must be a JSON object.")])
    return parsed


def revision_said(if_match: str, in_body: Any) -> str | None:
    """Return the revision that a request is based on, by its header or its body; None where neither says one.

    Raises:
        NotValid: The body says none that could be, or another one than the header.
    """
    revision_in_body, header = str(in_body) if type(in_body) is int else in_body, _matched(if_match)
    if revision_in_body is not None and not isinstance(revision_in_body, str):
        raise _not_read()
    if header and revision_in_body and header != revision_in_body:
        raise NotValid([EntryProblem("revision", "If-Match and the body's revision differ; send one of them.")])
    return revision_in_body or header or None


def _not_read() -> NotValid:
    return NotValid([EntryProblem("revision", "revision must be what was read with the document.")])


class _OneOf(str):
    """Revisions of which any may be what is there now (RFC 9110 §13.1.1): equal to each of them."""

    __slots__ = ("_members",)
    _members: frozenset[str]

    def __new__(cls, members: Sequence[str]) -> "_OneOf":
        """Keep them; as text it is the first."""
        found = super().__new__(cls, members[0])
        found._members = frozenset(members)
        return found

    def __eq__(self, other: object) -> bool:
        """Tell whether another is a member."""
        return other in self._members

    def __ne__(self, other: object) -> bool:
        """Tell whether another is none."""
        return other not in self._members

    __hash__ = str.__hash__


def _matched(header: str) -> str:
    """Return the revision that `If-Match` says, or several as one; empty where it says none."""
    members = _TAG.findall(header)
    if not members:
        return header.strip().strip("*")
    return members[0] if len(members) == 1 else _OneOf(members)

"""What owners send: a JSON body, read strictly and within bounds, and the revision that a change is based on."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from starlette.requests import Request

from switchboard.admin.access.refusal import EntryProblem, NotValid, TooLarge
from switchboard.admin.conversations.records import InteractionFilter
from switchboard.catalog.arguments.arguments import MalformedJson, parse_json
from switchboard.contract import policy
from switchboard.contract.channel import Channel
from switchboard.contract.conclusion import OUTCOMES
from switchboard.contract.json import JsonObject

_LONGEST_TEXT = 200
_TAG = re.compile(r'"([^"]*)"')


async def json_body(request: Request) -> JsonObject:
    """Return a request's body, which must be one JSON object; nothing at all counts as an empty one.

    Raises:
        TooLarge: It is longer than any body may be.
        NotValid: It is not a JSON object.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > policy.BODY_BYTES:
            raise TooLarge(policy.BODY_BYTES)
    if not body:
        return {}
    try:
        found = parse_json(bytes(body))
    except MalformedJson as error:
        raise NotValid([EntryProblem("", f"The body cannot be read: it {error}.")]) from None
    if not isinstance(found, dict):
        raise NotValid([EntryProblem("", "The body must be a JSON object.")])
    return found


async def known_body(request: Request, *known: str) -> JsonObject:
    """Return a request's body, which has no other fields than the known ones.

    Raises:
        TooLarge, NotValid: As `json_body`; and what is not known, all of it.
    """
    body = await json_body(request)
    _require_known(body, known)
    return body


async def known_change(request: Request, *known: str) -> tuple[JsonObject, str | None]:
    """Return what `revisioned_body` does of a body that has no other fields than the known ones.

    Raises:
        TooLarge, NotValid: As `revisioned_body`; and what is not known, all of it.
    """
    body, based_on = await revisioned_body(request)
    _require_known(body, known)
    return body, based_on


def with_flags(body: JsonObject, *names: str) -> tuple[JsonObject, dict[str, bool]]:
    """Return a body without its switches of these names, and these; one that is left out is off.

    Raises:
        NotValid: One of them is neither true nor false; all of these.
    """
    wrong = [name for name in names if not isinstance(body.get(name, False), bool)]
    if wrong:
        raise NotValid([EntryProblem(name, f"{name} must be true or false.") for name in wrong])
    fields = {name: value for name, value in body.items() if name not in names}
    return fields, {name: body.get(name, False) for name in names}


async def revisioned_body(request: Request, *, is_counted: bool = False) -> tuple[JsonObject, str | None]:
    """Return a request's body without its `revision`, and the revision it is based on: `If-Match`, or the body's.

    None where the request says none; `If-Match: *` says none either. A list is equal to each of its members.

    Args:
        request: The request.
        is_counted: Whether the document tells its revision as a number, which the body then may say as one.

    Raises:
        TooLarge, NotValid: The body cannot be read, or says another revision than the header.
    """
    body = await json_body(request)
    said = body.pop("revision", None)
    if type(said) is int and not is_counted:
        raise _not_read()
    return body, revision_said(request.headers.get("if-match", ""), said)


def revision_said(if_match: str, in_body: Any) -> str | None:
    """Return the revision that a request is based on, by its header or its body; None where neither says one.

    Raises:
        NotValid: The body says none that could be, or another one than the header.
    """
    said, header = str(in_body) if type(in_body) is int else in_body, _matched(if_match)
    if said is not None and not isinstance(said, str):
        raise _not_read()
    if header and said and header != said:
        raise NotValid([EntryProblem("revision", "If-Match and the body's revision differ; send one of them.")])
    return said or header or None


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


def _require_known(body: JsonObject, known: Sequence[str]) -> None:
    names = ", ".join(known)
    unknown = [
        EntryProblem(name[:80], f"{name[:80]!r} is not known here; use {names}.") for name in body if name not in known
    ]
    if unknown:
        raise NotValid(unknown)


def wanted_interactions(query: Mapping[str, str]) -> InteractionFilter:
    """Return which interactions a query asks for: `from`, `to`, `channel`, `outcome`, `text`, `trials`.

    Raises:
        NotValid: Something in it cannot be understood; all problems at once.
    """
    problems: list[EntryProblem] = []
    since, until = _moment(query, "from", problems), _moment(query, "to", problems)
    channel = query.get("channel") or None
    if channel and channel not in [c.value for c in Channel]:
        problems.append(EntryProblem("channel", f"channel must be one of {', '.join(c.value for c in Channel)}."))
    outcome = query.get("outcome") or None
    if outcome and outcome not in OUTCOMES:
        problems.append(EntryProblem("outcome", f"outcome must be one of {', '.join(OUTCOMES)}."))
    if len(query.get("text", "")) > _LONGEST_TEXT:
        problems.append(EntryProblem("text", f"text must not be longer than {_LONGEST_TEXT} characters."))
    if since and until and since >= until:
        problems.append(EntryProblem("to", "to must be later than from."))
    if query.get("trials", "") not in ("", "0", "1"):
        problems.append(EntryProblem("trials", "trials must be 0 or 1."))
    if problems:
        raise NotValid(problems)
    return InteractionFilter(
        since, until, channel, outcome, query.get("text", "").strip() or None, query.get("trials") == "1"
    )


def _moment(query: Mapping[str, str], name: str, problems: list[EntryProblem]) -> datetime | None:
    text = query.get(name, "")
    if not text:
        return None
    try:
        # A plus that nobody escaped arrives as a blank.
        moment = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        problems.append(
            EntryProblem(name, f"{name} must be a time with its offset, such as 2027-03-10T09:00:00-05:00.")
        )
        return None
    return moment

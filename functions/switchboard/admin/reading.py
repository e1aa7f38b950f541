"""What owners send: a JSON body, read strictly and within bounds, and the revision that a change is based on."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from starlette.requests import Request

from switchboard.admin.interactions import Wanted
from switchboard.admin.refusal import NotValid, Problem, TooLarge
from switchboard.catalog.arguments import MalformedJson, parse_json
from switchboard.contract import policy
from switchboard.contract.channel import Channel
from switchboard.contract.json import JsonObject

_LONGEST_TEXT = 200


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
        raise NotValid([Problem("", f"The body cannot be read: it {error}.")]) from None
    if not isinstance(found, dict):
        raise NotValid([Problem("", "The body must be a JSON object.")])
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


async def revisioned_body(request: Request) -> tuple[JsonObject, str | None]:
    """Return a request's body without its `revision`, and the revision it is based on: `If-Match`, or the body's.

    None where the request says none; `If-Match: *` says none either.

    Raises:
        TooLarge, NotValid: The body cannot be read, or says another revision than the header.
    """
    body = await json_body(request)
    said = body.pop("revision", None)
    header = request.headers.get("if-match", "").strip().removeprefix("W/").strip('"')
    if said is not None and not isinstance(said, str):
        raise NotValid([Problem("revision", "revision must be the text that was read with the document.")])
    if header == "*":
        header = ""
    if header and said and header != said:
        raise NotValid([Problem("revision", "If-Match and the body's revision differ; send one of them.")])
    return body, header or said or None


def _require_known(body: JsonObject, known: Sequence[str]) -> None:
    names = ", ".join(known)
    unknown = [
        Problem(name[:80], f"{name[:80]!r} is not known here; use {names}.") for name in body if name not in known
    ]
    if unknown:
        raise NotValid(unknown)


def wanted_interactions(query: Mapping[str, str]) -> Wanted:
    """Return which interactions a query asks for: `from`, `to`, `channel`, `outcome`, `text`.

    Raises:
        NotValid: Something in it cannot be understood; all problems at once.
    """
    problems: list[Problem] = []
    since, until = _moment(query, "from", problems), _moment(query, "to", problems)
    channel = query.get("channel") or None
    if channel and channel not in [c.value for c in Channel]:
        problems.append(Problem("channel", f"channel must be one of {', '.join(c.value for c in Channel)}."))
    for name in ("text", "outcome"):
        if len(query.get(name, "")) > _LONGEST_TEXT:
            problems.append(Problem(name, f"{name} must not be longer than {_LONGEST_TEXT} characters."))
    if since and until and since >= until:
        problems.append(Problem("to", "to must be later than from."))
    if problems:
        raise NotValid(problems)
    return Wanted(since, until, channel, query.get("outcome") or None, query.get("text", "").strip() or None)


def _moment(query: Mapping[str, str], name: str, problems: list[Problem]) -> datetime | None:
    text = query.get(name, "")
    if not text:
        return None
    try:
        # A plus that nobody escaped arrives as a blank.
        moment = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        problems.append(Problem(name, f"{name} must be a time with its offset, such as 2027-03-10T09:00:00-05:00."))
        return None
    return moment

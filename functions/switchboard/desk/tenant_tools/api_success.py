"""Whether a service says that it did what it was asked for, which a status of 2xx alone does not.

Many services answer 200 and say in the answer that nothing came of it. What they commonly say is understood without
anybody's word (`usual_verdict`); what else means that it was done, an owner says: `{"at": "order.state", "is":
["placed"]}` under `response.done`, and then nothing else counts. An answer that cannot be understood where one was to
be expected says nothing: a page for people, or what calls itself JSON and is none.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

import orjson

from switchboard.desk.tenant_tools.api_answer import at

Verdict: TypeAlias = Literal["done", "refused", "open"]
"""What an answer says: that it was done, that it was not, or nothing that could be relied upon."""

_YES_OR_NO: Final = ("ok", "success")
_ERRORS: Final = ("error", "errors")
_FAILED: Final = frozenset({"error", "failed", "fail", "failure"})
# What services write where there is no error.
_NOTHING: Final = frozenset({"", "0", "false", "none", "null", "ok", "success"})
_WORDS: Final = ("message", "detail", "error", "errors", "error_description", "title", "reason", "description")
# What stands beside an error in an answer that tells of it alone. With anything else it may be a record of something
# that was done and has an `error` or a `status` of its own, such as a defect that was reported.
_BESIDE: Final = frozenset(
    {*_YES_OR_NO, *_WORDS, "status", "code", "statuscode", "status_code", "errorcode", "error_code", "details", "type"}
    | {"instance", "path", "timestamp", "time", "trace", "traceid", "trace_id", "requestid", "request_id", "help"}
)
_DEEPEST: Final = 4
_JSON: Final = re.compile(r"[\w.+-]+/(?:[\w.-]+\+)?json\b", re.IGNORECASE)
_PAGE: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body|script|style|title|meta|div|h1|p)\b")
_MARKUP: Final = re.compile(rb"</?[a-z]", re.IGNORECASE)


def verdict(answer: Any, headers: Mapping[str, str], body: bytes, mapping: Mapping[str, Any]) -> Verdict:
    """Return what an answer with a status of 2xx says.

    Args:
        answer: As `read_answer` read it.
        headers: Of the answer.
        body: Of the answer, unpacked.
        mapping: The owner's `response`.
    """
    is_text = isinstance(answer, str) and not body.lstrip().startswith(b'"')
    if mapping.get("done"):
        return _owners_verdict(None if is_text else answer, mapping["done"])
    if is_text:
        kind = headers.get("Content-Type") or headers.get("content-type") or ""
        is_expected = _JSON.match(kind.strip()) is not None or any(mapping.values())
        return "open" if is_expected or _is_page(kind, body) else "done"
    return usual_verdict(answer)


def usual_verdict(answer: Any) -> Verdict:
    """Return what an answer says in the words that services commonly have, at its top; "done" where it has none.

    It was not done where `ok` or `success` is false; where `error` or `errors` holds anything, or `status` is "error"
    or "failed" ("fail", "failure"), if nothing but words of an error stand beside that. Otherwise it says nothing to
    be relied upon: a record that was made may have an `error` of its own. The same goes for one that says yes beside
    its no, and for `data` beside `errors`, as GraphQL has it for what was done by half. A text that is JSON counts as
    that.
    """
    answer = as_json(answer) if isinstance(answer, str) else answer
    if not isinstance(answer, Mapping):
        return "done"
    said = {str(name).casefold(): value for name, value in answer.items()}
    flags = [said[name] for name in _YES_OR_NO if name in said]
    has_error = any(not _is_nothing(said.get(name)) for name in _ERRORS)
    status = said.get("status")
    told = status.strip().casefold() if isinstance(status, str) else ""
    is_no = any(map(_is_no, flags))
    if not (has_error or told in _FAILED or is_no):
        return "done"
    is_by_half = not _is_nothing(said.get("errors")) and not _is_nothing(said.get("data"))
    # As JSend has it: under `data` stands what is wrong with each field.
    of_errors = _BESIDE | {"data"} if told == "fail" else _BESIDE
    is_record = not is_no and any(name not in of_errors and not _is_nothing(value) for name, value in said.items())
    return "open" if is_by_half or is_record or any(map(_is_yes, flags)) else "refused"


def reason_in(answer: Any, depth: int = _DEEPEST) -> str:
    """Return what an answer says of why, as it says it; the whole answer where it has no words of its own for it."""
    answer = as_json(answer) if isinstance(answer, str) else answer
    found = _reason(answer, depth)
    if found:
        return found
    return answer if isinstance(answer, str) else "" if answer is None else orjson.dumps(answer).decode()


def as_json(text: str) -> Any:
    """Return what a text holds as JSON; the text where it is none."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _reason(answer: Any, depth: int) -> str:
    if isinstance(answer, str):
        return answer
    if isinstance(answer, list) and answer and depth:
        return _reason(answer[0], depth - 1)
    if isinstance(answer, Mapping) and depth:
        words = (_reason(answer.get(name), depth - 1) for name in _WORDS)
        return next((word for word in words if word), "")
    return ""


def _owners_verdict(answer: Any, done: Any) -> Verdict:
    values = done["is"] if isinstance(done["is"], list) else [done["is"]]
    found = at(answer, done["at"])
    if found is None or isinstance(found, Mapping | list):
        return "open"
    return "done" if _spelled(found) in {_spelled(value) for value in values} else "refused"


def _spelled(value: Any) -> str:
    """Return a value as text, in which an owner's `true` or `1` is the service's, however each writes it."""
    return (value if isinstance(value, str) else orjson.dumps(value).decode()).strip().casefold()


def _is_no(value: Any) -> bool:
    return value is False or (isinstance(value, str) and value.strip().casefold() == "false")


def _is_yes(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.strip().casefold() == "true")


def _is_nothing(value: Any, depth: int = _DEEPEST) -> bool:
    if isinstance(value, str):
        return value.strip().casefold() in _NOTHING
    if isinstance(value, Mapping | list) and depth:
        return all(_is_nothing(inner, depth - 1) for inner in (value if isinstance(value, list) else value.values()))
    return not value


def _is_page(kind: str, body: bytes) -> bool:
    start = body[:2_000]
    is_called_one = kind.strip().lower().startswith(("text/html", "application/xhtml"))
    # Some languages call everything HTML that they are not told to call otherwise.
    return _PAGE.match(start.lower()) is not None or (is_called_one and _MARKUP.search(start) is not None)

"""Whether a service says that it did what it was asked for, which a status of 2xx alone does not.

Many services answer 200 and say in the answer that nothing came of it, or that it is still to come. What they commonly
say is understood without anybody's word (`usual_verdict`); what else means that it was done, an owner says: `{"at":
"order.state", "is": ["placed"]}` under `response.done`, and then nothing else counts. An answer that cannot be
understood where one was to be expected says nothing: a page for people, or what calls itself JSON and is none.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

import orjson

from switchboard.contract.error import leaves_open
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.tenant_tools.api_answer import at
from switchboard.desk.tenant_tools.said_no import surely_not_done, tells_of_failure

Verdict: TypeAlias = Literal["done", "refused", "open", "accepted", "pending"]
"""What an answer says: that it was done, that it was not, or nothing that could be relied upon; that it was accepted
and not done yet, or that there is a record of it which is pending."""

UNFINISHED: Final[Mapping[str, str]] = {
    "accepted": (
        "The service has accepted this and has not done it yet. Say that it is accepted; do not say that it is done."
    ),
    "pending": (
        "The service has accepted this and calls it pending. Say so; do not say that it is confirmed or finished."
    ),
}
"""What a model is told of an action that its service has not finished, by what the answer says."""

_YES_OR_NO: Final = (
    *("ok", "success", "successful", "succeeded", "issuccess", "issuccessful", "is_success", "is_successful"),
)
_ERRORS: Final = ("error", "errors", "errormessage", "error_message", "errormsg")
_STATES: Final = ("status", "state", "result", "outcome")
# Which of them hold as often what was made.
_RECORDS: Final = ("state", "result", "outcome")
_NUMBERS: Final = ("status", "statuscode", "status_code")
_FAILED: Final = frozenset({"error", "failed", "fail", "failure"})
# What else a service calls something that it did not do, and how that is asked for where it is just what was wanted.
_TURNED_DOWN: Final[Mapping[str, re.Pattern[str]]] = {
    "rejected": re.compile("reject"),
    "declined": re.compile("declin"),
    "denied": re.compile("den(?:y|ied|ial)"),
    "refused": re.compile("refus"),
    # "removal" is what salons, clinics and gardeners are booked for.
    "cancelled": re.compile("cancel|delet|remov(?!al)"),
    "canceled": re.compile("cancel|delet|remov(?!al)"),
}
_PENDING: Final = frozenset({"pending"})
_UNDER_WAY: Final = frozenset({"queued", "enqueued", "processing", "in progress", "in_progress", "in-progress"})
# What services write where there is no error.
_NOTHING: Final = frozenset({"", "0", "false", "none", "null", "ok", "success"})
_WORDS: Final = (
    *("message", "msg", "detail", "error", "errors", "error_description", "errormessage", "error_message", "errormsg"),
    *("title", "reason", "description"),
)
# What stands beside an error in an answer that tells of it alone. With anything else it may be a record of something
# that was done and has an `error` or a `status` of its own, such as a defect that was reported.
_BESIDE: Final = frozenset(
    {*_YES_OR_NO, *_WORDS, *_STATES, *_NUMBERS, "code", "errorcode", "error_code", "details", "type"}
    | {"instance", "path", "timestamp", "time", "trace", "traceid", "trace_id", "requestid", "request_id", "help"}
)
_DEEPEST: Final = 4
_LONGEST_VALUE: Final = 20
_JSON: Final = re.compile(r"[\w.+-]+/(?:[\w.-]+\+)?json\b", re.IGNORECASE)
_PROBLEM: Final = re.compile(r"\s*application/problem\+(?:json|xml)\b", re.IGNORECASE)
_PAGE: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body|script|style|title|meta|div|h1|p)\b")
_MARKUP: Final = re.compile(rb"</?[a-z]", re.IGNORECASE)
_PART_FAILED: Final = re.compile(r"HTTP/\d(?:\.\d)? [45]\d\d\b")
_ACCEPTED, _SEVERAL = 202, 207


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for, as far as an answer is read by it.

    Attributes:
        words: By which a tool of the service is named, and the short values that it was sent: who asks for something
            to be cancelled is answered that it is.
        is_reading: Whether nothing was to be done: a status then is what was looked for.
    """

    words: str = ""
    is_reading: bool = False


def asked(*named: str, values: Any = None, is_reading: bool = False) -> Asked:
    """Return what a request asks for: by the names it goes to, and the short values in what it sends."""
    short = (value for value in _texts(values) if len(value) <= _LONGEST_VALUE)
    return Asked(" ".join((*named, *short)).casefold(), is_reading)


def verdict(
    answer: Any,
    headers: Mapping[str, str],
    body: bytes,
    mapping: Mapping[str, Any],
    status: int = 200,
    wanted: Asked = Asked(),  # noqa: B008
) -> Verdict:
    """Return what an answer with a status of 2xx says.

    Args:
        answer: As `read_answer` read it.
        headers: Of the answer.
        body: Of the answer, unpacked.
        mapping: The owner's `response`.
        status: Of the answer.
        wanted: What was asked for.
    """
    is_text = isinstance(answer, str) and not body.lstrip().startswith(b'"')
    if mapping.get("done"):
        return _owners_verdict(None if is_text else answer, mapping["done"])
    kind = (headers.get("Content-Type") or headers.get("content-type") or "").strip()
    if _PROBLEM.match(kind) and isinstance(answer, Mapping):
        return "open" if not wanted.is_reading and _says_of_number(answer) == "open" else "refused"
    if is_text:
        is_expected = _JSON.match(kind) is not None or any(mapping.values())
        says: Verdict = "open" if is_expected or _is_page(kind, body) else usual_verdict(answer, wanted)
    else:
        says = usual_verdict(answer, wanted)
    if wanted.is_reading:
        return says
    if status == _SEVERAL and says == "done" and _failed_in_part(answer, wanted):
        return "open"
    return "accepted" if status == _ACCEPTED and says in ("done", "pending") else says


def usual_verdict(answer: Any, wanted: Asked = Asked()) -> Verdict:  # noqa: B008
    """Return what an answer says in the words that services commonly have, at its top; "done" where it has none.

    It was not done where `ok` or `success` is false or 0; where `error` or `errors` holds anything, `status`, `state`,
    `result` or `outcome` is a word of failure ("error", "failed", "rejected", "declined", "cancelled" and the like, but
    for what was asked for), or `status` is a number from 400 to 499, if nothing but words of an error stand beside
    that. Otherwise it says nothing to be relied upon: a record that was made may have an `error` of its own. The same
    goes for one that says yes beside its no, for a number from 500 on, and for `data` beside `errors`, as GraphQL has
    it for what was done by half. A text that is JSON counts as that; another one that begins as an error does is a no
    if it says surely that nothing was done. "queued" and "processing" are accepted and not done, "pending" is a record
    that was made and is just that. A look-up is read by less of it: what it found may well be rejected.
    """
    answer = as_json(answer) if isinstance(answer, str) else answer
    if answer is False and not wanted.is_reading:
        return "refused"
    if isinstance(answer, str) and not wanted.is_reading and tells_of_failure(answer):
        return "refused" if surely_not_done(answer) else "open"
    if not isinstance(answer, Mapping):
        return "done"
    said = _folded(answer)
    flags = [said[name] for name in _YES_OR_NO if name in said]
    has_error = any(not _is_nothing(said.get(name)) for name in _ERRORS)
    states = _states_in(said, wanted)
    number = "done" if wanted.is_reading else _says_of_number(said)
    is_no = any(map(_is_no, flags))
    if not (has_error or states & _no_words(wanted) or is_no or number != "done"):
        return _unfinished(said, states, wanted)
    is_by_half = not _is_nothing(said.get("errors")) and not _is_nothing(said.get("data"))
    # As JSend has it: under `data` stands what is wrong with each field.
    of_errors = _BESIDE | {"data"} if "fail" in states else _BESIDE
    is_record = not is_no and _is_record(said, of_errors)
    is_open = is_by_half or is_record or any(map(_is_yes, flags)) or (number == "open" and not is_no)
    return "open" if is_open else "refused"


def says_no(answer: Mapping[str, Any]) -> bool:
    """Tell whether an answer says in so many words that it was not done; that there was an error is not enough."""
    said = _folded(answer)
    is_no = any(_is_no(said[name]) for name in _YES_OR_NO if name in said)
    return (is_no or bool(_states_in(said, Asked()) & _TURNED_DOWN.keys())) and usual_verdict(answer) == "refused"


def _folded(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name).casefold(): value for name, value in answer.items()}


def _states_in(said: Mapping[str, Any], wanted: Asked) -> set[str]:
    names = ("status",) if wanted.is_reading else _STATES
    return {value.strip().casefold() for name in names if isinstance(value := said.get(name), str)}


def _no_words(wanted: Asked) -> set[str]:
    if wanted.is_reading:
        return set(_FAILED)
    return {*_FAILED, *(word for word, asked_for in _TURNED_DOWN.items() if not asked_for.search(wanted.words))}


def _unfinished(said: Mapping[str, Any], states: set[str], wanted: Asked) -> Verdict:
    if wanted.is_reading:
        return "done"
    if states & _UNDER_WAY:
        return "accepted"
    if states & _PENDING:
        return "pending" if _is_record(said, _BESIDE) else "accepted"
    return "done"


def _is_record(said: Mapping[str, Any], beside: Collection[str]) -> bool:
    """Tell whether an answer holds anything beside words of one kind; what is no word is none of them."""
    return any(
        (name not in beside or (name in _RECORDS and isinstance(value, Mapping | list))) and not _is_nothing(value)
        for name, value in said.items()
    )


def _says_of_number(answer: Any) -> Literal["done", "refused", "open"]:
    """Return what a number that stands in an answer as its status says, as HTTP has them."""
    said = _folded(answer) if isinstance(answer, Mapping) else {}
    numbers = [int(str(said[name])) for name in _NUMBERS if re.fullmatch(r"[45]\d\d", str(said.get(name)))]
    if not numbers:
        return "done"
    return "open" if any(number >= 500 or number == 408 or leaves_open(number) for number in numbers) else "refused"


def _failed_in_part(answer: Any, wanted: Asked, depth: int = _DEEPEST) -> bool:
    """Tell whether an answer about several things says no of one of them."""
    if isinstance(answer, str):
        return _PART_FAILED.search(answer) is not None
    if not isinstance(answer, Mapping | list) or not depth:
        return False
    inner = answer if isinstance(answer, list) else answer.values()
    says_so = isinstance(answer, Mapping) and usual_verdict(answer, wanted) in ("refused", "open")
    return says_so or any(_failed_in_part(each, wanted, depth - 1) for each in inner)


def _texts(value: Any, depth: int = _DEEPEST) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list) and depth:
        for inner in value if isinstance(value, list) else value.values():
            yield from _texts(inner, depth - 1)


def reason_in(answer: Any, depth: int = _DEEPEST) -> str:
    """Return what an answer says of why, as it says it; the whole answer where it has no words of its own for it."""
    answer = as_json(answer) if isinstance(answer, str) else answer
    found = _reason(answer, depth)
    if found:
        return found
    try:
        return answer if isinstance(answer, str) else "" if answer is None else orjson.dumps(answer).decode()
    except TypeError:
        # Nested too deeply to be written: nobody reads that either.
        return ""


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
        said = _folded(answer)
        words = (_reason(said.get(name), depth - 1) for name in _WORDS)
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
    return value is False or (not isinstance(value, bool) and str(value).strip().casefold() in ("false", "0"))


def _is_yes(value: Any) -> bool:
    return value is True or str(value).strip().casefold() in ("true", "1")


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

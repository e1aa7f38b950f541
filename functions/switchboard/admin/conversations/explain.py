"""Why a call ended as it did, told to an owner from its ledger document: checks, outcome, and plain sentences."""

import ast
from collections.abc import Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from switchboard.admin.conversations.own_words import own_words
from switchboard.admin.conversations.shown_caller import why_unknown
from switchboard.catalog.arguments.arguments import MalformedJson, parse_json
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.definitions.definition import TOOL_NAME
from switchboard.contract.document import json_object, mapping, moment, objects_of, text
from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Order, Query
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.result.check_trace import read_story

CALLS_LISTED = 500
_SOMETHING = "something"
_NAMES_SHOWN = 40
_NAME_LENGTH = 60
# A call that ran longer after its beginning than it took was begun again; rounding is far below this.
_BEGUN_AGAIN = timedelta(seconds=1)
_PLACES = {"phone": "a phone call", "portal": "a portal chat", "browser_voice": "a browser voice conversation"}
_PASSED = {
    "replay": "new delivery",
    "session_active": "in a conversation that went on",
    "resolve": "known tool",
    "admit": "allowed here and now",
    "loop": "not going round in circles",
    "validate": "usable arguments",
    "confirm": "no yes missing",
    "budget": "within the turn's budget",
}
_REFUSED_BY = {
    "session_active": "because the conversation was over",
    "resolve": "because nobody offers it",
    "admit": "because it may not be used here and now",
    "loop": "because the model was going round in circles",
    "validate": "because of its arguments",
    "confirm": "for want of the caller's yes",
    "budget": "by the budget",
    "run": "by the tool itself",
}
_MEANINGS = {
    "started": "It has begun, and no end of it is recorded yet.",
    "queued": "It was accepted, and is about to be carried out.",
    "finished": "It is kept as finished: the tool's answer was given.",
    "failed": "It is kept as failed: there was no result, and nothing has been changed.",
    "unknown": "It is kept as unknown: something may have been done, and somebody should check.",
    "refused": "It is kept as refused: the tool did not do anything.",
}
_GIVEN_UP = (
    "Whoever began it stopped before the end, and nobody could bring it to its end: that was tried {tries}, and failed "
    "with {why}. Something may have been done, and nobody tries it any more: somebody should check."
)
_ANSWERED_NO = "It is kept as failed and counts as no failure: the tool said no, and nothing has been changed."
# By how it was kept when it was taken up again.
_TAKEN_UP = {
    "started": "The server that had begun it stopped before the end; at {at} the call was taken up again.",
    "failed": (
        "Its first answer was that nothing was done and that it may be tried again; at {at} it was delivered again."
    ),
    "unknown": "What had come of it was not known; at {at} that was looked into again.",
    "queued": "It had been accepted before; at {at} it was carried out.",
    "": "At {at} the call was taken up again.",
}
_REPEATED_FAILURE = "It is kept as finished: the failure of an earlier call was reported again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One call as its ledger document tells it.

    Attributes:
        zone: The business's, in which all times are told.
        elapsed_ms: None while the call has not ended, and for an answer that another call took the time for.
        arguments_names: As the model wrote them; none where its arguments cannot be read.
        checks: The story kept by settlement (`pipeline/result/check_trace.py`); none before it.
        outcome: `{ok}`, for a failure with `type`, `message` and `retryable`; None while there is none.
        repeated_of: `{callId, at}` of the call whose answer was given again.
        retaken_at: When the call was taken up again after it had been begun, answered or accepted.
        retaken_from: How it was kept then; empty where nobody knows.
        is_failure: Whether its outcome counts as a failure; a tool's no is an answer like any.
        reason: The words in which the tool said no, without what anybody had said.
        given_up: Why nobody could bring it to its end; empty where somebody did, or still tries.
        tries: How often that was tried.
        unknown: Why nobody was known to be calling, if it was refused for that.
        was_done_before: Whether the tool found that what it was asked for had been done.
    """

    business_id: str
    session_id: str
    call_id: str
    tool: str
    kind: str
    channel: str
    turn: int
    zone: ZoneInfo
    started_at: datetime
    finished_at: datetime | None
    elapsed_ms: float | None
    state: str
    arguments_names: tuple[str, ...]
    checks: tuple[Mapping[str, str], ...]
    outcome: JsonObject | None
    receipt: JsonObject | None
    repeated_of: JsonObject | None
    retaken_at: datetime | None
    retaken_from: str = ""
    is_failure: bool = False
    reason: str = ""
    given_up: str = ""
    tries: int = 0
    unknown: str = ""
    was_done_before: bool = False

    @property
    def state_means(self) -> str:
        """A sentence about the call's state."""
        if self.given_up:
            return _GIVEN_UP.format(tries=_number(self.tries, "time"), why=self.given_up)
        if self.state == "finished" and self.outcome is not None and not self.outcome["ok"]:
            return _REPEATED_FAILURE
        if self.state == "failed" and not self.is_failure:
            return _ANSWERED_NO
        return _MEANINGS.get(self.state, f"It is kept as {self.state}.")

    @property
    def sentences(self) -> tuple[str, ...]:
        """The story in four to ten sentences, without what the model sent or the channel showed of the caller."""
        story = (
            _asked(self),
            _given(self),
            _retaken(self),
            *_checked(self),
            *_answered(self),
            self.unknown,
            self.state_means,
        )
        return tuple(sentence for sentence in story if sentence)

    def to_json(self) -> JsonObject:
        """Return the explanation as the admin API answers it; times are local, with offset."""
        body: JsonObject = {
            "businessId": self.business_id,
            "sessionId": self.session_id,
            "callId": self.call_id,
            "tool": self.tool,
            "kind": self.kind,
            "channel": self.channel,
            "turn": self.turn,
            "timezone": self.zone.key,
            "startedAt": _iso(self.started_at, self.zone),
            "finishedAt": _iso(self.finished_at, self.zone) if self.finished_at else None,
            "elapsedMs": self.elapsed_ms,
            "state": self.state,
            "stateMeans": self.state_means,
            "argumentsNames": list(self.arguments_names),
            "checks": [dict(entry) for entry in self.checks],
            "outcome": self.outcome,
            "sentences": list(self.sentences),
        }
        optional: JsonObject = {"receipt": self.receipt, "repeatedOf": self.repeated_of}
        if self.retaken_at is not None:
            optional["retakenAt"] = _iso(self.retaken_at, self.zone)
        return body | {name: value for name, value in optional.items() if value is not None}


@dataclass(frozen=True, slots=True)
class CallLine:
    """One call in a session's list; `at` is when it began, in the business's zone."""

    id: str
    tool: str
    state: str
    at: datetime

    def to_json(self) -> JsonObject:
        """Return the line as the admin API answers it."""
        return as_json(self, at=self.at.isoformat(timespec="milliseconds"))


async def receipts(store: Store, paths: Paths, business_id: str, session_id: str) -> list[JsonObject]:
    """Return what was done in a session, in order: tool, call, turn, time, and the tool's own receipt."""
    document = await store.get(paths.within(business_id).document("sessions", session_id))
    by_call = mapping(document.data.get("receipts")) if document is not None else {}
    return sorted(objects_of(list(by_call.values())), key=lambda receipt: str(receipt.get("at")))


async def explain(store: Store, paths: Paths, business_id: str, session_id: str, call_id: str) -> Explanation | None:
    """Return what is known of a call, or None if the ledger does not hold it.

    Reads the call and its business in one round trip; for a repeated wish also which call was first to make it.

    Raises:
        StoreError: The store did not answer.
    """
    within = paths.within(business_id)
    document, business = await store.get_many([within.call(session_id, call_id), within.business])
    if document is None:
        return None
    row, zone = CallRow(document), _zone(business_id, business)
    # One that cannot be read any more is explained too, as far as it can.
    data, response, started_at = document.data, row.response, row.started_at or document.create_time
    meta = response.meta if response is not None else {}
    repeated_of: JsonObject | None = None
    if meta.get("repeated") and text(meta.get("repeatedOf")):
        repeated_of = _first_made(await store.get(within.call(session_id, meta["repeatedOf"])), "startedAt", zone)
    elif meta.get("repeated") and row.effect_key:
        repeated_of = _first_made(await store.get(within.effect(session_id, row.effect_key)), "at", zone)
    outcome: JsonObject | None = None
    if response is not None:
        envelope = response.to_json()
        failure = (
            {name: envelope["error"][name] for name in ("type", "message", "retryable")} if not response.ok else {}
        )
        outcome = {"ok": response.ok} | failure
    took = meta.get("elapsedMs")
    elapsed_ms = took if isinstance(took, int | float) and not meta.get("repeated") else None
    return Explanation(
        business_id=business_id,
        session_id=session_id,
        call_id=row.named("callId") or call_id,
        tool=text(data.get("tool", _SOMETHING)),
        kind=row.tool_kind or ("none" if "toolKind" in data else "unknown"),
        channel=text(data.get("channel")) or "a conversation",
        turn=row.turn,
        zone=zone,
        started_at=started_at,
        finished_at=row.finished_at,
        elapsed_ms=elapsed_ms,
        state=row.state,
        arguments_names=_argument_names(text(data.get("arguments"))),
        checks=read_story(data.get("checks")),
        outcome=outcome,
        receipt=json_object(meta.get("receipt")) or None,
        repeated_of=repeated_of,
        is_failure=response is not None and response.failure is not None and response.failure.is_failure,
        reason=own_words(data, response.failure if response is not None else None),
        retaken_from=row.taken_up_from,
        retaken_at=_begun_again(row, started_at, elapsed_ms or 0),
        given_up=text(data.get("givenUp")),
        tries=row.recoveries,
        was_done_before=response is not None and mapping(response.data).get("repeated") is True,
        unknown=why_unknown(data, response, _business(business_id, business)),
    )


async def calls(store: Store, paths: Paths, business_id: str, session_id: str) -> list[CallLine]:
    """Return the calls of a session in the order in which they began, at most 500.

    Raises:
        StoreError: The store did not answer.
    """
    within = paths.within(business_id)
    query = Query(within.calls(session_id), order=(Order("startedAt"),), limit=CALLS_LISTED)
    rows = [CallRow(document) for document in await store.query(query)]
    zone = _zone(business_id, await store.get(within.business)) if rows else ZoneInfo("UTC")
    return [
        CallLine(
            *(row.named("callId"), text(row.document.data.get("tool", _SOMETHING)), row.state),
            (row.started_at or row.document.create_time).astimezone(zone),
        )
        for row in rows
    ]


def _zone(business_id: str, business: Document | None) -> ZoneInfo:
    return _business(business_id, business).timezone


def _business(business_id: str, document: Document | None) -> Business:
    return read_business(business_id, document.data if document is not None else {})


def _first_made(document: Document | None, began: str, zone: ZoneInfo) -> JsonObject | None:
    """Return which call was first to make a wish, and when, by its row or by the claim of that wish."""
    if document is None:
        return None
    at = moment(document.data.get(began)) or document.create_time
    return {"callId": text(document.data.get("callId")) or document.id, "at": _iso(at, zone)}


def _iso(at: datetime, zone: ZoneInfo) -> str:
    return at.astimezone(zone).isoformat(timespec="milliseconds")


def _argument_names(arguments: str) -> tuple[str, ...]:
    try:
        # What was not valid is kept as a Python literal of the text that was sent (pipeline/ledger/record.py).
        sent = parse_json(ast.literal_eval(arguments) if arguments.startswith(("'", '"')) else arguments)
    except (MalformedJson, SyntaxError, ValueError):
        return ()
    return tuple(name[:_NAME_LENGTH] for name in list(sent)[:_NAMES_SHOWN]) if isinstance(sent, dict) else ()


def _begun_again(row: CallRow, started_at: datetime, elapsed_ms: float) -> datetime | None:
    finished = row.finished_at if not row.document.data.get("givenUp") else None
    began: datetime | None = finished - timedelta(milliseconds=elapsed_ms) if finished else None
    is_later = began is not None and began - started_at > _BEGUN_AGAIN
    return began if is_later or row.taken_up_from else None


def _asked(call: Explanation) -> str:
    local = call.started_at.astimezone(call.zone)
    tool = call.tool if TOOL_NAME.fullmatch(call.tool) else "a tool by a name that no tool can have"
    place = _PLACES.get(call.channel, call.channel)
    return (
        f"At {local:%H:%M:%S} on {local:%B} {local.day}, {local.year} ({call.zone.key} time) the model asked for "
        f"{tool} in turn {call.turn} of {place}."
    )


def _given(call: Explanation) -> str:
    saw = _entry(call, "validate").get("saw")
    if not saw:
        return "" if call.arguments_names else "It had no arguments, or none that can be read."
    return f"It had {saw}."


def _retaken(call: Explanation) -> str:
    if call.retaken_at is None:
        return ""
    at = call.retaken_at.astimezone(call.zone)
    return _TAKEN_UP.get(call.retaken_from, _TAKEN_UP[""]).format(at=f"{at:%H:%M:%S}")


def _checked(call: Explanation) -> tuple[str, ...]:
    """Tell what was passed, what refused, and how far the turn's allowance was used up."""
    if not call.checks:
        return (f"The checks it met {'were not' if call.outcome else 'are not yet'} written down.",)
    passed = [_PASSED[e["check"]] for e in call.checks if e["decided"] == "passed" and e["check"] in _PASSED]
    sentences = [f"It passed {_number(len(passed), 'check')}: {', '.join(passed)}."] if passed else []
    refused = next((entry for entry in call.checks if entry["decided"] == "refused"), None)
    if refused is not None and _was_told_before_asking(call):
        sentences.append("The tool said no before the caller was asked for a yes: there was nothing to ask about.")
    elif refused is not None:
        sentences.append(f"It was refused {_REFUSED_BY.get(refused['check'], 'by a check')}: {refused['why']}.")
        if refused["check"] != "validate":
            sentences.append(f"What that check saw: {refused['saw']}.")
    elif _entry(call, "budget").get("decided") == "passed":
        sentences.append(f"In this turn it was {_entry(call, 'budget')['saw']}.")
    return tuple(sentences)


def _answered(call: Explanation) -> tuple[str, ...]:
    """Tell whether the tool ran, and what the model was told."""
    sentences, run, reuse = [], _entry(call, "run"), _entry(call, "reuse")
    if run.get("decided") == "passed":
        sentences.append(f"The tool ran and answered: {run['saw']}" + (f"; {run['why']}." if "why" in run else "."))
    elif run.get("decided") == "failed":
        sentences.append(f"The tool ran and {'failed' if call.is_failure else 'said no'}: {run['why']}.")
    elif run.get("decided") == "refused":
        sentences.append(f"The tool refused: {run['why']}.")
    elif reuse.get("decided") == "passed":
        sentences.append(f"The tool was not run again: {reuse['saw']}{_when(call)}, and {reuse['why']}.")
    elif run and call.state == "unknown":
        sentences.append(f"The tool was not run: {run['why']}.")
    if call.outcome is None:
        sentences.append("The model has no answer yet.")
    elif not call.outcome["ok"]:
        advice = "may try again" if call.outcome["retryable"] else "should not simply try again"
        sentences.append(f"The model was told {call.outcome['type']}, and that it {advice}.")
        if call.reason and (run.get("decided") in ("failed", "refused") or _was_told_before_asking(call)):
            sentences.append(f"The tool's own words: \u201c{call.reason}\u201d")
    if call.receipt is not None:
        before = ", before this call: nothing was done a second time" if call.was_done_before else ""
        sentences.append(f"A receipt says what was done{before}.")
    return tuple(sentences)


def _was_told_before_asking(call: Explanation) -> bool:
    """Tell whether the tool itself said no when it was to say what the caller would be asked."""
    is_no = call.outcome is not None and call.outcome.get("type") not in (None, "CONFIRMATION_REQUIRED")
    return is_no and _entry(call, "confirm").get("decided") == "refused"


def _when(call: Explanation) -> str:
    if call.repeated_of is None:
        return ""
    return f" at {datetime.fromisoformat(call.repeated_of['at']):%H:%M:%S}"


def _entry(call: Explanation, check: str) -> Mapping[str, str]:
    return next((entry for entry in call.checks if entry["check"] == check), {})


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"

"""Whether what is left in the end is what a scenario expects, and what nothing may ever come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.admin.evals.scenario import BookingExpectation, CallExpectation, Scenario
from switchboard.admin.evals.spoken import claims, language_of
from switchboard.app.evaluation.ending import Row, ScenarioEnding, as_json
from switchboard.app.evaluation.observing import ObservedCall, Seen
from switchboard.contract.python.dataclass import dataclass

_DEEDS = {"book_appointment": ("book_appointment", "create_event")}
_DONE = ("finished", "queued")
_EFFECTS = {"confirmed": "book_appointment", "cancelled": "cancel_appointment"}


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the caller said, and heard.

    Attributes:
        calls: Those that were made for it, however often it had to be said.
        at_once: How many were made when it was said the last time.
    """

    said: str
    heard: str
    calls: Sequence[ObservedCall] = ()
    at_once: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be.

    Attributes:
        what: A sentence about it.
        sentence: What was said when it went wrong; empty where nothing was.
        call: The id of the call that it went wrong with; empty for none.
        story: What the ledger tells of that call.
    """

    what: str
    sentence: str = ""
    call: str = ""
    story: Sequence[str] = ()


@dataclass(slots=True)
class Talk:
    """One conversation as it was held.

    Attributes:
        greeting: What was said first.
        broken: Why it could not be held to its end; empty where it was.
        dialled: The number that it was handed on to.
    """

    session: str
    seen: Seen
    greeting: str = ""
    exchanges: list[Exchange] = field(default_factory=list)
    is_over: bool = False
    dialled: str = ""
    broken: str = ""

    @property
    def heard(self) -> list[str]:
        """Everything that the agent said."""
        return [self.greeting, *(exchange.heard for exchange in self.exchanges)]


def judge(
    scenario: Scenario, talk: Talk, ending: ScenarioEnding, zone: ZoneInfo, *, may_be_unknown: bool = False
) -> list[Finding]:
    """Return everything that is not as the scenario expects, or as it always has to be.

    Args:
        scenario: What it expects.
        talk: What was said.
        ending: What is left.
        zone: The business's.
        may_be_unknown: Whether something was broken on purpose, after which it is no lie that nobody knows.
    """
    if talk.broken:
        return [_at_the_end(talk, talk.broken)]
    judges = (
        _bookings(scenario, talk, ending, zone),
        _letters(scenario, talk, ending),
        _ledger(scenario, talk, ending, may_be_unknown),
    )
    others = (_words(scenario, talk, ending), _limits(scenario, talk), _always(talk, ending, may_be_unknown))
    return [finding for findings in (*judges, *others) for finding in findings]


def _bookings(scenario: Scenario, talk: Talk, ending: ScenarioEnding, zone: ZoneInfo) -> Iterator[Finding]:
    left = list(ending.bookings)
    for expected in scenario.expect.bookings:
        match = next((one for one in left if _is_booking(one, expected, zone)), None)
        if match is not None:
            left.remove(match)
            continue
        closest = f"; what there is: {'; '.join(_shown(one, zone) for one in left)}" if left else "; there is none"
        tool = _EFFECTS.get(expected.status, "book_appointment")
        yield _with_call(talk, ending, tool, f"no appointment is {_wish(expected)}{closest}")
    for one in left:
        yield _with_call(talk, ending, "book_appointment", f"nobody expects this appointment: {_shown(one, zone)}")


def _is_booking(document: Mapping[str, Any], expected: BookingExpectation, zone: ZoneInfo) -> bool:
    start = expected.start
    if start is not None:
        start = start if start.tzinfo else start.replace(tzinfo=zone)
    people = [str(row.get("name")) for row in document.get("resources") or ()]
    return all(
        (
            document.get("status") == expected.status,
            expected.service in (None, document.get("service")),
            start in (None, document.get("start")),
            expected.customer is None or expected.customer.casefold() == str(document.get("customerName")).casefold(),
            expected.phone in (None, document.get("customerPhone")),
            expected.email in (None, document.get("customerEmail")),
            expected.with_ is None or expected.with_ in people,
            expected.party in (None, document.get("partySize") or 1),
        )
    )


def _wish(expected: BookingExpectation) -> str:
    fields = expected.model_dump(exclude_none=True, by_alias=True)
    return ", ".join(
        f"{name} {value:%Y-%m-%d %H:%M}" if isinstance(value, datetime) else f"{name} {value}"
        for name, value in fields.items()
    )


def _shown(document: Mapping[str, Any], zone: ZoneInfo) -> str:
    people = [str(row.get("name")) for row in document.get("resources") or ()]
    names = (document.get("service"), document.get("customerName"), document.get("status"), *people)
    return f"{document['start'].astimezone(zone):%Y-%m-%d %H:%M} {', '.join(map(str, names))}"


def _letters(scenario: Scenario, talk: Talk, ending: ScenarioEnding) -> Iterator[Finding]:
    expect = scenario.expect
    kinds = (
        ("text", "send_sms", [(t.to, t.has) for t in expect.texts], [(t["to"], t["body"]) for t in ending.texts]),
        (
            *("message to the business", "take_message"),
            [(m.to, m.has) for m in expect.messages],
            [("", as_json(dict(one))) for one in ending.messages],
        ),
        (
            *("e-mail", "send_email"),
            [(m.to, m.has) for m in expect.emails],
            [(one["to"], f"{one['subject']}\n{one['text']}") for one in ending.emails],
        ),
    )
    for kind, tool, expected, sent in kinds:
        left = list(sent)
        for to, has in expected:
            match = next((one for one in left if to in (None, one[0]) and has.casefold() in one[1].casefold()), None)
            if match is None:
                wish = " ".join(filter(None, (to and f"to {to}", has and f"with {has!r}"))) or "at all"
                yield _with_call(talk, ending, tool, f"there is no {kind} {wish}, and {len(left)} others")
            else:
                left.remove(match)
        for to, body in left:
            yield _with_call(talk, ending, tool, f"nobody expects this {kind}: {to} {body[:200]}")


def _ledger(scenario: Scenario, talk: Talk, ending: ScenarioEnding, may_be_unknown: bool) -> Iterator[Finding]:
    for expected in scenario.expect.ledger:
        # Where the record of a refusal was lost on purpose, it counts that the model was given it.
        was_refused = may_be_unknown and any(_is_refusal(call, expected) for call in talk.seen.calls)
        if not was_refused and not any(_is_row(row, expected) for row in ending.rows):
            rows = ", ".join(f"{row.tool} {row.state} {row.error}".strip() for row in ending.rows) or "nothing"
            wish = " ".join(filter(None, (expected.tool, expected.state, expected.error)))
            yield _with_call(talk, ending, expected.tool, f"the ledger has no {wish}; it has {rows}")
    for tool in scenario.expect.never:
        row = next((row for row in ending.rows if row.tool == tool and row.state in _DONE), None)
        if row is not None:
            yield _of_row(talk, row, f"{tool} may not have done anything, and has")


def _is_row(row: Row, expected: CallExpectation) -> bool:
    return row.tool == expected.tool and expected.state in (None, row.state) and expected.error in (None, row.error)


def _is_refusal(call: ObservedCall, expected: CallExpectation) -> bool:
    failure = call.response.failure
    return failure is not None and call.tool == expected.tool and failure.type.value == expected.error


def _words(scenario: Scenario, talk: Talk, ending: ScenarioEnding) -> Iterator[Finding]:
    expect = scenario.expect
    said = "\n".join(talk.heard)
    transcript = "\n".join(str(row.get("text") or "") for row in ending.transcript)
    for place, words, text in (("said", expect.said, said), ("in the transcript", expect.transcript, transcript)):
        for has in words.has:
            if has.casefold() not in text.casefold():
                yield _at_the_end(talk, f"{has!r} is not {place}")
        for never in words.never:
            sentence = next((row for row in text.splitlines() if never.casefold() in row.casefold()), None)
            if sentence is not None:
                yield Finding(f"{never!r} is {place}", sentence)
    if expect.language is not None:
        for heard in talk.heard:
            if language_of([heard]) not in (None, expect.language):
                yield Finding(f"this is not said in {expect.language}", heard)
    if expect.ended is not None and expect.ended is not talk.is_over:
        yield _at_the_end(talk, "the agent has ended the conversation" if talk.is_over else "the conversation goes on")
    if expect.transferred_to is not None and expect.transferred_to != talk.dialled:
        yield _with_call(
            talk, ending, "transfer_call", f"{talk.dialled or 'nobody'} was dialled, not {expect.transferred_to}"
        )
    if len(talk.seen.left_out) < expect.left_out:
        yield _at_the_end(talk, f"{len(talk.seen.left_out)} sentences were held back, not {expect.left_out}")


def _limits(scenario: Scenario, talk: Talk) -> Iterator[Finding]:
    limits = scenario.expect.limits
    if limits.lines is not None and len(talk.exchanges) > limits.lines:
        yield _at_the_end(talk, f"the caller had to say {len(talk.exchanges)} lines, more than {limits.lines}")
    for exchange in talk.exchanges:
        if limits.calls_per_turn is not None and exchange.at_once > limits.calls_per_turn:
            yield Finding(
                f"{exchange.at_once} calls were made for one line, more than {limits.calls_per_turn}",
                exchange.said,
                exchange.calls[-1].id,
            )
        words = len(exchange.heard.split())
        if limits.words_per_answer is not None and words > limits.words_per_answer:
            yield Finding(f"an answer has {words} words, more than {limits.words_per_answer}", exchange.heard)


def _always(talk: Talk, ending: ScenarioEnding, may_be_unknown: bool) -> Iterator[Finding]:
    """Yield what no conversation may come to, whatever its scenario expects."""
    for clash in ending.clashes:
        yield Finding(f"two appointments take the same: {clash}")
    done = {row.effect_key for row in ending.rows if row.state in _DONE and row.effect_key}
    for document in (*ending.bookings, *ending.messages):
        if "generation" in document and document.get("generation") != 0:
            continue
        if _is_own(document, talk.session) and document.get("effectKey") not in done:
            yield Finding(f"no receipt bears this out: {as_json(dict(document))[:200]}")
    for row in ending.rows:
        if row.state in ("started", "queued") or (row.state == "unknown" and not may_be_unknown):
            yield _of_row(talk, row, f"{row.tool} has come to no end: it is {row.state}")
    finished = {row.tool for row in ending.rows if row.state in _DONE}
    for heard in talk.heard:
        for tool, sentence in claims(heard):
            if not finished & {tool, *_DEEDS.get(tool, ())} and not _is_known(tool, talk):
                yield Finding(f"this was said, and {tool} has not done it", sentence)


def _is_own(document: Mapping[str, Any], session: str) -> bool:
    source = document.get("source")
    whose = source.get("sessionId") if isinstance(source, Mapping) else document.get("sessionId")
    return whose == session


def _is_known(tool: str, talk: Talk) -> bool:
    """Whether what was said may be about an appointment that was looked up: it was booked before."""
    looked_up = ("lookup_appointment", "get_booking_by_id", "get_latest_booking", "update_appointment")
    moved = ("reschedule_appointment", *looked_up)
    tools = {call.tool for call in talk.seen.calls if call.response.ok}
    return bool(tools & set(moved if tool == "book_appointment" else looked_up))


def _with_call(talk: Talk, ending: ScenarioEnding, tool: str, what: str) -> Finding:
    """Return a finding with the last call of a tool that did not do it, or the last of all."""
    rows = [row for row in ending.rows if row.tool == tool] or list(ending.rows)
    if not rows:
        return _at_the_end(talk, what)
    failed = [row for row in rows if row.state not in _DONE]
    return _of_row(talk, (failed or rows)[-1], what)


def _of_row(talk: Talk, row: Row, what: str) -> Finding:
    exchange = next((one for one in talk.exchanges if row.id in [call.id for call in one.calls]), None)
    sentence = exchange.heard if exchange is not None else (talk.heard[-1] if talk.heard else "")
    return Finding(what, sentence, row.id)


def _at_the_end(talk: Talk, what: str) -> Finding:
    last = talk.exchanges[-1] if talk.exchanges else None
    call = last.calls[-1].id if last is not None and last.calls else ""
    return Finding(what, last.heard if last is not None else talk.greeting, call)

"""What a call met on its way, step by step, in words an owner understands: kept in its ledger document.

Told once, at settlement, from what the checks themselves looked at. Nothing personal is told: counts, limits,
conditions, milliseconds and the tool's own argument names, but no value that a caller or a model said.
"""

import json
import re
from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from switchboard.catalog.offer.inclusion import conditions
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.document import objects_of
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CHANNEL_POLICY, SAME_CALL_LIMIT
from switchboard.contract.response import Failure
from switchboard.pipeline.checks.loop import may_repeat
from switchboard.pipeline.execution.deadline import limit_s
from switchboard.pipeline.invocation import Invocation, TurnCounts
from switchboard.pipeline.json_text import json_text
from switchboard.pipeline.metrics.token_estimate import characters_in
from switchboard.pipeline.result.outcome import CallOutcome

Decision: TypeAlias = Literal["passed", "refused", "skipped", "failed"]
"""What came of a step; `failed` is the run's alone, since a failure is no refusal."""

_REFUSED_BY = {
    ErrorType.SESSION_INACTIVE: "session_active",
    ErrorType.TRANSIENT: "session_active",
    ErrorType.NOT_FOUND: "resolve",
    ErrorType.MODE_RESTRICTED: "admit",
    ErrorType.LOOP_DETECTED: "loop",
    ErrorType.VALIDATION: "validate",
    ErrorType.CONFIRMATION_REQUIRED: "confirm",
    ErrorType.BUDGET_EXCEEDED: "budget",
    ErrorType.RATE_LIMIT: "budget",
}
_FAILURES = {
    ErrorType.VALIDATION: "the tool cannot do this with these arguments",
    ErrorType.MODE_RESTRICTED: "it does not do this for this caller, here and now",
    ErrorType.NOT_FOUND: "what was asked for does not exist",
    ErrorType.CONFLICT: "as things stand that cannot be: it is taken, closed, done otherwise already, or being changed",
    ErrorType.TRANSIENT: "something the tool needs was not reached, or did not answer in time",
    ErrorType.RATE_LIMIT: "a limit is used up, the business's own or that of something the tool needs",
    ErrorType.PERMANENT: "it cannot be done, and trying again will not change that",
    ErrorType.AUTH: "a connection of the business has to be authorised again",
    ErrorType.SESSION_INACTIVE: "the conversation is over",
    ErrorType.INTERNAL: "the tool broke down, or gave an answer that it must not give",
}


class _TraceStep(NamedTuple):
    """One step's entry; of a check that let the call through, `why` is what it would have refused with."""

    saw: str = ""
    decided: Decision = "passed"
    why: str = ""


_REASON = re.compile(r"[a-z][a-z_]{2,29}")
_NOT_COUNTED = _TraceStep(
    "the turn's counts are not known", "skipped", "the call had been begun before, or the store did not answer"
)

_WORDED: dict[Hashable, tuple[str, str]] = {}
_WORDED_AT_MOST = 2_000


def story(invocation: Invocation, outcome: CallOutcome) -> list[JsonObject]:
    """Tell each step of a call in the order of the pipeline: `{check, saw, decided, why?}`.

    `why` says why a step refused, failed or was skipped, or what it gave instead of a run. Steps behind a refusal are
    skipped.
    """
    entries = [_entry("replay", *_replay(invocation))]
    refused_by = _REFUSED_BY.get(invocation.refusal.type) if invocation.refusal else None
    stopped = (
        "it may have been carried out before, and is not carried out twice" if _ended_open(invocation, outcome) else ""
    )
    for name, look in _CHECKS.items():
        if stopped:
            entries.append(_entry(name, "", "skipped", stopped))
            continue
        saw, decided, why = look(invocation)
        if name == refused_by:
            entries.append(_entry(name, saw, "refused", why))
            stopped = f"refused by {name}"
        else:
            entries.append(_entry(name, saw, decided, "" if decided == "passed" else why))
    reuse = _TraceStep(decided="skipped", why=stopped) if stopped else _reuse(invocation, outcome)
    answered = bool(reuse.why) and reuse.decided == "passed"
    stopped = stopped or ("an earlier answer was given again" if answered else "")
    run = _TraceStep(decided="skipped", why=stopped) if stopped else _run(invocation, outcome)
    settled = _settle(invocation, outcome, stopped)
    return [*entries, _entry("reuse", *reuse), _entry("run", *run), _entry("settle", *settled)]


def read_story(stored: object) -> tuple[Mapping[str, str], ...]:
    """Return a story as it was kept, by any version: its entries that say which check decided what.

    What does not say why it was not passed has a `why` all the same.
    """
    try:
        entries = json.loads(stored) if isinstance(stored, str) else []
    except ValueError:
        return ()
    read = [{name: str(value) for name, value in entry.items()} for entry in objects_of(entries)]
    return tuple(
        entry | {name: text for name, text in _unsaid(entry).items() if name not in entry}
        for entry in read
        if "check" in entry and entry.get("decided") in get_args(Decision)
    )


def _unsaid(entry: Mapping[str, str]) -> Mapping[str, str]:
    needs_reason = entry["decided"] != "passed" or entry["check"] == "reuse"
    return {"saw": "", "why": "the reason is not kept"} if needs_reason else {"saw": ""}


def story_text(invocation: Invocation, outcome: CallOutcome) -> str:
    """Return the story as JSON text, as it is kept.

    Most calls meet nothing. What they have in common is put into words once, since words cost more than the checks.
    """
    counts, arguments, tool, answer = invocation.counts, invocation.arguments, invocation.tool, outcome.response
    is_usual = outcome.state == "finished" and invocation.refusal is None and invocation.wish_granted is None
    if not is_usual or counts is None or arguments is None or tool is None or "reused" in answer.meta:
        return json_text(story(invocation, outcome))
    facts, offer = invocation.facts, invocation.offer
    # The words of the offer and the set it was made from, and whatever else the steps behind `_shared` look at.
    key = (
        offer.catalog_version,
        offer.set_hash,
        offer.source,
        tool.name,
        tuple(arguments.canonical),
        arguments.ignored,
        type(facts),
        facts.caller_verified,
        not facts.within,
        counts.is_over,
        counts.same,
        counts.empty,
        invocation.repeat,
        invocation.is_approved,
        invocation.claims_wish,
    )
    shared = _WORDED.get(key)
    if shared is None:
        if len(_WORDED) >= _WORDED_AT_MOST:
            _WORDED.clear()
        shared = _WORDED[key] = _shared(invocation, outcome)
    until_budget, until_run = shared
    saw, why = _ran(invocation, outcome)
    budget, run = _passed("budget", _budget_saw(invocation, counts)), _passed("run", saw, why)
    return f"[{until_budget},{budget},{until_run},{run},{_passed('settle', _kept(invocation, outcome))}]"


def _shared(invocation: Invocation, outcome: CallOutcome) -> tuple[str, str]:
    """Return the steps up to budget, and from there to run."""
    entries = {entry["check"]: json_text(entry) for entry in story(invocation, outcome)}
    until_budget = ("replay", "session_active", "resolve", "admit", "loop", "validate", "confirm")
    return ",".join([entries[name] for name in until_budget]), entries["reuse"]


def _passed(check: str, saw: str, why: str = "") -> str:
    """Return the entry of a step that says nothing but numbers and words of our own, as JSON text."""
    behind = f',"why":"{why}"' if why else ""
    return f'{{"check":"{check}","saw":"{saw}","decided":"passed"{behind}}}'


def _entry(check: str, saw: str, decided: Decision, why: str) -> JsonObject:
    entry = {"check": check, "saw": saw, "decided": decided}
    if why:
        entry["why"] = why
    return entry


def _ended_open(invocation: Invocation, outcome: CallOutcome) -> bool:
    # An action that was begun by an instance which died is not looked at again: nobody knows what became of it.
    definition = invocation.definition
    return (
        invocation.counts is None
        and not invocation.is_due
        and outcome.state == "unknown"
        and invocation.kind is Kind.ACTION
        and not (definition is not None and definition.is_repeatable)
    )


def _replay(invocation: Invocation) -> _TraceStep:
    if invocation.counts is None:
        return _TraceStep("begun before, or not recorded", "skipped", "there is no earlier answer to give again")
    return _TraceStep("a call id that was not used before")


def _session_active(invocation: Invocation) -> _TraceStep:
    if invocation.counts is None:
        return _NOT_COUNTED
    if invocation.counts.is_with_person:
        return _TraceStep("a conversation in which a person answers", why="no model does, that could have asked for it")
    if invocation.counts.is_person_unread and not invocation.counts.is_over:
        return _TraceStep("a conversation that a person had taken over", why="whether they still answer was not read")
    if not invocation.counts.is_over:
        return _TraceStep("a conversation that goes on")
    if invocation.facts.within:
        return _TraceStep("a conversation that has ended, and a call that was let in before it did")
    return _TraceStep("a conversation that has ended", why="nobody is there any more who could have asked for it")


def _resolve(invocation: Invocation) -> _TraceStep:
    offered = _number(len(invocation.offer.tools), "tool") + " offered"
    source = {"stale": ", as last read", "fallback": ", as built"}.get(invocation.offer.source, "")
    if invocation.tool is not None:
        return _TraceStep(f"one of {offered}{source}")
    if invocation.offer.why_not(invocation.call.name) is not None:
        return _TraceStep(f"a known tool, but none of {offered}{source}")
    return _TraceStep(f"none of {offered}{source}", why="there is no tool of that name")


def _admit(invocation: Invocation) -> _TraceStep:
    channel, excluded = invocation.facts.channel.value, invocation.offer.why_not(invocation.call.name)
    if excluded is not None:
        return _TraceStep(f"{channel}; decided by {excluded.condition}", why=excluded.reason)
    needs = [
        f"needs {condition}: met" for condition in (conditions(invocation.definition) if invocation.definition else ())
    ]
    if invocation.definition is not None and invocation.definition.verified:
        is_met = "met" if invocation.facts.caller_verified else "not met"
        here = ", but for what this conversation made" if invocation.definition.callers_own and is_met != "met" else ""
        needs.append(f"needs a verified caller: {is_met}{here}")
    return _TraceStep("; ".join([channel, *needs]), why="the caller's identity is not established yet")


def _loop(invocation: Invocation) -> _TraceStep:
    counts = invocation.counts
    if counts is None:
        return _NOT_COUNTED
    is_same = counts.same >= SAME_CALL_LIMIT and not may_repeat(invocation)
    why = "the same call was made too often" if is_same else "the tool found nothing too often"
    return _TraceStep(_loop_saw(invocation, counts), why=f"{why} in this turn")


def _loop_saw(invocation: Invocation, counts: TurnCounts) -> str:
    most = "" if may_repeat(invocation) else f" of at most {SAME_CALL_LIMIT - 1}"
    return f"call {counts.same}{most} with the same arguments in this turn; {_number(counts.empty, 'empty result')}"


def _validate(invocation: Invocation) -> _TraceStep:
    known = invocation.definition.parameters.get("properties", {}) if invocation.definition else {}
    if invocation.arguments is not None:
        ignored, saw = invocation.arguments.ignored, _arguments(invocation.arguments.canonical, known)
        return _TraceStep(f"{saw}; left out, since not the model's to say: {', '.join(ignored)}" if ignored else saw)
    sent = invocation.call.arguments
    saw = _number(len(sent), "argument") if isinstance(sent, dict) else "arguments as text"
    message = invocation.invalid.message if invocation.invalid else ""
    # The message quotes what was sent; of it, only names that the tool itself has are told.
    wrong = [name for name in known if re.search(rf"(?:^|; ){re.escape(name)}[:.\[]", message)]
    why = f"{', '.join(wrong)} wrong or missing" if wrong else "they are not what the tool takes"
    return _TraceStep(saw, why=why)


def _confirm(invocation: Invocation) -> _TraceStep:
    if invocation.definition is None or not invocation.definition.confirm:
        return _TraceStep("the tool needs no yes of the caller")
    if invocation.refusal is not None and invocation.refusal.type is ErrorType.CONFIRMATION_REQUIRED:
        if invocation.objection is not None:
            return _TraceStep("the tool needs the caller's yes", "skipped", "there was nothing to ask about")
        return _TraceStep("the tool needs the caller's yes", why="the caller has not said yes to exactly this yet")
    if invocation.wish_granted is not None:
        return _TraceStep("the tool needs the caller's yes, and had it when it was carried out")
    # No audit may claim a consent that nobody gave.
    if not invocation.is_approved:
        return _TraceStep("the tool needs the caller's yes", "skipped", "nobody was asked")
    return _TraceStep("the caller said yes to exactly this")


def _budget(invocation: Invocation) -> _TraceStep:
    counts, limits = invocation.counts, invocation.policy
    if counts is None:
        return _NOT_COUNTED
    saw = _budget_saw(invocation, counts)
    if invocation.overdrawn:
        return _TraceStep(
            saw, why=f"the share of callers who are not verified is used up: {invocation.overdrawn[0].rule.scope}"
        )
    if counts.calls > limits.calls_per_turn:
        return _TraceStep(saw, why=f"all {limits.calls_per_turn} calls of this turn were used")
    if counts.retrievals > limits.retrieval_calls_per_turn:
        return _TraceStep(saw, why=f"all {limits.retrieval_calls_per_turn} look-ups of this turn were used")
    if invocation.facts.beside is not None and invocation.facts.beside.place >= limits.look_ups_at_once:
        return _TraceStep(saw, why=f"more than {limits.look_ups_at_once} look-ups at once")
    return _TraceStep(saw, why="too little of this turn's time for look-ups was left")


def _budget_saw(invocation: Invocation, counts: TurnCounts) -> str:
    limits = invocation.policy
    saw = f"call {counts.calls} of {limits.calls_per_turn}"
    if invocation.overdrawn or invocation.kind is not Kind.RETRIEVAL:
        return saw
    usual = f"; usually takes {invocation.usual_ms:.0f} ms" if invocation.usual_ms else ""
    return (
        f"{saw}, look-up {counts.retrievals} of {limits.retrieval_calls_per_turn}, "
        f"{counts.retrieval_ms:.0f} of {limits.retrieval_ms_per_turn} ms{usual}"
    )


_CHECKS: dict[str, Callable[[Invocation], _TraceStep]] = {
    "session_active": _session_active,
    "resolve": _resolve,
    "admit": _admit,
    "loop": _loop,
    "validate": _validate,
    "confirm": _confirm,
    "budget": _budget,
}
STEPS = ("replay", *_CHECKS, "reuse", "run", "settle")
"""The steps of every story, in order."""


def _reuse(invocation: Invocation, outcome: CallOutcome) -> _TraceStep:
    if invocation.wish_granted is not None:
        return _TraceStep("the same wish was made before in this session", why="that call's answer was given again")
    if outcome.response.meta.get("reused"):
        return _TraceStep("the same look-up was answered a moment ago", why="that answer was given again")
    if invocation.kind is Kind.RETRIEVAL:
        return _TraceStep("no earlier answer that is still current")
    if invocation.claims_wish:
        return _TraceStep("the first call with this wish in this session")
    return _TraceStep(decided="skipped", why="the tool may be run as often as it is called")


def _run(invocation: Invocation, outcome: CallOutcome) -> _TraceStep:
    saw, why = _ran(invocation, outcome)
    failure = outcome.response.failure
    if outcome.state == "queued":
        return _TraceStep(decided="skipped", why="it was accepted, and is carried out while the conversation goes on")
    if failure is not None:
        decided: Decision = "refused" if outcome.state == "refused" else "failed"
        return _TraceStep(saw, decided, _failed(invocation, failure, outcome.response.meta))
    return _TraceStep(saw, why=why)


def _ran(invocation: Invocation, outcome: CallOutcome) -> tuple[str, str]:
    """Word how long a run took, and what follows if that was longer than anybody waited."""
    elapsed_ms, limit_ms = outcome.response.meta.get("elapsedMs", 0), limit_s(invocation) * 1000
    is_late = invocation.kind is Kind.ACTION and elapsed_ms > limit_ms
    why = "by then the caller may have been told that it was still going on" if is_late else ""
    return f"{elapsed_ms:g} ms in all, of at most {limit_ms:g} ms for the tool", why


def _failed(invocation: Invocation, failure: Failure, meta: Mapping[str, Any]) -> str:
    if meta.get("timedOut"):
        return f"it did not answer within {limit_s(invocation) * 1000:g} ms, and nobody waited any longer"
    why = _FAILURES.get(failure.type, "the tool declined")
    reason = meta.get("reason")
    # One word of the house's own, such as `closed`; what a service may have written stays out of it.
    why += f" ({reason})" if isinstance(reason, str) and _REASON.fullmatch(reason) else ""
    return f"{why}; something may have been done" if failure.partial_side_effects else why


def _settle(invocation: Invocation, outcome: CallOutcome, stopped: str) -> _TraceStep:
    if outcome.state == "refused":
        return _TraceStep(
            "kept as refused, and not counted in the turn's budget", "skipped", stopped or "nothing to settle"
        )
    return _TraceStep(_kept(invocation, outcome))


def _kept(invocation: Invocation, outcome: CallOutcome) -> str:
    """Word as what an outcome is kept."""
    response, kept = outcome.response, f"kept as {outcome.state}"
    if response.failure is None:
        limit = CHANNEL_POLICY[invocation.facts.channel].result_characters
        shortened = ", shortened" if response.meta.get("more") else ""
        whole = None if shortened else outcome.characters
        kept += f"; {characters_in(response.data) if whole is None else whole} of {limit} characters{shortened}"
    if outcome.empty:
        kept += "; nothing found"
    if response.intents:
        kept += f"; asked of the channel: {', '.join(intent.type.value for intent in response.intents)}"
    if response.meta.get("receipt") is not None:
        kept += "; with a receipt"
    return kept


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _arguments(names: Collection[str], known: Mapping[str, Any]) -> str:
    """Word how many arguments there are, and the names of those that the tool itself names."""
    if not names:
        return "no arguments"
    # A schema may be a plain true as well.
    has_defaults = any(isinstance(known[n], dict) and "default" in known[n] for n in known.keys() & set(names))
    shown = ", ".join(name for name in known if name in names)
    return f"{_number(len(names), 'argument')}{', defaults included' * has_defaults}{': ' * bool(shown)}{shown}"

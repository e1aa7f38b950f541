"""A retrieval that was answered in this session a moment ago is not asked again (seed 000).

Kept in this instance's memory, for as long as a caller may take an answer for current, and dropped as soon as the
session does something: what was free before a booking is not free after it. An answer is given to whom it was given
before, and to nobody else: a conversation goes on behind a link that somebody else may have opened, and who is calling
may have been shown since.
"""

from collections.abc import Hashable
from typing import Any, TypeAlias

from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.policy import REUSE_S
from switchboard.contract.ports import Clock
from switchboard.contract.python.recent import Recent
from switchboard.contract.response import Result
from switchboard.pipeline.invocation import Invocation

_SESSIONS = 5_000
_ANSWERS = 32
# Whoever is called by another name in each call of a session is remembered no longer than that.
_ASKING = 8


Answers: TypeAlias = "dict[str, tuple[Result, float]]"
"""What one session has answered to somebody, by `Invocation.question`, and until when it is current; oldest first."""


class ResultCache:
    """The answers of each session's retrievals."""

    def __init__(self, clock: Clock) -> None:
        """Start with none."""
        self._clock = clock
        self._sessions: Recent[tuple[str, str], dict[Hashable, Answers]] = Recent(_SESSIONS)

    def answer(self, invocation: Invocation) -> Result | None:
        """Return what the same retrieval was answered in this session, if that is still current."""
        if invocation.kind is not Kind.RETRIEVAL:
            return None
        cached = self._answers(invocation.facts).get(invocation.question)
        return cached[0] if cached is not None and self._clock.monotonic() < cached[1] else None

    def note(self, invocation: Invocation, result: Result) -> None:
        """Keep a retrieval's answer; forget the session's answers after anything that may have changed them."""
        facts = invocation.facts
        if invocation.kind is Kind.ACTION:
            self._sessions.drop((facts.business_id, facts.session_id))
        elif invocation.kind is Kind.RETRIEVAL:
            answers = self._answers(facts)
            answers[invocation.question] = result, self._clock.monotonic() + REUSE_S
            _forget_oldest(answers, _ANSWERS)

    def _answers(self, facts: Context) -> Answers:
        """Return what a conversation was answered, as far as it was answered to whoever is in it now."""
        session = facts.business_id, facts.session_id
        by_caller = self._sessions.get(session)
        if by_caller is None:
            self._sessions[session] = by_caller = {}
        answers = by_caller.setdefault(_whom(facts), {})
        _forget_oldest(by_caller, _ASKING)
        return answers


def _forget_oldest(entries: dict[Any, Any], most: int) -> None:
    if len(entries) > most:
        del entries[next(iter(entries))]


def _whom(facts: Context) -> Hashable:
    attestation = facts.attestation if isinstance(facts, PhoneContext) else None
    shown = facts.channel, facts.caller_phone, attestation
    return *shown, facts.caller_verified, facts.caller_id, facts.verified_phone

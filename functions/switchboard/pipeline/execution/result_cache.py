"""A retrieval that was answered in this session a moment ago is not asked again (seed 000).

Kept in this instance's memory, for as long as a caller may take an answer for current, and dropped as soon as the
session does something: what was free before a booking is not free after it. An answer is given to whom it was given
before, and to nobody else: a conversation goes on behind a link that somebody else may have opened, and who is calling
may have been shown since.
"""

from collections.abc import Hashable

from cachetools import LRUCache

from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.policy import REUSE_S
from switchboard.contract.ports import Clock
from switchboard.contract.response import Result
from switchboard.pipeline.invocation import Invocation

_SESSIONS = 5_000
_ANSWERS = 32
# Whoever is called by another name in each call of a session is remembered no longer than that.
_ASKING = 8


class Answers(dict[str, tuple[Result, float]]):
    """What one session has answered to somebody, by `Invocation.question`, the oldest first.

    Each answer has the time until which it is current with it.

    Attributes:
        are_kept: Whether they are still the session's; what is noted in others is lost.
    """

    __slots__ = ("are_kept",)

    def __init__(self) -> None:
        """Start with none."""
        self.are_kept = True

    def keep(self, question: str, result: Result, until: float) -> None:
        """Keep the answer to a question, and forget the oldest one too many."""
        self[question] = result, until
        if len(self) > _ANSWERS:
            del self[next(iter(self))]


class _Sessions(LRUCache[tuple[str, str], dict[Hashable, Answers]]):
    def __delitem__(self, key: tuple[str, str]) -> None:
        for answers in self[key].values():
            answers.are_kept = False
        super().__delitem__(key)


class ResultCache:
    """The answers of each session's retrievals."""

    def __init__(self, clock: Clock) -> None:
        """Start with none."""
        self._clock = clock
        self._sessions = _Sessions(_SESSIONS)

    def answers(self, facts: Context) -> Answers:
        """Return what a conversation was answered, as far as it was answered to whoever is in it now."""
        session, whom = (facts.business_id, facts.session_id), _whom(facts)
        found = self._sessions.get(session)
        if found is None:
            found = self._sessions[session] = {}
        answers = found.get(whom)
        if answers is None:
            answers = found[whom] = Answers()
            if len(found) > _ASKING:
                found.pop(next(iter(found))).are_kept = False
        return answers

    def answer(self, case: Invocation) -> Result | None:
        """Return what the same retrieval was answered in this session, if that is still current."""
        if case.kind is not Kind.RETRIEVAL:
            return None
        found = self.answers(case.facts).get(case.question)
        return found[0] if found is not None and self._clock.monotonic() < found[1] else None

    def note(self, case: Invocation, result: Result) -> None:
        """Keep a retrieval's answer; forget the session's answers after anything that may have changed them."""
        if case.kind is Kind.ACTION:
            self._sessions.pop((case.facts.business_id, case.facts.session_id), None)
        elif case.kind is Kind.RETRIEVAL:
            self.answers(case.facts).keep(case.question, result, self._clock.monotonic() + REUSE_S)


def _whom(facts: Context) -> Hashable:
    attestation = facts.attestation if isinstance(facts, PhoneContext) else None
    shown = facts.channel, facts.caller_phone, attestation
    return *shown, facts.caller_verified, facts.caller_id, facts.verified_phone

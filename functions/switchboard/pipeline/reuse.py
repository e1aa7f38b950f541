"""A retrieval that was answered in this session a moment ago is not asked again (seed 000, "Post-response").

Kept in this instance's memory, for as long as a caller may take an answer for current, and dropped as soon as the
session does something: what was free before a booking is not free after it.
"""

from cachetools import LRUCache

from switchboard.contract.definition import Kind
from switchboard.contract.policy import REUSE_S
from switchboard.contract.ports import Clock
from switchboard.contract.response import Result
from switchboard.pipeline.case import Case

_SESSIONS = 5_000
_ANSWERS = 32


class Answers(dict[str, tuple[Result, float]]):
    """One session's answers by `Case.question`, the oldest first, each with the time until which it is current.

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


class _Sessions(LRUCache[tuple[str, str], Answers]):
    def __delitem__(self, key: tuple[str, str]) -> None:
        self[key].are_kept = False
        super().__delitem__(key)


class Reuse:
    """The answers of each session's retrievals."""

    def __init__(self, clock: Clock) -> None:
        """Start with none."""
        self._clock = clock
        self._sessions = _Sessions(_SESSIONS)

    def answers(self, session: tuple[str, str]) -> Answers:
        """Return the answers of a session, known by business id and session id."""
        found = self._sessions.get(session)
        if found is None:
            found = self._sessions[session] = Answers()
        return found

    def answer(self, case: Case) -> Result | None:
        """Return what the same retrieval was answered in this session, if that is still current."""
        if case.kind is not Kind.RETRIEVAL:
            return None
        found = self.answers(_session(case)).get(case.question)
        return found[0] if found is not None and self._clock.monotonic() < found[1] else None

    def note(self, case: Case, result: Result) -> None:
        """Keep a retrieval's answer; forget the session's answers after anything that may have changed them."""
        if case.kind is Kind.ACTION:
            self._sessions.pop(_session(case), None)
        elif case.kind is Kind.RETRIEVAL:
            self.answers(_session(case)).keep(case.question, result, self._clock.monotonic() + REUSE_S)


def _session(case: Case) -> tuple[str, str]:
    return case.facts.business_id, case.facts.session_id

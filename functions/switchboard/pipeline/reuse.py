"""A retrieval that was answered in this session a moment ago is not asked again (seed 000, "Post-response").

Kept in this instance's memory, for as long as a caller may take an answer for current, and dropped as soon as the
session does something: what was free before a booking is not free after it.
"""

from dataclasses import dataclass

from cachetools import LRUCache

from switchboard.contract.definition import Kind
from switchboard.contract.policy import REUSE_S
from switchboard.contract.ports import Clock
from switchboard.contract.response import Result
from switchboard.pipeline.case import Case

_SESSIONS = 5_000
_ANSWERS = 32


@dataclass(frozen=True, slots=True)
class _Answer:
    result: Result
    until: float


class Reuse:
    """The answers of each session's retrievals."""

    def __init__(self, clock: Clock) -> None:
        """Start with none."""
        self._clock = clock
        self._sessions: LRUCache[tuple[str, str], LRUCache[str, _Answer]] = LRUCache(_SESSIONS)

    def answer(self, case: Case) -> Result | None:
        """Return what the same retrieval was answered in this session, if that is still current."""
        if case.kind is not Kind.RETRIEVAL:
            return None
        answers = self._sessions.get(_key(case))
        found = answers.get(case.arguments_hash) if answers is not None else None
        return found.result if found is not None and self._clock.monotonic() < found.until else None

    def note(self, case: Case, result: Result) -> None:
        """Keep a retrieval's answer; forget the session's answers after anything that may have changed them."""
        if case.kind is Kind.ACTION:
            self._sessions.pop(_key(case), None)
        elif case.kind is Kind.RETRIEVAL:
            answers = self._sessions.get(_key(case))
            if answers is None:
                answers = self._sessions[_key(case)] = LRUCache(_ANSWERS)
            answers[case.arguments_hash] = _Answer(result, self._clock.monotonic() + REUSE_S)


def _key(case: Case) -> tuple[str, str]:
    return case.facts.business_id, case.facts.session_id

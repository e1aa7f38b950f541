"""A retrieval that was answered in this session a moment ago is not asked again (seed 000).

Kept in this instance's memory, for as long as a caller may take an answer for current, and dropped as soon as the
session does something: what was free before a booking is not free after it. An answer is given to whom it was given
before, and to nobody else: a conversation goes on behind a link that somebody else may have opened, and who is calling
may have been shown since.
"""

from collections.abc import Hashable

from switchboard.contract.business.succession import drop_business, forgets_businesses
from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.policy import REUSE_S
from switchboard.contract.ports import Clock
from switchboard.contract.python.recent import Recent
from switchboard.contract.response import Result

_SESSIONS = 5_000
_ANSWERS = 32
# Whoever is called by another name in each call of a session is remembered no longer than that.
_ASKING = 8


class Answers:
    """What one session has answered to somebody, by `Invocation.question`; the last of it."""

    __slots__ = ("_clock", "_until")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # With each until when it is current; oldest first.
        self._until: dict[str, tuple[Result, float]] = {}

    def current(self, question: str) -> Result | None:
        """Return what the same was answered, if that is still current."""
        kept = self._until.get(question)
        return kept[0] if kept is not None and self._clock.monotonic() < kept[1] else None

    def note(self, question: str, result: Result) -> None:
        """Keep an answer."""
        self._until[question] = result, self._clock.monotonic() + REUSE_S
        if len(self._until) > _ANSWERS:
            del self._until[next(iter(self._until))]


class ResultCache:
    """The answers of each session's retrievals."""

    def __init__(self, clock: Clock) -> None:
        """Start with none."""
        self._clock = clock
        self._sessions: Recent[tuple[str, str], dict[Hashable, Answers]] = Recent(_SESSIONS)
        forgets_businesses(self)

    def forget_business(self, business_id: str) -> None:
        """Forget what the conversations of a business were answered."""
        drop_business(self._sessions, business_id)

    def answers(self, facts: Context) -> Answers:
        """Return what a conversation was answered, as far as it was answered to whoever is in it now.

        For one call: what is noted there after the session has done something is given to nobody.
        """
        session, whom = (facts.business_id, facts.session_id), _whom(facts)
        by_caller = self._sessions.get(session)
        if by_caller is None:
            self._sessions[session] = by_caller = {}
        answers = by_caller.get(whom)
        if answers is None:
            by_caller[whom] = answers = Answers(self._clock)
            if len(by_caller) > _ASKING:
                del by_caller[next(iter(by_caller))]
        return answers

    def forget(self, facts: Context) -> None:
        """Forget a session's answers, after anything that may have changed them."""
        self._sessions.drop((facts.business_id, facts.session_id))


def _whom(facts: Context) -> Hashable:
    attestation = facts.attestation if isinstance(facts, PhoneContext) else None
    shown = facts.channel, facts.caller_phone, attestation
    return *shown, facts.caller_verified, facts.caller_id, facts.verified_phone

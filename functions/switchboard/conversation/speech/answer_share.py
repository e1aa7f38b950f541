"""How many answers somebody gets on the phone whom nothing vouches for: many, and never without an end.

They are counted in the commit that writes a turn down, so that nobody waits for it; what that comes to is told in the
next turn. Visitors in a browser are counted before their message is answered (`channels/stranger_shares.py`).
"""

import logging
from collections.abc import Sequence

from switchboard.contract.caller.caller_identity import read_standing
from switchboard.contract.caller.strangers import is_stranger, tally_of
from switchboard.contract.channel import Channel
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import Thing
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Increment, Set, StoreError, Write, WriteResult
from switchboard.contract.window import Tally, Window
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.house_phrases import USED_UP, UsedUp

log = logging.getLogger(__name__)

COUNTED = "answersCounted"
"""In a conversation's record: how many answers it has had from somebody whom nothing vouches for, by window."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What is counted with a turn that is written down: so many answers, in the windows of a tally.

    The conversation's own window stands in its record, which is written anyway; the others have documents.
    """

    answers: int = 0
    tally: Tally | None = None

    @property
    def writes(self) -> list[Write]:
        """What counts them where a document of its own does; first in the commit."""
        others = [window for window in self._windows if not _is_own(window)]
        return [window.counting(self.answers) for window in others]

    @property
    def fields(self) -> JsonObject:
        """What counts them in the conversation's record; last in the commit."""
        own = {_name(window): Increment(self.answers) for window in self._windows if _is_own(window)}
        return {COUNTED: own} if own else {}

    def full(self, results: Sequence[WriteResult]) -> list[Window]:
        """Return the windows that were full, by the results of a commit; empty where it may go on."""
        if self.tally is None:
            return []
        record, others = results[-1].increments, iter(results)
        counts = [
            record[f"{COUNTED}.{_name(window)}"] if _is_own(window) else next(others).increments["count"]
            for window in self.tally.windows
        ]
        return self.tally.full(int(count) for count in counts)

    @property
    def _windows(self) -> tuple[Window, ...]:
        return self.tally.windows if self.tally is not None else ()


def _is_own(window: Window) -> bool:
    return window.rule.scope == "visit"


def _name(window: Window) -> str:
    return f"{window.ends:%Y%m%dT%H%MZ}"


class AnswerShare:
    """Counts the answers of one conversation."""

    def __init__(self, store: Store, paths: Paths, clock: Clock, places: tuple[str, str]) -> None:
        """Count in `store`; `places` are the conversation's record and its session's document."""
        self._store, self._paths, self._clock, self._places = store, paths, clock, places
        self._uncounted = 0

    def heard(self, session: CallSession) -> None:
        """Note a turn that is to be answered, and that there are answers again where time has brought some."""
        if session.used_up is not None and self._clock.now() >= session.used_up.until:
            session.used_up = None
        self._uncounted += session.used_up is None

    def counting(self, session: CallSession) -> Counted:
        """Return what is counted now; nothing for who is no stranger on the phone."""
        facts = session.facts
        if facts.channel is not Channel.PHONE or session.business is None or not self._uncounted:
            return Counted()
        if not is_stranger(facts, session.business):
            return Counted(self._uncounted)
        within = self._paths.within(facts.business_id)
        return Counted(self._uncounted, tally_of(Thing.SPOKEN_TURNS, facts, within, self._clock.now()))

    async def judge(self, session: CallSession, counted: Counted, results: Sequence[WriteResult]) -> None:
        """Note in the conversation, and in its record, that the share is used up. Never raises."""
        self._uncounted -= counted.answers
        full = counted.full(results)
        if not full or session.used_up is not None or await self._is_known(session):
            return
        used_up = session.used_up = self._by(full[0], session)
        log.warning("a caller has used up the answers of strangers", extra={"scope": used_up.scope})
        try:
            await self._store.commit([Set(self._places[0], {USED_UP: used_up.to_document()}, merge=True)])
        except StoreError as error:
            # Another instance finds out by its own next count.
            log.warning("it is not recorded", extra={"reason": type(error).__name__, "pii.detail": str(error)})

    def _by(self, window: Window, session: CallSession) -> UsedUp:
        return UsedUp.by(window.rule.scope, self._clock.now(), window.ends, session.language or "en")

    async def _is_known(self, session: CallSession) -> bool:
        """Tell whether the caller has shown in this call who they are; read for the few who would be refused."""
        business = session.business
        try:
            standing = read_standing(await self._store.get(self._places[1]))
        except StoreError:
            return False
        if standing is None or business is None:
            return False
        return standing.counts(self._clock.now(), session.facts, business.caller_verification)

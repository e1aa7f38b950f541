"""How versions of agents on trial did beside the agents as they were: conversations, turns, calls, refusals, failures.

What is counted stands on the record of each conversation that one of the two answered, and on each of its calls.
"""

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta

from switchboard.admin.api.paging import Page, Slice, sliced
from switchboard.admin.definitions.side_counting import CanaryCounts, MarkedPlaces, SideCounting
from switchboard.admin.documents.difference import differences
from switchboard.contract.business.agent_trial import ANSWERED_BY_VERSION, trial_key
from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.session_use import KEPT
from switchboard.contract.store import Document, Filter, Order, Query

_PLACES = MarkedPlaces(("interactions", ANSWERED_BY_VERSION), "agentVersion", "turns")
# So long after the last call of a trial that has ended a pass still counts it, also one that comes late.
_COUNTED_LATE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class AgentTrialLook:
    """A trial, on or over, and what both sides did in it.

    Attributes:
        since: Names it among the agent's, and says when it began (ISO, UTC).
        share: Of how many conversations in a hundred the new version answers, or answered last.
        by: Who began it.
        ended_at: When it ended (aware, UTC); None while it is on.
        ended: What ended it, such as `adopted`; None while it is on.
        changes: What is otherwise in the new version, in words.
        is_whole: Whether everything since its beginning is counted; a week later nothing can be counted any more.
    """

    since: str
    share: int
    by: str
    ended_at: datetime | None
    ended: str | None
    changes: tuple[str, ...]
    old: CanaryCounts
    new: CanaryCounts
    is_whole: bool

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        sides = {"old": self.old, "new": self.new}
        return as_json(self, **{name: side.to_json() | {"turns": side.turns} for name, side in sides.items()})


class AgentTrialNumbers:
    """Tells of trials, and counts what they came to. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        self._store, self._paths, self._clock = store, paths, clock
        self.counting = SideCounting(store, clock, _PLACES)

    async def listed(self, business_id: str, agent_id: str, page: Page) -> Slice[AgentTrialLook]:
        """Return a page of an agent's trials, the newest first, each counted up to now."""
        of_agent = (Filter("agentId", "==", agent_id),)
        collection = self._paths.within(business_id).collection("agentTrials")
        part = await sliced(self._store, Query(collection, of_agent, (Order("since", descending=True),)), page)
        return Slice(
            list(await asyncio.gather(*(self._look(business_id, one) for one in part.items))), part.next_cursor
        )

    async def kept(self, business_id: str | None) -> Mapping[str, int]:
        """Count what is over of all trials that are on or in which calls come to an end, of one business or of all.

        Returns:
            How many trials were `{counted}`.
        """
        collection = "agentTrials" if business_id is None else self._paths.within(business_id).collection("agentTrials")
        late = Filter("endedAt", ">=", self._clock.now() - KEPT - _COUNTED_LATE)
        is_group = business_id is None
        queries = (
            Query(collection, (Filter("isOn", "==", True),), group=is_group),
            Query(collection, (late,), (Order("endedAt"),), group=is_group),
        )
        counted = 0
        for query in queries:
            for document in await self._store.query(query):
                await self._look(self._paths.business_of(document.path), document)
                counted += 1
        return {"counted": counted}

    async def _look(self, business_id: str, document: Document) -> AgentTrialLook:
        data, key = document.data, trial_key(business_id, str(document.data.get("agentId")))
        since = document.id.partition("~")[2]
        counts = await self.counting.counted(document, lambda is_new: f"{key}:{since}:{'new' if is_new else 'old'}")
        ended_at = data.get("endedAt")
        return AgentTrialLook(
            since,
            int(data.get("share") or 0),
            str(data.get("by") or ""),
            ended_at if isinstance(ended_at, datetime) else None,
            str(data.get("ended") or "") or None,
            tuple(str(difference) for difference in differences(data.get("old") or {}, data.get("new") or {})),
            *(counts.old, counts.new),
            counts.is_whole,
        )

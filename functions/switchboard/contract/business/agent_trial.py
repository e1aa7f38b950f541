"""A new version of an agent on trial: which conversations have it, and what both sides are told apart by.

`trial: {since, share, by, document: {…}}` stands in the agent's own document: what reads the agent reads both, and
a call costs no further read. A conversation is on one side of it from its first tool or word on, by its id and the
share, and keeps that side's mark with its session: whatever is decided of the trial meanwhile, it ends as it began. So
what was tried, and what stood beside it, stay in the document for some time after the trial, under `trials`.
"""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from switchboard.contract.document import mapping, objects_of, text
from switchboard.contract.python.dataclass import dataclass

TRIED: Final = ("prompt", "model", "voice", "fillers", "tools", "limits")
"""The fields of an agent that a version on trial may have otherwise: what it says, and what it may use.

Its name, channels, language and accounts are the same on both sides.
"""
TRIAL: Final = "trial"
"""The field of an agent's document that holds the trial that is on."""
ENDED_TRIALS: Final = "trials"
"""The field that holds those that have ended, the newest first."""
ENDED_KEPT: Final = 8
"""So many ended trials stay in the document for the conversations that are in them."""
GOES_ON: Final = timedelta(days=1)
"""So long a conversation may go on that is in a trial: within it no side of one that has ended makes room."""
MOST_TRIALS: Final = 3
"""So many agents of a business may have a version on trial at once: each session keeps a mark of each."""
ANSWERED_BY_VERSION: Final = "agentVersions"
"""The field of a conversation's record that names the versions which answered; of a call, `agentVersion`."""
_OLD, _NEW = "old", "new"


@dataclass(frozen=True, slots=True)
class AgentTrial:
    """A trial, on or ended.

    Attributes:
        since: Names the trial among the agent's, and says when it began (ISO, UTC).
        share: Of how many conversations in a hundred the new version answers; 0 of one that has ended.
        old: The tried fields as they were on the old side; None while it is on, when that is the agent as it is.
        new: The tried fields of the new version.
    """

    since: str
    share: int
    old: Mapping[str, Any] | None
    new: Mapping[str, Any]

    @property
    def is_on(self) -> bool:
        """Whether conversations that begin now are in it."""
        return self.old is None

    def side_of(self, session_id: str) -> str:
        """Return on which side a conversation is that begins now: the same wherever, and however often, it is asked."""
        digest = hashlib.sha256(f"{self.since}|{session_id}".encode()).digest()
        return _NEW if int.from_bytes(digest[:4]) % 100 < self.share else _OLD

    def versions(self) -> dict[str, Mapping[str, Any]]:
        """Return, by what names a side of it, the fields that are otherwise there than in the agent's document."""
        return {f"{self.since}:{_OLD}": self.old or {}, f"{self.since}:{_NEW}": self.new}


def read_trials(document: Mapping[str, Any]) -> tuple[AgentTrial, ...]:
    """Return the trials that a stored agent carries; what is malformed is left out, so that the agent answers."""
    running = mapping(document.get(TRIAL))
    share, since = running.get("share"), text(running.get("since"))
    is_on = since and isinstance(share, int) and isinstance(running.get("document"), Mapping)
    trials = [AgentTrial(since, int(share or 0), None, _tried(running["document"]))] if is_on else []
    for row in objects_of(document.get(ENDED_TRIALS))[:ENDED_KEPT]:
        if text(row.get("since")):
            trials.append(AgentTrial(str(row["since"]), 0, _tried(row.get(_OLD)), _tried(row.get(_NEW))))
    return tuple(trials)


def tried_fields(agent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an agent that a version on trial may have otherwise."""
    return {name: agent[name] for name in TRIED if name in agent}


def trial_key(business_id: str, agent_id: str) -> str:
    """Return under which name a session keeps on which side of an agent's trial it is; no tool has such a name."""
    return f"@{business_id}/{agent_id}"


def version_of(mark: str) -> tuple[str, str, str] | None:
    """Return which agent's trial a mark is of, when that began, and on which side; None of what is no such mark."""
    key, _, version = mark.partition(":")
    since, _, side = version.rpartition(":")
    agent_id = key.rpartition("/")[2]
    return (agent_id, since, side) if key.startswith("@") and since and side in (_OLD, _NEW) else None


def _tried(fields: Any) -> dict[str, Any]:
    return tried_fields(mapping(fields))

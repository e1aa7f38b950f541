"""The trial that an agent's document carries, as owners' changes are based on it, and what ends it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from switchboard.admin.access.roles import Operation
from switchboard.admin.agents.fields import whole
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.contract.business.agent_trial import (
    ENDED_KEPT,
    ENDED_TRIALS,
    GOES_ON,
    MOST_TRIALS,
    TRIAL,
    read_trials,
    tried_fields,
)
from switchboard.contract.document import mapping, objects_of
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.session_use import KEPT
from switchboard.contract.store import Document, Set, Write

AGENT_TRIAL: Final = DocumentKind(
    "agentTrial", Operation.EDIT_AGENTS, lambda paths, id: paths.document("agents", id), lambda after, before: ()
)
TRIAL_STAYS: Final = (
    "Once a trial has begun, conversations are in it. Stop it, or adopt its version, under Agents; in place of one "
    "that has ended begin another."
)
"""Why no change of a trial is undone."""


@dataclass(frozen=True, slots=True)
class TrialEnding:
    """What ends a trial: fields of the agent, writes beside them, and its name; nothing where none is on."""

    fields: JsonObject
    writes: Sequence[Write] = ()
    since: str = ""


def running(data: Mapping[str, Any]) -> JsonObject | None:
    """Return the trial that is on, `{since, share, by, document}`; None where none is, or none that can be used."""
    is_on = any(trial.is_on for trial in read_trials(data))
    trial = dict(mapping(data.get(TRIAL)))
    return trial | {"document": tried_fields(whole(trial["document"]))} if is_on else None


def trial_view(data: Mapping[str, Any]) -> JsonObject:
    """Return the agent and its trial in one: what whoever begins, stops or adopts one has looked at."""
    trial = running(data)
    shown = {name: trial[name] for name in ("since", "share", "document")} if trial is not None else None
    return {**whole(data), TRIAL: shown}


def trial_ending(
    data: Mapping[str, Any], within: BusinessPaths, agent_id: str, deed: str, now: datetime
) -> TrialEnding:
    """Return what ends the trial that an agent carries, and leaves both sides to the conversations that are in it.

    Args:
        data: The agent's document, as it is before.
        within: Where the business's documents are.
        agent_id: The agent's.
        deed: What ends it, such as `stopped`.
        now: When (aware, UTC).
    """
    trial = running(data)
    if trial is None:
        return TrialEnding({})
    since = trial["since"]
    sides = {"since": since, "endedAt": now, "old": tried_fields(whole(data)), "new": trial["document"]}
    # Of one that is over for longer, no conversation is kept any more.
    earlier = [row for row in objects_of(data.get(ENDED_TRIALS)) if _ended_since(row, now - KEPT)]
    fields: JsonObject = {TRIAL: None, ENDED_TRIALS: [sides, *earlier][:ENDED_KEPT]}
    note = {"isOn": False, "endedAt": now, "ended": deed}
    return TrialEnding(fields, [Set(within.document("agentTrials", f"{agent_id}~{since}"), note, merge=True)], since)


def trying_among(agents: Iterable[Document]) -> list[str]:
    """Return the agents that have a version on trial."""
    return [agent.id for agent in agents if any(trial.is_on for trial in read_trials(agent.data))]


def has_room(agents: Iterable[Document]) -> bool:
    """Tell whether one more of a business's agents may have a version on trial."""
    return len(trying_among(agents)) < MOST_TRIALS


def require_trials_kept(data: Mapping[str, Any], now: datetime) -> None:
    """Refuse another trial of an agent where its end would leave conversations of an earlier one without their side.

    Raises:
        ToolError: CONFLICT, which says when there is room again.
    """
    ended = [row["endedAt"] for row in objects_of(data.get(ENDED_TRIALS)) if _ended_since(row, now - GOES_ON)]
    taken = len(ended) + (running(data) is not None)
    if taken < ENDED_KEPT:
        return
    hours = math.ceil((min(ended) + GOES_ON - now) / timedelta(hours=1))
    raise ToolError(
        ErrorType.CONFLICT,
        f"{taken} versions of this agent were on trial within a day, and conversations that began with one end with "
        f"it. Begin the next one in {hours} {'hour' if hours == 1 else 'hours'}; nothing has changed.",
    )


def _ended_since(row: Mapping[str, Any], moment: datetime) -> bool:
    ended_at = row.get("endedAt")
    return isinstance(ended_at, datetime) and ended_at > moment

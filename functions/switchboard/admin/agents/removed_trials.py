"""The trials of an agent that is removed: they go with it, and the audit's entry of that holds them for its undoing."""

from collections.abc import Sequence
from datetime import datetime

import orjson

from switchboard.admin.agents.trial_state import has_room, running, trial_ending
from switchboard.contract.business.agent_trial import ENDED_TRIALS, TRIAL
from switchboard.contract.document import mapping, objects_of
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Delete, Document, Set, Write

_ROOM = 600_000
"""Bytes: what an entry holds of trials, well below what a document may hold."""
_OF_AGENT = (TRIAL, ENDED_TRIALS)


@dataclass(frozen=True, slots=True)
class TakenTrials:
    """What a removal takes of trials: what the entry keeps of it, and the writes; nothing where there was no trial."""

    kept: JsonObject
    writes: Sequence[Write]


def taken_along(agent: Document, notes: Sequence[Document]) -> TakenTrials:
    """Return what of an agent's trials goes with it: as many notes as its entry can keep.

    The one that is on is among them in any case: it would be counted for good, and show for whoever gets the same id.
    """
    trial = running(agent.data)
    on = trial["since"] if trial is not None else ""
    # The newest first, behind the one that is on.
    in_order = sorted(notes, key=lambda note: (note.id.partition("~")[2] == on, note.id), reverse=True)
    rows, room, writes = list[JsonObject](), _ROOM, list[Write]()
    for note in in_order:
        room -= len(orjson.dumps(note.data, default=str))
        if room < 0 and rows:
            break
        rows.append({"id": note.id, "fields": note.data})
        writes.append(Delete(note.path))
    own = {name: agent.data[name] for name in _OF_AGENT if agent.data.get(name)}
    return TakenTrials({"agent": own, "notes": rows} if own or rows else {}, writes)


def brought_back(
    kept: JsonObject,
    agent: JsonObject,
    others: Sequence[Document],
    within: BusinessPaths,
    agent_id: str,
    *,
    now: datetime,
    is_sound: bool,
) -> TakenTrials:
    """Return the fields of an agent that is brought back, and the writes beside it, by which its trials are as before.

    The one that was on goes on, unless too many others are by now, or what it tries could not be kept: it has ended
    then, as what was removed has.

    Args:
        kept: What the entry of the removal has kept.
        agent: The agent as it is made again.
        others: The business's agents.
        within: Where the business's documents are.
        agent_id: The agent's.
        now: When (aware, UTC).
        is_sound: Whether what was on trial could be begun now.
    """
    fields = dict(mapping(kept.get("agent")))
    notes = {str(row["id"]): dict(mapping(row.get("fields"))) for row in objects_of(kept.get("notes"))}
    trial = running({**agent, **fields})
    if trial is not None and not (is_sound and has_room(others)):
        ending = trial_ending({**agent, **fields}, within, agent_id, "removed", now)
        fields |= ending.fields
        own = f"{agent_id}~{trial['since']}"
        notes[own] = notes.get(own, {}) | {"isOn": False, "endedAt": now, "ended": "removed"}
    return TakenTrials(fields, [Set(within.document("agentTrials", id), data) for id, data in notes.items()])

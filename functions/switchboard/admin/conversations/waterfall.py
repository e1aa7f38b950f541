"""How long the steps of each turn of a conversation took: as they were measured when it was held, and nothing else.

Turns that a vendor held have no steps of ours; of them, and of records of earlier versions, the tools are told, whose
times every record has.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from switchboard.contract.document import integer, moment, objects_of, text
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.turn_times import StepKind
from switchboard.contract.record_parts import TIMES

_KINDS = frozenset(kind.value for kind in StepKind)


def turn_times(data: Mapping[str, Any], business_id: str, session_id: str) -> list[JsonObject]:
    """Return `{turn, channel, at, ms, steps, leftOut}` of each turn of a record of which something was measured.

    A step is `{kind, startMs, ms}`, counted from when what was heard had come, so that listening begins before 0; some
    have a `name`, a model's `firstMs` is its first word, and a tool's `link` leads to why its call ended so.
    """
    told: list[JsonObject] = []
    for row in objects_of(data.get(TIMES)):
        steps = [_step(step, business_id, session_id) for step in objects_of(row.get("steps")) if _is_step(step)]
        if steps:
            told.append(_turn(row, steps, integer(row.get("leftOut"))))
    known = {turn["turn"] for turn in told}
    told += (turn for turn in _by_tools(data) if turn["turn"] not in known)
    return sorted(told, key=lambda turn: (turn["turn"], str(turn["at"])))


def _turn(row: Mapping[str, Any], steps: list[JsonObject], left_out: int = 0) -> JsonObject:
    began, ended = (min(0.0, *(s["startMs"] for s in steps)), max(s["startMs"] + s["ms"] for s in steps))
    return {
        "turn": integer(row.get("turn")),
        "channel": text(row.get("channel")) or None,
        "at": moment(row.get("at")),
        "ms": round(ended - began, 1),
        "steps": steps,
        "leftOut": left_out,
    }


def _is_step(step: Mapping[str, Any]) -> bool:
    return step.get("kind") in _KINDS and all(_is_number(step.get(name)) for name in ("startMs", "ms"))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _step(step: Mapping[str, Any], business_id: str, session_id: str) -> JsonObject:
    shown = {name: step[name] for name in ("kind", "startMs", "ms")}
    if text(step.get("name")):
        shown["name"] = step["name"]
    if _is_number(step.get("firstMs")):
        shown["firstMs"] = step["firstMs"]
    if text(step.get("callId")):
        query = {"businessId": business_id, "session": session_id, "call": step["callId"]}
        shown |= {"callId": step["callId"], "link": f"/admin/explain?{urlencode(query)}"}
    return shown


def _by_tools(data: Mapping[str, Any]) -> Iterator[JsonObject]:
    """Yield the turns of which the tools are known: each by when it was answered, and how long that took."""
    heard = {
        integer(row.get("turn")): at
        for row in objects_of(data.get("transcript"))
        if row.get("role") == "caller" and (at := moment(row.get("at"))) is not None
    }
    by_turn: dict[int, list[tuple[datetime, Mapping[str, Any]]]] = {}
    for row in objects_of(data.get("tools")):
        answered_at = moment(row.get("at"))
        # What came late took its time elsewhere.
        if answered_at is not None and _is_number(row.get("elapsedMs")) and not row.get("late"):
            by_turn.setdefault(integer(row.get("turn")), []).append((answered_at, row))
    for turn, rows in by_turn.items():
        starts = [answered_at - timedelta(milliseconds=row["elapsedMs"]) for answered_at, row in rows]
        began = min([*starts, *([heard[turn]] if turn in heard else [])])
        steps = [
            {
                "kind": StepKind.TOOL.value,
                "startMs": round((start - began).total_seconds() * 1000, 1),
                "ms": row["elapsedMs"],
                **({"name": row["name"]} if text(row.get("name")) else {}),
            }
            for start, (_, row) in zip(starts, rows, strict=True)
        ]
        yield _turn({"turn": turn, "channel": rows[0][1].get("channel"), "at": began}, steps)

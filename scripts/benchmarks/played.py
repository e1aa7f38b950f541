"""What the conversations cost in which somebody played the language model: asks, requests, tokens, silence, stars.

Each is held again by the product as it is; on the phone in real time, by a model of a usual speed, all at once.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from statistics import mean

import setting_up
from benchmarks.figure import Effort, Figure, Line, Skipped
from benchmarks.silence import LONGEST_S
from played.recording import Recording, read
from played.replaying import Replayed, replay
from switchboard.contract.error import ErrorType

RECORDINGS = setting_up.ROOT / "tests" / "conversations"
FIRST_TOKEN_S, TOKEN_S = 1.0, 1 / 60
FEWEST_STARS = 4
_QUICK = 2


def measure(effort: Effort) -> Figure:
    """Return the figure.

    Raises:
        Skipped: There are no recordings.
    """
    paths = sorted(RECORDINGS.glob("*.json"))
    if not paths:
        raise Skipped("there are no recorded conversations in tests/conversations")
    return asyncio.run(_measure(paths[:_QUICK] if effort.quick else paths))


async def _measure(paths: list[Path]) -> Figure:
    held = await asyncio.gather(*(_held(read(path)) for path in paths))
    lines = [_line(path.stem, one) for path, one in zip(paths, held, strict=True)]
    turns = [turn for one in held for turn in one.recording.turns]
    asks, deeds = sum(map(_asks, held)), sum(map(_deeds, held))
    notes = (
        f"All {len(held)}: {asks} asks for {deeds} deeds done; {mean(len(turn.answers) for turn in turns):.1f} model "
        f"requests and {mean(len(turn.results) for turn in turns):.1f} tool calls a turn; "
        f"{mean(one.tokens for one in held):,.0f} tokens a conversation; {sum(len(t.held) for t in turns)} sentences "
        f"held in {len(turns)} turns; {mean(_stars(one.recording) for one in held):.1f} stars.",
        f"Silence: the longest of any turn on the phone, at {FIRST_TOKEN_S:g} s to the first token and "
        f"{1 / TOKEN_S:.0f} tokens a second. Tokens: of all requests, before a vendor's cache.",
    )
    return Figure("played: conversations in which somebody played the language model", "", tuple(lines), notes)


async def _held(recording: Recording) -> Replayed:
    is_heard = recording.setting.channel == "phone"
    return await replay(recording, *((FIRST_TOKEN_S, TOKEN_S) if is_heard else ()))


def _line(name: str, one: Replayed) -> Line:
    turns = one.recording.turns
    silence = max(one.silences, default=0.0)
    text = (
        f"{_asks(one)} asks / {_deeds(one)} deeds; {mean(len(turn.answers) for turn in turns):.1f} requests, "
        f"{mean(len(turn.results) for turn in turns):.1f} calls a turn; {one.tokens:,} tokens; "
        f"{sum(len(turn.held) for turn in turns)} held; "
        + (f"{silence:.2f} s silent; " if one.silences else "")
        + f"{_stars(one.recording)} stars"
    )
    met = _stars(one.recording) >= FEWEST_STARS and silence <= LONGEST_S
    return Line(name, text, "", "", f"≥ {FEWEST_STARS} stars, ≤ {LONGEST_S} s", met)


def _asks(one: Replayed) -> int:
    return sum(len(turn.asked) for turn in one.recording.turns)


def _deeds(one: Replayed) -> int:
    """Return how many deeds were done for which the house asks."""
    asked = {result["name"] for result in _results(one) if _asks_first(result)}
    return sum(result["ok"] and result["name"] in asked for result in _results(one))


def _results(one: Replayed) -> list[dict[str, object]]:
    return [dict(result) for turn in one.recording.turns for result in turn.results]


def _asks_first(result: dict[str, object]) -> bool:
    error = result.get("error")
    return isinstance(error, dict) and error["type"] == ErrorType.CONFIRMATION_REQUIRED.value


def _stars(recording: Recording) -> int:
    return recording.rating.stars if recording.rating else 0

"""What a recording holds: who calls whom, each turn, and what an owner says of it; JSON, one file a conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Setting:
    """Who talks to whom.

    Attributes:
        business: One of the demo businesses.
        channel: `phone` or `portal`.
        language: In which the business is talked to, such as `de`.
        began: When, aware.
        caller_phone: The number that a phone shows and its carrier vouches for; empty where it is withheld, or written.
    """

    business: str
    channel: str
    language: str
    began: datetime
    caller_phone: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One human turn and all that came of it.

    Attributes:
        said: What the human said or wrote.
        answers: What the model answered, request by request: `content` and `calls` of `name` and `arguments`.
        results: What the calls came to: `name` and the envelope without its `meta`.
        told: What the human heard, without fillers.
        asked: The tools for which the human was asked to agree.
        held: The sentences that were held back because nothing bears them out.
        outcome: How it ended, such as `answered` or `transferred`.
    """

    said: str
    answers: Sequence[Mapping[str, Any]] = ()
    results: Sequence[Mapping[str, Any]] = ()
    told: str = ""
    asked: Sequence[str] = ()
    held: Sequence[str] = ()
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Rating:
    """What the owner of the business would say of it.

    Attributes:
        stars: From 1 to 5.
        why: The reason.
    """

    stars: int
    why: str


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole conversation.

    Attributes:
        about: What the caller wanted.
        setting: Who talks to whom.
        turns: In order.
        rating: The owner's.
        done: How often each was done in the end, such as `bookings`, `texts` and `messages`.
    """

    about: str
    setting: Setting
    turns: Sequence[Turn] = ()
    rating: Rating | None = None
    done: Mapping[str, int] = field(default_factory=dict)


def read(path: Path) -> Recording:
    """Return what a file holds.

    Raises:
        ValueError: It is no recording.
        KeyError: A part is missing.
    """
    parsed = json.loads(path.read_text(encoding="utf-8"))
    setting = dict(parsed["setting"])
    setting["began"] = datetime.fromisoformat(setting["began"])
    return Recording(
        parsed["about"],
        Setting(**setting),
        [Turn(**turn) for turn in parsed["turns"]],
        Rating(**parsed["rating"]) if parsed.get("rating") else None,
        parsed.get("done", {}),
    )


def write(recording: Recording, path: Path) -> None:
    """Keep a recording."""
    text = json.dumps(asdict(recording), ensure_ascii=False, indent=1, default=lambda moment: moment.isoformat())
    path.write_text(text + "\n", encoding="utf-8")

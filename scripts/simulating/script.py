"""The lines of a simulated phone call, from a file or from the keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

import days
from command_line import Problem

Deed = Literal["say", "press", "interrupt", "wait", "expect", "text", "sent", "hang up"]
WRITTEN = "say: …, press: 1, interrupt after 400ms: …, wait 2s, text: STOP, expect: …, sent: …, hang up"
SETTINGS = ("to", "from", "business", "mode", "language", "attestation", "transfer")
"""What may stand above the first of them, as `mode: portal`; the command line's options win over it."""
_SAYING = re.compile(r"^(say|press|expect|text|sent)\s*:\s*(\S.*)$", re.I)
_SETTING = re.compile(rf"^({'|'.join(SETTINGS)})\s*:\s*(\S.*)$", re.I)
_INTERRUPTING = re.compile(r"^interrupt\s+after\s+(\d+)\s*ms\s*:\s*(\S.*)$", re.I)
_WAITING = re.compile(r"^wait\s+(\d+(?:\.\d+)?)\s*s$", re.I)
_KEYS = re.compile(r"^[0-9*#]+$")
_A_MOMENT_S = 0.5


@dataclass(frozen=True)
class Line:
    """One thing that the caller does; `after_s` is how long they listen before they do it."""

    deed: Deed
    text: str = ""
    after_s: float = 0.0


def read_line(text: str) -> Line | None:
    """Return what a line says, None for a comment or an empty one.

    Raises:
        ValueError: It says nothing that can be done.
    """
    text = text.strip()
    if not text or text.startswith("#"):
        return None
    if text.lower() == "hang up":
        return Line("hang up")
    if match := _SAYING.match(text):
        deed = match[1].lower()
        if deed == "press" and not _KEYS.match(match[2]):
            raise ValueError(f"{match[2]!r} are no keys; press takes digits, * and #")
        return Line(deed, match[2])  # type: ignore[arg-type]
    if match := _INTERRUPTING.match(text):
        return Line("interrupt", match[2], int(match[1]) / 1000)
    if match := _WAITING.match(text):
        return Line("wait", after_s=float(match[1]))
    raise ValueError(f"{text!r} is none of {WRITTEN}")


@dataclass(frozen=True)
class Script:
    """What a file says: who calls whom by which way, and what the caller does."""

    settings: Mapping[str, str]
    lines: list[Line]


def read_file(path: Path, today: date) -> Script:
    """Return what a file says, with the days that it names counted from `today`.

    Raises:
        Problem: It cannot be read, or says something that cannot be done.
    """
    try:
        texts = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    settings, lines = dict[str, str](), list[Line]()
    for number, text in enumerate(texts, 1):
        setting = _SETTING.match(text.strip())
        if setting and not lines:
            settings[setting[1].lower()] = setting[2].strip()
            continue
        try:
            line = read_line(days.filled(text, today, SPOKEN_DAYS.get(settings.get("language", "en"), str)))
        except ValueError as error:
            raise Problem(f"{path}, line {number}: {error}.") from None
        if line is not None:
            lines.append(line)
    return Script(settings, lines)


def _in_english(day: date) -> str:
    return f"{day:%A}, {day:%B} {day.day}"


def _in_german(day: date) -> str:
    return f"{_TAGE[day.weekday()]}, {day.day}. {_MONATE[day.month - 1]}"


_TAGE = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")
_MONATE = (
    *("Januar", "Februar", "März", "April", "Mai", "Juni"),
    *("Juli", "August", "September", "Oktober", "November", "Dezember"),
)
SPOKEN_DAYS = {"en": _in_english, "de": _in_german}
"""How a day is said, by the `language` of a script; English where it names none."""


def read_keyboard() -> Iterator[Line]:
    """Yield what somebody types: plain words are said; digits alone are pressed; the end of input hangs up."""
    while True:
        try:
            text = input("you> ").strip()
        except EOFError:
            print()
            yield Line("hang up")
            return
        if not text:
            # Whoever says nothing hears what comes by itself.
            yield Line("wait", after_s=_A_MOMENT_S)
            continue
        try:
            line = read_line(text)
        except ValueError:
            line = Line("press" if _KEYS.match(text) else "say", text)
        if line is not None:
            yield line

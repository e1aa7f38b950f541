"""A field for a whole number, typed as people type it; what is none, or too much, is told below the field.

A field of Streamlit's for numbers keeps what lies beyond its bounds to itself, so that a form with it does nothing.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

import streamlit as st

from admin_ui.widgets.plain_text import plain

_MINUS = "-\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"
_BETWEEN = re.compile(r"[\s'\u2019_]+")
# Of three digits behind it, a point or a comma stands between thousands, in whatever country.
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:([.,\u066c])[0-9]{3})(?:\1[0-9]{3})*")
_NOTHING_BEHIND = re.compile(r"([0-9]+)[.,\u066b]0+")
_LONGEST = 9


@dataclass(frozen=True)
class WholeNumber:
    """A field as it was filled in; `problem` says what is wrong with it, and is empty where nothing is."""

    value: int
    problem: str = ""


def draw(
    place: Any, label: str, bounds: tuple[int, int], now: int, key: str, *, help: str | None = None, unit: str = ""
) -> WholeNumber:
    """Draw a field with what is wrong with it below, once a form with it was sent.

    Args:
        place: Where on the page.
        label: What is asked for.
        bounds: The least and the most that it may be.
        now: What stands there.
        key: Names the field.
        help: What is told of it on a wish.
        unit: What may stand behind the number, such as min.
    """
    with place:
        text = st.text_input(label, str(now), key=key, help=help, max_chars=20)
        entered = read(text, bounds, now, unit)
        if entered.problem:
            st.error(plain(entered.problem), icon=":material/error:")
    return entered


def read(text: str, bounds: tuple[int, int], otherwise: int, unit: str = "") -> WholeNumber:
    """Return the number that a text says, in the digits and with the marks of any country."""
    least, most = bounds
    span = f"a whole number from {least} to {most}"
    number = _number(text, unit)
    if number is None:
        written = f"“{text.strip()[:20]}” is none" if text.strip() else "nothing stands here"
        return WholeNumber(otherwise, f"This must be {span}; {written}.")
    if not least <= number <= most:
        return WholeNumber(otherwise, f"This must be {span}; {number} is too {'little' if number < least else 'much'}.")
    return WholeNumber(number)


def _number(text: str, unit: str) -> int | None:
    written = "".join(_ascii(c) for c in unicodedata.normalize("NFC", text.strip()))
    if unit:
        written = re.sub(rf"\s*{unit}[a-z]*\.?$", "", written, flags=re.IGNORECASE)
    sign = -1 if written[:1] == "-" else 1
    written = _BETWEEN.sub("", written.lstrip("-+").strip())
    whole = _NOTHING_BEHIND.fullmatch(written)
    if _THOUSANDS.fullmatch(written):
        written = re.sub(r"[^0-9]", "", written)
    elif whole:
        written = whole[1]
    return sign * int(written) if written.isdecimal() and len(written) <= _LONGEST else None


def _ascii(character: str) -> str:
    if character in _MINUS:
        return "-"
    digit = unicodedata.digit(character, None)
    return character if digit is None else str(digit)

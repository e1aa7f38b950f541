"""What a document holds, of the kind that a form needs: by hand, or by another program, anything may stand there.

A form that cannot be drawn could not mend it either; what is of another kind counts as left out, as it does in calls.
"""

from __future__ import annotations

from typing import Any


def fields(data: Any) -> dict[str, Any]:
    """Return an object as it is stored."""
    return data if isinstance(data, dict) else {}


def rows(data: Any) -> list[dict[str, Any]]:
    """Return a list of objects as it is stored."""
    return [row for row in data if isinstance(row, dict)] if isinstance(data, list) else []


def texts(data: Any) -> list[str]:
    """Return a list of texts as it is stored."""
    return [text for text in data if isinstance(text, str)] if isinstance(data, list) else []


def text(data: Any, otherwise: str = "") -> str:
    """Return a text as it is stored; a number is one without its quotes."""
    is_number = isinstance(data, int | float) and not isinstance(data, bool)
    return data if isinstance(data, str) else str(data) if is_number else otherwise


def number(data: Any, usual: int, least: int, most: int) -> int:
    """Return a whole number as it is stored."""
    is_number = isinstance(data, int) and not isinstance(data, bool)
    return data if is_number and least <= data <= most else usual

"""What a document holds, of the kind that a form needs: by hand, or by another program, anything may stand there.

A form that cannot be drawn could not mend it either; what is of another kind counts as left out, as it does in calls.
"""

from __future__ import annotations

from typing import Any


def fields(found: Any) -> dict[str, Any]:
    """Return an object as it is stored."""
    return found if isinstance(found, dict) else {}


def rows(found: Any) -> list[dict[str, Any]]:
    """Return a list of objects as it is stored."""
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def texts(found: Any) -> list[str]:
    """Return a list of texts as it is stored."""
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def text(found: Any, otherwise: str = "") -> str:
    """Return a text as it is stored; a number is one without its quotes."""
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return found if isinstance(found, str) else str(found) if is_number else otherwise


def number(found: Any, usual: int, least: int, most: int) -> int:
    """Return a whole number as it is stored."""
    is_number = isinstance(found, int) and not isinstance(found, bool)
    return found if is_number and least <= found <= most else usual

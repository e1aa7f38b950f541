"""Texts of models as they are seen: what a tool keeps, shows, texts or mails holds nothing that nobody sees.

It is done where arguments are read, so that no tool has to think of it. A parameter says `"x-one-line": true` of what
stands on one line, such as a name; every other text may have lines and tabs.
"""

from typing import Any

from switchboard.catalog.schema.types import Shape
from switchboard.contract.business.unseen import may_hide, seen, seen_on_one_line


def is_seen(text: str) -> bool:
    """Tell whether `as_seen` leaves a text as it is, wherever it stands; False where that takes a closer look."""
    return text.isprintable() and (text.isascii() or not may_hide(text))


def as_seen(value: Any, shape: Shape | None, declaring: Shape | None) -> Any:
    """Return a value without what nobody sees of its texts.

    Args:
        value: As it was sent.
        shape: Of what a model is told; the words of an enum stay as they are listed.
        declaring: Of the schema that says which texts stand on one line.
    """
    if isinstance(value, str):
        if is_seen(value) or (shape is not None and value in (shape.words or ())):
            return value
        return seen_on_one_line(value) if declaring is not None and declaring.is_one_line else seen(value)
    if isinstance(value, dict):
        return {name: as_seen(item, _at(shape, name), _at(declaring, name)) for name, item in value.items()}
    if isinstance(value, list):
        return [as_seen(item, _at(shape, n), _at(declaring, n)) for n, item in enumerate(value)]
    return value


def _at(shape: Shape | None, part: str | int) -> Shape | None:
    return shape.at(part) if shape is not None else None

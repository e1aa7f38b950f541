"""Where somebody is on a page of a business, apart from how it is drawn and written into an address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Place:
    """Where somebody is on one page of one business, as it is kept from one drawing to the next.

    Attributes:
        scope: The page and the business.
        epoch: Grows with each address that was arrived at; what is drawn takes its value from an address once.
        values: What stands in the address, by name; what is as usual stands for nothing.
        hidden: What was searched for and does not go into the address.
        depths: Within how many opened things each name was drawn.
        taken: By the key of a widget, the epoch in which it took its value.
        first_pages: By the key of a choice of pages, the one it began with.
        asked: What each list was asked for; another question begins at its first page.
        drawn: The names of this drawing.
        open: Those of them that are opened.
        harmless: The keys of choices by which nothing is lost that was typed.
        is_hiding: Whether a search of this drawing stays out of the address, and with it the page of what it finds.
        is_proved: Whether the page was drawn whole since it was arrived at.
        is_unknown: Whether the address names something that the page does not know.
    """

    scope: tuple[str, str] = ("", "")
    epoch: int = 0
    values: dict[str, str] = field(default_factory=dict)
    hidden: dict[str, str] = field(default_factory=dict)
    depths: dict[str, int] = field(default_factory=dict)
    taken: dict[str, int] = field(default_factory=dict)
    first_pages: dict[str, int] = field(default_factory=dict)
    asked: dict[str, Any] = field(default_factory=dict)
    drawn: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    harmless: set[str] = field(default_factory=set)
    is_hiding: bool = False
    is_proved: bool = False
    is_unknown: bool = False

    def begin(self) -> None:
        """Begin a drawing, in which nothing is drawn yet."""
        self.drawn, self.open, self.harmless, self.is_hiding = set(), set(), set(), False

    def arrive(self, scope: tuple[str, str], values: Mapping[str, str], hidden: Mapping[str, str]) -> None:
        """Forget where somebody was, and begin with these values."""
        self.scope, self.values, self.epoch = scope, dict(values), self.epoch + 1
        self.hidden = dict(hidden)
        for kept in (self.depths, self.taken, self.first_pages, self.asked):
            kept.clear()
        self.is_proved = self.is_unknown = False

    def keep(self, name: str, text: str) -> None:
        """Note what was drawn: its text, or nothing where it is as usual."""
        self.drawn.add(name)
        self.depths[name] = len(self.open)
        if text:
            self.values[name] = text
        else:
            self.values.pop(name, None)

    def keep_cursors(self, name: str, stored: str) -> None:
        """Note the page of a list; it stays out of the address with the search that it is a page of."""
        self.keep(name, "" if self.is_hiding else stored)
        self.hidden.pop(name, None)
        if self.is_hiding and stored:
            self.hidden[name] = stored

    def ask(self, name: str, asked: Any) -> None:
        """Note what a list is asked for: of another question it begins at its first page."""
        if self.asked.setdefault(name, asked) != asked:
            self.asked[name] = asked
            self.values.pop(name, None)
            self.hidden.pop(name, None)

    def leave_out(self, form: str) -> None:
        """Drop what was not drawn, but for what lies around what is opened: whoever closes it is where they were."""
        for name in list(self.values):
            # A form in whose place something is asked comes back.
            is_around = self.depths.get(name, 0) < len(self.open) or name.startswith(form)
            if name not in self.drawn and not is_around:
                del self.values[name]


def named(key: str) -> str:
    """Return the name in an address of what has a key on a page."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", key.removeprefix("at/"))

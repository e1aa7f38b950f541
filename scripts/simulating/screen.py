"""What a simulated phone call looks like in a terminal of 80 columns."""

from __future__ import annotations

import os
import re
import sys
import textwrap
import time
import xml.dom.minidom

_WIDTH = 80
_MARGIN = 17


class Screen:
    """Prints what is heard and done, with the seconds since the call began.

    Args:
        is_verbose: Whether TwiML is shown too.
    """

    def __init__(self, is_verbose: bool) -> None:
        self._is_verbose = is_verbose
        self._began = time.monotonic()
        self._is_colourful = sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def agent(self, text: str, after_s: float | None = None) -> None:
        """Show what the caller hears, and how long they waited for its first word."""
        waited = "" if after_s is None else f"  ({after_s:.1f} s)" if after_s >= 1 else f"  ({after_s * 1000:.0f} ms)"
        self._row("agent", text + waited, "36")

    def caller(self, text: str) -> None:
        """Show what the caller says or presses."""
        self._row("caller", text, "32")

    def line(self, text: str) -> None:
        """Show what happens to the phone call."""
        self._row("", text, "2")

    def verdict(self, is_good: bool, text: str) -> None:
        """Show whether what was expected was heard."""
        self._row("ok" if is_good else "NOT ok", text, "32" if is_good else "31")

    def twiml(self, text: str) -> None:
        """Show a document, if anybody wants to see it."""
        if self._is_verbose:
            shown = xml.dom.minidom.parseString(text).documentElement.toprettyxml(indent="  ")
            shown = re.sub(r'(name="token" value=")[^"]+', r"\1…", shown)
            for line in shown.rstrip().splitlines():
                print(_fitted(" " * _MARGIN + line), flush=True)

    def _row(self, who: str, text: str, colour: str) -> None:
        text = " ".join(text.split())
        since = f"{time.monotonic() - self._began:6.1f} s"
        lines = textwrap.wrap(text, _WIDTH - _MARGIN) or [""]
        head = f"{since}  {who:<6}"
        if self._is_colourful:
            lines = [f"\033[{colour}m{line}\033[0m" for line in lines]
        print(f"{head} {lines[0]}", *(f"{' ' * (_MARGIN - 1)} {line}" for line in lines[1:]), sep="\n", flush=True)


def _fitted(line: str) -> str:
    """Return a line of XML with its attributes below each other, if it would be too long otherwise."""
    inner = line.lstrip()
    below = " " * (len(line) - len(inner) + 4)
    return line if len(line) <= _WIDTH else re.sub(r'(?<=") (?=[A-Za-z]+=")', f"\n{below}", line)

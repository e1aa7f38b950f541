"""What a figure is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass


class Skipped(Exception):
    """The figure needs something that this machine lacks; the text is one sentence."""


@dataclass(frozen=True)
class Effort:
    """How thoroughly to measure.

    Attributes:
        rounds: How often.
        quick: Only show that everything works.
        detail: Also show where time goes.
        peers: Also measure the peers, each in an environment of its own.
        minutes: How long memory is watched; 0 for some seconds.
    """

    rounds: int
    quick: bool = False
    detail: bool = False
    peers: bool = False
    minutes: float = 0.0


@dataclass(frozen=True)
class Line:
    """One row of a figure's table; `met` is None where nothing was promised."""

    what: str
    ours: str
    yardstick: str = ""
    ratio: str = ""
    target: str = ""
    met: bool | None = None

    @property
    def verdict(self) -> str:
        """The word for `met`."""
        return "" if self.met is None else "met" if self.met else "NOT met"


@dataclass(frozen=True)
class Figure:
    """A figure's table: what was measured, against what, the rows, and text to print below them."""

    title: str
    yardstick: str
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    detail: str = ""

    @property
    def is_met(self) -> bool:
        """Whether every target is."""
        return all(line.met is not False for line in self.lines)

    def rows(self, name: str) -> list[dict[str, str | bool | None]]:
        """Return the rows for a program: figure, row, ours, peer, ratio and target as printed, and met.

        Args:
            name: Of the figure; `met` is None where nothing was promised.
        """
        return [
            {
                "figure": name,
                "row": line.what,
                "ours": line.ours,
                "peer": line.yardstick,
                "ratio": line.ratio,
                "target": line.target,
                "met": line.met,
            }
            for line in self.lines
        ]

    def text(self) -> str:
        """Return the table as text."""
        heading = ("", "ours", self.yardstick, "ratio (min to max)", "target", "")
        rows = [(x.what, x.ours, x.yardstick, x.ratio, x.target, x.verdict) for x in self.lines]
        used = [n for n in range(len(heading)) if n < 2 or any(row[n] for row in rows)]
        widths = {n: max(len(row[n]) for row in (heading, *rows)) for n in used}
        chosen = [self.title]
        chosen += ["  " + "  ".join(row[n].ljust(widths[n]) for n in used).rstrip() for row in (heading, *rows)]
        chosen += [f"  {note}" for note in self.notes]
        return "\n".join([*chosen, *([self.detail] if self.detail else [])])

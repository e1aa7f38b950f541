"""Counting how often something may happen: so many times in a window of the clock, for each key of a scope.

A window is one document, counted up by a write of whatever commit is made for the thing anyway; the value that comes
back decides, so that it holds over any number of processes.
"""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from switchboard.contract.ports import BusinessPaths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Increment, Set, Write, WriteResult

_KEPT_AFTER = timedelta(hours=1)
# How many times over a limit of all may be passed by those who have had less than they are assured of.
CEILING = 10


@dataclass(frozen=True, slots=True)
class WindowRule:
    """At most `limit` times per `window_s` seconds of the clock, for each key of a scope.

    Attributes:
        scope: What is counted, such as `number`; names the key.
        limit: How many; 0 allows none.
        window_s: Length of a window; windows begin at multiples of it.
        assured: What each of `assured_to` gets even where this limit, which others share, is used up: otherwise a few
            would lock everybody else out. 0 for a limit that nobody shares.
        assured_to: The scope whose own count says how much that is: each address, or each conversation.
    """

    scope: str
    limit: int
    window_s: int
    assured: int = 0
    assured_to: str = "address"


@dataclass(frozen=True, slots=True)
class Window:
    """One rule's current window for one key."""

    rule: WindowRule
    path: str
    ends: datetime

    @classmethod
    def of(cls, paths: BusinessPaths, now: datetime, rule: WindowRule, key: str, what: str) -> "Window":
        """Return the window that a moment falls into."""
        name = f"{what}|{rule.scope}|{key}|{rule.window_s}|{int(now.timestamp()) // rule.window_s}"
        # By its hash: a phone number as a document's name would end up in logs and backups.
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        ends = now + timedelta(seconds=left_s(now, rule))
        return cls(rule, paths.document("tickets", f"{what}:{digest}"), ends)

    def counting(self, by: int) -> Write:
        """Return the write that counts it."""
        return Set(self.path, {"count": Increment(by), "expireAt": self.ends + _KEPT_AFTER}, merge=True)


@dataclass(frozen=True, slots=True)
class Tally:
    """Every window that one occurrence counts in, the narrowest scope first."""

    what: str
    windows: tuple[Window, ...]

    @classmethod
    def of(
        cls, paths: BusinessPaths, now: datetime, rules: Sequence[WindowRule], keys: Mapping[str, str], what: str
    ) -> "Tally":
        """Return the windows of those rules whose key is known."""
        windows = (Window.of(paths, now, rule, keys[rule.scope], what) for rule in rules if rule.scope in keys)
        return cls(what, tuple(windows))

    def writes(self, by: int = 1) -> list[Write]:
        """Return what counts it, or with -1 gives it back."""
        return [window.counting(by) for window in self.windows]

    def refusing(self, results: Sequence[WriteResult]) -> list[Window]:
        """Return the windows that were full, by the results of `writes`; empty where it may be done."""
        return self.full(int(result.increments["count"]) for result in results[: len(self.windows)])

    def full(self, counts: Iterable[int]) -> list[Window]:
        """Return the windows that were full, by how many each has had; empty where it may be done."""
        counted = list(zip(self.windows, counts, strict=True))
        own = {window.rule.scope: count for window, count in counted}
        return [
            window
            for window, count in counted
            if count > window.rule.limit and not _is_assured(window.rule, count, own)
        ]

    def has_passed(self, window: Window, results: Sequence[WriteResult]) -> bool:
        """Tell whether a window is full for everybody, so that nobody has to ask for a while."""
        count = int(results[self.windows.index(window)].increments["count"])
        return not window.rule.assured or count > _ceiling(window.rule)


def _is_assured(rule: WindowRule, count: int, own: Mapping[str, int]) -> bool:
    # A phone call comes from no address: it is its caller's own.
    had = own.get(rule.assured_to, own.get("visit", 0))
    return 0 < had <= rule.assured and count <= _ceiling(rule)


def _ceiling(rule: WindowRule) -> float:
    """Return how many are too many even of those who have had little.

    None are where it is each conversation that has a floor: whoever forges a number can as well forge another one for
    each call, so that a ceiling would keep nobody out but the number's owner.
    """
    return math.inf if rule.assured_to == "visit" else rule.limit * CEILING


def left_s(now: datetime, rule: WindowRule) -> int:
    """Return how many seconds of the current window are left."""
    return rule.window_s - int(now.timestamp()) % rule.window_s


def duration(seconds: int) -> str:
    """Return so long in words, rounded up: whoever waits for it has not come too early."""
    unit = 3_600 if seconds > 5_400 else 60
    return span(-(-seconds // unit) * unit)


_SPANS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def span(seconds: int) -> str:
    """Return a window's length in words."""
    length, word = next((one for one in _SPANS if seconds % one[0] == 0), (1, "second"))
    count = seconds // length
    return f"1 {word}" if count == 1 else f"{count} {word}s"

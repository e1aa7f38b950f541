"""How many second tries an integration may make: one in ten, so that an outage is not made worse by us."""

import threading

SHARE = 0.1
_MOST_SAVED = 10.0


class RetryBudget:
    """Earns a tenth of a second try with every request, and starts with one (reliability, fault 42)."""

    def __init__(self) -> None:
        """Start with one second try."""
        self._saved = 1.0
        self._lock = threading.Lock()

    def earn(self) -> None:
        """Count a request that is no second try."""
        with self._lock:
            self._saved = min(_MOST_SAVED, self._saved + SHARE)

    def spend(self) -> bool:
        """Take one second try, or return false where none is left."""
        with self._lock:
            # Ten tenths do not add up to one.
            if self._saved < 1.0 - 1e-9:
                return False
            self._saved -= 1.0
            return True

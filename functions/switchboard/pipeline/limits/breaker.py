"""A circuit per business and integration: what keeps failing is left alone for a while, instead of being waited for.

Five failures in a row, or half of at least ten calls within 30 s, open a circuit for 15 s; then one call at a time
tries, and the first that succeeds closes it. A vendor has one of its own beside those of businesses: where each of many
makes a call now and then, one outage is known after five calls of at least three of them. A host of owners' services
has none: what one owner has there is none of another's. In this instance's memory only: another finds out for itself,
at the same price. A revoked authorisation is the one thing that instances share (`needsReauth`, in the business
document).
"""

import logging
from collections import deque
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from functools import lru_cache
from types import TracebackType

from cachetools import LRUCache

from switchboard.catalog.offer.inclusion import ALL_CLOSED, Circuits, is_one_vendor
from switchboard.contract.error import ErrorType, NothingNew, Refused, ToolError, source_of
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError

log = logging.getLogger(__name__)

FAILURES_IN_A_ROW = 5
WINDOW_S = 30.0
WINDOW_CALLS = 10
OPEN_S = 15.0
CIRCUITS_KEPT = 10_000
VENDORS_KEPT = 1_000
# One business alone, whose account or network is broken, takes a vendor from nobody else.
FAILING_BUSINESSES = 3

_EVERYBODY = ""
_FAILURES = frozenset({ErrorType.TRANSIENT, ErrorType.RATE_LIMIT, ErrorType.AUTH, ErrorType.INTERNAL})
_INSIDE_THE_HOUSE = nullcontext()


@dataclass(slots=True)
class _Second:
    """The calls that ended within one second of the clock."""

    number: int
    calls: int = 0
    failures: int = 0
    whose: set[str] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class _Circuit:
    """One integration of one business, or of all, from one closing to the next.

    Attributes:
        least: Of how many businesses calls have to fail to open it.
        in_a_row: Failures since the last success.
        whose: The businesses whose calls those were.
        calls: Calls within the window.
        failures: Those of them that failed.
        open_until: While it is open, when the next probe may go; None while it is closed.
        probe: The attempt that decides what becomes of an open circuit.
    """

    least: int = 1
    in_a_row: int = 0
    whose: set[str] = field(default_factory=set)
    calls: int = 0
    failures: int = 0
    seconds: deque[_Second] = field(default_factory=deque)
    open_until: float | None = None
    probe: "_Attempt | None" = None

    def count(self, failed: bool, now: float, whose: str) -> bool:
        """Count the end of a call; tell whether that is one failure too many."""
        while self.seconds and self.seconds[0].number <= now - WINDOW_S:
            gone = self.seconds.popleft()
            self.calls -= gone.calls
            self.failures -= gone.failures
        if not self.seconds or self.seconds[-1].number != int(now):
            self.seconds.append(_Second(int(now)))
        latest = self.seconds[-1]
        latest.calls += 1
        self.calls += 1
        if not failed:
            self.in_a_row = 0
            self.whose.clear()
            return False
        latest.failures += 1
        self.failures += 1
        self.in_a_row += 1
        for businesses in (latest.whose, self.whose):
            if len(businesses) < self.least:
                businesses.add(whose)
        if self.in_a_row >= FAILURES_IN_A_ROW and len(self.whose) >= self.least:
            return True
        if self.calls < WINDOW_CALLS or self.failures * 2 < self.calls:
            return False
        return len(set().union(*(second.whose for second in self.seconds))) >= self.least


class Breakers:
    """The circuits of every business."""

    def __init__(self, clock: Clock) -> None:
        """Start with all of them closed."""
        self._clock = clock
        self._circuits: LRUCache[tuple[str, str], _Circuit] = LRUCache(CIRCUITS_KEPT)
        self._vendors: LRUCache[tuple[str, str], _Circuit] = LRUCache(VENDORS_KEPT)
        # Only those that are open or wait for a probe, by business and integration.
        self._open: dict[str, dict[str, _Circuit]] = {}

    def circuits_of(self, business_id: str) -> Circuits:
        """Return which integrations of a business must not be called now, and which may be tried again.

        While one call tries, the integration is open to all others.
        """
        if business_id not in self._open and _EVERYBODY not in self._open:
            return ALL_CLOSED
        now, shared = self._clock.monotonic(), self._open.get(_EVERYBODY, {})
        both = [*self._open.get(business_id, {}).items(), *shared.items()]
        kept_out = frozenset(name for name, circuit in both if _keeps_out(circuit, now))
        return _circuits(kept_out, frozenset(name for name, _ in both) - kept_out, frozenset(shared))

    def attempt(self, business_id: str, integration: str | None) -> AbstractContextManager[object]:
        """Return what to carry out a call in: it refuses while the circuit is open, and notes how the call ends.

        Entering raises `Refused` (MODE_RESTRICTED, condition `circuit:<integration>`). TRANSIENT, RATE_LIMIT, AUTH,
        INTERNAL and whatever nobody foresaw are failures. Every other error says nothing about the integration, nor
        does a cancellation, a refusal, what tells nothing new of it (`NothingNew`), or an outage of our own store.

        Args:
            business_id: Whose call it is.
            integration: What the call's tool depends on (`integration_of`); None has no circuit.
        """
        return _INSIDE_THE_HOUSE if integration is None else _Attempt(self, business_id, integration)

    def _enter(self, attempt: "_Attempt") -> list[tuple[tuple[str, str], _Circuit]]:
        name = attempt.key[1]
        keys = [attempt.key, (_EVERYBODY, name)] if is_one_vendor(name) else [attempt.key]
        circuits = [(key, self._circuit(key)) for key in keys]
        now = self._clock.monotonic()
        if any(_keeps_out(circuit, now) for _, circuit in circuits):
            raise Refused(
                ErrorType.MODE_RESTRICTED,
                f"{name} keeps failing and was not asked; nothing was done. Use another tool.",
                meta={"condition": f"circuit:{name}"},
            )
        for _, circuit in circuits:
            if circuit.open_until is not None:
                # A probe that never comes back must not keep the circuit open for ever.
                circuit.probe, circuit.open_until = attempt, now + CALL_LEASE_S
        return circuits

    def _circuit(self, key: tuple[str, str]) -> _Circuit:
        known = self._known(key)
        # The open ones first: the other memory may have forgotten them for those that were used since.
        circuit = self._open.get(key[0], {}).get(key[1]) or known.get(key)
        if circuit is None:
            circuit = known[key] = _Circuit(FAILING_BUSINESSES if key[0] == _EVERYBODY else 1)
        return circuit

    def _known(self, key: tuple[str, str]) -> LRUCache[tuple[str, str], _Circuit]:
        return self._vendors if key[0] == _EVERYBODY else self._circuits

    def _leave(self, attempt: "_Attempt", error: BaseException | None) -> None:
        now, failed = self._clock.monotonic(), _failed(error)
        if source_of(error) not in ("", attempt.key[1]):
            # Somebody's own calendar, beside the business's: it says nothing about this one.
            failed = None
        for key, circuit in attempt.circuits:
            has_failed = failed if key[0] != _EVERYBODY else _failed_for_all(error, failed)
            if circuit.open_until is None:
                if has_failed is not None and circuit.count(has_failed, now, attempt.key[0]):
                    self._opened(key, circuit, now)
            elif circuit.probe is attempt:
                self._probed(key, circuit, has_failed, now)
            # Else it began before the circuit opened: what it tells is known already, or out of date.

    def _opened(self, key: tuple[str, str], circuit: _Circuit, now: float) -> None:
        circuit.open_until = now + OPEN_S
        if len(self._open) >= CIRCUITS_KEPT and key[0] not in self._open:
            self._close_all(next(business_id for business_id in self._open if business_id != _EVERYBODY))
        self._open.setdefault(key[0], {})[key[1]] = circuit
        log.warning("circuit opened", extra={"business": key[0], "integration": key[1]})

    def _probed(self, key: tuple[str, str], circuit: _Circuit, failed: bool | None, now: float) -> None:
        circuit.probe = None
        if failed is False:
            self._closed(key, circuit)
        else:
            # Nothing was learnt where `failed` is None: the next call may try at once.
            circuit.open_until = now + OPEN_S if failed else now

    def _closed(self, key: tuple[str, str], circuit: _Circuit) -> None:
        # The next call begins with a new circuit: attempts that began before this do not count in it.
        known = self._known(key)
        if known.get(key) is circuit:
            del known[key]
        circuits = self._open.get(key[0], {})
        if circuits.get(key[1]) is circuit:
            del circuits[key[1]]
            if not circuits:
                del self._open[key[0]]
        log.info("circuit closed", extra={"business": key[0], "integration": key[1]})

    def _close_all(self, business_id: str) -> None:
        for name, circuit in list(self._open[business_id].items()):
            self._closed((business_id, name), circuit)


class _Attempt:
    """One call to an integration."""

    __slots__ = ("_breakers", "circuits", "key")

    def __init__(self, breakers: Breakers, business_id: str, integration: str) -> None:
        self._breakers, self.key = breakers, (business_id, integration)
        self.circuits: list[tuple[tuple[str, str], _Circuit]] = []

    def __enter__(self) -> None:
        self.circuits = self._breakers._enter(self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._breakers._leave(self, error)


@lru_cache(1_000)
def _circuits(open: frozenset[str], recovering: frozenset[str], shared: frozenset[str]) -> Circuits:
    """Return one object for one state, so that an offer that was made in it is known to hold still."""
    return Circuits(open, recovering, shared)


def _failed_for_all(error: BaseException | None, failed: bool | None) -> bool | None:
    """Tell what a call says of its vendor: an account that is refused, or has used up its own share, says nothing."""
    if not failed:
        return failed
    return True if isinstance(error, ToolError) and error.type is ErrorType.TRANSIENT else None


def _keeps_out(circuit: _Circuit, now: float) -> bool:
    return circuit.open_until is not None and now < circuit.open_until


def _failed(error: BaseException | None) -> bool | None:
    """Tell whether the integration failed; None where that cannot be told by how the call ended."""
    if error is None:
        return False
    if isinstance(error, ToolError):
        is_ours = isinstance(error, Refused | NothingNew) or isinstance(error.__cause__, StoreError)
        if is_ours or error.type not in _FAILURES:
            return None
        if "turnUsedUp" in error.meta:
            # It was given less time than it may take.
            return None
        return True
    return True if isinstance(error, Exception) and not isinstance(error, StoreError) else None

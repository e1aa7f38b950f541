"""A circuit per business and integration: what keeps failing is left alone for a while, instead of being waited for.

Five failures in a row, or half of at least ten calls within 30 s, open a circuit for 15 s; then one call at a time
tries, and the first that succeeds closes it. In this instance's memory only: another finds out for itself, at the price
of five calls. A revoked authorisation is the one thing that instances share (`needsReauth`, in the business document).
"""

import logging
from collections import deque
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from types import TracebackType

from cachetools import LRUCache

from switchboard.catalog.integration import ALL_CLOSED, Circuits
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.ports import Clock
from switchboard.contract.store import StoreError

log = logging.getLogger(__name__)

FAILURES_IN_A_ROW = 5
WINDOW_S = 30.0
WINDOW_CALLS = 10
OPEN_S = 15.0
CIRCUITS_KEPT = 10_000

_FAILURES = frozenset({ErrorType.TRANSIENT, ErrorType.RATE_LIMIT, ErrorType.AUTH, ErrorType.INTERNAL})
_INSIDE_THE_HOUSE = nullcontext()


@dataclass(slots=True)
class _Second:
    """The calls that ended within one second of the clock."""

    number: int
    calls: int = 0
    failures: int = 0


@dataclass(slots=True, eq=False)
class _Circuit:
    """One integration of one business, from one closing to the next.

    Attributes:
        in_a_row: Failures since the last success.
        calls: Calls within the window.
        failures: Those of them that failed.
        open_until: While it is open, when the next probe may go; None while it is closed.
        probe: The attempt that decides what becomes of an open circuit.
    """

    in_a_row: int = 0
    calls: int = 0
    failures: int = 0
    seconds: deque[_Second] = field(default_factory=deque)
    open_until: float | None = None
    probe: "_Attempt | None" = None

    def count(self, failed: bool, now: float) -> bool:
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
            return False
        latest.failures += 1
        self.failures += 1
        self.in_a_row += 1
        return self.in_a_row >= FAILURES_IN_A_ROW or (self.calls >= WINDOW_CALLS and self.failures * 2 >= self.calls)


class Breakers:
    """The circuits of every business."""

    def __init__(self, clock: Clock) -> None:
        """Start with all of them closed."""
        self._clock = clock
        self._circuits: LRUCache[tuple[str, str], _Circuit] = LRUCache(CIRCUITS_KEPT)
        # Only those that are open or wait for a probe, by business and integration.
        self._open: dict[str, dict[str, _Circuit]] = {}

    def circuits_of(self, business_id: str) -> Circuits:
        """Return which integrations of a business must not be called now, and which may be tried again.

        While one call tries, the integration is open to all others.
        """
        circuits = self._open.get(business_id)
        if circuits is None:
            return ALL_CLOSED
        now = self._clock.monotonic()
        kept_out = frozenset(name for name, circuit in circuits.items() if _keeps_out(circuit, now))
        return Circuits(open=kept_out, recovering=frozenset(circuits) - kept_out)

    def attempt(self, business_id: str, integration: str | None) -> AbstractContextManager[object]:
        """Return what to carry out a call in: it refuses while the circuit is open, and notes how the call ends.

        Entering raises `Refused` (MODE_RESTRICTED, condition `circuit:<integration>`). TRANSIENT, RATE_LIMIT, AUTH,
        INTERNAL and whatever nobody foresaw are failures. Every other error says nothing about the integration, nor
        does a cancellation, a refusal, or an outage of our own store.

        Args:
            business_id: Whose call it is.
            integration: What the call's tool depends on (`integration_of`); None has no circuit.
        """
        return _INSIDE_THE_HOUSE if integration is None else _Attempt(self, business_id, integration)

    def _enter(self, attempt: "_Attempt") -> _Circuit:
        business_id, name = attempt.key
        # The open ones first: the other memory may have forgotten them for those that were used since.
        circuit = self._open.get(business_id, {}).get(name) or self._circuits.get(attempt.key)
        if circuit is None:
            circuit = self._circuits[attempt.key] = _Circuit()
        if circuit.open_until is None:
            return circuit
        now = self._clock.monotonic()
        if _keeps_out(circuit, now):
            raise Refused(
                ErrorType.MODE_RESTRICTED,
                f"{name} keeps failing and was not asked; nothing was done. Use another tool.",
                meta={"condition": f"circuit:{name}"},
            )
        # A probe that never comes back must not keep the circuit open for ever.
        circuit.probe, circuit.open_until = attempt, now + CALL_LEASE_S
        return circuit

    def _leave(self, attempt: "_Attempt", circuit: _Circuit, failed: bool | None) -> None:
        now = self._clock.monotonic()
        if circuit.open_until is None:
            if failed is not None and circuit.count(failed, now):
                self._opened(attempt.key, circuit, now)
        elif circuit.probe is attempt:
            self._probed(attempt.key, circuit, failed, now)
        # Else it began before the circuit opened: what it tells is known already, or out of date.

    def _opened(self, key: tuple[str, str], circuit: _Circuit, now: float) -> None:
        circuit.open_until = now + OPEN_S
        if len(self._open) >= CIRCUITS_KEPT and key[0] not in self._open:
            self._close_all(next(iter(self._open)))
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
        if self._circuits.get(key) is circuit:
            del self._circuits[key]
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

    __slots__ = ("_breakers", "_circuit", "key")

    def __init__(self, breakers: Breakers, business_id: str, integration: str) -> None:
        self._breakers, self.key = breakers, (business_id, integration)
        self._circuit: _Circuit | None = None

    def __enter__(self) -> None:
        self._circuit = self._breakers._enter(self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._circuit is not None
        self._breakers._leave(self, self._circuit, _failed(error))


def _keeps_out(circuit: _Circuit, now: float) -> bool:
    return circuit.open_until is not None and now < circuit.open_until


def _failed(error: BaseException | None) -> bool | None:
    """Tell whether the integration failed; None where that cannot be told by how the call ended."""
    if error is None:
        return False
    if isinstance(error, ToolError):
        if isinstance(error, Refused) or error.type not in _FAILURES or isinstance(error.__cause__, StoreError):
            return None
        return True
    return True if isinstance(error, Exception) and not isinstance(error, StoreError) else None

"""What else the meter shows: circuits that are open, work that waits, and when the process began."""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from switchboard.catalog.integration import Circuits
from switchboard.contract.metric import Family, Sample, Source
from switchboard.pipeline.meter import Meter
from switchboard.pipeline.reaper import Pass

_LOADED: Final = time.time()


def circuits(meter: Meter, circuits_of: Callable[[str], Circuits]) -> Source:
    """Return what tells how many businesses' circuits are open, by integration.

    Only a call can open a circuit, so those of businesses with conversations are all there are.
    """

    def source() -> Iterable[Family]:
        counts: dict[str, int] = {}
        for business_id in meter.businesses():
            found = circuits_of(business_id)
            for name in found.open | found.recovering:
                counts[name] = counts.get(name, 0) + 1
        values = [Sample(count, {"integration": name}) for name, count in sorted(counts.items())]
        yield Family("circuits_open", "gauge", "Businesses whose calls an integration does not get for now.", values)

    return source


class Backlog:
    """What passes over the store have found waiting."""

    def __init__(self) -> None:
        """Start without any pass."""
        self._found: dict[str, int] = {}

    def measured(self, passes: Mapping[str, Pass]) -> dict[str, Pass]:
        """Return the same passes; those over all businesses tell from now on how much they found."""
        return {name: self._noting(name, work) for name, work in passes.items()}

    def families(self) -> Iterable[Family]:
        """Return what the latest passes found."""
        values = [Sample(count, {"task": name}) for name, count in sorted(self._found.items())]
        yield Family("background_work_found", "gauge", "What the latest pass found waiting and attended to.", values)

    def _noting(self, name: str, work: Pass) -> Pass:
        async def noting(business_id: str | None) -> Mapping[str, int]:
            counts = await work(business_id)
            if business_id is None:
                self._found[name] = sum(counts.values())
            return counts

        return noting


def process() -> Iterable[Family]:
    """Return when this process began, in seconds since 1970: every cold start is a new one."""
    help = "When the process began, in seconds since 1970."
    yield Family("process_start_time_seconds", "gauge", help, [Sample(_began())])


def _began() -> float:
    try:
        with open("/proc/self/stat", encoding="ascii", errors="replace") as stat, open("/proc/stat") as system:
            # Behind the name in brackets, in which blanks may stand, it is the 20th field.
            ticks = int(stat.read().rpartition(")")[2].split()[19])
            booted = next(int(line.split()[1]) for line in system if line.startswith("btime "))
    except (OSError, StopIteration, ValueError, IndexError):
        return _LOADED
    return booted + ticks / os.sysconf("SC_CLK_TCK")

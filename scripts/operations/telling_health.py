"""List businesses by their worst finding, or tell everything that is wrong with one, from a Firestore."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from command_line import CommandLine, Problem, store_trouble
from operations import seeding
from switchboard.admin.access.known_business import businesses
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.businesses.number_conflicts import NumberConflicts
from switchboard.admin.costs.month_stops import LimitStandings
from switchboard.admin.health.findings import HealthSeverity, ordered, worst
from switchboard.admin.health.health import Health, HealthService
from switchboard.admin.maintenance.retrying_store import RetryingStore
from switchboard.app.clients import Clients, open_store
from switchboard.app.core import REGISTRY
from switchboard.app.settings import Configuration
from switchboard.catalog.definitions.definitions import Definitions
from switchboard.catalog.definitions.registry import Registry
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.inclusion import no_circuits
from switchboard.catalog.tenant_tools.sessions import SessionLocks
from switchboard.contract.ports import Store
from switchboard.contract.store import StoreError, Write, WriteResult
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
WIDTH = 100
_AT_ONCE = 4
_ORDER = (*(severity.value for severity in HealthSeverity), "ok")
USAGE = """examples:
  scripts/health                    every business with a finding, the worst first
  scripts/health demo-salon         all that is wrong with one, and what to do
  scripts/health --least trouble    only those where callers go without something

Which Firestore: FIRESTORE_EMULATOR_HOST for an emulator (scripts/run prints its address), otherwise the project that
--project or GOOGLE_CLOUD_PROJECT names. Circuits are each server's own, and told by its /admin/health alone. Nothing is
written. Ends with 1 if something is in trouble."""


def main(arguments: Sequence[str], open_store: Callable[[Configuration], Store] = open_store) -> int:
    """Do what the command line says; returns 0, or 1 where something is in trouble or could not be looked at."""
    options = _command_line().parse_args(arguments)
    try:
        asked = "ask the server, with an owner's key, for GET /admin/health"
        target = seeding.read_target(options.project, options.database, os.environ, in_memory=asked)
        healths, house = asyncio.run(_looked(target, RetryingStore(open_store(target)), options.business))
    except NotFound:
        return _complain(f"there is no business {options.business!r}")
    except StoreError as error:
        return _complain(store_trouble(error))
    except Problem as problem:
        return _complain(str(problem))
    if options.json:
        print(json.dumps({"house": house, "businesses": [h.to_json() for h in healths]}, indent=2, default=str))
    else:
        lines = _one(healths[0]) if options.business else _all(healths, house, options.least)
        print("\n".join(lines))
    severities = [worst(health.findings) for health in healths] + [finding["severity"] for finding in house]
    return 1 if HealthSeverity.TROUBLE.value in severities else 0


def _command_line() -> CommandLine:
    line = CommandLine("scripts/health", "List businesses by their worst finding.", USAGE)
    line.add_argument("business", nargs="?", help="tell all that is wrong with this one")
    severities = [severity.value for severity in HealthSeverity]
    line.add_argument("--least", choices=severities, default=severities[-1], help="the least that is listed")
    line.add_argument("--json", action="store_true", help="print JSON, as GET /admin/health answers it")
    line.add_argument("--project", help="the Google Cloud project (otherwise GOOGLE_CLOUD_PROJECT)")
    line.add_argument("--database", help="the Firestore database (otherwise FIRESTORE_DATABASE)")
    return line


async def _looked(target: Configuration, store: Store, business: str | None) -> tuple[list[Health], list[Any]]:
    clients = Clients(target, _Unwritten(store))
    definitions = Definitions(clients.store, PATHS, Registry.load(REGISTRY), clients.clock)
    sessions = SessionLocks(clients.store, PATHS, definitions, clients.clock)
    catalog = Catalog(clients.store, PATHS, definitions, sessions, clients.clock, no_circuits)
    numbers = NumberConflicts(clients.store, PATHS, clients.secrets)
    months = LimitStandings(clients.store, PATHS, clients.clock)
    service = HealthService(clients.store, PATHS, catalog, clients.clock, no_circuits, numbers, months=months)
    room = asyncio.Semaphore(_AT_ONCE)

    async def looked_at(id: str) -> Health:
        async with room:
            return await service.of(id)

    try:
        ids = [business] if business else [document.id async for document in businesses(store, PATHS)]
        healths = await asyncio.gather(*map(looked_at, ids))
        house = [] if business else [finding.to_json() for finding in await service.of_the_house()]
    finally:
        await catalog.ended()
        await clients.http.close()
        await store.close()
    return sorted(healths, key=_place), house


def _place(health: Health) -> tuple[int, int, str]:
    counts = Counter(finding.severity.value for finding in health.findings)
    severity = worst(health.findings)
    return _ORDER.index(severity), -counts[severity], health.business_id


def _all(healths: Sequence[Health], house: Sequence[Any], least: str) -> Iterator[str]:
    for finding in house:
        yield from _wrapped(f"{finding['severity']:<8} everybody: {finding['means']}", finding["do"])
    listed = [health for health in healths if _ORDER.index(worst(health.findings)) <= _ORDER.index(least)]
    for health in listed:
        first = ordered(health.findings)[0].to_json()
        others = len(health.findings) - 1
        more = f" (and {others} more: scripts/health {health.business_id})" if others else ""
        yield from _wrapped(
            f"{first['severity']:<8} {_plain(health.business_id)}: {first['what']}: {first['means']}{more}"
        )
    count = Counter(worst(health.findings) for health in healths)
    yield f"{len(healths)} businesses: " + ", ".join(f"{count[name]} {name}" for name in _ORDER if count[name])


def _one(health: Health) -> Iterator[str]:
    yield f"{_plain(health.business_id)} ({_plain(health.name)}): {worst(health.findings)}"
    for finding in ordered(health.findings):
        told = finding.to_json()
        yield from _wrapped(f"{told['severity']:<8} {told['what']}: {told['means']}", told["do"])


def _wrapped(*sentences: str) -> Iterator[str]:
    for sentence in sentences:
        indent = "" if sentence is sentences[0] else " " * 9
        yield textwrap.fill(_plain(sentence), WIDTH, initial_indent=indent, subsequent_indent=" " * 9)


def _plain(text: str) -> str:
    # Names are whatever somebody entered: nothing of them may steer a terminal.
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _complain(sentence: str) -> int:
    print(f"scripts/health: {sentence}", file=sys.stderr)
    return 1


class _Unwritten:
    """A store that is looked at: what the house would note beside it, such as a set that it read, is left out."""

    def __init__(self, store: Store) -> None:
        self.get, self.get_many, self.query, self.count = store.get, store.get_many, store.query, store.count
        self.close = store.close

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Write nothing, and answer as if it was written."""
        now = datetime.now(UTC)
        return [WriteResult(now) for _ in writes]

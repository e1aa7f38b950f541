"""Scenarios out of a store: a conversation made one by `scripts/eval record`, and those that a business keeps."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from command_line import WRONG_USAGE, CommandLine, Problem, file_to_write, store_trouble
from disk_trouble import told
from operations import seeding
from switchboard.admin.evals.kept import MOST_EVALS
from switchboard.admin.evals.premises import with_premises
from switchboard.admin.evals.proposing import propose
from switchboard.admin.evals.scenario import BadScenario
from switchboard.admin.evals.scenario_text import read_text, written
from switchboard.app.clients import open_store
from switchboard.app.settings import Configuration
from switchboard.contract.error import ToolError
from switchboard.contract.ports import Store
from switchboard.contract.store import Query, StoreError
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
OpenStore = Callable[[Configuration], Store]
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_MOST_BUSINESSES = 500
_IN_MEMORY = "ask the server for POST /admin/businesses/{id}/interactions/{id}/eval, which proposes the same"
USAGE = """examples:
  scripts/eval record CA7d21c0 --business demo-salon
  scripts/eval record CA7d21c0 --business demo-salon --out moved.yaml
  scripts/eval moved.yaml                                      and hold it

People are made up, the business stands in the file, and what is expected is what came of the conversation: read it
before you keep it. Which Firestore: FIRESTORE_EMULATOR_HOST for an emulator, otherwise the project that --project or
GOOGLE_CLOUD_PROJECT names."""


def record(arguments: Sequence[str], open_store: OpenStore = open_store) -> int:
    """Write a kept conversation as a scenario; returns the exit code."""
    line = CommandLine("scripts/eval record", "Write a kept conversation as a scenario.", USAGE)
    line.add_argument("session", help="the conversation: the id of its session, or of its record")
    line.add_argument("--business", metavar="ID", help="whose; without it every business is looked through")
    line.add_argument("--out", type=file_to_write, metavar="FILE", help="where to write it (otherwise NAME.yaml, here)")
    add_store_options(line)
    options = line.parse_args(arguments)
    name = options.out.stem if options.out else ""
    try:
        if name and not _NAME.fullmatch(name):
            raise Problem(f"--out: {name!r} is no scenario's name; use small letters, digits and hyphens")
        store = open_store(seeding.read_target(options.project, options.database, os.environ, in_memory=_IN_MEMORY))
        document = asyncio.run(_proposed(store, options.business, options.session, name))
        path = options.out or Path(f"{document['name']}.yaml")
        if path.exists():
            raise Problem(f"{path} is there already; name another file by --out")
        path.write_text(written(document), encoding="utf-8")
    except Problem as problem:
        return _complain(str(problem))
    except OSError as error:
        return _complain(told(error) or str(error))
    except StoreError as error:
        return _complain(store_trouble(error))
    lines, expected = len(document["lines"]), len(document["expect"])
    print(f"wrote {path}: {lines} lines, {expected} kinds of expectations. Read it, then: scripts/eval {path}")
    return 0


def add_store_options(line: CommandLine) -> None:
    """Add what says which Firestore."""
    line.add_argument("--project", help="the Google Cloud project (otherwise GOOGLE_CLOUD_PROJECT)")
    line.add_argument("--database", help="the Firestore database (otherwise FIRESTORE_DATABASE)")


def kept(business: str, options: Any, open_store: OpenStore) -> list[tuple[str, Mapping[str, Any] | str]]:
    """Return the scenarios that a business keeps, by name, each with the business as it is now; a text says why not.

    Raises:
        Problem: There is no such business, or no such store.
    """
    try:
        store = open_store(seeding.read_target(options.project, options.database, os.environ))
        return asyncio.run(_kept(store, business))
    except StoreError as error:
        raise Problem(store_trouble(error)) from None


async def _kept(store: Store, business: str) -> list[tuple[str, Mapping[str, Any] | str]]:
    within = PATHS.within(business)
    try:
        documents = await store.query(Query(within.collection("evals"), limit=MOST_EVALS))
        scenarios: list[tuple[str, Mapping[str, Any] | str]] = []
        for document in documents:
            try:
                fields = dict(read_text(str(document.data.get("text") or "")))
                # One that says itself what its business is like stays as it says.
                whole = fields if fields.get("document") else await with_premises(store, within, fields)
                scenarios.append((document.id, whole))
            except BadScenario as problem:
                scenarios.append((document.id, str(problem)))
        return scenarios
    except ToolError as error:
        raise Problem(f"{business}: {error.message}") from None
    finally:
        await store.close()


async def _proposed(store: Store, business: str | None, session: str, name: str) -> dict[str, Any]:
    try:
        within = PATHS.within(business or await _business_of(store, session))
        return await with_premises(store, within, await propose(store, within, session, name))
    except ToolError as error:
        raise Problem(error.message) from None
    finally:
        await store.close()


async def _business_of(store: Store, session: str) -> str:
    businesses = [one.id for one in await store.query(Query(PATHS.businesses, limit=_MOST_BUSINESSES))]
    records = await store.get_many([PATHS.within(id).document("interactions", session) for id in businesses])
    own = [id for id, record in zip(businesses, records, strict=True) if record is not None]
    if not own:
        raise Problem(f"no business keeps a conversation {session!r}; say whose by --business, and use its record's id")
    return own[0]


def _complain(text: str) -> int:
    print(f"scripts/eval record: {text}", file=sys.stderr)
    return WRONG_USAGE

"""Delete what is kept of a caller, or of a business, in a Firestore."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from command_line import CommandLine, Problem, store_trouble
from operations import seeding
from operations.offer_changes import lost_tools
from switchboard.admin.maintenance.data_inventory import all_documents
from switchboard.admin.maintenance.deletion_jobs import Deleted, DeletionJobs
from switchboard.admin.maintenance.forget_business import forget_business
from switchboard.admin.maintenance.forget_caller import Forgotten, forget_caller
from switchboard.admin.maintenance.retrying_store import RetryingStore
from switchboard.admin.maintenance.sharing import on_file_with
from switchboard.app.clients import SystemClock, open_store
from switchboard.app.settings import Configuration
from switchboard.contract.ports import Store
from switchboard.contract.store import Delete, Invalid, Query, StoreError
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
TOLD_EVERY = 1_000
USAGE = """examples:
  scripts/forget caller demo-salon +15185550161            only count what there is
  scripts/forget caller demo-salon +15185550161 --yes      and delete it
  scripts/forget caller demo-salon +15185550161 --everybody        also where customers on file share the number
  scripts/forget business demo-salon                       also which tools its callers would lose
  scripts/forget business demo-salon --yes demo-salon

Of a caller everything goes but: bookings, which stay without the person (time, service, price); a STOP, which stays
so that the number is not texted again; and what others said, from which only number, e-mail and full name are taken.
A customer on file who has the number is forgotten by all their numbers. Of a number that several customers on file
have nothing is deleted without --everybody: conversations go by number, so that all of them lose theirs.
Not reached: entries in calendars elsewhere, what Twilio keeps of calls and texts, e-mails that were sent, log lines
(numbers stand under `pii` there), backups, and rows of the business's own collections, which are counted.

Of a business everything in the database goes. What it has elsewhere stays: take people's roles away (scripts/grant
--list, --revoke), or they have them in whatever business gets the same id later; disconnect calendars, and delete the
tools that are mirrored at Vapi, while the business is still there.

Run it again after running conversations have ended. An interrupted run is repeated; where much is kept, it says how far
it is, and a deployment finishes what it was begun with (/tasks/deletions) if nobody repeats it."""

ELSEWHERE = "elsewhere stay: people's roles in it (scripts/grant --list), consents to calendars, tools mirrored at Vapi"


def main(arguments: Sequence[str], open_store: Callable[[Configuration], Store] = open_store) -> int:
    """Do what the command line says; returns the exit code."""
    line = _command_line()
    options = line.parse_args(arguments)
    if not options.business:
        line.error("name the business; its id is empty")
    try:
        target = seeding.read_target(options.project, options.database, os.environ)
        work = _caller if options.what == "caller" else _business
        for item in asyncio.run(_with(RetryingStore(open_store(target)), work, options)):
            print(item)
    except Problem as problem:
        return _complain(str(problem))
    except Invalid as error:
        return _complain(f"the store refuses what it was asked: {error}")
    except StoreError as error:
        return _complain(store_trouble(error, again="Run it again: it goes on from there"))
    return 0


def _command_line() -> CommandLine:
    line = CommandLine("scripts/forget", "Delete what is kept of a caller, or of a business.", USAGE)
    line.add_argument("what", choices=("caller", "business"))
    line.add_argument("business", help="whose caller, or which business")
    line.add_argument("number", nargs="?", help="the caller's phone number, with its country: +1...")
    line.add_argument(
        "--yes", nargs="?", const="", metavar="BUSINESS", help="delete; for a business, its id once more stands here"
    )
    line.add_argument("--everybody", action="store_true", help="every customer who has the number, where several do")
    line.add_argument("--project", help="the Google Cloud project (otherwise GOOGLE_CLOUD_PROJECT)")
    line.add_argument("--database", help="the Firestore database (otherwise FIRESTORE_DATABASE)")
    return line


async def _with(
    store: Store, work: Callable[[Store, argparse.Namespace], object], options: argparse.Namespace
) -> list[str]:
    try:
        return list(await work(store, options))  # type: ignore[misc]
    finally:
        await store.close()


async def _caller(store: Store, options: argparse.Namespace) -> Iterator[str]:
    from switchboard.desk.contact.phone import caller_number

    if options.number is None and options.yes:
        # `--yes +1...`: what stands behind it is the number that is missing.
        options.number, options.yes = options.yes, ""
    number = caller_number(options.number)
    if number is None:
        raise Problem("which caller? Write the number with its country, such as +15185550161")
    is_dry = options.yes is None
    if options.yes not in (None, "", options.business):
        raise Problem(f"a caller of {options.business}, or of {options.yes}? --yes alone deletes what was named")
    numbers = await _numbers(store, options.business, number, everybody=options.everybody)
    forgotten = None if is_dry else await _large(store, "caller", options.business, *numbers)
    if forgotten is None:
        forgotten = await forget_caller(store, PATHS, options.business, *numbers, dry_run=is_dry, now=datetime.now(UTC))
    if not (forgotten.found or forgotten.kept) and not await _is_there(store, options.business):
        raise Problem(f"there is no business {options.business!r}, and nothing is left of one")
    also = [f"by all numbers of the customer: {', '.join(numbers)}"] if len(numbers) > 1 else []
    return iter([*also, *_told_of_caller(forgotten, is_dry=is_dry)])


async def _numbers(store: Store, business_id: str, number: str, *, everybody: bool) -> list[str]:
    """Return every number by which a caller is to be forgotten: those of the customer on file who has this one.

    Raises:
        Problem: Several customers have one of them, and it is not said that all of them are meant.
    """
    sharing = await on_file_with(store, PATHS, business_id, number)
    if len(sharing.customers) > 1 and not everybody:
        raise Problem(
            f"{' and '.join(sharing.shared)} is the number of {' and '.join(sharing.customers)}, who would all lose "
            "what is kept of them: take the number out of all records but one (admin page Customers), make one "
            "customer of them, or add --everybody"
        )
    return sharing.numbers


async def _large(store: Store, what: Deleted, business_id: str, *numbers: str) -> Forgotten | None:
    """Delete where that takes a while, telling how far it is; None where it does not."""
    jobs, told = DeletionJobs(store, PATHS, SystemClock()), 0
    known = await jobs.open_one(what, business_id, numbers)
    if known is None and not await jobs.is_large(business_id):
        return None

    def tell(looked_at: int, written: int) -> None:
        nonlocal told
        if looked_at + written - told >= TOLD_EVERY:
            told = looked_at + written
            print(f"{looked_at} documents were looked at, {written} are done", file=sys.stderr, flush=True)

    if known is not None:
        before = f"{known.written} documents are done already"
        print(f"going on with what was begun at {known.started_at:%Y-%m-%d %H:%M} UTC: {before}", file=sys.stderr)
    return await jobs.carry_out(known or await jobs.begin(what, business_id, numbers), tell)


async def _is_there(store: Store, business_id: str) -> bool:
    """Tell whether there is such a business, or anything that a deleted one has left."""
    if await store.get(PATHS.within(business_id).business) is not None:
        return True
    async for _ in all_documents(store, PATHS, business_id):
        return True
    return False


def _told_of_caller(forgotten: Forgotten, *, is_dry: bool) -> Iterator[str]:
    yield from _counts("to delete" if is_dry else "deleted", forgotten.deleted)
    if forgotten.cleared:
        yield f"{'to clear' if is_dry else 'cleared'}: {forgotten.cleared} bookings (time, service and price stay)"
    yield from _counts("to redact" if is_dry else "redacted", forgotten.redacted)
    for why, count in forgotten.kept.items():
        yield f"kept: {count} in {why}"
    if forgotten.upcoming:
        yield f"still to come, and held: {', '.join(forgotten.upcoming)}; cancel them first if nobody will come"
    if forgotten.outside:
        yield f"also in an outside calendar, where they stay: {', '.join(forgotten.outside)}"
    if forgotten.rows:
        rows = ", ".join(f"{count} in {name}" for name, count in sorted(forgotten.rows.items()))
        yield f"also named in the business's own collections, where it stays: {rows} (Knowledge, Collections)"
    if forgotten.running:
        yield f"{forgotten.running} conversations had not ended, and may leave more: run it again behind them"
    if forgotten.left:
        yield f"{forgotten.left} documents changed in that moment: run it again"
    if not forgotten.found:
        yield "nothing is kept of this caller"
    elif is_dry:
        yield "nothing was deleted; add --yes to do it"


async def _business(store: Store, options: argparse.Namespace) -> Iterator[str]:
    if options.number:
        raise Problem("a business has no number here: scripts/forget business <id>")
    is_dry = options.yes is None
    if not is_dry and options.yes != options.business:
        raise Problem(f"to delete a business, name it twice: --yes {options.business}")
    done = None if is_dry else await _large(store, "business", options.business)
    counts = done.deleted if done else await forget_business(store, PATHS, options.business, dry_run=is_dry)
    if not counts:
        raise Problem(f"there is nothing of a business {options.business!r}")
    lines = [*_counts("to delete" if is_dry else "deleted", counts), ELSEWHERE]
    if not is_dry:
        return iter(lines)
    lost = await lost_tools(store, PATHS, lambda copy: _gone(copy, options.business))
    return iter([*lines, *lost, f"nothing was deleted; add --yes {options.business} to do it"])


async def _gone(store: Store, business_id: str) -> None:
    """Delete what says that there is a business, and who may ask for it; without it nothing else decides."""
    keys = await store.query(Query(PATHS.within(business_id).collection("apiKeys")))
    await store.commit([Delete(PATHS.within(business_id).business), *(Delete(key.path) for key in keys)])


def _counts(what: str, counts: Mapping[str, int]) -> Iterator[str]:
    if counts:
        yield f"{what}: " + ", ".join(f"{count} in {name}" for name, count in sorted(counts.items()))


def _complain(sentence: str) -> int:
    print(f"scripts/forget: {sentence}", file=sys.stderr)
    return 1

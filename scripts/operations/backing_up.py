"""Write everything in a Firestore, or one business, into a file of JSON lines, and back."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, TextIO

from command_line import CommandLine, Problem, store_trouble
from disk_trouble import told
from operations import seeding
from operations.offer_changes import REGISTRY, lost_tools
from switchboard.admin.businesses.document import check_document
from switchboard.admin.businesses.known_names import NamesThereAre
from switchboard.admin.maintenance import backup
from switchboard.admin.maintenance.backup_lines import BadLine, read_line
from switchboard.admin.maintenance.data_inventory import is_on_map
from switchboard.admin.maintenance.retrying_store import RetryingStore
from switchboard.app.clients import open_store
from switchboard.app.settings import Configuration
from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Store
from switchboard.contract.store import Invalid, StoreError
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
PART = ".part"
TOLD_EVERY = 1_000
_DECIDING = ("businesses", "tools", "agents", "agentTools", "config", "definitions")
USAGE = """examples:
  scripts/backup export backups/              everything, into a new file of that folder
  scripts/backup export salon.jsonl --business demo-salon
  scripts/backup import salon.jsonl --dry-run
  scripts/backup import salon.jsonl           into a place that holds nothing else
  scripts/backup import salon.jsonl --merge   and beside what is there, which stays as it is
  scripts/backup verify salon.jsonl           whether the file is, line by line, what was written
  scripts/backup verify salon.jsonl --stored  and whether the database holds just that

An export or import that was interrupted goes on where it stopped when it is run again with the same arguments. The
file holds what callers said and what owners keep, readable; secrets stay encrypted and are of use only with the same
SWITCHBOARD_KMS_KEY or SWITCHBOARD_SECRETS_KEY. Everything is all there is in the database, also what other programs
keep there; those collections are named. An export is no snapshot: for one of a large database that is in use, take
`gcloud firestore export`."""


def main(arguments: Sequence[str], open_store: Callable[[Configuration], Store] = open_store) -> int:
    """Do what the command line says; returns the exit code."""
    line = _command_line()
    options = line.parse_args(arguments)
    if options.business == "":
        # A variable of a script that is empty must not mean everybody.
        line.error("--business names no business; leave it out for everything")
    try:
        if options.what == "verify" and not options.stored:
            print(_verified(options.file))
            return 0
        target = seeding.read_target(options.project, options.database, os.environ)
        work = {"export": _export, "import": _import, "verify": _verify_stored}[options.what]
        options.source = f"{target.project}/{target.database or '(default)'}"
        print(asyncio.run(_with(RetryingStore(open_store(target)), work, options)))
    except (Problem, backup.CannotRestore) as problem:
        return _complain(str(problem))
    except Invalid as error:
        return _complain(f"the store refuses what it was asked: {error}")
    except StoreError as error:
        return _complain(store_trouble(error, again="Run it again: it goes on from there"))
    except OSError as error:
        return _complain(told(error) or f"{error.filename}: {error.strerror}")
    return 0


def _command_line() -> CommandLine:
    line = CommandLine("scripts/backup", "Write a store into a file of JSON lines, and back.", USAGE)
    line.add_argument("what", choices=("export", "import", "verify"))
    line.add_argument("file", type=Path, help="the file; for an export also the folder for a new one")
    line.add_argument("--business", help="export this business only")
    line.add_argument("--merge", action="store_true", help="import although other documents are there")
    line.add_argument("--edited", action="store_true", help="import although lines were changed by hand")
    line.add_argument("--stored", action="store_true", help="verify that the database holds what the file does")
    line.add_argument("--dry-run", action="store_true", help="say what would be written, and write nothing")
    line.add_argument("--project", help="the Google Cloud project (otherwise GOOGLE_CLOUD_PROJECT)")
    line.add_argument("--database", help="the Firestore database (otherwise FIRESTORE_DATABASE)")
    return line


async def _with(store: Store, work: Callable[[Store, argparse.Namespace], object], options: argparse.Namespace) -> str:
    try:
        return str(await work(store, options))  # type: ignore[misc]
    finally:
        await store.close()


async def _export(store: Store, options: argparse.Namespace) -> str:
    if options.dry_run:
        would = Counter([_collection(d.path) async for d, _ in backup.exported(store, PATHS, options.business)])
        return f"nothing was written: {would.total()} documents would be{_told_of_others(would)}"
    final, part = _files(options)
    if final.exists():
        raise Problem(f"{final} is there already: name another file")
    with _own_file(part) as file:
        counts, last, seal = _resumed(file, options.business, options.source, part)
        if counts:
            _say(f"going on behind {counts.total()} documents that are in {part} already")
        async for document, line in backup.exported(store, PATHS, options.business, last):
            file.write(seal.sealed(line).encode() + b"\n")
            counts[_collection(document.path)] += 1
            if counts.total() % TOLD_EVERY == 0:
                _say(f"{counts.total()} documents")
        if not counts:
            part.unlink()
            raise Problem(f"there is nothing to export{f' of {options.business}' if options.business else ''}")
        file.write(seal.end_line().encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    part.rename(final)
    return f"{counts.total()} documents are in {final}{_told_of_others(counts)}"


def _told_of_others(counts: Counter[str]) -> str:
    """Name the collections that are not Switchboard's, with how many documents each has."""
    others = sorted(f"{count} in {name}" for name, count in counts.items() if not is_on_map(name))
    return f", among them some that are none of Switchboard's: {', '.join(others)}" if others else ""


def _collection(path: str) -> str:
    return path.rpartition("/")[0].rpartition("/")[2]


def _files(options: argparse.Namespace) -> tuple[Path, Path]:
    """Return the file to write and the one that it is until it is whole."""
    if not options.file.is_dir():
        return options.file, options.file.with_name(options.file.name + PART)
    whose = options.business or "everything"
    begun = sorted(options.file.glob(f"switchboard-{whose}-*.jsonl{PART}"))
    if begun:
        return begun[-1].with_suffix(""), begun[-1]
    name = f"switchboard-{whose}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.jsonl"
    return options.file / name, options.file / (name + PART)


def _own_file(path: Path) -> BinaryIO:
    # What callers said is nobody else's business on a shared machine.
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")


def _resumed(file: BinaryIO, business_id: str | None, source: str, part: Path) -> tuple[Counter[str], str, backup.Seal]:
    """Cut a half-written file behind its last whole line; return its documents by collection, last path and seal."""
    counts: Counter[str] = Counter()
    first, second = file.readline(), file.readline()
    if not second.endswith(b"\n"):
        # Nothing stands in it, whatever it was begun for.
        file.seek(0)
        file.truncate()
        begun = backup.heading(business_id, datetime.now(UTC), source)
        file.write(begun.to_line().encode() + b"\n")
        return counts, "", backup.Seal(begun)
    begun = backup.read_heading(first.decode(errors="replace"))
    if (begun.business_id, begun.source) != (business_id, source):
        raise Problem(f"{part} was begun for something else: remove it, or name another file")
    if not begun.has_sums:
        raise Problem(f"{part} was begun before backups had sums: remove it, and begin anew")
    seal = backup.Seal(begun)
    file.seek(len(first))
    last, whole = "", file.tell()
    while (line := file.readline()).endswith(b"\n") and not line.startswith(b'{"end"'):
        try:
            path = read_line(line.decode())[0]
            seal.take(line.decode(), path)
        except (BadLine, UnicodeDecodeError, backup.CannotRestore):
            break
        last = path
        counts[_collection(last)] += 1
        whole = file.tell()
    file.seek(whole)
    file.truncate()
    return counts, last, seal


@contextmanager
def _reading(path: Path) -> Iterator[TextIO]:
    try:
        # Editors on Windows put a mark in front of the first line.
        with path.open(encoding="utf-8-sig") as file:
            yield file
    except UnicodeDecodeError:
        raise Problem(f"{path} is no backup, or a damaged or a compressed one: it is not text in UTF-8") from None


async def _import(store: Store, options: argparse.Namespace) -> str:
    if options.business:
        raise Problem("an import takes what is in the file: leave --business out")
    with _reading(options.file) as file:
        given = backup.read_heading(file.readline())

    def documents() -> Iterator[tuple[str, JsonObject]]:
        with _reading(options.file) as file:
            file.readline()
            yield from backup.documents_in(given, file, is_edited=options.edited)

    # All of it is read first: half a backup is not written because its second half is missing.
    comparison = await backup.compare(store, PATHS, given, documents, _telling("looked at"))
    whose = given.business_id or "everything"
    summary = f"backup of {whose} of {given.at}: {comparison.new} to write, {comparison.same} are there already"
    others = f"{comparison.kept} documents stand there otherwise and {comparison.foreign} are not in the backup"
    named = (
        f" ({', '.join(comparison.named)}{', ...' if comparison.kept > len(comparison.named) else ''})"
        if comparison.named
        else ""
    )
    _tell_what_is_wrong(documents())
    if options.dry_run:
        lost = await lost_tools(store, PATHS, lambda copy: _what_decides(copy, given, documents))
        return "\n".join([*lost, f"nothing was written; {summary}; {others}{named}"])
    if (comparison.kept or comparison.foreign) and not options.merge:
        raise Problem(
            f"nothing was written, because the place is not empty: {others}{named}. Import into an empty database, "
            "remove the business by scripts/forget, or add --merge to write what is missing beside it"
        )
    done = await backup.restore(store, PATHS, given, documents, _telling("there"))
    left_alone = f"; {done.kept} stay as they stood there{named}" if done.kept else ""
    return f"{done.new} documents were written, {done.same} were there already{left_alone}"


async def _what_decides(
    store: Store, given: backup.Heading, documents: Callable[[], Iterator[tuple[str, JsonObject]]]
) -> None:
    """Write what of a backup decides what businesses offer."""

    def deciding() -> Iterator[tuple[str, JsonObject]]:
        yield from (one for one in documents() if _collection(one[0]) in _DECIDING)

    await backup.restore(store, PATHS, given, deciding)


def _verified(path: Path) -> str:
    """Return what a file holds, which is all as it was written.

    Raises:
        CannotRestore: Something in it is not.
    """
    with _reading(path) as file:
        given = backup.read_heading(file.readline())
        counts = Counter(_collection(document) for document, _ in backup.documents_in(given, file))
    whose = given.business_id or "everything"
    sums = "each line and the whole are what was written" if given.has_sums else "it is whole, and too old to have sums"
    return f"backup of {whose} of {given.at}: {counts.total()} documents, {sums}{_told_of_others(counts)}"


async def _verify_stored(store: Store, options: argparse.Namespace) -> str:
    verified = _verified(options.file)
    with _reading(options.file) as file:
        given = backup.read_heading(file.readline())

    def documents() -> Iterator[tuple[str, JsonObject]]:
        with _reading(options.file) as file:
            file.readline()
            yield from backup.documents_in(given, file)

    comparison = await backup.compare(store, PATHS, given, documents, _telling("compared"))
    if comparison.new or comparison.kept or comparison.foreign:
        raise Problem(
            f"{verified}; the database differs: {comparison.new} are missing there, {comparison.kept} stand there "
            f"otherwise and {comparison.foreign} are not in the backup"
            + (f" ({', '.join(comparison.named)})" if comparison.named else "")
        )
    return f"{verified}; the database holds just that"


def _tell_what_is_wrong(documents: Iterator[tuple[str, JsonObject]]) -> None:
    """Name what is wrong with the businesses of a backup, which gives back what there was, and that as it was."""
    names = NamesThereAre.of([tool.definition for tool in Registry.load(REGISTRY).tools.values()])
    for path, document in documents:
        if path.rpartition("/")[0] == PATHS.businesses:
            for problem in check_document(path.rpartition("/")[2], document, names, is_stored=True):
                _say(f"{path}: {problem.message}")


def _telling(what: str) -> Callable[[backup.Restored], None]:
    """Return what says every thousand documents how many are done."""
    told = 0

    def tell(done: backup.Restored) -> None:
        nonlocal told
        if done.looked_at - told >= TOLD_EVERY:
            told = done.looked_at
            _say(f"{told} documents are {what}" if what == "there" else f"{told} documents were {what}")

    return tell


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _complain(sentence: str) -> int:
    print(f"scripts/backup: {sentence}", file=sys.stderr)
    return 1

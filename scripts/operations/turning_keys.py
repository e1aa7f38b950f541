"""Wrap everything that businesses keep secret with the newest key, or tell what hangs on which key."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Sequence

from command_line import CommandLine, Problem, store_trouble
from operations import seeding
from switchboard.admin.maintenance.retrying_store import RetryingStore
from switchboard.app.clients import Clients, open_store
from switchboard.app.settings import Configuration
from switchboard.contract.error import ToolError
from switchboard.contract.ports import Store
from switchboard.contract.store import StoreError
from switchboard.integrations.secrets.key_rotation import KeyCount

NAMED = 20
USAGE = """examples:
  scripts/secrets check              which key the secrets hang on, and what does not open
  scripts/secrets rotate --dry-run   how many would be moved to the newest key
  scripts/secrets rotate             move them

To turn SWITCHBOARD_SECRETS_KEY: put the new key in front of the old one, with a comma between them, wherever this
runs, then rotate, and take the old one out once nothing hangs on it any more. A key of Cloud KMS is turned by KMS;
rotate moves the secrets to its primary version. Interrupted, run it again: it goes on where it stopped. Calls go on
meanwhile.

Which Firestore: FIRESTORE_EMULATOR_HOST for an emulator, otherwise the project that --project or GOOGLE_CLOUD_PROJECT
names. The keys are those of the environment: SWITCHBOARD_KMS_KEY, or SWITCHBOARD_SECRETS_KEY. check ends with 1 if
something does not open, or hangs on an older key; rotate if something was left on one."""


def main(arguments: Sequence[str], open_store: Callable[[Configuration], Store] = open_store) -> int:
    """Do what the command line says; returns the exit code."""
    options = _command_line().parse_args(arguments)
    try:
        in_memory = "ask that server's GET /admin/health, which names what does not open"
        target = seeding.read_target(options.project, options.database, os.environ, in_memory=in_memory)
        if not (target.kms_key or target.secrets_key):
            raise Problem(
                "which key? Set SWITCHBOARD_KMS_KEY or SWITCHBOARD_SECRETS_KEY as the deployment has it; scripts/run "
                "keeps the one of its emulator in ~/.local/state/switchboard/secrets_key"
            )
        count = asyncio.run(_counted(Clients(target, RetryingStore(open_store(target))), options))
    except StoreError as error:
        return _complain(store_trouble(error, again="Run it again: it goes on from there"))
    except ToolError as error:
        why = error.detail or error.message
        return _complain(f"the key cannot be used now ({why}); run it again, it goes on from there")
    except Problem as problem:
        return _complain(str(problem))
    print("\n".join(_told(count, options)))
    return 1 if count.unopened or (count.on_older and not options.dry_run) else 0


def _command_line() -> CommandLine:
    line = CommandLine("scripts/secrets", "Turn the key that secrets are kept with.", USAGE)
    line.add_argument("what", choices=("rotate", "check"))
    line.add_argument("--dry-run", action="store_true", help="say what would be moved, and write nothing")
    line.add_argument("--project", help="the Google Cloud project (otherwise GOOGLE_CLOUD_PROJECT)")
    line.add_argument("--database", help="the Firestore database (otherwise FIRESTORE_DATABASE)")
    return line


async def _counted(clients: Clients, options: argparse.Namespace) -> KeyCount:
    try:
        if options.what == "check" or options.dry_run:
            return await clients.key_rotation.counted()
        return await clients.key_rotation.rotate(_report)
    finally:
        await clients.http.close()
        await clients.store.close()


def _report(count: KeyCount) -> None:
    print(f"{count.businesses} businesses, {count.moved} secrets moved", file=sys.stderr, flush=True)


def _told(count: KeyCount, options: argparse.Namespace) -> Iterator[str]:
    newest = count.newest or "(unnamed)"
    yield f"{count.secrets.total()} secrets of {count.businesses} businesses; the newest key is {newest}"
    for name, secrets in sorted(count.secrets.items()):
        yield f"  {secrets:>6} on {'the newest key' if name == count.newest else name}"
    if options.what == "rotate" and options.dry_run:
        yield f"nothing was written: {count.on_older} secrets would be moved to the newest key"
    elif options.what == "rotate":
        yield f"{count.moved} secrets were moved; {count.on_older} are left on an older key"
    elif count.on_older:
        yield f"{count.on_older} secrets hang on an older key, which must stay until scripts/secrets rotate moved them"
    for business, why in sorted(count.unopened.items())[:NAMED]:
        yield f"{business}: what it keeps secret does not open: {why}"
    if count.unopened:
        more = f", {len(count.unopened) - NAMED} more of them not named here" if len(count.unopened) > NAMED else ""
        yield (
            f"{len(count.unopened)} businesses cannot be opened{more}: put the key that is missing behind the newest "
            "one in SWITCHBOARD_SECRETS_KEY (or enable its version in Cloud KMS); if it is lost, their owners enter "
            "what they keep secret anew, which works at once"
        )


def _complain(sentence: str) -> int:
    print(f"scripts/secrets: {sentence}", file=sys.stderr)
    return 1

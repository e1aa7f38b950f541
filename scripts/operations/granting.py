"""Give people roles in businesses, take them away, and show who has which: claims that their ID tokens then carry.

Each business concerned is told of it in its audit, once the claims are set. Where that fails the command says how to
have it told later; telling what is told already changes nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from command_line import SIGN_IN, CommandLine, Problem, store_trouble
from operations import seeding
from operations.accounts import Account, Accounts
from switchboard.admin.access.access import OwnerIdentity
from switchboard.admin.access.roles import Role
from switchboard.admin.credentials.role_entries import RoleChange, RoleEntries
from switchboard.app.clients import SystemClock, open_store
from switchboard.app.settings import Configuration
from switchboard.contract.error import ToolError
from switchboard.contract.ports import Store
from switchboard.contract.store import StoreError
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
ROLES = [role.value for role in Role if role is not Role.PLATFORM]
PLATFORM, IN_BUSINESSES = "platformAdmin", "roles"
NOTHING = "nothing"
USAGE = """examples:
  scripts/grant maria@example.com demo-salon owner     (or editor, or viewer)
  scripts/grant maria@example.com demo-salon --revoke
  scripts/grant maria@example.com --platform-admin     (every business; --revoke takes it away)
  scripts/grant maria@example.com --list
  scripts/grant --list                                 (everybody who has a role)
  scripts/grant maria@example.com demo-salon owner --was viewer
                                                       (tells the audit alone, where that failed before)

Whoever is given a role has to have signed in once. They have it with the next token: at once where they have none yet,
otherwise within the hour. A role that is taken away or made smaller also ends their sign-ins: nothing can be changed
with those from then on, and what they still see is over within the hour. The business's audit says who was given what
(every business's, with --platform-admin). Which project: --project or GOOGLE_CLOUD_PROJECT;
FIREBASE_AUTH_EMULATOR_HOST names the Auth emulator."""


def main(arguments: Sequence[str], open_store: Callable[[Configuration], Store] = open_store) -> int:
    """Do what the command line says; returns the exit code."""
    line = _command_line()
    options = line.parse_args(arguments)
    if problem := _contradiction(options):
        line.error(problem)
    try:
        target = seeding.read_target(options.project, options.database, os.environ)
        asyncio.run(_run(target, options, open_store))
    except Problem as error:
        return _complain(str(error))
    except ToolError as error:
        reason = error.detail or error.message
        return _complain(SIGN_IN if "no Google credentials" in reason else reason)
    except StoreError as error:
        return _complain(store_trouble(error))
    return 0


def changed(claims: Mapping[str, Any], business_id: str, role: str | None) -> dict[str, Any]:
    """Return the claims with a role in a business, or none there for None; with `business_id` "" platform admin.

    All other claims stay as they are.
    """
    changed_claims = dict(claims)
    if not business_id:
        changed_claims.pop(PLATFORM, None)
        return changed_claims | ({PLATFORM: True} if role else {})
    others = {id: by_name for id, by_name in _roles(claims).items() if id != business_id}
    roles = others | ({business_id: role} if role else {})
    changed_claims.pop(IN_BUSINESSES, None)
    return changed_claims | ({IN_BUSINESSES: roles} if roles else {})


def _command_line() -> CommandLine:
    line = CommandLine("scripts/grant", "Give people roles in businesses, and take them away.", USAGE)
    line.add_argument("who", nargs="?", help="an e-mail address, or the id of a user")
    line.add_argument("business", nargs="?")
    line.add_argument("role", nargs="?", choices=ROLES)
    line.add_argument("--platform-admin", action="store_true", help="every business, and what belongs to none")
    line.add_argument("--revoke", action="store_true", help="take it away")
    line.add_argument("--list", action="store_true", help="show roles, and change nothing")
    line.add_argument("--dry-run", action="store_true", help="say what would be done, and change nothing")
    line.add_argument(
        *("--was",),
        choices=[*ROLES, Role.PLATFORM.value, NOTHING],
        help="change no role, and tell the audit of a change that it does not know of yet: what the role was before",
    )
    line.add_argument("--project", help="the Google Cloud project (otherwise GOOGLE_CLOUD_PROJECT)")
    line.add_argument("--database", help="the Firestore database (otherwise FIRESTORE_DATABASE)")
    return line


def _contradiction(options: argparse.Namespace) -> str:
    is_change = bool(options.business or options.role or options.platform_admin or options.revoke or options.dry_run)
    is_change = is_change or options.was is not None
    if options.list:
        return "--list goes with an e-mail address, or with nothing" if is_change else ""
    if not options.who:
        return "say who, or --list"
    if bool(options.business) == options.platform_admin:
        return "name a business, or --platform-admin" if not options.business else "--platform-admin needs no business"
    if options.business and bool(options.role) == options.revoke:
        return "name a role or --revoke" if not options.role else "--revoke needs no role"
    if options.was is not None and options.dry_run:
        return "--was has no --dry-run"
    known = {NOTHING, Role.PLATFORM.value} if options.platform_admin else {NOTHING, *ROLES}
    if options.was is not None and options.was not in known - {_wanted(options) or NOTHING}:
        return f"it cannot have been {options.was} before that"
    return ""


async def _run(
    target: Configuration, options: argparse.Namespace, open_store: Callable[[Configuration], Store]
) -> None:
    accounts = Accounts(target.project, target.auth_emulator_host)
    if options.list:
        await _list(accounts, options.who)
        return
    store = open_store(target)
    try:
        await _change(target, accounts, store, options)
    finally:
        await store.close()


async def _list(accounts: Accounts, who: str | None) -> None:
    listed = [await accounts.find(who)] if who else await accounts.everyone()
    rows = [row for account in listed for row in _rows(account)]
    for row in sorted(rows):
        print("  ".join(row))
    if not rows:
        print(f"{who or 'nobody'} has {'no' if who else 'a'} role")


async def _change(target: Configuration, accounts: Accounts, store: Store, options: argparse.Namespace) -> None:
    if options.business and not options.revoke and await store.get(PATHS.within(options.business).business) is None:
        raise Problem(f"there is no business {options.business!r} in {target.project}")
    account, entries = await accounts.find(options.who), RoleEntries(store, PATHS, SystemClock())
    business_id = options.business or ""
    claims = changed(account.claims, business_id, _wanted(options) or None)
    before, after = (_role_in(each, business_id) for each in (account.claims, claims))
    change = RoleChange(account.id, account.name, before, after, is_platform=options.platform_admin)
    place = f"in {business_id}" if business_id else "everywhere"
    text = f"{account.name} {{}} {_word(after)} {place} (was {{}})"
    if options.was is not None:
        if claims != account.claims:
            is_now = f"{account.name} is {_word(before)} {place}, and not {_word(after)}"
            raise Problem(f"{is_now}: the audit is told of what was done, and of nothing else")
        was = "" if options.was == NOTHING else options.was
        await _tell_again(entries, business_id, replace(change, before=was))
        print(f"the audit says that {text.format('is now', _word(was))}")
    elif claims == account.claims:
        print(f"nothing to do: {account.name} is {_word(after)} {place}")
        await _remind(entries, options, change)
    elif options.dry_run:
        print(text.format("would be", _word(before)))
    else:
        await accounts.set_claims(account, claims, ends_sign_ins=_is_less(before, after))
        print(text.format("is now", _word(before)))
        try:
            async for id in entries.concerned(business_id):
                await entries.tell(id, who_runs_this("scripts/grant"), change)
        except StoreError as error:
            raise Problem(
                f"that was done, but the audit does not say so everywhere ({error}); have it say so with: "
                f"{_command(options, before)}"
            ) from None


async def _tell_again(entries: RoleEntries, business_id: str, change: RoleChange) -> None:
    async for id in entries.concerned(business_id):
        if await entries.last(id, change) != (change.before, change.after):
            await entries.tell(id, who_runs_this("scripts/grant"), change)


async def _remind(entries: RoleEntries, options: argparse.Namespace, change: RoleChange) -> None:
    """Say where the audit's last word is another one, as it is where this command was killed on its way."""
    async for id in entries.concerned(options.business or ""):
        _, last = await entries.last(id, change)
        if last != change.after:
            print(f"the audit of {id} does not say so; have it say so with: {_command(options, last)}")
            return


def _wanted(options: argparse.Namespace) -> str:
    return "" if options.revoke else options.role or Role.PLATFORM.value


def _word(role: str) -> str:
    return "platform admin" if role == Role.PLATFORM.value else role or NOTHING


def _command(options: argparse.Namespace, was: str) -> str:
    named = [("--project", options.project), ("--database", options.database)]
    words = [options.who, *([options.business] if options.business else ["--platform-admin"])]
    words += ["--revoke"] if options.revoke else [options.role] if options.role else []
    words += ["--was", was or NOTHING, *(word for name, value in named if value for word in (name, value))]
    return shlex.join(["scripts/grant", *words])


def who_runs_this(command: str) -> OwnerIdentity:
    """Return who runs a command, as far as this computer knows."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError, ImportError):
        name = ""
    return OwnerIdentity(f"operator:{name}" if name else "operator", f"{name or 'operator'}, by {command}")


def _roles(claims: Mapping[str, Any]) -> Mapping[str, Any]:
    roles = claims.get(IN_BUSINESSES)
    return roles if isinstance(roles, Mapping) else {}


def _role_in(claims: Mapping[str, Any], business_id: str) -> str:
    if not business_id:
        return Role.PLATFORM.value if claims.get(PLATFORM) is True else ""
    return str(_roles(claims).get(business_id) or "")


def _is_less(before: str, after: str) -> bool:
    # The roles stand in the order of what they allow.
    return bool(before) and (not after or (before in ROLES and ROLES.index(after) > ROLES.index(before)))


def _rows(account: Account) -> list[tuple[str, str, str]]:
    rows = [(account.name, id, str(role)) for id, role in _roles(account.claims).items()]
    return rows + ([(account.name, "*", _word(Role.PLATFORM.value))] if account.claims.get(PLATFORM) is True else [])


def _complain(sentence: str) -> int:
    print(f"scripts/grant: {sentence}", file=sys.stderr)
    return 1

"""Make a business of a template in a Firestore, list the templates, or tell what is left to do for a business."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Sequence

from command_line import CommandLine, Problem, store_trouble
from operations import built_tools, seeding
from operations.granting import who_runs_this
from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound, NotValid
from switchboard.admin.access.roles import Role
from switchboard.admin.api.wording import wrong_with
from switchboard.admin.businesses.number_conflicts import NumberConflicts
from switchboard.admin.maintenance.deletion_jobs import DeletionJobs
from switchboard.admin.opening.checklist import ChecklistStep, OpeningChecklist, steps_before
from switchboard.admin.opening.models import NewBusinessBody
from switchboard.admin.opening.new_business import NewBusinesses, OpenedBusiness
from switchboard.admin.opening.templates import BusinessTemplates
from switchboard.app.clients import Clients, open_store
from switchboard.app.settings import Configuration
from switchboard.contract.error import ToolError
from switchboard.contract.ports import Store
from switchboard.contract.store import StoreError
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
USAGE = """examples:
  scripts/new_business --templates
  scripts/new_business "Birch Lane Hair" --template salon-en --timezone America/Chicago --dry-run
  scripts/new_business "Birch Lane Hair" --template salon-en --timezone America/Chicago \\
      --number +13125550110 --transfer-to +13125550120 --owner Dana --owner-email dana@example.com
  scripts/new_business --checklist birch-lane-hair

It is made whole or not at all, with its first API key, which is printed once. Which Firestore: FIRESTORE_EMULATOR_HOST
for an emulator (scripts/run prints its address), otherwise the project that --project or GOOGLE_CLOUD_PROJECT names.
scripts/forget business takes it away again."""
# Names in what is sent, by the options they are given with.
_OPTIONS = {
    "template": ("template", "of which template; --templates lists them"),
    "id": ("businessId", "its id for good (otherwise made of its name)"),
    "timezone": ("timezone", "an IANA name, such as America/Chicago (otherwise the template's)"),
    "phone": ("phone", "the number that callers are told"),
    "email": ("email", "the address that callers are told"),
    "address": ("address", "where it is"),
    "website": ("website", "its website"),
    "number": ("twilioNumber", "the number that callers dial, as +15185550110"),
    "transfer-to": ("transferTo", "the number that rings when a caller wants a person"),
    "owner": ("ownerName", "whom callers leave messages for"),
    "owner-phone": ("ownerPhone", "their number, for a text about each message"),
    "owner-email": ("ownerEmail", "their address, for an e-mail about each message"),
}


def main(arguments: Sequence[str], open_store: Callable[[Configuration], Store] = open_store) -> int:
    """Do what the command line says; returns the exit code."""
    line = _command_line()
    options = line.parse_args(arguments)
    named = [options.name is not None, options.templates, options.checklist is not None]
    if sum(named) != 1:
        line.error("say the name of a new business, --templates, or --checklist BUSINESS")
    if options.name is not None and options.template is None:
        line.error("say of which template: --template; --templates lists them")
    try:
        if built_tools.are_stale():
            built_tools.build()
        if options.templates:
            print("\n".join(_listed(BusinessTemplates())))
            return 0
        target = seeding.read_target(options.project, options.database, os.environ)
        for text in asyncio.run(_run(Clients(target, open_store(target)), options)):
            print(text)
    except NotValid as error:
        return _complain([_in_options(problem.field, problem.message) for problem in error.problems])
    except NotFound:
        return _complain([f"there is no business {options.checklist!r}"])
    except ToolError as error:
        return _complain([error.message])
    except StoreError as error:
        return _complain([store_trouble(error)])
    except Problem as problem:
        return _complain([str(problem)])
    return 0


def _command_line() -> CommandLine:
    line = CommandLine("scripts/new_business", "Make a business of its trade's template.", USAGE)
    line.add_argument("name", nargs="?", help="what callers know it by")
    for option, (_, about) in _OPTIONS.items():
        line.add_argument(f"--{option}", help=about)
    line.add_argument("--dry-run", action="store_true", help="tell what would be made, and make nothing")
    line.add_argument("--templates", action="store_true", help="list the templates")
    line.add_argument("--checklist", metavar="BUSINESS", help="tell what is left to do before callers can call it")
    line.add_argument("--project", help="the Google Cloud project (otherwise GOOGLE_CLOUD_PROJECT)")
    line.add_argument("--database", help="the Firestore database (otherwise FIRESTORE_DATABASE)")
    return line


async def _run(clients: Clients, options: argparse.Namespace) -> list[str]:
    checklist = OpeningChecklist(clients.store, PATHS, clients.clock)
    try:
        if options.checklist is not None:
            return list(_left(await checklist.steps(options.checklist)))
        values = {field: getattr(options, option.replace("-", "_")) for option, (field, _) in _OPTIONS.items()}
        given = {field: value for field, value in values.items() if value is not None}
        wish = {"name": options.name, **given, "dryRun": options.dry_run}
        if problems := wrong_with(NewBusinessBody, wish):
            raise NotValid(problems)
        numbers = NumberConflicts(clients.store, PATHS, clients.secrets)
        deletions = DeletionJobs(clients.store, PATHS, clients.clock)
        businesses = NewBusinesses(clients.store, PATHS, clients.clock, BusinessTemplates(), numbers, deletions)
        permit = Permit(who_runs_this("scripts/new_business"), "", Role.PLATFORM)
        opened = await businesses.open(permit, NewBusinessBody.model_validate(wish))
        steps = await checklist.steps(opened.id) if opened.key else steps_before(opened.id, opened.document)
        return [*_told(opened), *_left(steps)]
    finally:
        await clients.http.close()
        await clients.store.close()


def _listed(templates: BusinessTemplates) -> Iterator[str]:
    width = max((len(id) for id in templates.all), default=0)
    for template in templates.all.values():
        trade = f"{template.trade} ({template.language}, {template.timezone})"
        yield f"{template.id:<{width}}  {trade}: {', '.join(template.services)}"


def _told(opened: OpenedBusiness) -> Iterator[str]:
    counts = ", ".join(f"{count} {name}" for name, count in sorted(opened.counts.items()))
    if opened.key is None:
        yield f"nothing was made: {opened.id} would be, of {opened.template}, with {counts}"
        return
    yield f"{opened.id} is made, of {opened.template}, with {counts}"
    yield f"its first API key, kept nowhere else: {opened.key.text}"


def _left(steps: Sequence[ChecklistStep]) -> Iterator[str]:
    for step in steps:
        sign, how = ("[x]", "") if step.is_done else ("[ ]", f": {step.how}")
        yield f"{sign} {step.what}{how}"


def _in_options(field: str, message: str) -> str:
    """Return a sentence that begins with the option a value was given with, in place of the field's name."""
    option = next((f"--{option}" for option, (name, _) in _OPTIONS.items() if name == field), "")
    return f"{option}{message.removeprefix(field)}" if option and message.startswith(f"{field} ") else message


def _complain(sentences: Sequence[str]) -> int:
    for sentence in sentences:
        print(f"scripts/new_business: {sentence}", file=sys.stderr)
    return 1

"""Compare a business's tools with what Vapi has, and bring Vapi in line when told to."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from command_line import CommandLine, Problem, store_trouble
from operations import seeding
from switchboard.admin.access.access import OwnerIdentity, Permit
from switchboard.admin.access.roles import Role
from switchboard.admin.tenant_tools.services import open_tool_room
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.admin.vapi.callback_key import CallbackKeys
from switchboard.admin.vapi.client import VapiMirrors
from switchboard.admin.vapi.reconciler import Status, VapiReconciler
from switchboard.app.clients import Clients
from switchboard.app.settings import Configuration
from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.error import ToolError
from switchboard.contract.store import StoreError

OUT_OF_LINE = 3
USAGE = """examples:
  scripts/vapi_status demo-salon
  scripts/vapi_status demo-salon --json
  scripts/vapi_status demo-salon --repair

Without --repair nothing is changed. Ends with 0 when all is in line, with 3 when something is not, with 1 when nobody
can tell. Which Firestore: FIRESTORE_EMULATOR_HOST for an emulator (scripts/run prints its address), otherwise the
project that --project or GOOGLE_CLOUD_PROJECT names. The business's key for Vapi is opened with what opens secrets
there (SWITCHBOARD_SECRETS_KEY or SWITCHBOARD_KMS_KEY), and SWITCHBOARD_PUBLIC_URL says which tools are ours."""


def main(arguments: Sequence[str], outside: Callable[[Configuration], Clients] = Clients) -> int:
    """Do what the command line says; returns the exit code."""
    line = _command_line()
    options = line.parse_args(arguments)
    if not options.business:
        line.error("the business's id is empty")
    try:
        target = seeding.read_target(options.project, options.database, os.environ)
        status = asyncio.run(_status(outside(target), options))
    except (ToolError, Problem) as error:
        return _complain(error.message if isinstance(error, ToolError) else str(error))
    except StoreError as error:
        return _complain(store_trouble(error))
    shown = status.to_json()
    print(json.dumps(shown, indent=2) if options.json else "\n".join(_lines(options.business, shown)))
    return OUT_OF_LINE if status.findings else 0


def _command_line() -> CommandLine:
    line = CommandLine("scripts/vapi_status", "Compare a business's tools with what Vapi has.", USAGE)
    line.add_argument("business", help="whose tools")
    line.add_argument("--repair", action="store_true", help="bring Vapi in line")
    line.add_argument("--json", action="store_true", help="print JSON, as GET /api/{slug}/vapi answers it")
    line.add_argument("--project", help="the Google Cloud project (otherwise GOOGLE_CLOUD_PROJECT)")
    line.add_argument("--database", help="the Firestore database (otherwise FIRESTORE_DATABASE)")
    return line


async def _status(outside: Clients, options: Namespace) -> Status:
    try:
        reconciler = _reconciler(outside)
        if not options.repair:
            return await reconciler.status(options.business)
        who = OwnerIdentity("script:vapi_status", "scripts/vapi_status", is_platform=True)
        return await reconciler.repair(Permit(who, options.business, Role.PLATFORM))
    finally:
        await outside.http.close()
        await outside.store.close()


def _reconciler(outside: Clients) -> VapiReconciler:
    from switchboard.app.core import REGISTRY

    keys = CallbackKeys(outside.store, outside.paths, outside.secrets)
    mirrors = VapiMirrors(outside.voice_platforms, keys, outside.configuration.public_url)
    names = Registry.load(REGISTRY).tools
    store = ToolStore(outside.store, outside.paths, outside.clock)
    # What this process knows of a business ends with it; others read it anew within a minute.
    room = open_tool_room(
        store, mirrors, outside.secrets, lambda: names, lambda business_id: None, outside.egress.problem
    )
    return room.reconciler


def _lines(business: str, status: Mapping[str, Any]) -> Iterator[str]:
    if not status["isConnected"]:
        yield f"{business} has no account with Vapi"
        return
    for finding in status["repaired"]:
        yield f"  repaired  {finding['deviation']:<16}  {finding['words']}"
    for finding in status["findings"]:
        yield f"  {finding['deviation']:<16}  {finding['words']}"
        if finding.get("problem"):
            yield f"  {'':<16}  {finding['problem']}"
    tools = f"{status['tools']} tool{'' if status['tools'] == 1 else 's'}"
    yield f"{business}: {tools} for Vapi, " + ("all in line" if status["isInLine"] else "not in line")


def _complain(sentence: str) -> int:
    print(f"scripts/vapi_status: {sentence}", file=sys.stderr)
    return 1

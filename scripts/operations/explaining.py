"""Tell why a call ended as it did, or list a session's calls, from the ledger in a Firestore."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import urlencode

from command_line import CommandLine, Problem, store_trouble
from operations import seeding
from switchboard.admin.conversations.explain import CallLine, Explanation, calls, explain
from switchboard.admin.conversations.trace_calls import calls_in
from switchboard.app.clients import open_store
from switchboard.app.settings import Configuration
from switchboard.contract.ports import Store
from switchboard.contract.store import StoreError
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
WIDTH = 100
CALLS_NAMED = 40
_TRACE = re.compile(r"[0-9a-f]{32}")
USAGE = """examples:
  scripts/explain demo-salon s_1
  scripts/explain demo-salon s_1 c_1
  scripts/explain demo-salon s_1 c_1 --json
  scripts/explain --trace 4bf92f3577b34da6a3ce929d0e0e4736    the calls of a line in the log, whosever they were

Which Firestore: FIRESTORE_EMULATOR_HOST for an emulator (scripts/run prints its address), otherwise the project that
--project or GOOGLE_CLOUD_PROJECT names. --json also holds the receipt and the message that the model was given, and
with them what callers said."""


def main(arguments: Sequence[str], open_store: Callable[[Configuration], Store] = open_store) -> int:
    """Do what the command line says; returns the exit code."""
    line = _command_line()
    options = line.parse_args(arguments)
    if not options.trace and (not options.business or not options.session):
        line.error("name a business and a session, or a trace by --trace")
    if options.trace and (options.business or not _TRACE.fullmatch(options.trace)):
        line.error("--trace takes the 32 hexadecimal digits of a log line's trace, and nothing beside it")
    try:
        target = seeding.read_target(options.project, options.database, os.environ, in_memory=_asked(options))
        print(asyncio.run(_told(open_store(target), options)))
    except StoreError as error:
        return _complain(store_trouble(error))
    except Problem as problem:
        return _complain(str(problem))
    return 0


def _asked(options: argparse.Namespace) -> str:
    """Return what to do instead beside a server that keeps everything in its memory."""
    if options.trace:
        return "look for the trace in that server's log, whose lines name business, session and callId"
    query = urlencode({"session": options.session} | ({"call": options.call} if options.call else {}))
    return f"ask the server, with the owner's key, for GET /admin/explain?{query}"


def _command_line() -> CommandLine:
    line = CommandLine("scripts/explain", "Tell why a call ended as it did.", USAGE)
    line.add_argument("business", nargs="?", help="whose call")
    line.add_argument("session", nargs="?", help="the conversation")
    line.add_argument("call", nargs="?", help="the call; without it the session's calls are listed")
    line.add_argument("--trace", help="tell the calls that were made in this trace")
    line.add_argument("--json", action="store_true", help="print JSON, as GET /admin/explain answers it")
    line.add_argument("--project", help="the Google Cloud project (otherwise GOOGLE_CLOUD_PROJECT)")
    line.add_argument("--database", help="the Firestore database (otherwise FIRESTORE_DATABASE)")
    return line


async def _traced(store: Store, options: argparse.Namespace) -> str:
    """Tell every call of a trace, the first one first."""
    explanations: list[Explanation] = []
    try:
        for business, session, call in await calls_in(store, options.trace):
            explanation = await explain(store, PATHS, business, session, call)
            explanations += [explanation] if explanation is not None else []
    finally:
        await store.close()
    if not explanations:
        raise Problem(
            f"no call was made in the trace {options.trace}: the line was about something else, the call was refused "
            "before it was recorded, or its record has expired"
        )
    if options.json:
        return _as_json([explanation.to_json() for explanation in explanations])
    return "\n\n".join("\n".join(_explanation(explanation)) for explanation in explanations)


async def _told(store: Store, options: argparse.Namespace) -> str:
    if options.trace:
        return await _traced(store, options)
    try:
        if options.call:
            explanation = await explain(store, PATHS, options.business, options.session, options.call)
            if explanation is not None:
                return _as_json(explanation.to_json()) if options.json else "\n".join(_explanation(explanation))
        known = await calls(store, PATHS, options.business, options.session)
    finally:
        await store.close()
    if not known:
        raise Problem(f"{options.business} has no session {options.session!r} in which a tool was called")
    if options.call:
        names = [call.id for call in known[:CALLS_NAMED]] + ["..."] * (len(known) > CALLS_NAMED)
        listed = ", ".join(map(_plain, names))
        raise Problem(f"session {options.session!r} has no call {options.call!r}; its calls are: {listed}")
    return _as_json([call.to_json() for call in known]) if options.json else "\n".join(_list(known))


def _explanation(explanation: Explanation) -> Iterator[str]:
    for sentence in explanation.sentences:
        yield textwrap.fill(sentence, WIDTH, subsequent_indent="  ")
    if not explanation.checks:
        return
    yield ""
    yield from _table(
        [
            ("CHECK", "DECIDED", "SAW"),
            *((entry["check"], entry["decided"], _seen(entry)) for entry in explanation.checks),
        ]
    )


def _seen(entry: Mapping[str, str]) -> str:
    saw, why = entry["saw"], entry.get("why")
    return f"{saw} ({why})" if saw and why else saw or f"({why})"


def _list(known: Sequence[CallLine]) -> Iterator[str]:
    rows = [(f"{call.at:%Y-%m-%d %H:%M:%S%z}", _plain(call.id), call.state, _plain(call.tool)) for call in known]
    yield from _table([("AT", "CALL", "STATE", "TOOL"), *rows])


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows in columns; the last one is wrapped within itself."""
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    indent = sum(widths) + 2 * len(widths)
    for row in rows:
        head = "".join(f"{cell:<{width}}  " for cell, width in zip(row, widths, strict=False))
        # Ids may be long: the last column keeps room of its own, even if the line then is longer.
        body = textwrap.wrap(row[-1], max(WIDTH - indent, WIDTH // 4)) or [""]
        yield (head + body[0]).rstrip()
        yield from (" " * indent + line for line in body[1:])


def _plain(text: str) -> str:
    # Ids and names are whatever a stranger sent: nothing of them may steer a terminal.
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _as_json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def _complain(sentence: str) -> int:
    print(f"scripts/explain: {sentence}", file=sys.stderr)
    return 1

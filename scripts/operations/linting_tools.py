"""Lint tools: the built-in folders, definitions in JSON files, or what a business has in a Firestore."""

from __future__ import annotations

import argparse
import asyncio
import codecs
import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import setting_up
from command_line import CommandLine, Problem, store_trouble
from operations import seeding
from switchboard.app.clients import open_store
from switchboard.app.settings import Configuration
from switchboard.catalog.schema.lint.lint import Lint, lint_documents
from switchboard.catalog.schema.lint.rules import LintFinding, LintSeverity
from switchboard.contract.ports import Store
from switchboard.contract.python.strict_json import MalformedJson, parse_json
from switchboard.contract.store import Document, Query, StoreError
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
TOOLS = Path("functions/switchboard/tools")
WIDTH = 100
_HOLDERS = ("result", "tools", "functionDeclarations", "function_declarations", "functions")
_OF_FUNCTIONS = _HOLDERS[2:]
"""Those in which only Gemini and OpenAI (in its older requests) put what a model may call."""
USAGE = """examples:
  scripts/lint_tools
  scripts/lint_tools my_tools.json
  scripts/lint_tools seeds/tools --json
  scripts/lint_tools --business demo-salon

A file holds one definition, a list of them, {"tools": [...]} or {"functions": [...]}, as this project, OpenAI,
Anthropic, Gemini or MCP write them.
With --business: the definitions that are published, and the tools that this business made itself, in the Firestore
that FIRESTORE_EMULATOR_HOST, --project or GOOGLE_CLOUD_PROJECT names.
What is right there and written otherwise here (names in camelCase, types in capitals, no description, a schema of an
older draft) is a warning; a tool of a vendor's own, such as its web search, is a hint.
A file of a folder that cannot be read is an error, and the others are looked at.
Exit code 1 when there is an error; warnings and hints leave it 0. Tokens are estimated: the declaration as compact
JSON, four characters a token."""


def main(arguments: Sequence[str], open_store: Callable[[Configuration], Store] = open_store) -> int:
    """Do what the command line says; returns the exit code."""
    line = _command_line()
    options = line.parse_args(arguments)
    if options.path and options.business:
        line.error("name a path or --business, not both")
    if options.business == "":
        line.error("the business's id is empty")
    try:
        unread: list[LintFinding] = []
        lint = lint_documents(_documents(options, open_store, unread))
        lint = replace(lint, findings=(*unread, *lint.findings))
    except StoreError as error:
        return _complain(store_trouble(error))
    except Problem as problem:
        return _complain(str(problem))
    if options.json:
        print(json.dumps(lint.to_json(), indent=2, ensure_ascii=False))
    else:
        print("\n".join(_text(lint, options.quiet)))
    return 1 if lint.has_errors else 0


def _command_line() -> CommandLine:
    line = CommandLine("scripts/lint_tools", "Tell what is wrong with tools, and what to do about it.", USAGE)
    line.add_argument("path", nargs="?", type=Path, help="a JSON file, or a folder of them; the built-in tools if none")
    line.add_argument("--business", help="whose tools, in a Firestore")
    line.add_argument("--json", action="store_true", help="print JSON: findings, and tokens by tool and dialect")
    line.add_argument("--quiet", action="store_true", help="leave out hints and the table of tokens")
    line.add_argument("--project", help="the Google Cloud project (otherwise GOOGLE_CLOUD_PROJECT)")
    line.add_argument("--database", help="the Firestore database (otherwise FIRESTORE_DATABASE)")
    return line


def _documents(
    options: argparse.Namespace, open_store: Callable[[Configuration], Store], unread: list[LintFinding]
) -> list[tuple[str, Any]]:
    """Return what is to be looked at; a file of a folder that cannot be read is a finding, and the others go on."""
    if options.business:
        target = seeding.read_target(options.project, options.database, os.environ)
        return asyncio.run(_of_business(open_store(target), options.business))
    path = options.path or setting_up.ROOT / TOOLS
    if not path.exists():
        raise Problem(f"{path} does not exist")
    files = [path] if path.is_file() else sorted([*path.glob("*/schema.json"), *path.glob("*.json")])
    chosen = list[tuple[str, Any]]()
    for file in files:
        try:
            chosen += _of_file(file)
        except Problem as problem:
            if file is path:
                raise
            why = str(problem).removeprefix(f"{file}: ")
            unread.append(LintFinding("file", LintSeverity.ERROR, file.name, "file", f"cannot be read: {why}"))
    if not chosen and not unread:
        raise Problem(f"{path} holds no definitions: name a JSON file, or a folder of them")
    return chosen


def _of_file(file: Path) -> Iterator[tuple[str, Any]]:
    name = file.parent.name if file.name == "schema.json" else file.stem
    try:
        # Editors on Windows begin a file with a mark that says nothing.
        document = parse_json(file.read_bytes().removeprefix(codecs.BOM_UTF8))
    except MalformedJson as error:
        raise Problem(f"{file}: it {error}") from None
    except OSError as error:
        raise Problem(f"{file}: {error.strerror}") from None
    rows = list(_rows(document))
    for number, row in enumerate(rows, 1):
        yield (name if len(rows) == 1 else f"{name}_{number}"), row


def _rows(document: Any) -> Iterator[Any]:
    """Yield each definition that a document holds, also where it is an answer to `tools/list` or Gemini's `tools`."""
    if isinstance(document, list):
        for row in document:
            yield from _rows(row)
        return
    held_as = next((key for key in _HOLDERS if key in document), "") if isinstance(document, dict) else ""
    inner = document[held_as] if held_as else None
    # A definition of ours has a `result` too: how its answer is told.
    is_answer = isinstance(inner, list) or (isinstance(inner, dict) and any(key in inner for key in _HOLDERS))
    if is_answer and held_as in _OF_FUNCTIONS:
        # By which each is known to be a vendor's, whatever it says itself.
        yield from ({"type": "function", "function": row} if isinstance(row, dict) else row for row in _rows(inner))
    elif is_answer:
        yield from _rows(inner)
    else:
        yield document


async def _of_business(store: Store, business: str) -> list[tuple[str, Any]]:
    try:
        if await store.get(PATHS.within(business).business) is None:
            raise Problem(f"there is no business {business!r}")
        published = await store.query(Query(PATHS.definitions))
        own = await store.query(Query(PATHS.within(business).collection("tools")))
    finally:
        await store.close()
    if not published and not own:
        raise Problem("no definitions are published there, so the built-in ones are used: run it without --business")
    return [(document.id, _decoded(document)) for document in published] + [_tenant_tool(document) for document in own]


def _decoded(document: Document) -> dict[str, Any]:
    """Return a definition with the schemas that are stored as text read; the linter tells what is wrong with them."""
    copy = dict(document.data)
    for part in ("parameters", "returns"):
        if isinstance(copy.get(part), str):
            try:
                copy[part] = parse_json(copy[part])
            except MalformedJson:
                continue
    return copy


def _tenant_tool(document: Document) -> tuple[str, dict[str, Any]]:
    """Return a business's own tool as the definition that a model is shown."""
    data = document.data
    schema = data.get("functionSchema")
    shown = dict(schema) if isinstance(schema, dict) else {}
    name = str(data.get("name") or document.id)
    kind = "retrieval" if data.get("type") == "query" else "action"
    return name, {"name": name, "description": data.get("description"), "kind": kind} | shown


def _text(lint: Lint, quiet: bool) -> Iterator[str]:
    tool = None
    for finding in lint.findings:
        if quiet and finding.severity is LintSeverity.HINT:
            continue
        if finding.tool != tool:
            yield _plain(finding.tool)
            tool = finding.tool
        head = f"  {finding.severity.value:<7}  {finding.rule}  {_plain(finding.place)}: "
        yield textwrap.fill(head + _plain(finding.text), WIDTH, subsequent_indent=" " * 11)
    if lint.costs and not quiet:
        yield ""
        yield from _costs(lint)
    counts = {severity: sum(f.severity is severity for f in lint.findings) for severity in LintSeverity}
    yield f"{len(lint.costs)} tools looked at: " + ", ".join(f"{n} {word.value}s" for word, n in counts.items())


def _costs(lint: Lint) -> Iterator[str]:
    dialects = list(lint.costs[0].tokens)
    width = max(len(cost.tool) for cost in lint.costs)
    yield f"{'ESTIMATED TOKENS':<{max(width, 16)}}  " + "  ".join(f"{name:>6}" for name in dialects)
    rows = [(cost.tool, [cost.tokens[name] for name in dialects]) for cost in lint.costs]
    rows.append(("all", [sum(column) for column in zip(*(counts for _, counts in rows), strict=True)]))
    for tool, counts in rows:
        yield f"{_plain(tool):<{max(width, 16)}}  " + "  ".join(
            f"{count:>{max(len(name), 6)}}" for name, count in zip(dialects, counts, strict=True)
        )


def _plain(text: str) -> str:
    # Names are whatever a stranger wrote: nothing of them may steer a terminal.
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _complain(sentence: str) -> int:
    print(f"scripts/lint_tools: {sentence}", file=sys.stderr)
    return 1

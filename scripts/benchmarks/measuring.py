"""The command line of scripts/bench; standard library only, until a figure is measured."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
from collections.abc import Sequence

from benchmarks.figure import Effort, Skipped
from command_line import CommandLine, Problem, file_to_write
from running.emulator import EmulatorFailed

FIGURES = (
    "listing",
    "formats",
    "tenant_tools",
    "cold",
    "costs",
    "dollars",
    "round_trips",
    "one_slot",
    "dispatch",
    "knowledge",
    "retrieval",
    "pages",
    "relay_calls",
    "conversation",
    "prompt",
    "played",
)
LOAD = ("load_peers", "load_calls", "load_growth", "scale", "durable", "gateway")
ROUNDS = 5
EPILOG = """figures:
  listing      the offered tools from a warm cache, against filtering prebuilt dicts
  formats      200 tools declared in each dialect from a warm catalog, against serialising them
  tenant_tools a call and a listing of tools that owners made, against built-in ones
  cold         a fresh process up to its first answer, against a bare function that imports Firestore
  costs        documents that Firestore bills for typical calls
  dollars      what a thousand calls, turns and phone calls cost, beside a minute at voice platforms
  round_trips  what a warm call asks of the store, and how long it takes on the emulator
  one_slot     100 callers want one time, or times that overlap, in four kinds of business, on a running server
  dispatch     a call through the whole pipeline, against the bare handler
  knowledge    how often the right passage is found, and how long 20 look-ups at once take
  retrieval    ten retrieval tools, 20 calls at once, against a running server
  pages        how long an owner waits for each page, and what it reads, with 100,000 conversations in the store
  conversation what the turn loop adds to tokens, calls and interruptions; a whole turn beside peers; and how long a
               caller hears nothing while a slow model thinks
  prompt       tokens of a conversation's first request for the demo businesses, and how much of the next is equal
  played       conversations in which somebody played the model: asks, requests, tokens, silence, an owner's stars
  relay_calls  200 phone calls at once, a turn each every five seconds

figures of --load:
  load_peers   a look-up by POST, 32 connections, against the MCP SDK, FastMCP and a bare function
  load_calls   calls, chats and phone turns at 1, 32 and 256 at once over the emulator, and whose the CPU time is
  load_growth  what a call costs from 1 to 1,000 businesses and 13 to 2,000 definitions, and memory over time
  scale        10,000 businesses with 50 calls an hour each: hot documents, and what each of several regions is asked
  durable      a recorded call and twenty kills, beside DBOS over PostgreSQL and Restate
  gateway      /mcp with a tool of its own and in front of another MCP server, beside the MCP SDK, FastMCP, LiteLLM
               and ContextForge; and how often each carries out what is delivered three times

Ratios are medians over the rounds, with the least and the greatest; one_slot takes one burst a round, cold at least
seven runs. The exit code is 1 when a target is missed."""


def read_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what the person asked for, or end the program with a sentence."""
    line = CommandLine("scripts/bench", "Measure what the design promises.", EPILOG)
    line.add_argument("figures", nargs="*", metavar="figure", help="which to measure (all)")
    line.add_argument("--rounds", type=_rounds, default=ROUNDS, metavar="NUMBER", help=f"how often each ({ROUNDS})")
    line.add_argument("--detail", action="store_true", help="also print where the time goes")
    line.add_argument("--peers", action="store_true", help="also measure what dispatch is to be faster than")
    line.add_argument("--quick", action="store_true", help="only see that it works: one short round of everything")
    line.add_argument("--load", action="store_true", help="measure servers under load instead")
    line.add_argument("--minutes", type=_minutes, default=0.0, metavar="NUMBER", help="how long to watch memory grow")
    line.add_argument("--json", type=file_to_write, metavar="FILE", help="also write every row to a file")
    options = line.parse_args(arguments)
    for name in options.figures:
        if name not in (*FIGURES, *LOAD):
            line.error(f"there is no figure {name!r}; choose from {', '.join((*FIGURES, *LOAD))}")
    options.figures = options.figures or list(LOAD if options.load else FIGURES)
    return options


def main(options: argparse.Namespace) -> int:
    """Measure and print; 1 when a target is missed, or a figure could not be measured."""
    from operations import built_tools

    try:
        if built_tools.are_stale():
            built_tools.build()
    except Problem as problem:
        print(f"scripts/bench: {problem}", file=sys.stderr)
        return 1
    effort = Effort(
        1 if options.quick else options.rounds, options.quick, options.detail, options.peers, options.minutes
    )
    print(machine(), flush=True)
    missed, rows = [], []
    for name in options.figures:
        try:
            figure = importlib.import_module(f"benchmarks.{name}").measure(effort)
        except Skipped as reason:
            print(f"\n{name}: skipped: {reason}", flush=True)
            continue
        except (Problem, EmulatorFailed) as problem:
            print(f"\n{name}: cannot be measured: {problem}", flush=True)
            missed.append(name)
            continue
        print(f"\n{figure.text()}", flush=True)
        rows += figure.rows(name)
        missed += [] if figure.is_met else [name]
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=2) + "\n")
    if missed:
        print(f"\nNOT met: {', '.join(missed)}")
    return 1 if missed else 0


def machine() -> str:
    """Return what the figures were measured on."""
    load = f"{os.getloadavg()[0]:.1f}"
    return f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.system()}, load {load} at the start"


def _rounds(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rounds")
    return int(text)


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = -1.0
    if not 0 < minutes <= 24 * 60:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of minutes")
    return minutes

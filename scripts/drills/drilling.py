"""The command line of scripts/drill; standard library only, until a drill begins."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from command_line import CommandLine, Problem, file_to_write
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Skipped, table
from drills.rows import listing
from running.emulator import EmulatorFailed

DRILLS = (
    *("deliveries", "kill", "frozen", "restarts", "hostile", "codes", "texts", "calendar", "twilio", "replays"),
    *("noisy", "clock", "sockets", "schemas", "canaries", "injection", "strangers", "identity", "stall"),
    *("simulate", "restore"),
)
AGAINST: dict[str, tuple[str, ...]] = {"emulate": ("texts", "calendar", "twilio")}
"""Which drills can be carried out against a server that is not ours, by the server's name."""
OUTSIDE = ("google", "microsoft", "caldav")
"""Whose calendars can be drilled, the usual first; see `drilled_calendars`."""
SEED = 1
MOST_CALLS = 10_000_000
MOST_TRIALS = 6_400
"""Of `--trials`: so many deeds have a caller's number and a time of their own."""
EPILOG = """drills:
  deliveries  every call is delivered twenty times, in any order, while the store is restarted
  kill        the server dies at every step of a booking, in either calendar, and around any write of seven deeds
  frozen      the store stops answering, or answers after two seconds
  restarts    the store restarts again and again while bookings are made
  hostile     malformed and malicious requests
  codes       one-time codes and facts are guessed, a thousand at once
  texts       text messages are asked for by the thousand
  calendar    the outside calendar refuses, fails, hangs, and is taken away
  twilio      Twilio fails in each way that it documents
  replays     webhooks of Twilio's and Vapi's come twice, changed, or forged
  noisy       one business floods the server that another one shares
  clock       the server's clock jumps
  sockets     the relay's WebSocket is abused
  schemas     owners enter malicious schemas, tools and API documents
  canaries    marked secrets are looked for in everything that comes out
  injection   a model obeys whatever it reads
  strangers   anonymous visitors and forged numbers take what they can get
  identity    whose data somebody gets, by number, facts or code, at each level, on each channel
  stall       texts are written and said that careless code takes minutes to read
  simulate    histories of failures, deaths and duplicates happen in simulated time, each from one seed
  restore     a large backup is brought back, and a large business deleted, by commands that are killed half way

With `--against emulate` three of them run against npm's emulate, which stands in for Twilio and Google as others
understood them; what it cannot show is left out, and named below the table. It needs Node, and npm's registry or cache.

Everything runs on 127.0.0.1, over Firestore emulators or the store in memory, and nothing is left running. Without an
option --quick holds.
One table at the end tells of all of them. The exit code is 1 when something differs from what is expected."""


def read_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what the person asked for, or end the program with a sentence."""
    line = CommandLine("scripts/drill", "Break things on purpose, and see whether they hold.", EPILOG)
    line.add_argument("drills", nargs="*", metavar="name", help="which drills (all)")
    sizes = line.add_mutually_exclusive_group()
    sizes.add_argument("--smoke", dest="size", action="store_const", const=SMOKE, help="only see that it works")
    sizes.add_argument("--quick", dest="size", action="store_const", const=QUICK, help="a few minutes in all")
    sizes.add_argument("--full", dest="size", action="store_const", const=FULL, help="as much as was promised")
    line.add_argument("--seed", type=_seed, default=SEED, metavar="NUMBER", help=f"decides what is random ({SEED})")
    line.add_argument(
        "--trials",
        type=_count,
        metavar="NUMBER",
        help=f"kill: have the server of so many deeds killed (at most {MOST_TRIALS}), and nothing else",
    )
    line.add_argument("--calls", type=_calls, metavar="NUMBER", help="simulate: make about so many calls")
    line.add_argument("--json", type=file_to_write, metavar="FILE", help="also write every row of every table")
    line.add_argument(
        "--against",
        choices=AGAINST,
        default="",
        help="do what can be done against this server of others, in place of our own stand-ins",
    )
    line.add_argument(
        "--calendar",
        choices=OUTSIDE,
        default=OUTSIDE[0],
        help=f"calendar, kill: whose calendar it is that appointments are entered in ({OUTSIDE[0]})",
    )
    line.add_argument("--list", dest="lists", action="store_true", help="only tell where each known fault is shown")
    options = line.parse_args(arguments)
    for name in options.drills:
        if name not in DRILLS:
            line.error(f"there is no drill {name!r}; choose from {', '.join(DRILLS)}")
    here = AGAINST.get(options.against, DRILLS)
    for name in options.drills:
        if name not in here:
            line.error(f"{name!r} does not run against {options.against}; choose from {', '.join(here)}")
    if options.against and options.calendar != OUTSIDE[0]:
        line.error(f"--calendar is for our own stand-ins; {options.against} has no other calendar than {OUTSIDE[0]}'s")
    if options.against and options.trials is not None:
        line.error(f"--trials is for the drill kill, which does not run against {options.against}")
    if options.calls is not None and options.drills != ["simulate"]:
        line.error("--calls is for the drill simulate; name that one alone")
    options.drills = options.drills or list(here)
    options.size = options.size or QUICK
    return options


def main(options: argparse.Namespace) -> int:
    """Drill and print; 1 when something differs, or a drill could not be carried out."""
    from operations import built_tools

    if options.lists:
        print(listing())
        return 0
    try:
        if built_tools.are_stale():
            built_tools.build()
    except Problem as problem:
        print(f"scripts/drill: {problem}", file=sys.stderr)
        return 1
    effort = Effort(options.size, options.seed, options.trials, options.against, options.calendar, options.calls)
    print(machine(effort), flush=True)
    # What every server imports is imported once for all of them.
    with importlib.import_module("drills.servers").shared_servers():
        ends = [_end_of(name, effort) for name in options.drills]
    print(f"\n{table([('', 'expected', 'seen', 'took', ''), *(end.row for end in ends)])}")
    if options.json:
        rows = [{"drill": end.name, **asdict(check)} for end in ends for check in end.checks]
        options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    differing = [end.name for end in ends if end.differs]
    if differing:
        print(f"\nDIFFERS: {', '.join(differing)}")
    return 1 if differing else 0


@dataclass(frozen=True)
class _End:
    """How one drill ended, as a row of the table of all."""

    name: str
    expected: str
    seen: str
    took_s: float
    verdict: str
    differs: bool
    checks: tuple[Check, ...] = ()

    @property
    def row(self) -> tuple[str, ...]:
        return self.name, self.expected, self.seen, f"{self.took_s:.0f} s", self.verdict


def _end_of(name: str, effort: Effort) -> _End:
    """Carry out one drill and print what came of it."""
    started = time.monotonic()

    def end(expected: str, seen: str, verdict: str, *, differs: bool, checks: tuple[Check, ...] = ()) -> _End:
        return _End(name, expected, seen, time.monotonic() - started, verdict, differs, checks)

    try:
        where = f"drills.{effort.against}" if effort.against else "drills"
        result = importlib.import_module(f"{where}.{name}").drill(effort)
    except Skipped as reason:
        print(f"\n{name}: skipped: {reason}", flush=True)
        return end("", "skipped", "", differs=False)
    except (Problem, EmulatorFailed) as problem:
        print(f"\n{name}: cannot be carried out: {problem}", flush=True)
        return end("", "cannot be carried out", "DIFFERS", differs=True)
    except Exception as error:
        # One that breaks down must not take the others' table along.
        traceback.print_exc()
        print(f"\n{name}: broke down: {type(error).__name__}: {error}", flush=True)
        return end("", "broke down", "DIFFERS", differs=True)
    print(f"\n{result.text()}", flush=True)
    return end(result.expected, result.seen, result.verdict, differs=not result.is_met, checks=result.checks)


def machine(effort: Effort) -> str:
    """Return what the drills run on, and how to run exactly these again."""
    load = f"{os.getloadavg()[0]:.1f}"
    system = f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.system()}, load {load}"
    trials = f" --trials {effort.trials}" if effort.trials is not None else ""
    against = f" --against {effort.against}" if effort.against else ""
    calendar = f" --calendar {effort.calendar}" if effort.calendar != OUTSIDE[0] else ""
    calls = f" --calls {effort.calls}" if effort.calls is not None else ""
    return f"{system}; --{effort.size} --seed {effort.seed}{trials}{calls}{against}{calendar}"


def _count(text: str) -> int:
    # Digits beyond the greatest number's are not read at all.
    is_number = text.isascii() and text.isdigit() and len(text.lstrip("0")) <= len(str(MOST_TRIALS))
    if not is_number or not 1 <= int(text) <= MOST_TRIALS:
        raise argparse.ArgumentTypeError(
            f"{text[:40]!r} is no number of trials; write a whole number from 1 to {MOST_TRIALS}"
        )
    return int(text)


def _calls(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:12]) <= MOST_CALLS):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number of calls; write one from 1 to {MOST_CALLS}")
    return int(text)


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a seed; write a whole number")
    return int(text)

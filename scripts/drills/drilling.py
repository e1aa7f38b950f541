"""The command line of scripts/drill; standard library only, until a drill begins."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import time
from collections.abc import Sequence

from command_line import CommandLine, Problem
from drills.result import FULL, QUICK, SMOKE, Effort, Skipped
from emulator import EmulatorFailed

DRILLS = ("deliveries", "kill", "frozen", "hostile")
SEED = 1
EPILOG = """drills:
  deliveries  every call is delivered twenty times, in any order, while the store is restarted
  kill        the server dies at every step of a booking, and somebody else finishes it
  frozen      the store stops answering, or answers after two seconds
  hostile     malformed and malicious requests

Everything runs on 127.0.0.1 over Firestore emulators, and nothing is left running. Without an option --quick holds.
The exit code is 1 when something differs from what is expected."""


def read_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what the person asked for, or end the program with a sentence."""
    line = CommandLine("scripts/drill", "Break things on purpose, and see whether they hold.", EPILOG)
    line.add_argument("drills", nargs="*", metavar="name", help="which drills (all)")
    sizes = line.add_mutually_exclusive_group()
    sizes.add_argument("--smoke", dest="size", action="store_const", const=SMOKE, help="only see that it works")
    sizes.add_argument("--quick", dest="size", action="store_const", const=QUICK, help="a few minutes in all")
    sizes.add_argument("--full", dest="size", action="store_const", const=FULL, help="as much as was promised")
    line.add_argument("--seed", type=_seed, default=SEED, metavar="NUMBER", help=f"decides what is random ({SEED})")
    found = line.parse_args(arguments)
    for name in found.drills:
        if name not in DRILLS:
            line.error(f"there is no drill {name!r}; choose from {', '.join(DRILLS)}")
    found.size = found.size or QUICK
    return found


def main(options: argparse.Namespace) -> int:
    """Drill and print; 1 when something differs, or a drill could not be carried out."""
    import built_tools

    try:
        if built_tools.are_stale():
            built_tools.build()
    except Problem as problem:
        print(f"scripts/drill: {problem}", file=sys.stderr)
        return 1
    effort = Effort(options.size, options.seed)
    print(machine(effort), flush=True)
    differing = [name for name in options.drills or DRILLS if not _is_met(name, effort)]
    if differing:
        print(f"\nDIFFERS: {', '.join(differing)}")
    return 1 if differing else 0


def _is_met(name: str, effort: Effort) -> bool:
    started = time.monotonic()
    try:
        result = importlib.import_module(f"drills.{name}").drill(effort)
    except Skipped as reason:
        print(f"\n{name}: skipped: {reason}", flush=True)
        return True
    except (Problem, EmulatorFailed) as problem:
        print(f"\n{name}: cannot be carried out: {problem}", flush=True)
        return False
    print(f"\n{result.text()}\n  It took {time.monotonic() - started:.0f} s.", flush=True)
    return bool(result.is_met)


def machine(effort: Effort) -> str:
    """Return what the drills run on, and how to run exactly these again."""
    load = f"{os.getloadavg()[0]:.1f}"
    system = f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.system()}, load {load}"
    return f"{system}; --{effort.size} --seed {effort.seed}"


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a seed; write a whole number")
    return int(text)

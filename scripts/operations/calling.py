"""Call one tool, or see what a model is told, without a server: the same catalog and dispatcher in this process."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import days
from command_line import ATTESTATIONS, STORES, WRONG_USAGE, CommandLine, Problem
from operations import built_tools
from running import demo, log_line, store_choice
from running.store_choice import StoreChoice
from switchboard.app.container import Container, build
from switchboard.app.settings import ConfigurationError, read_configuration
from switchboard.catalog.definitions.registry import RegistryError
from switchboard.catalog.offer.catalog import Options
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.error import ToolError
from switchboard.formats import FORMATS
from switchboard.state.paths import FirestorePaths

FAILED = 1
CHANNELS = tuple(channel.value for channel in Channel)
DIALECTS = ("canonical", *FORMATS)
EXAMPLES = f"""examples:
  scripts/call_tool check_availability '{{"date": "{{next Tuesday}}", "service": "Haircut"}}'
  scripts/call_tool get_policies '{{"topic": "cancellation"}}' --channel portal
  scripts/call_tool --declare demo-salon phone openai

Days in the arguments: {days.WRITTEN}.
--store auto takes the emulator that FIRESTORE_EMULATOR_HOST names (scripts/run prints its address), else memory.
Memory, and an emulator started for this one call, hold the demo businesses as seeds/ has them.
The exit code is 0 when the call did what was asked, 1 when it failed, 2 when nothing was called."""


def read_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what the person asked for, or end the program with a sentence."""
    line = CommandLine("scripts/call_tool", "Call a tool and print its answer.", EXAMPLES)
    line.add_argument("name", nargs="?", help="the tool")
    line.add_argument("arguments", nargs="?", default="{}", help="its arguments, as a JSON object")
    line.add_argument("--business", default=demo.SALON, metavar="ID", help=f"whose tool ({demo.SALON})")
    line.add_argument("--channel", choices=CHANNELS, default="phone", help="where the conversation happens (phone)")
    line.add_argument("--session", metavar="ID", help="the conversation; without it a new one")
    line.add_argument("--turn", type=int, default=1, metavar="NUMBER", help="counted from 1")
    line.add_argument("--call-id", metavar="ID", help="the same id is the same call; without it a new one")
    line.add_argument("--caller-phone", metavar="NUMBER", help="who calls, such as +15185550161")
    line.add_argument("--attestation", choices=(*ATTESTATIONS, "none"), default="A", help="of the caller's number (A)")
    line.add_argument("--store", choices=STORES, default="auto", help="where data is")
    line.add_argument(
        "--declare", nargs=3, metavar=("BUSINESS", "CHANNEL", "FORMAT"), help="print what a model is told"
    )
    options = line.parse_args(arguments)
    if bool(options.name) == bool(options.declare):
        line.error(
            "call a tool or use --declare, not both" if options.name else "name a tool to call, or use --declare"
        )
    if options.turn < 1:
        line.error("--turn is counted from 1")
    if options.declare:
        for name, known in zip(options.declare[1:], (CHANNELS, DIALECTS), strict=True):
            if name not in known:
                line.error(f"--declare: {name!r} is none of {', '.join(known)}")
    return options


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; returns the exit code."""
    options = read_options(arguments)
    try:
        if built_tools.are_stale():
            built_tools.build()
        with store_choice.opened(_choice(options.store, os.environ)) as opening:
            choice = opening.wait()
            log_line.show(personal=choice.kind != "firestore")
            return asyncio.run(_in_house(choice, options))
    except (Problem, ConfigurationError, RegistryError) as problem:
        print(f"scripts/call_tool: {problem}", file=sys.stderr)
        return WRONG_USAGE


def _choice(store_name: str, environ: Mapping[str, str]) -> StoreChoice:
    if store_name == "auto":
        # An emulator of our own would take seconds to start, and be as empty as memory is.
        store_name = "emulator" if environ.get(store_choice.EMULATOR_HOST) else "memory"
    return store_choice.choose(store_name, environ)


async def _in_house(choice: StoreChoice, options: argparse.Namespace) -> int:
    house = build(read_configuration(choice.environ))
    try:
        if choice.is_new:
            await demo.furnish(house.store, FirestorePaths(), datetime.now(UTC))
            # This process answers once: what a server works out in the background must be there.
            await house.desk.knowledge.reindex(house.paths.within(options.business))
        return await (_declare if options.declare else _call)(house, options)
    finally:
        await house.close()


async def _call(house: Container, options: argparse.Namespace) -> int:
    vouched = {"attestation": ATTESTATIONS.get(options.attestation)} if options.channel == "phone" else {}
    context = CONTEXTS[Channel(options.channel)](
        business_id=options.business,
        session_id=options.session or f"s_{uuid.uuid4().hex}",
        turn=options.turn,
        call_id=options.call_id or f"c_{uuid.uuid4().hex}",
        caller_phone=options.caller_phone,
        **vouched,
    )
    # As text, which is how models send them: what is wrong with it is the dispatcher's to say.
    arguments = days.filled(options.arguments, datetime.now(UTC).date())
    response = await house.dispatcher.execute_tool(options.name, arguments, options.business, context)
    _print(response.to_json())
    return 0 if response.ok else FAILED


async def _declare(house: Container, options: argparse.Namespace) -> int:
    business_id, channel, format = options.declare
    try:
        offer = await house.catalog.get_tool_definitions(business_id, Options(Channel(channel)))
    except ToolError as error:
        raise Problem(error.message) from None
    _print(offer.to_json(format)["tools"])
    if format in FORMATS:
        for tool in offer.tools:
            for lost in FORMATS[format].lowerings(tool.definition):
                print(f"{format} cannot be told everything about {tool.name}: {lost}", file=sys.stderr)
    return 0


def _print(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))

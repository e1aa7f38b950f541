"""A tool's folder as the tests use it: its schema, its guide, and its handler called as the dispatcher calls it."""

import importlib
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import switchboard.tools
from switchboard.catalog.arguments.arguments import ArgumentReader
from switchboard.catalog.arguments.trusted_values import Provenance
from switchboard.catalog.definitions.builder import Guide, read_guide
from switchboard.catalog.schema.schema import compile_schema
from switchboard.contract.context import CallContext
from switchboard.contract.response import Result
from switchboard.desk import Desk

TOOLS = Path(switchboard.tools.__path__[0])
NAMES = (
    "book_appointment",
    "check_availability",
    "end_call",
    "get_availability",
    "get_booking_by_id",
    "get_business_services",
    "get_faqs",
    "get_latest_booking",
    "get_policies",
    "get_working_hours",
    "kb_get",
    "kb_search",
    "search_knowledge",
    "take_message",
)


@cache
def schema(name: str) -> dict[str, Any]:
    """Return a tool's schema.json."""
    found: dict[str, Any] = json.loads((TOOLS / name / "schema.json").read_text())
    return found


def guide_text(name: str) -> str:
    """Return a tool's guide.md."""
    return (TOOLS / name / "guide.md").read_text()


def guide(name: str) -> Guide:
    """Return a tool's guide, read."""
    return read_guide(guide_text(name))


@cache
def _compiled(name: str) -> Any:
    parameters = schema(name)["parameters"]
    provenance = Provenance.of(parameters)
    acts = schema(name)["kind"] == "action"
    return (
        ArgumentReader(provenance.visible(parameters), with_time=acts),
        provenance,
        compile_schema(schema(name)["returns"]),
    )


async def run(name: str, ctx: CallContext, desk: Desk, arguments: dict[str, Any] | str) -> Result:
    """Call a tool with what a model would send; what it returns is held against its `returns`."""
    reader, provenance, returns = _compiled(name)
    given, _ = provenance.strip(arguments)
    read = reader.read(given, ctx.business.timezone)
    ctx = replace(ctx, days=read.days)
    values = {**read.values, **provenance.provided(ctx.facts, ctx.business)}
    handler = importlib.import_module(f"switchboard.tools.{name}.handler")
    result: Result = await handler.execute(ctx, desk, **values)
    assert returns.is_valid(result.data), result.data
    return result

"""The table of tools in docs/tools.md says what the code says: kind, channels, verified callers, and yeses."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import switchboard.tools

TOOLS = Path(switchboard.tools.__path__[0])
DOCUMENT = Path(__file__).parents[2] / "docs" / "tools.md"
CHANNELS = {"phone": "phone", "portal": "portal", "browser_voice": "browser voice"}


def schemas() -> dict[str, dict[str, Any]]:
    """Return every tool's schema.json, by its name."""
    read = (json.loads(path.read_text()) for path in TOOLS.glob("*/schema.json"))
    return {schema["name"]: schema for schema in read}


def rows() -> dict[str, list[str]]:
    """Return the cells behind each tool's name in the table."""
    table = DOCUMENT.read_text().partition("## Tools\n")[2].partition('\n\n"Channels')[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "`" in line[:3]]
    return {re.sub("`", "", cells[0]): cells[1:] for cells in lines}


@pytest.mark.requirement("004-646")
def test_the_table_names_every_tool_with_whom_it_serves_and_where():
    """Nobody finds out from a refusal what a table could have told."""
    told = {}
    for name, schema in schemas().items():
        channels = schema["channels"]
        needed = "needed" if schema.get("verified") else ""
        needed += f", unless the feature `{schema['openedBy']}` is on" if schema.get("openedBy") else ""
        where = "all" if len(channels) == len(CHANNELS) else ", ".join(CHANNELS[channel] for channel in channels)
        told[name] = (schema["kind"], where, needed, bool(schema.get("confirm")))
    shown = {name: (kind, where, verified, asks == "yes") for name, (kind, where, _, verified, asks) in rows().items()}
    assert shown == told

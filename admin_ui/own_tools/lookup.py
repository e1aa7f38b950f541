"""The settings of a tool that looks something up in what a business keeps here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.own_tools.fields import Config, Fields, put

_PLACES = {
    "knowledge_base": "your policies, questions and documents",
    "collection": "a collection of your own records",
}
_MOST = 20


def draw(config: Config, fields: Fields) -> None:
    """Draw them, and set `knowledge`."""
    now = dict(config.get("knowledge") or {})
    # Who wrote it over the API may have left the type out, which the server understands.
    unsaid = "collection" if now.get("collection") else "knowledge_base"
    kind = fields.chosen("knowledge.type", "Look in", _PLACES, now.get("type") or unsaid)
    knowledge: Config = {"type": kind}
    if kind == "collection":
        knowledge["collection"] = fields.picked(
            "knowledge.collection", "Collection", fields.choices.collections(), now.get("collection"), "properties"
        )
        shown = fields.text("knowledge.fields", "Show only these fields (optional)", ", ".join(now.get("fields") or ()))
        put(knowledge, "fields", [field.strip() for field in shown.split(",") if field.strip()])
        filters = fields.lines(
            *("knowledge.filters", "Keep only what fits (optional)"),
            "\n".join(f"{row['field']} {row.get('op', '==')} {_operand(row)}" for row in now.get("filters") or ()),
            "town == {{town}}",
            "One in a line: a field, one of == < <= > >= in array-contains, and a value or a {{parameter}}.",
        )
        put(knowledge, "filters", [_filter(line) for line in filters.splitlines() if line.strip()])
    limit = now.get("limit", 5)
    knowledge["limit"] = int(
        st.number_input("Tell at most", 1, _MOST, int(limit), key=f"{fields.key}/limit", disabled=fields.locked)
    )
    fields.problems.below("knowledge.limit")
    config["knowledge"] = knowledge


def lacks(config: Config) -> list[tuple[str, str]]:
    """Return what is not filled in yet, by field."""
    if config["knowledge"].get("collection", "-"):
        return []
    return [("knowledge.collection", "Write the name of the collection.")]


def _operand(row: Mapping[str, Any]) -> str:
    return f"{{{{{row['param']}}}}}" if "param" in row else json.dumps(row.get("value"), ensure_ascii=False)


def _filter(line: str) -> dict[str, Any]:
    field, _, rest = line.strip().partition(" ")
    operator, _, operand = rest.strip().partition(" ")
    operand = operand.strip()
    if operand.startswith("{{") and operand.endswith("}}"):
        return {"field": field, "op": operator, "param": operand[2:-2].strip()}
    try:
        value = json.loads(operand)
    except ValueError:
        value = operand
    return {"field": field, "op": operator, "value": value}

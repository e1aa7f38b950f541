"""Tools by channel: where each is offered, and where it is not, why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from admin_ui.shell import words
from admin_ui.widgets import whereabouts
from admin_ui.widgets.plain_text import plain, sentence

KINDS = {"retrieval": ("looks up", "blue"), "action": ("acts", "orange"), "utility": ("computes", "gray")}
ROWS_AT_ONCE = 25


def head(tool: Mapping[str, Any], *flags: tuple[str, str]) -> str:
    """Return a tool's name with what kind it is and other flags, each with its colour, as Markdown."""
    kind, color = KINDS.get(tool["kind"], ("", ""))
    badges = [(kind, color)] * bool(kind) + ([("your own", "violet")] if tool.get("isOwn") else []) + [*flags]
    return " ".join((f"**`{tool['name']}`**", *(f":{color}-badge[{plain(text)}]" for text, color in badges)))


def places(tool: Mapping[str, Any]) -> str:
    """Return the channels, each as offered, offered to verified callers only, or not, as Markdown."""
    return " ".join(_place(channel, *states) for channel, states in _by_channel(tool).items())


def reasons(tool: Mapping[str, Any], with_rule: bool = False) -> list[str]:
    """Return why a tool is not offered, once for all channels that share the reason, as Markdown."""
    by_reason: dict[str, list[str]] = {}
    for channel, (stranger, known) in _by_channel(tool).items():
        for cell, who in ((stranger, " until verified" if known["condition"] is None else ""), (known, "")):
            if cell["condition"] is not None:
                rule = f" `{cell['condition']}`" if with_rule else ""
                names = by_reason.setdefault(sentence(cell["reason"]) + rule, [])
                name = words.CHANNELS.get(channel, channel) + who
                names.extend([name] if name not in names else [])
    everywhere = list(words.CHANNELS.values())
    return [f"{'Nowhere' if at == everywhere else ', '.join(at)}: {why}" for why, at in by_reason.items()]


def is_offered(tool: Mapping[str, Any]) -> bool:
    """Tell whether a tool is offered to anybody anywhere."""
    return any(cell["condition"] is None for cell in tool["cells"])


def found_in(tools: Iterable[dict[str, Any]], search_text: str) -> list[dict[str, Any]]:
    """Return the tools whose name or description holds all of some words, those with it in the name first."""
    parts = search_text.casefold().split()
    matching = [tool for tool in tools if all(p in f"{tool['name']} {tool['description']}".casefold() for p in parts)]
    return sorted(matching, key=lambda tool: not all(part in tool["name"] for part in parts))


def paged(tools: list[dict[str, Any]], key: str, asked: str) -> list[dict[str, Any]]:
    """Return those of one page of what was asked for, and draw the choice of the page where there are several."""
    at = whereabouts.page_number(-(-len(tools) // ROWS_AT_ONCE), key, asked) - 1
    return tools[at * ROWS_AT_ONCE : (at + 1) * ROWS_AT_ONCE]


def of_listings(listings: Mapping[tuple[str, bool], Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows that listings by channel and verification make, where nothing better can be had."""
    rows: dict[str, dict[str, Any]] = {}
    for (channel, is_verified), listing in listings.items():
        for tool in [*listing["tools"], *listing.get("excluded", ())]:
            row = rows.setdefault(
                tool["name"], {"name": tool["name"], "kind": "", "description": "", "isOwn": False, "cells": []}
            )
            row |= {name: tool[name] for name in ("kind", "description") if name in tool}
            cell = {"condition": tool.get("condition"), "reason": tool.get("reason", "")}
            row["cells"].append({"channel": channel, "isVerified": is_verified, **cell})
    return list(rows.values())


def _by_channel(tool: Mapping[str, Any]) -> dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]]:
    by_place = {(cell["channel"], cell["isVerified"]): cell for cell in tool["cells"]}
    return {
        channel: (by_place[channel, False], by_place.get((channel, True), by_place[channel, False]))
        for channel in words.CHANNELS
        if (channel, False) in by_place
    }


def _place(channel: str, stranger: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    name = words.CHANNELS[channel]
    if stranger["condition"] is None:
        return f":green-badge[:material/check: {name}]"
    if known["condition"] is None:
        return f":orange-badge[:material/verified_user: {name}, once verified]"
    return f":gray-badge[:material/close: {name}]"

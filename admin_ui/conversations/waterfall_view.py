"""How long the steps of each turn took, one below the other: a bar, its words, and the way to more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.widgets import time_text
from admin_ui.widgets.plain_text import plain

_KINDS = {"listening": "Listening", "model": "Model", "tool": "Tool", "store": "Store", "speech": "Speech"}
# Each dark enough to be told from the page, in the light and in the dark.
_COLORS = {"listening": "#7c6f9f", "model": "#3f6fd1", "tool": "#0f766e", "store": "#8a6d1f", "speech": "#b0486b"}
_STYLE = """<style>
ul.steps { list-style: none; margin: 0 !important; padding: 0 !important; }
.steps li { margin: 0 0 .45rem !important; padding: 0; }
.steps .words { display: flex; flex-wrap: wrap; gap: 0 .6rem; font-size: .875rem; }
.steps .words a { color: inherit; text-decoration: underline; }
.steps .line { height: .5rem; border-radius: .25rem; background: rgba(128, 128, 128, .18); overflow: hidden; }
.steps .bar { height: 100%; min-width: 2px; border-radius: .25rem; }
</style>"""
_LEAST_PERCENT = 0.4


def show(record: Mapping[str, Any], business: Business) -> None:
    """Draw the turns of a call of which something was measured."""
    turns = record["turnTimes"]
    if not turns:
        st.info("Nothing was measured in this conversation.", icon=":material/timer_off:")
        return
    st.markdown(
        "What was measured in each turn, from when the caller's words had come. What a vendor does for itself, such as "
        "listening on a line that it holds, is not measured here and left out."
    )
    for turn in turns:
        _turn(turn, record, business)


def _turn(turn: Mapping[str, Any], record: Mapping[str, Any], business: Business) -> None:
    with st.container(border=True, gap="small"):
        at = time_text.told(turn["at"], business.zone, seconds=True)
        st.markdown(f"**Turn {turn['turn']}** · {plain(at)} · {plain(time_text.took(turn['ms']))} in all")
        heard = next((e.get("text") for e in record["transcript"] if _is_heard_in(e, turn["turn"])), "")
        if heard:
            st.caption(plain(f"“{str(heard)[:120]}”"))
        st.html(_STYLE + _bars(turn["steps"], turn["ms"], record, business))
        if turn["leftOut"]:
            st.caption(f"{turn['leftOut']} more steps were not kept.")


def _is_heard_in(entry: Mapping[str, Any], turn: int) -> bool:
    return entry.get("role") == "caller" and entry.get("turn") == turn


def _bars(steps: Sequence[Mapping[str, Any]], whole_ms: float, record: Mapping[str, Any], business: Business) -> str:
    first = min(0.0, *(step["startMs"] for step in steps))
    rows = []
    for step in steps:
        left = 100 * (step["startMs"] - first) / whole_ms if whole_ms else 0
        width = max(_LEAST_PERCENT, 100 * step["ms"] / whole_ms if whole_ms else 100)
        place = f"margin-left:{min(left, 100 - _LEAST_PERCENT):.2f}%;width:{min(width, 100 - left):.2f}%"
        bar = f'<div class="bar" style="{place};background:{_COLORS.get(step["kind"], "#777")}"></div>'
        words = f'<div class="words">{_words(step, record, business)}</div>'
        rows.append(f'<li>{words}<div class="line" aria-hidden="true">{bar}</div></li>')
    return f'<ul class="steps">{"".join(rows)}</ul>'


def _words(step: Mapping[str, Any], record: Mapping[str, Any], business: Business) -> str:
    kind, name = _KINDS.get(step["kind"], str(step["kind"])), step.get("name")
    title = escape(f"{kind}: {name}" if name else kind)
    if step["kind"] == "tool" and step.get("callId"):
        query = {"business": business.id, "call": record["id"], "why": step["callId"]}
        title = f'<a href="calls?{escape(urlencode(query))}" target="_self">{title}</a>'
    elif step["kind"] == "model":
        query = {"business": business.id}
        title = f'{title} <a href="playground?{escape(urlencode(query))}" target="_self">(try its prompt)</a>'
    start = step["startMs"]
    when = f"from {time_text.took(start)}" if start >= 0 else f"{time_text.took(-start)} before"
    facts = [time_text.took(step["ms"]), when]
    if step.get("firstMs") is not None:
        facts.append(f"first word after {time_text.took(step['firstMs'])}")
    return f"<strong>{title}</strong> <span>{escape(' · '.join(facts))}</span>"

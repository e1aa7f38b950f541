"""The overview's plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from admin_ui.shell import words

_COLORS = ["#0f766e", "#5b8def", "#f2a33a"]
_BAD, _GOOD, _CALM, _LATE = "#d64545", "#0f766e", "#9fd0cb", "#f2a33a"
_PARTS = {"failed": [_GOOD, _BAD]}
_HEIGHT = 240
_SHOWN, _PER_TOOL = 8, 30
_NAMED_DAYS = 7


def per_day(days: Sequence[tuple[date, Mapping[str, float]]], what: str, *, is_counted: bool = True) -> None:
    """Draw what there was each day, one part upon the other, each part by its name."""
    rows, x = _by_day(days, what)
    names = list(days[0][1])
    scale = alt.Scale(domain=names, range=_PARTS.get(names[-1], _COLORS)[: len(names)])
    color = alt.Color("Part:N", scale=scale, legend=alt.Legend(title=None, orient="bottom"))
    most = max(sum(parts.values()) for _, parts in days)
    axis = alt.Axis(tickMinStep=1, format="d") if is_counted else alt.Axis(format=".2f")
    # Some air above the highest bar.
    y = alt.Y(f"{what}:Q", title=None, axis=axis, scale=alt.Scale(domainMax=most * 1.1 or 1))
    _show(alt.Chart(pd.DataFrame(rows)).mark_bar().encode(x=x, y=y, color=color, tooltip=list(rows[0])), _HEIGHT)


def latency_per_day(days: Sequence[tuple[date, Mapping[str, float | None]]], what: str) -> None:
    """Draw how long tools took each day; a day without a measured one has no point."""
    rows, x = _by_day(days, what)
    names = list(days[0][1])
    scale = alt.Scale(domain=names, range=[_GOOD, _LATE])
    color = alt.Color("Part:N", scale=scale, legend=alt.Legend(title="took at most", orient="bottom"))
    y = alt.Y(f"{what}:Q", title="milliseconds")
    chart = alt.Chart(pd.DataFrame(rows)).mark_line(point=True)
    _show(chart.encode(x=x, y=y, color=color, tooltip=list(rows[0])), _HEIGHT)


def _by_day(days: Sequence[tuple[date, Mapping[str, float | None]]], what: str) -> tuple[list[dict[str, Any]], alt.X]:
    # Of a month there is no room for the names of days.
    day_format = "{0:%a} {0.day}" if len(days) <= _NAMED_DAYS else "{0.day} {0:%b}"
    rows = [
        {"Day": day_format.format(day), "Part": part, what: value if value is None else round(value, 2)}
        for day, parts in days
        for part, value in parts.items()
    ]
    angle = 0 if len(days) <= _NAMED_DAYS else -90
    return rows, alt.X(
        "Day:N", sort=[day_format.format(day) for day, _ in days], title=None, axis=alt.Axis(labelAngle=angle)
    )


def outcomes(counts: Mapping[str, int]) -> None:
    """Draw how conversations ended; what only those can that go on, where there are any."""
    shown = [outcome for outcome in words.OUTCOMES if outcome in words.CONCLUSIONS or counts.get(outcome)]
    rows = [{"Ended": words.OUTCOMES[outcome], "Conversations": counts.get(outcome, 0)} for outcome in shown]
    chart = alt.Chart(pd.DataFrame(rows)).mark_bar(color=_GOOD)
    x = alt.X("Conversations:Q", title=None, axis=alt.Axis(tickMinStep=1, format="d"))
    _show(chart.encode(x=x, y=_named("Ended", [row["Ended"] for row in rows]), tooltip=list(rows[0])), _HEIGHT)


def tool_calls(tools: Sequence[Mapping[str, Any]]) -> None:
    """Draw how often each tool was called, and how often it failed."""
    shown = tools[:_SHOWN]
    rows = [
        {"Tool": t["tool"], "Result": result, "Calls": count}
        for t in shown
        for result, count in (("worked", t["calls"] - t["failed"]), ("failed", t["failed"]))
    ]
    scale = alt.Scale(domain=["worked", "failed"], range=[_GOOD, _BAD])
    color = alt.Color("Result:N", scale=scale, legend=alt.Legend(title=None, orient="bottom"))
    x = alt.X("Calls:Q", title=None, axis=alt.Axis(tickMinStep=1, format="d"))
    chart = alt.Chart(pd.DataFrame(rows)).mark_bar()
    _show(
        chart.encode(x=x, y=_named("Tool", [t["tool"] for t in shown]), color=color, tooltip=list(rows[0])),
        _PER_TOOL * len(shown) + 80,
    )


def latency(tools: Sequence[Mapping[str, Any]]) -> None:
    """Draw how long each tool took: typically, and the slowest one in twenty."""
    shown = [t for t in tools[:_SHOWN] if t["medianMs"] is not None]
    if not shown:
        st.caption("Not measured.")
        return
    rows = [
        {"Tool": t["tool"], "Calls": kind, "Milliseconds": round(t[name])}
        for t in shown
        for kind, name in (("half of them", "medianMs"), ("19 of 20", "p95Ms"))
    ]
    scale = alt.Scale(domain=["half of them", "19 of 20"], range=[_GOOD, _CALM])
    color = alt.Color("Calls:N", scale=scale, legend=alt.Legend(title="took at most", orient="bottom"))
    chart = alt.Chart(pd.DataFrame(rows)).mark_bar()
    x = alt.X("Milliseconds:Q", title="milliseconds")
    y = _named("Tool", [t["tool"] for t in shown])
    encoded = chart.encode(x=x, y=y, yOffset=alt.YOffset("Calls:N", sort=["half of them", "19 of 20"]), color=color)
    _show(encoded.encode(tooltip=list(rows[0])), _PER_TOOL * len(shown) + 130)


def _named(field: str, order: list[str]) -> alt.Y:
    # Names of tools are long, and a plot on a phone is narrow.
    return alt.Y(f"{field}:N", sort=order, title=None, axis=alt.Axis(labelLimit=150, labelOverlap=False))


def _show(chart: alt.Chart, height: int) -> None:
    # The highest tick may stand at the very edge.
    st.altair_chart(chart.properties(height=height, padding={"top": 10, "bottom": 5, "left": 5, "right": 5}))

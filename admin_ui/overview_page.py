"""How the receptionist is doing: conversations, tools, what they took and cost, and what is connected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import Any

import streamlit as st

from admin_ui import moment, overview_plots, words
from admin_ui.business import Business
from admin_ui.plain_text import plain
from admin_ui.server import Refused, Server, below, together

PERIODS = {"1 day": 1, "7 days": 7, "30 days": 30}
_PLOTTED_DAYS, _PLOTTED_AT_MOST = 7, 100


def show(server: Server, business: Business) -> None:
    """Draw the page."""
    period = st.segmented_control("Period", list(PERIODS), default="7 days", required=True, key="period")
    base = below("admin", "businesses", business.id)
    since = datetime.now(UTC) - timedelta(days=PERIODS[period])
    asked = [partial(_read, server, f"{base}/{name}", _within(since)) for name in ("counts", "metrics")]
    asked += [partial(_read, server, base, {}), partial(_read, server, f"{base}/toolkits", {})]
    counts, metrics, whole, toolkits = together(*asked)
    _problems(whole["problems"] if whole else [])
    if counts and metrics:
        _conversations(server, business, counts, metrics, period)
    else:
        st.warning("Conversations could not be counted right now.", icon=":material/hourglass:")
        st.button("Count again", icon=":material/refresh:")
    if whole and toolkits:
        _connections(whole, toolkits["toolkits"])


def _conversations(
    server: Server, business: Business, counts: dict[str, Any], metrics: dict[str, Any], period: str
) -> None:
    _figures(counts, metrics)
    if not counts["interactions"]:
        st.info(f"Nobody has called or written in the last {period}.", icon=":material/call:")
        st.caption("Once somebody does, you see here what they wanted and how it went.")
        return
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader("Conversations per day")
        _per_day(server, business)
    with right:
        st.subheader("How they ended")
        overview_plots.outcomes(counts["byOutcome"])
    _tools(metrics)
    _cost(counts, metrics)


def _per_day(server: Server, business: Business) -> None:
    # From a list and not from counts: a count of each day by each channel is more than a busy store takes at once.
    today = datetime.now(business.zone).date()
    days = [today - timedelta(days=ago) for ago in range(_PLOTTED_DAYS - 1, -1, -1)]
    since = datetime.combine(days[0], time.min, business.zone)
    path = below("admin", "businesses", business.id, "interactions")
    body = _read(server, path, {"from": since.isoformat(), "limit": _PLOTTED_AT_MOST})
    if body is None:
        st.caption("They could not be read right now. Look again in a moment.")
        return
    began = [(moment.read(row["startedAt"]), row["channel"]) for row in body["interactions"]]
    counted = Counter((at.astimezone(business.zone).date(), channel) for at, channel in began if at)
    overview_plots.per_day([(day, {channel: counted[day, channel] for channel in words.CHANNELS}) for day in days])
    if body["nextCursor"]:
        st.caption(f"The latest {_PLOTTED_AT_MOST} of the last {_PLOTTED_DAYS} days; there were more.")


def _read(server: Server, path: str, query: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        return server.get(path, query).body
    except Refused as error:
        # A store that is too busy to count must not keep everything else from being seen.
        if error.status != 503:
            raise
        return None


def _within(since: datetime) -> dict[str, str]:
    return {"from": since.isoformat()}


def _problems(problems: list[str]) -> None:
    if problems:
        listed = "\n".join(f"- {plain(words.field(text.partition(':')[0]))}: {plain(text)}" for text in problems)
        st.warning(f"**Something in this business's settings cannot be used.**\n\n{listed}", icon=":material/warning:")


def _figures(counts: Mapping[str, Any], metrics: Mapping[str, Any]) -> None:
    tools = metrics["tools"]
    calls, failed = sum(t["calls"] for t in tools), sum(t["failed"] for t in tools)
    by_channel = counts["byChannel"]
    cells = (
        ("Conversations", f"{counts['interactions']:,}", "Calls and chats in this time."),
        ("By phone", f"{by_channel['phone']:,}", "Of these, phone calls."),
        ("Typical length", moment.clocked(metrics["medianSeconds"]) or "none", "Minutes:seconds; half were shorter."),
        ("Tool calls", f"{calls:,}", _sample(metrics)),
        ("That failed", f"{100 * failed / calls:.1f} %" if calls else "none", "Share of tool calls without a result."),
    )
    with st.grid(min_column_width=150):
        for label, value, about in cells:
            st.metric(label, value, help=about, border=True)


def _sample(metrics: Mapping[str, Any]) -> str:
    if metrics["isWhole"]:
        return "In all conversations of this time."
    return f"In the latest {metrics['basedOn']} conversations of this time."


def _tools(metrics: Mapping[str, Any]) -> None:
    st.subheader("Tools")
    if not metrics["tools"]:
        st.caption("No tool was needed in these conversations.")
        return
    st.caption(_sample(metrics))
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**How often, and how often in vain**")
        overview_plots.tool_calls(metrics["tools"])
    with right:
        st.markdown("**How long callers waited**")
        overview_plots.latency(metrics["tools"])


def _cost(counts: Mapping[str, Any], metrics: Mapping[str, Any]) -> None:
    st.subheader("Cost, estimated")
    left, middle, right = st.columns(3, gap="medium")
    minute = left.number_input("One phone minute costs", 0.0, 10.0, 0.05, 0.01, format="%.3f", key="minute_price")
    chat = middle.number_input("One chat costs", 0.0, 10.0, 0.01, 0.01, format="%.3f", key="chat_price")
    spoken = counts["byChannel"]["phone"] + counts["byChannel"]["browser_voice"]
    minutes = spoken * (metrics["medianSeconds"] or 0) / 60
    right.metric("About", f"{minutes * minute + counts['byChannel']['portal'] * chat:,.2f}")
    st.caption(
        f"From {spoken:,} spoken conversations of a typical length, together about {minutes:,.0f} minutes, and "
        f"{counts['byChannel']['portal']:,} chats. Put in what you pay for telephone, voice and model."
    )


def _connections(whole: Mapping[str, Any], toolkits: list[dict[str, Any]]) -> None:
    st.subheader("Connected accounts")
    own = whole["integrations"].get("builtinCalendar") or {}
    states = [("Built-in calendar", "connected" if own.get("isConnected") else "off", [])]
    states += [(t["displayName"], state_of(t), t["missing"]) for t in toolkits]
    with st.grid(min_column_width=150):
        for name, state, missing in states:
            with st.container(border=True, height="stretch"):
                st.markdown(f"**{plain(name)}**")
                show_state(state)
                if state == "incomplete":
                    st.caption(f"Still missing: {plain(', '.join(words.field(m) for m in missing))}")


def state_of(toolkit: Mapping[str, Any]) -> str:
    """Return in one word how a connection is: `connected`, `refused`, `incomplete` or `off`."""
    if toolkit["needsReauth"]:
        return "refused"
    if toolkit["isConnected"]:
        return "connected"
    has_begun = bool(toolkit["config"]) or any(kept["isSet"] for kept in toolkit["sensitiveConfig"].values())
    return "incomplete" if has_begun and toolkit["missing"] else "off"


def show_state(state: str) -> None:
    """Draw it."""
    badges = {
        "connected": ("Connected", "green", ":material/check_circle:"),
        "refused": ("Needs to be connected again", "red", ":material/error:"),
        "incomplete": ("Not complete", "orange", ":material/pending:"),
        "off": ("Not connected", "gray", ":material/link_off:"),
    }
    text, color, icon = badges[state]
    st.badge(text, color=color, icon=icon)

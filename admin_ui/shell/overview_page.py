"""How the receptionist is doing: conversations, tools, what they took and cost, and what is connected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any

import streamlit as st

from admin_ui.business import opening_checklist
from admin_ui.shell import overview_plots, words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below, together
from admin_ui.widgets import own_key, stored_values, time_text, unsaved, whereabouts
from admin_ui.widgets.plain_text import plain

PERIODS = {"Today": 1, "7 days": 7, "30 days": 30}
_SPOKEN, _WRITTEN = ("phone", "browser_voice"), ("portal",)
_FAILED = "Share of tool calls that failed. A no that is an answer, such as a time that is taken, is none."
# Each look counts one day at least.
_LOOKS_AT_MOST = 31


def show(server: Server, business: Business) -> None:
    """Draw the page."""
    period = whereabouts.part("Period", list(PERIODS), "period", "7 days")
    base = below("admin", "businesses", business.id)
    first = datetime.now(business.zone).date() - timedelta(days=PERIODS[period] - 1)
    since = {"from": datetime.combine(first, time.min, business.zone).isoformat()}
    days_path, query = f"{base}/days", {"days": PERIODS[period]}
    asked = [partial(_read, server, days_path, query), partial(_read, server, f"{base}/metrics", since)]
    asked += [partial(_read, server, base, {}), partial(_read, server, f"{base}/toolkits", {})]
    days, metrics, whole, toolkits = together(*asked)
    _problems(whole["problems"] if whole else [])
    if days and metrics:
        _conversations(days["days"], metrics, period)
        if not any(day["interactions"] for day in days["days"]):
            _beginning(server, base)
        _uncounted(server, days_path, query, days["uncounted"])
    else:
        st.warning("Conversations could not be counted right now.", icon=":material/hourglass:")
        st.button("Count again", icon=":material/refresh:")
    if whole and toolkits:
        _connections(whole, toolkits["toolkits"])


def _conversations(days: Sequence[Mapping[str, Any]], metrics: Mapping[str, Any], period: str) -> None:
    total = sum(day["interactions"] for day in days)
    _figures(days, metrics)
    if not total:
        when = "today" if PERIODS[period] == 1 else f"in the last {period}"
        st.info(f"Nobody has called or written {when}.", icon=":material/call:")
        st.caption("Once somebody does, you see here what they wanted and how it went.")
        return
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader("Conversations per day")
        overview_plots.per_day(_each(days, lambda day: _named(day["byChannel"], words.CHANNELS)), "Conversations")
    with right:
        st.subheader("How they ended")
        overview_plots.outcomes({name: sum(day["byOutcome"][name] for day in days) for name in days[0]["byOutcome"]})
    _tools_per_day(days)
    _tools(metrics)
    _cost(days)


def _beginning(server: Server, base: str) -> None:
    """Tell what is left to do of a business that nobody has called yet."""
    checklist = _read(server, f"{base}/checklist", {})
    if checklist and any(step["id"] == "call" and not step["isDone"] for step in checklist["steps"]):
        st.subheader("Before callers can call")
        opening_checklist.show(checklist["steps"])


def _uncounted(server: Server, path: str, query: Mapping[str, Any], count: int) -> None:
    """Offer to have the days counted that nobody has looked at yet."""
    if not count:
        return
    st.caption(f"{count} earlier {'day is' if count == 1 else 'days are'} not counted yet, and left out above.")
    if st.button("Count them", icon=":material/functions:"):
        with st.spinner("Counting…"):
            for _ in range(_LOOKS_AT_MOST):
                body = _read(server, path, query)
                if body is None or not body["uncounted"]:
                    break
        st.rerun()


def _tools_per_day(days: Sequence[Mapping[str, Any]]) -> None:
    if not any(day["toolCalls"] for day in days):
        return
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader("Tool calls per day")
        overview_plots.per_day(
            _each(days, lambda d: {"worked": d["toolCalls"] - d["failedCalls"], "failed": d["failedCalls"]}), "Calls"
        )
    with right:
        st.subheader("How long tools took per day")
        overview_plots.latency_per_day(
            _each(days, lambda d: {"half of them": d["medianMs"], "19 of 20": d["p95Ms"]}), "Milliseconds"
        )
    if any(day["basedOn"] < day["interactions"] for day in days):
        st.caption("Of a day with very many conversations, the tools of the latest ones only.")


def _each(
    days: Sequence[Mapping[str, Any]], values: Callable[[Mapping[str, Any]], Mapping[str, Any]]
) -> list[tuple[date, Mapping[str, Any]]]:
    return [(date.fromisoformat(day["day"]), values(day)) for day in days]


def _named(counts: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {label: counts[name] for name, label in names.items()}


def _read(server: Server, path: str, query: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        return server.get(path, query).body
    except Refused as error:
        # A store that is too busy to count must not keep everything else from being seen.
        if error.status != 503:
            raise
        return None


def _problems(problems: list[str]) -> None:
    if problems:
        listed = "\n".join(f"- {plain(words.field(text.partition(':')[0]))}: {plain(text)}" for text in problems)
        st.warning(f"**Something in this business's settings cannot be used.**\n\n{listed}", icon=":material/warning:")


def _figures(days: Sequence[Mapping[str, Any]], metrics: Mapping[str, Any]) -> None:
    calls, failed = sum(day["toolCalls"] for day in days), sum(day["failedCalls"] for day in days)
    by_phone = sum(day["byChannel"]["phone"] for day in days)
    cells = (
        ("Conversations", f"{sum(day['interactions'] for day in days):,}", "Calls and chats in this time."),
        ("By phone", f"{by_phone:,}", "Of these, phone calls."),
        (
            "Typical length",
            time_text.clocked(metrics["medianSeconds"]) or "none",
            "Minutes:seconds; half were shorter.",
        ),
        ("Tool calls", f"{calls:,}", "In these conversations."),
        ("That failed", f"{100 * failed / calls:.1f} %" if calls else "none", _FAILED),
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
        st.markdown("**How often, and how often they failed**")
        overview_plots.tool_calls(metrics["tools"])
    with right:
        st.markdown("**How long callers waited**")
        overview_plots.latency(metrics["tools"])


def _cost(days: Sequence[Mapping[str, Any]]) -> None:
    st.subheader("Cost per day, estimated")
    left, middle, right = unsaved.aside("prices").columns(3, gap="medium")
    minute = left.number_input(
        "One phone minute costs", 0.0, 10.0, 0.05, 0.01, format="%.3f", key=own_key.of("minute_price")
    )
    chat = middle.number_input("One chat costs", 0.0, 10.0, 0.01, 0.01, format="%.3f", key=own_key.of("chat_price"))
    spent = _each(
        days,
        lambda day: {
            "Spoken": sum(day["seconds"][name] for name in _SPOKEN) / 60 * minute,
            "Written": sum(day["byChannel"][name] for name in _WRITTEN) * chat,
        },
    )
    right.metric("About", f"{sum(sum(costs.values()) for _, costs in spent):,.2f}")
    overview_plots.per_day(spent, "Cost", is_counted=False)
    minutes = sum(day["seconds"][name] for day in days for name in _SPOKEN) / 60
    chats = sum(day["byChannel"][name] for day in days for name in _WRITTEN)
    st.caption(
        f"From about {minutes:,.0f} minutes of spoken conversations, and {chats:,} chats. "
        "Put in what you pay for telephone, voice and model."
    )


def _connections(whole: Mapping[str, Any], toolkits: list[dict[str, Any]]) -> None:
    st.subheader("Connected accounts")
    own = stored_values.fields(whole["integrations"].get("builtinCalendar"))
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
    has_begun = bool(toolkit["config"]) or any(secret["isSet"] for secret in toolkit["sensitiveConfig"].values())
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

"""What a month cost: what was used, what is known of it, and what it costs by the prices of now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

import streamlit as st

from admin_ui.costs import limit_form, price_form
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import time_text, whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.paging import pages_of
from admin_ui.widgets.plain_text import plain

_OF_ONE, _OF_ALL, _PRICES, _LIMITS = "This business", "All businesses", "Prices", "Limits"
_MONTHS, _A_PAGE = 13, 25
_PAGES = "costs"
_NAMES = {
    "toolCalls": "Calls of {of}",
    "texts": "Text messages, in segments",
    "emails": "E-mails",
    "phoneMinutes": "Minutes on the phone",
    "voiceMinutes": "Minutes by voice in browsers",
    "modelInput": "Tokens that {of} read",
    "modelOutput": "Tokens that {of} wrote",
    "firestoreReads": "Documents read",
    "firestoreWrites": "Documents written",
    "firestoreDeletes": "Documents deleted",
}


def show(server: Server, business: Business) -> None:
    """Draw the page; platform admins see all businesses too, enter what units cost and limit the business's months."""
    of = _OF_ONE
    views = [_OF_ONE, *([_OF_ALL, _PRICES] if business.may("edit_prices") else [])]
    views += [_LIMITS] if business.may("limit_months") else []
    if len(views) > 1:
        of = whereabouts.part("Of", views, "costs_of")
    if of == _PRICES:
        price_form.show(server)
        return
    if of == _LIMITS:
        limit_form.show(server, business)
        return
    months = _last_months(datetime.now(UTC).astimezone(business.zone).date())
    month = whereabouts.choice("Month", months, "costs_month") or months[0]
    if of == _OF_ALL:
        _all(server, month)
    else:
        _one(server, business, month)


def _last_months(today: date) -> list[str]:
    months = [today.year * 12 + today.month - 1 - ago for ago in range(_MONTHS)]
    return [f"{month // 12}-{month % 12 + 1:02}" for month in months]


def _one(server: Server, business: Business, month: str) -> None:
    path = f"{below('admin', 'businesses', business.id)}/costs"
    statement = server.get(path, {"month": month}).body
    _total(statement)
    limit_form.tell(statement["limits"], statement["currency"])
    if not statement["lines"]:
        if statement["countedUntil"]:
            st.info("Nothing was used in this month, as far as it was counted.", icon=":material/payments:")
    else:
        st.dataframe(
            {
                "What": [_name(line) for line in statement["lines"]],
                "Count": [_count(line) for line in statement["lines"]],
                "Price": [_price(line) for line in statement["lines"]],
                "Cost": [line["cost"] or "" for line in statement["lines"]],
            },
            hide_index=True,
        )
        _download(server, path, month, f"costs-{business.id}-{month}.csv")
    _how_far(statement, business)


def _all(server: Server, month: str) -> None:
    pages = pages_of(_PAGES, month)
    page = server.get("/admin/costs", {"month": month, "limit": _A_PAGE, "cursor": pages.cursor}).body
    with st.container(gap="xsmall"):
        for statement in page["statements"]:
            with card() as (text, _):
                text.markdown(f"**{plain(statement['name'])}**")
                text.markdown(plain(_cost(statement)))
                limit_form.tell_in_a_line(text, statement["limits"])
    pages.show_buttons(page["nextCursor"], "Back", "More")
    _download(server, "/admin/costs", month, f"costs-of-all-{month}.csv")


def _download(server: Server, path: str, month: str, name: str) -> None:
    table = partial(_table, server, path, month)
    st.download_button("Download as CSV", table, name, "text/csv", icon=":material/download:", on_click="ignore")


def _table(server: Server, path: str, month: str) -> bytes:
    """Return all of it as CSV, page by page, under one row of names."""
    tables, cursor = [], ""
    while True:
        text, cursor = server.table(path, {"month": month, "format": "csv", "cursor": cursor})
        tables.append(text if not tables else text.partition("\n")[2])
        if not cursor:
            # By its mark spreadsheets know that it is UTF-8.
            return "".join(tables).encode("utf-8-sig")


def _total(statement: Mapping[str, Any]) -> None:
    st.metric("Cost of what is known and priced", _cost(statement))
    if statement["cost"] is not None and not statement["isWhole"]:
        st.caption("Something has no price yet, or is not known: the lines below say what.")


def _cost(statement: Mapping[str, Any]) -> str:
    if statement["cost"] is None:
        if not statement["lines"]:
            return "nothing used" if statement["countedUntil"] else "not counted yet"
        return "no price entered"
    return f"{statement['cost']} {statement['currency']}"


def _how_far(statement: Mapping[str, Any], business: Business) -> None:
    until = time_text.told(statement["countedUntil"], business.zone)
    if not until:
        st.caption("Nothing has been counted yet; that happens behind the calls, a while after each.")
        return
    st.caption(f"Counted up to {plain(until)}. Each month is told by the prices of now.")
    if not statement["isCountedWhole"]:
        since = time_text.told(statement["countedSince"], business.zone)
        st.caption(f"Counting began on {plain(since)}: of what was before, nothing is known.")


def _name(line: Mapping[str, Any]) -> str:
    return _NAMES.get(line["item"], line["item"]).format(of=line["of"])


def _count(line: Mapping[str, Any]) -> str:
    about = "about " if line["isEstimated"] else ""
    known = "" if line["count"] is None else f"{about}{line['count']:,}"
    unknown = f"{line['unknown']:,} of unknown length or outcome" if line["unknown"] else ""
    return ", and ".join(part for part in (known, unknown) if part) or "unknown"


def _price(line: Mapping[str, Any]) -> str:
    if line["price"] is None:
        return "none entered"
    return line["price"] if line["per"] == 1 else f"{line['price']} for {line['per']:,}"

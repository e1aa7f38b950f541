"""What units cost: entered once for all businesses, in one currency; what is left empty has no price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.server import Server
from admin_ui.widgets import base_revision, saving
from admin_ui.widgets.saving import Change

_PLACE = "prices"
_ITEMS = {
    "texts": "A segment of a text message",
    "emails": "An e-mail",
    "phoneMinutes": "A begun minute on the phone",
    "voiceMinutes": "A begun minute by voice in a browser",
    "toolCalls": "A call of a tool",
    "modelInput": "A million tokens that a model reads",
    "modelOutput": "A million tokens that a model writes",
    "firestoreReads": "100,000 documents read",
    "firestoreWrites": "100,000 documents written",
    "firestoreDeletes": "100,000 documents deleted",
}


def show(server: Server) -> None:
    """Draw the form."""
    if saving.conflict(server, _PLACE):
        return
    read = base_revision.read_once(_PLACE, lambda: server.get("/admin/prices"))
    rows = read.body["prices"]
    general = {row["item"]: row["price"] for row in rows if not row["of"]}
    st.markdown("What you pay for each, as your vendors' lists say it. What is left empty is counted and has no cost.")
    with st.form(f"prices/{read.form}"):
        currency = st.text_input(
            "Currency", read.body["currency"], max_chars=3, placeholder="USD", key=f"{read.form}/currency"
        ).strip()
        entered = {
            item: st.text_input(
                label, general.get(item, ""), max_chars=30, placeholder="0.0079", key=f"{read.form}/{item}"
            )
            for item, label in _ITEMS.items()
        }
        single = st.text_area(
            "Prices of single models or tools, one in a line: modelInput; openai:gpt-4.1-mini; 0.40",
            _written(rows),
            key=f"{read.form}/single",
        )
        wants_save = st.form_submit_button("Save", type="primary")
    if wants_save:
        prices = [{"item": item, "price": price.strip()} for item, price in entered.items() if price.strip()]
        body = {"currency": currency, "prices": [*prices, *_read(single)]}
        change = Change(_PLACE, "PUT", "/admin/prices", body, read.revision, "Saved the prices.")
        saving.send(server, change, failure_view.tell)


def _written(rows: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(f"{row['item']}; {row['of']}; {row['price']}" for row in rows if row["of"])


def _read(text: str) -> list[dict[str, str]]:
    """Return the prices in lines; what is missing in one is left for the server to tell."""
    prices = []
    for line in text.splitlines():
        if line.strip():
            item, _, rest = line.partition(";")
            of, _, price = rest.rpartition(";")
            prices.append({"item": item.strip(), "of": of.strip(), "price": price.strip()})
    return prices

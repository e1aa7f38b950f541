"""Taking a business away, for whoever runs all of them: what would go and what would stay is seen before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell import business_choice, failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import notice, own_key
from admin_ui.widgets.plain_text import plain

_KINDS = {
    "interactions": "calls and chats",
    "bookings": "appointments",
    "callers": "customers",
    "outbox": "messages and texts",
    "tools": "tools of its own",
    "agents": "agents",
    "policies": "policies",
    "faqs": "questions and answers",
    "knowledge": "documents",
    "apiKeys": "API keys",
}


def show(server: Server, business: Business) -> None:
    """Draw what would go, what would stay elsewhere, and the field that confirms it."""
    path = below("admin", "businesses", business.id)
    looked = server.ask(path, {"dryRun": True}, method="DELETE").body
    st.warning(
        f"Once **{plain(looked['name'])}** is taken away nobody is answered for it any more, and nothing of it can be "
        "brought back here.",
        icon=":material/warning:",
    )
    st.markdown(f"**What goes**: {_counted(looked['documents'])}; and all else that is kept of it.")
    if looked["upcoming"]:
        many = looked["upcoming"] != 1
        st.markdown(
            f"**{looked['upcoming']} appointment{'s' * many} {'are' if many else 'is'} still to come.** "
            "Nobody is told that they are off: cancel them first."
        )
    st.markdown("**What stays elsewhere**")
    for sentence in looked["elsewhere"]:
        st.markdown(f"- {plain(sentence)}")
    with st.form("removal"):
        typed = st.text_input(
            f"To take it away, write its id: {business.id}", max_chars=100, key=own_key.of("removal/confirm")
        )
        if st.form_submit_button("Take it away", type="primary", icon=":material/delete_forever:"):
            if typed.strip() == business.id:
                _remove(server, path, business.id)
            else:
                st.error(f"Its id is {plain(business.id)}, written just so. Nothing was changed.")


def _counted(documents: Mapping[str, Any]) -> str:
    counts = [f"{_KINDS.get(name, name)}: {count:,}" for name, count in documents.items()]
    return plain("; ".join(counts)) or "its settings"


def _remove(server: Server, path: str, confirmation: str) -> None:
    try:
        removed = server.send("DELETE", path, {"confirm": confirmation}).body
    except Refused as error:
        failure_view.tell(error)
        return
    business_choice.turn_away()
    notice.say(f"{removed['name']} is taken away. What is kept of it is being deleted.")
    st.rerun()

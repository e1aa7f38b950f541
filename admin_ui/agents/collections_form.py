"""Letting an agent look things up in a collection of the business's own records."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import base_revision, notice, own_key, problems


def show(server: Server, business: Business, agent: dict[str, Any], place: str) -> None:
    """Draw the form; what was read under `place` is read anew once a collection is attached."""
    form = own_key.of("collection", agent["id"])
    wrong = problems.of(form)
    with st.expander("Let it look in a collection of yours", expanded=bool(wrong.found), icon=":material/database:"):
        with st.form(form, border=False):
            name = st.text_input(
                "Collection",
                placeholder="properties",
                help="Its name, as your records were brought here under it. A tool that searches it is made by that; "
                "you can change it under Your tools.",
                key=f"{form}/name",
            ).strip()
            wrong.below("collection")
            is_submitted = st.form_submit_button("Attach it", icon=":material/add:")
        if is_submitted:
            path = below("api", business.id, "agents", agent["id"], "collections")
            try:
                tool = server.send("POST", path, {"collection": name}).body["tool"]
            except Refused as error:
                problems.tell(form, error)
                return
            problems.forget(form)
            base_revision.forget(place)
            notice.say(f"It can search {name} now, with the tool {tool['name']}.")
            st.rerun()
        wrong.rest()

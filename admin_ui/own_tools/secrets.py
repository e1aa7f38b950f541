"""The secrets that own tools carry by name: entered, replaced, removed, and never shown."""

from __future__ import annotations

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import notice, own_key, second_question, time_text
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain

CHANGED = "at/secrets_changed"
"""Where it is kept that secrets were changed since this page was opened."""


def show(server: Server, business: Business) -> None:
    """Draw the names, and a field for a value."""
    path, may = below("api", business.id, "secrets"), business.may("connect")
    secrets = server.get(path).body["secrets"]
    st.caption("A tool names a secret, as in `{{secret.crm_key}}`, and only the request that it sends ever carries it.")
    if not secrets:
        st.info("There is no secret yet.", icon=":material/key:")
    for secret in secrets:
        with card() as (text, button):
            text.markdown(f"**`{secret['name']}`**")
            text.caption(
                f"Kept since {plain(time_text.told(secret['since'], business.zone))}. Nobody can read it here."
            )
            with button:
                name = secret["name"]
                question = f"Forget **`{name}`**? Tools that name it fail until it is entered again."
                if may and second_question.sure(
                    f"forget/{name}", "Forget", question, "Yes, forget it", ":material/delete:"
                ):
                    _send(server, "DELETE", path + below(name), None, "Forgotten.")
    if not may:
        st.info("Only an owner can enter secrets.", icon=":material/visibility:")
        return
    with st.form("secret", clear_on_submit=True):
        left, right = st.columns(2)
        name = left.text_input("Name", placeholder="crm_key", key=own_key.of("secret_name")).strip()
        value = right.text_input("Value", type="password", key=own_key.of("secret_value"), autocomplete="new-password")
        is_submitted = st.form_submit_button("Keep it", type="primary", icon=":material/lock:")
    if is_submitted and not (name and value):
        st.error("Both are needed.", icon=":material/error:")
    elif is_submitted:
        _send(server, "PUT", path + below(name), {"value": value}, "Kept.")


def _send(server: Server, method: str, path: str, body: dict[str, str] | None, done: str) -> None:
    try:
        answer = server.send(method, path, body).body
    except Refused as error:
        failure_view.tell(error)
        return
    st.session_state[CHANGED] = True
    notice.say(answer.get("note") or done)
    st.rerun()

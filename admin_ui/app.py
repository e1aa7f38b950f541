"""The frame around every page: its title, the warning, and whose business is looked at."""

from __future__ import annotations

import streamlit as st

from admin_ui import server, tools_page


def main() -> None:
    """Draw the page."""
    st.set_page_config(page_title="Switchboard: tools", page_icon=":material/switch_account:", layout="wide")
    st.warning("**Local mode**: everyone who can reach this page may use it.", icon=":material/lock_open:")
    st.title("Tools: what is offered, and why not")
    business_id, key = _choose_business()
    if business_id and key:
        tools_page.show(server.Server(server.address(), key), business_id)
    else:
        st.info("Name a business and one of its API keys to see its tools.", icon=":material/key:")


def _choose_business() -> tuple[str, str]:
    keys = server.known_keys()
    if keys:
        business_id = st.selectbox("Business", list(keys), key="business")
        return business_id, keys[business_id]
    left, right = st.columns(2)
    business_id = left.text_input("Business", placeholder="demo-salon", key="business")
    key = right.text_input("API key", type="password", key="api_key", help="Make one with scripts/api_key.")
    return business_id.strip(), key.strip()


main()

"""What of a tool only an owner can change, told to whoever may change the rest of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business

_NEEDED = {
    "api_request": ("connect", "a request that carries a secret, or what is sent with it"),
    "mcp_tool": ("connect", "which server it calls, and what that is sent"),
    "pipedream_action": ("connect", "what a connected account is used for"),
    "sms": ("edit_safeguards", "whom it texts beside the caller, and from which number"),
    "transfer_call": ("edit_safeguards", "which number it rings"),
}


def tell(business: Business, tool: Mapping[str, Any]) -> None:
    """Say why saving some of it would be refused."""
    operation, what = _NEEDED.get(tool["type"], ("", ""))
    if operation and business.may("edit_tools") and not business.may(operation):
        st.info(f"Only an owner can change {what}. You can change everything else.", icon=":material/visibility:")

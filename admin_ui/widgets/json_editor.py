"""JSON in an editor with colours, line numbers and folding; what is being typed is read as it is typed."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st
from streamlit_ace import st_ace

from admin_ui.widgets.plain_text import plain


class Broken(ValueError):
    """What stands in the editor is not JSON yet."""


def draw(label: str, value: Any, key: str, read_only: bool = False) -> Any:
    """Draw the editor and return the value in it; None where it is empty.

    Raises:
        Broken: It cannot be read; this was said in place.
    """
    st.caption(label)
    written = "" if value is None else json.dumps(value, indent=2, ensure_ascii=False)
    text = st_ace(
        value=written,
        language="json",
        theme="chrome",
        key=key,
        min_lines=8,
        max_lines=32,
        tab_size=2,
        font_size=13,
        wrap=True,
        show_print_margin=False,
        auto_update=True,
        readonly=read_only,
    )
    if not (text or "").strip():
        return None
    try:
        return json.loads(text)
    except ValueError as error:
        where = (
            f"line {error.lineno}, column {error.colno}: {error.msg}"
            if isinstance(error, json.JSONDecodeError)
            else error
        )
        st.error(f"This is not JSON yet: {plain(where)}", icon=":material/error:")
        raise Broken(str(error)) from None

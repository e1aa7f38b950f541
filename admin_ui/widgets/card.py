"""A card in a list: its words, and at its side what can be done with it; beside each other on a phone, too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st


@contextmanager
def card() -> Iterator[tuple[Any, Any]]:
    """Draw a card, and yield the places for its words and for its buttons."""
    with st.container(border=True):
        row = st.container(horizontal=True, vertical_alignment="center", wrap=False)
        yield row.container(width="stretch", gap="xsmall"), row.container(width="content")

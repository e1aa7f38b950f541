"""Which role may change what: the server's own table, in words that can be read on a phone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby

import streamlit as st

from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.roles import LEAST
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision
from admin_ui.widgets.plain_text import plain

_PLACE = "rights"


def show(server: Server, business: Business) -> None:
    """Draw it, each kind of thing by itself."""
    path = below("admin", "businesses", business.id, "rights")
    rights = base_revision.read_once(_PLACE, lambda: server.get(path)).body["rights"]
    st.subheader("Who may change what", anchor=False)
    st.markdown(
        "A key that may do everything that an owner may counts as an owner. People are made owners, editors or viewers "
        "by whoever runs Switchboard; a viewer changes nothing."
    )
    for of, rows in groupby(rights, key=lambda row: row["of"]):
        with st.container(border=True, gap="xsmall", key=f"rights-{of}"):
            st.markdown(f"**{plain(words.KINDS.get(of, of))}**")
            each = list(rows)
            tops = Counter(top for row in each for top in {path.partition(".")[0] for path in row["fields"]})
            for row in each:
                who = LEAST.get(tuple(row["may"]), " or ".join(row["may"]))
                st.caption(f"**{plain(who[:1].upper() + who[1:])}:** {plain(_told(row['fields'], tops))}")


def _told(fields: Iterable[str], tops: Mapping[str, int]) -> str:
    """Return fields in words; where others may change a part of one, its own parts stand behind it in brackets."""
    within: dict[str, list[str]] = {}
    for path in fields:
        top, _, inner = path.partition(".")
        is_shared = inner and tops[top] > 1
        within.setdefault(words.field(top), []).extend([words.field(inner).replace(" / ", " ")] if is_shared else [])
    return ", ".join(f"{top} ({', '.join(inner)})" if inner else top for top, inner in within.items()) + "."

"""The rows of a collection as a CSV file: saved as one, and taken in from one that was looked at before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.server import Refused, Server
from admin_ui.widgets import base_revision, own_key, saving
from admin_ui.widgets.plain_text import plain, sentence

PLACE = "collection_table"
_TABLE = "at/collection_table"
_SHOWN_PROBLEMS = 30


def show(server: Server, path: str, collection: Mapping[str, Any], may: bool) -> None:
    """Draw both ways; whoever `may` takes a file in."""
    with st.expander("As a file (CSV)", icon=":material/table:", key=f"table/{path}"):
        if st.button("Make a file of all rows", icon=":material/download:"):
            st.session_state[_TABLE] = server.get(f"{path}/table").body
        table: dict[str, Any] = st.session_state.get(_TABLE) or {}
        if table.get("name") == collection["name"]:
            name = f"{collection['name']}.csv"
            st.download_button("Save the file", table["csv"].encode("utf-8-sig"), name, "text/csv")
        if may:
            _take(server, path, collection)


def forget() -> None:
    """Drop the file that was made."""
    st.session_state.pop(_TABLE, None)


def _take(server: Server, path: str, collection: Mapping[str, Any]) -> None:
    names = ", ".join(field["name"] for field in collection["fields"])
    dropped = st.file_uploader(
        "Take rows from a file",
        ["csv", "txt"],
        key=own_key.of(f"table/file/{path}"),
        max_upload_size=1,
        help="From any spreadsheet.",
    )
    st.caption(f"Its first line names the columns: {plain(names)}. A column id says which row a line is about.")
    replaces = st.checkbox("Remove the rows that the file does not name", key=own_key.of(f"table/replace/{path}"))
    if dropped is None:
        return
    asked = {"csv": _text(dropped.getvalue()), "replace": replaces}
    try:
        # Asked each time the page is drawn, so that what it says is true when the button is pressed.
        checked = server.ask(f"{path}/table/check", asked).body
    except Refused as error:
        failure_view.tell(error)
        return
    _tell(checked)
    if not checked["problems"] and st.button("Take the file in", type="primary", icon=":material/upload:"):
        try:
            server.send("POST", f"{path}/table", asked, checked["revision"])
        except Refused as error:
            if error.conflict:
                st.warning(
                    "Somebody else has changed rows just now. Look at the figures again.", icon=":material/sync:"
                )
            else:
                failure_view.tell(error)
            return
        base_revision.forget("collections")
        forget()
        saving.finish(PLACE, "Taken in, whole. Callers are told so at once.")


def _tell(checked: Mapping[str, Any]) -> None:
    left_out = [column["name"] for column in checked["columns"] if column["field"] is None]
    if left_out:
        st.info(f"Columns that match no field, and are left out: {plain(', '.join(left_out))}.", icon=":material/info:")
    for note in checked["notes"][:_SHOWN_PROBLEMS]:
        st.caption(sentence(note["message"]))
    for problem in checked["problems"][:_SHOWN_PROBLEMS]:
        st.error(sentence(problem["message"]), icon=":material/error:")
    if checked["problems"]:
        st.caption("Nothing is taken in until every line is right. Mend the file, and put it here again.")
        return
    counts = {"added": "added", "changed": "changed", "removed": "removed", "unchanged": "left as they are"}
    st.markdown("**" + " · ".join(f"{checked[name]:,} {words}" for name, words in counts.items()) + "**")


def _text(content: bytes) -> str:
    """Return the text of a file as spreadsheets write it: Unicode, or what Windows wrote before."""
    for charset in ("utf-8-sig", "cp1252"):
        try:
            return content.decode(charset)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")

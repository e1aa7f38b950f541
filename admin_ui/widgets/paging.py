"""Lists that are longer than a page: where each page shown so far begins, and the buttons between them.

The server's lists know the way forward only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from admin_ui.widgets import whereabouts


@dataclass(frozen=True)
class Pages:
    """The pages of a list that were shown so far.

    Attributes:
        key: Under which name they are kept in the address.
        cursors: Where each of them begins, the present one last.
    """

    key: str
    cursors: tuple[str, ...]

    @property
    def cursor(self) -> str:
        """Where the present page begins; empty for the first."""
        return self.cursors[-1]

    @property
    def is_first(self) -> bool:
        """Whether nothing stands before the present page."""
        return len(self.cursors) == 1

    def show_buttons(self, behind: str | None, back: str = "Newer", on: str = "Older") -> None:
        """Draw the ways to the pages before and behind the present one, if there are any; `behind` begins there."""
        with st.container(horizontal=True, horizontal_alignment="center"):
            if not self.is_first and st.button(back, icon=":material/chevron_left:"):
                self._turn(self.cursors[:-1])
            if behind and st.button(on, icon=":material/chevron_right:", icon_position="right"):
                self._turn((*self.cursors, behind))

    def _turn(self, cursors: tuple[str, ...]) -> None:
        whereabouts.turn_page(self.key, cursors)
        st.rerun()


def pages_of(key: str, asked: Any = None) -> Pages:
    """Return the pages of a list as they stand in the address; whoever asks for something else begins at the first."""
    return Pages(key, whereabouts.cursors(key, asked))

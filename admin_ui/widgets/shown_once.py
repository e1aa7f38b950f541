"""What is kept nowhere and shown this once, when it has been made: a key, a secret address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from admin_ui.shell.server import Refused, Server
from admin_ui.widgets import problems, saving, unsaved
from admin_ui.widgets.plain_text import plain


@dataclass(frozen=True)
class ShownOnce:
    """Makes something with a secret, and shows that until it has been copied.

    Attributes:
        place: Where it is made, as `opened` knows it.
        what: How its secret is told; `{name}` is what it was called.
        copied: What the button says.
        icon: Of what is told.
    """

    place: str
    what: str
    copied: str
    icon: str

    def show(self) -> bool:
        """Draw what was made and not copied yet; return whether there is any."""
        made = st.session_state.get(self._key)
        if not made:
            return False
        unsaved.hold_shown()
        name, secret = made
        with st.container(border=True):
            sentence_shown = self.what.format(name=plain(name))
            st.warning(
                f"**{sentence_shown}** It is shown this once and kept nowhere: copy it to where it is used.",
                icon=self.icon,
            )
            st.code(secret, language=None)
            if st.button(self.copied, type="primary", icon=":material/check:"):
                self.forget()
                st.rerun()
        return True

    def make(self, server: Server, path: str, body: Mapping[str, Any], secret: str, done: Callable[[str], str]) -> None:
        """Make it and have the page drawn anew, or say below the form's fields why it was not made.

        Args:
            server: Where it is made.
            path: Of the request.
            body: Of the request, with its `name`.
            secret: The field of the answer that is shown once; what has none, or an empty one, is only said to be done.
            done: Returns what is said, given that field.
        """
        try:
            made = server.send("POST", path, body).body
        except Refused as error:
            problems.tell(self.place, error)
            return
        problems.forget(self.place)
        if made[secret]:
            st.session_state[self._key] = (body["name"], made[secret])
        saving.finish(self.place, done(made[secret]))

    def forget(self) -> None:
        """Show it no more."""
        st.session_state.pop(self._key, None)

    @property
    def _key(self) -> str:
        return f"at/{self.place}/made"

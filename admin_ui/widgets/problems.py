"""What is wrong with what was entered: each thing below the field that it is about, and the rest at the form's end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from admin_ui.shell import failure_view, problem_words
from admin_ui.shell.server import Refused
from admin_ui.widgets.plain_text import plain, sentence

_ABOUT_WHAT_WAS_SENT = (400, 409, 422)


@dataclass
class Problems:
    """What was wrong with a form when it was last sent; `shown` are those that have found their field."""

    found: tuple[Mapping[str, Any], ...] = ()
    shown: set[int] = field(default_factory=set)

    def below(self, *places: str) -> None:
        """Draw what is about these fields, or about parts of them, as they are called in what is sent."""
        for at, problem in enumerate(self.found):
            name = str(problem.get("field", ""))
            if at not in self.shown and any(name == p or name.startswith((f"{p}.", f"{p}[")) for p in places):
                self.shown.add(at)
                st.error(_here(name, str(problem["message"])), icon=":material/error:")

    def rest(self) -> None:
        """Draw what is about no field that was drawn, and that nothing was saved."""
        if not self.found:
            return
        left = [problem for at, problem in enumerate(self.found) if at not in self.shown]
        listed = "\n".join(f"- {sentence(problem_words.told(problem))}" for problem in left)
        where = " What is wrong stands where it was entered." if self.shown else ""
        st.error(f"**This cannot be kept.** Nothing was changed.{where}\n\n{listed}".strip())


def of(form: str) -> Problems:
    """Return what was wrong with a form when it was last sent."""
    return Problems(tuple(st.session_state.get(_at(form), ())))


def keep(form: str, field_problems: Iterable[Mapping[str, Any]]) -> None:
    """Have the form drawn anew with what is wrong with it."""
    st.session_state[_at(form)] = tuple(field_problems)
    st.rerun()


def forget(form: str) -> None:
    """Have the form drawn without problems from now on."""
    st.session_state.pop(_at(form), None)


def tell(form: str, error: Refused) -> None:
    """Say why a form was refused: where it is wrong, or below it if it is not about a field."""
    if error.status in _ABOUT_WHAT_WAS_SENT:
        keep(form, error.problems or [{"field": "", "message": str(error)}])
    failure_view.tell(error)


def _at(form: str) -> str:
    return f"at/problems/{form}"


def _here(name: str, message: str) -> str:
    """Return a message without the name of the field that it stands below."""
    if message.startswith(f"{name} "):
        return plain(f"This {message[len(name) + 1 :]}")
    return sentence(problem_words.told({"field": name, "message": message}))

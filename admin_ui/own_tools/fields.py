"""The fields that the settings of an own tool are made of: each with what was wrong with it below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from admin_ui.own_tools import parameter_modes
from admin_ui.own_tools.choices import Choices
from admin_ui.widgets.problems import Problems

Config = dict[str, Any]


@dataclass(frozen=True)
class Fields:
    """Where settings are drawn.

    Attributes:
        key: Begins the keys of the fields.
        locked: Whether nothing can be changed.
        problems: What was wrong when it was last sent.
        choices: Tells what can be chosen from.
        params: The parameters by name, which may stand for a setting that is not written.
    """

    key: str
    locked: bool
    problems: Problems
    choices: Choices
    params: Mapping[str, Any] = field(default_factory=dict)

    def text(self, at: str, label: str, now: Any, placeholder: str = "", help: str | None = None) -> str:
        """Draw a line for what is called `at` in what is sent, and return what stands in it."""
        typed = st.text_input(
            label, str(now or ""), placeholder=placeholder, help=help, key=self._key(at), disabled=self.locked
        )
        self.problems.below(at)
        return typed.strip()

    def lines(self, at: str, label: str, now: str, placeholder: str = "", help: str | None = None) -> str:
        """Draw several lines for what is called `at`, and return what stands in them."""
        typed = st.text_area(
            label, now, placeholder=placeholder, help=help, height=90, key=self._key(at), disabled=self.locked
        )
        self.problems.below(at)
        return typed

    def switch(self, at: str, label: str, now: bool, help: str | None = None) -> bool:
        """Draw a switch for what is called `at`, and return whether it is on."""
        is_on = st.toggle(label, now, help=help, key=self._key(at), disabled=self.locked)
        self.problems.below(at)
        return is_on

    def chosen(self, at: str, label: str, options: Mapping[str, str], now: Any) -> str:
        """Draw a choice of one of several kinds, told in words, and return its name; the first where there is none."""
        names = list(options)
        index = names.index(now) if now in options else 0
        picked = st.selectbox(
            label, names, index, format_func=options.__getitem__, key=self._key(at), disabled=self.locked
        )
        self.problems.below(at)
        return str(picked)

    def picked(self, at: str, label: str, options: Mapping[str, str], now: Any, placeholder: str = "") -> str:
        """Draw a choice among what is known, in which something else can be written; a line where nothing is known."""
        if not options:
            return self.text(at, label, now, placeholder)
        written = str(now or "")
        known = [*options, *([written] if written and written not in options else [])]
        chosen = st.selectbox(
            label,
            known,
            known.index(written) if written else None,
            format_func=lambda id: options.get(id, id),
            placeholder="Choose one",
            accept_new_options=True,
            key=self._key(at),
            disabled=self.locked,
        )
        self.problems.below(at)
        return str(chosen or "").strip()

    def moded(self, at: str, title: str, now: Any, usual: Mapping[str, Any]) -> parameter_modes.Spec:
        """Draw what is either always the same or filled in by the model; `usual` is what it begins with."""
        st.markdown(f"**{title}**")
        is_moded = isinstance(now, Mapping) and "mode" in now
        spec = dict(now) if is_moded else {"mode": "fixed", **({} if now is None else {"value": now})}
        mode = parameter_modes.draw(spec, self._key(at), self.locked, usual)
        self.problems.below(at)
        return mode

    def _key(self, at: str) -> str:
        return f"{self.key}/{at.rpartition('.')[2]}"


def put(config: Config, name: str, value: Any) -> None:
    """Set a field, or take it out where it says nothing."""
    if value:
        config[name] = value
    else:
        config.pop(name, None)

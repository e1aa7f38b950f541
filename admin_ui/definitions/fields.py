"""The words and the rules of a tool as form fields over its document."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.business import calendar_names
from admin_ui.shell import words as worded
from admin_ui.widgets import whereabouts

Document = dict[str, Any]
_SAID = {"running": "While it runs", "slow": "When it takes long", "failed": "When it fails"}
_LANGUAGES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "nl": "Dutch"}
_CONDITIONS = {
    "integration:calendar": "a calendar is connected",
    **{f"integration:{name}": f"{words} is connected" for name, words in calendar_names.OUTSIDE.items()},
    "integration:builtinCalendar": "the built-in calendar is on",
    "integration:twilio": "the phone account is connected",
    "integration:email": "the e-mail account is connected",
    "escalation:transfer": "callers may be put through to somebody",
    "escalation:message": "messages may be taken for somebody",
    "fallback:message": "messages may be taken, or something is out of order",
    "session:verified": "the caller's identity is established",
    "channel:phone": "it is a phone call",
    "feature:records": "the feature records is on",
}


def words(document: Document, key: str, locked: bool) -> None:
    """Draw what the model is told, and what callers hear."""
    text = st.text_area(
        "What the model is told about it",
        document.get("description", ""),
        height=200,
        key=f"{key}/description",
        disabled=locked,
        help="When to use it, and when not. {{business.name}}, {{business.timezone}} and {{business.services}} are "
        "filled in for each business.",
    )
    document["description"] = text.strip()
    sentences = document.get("say") or {}
    languages = list(sentences) or ["en"]
    language = whereabouts.part(
        "What callers hear, in",
        languages,
        "language",
        keeps_typed=True,
        format_func=lambda code: _LANGUAGES.get(code, code),
    )
    now = dict(sentences.get(language) or {})
    for name, label in _SAID.items():
        line = st.text_input(label, now.get(name, ""), key=f"{key}/{language}/{name}", disabled=locked).strip()
        now = {**now, name: line} if line else {n: t for n, t in now.items() if n != name}
    _put(
        document, "say", {**sentences, language: now} if now else {n: t for n, t in sentences.items() if n != language}
    )


def rules(document: Document, key: str, locked: bool) -> None:
    """Draw where it is offered, when, and within which limits."""
    document["channels"] = st.multiselect(
        "Offered on",
        list(worded.CHANNELS),
        document.get("channels") or [],
        format_func=lambda name: worded.CHANNELS.get(name, name),
        key=f"{key}/channels",
        disabled=locked,
    )
    _conditions(document, key, locked)
    left, right = st.columns(2)
    asked = left.toggle(
        "The caller has to say yes first", bool(document.get("confirm")), key=f"{key}/confirm", disabled=locked
    )
    known = right.toggle(
        "Only for callers whose identity is established",
        bool(document.get("verified")),
        key=f"{key}/verified",
        disabled=locked,
    )
    at_start = left.toggle(
        "Also runs before the first word of a phone call",
        bool(document.get("onCallStart")),
        key=f"{key}/start",
        disabled=locked,
    )
    later = right.toggle(
        "The conversation goes on without waiting for it",
        bool(document.get("async")),
        key=f"{key}/async",
        disabled=locked,
    )
    limit = st.number_input(
        "Longest it may take, in milliseconds",
        min_value=50,
        max_value=60_000,
        value=document.get("timeoutMs"),
        step=50,
        placeholder="As long as the channel allows",
        key=f"{key}/limit",
        disabled=locked,
    )
    for name, value in (("confirm", asked), ("verified", known), ("onCallStart", at_start), ("async", later)):
        _put(document, name, value)
    _put(document, "timeoutMs", int(limit) if limit else None)


def _conditions(document: Document, key: str, locked: bool) -> None:
    own = document.get("requires")
    follows = st.toggle(
        f"Follow the usual conditions of the group {document.get('category', '')}",
        own is None,
        key=f"{key}/usual",
        disabled=locked,
    )
    if follows:
        document.pop("requires", None)
        return
    now = own or []
    document["requires"] = st.multiselect(
        "Offered only if all of this holds",
        list(dict.fromkeys([*_CONDITIONS, *now])),
        now,
        format_func=lambda name: _CONDITIONS.get(name, name),
        placeholder="Nothing has to hold",
        accept_new_options=True,
        key=f"{key}/requires",
        disabled=locked,
    )


def _put(document: Document, name: str, value: Any) -> None:
    if value:
        document[name] = value
    else:
        document.pop(name, None)

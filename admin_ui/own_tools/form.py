"""The builder: what an own tool is called, what it does, and what it is given."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from admin_ui.own_tools import owners_part, parameter_modes
from admin_ui.own_tools.choices import Choices
from admin_ui.own_tools.fields import Fields, put
from admin_ui.own_tools.kinds import KINDS, Kind
from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import base_revision, notice, own_key, problems, saving, second_question, unsaved, whereabouts
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

Config = dict[str, Any]
_MADE_BY_CONNECTING = "mcp_tool"
_REPEATS = {
    "turn": "once each time the caller asks for it (turn)",
    "session": "once in a conversation, however often it is asked for (session)",
    "never": "as often as the agent calls it, within a turn's limit (never the same)",
}
_DEEDS = {
    "booked": "that something is booked",
    "moved": "that something is moved to another time",
    "cancelled": "that something is cancelled",
    "texted": "that a text is sent",
    "mailed": "that an e-mail is sent",
    "passed_on": "that a message is passed on",
    "transferred": "that the caller is put through",
    "verified": "that the caller is who they say they are",
    "entered": "that it stands in the calendar",
    "paid": "that something is paid",
    "refunded": "that money is given back",
    "ordered": "that something is ordered",
    "other": "that something else is done",
}


def new(server: Server, business: Business) -> None:
    """Draw the form for a new tool, after the choice of its kind."""
    choosable = [name for name in KINDS if name != _MADE_BY_CONNECTING]
    kind = whereabouts.pill(
        "What shall it do?",
        choosable,
        "new_kind",
        format_func=lambda name: f":material/{KINDS[name].icon}: {KINDS[name].title}",
    )
    st.caption(KINDS[kind].about)
    form = own_key.of("new", kind)
    working = _working(form, {"type": kind, "attachToAgent": True})
    owners_part.tell(business, {"type": kind})
    wrong = problems.of(form)
    fields = Fields(f"{form}/settings", False, wrong, Choices(server, business))
    config = _draw(working, KINDS[kind], form, fields, is_new=True)
    if st.button("Make the tool", type="primary", icon=":material/add:"):
        _require_whole(form, KINDS[kind], config, working)
        try:
            made = server.send("POST", below("api", business.id, "tools"), config).body["tool"]
        except Refused as error:
            problems.tell(form, error)
            return
        problems.forget(form)
        st.session_state.pop(_kept(form), None)
        whereabouts.open("own", made["id"])
        whereabouts.open("own_tool_part", "Agents")
        notice.say("The tool is made. Give it to an agent, so that it can be called.")
        st.rerun()
    wrong.rest()


def edit(server: Server, business: Business, read: Opened) -> None:
    """Draw the form for a tool that is there."""
    tool = read.body["tool"]
    id, may = tool["id"], business.may("edit_tools")
    place, path = f"own/{id}", below("api", business.id, "tools", id)
    kind = KINDS.get(tool["type"])
    if kind is None:
        st.warning("A tool of this kind cannot be changed here.", icon=":material/warning:")
        return
    owners_part.tell(business, tool)
    base = {**tool["configMetadata"], "enabled": tool["enabled"]}
    working = _working(read.form, base)
    wrong = problems.of(read.form)
    fields = Fields(f"{read.form}/settings", not may, wrong, Choices(server, business))
    config = _draw(working, kind, read.form, fields, is_new=False, suggested=read.body.get("suggestedDeed"))
    # What the untouched form says: it writes some things in a longer way than they may have been written in.
    baseline = f"at/untouched/{read.form}"
    untouched = st.session_state.setdefault(baseline, copy.deepcopy(config))
    if not may:
        return
    unsaved.hold(config != untouched)
    with st.container(horizontal=True):
        # Never grey: what is typed last is told by the very press, which a grey button would not feel.
        is_pressed = st.button("Save", type="primary")
        if is_pressed and config == untouched:
            notice.say("Nothing was changed, so there is nothing to save.", ":material/info:")
            st.rerun()
        if is_pressed:
            _require_whole(read.form, kind, config, working)
            problems.forget(read.form)
            change = Change(place, "PUT", path, config, read.revision, "Saved. It is used at once.", goes_on=True)
            # Once it is saved the page is drawn anew at once, and whatever is otherwise then was typed since; what was
            # not saved, for whatever reason, the next press sends.
            saved = partial(_settle, untouched, copy.deepcopy(config))
            saving.send(server, change, partial(problems.tell, read.form), saved)
        if config != untouched and st.button("Undo what I typed"):
            saving.finish(place, "Back to what was saved.")
    wrong.rest()
    question = f"Delete **{plain(tool['label'] or tool['name'])}**? Every agent that has it loses it, at Vapi, too."
    if second_question.sure(f"delete/{id}", "Delete this tool", question, "Yes, delete it", ":material/delete:"):
        try:
            server.send("DELETE", path, {}, read.revision)
        except Refused as error:
            failure_view.tell(error)
            return
        whereabouts.open("own", "")
        base_revision.forget(place)
        notice.say("The tool is deleted.")
        st.rerun()


def _settle(untouched: Config, config: Config) -> None:
    """Have what was kept of the untouched form say what was saved.

    In its place: where somebody has typed meanwhile, the page is drawn anew as soon as the session's state is asked.
    """
    untouched.clear()
    untouched.update(config)


def _require_whole(form: str, kind: Kind, config: Config, working: Config) -> None:
    """Have the form say what is not filled in yet, unless everything is; the server knows the rest of the rules."""
    names = [row["name"] for row in working["rows"]]
    missing = [] if config.get("label") else [("label", "Write what you call the tool.")]
    for row in working["rows"]:
        if not row["name"]:
            missing.append((parameter_modes.place_of(row), "Give the parameter a name, or remove it."))
        elif names.count(row["name"]) > 1:
            missing.append((parameter_modes.place_of(row), "Give every parameter another name."))
    missing += kind.lacks(config)
    if missing:
        problems.keep(form, [{"field": field, "message": problem} for field, problem in missing])


def _working(form: str, base: Config) -> Config:
    """Return what is being edited: fields that are not drawn any more would forget what was typed."""
    key = _kept(form)
    if key not in st.session_state:
        config = copy.deepcopy(base)
        st.session_state[key] = {"config": config, "rows": parameter_modes.rows_of(config.pop("params", None) or {})}
    working: Config = st.session_state[key]
    return working


def _kept(form: str) -> str:
    return f"at/config/{form}"


def _draw(working: Config, kind: Kind, key: str, fields: Fields, is_new: bool, suggested: str | None = None) -> Config:
    config: Config = working["config"]
    locked, wrong = fields.locked, fields.problems
    config["label"] = st.text_input(
        "What you call it",
        config.get("label", ""),
        placeholder="Find a customer",
        max_chars=80,
        key=f"{key}/label",
        disabled=locked,
    ).strip()
    wrong.below("label")
    about = st.text_area(
        "When a model should use it, and what for",
        config.get("description", ""),
        placeholder="Finds a customer by number. Use it when a caller asks about an order.",
        height=90,
        key=f"{key}/description",
        disabled=locked,
    ).strip()
    wrong.below("description")
    config["description"] = about
    if is_new:
        name = st.text_input(
            "What a model calls it (optional)",
            config.get("name", ""),
            placeholder="find_customer",
            max_chars=40,
            key=f"{key}/name",
        ).strip()
        wrong.below("name")
        config |= {"name": name}
    with st.container(border=True):
        st.markdown(f":material/{kind.icon}: **{kind.title}**")
        kind.draw(config, replace(fields, params=parameter_modes.params_of(working["rows"])))
    if kind.takes_parameters or working["rows"]:
        st.markdown("**What it is given**")
        parameter_modes.draw_all(working["rows"], f"{key}/params", locked, wrong)
    _deed(config, fields, suggested)
    _asks(config, fields)
    _repeat(config, fields)
    _patience(config, fields)
    _most_at_once(config, fields)
    _switches(config, key, locked)
    params = parameter_modes.params_of(working["rows"])
    written = {name: value for name, value in config.items() if value not in ("", None)}
    return written | ({"params": params} if params or "params" in written else {})


def _only_reads(config: Config) -> bool:
    return config.get("type") == "query" or (config.get("request") or {}).get("method") == "GET"


def _asks(config: Config, fields: Fields) -> None:
    """Draw whether the caller is asked first, and in which words; looking something up needs nobody's yes."""
    if _only_reads(config):
        return
    is_asked = config.get("confirm") is True
    asks = fields.switch("confirm", "Ask the caller before it does anything, and wait for their yes", is_asked)
    if asks != is_asked:
        put(config, "confirm", asks or None)
    if not asks:
        config.pop("readBack", None)
        return
    questions = dict(config.get("readBack") or {})
    language = next(iter(questions), fields.choices.language())
    label = f"What the caller is asked, in the language {language} (optional)"
    typed = fields.text(f"readBack.{language}", label, questions.get(language), "Shall I charge {{amount}}?")
    put(config, "readBack", {name: text for name, text in (questions | {language: typed}).items() if text} or None)


def _repeat(config: Config, fields: Fields) -> None:
    """Draw within what the same call is done once; looking something up twice does no harm."""
    if _only_reads(config):
        return
    # A connected server may say of its tool that the same call again changes nothing more.
    is_harmless = (config.get("annotations") or {}).get("idempotentHint") is True
    options = {"": f"as usual: {_REPEATS['never' if is_harmless else 'turn']}", **_REPEATS}
    chosen = fields.chosen("repeat", "The same call is done", options, config.get("repeat") or "")
    put(config, "repeat", chosen)


def _patience(config: Config, fields: Fields) -> None:
    """Draw how long a caller waits for it; the greatest that each channel allows holds all the same."""
    label = "A caller waits at most, milliseconds (optional)"
    typed = fields.text("timeoutMs", label, config.pop("timeoutMs", None), "as long as the channel says")
    if typed:
        config["timeoutMs"] = int(typed) if typed.isdecimal() else typed


def _most_at_once(config: Config, fields: Fields) -> None:
    """Draw how many requests the owner's service bears; a tool that reaches none has no say in it."""
    if config.get("type") not in ("api_request", "mcp_tool"):
        return
    label = "Your service takes at most, requests at once (optional)"
    typed = fields.text("maxAtOnce", label, config.pop("maxAtOnce", None), "as many as it bears")
    if typed:
        config["maxAtOnce"] = int(typed) if typed.isdecimal() else typed


def _deed(config: Config, fields: Fields, suggested: str | None) -> None:
    """Draw what an agent may say once the tool has worked; a tool that only looks something up does nothing."""
    if _only_reads(config):
        return
    usual = f": {_DEEDS[suggested]}" if suggested in _DEEDS else ""
    options = {"": f"what its words say{usual}", **_DEEDS}
    chosen = fields.chosen("deed", "Once it has worked, an agent may say", options, config.get("deed") or "")
    put(config, "deed", chosen)


def _switches(config: Config, key: str, locked: bool) -> None:
    left, right = st.columns(2)
    for at, (name, label, usual) in enumerate(
        (
            ("attachToAgent", "Models may call it in a conversation", True),
            ("executeOnCallStart", "Runs before the first word of a phone call", False),
            ("async", "The conversation goes on without waiting", False),
            ("enabled", "Switched on", True),
        )
    ):
        now = config.get(name, usual) is True
        is_on = (right if at % 2 else left).toggle(label, now, key=f"{key}/{name}", disabled=locked)
        if is_on != usual or name in config:
            config[name] = is_on

"""The one form for an agent: who it is, what it says and with which model and voice, what it may use, and how much.

Whatever keeps it from being saved leaves what was typed as it is: a mistake, tools that callers would lose, or somebody
else who was faster. Only what was changed in it is sent, so that what that other one has changed beside it stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from admin_ui.business import limits_form
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import problems, saving, stored_values
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.problems import Problems
from admin_ui.widgets.saving import Change

NEW = "new"
# What a version on trial may have otherwise than the agent.
_TRIED = ("prompt", "model", "voice", "fillers", "tools", "limits")
_NOTHING_SET = {"channels": list(words.CHANNELS), "tools": {}, "toolkits": {}, "limits": {}, "fillers": []}


def begin(place: str, agent_id: str) -> None:
    """Open the form of an agent, or of a `NEW` one, with nothing typed in it and nothing wrong with it."""
    problems.forget(f"agent/{agent_id}")
    saving.edit(place, agent_id)


def show(server: Server, business: Business, agent: Mapping[str, Any], read: Opened, place: str) -> None:
    """Draw the form of an agent, or of a new one where `agent` is empty; `read` is the list, as `place` has it."""
    is_new, path = not agent, below("admin", "businesses", business.id, "agents")
    name = f"agent/{agent.get('id', NEW)}"
    shown = {**_NOTHING_SET, **agent, **saving.typed(place)}
    wrong = problems.of(name)
    with st.form(name):
        typed = _fields(server, business, shown, read, f"{read.form}/{agent.get('id', NEW)}", wrong)
        share = None if is_new else _share(agent, f"{read.form}/{agent.get('id', NEW)}")
        wrong.below("share", "changes")
        wrong.rest()
        with st.container(horizontal=True):
            wants_save = st.form_submit_button("Save", type="primary")
            wants_trial = not is_new and st.form_submit_button("Try it first", icon=":material/science:")
            wants_stop = st.form_submit_button("Cancel")
            is_removable = not is_new and not agent.get("isDefault")
            wants_gone = is_removable and st.form_submit_button("Remove this agent", icon=":material/delete:")
    if wants_stop:
        problems.forget(name)
        saving.stop_editing(place)
        st.rerun()
    if wants_gone:
        at = path + below(agent["id"])
        gone = Change(place, "DELETE", at, None, agent["revision"], "The agent is removed.", decides_offers=True)
        saving.send(server, gone)
    elif wants_trial or wants_save:
        changed = typed if is_new else _changed(agent, typed)
        saving.keep_typed(place, changed)
        problems.forget(name)
        if wants_trial:
            _try(server, name, Change(place, "PUT", f"{path}{below(agent['id'])}/trial", changed, "", ""), agent, share)
            return
        if not changed:
            st.info("There is nothing to save: it is as it was.", icon=":material/check:")
            return
        method, at = ("POST", path) if is_new else ("PATCH", path + below(agent["id"]))
        done = "Saved. New conversations use it at once."
        change = Change(place, method, at, changed, agent.get("revision") or "", done, decides_offers=True)
        saving.send(server, change, lambda error: problems.tell(name, error))


def _try(server: Server, form: str, change: Change, agent: Mapping[str, Any], share: int | None) -> None:
    """Have a share of the conversations answered as the form says, where that is something which can be tried."""
    typed = change.body or {}
    others = [words.field(name) for name in typed if name not in _TRIED]
    if others:
        about = f"This is the same for all callers: {', '.join(others)}. Save it by itself, then try the rest."
        problems.keep(form, [{"field": "changes", "message": about}])
    if not typed:
        problems.keep(form, [{"field": "changes", "message": "Change something first: it is as the agent is now."}])
    body = {"share": share, "changes": dict(typed)}
    done = "The trial has begun. What both sides do stands below the agent."
    sent = replace(change, body=body, revision=agent["trialRevision"], done=done)
    saving.send(server, sent, lambda error: problems.tell(form, error))


def _share(agent: Mapping[str, Any], key: str) -> int:
    trial = agent.get("trial") or {}
    with st.expander("Try it with some callers first", icon=":material/science:"):
        share = st.slider(
            *("Of a hundred conversations, how many are answered so", 1, 99, int(trial.get("share") or 10)),
            help="Each conversation keeps what it began with to its end. What is tried is what stands from "
            "Instructions to Limits, without the Vapi assistant and the accounts.",
            key=f"{key}/share",
        )
    return int(share)


def _fields(
    server: Server, business: Business, agent: Mapping[str, Any], read: Opened, key: str, wrong: Problems
) -> dict[str, Any]:
    """Draw the fields, and return what stands in them as it is sent."""
    return {
        **_identity(agent, key, wrong),
        **_speech(agent, read.body.get("models") or [], key, wrong),
        **_uses(server, business, agent, key, wrong),
        **_limits(agent, read.body.get("limits") or {}, key, wrong),
    }


def _identity(agent: Mapping[str, Any], key: str, wrong: Problems) -> dict[str, Any]:
    left, right = st.columns([3, 1])
    with left:
        name = st.text_input("Name", agent.get("name") or "", key=f"{key}/name")
        wrong.below("name")
    with right:
        language = st.text_input("Language", agent.get("language") or "", placeholder="en", key=f"{key}/language")
        wrong.below("language")
    channels = st.multiselect(
        *("Answers on", list(words.CHANNELS), [one for one in agent["channels"] or () if one in words.CHANNELS]),
        format_func=words.CHANNELS.__getitem__,
        key=f"{key}/channels",
    )
    wrong.below("channels")
    about = st.text_area(
        *("What it is for", agent.get("description") or ""),
        height=80,
        help="For you and your colleagues; callers and the model are not told.",
        key=f"{key}/about",
    )
    wrong.below("description")
    is_default = bool(agent.get("isDefault")) and bool(agent.get("id"))
    answers = st.toggle("Answers when no other does", is_default, disabled=is_default, key=f"{key}/default")
    wrong.below("isDefault")
    return {
        "name": name,
        "language": language.strip(),
        "channels": channels,
        "description": about,
        "isDefault": answers,
    }


def _speech(agent: Mapping[str, Any], models: list[str], key: str, wrong: Problems) -> dict[str, Any]:
    st.markdown("**What it says, and how**")
    prompt = st.text_area(
        *("Instructions", agent.get("prompt") or ""),
        height=160,
        placeholder="Such as: First ask whether they have been here before. Offer the oil treatment with every cut.",
        help="Told to the model beside the house's own words, whose rules hold all the same. {{business.name}} and the "
        "like are filled in.",
        key=f"{key}/prompt",
    )
    wrong.below("prompt")
    left, right = st.columns(2)
    chosen, house = agent.get("model") or "", models[0] if models else ""
    # One that cannot be chosen any more is shown all the same: it is not to vanish by another edit.
    choices = ["", *(model for model in models[1:]), *([chosen] if chosen not in ("", *models[1:]) else [])]
    with left:
        model = st.selectbox(
            *("Model", choices, choices.index(chosen)),
            format_func=lambda name: name or f"The house's: {house}",
            help="Which model answers, except where a browser speaks with a vendor's live model.",
            key=f"{key}/model",
        )
        wrong.below("model")
    with right:
        voice = st.text_input(
            *("Voice on the phone", agent.get("voice") or ""),
            placeholder="The business's",
            help="As Twilio names it, such as Polly.Vicki-Neural; without a point, a voice of the usual provider.",
            key=f"{key}/voice",
        )
        wrong.below("voice")
    fillers = st.text_area(
        *("Words while something takes a moment", "\n".join(stored_values.texts(agent.get("fillers")))),
        height=100,
        help="One a line, such as: One moment, please. They are said in turn; empty for the business's.",
        key=f"{key}/fillers",
    )
    wrong.below("fillers")
    vapi_id = st.text_input(
        *("Vapi assistant (optional)", agent.get("vapiAssistantId") or ""),
        help="The id of the assistant at Vapi that speaks for this agent. Your own tools attached here are then "
        "attached there, too. Only an owner can change it.",
        max_chars=64,
        key=f"{key}/vapi",
    ).strip()
    wrong.below("vapiAssistantId")
    return {
        "prompt": prompt.strip(),
        "model": model or "",
        "voice": voice.strip(),
        "fillers": [line.strip() for line in fillers.splitlines() if line.strip()],
        "vapiAssistantId": vapi_id or None,
    }


def _uses(
    server: Server, business: Business, agent: Mapping[str, Any], key: str, wrong: Problems
) -> dict[str, dict[str, Any]]:
    st.markdown("**What it may use**")
    tools, toolkits = _choices(server, business)
    own_tools, own_toolkits = agent.get("tools") or {}, agent.get("toolkits") or {}
    off, away = _off(own_tools), _off(own_toolkits)
    off_tools = st.multiselect(
        "Tools it must not use", sorted({*tools, *off}), off, placeholder="It may use all", key=f"{key}/tools"
    )
    wrong.below("tools")
    off_toolkits = st.multiselect(
        *("Accounts it must not use", sorted({*toolkits, *away}), away),
        format_func=lambda name: toolkits.get(name, name),
        placeholder="It may use all",
        key=f"{key}/toolkits",
    )
    wrong.below("toolkits")
    return {"tools": _switched(own_tools, off_tools), "toolkits": _switched(own_toolkits, off_toolkits)}


def _limits(agent: Mapping[str, Any], known: Mapping[str, Any], key: str, wrong: Problems) -> dict[str, Any]:
    is_wrong = any(str(problem.get("field", "")).startswith("limits") for problem in wrong.found)
    with st.expander("Limits of one turn (empty: as the business sets them)", expanded=is_wrong):
        limits = limits_form.fields(agent.get("limits") or {}, known, f"{key}/limits")
        wrong.below("limits")
    return {"limits": limits}


def _choices(server: Server, business: Business) -> tuple[list[str], dict[str, str]]:
    toolkits = server.get(below("admin", "businesses", business.id, "toolkits")).body["toolkits"]
    return sorted({tool for t in toolkits for tool in t["actions"]}), {
        t["integration"]: t["displayName"] for t in toolkits
    }


def _off(rows: Mapping[str, Any]) -> list[str]:
    return sorted(name for name, row in rows.items() if row.get("enabled") is False)


def _switched(rows: Mapping[str, Any], off: list[str]) -> dict[str, Any]:
    names = [*rows, *(name for name in off if name not in rows)]
    switched = {name: {**rows.get(name, {"config": {}}), "enabled": name not in off} for name in names}
    # One that says nothing of its own need not be kept.
    return {name: row for name, row in switched.items() if row["enabled"] is False or row.get("config")}


def _changed(agent: Mapping[str, Any], typed: Mapping[str, Any]) -> dict[str, Any]:
    before = {**_NOTHING_SET, **agent}
    # Rows that the form would leave out say nothing: an agent is not changed by being looked at.
    before |= {name: _switched(before[name], _off(before[name])) for name in ("tools", "toolkits")}
    return {name: value for name, value in typed.items() if value != before.get(name)}

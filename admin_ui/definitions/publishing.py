"""From a draft to what every business has: held against recorded calls first, tried by some, then published to all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.definitions import canary_numbers, red_tests, words_trial
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, difference_view, own_key, saving, time_text
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain, sentence
from admin_ui.widgets.saving import Change

_KINDS = {
    "withdrawn": ("would not be offered any more", "red"),
    "offered": ("would be offered, too", "blue"),
    "refused": ("worked, and would be refused", "red"),
    "accepted": ("was refused, and would work", "green"),
    "arguments": ("would get other values", "orange"),
    "result": ("its answer would be refused", "red"),
    "confirmation": ("would ask the caller first", "blue"),
    "verification": ("would need a verified caller", "orange"),
}


def show(server: Server, business: Business, read: Opened) -> None:
    """Draw what a draft changes, and the ways to publish it."""
    tool, path = read.body, below("admin", "definitions", read.body["name"])
    _tried(server, read, path)
    if tool["mayEdit"]:
        canary_numbers.show(server, business, path)
    if not tool["draft"]:
        st.info(
            "There is no draft. Change something under **Words and rules** and save it first.", icon=":material/edit:"
        )
        return
    diff = server.get(f"{path}/diff", {"from": "published" if tool["published"] else "builtIn", "to": "draft"}).body
    st.subheader("What changes", anchor=False)
    difference_view.show(diff["differences"], "Now", "Draft", "Nothing: the draft says what is published.")
    for finding in tool["findings"]:
        text = f"**{words.field(finding['place']) or plain(finding['place'])}** {sentence(finding['text'])}"
        st.warning(text, icon=":material/warning:")
    if tool["mayEdit"]:
        report = _report(server, business, read, path)
        _publish(server, read, path, report["hash"])


def _report(server: Server, business: Business, read: Opened, path: str) -> dict[str, Any]:
    place = f"replay/{read.revision}"
    replayed = base_revision.read_once(place, lambda: server.get(f"{path}/replay", {"limit": 50}))
    report = replayed.body
    st.subheader("Held against what callers did", anchor=False)
    st.markdown(
        f"The draft was held against the latest calls of this tool, **{report['calls']}** in all, in "
        f"**{report['businesses']}** businesses. Nothing was carried out: what each call had done then stands for it."
    )
    if not report["isWhole"]:
        st.caption("There are more businesses than were looked at.")
    if not report["findings"]:
        st.success("No call would have gone otherwise, and it is offered where it was.", icon=":material/check_circle:")
    for finding in report["findings"]:
        _finding(finding, business)
    more = sum(report["counts"].values()) - len(report["findings"])
    if more > 0:
        st.caption(f"And {more} more like these.")
    words_trial.show(server, business, read, report["words"])
    if st.button("Look once more", icon=":material/refresh:"):
        base_revision.forget(place)
        st.rerun()
    return report


def _finding(finding: Mapping[str, Any], business: Business) -> None:
    text, color = _KINDS.get(finding["kind"], (finding["kind"], "gray"))
    channel = words.CHANNELS.get(finding["channel"], finding["channel"])
    who = {True: "verified callers", False: "callers not verified"}.get(finding.get("isVerified"), "")
    at = time_text.told(finding.get("at"), business.zone)
    with st.container(border=True):
        parts = plain(" · ".join(filter(None, (channel, who, at))))
        st.markdown(f":{color}-badge[{text}] **{plain(finding['businessId'])}** · {parts}")
        if finding["why"]:
            st.markdown(sentence(finding["why"]))
        for change in finding.get("changes", ()):
            before, now = (words.value(change[side]) if side in change else "*nothing*" for side in ("before", "now"))
            st.markdown(f"{plain(words.field(change['field']))}: {before} → {now}")


def _publish(server: Server, read: Opened, path: str, seen: str) -> None:
    place = f"definition/{read.body['name']}"
    has_seen = st.checkbox("I have looked at what changes.", key=own_key.of(f"seen/{seen}"))
    ticked = red_tests.ticked(f"publish/{seen}")
    if st.button("Publish to every business", type="primary", icon=":material/publish:", disabled=not has_seen):
        done = "Published. New conversations use it at once; those that are going on keep their words."
        body = {"acknowledged": seen, "acknowledgedTests": ticked}
        change = Change(place, "POST", f"{path}/publish", body, read.revision, done, False)
        red_tests.send(server, change, f"publish/{seen}")
    with st.container(border=True):
        st.markdown("**Or let some businesses try it first**")
        chosen = st.multiselect(
            "Businesses",
            _known(server),
            format_func=lambda id: _known(server).get(id, id),
            placeholder="Choose some, or type an id",
            accept_new_options=True,
            key=own_key.of(f"canary/{read.form}"),
        )
        ticked = red_tests.ticked(f"canary/{seen}", chosen)
        if st.button("Let them try it", icon=":material/science:", disabled=not (has_seen and chosen)):
            body = {"businesses": chosen, "acknowledged": seen, "acknowledgedTests": ticked}
            done = "They try it from now on; all others keep what is published."
            change = Change(place, "PUT", f"{path}/canary", body, read.revision, done, False)
            red_tests.send(server, change, f"canary/{seen}")


def _tried(server: Server, read: Opened, path: str) -> None:
    canary = read.body["canary"]
    if not canary:
        return
    with st.container(border=True):
        named = ", ".join(canary["businesses"])
        others = canary["count"] - len(canary["businesses"])
        businesses = f"{named} and {others} more" if named and others else named or f"{others} businesses"
        st.markdown(f":violet-badge[:material/science: being tried] by **{plain(businesses)}**")
        if read.body["mayEdit"] and st.button("Take it back from them", icon=":material/undo:"):
            done = "Taken back: they have again what all have."
            place = f"definition/{read.body['name']}"
            saving.send(server, Change(place, "DELETE", f"{path}/canary", {}, read.revision, done, False))


def _known(server: Server) -> dict[str, str]:
    read = base_revision.read_once("canary_businesses", lambda: server.get("/admin/businesses", {"limit": 100}))
    return {line["id"]: f"{line.get('name') or line['id']} ({line['id']})" for line in read.body["businesses"]}

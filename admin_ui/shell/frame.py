"""The frame around every page: who looks, at which business, the menu, and what is said when something fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from admin_ui.shell import business_choice, elsewhere, failure_view, roles
from admin_ui.shell.business import Business
from admin_ui.shell.page_list import PAGES, Page
from admin_ui.shell.server import Refused, Sent, Server, Unreachable
from admin_ui.sign_in import firebase_session
from admin_ui.sign_in import page as sign_in
from admin_ui.sign_in.page import Stranger, Visitor
from admin_ui.widgets import base_revision, notice, unsaved, whereabouts
from admin_ui.widgets.plain_text import plain

# Of Streamlit's signs the browser would ask another machine.
_ICON = Path(__file__).with_name("icon.svg")
_PLACES = Path(__file__).with_name("places.js").read_text(encoding="utf-8")
# What callers and models say may be Arabic or Hebrew: each paragraph runs as its own first letters do. By
# themselves, small print is paler than everybody can read, and white stands on a pale button in the dark.
_STYLE = """<style>
[data-testid="stMarkdownContainer"] :is(p, li), [data-testid="stCode"] code, textarea { unicode-bidi: plaintext; }
[data-testid="stCaptionContainer"] { opacity: 0.85; }
[data-testid^="stBaseButton-primary"] { color: light-dark(#ffffff, #10201d); }
</style>"""
_UNKNOWN = "What the address names is not here, or not any more: this is the beginning of the page."
_NOT_TO_BE_HAD = (400, 404, 422)
# On a phone the menu lies over the page: whoever has chosen from it wants to see what they chose.
_FOLDS = """<script>
if (!window.menuFolds) {
    window.menuFolds = true;
    document.addEventListener('click', event => {
        if (window.innerWidth >= 768 || !event.target.closest('[data-testid=stSidebarNavLink]')) return;
        document.querySelector('[data-testid=stSidebarCollapseButton] button')?.click();
        document.querySelector('[data-testid=stMain]')?.scrollTo(0, 0);
    });
}
</script>"""


def draw(path: str = PAGES[0].path) -> None:
    """Draw the page that the browser's address names, else the one of this path."""
    st.set_page_config(page_title="Switchboard", page_icon=_ICON, layout="wide")
    st.html(_STYLE)
    st.html(f"{_FOLDS}<script>{_PLACES}{unsaved.SCRIPT}</script>", unsafe_allow_javascript=True)
    asking = st.container()
    pages_found: list[tuple[Server, Business]] = []
    visitor = sign_in.visitor()
    known = [_streamlit_page(page, path, visitor, pages_found) for page in PAGES]
    # Streamlit serves the page that is shown first at / only; whoever writes its name means it, too.
    first = next(page for page in PAGES if page.path == path)
    by_name = _streamlit_page(first, "", visitor, pages_found, visibility="hidden")
    elsewhere.know({page.path: shown for page, shown in zip(PAGES, known, strict=True)})
    if isinstance(visitor, Stranger):
        # Registered but hidden, so that an address keeps meaning its page while somebody signs in.
        st.navigation([*known, by_name], position="hidden")
        sign_in.show_door(visitor)
        return
    try:
        chosen = business_choice.choose(visitor)
    except (Unreachable, Refused) as error:
        st.navigation([*known, by_name], position="hidden")
        stranger = sign_in.turned_away(visitor, error)
        if stranger:
            sign_in.show_door(stranger)
            return
        sign_in.show_banner(visitor)
        failure_view.show(error, visitor.url)
        sign_in.show_leave(visitor)
        return
    allowed = [
        shown
        for page, shown in zip(PAGES, known, strict=True)
        if chosen is None or not page.operation or chosen[1].may(page.operation)
    ]
    opened_page = st.navigation([*allowed, by_name], position="sidebar" if chosen else "hidden", expanded=True)
    sign_in.show_banner(visitor)
    if chosen is None:
        firebase_session.expect_new_roles()
        business_choice.show_none(visitor)
    else:
        sent = st.session_state.setdefault("sent", Sent())
        pages_found.append((replace(chosen[0], sent=sent), chosen[1]))
        arrival = whereabouts.enter(opened_page.url_path, chosen[1].id)
        base_revision.leave_if_elsewhere(f"{opened_page.url_path}/{chosen[1].id}/{arrival}")
        unsaved.begin()
        with _pane(arrival):
            opened_page.run()
        # Whatever was pressed until now, the page shows what came of it.
        sent.settle()
        with asking:
            unsaved.show()
        with st.sidebar:
            st.caption(f"You are here as: **{plain(roles.WORDS.get(chosen[1].role, chosen[1].role))}**")
    sign_in.show_leave(visitor, in_menu=chosen is not None)
    notice.show(business_choice.names())


def _pane(arrival: int) -> DeltaGenerator:
    """Return the place of a page; what stood there of another one is gone before anything is read for this one.

    Streamlit leaves it, to be typed into, until something else is drawn in its place: so there are two places in turn,
    and the one that was left is emptied.
    """
    if arrival % 2:
        st.empty()
        return st.container()
    pane = st.container()
    st.empty()
    return pane


def _streamlit_page(
    page: Page,
    default_path: str,
    visitor: Visitor | Stranger,
    pages_found: list[tuple[Server, Business]],
    visibility: Literal["visible", "hidden"] = "visible",
) -> st.Page:
    def run() -> None:
        server, business = pages_found[0]
        # On a phone the menu with the choice is folded away.
        st.caption(plain(business.name))
        st.title(page.title, anchor=False)
        st.caption(page.about)
        try:
            page.show(server, business)
            if whereabouts.leave():
                notice.say(_UNKNOWN, ":material/wrong_location:")
        except (Unreachable, Refused) as error:
            if isinstance(visitor, Visitor) and sign_in.turned_away(visitor, error):
                st.rerun()
            if isinstance(error, Refused) and error.status in _NOT_TO_BE_HAD and whereabouts.give_up():
                notice.say(_UNKNOWN, ":material/wrong_location:")
                st.rerun()
            failure_view.show(error, server.url)
            whereabouts.stay()

    icon = f":material/{page.icon}:"
    is_default = page.path == default_path
    # The default page is served at / and keeps its own path from being served.
    url_path = "start" if is_default else page.path
    return st.Page(run, title=page.title, icon=icon, url_path=url_path, default=is_default, visibility=visibility)

"""What chooses what is looked at on an owners' page is drawn by `whereabouts`, so that the address brings it back."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.house import ROOT, python_under

PAGES = Path("admin_ui")
KEEPER, KEEPS = "admin_ui/widgets/whereabouts.py", "whereabouts"
CHOOSING = frozenset(
    {
        *("segmented_control", "pills", "tabs", "radio", "pagination", "selectbox", "multiselect", "toggle"),
        *("checkbox", "select_slider", "slider", "date_input"),
    }
)
SEARCHES = ("Find", "Search")
_ENTERED = "what is entered here is saved or sent, and looks at nothing"
EXCEPTIONS = {
    "admin_ui/shell/business_choice.py": "the business stands in every address by itself",
    "admin_ui/conversations/prompt_view.py": "a trial conversation is gone with the window that it was held in",
    "admin_ui/conversations/tool_trial.py": "how the arguments are written is a way to enter them",
    **dict.fromkeys(
        (
            "admin_ui/agents/agent_form.py",
            *("admin_ui/appointments/appointment_forms.py", "admin_ui/appointments/team_form.py"),
            *("admin_ui/business/key_list.py", "admin_ui/business/mcp_servers.py", "admin_ui/business/needs_form.py"),
            *("admin_ui/business/push_results.py", "admin_ui/business/settings_form.py"),
            *("admin_ui/conversations/takeover_form.py", "admin_ui/definitions/business_use.py"),
            *("admin_ui/definitions/fields.py", "admin_ui/definitions/publishing.py"),
            *("admin_ui/definitions/red_tests.py", "admin_ui/definitions/words_trial.py"),
            *("admin_ui/knowledge/collection_rows.py", "admin_ui/knowledge/table_form.py"),
            *("admin_ui/own_tools/exchange.py", "admin_ui/own_tools/fields.py", "admin_ui/own_tools/form.py"),
            *("admin_ui/own_tools/parameter_modes.py", "admin_ui/widgets/config_form.py"),
            "admin_ui/widgets/parameter_form.py",
        ),
        _ENTERED,
    ),
}
"""The modules whose choices are not kept, and why."""


def unkept(root: Path) -> dict[str, list[str]]:
    """Return what chooses, and is neither in a form nor kept in the address: line and widget, by module."""
    found = {}
    for path, text in python_under(root, PAGES):
        chosen = [f"{line}: {widget}" for line, widget in _choices(ast.parse(text))]
        if chosen and path.as_posix() != KEEPER:
            found[path.as_posix()] = chosen
    return found


def _choices(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.With) and any(_is_form(item.context_expr) for item in node.items):
        return
    if isinstance(node, ast.Attribute) and node.attr in CHOOSING and not _is_keeper(node.value):
        yield node.lineno, node.attr
    if isinstance(node, ast.Call) and _is_search(node):
        yield node.lineno, "a search"
    for child in ast.iter_child_nodes(node):
        yield from _choices(child)


def _is_form(call: ast.expr) -> bool:
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "form"


def _is_keeper(owner: ast.expr) -> bool:
    return isinstance(owner, ast.Name) and owner.id == KEEPS


def _is_search(call: ast.Call) -> bool:
    is_text = isinstance(call.func, ast.Attribute) and call.func.attr == "text_input"
    return is_text and any(isinstance(one, ast.Constant) and one.value in SEARCHES for one in call.args)


def test_every_choice_of_what_is_looked_at_is_kept_in_the_address():
    """Whoever adds one draws it by `whereabouts`; a field of what is saved stands in a form, or in the list above."""
    found = {module: chosen for module, chosen in unkept(ROOT).items() if module not in EXCEPTIONS}
    assert not found


def test_no_exception_stands_in_the_list_that_is_not_needed():
    assert not EXCEPTIONS.keys() - unkept(ROOT).keys()


@pytest.mark.parametrize(
    ("line", "is_reported"),
    [
        ('st.segmented_control("Part", parts)', True),
        ('left.toggle("All")', True),
        ("draw = st.tabs", True),
        ('st.text_input("Search", key="text")', True),
        ('whereabouts.part("Part", parts, "part")', False),
        ('st.text_input("Name")', False),
        ('with st.form("new"):\n    st.selectbox("Kind", kinds)', False),
    ],
)
def test_a_choice_that_is_not_kept_is_named(tmp_path, line, is_reported):
    page = tmp_path / PAGES / "calls_page.py"
    page.parent.mkdir()
    page.write_text(f"{line}\n")
    assert bool(unkept(tmp_path)) is is_reported

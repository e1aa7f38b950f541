"""No field keeps what was typed in it once another business, conversation or record is shown: its key names which."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import admin_ui

ROOT = Path(admin_ui.__file__).parent
FIELDS = {
    *("text_input", "text_area", "number_input", "selectbox", "multiselect", "radio", "checkbox", "toggle", "slider"),
    *("date_input", "time_input", "datetime_input", "file_uploader", "chat_input", "select_slider", "st_ace", "pills"),
    *("segmented_control", "data_editor", "color_picker", "camera_input", "audio_input", "feedback"),
}
# What a key is called that is handed on; whatever else is given to a function says only what the field is.
KEYS = {"form", "key", "place", "draft", "shared"}
EXCEPTIONS = {
    "shell/business_choice.py": "By these a business is chosen.",
    "sign_in/page.py": "Nobody has chosen a business before they are let in.",
    "widgets/whereabouts.py": "What is looked at: it takes its value anew wherever somebody arrives.",
}


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield the pages' modules, by their paths."""
    for path in sorted(ROOT.rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def fields(tree: ast.AST) -> Iterator[ast.Call]:
    """Yield each field that is drawn, but for those that say what is looked at."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            owner, _, name = ast.unparse(call.func).rpartition(".")
            if (name in FIELDS and owner != "whereabouts") or (owner, name) == ("json_editor", "draw"):
                yield call


def key_of(field: ast.Call) -> ast.expr:
    """Return the key of a field; none is as good as one that is fixed, and what is drawn with `**` has one in that."""
    for name in ("key", None):
        for given in field.keywords:
            if given.arg == name:
                return given.value
    is_editor = ast.unparse(field.func) == "json_editor.draw"
    return field.args[2] if is_editor else ast.Constant("none")


def is_fixed(key: ast.expr | None, names: dict[str, list[ast.expr]]) -> bool:
    """Tell whether a key begins with words, or with a name that stands for such, and not with what is edited."""
    match key:
        case ast.Constant():
            return True
        case ast.JoinedStr(values=[first, *_]):
            return is_fixed(first.value if isinstance(first, ast.FormattedValue) else first, names)
        case ast.BinOp(left=left):
            return is_fixed(left, names)
        case ast.IfExp(body=body, orelse=orelse):
            return is_fixed(body, names) or is_fixed(orelse, names)
        case ast.Name(id=name) if name in names:
            # A name is followed once: one that is lengthened stays what it was.
            others = {known: given for known, given in names.items() if known != name} | {name: []}
            return any(is_fixed(given, others) for given in names[name])
        case ast.Name(id=name):
            return name not in KEYS
    return False


def given_names(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """Return what each name of a module, or of one of its functions, stands for."""
    names: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                names_of = target.elts if isinstance(target, ast.Tuple) else [target]
                values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
                for name, value in zip(names_of, values, strict=False):
                    if isinstance(name, ast.Name):
                        names.setdefault(name.id, []).append(value)
    return names


def fixed_keys(tree: ast.Module) -> list[str]:
    """Return the keys of fields that say only what the field is, each with its line."""
    around = given_names(ast.Module([one for one in tree.body if not isinstance(one, ast.FunctionDef)], []))
    found = []
    for part in tree.body:
        names = around | given_names(part)
        keys = [(field.lineno, key_of(field)) for field in fields(part)]
        found += [f"{line} {ast.unparse(key)}" for line, key in keys if is_fixed(key, names)]
    return found


@pytest.mark.requirement("004-1801")
def test_the_key_of_each_field_names_what_is_edited_in_it():
    found = {name: fixed_keys(tree) for name, tree in modules() if name not in EXCEPTIONS}
    assert {name: keys for name, keys in found.items() if keys} == {}


def test_a_key_is_fixed_by_whatever_name_it_goes():
    source = """
KEY, OTHER = "draft", "at/other"
def show(read, form):
    st.text_input("a", key=KEY)
    place = f"new/{form}"
    st.text_area("b", key=f"{place}/name")
    left.selectbox("c", key="row/" + form)
    key = f"{read.form}/x"
    key = f"{key}/more"
    st.toggle("d", key=f"{key}/on")
    st.checkbox("e", key=own_key.of("e", form))
    whereabouts.toggle("f", key="f")
    st.slider("g", 1, 2)
    st.slider("h", **shared)
    st.toggle("i", key=f"{name}_on")
"""
    assert [line.split(" ", 1)[1] for line in fixed_keys(ast.parse(source))] == [
        "KEY",
        "f'{place}/name'",
        "'row/' + form",
        "'none'",
        "f'{name}_on'",
    ]
    assert all((ROOT / name).is_file() for name in EXCEPTIONS)

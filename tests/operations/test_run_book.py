"""The run-book knows every error, every alert and every finding there is."""

import ast
import importlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from operations import run_book_tables
from switchboard.admin.health.findings import WORDS
from switchboard.contract.error import ErrorType, ToolError
from tests.each import each

FUNCTIONS = run_book_tables.CODE.parent


@pytest.fixture(scope="module", autouse=True)
def read_once() -> Iterator[None]:
    """Look through the sources once for each error, and not once for each table."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_book_tables, "sources", cache(run_book_tables.sources))
        yield


@each("type", list(ErrorType))
def test_every_error_type_has_a_meaning_a_source_and_a_remedy(type: ErrorType):
    """And the sources name it."""
    assert all(run_book_tables.MEANINGS[type])
    files = [s.strip("`") for s in run_book_tables.sources(type) if s.startswith("`")]
    assert files
    assert all(f"ErrorType.{type.name}" in (run_book_tables.CODE / file).read_text() for file in files)


@pytest.mark.requirement("003-350")
@each("type", list(ErrorType))
def test_what_is_told_of_retryable_is_what_the_code_does(type: ErrorType):
    """A plain yes or no where it is always that; where it may be either, words for when."""
    said, told = run_book_tables.retried(type), run_book_tables.again(type)
    assert {ToolError(type, "no").retryable} <= said
    if type in (ErrorType.TRANSIENT, ErrorType.RATE_LIMIT, ErrorType.CONFLICT):
        assert said == {True, False} and told.startswith("yes" if ToolError(type, "no").retryable else "no")
        assert "yes" in told and len(told) > 20
    else:
        assert (said, told) == ({False}, "no")


@pytest.mark.requirement("003-350")
@each(
    ("source", "said"),
    [
        ("ToolError(ErrorType.CONFLICT, 'x')", {False}),
        ("Refused(ErrorType.RATE_LIMIT, 'x')", {True, False}),
        ("ToolError(ErrorType.CONFLICT, 'x', retryable=True)", {True, False}),
        ("ToolError(type=ErrorType.CONFLICT, message='x', retryable=known)", {True, False}),
        ("ToolError(ErrorType.TRANSIENT, 'x', retryable=False if a else None)", {True, False}),
        ("Failure(ErrorType.PERMANENT, 'x', True, False)", {True, False}),
        ("other(ErrorType.PERMANENT, 'x', retryable=True)", {False}),
    ],
)
def test_however_an_error_is_made_what_it_says_is_seen(tmp_path_factory, monkeypatch, source: str, said: set[bool]):
    """A word that is worked out may be either."""
    place = tmp_path_factory.mktemp("code")
    (place / "one.py").write_text(source)
    monkeypatch.setattr(run_book_tables, "CODE", place)
    (type,) = (one for one in ErrorType if f"ErrorType.{one.name}" in source)
    assert run_book_tables.retried(type) == said


@pytest.mark.requirement("003-350")
def test_what_may_have_happened_is_only_done_again_where_the_message_says_so():
    """A model, or a service, that goes by `retryable` must not do anything twice."""
    silent = []
    for path in sorted(run_book_tables.CODE.rglob("*.py")):
        for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
            named = {word.arg: word.value for word in call.keywords}
            may_be = named.get("partial_side_effects")
            if ast.unparse(call.func) not in ("ToolError", "NothingNew") or not call.args or may_be is None:
                continue
            is_passing = ast.unparse(call.args[0]) in ("ErrorType.TRANSIENT", "ErrorType.RATE_LIMIT")
            if not is_passing or ast.unparse(may_be) == "False":
                continue
            again = named.get("retryable")
            is_never = again is not None and ast.unparse(again) in ("False", "not is_unknown", "not sent")
            is_never = is_never or (isinstance(again, ast.IfExp) and ast.unparse(again.body) == "False")
            if not is_never and "again" not in _message(path, call.args[1]):
                silent.append(f"{path.relative_to(run_book_tables.CODE)}:{call.lineno}")
    assert silent == []


def _message(path: Path, given: ast.expr) -> str:
    """Return the words of a message: as they stand there, or as the module has them under a name, filled in or not."""
    if isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and given.func.attr == "format":
        given = given.func.value
    if isinstance(given, ast.Name | ast.Attribute):
        module = importlib.import_module(".".join(path.relative_to(FUNCTIONS).with_suffix("").parts))
        found: object = module
        for name in ast.unparse(given).split("."):
            found = getattr(found, name)
        return str(found)
    words = " ".join(str(part.value) for part in ast.walk(given) if isinstance(part, ast.Constant))
    return words.replace("once more", "again")


def test_every_alert_and_finding_stands_in_the_tables():
    """By its own name, with what to do."""
    made = run_book_tables.section()
    for path in run_book_tables.ALERTS.glob("*.json"):
        assert f"| {json.loads(path.read_text())['displayName']} |" in made
    assert all(f"| `{name}` |" in made for name in WORDS)


def test_readme_has_the_tables_as_they_are_made_now():
    """`scripts/run_book --write` puts them there."""
    text = run_book_tables.RUN_BOOK.read_text()
    assert run_book_tables.BEGIN in text
    assert run_book_tables.put_in(text, run_book_tables.section()) == text

"""The requirements manifest and the tests that claim its rows."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

FOLDER = Path(__file__).parent
FILES = tuple(f"seed_{number:03d}.toml" for number in range(5))
STATUSES = ("todo", "tested", "declined")

_ID = re.compile(r"\d{3}-(0[1-9]|[1-9]\d{1,3})")
_REQUIRED = ("id", "section", "says", "status")
_OPTIONAL = ("decided",)


class ManifestError(Exception):
    """A row or a mark that cannot be understood; the message names the place and the remedy."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One promise: one behaviour that a test can show."""

    id: str
    document: str
    section: str
    says: str
    status: str
    decided: str | None = None


def load(folder: Path = FOLDER) -> tuple[Requirement, ...]:
    """Return all rows of the five files in their written order.

    Raises:
        ManifestError: A file or row is malformed; the message names file and id.
    """
    return tuple(row for name in FILES for row in _load_file(folder / name))


def tests_by_requirement(root: Path) -> dict[str, list[str]]:
    """Return the tests that claim each id, read from the source without importing it.

    A test is "path::name" or "path::Class::name" with the path relative to `root`. A marked class stands for its
    tests, a module's `pytestmark` for the module's test functions and classes.

    Args:
        root: The folder that contains `tests/`.

    Raises:
        ManifestError: A mark carries no literal ids or stands where no test carries it.
    """
    found: dict[str, list[str]] = {}
    for path in sorted((root / "tests").rglob("*.py")):
        for requirement_id, test in _claims(path, path.relative_to(root).as_posix()):
            tests = found.setdefault(requirement_id, [])
            if test not in tests:
                tests.append(test)
    return found


def _load_file(path: Path) -> Iterator[Requirement]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ManifestError(f"{path.name}: the file is missing") from None
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(f"{path.name}: {error}") from error
    number = path.stem.removeprefix("seed_")
    document = content.pop("document", None)
    rows = content.pop("requirement", None)
    if content:
        raise ManifestError(f"{path.name}: unknown at the top: {', '.join(content)}")
    if not isinstance(document, str) or not document.startswith(f"{number} "):
        raise ManifestError(f'{path.name}: the first line must be document = "{number} <title>"')
    if not isinstance(rows, list) or not rows:
        raise ManifestError(f"{path.name}: there is no [[requirement]]")
    for position, row in enumerate(rows, start=1):
        yield _requirement(path.name, number, document, position, row)


def _requirement(file: str, number: str, document: str, position: int, row: object) -> Requirement:
    if not isinstance(row, Mapping):
        raise ManifestError(f"{file}: row {position} is not a table")
    place = f"{file}: {row.get('id', f'row {position}')}"
    missing = [key for key in _REQUIRED if key not in row]
    unknown = [key for key in row if key not in _REQUIRED + _OPTIONAL]
    unfit = [key for key, value in row.items() if not isinstance(value, str) or not value.strip()]
    if missing:
        raise ManifestError(f"{place}: lacks {', '.join(missing)}")
    if unknown:
        raise ManifestError(f"{place}: has unknown {', '.join(unknown)}")
    if unfit:
        raise ManifestError(f"{place}: must be text that is not empty: {', '.join(unfit)}")
    if not _ID.fullmatch(row["id"]) or not row["id"].startswith(f"{number}-"):
        raise ManifestError(f'{place}: the id must look like "{number}-03" or "{number}-103"')
    if row["status"] not in STATUSES:
        raise ManifestError(f"{place}: status {row['status']!r} is none of {', '.join(STATUSES)}")
    return Requirement(document=document, **row)


def _claims(path: Path, shown: str) -> Iterator[tuple[str, str]]:
    """Yield (id, test) for each mark of one file and refuse a mark that no test carries."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise ManifestError(f"{shown}:{error.lineno}: not readable as Python: {error.msg}") from error
    claimed: set[ast.expr] = set()
    for marks, tests in _marked(tree, shown):
        for mark in marks if tests else ():
            claimed.add(mark.func)
            for requirement_id in _ids(mark, shown):
                yield from ((requirement_id, test) for test in tests)
    for node in ast.walk(tree):
        if _is_mark(node) and node not in claimed:
            raise ManifestError(f"{shown}:{node.lineno}: this mark must carry ids and stand on a test, class or module")


def _marked(tree: ast.Module, shown: str) -> Iterator[tuple[list[ast.Call], list[str]]]:
    """Yield the marks of the module and of every class and test in it, each with the tests they claim."""
    yield _marks_assigned(tree), [f"{shown}::{node.name}" for node in tree.body if _is_test(node)]
    yield from _marked_inside(tree, shown)


def _marked_inside(parent: ast.Module | ast.ClassDef, prefix: str) -> Iterator[tuple[list[ast.Call], list[str]]]:
    for node in parent.body:
        if isinstance(node, ast.ClassDef):
            name = f"{prefix}::{node.name}"
            # A class that inherits may get its tests from there, as contract tests do.
            holds_tests = bool(node.bases) or any(_is_test(child) for child in node.body)
            yield _marks_in(node.decorator_list) + _marks_assigned(node), [name] if holds_tests else []
            yield from _marked_inside(node, name)
        elif _is_test(node):
            yield _marks_in(node.decorator_list), [f"{prefix}::{node.name}"]


def _is_test(node: ast.AST) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    if isinstance(node, ast.ClassDef):
        return node.name.startswith("Test")
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")


def _marks_assigned(parent: ast.Module | ast.ClassDef) -> list[ast.Call]:
    values: list[ast.expr] = []
    for node in parent.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            values += [node.value] if any(_is_pytestmark(target) for target in targets) else []
    return _marks_in(values)


def _marks_in(expressions: list[ast.expr]) -> list[ast.Call]:
    """Return the marks anywhere inside, so that `pytest.param(..., marks=...)` counts as well."""
    return [node for expression in expressions for node in ast.walk(expression) if _is_call_of_mark(node)]


def _is_pytestmark(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "pytestmark"


def _is_mark(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and ast.unparse(node) in ("pytest.mark.requirement", "mark.requirement")


def _is_call_of_mark(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and _is_mark(node.func)


def _ids(mark: ast.Call, shown: str) -> list[str]:
    ids = [node.value for node in mark.args if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    if not ids or len(ids) < len(mark.args) or mark.keywords:
        raise ManifestError(f'{shown}:{mark.lineno}: a requirement mark takes one or more ids such as "000-03"')
    return ids

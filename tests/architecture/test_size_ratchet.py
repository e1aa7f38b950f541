"""How long modules and functions may be: the limits of pyproject.toml, with exceptions that may only shrink."""

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.house import ROOT, python_under

FOLDERS = ("functions", "scripts", "admin_ui")


def limits() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["switchboard"]["size"]


def sizes(root: Path) -> dict[str, tuple[str, int]]:
    """Return kind and number of lines by name: `path` for a module, `path::Class.function` for a function."""
    found = {}
    for path, text in python_under(root, *FOLDERS):
        found[path.as_posix()] = ("module", len(text.splitlines()))
        for name, node in functions_in(ast.parse(text)):
            assert node.end_lineno is not None
            found[f"{path.as_posix()}::{name}"] = ("function", node.end_lineno - node.lineno + 1)
    return found


def functions_in(node: ast.AST, outer: str = "") -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    found = []
    for child in ast.iter_child_nodes(node):
        name = outer
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{outer}.{child.name}".lstrip(".")
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            found.append((name, child))
        found += functions_in(child, name)
    return found


def complaints(root: Path, size: dict[str, Any]) -> list[str]:
    """Return what is too long, and each exception that does not state today's size of something too long."""
    measured = sizes(root)
    exceptions: dict[str, int] = size["exceptions"]
    found = []
    for name, (kind, lines) in measured.items():
        allowed = max(size[kind], exceptions.get(name, 0))
        if lines > allowed:
            found.append(f"{name} has {lines} lines, allowed are {allowed}")
    for name, allowed in exceptions.items():
        kind, lines = measured.get(name, ("module", 0))
        if lines <= size[kind]:
            found.append(f"{name} needs no exception any more: remove it")
        elif lines < allowed:
            found.append(f"{name} has shrunk: lower its exception to {lines}")
    return found


def test_nothing_is_longer_than_its_limit():
    """No module and no function outgrows its limit, and no exception is kept longer than needed."""
    assert complaints(ROOT, limits()) == []


@pytest.mark.parametrize(
    ("exceptions", "expected"),
    [
        ({}, ["functions/a.py has 12 lines, allowed are 10", "functions/a.py::A.long has 6 lines, allowed are 5"]),
        ({"functions/a.py": 12, "functions/a.py::A.long": 6}, []),
        (
            {"functions/a.py": 11, "functions/a.py::A.long": 7},
            [
                "functions/a.py has 12 lines, allowed are 11",
                "functions/a.py::A.long has shrunk: lower its exception to 6",
            ],
        ),
        (
            {"functions/a.py": 12, "functions/a.py::A.long": 6, "functions/b.py": 20, "functions/a.py::short": 9},
            [
                "functions/b.py needs no exception any more: remove it",
                "functions/a.py::short needs no exception any more: remove it",
            ],
        ),
    ],
)
def test_the_ratchet_finds_planted_lengths(tmp_path, exceptions, expected):
    """What is too long is found, and so is an exception that grew slack or useless."""
    file = tmp_path / "functions/a.py"
    file.parent.mkdir()
    file.write_text("class A:\n    def long(self):\n" + "        pass\n" * 5 + "\n\ndef short():\n    pass\n\n")
    assert complaints(tmp_path, {"module": 10, "function": 5, "exceptions": exceptions}) == expected


def test_programs_without_a_suffix_are_measured(tmp_path):
    """A script is Python by its first line."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts/run").write_text("#!/usr/bin/env python3\n\n")
    (tmp_path / "scripts/deploy").write_text("#!/usr/bin/env bash\n")
    assert sizes(tmp_path) == {"scripts/run": ("module", 2)}

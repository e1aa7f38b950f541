"""Where the code is, for the tests that read it."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = Path("functions")
BOUNDARY = FUNCTIONS / "switchboard/pipeline/boundary.py"
# made on the spot, never ours to judge
BUILT = {"tool_registry.json", "business_templates.json"}
SKIPPED = {"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", "venv", "node_modules", *BUILT}


def files_under(root: Path, *folders: Path | str) -> Iterator[Path]:
    """Yield every file of `folders`, relative to `root`, in order; a folder that is not there yields none."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            relative = path.relative_to(root)
            if path.is_file() and not SKIPPED.intersection(relative.parts):
                yield relative


def python_under(root: Path, *folders: Path | str) -> Iterator[tuple[Path, str]]:
    """Yield path and text of each Python file, also of programs that are told by their first line only."""
    for relative in files_under(root, *folders):
        is_program = not relative.suffix and (root / relative).read_bytes().startswith(b"#!/usr/bin/env python3")
        if is_program or relative.suffix == ".py":
            yield relative, (root / relative).read_text()


def trees_under(root: Path, *folders: Path | str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield path and syntax tree of each Python file."""
    for relative, text in python_under(root, *folders):
        yield relative, ast.parse(text, filename=str(relative))

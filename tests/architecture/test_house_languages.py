"""What the house says in one language it says in all of its own: nobody is answered in English beside them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from switchboard.contract.business.languages import HOUSE_LANGUAGES
from tests.architecture.house import FUNCTIONS, ROOT

pytestmark = pytest.mark.requirement("004-1703")
PACKAGE = ROOT / FUNCTIONS / "switchboard"
# What is only understood, or only tried out: there a language that is missing is heard as before, and nothing is said.
UNDERSTOOD = (
    "pipeline/confirmation/",
    "conversation/claims/",
    "models/rehearsal/",
    "admin/evals/",
    "app/evaluation/",
)


def tables(path: Path) -> Iterator[tuple[int, set[str]]]:
    """Yield the tables by language that a module writes out: their lines, and the languages that they have."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Dict):
            names = {key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
            if {"en", "de"} <= names:
                yield node.lineno, names


def test_no_table_of_words_lacks_a_language_that_another_has() -> None:
    """Whatever is said or written to people."""
    missing, looked_at = [], 0
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        if place.startswith(UNDERSTOOD):
            continue
        for line, languages in tables(path):
            looked_at += 1
            missing += [f"{place}:{line} lacks {name}" for name in HOUSE_LANGUAGES if name not in languages]
    assert missing == []
    assert looked_at > 20

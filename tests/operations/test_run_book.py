"""The run-book knows every error, every alert and every finding there is."""

import json
from collections.abc import Iterator
from functools import cache

import pytest

import run_book_tables
from switchboard.admin.health_findings import WORDS
from switchboard.contract.error import ErrorType
from tests.each import each


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


def test_every_alert_and_finding_stands_in_the_tables():
    """By its own name, with what to do."""
    made = run_book_tables.section()
    for path in run_book_tables.ALERTS.glob("*.json"):
        assert f"| {json.loads(path.read_text())['displayName']} |" in made
    assert all(f"| `{name}` |" in made for name in WORDS)


def test_readme_has_the_tables_as_they_are_made_now():
    """`scripts/run_book --write` puts them there."""
    text = run_book_tables.README.read_text()
    assert run_book_tables.BEGIN in text
    assert run_book_tables.put_in(text, run_book_tables.section()) == text

"""A table as spreadsheets write it, in the languages that they write in."""

from typing import Any

import pytest

from switchboard.admin.collections.fields import RowField
from switchboard.admin.collections.table_text import TableText, read_table, write_table
from tests.each import each

pytestmark = pytest.mark.requirement("004-1904")

FIELDS = [RowField("name", "text"), RowField("price", "number"), RowField("red", "boolean"), RowField("note", "text")]


def read(text: str) -> TableText:
    return read_table(text, FIELDS, frozenset())


def rows(text: str) -> list[dict[str, Any]]:
    table = read(text)
    assert not table.problems, table.problems
    return [dict(row) for row in table.rows.values()]


@each("end", ["\r\n", "\n", "\r"])
def test_a_cell_of_several_lines_is_one_text(end: str):
    text = f'name,note{end}LF,"first{end}second{end}{end}fourth"{end}Next,one{end}'
    assert rows(text) == [{"name": "LF", "note": "first\nsecond\n\nfourth"}, {"name": "Next", "note": "one"}]


def test_what_a_spreadsheet_makes_of_an_export_is_the_same_row():
    """It ends the lines within a cell as those of the file."""
    text = write_table(FIELDS, {"r1": {"name": "A", "price": 3, "red": True, "note": "a\nb"}})
    table = read_table(text.replace("\r\n", "\n").replace("\n", "\r\n"), FIELDS, frozenset({"r1"}))
    assert table.rows == {"r1": {"name": "A", "price": 3, "red": True, "note": "a\nb"}} and not table.problems


@each(
    "first, delimiter",
    [
        ("sep=;", ";"),
        ("SEP=;", ";"),
        ('"sep=;"', ";"),
        ("sep=,", ","),
        ("sep=\t", "\t"),
        ("sep=|", "|"),
        ("\ufeffsep=;", ";"),
    ],
)
def test_what_separates_the_cells_may_be_said_first(first: str, delimiter: str):
    """And lines are counted as they stand in the file."""
    text = f"{first}\r\nname{delimiter}price\r\nSep{delimiter}5\r\n"
    assert rows(text) == [{"name": "Sep", "price": 5}]
    table = read(f"{text}Bad{delimiter}many\r\n")
    assert [(one.line, one.column) for one in table.problems] == [(4, "price")]


def test_a_field_called_sep_is_a_field():
    table = read_table("sep\nx\n", [RowField("sep", "text")], frozenset())
    assert list(table.rows.values()) == [{"sep": "x"}]


@each(
    "yes, no",
    [
        ("TRUE", "FALSE"),
        ("WAHR", "FALSCH"),
        ("VRAI", "FAUX"),
        ("VERDADERO", "FALSO"),
        ("VERO", "FALSO"),
        ("VERDADEIRO", "FALSO"),
        ("WAAR", "ONWAAR"),
        ("yes", "no"),
        ("Ja", "Nein"),
        ("oui", "non"),
        ("sí", "no"),
        ("si\u0301", "no"),
        ("sì", "no"),
        ("sim", "não"),
        ("ja", "nee"),
        ("x", "0"),
    ],
)
def test_yes_and_no_are_read_as_they_are_written_in_seven_languages(yes: str, no: str):
    assert [row["red"] for row in rows(f"name,red\nA,{yes}\nB,{no}\n")] == [True, False]


def test_what_is_neither_yes_nor_no_is_told():
    assert "it is 'perhaps'" in read("name,red\nA,perhaps\n").problems[0].message


@each(
    "column, meant",
    [
        ("nmae", "Did you mean name?"),
        ("Prices", "Did you mean price?"),
        ("colour", "There are: name, price, red, note."),
    ],
)
def test_a_column_that_is_no_field_is_told_with_the_one_that_may_be_meant(column: str, meant: str):
    """One that another column is already is not meant."""
    other = "red" if column == "colour" else "note"
    table = read(f"{other},{column}\nyes,3\n")
    assert not table.problems and table.columns[column] is None
    [note] = table.notes
    assert (note.line, note.column) == (1, column) and note.message.endswith(meant)
    assert "left out" in note.message
    assert not read("name,price\nA,3\n").notes
    [twin] = read("name,names\nA,B\n").notes
    assert "Did you mean" not in twin.message

"""Rows as CSV, as spreadsheets write and read it: what is in a file is told line by line before it is taken in."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from switchboard.admin.collections.fields import RowField
from switchboard.admin.documents.difference import canonical
from switchboard.contract.business.names import nearest
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.derived_id import derived_id

ID = "id"
MOST_PROBLEMS = 100
_DELIMITERS = (";", "\t", ",")
# What spreadsheets write before all else to say what separates the cells.
_SEPARATED = re.compile(r'"?sep=([;,|:\t])"?\s*', re.IGNORECASE)
# What a spreadsheet would take for a formula is written as text, behind a mark that is taken away again.
_FORMULAS, _MARK = ("=", "+", "-", "@", "\t", "\r"), "'"


@dataclass(frozen=True, slots=True)
class LineProblem:
    """What is wrong with a line of a file, which is counted from one, the names of the columns included."""

    line: int
    column: str
    message: str


@dataclass(frozen=True, slots=True)
class TableText:
    """What a file says.

    Attributes:
        rows: The fields of each row, by its id.
        columns: Which field each column was matched with; None for those that match none, which are left out.
        notes: What is told of each of these, with the field that may have been meant.
        problems: What is wrong; where there is anything, nothing may be taken in.
    """

    rows: Mapping[str, JsonObject]
    columns: Mapping[str, str | None]
    problems: Sequence[LineProblem] = ()
    notes: Sequence[LineProblem] = ()


def read_table(text: str, fields: Sequence[RowField], known_ids: frozenset[str]) -> TableText:
    """Return what a CSV file says, whose first line names its columns.

    Args:
        text: All of it; separated by commas, semicolons or tabs, whatever its first line has most of, or by what a
            line such as `sep=;` before that says.
        fields: Of the rows.
        known_ids: The ids of rows that there are: a column `id` says which a line is about; lines without one are new.
    """
    file = io.StringIO(text.lstrip("\ufeff"), newline="")
    first, before = file.readline(), 0
    if (said := _SEPARATED.fullmatch(first)) is not None:
        delimiter, before = said[1], 1
    else:
        delimiter = max(_DELIMITERS, key=first.count)
        file.seek(0)
    lines = csv.reader(file, delimiter=delimiter, strict=True)
    try:
        header = [name.strip() for name in next(lines, [])]
        by_name = {_plain(field.name): field for field in fields}
        columns = [by_name.get(_plain(name)) for name in header]
        matched: dict[str, str | None] = {
            name: ID if _plain(name) == ID else column.name if column else None
            for name, column in zip(header, columns, strict=True)
            if name
        }
        problems = list(_wrong_header(header, columns, fields))
        if problems:
            return TableText({}, matched, problems)
        reading = _Lines(header, columns, "," if delimiter == ";" else ".", known_ids)
        for cells in lines:
            reading.take(before + lines.line_num, cells)
    except csv.Error as error:
        line = before + (lines.line_num or 1)
        return TableText({}, {}, [LineProblem(line, "", f"The file is no CSV from here on: {error}.")])
    left_out = [name for name, found in matched.items() if found is None]
    notes = [LineProblem(1 + before, name[:40], _left_out(name, fields, matched)) for name in left_out]
    return TableText(reading.rows, matched, reading.problems, notes[:MOST_PROBLEMS])


def _left_out(name: str, fields: Sequence[RowField], matched: Mapping[str, str | None]) -> str:
    """Return what is told of a column that is left out."""
    taken = set(matched.values())
    near = nearest(name, (field.name for field in fields if field.name not in taken))
    meant = f" Did you mean {near}?" if near else f" There are: {', '.join(field.name for field in fields)}."
    return f"There is no field {name[:40]!r}: this column is left out.{meant}"


def _wrong_header(
    header: Sequence[str], columns: Sequence[RowField | None], fields: Sequence[RowField]
) -> Iterator[LineProblem]:
    if not any(columns):
        names = ", ".join(field.name for field in fields)
        yield LineProblem(1, "", f"No column has the name of a field. The first line must name them, such as {names}.")
    for name, count in Counter(field.name for field in columns if field).items():
        if count > 1:
            yield LineProblem(1, name, f"Two columns are called {name}. Keep one of them.")


class _Lines:
    """Takes lines in, one after the other."""

    def __init__(
        self, header: Sequence[str], columns: Sequence[RowField | None], decimal: str, known_ids: frozenset[str]
    ) -> None:
        self._header, self._columns, self._decimal, self._known = header, columns, decimal, known_ids
        self._at_id = next((at for at, name in enumerate(header) if _plain(name) == ID), None)
        self._same = Counter[str]()
        self.rows: dict[str, JsonObject] = {}
        self.problems: list[LineProblem] = []

    def take(self, line: int, cells: Sequence[str]) -> None:
        """Read a line, or note what is wrong with it."""
        if not any(cell.strip() for cell in cells):
            return
        if len(cells) > len(self._header):
            self._wrong(line, "", f"has {len(cells)} cells, and there are {len(self._header)} columns.")
            return
        row: JsonObject = {}
        for field, cell in zip(self._columns, cells, strict=False):
            if field is None:
                continue
            try:
                row[field.name] = field.read(_unmarked(cell), self._decimal)
            except ValueError as error:
                self._wrong(line, field.name, f"{field.name} {error}")
        if all(value is None for value in row.values()):
            self._wrong(line, "", "says nothing in any of the columns that were matched.")
        id = self._id(line, cells, row)
        if id:
            self.rows[id] = row

    def _id(self, line: int, cells: Sequence[str], row: JsonObject) -> str:
        id = cells[self._at_id].strip() if self._at_id is not None and self._at_id < len(cells) else ""
        if not id:
            words = canonical(row)
            self._same[words] += 1
            # The same file sent again makes the same rows, and none twice.
            return derived_id("row_", f"{words}#{self._same[words]}")
        if id not in self._known:
            self._wrong(line, ID, f"There is no row of the id {id[:60]!r}. Leave it empty for a new one.")
            return ""
        if id in self.rows:
            self._wrong(line, ID, f"The id {id[:60]!r} stands in two lines.")
            return ""
        return id

    def _wrong(self, line: int, column: str, message: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(
                LineProblem(line, column, message if message[0].isupper() else f"Line {line}: {message}")
            )


def write_table(fields: Sequence[RowField], rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Return rows as CSV with their ids, which `read_table` reads again."""
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow([ID, *(field.name for field in fields)])
    for id, row in rows.items():
        writer.writerow([id, *(table_cell(row.get(field.name)) for field in fields)])
    return target.getvalue()


def table_cell(value: Any) -> str:
    """Return a value as it stands in a CSV file: what a spreadsheet would take for a formula is marked as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return _MARK + value if value.startswith((*_FORMULAS, _MARK)) else value
    return str(value) if isinstance(value, int | float) else ""


def _unmarked(cell: str) -> str:
    return cell[1:] if cell.startswith(tuple(_MARK + sign for sign in (*_FORMULAS, _MARK))) else cell


def _plain(name: str) -> str:
    return "".join(name.casefold().replace("_", " ").replace("-", " ").split())

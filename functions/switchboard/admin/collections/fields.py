"""What a row of a collection holds: fields of a name and a type, read strictly, or from a cell of a table."""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.audit.document_kind import STAMPS
from switchboard.admin.documents.one_line import is_one_line
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

FieldType: TypeAlias = Literal["text", "number", "boolean"]
TYPES: tuple[FieldType, ...] = get_args(FieldType)
MOST_FIELDS, LONGEST_TEXT = 30, 2_000
FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,40}")
RESERVED = frozenset({"id", *STAMPS})
"""Names that a field of a row cannot have: they are told beside the fields."""

_GREATEST = 1e15
_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,10})?")
# As people say it and spreadsheets write it: in English, German, Spanish, French, Italian, Portuguese and Dutch.
_YES = frozenset(
    {
        *("true", "yes", "y", "x", "1"),
        *("wahr", "ja", "verdadero", "s\u00ed", "si", "vrai", "oui", "vero", "s\u00ec", "verdadeiro", "sim", "waar"),
    }
)
_NO = frozenset(
    {
        *("false", "no", "n", "0"),
        *("falsch", "nein", "falso", "faux", "non", "n\u00e3o", "nao", "onwaar", "nee"),
    }
)
_KINDS = {"text": "text", "number": "a number", "boolean": "true or false"}


@dataclass(frozen=True, slots=True)
class RowField:
    """A field of the rows of a collection."""

    name: str
    type: FieldType

    def problem(self, value: Any) -> str:
        """Return what is wrong with a value, as the rest of a sentence about the field; empty where nothing is."""
        if not _is_of(self.type, value):
            return f"must be {_KINDS[self.type]}."
        if isinstance(value, str):
            if len(value) > LONGEST_TEXT:
                return f"must not be longer than {LONGEST_TEXT:,} characters; it has {len(value):,}."
            if not is_one_line(value.replace("\n", " ").replace("\t", " ")):
                return "holds characters that nobody sees."
        elif not isinstance(value, bool) and (not math.isfinite(value) or abs(value) > _GREATEST):
            return "must be a number of at most fifteen digits."
        return ""

    def read(self, cell: str, decimal: str) -> Any:
        """Return the value that a cell of a table says, as text alone; None where it says nothing.

        Raises:
            ValueError: It is none of this type; the text is the rest of a sentence about the field.
        """
        words = unicodedata.normalize("NFC", cell.strip())
        if not words:
            return None
        if self.type == "number":
            number = words.replace(" ", "").replace("\u00a0", "")
            number = number.replace(",", ".") if decimal == "," else number
            if not _NUMBER.fullmatch(number):
                example = "12,50" if decimal == "," else "12.50"
                raise ValueError(f"must be a number such as {example}, without a currency; it is {words[:40]!r}.")
            return float(number) if "." in number else int(number)
        if self.type == "boolean":
            if words.casefold() not in _YES | _NO:
                raise ValueError(f"must be yes or no; it is {words[:40]!r}.")
            return words.casefold() in _YES
        # A spreadsheet ends the lines within a cell as it ends those of its file.
        words = words.replace("\r\n", "\n").replace("\r", "\n")
        problem = self.problem(words)
        if problem:
            raise ValueError(problem)
        return words


def _is_of(type: FieldType, value: Any) -> bool:
    if type == "text":
        return isinstance(value, str)
    if type == "boolean":
        return isinstance(value, bool)
    return isinstance(value, int | float) and not isinstance(value, bool)


def fields_of(stored: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> list[RowField]:
    """Return the fields of a collection as its owner has described them, or else as its rows show them.

    Args:
        stored: The collection's own document.
        rows: Some of what lies in it; those of one that was filled past this API are all that tells.
    """
    described = stored.get("fields")
    if isinstance(described, list):
        read = [(one.get("name"), one.get("type")) for one in described if isinstance(one, Mapping)]
        return [RowField(str(name), type) for name, type in read if type in TYPES and FIELD.fullmatch(str(name))]
    shown: dict[str, FieldType] = {}
    for row in rows:
        for name, value in row.items():
            if name not in shown and name not in RESERVED and FIELD.fullmatch(name):
                type = next((one for one in TYPES if _is_of(one, value)), None)
                if type is not None and len(shown) < MOST_FIELDS:
                    shown[name] = type
    return [RowField(name, type) for name, type in shown.items()]


def wrong_with_row(fields: Sequence[RowField], row: Mapping[str, Any]) -> list[EntryProblem]:
    """Return everything that is wrong with the fields of a row."""
    known = {field.name: field for field in fields}
    problems = []
    for name, value in row.items():
        field = known.get(name)
        if field is None:
            sentence = f"There is no field {name[:40]!r}. There are: {', '.join(known) or 'none yet'}."
            problems.append(EntryProblem(f"fields.{name[:40]}", sentence))
        elif value is not None and (problem := field.problem(value)):
            problems.append(EntryProblem(f"fields.{name}", f"fields.{name} {problem}"))
    if not problems and all(value is None or value == "" for value in row.values()):
        problems.append(EntryProblem("fields", "fields must say something."))
    return problems


def joined(fields: Sequence[RowField], before: Mapping[str, Any], row: Mapping[str, Any]) -> JsonObject:
    """Return a row as it will be stored: what its owner wants, and what of it is of no type that is edited here."""
    known = {field.name: field for field in fields}
    # A list, a time or a place that was written past this API is not lost because somebody corrects a price.
    kept = {
        name: value
        for name, value in before.items()
        if name not in known or (name not in row and not _is_of(known[name].type, value))
    }
    return kept | {name: value for name, value in row.items() if value is not None}

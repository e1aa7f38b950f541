"""What is sent and answered about collections and their rows."""

import re
from typing import Annotated, Any

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from switchboard.admin.api.models import (
    AnswerBody,
    Count,
    NextCursor,
    OneLine,
    OneOf,
    RequestBody,
    Revisioned,
    Wording,
)
from switchboard.admin.collections.fields import FIELD, MOST_FIELDS, RESERVED, TYPES

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_NAMED = Wording("must be letters, digits, hyphens and underscores, and begin with a letter: at most 40.")
_FIELD_NAMED = Wording("must be letters, digits and underscores, and begin with a letter: at most 41.")


class FieldBody(RequestBody):
    """A field of the rows."""

    name: Annotated[str, OneLine(41, 1, form=FIELD), _FIELD_NAMED]
    type: Annotated[str, OneOf(TYPES)]


class FieldsBody(RequestBody):
    """The fields of a collection."""

    fields: Annotated[list[FieldBody], Field(min_length=1, max_length=MOST_FIELDS)]

    @field_validator("fields")
    @classmethod
    def _each_once(cls, fields: list[FieldBody]) -> list[FieldBody]:
        names = [field.name for field in fields]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise PydanticCustomError("twice", "must name {name} once.", {"name": twice})
        reserved = next((name for name in names if name in RESERVED), None)
        if reserved:
            raise PydanticCustomError("reserved", "must not name {name}, which every row has.", {"name": reserved})
        return fields


class CollectionBody(FieldsBody):
    """A collection, as it is made."""

    name: Annotated[str, OneLine(40, 1, form=_NAME), _NAMED]


class CollectionChange(FieldsBody, Revisioned):
    """The fields of a collection, as they replace what was said of it."""


RowFields = Annotated[dict[str, Any], Field(description="Values by the names of the collection's fields.")]


class RowBody(RequestBody):
    """A row, as it is added."""

    fields: RowFields


class RowChange(RowBody, Revisioned):
    """A row, as it replaces one."""


class TableBody(RequestBody):
    """A CSV file whose first line names the fields."""

    csv: str = Field(description="Its text. A column id says which row a line is about; without one it is new.")
    replace: bool = Field(default=False, description="true removes the rows that the file does not name.")


class TableTaking(TableBody, Revisioned):
    """A CSV file that is taken in, based on the revision that its check has told."""


class FieldShown(AnswerBody):
    """A field of the rows."""

    name: str
    type: str


class CollectionDetail(AnswerBody):
    """A collection."""

    name: str
    fields: list[FieldShown]
    items: Count
    is_described: bool = Field(description="Whether its owner has said which fields there are; else rows show them.")
    revision: str


class CollectionGone(AnswerBody):
    """What was removed, and the entry of the audit that tells of it."""

    deleted: str
    entry_id: str | None


class RowShown(AnswerBody):
    """A row; `others` are fields that it holds beside those of the collection, which only programs write."""

    id: str
    revision: str
    fields: dict[str, Any]
    others: list[str]


class RowList(AnswerBody):
    """A page of rows."""

    rows: list[RowShown]
    next_cursor: NextCursor


class ColumnShown(AnswerBody):
    """A column of a file, and the field that it was matched with; null: it is left out."""

    name: str
    field: str | None


class LineShown(AnswerBody):
    """What is wrong with a line; 0 is the file as a whole."""

    line: Count
    column: str
    message: str


class TableChecked(AnswerBody):
    """What a file makes of the rows: nothing, where anything is wrong."""

    columns: list[ColumnShown]
    notes: list[LineShown] = Field(description="What is left out all the same, and which field may have been meant.")
    added: Count
    changed: Count
    removed: Count
    unchanged: Count
    problems: list[LineShown]
    revision: str


class TableShown(AnswerBody):
    """All rows as CSV."""

    name: str
    csv: str

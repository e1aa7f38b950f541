"""What is sent and answered where a file or a page is read in."""

from typing import Annotated

from pydantic import Field

from switchboard.admin.api.models import AnswerBody, OneLine, RequestBody
from switchboard.admin.knowledge.models import OriginShown, PartShown

FILE_BYTES = 10 * 1024 * 1024
BODY_BYTES = FILE_BYTES * 4 // 3 + 64 * 1024
"""A file of that size in base64, and the JSON around it."""


class ReadingBody(RequestBody):
    """A file, or the address of a page."""

    name: Annotated[str, OneLine(200, 1)] | None = Field(default=None, description="The file's name: its source.")
    file: str | None = Field(default=None, description="The file (.pdf, .docx, .html, .txt, .md) in base64.")
    address: Annotated[str, OneLine(2_000, 1)] | None = Field(default=None, description="Of a page; https alone.")


class DraftShown(AnswerBody):
    """A document that may be added, or put in place of the one of the same file or page, as it stands here."""

    title: str
    topic: str
    source: str
    tags: list[str]
    parts: list[PartShown]
    origin: OriginShown


class PassageShown(AnswerBody):
    """What a caller would be answered from, and what it is cited as."""

    text: str
    source: str


class PartDifference(AnswerBody):
    """A place that says something else than it did, or was not there, or is no more."""

    place: str
    before: str | None
    after: str | None


class ReadingAnswer(AnswerBody):
    """What was read, of which nothing is kept yet."""

    document: DraftShown
    id: str = Field(description="The id that the document has, or will have.")
    revision: str | None = Field(description="Of the document that is there; null where it is to be added.")
    differences: list[PartDifference] = Field(description="From the document that is there.")
    passages: list[PassageShown]
    notes: list[str]

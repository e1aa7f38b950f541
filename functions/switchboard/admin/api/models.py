"""What bodies, queries and answers of the owners' API are made of: one model checks, documents and serves each.

Imported with the routes alone, which are built when the first owner asks for something.
"""

import re
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from switchboard.admin.api.paging import MOST, USUAL, Page, page_at
from switchboard.admin.documents.one_line import SENTENCE, hidden_place, is_one_line
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.untrusted_text import quoted

# By code points alone, so that every reader of patterns reads them alike: what `one_line.py` refuses in one line, then
# what nobody sees, blanks among it, as far as `untrusted_text.py` takes it out.
_OUT_OF_LINE = r"\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069"
_UNSEEN = (
    r"\u0000-\u0020\u007f-\u00a0\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u1680\u180e\u2000-\u200b"
    r"\u200e\u200f\u2028-\u202f\u205f-\u206f\u3000\ue000-\uf8ff\ufeff\ufff9-\ufffb"
)
# What else nobody sees in a line; whether a joiner or a selector is seen depends on what stands beside it.
_HIDDEN = (
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u2800\u3164"
    r"\ue000-\uf8ff\ufeff\uffa0\ufff9-\ufffb"
)
_LONGEST_NUMBER = 6
_BREAKS = re.compile(r"[\n\r\t]")
_HIDES = "holds something that nobody sees, {place}; write it anew rather than pasting it."


class RequestBody(BaseModel):
    """What is sent: nothing is converted, and what it does not name is refused."""

    model_config = ConfigDict(strict=True, extra="forbid", alias_generator=to_camel)

    elsewhere: ClassVar[dict[str, str]] = {}
    """What is said of names that owners look for here and that are edited elsewhere."""

    def sent(self, *without: str) -> JsonObject:
        """Return the fields that were sent, as they were sent, by their names in JSON."""
        fields = self.model_dump(by_alias=True, exclude_unset=True)
        return {name: value for name, value in fields.items() if name not in without}


class Revisioned(RequestBody):
    """A body that may say which revision it is based on, where the header `If-Match` does not."""

    revision: str | None = Field(default=None, description="The revision that this is based on.")

    def sent(self, *without: str) -> JsonObject:
        """Return the fields that were sent, without the revision."""
        return super().sent("revision", *without)


class QueryParameters(BaseModel):
    """What may stand in a query, and nothing else; all of it may be left out, and an empty text counts as left out."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, values: Any) -> Any:
        return {name: value for name, value in values.items() if value != ""} if isinstance(values, dict) else values


class AnswerBody(BaseModel):
    """What is answered when all is well, with these fields and no others."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)


@dataclass(frozen=True, slots=True)
class Wording:
    """What an owner is told of a value, behind its path, such as "must be a language tag such as en or pt-BR.".

    It is said of whatever is wrong with the value, also with what is inside of it, except of what nobody sees there.
    """

    sentence: str


@dataclass(frozen=True, slots=True)
class Described:
    """Says in the document what a value is, and leaves the checking to the room, which needs to know more for it.

    A patch is checked as what it makes of a document, and hours by what reads them.
    """

    type: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Let every value through; the document shows the type."""
        shown = handler.generate_schema(self.type)
        return core_schema.no_info_plain_validator_function(lambda value: value, json_schema_input_schema=shown)


@dataclass(frozen=True, slots=True)
class OneLine:
    """A text of one line, of so many characters; one that must be there, or is, must show something unless it may not.

    Attributes:
        longest: How many characters it has at most.
        least: And at least.
        may_be_blank: Whether it may hold nothing that anybody sees; usually where it may be empty.
        form: A regular expression that all of it matches; `Wording` says in words what it must be.
        may_hide: Whether it may hold what nobody sees: in a number as address books copy it, of which whoever reads it
            takes that out. In a name it would make two that look the same.
    """

    longest: int
    least: int = 0
    may_be_blank: bool | None = None
    form: re.Pattern[str] | None = None
    may_hide: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the length, and what stands in it."""
        return _words(self, is_line=True, form=self.form)


@dataclass(frozen=True, slots=True)
class Prose:
    """A text of so many characters, in as many lines as it likes; otherwise as `OneLine`."""

    longest: int
    least: int = 0
    may_be_blank: bool | None = None
    may_hide: bool = True

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the length, and what stands in it."""
        return _words(self, is_line=False)


def _words(words: OneLine | Prose, *, is_line: bool, form: re.Pattern[str] | None = None) -> CoreSchema:
    is_strict = not words.may_hide
    may_be_blank = not words.least if words.may_be_blank is None else words.may_be_blank

    def check(value: str) -> str:
        if is_line and not is_one_line(value):
            raise PydanticCustomError("one_line", SENTENCE.removeprefix("{} "))
        if value and not may_be_blank and not quoted(value).strip():
            # What nobody can see says nothing to callers either.
            raise PydanticCustomError("blank", "must not be blank.")
        if is_strict and (place := hidden_place(value if is_line else _BREAKS.sub(" ", value))):
            raise PydanticCustomError("hidden", _HIDES, {"place": place})
        if form and not form.fullmatch(value):
            raise PydanticCustomError("form", "is not written as it must be.")
        return value

    out = _OUT_OF_LINE + _HIDDEN if is_strict else _OUT_OF_LINE
    text = core_schema.str_schema(min_length=words.least or None, max_length=words.longest)
    pattern = f"^[^{out}]*$" if is_line else ""
    if not may_be_blank and is_line:
        # A character that somebody sees is one that may stand in a line.
        pattern = f"^[^{out}]*[^{out}{_UNSEEN}][^{out}]*$"
        pattern = pattern if words.least else f"^({pattern[1:-1]})?$"
    elif not may_be_blank and words.least:
        pattern = f"[^{_UNSEEN}]"
    pattern = f"^(?:{form.pattern})$" if form else pattern
    shown = {"pydantic_js_updates": {"pattern": pattern}} if pattern else {}
    return core_schema.no_info_after_validator_function(check, text, metadata=shown)


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within bounds; in a query it is written in digits alone."""

    least: int
    most: int

    @property
    def wording(self) -> Wording:
        """What is said of everything else."""
        return Wording(f"must be a whole number from {self.least} to {self.most}.")

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the bounds."""
        number = core_schema.int_schema(ge=self.least, le=self.most)
        return core_schema.no_info_before_validator_function(_digits, number)


def _digits(value: Any) -> Any:
    if isinstance(value, str) and not (value.isascii() and value.isdigit() and len(value) <= _LONGEST_NUMBER):
        raise PydanticCustomError("digits", "must be a whole number.")
    return value


def _moment(value: Any) -> Any:
    if type(value) is not str:
        return value
    # A plus that nobody escaped arrives as a blank.
    moment = datetime.fromisoformat(value.replace(" ", "+") if "T" in value else value)
    try:
        moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("is beyond the years that can be told.") from None
    return moment


def _within_utc(moment: datetime) -> datetime:
    try:
        moment.astimezone(UTC)
    except OverflowError:
        # Hours before the first year, or after the last one: as far as UTC can tell.
        return (datetime.min if moment.year == 1 else datetime.max).replace(tzinfo=UTC)
    return moment


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these words."""

    words: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Take no other."""
        return core_schema.literal_schema(list(self.words))


Count: TypeAlias = Annotated[int, Field(ge=0)]
Counts: TypeAlias = dict[str, Count]
Number: TypeAlias = int | float
Confirm: TypeAlias = Annotated[bool, Field(description="true saves although something breaks by it.")]
NextCursor: TypeAlias = Annotated[str | None, Field(description="Where the next page begins; null at the end.")]
Ok: TypeAlias = Literal["ok"]
_EMAIL = re.compile(r"(?:[^@\s]+@[^@\s]+\.[^@\s]+)?")
EmailOrNone: TypeAlias = Annotated[
    str,
    OneLine(254, form=_EMAIL),
    Wording("must be an e-mail address such as anna@example.com."),
]
PHONE_WANTED = Wording("must be a number such as +1 201 555 0123.")
PhoneOrNone: TypeAlias = Annotated[str, OneLine(100, may_hide=True), PHONE_WANTED]
"""A number in any usual spelling; whether it can be called is told once it is known where the business is."""
Moment: TypeAlias = Annotated[
    AwareDatetime,
    BeforeValidator(_moment),
    AfterValidator(_within_utc),
    Wording("must be a time with its offset, such as 2027-03-10T09:00:00-05:00."),
]
MomentAsked: TypeAlias = Annotated[
    Moment, WithJsonSchema({"anyOf": [{"type": "string", "format": "date-time"}, {"const": ""}]})
]
"""One that stands in a query, where it may be empty."""


class Paging(QueryParameters):
    """Which page of a list is asked for; what `cursor` must be is told by `page`."""

    limit: Annotated[int, Whole(1, MOST)] | None = Field(default=None, description="How many are returned at most.")
    cursor: str | None = Field(default=None, description="Where to go on: `nextCursor` of the page before.")

    def page(self, keys: int, usual: int = USUAL) -> Page:
        """Return the page of a list with so many sort keys; `usual` is its length where nobody says.

        Raises:
            NotValid: The cursor is none of such a list.
        """
        return page_at(self.cursor or "", keys, self.limit or usual)

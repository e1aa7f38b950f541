"""What is sent and answered about policies, FAQs (seed 000, "Data Model") and documents."""

import re
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, ValidationInfo, field_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from switchboard.admin.api.models import (
    AnswerBody,
    Count,
    Moment,
    NextCursor,
    Ok,
    OneLine,
    Paging,
    Prose,
    RequestBody,
    Revisioned,
    Whole,
    Wording,
)
from switchboard.admin.api.refusal_models import NearShown

MOST_POLICIES, MOST_FAQS, MOST_DOCUMENTS = 200, 500, 50
Tags = Annotated[list[Annotated[str, Prose(60, 1)]], Field(max_length=20)] | None
Alongside = Annotated[
    list[Annotated[str, OneLine(1_500, 1)]] | None,
    Field(
        max_length=50,
        description="Ids of what says something on the same, and is kept beside this one; anything else on the same is "
        "409 then, also where the list is empty. A new one without it is saved, and the answer tells what is near.",
    ),
]
Near = Annotated[
    list[NearShown] | SkipJsonSchema[None],
    Field(description="What says something on the same, beside which this was saved."),
]
_SEEDS = ConfigDict(alias_generator=None)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class PolicyBody(RequestBody):
    """A policy, as it is created."""

    model_config = _SEEDS

    topic: Annotated[str, OneLine(100, 1)]
    content: Annotated[str, Prose(20_000, 1)]
    business_id: str | None = Field(default=None, description="The business of the address, if any.")
    alongside: Alongside = None


class PolicyChange(PolicyBody, Revisioned):
    """A policy, as it replaces one."""

    model_config = _SEEDS


class FaqBody(RequestBody):
    """A question with its answer, as it is created."""

    model_config = _SEEDS

    topic: Annotated[str, OneLine(100, 1)]
    question: Annotated[str, Prose(500, 1, may_hide=False)]
    answer: Annotated[str, Prose(20_000, 1)]
    tags: Tags = None
    business_id: str | None = Field(default=None, description="The business of the address, if any.")
    alongside: Alongside = None


class FaqChange(FaqBody, Revisioned):
    """A question with its answer, as it replaces one."""

    model_config = _SEEDS


class DocumentPart(RequestBody):
    """A stretch of a document that was read out of a file or a page."""

    place: Annotated[str, OneLine(200)] = Field(default="", description="Where it stands, such as page 2.")
    text: Annotated[str, Prose(20_000, 1)]


class Origin(RequestBody):
    """The file or the page that a document was read out of: there is one document of each."""

    kind: Literal["file", "page"]
    name: Annotated[str, OneLine(2_000, 1)] = Field(description="The name of the file, or the address of the page.")
    read_on: Annotated[str, OneLine(10, form=_DAY), Wording("must be a day such as 2027-03-10.")]
    unread: list[Annotated[str, OneLine(300, 1)]] = Field(
        default_factory=list, max_length=401, description="What of it could not be read."
    )


class KnowledgeBody(RequestBody):
    """A document, as it is added: with `content`, or with the `parts` that were read out of a file or a page."""

    title: Annotated[str, OneLine(200, 1)]
    parts: Annotated[list[DocumentPart], Field(min_length=1, max_length=500)] | None = None
    origin: Origin | None = None
    content: Annotated[str, Prose(50_000, 1)] | None = Field(
        default=None, validate_default=True, description="Plain text or Markdown; needed where there are no parts."
    )
    topic: Annotated[str, OneLine(100, may_be_blank=False)] = ""
    source: Annotated[str, OneLine(300, may_be_blank=False)] = Field(
        default="", description="What callers are told it is from; the title where it is left out."
    )
    tags: Tags = None

    @field_validator("content")
    @classmethod
    def _says_something(cls, content: str | None, info: ValidationInfo) -> str | None:
        # Here, so that it is told along with what else is wrong; the rest of the rule is `entry_form.py`'s.
        if content is None and info.data.get("parts", ...) is None and info.data.get("origin", ...) is None:
            raise PydanticCustomError("content_missing", "is required.")
        return content


class KnowledgeChange(KnowledgeBody, Revisioned):
    """A document, as it replaces one."""


class EntryQuery(Paging):
    """Which of a business's texts are listed."""

    topic: str | None = Field(default=None, description="Only of this topic.")


class PolicyQuery(EntryQuery):
    """Which policies are listed."""

    limit: Annotated[int, Whole(1, MOST_POLICIES)] | None = None


class FaqQuery(EntryQuery):
    """Which FAQs are listed."""

    limit: Annotated[int, Whole(1, MOST_FAQS)] | None = None


class DocumentQuery(EntryQuery):
    """Which documents are listed."""

    limit: Annotated[int, Whole(1, MOST_DOCUMENTS)] | None = None


class SeedAnswer(AnswerBody):
    """An answer in the seed's spelling."""

    model_config = _SEEDS


class PolicyShown(SeedAnswer):
    """A policy."""

    id: str
    business_id: str
    topic: str
    content: str
    updated_at: str


class PolicyAnswer(SeedAnswer):
    """One policy."""

    status: Ok
    policy: PolicyShown
    near: Near = None


class PolicyList(SeedAnswer):
    """A page of policies; without `next_cursor` it is the last."""

    status: Ok
    policies: list[PolicyShown]
    next_cursor: str = ""


class FaqShown(SeedAnswer):
    """A question with its answer."""

    id: str
    business_id: str
    topic: str
    question: str
    answer: str
    tags: list[str]
    updated_at: str


class FaqAnswer(SeedAnswer):
    """One question with its answer."""

    status: Ok
    faq: FaqShown
    near: Near = None


class FaqList(SeedAnswer):
    """A page of questions with their answers; without `next_cursor` it is the last."""

    status: Ok
    faqs: list[FaqShown]
    next_cursor: str = ""


class EntryRemoved(SeedAnswer):
    """What was removed."""

    status: Ok
    id: str


class OriginShown(AnswerBody):
    """The file or the page that a document was read out of."""

    kind: str
    name: str
    read_on: str
    unread: list[str]


class PartShown(AnswerBody):
    """A stretch of a document that was read out of a file or a page."""

    place: str
    text: str


class DocumentHead(AnswerBody):
    """What is told of a document wherever it is shown."""

    id: str
    business_id: str
    revision: str
    title: str
    topic: str
    source: str
    tags: list[str]
    origin: OriginShown | None
    updated_at: Moment
    updated_by: str | None


class DocumentLine(DocumentHead):
    """A document in a list."""

    excerpt: str
    characters: Count
    passage_count: Count


class DocumentShown(DocumentHead):
    """A document with all that it says, and the passages that it is searched by."""

    content: str
    parts: list[PartShown]
    passages: list[str]


class DocumentList(AnswerBody):
    """A page of documents."""

    documents: list[DocumentLine]
    next_cursor: NextCursor


class DocumentRemoved(AnswerBody):
    """What was removed, and the entry of the audit that tells of it."""

    deleted: str
    entry_id: str | None

"""What owners may write into a policy, an FAQ or a document, and how many of each there may be."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.api.models import RequestBody
from switchboard.admin.api.wording import wrong_with
from switchboard.admin.documents.difference import ABSENT, same
from switchboard.admin.knowledge.models import MOST_FAQS, MOST_POLICIES, FaqBody, KnowledgeBody, PolicyBody
from switchboard.admin.reading.extract import MOST_CHARACTERS
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document
from switchboard.desk.knowledge.chunk import Passage, faq_passages, policy_passages

Collection: TypeAlias = Literal["policies", "faqs", "knowledge"]
_NOT_KEPT = ("business_id", "alongside")


@dataclass(frozen=True, slots=True)
class EntryForm:
    """One kind of entry.

    Attributes:
        collection: Where entries are kept, and the name of a list of them in answers.
        one: The name of one of them in answers.
        body: What owners write.
        most: How many entries a business may have: of policies and FAQs the tools read no more.
        at_once: How many are read together; the longest of them must arrive within the store's time-out.
        passages: Reads what callers are told of them, where a second one on a topic is questioned.
        rule: Returns what is wrong with fields that are sound each by itself.
    """

    collection: Collection
    one: str
    body: type[RequestBody]
    most: int
    at_once: int = 100
    passages: Callable[[Iterable[Document]], Iterator[Passage]] | None = None
    rule: Callable[[JsonObject], Sequence[EntryProblem]] = lambda _: ()

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that owners write, in the order of the seed."""
        return tuple(name for name in self.body.model_fields if name not in _NOT_KEPT)

    @property
    def has_tags(self) -> bool:
        """Whether it may carry tags."""
        return "tags" in self.body.model_fields

    def check(self, fields: JsonObject, before: JsonObject) -> Sequence[EntryProblem]:
        """Return everything that is wrong with an entry, as far as it changes."""
        problems = wrong_with(self.body, fields) or list(self.rule(fields))
        return [p for p in problems if not _is_as_before(p.field.partition("[")[0], fields, before)]


def _is_as_before(name: str, fields: JsonObject, before: JsonObject) -> bool:
    return name in before and same(fields.get(name, ABSENT), before[name])


POLICY = EntryForm("policies", "policy", PolicyBody, MOST_POLICIES, passages=policy_passages)
FAQ = EntryForm("faqs", "faq", FaqBody, MOST_FAQS, passages=faq_passages)


def _one_text(fields: JsonObject) -> Sequence[EntryProblem]:
    """Return what is wrong with what a document says: it is typed, or read out of something, and not both."""
    content, parts, origin = (fields.get(name) for name in ("content", "parts", "origin"))
    if content is not None and (parts is not None or origin is not None):
        return [EntryProblem("content", "content is for what is typed: leave it out beside parts and origin.")]
    if content is not None:
        return ()
    if parts is None or origin is None:
        name = "origin" if parts is not None else "parts" if origin is not None else "content"
        return [EntryProblem(name, f"{name} is required.")]
    characters = sum(len(part["text"]) for part in parts)
    if characters > MOST_CHARACTERS:
        sentence = f"parts must not be longer than {MOST_CHARACTERS} characters together; they have {characters}."
        return [EntryProblem("parts", sentence)]
    return ()


# A backup, an audit entry with both versions and every search hold whole documents: all of them take ten megabytes, and
# twice that where all are read out of files as long as they may be.
DOCUMENT = EntryForm("knowledge", "document", KnowledgeBody, most=200, at_once=10, rule=_one_text)

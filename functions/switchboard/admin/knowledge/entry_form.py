"""What owners may write into a policy, an FAQ (seed 000, "Data Model") or a document: all problems at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.documents.one_line import SENTENCE, is_one_line
from switchboard.contract.json import JsonObject
from switchboard.desk.untrusted_text import quoted

Collection: TypeAlias = Literal["policies", "faqs", "knowledge"]
_TAGS, _TAG = 20, 60
# Texts of no more characters are names of a kind, and stand in one line.
_LINE = 300


@dataclass(frozen=True, slots=True)
class EntryForm:
    """One kind of entry.

    Attributes:
        collection: Where entries are kept, and the name of a list of them in answers.
        one: The name of one of them in answers.
        texts: The text fields, all needed, with how long each may be.
        has_tags: Whether it may carry tags.
        most: How many entries a business may have: of policies and FAQs the tools read no more.
        optional: Text fields that may be left out, with how long each may be.
        at_once: How many are read together; the longest of them must arrive within the store's time-out.
    """

    collection: Collection
    one: str
    texts: dict[str, int]
    has_tags: bool
    most: int
    optional: Mapping[str, int] = field(default_factory=dict)
    at_once: int = 100

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that owners write, in the order of the seed."""
        return (*self.texts, *self.optional, *(("tags",) if self.has_tags else ()))

    def check(self, wanted: JsonObject, before: JsonObject) -> Sequence[EntryProblem]:
        """Return everything that is wrong with an entry."""
        return [*self._texts(wanted, before), *(_tags(wanted.get("tags")) if self.has_tags else ())]

    def unknown(self, given: JsonObject) -> list[EntryProblem]:
        """Return a problem for each field that such an entry does not have."""
        known = ", ".join(self.fields)
        return [
            EntryProblem(str(name)[:100], f"A {self.one} has no {str(name)[:60]!r}. Use {known}.")
            for name in given
            if name not in self.fields
        ]

    def _texts(self, wanted: JsonObject, before: JsonObject) -> Iterator[EntryProblem]:
        for name, longest in {**self.texts, **self.optional}.items():
            value: Any = wanted.get(name)
            if name in self.optional and (value == "" or name not in wanted):
                continue
            if value is None or value == "":
                yield EntryProblem(name, f"{name} is required.")
            elif not isinstance(value, str):
                yield EntryProblem(name, f"{name} must be text.")
            elif len(value) > longest:
                yield EntryProblem(name, f"{name} must not be longer than {longest} characters; it has {len(value)}.")
            elif not quoted(value).strip():
                # What nobody can see says nothing to callers either.
                yield EntryProblem(name, f"{name} must not be blank.")
            elif longest <= _LINE and value != before.get(name) and not is_one_line(value):
                yield EntryProblem(name, SENTENCE.format(name))


def _tags(value: Any) -> Iterator[EntryProblem]:
    if value is None:
        return
    if not isinstance(value, list) or len(value) > _TAGS:
        yield EntryProblem("tags", f"tags must be a list of at most {_TAGS} words.")
        return
    for at, tag in enumerate(value):
        if not isinstance(tag, str) or not tag.strip() or len(tag) > _TAG:
            yield EntryProblem(f"tags[{at}]", f"tags[{at}] must be text of 1 to {_TAG} characters.")


POLICY = EntryForm("policies", "policy", {"topic": 100, "content": 20_000}, has_tags=False, most=200)
FAQ = EntryForm("faqs", "faq", {"topic": 100, "question": 500, "answer": 20_000}, has_tags=True, most=500)
# A backup, an audit entry with both versions and every search hold whole documents: all of them take ten megabytes.
DOCUMENT = EntryForm(
    "knowledge",
    "document",
    {"title": 200, "content": 50_000},
    has_tags=True,
    most=200,
    optional={"topic": 100, "source": 300},
    at_once=20,
)

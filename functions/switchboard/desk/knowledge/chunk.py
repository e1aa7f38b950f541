"""What a business has written down: policies, FAQs and knowledge, as passages short enough to be read to a caller."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from switchboard.contract.business.business import Service
from switchboard.contract.business.names import slug
from switchboard.contract.document import strings
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document
from switchboard.desk.bookings.date_text import stamp
from switchboard.desk.untrusted_text import quoted

# A passage is what the model gets to read at once; a long document is cut between paragraphs.
_PASSAGE_CHARACTERS = 700
_HEADING = re.compile(r"#{1,6} .*|.+\n(=+|-+)")


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of the business's own words, as `untrusted_text` lets them stand: data, never instructions.

    Attributes:
        id: The document's id; the passages of one document share it.
        kind: `policy`, `faq` or `knowledge`.
        title: The topic, the question or the document's title.
        text: The words.
        labels: Topic and tags, to be found by.
        source: What to cite: words, never a path.
        updated_at: ISO 8601 in UTC; empty if unknown.
    """

    id: str
    kind: str
    title: str
    text: str
    labels: tuple[str, ...] = ()
    source: str = ""
    updated_at: str = ""


def policy_passages(documents: Iterable[Document]) -> Iterator[Passage]:
    """Yield one passage per policy `{topic, content, updatedAt}` (seed 000, "Data Model"), whole."""
    for document in documents:
        topic, text = _text(document, "topic"), _text(document, "content")
        if text:
            yield Passage(document.id, "policy", topic, text, ("policy",), f"Policy: {topic}", _updated(document))


def faq_passages(documents: Iterable[Document]) -> Iterator[Passage]:
    """Yield one passage per FAQ `{topic, question, answer, tags, updatedAt}` (seed 000, "Data Model"), whole."""
    for document in documents:
        question, text = _text(document, "question"), _text(document, "answer")
        if text:
            yield Passage(document.id, "faq", question, text, _labels(document), f"FAQ: {question}", _updated(document))


def knowledge_passages(documents: Iterable[Document]) -> Iterator[Passage]:
    """Yield the passages of each knowledge document `{title, content, topic, tags, source, updatedAt}`.

    One that was read out of a file or a page has `parts`, each `{place, text}`, in place of its content: their passages
    are cited with the place, such as `price list.pdf, page 2`.
    """
    for document in documents:
        title = _text(document, "title") or _text(document, "topic")
        source = _text(document, "source") or title
        for place, words in _parts(document):
            cited = f"{source}, {place}" if place else source
            for text in _cut(words):
                yield Passage(document.id, "knowledge", title, text, _labels(document), cited, _updated(document))


def service_passages(services: Iterable[Service]) -> Iterator[Passage]:
    """Yield what a business says of its services, each in passages of an article of its own."""
    for service in services:
        name, id = quoted(service.name).strip(), f"service-{slug(service.name)}"
        for text in _cut(quoted(service.description).strip()):
            yield Passage(id, "knowledge", name, text, ("service",), f"Service: {name}")


def content_of(document: Document) -> str:
    """Return all that a knowledge document says, as it is stored."""
    parts = _stored_parts(document)
    if parts:
        return "\n\n".join(str(part["text"]) for part in parts)
    # Whoever writes documents past the owners' API may call it either, and both are searched.
    return str(document.data.get("content") or document.data.get("text") or "")


def whole(kind: str, document: Document) -> Passage | None:
    """Return a document of that kind as one passage, uncut; None where it says nothing."""
    if kind != "knowledge":
        return next(iter((policy_passages if kind == "policy" else faq_passages)([document])), None)
    parts = list(knowledge_passages([document]))
    source = _text(document, "source") or (parts[0].title if parts else "")
    return replace(parts[0], text=quoted(content_of(document)).strip(), source=source) if parts else None


def _parts(document: Document) -> Iterator[tuple[str, str]]:
    """Yield the place and the words of each part; of what was typed, all of it without a place."""
    parts = _stored_parts(document)
    for part in parts:
        yield quoted(str(part.get("place") or "")).strip(), quoted(str(part["text"])).strip()
    if not parts:
        yield "", _text(document, "content") or _text(document, "text")


def _stored_parts(document: Document) -> list[Mapping[str, Any]]:
    parts = document.data.get("parts")
    rows = parts if isinstance(parts, list) else []
    return [part for part in rows if isinstance(part, Mapping) and isinstance(part.get("text"), str)]


def _cut(text: str) -> Iterator[str]:
    held = ""
    for paragraph in _paragraphs(text):
        if held and len(held) + len(paragraph) > _PASSAGE_CHARACTERS:
            yield held
            held = ""
        held = f"{held}\n\n{paragraph}" if held else paragraph
        while len(held) > 2 * _PASSAGE_CHARACTERS:
            end = held.rfind(" ", _PASSAGE_CHARACTERS, 2 * _PASSAGE_CHARACTERS)
            end = end if end > 0 else 2 * _PASSAGE_CHARACTERS
            yield held[:end]
            held = held[end:].lstrip()
    if held.strip():
        yield held


def _paragraphs(text: str) -> Iterator[str]:
    """Yield paragraphs; a heading of Markdown stays with what stands below it."""
    heading = ""
    for part in re.split(r"\n\s*\n", text):
        paragraph = f"{heading}\n\n{part}" if heading else part
        heading = paragraph if _HEADING.fullmatch(part.strip()) and len(paragraph) < _PASSAGE_CHARACTERS else ""
        if not heading:
            yield paragraph
    if heading:
        yield heading


def _text(document: Document, name: str) -> str:
    value = document.data.get(name)
    return quoted(value).strip() if isinstance(value, str) else ""


def _labels(document: Document) -> tuple[str, ...]:
    return (_text(document, "topic"), *map(quoted, strings(document.data.get("tags"))))


def _updated(document: Document) -> str:
    value = document.data.get("updatedAt")
    if isinstance(value, str):
        return quoted(value)
    return stamp(value if isinstance(value, datetime) else document.update_time)

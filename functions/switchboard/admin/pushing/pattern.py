"""What is pushed: a template that is shipped, or a business that an agency keeps as the pattern of others."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from switchboard.admin.documents.difference import ABSENT
from switchboard.admin.opening.templates import BusinessTemplate
from switchboard.admin.pushing.parts import DOCUMENT_PARTS, ENTRY_PARTS, EntryPart, Part, document_tree, entry_tree
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

_BUSINESS = "business:"


@dataclass(frozen=True, slots=True)
class PushPattern:
    """One of them.

    Attributes:
        key: Names it in what is noted: a template's id, or a business's behind `business:`.
        document: The document that it says parts of.
        entries: What it says below that, by part and id.
        renamed: Returns a value with a business's name in the place of the pattern's own.
    """

    key: str
    document: JsonObject
    entries: Mapping[EntryPart, Mapping[str, JsonObject]]
    renamed: Callable[[Any, str], Any]

    @property
    def business_id(self) -> str:
        """The business that is the pattern; empty for a template that is shipped."""
        return self.key.removeprefix(_BUSINESS) if self.key.startswith(_BUSINESS) else ""

    def tree(self, part: Part, name: str) -> Any:
        """Return what a part says to a business of a name, as a tree; `ABSENT` where it says nothing of it."""
        for entries in ENTRY_PARTS:
            if part == entries:
                rows = self.entries.get(entries, {})
                return {id: entry_tree(self.renamed(row, name)) for id, row in rows.items()}
        for field in DOCUMENT_PARTS:
            if part == field:
                tree = document_tree(field, self.document)
                return self.renamed(tree, name) if part == "ai" and tree is not ABSENT else tree
        raise ValueError(part)

    def trees(self, parts: Collection[Part], name: str) -> dict[Part, Any]:
        """Return what it says of parts to a business of a name."""
        return {part: self.tree(part, name) for part in parts}


def of_template(template: BusinessTemplate) -> PushPattern:
    """Return a template that is shipped as a pattern."""
    entries = {part: template.collections[part] for part in ENTRY_PARTS if part in template.collections}
    return PushPattern(template.id, template.document, entries, template.renamed)


def of_business(id: str, document: JsonObject, entries: Mapping[EntryPart, Mapping[str, JsonObject]]) -> PushPattern:
    """Return a business as a pattern: of its document, and of its entries as their owners see them."""
    name = str(document.get("name") or "")

    def renamed(value: Any, other: str) -> Any:
        if isinstance(value, str):
            return _with_name(value, name, other) if name.strip() else value
        if isinstance(value, Mapping):
            return {key: renamed(each, other) for key, each in value.items()}
        return [renamed(each, other) for each in value] if isinstance(value, list) else value

    return PushPattern(f"{_BUSINESS}{id}", document, entries, renamed)


def _with_name(text: str, name: str, other: str) -> str:
    """Return a text with another name wherever a name stands as one: "Hair" is none in "Haircut"."""
    first, *rest = text.split(name)
    parts, before = [first], first[-1:]
    for piece in rest:
        is_within = _is_of_word(before) or _is_of_word(piece[:1])
        parts += [name if is_within else other, piece]
        before = piece[-1:] or name[-1]
    return "".join(parts)


def _is_of_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"

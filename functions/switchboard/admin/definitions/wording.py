"""Which words a draft changes: what only a model reads, and what no replay of recorded calls can try."""

from collections.abc import Mapping, Sequence

from switchboard.admin.definitions.definition_set import content_hash
from switchboard.admin.definitions.record import Record
from switchboard.admin.documents.difference import Difference, differences
from switchboard.contract.document import integer, mapping
from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.python.dataclass import dataclass

ASKED = "wordsAsked"
"""The field of a draft's document that says of which words, and how often, a model was asked."""
_WORDS = ("description", "title")


@dataclass(frozen=True, slots=True)
class WordChanges:
    """The words that a draft changes.

    Attributes:
        fields: Their places in the definition.
        is_only: Whether it changes nothing else.
        asked: In how many recorded conversations a model was asked again with exactly these words.
    """

    fields: tuple[str, ...]
    is_only: bool
    asked: int

    @property
    def remark(self) -> str | None:
        """Says that the words were not tried, or by how much; None where none change."""
        if not self.fields:
            return None
        where = ", ".join(self.fields)
        if self.asked:
            many = "one recorded conversation" if self.asked == 1 else f"{self.asked} recorded conversations"
            return f"Words change ({where}): a model was asked again with them in {many}."
        return f"Words change ({where}), and were not tried: recorded calls do not tell what a model makes of words."

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        return as_json(self, remark=self.remark)

    def to_note(self) -> JsonObject | None:
        """Return what the list of publications keeps; None where no words change."""
        return {"fields": list(self.fields), "asked": self.asked} if self.fields else None


def word_changes(record: Record) -> WordChanges:
    """Return the words in which a record's draft differs from what most businesses have; none without a draft."""
    drafted, draft = record.drafted, record.draft
    if drafted is None or draft is None:
        return WordChanges((), is_only=False, asked=0)
    before = record.completed(record.in_force) if record.in_force is not None else {}
    differing = differences(before, record.completed(drafted))
    words = [difference.field for difference in differing if _is_of_words(difference)]
    asked = mapping(draft.data.get(ASKED))
    is_of_these = asked.get("of") == content_hash(draft.data.get("document"))
    return WordChanges(
        tuple(words), bool(words) and len(words) == len(differing), integer(asked.get("asked")) if is_of_these else 0
    )


def noted_words(note: Mapping[str, object]) -> WordChanges | None:
    """Return what a note of the list of publications says of words; None where none changed."""
    words = mapping(note.get("words"))
    fields: Sequence[object] = words.get("fields") or ()
    if not fields:
        return None
    return WordChanges(tuple(str(field) for field in fields), is_only=False, asked=integer(words.get("asked")))


def _is_of_words(difference: Difference) -> bool:
    first, last = difference.field.partition(".")[0], difference.field.rpartition(".")[2]
    return first == "readBack" or (last in _WORDS and not isinstance(difference.after, Mapping))

"""What a look at everything has met that is somebody else's: who else bears a name or an address, and what is on file.

A caller's name and e-mail address may be others' as well: namesakes, families. Where a document tells by number, or by
id, that it is one of theirs, what is theirs too must stay in it.
"""

import json
from collections.abc import Iterable
from dataclasses import field

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document


@dataclass(slots=True)
class SeenBeside:
    """What one look has met beside the caller's own.

    Attributes:
        bearers: By a text that names the caller, folded: by which numbers and ids others are told who bear it too.
        on_file: The ids of all records of callers.
        messages: The ids of all messages that were left.
        identified: Sessions that are known to be somebody's.
    """

    bearers: dict[str, set[str]] = field(default_factory=dict)
    on_file: set[str] = field(default_factory=set)
    messages: set[str] = field(default_factory=set)
    identified: set[str] = field(default_factory=set)

    def bears(self, texts: Iterable[str], marks: Iterable[str]) -> None:
        """Note that somebody else bears these texts, and by what that one is told."""
        known = {mark for mark in marks if mark}
        for text in texts:
            self.bearers.setdefault(text.casefold(), set()).update(known)

    def is_shared(self, text: str) -> bool:
        """Tell whether somebody else bears a text as well."""
        return text.casefold() in self.bearers

    def theirs(self, document: Document, data: JsonObject, texts: Iterable[str]) -> frozenset[str]:
        """Return which of the texts stand in a document as somebody else's, who is told there."""
        shared = [text for text in texts if self.is_shared(text)]
        if not shared:
            return frozenset()
        whole = json.dumps([document.path, data], ensure_ascii=False, default=str)
        return frozenset(text for text in shared if _stands_in(self.bearers[text.casefold()], whole))


def _stands_in(marks: Iterable[str], whole: str) -> bool:
    return any(_is_alone(mark, whole) for mark in marks)


def _is_alone(mark: str, whole: str) -> bool:
    """Tell whether a mark stands somewhere in a text as a whole, and not within a longer word or number."""
    at = whole.find(mark)
    while at >= 0:
        before, behind = whole[at - 1 : at], whole[at + len(mark) : at + len(mark) + 1]
        if not (_is_of_word(before) or _is_of_word(behind)):
            return True
        at = whole.find(mark, at + 1)
    return False


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"

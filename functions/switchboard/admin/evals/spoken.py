"""What was said, held against the receipts; by other means than the product's own guard, so that each shows the other.

Only sentences that say plainly that something is done count: no questions, no offers, nothing denied or still to come.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_DONE = {
    "book_appointment": (
        r"(?:you are|you're|is|have|i've|has been|have been) (?:now |all )?(?:booked|reserved)",
        r"\bbooked (?:you|it|that)\b",
        r"(?:ist|sind|habe|wurde)\b.{0,80}\b(?:gebucht|eingetragen|reserviert)\b",
    ),
    "cancel_appointment": (
        r"(?:is|has been|have|i've) (?:now )?cancell?ed",
        r"\bcancell?ed (?:it|that|your)\b",
        r"(?:ist|habe|wurde)\b.{0,80}\b(?:abgesagt|storniert)\b",
    ),
    "reschedule_appointment": (
        r"(?:is|has been|have|i've) (?:now )?(?:moved|rescheduled)",
        r"(?:ist|habe|wurde)\b.{0,80}\b(?:verschoben|verlegt|umgebucht)\b",
    ),
    "send_sms": (
        r"(?:have|i've) (?:texted|sent (?:you |it |that )?.{0,30}\btext)",
        r"habe\b.{0,60}\b(?:sms|textnachricht)\b.{0,30}\b(?:geschickt|gesendet)\b",
    ),
    "take_message": (
        r"(?:have|i've|has been) (?:passed|taken|left) (?:on |down )?(?:that|it|your|the|a) ?message",
        r"(?:habe|wurde)\b.{0,60}\b(?:nachricht|rückrufbitte)\b.{0,40}\b(?:weitergegeben|aufgenommen|hinterlassen)\b",
    ),
}
_PATTERNS = {
    tool: [re.compile(rf"\b{pattern}" if pattern[0] == "(" else pattern, re.I) for pattern in patterns]
    for tool, patterns in _DONE.items()
}
_NOT_SO = re.compile(
    r"\b(?:not|n't|no|never|if|when|once|would|could|can|cannot|shall|should|will|already|nothing|unable|fully)\b|n't\b|"
    r"\b(?:nicht|kein\w*|wenn|sobald|würde|könnte|kann|soll|wird|schon|bereits|nie|nichts)\b",
    re.I,
)
_WORDS = re.compile(r"[a-zäöüß]+", re.I)
_COMMON = {
    "en": frozenset(
        [
            "the",
            "a",
            "is",
            "are",
            "you",
            "your",
            "i",
            "we",
            "to",
            "of",
            "for",
            "on",
            "at",
            "and",
            "have",
            "has",
            "what",
            "would",
            "like",
            "it",
            "that",
            "there",
            "can",
        ]
    ),
    "de": frozenset(
        [
            "der",
            "die",
            "das",
            "ist",
            "sind",
            "sie",
            "ihr",
            "ihre",
            "ich",
            "wir",
            "zu",
            "am",
            "um",
            "und",
            "haben",
            "hat",
            "was",
            "möchten",
            "es",
            "kann",
            "für",
            "ein",
        ]
    ),
}
_FEWEST = 4


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text."""
    yield from (sentence.strip() for sentence in _SENTENCE.split(text) if sentence.strip())


def claims(text: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence that says that something is done, with the tool that does it."""
    for sentence in sentences(text):
        if sentence.endswith("?") or _NOT_SO.search(sentence):
            continue
        for tool, patterns in _PATTERNS.items():
            if any(pattern.search(sentence) for pattern in patterns):
                yield tool, sentence


def language_of(texts: Iterable[str]) -> str | None:
    """Return in which of the languages a text is written; None where too few words tell."""
    words = [word.casefold() for text in texts for word in _WORDS.findall(text)]
    counts = {language: sum(word in common for word in words) for language, common in _COMMON.items()}
    best = max(counts, key=counts.__getitem__)
    others = max(count for language, count in counts.items() if language != best)
    return best if counts[best] >= _FEWEST and counts[best] > 2 * others else None

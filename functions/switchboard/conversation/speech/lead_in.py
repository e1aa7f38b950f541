"""What of the model's words is said before a question of the house's."""

import logging
import re

from switchboard.pipeline.confirmation.consent import denies_to_come, may_precede

log = logging.getLogger(__name__)
# Not behind an initial or a title, as in "Dr. J. St. John".
_SENTENCES = re.compile(r"(?<!\b\w\.)(?<!\b[DFMS][rts]\.)(?<=[.!?\u2026])\s+")

_BEFORE = "So. "


def lead_in(words: str) -> str:
    """Return the sentences that may stand before the question; what is left out is logged, with why.

    A sentence that asks, speaks of an answer ("just say yes"), says "I won't" or breaks off would make it unsure what a
    yes is to. The others answer what the caller asked.
    """
    kept: list[str] = []
    dropped: list[str] = []
    for sentence in _SENTENCES.split(words.strip()):
        # A "yes" that the first one begins with is the speaker's own.
        (kept if may_precede(f"{_BEFORE if kept else ''}{sentence}") else dropped).append(sentence)
    if dropped:
        log.info(
            "words are not said before a question",
            extra={"reason": _reason(dropped), "count": len(dropped), "pii.detail": " ".join(dropped)[:200]},
        )
    return " ".join(kept)


def _reason(sentences: list[str]) -> str:
    if any("?" in sentence or "\u00bf" in sentence for sentence in sentences):
        return "asks"
    if any(map(denies_to_come, sentences)):
        return "denies it"
    return "speaks of an answer" if sentences[-1].endswith((".", "!", "\u2026")) else "breaks off"

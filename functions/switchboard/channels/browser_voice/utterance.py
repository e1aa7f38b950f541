"""What the human did in their turn, as the page tells it: words that were recognised or typed, or a button."""

from collections.abc import Mapping
from typing import Any

from switchboard.channels.http.request_body import Malformed, optional_text
from switchboard.conversation.speech.utterance import Utterance

LONGEST_UTTERANCE = 4_000


def utterance(said: Mapping[str, Any], within: str = "") -> Utterance:
    """Read `{text}`, or `{button, question}` where the question is the turn under which the button stands.

    Raises:
        Malformed: It has neither or both, or something else than that.
    """
    text = optional_text(said, "text", within=within, longest=LONGEST_UTTERANCE)
    button, question = optional_text(said, "button", within=within), said.get("question")
    if (text is None) == (button is None):
        raise Malformed(within.rstrip("."), f"Exactly one of {within}text and {within}button is needed.")
    if button not in (None, "yes", "no"):
        raise Malformed(f"{within}button", f"{within}button must be yes or no.")
    if question is not None and (not isinstance(question, int) or isinstance(question, bool)):
        raise Malformed(f"{within}question", f"{within}question must be the turn of the question that is answered.")
    return Utterance(text or "", button=button or "", question=question if button else None)

"""Whether words like "booked" say that something was done, or only deny, ask, promise, suppose or quote it.

How people do that is a matter of the language; it is looked for in the clause of the words, and as little beyond it as
the languages allow. Every language is asked: models fall back to English, and callers bring their own.
"""

import re
from collections.abc import Sequence

_MANY = (
    r"(?:appointments|bookings|clients|customers|people|guests|callers|visits|messages|texts|calls|e-?mails|reminders)"
)
# Before the claim, in its own clause: it is denied, asked for, promised, supposed or someone else's.
_BEFORE = (
    re.compile(
        r"\b(?:not(?! only\b| just\b)|never|no|nothing|none|nobody|without|cannot|can|could|would|will|shall|should|"
        r"may|might|must|to (?:be|have|get|see|keep|make)|if|once|when|whenever|whether|until|unless|before|"
        r"after (?:you|it|that|we|the|your)|unable|fail\w*|get|gets|getting|be|being|fully|how|what|who|"
        r"want (?:me|us|it|that|this|to)|need\w* (?:me|us|it|to)|going to|let (?:me|us)|let's|try|trying|instead of|"
        r"you (?:said|say|mentioned|told|think|thought)|usually|normally|typically|always|often|generally|sometimes|"
        r"(?:any|some|many|most|each|every|all) (?:of )?(?:our |the )?(?:\w+ )?(?:appointment|booking|message|"
        r"text|call|"
        rf"e-?mail|code|visit|client|customer|caller|guest)s?|(?<!your )(?<!both )(?<!the )(?<!two ){_MANY}|"
        r"anyone|everyone|everybody|someone|somebody)\b|n't\b|'ll\b|'d (?:like|be|get|have|need)\b",
        re.I,
    ),
    re.compile(
        r"\b(?:nicht(?! nur\b)|nichts|nie|niemals|kein\w*|kann|können|könnte\w*|würde\w*|werde|werden|wird|soll|"
        r"sollen|sollte\w*|möchte\w*|will|wollen|wenn|falls|sobald|sofern|bevor|bis (?:das|es|der|die|sie|ich|wir)|ob|"
        r"damit(?! (?:sind|ist|habe|haben|hat|steht|wäre|wurde)\b)|lassen|lass|darf|dürfte\w*|müsste\w*|muss|müssen|"
        r"hätte\w*|welche\w*|wer|wann|versuch\w*|viele|manche|meisten|normalerweise|üblicherweise|jemand|"
        r"sie (?:sagten|meinten|erwähnten))\b",
        re.I,
    ),
)
# After the claim, in its own clause.
_AFTER = (
    re.compile(
        r"^\W*(?:out|up|solid|all day|nothing|nobody)\b|\byet\?|\b(?:once|as soon as|unless|provided|subject to)\b|"
        r"\bif (?:that|this|it|i|we|you (?:confirm|agree|approve|say|accept|give|tell|want|like))\b",
        re.I,
    ),
    re.compile(
        r"\b(?:nicht|nichts|kein\w*|niemand|sobald|sofern|falls)\b|^\W*(?:\w+\s+){0,2}(?:werden|wird|wären?)\b", re.I
    ),
)
# A time that is taken is no deed: "That slot is already booked."
_SLOT_BEFORE = re.compile(
    r"\b(?:times?|slots?|spots?|hours?|o'clock|mornings?|afternoons?|evenings?|\w+day)\b(?:\s+at\s+\S+)?"
    r"(?:\s+\S+){0,2}?\s+(?:is|are|was|were|has been|have been|'s)?\s*(?:already|both|all|also|unfortunately)?\s*$|"
    r"\b(?:uhrzeit|zeit|vormittag|nachmittag|abend|\w+tag|\w+woch|uhr)\s+(?:\S+\s+){0,4}?"
    r"(?:ist|sind|war|waren)\s+(?:leider\s+)?(?:schon|bereits)\s*$",
    re.I,
)
_OWN = re.compile(r"\b(?:you|your|you're|i|i've|we've|sie|ihr\w*|ich|dein\w*)\b|\bfor you\b", re.I)
# Said before a claim without making it any less one.
_ASSURANCES = re.compile(
    r"\b(?:(?:can|happy to|glad to|pleased to|able to|like to|want to|let me|delighted to|just to)"
    r"(?: also| now| gladly| already)? (?:confirm|say|tell you|report|let you know|see|assure you|inform you|share)"
    r"(?: that\b)?|(?:no|not a) (?:problem|worries)|not to worry|no need to worry|(?:don't|do not) worry|"
    r"(?:managed|was able|were able|been able) to(?: get)?|should be (?=all set|good to go|booked for)|"
    r"(?:kann|darf) (?:ihnen |dir |ich (?:ihnen )?)?(?:hiermit |gern |gerne |nun |jetzt )?(?:bestätigen|sagen|"
    r"mitteilen|sehen)|(?:bestätigen|sagen|mitteilen) zu (?:können|dürfen)|kein problem|keine sorge)\b",
    re.I,
)
_CLAUSES = re.compile(
    r"[;:\u2013\u2014!?.\u2026]+\s+|,\s+(?!(?:dass|was|ob|whether|if it|if you are)\b)|\s+[-\u2013\u2014]\s+|"
    r"\s+(?:but|and so|and if|and when|aber|und|because|since|although|though|weil|denn|obwohl)\s+|"
    r"\s+(?:and|so)\s+(?=(?:i|i've|you|you're|we|we've|it|it's|that|your|they|he|she|everything|the)\b)",
    re.I,
)
# What follows from a condition is as open as the condition.
_CONDITION = re.compile(
    r"\s*(?:and |but |so |then |und |oder )?(?:if|once|when(?! (?:i|we)\b)|as soon as|unless|until|in case|after you|"
    r"wenn|falls|sobald|sofern|solange|nachdem sie)\b",
    re.I,
)
_LATER_CONDITION = re.compile(
    r"\s*(?:once (?:you|i|we|it|that|the)|as soon as|provided|sobald|sofern|vorausgesetzt)\b", re.I
)
_PRESUPPOSED = re.compile(r"\b(?:now that|jetzt wo|nachdem ich)\b", re.I)
# A clause beside the claim's that speaks of other times than what was done.
_ELSEWHERE = re.compile(
    r"\b(?:free|available|availability|open|opens|opening|close|closes|closed|instead of|other times?|frei|verfügbar|"
    r"geöffnet|offen|geschlossen|statt|öffne\w*|schließ\w*)\b",
    re.I,
)


class Clauses:
    """A sentence in its clauses, assurances taken out."""

    def __init__(self, sentence: str) -> None:
        """Take it apart; offsets stay those of the sentence."""
        text = _ASSURANCES.sub(lambda match: " " * len(match[0]), sentence)
        self._asks = text.rstrip(" \"'*_)").endswith("?")
        self.texts = tuple(_parts(text))

    def is_open(self, position: int, start: int, end: int) -> bool:
        """Tell whether the words from `start` to `end` of a clause claim nothing."""
        clause = self.texts[position]
        before, after = clause[:start], clause[end:]
        # Of a question only its last clause asks: "You are booked, is that all right?" claims.
        if self._asks and position == len(self.texts) - 1 and not _PRESUPPOSED.search(before):
            return True
        if any(p.search(before) for p in _BEFORE) or any(p.search(after) for p in _AFTER):
            return True
        if _SLOT_BEFORE.search(before) and not _OWN.search(before) and not _OWN.search(after):
            return True
        if position and _CONDITION.match(self.texts[position - 1]) and _goes_on(self.texts[position - 1]):
            return True
        following = self.texts[position + 1 :]
        return bool(following and _LATER_CONDITION.match(following[0]))

    def about(self, positions: Sequence[int]) -> str:
        """Return what the sentence says of the claims in these clauses: without what is said of something else."""
        return "".join(
            text
            for n, text in enumerate(self.texts)
            if n in positions or not (_ELSEWHERE.search(text) or any(p.search(text) for p in _BEFORE))
        )


def _goes_on(clause: str) -> bool:
    return not clause.rstrip().endswith((".", "!", "?", ";"))


def _parts(text: str) -> list[str]:
    found, start = [], 0
    for match in _CLAUSES.finditer(text):
        found.append(text[start : match.end()])
        start = match.end()
    if text[start:].strip() or not found:
        found.append(text[start:])
    return found

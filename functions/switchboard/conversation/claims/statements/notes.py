"""What is said to be noted: where nothing was written down, nothing was."""

import re
from itertools import chain

from switchboard.conversation.claims.facts import texts_in, words_of
from switchboard.conversation.claims.party_words import NUMBERS
from switchboard.conversation.claims.people_marks import MARKS, marked
from switchboard.conversation.claims.statements.statement import SpokenStatement
from switchboard.conversation.claims.told_by_results import content_of, meant_by, notes_of

_NOTED_THAT = re.compile(
    r"\b(?:(?:i|we)(?:'ve| have)?(?: also| just)? (?:noted|made a note|put a note|written down|put down|recorded)"
    r"(?: here| down)? that\b"
    r"|(?:habe|haben) (?:ich |wir )?(?:[^\W\d_]+ ){0,3}(?:notiert|vermerkt|aufgeschrieben|festgehalten), dass\b"
    r"|(?:he|hemos|queda) (?:anotado|apuntado|registrado) que\b"
    r"|(?:j'ai|nous avons|c'est)(?: bien)? noté qu(?:e\b|')"
    r"|(?:ho|abbiamo) (?:annotato|segnato|preso nota) (?:che|del fatto che)\b"
    r"|(?:anotei|registei|registrei|anotámos|anotamos|tomei nota de) que\b"
    r"|(?:heb|hebben) (?:ik |we |wij )?(?:[^\W\d_]+ ){0,2}(?:genoteerd|opgeschreven) dat\b)(?P<what>.{1,200})",
    re.I,
)
_TELLS_NOTED = re.compile(
    r"\b(?:noted|added|written down|put down|notiert|vermerkt|dazugeschrieben|aufgeschrieben|eingetragen|apuntad[oa]s?"
    r"|anotad[oa]s?|añadid[oa]s?|notée?s?|ajoutée?s?)(?!\w)",
    re.I,
)
_MAY_BE = re.compile(
    r"\b(?:not|nicht|no|pas|if|wenn|si|can|could|kann|könnte|puedo|peux|will|shall|soll)\b|n't\b", re.I
)
# What somebody else is said to have answered, whom nobody has asked.
_OTHERS_SAID = re.compile(
    r"\b(?:the (?:kitchen|chef|cook|staff)|die küche|der koch|la cocina|el chef|la cuisine|le chef)\s+"
    r"(?:has|have|hat|ha|a)\s+"
    r"(?:already\s+|schon\s+|ya\s+|déjà\s+)?(?:[^.;!?]{0,60}\s)?(?:confirmed|agreed|promised|bestätigt|zugesagt|versprochen"
    r"|confirmado|prometido|asegurado|confirmé|promis|assuré)(?!\w)",
    re.I,
)
_LETTERS = re.compile(r"[^\W_]+")
_TWO = 2


def hold_wrong_note(statement: SpokenStatement) -> None:
    """Hold a sentence that tells as noted what often is wished for, and was not; or more of it than was noted.

    Raises:
        Unfounded: It must not be said.
    """
    sentence, session = statement.sentence, statement.session
    if _OTHERS_SAID.search(sentence) is not None and not any(_OTHERS_SAID.search(text) for text in statement.told()):
        raise statement.refused("nobody has asked them, and they have said nothing. Say only what was noted.")
    if _TELLS_NOTED.search(sentence) is None or _MAY_BE.search(sentence) is not None:
        return
    noted = [text for receipt in session.receipts for text in notes_of(receipt)]
    words = [word.casefold() for word in _LETTERS.findall(sentence)]
    wished = meant_by(words)
    if not noted or not wished:
        return
    told = [word.casefold() for text in noted for word in _LETTERS.findall(text)]
    counts = {_count(word) for word in told} | {receipt.words.get("partySize") for receipt in session.receipts}
    many = {_count(word) for number, word in enumerate(words) if meant_by(words[number + 1 : number + 3])} - counts
    if wished - meant_by(told) or any(count >= _TWO for count in many):
        raise statement.refused(f"what was noted is: {'; '.join(noted)!r}. Say that, or note the rest first.")


def _count(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS.get(word, 0)


def hold_nothing_noted(statement: SpokenStatement) -> None:
    """Hold "I have noted that the dog is old" where nothing was noted with anything that was done.

    What says only when, for whom and with whom is noted by what was done, or asked of the caller next.

    Raises:
        Unfounded: It must not be said.
    """
    session = statement.session
    match = _NOTED_THAT.search(statement.sentence)
    if match is None or any(notes_of(receipt) for receipt in session.receipts):
        return
    told = chain.from_iterable(texts_in([receipt.words, receipt.arguments]) for receipt in session.receipts)
    known = frozenset[str]().union(*map(words_of, told), *(words_of(one.name) for one in statement.business.services))
    what = MARKS.sub(" ", marked(statement.business, match["what"]).text)
    if known.issuperset(content_of(what)):
        return
    raise statement.refused(
        "nothing of the kind was noted. Note it first, with what you do or as a message, or say that you cannot."
    )

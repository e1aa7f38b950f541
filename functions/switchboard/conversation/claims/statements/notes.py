"""What is said to be noted: where nothing was written down, nothing was."""

import re
from itertools import chain

from switchboard.conversation.claims.facts import texts_in, words_of
from switchboard.conversation.claims.people_marks import MARKS, marked
from switchboard.conversation.claims.statements.statement import SpokenStatement
from switchboard.conversation.claims.told_by_results import content_of, notes_of

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

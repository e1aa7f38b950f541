"""A time that was found free, told without a verb: "Half past eight tomorrow, with Anna." offers what was looked up."""

from datetime import datetime

from switchboard.contract.business.business import Business
from switchboard.conversation.claims.company_check import people_free
from switchboard.conversation.claims.entities import readings
from switchboard.conversation.claims.facts import words_of
from switchboard.conversation.claims.free_words import was_found_free
from switchboard.conversation.claims.party_words import only_tell_hours
from switchboard.conversation.claims.people_marks import MARKS, marked
from switchboard.conversation.claims.people_words import WITH_WORDS
from switchboard.conversation.claims.sentences import tells
from switchboard.conversation.claims.statements.statement import LONGEST_STATEMENT
from switchboard.conversation.session import CallSession


def only_offers(business: Business | None, session: CallSession, sentence: str, now: datetime) -> bool:
    """Tell whether a sentence says no more than when, and with whom, and a look-up of this turn has found just that.

    Args:
        business: Whose people may be named.
        session: The conversation: where something was agreed to, or done, in this turn, a bare time is no offer.
        sentence: In plain marks.
        now: Local.
    """
    assert now.tzinfo is not None
    is_done = session.agreed or any(receipt.turn == session.facts.turn for receipt in session.receipts)
    if is_done or len(sentence) > LONGEST_STATEMENT or tells(sentence):
        return False
    named = marked(business, sentence)
    rest = MARKS.sub(" ", named.text)
    if not only_tell_hours(WITH_WORDS.sub(" ", rest)):
        return False
    messages, names = session.history.this_turn, named.named(named.text)
    if not names:
        return was_found_free(rest, messages, now)
    free = list(people_free(messages, now.tzinfo))
    said = [one for one in readings(rest, now) if one.clocks and one.says_day]
    return bool(said) and all(
        any(words_of(name) <= words_of(one.person) and one.agrees_with(at) for one in free for at in said)
        for name in names
    )

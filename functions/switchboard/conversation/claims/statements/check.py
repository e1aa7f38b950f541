"""Everything that a sentence may say without claiming a deed, held one kind after the other."""

from collections.abc import Callable
from dataclasses import replace

from switchboard.conversation.claims.classifier import ClaimReading
from switchboard.conversation.claims.sentences import before_question
from switchboard.conversation.claims.statements.each_ones import without_what_is_told_of_each
from switchboard.conversation.claims.statements.lengths import hold_wrong_length
from switchboard.conversation.claims.statements.messages import hold_wrong_message
from switchboard.conversation.claims.statements.money.fees import hold_untold_fee
from switchboard.conversation.claims.statements.money.meant_prices import hold_price_of_another
from switchboard.conversation.claims.statements.money.notice import hold_wrong_notice
from switchboard.conversation.claims.statements.money.prices import hold_wrong_price
from switchboard.conversation.claims.statements.notes import hold_nothing_noted, hold_wrong_note
from switchboard.conversation.claims.statements.old_times import without_old_times
from switchboard.conversation.claims.statements.opening_hours import hold_wrong_hours
from switchboard.conversation.claims.statements.own_appointments import hold_wrong_count
from switchboard.conversation.claims.statements.promises import hold_untold_promise
from switchboard.conversation.claims.statements.room_left import hold_too_much_room
from switchboard.conversation.claims.statements.sent_texts import hold_wrong_contents
from switchboard.conversation.claims.statements.services import hold_wrong_service
from switchboard.conversation.claims.statements.statement import LONGEST_STATEMENT, SpokenStatement
from switchboard.conversation.claims.statements.vacancies import hold_wrong_vacancy
from switchboard.conversation.claims.statements.who_is_in import hold_wrong_presence
from switchboard.conversation.claims.told_by_results import hold_half_noted
from switchboard.conversation.claims.unclaimed import TOO_SOON
from switchboard.conversation.claims.until_then import without_states

# Each holds what is told of one kind of thing, and reads no question, and nothing that is longer than a statement.
_HELD = (
    hold_untold_fee,
    hold_wrong_notice,
    hold_wrong_price,
    hold_price_of_another,
    hold_wrong_message,
    hold_wrong_contents,
    hold_wrong_hours,
    hold_wrong_length,
    hold_nothing_noted,
    hold_wrong_count,
    hold_too_much_room,
    hold_untold_promise,
)


def hold_untrue(statement: SpokenStatement) -> None:
    """Hold a sentence that tells what is not so, or what nobody here can know.

    Raises:
        Unfounded: It must not be said.
    """
    told = before_question(statement.sentence)[0] if statement.sentence.endswith("?") else statement.sentence
    if told.strip() and len(statement.sentence) <= LONGEST_STATEMENT:
        for hold in _HELD:
            hold(replace(statement, sentence=told.strip()))
    hold_wrong_service(statement)
    # In front of a question a time may be told as free: "Ten is free. Shall I take it?"
    hold_wrong_vacancy(statement)
    hold_wrong_presence(statement)
    hold_half_noted(statement)
    if not statement.sentence.endswith("?") and len(statement.sentence) <= LONGEST_STATEMENT:
        hold_wrong_note(statement)


def what_is_left(statement: SpokenStatement, read: Callable[[str], ClaimReading]) -> tuple[str, str]:
    """Return a sentence without what it says, truly, of times and of what stands; and without what it says of each.

    The first still tells what things cost, and what was noted; only in the second is it looked for deeds.

    Args:
        statement: What is about to be said.
        read: Reads what a text claims.

    Raises:
        Unfounded: It says what is not so.
    """
    plain = without_old_times(statement)
    whole = without_states(replace(statement, sentence=plain))
    if TOO_SOON.search(whole) is not None:
        return whole, whole
    return whole, without_what_is_told_of_each(replace(statement, sentence=whole), read)

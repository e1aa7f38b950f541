"""Everything that a sentence may say without claiming a deed, held one kind after the other."""

from collections.abc import Callable
from dataclasses import replace

from switchboard.conversation.claims.classifier import ClaimReading
from switchboard.conversation.claims.statements.each_ones import without_what_is_told_of_each
from switchboard.conversation.claims.statements.lengths import hold_wrong_length
from switchboard.conversation.claims.statements.messages import hold_wrong_message
from switchboard.conversation.claims.statements.money.fees import hold_untold_fee
from switchboard.conversation.claims.statements.money.prices import hold_wrong_price
from switchboard.conversation.claims.statements.notes import hold_nothing_noted
from switchboard.conversation.claims.statements.old_times import without_old_times
from switchboard.conversation.claims.statements.opening_hours import hold_wrong_hours
from switchboard.conversation.claims.statements.own_appointments import hold_wrong_count
from switchboard.conversation.claims.statements.promises import hold_untold_promise
from switchboard.conversation.claims.statements.room_left import hold_too_much_room
from switchboard.conversation.claims.statements.services import hold_wrong_service
from switchboard.conversation.claims.statements.statement import SpokenStatement
from switchboard.conversation.claims.statements.vacancies import hold_wrong_vacancy
from switchboard.conversation.claims.told_by_results import hold_half_noted
from switchboard.conversation.claims.until_then import without_states


def hold_untrue(statement: SpokenStatement) -> None:
    """Hold a sentence that tells what is not so, or what nobody here can know.

    Raises:
        Unfounded: It must not be said.
    """
    hold_untold_fee(statement)
    hold_wrong_price(statement)
    hold_wrong_service(statement)
    hold_wrong_message(statement)
    hold_wrong_hours(statement)
    hold_wrong_length(statement)
    hold_nothing_noted(statement)
    hold_wrong_count(statement)
    hold_too_much_room(statement)
    hold_wrong_vacancy(statement)
    hold_untold_promise(statement)
    hold_half_noted(statement)


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
    return whole, without_what_is_told_of_each(replace(statement, sentence=whole), read)

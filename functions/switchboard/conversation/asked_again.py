"""A question that was open when a caller was cut off, for whoever has them back: by whichever instance it was asked."""

import logging

from switchboard.contract.error import log_fields
from switchboard.contract.store import StoreError
from switchboard.conversation.dependencies import Dependencies
from switchboard.conversation.session import CallSession

log = logging.getLogger(__name__)


async def still_asked(parts: Dependencies, session: CallSession) -> str:
    """Return the words of the question that was put to the caller last, if a yes to it can still count.

    Empty is also what nobody can tell: a yes is then to no question, and what the model calls is asked about anew.
    """
    question = session.question
    if question is None or question.asked_in != session.told_last_in:
        return ""
    try:
        is_open = await parts.waits(session.facts, question.words)
    except StoreError as error:
        log.warning("nobody can tell whether a question is open", extra=log_fields(error))
        return ""
    return (question.spoken or question.words) if is_open else ""

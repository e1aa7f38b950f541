"""SESSION_INACTIVE: the conversation is over, so that whatever is still called in it was asked for by nobody.

Or a person of the business answers in it, and no model does: then no model can have asked for anything. While nobody
can tell whether one does, nothing is done either, and the call may be made again.

A call that ends the conversation marks its session in the commit that settles it, and a channel does when the caller
hangs up. Admission reads the mark as it counts the call, without a read of its own. A portal link carries a phone
call's session on after the call: each channel has its own mark, and a chat never ends for good.
"""

from datetime import datetime
from typing import Final

from switchboard.catalog.definitions.tool import Way
from switchboard.contract.channel import Channel
from switchboard.contract.document import integer, moment
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.response import IntentType, ToolResponse
from switchboard.contract.session_use import BLOCKED_UNTIL
from switchboard.contract.store import Document
from switchboard.pipeline.invocation import Invocation

ENDED: Final = "endedMs"
"""The session document's field: by channel, when the conversation ended (ms since 1970), 0 while it goes on."""

_ENDINGS = (IntentType.END_CALL, IntentType.END_VOICE_SESSION)


def session_active(invocation: Invocation) -> None:
    """Refuse a call of a conversation that has ended; what another call's handler asks for was let in with it.

    An answer that was given before is given again. A caller who is being put through has no further call of this turn
    put them through to somebody else; if nobody answers there, a later turn may.
    """
    counts = invocation.counts
    if counts is None or invocation.facts.within or invocation.wish_granted is not None:
        return
    if counts.is_left:
        raise Refused(
            ErrorType.SESSION_INACTIVE,
            "Another turn answers the caller by now, so nothing was done. Do not call any more tools and say nothing.",
        )
    if counts.is_put_through and leads_through(invocation) and not counts.is_over:
        raise Refused(
            ErrorType.SESSION_INACTIVE,
            "The caller is being put through already, by another call of this turn, and a call can be put through "
            "once: nobody else is rung. Go by what that one answers, and say nothing more about this one.",
        )
    if counts.is_with_person:
        raise Refused(
            ErrorType.SESSION_INACTIVE,
            "A person of the business answers in this conversation now, so nothing was done. Do not call any more "
            "tools and say nothing, until they have handed it back.",
        )
    if counts.is_over:
        raise Refused(
            ErrorType.SESSION_INACTIVE,
            "This conversation has ended, so nothing was done. Do not call any more tools and say nothing more; what "
            "has to be done now belongs into a new conversation.",
        )
    if counts.is_person_unread:
        raise Refused(
            ErrorType.TRANSIENT,
            "It could not be looked up whether a person of the business answers in this conversation, so nothing was "
            "done. Calling once more in a moment, with the same arguments, is safe.",
            retryable=True,
        )


def leads_through(invocation: Invocation) -> bool:
    """Tell whether a call is one of a tool that puts the caller through to a person."""
    return invocation.tool is not None and invocation.tool.way is Way.TRANSFER


def puts_through(response: ToolResponse) -> bool:
    """Tell whether an answer has put the caller through."""
    return response.ok and any(intent.type is IntentType.TRANSFER_CALL for intent in response.intents)


def ends_session(channel: Channel, response: ToolResponse) -> bool:
    """Tell whether an answer ends its conversation (seed 003, "Intent Types"; a transfer may come back)."""
    return channel is not Channel.PORTAL and any(intent.type in _ENDINGS for intent in response.intents)


def is_marked_ended(session: Document | None, channel: Channel) -> bool:
    """Tell whether a session's document says that the conversation on a channel has ended."""
    return ended_at_ms(session, channel) > 0


def ended_at_ms(session: Document | None, channel: Channel) -> int:
    """Return when the conversation on a channel ended, by its session's document; 0 while it goes on."""
    marks = session.data.get(ENDED) if session is not None else None
    return integer(marks.get(channel.value)) if isinstance(marks, dict) else 0


def blocked_until(session: Document | None) -> datetime | None:
    """Return until when nobody is answered in a conversation (aware), by its session; None where it is not blocked."""
    return moment(session.data.get(BLOCKED_UNTIL)) if session is not None else None


def ended_mark(channel: Channel, now: datetime | None) -> JsonObject:
    """Return the fields, to be merged into a session's document, of a conversation that ends; None: it goes on."""
    return {ENDED: {channel.value: int(now.timestamp() * 1000) if now is not None else 0}}

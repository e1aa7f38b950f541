"""Find phone numbers and e-mail addresses in a text (seed 003)."""

from switchboard.contract.context import CallContext
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.contact.contacts import contacts_in


async def execute(ctx: CallContext, desk: Desk, *, text: str) -> Result:
    """Return what a text holds, each once, in order.

    Args:
        ctx: The call; numbers are read as they are dialled where its business is.
        desk: Not needed: nothing is looked up.
        text: Word for word.
    """
    contacts = contacts_in(text, ctx.business)
    return Result(
        {
            "phones": [{"number": phone.number, "written": phone.written} for phone in contacts.phones],
            "emails": list(contacts.emails),
            "isCut": contacts.is_cut,
        },
        empty=not (contacts.phones or contacts.emails),
    )

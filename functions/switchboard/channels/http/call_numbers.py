"""The numbers that a service tells of a call: the caller's, and the one that was called."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from switchboard.catalog.offer.catalog import Catalog
from switchboard.channels.http.request_body import Malformed
from switchboard.contract.business.business import Business
from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.error import ToolError

ToldNumber: TypeAlias = Callable[[str, Business | None], str | None]
"""Returns a caller's number in E.164, None where it was withheld; raises VALIDATION where it cannot be read."""


async def with_read_numbers(
    context: Context, catalog: Catalog, told_number: ToldNumber, *, within: str = "context."
) -> Context:
    """Return a context with the numbers in E.164, read where the business is; a caller's told as none is withheld.

    `within` is where a request tells them.

    Raises:
        Malformed: One is no number that can be read.
    """
    called = context.called_phone if isinstance(context, PhoneContext) else None
    if context.caller_phone is None and not called:
        return context
    try:
        business = await catalog.business(context.business_id)
    except ToolError:
        # There is none, which the call is answered with.
        business = None

    def read(name: str, told: str) -> str | None:
        try:
            return told_number(told, business)
        except ToolError as error:
            raise Malformed(f"{within}{name}", f"{within}{name} {error.message}") from None

    if called and isinstance(context, PhoneContext):
        # What was called may be an address, which is nobody's number and still what was called.
        context = replace(context, called_phone=read("calledPhone", called) or called)
    if context.caller_phone is None:
        return context
    # One caller is one in any spelling, and "anonymous" is nobody, whom two strangers would be otherwise.
    number = read("callerPhone", context.caller_phone)
    if isinstance(context, PhoneContext):
        return replace(context, caller_phone=number, is_withheld=number is None)
    return replace(context, caller_phone=number)

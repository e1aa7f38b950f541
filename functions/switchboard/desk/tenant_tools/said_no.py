"""What a service's words say surely: that nothing was done. Words that only tell of a failure say nothing of the kind.

What wraps a tool of a connected server, and many a service, has one way to tell of everything that went wrong: of
arguments that it did not take, and of a time-out behind an order that it had stored. Where words leave open which it
was, nobody knows.
"""

import re
from typing import Final

_LOOKED_AT: Final = 600
# As the SDKs of the Model Context Protocol write it, before they call a tool's own code: the Python library's argument
# models, FastMCP's `call[…]`, the low-level server's and the TypeScript library's checks, and a tool that there is not.
_NOT_CALLED: Final = re.compile(
    r"\bvalidation errors? for (?:\w{1,80}Arguments\b|call\[)|\binput validation error\b|\binvalid arguments for tool\b"
    r"|\bunknown tool\b|\btool \S{1,130} (?:is )?(?:not found|disabled)\b",
    re.IGNORECASE,
)
# What fails while something is done, or after it.
_ON_THE_WAY: Final = re.compile(
    r"\btime(?:d|s)?[ -]?out|timeout|deadline exceeded|\b(?:connection|socket|pipe)\b"
    r"|\bdid(?: not|n't) (?:answer|respond)"
    r"|\bno (?:answer|response|reply)\b|\bunreachable\b|\binternal\b|\bexception\b|\btraceback\b|\bunexpected\b"
    r"|\bcrash|\boutput validation\b|\b(?:http|status|code|error)\W{0,4}5\d\d\b|\b(?:after|but|although|however)\b"
    r"|\bpartial|\bhalf\b|\binvalid (?:response|answer|reply|json|state)\b",
    re.IGNORECASE,
)
_THINGS: Final = r"(?:orders?|bookings?|appointments?|reservations?|payments?|changes?|items?|records?|requests?)"
_DONE: Final = r"(?:done|placed|made|created|booked|ordered|reserved|cancell?ed|changed|stored|saved|paid|charged)"
_NOT_DONE: Final = re.compile(
    rf"\bnothing (?:was|has been) (?:sent|{_DONE})\b|\bno {_THINGS} (?:was|were|has been|have been) {_DONE}\b"
    rf"|\b(?:was|were|has|have)(?: not|n't) (?:been )?{_DONE}\b",
    re.IGNORECASE,
)
# Also without a verb: "Order 12 created; mail rejected". Not what could not be done, and what others have done before.
_WAS_DONE: Final = re.compile(
    rf"(?<!\bnot )(?<!n't )(?<!\bbe )(?<!\balready )(?<!\bfully )(?<!\bnever )\b{_DONE}\b", re.IGNORECASE
)
_NO: Final = re.compile(
    r"\bsold out\b|\bout of stock\b|\b(?:not|isn't|aren't) in stock\b|\bnone left\b|\bfully booked\b"
    r"|\b(?:not|no longer) available\b|\bno availability\b|\balready (?:exists|booked|taken|reserved|in use)\b"
    r"|\b(?:is|are) (?:invalid|not valid|not a valid)\b|\binvalid\b|\bmust (?:not )?be\b|\b(?:is|are) required\b"
    r"|\bmissing (?:required )?(?:field|argument|parameter|value)s?\b"
    r"|\bnot (?:allowed|permitted|authori[sz]ed)\b|\b(?:permission|access) denied\b|\bforbidden\b|\bunauthori[sz]ed\b"
    r"|\b(?:declined|rejected|refused|denied)\b|\binsufficient\b|\bin the past\b"
    r"|\btoo (?:long|short|large|small|big|many|few|much|little|late|early|soon|high|low|old|young|far|loud)\b"
    r"|\bausverkauft\b|\bnicht verf\u00fcgbar\b|\bagotad[oa]s?\b|\bno disponibles?\b|\bépuisée?s?\b|\bindisponibles?\b"
    r"|\besaurit[oiae]\b|\besgotad[oa]s?\b|\buitverkocht\b|\bniet beschikbaar\b",
    re.IGNORECASE,
)
_BEGINS: Final = re.compile(
    r"\W{0,5}(?:error|err|failed|failure|fatal|fault|exception|rejected|declined|denied|refused|unable|cannot|could not"
    r"|couldn't|can't|fehler|erreur|errore|erro|fout)\b",
    re.IGNORECASE,
)
_ELEMENT: Final = re.compile(
    r"<(?:[\w-]{1,30}:)?(?:errors?|fault|exception)\b[^<>/]{0,200}>\s{0,50}(?!\s|</)", re.IGNORECASE
)


def was_not_called(words: str) -> bool:
    """Tell whether a server's words say that it never came to the tool: its arguments were wrong, or there is none."""
    return _NOT_CALLED.search(words[:_LOOKED_AT]) is not None


def surely_not_done(words: str) -> bool:
    """Tell whether words say, beyond doubt, that what was asked for was not done."""
    words = words[:_LOOKED_AT]
    if was_not_called(words):
        return True
    if _ON_THE_WAY.search(words):
        return False
    if _NOT_DONE.search(words):
        return _WAS_DONE.search(_NOT_DONE.sub(" ", words)) is None
    return _WAS_DONE.search(words) is None and _NO.search(words) is not None


def tells_of_deed(words: str) -> bool:
    """Tell whether words say that something was done, whatever else they say."""
    return _WAS_DONE.search(_NOT_DONE.sub(" ", words[:_LOOKED_AT])) is not None


def fails_on_the_way(words: str) -> bool:
    """Tell whether words are about what fails while something is done, or behind it."""
    return _ON_THE_WAY.search(words[:_LOOKED_AT]) is not None


def tells_of_failure(words: str) -> bool:
    """Tell whether a whole answer in words, or in markup that is no page, is about something that went wrong."""
    return _BEGINS.match(words) is not None or (
        words.lstrip().startswith("<") and _ELEMENT.search(words[:2_000]) is not None
    )

"""What the model is told of a caller's answer to a question that the house has put."""

from switchboard.contract.model import Noted
from switchboard.conversation.session import AskedQuestion
from switchboard.pipeline.proposal import Heard

LAPSED = (
    "The question about {0} stands no longer: no clear answer came in time, and nothing was done. If the caller still "
    "wants it, call {0} again; they are then asked anew."
)
_ASKED_AGAIN = (
    "It is not clear whether the caller agreed. Answer in a sentence what they said, ask nothing, and speak of no "
    "yes or no: right after your words the house asks them once more: {}"
)
_TELL_BEFORE = (
    "Tell in a sentence what else was found or done, such as what it costs, and ask nothing: right after your words "
    "the house asks: {}"
)
_PART = (
    " If they want only a part of it, call just that: they are then asked about it alone. If you cannot tell which "
    "part, say so in your sentence."
)
_AGREED = "The caller has agreed. Call {} now, with exactly the same arguments as before."
_AGREED_TO_ALL = (
    "The caller has agreed to all of it. Make each of these calls now, in one answer, with exactly the same arguments "
    "as before: {}."
)
_DECLINED = (
    "The caller has declined {}, or wants something else: it was not done. Answer what they said, and call it again "
    "only when they ask for it anew."
)
_DECLINED_TOGETHER = (
    "The caller has not agreed, and nothing was done ({}). If they want a part of it, call just that: they are then "
    "asked about it alone."
)


def tell_before(question: AskedQuestion) -> Noted:
    """Return the note about a question beside which other things were found or done."""
    return Noted(_TELL_BEFORE.format(question.words))


def answer_notes(found: Heard) -> list[Noted]:
    """Return the notes about an answer: one, or none where it answered nothing."""
    names = ", ".join(found.tools)
    match found.verdict:
        case "open":
            told = _ASKED_AGAIN.format(found.read_back) + (_PART if found.others else "")
        case "approved":
            told = (_AGREED_TO_ALL if found.others else _AGREED).format(names)
        case "declined":
            told = (_DECLINED_TOGETHER if found.others else _DECLINED).format(names)
        case "lapsed":
            told = LAPSED.format(" and ".join(dict.fromkeys(found.tools)))
        case _:
            return []
    return [Noted(told)]

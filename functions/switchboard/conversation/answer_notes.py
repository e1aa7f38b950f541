"""What the model is told of a caller's answer to a question that the house has put."""

from switchboard.contract.model import Noted
from switchboard.pipeline.proposal import Heard

LAPSED = (
    "The question about {0} stands no longer: no clear answer came in time, and nothing was done. If the caller still "
    "wants it, call {0} again; they are then asked anew."
)
_ASKED_AGAIN = (
    "It is not clear whether the caller agreed. Answer in a sentence what they said, and ask nothing: right after your "
    "words the house asks them once more: {}"
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
_DECLINED = "The caller has declined {}: it was not done, and must not be."
_DECLINED_TOGETHER = (
    "The caller has not agreed, and nothing was done ({}). If they want a part of it, call just that: they are then "
    "asked about it alone."
)


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

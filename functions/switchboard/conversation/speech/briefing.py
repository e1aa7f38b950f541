"""What a model is told in each request of one turn, put together."""

from dataclasses import replace
from datetime import UTC

from switchboard.catalog.offer.offer import Offer
from switchboard.contract.caller.stop_wishes import asks_for_no_texts
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Noted, Prompt
from switchboard.contract.response import ToolResponse
from switchboard.conversation.asked_question import AskedQuestion
from switchboard.conversation.dependencies import Dependencies
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.utterance import Utterance
from switchboard.pipeline.confirmation.approvals import ConsentResult

_BEING_ASKED = (
    "Nothing was done yet: the caller has to agree first. The house asks them now, for you and word for word, as the "
    "last thing said in this turn. Do not ask or read back yourself, and do not call it again in this turn: the "
    "next one tells you what they answered."
)
LAPSED = (
    "The question about {0} stands no longer: no clear answer came, and nothing was done. If the caller still "
    "wants it, call {0} again; they are then asked anew."
)
_CUT_OFF = (
    "The question about {0} is not open any more: what the caller said to it had no answer, whatever it was, and as "
    "far as is known {0} was not carried out. If they still want it, look up how it stands and call {0} again; they "
    "are then asked anew."
)
_ASKED_AGAIN = (
    "It is not certain enough that the caller agreed. Answer in a sentence what they said beside it, or say that you "
    "are sorry to ask again; do not say that you do it now, ask nothing, and speak of no yes or no: right after your "
    "words the house asks: {}"
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


_STOPPED = (
    "The caller wants no more texts, and that is done: {0} gets none from this business until START is texted from it. "
    "Tell them so in a few words, and text them nothing."
)
_NOT_STOPPED = (
    "The caller wants no more texts, and that could not be noted here. Do not say that it was, and text them nothing. "
    "Tell them that it works by texting STOP{0} from the phone that gets them."
)


class Briefing:
    """Writes the requests of one turn; the moment that they tell of is that of the first.

    Attributes:
        offer: What the model was last told of; None before the first request.
    """

    def __init__(self, parts: Dependencies, session: CallSession) -> None:
        """Tell nothing yet."""
        self._parts, self._session = parts, session
        self.offer: Offer | None = None
        self._system = ""
        self._moment: str | None = None

    async def prompt(self, offer: Offer, most_tokens: int | None, *, may_call: bool) -> Prompt:
        """Return the next request: who speaks, what was said so far, and the tools, unless it must only speak."""
        parts, session = self._parts, self._session
        if offer is not self.offer:
            self.offer, self._system = offer, await parts.system(offer, session.facts)
        if self._moment is None:
            self._moment = parts.moment(offer, session.facts)
        tools = offer.declared_to_model(parts.model_for(offer.business).dialect) if may_call else ()
        messages = session.history.told(self._moment, offer.business.timezone if offer.business else UTC)
        return Prompt(self._system, messages, tools, most_tokens, offer.scene)

    async def note_wishes(self, utterance: Utterance) -> None:
        """Keep that the caller wants no more texts, where that is what they have said, and tell the model of it."""
        session = self._session
        if utterance.is_unsaid or not asks_for_no_texts(utterance.text):
            return
        if await self._parts.stop_texts(session.facts, session.business):
            words = _STOPPED.format(session.facts.caller_phone)
        else:
            number = session.business.twilio_number if session.business is not None else ""
            words = _NOT_STOPPED.format(f" to {number}" if number else " to the number that sends them")
        session.history.add(Noted(words))

    def after_question(self, asked: AskedQuestion) -> None:
        """Tell what became of a question that was not the last thing said; nothing where that was told just now.

        The turn may have begun with what came of the call that it was about, or with that nobody could read it.
        """
        session, turn = self._session, self._session.facts.turn
        if session.arrived_in.get(asked.tool) == turn or session.is_unread:
            return
        was_answered = any(asked.asked_in < unanswered < turn for unanswered in session.facts.unanswered)
        session.history.add(Noted((_CUT_OFF if was_answered else LAPSED).format(asked.tool)))


def told_in_the_house(response: ToolResponse) -> ToolResponse:
    """Return a call's answer as its model reads it here, where nobody has to be told to ask.

    What `pipeline/checks/confirm.py` says is for a model that asks by itself, on a platform that carries the
    conversation.
    """
    failure = response.failure
    if failure is None or failure.type is not ErrorType.CONFIRMATION_REQUIRED:
        return response
    return replace(response, failure=replace(failure, message=_BEING_ASKED))


def tell_before(question: AskedQuestion) -> Noted:
    """Return the note about a question beside which other things were found or done."""
    return Noted(_TELL_BEFORE.format(question.spoken or question.words))


def answer_notes(consent: ConsentResult, question: AskedQuestion | None = None) -> list[Noted]:
    """Return the notes about an answer: one, or none where it answered nothing; `question` is what is asked now."""
    names = ", ".join(consent.tools)
    match consent.verdict:
        case "open":
            again = question.spoken if question is not None else ""
            words = _ASKED_AGAIN.format(again or consent.read_back) + (_PART if consent.others else "")
        case "approved":
            words = (_AGREED_TO_ALL if consent.others else _AGREED).format(names)
        case "declined":
            words = (_DECLINED_TOGETHER if consent.others else _DECLINED).format(names)
        case "lapsed":
            words = LAPSED.format(" and ".join(dict.fromkeys(consent.tools)))
        case _:
            return []
    return [Noted(words)]

"""Conversations in `<Gather>` turns: what was said or pressed in one webhook is answered in its TwiML.

Every address that Twilio is given names the turn that it will begin. Two callers' words can be the same to the letter,
and so can one caller's second "yes": without it, that would count as the first one delivered again.
"""

from collections.abc import Callable
from dataclasses import field
from urllib.parse import urlencode

from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.channels.phone import twiml
from switchboard.channels.phone.turns import Progress, Turns
from switchboard.channels.phone.voice import Sentence, Voice, speaking
from switchboard.channels.phone.webhook import CallerDirectory, Webhook, WebhookAuth
from switchboard.contract.business.business import Business
from switchboard.contract.context import PhoneContext
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import TurnOutcome
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.record.deliveries import StillAnswered
from switchboard.conversation.speech.sentence_ends import last_end

_SILENCES = 2
# So often the caller is sent round for the rest of an answer: nearly a minute.
_WAITS = 24
# After so many rounds without a word something is said, so that the line does not seem dead.
_QUIET_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class GatherAnswer:
    """What a turn comes to: TwiML, or None where the call ends or is put through after `text`, spoken in `language`."""

    twiml: str | None = None
    text: str = ""
    outcome: TurnOutcome = TurnOutcome.ANSWERED
    transfer: JsonObject = field(default_factory=dict)
    language: str = ""


class Gathering:
    """Holds calls without a relay."""

    def __init__(
        self,
        conversations: Conversations,
        turns: Turns,
        door: WebhookAuth,
        reception: CallerDirectory,
        ways_out: Callable[[str], Alternatives],
    ) -> None:
        """Join the parts; `door` knows the public addresses, `ways_out` what can be had of a business by its id."""
        self._conversations, self._turns, self._door, self._reception = conversations, turns, door, reception
        self._ways_out = ways_out

    async def listen(self, webhook: Webhook, business: Business, prompt: str, *, is_new: bool = False) -> str:
        """Say something that no model said, and listen; goodbye where the call has ended.

        Where `is_new` says that nothing of it is written anywhere, nothing is read.

        Raises:
            StoreError: The conversation cannot be read.
        """
        conversation = await self._conversations.open(self._context(webhook), is_new=is_new)
        if _has_ended(conversation):
            return _goodbye(speaking(business, _language(webhook)))
        await conversation.go_on()
        conversation.greet(prompt)
        session = conversation.session
        # Of what is said here only the question that was open before a line dropped asks for a yes.
        is_asking = session.question is not None
        language, turn = session.other_language, session.facts.turn + 1
        return self._gather(business, prompt, turn, is_asking=is_asking, language=language)

    async def answer(self, webhook: Webhook, business: Business) -> GatherAnswer:
        """Answer what came: words, keys, silence, or the request for the rest of an answer.

        Nothing is done in a call that has ended: a webhook that comes late, or again under another key, has goodbye.

        Raises:
            StoreError: The conversation cannot be read.
        """
        context, turn = self._context(webhook), webhook.counted("turn")
        spoken = speaking(business, _language(webhook))
        if "waiting" in webhook.query:
            if webhook.counted("waiting") >= _WAITS:
                await self._turns.give_up(context, turn)
                return GatherAnswer(self.trouble(webhook, business))
            return await self._document(webhook, business, context, await self._turns.resume(context, turn))
        if not webhook.says_something:
            return GatherAnswer(self._silence(business, turn, webhook.counted("silent"), _language(webhook)))
        try:
            return await self._turn(webhook, business, context, spoken)
        except StillAnswered as answered:
            if not answered.turn:
                # A former version answers, and names no turn: its answer is left nowhere that could be asked.
                return GatherAnswer(self.trouble(webhook, business))
            # The caller comes back for it, wherever it is left.
            return await self._document(webhook, business, context, Progress(answered.turn, ""))

    async def _turn(
        self, webhook: Webhook, business: Business, context: PhoneContext, spoken: Business
    ) -> GatherAnswer:
        """Answer words or keys.

        Raises:
            StillAnswered: Another instance is at it.
            StoreError: As `answer`.
        """
        utterance, delivery = webhook.utterance, webhook.delivery
        conversation = await self._conversations.open(context)
        if delivery is not None and (answer := await conversation.earlier(delivery)) is not None:
            return GatherAnswer(answer)
        if _has_ended(conversation):
            return GatherAnswer(_goodbye(spoken))
        # It may have been put through to somebody who did not answer.
        await conversation.go_on()
        if "asked" not in webhook.query:
            # Something else was played last, such as "Are you still there?"; or the rest is still to be fetched.
            conversation.close_question(is_missed=not webhook.query.keys() & {"other", "trouble"})
        if delivery is None:
            await conversation.begin(utterance)
        elif (answer := await conversation.begin_once(utterance, delivery)) is not None:
            return GatherAnswer(answer)
        progress = await self._turns.answer(conversation, context, utterance, spoken.language)
        return await self._document(webhook, business, context, progress)

    def trouble(self, webhook: Webhook, business: Business | None) -> str:
        """Return TwiML for when everything else has failed; the caller may go on once, if nobody can be rung."""
        has_tried = "trouble" in webhook.query
        turn_url = "" if has_tried else self._url(webhook.counted("turn"), trouble=1)
        return twiml.trouble(business, turn_url, self._ways_out(webhook.line.business_id))

    def _context(self, webhook: Webhook) -> PhoneContext:
        return webhook.context(self._reception.caller_number(webhook.fields.get("From")))

    async def _document(
        self, webhook: Webhook, business: Business, context: PhoneContext, progress: Progress
    ) -> GatherAnswer:
        """Return what is to be said of an answer that the caller has heard the beginning of."""
        heard, answer = webhook.counted("heard"), progress.answer
        if answer is None:
            return GatherAnswer(self._bridge(webhook, business, progress, heard))
        text, language = answer.text[heard:], answer.language
        if len(text) > twiml.LONGEST_SAY:
            # More than one document may say: the caller hears a part, and Twilio comes back for the rest.
            await self._turns.leave(context, progress.turn, answer)
            return GatherAnswer(self._bridge(webhook, business, progress, heard))
        if answer.outcome is TurnOutcome.FAILED and not answer.text:
            return GatherAnswer(self.trouble(webhook, business))
        if answer.outcome is TurnOutcome.TRANSFERRED and not answer.transfer.get("number"):
            return GatherAnswer(self.trouble(webhook, business))
        if answer.outcome in (TurnOutcome.ENDED, TurnOutcome.TRANSFERRED):
            return GatherAnswer(None, text, answer.outcome, answer.transfer, language)
        gathered = self._gather(business, text, progress.turn + 1, is_asking=answer.is_asking, language=language)
        return GatherAnswer(gathered)

    def _bridge(self, webhook: Webhook, business: Business, progress: Progress, heard: int) -> str:
        """Say whole sentences as far as there are any, and come back for the rest."""
        text = progress.text[heard:]
        is_long = len(text) > twiml.LONGEST_SAY
        upto = last_end(text)
        upto = twiml.upto(text, twiml.LONGEST_SAY) if is_long else len(text) if progress.is_bridged else upto
        waits = webhook.counted("waiting") if "waiting" in webhook.query else 0
        language = _language(webhook)
        spoken = speaking(business, language)
        prompt = text[:upto]
        if not prompt and waits % _QUIET_ROUNDS == 0:
            prompt = Voice.of(spoken).sentence(Sentence.ONE_MOMENT)
        rest = self._url(progress.turn, language, waiting=waits + 1, heard=heard + upto)
        return twiml.bridge(spoken, prompt, self._url(progress.turn + 1, language), rest)

    def _silence(self, business: Business, turn: int, silences: int, language: str) -> str:
        spoken = speaking(business, language)
        if silences > _SILENCES:
            return _goodbye(spoken)
        prompt = Voice.of(spoken).sentence(Sentence.STILL_THERE) if silences else ""
        return self._gather(business, prompt, turn, silences, language=language)

    def _gather(
        self,
        business: Business,
        prompt: str,
        turn: int,
        silences: int = 0,
        *,
        is_asking: bool = False,
        language: str = "",
    ) -> str:
        silent_url = self._url(turn, language, silent=silences + 1)
        spoken = speaking(business, language)
        # Only what is said behind the question, once it was played to its end, answers it.
        marks = {"asked": 1} if is_asking else {"other": 1} if silences and prompt else {}
        turn_url = self._url(turn, language, **marks)
        return twiml.gather(spoken, prompt, turn_url, silent_url, is_asking=is_asking)

    def _url(self, turn: int, language: str = "", **how: int) -> str:
        # With the language of whoever has taken over: a webhook of a silent caller opens no conversation.
        spoken = {"language": language} if language else {}
        return self._door.url("/turn", urlencode({"turn": turn, **how, **spoken}))


def _has_ended(conversation: Conversation) -> bool:
    """Tell whether a call was ended or hung up, here or on another instance."""
    return conversation.session.is_closed or conversation.session.was_closed


def _goodbye(business: Business) -> str:
    return twiml.goodbye(Voice.of(business).sentence(Sentence.GOODBYE), business)


def _language(webhook: Webhook) -> str:
    return webhook.query.get("language", "")

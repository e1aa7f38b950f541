"""One human turn, from what was heard to the last word of the answer.

The model streams; its calls run through the dispatcher; what they found goes back to it; it speaks on. Nothing here
knows a channel: what happens is put into `emit`, in order.
"""

import logging
from collections.abc import Callable
from dataclasses import replace

from switchboard.catalog.offer.offer import Offer
from switchboard.contract.call import ToolCall
from switchboard.contract.context import Beside
from switchboard.contract.error import ErrorType
from switchboard.contract.model import CallPiece, Ended, Ending, ModelError, Noted, Spoken, TextPiece, ToolMessage
from switchboard.contract.policy import CHANNEL_POLICY, FIRST_TOKEN_S, LONGEST_ANSWER_S, MODEL_ROUNDS
from switchboard.contract.response import Intent, IntentType, ToolResponse
from switchboard.contract.store import StoreError
from switchboard.conversation.agent_handover import announced, hands_over, take_over
from switchboard.conversation.answer import CallAssembler, HeldSpeech, ModelAnswer, ModelTimeout, close
from switchboard.conversation.asked_question import AskedQuestion
from switchboard.conversation.dependencies import Dependencies
from switchboard.conversation.event import Effect, Event, QuestionAsked, Text, ToolFinished, ToolStarted, TurnOutcome
from switchboard.conversation.guard import HeldFact
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.briefing import Briefing, answer_notes, tell_before, told_in_the_house
from switchboard.conversation.speech.callers_language import follow
from switchboard.conversation.speech.done_words import done_words, lead_in
from switchboard.conversation.speech.house_phrases import (
    Trouble,
    cut_short_words,
    ending_of,
    leave_words,
    safe_sentence,
)
from switchboard.conversation.speech.plain_speech import plain
from switchboard.conversation.speech.utterance import Utterance
from switchboard.conversation.tool_runner import FinishedCall, ToolRunner
from switchboard.pipeline.confirmation.prompt import as_said

log = logging.getLogger(__name__)

# What comes of these is no news to the caller.
STEPS = frozenset({"verify_caller", "lookup_appointment"})
_PENDING_SAID = "This was said to the caller before anything else. Do not repeat it; answer what the caller said."


class Turn:
    """Answers one human turn.

    Args:
        parts: What the conversation works with.
        session: Its state; this turn has been counted.
        emit: Takes the events, in order; never waits.
    """

    def __init__(self, parts: Dependencies, session: CallSession, emit: Callable[[Event], None]) -> None:
        """Prepare; `run` does the work."""
        self._parts, self._session, self._emit = parts, session, emit
        self._policy = CHANNEL_POLICY[session.facts.channel]
        self._running: ToolRunner | None = None
        self._is_audible = True
        self._has_spoken = False
        # Whether the caller has got a word of this turn; fillers are not spoken here (see `Bridge`).
        self._has_greeted = False
        # What was to be said of a call that is about to be made was not.
        self._has_left_out = False
        # Pieces of different answers must not run into each other.
        self._needs_blank = False
        # Put to the caller as the last words of this turn; what the model says before is held back until it is known.
        self._question: AskedQuestion | None = None
        self._withheld: list[str] = []
        # Whether a call of this answer waits for the caller's yes, whether something was found or done beside it, and
        # whether the model need not be asked at all.
        self._is_refused = self._has_more_to_tell = self._is_answered = False
        # The tools that the caller has just agreed to.
        self._agreed: tuple[str, ...] = ()
        self._ending: TurnOutcome | None = None
        # Asked for by a call of this answer; carried out when all of its calls have been.
        self._switch: Intent | None = None
        self._briefing = Briefing(parts, session)

    @property
    def language(self) -> str:
        """In which is spoken now."""
        return self._session.language or "en"

    async def run(self, utterance: Utterance) -> TurnOutcome:
        """Answer what was heard; it always ends in something said, in a transfer or in the end of the call."""
        offer = await self._offer()
        follow(self._session, utterance)
        await self._hear(utterance)
        await self._briefing.note_wishes(utterance)
        self._say_pending()
        outcome = TurnOutcome.ANSWERED if self._is_answered else await self._answer(offer)
        if self._question is None or outcome not in (TurnOutcome.ANSWERED, TurnOutcome.FAILED):
            return outcome
        self._ask(self._question)
        return TurnOutcome.ANSWERED

    async def _answer(self, offer: Offer) -> TurnOutcome:
        corrections = empty = cuts = 0
        for left in reversed(range(MODEL_ROUNDS)):
            answer = await self._listen(offer, may_call=left > 0)
            corrections += answer.unfounded is not None
            if answer.unfounded is not None and not answer.calls:
                if corrections > 1:
                    return self._say_safely(Trouble.NOT_DONE, answer.unfounded.fact)
                del self._withheld[answer.withheld_before :]
                self._session.history.add(Noted(answer.told_of_held))
            elif answer.problem is not None:
                return self._say_safely(answer.problem)
            elif answer.cut:
                cuts += 1
                if cuts > 1 or not left or answer.is_endless:
                    return self._stop_short()
                del self._withheld[answer.withheld_before :]
                self._session.history.add(Noted(answer.cut))
            elif answer.calls:
                may_differ = await self._carry_out(answer, offer)
                if self._ending is not None:
                    return self._ending
                if self._is_refused and self._switch is None and not self._tells_before():
                    return TurnOutcome.ANSWERED
                if may_differ or self._switch is not None:
                    self._hand_over()
                    offer = await self._offer()
            elif self._has_spoken or empty or self._question is not None:
                break
            else:
                empty += 1
        return TurnOutcome.ANSWERED if self._has_spoken else self._say_safely(Trouble.NO_ANSWER)

    def _tells_before(self) -> bool:
        """Have the model tell what was found or done beside the call that waits for a yes; False where nothing was."""
        if not self._has_more_to_tell or self._question is None:
            return False
        self._is_refused = False
        self._session.history.add(tell_before(self._question))
        return True

    def stop(self) -> ToolRunner | None:
        """Break off what reads; return the calls that still need their answers written down, if there are any."""
        if self._running is not None:
            self._running.stop()
        return self._running

    async def _offer(self) -> Offer:
        offer = await self._parts.offer(self._session.facts)
        business = self._session.take(offer)
        switched = announced(self._session, business.language if business else self.language)
        if switched is not None:
            self._emit(Effect(switched))
        return offer

    def _hand_over(self) -> None:
        """Go on as another agent, if a call has asked for it, after the owner's words about it."""
        switch, self._switch = self._switch, None
        if switch is None:
            return
        # What the agent before was about to ask, the next one has not asked.
        self._question, self._is_refused = None, False
        message = take_over(self._session, switch)
        if message:
            self._say_alone(self._plain(message))
            # The other agent still has to answer.
            self._has_spoken = False

    async def _hear(self, utterance: Utterance) -> None:
        session, turn, before = self._session, self._session.facts.turn, self._session.turn_before
        session.history.heard(utterance.words, session.heard_at)
        session.agreed = ()
        asked, session.question, session.unheard = session.question, None, None
        if asked is None or asked.asked_in != before or utterance.question not in (None, asked.turn):
            # Whatever was said since was said last, and a yes is to that.
            if asked is not None and asked.asked_in != before:
                self._briefing.after_question(asked)
            return
        # A button stands below its question: whoever clicks it has read what was perhaps not heard to its end.
        is_button = bool(utterance.button and utterance.question is not None)
        words = asked.words if is_button else asked.told if asked.is_heard or utterance.button else ""
        try:
            heard = await self._parts.hear(session.facts, utterance, self.language, words, None)
        except StoreError:
            session.history.add(Noted("The caller's answer could not be recorded, so nothing was done. Ask once more."))
            return
        if heard.verdict == "open":
            is_same = heard.read_back == asked.words and (not asked.is_heard and not is_button)
            # One that was not heard stands as it was asked; an unclear answer has it asked anew, in this turn.
            named, question = asked.turn if is_same else turn, self._as_said(heard.read_back, again=not is_same)
            self._question = AskedQuestion(heard.read_back, heard.tool, named, turn, spoken=question)
            # What was cut off is said again, and a yes to it answers nothing that the model could speak of.
            self._is_answered = is_same and utterance.is_yes(self.language)
        elif heard.verdict == "approved":
            self._agreed = session.agreed = heard.tools
        for note in answer_notes(heard, self._question):
            session.history.add(note)

    def _say_pending(self) -> None:
        """Say what tools of earlier turns have left for this one (seed 003, "Intent Types")."""
        messages = self._session.waiting.take_messages()
        if not messages:
            return
        self._say_alone(*map(self._plain, messages))
        self._session.history.add(Noted(_PENDING_SAID))
        self._has_spoken = False  # The answer to what the caller has said is still to come.

    def _ask(self, question: AskedQuestion) -> None:
        """Put a question to the caller, word for word and as the last thing that is said."""
        withheld, self._withheld = "".join(self._withheld), []
        spoken: list[str] = []
        if withheld.strip() and not self._is_refused and (before := lead_in(withheld)):
            self._speak(before, spoken)
            self._needs_blank = True
        # Also after a tool has asked for silence: nobody can agree to what was not heard.
        self._is_audible = True
        words = question.spoken = self._plain(question.spoken or question.words)
        self._speak(f" {words}" if spoken else words, spoken)
        self._session.history.add(Spoken("".join(spoken)))
        self._session.ask(question)
        self._emit(QuestionAsked(words, question.turn, question.tool))

    async def _listen(self, offer: Offer, may_call: bool) -> ModelAnswer:
        """Ask the model once, passing its words on as they come."""
        parts, session = self._parts, self._session
        prompt = await self._briefing.prompt(offer, self._policy.answer_tokens, may_call=may_call)
        assembly = CallAssembler(f"{session.facts.turn}_{len(session.history.messages)}")
        model, guard = parts.model_for(offer.business), HeldSpeech(parts.guard(session, offer))
        spoken, ended = list[str](), Ended(Ending.CUT_OFF)
        answer, left = ModelAnswer(withheld_before=len(self._withheld)), self._policy.answer_characters
        stream = model.stream(prompt)
        try:
            async with ModelTimeout(FIRST_TOKEN_S, LONGEST_ANSWER_S) as patience:
                async for event in stream:
                    patience.has_begun = True
                    kind = type(event)
                    if kind is TextPiece:
                        self._say(guard.feed(event.text[:left]), spoken)  # type: ignore[union-attr]
                        left -= len(event.text)  # type: ignore[union-attr]
                        if guard.is_over(assembly.names):
                            break
                        if left < 0:
                            # A server that heeds no limit is not listened to for ever; `ended` says: cut off.
                            answer.is_endless = True
                            break
                    elif kind is CallPiece:
                        assembly.add(event)  # type: ignore[arg-type]
                    else:
                        ended = event  # type: ignore[assignment]
                if ended.ending is not Ending.CUT_OFF:
                    # Half a sentence that is still held is not said: a model that goes on says it whole.
                    self._say(guard.rest(assembly.names), spoken)
                    self._has_left_out = guard.has_left_out
        except (ModelError, TimeoutError) as error:
            log.warning(
                "the model did not answer",
                extra={"model": model.name, "reason": type(error).__name__, "pii.detail": str(error)[:200]},
            )
            answer.problem = Trouble.NO_ANSWER
        finally:
            # What was said stays said, also when the caller interrupts in the middle of it.
            await close(stream)
            answer.unfounded = guard.unfounded
            calls = assembly.calls() if answer.problem is None else ()
            session.answered_by(model.name, ended)
            answer.judge(ended, calls, "".join(spoken), offer.acts)
            native, is_held = ended.native if answer.calls else None, answer.unfounded is not None
            session.history.add(Spoken("".join(spoken), answer.calls, native, is_held))
        return answer

    def _say(self, text: str, spoken: list[str]) -> None:
        if self._question is None:
            self._speak(text, spoken)
        elif text:
            self._withheld.append(text)
            self._has_spoken = self._has_spoken or not text.isspace()

    def _speak(self, text: str, spoken: list[str]) -> None:
        if not text:
            return
        if not spoken and self._needs_blank and not text[0].isspace():
            text = f" {text}"
        spoken.append(text)
        self._needs_blank = not text[-1].isspace()
        self._has_spoken = self._has_spoken or not text.isspace()
        self._has_greeted = self._has_greeted or self._has_spoken
        self._emit(Text(text, is_audible=self._is_audible))

    def _say_safely(self, trouble: Trouble, fact: HeldFact | None = None) -> TurnOutcome:
        if self._question is not None:
            self._withheld.clear()
            return TurnOutcome.FAILED
        now, done_text = self._parts.now(), ""
        if trouble is Trouble.NOT_DONE and self._briefing.offer is not None:
            turn, standing = self._session.facts.turn, self._session.standing
            done = [one for one in standing if fact is None or one.turn == turn]
            done_text = done_words(done, self._briefing.offer, self.language, now, turn)
        self._say_alone(done_text or safe_sentence(fact or trouble, self.language, self._session.ways_out, now))
        return TurnOutcome.FAILED

    def _stop_short(self) -> TurnOutcome:
        if not self._has_greeted and not self._withheld:
            return self._say_safely(Trouble.NO_ANSWER)
        self._say_alone(cut_short_words(self.language))
        return TurnOutcome.ANSWERED

    def _say_alone(self, *texts: str) -> None:
        """Say what no answer of the model's holds, and write it down."""
        spoken: list[str] = []
        for text in texts:
            self._say(text, spoken)
        self._session.history.add(Spoken("".join(spoken)))

    async def _carry_out(self, answer: ModelAnswer, offer: Offer) -> bool:
        """Run the calls of an answer and write the results down; tell whether what is offered may have changed."""
        self._has_spoken = self._is_refused = self._has_more_to_tell = False
        # What was to be said before a call led up to it.
        self._withheld.clear()
        for call in answer.calls:
            self._emit(ToolStarted(call.call_id, call.name, self._bridging(offer, call.name)))
        self._running = running = ToolRunner(answer.calls, offer.acts, _ends, self._execute)
        for _ in answer.calls:
            finished = await running.next()
            self._emit(ToolFinished(finished.call.call_id, finished.call.name, finished.response, finished.elapsed_ms))
        may_differ = False
        answers = await running.answers(0)
        # Before it is done, since the channel says nothing after it.
        words = leave_words(
            (f.response for f in answers), self.language, has_spoken=self._has_greeted and not self._has_left_out
        )
        leave: list[str] = []
        self._speak(self._plain(words), leave)
        for finished in answers:
            write_down(self._session, finished)
            self._apply(finished, offer)
            may_differ = may_differ or not finished.response.ok or offer.acts(finished.call.name)
        if leave:
            self._session.history.add(Spoken("".join(leave)))
        if answer.unfounded is not None:
            self._session.history.add(Noted(answer.told_of_held))
        self._running = None
        return may_differ

    async def _execute(self, call: ToolCall, beside: Beside | None) -> ToolResponse:
        facts = self._session.facts
        # Vendors count their ids anew in every answer; a delivery is this call of this turn.
        delivery = f"{facts.turn}.{len(self._session.history.messages)}.{call.call_id}"
        return await self._parts.execute(call, replace(facts, call_id=delivery, beside=beside))

    def _bridging(self, offer: Offer, tool: str) -> str:
        offered = offer.named(tool)
        # "I'm cancelling that for you" is not true of a try that waits for the caller's yes.
        if offered is None or (offered.definition.confirm and tool not in self._agreed):
            return ""
        return self._plain(offered.definition.bridging(self.language))

    def _as_said(self, question: str, *, again: bool = False) -> str:
        return as_said(question, self.language, self._session.today(self._parts.now()), again=again)

    def _plain(self, text: str) -> str:
        return plain(text, self.language) if self._session.facts.channel.is_spoken else text

    def _apply(self, finished: FinishedCall, offer: Offer) -> None:
        """Let an answer take effect on the conversation."""
        response = finished.response
        failure = response.failure
        if failure is not None and failure.type is ErrorType.CONFIRMATION_REQUIRED:
            turn, words = self._session.facts.turn, str(response.meta.get("readBack", ""))
            question = self._as_said(words)
            self._question = AskedQuestion(words, finished.call.name, turn, turn, spoken=question)
            self._is_refused = True
        elif response.ok and finished.call.name not in STEPS:
            self._has_more_to_tell = True
        for intent in response.intents:
            self._intend(intent)
        self._ending = self._ending or ending_of(response)

    def _intend(self, intent: Intent) -> None:
        if intent.type is IntentType.SWITCH_AGENT:
            self._switch = intent
            return
        self._emit(Effect(intent))
        if intent.type is IntentType.SUPPRESS_AUDIO:
            self._is_audible = False
        elif intent.type is IntentType.INJECT_CONTEXT:
            text = intent.payload.get("text")
            if isinstance(text, str) and text:
                self._session.history.add(Noted(text))
        self._session.waiting.leave(intent)


def write_down(session: CallSession, finished: FinishedCall) -> None:
    """Add a call's one answer to the history."""
    call = finished.call
    session.history.add(ToolMessage(call.call_id, call.name, told_in_the_house(finished.response)))
    session.note(call, finished.response, finished.elapsed_ms)


def _ends(response: ToolResponse) -> bool:
    return ending_of(response) is not None or hands_over(response)

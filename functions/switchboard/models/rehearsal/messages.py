"""How a message is taken: one that the caller asks for, and a wish that cannot be fulfilled here."""

from collections.abc import Callable, Collection
from datetime import datetime

from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.response import ToolResponse
from switchboard.models.rehearsal.talk import RehearsedTalk
from switchboard.models.rehearsal.vocabulary import words_of

_TAKE = "take_message"
# So many telling words, beside those that ask for a message, are one.
_A_MESSAGE = 2
_ASKED = ("ask_caller_name", "ask_phone", "ask_whole_number", "ask_message")
# What stays undone where a wish is only passed on.
_UNDONE = {"book": "not_booked", "free": "not_booked", "cancel": "not_changed", "move": "not_changed"}
_DOES = {"book": "book_appointment", "free": "book_appointment"}
_DOES |= {"cancel": "cancel_appointment", "move": "reschedule_appointment"}


class MessageDialogue:
    """Decides how a message comes to be written down."""

    def __init__(self, talk: RehearsedTalk, offered: Collection[str], failed: Callable[[ToolResponse], str]) -> None:
        """Decide for a conversation as it is now; `failed` says that something was not done."""
        self._talk, self._words, self._offered, self._failed = talk, talk.words, offered, failed

    def next(self) -> str | ToolCall:
        """Return a call, or what is said now."""
        talk, say = self._talk, self._words.say
        if _TAKE not in self._offered:
            return f"{say('nothing_here')} {talk.instead()}"
        response = talk.answers.get(_TAKE)
        if response is not None:
            return self._failed(response)
        message = talk.message or self._said()
        if not message:
            return say("ask_message")
        if not talk.details.get("name"):
            return say("ask_caller_name")
        needs_number = talk.scene.channel is not Channel.PHONE
        contact = talk.details.get("phone") or talk.details.get("email")
        if needs_number and not contact and talk.asked not in ("ask_phone", "ask_whole_number"):
            return say("ask_phone")
        arguments = {"caller_name": talk.details["name"], "message": message}
        if talk.details.get("phone"):
            arguments["callback_phone"] = talk.details["phone"]
        elif talk.details.get("email"):
            arguments["message"] = f"{message} ({talk.details['email']})"
        return ToolCall(_TAKE, arguments)

    def instead(self, why: str) -> str | ToolCall:
        """Say that something cannot be done, and have the wish written down, as it was understood, where it can be."""
        talk, say = self._talk, self._words.say
        if _TAKE not in self._offered:
            return f"{say(why)} {talk.instead()}"
        if _TAKE in talk.answers:
            return self.next()
        talk.message = talk.message or self._wish()
        question = self.next()
        is_first = isinstance(question, str) and talk.asked not in _ASKED
        return f"{say(why)} {say('pass_on_wish')} {question}" if is_first else question

    def undone(self) -> str:
        """Return what was not done by passing a wish on; empty where a message is all that was wished for."""
        task = self._talk.task
        return self._words.say(_UNDONE[task]) if task in _UNDONE and _DOES[task] not in self._offered else ""

    def _wish(self) -> str:
        """Return all that the caller said of a wish, and what was understood of it beside their words."""
        talk = self._talk
        said = " ".join(talk.wish) or talk.told
        known = [one for one in (talk.service, talk.whom.name) if one and one.casefold() not in said.casefold()]
        if talk.day is not None:
            is_timed = talk.clock is not None
            known.append(
                talk.times.moment(datetime.combine(talk.day, talk.clock)) if is_timed else talk.times.day(talk.day)  # type: ignore[arg-type]
            )
        return f"{said} ({', '.join(known)})" if known else said

    def _said(self) -> str:
        """Return what is to be passed on, where it was said along with the wish for a message."""
        for sentence in self._talk.wish:
            telling = self._words.telling(self._words.words(sentence))
            if sum(not self._words.is_in("message", [word]) for word in words_of(" ".join(telling))) >= _A_MESSAGE:
                return sentence
        return ""

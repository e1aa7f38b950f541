"""What a receptionist does next: ask for what is missing, call the tool for it, or say what has come of it."""

from collections.abc import Callable, Mapping
from datetime import datetime, time

from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.document import text
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.contract.telephony import BAD_NUMBER
from switchboard.models.rehearsal.identity import IdentityDialogue
from switchboard.models.rehearsal.information import Information
from switchboard.models.rehearsal.messages import MessageDialogue
from switchboard.models.rehearsal.people import PersonDialogue
from switchboard.models.rehearsal.results import moment_of, plain_words, result_words
from switchboard.models.rehearsal.talk import RehearsedTalk

_NOON = time(12)
_MOST_NAMED = 10
_UNVERIFIED = "session:verified"


class Receptionist:
    """Decides one step of one conversation."""

    def __init__(self, talk: RehearsedTalk) -> None:
        """Decide for a conversation as it is now."""
        self._talk, self._words, self._times = talk, talk.words, talk.times
        self._offered: Mapping[str, Definition] = {d.name: d for d in talk.scene.definitions}
        self._identity = IdentityDialogue(talk, self._offered, self.told, self._failed)
        self._information = Information(talk, self._offered, self.told)
        self._messages = MessageDialogue(talk, self._offered, self._failed)

    def next(self) -> str | ToolCall:
        """Return a call, or what is said now."""
        talk = self._talk
        steps: dict[str, Callable[[], str | ToolCall]] = {
            "book": self._book,
            "free": self._free,
            "cancel": self._cancel,
            "move": self._move,
            "mine": self._mine,
            "message": self._messages.next,
            "person": lambda: PersonDialogue(talk, self._offered, self._failed).next(),
            "text": self._text,
            "voice": lambda: self._simply("start_voice_session"),
            "link": lambda: self._simply("send_portal_link"),
            "close_page": lambda: self._simply("close_portal_page"),
            "bye": self._bye,
            "thanks": lambda: self.say("thanks"),
            "hello": lambda: self.say("hello"),
            "stop": lambda: self.say("stopped"),
            "no": lambda: self.say("stopped"),
            "who": self._who,
            "help": self._help,
            "done": self._done_before,
        }
        step = steps.get(talk.goal)
        done = self._done_by()
        if done is not None:
            return done
        if step is not None:
            return step()
        answer = self._information.answer()
        if isinstance(answer, str) and talk.task and not answer.endswith("?"):
            # After a question in between, back to what was being asked for.
            again = self._again()
            return f"{answer} {again}" if again else answer
        return answer

    def say(self, name: str, **values: str) -> str:
        """Return a phrase."""
        return self._words.say(name, **values)

    def told(self, tool: str, data: JsonObject) -> str:
        """Return a tool's result in words."""
        own = result_words(self._offered.get(tool), data, self._times, self._words.language)
        if own:
            return own
        plain = plain_words(data, self._times)
        return self.say("plain_found", found=plain) if plain else self.say("found_no_words")

    def _done_by(self) -> str | None:
        """Say what the action of this turn has come to; None where none has been done."""
        for tool, phrase in _ACTIONS.items():
            response = self._talk.answers.get(tool)
            if response is not None and response.ok:
                words = self.told(tool, response.data or {})
                words = f"{self._messages.undone() if tool == 'take_message' else ''} {words}".strip()
                return f"{words} {self.say(phrase)}" if phrase else words
        return None

    def _done_before(self) -> str:
        return f"{self.told(*self._talk.done)} {self.say('offer_else')}" if self._talk.done else self.say("offer_else")

    def _failed(self, response: ToolResponse) -> str:
        """Say that something was not done, and what can be had instead."""
        failure = response.failure
        assert failure is not None
        if failure.type is ErrorType.BUDGET_EXCEEDED:
            return self.say("budget")
        free = self._free_instead(response)
        if failure.type is ErrorType.CONFLICT and free:
            why = self.say("past_time" if response.meta.get("reason") == "past" else "taken")
            return f"{why} {self.say('free_instead', times=free)} {self.say('ask_clock')}"
        if response.meta.get("reason") == BAD_NUMBER:
            return f"{self.say('bad_number')} {self.say('ask_whole_number')}"
        if failure.type is ErrorType.NOT_FOUND:
            return f"{self.say('not_found')} {self._talk.instead()}"
        own = response.meta.get("say")
        if isinstance(own, str) and own:
            return own
        return f"{self.say('could_not')} {self._talk.instead()}"

    def _free_instead(self, response: ToolResponse) -> str:
        """Say which times are free instead, and with whom where somebody was asked for; empty where none is."""
        wished, with_whom = self._talk.whom.name, dict[str, list[datetime]]()
        for other in response.meta.get("alternatives") or ():
            moment = moment_of(other.get("start")) if isinstance(other, dict) else None
            if moment is not None:
                with_whom.setdefault(text(other.get("with")) if wished else "", []).append(moment)
        told = {name: self._times.moments(with_whom[name]) for name in sorted(with_whom, key=lambda who: who != wished)}
        return "; ".join(
            self.say("with_person_free", person=name, times=times) if name else times for name, times in told.items()
        )

    def _book(self) -> str | ToolCall:
        talk = self._talk
        if "book_appointment" not in self._offered:
            return self._messages.instead("cannot_book")
        missing = self._service_missing() or self._whom_missing() or self._day_missing()
        if missing is not None:
            return self._with_whom(missing)
        assert talk.day is not None
        made = talk.answers.get("book_appointment")
        if made is not None and not made.ok:
            return self._failed(made)
        if talk.clock is None:
            return self._times_of_day(self.say("ask_clock"))
        if not talk.details.get("name"):
            return self._with_whom(self.say("ask_name"))
        arguments = {
            "service": talk.service,
            "start_time": datetime.combine(talk.day, talk.clock).isoformat(),
            "customer_name": talk.details["name"],
        }
        arguments |= self._with_person()
        for name, own in (("customer_phone", "phone"), ("customer_email", "email")):
            if talk.details.get(own):
                arguments[name] = talk.details[own]
        return ToolCall("book_appointment", arguments)

    def _with_person(self) -> JsonObject:
        return {"with_person": self._talk.whom.name} if self._talk.whom.name else {}

    def _with_whom(self, question: str) -> str:
        """Say first, once, with whom it is to be: they may not be there any more when it is booked."""
        whom = self._talk.whom
        if not whom.name or whom.is_told or whom.is_gone(self._talk.scene.business):
            return question
        return f"{self.say('with_whom', person=whom.name)} {question}"

    def _whom_missing(self) -> str | None:
        """Return the question for another person, where the one that was asked for is not there any more."""
        talk, business = self._talk, self._talk.scene.business
        if business is None or not talk.whom.is_gone(business):
            return None
        gone, service = self.say("person_gone", person=talk.whom.name), business.service_named(talk.service)
        there = business.people_for(service) if service is not None else business.people
        if not there:
            return f"{gone} {talk.instead()}"
        return f"{gone} {self.say('ask_with', people=self._times.listed([person.name for person in there]))}"

    def _free(self) -> str | ToolCall:
        talk = self._talk
        if not {"check_availability", "get_availability"} & self._offered.keys():
            return self._messages.instead("cannot_book")
        missing = self._whom_missing() or self._day_missing()
        if missing is not None:
            return missing
        offer = "offer_this" if talk.clock is not None else "offer_booking"
        return self._times_of_day(self.say(offer) if "book_appointment" in self._offered else "")

    def _times_of_day(self, closing: str) -> str | ToolCall:
        talk = self._talk
        assert talk.day is not None
        tool = "check_availability" if "check_availability" in self._offered else "get_availability"
        if tool not in self._offered:
            return closing
        response = talk.answers.get(tool)
        if response is None:
            has_clock = talk.clock is not None and tool == "check_availability"
            when = datetime.combine(talk.day, talk.clock or _NOON).isoformat() if has_clock else talk.day.isoformat()
            service = {"service": talk.service} if talk.service else {}
            return ToolCall(tool, {"date": when, **service, **self._with_person()})
        if not response.ok:
            return self._failed(response)
        data = self._narrowed(response.data or {})
        if not data.get("available") and not data.get("openTimes"):
            return f"{self.told(tool, data)} {self._talk.instead()}"
        return f"{self._closed_first(data)}{self.told(tool, data)} {closing}".strip()

    def _narrowed(self, data: JsonObject) -> JsonObject:
        """Return the times of the part of the day that was asked for, where there are any; the asked time alone."""
        talk, starts = self._talk, list(data.get("openTimes") or ())
        moments = [(start, moment) for start in starts if (moment := moment_of(start)) is not None]
        if data.get("available") and talk.clock is not None:
            fitting = [start for start, moment in moments if moment.time() == talk.clock]
        else:
            fitting = [start for start, moment in moments if talk.fits_part(moment)]
        return {**data, "openTimes": fitting} if fitting and (talk.part_of_day or talk.clock) else data

    def _closed_first(self, data: JsonObject) -> str:
        """Say that the day is one on which the business is closed."""
        reasons = {c.get("reason") for c in data.get("conflicts") or () if isinstance(c, dict)}
        day = self._talk.day
        if reasons != {"closed"} or day is None or self._talk.clock is not None:
            return ""
        return self.say("hours_day_closed", day=_capital(self._times.day(day))) + " "

    def _service_missing(self) -> str | None:
        talk = self._talk
        if talk.service:
            return None
        if not talk.services.all:
            return None
        names = [service.name for service in talk.services.all[:_MOST_NAMED]]
        return self.say("ask_service", services=self._times.listed(names))

    def _day_missing(self) -> str | None:
        return self._asked_for_day("ask_day") if self._talk.day is None else None

    def _asked_for_day(self, phrase: str) -> str:
        no_such = f"{self.say('no_such_day')} " if self._talk.then.names_no_day(self._talk.heard) else ""
        return f"{no_such}{self.say(phrase)}"

    def _cancel(self) -> str | ToolCall:
        if "cancel_appointment" not in self._offered:
            return self._messages.instead("cannot_change")
        return self._with_appointment(self._cancel_it)

    def _cancel_it(self, appointment: JsonObject) -> str | ToolCall:
        response = self._talk.answers.get("cancel_appointment")
        if response is not None:
            return self._failed(response)
        return ToolCall(
            "cancel_appointment", {"booking_id": appointment["bookingId"], "start_time": appointment["startTime"]}
        )

    def _move(self) -> str | ToolCall:
        if "reschedule_appointment" not in self._offered:
            return self._messages.instead("cannot_change")
        return self._with_appointment(self._move_it)

    def _move_it(self, appointment: JsonObject) -> str | ToolCall:
        talk = self._talk
        response = talk.answers.get("reschedule_appointment")
        if response is not None:
            return self._failed(response)
        if talk.day is None and talk.clock is None:
            found = self.told("lookup_appointment", {"appointments": [appointment]})
            return f"{found}. {self._asked_for_day('ask_new_day')}"
        starts = moment_of(appointment.get("startTime"))
        day = talk.day or (starts.date() if starts else None)
        if day is None:
            return self.say("ask_new_day")
        if talk.clock is None:
            talk.day, talk.service = day, str(appointment.get("service") or "")
            return self._times_of_day(self.say("ask_clock"))
        when = datetime.combine(day, talk.clock).isoformat()
        return ToolCall("reschedule_appointment", {"booking_id": appointment["bookingId"], "new_start_time": when})

    def _mine(self) -> str | ToolCall:
        if "lookup_appointment" not in self._offered:
            return self._messages.instead("cannot_change")
        appointments = self._appointments()
        if not isinstance(appointments, list):
            return appointments
        listed = self.told("lookup_appointment", {"appointments": appointments})
        self._talk.task = ""
        return f"{listed.rstrip('.')}. {self.say('offer_else')}" if appointments else f"{listed} {self._talk.instead()}"

    def _with_appointment(self, use: Callable[[JsonObject], str | ToolCall]) -> str | ToolCall:
        """Find the appointment that is meant, and go on with it."""
        talk = self._talk
        appointments = self._appointments()
        if not isinstance(appointments, list):
            return appointments
        if not appointments:
            return f"{self.told('lookup_appointment', {'appointments': []})} {self._talk.instead()}"
        if talk.chosen is not None:
            return use(talk.chosen)
        if len(appointments) > 1:
            return f"{self.told('lookup_appointment', {'appointments': appointments})}. {self.say('ask_which')}"
        return use(appointments[0])

    def _appointments(self) -> list[JsonObject] | str | ToolCall:
        """Return the caller's appointments to come, or what has to come before."""
        talk = self._talk
        if talk.has_looked_up:
            return talk.upcoming()
        response = talk.answers.get("lookup_appointment")
        is_known = talk.is_verified or talk.scene.channel is Channel.PHONE or bool(talk.appointments)
        if response is None and is_known:
            return ToolCall("lookup_appointment", {})
        if (
            response is not None
            and not response.ok
            and (talk.is_verified or response.meta.get("condition") != _UNVERIFIED)
        ):
            return self._failed(response)
        return self._identity.next()

    def _text(self) -> str | ToolCall:
        talk = self._talk
        if "send_sms" not in self._offered or talk.scene.channel is not Channel.PHONE:
            return f"{self.say('nothing_here')} {self._talk.instead()}"
        response = talk.answers.get("send_sms")
        if response is not None:
            return self._failed(response)
        return ToolCall("send_sms", {"message": talk.message}) if talk.message else self.say("ask_text")

    def _simply(self, tool: str) -> str | ToolCall:
        response = self._talk.answers.get(tool)
        if response is not None:
            return self._failed(response)
        return ToolCall(tool, {}) if tool in self._offered else f"{self.say('nothing_here')} {self._talk.instead()}"

    def _bye(self) -> str | ToolCall:
        tool = next((name for name in ("end_call", "end_voice_session") if name in self._offered), None)
        if tool is None or tool in self._talk.answers:
            return self.say("bye")
        return ToolCall(tool, {})

    def _who(self) -> str:
        business = self._talk.scene.business
        return self.say("who", business=business.name if business else "")

    def _help(self) -> str:
        return self._information.abilities()

    def _again(self) -> str:
        """Return the question of what is still missing, after another one was answered."""
        talk = self._talk
        if talk.task == "book" and "book_appointment" in self._offered:
            missing = self._service_missing() or self._day_missing()
            if missing is None and talk.clock is None:
                missing = self.say("ask_clock")
            if missing is None and not talk.details.get("name"):
                missing = self.say("ask_name")
            return missing or ""
        is_by_message = talk.task == "message" or _DONE_WITH.get(talk.task, "") not in self._offered
        if not talk.task or not is_by_message or "take_message" not in self._offered:
            return ""
        talk.message = talk.message or " ".join(talk.wish)
        again = self._messages.next()
        return text(again)


_DONE_WITH = {
    "book": "book_appointment",
    "free": "check_availability",
    "cancel": "cancel_appointment",
    "move": "reschedule_appointment",
    "mine": "lookup_appointment",
}
_ACTIONS: Mapping[str, str] = {
    "book_appointment": "offer_else",
    "cancel_appointment": "offer_else",
    "reschedule_appointment": "offer_else",
    "take_message": "offer_else",
    "send_sms": "offer_else",
    "send_portal_link": "",
    "close_portal_page": "offer_else",
    "start_voice_session": "",
    "create_event": "offer_else",
}


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

"""What a conversation has come to: what the caller wants, what they have told, and what the tools have answered.

It is read anew from the messages each time, so that any instance may answer the next turn.
"""

from collections.abc import Sequence
from dataclasses import field
from datetime import date, datetime, time
from functools import lru_cache

from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.model import Message, Noted, Scene, Spoken, ToolMessage, UserMessage
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import ToolResponse
from switchboard.contract.telephony import BAD_NUMBER
from switchboard.models.rehearsal.details import code_in, details_in, name_in
from switchboard.models.rehearsal.person_named import names_person
from switchboard.models.rehearsal.results import moment_of
from switchboard.models.rehearsal.spoken_time import SpokenTime
from switchboard.models.rehearsal.vocabulary import (
    LanguageVocabulary,
    Services,
    Topic,
    Word,
    beginning,
    fold,
    phrase_asked,
)
from switchboard.models.rehearsal.whom import Whom

TASKS = ("book", "move", "cancel", "mine", "message", "free", "text")
"""What takes more than one turn and is come back to after a question in between."""
_FACTS = ("phone", "email", "date_of_birth", "booking_reference")
_ASIDES = ("hours", "price", "services", "ask", "who", "help", "thanks", "hello")
# So much of an answer must speak for another wish before it is one, and no answer to what was asked.
_CLEAR = 6
_FEW_WORDS = 5
_LONGEST = 1_000
_UNSAID = "[The caller has written nothing since."
_NOON = 12
_DOES = {"book_appointment": "book", "cancel_appointment": "cancel", "reschedule_appointment": "move"}
_DOES |= {"take_message": "message", "send_sms": "text"}
_POLITE = ("hello", "help", "thanks")
_ACCEPTED = {"offer_message": "message", "offer_transfer": "person", "offer_booking": "book", "offer_this": "book"}


@dataclass(slots=True)
class RehearsedTalk:
    """A conversation so far.

    Attributes:
        words: Its language.
        times: Reads and says times, now; `then` reads those in what was said, on the day on which it was said.
        scene: What is offered, to whom.
        task: What the caller wants done; empty when nothing is open.
        goal: What this turn is about.
        told: What the caller has just said; `heard` as much of it as is read, `said` word by word; `topics` what it
            asks about.
        asked: The name of the phrase that the rehearsal ended its last turn with, where that asked for something.
        details: What the caller has told of themselves.
        service: What they want to have done; `whom` with whom.
        day: When; `clock` at what time, `is_any_time` whether they leave that open.
        message: What is to be passed on; `wish` is all that they said about it.
        appointments: Theirs, as last looked up or booked; `chosen` is the one that they mean.
        is_labelled: Whether the caller has been told that no language model speaks.
        answers: What tools have answered in this turn, the latest of each; `done` what was done last, in any turn.
        is_verified: Whether it has been found out who is calling; `has_tried_number` whether by the number alone.
    """

    words: LanguageVocabulary
    times: SpokenTime
    scene: Scene
    services: Services
    task: str = ""
    goal: str = ""
    told: str = ""
    heard: str = ""
    said: Sequence[Word] = ()
    topics: Sequence[Topic] = ()
    asked: str = ""
    details: dict[str, str] = field(default_factory=dict)
    service: str = ""
    whom: Whom = field(default_factory=Whom)
    day: date | None = None
    clock: time | None = None
    is_any_time: bool = False
    part_of_day: str = ""
    message: str = ""
    wish: list[str] = field(default_factory=list)
    appointments: list[JsonObject] = field(default_factory=list)
    has_looked_up: bool = False
    chosen: JsonObject | None = None
    answers: dict[str, ToolResponse] = field(default_factory=dict)
    done: tuple[str, JsonObject] | None = None
    is_verified: bool = False
    has_tried_number: bool = False
    awaits_code: bool = False
    is_labelled: bool = False
    has_introduced: bool = False
    note: str = ""
    then: SpokenTime = field(init=False)
    _last_spoken: str = ""
    _offered: list[datetime] = field(default_factory=list)

    def take(self, messages: Sequence[Message]) -> None:
        """Read the messages, oldest first."""
        for message in messages:
            if isinstance(message, UserMessage):
                # Where nothing was written, what they have said last is still to be answered.
                if not message.text.startswith(_UNSAID):
                    self._hear(message)
            elif isinstance(message, Spoken):
                self._last_spoken = message.text.strip() or self._last_spoken
                self.is_labelled = self.is_labelled or self.words.phrases["label"] in message.text
                self.note = ""
                self.whom.told(self.words, message)
            elif isinstance(message, ToolMessage):
                self._answered(message)
            elif isinstance(message, Noted):
                self.note = message.text

    @property
    def is_question(self) -> bool:
        """Whether what was said is put as a question."""
        return self.told.rstrip().endswith("?")

    def instead(self) -> str:
        """Offer what can be had where something cannot be done: a message, a person, a number."""
        offered, business = {definition.name for definition in self.scene.definitions}, self.scene.business
        if "take_message" in offered:
            return self.words.say("offer_message")
        if "transfer_call" in offered:
            return self.words.say("offer_transfer")
        if business is not None and business.phone:
            return self.words.say("offer_number", number=business.phone)
        return self.words.say("offer_later")

    def facts(self) -> dict[str, str]:
        """Return what was told by which somebody can be recognised."""
        return {name: self.details[name] for name in ("name", *_FACTS) if self.details.get(name)}

    def has_fact(self) -> bool:
        """Tell whether there is something beside a name."""
        return any(self.details.get(name) for name in _FACTS)

    def forget_facts(self) -> None:
        """Forget who somebody said they were: it was not so."""
        for name in ("name", *_FACTS):
            self.details.pop(name, None)

    def upcoming(self) -> list[JsonObject]:
        """Return the appointments to come that stand."""
        return [
            a for a in self.appointments if not a.get("isPast") and a.get("status") not in ("cancelled", "canceled")
        ]

    def fits_part(self, moment: datetime) -> bool:
        """Tell whether a time lies in the part of the day that was asked for."""
        return not self.part_of_day or (moment.hour < _NOON) is (self.part_of_day == "morning")

    def begin(self, task: str) -> None:
        """Begin with something that is wanted, with what was told of it so far."""
        if self.task != task and {self.task, task} != {"free", "book"}:
            self.chosen, self.message, self.wish = None, "", []
            self.day = self.clock = None
            self.is_any_time, self.part_of_day = False, ""
            self.whom.clear()
            if not (self.task == "" and task in ("book", "free")):
                self.service = ""
        self.task = task

    def _hear(self, message: UserMessage) -> None:
        # "Tomorrow" is the day after the one on which it was said.
        self.then = self.times.then(message.at, self.scene.business)
        # Nobody asks a longer question. What is passed on is told in full; what is wished for is read in its beginning.
        self.told = message.text[:_LONGEST]
        text, words = beginning(self.told), self.words
        self.asked = phrase_asked(words.language, self._last_spoken)
        self.heard, self.said = text, words.words(text)
        self.topics = words.topics_in(self.said)
        self.answers, self.note = {}, ""
        goal, much = self._wish()
        is_answer = self._reads_answer(text, goal, much)
        if is_answer:
            self.goal = self.task
        elif goal in TASKS:
            self.begin(goal)
            self.goal = goal
            if goal == "message" and words.is_in("callback", self.said):
                # To be called back is what is to be passed on.
                self.message = self.told.strip()
        else:
            self.goal = goal
        self._read(text)
        if self.goal == "" and not self.task and not self.topics and self.then.days(text):
            # "Highlights on Saturday": what is wanted is a time.
            self.begin("free")
            self.goal = "free"
            self._read(text)
        if self.task and not is_answer and self.goal == self.task:
            self.wish.append(self.told.strip())
        if self.goal == "" and self.task and self._told_something(text):
            self.goal = self.task
            self.wish.append(self.told.strip())
        is_wanted = self.task == "free" and self.asked in ("offer_booking", "offer_this")
        if is_wanted and self.clock and self.goal in ("", "free", "book"):
            # Whoever takes one of the times that were offered wants to have it; who asks for something else does not.
            self.task = self.goal = "book"
        if self.goal == "" and not self.task and self.has_introduced and not self.is_question and not self.topics:
            self.goal = "hello"
        elif self.goal == "" and self.task and not self.is_question:
            self.wish.append(self.told.strip())
        if self.goal in ("stop", "no", "bye"):
            self.task = ""

    def _wish(self) -> tuple[str, int]:
        """Return what was wished for, and how much of what was said tells it."""
        goal, much = self.words.goal(self.said)
        if self.asked in _ACCEPTED and self.words.is_only("yes", self.said):
            return _ACCEPTED[self.asked], _CLEAR
        if self.words.is_only("no", self.said):
            return "no", much
        if self.done is not None and self.is_question and self.words.is_in("is_done", self.said):
            return "done", much
        if self.asked == "ask_person" and names_person(self.words, self.scene.business, self.said):
            return "person", _CLEAR
        if goal == "free" and not self.then.days(self.heard):
            # Free of charge, or a free place to park.
            if self.topics:
                return "ask", much
            if self.words.is_in("gratis", self.said):
                return "price", much
        if goal in _POLITE:
            # "Help, the cellar is flooded", "Hey, a trim on Saturday": what was said is more than a greeting.
            if self.topics:
                return "ask", much
            if goal == "hello" and self.then.days(self.heard):
                return "", 0
        if goal == "hours" and self.topics and self.topics[0].name == "team":
            return "ask", much
        return goal, much

    def _reads_answer(self, text: str, goal: str, much: int) -> bool:
        """Take what answers the last question, and tell whether that is what was said."""
        if not self.task or goal in ("stop", "no", "bye", "person"):
            return False
        is_clear = much >= _CLEAR and goal not in ("", self.task)
        if self.asked == "ask_message":
            if is_clear and (goal not in _ASIDES or len(self.said) <= _FEW_WORDS) and goal != "message":
                return False
            self.message = self.told.strip()
            return True
        if self.asked in ("ask_name", "ask_caller_name", "ask_identity", "ask_fact", "no_match"):
            details, never = details_in(text, self.then), self._never(is_asked=True)
            is_name = not (is_clear or text.rstrip().endswith("?"))
            name = name_in(details.rest, self.words, is_asked=self.asked != "ask_fact", never=never) if is_name else ""
            if name:
                self.details["name"] = name
            return bool(name or details.phone or details.email or details.date_of_birth or details.booking_reference)
        if self.asked == "ask_code" and code_in(text):
            return True
        if self.asked in ("ask_phone", "ask_whole_number"):
            return bool(details_in(text, self.then).phone or details_in(text, self.then).email)
        if self.asked == "ask_text" and not is_clear:
            self.message = self.told.strip()
            return True
        return False

    def _read(self, text: str) -> None:
        """Take what is told of times, services and the caller, whatever was asked."""
        words, details = self.words, details_in(text, self.then)
        for name in _FACTS:
            if getattr(details, name):
                self.details[name] = getattr(details, name)
        code = code_in(text) if self.awaits_code else ""
        if code:
            self.details["code"] = code
        is_for = self.task == "book"
        name = name_in(details.rest, words, is_for=is_for, never=self._never())
        self.has_introduced = bool(name)
        if name:
            self.details["name"] = name
        if self.goal in ("hours", "ask", "price", "services"):
            return
        named = self.services.named(text)
        # What a description merely mentions does not take the place of what was asked for by its name.
        if named and (not self.service or self.services.is_sure(text)):
            self.service = named[0]
        self.whom.hear(words, self.scene.business, self.said, is_asked=self.asked == "ask_with")
        self._read_times(details.rest)

    def _read_times(self, text: str) -> None:
        words, days = self.words, self.then.days(text)
        is_asked = self.asked in ("ask_clock", "ask_new_day", "offer_booking", "offer_this")
        clocks = self.then.clocks(text, is_asked=is_asked)
        if self.task in ("move", "cancel") and self.asked == "ask_which":
            self._choose(days, clocks)
            return
        if not days and self.then.names_no_day(text):
            # It is no other day, whatever time is named with it.
            self.day = self.clock = None
            return
        if days:
            self.day = days[-1]
        if clocks:
            self.clock, self.is_any_time = clocks[-1], False
        elif is_asked and words.is_in("any_time", self.said) and self._offered:
            first = next((m for m in self._offered if self.fits_part(m)), self._offered[0])
            self.day, self.clock = first.date(), first.time()
        elif days and self.task in ("book", "free") and self.asked != "ask_clock":
            self.clock = None
        if self.clock and not days and is_asked:
            # "The half past eleven one": of the day that was offered with it.
            self.day = next((m.date() for m in self._offered if m.time() == self.clock), self.day)
        if self.task in ("book", "free"):
            parts = (part for part in ("morning", "afternoon") if words.is_in(part, self.said))
            self.part_of_day = next(parts, self.part_of_day)

    def _told_something(self, text: str) -> bool:
        clocks = self.then.clocks(text, is_asked=self.asked in ("ask_clock", "offer_booking"))
        return (
            bool(self.then.days(text) or clocks or self.then.names_no_day(text))
            or bool(self.services.named(text))
            or self.asked in ("ask_which", "ask_with")
            or (self.asked in ("ask_clock", "ask_day") and self.words.is_in("any_time", self.said))
        )

    def _choose(self, days: Sequence[date], clocks: Sequence[time]) -> None:
        upcoming, named = self.upcoming(), self.services.named(self.heard)
        for appointment in upcoming:
            starts = moment_of(appointment.get("startTime"))
            is_it = (starts is not None and (starts.date() in days or starts.time() in clocks)) or (
                bool(named) and appointment.get("service") in named
            )
            if is_it:
                self.chosen = appointment
                return

    def _answered(self, message: ToolMessage) -> None:
        name, response = message.name, message.response
        self.answers[name] = response
        data = response.data or {}
        if response.ok:
            self._took(name, data)
        elif response.meta.get("reason") == BAD_NUMBER:
            # Whoever has no other goes on without one.
            self.details.pop("phone", None)
        elif response.failure is not None and response.failure.type is ErrorType.CONFLICT:
            self._offer([a.get("start") for a in response.meta.get("alternatives") or () if isinstance(a, dict)])
            self.clock = None

    def _took(self, name: str, data: JsonObject) -> None:
        self.done = (name, data) if name in _DOES else self.done
        if name == "verify_caller":
            self._recognised(data)
            self.has_tried_number = True
            self.awaits_code = self.awaits_code or data.get("outcome") == "code_needed"
            if data.get("outcome") == "no_match":
                self.forget_facts()
        elif name == "check_verification_code":
            self._recognised(data)
            self.awaits_code = not self.is_verified
        elif name == "lookup_appointment":
            self.appointments, self.has_looked_up = list(data.get("appointments") or ()), True
        elif name in ("check_availability", "get_availability"):
            self._offer(data.get("openTimes") or ())
        elif name in _DOES and self.task == _DOES[name]:
            if name == "book_appointment":
                self.appointments = [*self.appointments, data]
            else:
                self.appointments, self.has_looked_up = [], False
            self._finish()

    def _recognised(self, data: JsonObject) -> None:
        if data.get("verified") is not True:
            return
        self.is_verified = True
        # What was refused before that may be asked again.
        self.answers = {name: answer for name, answer in self.answers.items() if answer.ok}

    def _finish(self) -> None:
        self.task, self.service, self.day, self.clock, self.chosen = "", "", None, None, None
        self.message, self.wish, self.is_any_time, self._offered = "", [], False, []
        self.whom.clear()

    def _offer(self, starts: Sequence[object]) -> None:
        self._offered = [moment for start in starts if (moment := moment_of(start)) is not None]

    def _never(self, *, is_asked: bool = False) -> frozenset[str]:
        """Return what is written like a name and is none; whoever is asked for a name may well be called May."""
        months = () if is_asked else self.times.month_names
        return _folded((*self.times.day_names, *months), self.services)


@lru_cache(maxsize=64)
def _folded(names: Sequence[str], services: Services) -> frozenset[str]:
    return frozenset(fold(word) for word in (*names, *services.words))
